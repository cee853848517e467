"""Shortest frustrated cycles in a signed graph, by Dijkstra's algorithm in its doubled graph.

The doubled graph has every vertex twice, once on each side: an edge that wants equal ends joins copies on the same
side, one that wants opposite ends copies on different sides. So a path from a vertex to its other copy is a closed walk
with an odd number of edges that want opposite ends. Source: docs/cycles.md §3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bender_core.kernels._jit import entry, inner

NONE = -1


class Doubled(NamedTuple):
    """A signed graph by its vertices, with the work space of a search. A slot is an edge as one of its ends sees it.

    Attributes
    ----------
    first : ndarray of int64, shape (n + 1,)
        The first slot of every vertex.
    other, edge : ndarray of int64, shape (2E,)
        The other end and the number of a slot's edge.
    crosses : ndarray of int64, shape (2E,)
        1 if the edge wants opposite ends, else 0.
    near : ndarray, shape (2n,)
        The distance of copy 2v + side from the source; infinite between searches.
    before, edge_from : ndarray of int64, shape (2n,)
        The copy before it on the shortest path to a copy, and the edge from there.
    heap, place : ndarray of int64, shape (2n,)
        The copies that are waiting, as a heap by distance; and where each one is in it, or `NONE`.
    reached : ndarray of int64, shape (2n,)
        The copies that have a distance; after a search the vertices of the walk, as copies.
    on_walk : ndarray of int64, shape (n,)
        Where a vertex is on the walk; `NONE` between searches.
    cycle : ndarray of int64, shape (2n,)
        The edges of the cycle that was found.
    """

    first: NDArray[np.int64]
    other: NDArray[np.int64]
    edge: NDArray[np.int64]
    crosses: NDArray[np.int64]
    near: NDArray[np.float64]
    before: NDArray[np.int64]
    edge_from: NDArray[np.int64]
    heap: NDArray[np.int64]
    place: NDArray[np.int64]
    reached: NDArray[np.int64]
    on_walk: NDArray[np.int64]
    cycle: NDArray[np.int64]


def doubled(n: int, ends: NDArray[np.int64], opposite: NDArray[np.bool_]) -> Doubled:
    """The doubled graph of a signed graph.

    Parameters
    ----------
    n : int
        Vertices.
    ends : ndarray of int64, shape (E, 2)
    opposite : ndarray of bool, shape (E,)
        Whether an edge wants opposite ends.
    """
    owners = ends.T.reshape(-1)
    order = np.argsort(owners, kind="stable")
    first = np.concatenate([[0], np.bincount(owners, minlength=n).cumsum()])
    before, edge_from, heap, reached, cycle = np.zeros((5, 2 * n), np.int64)
    return Doubled(
        first.astype(np.int64),
        ends[:, ::-1].T.reshape(-1)[order],
        np.tile(np.arange(len(ends)), 2)[order],
        np.tile(opposite, 2)[order].astype(np.int64),
        np.full(2 * n, np.inf),
        before,
        edge_from,
        heap,
        np.full(2 * n, NONE, np.int64),
        reached,
        np.full(n, NONE, np.int64),
        cycle,
    )


@entry
def find(graph, length, source, limit):
    """Look for a frustrated cycle shorter than a limit on a shortest frustrated walk from a vertex.

    Parameters
    ----------
    graph : Doubled
    length : ndarray, shape (E,)
        Of the edges, not negative.
    source : int
    limit : float

    Returns
    -------
    int
        The number of edges of the cycle, which ``graph.cycle`` contains; 0 if no walk is shorter.
    int
        The slots that were read.
    """
    target = 2 * source + 1
    found, read = _search(graph, length, 2 * source, target, limit)
    if not found:
        return 0, read
    return _simple(graph, target), read


@inner
def _search(graph, length, start, target, limit):
    """Dijkstra's algorithm; returns whether the target is nearer than the limit, and the slots that were read."""
    near, heap, place, reached = graph.near, graph.heap, graph.place, graph.reached
    waiting, known, read, found = 1, 1, 0, False
    near[start], heap[0], place[start], reached[0] = 0.0, start, 0, start
    graph.before[start] = NONE
    while waiting:
        copy = heap[0]
        if near[copy] >= limit:
            break
        if copy == target:
            found = True
            break
        waiting -= 1
        place[copy] = NONE
        if waiting:
            last = heap[waiting]
            _sink(heap, place, near, waiting, last)
        v, side = copy >> 1, copy & 1
        for slot in range(graph.first[v], graph.first[v + 1]):
            read += 1
            e = graph.edge[slot]
            next_copy = 2 * graph.other[slot] + (side ^ graph.crosses[slot])
            distance = near[copy] + length[e]
            if distance >= near[next_copy]:
                continue
            if near[next_copy] == np.inf:
                reached[known] = next_copy
                known += 1
                place[next_copy] = waiting
                waiting += 1
            near[next_copy] = distance
            graph.before[next_copy] = copy
            graph.edge_from[next_copy] = e
            _rise(heap, place, near, next_copy)
    for k in range(known):
        near[reached[k]] = np.inf
        place[reached[k]] = NONE
    return found, read


@inner
def _sink(heap, place, near, waiting, copy):
    """Put a copy into the place at the top of the heap that has become free, and let it sink."""
    at = 0
    while True:
        below = 2 * at + 1
        if below >= waiting:
            break
        if below + 1 < waiting and near[heap[below + 1]] < near[heap[below]]:
            below += 1
        if near[heap[below]] >= near[copy]:
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at = below
    heap[at] = copy
    place[copy] = at


@inner
def _rise(heap, place, near, copy):
    """Let a copy rise in the heap, as its distance has become less."""
    at = place[copy]
    while at > 0:
        above = (at - 1) >> 1
        if near[heap[above]] <= near[copy]:
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = copy
    place[copy] = at


@inner
def _simple(graph, target):
    """The first simple cycle on the way back from the target; returns the number of its edges.

    A vertex is on the walk twice at most, on either side, so what closes there is frustrated. At the latest that is the
    source.
    """
    walk, on_walk, cycle = graph.reached, graph.on_walk, graph.cycle
    top, copy, begin = 0, target, NONE
    while begin == NONE:
        walk[top] = copy
        on_walk[copy >> 1] = top
        cycle[top], copy = graph.edge_from[copy], graph.before[copy]
        begin = on_walk[copy >> 1]
        top += 1
    for k in range(top):
        on_walk[walk[k] >> 1] = NONE
    for k in range(top - begin):
        cycle[k] = cycle[begin + k]
    return top - begin
