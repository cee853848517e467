"""The address of every page, read here and written into the address bar; its fields are in the table of `fields`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from pages._shared.app.arrival import arrival
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import ARC, AT, Field
from pages._shared.app.frontend import Component
from pages._shared.app.glossary import groups_in_words
from pages._shared.app.session import Lab, has_lab, lab
from pages._shared.app.text import complaint, label
from pages._shared.running.kept import Kept

T = TypeVar("T")

_component = Component("address")


class Tour(NamedTuple):
    """The progress of the guided tour.

    Attributes
    ----------
    lesson : str
        The one that is open; empty if unknown.
    done : tuple of str
        Those whose questions were answered.
    """

    lesson: str = ""
    done: tuple[str, ...] = ()


# A page's own fields, and the progress of the tour, as given to `state`.
_STATED = Kept[tuple[dict[str, str], Tour | None]]("page_parameters")
_TOUR = Kept[Tour]("tour_recalled")
# The talk, as the tab keeps it for when its page is loaded again; None: not known yet; empty: closed.
TALK_IN_TAB = Kept[str]("talk_in_tab")
# The address of the page drawn last.
ADDRESS = Kept[str]("page_address")


def from_address(field: Field[T], otherwise: T) -> T:
    """The value of a field in the page's address; ``otherwise`` if it is missing, or, after a complaint, unreadable."""
    try:
        return field.of(st.query_params, otherwise)
    except LinkError as error:
        complaint(error.sentence)
        return otherwise


def complete(own: Mapping[str, str]) -> dict[str, str]:
    """The fields of a page, after those of the run; an address without a run has only its own."""
    if not has_lab():
        return arrival().run | dict(own)
    current = lab()
    run = dict(parse_qsl(current.address))
    if run:
        run |= AT.say(current.run.position)
        if current.run.pinned:
            run |= ARC.say(current.run.arc)
    return run | dict(own)


def state(own: Mapping[str, str], tour: Tour | None = None) -> None:
    """Write a page's own fields into its address.

    The component does this, as Streamlit would make every change a step for the browser's Back. The browser remembers
    the progress of the ``tour``; `recalled` returns what this session does not know of it.
    """
    _STATED.set((dict(own), tour))


def recalled() -> Tour:
    """The progress of the tour in this browser before this session; returned once."""
    return _TOUR.take() or Tour()


def _on_recalled() -> None:
    recalled = st.session_state.get("address", {}).get("recalled")
    if recalled:
        _TOUR.set(Tour(str(recalled["lesson"]), tuple(map(str, recalled["done"]))))


def _on_talk() -> None:
    recalled = st.session_state.get("address", {}).get("talk")
    if recalled and TALK_IN_TAB.get() is None:
        TALK_IN_TAB.set(str(recalled))


def keep_address(page: str) -> None:
    """Keep the address of the page that was drawn; Watch, where the run moves in the browser, does so itself."""
    current, (own, tour) = lab(), _STATED.take() or ({}, None)
    query = urlencode(complete(own))
    ADDRESS.set(query)
    with st.container(key="address_bar"):
        shown = {"page": page, "query": query if page else None}
        named = {"name": label(current.mrf.name), "run": _run_words(current)}
        data = shown | {"model": current.address} | named | {"tour": None if tour is None else tour._asdict()}
        data |= {"talk": TALK_IN_TAB.get()}
        _component.mount(data, on_recalled_change=_on_recalled, on_talk_change=_on_talk)


def _run_words(current: Lab) -> str:
    """The settings that distinguish the run from others of its model, in words."""
    forks = current.branches.shown.depth
    groups = groups_in_words(current.max_size, current.partition.strategy)
    words = f"{groups}, variant {current.variant}, {current.schedule}"
    return words + f", {forks} fork{'s' * (forks > 1)}" * (forks > 0)
