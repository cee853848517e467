"""`solve` without a partition: proofs as results, against all labellings in exact arithmetic."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.engine.result import verdict_of
from bender_core.forms.lattice import Lattice
from bender_core.synth.pose import body_pose
from bender_core.trying import proof as descent
from bender_core.trying import solving
from bender_core.trying.proof import Descent
from tests import naive
from tests.models import examples, mrfs, random_mrf

DIFFERENT = np.array([[-1.0, 1.0], [1.0, -1.0]])


def exact(mrf: bc.BinaryMRF, x: tuple[int, ...]) -> Fraction:
    terms = [mrf.constant, *mrf.unary[np.arange(mrf.n), list(x)].tolist()]
    terms += [table[x[i]][x[j]] for (i, j), table in zip(mrf.edges.tolist(), mrf.pairwise.tolist(), strict=True)]
    return sum(map(Fraction, terms), Fraction(0))


def excess(mrf: bc.BinaryMRF, result: bc.Result) -> float:
    """How much more than the least energy the labelling costs."""
    least = min(exact(mrf, x) for x in product((0, 1), repeat=mrf.n))
    return float(exact(mrf, tuple(result.labeling.tolist())) - least)


def apart() -> bc.BinaryMRF:
    """Two dense parts without a coupling between them, and a variable alone."""
    part = random_mrf(3, 5, density=1.0)
    return bc.BinaryMRF(
        np.vstack([part.unary, [[0.0, -1.0]], part.unary]),
        np.vstack([part.edges, part.edges + 6]),
        np.vstack([part.pairwise, part.pairwise]),
    )


def exclusive() -> bc.BinaryMRF:
    """At most one of six variables is 1, and all would like to be."""
    pairs = np.column_stack(np.triu_indices(6, 1))
    return bc.BinaryMRF([[k, 0.0] for k in range(6)], pairs, [[[0, 0], [0, math.inf]]] * len(pairs))


EASY = {
    "no variables": bc.BinaryMRF(np.zeros((0, 2)), constant=3.0),
    "one variable": bc.BinaryMRF([[2.0, 1.0]]),
    "no edges": random_mrf(0, 6, density=0.0, constant=-2.0),
    "parts without a coupling": apart(),
    "all energies equal": bc.BinaryMRF(np.full((6, 2), 2.5), [[0, 1], [2, 5]], np.full((2, 2, 2), -1.0)),
    "mirror images": bc.BinaryMRF(np.zeros((5, 2)), [[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]], [DIFFERENT] * 5),
    "hard constraints": exclusive(),
    "a constant of 1e9": random_mrf(4, 9, constant=1e9),
    "a constant of 1e9 beside energies of 1e-6": random_mrf(5, 9, scale=1e-6, constant=1e9),
}


@pytest.mark.parametrize("name", EASY)
def test_a_small_model_is_proven_whatever_it_looks_like(name: str) -> None:
    mrf = EASY[name]
    result = bc.solve(mrf)
    assert result.certificate is not None
    assert result.optimal
    assert (result.status, result.gap, result.feasible) == ("closed", 0.0, True)
    assert result.lower_bound == result.rounded_bound == result.upper_bound == mrf.energy(result.labeling)
    assert excess(mrf, result) <= result.certificate.negligible


def test_a_constraint_that_no_labelling_fulfils_is_found_out() -> None:
    odd = bc.BinaryMRF(np.zeros((3, 2)), [[0, 1], [0, 2], [1, 2]], [[[math.inf, 0], [0, math.inf]]] * 3)
    result = bc.solve(odd)
    assert (result.optimal, result.feasible) == (True, False)


@settings(max_examples=examples(150))
@given(
    seed=st.integers(0, 1 << 16),
    small=st.sampled_from([1e-6, 1e-3, 1.0]),
    large=st.sampled_from([1.0, 1e6, 1e9, 1e12]),
    constant=st.sampled_from([0.0, 1e9, -1e12]),
    integers=st.booleans(),
)
def test_nothing_is_called_optimal_that_is_not(
    seed: int, small: float, large: float, constant: float, integers: bool
) -> None:
    """Huge energies beside small ones, in entries, couplings and offsets."""
    rng = np.random.default_rng(seed)
    mrf = random_mrf(rng, int(rng.integers(1, 8)), 0.7, small, constant, integers)
    shape = (mrf.n_edges, 1, 1)
    size = large * (rng.random(shape) < 0.4)
    shapes = (DIFFERENT, [[1, 1], [0, 0]], [[0, 0], [0, 1]], [[1, 1], [1, 1]], rng.integers(-2, 3, (mrf.n_edges, 2, 2)))
    unary = mrf.unary + large * rng.integers(-1, 2, (mrf.n, 1)) * (rng.random() < 0.3)
    mrf = replace(mrf, unary=unary, pairwise=mrf.pairwise + size * np.array(shapes[rng.integers(5)]))
    result = bc.solve(mrf)
    assert result.certificate is not None
    assert result.upper_bound == mrf.energy(result.labeling)
    if result.optimal:
        assert excess(mrf, result) <= 1.001 * result.certificate.negligible
    assert result.optimal == result.certificate.optimal == (result.status == "closed")


def test_bounds_that_meet_by_rounding_are_no_proof() -> None:
    """Only the proof knows what rounding hides."""
    found = bc.certify(random_mrf(0, 4))
    unproven = replace(found, optimal=False, status=descent.EXHAUSTED)
    for points in (Lattice(0.0, 0.0), Lattice(found.upper_bound, 1.0)):
        assert verdict_of(replace(unproven, lower_bound=found.upper_bound), points)["status"] == "nothing left to try"
        below = verdict_of(replace(unproven, lower_bound=found.upper_bound - 0.5), points)
        assert (below["status"], below["rounded_bound"]) == ("nothing left to try", below["lower_bound"])
        assert below["gap"] > 0.0
    assert verdict_of(found, points)["status"] == "closed"


def test_a_proof_that_gives_up_has_its_bounds_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pair of 12 spins is coupled, which groups of two cannot see."""
    monkeypatch.setattr(solving, "Descent", partial(Descent, max_size=2))
    edges = np.column_stack(np.triu_indices(12, 1))
    sign = np.random.default_rng(1).choice([-1.0, 1.0], len(edges))
    result = bc.solve(bc.BinaryMRF(np.zeros((12, 2)), edges, sign[:, None, None] * -DIFFERENT), method="groups")
    assert (result.optimal, result.status) == (False, "nothing left to try")
    assert result.meaning.startswith("Nothing left to try")
    assert result.lower_bound < result.rounded_bound < result.upper_bound
    assert result.gap == bc.relative_gap(result.rounded_bound, result.upper_bound) > 0.0
    assert f"multiples of {result.step:g}" in result.meaning


