"""An engine is used by one thread at a time, also where work on several runs borrows it."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest

import bender_core as bc
from bender_core.stopping import never
from pages._shared.forks import growing
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import meeting
from pages._shared.watch.meeting import Meeting
from tests.labs import beside, lab


def stop_of(event: threading.Event) -> bc.Stop:
    return bc.Stop(requested=event.is_set)


def test_what_is_awaited_keeps_the_engine_what_is_not_makes_way_and_what_follows_waits() -> None:
    work, awaited, begun, begun_later = (
        lab("tiny", 3, 9).run.work,
        threading.Event(),
        threading.Event(),
        threading.Event(),
    )
    done: list[str] = []

    def job(stopped: threading.Event) -> None:
        with work.taken(stop_of(stopped)):
            begun.set()
            awaited.wait(60)
            done.append("the answer")
            while not (work.is_needed or stopped.is_set()):
                pass
            done.append("made way" if work.is_needed else "stopped")

    def later(stopped: threading.Event) -> None:
        with work.taken(stop_of(stopped)):
            begun_later.set()

    work.begin(job, waits=False)
    assert begun.wait(60)
    threading.Timer(0.1, awaited.set).start()
    with work.lent(never):
        assert done == ["the answer", "made way"]
        assert not work.is_needed
        work.begin(later, waits=False)
        assert not begun_later.wait(0.1)
        with work.lent(never):  # the same thread again
            assert not begun_later.is_set()
    assert begun_later.wait(60)


def test_who_waits_for_an_engine_can_be_stopped() -> None:
    run, stopped, found = lab("tiny", 3, 9).run, threading.Event(), []

    def wait() -> None:
        try:
            with run.work.taken(stop_of(stopped)):
                found.append("the engine")
        except bc.Stopped:
            found.append("stopped")

    with run.work.taken(never):
        waits = threading.Thread(target=wait)
        waits.start()
        stopped.set()
        waits.join(60)
    assert found == ["stopped"]


@pytest.mark.parametrize("work", ["measure", "pasts"])
def test_work_on_all_runs_has_each_of_their_engines(work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = beside(lab("pose-small", 8, 9), 5)
    mine.run.step("sweep", backward=False)
    runs = [branch.run for branch in mine.branches if branch.run is not None]
    assert len(runs) == 2
    owners: list[WatchedRun] = []

    def used(engine: bc.Engine, *what: Any) -> Any:
        owners.extend(run for run in runs if run.engine is engine and run.work._lock._is_owned())
        return really(engine, *what)

    name = {"measure": "clocked", "pasts": "history"}[work]
    really = getattr(growing, name)
    monkeypatch.setattr(growing, name, used)
    getattr(growing, work)(mine, never)
    assert owners == runs


def test_the_second_of_two_that_look_together_waits_until_its_engine_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = beside(lab("pose-small", 8, 9), 5)
    second = mine.branches.beside
    assert second is not None
    assert second.run is not None
    searches, is_free, stopped = threading.Event(), threading.Event(), threading.Event()

    def search(_: object, tell: Any) -> bool:
        searches.set()
        while not tell(mine.run.engine):
            pass
        threading.Event().wait(0.1)
        is_free.set()
        return False

    monkeypatch.setattr(meeting.Clock, "to_first_difference", search)
    together = Meeting((mine.run, second.run), "difference", "node")

    def first() -> None:
        with suppress(bc.Stopped):
            together.search(mine.run, never)

    thread = threading.Thread(target=first)
    thread.start()

    def stop() -> None:
        searches.wait(60)
        stopped.set()

    threading.Thread(target=stop).start()
    with pytest.raises(bc.Stopped):
        together.search(second.run, stop_of(stopped))
    assert is_free.is_set()
    thread.join(60)
