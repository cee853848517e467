"""Graphs for models, and the positions of their nodes.

The only module of ``synth`` that loads networkx, and only when a graph is requested.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bender_core.model import FloatArray, IntArray, ModelError


class Graph(NamedTuple):
    """The parts of a model that come from its graph; the fields are those of ``BinaryMRF``."""

    edges: IntArray
    names: tuple[str, ...]
    positions: FloatArray
    groups: tuple[str, ...] | None = None


class Network(NamedTuple):
    """A graph with weights on its edges, shape (m,)."""

    graph: Graph
    weight: FloatArray


# Named graphs of networkx, and their descriptions.
SOCIAL = {
    "karate club": "Members of a karate club (W. W. Zachary, 1977); a weight counts what two did together.",
    "les miserables": "Characters of Les Misérables (D. E. Knuth, 1993); a weight counts their meetings.",
    "florentine families": "Marriages between Florentine families (R. L. Breiger and P. E. Pattison, 1986).",
    "davis southern women": "Women of a southern town and the events they attended (A. Davis et al., 1941).",
}
NAMED = SOCIAL | {
    "petersen": "The Petersen graph.",
    "heawood": "The Heawood graph.",
    "icosahedral": "The corners and sides of an icosahedron.",
    "dodecahedral": "The corners and sides of a dodecahedron.",
    "tutte": "The Tutte graph.",
    "hoffman singleton": "The Hoffman–Singleton graph.",
}
RANDOM = ("uniform", "small world", "scale free", "geometric")
REWIRED = 0.2  # share of the edges of a small world with a random end


def circle(n: int) -> FloatArray:
    """Points on a circle of radius 1, the first on top, shape (n, 2)."""
    angle = 2 * np.pi * np.arange(n) / n
    points: FloatArray = np.column_stack([np.sin(angle), -np.cos(angle)]).round(6)
    return points


def named_network(name: str) -> Network:
    """One of ``NAMED``, with its own weights (1 where it has none)."""
    import networkx as nx  # slow to import, and needed for graphs only

    return _network(getattr(nx, f"{name.replace(' ', '_')}_graph")())


def random_network(kind: str, n: int, edges_per_node: int, seed: int) -> Network:
    """A random graph of one of the kinds in ``RANDOM``, all weights 1."""
    import networkx as nx

    if kind == "uniform":
        graph = nx.gnm_random_graph(n, edges_per_node * n, seed=seed)
    elif kind == "small world":
        graph = nx.watts_strogatz_graph(n, 2 * edges_per_node, REWIRED, seed=seed)
    elif kind == "scale free":
        graph = nx.barabasi_albert_graph(n, edges_per_node, seed=seed)
    else:
        # A disc of this radius contains 2 · edges_per_node nodes on average: every edge has two ends.
        graph = nx.random_geometric_graph(n, np.sqrt(2 * edges_per_node / (np.pi * n)), seed=seed)
    return _network(graph)


def planted_partition(size: int, within: float, between: float, seed: int) -> Network:
    """Two blocks of nodes, with one edge probability inside and another between blocks; blocks are the groups."""
    import networkx as nx

    # networkx takes the logarithm of 1 - p, which is 0 if p is lost in rounding next to 1.
    chances = (p if 1.0 - p < 1.0 else 0.0 for p in (within, between))
    network = _network(nx.planted_partition_graph(2, size, *chances, seed=seed))
    return network._replace(graph=network.graph._replace(groups=("first",) * size + ("second",) * size))


def regular_edges(n: int, degree: int, seed: int) -> IntArray:
    """Edges of a random graph of n nodes that all have the same degree.

    Raises
    ------
    ModelError
        If there is no such graph.
    """
    import networkx as nx

    if degree >= n or n * degree % 2:
        raise ModelError(
            f"no graph has {n} nodes of degree {degree} each; take a degree below the number of nodes, one of them even"
        )
    return _sorted(nx.random_regular_graph(degree, n, seed=seed).edges)


def _network(graph: Any) -> Network:
    import networkx as nx

    # Nodes get numbers, and edges an order independent of how networkx stores them.
    numbered = nx.convert_node_labels_to_integers(graph)
    edges = _sorted(numbered.edges)
    weight = np.array([numbered.edges[edge].get("weight", 1.0) for edge in edges.tolist()], dtype=np.float64)
    return Network(Graph(edges, tuple(map(str, graph)), _positions(numbered), _kinds(graph)), weight)


def _sorted(edges: Any) -> IntArray:
    return np.array(sorted((min(edge), max(edge)) for edge in edges), dtype=np.int64).reshape(-1, 2)


def _positions(graph: Any) -> FloatArray:
    """The graph's own positions, or a force-directed layout; rounded, to be the same on every machine."""
    import networkx as nx

    where = nx.get_node_attributes(graph, "pos") or nx.spring_layout(graph, seed=0)
    points: FloatArray = np.array([where[node] for node in graph]).round(2)
    return points


def _kinds(graph: Any) -> tuple[str, ...] | None:
    """The club of each member, or women and events; None if all nodes are of one kind."""
    attributes = [attributes for _, attributes in graph.nodes(data=True)]
    if "club" in attributes[0]:
        return tuple(each["club"] for each in attributes)
    if "bipartite" in attributes[0]:
        return tuple(("women", "events")[each["bipartite"]] for each in attributes)
    return None
