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
# The slots that are read in one call, some tens of milliseconds; and those of a search that ends by itself.
SLOTS, ENDLESS = 1 << 20, 1 << 62


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
        The copies that have a distance.
    walk : ndarray of int64, shape (2n,)
        The copies on the walk; after a search those of the cycle.
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
    walk: NDArray[np.int64]
    on_walk: NDArray[np.int64]
    cycle: NDArray[np.int64]


class Hunt(NamedTuple):
    """Searches from many vertices, and what they find.

    Attributes
    ----------
    order : ndarray of int64, shape (n,)
        The vertices.
    free : ndarray of bool, shape (n,)
        Those from which a search may find something new.
    edges : ndarray of int64, shape (4n,)
        Of the cycles that were found last, one after the other.
    ends : ndarray of int64, shape (n,)
        Where each of them ends.
    """

    order: NDArray[np.int64]
    free: NDArray[np.bool_]
    edges: NDArray[np.int64]
    ends: NDArray[np.int64]

    def cycles(self, count: int) -> list[NDArray[np.int64]]:
        """The cycles that were found last, their edges in ascending order."""
        return [np.sort(cycle) for cycle in np.split(self.edges, self.ends[:count])[:-1]]


def hunt(order: NDArray[np.int64]) -> Hunt:
    """The beginning of a hunt from vertices in this order, shape (n,)."""
    n = len(order)
    return Hunt(order, np.ones(n, np.bool_), np.zeros(4 * n, np.int64), np.zeros(n, np.int64))


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
    before, edge_from, heap, reached, walk, cycle = np.zeros((6, 2 * n), np.int64)
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
        walk,
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
    count, known, read = _find(graph, length, source, limit, ENDLESS)
    _forget(graph, known)
    return count, read


@entry
def find_many(graph, length, hunt, begin, limit, reach):
    """Look for cycles from one vertex after another, as `find` does, until about `SLOTS` slots have been read.

    A vertex is left out if it is on a cycle found before, or so near to a vertex without one that it has none either,
    up to half of what the limit is below 1.

    Parameters
    ----------
    graph : Doubled
    length : ndarray, shape (E,)
        Of the edges, not negative.
    hunt : Hunt
    begin : int
        The number of vertices of ``hunt.order`` that have had their turn.
    limit : float
        Of the length of a cycle, less than 1.
    reach : int
        The slots that are read in a search. Then the shortest cycle so far is taken; if there is none, one may exist.

    Returns
    -------
    int
        The number of vertices that have had their turn.
    int
        The number of cycles, which ``hunt.edges`` contains up to ``hunt.ends``.
    int
        The slots that were read.
    """
    at, found, size, read = begin, 0, 0, 0
    room, same = len(hunt.edges) - len(graph.cycle), (1.0 - limit) / 4.0
    while at < len(hunt.order) and read < SLOTS and size <= room:
        v = hunt.order[at]
        at += 1
        if not hunt.free[v]:
            continue
        count, known, seen = _find(graph, length, v, limit, reach)
        read += seen
        for k in range(count):
            hunt.edges[size + k] = graph.cycle[k]
            hunt.free[graph.walk[k] >> 1] = False
        if count:
            size += count
            hunt.ends[found] = size
            found += 1
        elif seen < reach:
            for k in range(known):
                if graph.near[graph.reached[k]] <= same:
                    hunt.free[graph.reached[k] >> 1] = False
        _forget(graph, known)
    return at, found, read


@inner
def _find(graph, length, source, limit, reach):
    """As `find`; also returns how many copies have a distance."""
    known, read, copy, edge, other = _search(graph, length, 2 * source, limit, reach)
    count = 0 if edge == NONE else _simple(graph, copy, edge, other)
    return count, known, read


@inner
def _forget(graph, known):
    """Take the distances of a search away."""
    for k in range(known):
        graph.near[graph.reached[k]] = np.inf
        graph.place[graph.reached[k]] = NONE


@inner
def _search(graph, length, start, limit, reach):
    """Dijkstra's algorithm, from both ends of the walk at once: seen from the other end, sides are swapped.

    So a walk is a shortest path to a copy, an edge, and the way back from the other end's copy. Returns how many copies
    have a distance, the slots that were read, and these three of the shortest walk.
    """
    near, heap, place, reached = graph.near, graph.heap, graph.place, graph.reached
    waiting, known, read, shortest = 1, 1, 0, limit
    at, via, back = NONE, NONE, NONE
    near[start], heap[0], place[start], reached[0] = 0.0, start, 0, start
    graph.before[start] = NONE
    while waiting and read < reach:
        copy = heap[0]
        if 2.0 * near[copy] >= shortest:
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
            if distance + near[next_copy ^ 1] < shortest:
                shortest = distance + near[next_copy ^ 1]
                at, via, back = copy, e, next_copy ^ 1
            # Half of a shorter walk is nearer.
            if distance >= near[next_copy] or 2.0 * distance >= shortest:
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
    return known, read, at, via, back


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
def _simple(graph, copy, edge, back):
    """The first simple cycle on a walk, seen from its end; returns the number of its edges.

    The walk leads to a copy, along an edge, and to the end as another copy is reached from the start, with sides
    swapped.
    """
    line, cycle, top, size = graph.heap, graph.cycle, 0, 0  # the search needs its heap no more
    while back != NONE:
        line[top] = back
        top += 1
        back = graph.before[back]
    for k in range(top - 1, -1, -1):
        size, begin = _enter(graph, size, line[k] ^ 1)
        if begin != NONE:
            return _closed(graph, size, begin)
        cycle[size - 1] = graph.edge_from[line[k - 1]] if k else edge
    while True:
        size, begin = _enter(graph, size, copy)
        if begin != NONE:
            return _closed(graph, size, begin)
        cycle[size - 1] = graph.edge_from[copy]
        copy = graph.before[copy]


@inner
def _enter(graph, size, copy):
    """Let a walk of some copies enter one; returns their number, and where its vertex is on the walk on its other side.

    From there on the walk is a frustrated cycle. A loop back to the same copy is not frustrated, and is left out.
    """
    begin = graph.on_walk[copy >> 1]
    if begin != NONE and graph.walk[begin] != copy:
        return size, begin
    if begin != NONE:
        for k in range(begin, size):
            graph.on_walk[graph.walk[k] >> 1] = NONE
        size = begin
    graph.walk[size] = copy
    graph.on_walk[copy >> 1] = size
    return size + 1, NONE


@inner
def _closed(graph, size, begin):
    """The walk from a place on is a cycle; returns the number of its edges."""
    for k in range(size):
        graph.on_walk[graph.walk[k] >> 1] = NONE
    for k in range(size - begin):
        graph.cycle[k] = graph.cycle[begin + k]
        graph.walk[k] = graph.walk[begin + k]
    return size - begin
