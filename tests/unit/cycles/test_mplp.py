"""MPLP with cycle pursuit: never above the optimum, nor above the bound of all cycles, which it comes near."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import synth
from bender_core.cycles.triplets import Triplets, around, cut, preferences
from tests import naive
from tests.models import examples, mrfs, random_mrf
from tests.pieces import result


def plus_minus(rng: np.random.Generator, n: int) -> bc.BinaryMRF:
    """A spin glass without fields: everything is a tie."""
    edges = np.argwhere(np.triu(rng.random((n, n)) < 0.7, 1))
    signs = rng.choice([-1.0, 1.0], len(edges))
    return bc.BinaryMRF(np.zeros((n, 2)), edges, signs[:, None, None] * [[1.0, -1.0], [-1.0, 1.0]])


def mixed(rng: np.random.Generator, n: int) -> bc.BinaryMRF:
    """Energies of all sizes, and some of 1e12."""
    mrf = random_mrf(rng, n, 0.7)
    unary, pairwise = (table * 10.0 ** rng.integers(-6, 3, table.shape) for table in (mrf.unary, mrf.pairwise))
    pairwise[rng.random(pairwise.shape) < 0.05] = 1e12
    return bc.BinaryMRF(unary, mrf.edges, pairwise, constant=1.0 / 3.0)


def hard(rng: np.random.Generator, n: int) -> bc.BinaryMRF:
    """Some entries are forbidden."""
    mrf = random_mrf(rng, n, 0.6, integers=bool(rng.integers(2)))
    pairwise = mrf.pairwise.copy()
    pairwise[rng.random(pairwise.shape) < 0.1] = np.inf
    return bc.BinaryMRF(mrf.unary, mrf.edges, pairwise)


MAKERS = {
    "ties": lambda rng, n: random_mrf(rng, n, 0.7, integers=True),
    "reals": lambda rng, n: random_mrf(rng, n, 0.7, constant=-7.5),
    "spins": plus_minus,
    "mixed": mixed,
    "hard": hard,
}


def certified_bounds(mrf: bc.BinaryMRF, rounds: int | None = None) -> tuple[bc.CyclePursuit, list[float]]:
    """A run, and its bounds round by round."""
    found, bounds = bc.CyclePursuit(mrf), list[float]()
    bounds.append(found.lower_bound)
    found.run(rounds, on_progress=lambda run: bounds.append(run.lower_bound))
    return found, bounds


@pytest.mark.parametrize("kind", MAKERS)
def test_no_bound_is_above_the_optimum_and_what_is_proven_is_optimal(kind: str) -> None:
    """Not even by rounding."""
    proven, count = 0, examples(60)
    for seed in range(count):
        rng = np.random.default_rng([seed, len(kind)])
        mrf = MAKERS[kind](rng, int(rng.integers(2, 11)))
        found, bounds = certified_bounds(mrf, 40)
        best = min(mrf.energy(labeling) for labeling in naive.bits(mrf.n))
        assert bounds == sorted(bounds)
        assert bounds[-1] == found.lower_bound <= best <= found.upper_bound == mrf.energy(found.labeling)
        if found.is_proven:
            assert found.upper_bound - best <= found.margin.negligible + found.margin.rounding
        proven += found.is_proven
    assert proven > (0.2 if kind == "mixed" else 0.6) * count


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(7))
def test_the_bound_comes_near_that_of_all_cycles(mrf: bc.BinaryMRF) -> None:
    best, found = bc.Packing(mrf), bc.CyclePursuit(mrf)
    assert best.run()
    assert found.run()
    size = np.ptp(naive.energies(mrf)) + 1e-9 * abs(best.upper_bound)
    if not best.is_proven:
        assert found.lower_bound <= best.lower_bound + 1e-6 * size
    # What the lattice of energies proves ends earlier.
    assert found.is_proven or found.lower_bound >= min(best.lower_bound, best.upper_bound) - 2e-3 * size


def test_cycles_through_edges_that_triplets_have_used_up_are_found_too() -> None:
    """The first triangle takes all that its edges prefer, which two others need."""
    edges = np.array([[0, 2], [1, 3], [1, 4], [1, 5], [1, 6], [2, 6], [3, 5], [3, 6], [4, 5]])
    signs = np.array([1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    mrf = bc.BinaryMRF(np.zeros((7, 2)), edges, signs[:, None, None] * [[1.0, -1.0], [-1.0, 1.0]])
    found, best = bc.CyclePursuit(mrf), bc.Packing(mrf)
    found.run()
    best.run()
    assert best.lower_bound == pytest.approx(-5.0)
    assert found.lower_bound > -5.1
    assert any(event.found is not None and event.found.is_tied for event in found.events)


def test_a_torus_is_proven_by_long_cycles() -> None:
    mrf = synth.ising_grid(8, 8, torus=True, coupling="gaussian", seed=3)
    found, best = bc.CyclePursuit(mrf), bc.Packing(mrf)
    best.run()
    found.run()
    assert found.is_proven
    assert found.upper_bound == pytest.approx(best.upper_bound)
    assert found.n_triplets > 64
    assert found.nbytes > 1_000 * found.n_triplets / 10


def test_a_sample_is_proven_by_one_cycle() -> None:
    found = bc.CyclePursuit(bc.sample("frustrated-cycle"))
    assert found.run()
    assert found.is_proven


@pytest.mark.parametrize(
    "mrf",
    [
        bc.BinaryMRF(np.zeros((0, 2))),
        bc.BinaryMRF([[0.0, 0.0]]),
        bc.BinaryMRF([[3.0, 1.0]], constant=2.0),
        bc.BinaryMRF(np.zeros((4, 2)), [[0, 1], [2, 3]], np.zeros((2, 2, 2))),
        bc.BinaryMRF(np.full((3, 2), 0.1), [[0, 1], [1, 2], [0, 2]], np.full((3, 2, 2), 0.1)),
        bc.BinaryMRF(np.arange(8.0).reshape(4, 2)),
        bc.BinaryMRF([[0, 1], [0, 1]], [[0, 1]], [[[np.inf, 0], [0, np.inf]]]),
        bc.BinaryMRF([[0, 1e-6], [1e12, 0]], [[0, 1]], [[[1e12, 0], [0, 1e12]]]),
    ],
    ids=["no variable", "one variable", "one field", "no weights", "all equal", "fields only", "hard", "huge"],
)
def test_odd_models_end(mrf: bc.BinaryMRF) -> None:
    found, bounds = certified_bounds(mrf)
    assert found.finished
    best = min(mrf.energy(labeling) for labeling in naive.bits(mrf.n)) if mrf.n else mrf.constant
    assert found.upper_bound == best
    assert max(bounds) <= best
    assert found.is_proven or np.abs(mrf.pairwise).max() >= 1e12


def test_runs_in_pieces_and_by_the_same_seed_are_the_same() -> None:
    mrf = synth.ising_grid(6, 6, torus=True, coupling="pm1", seed=5)
    whole, pieces = bc.CyclePursuit(mrf, 7), bc.CyclePursuit(mrf, 7)
    whole.run(30)
    while pieces.rounds < 30 and not pieces.run(30, on_progress=lambda _: True):
        pass
    for name in ("rounds", "lower_bound", "upper_bound", "work", "n_triplets", "finished"):
        assert getattr(whole, name) == getattr(pieces, name), name
    assert np.array_equal(whole.labeling, pieces.labeling)


def test_a_stopped_run_keeps_its_bounds_and_goes_on() -> None:
    mrf = synth.ising_grid(6, 6, torus=True, coupling="gaussian", seed=1)
    whole, found, stops = bc.CyclePursuit(mrf), bc.CyclePursuit(mrf), 0
    while not found.finished:
        looks = iter(range(50))
        before = found.lower_bound
        try:
            found.run(stop=bc.Stop(requested=lambda looks=looks: next(looks, None) is None))
        except bc.Stopped:
            stops += 1
        assert before <= found.lower_bound <= found.upper_bound
    whole.run()
    assert stops > 1
    assert found.is_proven
    for name in ("rounds", "work", "lower_bound", "upper_bound", "n_triplets"):
        assert getattr(found, name) == getattr(whole, name), name


@pytest.mark.parametrize("length", range(3, 12))
def test_a_cycle_is_cut_into_triangles(length: int) -> None:
    """Each edge of the cycle is in one triangle, each chord in two."""
    cycle = np.random.default_rng(length).permutation(30)[:length]
    triples = cut(cycle)
    assert len(set(triples)) == length - 2
    pairs = [pair for triple in triples for pair in itertools.combinations(triple, 2)]
    own = {(min(i, j), max(i, j)) for i, j in zip(cycle.tolist(), np.roll(cycle, 1).tolist(), strict=True)}
    assert all(pairs.count(pair) == (1 if pair in own else 2) for pair in pairs)
    assert own <= set(pairs)
    ends = np.sort(np.column_stack([cycle, np.roll(cycle, -1)]), axis=1)
    assert sorted(around(ends).tolist()) == sorted(cycle.tolist())


@settings(max_examples=examples(100), deadline=None)
@given(mrfs(8), st.integers(0, 1 << 16))
def test_the_first_cycle_is_as_strong_as_any(mrf: bc.BinaryMRF, seed: int) -> None:
    """The strongest one is found, and the search ends only where none is left; no triplet is found twice."""
    rng, pairs = np.random.default_rng(seed), list(map(tuple, mrf.edges.tolist()))
    preference = preferences(rng.normal(size=mrf.pairwise.shape))
    odd = [cycle for cycle in naive.simple_cycles(pairs) if (preference[cycle] > 0).sum() % 2]
    strongest = max((np.abs(preference[cycle]).min() for cycle in odd), default=0.0)
    triplets = Triplets(mrf.n, mrf.edges)
    assert not result(triplets.search(mrf.edges, preference, strongest)).triples
    found = result(triplets.search(mrf.edges, preference, 0.999 * strongest)).triples
    assert bool(found) == bool(odd)
    triplets.add(found)
    assert not set(result(triplets.search(mrf.edges, preference, 0.999 * strongest)).triples) & set(found)
