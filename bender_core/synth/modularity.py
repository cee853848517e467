"""Two communities in a network: the split of largest modularity."""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF, ModelError
from bender_core.objective import Objective
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._graphs import SOCIAL, Network, named_network, planted_partition


def communities(graph: str = "karate club") -> BinaryMRF:
    """The split of a real social network into two communities of largest modularity.

    Modularity is that of M. E. J. Newman, Modularity and community structure in networks, PNAS 103 (2006):
    ``Q = (1/2m) Σ_ij (A_ij − k_i k_j / 2m) [x_i = x_j]`` over ordered pairs, i = j included, where A contains the
    weights, k their row sums and 2m the sum of all k.

    Parameters
    ----------
    graph : str
        A key of ``SOCIAL``: a graph of networkx, with its weights if it has some.

    Returns
    -------
    BinaryMRF
        The energy is −2m² · Q, a whole number where weights are; the objective is Q. Every pair of nodes with
        A_ij ≠ k_i k_j / 2m has an edge. Known kinds of nodes are the groups.
    """
    return _communities(named_network(graph), graph, SOCIAL[graph], stated("communities", graph=graph))


def planted_communities(size: int = 12, within: float = 0.5, between: float = 0.1, seed: int = 0) -> BinaryMRF:
    """Two communities planted in a random network, recovered by modularity as in ``communities``.

    The network is a stochastic block model: P. W. Holland, K. B. Laskey and S. Leinhardt, Stochastic blockmodels:
    first steps, Social Networks 5 (1983).

    Parameters
    ----------
    size : int
        Nodes in each community.
    within, between : float
        Probability of an edge inside a community, and between the two.
    seed : int

    Returns
    -------
    BinaryMRF
        The planted communities are the groups.

    Raises
    ------
    ModelError
        If no edge was drawn.
    """
    return _communities(
        planted_partition(size, within, between, seed),
        f"planted 2×{size}",
        "A random network in which two communities are hidden.",
        stated("planted_communities", size=size, within=within, between=between, seed=seed),
    )


def _communities(network: Network, name: str, about: str, source: str) -> BinaryMRF:
    graph, weight = network
    n = len(graph.names)
    adjacency = np.zeros((n, n))
    adjacency[tuple(graph.edges.T)] = weight
    adjacency += adjacency.T
    degree = adjacency.sum(axis=0)
    total = degree.sum()
    if not total:
        raise ModelError(
            "the network has no edges, so modularity is undefined; raise a probability or take another seed"
        )
    excess = total * adjacency - np.outer(degree, degree)
    i, j = np.nonzero(np.triu(excess, 1))
    return BinaryMRF(
        unary=np.zeros((n, 2)),
        pairwise=-excess[i, j, None, None] * np.eye(2),
        constant=-np.trace(excess) / 2,
        **graph._replace(edges=np.column_stack([i, j]))._asdict(),
        name=f"communities, {name}",
        description=f"{about} Split it in two so that each half has more edges than expected by chance.",
        source=source,
        objective=Objective(name="modularity", sense="max", scale=-2.0 / total**2),
    )


FAMILIES = (
    Family(
        name="communities",
        title="Communities, real networks",
        shows="Nearly every pair is coupled, repulsive if not adjacent and mostly attractive otherwise: a dense and "
        "frustrated model, where most of the bound must come from the groups.",
        generate=communities,
        parameters=(Parameter("graph", "Network", "karate club", choices=tuple(SOCIAL)),),
    ),
    Family(
        name="planted_communities",
        title="Communities, planted",
        shows="If the probabilities inside and between differ much, the planted split is optimal; if they are similar, "
        "another split may be better by chance.",
        generate=planted_communities,
        parameters=(
            Parameter("size", "Nodes in each community", 12, 4, 100),
            Parameter("within", "Probability of an edge inside", 0.5, 0.1, 1.0),
            Parameter("between", "Probability of an edge between", 0.1, 0.0, 1.0),
            SEED,
        ),
    ),
)
