"""Work that is done once for all who wait for it."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from bender_core import warming
from bender_core.child_process import Child
from bender_core.kernels._cache import DiskCache
from bender_core.stopping import Stop, Stopped
from bender_core.warming import Once, ready


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


# --- another process ------------------------------------------------------------------------------------------


def started(monkeypatch: pytest.MonkeyPatch, empty: bool = True, cores: int = 2) -> list[Child[None]]:
    """The processes that prepare two variants where the disk cache seems to be empty, or filled."""
    found, enter = list[Child[None]](), Child.__enter__

    def noted(child: Child[None]) -> Child[None]:
        found.append(child)
        return enter(child)

    monkeypatch.setattr(DiskCache, "is_to_be_filled", lambda: empty)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    monkeypatch.setattr(Child, "__enter__", noted)
    monkeypatch.setattr(warming, "_ASIDE", Once(warming._compile_aside))
    monkeypatch.setattr(warming, "_HAS_EXACT", threading.Event())
    for variant in (4, 9):
        ready.__wrapped__(variant).wait()
    warming._ASIDE.wait()
    return found


def test_another_process_compiles_a_part_once_and_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [child.ended for child in started(monkeypatch)] == [True]


def test_no_process_is_started_for_nothing_or_beside_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not started(monkeypatch, empty=False)
    assert not started(monkeypatch, cores=1)


def test_where_no_process_can_be_started_this_one_compiles_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert len(started(monkeypatch)) == 1


def test_a_cache_is_filled_only_where_code_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_CACHE_DIR", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert DiskCache.is_to_be_filled()
    (folder,) = (tmp_path / "home").iterdir()
    for k in range(len(DiskCache._dispatchers)):
        (folder / str(k)).touch()
    assert not DiskCache.is_to_be_filled()
    for place in ("file", "temporary"):
        (tmp_path / place).touch()
    monkeypatch.setenv("BENDER_CACHE_DIR", str(tmp_path / "file"))
    assert not DiskCache.is_to_be_filled()
