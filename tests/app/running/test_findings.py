"""What a page looks at in a run is computed off the script thread, once, and can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import bender_core as bc
from pages._shared.app.session import Lab
from pages._shared.running import background
from pages._shared.running.findings import Findings
from tests.app.pages.test_pages import app, press, ran
from tests.app.pages.test_pages import lab as lab_of
from tests.labs import SlowEngine, lab


@pytest.fixture
def mine() -> Lab:
    return lab("pose-small", 8, 9)


class Slow:
    """Something that takes until it is released or stopped."""

    def __init__(self) -> None:
        self.begun, self.released, self.times = threading.Event(), threading.Event(), 0

    def __call__(self, engine: bc.Engine, stop: bc.Stop) -> int:
        self.times += 1
        self.begun.set()
        while not self.released.wait(0.01):
            stop.check()
        return engine.position


def quick(engine: bc.Engine, stop: bc.Stop) -> float:
    return engine.lower_bound


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.02)


@pytest.mark.usefixtures("patient")
def test_it_is_found_at_the_position_shown_and_once(mine: Lab) -> None:
    found, plain, slow = Findings(mine.run), bc.Engine(mine.mrf, mine.partition, variant=9), Slow()
    slow.released.set()
    mine.run.step("sweep", backward=False)
    plain.step("sweep")
    mine.run.engine.seek(3)  # as the stage may leave it
    assert found.find("the bound", 1, quick) == plain.lower_bound
    for about in (1, 1, 2, 2):
        assert found.find("the place", about, slow) == plain.position
    assert slow.times == 2
    mine.run.show(5)
    assert found.find("the place", 2, slow) == 5


@pytest.mark.usefixtures("impatient")
def test_what_takes_long_goes_on_until_it_is_there(mine: Lab) -> None:
    found, slow = Findings(mine.run), Slow()
    for _ in range(3):
        assert found.find("the place", None, slow) is None
        assert mine.run.looking
    assert found.progress.startswith("Computing the place: ")
    slow.released.set()
    mine.run.work.thread.join()
    assert found.find("the place", None, slow) == 0
    assert slow.times == 1


@pytest.mark.usefixtures("impatient")
def test_what_is_given_up_is_computed_when_it_is_taken_up_or_something_else_is_asked(mine: Lab) -> None:
    found, slow = Findings(mine.run), Slow()
    assert found.find("the place", 1, slow) is None
    slow.begun.wait(60)
    found.give_up()
    assert not mine.run.looking
    assert found.find("the place", 1, slow) is None
    assert (slow.times, mine.run.looking) == (1, False)
    slow.released.set()
    found.take_up()
    found.find("the place", 1, slow)
    mine.run.work.thread.join()
    assert found.find("the place", 1, slow) == 0
    found.given_up = ("the place", 0, 1)
    found.find("the place", 2, slow)
    assert found.given_up is None


@pytest.mark.usefixtures("patient")
def test_errors_are_raised_where_the_page_asks_each_time(mine: Lab) -> None:
    def fails(engine: bc.Engine, stop: bc.Stop) -> None:
        raise bc.TooLargeError("too large", needed=2, limit=1, fits=3)

    found = Findings(mine.run)
    for _ in range(2):
        with pytest.raises(bc.TooLargeError):
            found.find("the place", None, fails)


@pytest.mark.usefixtures("impatient")
def test_steps_that_are_pressed_while_one_is_computed_follow_it(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    found, plain = Findings(mine.run), bc.Engine(mine.mrf, mine.partition, variant=9)
    slow = SlowEngine(mine.run.engine, monkeypatch)
    found.step("sweep", False)
    found.arrive()
    slow.until_it_waits()
    assert found.progress.startswith("Computing event 2")
    found.step("round", False)
    found.step("node", True)
    found.arrive()
    assert found.find("the bound", None, quick) is None
    slow.release()
    mine.run.work.thread.join()
    plain.step("sweep")
    ends = plain.trace.stops("node")
    plain.step("round")
    assert mine.run.position == ends[-1] == plain.trace.stops("sweep")[0]


@pytest.mark.usefixtures("impatient")
def test_a_sweep_that_is_given_up_ends_with_the_last_complete_update(
    mine: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = bc.Engine(mine.mrf, mine.partition, variant=9)
    plain.step("sweep")
    ends = plain.trace.stops("node")
    slow = SlowEngine(mine.run.engine, monkeypatch)
    slow.free = int(ends[2]) + 1
    found = Findings(mine.run)
    found.step("sweep", False)
    found.step("sweep", False)
    found.arrive()
    slow.until_it_waits()
    found.give_up()
    assert mine.run.position == ends[2]
    slow.release()
    found.arrive()
    assert found.find("the place", None, lambda engine, stop: engine.position) in (None, ends[2])
    mine.run.work.thread.join()
    assert mine.run.position == ends[2], "what was pressed after it is given up too"


# -- on the page ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("impatient")
def test_a_slow_sweep_on_edge_shows_its_progress_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("edge")
    run = lab_of(test).run
    slow = SlowEngine(run.engine, monkeypatch)
    press(test, "sweep ▶")
    slow.until_it_waits()
    until(test, lambda: said(test, "Computing event 2"))
    press(test, "Stop")
    assert (run.position, run.looking) == (0, False)


@pytest.mark.usefixtures("impatient")
def test_a_slow_look_on_edge_is_stopped_and_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, what_if = Slow(), bc.what_if

    def slowly(engine: bc.Engine, p: int, q: int, state: int, stop: bc.Stop) -> Any:
        slow(engine, stop)
        return what_if(engine, p, q, state, stop)

    monkeypatch.setattr(bc, "what_if", slowly)
    test = app("edge")
    until(test, lambda: slow.begun.is_set())
    assert said(test, "Computing the four rows: ")
    press(test, "Stop")
    assert said(test, "Stopped computing the four rows.")
    assert len(test.get("plotly_chart")) == 1
    slow.released.set()
    press(test, "Compute it")
    until(test, lambda: len(test.get("plotly_chart")) == 2)


def said(test: Any, text: str) -> bool:
    return any(caption.value.startswith(text) for caption in test.caption)


def until(test: Any, holds: Callable[[], bool]) -> None:
    """Draw the page again, as it does itself in a browser, until something holds."""
    for _ in range(500):
        if holds():
            return
        ran(test.run())
    raise AssertionError([caption.value for caption in test.caption])
