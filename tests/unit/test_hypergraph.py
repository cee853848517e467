"""The hyper-graph: its tables and couplings against sums over the variables, for every state."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

import bender_core as bc
from bender_core.forms.scale import energy_scale
from bender_core.kernels.tables.coupling import coupling_energy
from tests import naive
from tests.models import between_groups, cut_mrfs, examples, random_mrf

pytestmark = pytest.mark.jitless


def joint(part: bc.Partition, p: int, y: int, q: int, z: int) -> np.ndarray:
    """A joint state of all groups, by those of two."""
    states = np.zeros(len(part), np.int64)
    states[[p, q]] = y, z
    return states


@settings(max_examples=examples(100))
@given(cut_mrfs())
def test_tables_and_couplings(cut: tuple[bc.BinaryMRF, bc.Partition]) -> None:
    mrf, part = cut
    graph, model = bc.HyperGraph(mrf, part), naive.GroupModel(mrf, part.groups)
    atol = 1e-12 * (1 + np.abs(mrf.unary).max() + np.abs(mrf.pairwise).sum())
    for p in range(len(part)):
        np.testing.assert_allclose(graph.energies(p), model.phi[p], rtol=0, atol=atol)
        assert graph.neighbours(p) == model.neighbours(p)
    assert [tuple(edge) for edge in graph.edges.tolist()] == model.edges
    for edge, (p, q) in enumerate(model.edges):
        expected = model.coupling(p, q)
        found = [
            [coupling_energy(graph.problem, edge, joint(part, p, y, q, z)) for z in range(expected.shape[1])]
            for y in range(len(expected))
        ]
        np.testing.assert_allclose(found, expected, rtol=0, atol=atol)
        assert graph.problem.edge_weight[edge] == pytest.approx(sum(-t.min() for _, _, t in model.theta[p, q]))


@settings(max_examples=examples(50))
@given(cut_mrfs(max_n=6))
def test_groups_and_couplings_add_up_to_the_energy(cut: tuple[bc.BinaryMRF, bc.Partition]) -> None:
    mrf, part = cut
    graph = bc.HyperGraph(mrf, part)
    for states in itertools.product(*(range(1 << len(group)) for group in part.groups)):
        total = graph.normal_form.constant + sum(graph.energies(p)[y] for p, y in enumerate(states))
        for edge in range(len(graph.edges)):
            total += coupling_energy(graph.problem, edge, np.array(states))
        x = graph.labeling(np.array(states))
        scale = abs(mrf.constant) + np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum()
        assert total == pytest.approx(naive.energy(mrf, x), rel=0, abs=1e-13 * scale)


@settings(max_examples=examples(50))
@given(cut_mrfs())
def test_a_labelling_and_the_states_of_the_groups_are_the_same_thing(cut: tuple[bc.BinaryMRF, bc.Partition]) -> None:
    mrf, part = cut
    graph = bc.HyperGraph(mrf, part)
    rng = np.random.default_rng(mrf.n)
    for x in rng.integers(2, size=(20, mrf.n)):
        states = [sum(int(x[i]) << k for k, i in enumerate(group)) for group in part.groups]
        assert np.array_equal(graph.labeling(np.array(states)), x)
        assert [part.describe(p, y) for p, y in enumerate(states)] == ["".join(map(str, x[g])) for g in part.groups]


@settings(max_examples=examples(100))
@given(cut_mrfs(max_n=10))
def test_cycles_are_edges_beyond_a_forest(cut: tuple[bc.BinaryMRF, bc.Partition]) -> None:
    graph = bc.HyperGraph(*cut)
    unseen, components = set(range(graph.n_groups)), 0
    while unseen:
        components += 1
        front = {unseen.pop()}
        while front:
            front = {q for p in front for q in graph.neighbours(p)} & unseen
            unseen -= front
    assert graph.cycles() == len(graph.edges) - graph.n_groups + components


def test_arcs() -> None:
    mrf, part = between_groups(0, [2, 1, 3, 2], [(0, 1), (1, 2), (0, 2), (2, 3)])
    graph = bc.HyperGraph(mrf, part)
    arcs = {graph.arc(p, q): (p, q) for a, b in graph.edges.tolist() for p, q in ((a, b), (b, a))}
    assert sorted(arcs) == list(range(8))
    for arc, ends in arcs.items():
        assert graph.ends(arc) == ends
    # The messages lie side by side without overlap, each as long as the states of its receiver.
    spans = sorted((int(graph.problem.lam_first[arc]), 1 << len(part.groups[p])) for arc, (p, _) in arcs.items())
    assert [start for start, _ in spans] == [0, *itertools.accumulate(length for _, length in spans[:-1])]
    for p, q in ((0, 3), (3, 0), (1, 1)):
        with pytest.raises(ValueError, match=f"groups {p} and {q} are not coupled"):
            graph.arc(p, q)


@pytest.mark.parametrize("seed", range(5))
def test_a_sweep_goes_along_a_chain_of_groups_from_one_end(seed: int) -> None:
    chain = np.random.default_rng(seed).permutation(7).tolist()
    graph = bc.HyperGraph(*between_groups(seed, [1] * 9, [*itertools.pairwise(chain), (7, 8)]))
    order = graph.sweep_order().tolist()
    assert order[:7] in (chain, chain[::-1])
    assert sorted(order[7:]) == [7, 8]


def test_an_edge_without_interaction_couples_nothing() -> None:
    tables = [[[1.0, 2.0], [4.0, 5.0]], np.eye(2)]
    mrf = bc.BinaryMRF(np.zeros((3, 2)), [[0, 1], [1, 2]], tables)
    graph = bc.HyperGraph(mrf, bc.partition(mrf, 1, "singletons"))
    assert graph.edges.tolist() == [[1, 2]]
    assert graph.cycles() == 0


def test_the_scale_of_the_energies_is_what_is_at_stake() -> None:
    """It scales all tolerances: it must not depend on a constant, nor on a cost that always decides a variable."""
    for seed in range(10):
        mrf = random_mrf(seed, 7, constant=1e6)
        scale = energy_scale(mrf)
        assert 0 < scale <= np.abs(mrf.unary).sum() * 2 + np.abs(mrf.pairwise).sum() * 4
        assert bc.HyperGraph(mrf, bc.partition(mrf, 3)).problem.scale == scale
        unary, edges, pairwise = mrf.unary.copy(), mrf.edges, mrf.pairwise
        unary[3, 1] += 1e15
        assert energy_scale(bc.BinaryMRF(unary, edges, pairwise)) <= 3 * scale
        # Another variable, isolated or tied to the first one for ever.
        unary = np.vstack([mrf.unary, [0.0, 1e15]])
        assert scale <= energy_scale(bc.BinaryMRF(unary, edges, pairwise)) <= 2 * scale
        tie = np.array([[[0.0, 1e15], [1e15, 0.0]]])
        tied = bc.BinaryMRF(
            np.vstack([mrf.unary, [0.0, 0.0]]), np.vstack([edges, [0, 7]]), np.concatenate([pairwise, tie])
        )
        assert energy_scale(tied) <= 3 * scale + 10
