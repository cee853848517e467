"""Runs that continue others, continuations of runs that stall, and partitions judged by short trials."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core import synth
from bender_core.groups import split_by_coupling
from bender_core.planning import auto as auto_module
from bender_core.planning import continuing, solving, unions
from bender_core.planning.auto import candidate, candidates
from bender_core.planning.effort import Effort
from bender_core.planning.unions import halved, stages, united
from bender_core.run.carrying import owners
from bender_core.strategies import AUTO, PURSUIT, STRATEGIES
from bender_core.strategies.rules import BY_RULE, what_matters
from tests import naive
from tests.models import random_mrf, random_partition
from tests.unit.engines import fingerprint

SAMPLES = Path(__file__).parents[3] / "sample_instances"


def glass(seed: int = 0, n: int = 12, max_size: int = 3) -> tuple[bc.BinaryMRF, bc.Partition]:
    """A dense random model, whose groups form cycles."""
    return random_mrf(seed, n, 0.6, constant=3.0), random_partition(seed, n, max_size)


def torus(rows: int = 6) -> bc.BinaryMRF:
    return synth.ising_grid(rows, rows, torus=True, coupling="gaussian", seed=2)


# --- a run that goes on from another -----------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", ["mplp", "srmp"])
@pytest.mark.parametrize("variant", [4, 9, 12])
@pytest.mark.parametrize("events", [7, 60, 200])
def test_another_schedule_continues_from_the_messages(schedule: str, variant: int, events: int) -> None:
    """Also from the middle of an update; the bound never falls, and is that of lambda."""
    for seed in range(3):
        mrf, part = glass(seed)
        first = bc.Engine(mrf, part, 9, "srmp" if schedule == "mplp" else "mplp")
        first.run(max_events=events)
        engine = bc.Engine(mrf, part, variant, schedule, start=first)
        assert engine.lower_bound == pytest.approx(first.lower_bound, abs=1e-9)
        assert engine.lower_bound == pytest.approx(engine.certified_bound(), abs=1e-9)
        assert engine.upper_bound == pytest.approx(first.upper_bound, abs=1e-9)
        assert engine.labeling.tolist() == first.labeling.tolist()
        assert engine._state.cursor.credit == first._state.cursor.credit != 0, "the work due to labellings"
        engine.run(max_sweeps=15)
        assert np.diff(engine.trace.column("lower_bound")).min() >= -1e-9
        assert engine.lower_bound == pytest.approx(engine.certified_bound(), abs=1e-9)
        assert first.lower_bound - 1e-9 <= engine.lower_bound <= naive.optimum(mrf) + 1e-9


@pytest.mark.parametrize("schedule", ["mplp", "srmp"])
def test_united_groups_continue_from_the_messages_of_their_parts(schedule: str) -> None:
    for seed in range(4):
        mrf, part = glass(seed)
        first = bc.Engine(mrf, part, 9, schedule)
        first.run(max_sweeps=5)
        larger = united(mrf, part, len(part))
        assert len(larger) < len(part)
        engine = bc.Engine(mrf, larger, 9, schedule, start=first)
        assert first.lower_bound - 1e-9 <= engine.lower_bound <= engine.certified_bound() + 1e-9
        engine.run(max_sweeps=15)
        assert np.diff(engine.trace.column("lower_bound")).min() >= -1e-9
        assert engine.lower_bound == pytest.approx(engine.certified_bound(), abs=1e-9)
        assert engine.lower_bound <= naive.optimum(mrf) + 1e-9


def test_other_groups_take_over_the_labelling_alone() -> None:
    mrf, part = glass(1)
    first = bc.Engine(mrf, part, 9)
    first.run()
    other = random_partition(5, mrf.n, 3)
    assert owners(part, other) is None
    engine, fresh = bc.Engine(mrf, other, 9, start=first), bc.Engine(mrf, other, 9)
    assert engine.lower_bound == fresh.lower_bound < first.lower_bound
    assert engine.labeling.tolist() == first.labeling.tolist()
    assert mrf.energy(engine.labeling) == pytest.approx(engine.upper_bound)
    assert engine.decoded_bound == first.decoded_bound > first.upper_bound + 1e-3


@pytest.mark.parametrize("variant", [9, 12])
def test_a_continued_run_can_be_sought_through(variant: int) -> None:
    mrf, part = glass(2)
    first = bc.Engine(mrf, part, variant)
    first.run(max_sweeps=2)
    engine = bc.Engine(mrf, part, variant, "srmp", start=first)
    there = [fingerprint(engine)]
    while engine.step("node") and engine.sweep < 3:
        there.append(fingerprint(engine))
        last = engine.position
    engine.seek(0)
    assert fingerprint(engine) == there[0]
    engine.seek(last)
    assert fingerprint(engine) == there[-1]


def test_the_messages_a_run_begins_with_are_charged() -> None:
    mrf, part = glass(0)
    first = bc.Engine(mrf, part, 9)
    account = bc.Account(1 << 30)
    plain = bc.Engine(mrf, part, 9, limit=account)
    needed = account.used
    del plain
    assert account.used == 0
    carried = bc.Engine(mrf, part, 9, limit=account, start=first)
    assert account.used > needed
    with pytest.raises(bc.TooLargeError, match="initial messages"):
        bc.Engine(mrf, part, 9, limit=bc.Account(account.used - 1 - carried._line.items.get("looking", 0)), start=first)


def test_a_work_limit_pauses_a_run_independently_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf, part = torus(), bc.partition(torus(), 4)
    whole, pieces = bc.Engine(mrf, part, 9), bc.Engine(mrf, part, 9)
    whole.run(max_work=1 << 20)
    assert whole.position > 0
    assert not whole.finished
    again = bc.Engine(mrf, part, 9)
    again.run(max_work=1 << 20)
    assert fingerprint(again) == fingerprint(whole)
    more = bc.Engine(mrf, part, 9)
    more.run(max_work=1 << 21)
    assert more.position > whole.position
    while not pieces.run(max_work=1 << 14):
        pass
    end = whole.position
    whole.run()
    assert fingerprint(pieces) == fingerprint(whole)
    # Work is added up over the slices of a run.
    monkeypatch.setattr("bender_core.run.engine._SLICE", 1 << 14)
    sliced = bc.Engine(mrf, part, 9)
    sliced.run(max_work=1 << 20)
    assert 0.7 * end < sliced.position <= end


# --- groups united and split -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_united_groups_are_pairs_of_the_most_strongly_coupled(seed: int) -> None:
    mrf, part = glass(seed, n=14)
    for most in (0, 1, 2, 9):
        larger = united(mrf, part, most)
        owner = owners(part, larger)
        assert owner is not None
        assert np.bincount(owner).max() <= 2
        assert len(part) - len(larger) == min(most, len(part) - len(united(mrf, part, 99)))
    weight = np.zeros((len(part), len(part)))
    p, q = part.group_of()[mrf.edges].T
    np.add.at(weight, (p, q), what_matters(mrf))
    weight = np.triu(weight + weight.T, 1)
    owner = owners(part, united(mrf, part, 1))
    assert owner is not None
    pair = np.flatnonzero(owner == np.bincount(owner).argmax())
    assert weight[tuple(pair)] == weight.max()


def test_stages_lie_within_each_other_and_end_with_the_partition() -> None:
    mrf = torus()
    part = bc.partition(mrf, 9)
    assert stages(mrf, part, 9, np.inf) == [part]
    found = stages(mrf, part, 9, 0.0)
    assert found[-1] is part
    assert found[0].max_size == 1
    for finer, coarser in itertools.pairwise(found):
        assert owners(finer, coarser) is not None
        assert finer.max_size == -(-coarser.max_size // 2)
    chain = bc.manual(mrf, [range(18), range(18, 36)])
    assert stages(mrf, chain, 9, 0.0) == [chain]


def test_groups_are_halved_at_once_as_one_by_one() -> None:
    mrf = random_mrf(4, 40, density=0.3)
    part = bc.partition(mrf, 9, "random")
    one_by_one = part
    for p in reversed(range(len(part))):
        if 2 * len(part.groups[p]) > part.max_size + 1:
            one_by_one = split_by_coupling(mrf, one_by_one, p)
    at_once = halved(mrf, part)
    assert at_once.labels == one_by_one.labels
    assert [group.tolist() for group in at_once.groups] == [group.tolist() for group in one_by_one.groups]
    with pytest.raises(bc.Stopped):
        halved(mrf, part, bc.Stop(0.0))


def test_if_splitting_takes_too_long_the_requested_groups_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = random_mrf(4, 40, density=0.3)
    part = bc.partition(mrf, 9, "random")
    monkeypatch.setattr(unions, "FIRST_SWEEPS", 1e9)
    split = bc.solve(mrf, part, time_limit=60.0, max_sweeps=1)
    assert split.tried[0].max_size == 1
    monkeypatch.setattr("bender_core.planning.solving.SPLITTING", 0.0)
    assert bc.solve(mrf, part, time_limit=60.0, max_sweeps=1).tried[0].max_size == part.max_size


def test_halved_groups_are_at_most_half_as_large() -> None:
    mrf = random_mrf(0, 23, 0.4)
    part = bc.manual(mrf, [range(9), range(9, 14), range(14, 18), range(18, 23)])
    found = halved(mrf, part)
    assert found.max_size == 5
    assert owners(found, part) is not None


# --- what is tried where a run gains no more ---------------------------------------------------------------------


def test_without_a_time_limit_there_is_one_run() -> None:
    mrf = torus()
    result = bc.solve(mrf, bc.partition(mrf, 4), 9)
    engine = bc.Engine(mrf, bc.partition(mrf, 4), 9)
    engine.run()
    assert (result.lower_bound, result.sweeps) == (engine.lower_bound, engine.sweep)
    assert result.upper_bound == pytest.approx(engine.upper_bound)
    (only,) = result.tried
    assert (only.lower_bound, only.sweeps, only.status) == (result.lower_bound, result.sweeps, result.status)
    assert "runs" not in result.meaning


def test_with_time_left_a_stall_is_not_the_end() -> None:
    """Groups of two lines of the torus form a chain."""
    mrf = torus()
    part = bc.partition(mrf, 4)
    alone = bc.solve(mrf, part, 9)
    assert alone.status != "closed"
    result = bc.solve(mrf, part, 9, time_limit=100)
    assert result.status == "closed"
    assert mrf.energy(result.labeling) == result.upper_bound == pytest.approx(result.lower_bound)
    assert len(result.tried) > 1
    assert f"{len(result.tried)} runs, with groups of up to {max(t.max_size for t in result.tried)} variables" in (
        result.meaning
    )
    assert result.sweeps == sum(tried.sweeps for tried in result.tried)


def test_the_bound_never_falls_from_run_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without new partitions all runs continue from the current messages, up to one group with the whole model."""
    monkeypatch.setattr(continuing, "LOOKING", 0.0)
    monkeypatch.setattr(continuing, "candidates", lambda *_, **__: [])
    for seed in range(3):
        mrf, part = glass(seed, n=14, max_size=2)
        seen: list[float] = []
        result = bc.solve(mrf, part, 9, time_limit=100, on_progress=lambda e, seen=seen: seen.append(e.lower_bound))
        bounds = [tried.lower_bound for tried in result.tried]
        assert np.diff(bounds).min(initial=0.0) >= -1e-9
        assert result.status == "closed"
        assert result.upper_bound == pytest.approx(naive.optimum(mrf))
        assert result.lower_bound == pytest.approx(result.upper_bound)
        assert seen
        assert np.diff(seen).min(initial=0.0) >= -1e-9