@pytest.mark.parametrize("ending", ["no time", "before a run", "in a round", "between rounds"])
def test_a_proof_that_is_ended_has_bounds(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descent, "REPORT_SECONDS", 0.0)
    mrf, energies = body_pose(candidates=14, seed=2), list[float]()

    def watch(descent: Descent) -> bool:
        energies.append(descent.upper_bound)
        match ending:
            case "in a round":
                return descent.engine is not None and descent.engine.sweep > 2
            case "between rounds":
                return len(descent.rounds) == 2
        return False

    stop = bc.Stop(requested=lambda: ending == "before a run")
    result = bc.solve(mrf, time_limit=0.0 if ending == "no time" else None, on_progress=watch, stop=stop)
    assert (result.optimal, result.status) == (False, "time limit" if ending == "no time" else "stopped")
    assert -math.inf < result.lower_bound < result.upper_bound == mrf.energy(result.labeling)
    assert result.upper_bound <= energies[0]
    assert result.certificate is not None
    assert result.certificate.open_variables > 0
    assert result.certificate.lower_bound == result.lower_bound
    result.certificate.verify(mrf)
    rounds = [(one.sweeps > 0, one.fixed + one.tied > 0) for one in result.certificate.rounds]
    begun = {"in a round": [(True, False)], "between rounds": [(True, True), (True, True), (False, False)]}
    assert rounds == begun.get(ending, [])
    assert result.sweeps == sum(one.sweeps for one in result.certificate.rounds)


