"""Maximum cut: split the nodes of a graph in two so that the total weight of the edges between them is largest."""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF
from bender_core.objective import Objective
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._graphs import NAMED, RANDOM, Network, named_network, random_network

# The energy of an edge of weight 1: it is cut if its ends differ.
CUT = np.array([[0.0, -1.0], [-1.0, 0.0]])


def max_cut(graph: str = "karate club") -> BinaryMRF:
    """The maximum cut of a well-known graph: ``E(x) = −Σ w_ij [x_i ≠ x_j]``.

    Parameters
    ----------
    graph : str
        A key of ``NAMED``: a graph of networkx, with its weights if it has some.

    Returns
    -------
    BinaryMRF
        Variables are named after the nodes. The objective is the weight of the cut, to be maximised.
    """
    return _max_cut(named_network(graph), graph, NAMED[graph], stated("max_cut", graph=graph))


def random_max_cut(kind: str = "uniform", n: int = 30, edges_per_node: int = 2, seed: int = 0) -> BinaryMRF:
    """The maximum cut of a random graph: ``E(x) = −Σ [x_i ≠ x_j]``.

    Parameters
    ----------
    kind : {"uniform", "small world", "scale free", "geometric"}
        Random pairs (P. Erdős and A. Rényi, 1959); a partly rewired ring (D. J. Watts and S. H. Strogatz, 1998);
        preferential attachment (A.-L. Barabási and R. Albert, 1999); points in the unit square, joined if close.
    n : int
        Number of nodes.
    edges_per_node : int
        Edges divided by nodes. Scale-free and geometric graphs have somewhat fewer.
    seed : int

    Returns
    -------
    BinaryMRF
        The objective is the number of edges cut, to be maximised.
    """
    return _max_cut(
        random_network(kind, n, edges_per_node, seed),
        f"{kind} graph of {n}",
        "A random graph.",
        stated("random_max_cut", kind=kind, n=n, edges_per_node=edges_per_node, seed=seed),
    )


def _max_cut(network: Network, name: str, about: str, source: str) -> BinaryMRF:
    return BinaryMRF(
        unary=np.zeros((len(network.graph.names), 2)),
        pairwise=network.weight[:, None, None] * CUT,
        **network.graph._asdict(),
        name=f"maximum cut, {name}",
        description=f"{about} Split the nodes in two so that the edges between them have the largest total weight, "
        f"of {network.weight.sum():g} in all.",
        source=source,
        objective=Objective(name="cut weight", sense="max", scale=-1.0),
    )


FAMILIES = (
    Family(
        name="max_cut",
        title="Maximum cut, known graphs",
        shows="The LP over single variables cuts every edge, which is possible only without odd cycles; groups that "
        "contain odd cycles give a better bound.",
        generate=max_cut,
        parameters=(Parameter("graph", "Graph", "karate club", choices=tuple(NAMED)),),
    ),
    Family(
        name="random_max_cut",
        title="Maximum cut, random graphs",
        shows="In a geometric graph odd cycles are short, so small groups contain them; with random edges, larger "
        "groups are needed to prove that not every edge can be cut.",
        generate=random_max_cut,
        parameters=(
            Parameter("kind", "Kind of graph", "uniform", choices=RANDOM),
            Parameter("n", "Nodes", 30, 10, 400),
            Parameter("edges_per_node", "Edges per node", 2, 1, 4),
            SEED,
        ),
    ),
)