def test_a_worse_rival_leaves_the_run_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = torus()
    monkeypatch.setattr(continuing, "choose", lambda mrf, found, stop: bc.partition(mrf, 1, "singletons"))
    monkeypatch.setattr(continuing.Continuations, "_forest", lambda self: iter(()))
    monkeypatch.setattr(continuing.Continuations, "_united", lambda self: None)
    engine = bc.Engine(mrf, bc.partition(mrf, 4, "blocks"), 12, "srmp")
    course = continuing.Continuations(engine, [], bc.Stop())
    course.follow()
    assert [tried.max_size for tried in course.tried[:3]] == [4, 4, 1]
    assert course.tried[2].lower_bound < course.lower
    assert course.lower == max(tried.lower_bound for tried in course.tried)
    assert course.engine.lower_bound == course.lower


def test_sweeps_are_counted_over_all_runs() -> None:
    mrf = torus()
    result = bc.solve(mrf, bc.partition(mrf, 2), 9, max_sweeps=13, time_limit=100)
    assert (result.sweeps, result.status) == (13, "sweep limit")


def test_large_groups_begin_with_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = torus()
    part = bc.partition(mrf, 9)
    monkeypatch.setattr(solving, "stages", lambda mrf, part, which, *_: stages(mrf, part, which, 0.0))
    result = bc.solve(mrf, part, 9, time_limit=100)
    assert [tried.max_size for tried in result.tried[:2]] == [1, 2]


