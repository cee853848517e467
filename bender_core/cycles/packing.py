"""The bound by frustrated cycles: every coupling lends its cost to the cycles through it, and each cycle pays once.

Source: docs/cycles.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bender_core.checking.proof import CycleStep, Proof
from bender_core.cycles.covering import Covering
from bender_core.cycles.signed import ULP, SignedGraph, signed_graph
from bender_core.engine.gap import Margin, margin
from bender_core.forms.lattice import lattice, lattice_left
from bender_core.forms.reduction import OPEN, ContradictionError, Facts, Reduction, numbered, reduction, unreduced
from bender_core.forms.scale import negligible_gain
from bender_core.kernels.forest import grow
from bender_core.kernels.frustration import find
from bender_core.labelings.searching import LabelingSearch
from bender_core.model import BinaryMRF, BoolArray, FloatArray, IntArray, require_model
from bender_core.seeds import generator
from bender_core.stopping import Stop, never
from bender_core.sums import exact_sums

# A cycle gets a row if its edges are broken by less than one in all, by this much at least.
VIOLATED = 1e-6
# Entries that the search for a labelling reads after a round, for every variable.
SEARCH = 5_000
# Table entries that are read in the time of a round's overhead, of a slot of a search for cycles, and of an edge or a
# row in a simplex iteration, which passes over all of them.
OF_ROUND, OF_SLOT, OF_ITERATION = 1 << 20, 25, 50
# Bytes of an entry and of a column of the linear program, with what its solver makes of them.
OF_ENTRY, OF_EDGE = 100, 1000
# Rows without a share are dropped where they are this share of all.
IDLE = 0.3


class Parts(NamedTuple):
    """The parts of the gap: all are at least 0, and they sum to the energy of a labelling minus the bound.

    Attributes
    ----------
    cycles : ndarray, shape (K,)
        What each cycle pays beyond once, energy.
    edges : ndarray, shape (E,)
        What a broken edge has not lent, and what a satisfied one has lent beyond its cost, energy.
    """

    cycles: FloatArray
    edges: FloatArray


class Left(NamedTuple):
    """What a proof has left of its model.

    Attributes
    ----------
    whole : Reduction
        From the whole model to what is left.
    labeling : ndarray of int64, shape (whole.reduced.n,)
        The best one known.
    negligible : float
        A gain that does not count, energy.
    """

    whole: Reduction
    labeling: IntArray
    negligible: float


class Packing:
    """Cycles and their shares, improved round by round.

    A round looks for frustrated cycles that the linear program violates, gives them rows, solves it again, and looks
    for a better labelling near its solution. The bound is computed from the shares alone. Source: docs/cycles.md.

    Parameters
    ----------
    mrf : BinaryMRF
    seed : int
        Decides from which vertices cycles are looked for first, and the search for labellings.
    left : Left, optional
        In a proof, what ``mrf`` is of its model; by default it is the whole one.

    Attributes
    ----------
    graph : SignedGraph
    cycles : list of ndarray of int64
        The edges of every cycle.
    shares : ndarray, shape (len(cycles),)
        Energy, not negative.
    broken : ndarray, shape (E,)
        How far the linear program breaks every edge, from 0 to 1.
    labeling : ndarray of int64, shape (n,)
        The best one known.
    upper_bound : float
        Its energy.
    lower_bound : float
        Certified by ``cycles`` and ``shares``, energy.
    rounds : int
    work : int
        Table entries, other work converted to entries.
    finished : bool
        Whether the labelling is proven, no violated cycle is left, or the solver of the linear program has failed.

    Raises
    ------
    ValueError
        If the seed is negative.

    Examples
    --------
    >>> import bender_core as bc
    >>> packing = bc.Packing(bc.sample("torus-10x10"))
    >>> packing.run(), packing.is_proven, round(packing.lower_bound, 6)
    (True, True, -124.382059)
    """

    def __init__(self, mrf: BinaryMRF, seed: int = 0, left: Left | None = None) -> None:
        require_model(mrf)
        self.mrf, self.graph = mrf, signed_graph(mrf, left is not None and left.whole.model is not mrf)
        self._dice, self._program = generator(seed), Covering(self.graph.cost)
        self._search = LabelingSearch(mrf, mrf.unary.argmin(axis=1) if left is None else left.labeling, seed)
        self.cycles, self.shares, self.broken = list[IntArray](), np.zeros(0), np.zeros(len(self.graph.cost))
        self.labeling, self.upper_bound = self._search.labeling, mrf.energy(self._search.labeling)
        self.lower_bound, self.rounds, self.work, self.finished = bound(self.graph, [], self.shares), 0, 0, False
        self.margin = _margin(self.graph, mrf, left)
        if left is None:
            self._improve(never)

    def run(
        self,
        max_rounds: int | None = None,
        *,
        on_progress: Callable[[Packing], bool | None] | None = None,
        stop: Stop = never,
    ) -> bool:
        """Run until the labelling is proven, no violated cycle is left, or the given number of rounds is done.

        Parameters
        ----------
        max_rounds : int, optional
            All rounds, those done before included.
        on_progress : callable, optional
            Called after every round; returning True pauses.
        stop : Stop
            Checked between searches for cycles, and every 500 simplex iterations.

        Returns
        -------
        bool
            Whether it has finished.

        Raises
        ------
        Stopped
            If ``stop`` says so; bounds and labelling are those of the last round, and the next call goes on.
        """
        while not self.finished and (max_rounds is None or self.rounds < max_rounds):
            self._round(stop)
            if on_progress is not None and on_progress(self):
                break
        return self.finished

    def _round(self, stop: Stop) -> None:
        program = self._program
        if program.is_solved:  # else the last round was stopped
            found = self._violated(stop)
            if not found:
                self.finished = True
                return
            program.add(found)
        self.work += OF_ROUND + OF_ITERATION * program.solve(stop)
        self._take_shares()
        self._improve(stop)
        self.rounds += 1
        self.finished = self.is_proven or not program.is_solved

    def _violated(self, stop: Stop) -> list[IntArray]:
        """Frustrated cycles without a row whose edges are broken by less than one in all.

        A vertex of one that has been found is not searched from any more.
        """
        graph, length = self.graph, self._program.broken
        doubled, free, found = graph.doubled, np.ones(graph.n + 1, bool), dict[bytes, IntArray]()
        for v in self._dice.permutation(graph.n + 1).tolist():
            if not free[v]:
                continue
            stop.check()
            count, read = find(doubled, length, v, 1.0 - VIOLATED)
            self.work += OF_SLOT * read
            cycle = np.sort(doubled.cycle[:count])
            free[graph.ends[cycle]] = False
            if count and not self._program.has(cycle):
                found[cycle.tobytes()] = cycle
        return list(found.values())

    def _take_shares(self) -> None:
        """Take the shares of the program if they raise the bound, and drop rows that have become idle."""
        program = self._program
        lower = bound(self.graph, program.cycles, program.shares)
        self.broken = program.broken
        if lower > self.lower_bound:
            used = np.flatnonzero(program.shares > 0.0)
            self.cycles, self.shares = [program.cycles[k] for k in used.tolist()], program.shares[used]
            self.lower_bound = lower
            # Only then: a row that was dropped may be needed again, and the program must come to an end.
            idle = np.flatnonzero((program.shares <= 0.0) & (self._lengths() > 1.0 + VIOLATED))
            if len(idle) > IDLE * len(program.cycles):
                program.drop(idle)

    def _lengths(self) -> FloatArray:
        """How far the edges of every row's cycle are broken, together."""
        cycles = self._program.cycles
        owners = np.arange(len(cycles)).repeat([len(cycle) for cycle in cycles])
        broken: FloatArray = self._program.broken[np.concatenate(cycles)]
        return np.bincount(owners, broken, len(cycles)).astype(float)

    def _improve(self, stop: Stop) -> None:
        """Look for a better labelling, from the one that satisfies the edges which the program breaks least."""
        near = decoded(self.graph, self.broken)
        if self.mrf.energy(near) < self.upper_bound:
            self._search.turn_to(self.mrf, near)
        before = self._search.work
        self._search.go_on(SEARCH * self.mrf.n, stop)
        self.work += self._search.work - before
        energy = self.mrf.energy(self._search.labeling)
        if energy < self.upper_bound:
            self.labeling, self.upper_bound = self._search.labeling, energy

    @property
    def nbytes(self) -> int:
        """About the memory of the graph and of the linear program."""
        entries = sum(map(len, self._program.cycles))
        arrays = sum(array.nbytes for array in self.graph.doubled)
        return arrays + OF_ENTRY * entries + OF_EDGE * len(self.graph.cost)

    @property
    def is_proven(self) -> bool:
        """Whether the bound proves that no labelling is better than the best one by more than counts."""
        return bool(self.margin.excludes(self.lower_bound - self.upper_bound, 0.0))

    def parts(self, labeling: ArrayLike | None = None) -> Parts:
        """Where the gap between the bound and the energy of a labelling lies. Source: docs/cycles.md §2.

        Parameters
        ----------
        labeling : array_like of {0, 1}, shape (n,), optional
            By default the best one known.

        Returns
        -------
        Parts
        """
        broken = self.graph.broken(self.labeling if labeling is None else labeling)
        rest = rests(self.graph, self.cycles, self.shares)
        paid = np.array([np.count_nonzero(broken[cycle]) for cycle in self.cycles])
        return Parts(self.shares * (paid - 1), np.where(broken, np.maximum(rest, 0.0), np.maximum(-rest, 0.0)))

    def take(self, labeling: IntArray) -> None:
        """Take over a labelling from elsewhere, if it is better.

        Parameters
        ----------
        labeling : ndarray of int64, shape (n,)
        """
        energy = self.mrf.energy(labeling)
        if energy < self.upper_bound:
            self.labeling, self.upper_bound = labeling, energy
            self._search.turn_to(self.mrf, labeling)

    def facts(self, keeping: bool = False) -> Facts:
        """What every labelling fulfils that is better than the best one. Source: docs/cycles.md §4.

        Where none is, as `is_proven` says, they may contradict each other.

        Parameters
        ----------
        keeping : bool
            Leave out what the best one itself does not fulfil.

        Returns
        -------
        Facts
        """
        graph, rest = self.graph, rests(self.graph, self.cycles, self.shares)
        decided = self.margin.excludes(self.lower_bound + np.abs(rest) - self.upper_bound, 0.0) & (rest != 0.0)
        # What an edge wants holds where breaking it costs too much, and fails where keeping it does.
        if keeping:
            decided &= graph.broken(self.labeling) == (rest < 0.0)
        return _facts(graph, decided, graph.opposite ^ (rest < 0.0))

    def proof(self) -> Proof:
        """The bound and what it decides, in a form that `check_proof` checks without the solver.

        Where the best labelling is proven, nothing is decided. Source: docs/cycles.md §6.

        Returns
        -------
        Proof
        """
        optimal, found, limits, energy = self.is_proven, None, self.margin, self.upper_bound
        if not optimal:
            try:
                found = reduction(unreduced(self.mrf), self.facts())
            except ContradictionError:  # no labelling is better
                optimal = True
        certain = limits.certain(self.lower_bound, limits.rounding)
        lower = energy if optimal else min(certain, math.nextafter(energy, -math.inf))
        step = self.step(unreduced(self.mrf), found)
        return Proof(self.mrf.content_hash(), self.labeling, lower, energy, limits.negligible, (step,))

    def step(self, whole: Reduction, found: Reduction | None) -> CycleStep:
        """The step of a proof that keeps the bound and what follows from it.

        Parameters
        ----------
        whole : Reduction
            From the whole model of the proof to this one.
        found : Reduction or None
            Of this model, by the facts; None if nothing follows.

        Returns
        -------
        CycleStep
        """
        number = np.append(whole.deciders, whole.model.n)  # of variables, and the ghost
        cycles = tuple(number[self.graph.ends[cycle]] for cycle in self.cycles)
        return CycleStep(cycles, self.shares, *numbered(found, number), self.margin.step)


