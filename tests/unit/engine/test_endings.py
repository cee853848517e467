"""The endings of runs: a status never claims more than the numbers, and time limits and stops work everywhere."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.checking import certificate
from bender_core.engine import engine as engine_module
from bender_core.engine.result import STATUSES, verdict
from bender_core.forms.lattice import Lattice
from bender_core.forms.normal_form import to_normal_form
from bender_core.forms.scale import energy_scale, gap_scale
from bender_core.kernels.layout import Status
from tests import naive
from tests.models import random_mrf


def frustrated(extra: list[list[float]]) -> bc.BinaryMRF:
    """A frustrated triangle on the last three variables, whose LP bound is -5 and whose optimum is 1, and others."""
    table = np.array([[1.0, 0.0], [0.0, 1.0]])
    k = len(extra)
    edges = [[k, k + 1], [k + 1, k + 2], [k, k + 2]]
    return bc.BinaryMRF([*extra, [0, 0], [0, 0.3], [0, 0]], edges, [table] * 3)


@pytest.mark.parametrize("tolerance", [0.0, 1e-9])
@pytest.mark.parametrize("huge", [1e6, 1e13, 1e15, 1e17])
@pytest.mark.parametrize("variant", [4, 9, 12])
def test_one_huge_cost_closes_no_gap_elsewhere(huge: float, tolerance: float, variant: int) -> None:
    mrf = frustrated([[0, huge]])
    engine = bc.Engine(mrf, bc.partition(mrf, 1, "singletons"), variant=variant, tolerance=tolerance)
    engine.run()
    result, optimum = engine.result(0.0), naive.optimum(mrf)
    assert result.lower_bound <= optimum <= result.upper_bound
    # Like the same model without that variable.
    plain = frustrated([])
    expected = bc.solve(plain, bc.partition(plain, 1, "singletons"), variant, tolerance=tolerance)
    assert result.status == expected.status == "no progress"
    assert engine.lower_bound == pytest.approx(expected.lower_bound, abs=1e-9)
    assert result.gap > 0.1
    # Nobody knows what is lost beside the huge one: the result claims less by all that may be.
    lost = engine.lower_bound - result.lower_bound
    assert lost == pytest.approx(engine.margin.rounding_with(engine.arrays.message_size) if huge > 1e6 else 0.0)


@pytest.mark.parametrize("huge", [1e6, 1e15])
def test_nor_does_a_cost_that_ties_two_variables(huge: float) -> None:
    tie = [[0.0, huge], [huge, 0.0]]
    plain = frustrated([])
    mrf = bc.BinaryMRF(
        [*plain.unary, [0, 0], [0, 0]], [*plain.edges, [3, 4]], [*plain.pairwise, tie], constant=plain.constant
    )
    result = bc.solve(mrf, bc.partition(mrf, 1, "singletons"))
    assert result.lower_bound <= naive.optimum(mrf) <= result.upper_bound
    assert result.status == "no progress"
    assert result.gap > 0.1


@pytest.mark.parametrize("seed", range(20))
def test_closed_means_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = random_mrf(
        rng, 9, density=0.5, scale=float(rng.choice([1e-8, 1.0, 1e8])), constant=float(rng.choice([0, 1e6]))
    )
    unary = mrf.unary.copy()
    unary[rng.integers(mrf.n), 1] += float(rng.choice([0.0, 1e10, 1e14]))
    mrf = bc.BinaryMRF(unary, mrf.edges, mrf.pairwise, constant=mrf.constant)
    optimum = naive.optimum(mrf)
    for max_size in (1, 3):
        result = bc.solve(mrf, bc.partition(mrf, max_size, "greedy"), schedule=str(rng.choice(["mplp", "srmp"])))
        if result.status == "closed":
            scale = max(abs(optimum), 1e-300)
            assert result.upper_bound == pytest.approx(optimum, rel=1e-8, abs=1e-12 * scale)
            assert result.gap == 0.0
        else:
            # Bounds may look equal where rounding hides that they are not.
            assert result.gap > 0 or not gap_scale(energy_scale(mrf), to_normal_form(mrf).rounding)


def test_gaps_are_finite_even_if_the_bound_is_zero() -> None:
    assert bc.relative_gap(0.0, 0.0) == 0.0
    assert bc.relative_gap(-1e-17, 0.0) == 1.0
    assert bc.relative_gap(-2.0, -1.0) == 0.5
    assert bc.relative_gap(-1.0, 1.0) == 2.0
    assert bc.relative_gap(0.5, -0.5) == 0.0
    assert math.isinf(bc.relative_gap(-math.inf, 0.0))
    assert math.isnan(bc.relative_gap(math.nan, 1.0))
    # A bound that is 0 but for rounding, and one that meets the labelling.
    mrf = bc.BinaryMRF([[0, 0.1], [0, 0.2], [0, 0.3]], [[0, 1], [1, 2]], [[[0, 0], [0, -0.05]]] * 2)
    engine = bc.Engine(mrf, bc.partition(mrf, 1, "singletons"))
    engine.run()
    assert (engine.status, engine.gap) == (Status.GAP_CLOSED, 0.0)


def test_every_status_has_a_sentence() -> None:
    for status in {*STATUSES.values(), "time limit", "stopped"} | certificate.STATUSES - {certificate.OPTIMAL}:
        assert verdict(status, -1.0, -0.5, Lattice(0.0, 0.0), 1.0, 0.0)["meaning"].endswith(".")
    said = verdict("no progress", -79.22, -78.0, Lattice(0.0, 1.0), 100.0, 0.0)
    assert said["meaning"].endswith("All energies differ by multiples of 1, so the bound -79.22 means -79.")


@pytest.mark.parametrize("status", ["time limit", "stopped", "no progress"])
def test_closed_takes_precedence_over_other_endings(status: str) -> None:
    met = verdict(status, 3.0, 3.0, Lattice(0.0, 0.0), 1.0, 0.0, gain=2e-9)
    assert (met["status"], met["gap"]) == ("closed", 0.0)
    assert "optimal to within 2e-09, which the bound proves" in met["meaning"]


LADDER = [-3, 3 * 10**6, 2, -(10**12), 2 * 10**6], [10**15, -3 * 10**9, 1000, 3 * 10**9, 2 * 10**15]


@pytest.mark.parametrize("tolerance", [0.0, 1e-9])
def test_bounds_that_meet_within_the_tolerance_prove_nothing_finer(tolerance: float) -> None:
    """Whole numbers, each a thousand times the one before: beside the largest the smallest seem to be nothing."""
    ones, pairs = LADDER
    edges = [[0, 1], [1, 2], [1, 3], [1, 4], [2, 3]]
    mrf = bc.BinaryMRF([[0, a] for a in ones], edges, [[[0, 0], [0, b]] for b in pairs])
    found = bc.solve(mrf, bc.partition(mrf, 1), 12, "srmp", tolerance=tolerance)
    missing = found.upper_bound - naive.optimum(mrf)
    assert missing == 3, "or the run is no example any more"
    assert (found.status, found.optimal) == ("closed", False)
    (said,) = re.findall(r"costs at most (\S+) more than the least energy", found.meaning)
    assert missing <= float(said) < 1e-9 * abs(found.upper_bound)
    assert 0.0 < missing / abs(found.upper_bound) <= found.gap
    assert bc.solve(mrf).upper_bound == naive.optimum(mrf)


def test_a_bound_that_rounding_may_have_raised_is_claimed_without_it() -> None:
    """An independent set with penalties of 1e18: sums are whole multiples of 128."""
    weights = [-6.0, -1.0, -6.0, -3.0, -9.0, -4.0]
    edges = [[0, 4], [0, 5], [1, 4], [2, 3], [2, 4], [4, 5]]
    mrf = bc.BinaryMRF([[0, w] for w in weights], edges, [[[0, 0], [0, 1e18]]] * len(edges))
    for variant, schedule in ((2, "srmp"), (9, "mplp"), (12, "srmp")):
        found = bc.solve(mrf, bc.partition(mrf, 5), variant, schedule)
        assert found.rounded_bound <= naive.optimum(mrf) == -13.0
        assert not found.optimal
        assert found.gap > 0.5
        assert "smaller differences are not decided" in found.meaning


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tolerance", [0.05, 0.2, 1.0])
def test_a_loose_tolerance_proves_nothing(seed: int, tolerance: float) -> None:
    """The labelling is called optimal only if it is; otherwise the sentence and the gap say how far it may be off."""
    mrf = random_mrf(seed, 10, density=1.0)
    optimum = naive.optimum(mrf)
    part = bc.partition(mrf, 3, "greedy")
    results = [bc.solve(mrf, part, tolerance=tolerance), bc.solve(mrf, part, tolerance=tolerance, time_limit=5.0)]
    engine = bc.Engine(mrf, part, tolerance=tolerance)
    engine.run()
    for result in (*results, engine.result(0.0)):
        assert result.status == "closed"
        missing = result.upper_bound - result.rounded_bound
        if "optimal" in result.meaning:
            assert result.gap == 0.0
            assert result.upper_bound == pytest.approx(optimum, abs=1e-6)
        else:
            (said,) = re.findall(r"at most (\S+) more", result.meaning)
            assert missing <= float(said) <= 1.01 * missing
            assert result.gap == bc.relative_gap(result.rounded_bound, result.upper_bound) > 0.0
    assert engine.gap == pytest.approx(engine.result(0.0).gap)


@pytest.mark.parametrize(("times", "status"), [(0.3, "no progress"), (1.5, "closed")])
def test_a_gap_above_a_loose_tolerance_is_not_closed(times: float, status: str) -> None:
    """Only a tight tolerance is relaxed when sweeps gain nothing."""
    plain = frustrated([])
    mrf = bc.BinaryMRF(plain.unary, plain.edges, plain.pairwise, constant=20.0)
    part = bc.partition(mrf, 1, "singletons")
    stuck = bc.solve(mrf, part)
    # The bound is larger than what is at stake, to which the tolerance is relative then.
    gap = (stuck.upper_bound - stuck.lower_bound) / energy_scale(mrf)
    assert bc.solve(mrf, part, tolerance=times * gap).status == status


@pytest.mark.parametrize("tolerance", [-1e-9, 1.5, math.inf, math.nan])
def test_an_invalid_tolerance_is_refused(tolerance: float) -> None:
    mrf = random_mrf(0, 4)
    with pytest.raises(ValueError, match="it must be a number from 0 to 1"):
        bc.solve(mrf, bc.partition(mrf, 2, "greedy"), tolerance=tolerance)


def test_invalid_limits_are_refused() -> None:
    mrf = random_mrf(0, 4)
    part = bc.partition(mrf, 2, "greedy")
    for max_sweeps in (0, 1 << 63):
        with pytest.raises(ValueError, match="max_sweeps"):
            bc.solve(mrf, part, max_sweeps=max_sweeps)
    with pytest.raises(ValueError, match="time limit is nan"):
        bc.solve(mrf, part, time_limit=math.nan)
    assert bc.solve(mrf, part, max_sweeps=(1 << 63) - 1).status == "closed"


# --- stopping --------------------------------------------------------------------------------------------------


class After:
    """Requests a stop at a given number of checks."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, engine: object = None) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("variant", [9, 11, 12])
