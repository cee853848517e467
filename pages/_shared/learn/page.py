"""The page of Learn: mounted with what is recorded and measured, and what it says of the reader's progress."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

import streamlit as st

from pages._shared.app.frontend import Component
from pages._shared.learn import timing
from pages._shared.learn.recorded import world
from pages._shared.running.kept import Kept

# A tab is sent the example once, with the code.
_component = Component("learn", ("friends/friends.css",), world=world())


class Progress(TypedDict):
    """How far a reader is: the lesson at the reading line, and those whose guesses were right."""

    lesson: str
    done: list[str]


class Page(Progress):
    """What the page draws besides its example: the seconds of this machine, None until they are known."""

    seconds: dict[str, list[timing.Timing]] | None
    failed: bool


_REPORTED = Kept[Progress]("learn_reported")


def reported() -> Progress | None:
    """What the page has said since it was drawn last; returned once."""
    return _REPORTED.take()


def mount(lesson: str, done: Iterable[str]) -> None:
    """Mount the page; it begins at a lesson."""
    data: Page = {
        "seconds": timing.seconds(),
        "failed": timing.has_failed(),
        "lesson": lesson,
        "done": sorted(done),
    }
    _component.mount(data, on_progress_change=_on_progress)


def _on_progress() -> None:
    progress = st.session_state.get("learn", {}).get("progress")
    if progress:
        _REPORTED.set(progress)
