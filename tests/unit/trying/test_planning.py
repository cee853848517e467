"""Runs that continue others, runs on given groups, and partitions judged by short trials."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking, synth
from bender_core.engine.carrying import owners
from bender_core.groups import LARGEST_GROUP, merge_all, split_by_coupling
from bender_core.kernels.layout import Events
from bender_core.strategies import AUTO, PURSUIT, STRATEGIES
from bender_core.strategies.packing import pairs_to_unite
from bender_core.strategies.rules import BY_RULE, what_matters
from bender_core.trying import auto as auto_module
from bender_core.trying import solving
from bender_core.trying.auto import candidate, candidates, halved
from bender_core.trying.effort import Effort
from tests import naive
from tests.models import random_mrf, random_partition
from tests.tiers import thinned
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
        first = bc.Engine(mrf, part, variant=9, schedule="srmp" if schedule == "mplp" else "mplp")
        first.run(max_events=events)
        engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, start=first)
        assert engine.lower_bound == pytest.approx(first.lower_bound, abs=1e-9)
        assert engine.lower_bound == pytest.approx(looking.certified_bound(engine), abs=1e-9)
        assert engine.upper_bound == pytest.approx(first.upper_bound, abs=1e-9)
        assert engine.labeling.tolist() == first.labeling.tolist()
        assert engine.arrays.state.cursor.credit == first.arrays.state.cursor.credit != 0, "the work due to labellings"
        engine.run(max_sweeps=15)
        assert np.diff(engine.trace.column("lower_bound")).min() >= -1e-9
        assert engine.lower_bound == pytest.approx(looking.certified_bound(engine), abs=1e-9)
        assert first.lower_bound - 1e-9 <= engine.lower_bound <= naive.optimum(mrf) + 1e-9


@pytest.mark.parametrize("schedule", ["mplp", "srmp"])
def test_united_groups_continue_from_the_messages_of_their_parts(schedule: str) -> None:
    for seed in range(4):
        mrf, part = glass(seed)
        first = bc.Engine(mrf, part, variant=9, schedule=schedule)
        first.run(max_sweeps=5)
        larger = merge_all(part, pairs_to_unite(mrf, part))
        assert len(larger) < len(part)
        engine = bc.Engine(mrf, larger, variant=9, schedule=schedule, start=first)
        assert first.lower_bound - 1e-9 <= engine.lower_bound <= looking.certified_bound(engine) + 1e-9
        engine.run(max_sweeps=15)
        assert np.diff(engine.trace.column("lower_bound")).min() >= -1e-9
        assert engine.lower_bound == pytest.approx(looking.certified_bound(engine), abs=1e-9)
        assert engine.lower_bound <= naive.optimum(mrf) + 1e-9


def test_other_groups_take_over_the_labelling_alone() -> None:
    mrf, part = glass(1)
    first = bc.Engine(mrf, part, variant=9)
    first.run()
    other = random_partition(5, mrf.n, 3)
    assert owners(part, other) is None
    engine, fresh = bc.Engine(mrf, other, variant=9, start=first), bc.Engine(mrf, other, variant=9)
    assert engine.lower_bound == fresh.lower_bound < first.lower_bound
    assert engine.labeling.tolist() == first.labeling.tolist()
    assert mrf.energy(engine.labeling) == pytest.approx(engine.upper_bound)
    assert looking.decoded_bound(engine) == looking.decoded_bound(first) > first.upper_bound + 1e-3


@pytest.mark.parametrize("variant", [9, 12])
def test_a_continued_run_can_be_sought_through(variant: int) -> None:
    mrf, part = glass(2)
    first = bc.Engine(mrf, part, variant=variant)
    first.run(max_sweeps=2)
    engine = bc.Engine(mrf, part, variant=variant, schedule="srmp", start=first)
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
    first = bc.Engine(mrf, part, variant=9)
    account = bc.Account(1 << 30)
    plain = bc.Engine(mrf, part, variant=9, limit=account)
    needed = account.used
    del plain
    assert account.used == 0
    carried = bc.Engine(mrf, part, variant=9, limit=account, start=first)
    assert account.used > needed
    with pytest.raises(bc.TooLargeError, match="initial messages"):
        bc.Engine(
            mrf,
            part,
            variant=9,
            limit=bc.Account(account.used - 1 - carried.arrays.charges.items.get("looking", 0)),
            start=first,
        )


def test_a_work_limit_pauses_a_run_independently_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf, part = torus(), bc.partition(torus(), 4)
    whole, pieces = bc.Engine(mrf, part, variant=9), bc.Engine(mrf, part, variant=9)
    whole.run(max_work=1 << 20)
    assert whole.position > 0
    assert not whole.finished
    again = bc.Engine(mrf, part, variant=9)
    again.run(max_work=1 << 20)
    assert fingerprint(again) == fingerprint(whole)
    more = bc.Engine(mrf, part, variant=9)
    more.run(max_work=1 << 21)
    assert more.position > whole.position
    while not pieces.run(max_work=1 << 14):
        pass
    end = whole.position
    whole.run()
    assert fingerprint(pieces) == fingerprint(whole)
    # Work is added up over the slices of a run.
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1 << 14)
    sliced = bc.Engine(mrf, part, variant=9)
    sliced.run(max_work=1 << 20)
    assert 0.7 * end < sliced.position <= end


# --- groups to unite and groups split --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_groups_to_unite_are_pairs_of_the_most_strongly_coupled(seed: int) -> None:
    mrf, part = glass(seed, n=14)
    weight = np.zeros((len(part), len(part)))
    p, q = part.group_of()[mrf.edges].T
    np.add.at(weight, (p, q), what_matters(mrf))
    weight = np.triu(weight + weight.T, 1)
    sizes = np.array([len(group) for group in part.groups])
    for max_size in (2, 4, 6, LARGEST_GROUP):
        open_pairs = np.where(sizes[:, None] + sizes <= max_size, weight, 0.0)
        expected = list[tuple[int, int]]()
        while open_pairs.max() > 0:
            pair = np.unravel_index(open_pairs.argmax(), weight.shape)
            expected.append((int(pair[0]), int(pair[1])))
            open_pairs[pair, :] = open_pairs[:, pair] = 0.0
        assert pairs_to_unite(mrf, part, max_size) == expected
    assert expected


def test_groups_are_halved_at_once_as_one_by_one() -> None:
    mrf = random_mrf(4, 40, density=0.3)
    part = bc.partition(mrf, 9, "random")
    one_by_one = part
    for p in reversed(range(len(part))):
        if 2 * len(part.groups[p]) > part.largest + 1:
            one_by_one = split_by_coupling(mrf, one_by_one, p)
    at_once = halved(mrf, part)
    assert at_once.labels == one_by_one.labels
    assert [group.tolist() for group in at_once.groups] == [group.tolist() for group in one_by_one.groups]
    with pytest.raises(bc.Stopped):
        halved(mrf, part, bc.Stop(0.0))


def test_halved_groups_are_at_most_half_as_large() -> None:
    mrf = random_mrf(0, 23, 0.4)
    part = bc.manual(mrf, [range(9), range(9, 14), range(14, 18), range(18, 23)])
    found = halved(mrf, part)
    assert found.largest == 5
    assert owners(found, part) is not None


# --- a run on given groups ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("time_limit", [None, 1e6])
def test_with_a_partition_there_is_one_run_on_it(time_limit: float | None) -> None:
    """Also with time left: what gains no more has ended."""
    mrf = torus()
    part = bc.partition(mrf, 4)
    result = bc.solve(mrf, part, 9, time_limit=time_limit)
    engine = bc.Engine(mrf, part, variant=9)
    engine.run()
    assert result.status == "no progress"
    assert (result.lower_bound, result.sweeps, result.rows) == (engine.lower_bound, engine.sweep, engine.n_rows)
    assert result.labeling.tolist() == engine.labeling.tolist()
    for name in Events._fields:
        np.testing.assert_array_equal(result.trace.column(name), engine.trace.column(name), name)


def test_time_allows_more_sweeps_than_the_paper_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "MAX_SWEEPS", 13)
    mrf = torus()
    part = bc.partition(mrf, 2)
    plain, timed = bc.solve(mrf, part), bc.solve(mrf, part, time_limit=1e6)
    assert (plain.sweeps, plain.status) == (13, "sweep limit")
    assert (timed.status, timed.sweeps > 13) == ("no progress", True)
    told = bc.solve(mrf, part, max_sweeps=7, time_limit=1e6)
    assert (told.sweeps, told.status) == (7, "sweep limit")


def test_settings_are_those_of_the_run() -> None:
    mrf = torus()
    part = bc.partition(mrf, 3)
    settings = {"schedule": "srmp", "tolerance": 1e-3, "deepest": 1, "improving": False}
    result = bc.solve(mrf, part, 4, **settings)
    engine = bc.Engine(mrf, part, variant=4, **settings)
    engine.run()
    assert (result.lower_bound, result.upper_bound, len(result.trace)) == (
        engine.lower_bound,
        pytest.approx(engine.upper_bound),
        len(engine.trace),
    )


def test_a_stop_before_there_is_a_run_is_raised() -> None:
    mrf = torus()
    for limit in (None, 100.0):
        with pytest.raises(bc.Stopped):
            bc.solve(mrf, bc.partition(mrf, 4), time_limit=limit, stop=bc.Stop(requested=lambda: True))


@pytest.mark.parametrize("ending", thinned(["time limit", "stopped"], 2))
def test_a_run_that_is_ended_keeps_its_results(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1)
    clock, seen = SimpleNamespace(perf_counter=lambda: 1e9 * (len(seen) == 60)), list[float]()
    if ending == "time limit":
        monkeypatch.setattr("bender_core.stopping.time", clock)
    mrf = torus()
    result = bc.solve(
        mrf,
        bc.partition(mrf, 3),
        time_limit=1e6,
        on_progress=lambda engine: seen.append(engine.lower_bound),
        stop=bc.Stop(requested=lambda: ending == "stopped" and len(seen) == 60),
    )
    assert (result.status, len(seen)) == (ending, 60)
    assert seen[0] < seen[-1] <= result.lower_bound < bc.solve(mrf, bc.partition(mrf, 3)).lower_bound
    assert result.upper_bound == mrf.energy(result.labeling)


# --- partitions judged by trials -----------------------------------------------------------------------------------


def test_strategies_that_run_the_model_are_strategies_though_these_know_no_runs() -> None:
    assert list(STRATEGIES) == [AUTO, PURSUIT, *BY_RULE]


@pytest.mark.slow
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
        engine = bc.Engine(mrf, part, variant=9, schedule="srmp", snapshot_bytes=0)
        engine.run(max_sweeps=100)
        return engine.lower_bound

    bounds = [bound(one.part) for one in candidates(mrf, 8)]
    assert max(bounds) - bound(chosen) <= 0.02 * (max(bounds) - min(bounds))


def test_a_choice_depends_on_nothing_but_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = torus()
    first = bc.auto(mrf, 4, seed=3)
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1 << 20)
    again = bc.partition(mrf, 4, AUTO, seed=3)
    assert [g.tolist() for g in first.groups] == [g.tolist() for g in again.groups]
    assert first.reason.rpartition(",")[0] == again.reason.rpartition(",")[0]


def test_a_choice_can_be_stopped() -> None:
    mrf = torus()
    with pytest.raises(bc.Stopped):
        bc.partition(mrf, 4, AUTO, stop=bc.Stop(requested=lambda: True))
    asked = iter([False] * 20)
    with pytest.raises(bc.Stopped):
        bc.auto(mrf, 4, stop=bc.Stop(requested=lambda: next(asked, True)))


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
    dear = replace(many, entries=int(1.01 * auto_module.DEARER * few.entries))
    for both in ([few, dear], [dear, few]):
        reason = auto_module.choose(mrf, both, Effort()).reason
        assert reason.startswith("few: ")
        assert "1 not tried" in reason


def test_groups_too_large_for_a_trial_are_chosen_by_what_they_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = torus()
    monkeypatch.setattr(auto_module, "HEAVY", 0)
    part = bc.auto(mrf, 5)
    assert "too large for a trial" in part.reason
    held = {one.name: one.found.covered for one in candidates(mrf, 5)}
    assert held[part.reason.partition(":")[0]] >= max(held.values()) - auto_module.AS_MUCH
