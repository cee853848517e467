"""Spanning forests, edge by edge: which edges join two trees, and which close a cycle that is frustrated.

Union-find with parities: every vertex knows whether it differs from the one above it. The smaller tree hangs itself
under the larger, so that no path is longer than the logarithm of their size.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bender_core.kernels._jit import entry


class Closes(IntEnum):
    """What an edge does to the forest of those before it."""

    NOTHING = 0  # it joins two trees
    CYCLE = 1  # on whose forest edges its own wish is granted already
    FRUSTRATED = 2  # a cycle with an odd number of edges whose ends are to differ


def spanning_forest(n: int, edges: NDArray[np.int64], differ: NDArray[np.bool_]) -> NDArray[np.int8]:
    """What every edge closes.

    Parameters
    ----------
    n : int
        Vertices.
    edges : ndarray of int, shape (E, 2)
        In the order in which they are taken.
    differ : ndarray of bool, shape (E,)
        Whose ends are to differ, not to be alike.

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


@entry
def grow(edges, differ, above, odd, size, closes):
    """Take one edge after the other; at first every vertex is a tree of its own, above which there is nothing else."""
    for e in range(len(edges)):
        a, b, parity = edges[e, 0], edges[e, 1], differ[e]
        while above[a] != a:
            parity ^= odd[a]
            a = above[a]
        while above[b] != b:
            parity ^= odd[b]
            b = above[b]
        if a == b:
            closes[e] = Closes.FRUSTRATED if parity else Closes.CYCLE
            continue
        if size[a] > size[b]:
            a, b = b, a
        above[a], odd[a] = b, parity
        size[b] += size[a]
        closes[e] = Closes.NOTHING
