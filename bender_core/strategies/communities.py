"""Louvain communities, computed in a separate process for large models, as networkx cannot be interrupted."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bender_core.child_process import Child
from bender_core.groups import PartitionError
from bender_core.model import IntArray
from bender_core.stopping import Stop

Neighbours = list[dict[int, float]]

# From this number of couplings on, finding communities takes longer than starting a process.
LARGE = 20_000
# Seconds between two checks for a stop.
LOOK_SECONDS = 0.05


def communities(neighbours: Neighbours, seed: int, stop: Stop) -> IntArray:
    """The community of every variable, shape (n,).

    Raises
    ------
    Stopped
        If ``stop`` says so, in a large model; a small one is not interrupted.
    PartitionError
        If the process that looks for them was killed.
    """
    if sum(map(len, neighbours)) < 2 * LARGE:
        return next(louvain(neighbours, seed))
    with Child(louvain, neighbours, seed) as child:
        while not (found := child.receive(LOOK_SECONDS)):
            stop.check()
            if child.ended:
                raise PartitionError(
                    "the process that looks for communities has ended early, probably because memory ran out; "
                    "choose another strategy"
                )
    return found[0]


def louvain(neighbours: Neighbours, seed: int) -> Iterator[IntArray]:
    """As `communities`, as a generator for a separate process."""
    import networkx as nx  # takes half a second, and only this strategy needs it

    graph = nx.Graph()
    graph.add_nodes_from(range(len(neighbours)))
    # Squares of sums must neither underflow nor overflow; scaling by a power of two is exact.
    _, exponent = math.frexp(max((s for near in neighbours for s in near.values()), default=1.0))
    graph.add_weighted_edges_from(
        (i, j, math.ldexp(s, -exponent)) for i, near in enumerate(neighbours) for j, s in near.items() if i < j
    )
    home = np.zeros(len(neighbours), np.int64)
    for k, community in enumerate(nx.community.louvain_communities(graph, seed=seed)):
        home[list(community)] = k
    yield home
