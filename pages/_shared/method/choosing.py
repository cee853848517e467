"""What is chosen on Method: the part that is open, whose numbers it shows, and of which message of the friends.

An address chooses all three, once; until another one does, they are what was chosen last.
"""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from pages._shared.app.address import from_address
from pages._shared.app.fields import MESSAGE, NUMBERS, PART
from pages._shared.app.requests import OPENED_BY
from pages._shared.method.formulas import FORMULAS
from pages._shared.method.live import FIRST, FRIENDS, MESSAGE_SHOWN, OWN, RUN
from pages._shared.running.kept import Kept

# The views by their names in addresses, and the tabs that show them.
VIEWS = dict(
    zip(
        ("bound", "rows", "beyond", "notation", "misprints", "glossary"),
        (*FORMULAS, "Notation", "Misprints of the paper", "Glossary"),
        strict=True,
    )
)
VIEW = "method_view"


class Chosen(NamedTuple):
    """The values of the widgets."""

    view: str = VIEWS[PART.usual]
    run: str = FRIENDS
    message: int = FIRST


_CHOSEN = Kept[Chosen]("method_chosen")
# The fields by which the page was opened last: others, even if they are the same, are another arrival.
_OPENED = Kept[dict[str, str]]("method_opened")


def choose() -> None:
    """Give the widgets their values: by the address by which the page has just been opened, or those of before."""
    before, opened = _OPENED.get(), OPENED_BY.get()
    _OPENED.set(opened)
    has_arrived = _CHOSEN.get() is None or (before is not None and opened is not before)
    is_new = has_arrived and bool(st.query_params.to_dict())
    chosen = _by_address() if is_new else _CHOSEN.get() or Chosen()
    for key, value in zip((VIEW, RUN, MESSAGE_SHOWN), chosen, strict=True):
        if is_new or key not in st.session_state:
            st.session_state[key] = value


def _by_address() -> Chosen:
    """What the address names, and the usual for the rest."""
    return Chosen(
        VIEWS[from_address(PART, PART.usual)],
        OWN if from_address(NUMBERS, NUMBERS.usual) == "run" else FRIENDS,
        from_address(MESSAGE, FIRST),
    )


def addressed() -> dict[str, str]:
    """What is chosen now, as a part of the address."""
    now = st.session_state
    chosen = Chosen(now[VIEW], now[RUN], now[MESSAGE_SHOWN])
    _CHOSEN.set(chosen)
    part = next(part for part, view in VIEWS.items() if view == chosen.view)
    return (
        (PART.say(part) if part != PART.usual else {})
        | (NUMBERS.say("run") if chosen.run == OWN else {})
        | (MESSAGE.say(chosen.message) if chosen.message != FIRST else {})
    )
