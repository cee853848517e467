"""Work in the background: what is begun anew or told to stop is no longer in anybody's way."""

from __future__ import annotations

import threading

from pages._shared.background import Background


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
