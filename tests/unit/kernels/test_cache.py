"""The disk cache of machine code: it is found again, and copes with damage, unwritable folders, full disks and age."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import bender_core as bc
from bender_core.kernels import _cache
from bender_core.kernels._cache import DiskCache
from bender_core.kernels._jit import entry
from tests.mounts import fill, make_read_only, mounted

ROOT = Path(__file__).parents[3]


def triangular(n):  # type: ignore[no-untyped-def]
    total = 0
    for k in range(n + 1):
        total += k
    return total


@entry
def doubled(n):  # type: ignore[no-untyped-def]
    return 2 * n


def twice_triangular(n):  # type: ignore[no-untyped-def]
    return doubled(triangular_entry(n))


triangular_entry: Any = entry(triangular)


def first_call() -> bool:
    """Call the kernel as a new process does; whether its code was found on disk."""
    compiled: Any = entry(triangular)
    assert compiled(10) == 55
    return bool(compiled.stats.cache_hits)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder for machine code."""
    monkeypatch.setenv("BENDER_CACHE_DIR", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


def kept(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*") if path.is_file() and path.name != "fill")


@contextmanager
def quiet() -> Iterator[None]:
    """No warning is given."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_what_one_process_compiled_the_next_finds(home: Path, temporary: Path) -> None:
    assert not first_call()
    (path,) = kept(home)
    assert path.name.startswith("test_cache.triangular-")
    assert first_call()
    assert kept(home) == [path]
    assert kept(temporary) == []


def test_what_is_ready_is_counted_and_what_was_not_on_disk_is_noted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted() -> _cache.Compiled:
        """After the first call of a kernel beside one that is not called."""
        monkeypatch.setattr(_cache.DiskCache, "_dispatchers", {})
        monkeypatch.setattr(_cache.DiskCache, "_lacked", [])
        entry(twice_triangular)
        compiled: Any = entry(triangular)
        assert _cache.DiskCache.compiled() == (0, 2, False)
        compiled(10)
        return _cache.DiskCache.compiled()

    assert counted() == (1, 2, True)
    assert counted() == (1, 2, False)


@pytest.mark.parametrize("damage", ["empty", "truncated", "a flipped bit", "a folder in its place"])
def test_a_damaged_file_is_recompiled_and_replaced(damage: str, home: Path) -> None:
    first_call()
    (path,) = kept(home)
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    if damage == "a folder in its place":
        path.unlink()
        path.mkdir()
        with quiet():
            assert not first_call()
        return
    path.write_bytes({"empty": b"", "truncated": whole[:middle], "a flipped bit": flipped}[damage])
    with quiet():
        assert not first_call()
        assert first_call()


CALLING = """
from tests.unit.kernels.test_cache import entry, doubled, triangular_entry, twice_triangular
outer = entry(twice_triangular)
if {early}:
    doubled(1.0), triangular_entry(1.0)
assert outer(10) == 110
print(*(bool(kernel.stats.cache_hits) for kernel in (outer, doubled, triangular_entry)))
"""


def hits(early: bool = False, seed: int = 0) -> list[str]:
    """Whether a kernel and the two that it calls are found on disk by a new process with a seed for its hashes.

    With ``early``, that has compiled the two for other numbers before.
    """
    code, environment = CALLING.format(early=early), os.environ | {"PYTHONHASHSEED": str(seed)}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()


@pytest.mark.slow
def test_a_kernel_is_found_with_those_that_it_calls(home: Path) -> None:
    assert hits() == ["False"] * 3
    assert len(kept(home)) == 3
    assert hits() == ["True"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
def test_code_of_two_processes_fits_together(seed: int, home: Path) -> None:
    hits()
    for path in kept(home):
        if "twice" not in path.name:
            path.unlink()
    assert hits(early=True, seed=seed) == ["True", "False", "False"]
    assert hits() == ["True"] * 3


def test_names_of_machine_code_depend_neither_on_a_caller_nor_on_a_count() -> None:
    bc.warm_up()
    ours = [name for name, entry in DiskCache._entries.items() if entry.function.startswith("bender_core.")]
    marks = [re.search(r"B2v0B(\d+)(.*)", name) for name in ours]
    # The settings that a function was compiled with.
    assert len({mark[2][: int(mark[1])] for mark in marks}) == 1


def test_a_home_that_cannot_be_made_gives_way_to_temporary_files(
    home: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write_text("a file")
    with quiet():
        assert not first_call()
        assert first_call()
    assert len(kept(temporary)) == 1
    # Nor need there be a home at all.
    monkeypatch.delenv("BENDER_CACHE_DIR")
    monkeypatch.setattr(Path, "home", raises)
    assert first_call()


def raises() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_a_read_only_home_is_read(home: Path, temporary: Path) -> None:
    with mounted(home, 1024):
        first_call()
        make_read_only(home)
        with quiet():
            assert first_call()
        assert kept(temporary) == []


def test_a_home_that_can_only_be_read_and_lacks_the_code_gives_way(home: Path, temporary: Path) -> None:
    with mounted(home, 1024):
        make_read_only(home)
        with quiet():
            assert not first_call()
            assert first_call()
        assert len(kept(temporary)) == 1


def test_a_full_disk_gives_way_and_leaves_no_draft(home: Path, temporary: Path) -> None:
    with mounted(home, 256):
        first_call()
        (path,) = kept(home)
        path.unlink()
        fill(home)
        with quiet():
            assert not first_call()
            assert first_call()
        assert kept(home) == []
        assert len(kept(temporary)) == 1


def test_without_a_writable_folder_it_works_with_one_warning(home: Path, temporary: Path) -> None:
    home.write_text("a file")
    temporary.rmdir()
    _cache._say_unkept.cache_clear()
    with pytest.warns(RuntimeWarning, match=f"anew .*{home}.*; make room there, or set BENDER_CACHE_DIR"):
        assert not first_call()
    with quiet():
        assert not first_call()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
def test_code_that_others_could_have_put_there_is_not_run(home: Path, temporary: Path) -> None:
    home.write_text("a file")
    first_call()
    (theirs,) = temporary.iterdir()
    theirs.chmod(0o777)
    _cache._say_unkept.cache_clear()
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        assert not first_call()


def test_unused_folders_are_removed(home: Path) -> None:
    days = {"kernels-old": 31, "kernels-recent": 29, "else": 400}
    for name, age in days.items():
        (home / name / "below").mkdir(parents=True)
        os.utime(home / name, (0, time.time() - 86_400 * age))
    first_call()
    assert {path.name for path in home.iterdir()} == {"kernels-recent", "else", _cache._FOLDER}
    # A process that uses a folder marks it.
    os.utime(home / _cache._FOLDER, (0, 0))
    _cache.mark_used()
    _cache.remove_unused(home)
    assert first_call()
    # The folder of a process that runs on may go: the code is compiled and kept again.
    os.utime(home / _cache._FOLDER, (0, 0))
    _cache.remove_unused(home)
    assert not (home / _cache._FOLDER).exists()
    assert not first_call()
    assert first_call()


def test_the_folders_used_longest_ago_make_room(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cache, "LARGEST", 2500)
    for age, name in enumerate(("kernels-new", "kernels-mid", "kernels-old")):
        (home / name).mkdir(parents=True)
        (home / name / "code").write_bytes(bytes(1000))
        os.utime(home / name, (0, time.time() - 100 * (1 + age)))
    _cache.remove_unused(home)
    assert {path.name for path in home.iterdir()} == {"kernels-new", "kernels-mid"}


@pytest.mark.slow
def test_code_with_bounds_checking_has_a_separate_folder() -> None:
    code = "from bender_core.kernels._cache import _FOLDER; print(_FOLDER)"

    def folder(checked: str) -> str:
        environment = os.environ | {"NUMBA_BOUNDSCHECK": checked}
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    assert folder("0") == folder("0") != folder("1")
