"""Statistics of models against brute force."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from bender_core.model import BinaryMRF
from bender_core.statistics import statistics
from bender_core.synth import body_pose, frustrated_cycle, ising_grid, random_tree
from tests.models import examples, mrfs

SEEDS = range(12)


def signed_edges(mrf: BinaryMRF) -> list[tuple[int, int, bool]]:
    """The edges that matter, and whether each is repulsive."""
    tables = mrf.pairwise
    coupling = tables[:, 1, 1] - tables[:, 0, 1] - tables[:, 1, 0] + tables[:, 0, 0]
    return [(int(i), int(j), bool(w > 0)) for (i, j), w in zip(mrf.edges, coupling, strict=True) if w != 0]


def frustrated_cycles(n: int, edges: list[tuple[int, int, bool]]) -> int:
    """Cycles that the edges close over the forest of those before them, with an odd number of repulsive edges."""
    forest = nx.empty_graph(n)
    found = 0
    for i, j, repulsive in edges:
        if nx.has_path(forest, i, j):
            path = nx.shortest_path(forest, i, j)
            found += (sum(forest[a][b]["repulsive"] for a, b in itertools.pairwise(path)) + repulsive) % 2
        else:
            forest.add_edge(i, j, repulsive=repulsive)
    return found


@settings(max_examples=examples(150))
@given(mrf=mrfs())
def test_counts_agree_with_brute_force(mrf: BinaryMRF) -> None:
    edges = signed_edges(mrf)
    graph = nx.empty_graph(mrf.n)
    graph.add_edges_from((i, j) for i, j, _ in edges)
    degrees = [degree for _, degree in graph.degree]
    found = statistics(mrf)
    assert (found.n, found.n_edges) == (mrf.n, len(edges))
    assert found.mean_degree == pytest.approx(sum(degrees) / mrf.n)
    assert found.max_degree == max(degrees)
    assert found.repulsive == sum(repulsive for _, _, repulsive in edges)
    assert found.attractive == len(edges) - found.repulsive
    assert found.cycles == len(nx.cycle_basis(graph))
    assert found.frustrated == frustrated_cycles(mrf.n, edges)
    # A graph has no frustrated cycle just if one labelling makes all edges content.
    content = any(
        all((x[i] != x[j]) == repulsive for i, j, repulsive in edges) for x in itertools.product((0, 1), repeat=mrf.n)
    )
    assert (found.frustrated == 0) == content


@pytest.mark.parametrize("seed", SEEDS)
def test_renaming_the_states_of_a_variable_frustrates_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = ising_grid(rows=4, columns=4, torus=True, seed=seed)
    flipped = rng.random(mrf.n) < 0.5
    tables = mrf.pairwise.copy()
    for e, (i, j) in enumerate(mrf.edges):
        tables[e] = tables[e][:: -1 if flipped[i] else 1, :: -1 if flipped[j] else 1]
    renamed = BinaryMRF(unary=mrf.unary, edges=mrf.edges, pairwise=tables)
    assert statistics(renamed).frustrated == statistics(mrf).frustrated


@pytest.mark.parametrize("seed", SEEDS)
def test_families_are_what_they_say(seed: int) -> None:
    assert (statistics(random_tree(seed=seed)).cycles, statistics(random_tree(seed=seed)).frustrated) == (0, 0)
    cycle = statistics(frustrated_cycle(seed=seed))
    assert (cycle.cycles, cycle.frustrated, cycle.max_degree) == (1, 1, 2)
    torus = statistics(ising_grid(rows=5, columns=4, torus=True, seed=seed))
    assert (torus.n, torus.n_edges, torus.mean_degree, torus.cycles) == (20, 40, 4.0, 21)
    pose = statistics(body_pose(seed=seed))
    assert 0 < pose.frustrated < pose.cycles


def test_edges_without_a_coupling_do_not_count() -> None:
    flat = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = statistics(BinaryMRF(unary=np.zeros((3, 2)), edges=[[0, 1], [1, 2]], pairwise=[flat, -np.eye(2)]))
    assert (found.n_edges, found.attractive, found.repulsive, found.max_degree) == (1, 1, 0, 1)


def test_a_model_without_edges() -> None:
    found = statistics(BinaryMRF(unary=np.zeros((2, 2))))
    assert (found.n, found.n_edges, found.mean_degree, found.max_degree, found.cycles) == (2, 0, 0.0, 0, 0)


def test_a_long_chain_is_walked_without_recursion() -> None:
    n = 100_000
    edges = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    tables = np.broadcast_to(np.eye(2), (n - 1, 2, 2))
    found = statistics(BinaryMRF(unary=np.zeros((n, 2)), edges=edges, pairwise=tables))
    assert (found.cycles, found.frustrated, found.repulsive) == (0, 0, n - 1)


def test_the_range_of_coefficients_leaves_penalties_out() -> None:
    unary = [[0.0, 1e-3], [2.0, 2.0], [0.0, np.inf]]
    pairwise = [[[0.0, 0.0], [0.0, -50.0]], [[0.0, np.inf], [1.0, 0.0]]]
    assert statistics(BinaryMRF(unary, [[0, 1], [1, 2]], pairwise)).range == pytest.approx(5e4)
    assert statistics(BinaryMRF([[0.0, 0.0]])).range == 1.0
    assert statistics(BinaryMRF([[np.inf, np.inf], [0.0, 1.0]])).range == 1.0
