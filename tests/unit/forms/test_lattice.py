"""Energies that are multiples of a step apart, against all energies of small models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.forms.lattice import lattice, lattice_left
from bender_core.forms.polynomial import polynomial, rounded_off
from bender_core.forms.reduction import OPEN, Facts, reduction, unreduced
from tests import naive
from tests.models import examples, random_mrf


def energies(mrf: bc.BinaryMRF) -> np.ndarray:
    return np.unique([naive.energy(mrf, x) for x in naive.labelings(mrf.n)])


def spins(couplings: dict[tuple[int, int], float], n: int) -> bc.BinaryMRF:
    table = np.array([[1.0, -1.0], [-1.0, 1.0]])
    return bc.BinaryMRF(np.zeros((n, 2)), list(couplings), [strength * table for strength in couplings.values()])


def test_a_frustrated_triangle() -> None:
    """Coefficients 4, the energy of 000 is 3, so energies are -1 and 3."""
    triangle = spins({(0, 1): 1, (1, 2): 1, (0, 2): 1}, 3)
    points = lattice(triangle)
    assert (points.offset, points.step) == (3.0, 4.0)
    assert points.raised(-2.9, -1.0) == -1.0
    assert points.raised(-1.0, -1.0) == -1.0
    assert points.raised(-1.0 + 1e-9, -1.0) == -1.0 + 1e-9, "never below the bound itself"
    result = bc.solve(triangle, bc.partition(triangle, 1, "singletons"))
    assert (result.rounded_bound, result.upper_bound, result.step) == (-1.0, -1.0, 4.0)
    assert result.lower_bound < -1.0 - 1e-3
    assert (result.status, result.gap) == ("closed", 0.0)
    assert "multiples of 4" in result.meaning
    engine = bc.Engine(triangle, bc.partition(triangle, 1, "singletons"))
    engine.run()
    assert engine.lower_bound == result.lower_bound, "the engine's bound stays the dual value"
    assert looking.rounded_bound(engine) == -1.0


@pytest.mark.parametrize("scale", [1.0, 0.1, 16.0])
def test_a_large_energy_hides_no_small_one(scale: float) -> None:
    """The coefficients are 1e12 or 0 up to rounding, but the energies of 10 and 11 differ by less."""
    large, small = 1e12 * scale, 1e-6 * scale
    mrf = bc.BinaryMRF([[0, 0], [0, 0]], [[0, 1]], [[[large, large], [small, -small]]])
    assert lattice(mrf).step == 0.0
    whole = bc.BinaryMRF(mrf.unary, mrf.edges, [[[large, large], [scale, -scale]]])
    assert lattice(whole).step in (0.0, scale, 2 * scale)
    found = bc.certify(mrf)
    assert not found.optimal or found.labeling.tolist() == [1, 1]


@pytest.mark.parametrize(("large", "small"), [(1e6, 4e-11), (2.0**26, 9e-10), (1e15, 0.06), (2.0**50, 7e-4)])
def test_what_coefficients_are_rounded_by_counts(large: float, small: float) -> None:
    """They look like multiples of ``large``; there are energies between."""
    mrf = bc.BinaryMRF(np.zeros((2, 2)), [[0, 1]], [[[0.0, large], [large, -small]]])
    coefficients = polynomial(mrf)
    assert coefficients[1].tolist() == [-2 * large]
    assert np.abs(rounded_off(mrf, *coefficients)[1]).sum() == pytest.approx(small, rel=1e-6)
    assert lattice(mrf).step == 0.0
    found = bc.certify(mrf, max_size=1)
    assert not found.optimal or found.labeling.tolist() == [1, 1]


def test_what_is_left_hides_no_energies_either() -> None:
    """The reduced model says only multiples of 1e15; the whole one says more."""
    tables = [[[0.0, 2e15], [2e15, 0.0]], [[0.0, 1e15], [1e15, -0.03]], [[4000.0, 0.0], [0.0, 4000.0]]]
    mrf = bc.BinaryMRF(np.zeros((4, 2)), [[0, 1], [0, 2], [2, 3]], tables)
    found = reduction(unreduced(mrf), Facts(np.full(4, OPEN), np.array([[0, 1, 0], [2, 3, 1]])))
    assert lattice(found.reduced).step == 1e15
    assert found.rounding == pytest.approx(2 * 0.03, rel=0.5)
    assert lattice_left(found, 1e-6).step == 0.0
    integers = random_mrf(0, 6, integers=True)
    left = reduction(unreduced(integers), Facts(np.array([1, OPEN, OPEN, OPEN, OPEN, OPEN])))
    assert left.rounding == 0.0
    assert lattice_left(left, 0.0) == lattice(left.reduced)


@settings(max_examples=examples(200))
@given(
    seed=st.integers(0, 1 << 16),
    unit=st.sampled_from([1.0, 2.0, 0.5, 0.25, 0.1, 0.01, 0.003, 1e-6, 7.0, 1e4]),
    constant=st.sampled_from([0.0, -3.0, 0.37, 1e6]),
)
def test_no_energy_lies_between_a_bound_and_the_rounded_one(seed: int, unit: float, constant: float) -> None:
    mrf = random_mrf(seed, 7, integers=True, constant=constant)
    mrf = bc.BinaryMRF(unit * mrf.unary, mrf.edges, unit * mrf.pairwise, constant=constant)
    found, points = energies(mrf), lattice(mrf)
    if points.step:
        steps = (found - points.offset) / points.step
        # The energies of the twin are sums next to the constant.
        digits = 1e-15 * (abs(constant) + 100 * unit) / points.step
        np.testing.assert_allclose(steps, np.round(steps), rtol=0, atol=1e-5 + digits)
    rng = np.random.default_rng(seed)
    for lower in [*found[:3], *rng.uniform(found[0] - 3 * unit, found[0], 5)]:
        upper = float(rng.choice(found[found >= lower - 1e-12]))
        raised = points.raised(float(lower), upper)
        assert lower <= raised <= upper + 1e-12 * abs(upper)
        slack = 1e-5 * points.step + 1e-12 * abs(constant)
        assert not ((found >= lower + slack) & (found < raised - slack)).any()


@pytest.mark.parametrize("unit", [1.0, 0.25, 0.01, 6.0])
def test_a_step_is_found_where_coefficients_have_one(unit: float) -> None:
    mrf = random_mrf(1, 8, integers=True)
    mrf = bc.BinaryMRF(unit * mrf.unary, mrf.edges, unit * mrf.pairwise, constant=0.123)
    step = lattice(mrf).step
    assert step > 0
    assert round(step / unit) == pytest.approx(step / unit)


@pytest.mark.parametrize(
    "mrf",
    [
        random_mrf(0, 6),
        random_mrf(0, 6, scale=1e-9),
        random_mrf(0, 6, integers=True, scale=1e20),
        bc.BinaryMRF(np.zeros((3, 2))),
        bc.BinaryMRF([[0, 1.0], [0, np.pi]]),
        bc.BinaryMRF([[0, 1.0], [0, 1 + 1e-9]]),
    ],
    ids=["random", "tiny", "huge", "constant", "irrational", "nearly equal"],
)
def test_in_doubt_there_is_no_step(mrf: bc.BinaryMRF) -> None:
    assert lattice(mrf).step == 0.0
    assert lattice(mrf).raised(-1.5, 2.0) == -1.5
