"""The exact least energies that proofs are compared with: against all labellings, each other, and sums of fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import bender_core as bc
from benchmarks.proofs import DRAWN
from benchmarks.proving.kinds import KINDS, WAYS, near, numbers, one_hot
from benchmarks.proving.references import Exact, as_decimal, as_float
from tests import naive

SMALL = [name for name, kind in DRAWN.items() if kind.make(np.random.default_rng(0)).n <= 14]
SCALES = (1e-3, 1.0, 1e16, 1e40)


def in_fractions(mrf: bc.BinaryMRF, x: tuple[int, ...]) -> Fraction:
    """f(x), term by term."""
    terms = [mrf.constant, *(mrf.unary[i, x[i]] for i in range(mrf.n))]
    terms += [table[x[i], x[j]] for (i, j), table in zip(mrf.edges, mrf.pairwise, strict=True)]
    return sum(map(Fraction, map(float, terms)), Fraction(0))


def band(n: int, width: int, seed: int) -> bc.BinaryMRF:
    """Tables of all kinds of numbers and sizes, most of which need more than 64 bits."""
    rng = np.random.default_rng(seed)
    edges = near(n, width, 0.6, rng)
    unary, pairwise = (
        numbers(rng, WAYS[seed % 4], 9.0, shape) * rng.choice(SCALES, (shape[0], *(1,) * (len(shape) - 1)))
        for shape in ((n, 2), (len(edges), 2, 2))
    )
    return bc.BinaryMRF(unary, edges, pairwise, float(rng.normal()))


@pytest.mark.parametrize("seed", range(12))
def test_energies_are_sums_of_fractions(seed: int) -> None:
    mrf = band(7, 1 + seed % 6, seed)
    found = Exact(mrf).energies()
    for x in itertools.product((0, 1), repeat=7):
        assert found[sum(value << i for i, value in enumerate(x))] == in_fractions(mrf, x) == Exact(mrf).energy(x)


@pytest.mark.parametrize("unary", [[[1.5, 0.1]], [[1.5, 0.1], [-0.3, 1e40]]])
def test_without_edges_every_variable_has_its_own_least_energy(unary: list[list[float]]) -> None:
    assert Exact(bc.BinaryMRF(unary, constant=7.0)).least() == sum(Fraction(min(table)) for table in unary) + 7


@pytest.mark.parametrize("seed", range(24))
def test_the_least_energy_of_a_band_is_the_least_of_all_labellings(seed: int) -> None:
    """Of all widths from 1 to n - 1."""
    mrf = band(9, seed % 8 + 1, seed)
    for read in (as_float, as_decimal):
        exact = Exact(mrf, read)
        assert exact.least() == min(exact.energies())


@pytest.mark.parametrize("seed", range(8))
def test_the_least_energy_of_a_chain_is_the_least_of_all_labellings(seed: int) -> None:
    """Soft penalties that are worth to be paid, too."""
    penalty = (0.25, 1e9, np.inf, 1e16)[seed % 4]
    exact = Exact(one_hot(3, 4, penalty, WAYS[seed // 2], np.random.default_rng(seed)))
    assert exact.least_of_chain(4) == exact.least() == min(exact.energies())


@pytest.mark.parametrize("seed", range(4))
def test_items_are_coupled_by_all_entries_of_their_tables(seed: int) -> None:
    exact = Exact(band(9, 3, seed))
    assert exact.least_of_chain(3) == min(exact.energies())


@pytest.mark.parametrize("penalty", [0.25, 1e9, 1e16, np.inf])
def test_item_by_item_and_variable_by_variable_give_the_same(penalty: float) -> None:
    exact = Exact(one_hot(10, 5, penalty, "decimal", np.random.default_rng(3)))
    assert exact.least_of_chain(5) == exact.least()


def test_one_state_of_every_item_is_chosen() -> None:
    """By the paths through the states, which are all that penalties leave."""
    mrf = one_hot(12, 4, 1e7, "whole", np.random.default_rng(5))
    cost = mrf.unary[:, 1].reshape(12, 4) + 1e7
    step = {(int(i), int(j)): float(table[1, 1]) for (i, j), table in zip(mrf.edges, mrf.pairwise, strict=True)}
    best = [float(each) for each in cost[0]]
    for p in range(1, 12):
        best = [min(best[a] + step[4 * p - 4 + a, 4 * p + b] for a in range(4)) + float(cost[p, b]) for b in range(4)]
    assert Exact(mrf).least() == min(best)


def test_a_full_band_agrees_with_the_best_that_ends_at_each_variable() -> None:
    """There the variables chosen are more than the width apart."""
    n, width, rng = 400, 8, np.random.default_rng(0)
    weights = 1e6 + rng.integers(0, 10, n)
    edges = near(n, width, 1.0, rng)
    mrf = bc.BinaryMRF(np.column_stack([np.zeros(n), -weights]), edges, [[[0, 0], [0, np.inf]]] * len(edges))
    best = [0.0]
    for i in range(n):
        best.append(max(best[i], best[max(i - width, 0)] + weights[i]))
    assert Exact(mrf).least() == -best[-1]


@pytest.mark.parametrize("seed", range(4))
def test_the_least_energy_with_a_value_is_the_least_of_its_labellings(seed: int) -> None:
    exact = Exact(band(6, 3, seed))
    energies = exact.energies()
    for i in range(6):
        for value in (0, 1):
            assert exact.least(value, i) == min(each for k, each in enumerate(energies) if k >> i & 1 == value)


def test_decimals_that_are_meant_to_be_equal_are() -> None:
    """0.1 + 0.2 is more than 0.3 in floats."""
    mrf = bc.BinaryMRF([[0.3, 0.1], [0.0, 0.2]])
    assert Exact(mrf).energy([1, 1]) > Exact(mrf).energy([0, 0])
    assert Exact(mrf, as_decimal).energy([1, 1]) == Exact(mrf, as_decimal).energy([0, 0]) == Fraction(3, 10)


@pytest.mark.parametrize("name", DRAWN)
def test_kinds_depend_on_the_seed_alone(name: str) -> None:
    one, same, other = (DRAWN[name].make(np.random.default_rng(seed)).content_hash() for seed in (4, 4, 5))
    assert one == same != other


@pytest.mark.parametrize("name", SMALL)
def test_least_energies_of_small_kinds_are_those_of_brute_force(name: str) -> None:
    for seed in range(5):
        mrf = DRAWN[name].make(np.random.default_rng(seed))
        size = float(np.abs(mrf.unary).max() + np.abs(mrf.pairwise).max(initial=0.0) + abs(mrf.constant))
        assert float(Exact(mrf).least()) == pytest.approx(naive.optimum(mrf), abs=1e-13 * size)


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.counts == 0])
def test_whole_and_decimal_costs_have_six_digits_at_most(name: str) -> None:
    mrf = KINDS[name].make(np.random.default_rng(1))
    costs = np.concatenate([mrf.unary.reshape(-1), mrf.pairwise.reshape(-1)])
    costs = costs[np.abs(costs) < 1e9]
    assert len(costs)
    assert ((costs == np.round(costs, 6)) | (costs * 2.0**10 == np.round(costs * 2.0**10))).all()
