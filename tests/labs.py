"""The state of a session of the app, without Streamlit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

import bender_core as bc
from bender_core import looking
from bender_core.trying.change import Fork
from bender_core.trying.proof import Descent
from pages._shared.app.branches import branch_of
from pages._shared.app.permalink import Origin
from pages._shared.app.session import Lab, show_beside
from pages._shared.running.watched import WatchedRun

_serials = count(1)


class SessionState(dict[str, Any]):
    """Streamlit's state of one session."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


@cache
def sample(name: str) -> bc.BinaryMRF:
    return bc.sample(name)


def lab(name: str, max_size: int, variant: int, schedule: str = "mplp", max_sweeps: int = 400) -> Lab:
    """A sample at the start of its run."""
    mrf = sample(name)
    part = bc.partition(mrf, max_size)
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, max_sweeps=max_sweeps, excluding=True)
    return Lab(mrf, max_size, part, variant, schedule, WatchedRun(engine))


def take_model(current: Lab, mrf: bc.BinaryMRF, origin: Origin) -> None:
    """Let a lab show another model, with its default groups and the present settings."""
    size = current.max_size
    current.open(mrf, origin, bc.partition(mrf, size), size, current.variant, current.schedule)


def beside(current: Lab, variant: int, max_size: int | None = None, schedule: str = "mplp") -> Lab:
    """A lab with another run beside the one shown, at the same place."""
    size = max_size or current.max_size
    part = current.partition if max_size is None else bc.partition(current.mrf, size)
    most = current.run.engine.settings.max_sweeps
    rules: dict[str, Any] = {"variant": variant, "schedule": schedule, "max_sweeps": most, "excluding": True}
    engine = bc.Engine(current.mrf, part, limit=current.account, **rules)
    show_beside(current, current._begin(engine, size))
    second = current.branches.beside
    assert second is not None
    assert second.run is not None
    second.run.work.wait()
    second.run.settle()
    return current


class SlowEngine:
    """An engine whose steps wait before they go on, until they are released or stopped.

    Attributes
    ----------
    free : int
        How many events it computes before it waits.
    """

    def __init__(self, engine: bc.Engine, patch: pytest.MonkeyPatch) -> None:
        self.free = 1
        self._engine, self._step = engine, engine.step
        self._waits, self._goes = threading.Event(), threading.Event()
        patch.setattr(engine, "step", self.step)

    def step(self, grain: bc.Grain, on_progress: Callable[[bc.Engine], bool]) -> list[bc.Event]:
        engine, done = self._engine, list[bc.Event]()
        while not (done and (engine.finished or looking.step_ended(engine, grain))):
            if engine.position < self.free or self._goes.is_set():
                done += self._step("event")
                continue
            self._waits.set()
            if on_progress(engine):
                break
            self._goes.wait(0.01)
        return done

    def until_it_waits(self) -> None:
        assert self._waits.wait(60)

    def release(self) -> None:
        self._goes.set()


def command(do: str, at: int = 0, **more: Any) -> dict[str, Any]:
    """A request of the stage."""
    usual = {
        "arc": 0,
        "first": at,
        "ahead": 80,
        "goes_on": False,
        "has_graph": True,
        "measure": "tension",
        "run": 0,
        "more": False,
        "answered": -1,
        "serial": next(_serials),
    }
    return {"do": do, "at": at} | usual | more


def near(found: ArrayLike, expected: ArrayLike, rel: float = 1e-6, abs: float = 1e-12) -> bool:
    """Whether numbers are the expected ones, as `pytest.approx` judges; that takes 10 microseconds for each of them."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    most = np.maximum(rel * np.abs(expected), abs)
    return found.shape == expected.shape and bool((np.abs(found - expected) <= most).all())


def is_shown(value: float, text: str) -> bool:
    """Whether a text is a number, rounded to the digits it has."""
    text = text.replace("−", "-")
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return abs(float(text) - value) <= 0.500001 * 10.0**-decimals


def proven_lab(sample: str, max_size: int, variant: int, event: int) -> Lab:
    """At the end of a proof that has gone on from an event of the first run."""
    found, change = lab(sample, max_size, variant), bc.Change(prove=True)
    found.run.engine.run(max_events=event)
    rounds = [branch_of(found.branches.shown, Fork(event, change), change.fork(found.run.engine))]
    assert rounds[0].run is not None
    first = rounds[0].run.engine
    Descent(found.mrf, first=first, on_round=lambda *each: rounds.append(branch_of(rounds[-1], *each))).run()
    found.show(found.branches.add(*rounds))
    found.branches.finish(len(found.run.engine.trace))
    found.run.show(len(found.run.engine.trace))
    return found
