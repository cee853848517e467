"""What counts as equal: neither constants nor penalties decide it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.checking import checker
from bender_core.forms.lattice import lattice
from bender_core.forms.scale import energy_scale, gap_scale, negligible_gain, spread
from tests import naive
from tests.models import examples, random_mrf


def one_hot(items: int, states: int, penalty: float, seed: int) -> bc.BinaryMRF:
    """Items that choose one state each, as a QUBO: -P + cost for a state, 2 P for two at once; costs of neighbours."""
    rng = np.random.default_rng(seed)
    n = items * states
    unary = np.column_stack([np.zeros(n), rng.random(n) - penalty])
    same = [(i * states + a, i * states + b) for i in range(items) for a in range(states) for b in range(a)]
    near = [
        (i * states + a, (i + 1) * states + b) for i in range(items - 1) for a in range(states) for b in range(states)
    ]
    pairwise = np.zeros((len(same) + len(near), 2, 2))
    pairwise[: len(same), 1, 1] = 2 * penalty
    pairwise[len(same) :, 1, 1] = rng.random(len(near))
    return bc.BinaryMRF(unary, [*same, *near], pairwise)


def negligible(mrf: bc.BinaryMRF) -> float:
    return negligible_gain(mrf, lattice(mrf))


@pytest.mark.parametrize("penalty", [1e5, 1e7, 1e9, 1e11, 1e13])
def test_penalties_do_not_make_costs_look_equal(penalty: float) -> None:
    """Costs up to 1 stand in the last digits of all preferences."""
    mrf = one_hot(5, 4, penalty, seed=1)
    assert negligible(mrf) < 1e-5
    assert energy_scale(mrf) < 2 * mrf.n_edges


@pytest.mark.parametrize("penalty", [1e7, 1e9, 1e11])
def test_a_proof_beside_penalties_of_a_qubo_is_right_or_says_its_doubt(penalty: float) -> None:
    for seed in range(5):
        mrf = one_hot(3, 3, penalty, seed)
        found, optimum = bc.certify(mrf), naive.optimum(mrf)
        found.verify(mrf)
        if found.optimal:
            assert found.upper_bound - optimum <= max(found.negligible, np.spacing(abs(optimum)))
        else:
            assert found.rounding > found.negligible
            assert "rounded by up to" in bc.solve(mrf).meaning


@settings(max_examples=examples(200))
@given(st.lists(st.floats(-1e6, 1e6), max_size=30), st.floats(1.0, 1e12))
def test_what_is_far_above_all_differences_does_not_count(energies: list[float], times: float) -> None:
    usual = spread(np.array(energies))
    huge = 2.0**11 * times * max(np.abs([*energies, 1e-3]).max(), 1.0)
    assert spread(np.array([*energies, huge])) <= max(usual, huge if not usual else 0.0)


@settings(max_examples=examples(200))
@given(st.integers(0, 1 << 16), st.integers(0, 40))
def test_the_checker_finds_the_same_spread(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    energies = rng.normal(size=size) * 10.0 ** rng.integers(-3, 12, size)
    assert checker._spread(energies) == pytest.approx(spread(energies), rel=1e-12)


def test_nothing_below_a_step_is_negligible() -> None:
    whole = random_mrf(0, 8, integers=True)
    assert lattice(whole).step > 0
    assert negligible(whole) == 0.0
    tenths = bc.BinaryMRF(0.1 * whole.unary, whole.edges, 0.1 * whole.pairwise)
    assert 0.0 < negligible(tenths) < 1e-12
    weights = bc.BinaryMRF([[0.0, -1e6 - k] for k in range(400)], [[0, 1]], [[[0, 0], [0, 8e15]]])
    assert lattice(weights).step == 1.0
    assert negligible(weights) == 0.0


def test_a_gap_is_not_closed_where_rounding_hides_it() -> None:
    assert gap_scale(100.0, 1e-10) == 100.0
    assert gap_scale(100.0, 1e-5) == 0.0
    mrf = one_hot(4, 4, 1e11, seed=0)
    engine = bc.Engine(mrf, bc.partition(mrf, 8))
    engine.run()
    assert engine.result(0.0).status != "closed"
    assert "smaller penalties" in engine.result(0.0).meaning
