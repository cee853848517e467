"""Values that a session keeps: each has one owner, which names it and says of what type it is.

What widgets hold is Streamlit's, under the widget's key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, cast

import streamlit as st

T = TypeVar("T")


class Kept(Generic[T]):
    """A value of the session.

    Parameters
    ----------
    name : str
        No other value, and no widget, has it.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def get(self) -> T | None:
        """The value; None if there is none."""
        return cast(T | None, st.session_state.get(self._name))

    def set(self, value: T | None) -> None:
        """Keep a value in place of the one before."""
        st.session_state[self._name] = value

    def take(self) -> T | None:
        """The value, which is kept no longer."""
        return cast(T | None, st.session_state.pop(self._name, None))

    def forget(self) -> None:
        """Keep it no longer."""
        self.take()

    def made(self, make: Callable[[], T], fits: Callable[[T], bool] = lambda _: True) -> T:
        """The value; made anew if there is none, or if it does not fit."""
        found = self.get()
        if found is None or not fits(found):
            found = make()
            self.set(found)
        return found
