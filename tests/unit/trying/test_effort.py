"""The work on the way to a choice: counted in table entries, said with the best bound, and stopped."""

from __future__ import annotations

import math

import pytest

import bender_core as bc
from bender_core import looking, synth
from bender_core.strategies import AUTO
from bender_core.trying.auto import work_of_a_choice
from bender_core.trying.effort import Effort


def engine() -> bc.Engine:
    mrf = synth.ising_grid(7, 7, torus=True, seed=2)
    return bc.Engine(mrf, bc.partition(mrf, 4), variant=12)


def test_what_runs_read_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1 << 12)
    effort, run = Effort(), engine()
    read = [effort.run(run, 1 << 16), effort.run(run, 1 << 30, max_sweeps=3)]
    assert run.sweep == 3
    assert read[0] >= 1 << 16
    work = looking.work(run)
    assert effort.done == sum(read) == work.messages.sum() + work.rest
    effort.count(100)
    assert effort.done == sum(read) + 100


def test_the_share_is_of_what_is_done_and_what_may_follow() -> None:
    """Nothing before that is known; never less than before."""
    told = list[tuple[float, float]]()
    effort, run = Effort(tell=lambda *so_far: told.append(so_far)), engine()
    assert effort.bound == -math.inf
    effort.run(run, 1 << 16)
    assert {share for share, _ in told} == {0.0}
    done = effort.done
    effort.limit(3 * done)
    effort.limit(10 * done)
    effort.run(run, 1)
    assert told[-1] == (pytest.approx(effort.done / (4 * done)), run.lower_bound)
    effort.limit(0)
    effort.run(engine(), 1)
    assert told[-1] == (1.0, run.lower_bound), "the bound is the best one so far"


def test_a_short_run_is_told_and_stopped_too() -> None:
    told = list[float]()
    effort = Effort(bc.Stop(wanted=lambda: True), lambda share, bound: told.append(share))
    with pytest.raises(bc.Stopped):
        effort.run(engine(), 1)
    assert told


def test_auto_says_how_far_it_is() -> None:
    mrf, told = synth.ising_grid(7, 7, torus=True, seed=2), list[tuple[float, float]]()
    bc.partition(mrf, 4, AUTO, on_progress=lambda *so_far: told.append(so_far))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.1
    # Runs that make no progress end before.
    assert 0.3 < shares[-1] <= 1.0
    assert told[-1][1] > told[0][1]
    assert work_of_a_choice(2, 10) == 2 * 10 + 2 * 3 * 10
