"""Work in the background: what is begun anew or told to stop is no longer in anybody's way."""

from __future__ import annotations

import threading

import pytest

from pages._shared.app import background
from pages._shared.app.background import Background, Personal


def test_what_is_begun_anew_gives_up_what_went_on_and_a_stop_is_at_once() -> None:
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


def test_what_is_over_at_once_is_waited_for() -> None:
    def brief(stop: threading.Event) -> None:
        stop.wait(0.02)

    work = Background()
    work.begin(brief)
    assert not work.busy


def test_work_for_one_person_ends_when_nobody_is_there_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_who_is_there_is_not_asked_at_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(background, "presence", lambda: lambda: bool(asked.append(True)) or True)
    work = Personal()
    work.begin(lambda stop: [stop.is_set() for _ in range(1000)].clear())
    work.stop(60)
    assert len(asked) <= 1
