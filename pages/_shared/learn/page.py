"""The page of Learn: mounted with what is recorded and measured, and what it says of the reader's progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

import streamlit as st

from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import DONE, LESSON
from pages._shared.app.frontend import Component
from pages._shared.learn import LESSONS, timing
from pages._shared.learn.recorded import world
from pages._shared.running.kept import Kept

# A tab is sent the example once, with the code.
COMPONENT = Component("learn", ("friends/friends.css",), world=world())


class Progress(TypedDict):
    """How far a reader is: the lesson at the reading line, and those whose guesses were right."""

    lesson: str
    done: list[str]


class Page(Progress):
    """What the page draws besides its example: the seconds of this machine, None until they are known."""

    seconds: dict[str, list[timing.Timing]] | None
    failed: bool


_REPORTED = Kept[Progress]("learn_reported")


def at_first(fields: Mapping[str, str]) -> Page | None:
    """What the page draws before it is run; None if its address names no lesson that there is."""
    try:
        lesson, done = LESSON.of(fields, next(iter(LESSONS))), DONE.of(fields, ())
    except LinkError:
        return None
    known = sorted(set(done) & set(LESSONS))
    return {"seconds": None, "failed": False, "lesson": lesson, "done": known} if lesson in LESSONS else None


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
    COMPONENT.mount(data, on_progress_change=_on_progress)


def _on_progress() -> None:
    progress = st.session_state.get("learn", {}).get("progress")
    if progress:
        _REPORTED.set(progress)