def test_a_stop_before_there_is_a_run_is_raised() -> None:
    mrf = torus()
    for limit in (None, 100.0):
        with pytest.raises(bc.Stopped):
            bc.solve(mrf, bc.partition(mrf, 4), time_limit=limit, stop=bc.Stop(wanted=lambda: True))


def test_a_stop_during_the_run_keeps_its_results() -> None:
    mrf = torus()
    asked = iter([False] * 400)
    result = bc.solve(mrf, bc.partition(mrf, 3), 9, time_limit=100, stop=bc.Stop(wanted=lambda: next(asked, True)))
    assert result.status in ("stopped", "closed")
    assert result.lower_bound <= result.upper_bound


# --- partitions judged by trials -----------------------------------------------------------------------------------


def test_strategies_that_run_the_model_are_strategies_though_these_know_no_runs() -> None:
    assert list(STRATEGIES) == [AUTO, PURSUIT, *BY_RULE]


@pytest.mark.parametrize(
    "make",
    [lambda: synth.random_regular(80, 6, "pm1", seed=1), lambda: synth.random_regular(100, 3, "pm1", seed=1)],
    ids=["6-regular", "3-regular"],
)
def test_auto_chooses_one_of_the_best_after_many_sweeps(make) -> None:
    """The share inside groups or on a forest would choose one that loses a tenth of the possible gain."""
    mrf = make()
    chosen = bc.partition(mrf, 8, AUTO)

    def bound(part: bc.Partition) -> float:
        engine = bc.Engine(mrf, part, 9, "srmp", snapshot_bytes=0)
        engine.run(max_sweeps=100)
        return engine.lower_bound

    bounds = [bound(one.part) for one in candidates(mrf, 8)]
    assert max(bounds) - bound(chosen) <= 0.02 * (max(bounds) - min(bounds))


