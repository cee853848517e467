"""The events of a cycle pursuit, and where its gap lies.

Source: docs/cycles.md §8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bender_core.cycles.timeline import Timeline
from bender_core.cycles.triplets import Pursued
from bender_core.kernels.clusters import Clusters
from bender_core.model import FloatArray, IntArray

# Bytes of a cycle and its triplets beside their arrays, in Python.
OF_CYCLE = 600


class BeliefParts(NamedTuple):
    """The parts of the gap: all are at least 0, and they sum to the energy of a labelling minus the bound.

    Attributes
    ----------
    variables, edges, triplets : ndarray, shapes (n,), (E,) and (T,)
        How far the belief of each, at the labelling, is above its minimum, energy.
    ends : ndarray of int64, shape (E, 2)
        The variables of every edge; those after the edges of the model are chords.
    triples : ndarray of int64, shape (T, 3)
        The variables of every triplet.
    """

    variables: FloatArray
    edges: FloatArray
    triplets: FloatArray
    ends: IntArray
    triples: IntArray


class Beliefs(NamedTuple):
    """Beliefs whose minima sum to a bound.

    Attributes
    ----------
    of_variables, of_edges, of_triplets : ndarray, shapes (n, 2), (E, 2, 2) and (T, 2, 2, 2)
        Energy.
    ends, triples : ndarray of int64, shapes (E, 2) and (T, 3)
        As in `BeliefParts`.
    """

    of_variables: FloatArray
    of_edges: FloatArray
    of_triplets: FloatArray
    ends: IntArray
    triples: IntArray

    def parts(self, labeling: IntArray) -> BeliefParts:
        """Where the gap between the bound and the energy of a labelling lies."""
        i, j = labeling[self.ends].T
        edges, variables = np.arange(len(i)), np.arange(len(labeling))
        return BeliefParts(
            self.of_variables[variables, labeling] - self.of_variables.min(axis=1),
            self.of_edges[edges, i, j] - self.of_edges.min(axis=(1, 2)),
            self.of_triplets[np.arange(len(self.triples)), *labeling[self.triples].T]
            - self.of_triplets.min(axis=(1, 2, 3)),
            self.ends,
            self.triples,
        )


def beliefs_of(clusters: Clusters) -> Beliefs:
    """The present beliefs, to be kept.

    Parameters
    ----------
    clusters : Clusters
        After `certified`.
    """
    ij, ik, jk = (clusters.to_edges[:, k] for k in range(3))
    return Beliefs(
        clusters.of_variables.copy(),
        clusters.of_edges.copy(),
        -(ij[:, :, :, None] + ik[:, :, None, :] + jk[:, None, :, :]),
        clusters.ends,
        np.column_stack([clusters.ends[clusters.triplets[:, 0]], clusters.ends[clusters.triplets[:, 1], 1]]),
    )


class PursuitState(NamedTuple):
    """What a cycle pursuit has reached.

    Attributes
    ----------
    labeling : ndarray of int64, shape (n,)
        The best one known.
    upper_bound, lower_bound : float
        Energies.
    parts : BeliefParts or None
        Where the gap lies; None if states are not kept.
    n_triplets : int
        Over which messages were passed last.
    is_soft : bool
        Whether the last messages began with soft minima.
    work : int
        Done until then, table entries.
    present : float
        The bound by the messages passed last, which may be below the best one, energy.
    """

    labeling: IntArray
    upper_bound: float
    lower_bound: float
    parts: BeliefParts | None = None
    n_triplets: int = 0
    is_soft: bool = False
    work: int = 0
    present: float = -math.inf


class PursuitEvent(NamedTuple):
    """An event of a cycle pursuit: a cycle was found, or messages have been passed, which ends a round.

    Attributes
    ----------
    round : int
        From 0; in the first one no cycle is found.
    found : Pursued or None
        The cycle; None: messages have been passed.
    n_triplets : int
        After the event.
    is_soft : bool
        Whether the last messages began with soft minima.
    lower_bound, upper_bound : float
        After the event.
    work : int
        Done by then, table entries. The cycles of a round are found together.
    present : float
        The bound by the messages passed last, in whose beliefs the cycle was found, energy.
    """

    round: int
    found: Pursued | None
    n_triplets: int
    is_soft: bool
    lower_bound: float
    upper_bound: float
    work: int
    present: float

    @property
    def behind(self) -> float:
        """How far the bound by the messages passed last is below the best one, energy."""
        return max(self.lower_bound - self.present, 0.0)


class PursuitLog(Timeline[PursuitState, PursuitEvent]):
    """All events so far.

    Parameters
    ----------
    start : PursuitState
    keeps : bool
        Whether all of them can be shown, and not only those since the last complete round.
    """

    def __init__(self, start: PursuitState, keeps: bool) -> None:
        super().__init__(start, keeps)
        self._found = [list[Pursued]()]  # of every round
        self._searched = [0]  # the work done by then

    def _count(self) -> int:
        return len(self._found[-1]) if len(self._found) == len(self._states) else 0

    def _event(self, k: int, nth: int) -> PursuitEvent:
        found = self._found[k]
        if nth == len(found):
            state, cycle = self._states[k + 1], None
        else:
            state, cycle = self._within(k, nth + 1), found[nth]
        bounds = state.lower_bound, state.upper_bound
        return PursuitEvent(k, cycle, state.n_triplets, state.is_soft, *bounds, state.work, state.present)

    def _within(self, k: int, count: int) -> PursuitState:
        state = self._states[k]
        new = sum(len(each.triples) for each in self._found[k][:count])
        return state._replace(n_triplets=state.n_triplets + new, work=self._searched[k])

    def begin(self, cycles: Sequence[Pursued], work: int) -> None:
        """Add the cycles of a round, and the work done until they were found."""
        self._found.append(list(cycles) if self.keeps else [])
        self._searched.append(work)

    @property
    def nbytes(self) -> int:
        """About the memory of all states."""
        if not self.keeps:
            return 0
        arrays = (array for state in self._states if state.parts is not None for array in state.parts)
        of_parts = sum({id(array): array.nbytes for array in arrays}.values())  # states share some
        of_cycles = sum(2 * each.cycle.nbytes + OF_CYCLE for found in self._found for each in found)
        return of_parts + of_cycles + sum(state.labeling.nbytes for state in self._states)