def _margin(graph: SignedGraph, mrf: BinaryMRF, left: Left | None) -> Margin:
    if left is None:
        points = lattice(mrf)
        negligible, rounded = negligible_gain(mrf, points), 0.0
    else:
        points, negligible, rounded = lattice_left(left.whole, left.negligible), left.negligible, left.whole.rounding
    return margin(graph.rounding + ULP * float(graph.cost.sum()) + rounded, points, negligible)


def bound(graph: SignedGraph, cycles: Sequence[IntArray], shares: FloatArray) -> float:
    """The lower bound by which cycles and any shares that are not negative certify; energy.

    Every frustrated cycle has a broken edge, whatever the labelling. Source: docs/cycles.md §2.
    """
    rest = rests(graph, cycles, shares)
    return math.fsum([graph.base, *shares.tolist(), *np.minimum(rest, 0.0).tolist()])


def rests(graph: SignedGraph, cycles: Sequence[IntArray], shares: FloatArray) -> FloatArray:
    """What every edge has left of its cost, energy, shape (E,); negative where it lends more."""
    count = len(graph.cost)
    lent = -shares.repeat([len(cycle) for cycle in cycles])
    return exact_sums(np.concatenate([np.arange(count), *cycles]), np.concatenate([graph.cost, lent]), count)