def test_a_choice_depends_on_nothing_but_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = torus()
    first = bc.auto(mrf, 4, seed=3)
    monkeypatch.setattr("bender_core.run.engine._SLICE", 1 << 20)
    again = bc.partition(mrf, 4, AUTO, seed=3)
    assert [g.tolist() for g in first.groups] == [g.tolist() for g in again.groups]
    assert first.reason.rpartition(",")[0] == again.reason.rpartition(",")[0]


def test_a_choice_can_be_stopped() -> None:
    mrf = torus()
    with pytest.raises(bc.Stopped):
        bc.partition(mrf, 4, AUTO, stop=bc.Stop(wanted=lambda: True))
    asked = iter([False] * 20)
    with pytest.raises(bc.Stopped):
        bc.auto(mrf, 4, stop=bc.Stop(wanted=lambda: next(asked, True)))


def test_a_trial_that_closes_the_gap_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = bc.load(SAMPLES / "pose-small.mrf.json")
    tried = []
    begun = auto_module._begun
    monkeypatch.setattr(auto_module, "_begun", lambda *given: tried.append(given) or begun(*given))
    part = bc.auto(mrf, 6)
    assert "closes the gap in a short trial" in part.reason
    result = bc.solve(mrf, part, 9, "srmp")
    assert result.status == "closed"
    assert len(tried) < len(candidates(mrf, 6))


def test_groups_whose_sweeps_take_far_longer_are_not_tried() -> None:
    """In the work of a trial they would do few sweeps, or none."""
    mrf = torus()
    few, many = (candidate(mrf, name, bc.partition(mrf, size, "greedy")) for name, size in (("few", 2), ("many", 6)))
    assert auto_module.choose(mrf, [few, many], Effort()).reason.startswith("many: ")
    cost = replace(many.cost, seconds_per_sweep=1.01 * auto_module.DEARER * few.cost.seconds_per_sweep)
    for both in ([few, replace(many, cost=cost)], [replace(many, cost=cost), few]):
        reason = auto_module.choose(mrf, both, Effort()).reason
        assert reason.startswith("few: ")
        assert "1 not tried" in reason


def test_groups_too_large_for_a_trial_are_chosen_by_what_they_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = torus()
    monkeypatch.setattr(auto_module, "HEAVY", 0)
    part = bc.auto(mrf, 5)
    assert "too large for a trial" in part.reason
    held = {one.name: one.found.held for one in candidates(mrf, 5)}
    assert held[part.reason.partition(":")[0]] >= max(held.values()) - auto_module.AS_MUCH
