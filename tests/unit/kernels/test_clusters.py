"""Messages between variables, edges and triplets, against their definition, and their bound in exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.cycles.triplets import Triplets
from bender_core.kernels.clusters import Clusters, certified, clusters_of, extended, near_bound, update
from tests import naive
from tests.models import examples, mrfs, random_mrf


def with_triplets(mrf: bc.BinaryMRF, triples: list[tuple[int, int, int]]) -> Clusters:
    found = clusters_of(mrf.unary, mrf.edges, mrf.pairwise)
    return extended(found, *Triplets(mrf.n, mrf.edges).add(triples))


def all_triples(mrf: bc.BinaryMRF, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    return [triple for triple in itertools.combinations(range(mrf.n), 3) if rng.random() < 0.7]


def assert_equal(clusters: Clusters, twin: naive.Mplp) -> None:
    near = 1e-9 * (1.0 + max(np.abs(clusters.unary).max(), np.abs(clusters.pairwise).max(initial=0.0)))
    pairs = list(map(tuple, clusters.ends.tolist()))
    for e, pair in enumerate(pairs):
        np.testing.assert_allclose(clusters.of_edges[e], twin.of_edge(pair), rtol=0, atol=near)
        for side in (0, 1):
            np.testing.assert_allclose(clusters.to_ends[e, side], twin.to_ends[pair, pair[side]], rtol=0, atol=near)
    for i in range(len(clusters.unary)):
        np.testing.assert_allclose(clusters.of_variables[i], twin.of_variable(i), rtol=0, atol=near)
    for t, triplet in enumerate(twin.triplets):
        for k in range(3):
            sent = twin.to_edges[triplet, pairs[clusters.triplets[t, k]]]
            np.testing.assert_allclose(clusters.to_edges[t, k], sent, rtol=0, atol=near)


@pytest.mark.parametrize("is_soft", [False, True], ids=["MPLP", "soft"])
@settings(max_examples=examples(60), deadline=None)
@given(mrf=mrfs(6), seed=st.integers(0, 1 << 16))
def test_updates_are_those_of_the_definition(is_soft: bool, mrf: bc.BinaryMRF, seed: int) -> None:
    rng = np.random.default_rng(seed)
    triples = all_triples(mrf, rng)
    clusters, twin = with_triplets(mrf, triples), naive.Mplp(mrf, triples)
    temperature = float(0.3 * np.abs(mrf.unary).max() + 1e-3) if is_soft else 0.0
    edges, before = list(map(tuple, clusters.ends.tolist())), twin.bound()
    for block in rng.integers(0, len(edges) + len(triples), 12 if edges else 0).tolist():
        update(clusters, block, block + 1, temperature)
        of_edge = block < len(edges)
        which = edges[block] if of_edge else triples[block - len(edges)]
        if is_soft:
            (twin.soften_edge if of_edge else twin.soften_triplet)(which, temperature)
        else:
            (twin.update_edge if of_edge else twin.update_triplet)(which)
            after = twin.bound()
            assert after >= before - 1e-9 * (1.0 + abs(before))
            assert near_bound(clusters) == pytest.approx(after, rel=1e-9, abs=1e-9)
            before = after
        assert_equal(clusters, twin)
    assert certified(clusters, 0.0) == pytest.approx(twin.bound(), rel=1e-9, abs=1e-9)
    assert_equal(clusters, twin)


def exact_bound(clusters: Clusters, constant: float) -> Fraction:
    """The sum of the minima of all beliefs, without any rounding."""
    variables = [[Fraction(float(value)) for value in row] for row in clusters.unary]
    edges = [[[Fraction(float(value)) for value in row] for row in table] for table in clusters.pairwise]
    total = Fraction(constant)
    for e, (i, j) in enumerate(clusters.ends.tolist()):
        for a, b in itertools.product((0, 1), repeat=2):
            edges[e][a][b] -= Fraction(float(clusters.to_ends[e, 0, a])) + Fraction(float(clusters.to_ends[e, 1, b]))
        for a in (0, 1):
            variables[i][a] += Fraction(float(clusters.to_ends[e, 0, a]))
            variables[j][a] += Fraction(float(clusters.to_ends[e, 1, a]))
    for t, numbers in enumerate(clusters.triplets.tolist()):
        sent = [[[Fraction(float(value)) for value in row] for row in table] for table in clusters.to_edges[t]]
        total += min(-sent[0][a][b] - sent[1][a][c] - sent[2][b][c] for a, b, c in naive.labelings(3))
        for k, a, b in itertools.product(range(3), (0, 1), (0, 1)):
            edges[numbers[k]][a][b] += sent[k][a][b]
    return total + sum(map(min, variables)) + sum(min(map(min, table)) for table in edges)


def test_the_bound_is_above_no_rounded_energy_and_not_much_below() -> None:
    """Also where huge messages cancel each other, and small ones decide."""
    for seed in range(examples(200)):
        rng = np.random.default_rng(seed)
        mrf = random_mrf(rng, 5, 0.8)
        clusters = with_triplets(mrf, all_triples(mrf, rng))
        for array in (clusters.to_ends, clusters.to_edges):
            array[:] = rng.normal(size=array.shape) * 10.0 ** rng.integers(-12, 13, array.shape)
        constant = float(rng.choice([0.0, 1e15, -1.0 / 3.0]))
        lower, exact = certified(clusters, constant), exact_bound(clusters, constant)
        assert lower <= float(exact)  # rounded once
        assert exact - Fraction(lower) <= Fraction(3.0 * float(np.spacing(abs(lower))))


def test_a_bound_of_whole_numbers_is_not_rounded() -> None:
    rng = np.random.default_rng(3)
    mrf = random_mrf(rng, 5, 1.0, integers=True)
    clusters = with_triplets(mrf, all_triples(mrf, rng))
    for array in (clusters.to_ends, clusters.to_edges):
        array[:] = rng.integers(-9, 10, array.shape)
    assert Fraction(certified(clusters, -3.0)) == exact_bound(clusters, -3.0)
