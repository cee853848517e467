"""Work in the background: replaced or stopped work no longer blocks anything."""

from __future__ import annotations

import threading

import pytest

from pages._shared.running import background
from pages._shared.running.background import Background, Personal


def test_beginning_new_work_stops_the_old_and_a_stop_is_immediate() -> None:
    work, may_end = Background(), threading.Event()
    told: list[threading.Event] = []

    def slow_to_stop(stop: threading.Event) -> None:
        told.append(stop)
        may_end.wait(60)

    assert not work.busy
    work.begin(slow_to_stop)
    first = work.thread
    assert first is not None
    assert work.busy
    work.begin(slow_to_stop)
    assert [stop.is_set() for stop in told] == [True, False]
    assert work.busy
    work.stop()
    assert told[1].is_set()
    # For people it is over, although it has not ended yet.
    assert work.thread is not None
    assert work.thread.is_alive()
    assert not work.busy
    may_end.set()
    first.join(60)
    work.stop(60)
    assert not work.thread.is_alive()


def test_quick_work_is_waited_for() -> None:
    def brief(stop: threading.Event) -> None:
        stop.wait(0.02)

    work = Background()
    work.begin(brief)
    assert not work.busy


def test_personal_work_ends_when_its_tab_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    there, asked = threading.Event(), threading.Event()
    there.set()

    def present() -> bool:
        asked.set()
        return there.is_set()

    def endless(stop: threading.Event) -> None:
        while not stop.is_set():
            stop.wait(0.001)

    monkeypatch.setattr(background, "presence", lambda: present)
    monkeypatch.setattr(background, "LOOK_SECONDS", 0.01)
    work, everybodys = Personal(), Background()
    work.begin(endless)
    everybodys.begin(endless)
    assert asked.wait(60)
    assert work.busy
    there.clear()
    assert work.thread is not None
    work.thread.join(60)
    assert not work.alive
    # What is done for all who look outlives every one of them.
    assert everybodys.busy
    everybodys.stop(60)
    assert not everybodys.alive


def test_presence_is_checked_at_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(background, "presence", lambda: lambda: bool(asked.append(True)) or True)
    work = Personal()
    work.begin(lambda stop: [stop.is_set() for _ in range(1000)].clear())
    work.stop(60)
    assert len(asked) <= 1
