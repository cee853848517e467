"""Garbage is collected seldom: that takes a small share of the time, however many scripts run."""

from __future__ import annotations

import gc
import platform
import resource
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import streamlit as st

from pages._shared.running import garbage

ROOT = Path(__file__).parents[3]


class Knot:
    """Something that only collecting frees."""

    def __init__(self) -> None:
        self.itself = self


def test_it_takes_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, collections, collect = 100.0, 0, gc.collect

    def slowly() -> int:
        nonlocal now, collections
        now, collections = now + 1.0, collections + 1
        return collect()

    monkeypatch.setattr(garbage.time, "monotonic", lambda: now)
    monkeypatch.setattr(garbage.gc, "collect", slowly)
    collector = garbage.Collector()
    knot = weakref.ref(Knot())
    for _ in range(10):
        collector.collect()
    assert (knot(), collections) == (None, 1)
    now += 1.0 / garbage.SHARE
    knot = weakref.ref(Knot())
    collector.collect()
    assert (knot(), collections) == (None, 2)


def test_streamlit_does_not_collect_after_every_script() -> None:
    assert st.get_option("runner.postScriptGC") is False


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_all_threads_allocate_in_a_few_arenas(tmp_path: Path) -> None:
    """What a class has used can be given back: the C library itself says how many arenas there are."""
    code = f"""
import ctypes, threading
from pages._shared.running.garbage import allocate_together

allocate_together()
meeting = threading.Barrier(13)

def work():
    kept = [b"x" * 600 for _ in range(1000)]
    for _ in range(2):
        meeting.wait()

for _ in range(12):
    threading.Thread(target=work, daemon=True).start()
meeting.wait()
system = ctypes.CDLL(None)
system.fopen.restype = ctypes.c_void_p
told = ctypes.c_void_p(system.fopen(b"{tmp_path / "arenas.xml"}", b"w"))
system.malloc_info(0, told)
system.fclose(told)
meeting.wait()
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    assert 1 <= (tmp_path / "arenas.xml").read_text().count("<heap nr=") <= garbage.ARENAS


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_what_is_free_is_given_back_though_something_behind_it_is_in_use() -> None:
    code = """
from pathlib import Path
from pages._shared.running.garbage import set_aside

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

blocks = [bytes(5000) for _ in range(20_000)]
kept = blocks[-1]
del blocks
before = resident()
set_aside()
print(before, resident())
"""
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    before, after = map(int, told.stdout.split())
    assert (before - after) * resource.getpagesize() > 80e6
