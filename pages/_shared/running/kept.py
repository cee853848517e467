"""Values that a session keeps: each has one owner, which gives its name and its type.

The values of widgets are Streamlit's, under the widget's key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

import streamlit as st

if TYPE_CHECKING:
    from pages._shared.running.background import Background
    from pages._shared.running.watched import WatchedRun


class AboutRun(Protocol):
    """What belongs to one run, and keeps its memory."""

    run: WatchedRun


T = TypeVar("T")
A = TypeVar("A", bound=AboutRun)
W = TypeVar("W", bound="Background")


class Kept(Generic[T]):
    """A value of the session.

    Parameters
    ----------
    name : str
        Unique among all values and widgets.
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
        """The value, which is then forgotten."""
        return cast(T | None, st.session_state.pop(self._name, None))

    def forget(self) -> None:
        """Forget the value."""
        self.take()

    def made(self, make: Callable[[], T], fits: Callable[[T], bool] = lambda _: True) -> T:
        """The value; made anew if there is none, or if it does not fit."""
        found = self.get()
        if found is None or not fits(found):
            found = make()
            self.set(found)
        return found


class KeptOfRun(Kept[A]):
    """What a session keeps about one run, until it asks about another one, or all runs are left.

    Parameters
    ----------
    name : str
        Unique among all values and widgets.
    make : callable
        Makes it for a run.
    """

    _all: ClassVar[list[Kept[Any]]] = []

    def __init__(self, name: str, make: Callable[[WatchedRun], A]) -> None:
        super().__init__(name)
        self._make = make
        self._all.append(self)

    def of(self, run: WatchedRun) -> A:
        """What is kept about a run."""
        return self.made(lambda: self._make(run), lambda found: found.run is run)

    @classmethod
    def leave_runs(cls) -> None:
        """Forget all of them, so that the memory of the runs is freed."""
        for each in cls._all:
            each.forget()


class KeptOfModel(Kept[W]):
    """Work on a model that a session keeps until all runs of the model are left: then it is stopped.

    Parameters
    ----------
    name : str
        Unique among all values and widgets.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        KeptOfRun._all.append(self)

    def forget(self) -> None:
        found = self.take()
        if found is not None:
            found.stop()
