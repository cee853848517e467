"""Learn without a browser: the lesson that it begins with, the progress, and what the address says of both."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from bender_core.kernels.layout import Kind
from bender_core.warming import Once
from pages._shared.app.frontend import FRONTEND
from pages._shared.learn import LESSONS, explaining, timing
from pages._shared.learn import page as learn_page
from tests.app.pages.test_pages import ROOT, complaints, go, ran

TIMES: dict[str, list[timing.Timing]] = {kind: [{"seconds": 1.0, "words": "1 s"}] for kind in timing.KINDS}


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the page was given, time and again."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(learn_page.COMPONENT, "mount", lambda data, **_: found.append(data))
    monkeypatch.setattr(timing, "_measuring", Once(lambda: None))
    monkeypatch.setattr(timing, "_found", {})
    return found


def visit(**fields: str) -> AppTest:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    for name, value in fields.items():
        test.query_params[name] = value
    return go(test, "learn")


def addressed(test: AppTest) -> dict[str, str]:
    """What the address says of the progress."""
    every = dict(parse_qsl(test.session_state.page_address))
    return {name: every[name] for name in ("lesson", "done") if name in every}


def report(test: AppTest, lesson: str, *done: str) -> AppTest:
    """Have the page say how far its reader is."""
    test.session_state["learn_reported"] = {"lesson": lesson, "done": list(done)}
    return ran(test.run())


def test_it_begins_at_the_first_lesson(mounted: list[dict[str, Any]]) -> None:
    test = visit()
    assert mounted[-1] == {"seconds": None, "failed": False, "lesson": "friends", "done": []}
    assert addressed(test) == {"lesson": "friends"}


def test_an_address_opens_a_lesson_with_its_progress(mounted: list[dict[str, Any]]) -> None:
    test = visit(lesson="row", done="loop,friends")
    assert (mounted[-1]["lesson"], mounted[-1]["done"]) == ("row", ["friends", "loop"])
    assert addressed(test) == {"lesson": "row", "done": "friends,loop"}


def test_an_unknown_lesson_is_named_and_the_first_is_shown(mounted: list[dict[str, Any]]) -> None:
    test = visit(lesson="nothing", done="nowhere,row")
    assert complaints(test) == ["There is no lesson 'nothing'; here is the first."]
    assert (mounted[-1]["lesson"], mounted[-1]["done"]) == ("friends", ["row"])


def test_the_address_follows_the_reader_and_the_session_remembers(mounted: list[dict[str, Any]]) -> None:
    test = visit(lesson="row")
    report(test, "envelope", "row")
    assert addressed(test) == {"lesson": "envelope", "done": "row"}
    # Nothing that was reached is lost.
    report(test, "kinds")
    assert addressed(test) == {"lesson": "kinds", "done": "row"}
    assert mounted[-1]["lesson"] == "kinds"


def test_times_are_sent_once_they_are_measured(mounted: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    test = visit()
    monkeypatch.setattr(timing, "_found", TIMES)
    ran(test.run())
    assert mounted[-1]["seconds"] == TIMES


def test_every_lesson_has_a_title_and_explains_what_the_stage_shows() -> None:
    assert len(LESSONS) == 12
    assert all(lesson.title and lesson.slug == slug for slug, lesson in LESSONS.items())
    for exact in (False, True):
        assert {Kind.NODE_OPENED, Kind.ROW, Kind.MESSAGE, Kind.ORACLE} <= set(explaining(exact))


def test_the_prose_is_short() -> None:
    """Two thousand words at most, numbers and guesses included."""
    text = re.sub(r"<[^>]+>", " ", (FRONTEND / "learn" / "learn.html").read_text(encoding="utf-8"))
    assert len(text.split()) <= 2000