def test_what_is_of_one_run_is_that_of_the_last() -> None:
    mrf = body_pose(candidates=10, seed=3)
    result, found = bc.solve(mrf), bc.certify(mrf)
    assert result.certificate is not None
    assert [replace(one, seconds=0.0) for one in result.certificate.rounds] == [
        replace(one, seconds=0.0) for one in found.rounds
    ]
    last = result.certificate.rounds[-1]
    assert result.rows == 0, "proofs need no rows"
    assert result.trace[len(result.trace) - 1].lower_bound == pytest.approx(last.lower_bound)
    assert result.trace[len(result.trace) - 1].sweep <= last.sweeps < result.sweeps


def test_settings_of_a_run_need_a_partition() -> None:
    mrf = random_mrf(0, 4)
    with pytest.raises(ValueError, match="variant and schedule without a partition: a proof chooses its runs"):
        bc.solve(mrf, variant=9, schedule="mplp")
    with pytest.raises(ValueError, match="improving without a partition"):
        bc.solve(mrf, improving=False)
    with pytest.raises(ValueError, match="the time limit is nan"):
        bc.solve(mrf, time_limit=math.nan)
    assert bc.solve(mrf, bc.partition(mrf, 2)).certificate is None


@settings(max_examples=examples(40), deadline=None)
@given(mrfs(7))
def test_the_rival_proves_only_optima(mrf: bc.BinaryMRF) -> None:
    found, optimum = bc.solve(mrf, method="mplp-cp"), naive.optimum(mrf)
    near = 1e-9 * max(np.ptp(naive.energies(mrf)), 1e-300) + 1e-12 * abs(optimum)
    assert found.lower_bound <= optimum + near
    assert found.upper_bound == mrf.energy(found.labeling)
    assert found.status in ("closed", "nothing left to try")
    assert found.certificate is None
    assert not found.optimal or found.upper_bound == pytest.approx(optimum, abs=near)


def test_the_rival_keeps_its_time_and_tells_its_rounds() -> None:
    mrf, rounds = bc.sample("pose"), list[int]()
    stopped = bc.solve(
        mrf, method="mplp-cp", on_progress=lambda rival: rounds.append(rival.rounds) or rival.rounds == 2
    )
    # Within a round as well, and once it has ended.
    assert rounds.count(1) > 1
    assert rounds == sorted(rounds)
    assert rounds[-1] == 2
    assert (stopped.status, stopped.sweeps) == ("stopped", 2)
    late = bc.solve(mrf, method="mplp-cp", time_limit=0.0)
    assert (late.status, late.optimal) == ("time limit", False)
    assert late.lower_bound <= late.upper_bound == mrf.energy(late.labeling)


def test_what_a_solver_cannot_be_given_is_refused() -> None:
    mrf = random_mrf(0, 4)
    with pytest.raises(ValueError, match="there is no method 'fast'; choose one of both, groups, cycles, mplp-cp"):
        bc.solve(mrf, method="fast")
    with pytest.raises(ValueError, match=r"the seed is 1\.5; choose a whole number from 0"):
        bc.certify(mrf, seed=1.5)  # type: ignore[arg-type]


def test_a_proof_by_the_rival_is_refused() -> None:
    with pytest.raises(ValueError, match="mplp-cp"):
        bc.certify(bc.sample("tiny"), method="mplp-cp")
