"""Work that is done once for all who wait for it."""

from __future__ import annotations

import threading

import pytest

from bender_core.stopping import Stop, Stopped
from bender_core.warming import Once


def test_work_that_was_begun_is_waited_for_and_not_done_again() -> None:
    goes, done = threading.Event(), list[int]()

    def work() -> None:
        goes.wait()
        done.append(1)

    once = Once(work)
    thread = once.begin()
    assert once.begin() is thread
    with pytest.raises(Stopped):
        once.wait(Stop(requested=lambda: True))
    assert not done
    goes.set()
    once.wait()
    once.wait(Stop(requested=lambda: True))
    assert done == [1]


def test_an_error_is_raised_where_it_is_waited_for_and_the_work_tried_again() -> None:
    errors = [ValueError("first"), ValueError("second")]

    def work() -> None:
        if errors:
            raise errors.pop(0)

    once = Once(work)
    once.begin().join()
    for name in ("first", "second"):
        with pytest.raises(ValueError, match=name):
            once.wait()
    once.wait()
