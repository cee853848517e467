"""Maximum cuts and communities: the numbers are those of networkx, and what is said of them holds."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from bender_core.model import BinaryMRF
from bender_core.rivals.reference import reference
from bender_core.synth import communities, generate, max_cut, planted_communities, random_max_cut
from bender_core.synth._graphs import NAMED, RANDOM, SOCIAL, planted_partition
from tests.unit.local_polytope import solve_lp

MAKERS = {
    "karate club": nx.karate_club_graph,
    "les miserables": nx.les_miserables_graph,
    "florentine families": nx.florentine_families_graph,
    "davis southern women": nx.davis_southern_women_graph,
    "petersen": nx.petersen_graph,
    "heawood": nx.heawood_graph,
    "icosahedral": nx.icosahedral_graph,
    "dodecahedral": nx.dodecahedral_graph,
    "tutte": nx.tutte_graph,
    "hoffman singleton": nx.hoffman_singleton_graph,
}


def labelings(mrf: BinaryMRF, count: int = 20) -> list[np.ndarray]:
    """Random labellings with both values in each."""
    drawn = np.random.default_rng(0).integers(0, 2, (count, mrf.n))
    drawn[:, 0], drawn[:, 1] = 0, 1
    return list(drawn)


def sides(graph: nx.Graph, x: np.ndarray) -> list[set[object]]:
    nodes = list(graph)
    return [{nodes[i] for i in np.flatnonzero(x == value)} for value in (0, 1)]


# --- maximum cut ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMED)
def test_the_cut_of_a_known_graph_is_that_of_networkx(name: str) -> None:
    graph, mrf = MAKERS[name](), max_cut(name)
    assert mrf.names == tuple(map(str, graph))
    assert mrf.n_edges == graph.number_of_edges()
    assert (mrf.objective.name, mrf.objective.sense) == ("cut weight", "max")
    for x in labelings(mrf):
        cut = nx.cut_size(graph, sides(graph, x)[0], weight="weight")
        assert mrf.energy(x) == -cut
        assert mrf.objective.value(mrf.energy(x)) == cut
    assert f"of {graph.size(weight='weight'):g} in all" in mrf.description


def test_known_graphs_bring_their_kinds() -> None:
    karate, women = max_cut("karate club"), communities("davis southern women")
    assert karate.groups == tuple(nx.get_node_attributes(nx.karate_club_graph(), "club").values())
    assert women.groups is not None
    assert women.groups[women.names.index("Evelyn Jefferson")] == "women"
    assert women.groups[women.names.index("E7")] == "events"
    assert max_cut("petersen").groups is None


def test_the_lp_believes_that_every_edge_can_be_cut() -> None:
    without_odd_cycles, with_some = max_cut("heawood"), max_cut("petersen")
    assert solve_lp(without_odd_cycles)[0] == pytest.approx(-21)
    assert reference(without_odd_cycles).optimum == -21
    assert solve_lp(with_some)[0] == pytest.approx(-15)
    assert reference(with_some).optimum == -12


@pytest.mark.parametrize("kind", RANDOM)
def test_the_cut_of_a_random_graph_is_that_of_networkx(kind: str) -> None:
    mrf = random_max_cut(kind, 20, 3, seed=1)
    graph = nx.Graph()
    graph.add_nodes_from(range(20))
    graph.add_edges_from(mrf.edges.tolist())
    for x in labelings(mrf):
        assert mrf.objective.value(mrf.energy(x)) == nx.cut_size(graph, sides(graph, x)[0])
    assert f"of {mrf.n_edges} in all" in mrf.description


@pytest.mark.parametrize(
    ("kind", "low", "high"), list(zip(RANDOM, (600, 600, 585, 450), (600, 600, 599, 599), strict=True))
)
def test_random_graphs_have_about_as_many_edges_as_asked_for(kind: str, low: int, high: int) -> None:
    counts = [random_max_cut(kind, 200, 3, seed=seed).n_edges for seed in range(3)]
    assert all(low <= count <= high for count in counts)


@pytest.mark.slow
def test_random_graphs_are_of_their_kind() -> None:
    degree = {kind: np.bincount(random_max_cut(kind, 300, 2).edges.ravel(), minlength=300) for kind in RANDOM}
    assert degree["scale free"].max() > 2 * max(degree[kind].max() for kind in ("uniform", "small world", "geometric"))
    ring = random_max_cut("small world", 300, 2).edges
    apart = np.minimum(ring[:, 1] - ring[:, 0], 300 - ring[:, 1] + ring[:, 0])
    assert 0.7 < (apart <= 2).mean() < 0.9
    close = random_max_cut("geometric", 300, 2)
    assert close.positions is not None
    length = {
        pair: np.linalg.norm(np.subtract(*close.positions[list(pair)]))
        for pair in itertools.combinations(range(300), 2)
    }
    edges = {(i, j) for i, j in close.edges.tolist()}
    # Positions are rounded to 0.01.
    assert max(length[pair] for pair in edges) < min(length[pair] for pair in length if pair not in edges) + 0.03


# --- communities ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOCIAL)
def test_the_modularity_of_a_known_network_is_that_of_networkx(name: str) -> None:
    graph, mrf = MAKERS[name](), communities(name)
    assert mrf.names == tuple(map(str, graph))
    assert (mrf.objective.name, mrf.objective.sense) == ("modularity", "max")
    for x in labelings(mrf):
        modularity = nx.community.modularity(graph, sides(graph, x))
        assert mrf.objective.value(mrf.energy(x)) == pytest.approx(modularity, abs=1e-13)
        assert mrf.energy(x) * 2 == int(mrf.energy(x) * 2)
    # All in one community: nothing is kept beyond chance.
    assert mrf.energy(np.zeros(mrf.n)) == 0


@pytest.mark.parametrize("seed", range(3))
def test_the_modularity_of_a_planted_network_is_that_of_networkx(seed: int) -> None:
    mrf = planted_communities(9, 0.6, 0.2, seed)
    graph = nx.Graph()
    graph.add_nodes_from(range(18))
    graph.add_edges_from(planted_partition(9, 0.6, 0.2, seed).graph.edges.tolist())
    for x in labelings(mrf):
        modularity = nx.community.modularity(graph, sides(graph, x))
        assert mrf.objective.value(mrf.energy(x)) == pytest.approx(modularity, abs=1e-13)


def test_edge_probabilities_within_and_between_are_as_given() -> None:
    edges = planted_partition(100, 0.5, 0.1, 3).graph.edges
    across = (edges[:, 0] < 100) & (edges[:, 1] >= 100)
    assert (~across).sum() / (100 * 99) == pytest.approx(0.5, abs=0.02)
    assert across.sum() / 100**2 == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_the_planted_split_is_best_where_probabilities_differ_much(seed: int) -> None:
    far, close = planted_communities(8, 0.9, 0.05, seed), planted_communities(8, 0.5, 0.5, seed)
    assert far.groups is not None
    hidden = np.array([group == "second" for group in far.groups], dtype=int)
    assert hidden.sum() == 8
    assert far.energy(hidden) == reference(far).optimum
    assert close.energy(hidden) > reference(close).energy


def test_strangers_repel_each_other() -> None:
    mrf = generate("communities")
    graph = nx.karate_club_graph()
    known = {frozenset(edge) for edge in graph.edges}
    friends = np.array([frozenset(edge) in known for edge in mrf.edges.tolist()])
    assert mrf.n_edges == 34 * 33 // 2
    assert (mrf.coupling()[~friends] > 0).all()
    assert (mrf.coupling()[friends] < 0).mean() > 0.9


@pytest.mark.parametrize("between", [5e-324, 1e-300, 1e-17, 2.0**-54])
def test_a_probability_lost_in_rounding_next_to_1_is_0(between: float) -> None:
    tiny, none = (generate("planted_communities", between=chance) for chance in (between, 0.0))
    assert np.array_equal(tiny.edges, none.edges)
    assert np.array_equal(tiny.pairwise, none.pairwise)
