"""Trials: equal work, the best of several, and moments to break off between."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import bender_core as bc
from bender_core import synth
from bender_core.trying.effort import Effort
from bender_core.trying.trials import Spend, Trial, best_of, course, go_on, is_finished, spending

MRF = synth.ising_grid(7, 7, torus=True, seed=2)
STRATEGIES = ("random", "greedy", "singletons", "layers")


def trial(strategy: str = "greedy", max_size: int = 4) -> Trial:
    return Trial(strategy, bc.Engine(MRF, bc.partition(MRF, max_size, strategy), variant=12))


def test_all_do_the_same_work_and_the_best_bounds_are_kept() -> None:
    ended = list[Trial]()
    found = Effort().spend(
        best_of(map(trial, STRATEGIES), 1 << 18, lambda one: one.engine.gap == 0.0, keep=2, note=ended.append)
    )
    assert [one.name for one in ended] == list(STRATEGIES)
    assert all(one.work >= 1 << 18 or one.engine.finished for one in ended)
    bounds = {one.name: one.engine.lower_bound for one in ended}
    assert [one.name for one in found] == sorted(bounds, key=lambda name: -bounds[name])[:2]


def test_a_trial_that_is_done_ends_the_others() -> None:
    made = list[str]()

    def trials() -> Iterator[Trial]:
        for strategy in STRATEGIES:
            made.append(strategy)
            yield trial(strategy)

    (best,) = Effort().spend(best_of(trials(), 1 << 18, lambda one: one.name == "greedy"))
    assert (best.name, best.work) == ("greedy", 0)
    assert made == ["random", "greedy"]


def test_work_done_before_a_trial_counts() -> None:
    begun = trial()
    begun.work = 1 << 18
    Effort().spend(best_of([begun], 1 << 18, is_finished))
    assert begun.engine.position == 0


@pytest.mark.parametrize("least", [None, 1e-3])
def test_a_trial_that_is_broken_off_again_and_again_ends_where_it_would(
    monkeypatch: pytest.MonkeyPatch, least: float | None
) -> None:
    whole = trial()
    Effort().spend(go_on(whole, 1 << 19, is_finished, least))
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1 << 12)
    parts, read = trial(), list[int]()
    for _ in course(go_on(parts, 1 << 19, is_finished, least), lambda _, work: read.append(work)):
        assert parts.work == sum(read)
    assert len(read) > 10
    assert (parts.work, parts.engine.position) == (whole.work, whole.engine.position)
    assert parts.engine.lower_bound == whole.engine.lower_bound


def test_a_sweep_that_gains_too_little_stalls() -> None:
    def stalls(one: Trial, least: float) -> bool:
        moments = spending(Spend(one, least=least), lambda *_: None)
        while True:
            try:
                next(moments)
            except StopIteration as end:
                return end.value

    one = trial()
    before = one.engine.upper_bound - one.engine.lower_bound
    assert not stalls(one, 1e-6)
    assert one.engine.sweep == 1
    assert stalls(one, before)
    # The rest of a sweep that was begun says nothing of a sweep.
    other = trial()
    other.engine.step("node")
    assert not stalls(other, before)
