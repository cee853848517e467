"""Frustrated cycles of beliefs, and the triplets into which they are cut.

Source: docs/cycles.md §8; D. Sontag, D. K. Choe and Y. Li, Efficiently searching for frustrated cycles in MAP inference
(UAI 2012).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from bender_core.kernels.forest import Closes, spanning_forest
from bender_core.kernels.frustration import doubled, find
from bender_core.model import BoolArray, FloatArray, IntArray

Triple = tuple[int, int, int]
# A search adds at most one triplet per this many tables of variables and edges, but may always add this many.
TABLES, LEAST_TRIPLETS = 4, 5


def preferences(of_edges: FloatArray) -> FloatArray:
    """By how much equal ends cost more than different ones, at the least, energy, shape (E,).

    Parameters
    ----------
    of_edges : ndarray, shape (E, 2, 2)
        Beliefs, energy.

    Examples
    --------
    >>> preferences(np.array([[[0.0, 5.0], [2.0, 7.0]]])).tolist()
    [-2.0]
    """
    found: FloatArray = np.minimum(of_edges[:, 0, 0], of_edges[:, 1, 1])
    return found - np.minimum(of_edges[:, 0, 1], of_edges[:, 1, 0])


class Pursued(NamedTuple):
    """A frustrated cycle of beliefs.

    Attributes
    ----------
    cycle : ndarray of int64, shape (k,)
        Its vertices in order.
    preference : ndarray, shape (k,)
        Of the edge that joins a vertex and the next one, energy.
    triples : list of tuple of int
        The variables of those of its triplets that are new.
    used : ndarray of bool, shape (k,), or None
        Which of these edges prefer nothing any more, and count as weak ones of what they preferred at first. None: none
        of them.
    """

    cycle: IntArray
    preference: FloatArray
    triples: list[Triple]
    used: BoolArray | None = None

    @property
    def is_tied(self) -> bool:
        """Whether some of its edges prefer nothing any more."""
        return self.used is not None and bool(self.used.any())

    @property
    def strength(self) -> float:
        """What messages over the cycle alone can gain at least, energy: its weakest preference.

        Every labelling goes against a preference of a frustrated cycle.
        """
        return 0.0 if self.is_tied else float(np.abs(self.preference).min())


class Searched(NamedTuple):
    """The result of a search for cycles.

    Attributes
    ----------
    cycles : list of Pursued
        Those with new triplets.
    triples : list of tuple of int
        The variables of new triplets, in ascending order.
    read : int
        Slots of edges that were read.
    """

    cycles: list[Pursued]
    triples: list[Triple]
    read: int


class Triplets:
    """The triplets so far, by their variables, and the numbers of edges.

    Parameters
    ----------
    n : int
        Variables.
    ends : ndarray of int64, shape (E, 2)
        Of the edges of the model, the lower one first.

    Attributes
    ----------
    known : set of tuple of int
        The variables of every triplet, in ascending order.
    """

    def __init__(self, n: int, ends: IntArray) -> None:
        self.known = set[Triple]()
        self._n, self._number = n, {(i, j): e for e, (i, j) in enumerate(ends.tolist())}

    def search(self, ends: IntArray, preference: FloatArray, least: float) -> Generator[None, None, Searched]:
        """Triplets of frustrated cycles whose edges have strong preferences: at most about one for every four tables.

        The edges of a maximum spanning forest are as strong as possible; every other edge closes a cycle, of which it
        is the weakest edge. For the strongest of those that close a frustrated one, the shortest frustrated cycle near
        them is taken among all edges as strong as they are. No cycle begins at an edge that touches another one of
        the search. Yields before each cycle.

        Parameters
        ----------
        ends : ndarray of int64, shape (E, 2)
        preference : ndarray, shape (E,)
            Energy.
        least : float
            What counts as strong, energy.

        Returns
        -------
        Searched
        """
        strength, opposite = np.abs(preference), preference > 0.0
        order = np.argsort(-strength, kind="stable")
        order = order[strength[order] > least]
        closing = np.flatnonzero(spanning_forest(self._n, ends[order], opposite[order]) == Closes.FRUSTRATED)
        most = max(LEAST_TRIPLETS, (self._n + len(self._number)) // TABLES)
        graph, length = doubled(self._n, ends, opposite), np.full(len(ends), np.inf)
        free, found, slots, strong = np.ones(self._n, bool), set[Triple](), 0, 0
        cycles = list[Pursued]()
        for place in closing.tolist():
            if len(found) >= most:
                break
            yield
            if not free[ends[order[place]]].all():
                continue
            length[order[strong : place + 1]], strong = 1.0, place + 1
            count, read = find(graph, length, ends[order[place], 0], np.inf)
            slots += read
            cycle = around(ends[graph.cycle[:count]])
            free[cycle] = False
            new = [triple for triple in cut(cycle) if triple not in self.known and triple not in found]
            found |= set(new)
            if new:
                # The first edge ends where the second one begins, at the first vertex.
                cycles.append(Pursued(cycle, preference[np.roll(graph.cycle[:count], -1)], new))
        return Searched(cycles, sorted(found), slots)

    def add(self, triples: list[Triple]) -> tuple[IntArray, IntArray]:
        """Give triplets their edges.

        Parameters
        ----------
        triples : list of tuple of int

        Returns
        -------
        ends : ndarray of int64, shape (k, 2)
            Of edges that are new.
        triplets : ndarray of int64, shape (len(triples), 3)
            The edges of each.
        """
        self.known |= set(triples)
        before, number = len(self._number), self._number
        pairs = [pair for i, j, k in triples for pair in ((i, j), (i, k), (j, k))]
        edges = [number.setdefault(pair, len(number)) for pair in pairs]
        return np.array(list(number)[before:], np.int64).reshape(-1, 2), np.array(edges, np.int64).reshape(-1, 3)


def around(ends: IntArray) -> IntArray:
    """The vertices of a cycle, given the ends of its edges one after the other.

    Parameters
    ----------
    ends : ndarray of int64, shape (k, 2)
        At least three edges.

    Returns
    -------
    ndarray of int64, shape (k,)

    Examples
    --------
    >>> around(np.array([[0, 1], [1, 2], [2, 3], [0, 3]])).tolist()
    [1, 2, 3, 0]
    """
    following = np.roll(ends, -1, axis=0)
    is_shared = (ends[:, :1] == following).any(axis=1)
    return np.where(is_shared, ends[:, 0], ends[:, 1])


def cut(cycle: IntArray) -> list[Triple]:
    """The triplets of a cycle of k vertices: k - 2 triangles, by chords to and fro across it.

    So chords are as short as the cycle allows for few of them, and no vertex has many.

    Parameters
    ----------
    cycle : ndarray of int64, shape (k,)

    Returns
    -------
    list of tuple of int
        In ascending order each.

    Examples
    --------
    >>> cut(np.array([4, 1, 2, 3, 0]))
    [(0, 1, 4), (0, 1, 3), (1, 2, 3)]
    """
    line = cycle.tolist()
    low, high, found = 0, len(line) - 1, list[Triple]()
    while high - low > 1:
        inner = low + 1 if len(found) % 2 == 0 else high - 1
        i, j, k = sorted((line[low], line[inner], line[high]))
        found.append((i, j, k))
        low, high = (inner, high) if inner == low + 1 else (low, inner)
    return found
