"""Louvain's communities, found where they can be given up: networkx looks at no wish to stop."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bender_core.child_process import Child
from bender_core.groups import PartitionError
from bender_core.model import IntArray
from bender_core.stopping import Stop

Neighbours = list[dict[int, float]]

# Couplings of a model whose communities take longer to find than a process takes to start.
LARGE = 20_000
# How often the wish to stop is looked at, in seconds.
LOOK_SECONDS = 0.05


def communities(neighbours: Neighbours, seed: int, stop: Stop) -> IntArray:
    """For every variable the number of its community, shape (n,).

    Raises
    ------
    Stopped
        If ``stop`` says so, in a large model; a small one takes no time.
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
    """As `communities`, as a generator that a process of its own can run."""
    import networkx as nx  # half a second that only this strategy takes

    graph = nx.Graph()
    graph.add_nodes_from(range(len(neighbours)))
    # Squares of sums must neither vanish nor overflow; a power of two changes nothing else.
    _, exponent = math.frexp(max((s for near in neighbours for s in near.values()), default=1.0))
    graph.add_weighted_edges_from(
        (i, j, math.ldexp(s, -exponent)) for i, near in enumerate(neighbours) for j, s in near.items() if i < j
    )
    home = np.zeros(len(neighbours), np.int64)
    for k, community in enumerate(nx.community.louvain_communities(graph, seed=seed)):
        home[list(community)] = k
    yield home