def decoded(graph: SignedGraph, broken: FloatArray) -> IntArray:
    """The labelling that satisfies a spanning forest of the edges that are broken least.

    Parameters
    ----------
    graph : SignedGraph
    broken : ndarray, shape (E,)

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    order, count = np.argsort(broken, kind="stable"), graph.n + 1
    parent, odd = np.arange(count), np.zeros(count, bool)
    closes = np.zeros(len(order), np.int8)
    grow(graph.ends[order], graph.opposite[order], parent, odd, np.ones(count, np.int64), closes)
    # Every vertex is compared with its parent: with the root, after as many jumps as the trees are deep.
    while (parent[parent] != parent).any():
        odd, parent = odd ^ odd[parent], parent[parent]
    return np.asarray(odd[:-1] == odd[-1], np.int64)


def _facts(graph: SignedGraph, decided: BoolArray, opposite: BoolArray) -> Facts:
    """Ties between the ends of decided edges; a tie to the ghost, which is 1, is a value."""
    ends, apart = graph.ends[decided], opposite[decided]
    to_ghost = ends[:, 1] == graph.n
    value = np.full(graph.n, OPEN, np.int64)
    value[ends[to_ghost, 0]] = ~apart[to_ghost]
    return Facts(value, np.column_stack([ends[~to_ghost], apart[~to_ghost]]).astype(np.int64))
