"""The normal form: the same energy for every labelling, one non-positive entry an edge (docs/method.md §7, 1)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bender_core import BinaryMRF, to_normal_form
from tests import naive
from tests.models import examples, mrfs, random_mrf

pytestmark = pytest.mark.jitless
ENTRIES = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float)


@settings(max_examples=examples(100))
@given(mrfs(max_n=7))
def test_the_energy_is_unchanged(mrf: BinaryMRF) -> None:
    form = to_normal_form(mrf)
    scale = abs(mrf.constant) + np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum()
    for x in naive.labelings(mrf.n):
        assert form.energy(np.array(x)) == pytest.approx(naive.energy(mrf, x), rel=0, abs=1e-13 * scale)


@settings(max_examples=examples(300))
@given(arrays(float, (2, 2), elements=ENTRIES), arrays(float, (2, 2), elements=ENTRIES))
def test_the_energy_of_one_edge_is_unchanged(unary: np.ndarray, table: np.ndarray) -> None:
    mrf = BinaryMRF(unary, [[0, 1]], [table])
    form = to_normal_form(mrf)
    for x in naive.labelings(2):
        expected = unary[0, x[0]] + unary[1, x[1]] + table[x]
        scale = np.abs(unary).sum() + np.abs(table).sum()
        assert form.energy(np.array(x)) == pytest.approx(expected, rel=0, abs=1e-14 * scale)


def test_the_energy_of_all_4096_labellings_and_of_random_ones_of_a_large_model() -> None:
    mrf = random_mrf(1, 12, density=0.7)
    form = to_normal_form(mrf)
    for x in naive.labelings(12):
        assert form.energy(np.array(x)) == pytest.approx(naive.energy(mrf, x), rel=1e-12, abs=1e-12)
    rng = np.random.default_rng(2)
    large = random_mrf(rng, 150, density=0.1, scale=100.0)
    form = to_normal_form(large)
    for x in rng.integers(2, size=(20, large.n)):
        assert form.energy(x) == pytest.approx(large.energy(x), rel=1e-11)


@settings(max_examples=examples(100))
@given(mrfs())
def test_one_entry_an_edge_and_it_is_not_positive(mrf: BinaryMRF) -> None:
    form = to_normal_form(mrf)
    tables = form.pairwise()
    assert (tables <= 0).all()
    assert ((tables != 0).sum(axis=(1, 2)) <= 1).all()
    assert (form.weight <= 0).all()
    assert {tuple(e) for e in form.entry.tolist()} <= {(1, 1), (1, 0)}
    assert np.array_equal(form.unary.min(axis=1), np.zeros(mrf.n))
    # The interaction of an edge does not depend on the form: attractive ones pay at (1, 1), repulsive ones at (1, 0).
    interaction = tables[:, 1, 1] - tables[:, 0, 1] - tables[:, 1, 0] + tables[:, 0, 0]
    np.testing.assert_allclose(
        interaction, mrf.coupling(), rtol=0, atol=1e-12 * (1 + np.abs(mrf.pairwise).max(initial=0))
    )


@settings(max_examples=examples(100))
@given(mrfs())
def test_it_is_the_one_of_the_definition(mrf: BinaryMRF) -> None:
    form = to_normal_form(mrf)
    constant, unary, tables = naive.normal_form(mrf)
    atol = 1e-12 * (1 + np.abs(mrf.unary).max() + np.abs(mrf.pairwise).sum())
    np.testing.assert_allclose(form.constant, constant, rtol=1e-12, atol=atol)
    np.testing.assert_allclose(form.unary, unary, rtol=0, atol=atol)
    np.testing.assert_allclose(form.pairwise().reshape(-1, 4), np.reshape(tables, (-1, 4)), rtol=0, atol=atol)


def test_an_edge_without_interaction_leaves_only_unaries() -> None:
    form = to_normal_form(BinaryMRF(np.zeros((2, 2)), [[0, 1]], [[[1.0, 2.0], [4.0, 5.0]]]))
    assert form.weight.tolist() == [0.0]
    assert (form.constant, form.unary.tolist()) == (1.0, [[0.0, 3.0], [0.0, 1.0]])


def test_a_shift_of_all_energies_does_not_cost_their_differences_digits() -> None:
    rng = np.random.default_rng(3)
    unary, tables = 1e9 + rng.normal(size=(4, 2)), 1e9 + rng.normal(size=(6, 2, 2))
    edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    form = to_normal_form(BinaryMRF(unary, edges, tables))
    exact = [[[Fraction(entry) for entry in row] for row in table] for table in tables]
    interaction = [t[1][1] - t[0][1] - t[1][0] + t[0][0] for t in exact]
    np.testing.assert_allclose(form.weight, [-abs(float(w)) for w in interaction], rtol=1e-12)
    # Variable 0 is the first of its three edges: each adds the difference of its rows where x_j is not paid for.
    slope = Fraction(unary[0, 1]) - Fraction(unary[0, 0])
    for t, w in zip(exact[:3], interaction[:3], strict=True):
        slope += t[1][0] - t[0][0] if w < 0 else t[1][1] - t[0][1]
    assert form.unary[0, 1] - form.unary[0, 0] == pytest.approx(float(slope), rel=1e-12)


def test_small_energies_are_kept_where_huge_ones_cancel() -> None:
    """Two couplings of variable 3 of 1e13 cancel; 0.125 is left, which is lost in the sum of any two terms."""
    tables = np.zeros((3, 2, 2))
    tables[:, :, 1] = np.array([1e13 + 0.5, -1e13, -0.375])[:, None]
    unary = np.zeros((4, 2))
    unary[3, 1], unary[0] = 2.0**-30, [1e13, 1e13]
    form = to_normal_form(BinaryMRF(unary, [[0, 3], [1, 3], [2, 3]], tables))
    assert form.unary.tolist() == [[0.0, 0.0]] * 3 + [[0.0, 0.125 + 2.0**-30]]
    crossed = BinaryMRF(np.zeros((2, 2)), [[0, 1]], [[[1e16, 1.0], [3e16, 2e16]]])
    assert to_normal_form(crossed).weight.tolist() == [-1.0]
