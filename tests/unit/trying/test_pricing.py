"""The price of another value, against all labellings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.labelings.comparing import difference, flips
from bender_core.model import ModelError
from tests.models import examples, mrfs, random_mrf
from tests.naive import bits, energies
from tests.tiers import thinned


def truth(mrf: bc.BinaryMRF, i: int, value: int) -> float:
    """How much more the best labelling with a value costs than the best of all."""
    labels = bits(mrf.n)
    costs = energies(mrf, labels)
    return float(costs[labels[:, i] == value].min() - costs.min())


def near(mrf: bc.BinaryMRF) -> float:
    """The rounding of sums of a model's energies."""
    return 1e-12 * (1.0 + float(np.abs(energies(mrf)).max()))


@settings(max_examples=examples(500), deadline=None)
@given(mrfs(max_n=8), st.data())
def test_it_is_exact_and_shown_by_its_labelling(mrf: bc.BinaryMRF, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, mrf.n - 1))
    best = bc.certify(mrf)
    found = bc.price(mrf, i, best)
    assert found.value == found.labeling[i] == 1 - best.labeling[i]
    assert found.exact
    assert found.at_least == pytest.approx(truth(mrf, i, found.value), abs=near(mrf))
    assert found.at_least == max(difference(mrf, found.labeling, best.labeling), 0.0)


class Early:
    """Stops a proof after a number of looks."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> bool:
        self.looks -= 1
        return self.looks < 0


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 6), st.integers(0, 6), st.booleans())
def test_where_a_proof_ends_early_the_bounds_enclose_it(seed: int, looks: int, before: int, whole: bool) -> None:
    mrf = random_mrf(seed, 9, density=0.9)
    best = bc.certify(mrf) if whole else bc.certify(mrf, stop=bc.Stop(requested=Early(before)))
    for i in range(3):
        found = bc.price(mrf, i, best, stop=bc.Stop(requested=Early(looks)))
        expected = truth(mrf, i, found.value)
        assert 0.0 <= found.at_least <= expected + near(mrf)
        assert found.at_most >= expected - near(mrf)


def test_a_value_that_no_feasible_labelling_has_is_infinitely_dear() -> None:
    mrf = bc.BinaryMRF([[0.0, 1.0], [0.0, 2.0]], [[0, 1]], [[[0.0, np.inf], [1.0, np.inf]]])
    found = bc.price(mrf, 1)
    assert (found.value, found.at_least, found.at_most, found.exact) == (1, math.inf, math.inf, True)
    forbidden = bc.BinaryMRF([[0.0, np.inf], [0.0, 1.0]], [[0, 1]], [[[0.0, 0.0], [0.0, -3.0]]])
    assert [each.at_least for each in bc.prices(forbidden, variables=[0, 1])] == [1.0, math.inf]
    impossible = bc.BinaryMRF([[0.0, 3.0], [0.0, 1.0]], [[0, 1]], np.full((1, 2, 2), np.inf))
    assert [each.at_least for each in bc.prices(impossible)] == [math.inf, math.inf]


def test_the_price_beside_a_large_energy_is_not_rounded() -> None:
    mrf = bc.BinaryMRF([[0.0, 0.5], [0.0, 0.25], [0.0, 1e15]], [[0, 1]], [[[0.0, 0.0], [0.0, -0.3]]])
    found = bc.price(mrf, 0)
    assert (found.exact, found.at_least) == (True, pytest.approx(0.45))


@pytest.mark.parametrize("constant", [0.0, 1e14, -1e10])
def test_a_constant_changes_no_price(constant: float) -> None:
    mrf = random_mrf(5, 8, density=0.8)
    large = bc.BinaryMRF(mrf.unary, mrf.edges, mrf.pairwise, constant=constant)
    found = [each.at_least for each in sorted(bc.prices(large), key=lambda each: each.variable)]
    assert found == [each.at_least for each in sorted(bc.prices(mrf), key=lambda each: each.variable)]


def test_all_are_priced_the_cheapest_single_change_first_and_a_stop_ends_them() -> None:
    mrf = random_mrf(1, 9, density=0.7)
    best = bc.certify(mrf)
    order = [each.variable for each in bc.prices(mrf, best)]
    assert sorted(order) == list(range(9))
    alone = flips(mrf, best.labeling)
    assert order == sorted(range(9), key=lambda i: alone[i])
    assert [each.variable for each in bc.prices(mrf, best, [4, 2])] == sorted([4, 2], key=lambda i: alone[i])
    assert len(list(bc.prices(mrf, best, stop=bc.Stop(requested=lambda: True)))) == 1


@settings(max_examples=examples(100), deadline=None)
@given(mrfs(max_n=8), st.integers(0, 255))
def test_a_single_change_costs_the_difference(mrf: bc.BinaryMRF, number: int) -> None:
    x = np.array([number >> k & 1 for k in range(mrf.n)], np.int64)
    found = flips(mrf, x)
    for i in range(mrf.n):
        y = x.copy()
        y[i] ^= 1
        assert found[i] == pytest.approx(difference(mrf, y, x), abs=near(mrf))


@pytest.mark.parametrize("sample", thinned(["tiny", "frustrated-cycle", "karate", "pose-small"], 2))
def test_samples_are_priced_exactly(sample: str) -> None:
    mrf = bc.sample(sample)
    found = list(bc.prices(mrf))
    assert len(found) == mrf.n
    assert all(each.exact for each in found)


def test_what_is_no_variable_or_another_models_certificate_is_refused() -> None:
    mrf = random_mrf(1, 4)
    with pytest.raises(ValueError, match="there is no variable 4; variables are numbered 0 to 3"):
        bc.price(mrf, 4)
    with pytest.raises(ModelError, match="the certificate is of 3 variables, but the model has 4"):
        bc.price(mrf, 0, bc.certify(random_mrf(1, 3)))
    with pytest.raises(ModelError, match="the certificate is of 3 variables, but the model has 4"):
        list(bc.prices(mrf, bc.certify(random_mrf(1, 3))))
    assert list(bc.prices(mrf, variables=[])) == []
