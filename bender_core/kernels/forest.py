"""A spanning forest, grown edge by edge: which edges join two trees, and which close a frustrated cycle.

Union-find with parities: every vertex stores its parent and whether the two differ. The smaller tree is attached to the
root of the larger, so paths have logarithmic length.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bender_core.kernels._jit import entry


class Closes(IntEnum):
    """What an edge closes in the forest of the edges before it."""

    NOTHING = 0  # it joins two trees
    CYCLE = 1  # a cycle whose edges can all be satisfied
    FRUSTRATED = 2  # a cycle with an odd number of edges whose ends should differ: one of its edges is violated


def spanning_forest(n: int, edges: NDArray[np.int64], differ: NDArray[np.bool_]) -> NDArray[np.int8]:
    """What every edge closes.

    Parameters
    ----------
    n : int
        Vertices.
    edges : ndarray of int, shape (E, 2)
        In the order in which they are added.
    differ : ndarray of bool, shape (E,)
        Whether the ends of an edge should differ; else they should be equal.

    Returns
    -------
    ndarray of int8, shape (E,)
        Values of `Closes`.
    """
    closes = np.zeros(len(edges), np.int8)
    grow(
        np.array(edges, np.int64), np.array(differ, bool), np.arange(n), np.zeros(n, bool), np.ones(n, np.int64), closes
    )
    return closes


def sides(n: int, edges: NDArray[np.int64], differ: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether every vertex differs from the root of its tree, shape (n,): so all edges of the forest are satisfied.

    Parameters
    ----------
    n, edges, differ
        As for `spanning_forest`.
    """
    parent, odd, closes = np.arange(n), np.zeros(n, bool), np.zeros(len(edges), np.int8)
    grow(edges, differ, parent, odd, np.ones(n, np.int64), closes)
    # Every vertex is compared with its parent: with the root, after as many jumps as the trees are deep.
    while (parent[parent] != parent).any():
        odd, parent = odd ^ odd[parent], parent[parent]
    return odd


@entry
def grow(edges, differ, parent, odd, size, closes):
    """Add one edge after the other; at first every vertex is the root of its own tree.

    ``odd``: whether a vertex differs from its parent.
    """
    for e in range(len(edges)):
        a, b, parity = edges[e, 0], edges[e, 1], differ[e]
        while parent[a] != a:
            parity ^= odd[a]
            a = parent[a]
        while parent[b] != b:
            parity ^= odd[b]
            b = parent[b]
        if a == b:
            closes[e] = Closes.FRUSTRATED if parity else Closes.CYCLE
            continue
        if size[a] > size[b]:
            a, b = b, a
        parent[a], odd[a] = b, parity
        size[b] += size[a]
        closes[e] = Closes.NOTHING
