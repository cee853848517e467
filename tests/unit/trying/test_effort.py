"""The work on the way to a choice: counted in table entries, said with the best bound, and stopped."""

from __future__ import annotations

import math

import pytest

import bender_core as bc
from bender_core import looking, synth
from bender_core.strategies import AUTO
from bender_core.trying.auto import work_of_a_choice
from bender_core.trying.effort import Effort
from bender_core.trying.trials import Trial, go_on, is_finished


def begun() -> Trial:
    mrf = synth.ising_grid(7, 7, torus=True, seed=2)
    return Trial("a run", bc.Engine(mrf, bc.partition(mrf, 4), variant=12))


def test_what_runs_read_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1 << 12)
    effort, trial = Effort(), begun()
    effort.spend(go_on(trial, 1 << 16, is_finished))
    first = trial.work
    assert first >= 1 << 16
    effort.spend(go_on(trial, 1 << 30, lambda trial: trial.engine.sweep == 3, least=-1.0))
    assert trial.engine.sweep == 3
    work = looking.work(trial.engine)
    assert effort.done == trial.work == work.messages.sum() + work.rest > first
    effort.count(100)
    assert effort.done == trial.work + 100


def test_the_share_is_of_what_is_done_and_what_may_follow() -> None:
    """Nothing before that is known; never less than before."""
    told = list[tuple[float, float]]()
    effort, trial = Effort(tell=lambda *so_far: told.append(so_far)), begun()
    assert effort.bound == -math.inf
    effort.spend(go_on(trial, 1 << 16, is_finished))
    assert {share for share, _ in told} == {0.0}
    done = effort.done
    effort.limit(3 * done)
    effort.limit(10 * done)
    effort.spend(go_on(trial, trial.work + 1, is_finished))
    assert told[-1] == (pytest.approx(effort.done / (4 * done)), trial.engine.lower_bound)
    effort.limit(0)
    effort.spend(go_on(begun(), 1, is_finished))
    assert told[-1] == (1.0, trial.engine.lower_bound), "the bound is the best one so far"


def test_a_short_run_is_told_and_stopped_too() -> None:
    told = list[float]()
    effort = Effort(bc.Stop(requested=lambda: bool(told)), lambda share, bound: told.append(share))
    with pytest.raises(bc.Stopped):
        effort.spend(go_on(begun(), 1 << 30, lambda trial: False, least=-1.0))
    assert len(told) == 1


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
