"""The events of a packing, and its state after each of them, so that it can be shown without being computed again.

Source: docs/cycles.md §3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bender_core.cycles.shares import bound
from bender_core.cycles.signed import SignedGraph
from bender_core.cycles.timeline import Timeline
from bender_core.model import FloatArray, IntArray

# Bytes of a cycle beside its edges, in Python.
OF_ARRAY = 150


class State(NamedTuple):
    """What a packing has reached.

    Attributes
    ----------
    cycles : list of ndarray of int64
        The edges of every cycle.
    shares : ndarray, shape (len(cycles),)
        Energy, not negative.
    broken : ndarray, shape (E,)
        How far the linear program breaks every edge, from 0 to 1.
    labeling : ndarray of int64, shape (n,)
        The best one known.
    upper_bound, lower_bound : float
        Energies.
    work : int
        Done until then, table entries.
    """

    cycles: list[IntArray]
    shares: FloatArray
    broken: FloatArray
    labeling: IntArray
    upper_bound: float
    lower_bound: float
    work: int = 0


class CycleEvent(NamedTuple):
    """An event of a packing: a cycle was found, or a round has ended.

    Attributes
    ----------
    round : int
        From 0.
    cycle : ndarray of int64 or None
        The edges of the cycle; None: the linear program has been solved again, and its shares are taken if they are
        better.
    length : float
        How far the program had broken these edges, together: less than 1. 1 at the end of a round.
    share : float
        What the cycle takes from each of its edges, energy; 0 at the end of a round.
    lower_bound, upper_bound : float
        After the event; the lower one up to rounding.
    work : int
        Done by then, table entries. The cycles of a round are found together.
    """

    round: int
    cycle: IntArray | None
    length: float
    share: float
    lower_bound: float
    upper_bound: float
    work: int


class _Found(NamedTuple):
    cycles: list[IntArray]
    lengths: FloatArray
    shares: FloatArray
    work: int


class Log(Timeline[State, CycleEvent]):
    """All events so far.

    Parameters
    ----------
    graph : SignedGraph
    start : State
        Before the first of them.
    keeps : bool
        Whether all of them can be shown, and not only those since the last complete round.
    """

    def __init__(self, graph: SignedGraph, start: State, keeps: bool) -> None:
        super().__init__(start, keeps)
        self._graph = graph
        self._found = list[_Found]()  # of every round

    def _count(self) -> int:
        return len(self._found[-1].cycles) if self.is_open else 0

    def _event(self, k: int, nth: int) -> CycleEvent:
        found = self._found[k]
        if nth == len(found.cycles):
            end = self._states[k + 1]
            return CycleEvent(k, None, 1.0, 0.0, end.lower_bound, end.upper_bound, end.work)
        start = self._states[k]
        lower = start.lower_bound + float(found.shares[: nth + 1].sum())
        length, share = float(found.lengths[nth]), float(found.shares[nth])
        return CycleEvent(k, found.cycles[nth], length, share, lower, start.upper_bound, found.work)

    @property
    def is_open(self) -> bool:
        """Whether cycles have been found and the round has not ended."""
        return len(self._found) == len(self._states)

    def _within(self, k: int, count: int) -> State:
        state = self._states[k]
        found = self._found[k]
        taking = np.flatnonzero(found.shares[:count] > 0.0)
        cycles = state.cycles + [found.cycles[nth] for nth in taking.tolist()]
        shares = np.append(state.shares, found.shares[taking])
        lower = bound(self._graph, cycles, shares)
        return state._replace(cycles=cycles, shares=shares, lower_bound=lower, work=found.work)

    def begin(self, cycles: Sequence[IntArray], shares: FloatArray, work: int) -> None:
        """Add the cycles of a round, what they take, and the work done until they were found."""
        broken = self._states[-1].broken
        lengths = np.array([broken[cycle].sum() for cycle in cycles])
        self._found.append(_Found(list(cycles), lengths, shares, work))

    def end(self, state: State) -> None:
        """Add the end of the round."""
        super().end(state)
        if not self.keeps:
            self._found[-1] = _Found([], np.zeros(0), np.zeros(0), 0)

    def improve(self, labeling: IntArray, energy: float) -> None:
        """Take over a labelling from elsewhere, which is better than the latest one."""
        self._states[-1] = self._states[-1]._replace(labeling=labeling, upper_bound=energy)
        self._last = -1, self._states[-1]

    @property
    def nbytes(self) -> int:
        """About the memory of all states; edges of cycles are stored once."""
        states = self._states if self.keeps else self._states[-1:]
        of_states = sum(3 * state.shares.nbytes + state.broken.nbytes for state in states)
        return of_states + sum(cycle.nbytes + OF_ARRAY for found in self._found for cycle in found.cycles)
