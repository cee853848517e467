"""The address of every page: what it says is in the table of `fields`; this reads it, and states it in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from pages._shared.app.arrival import arrival
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import ARC, AT, Field
from pages._shared.app.frontend import Component
from pages._shared.app.session import Lab, has_lab, lab
from pages._shared.app.text import complaint, label
from pages._shared.running.kept import Kept

T = TypeVar("T")

_component = Component("address")


class Tour(NamedTuple):
    """How far the guided tour is.

    Attributes
    ----------
    lesson : str
        The one that is open; empty if none is said.
    done : tuple of str
        Those whose questions were answered.
    """

    lesson: str = ""
    done: tuple[str, ...] = ()


# What a page has stated of its own: fields, a place, and how far the tour is.
_STATED = Kept[tuple[dict[str, str], str, Tour | None]]("page_parameters")
_TOUR = Kept[Tour]("tour_recalled")
# The address of the page that was drawn last.
ADDRESS = Kept[str]("page_address")


def from_address(field: Field[T], otherwise: T) -> T:
    """What the page's address says; ``otherwise`` if it does not, or, after a complaint, if that cannot be read."""
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


def state(own: Mapping[str, str], place: str = "", tour: Tour | None = None) -> None:
    """State a page's own fields in its address; the browser's Back goes from a place of the page to the last one.

    By the component: Streamlit would make every change a step for Back. The browser remembers how far the ``tour`` is;
    what this session does not know of it is told to `recalled`.
    """
    _STATED.set((dict(own), place, tour))


def recalled() -> Tour:
    """How far the tour was in this browser before this session; told once."""
    return _TOUR.take() or Tour()


def _on_recalled() -> None:
    recalled = st.session_state.get("address", {}).get("recalled")
    if recalled:
        _TOUR.set(Tour(str(recalled["lesson"]), tuple(map(str, recalled["done"]))))


def keep_address(page: str) -> None:
    """Keep the address of the page that was drawn; Watch, where the run moves in the browser, does so itself."""
    current, (own, place, tour) = lab(), _STATED.take() or ({}, "", None)
    query = urlencode(complete(own))
    ADDRESS.set(query)
    with st.container(key="address_bar"):
        shown = {"page": page, "place": place, "query": query if page else None}
        named = {"name": label(current.mrf.name), "run": _run_words(current)}
        data = shown | {"model": current.address} | named | {"tour": None if tour is None else tour._asdict()}
        _component.mount(data, on_recalled_change=_on_recalled)


def _run_words(current: Lab) -> str:
    """What tells the run from others of its model, in words."""
    forks = current.branches.shown.depth
    words = f"M {current.max_size} by {current.partition.strategy}, variant {current.variant}, {current.schedule}"
    return words + f", {forks} fork{'s' * (forks > 1)}" * (forks > 0)