@pytest.mark.parametrize("grain", ["row", "node", "sweep"])
def test_a_step_can_be_interrupted_within_a_message_and_continued(
    variant: int, grain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mrf = random_mrf(0, 12, density=1.0)
    part = bc.partition(mrf, 4, "greedy")
    straight = bc.Engine(mrf, part, variant=variant)
    straight.step(grain)
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    engine = bc.Engine(mrf, part, variant=variant)
    events, calls = [], 0
    while len(events) < len(straight.trace):
        events += engine.step(grain, on_progress=After(0))
        calls += 1
        assert calls < 10_000
    assert calls > len(events)
    assert list(map(repr, events)) == list(map(repr, straight.trace))
    assert (
        looking.message(engine, *engine.graph.edges[0]).tobytes()
        == looking.message(straight, *engine.graph.edges[0]).tobytes()
    )


def test_going_back_can_be_interrupted_and_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = random_mrf(0, 12, density=1.0)
    engine = bc.Engine(mrf, bc.partition(mrf, 4, "greedy"), variant=9, schedule="srmp")
    engine.run(max_sweeps=3)
    end = engine.lower_bound
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    last = len(engine.trace)
    assert engine.seek(0)
    assert not engine.seek(last, on_progress=After(5))
    assert 0 < engine.position < last
    assert engine.seek(last)
    assert engine.lower_bound == end


def test_making_tables_can_be_stopped_at_any_moment() -> None:
    mrf = random_mrf(0, 14, density=1.0)
    part = bc.partition(mrf, 3, "greedy")
    account = bc.Account(1 << 30)
    for asked in range(40):
        stop = bc.Stop(requested=After(asked))
        try:
            bc.Engine(mrf, part, limit=account, stop=stop)
        except bc.Stopped:
            assert account.used == 0, "what was charged is given back"
        else:
            break
    assert 5 < asked < 39


@pytest.mark.parametrize("look", ["certificate", "tightness", "min_marginal", "some", "envelope"])
@pytest.mark.parametrize("variant", [9, 12])
def test_inspection_can_be_stopped(look: str, variant: int) -> None:
    mrf = random_mrf(0, 12, density=1.0)
    engine = bc.Engine(mrf, bc.partition(mrf, 4, "greedy"), variant=variant)
    engine.run(max_sweeps=1)
    p, q = engine.graph.edges[0].tolist()
    looks = {
        "certificate": lambda stop: looking.certified_bound(engine, stop),
        "tightness": lambda stop: looking.tightness(engine, stop=stop),
        "min_marginal": lambda stop: looking.min_marginal(engine, p, q, stop=stop),
        "some": lambda stop: looking.min_marginal(engine, p, q, [0, 1], stop=stop),
        "envelope": lambda stop: looking.envelope(engine, p, q, stop=stop),
    }
    with pytest.raises(bc.Stopped):
        looks[look](bc.Stop(requested=After(0)))
    looks[look](bc.Stop())


def test_a_time_limit_reached_before_the_run_begins() -> None:
    mrf = random_mrf(0, 12, density=1.0, constant=5.0)
    result = bc.solve(mrf, bc.partition(mrf, 4, "greedy"), time_limit=0.0)
    assert result.status == "time limit"
    assert result.lower_bound <= naive.optimum(mrf) <= result.upper_bound
    assert result.upper_bound == pytest.approx(naive.energy(mrf, result.labeling))
    assert (result.sweeps, len(result.trace)) == (0, 0)
    # One that is solved by looking at every variable is solved all the same.
    alone = bc.BinaryMRF([[0.0, 1.0]])
    result = bc.solve(alone, bc.partition(alone, 1, "greedy"), time_limit=0.0)
    assert (result.status, result.gap, result.lower_bound, result.upper_bound) == ("closed", 0.0, 0.0, 0.0)


def test_slices_take_about_the_same_time_for_any_cost_of_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = random_mrf(0, 12, density=1.0)
    part = bc.partition(mrf, 4, "greedy")
    straight = bc.Engine(mrf, part)
    straight.run()
    clock = iter(range(10**9))
    monkeypatch.setattr(engine_module.time, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(engine_module, "_FIRST_SLICE", 1 << 15)
    engine, looks = bc.Engine(mrf, part), []
    engine.run(on_progress=lambda engine: looks.append(engine.entries_read))
    # Every look at this clock is a second later: slices become as short as can be, and nothing else changes.
    assert np.diff(looks).max() < 10_000 < looks[0]
    assert engine.trace.to_csv() == straight.trace.to_csv()


def test_a_model_without_variables_is_closed() -> None:
    mrf = bc.BinaryMRF(np.zeros((0, 2)), constant=-2.5)
    result = bc.solve(mrf, bc.manual(mrf, []))
    assert (result.lower_bound, result.upper_bound, result.status) == (-2.5, -2.5, "closed")
