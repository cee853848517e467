"""Garbage is collected seldom: that takes a small share of the time, however many scripts run."""

from __future__ import annotations

import gc
import weakref

import pytest
import streamlit as st

from pages._shared.running import garbage


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
