"""The bound by frustrated cycles: every coupling lends its cost to the cycles through it, and each cycle pays once.

Source: docs/cycles.md.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from operator import itemgetter

import numpy as np
from numpy.typing import ArrayLike

from bender_core.checking.proof import CycleStep, Proof
from bender_core.cycles.covering import Covering
from bender_core.cycles.log import CycleEvent, Log, State
from bender_core.cycles.shares import Parts, borrowed, bound, parts_of, rests
from bender_core.cycles.signed import ULP, SignedGraph, signed_graph
from bender_core.cycles.timeline import Stepped
from bender_core.engine.gap import Margin, margin
from bender_core.forms.lattice import lattice, lattice_left
from bender_core.forms.reduction import (
    OPEN,
    ContradictionError,
    Facts,
    Left,
    Reduction,
    numbered,
    reduction,
    unreduced,
)
from bender_core.forms.scale import negligible_gain
from bender_core.kernels.forest import sides
from bender_core.kernels.frustration import find_many, hunt
from bender_core.labelings.searching import LabelingSearch
from bender_core.model import BinaryMRF, BoolArray, FloatArray, IntArray, require_model
from bender_core.seeds import generator

# Why it ends where the solver of the linear program fails.
FAILED = "the linear program is not solved"
# A cycle gets a row if its edges are broken by less than one in all, by this much at least.
VIOLATED = 1e-6
# What every edge adds to the length of a cycle: of cycles that are equally violated, those of few edges come first.
PER_EDGE = 1e-9
# The slots that a search reads at first; where a round finds fewer cycles than this share of the vertices, they are
# this many times as many from then on.
REACH, FEW, FURTHER = 100, 0.05, 4
# Cycles that take their shares in one slice.
TAKING = 2_000
# Labellings are read off the mean of the last rounds, each with another perturbation of this size.
DECODED, PERTURBATION = 8, 0.1
# Entries that the search for a labelling reads after a round, for every variable.
SEARCH = 5_000
# Table entries that are read in the time of a round's overhead, of a slot of a search for cycles, and of an edge or a
# row in a simplex iteration, which passes over all of them.
OF_ROUND, OF_SLOT, OF_ITERATION = 1 << 20, 25, 50
# Bytes of an entry and of a column of the linear program, with what its solver makes of them.
OF_ENTRY, OF_EDGE = 100, 1000
# Bytes of a vertex in the search for cycles.
OF_VERTEX = 200
# Rows without a share are dropped where they are this share of all.
IDLE = 0.3
# Where the bound does not rise, they are dropped again once there are this many times the rows of the last time.
GROWTH = 1.3


class Packing(Stepped[State, CycleEvent]):
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
    keeps : bool
        Whether earlier states are kept, so that all events can be shown.

    Attributes
    ----------
    seed : int
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
    position : int
        The number of events before the present state, of which all attributes above are.
    work : int
        Of all rounds, table entries, other work converted to entries.
    margin : Margin
        When a labelling is no better than another.

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

    _log: Log

    def __init__(self, mrf: BinaryMRF, seed: int = 0, left: Left | None = None, keeps: bool = True) -> None:
        require_model(mrf)
        self.mrf, self.seed, self.graph = mrf, seed, signed_graph(mrf, left is not None and left.whole.model is not mrf)
        self._dice, self._program = generator(seed), Covering(self.graph.cost, seed)
        self._search = LabelingSearch(mrf, mrf.unary.argmin(axis=1) if left is None else left.labeling, seed)
        self.margin = _margin(self.graph, mrf, left)
        self.work = 0
        shares, broken = np.zeros(0), np.zeros(len(self.graph.cost))
        self._crowd = 0.0  # the rows from which on idle ones are dropped although the bound does not rise
        self._mean = broken  # of the program's solutions, later rounds counting more
        self._reach = REACH
        known = self._search.labeling, mrf.energy(self._search.labeling)
        start = State([], shares, broken, *known, bound(self.graph, [], shares))
        self._log = Log(self.graph, start, keeps=keeps)
        if left is None:
            for _ in self._improving(broken):
                pass
            self._log.improve(*self._best_labeling())
        self._show(0)

    def _show(self, position: int) -> None:
        self.position, state = position, self._log.at(position)
        self.cycles, self.shares, self.broken = state.cycles, state.shares, state.broken
        self.labeling, self.upper_bound, self.lower_bound = state.labeling, state.upper_bound, state.lower_bound

    @property
    def has_failed(self) -> bool:
        """Whether the last linear program could not be solved: then its bound holds, and a better one may exist."""
        return self._is_over and not self._program.is_solved

    @property
    def status(self) -> str:
        """Why it has finished, as in a `Certificate`, or `FAILED`; "stopped" until then."""
        return FAILED if self.has_failed and not self.is_proven else super().status

    def _following(self) -> Iterator[None]:
        """Compute what follows the last event: the cycles of a round, its end, or that all is over."""
        return self._end_round() if self._log.is_open else self._begin_round()

    def _begin_round(self) -> Iterator[None]:
        """Look for violated cycles, which take what their edges have left."""
        found = yield from self._violated()
        if found:
            self._program.add(found)
        elif self._program.is_perturbed:
            self._program.restore()
        else:
            self._is_over = True
            return
        latest, shares = self._log.latest, [np.zeros(0)]
        left = rests(self.graph, latest.cycles, latest.shares)
        for begin in range(0, len(found), TAKING):
            yield
            shares.append(borrowed(self.graph.cost, left, found[begin : begin + TAKING]))
        self._log.begin(found, np.concatenate(shares), self.work)

    def _end_round(self) -> Iterator[None]:
        """Solve the linear program, and look for a better labelling."""
        program = self._program
        yield
        self.work += OF_ROUND
        for read in program.solve():
            self.work += OF_ITERATION * read
            yield
        cycles, shares, lower = self._best_shares()
        yield from self._improving(program.broken)
        labeling, upper = self._best_labeling()
        self._log.end(State(cycles, shares, program.broken, labeling, upper, lower, self.work))
        self._is_over = bool(self.margin.excludes(lower - upper, 0.0)) or not program.is_solved

    def _violated(self) -> Generator[None, None, list[IntArray]]:
        """Frustrated cycles without a row whose edges are broken by less than one in all.

        A vertex of one that has been found is not searched from any more. Searches do not go far, unless they find few
        cycles: so most cycles are short, and where none is found, none is violated.
        """
        graph, length, found = self.graph, self._program.broken + PER_EDGE, dict[bytes, IntArray]()
        search, done = hunt(self._dice.permutation(graph.n + 1)), 0
        while True:
            yield
            done, count, read = find_many(graph.doubled, length, search, done, 1.0 - VIOLATED, self._reach)
            self.work += OF_SLOT * read
            new = (cycle for cycle in search.cycles(count) if not self._program.has(cycle))
            found |= {cycle.tobytes(): cycle for cycle in new}
            if done <= graph.n:
                continue
            # Both copies of a vertex see its edges.
            if len(found) > FEW * graph.n or self._reach >= 4 * len(graph.cost):
                return list(found.values())
            self._reach, done = FURTHER * self._reach, 0

    def _best_shares(self) -> tuple[list[IntArray], FloatArray, float]:
        """The shares of the program with their bound if that is higher than the present one; rows that have become
        idle are dropped.
        """
        program, now, before = self._program, self._log.latest, self._log.begun
        used = np.flatnonzero(program.shares > 0.0)
        cycles, shares = [program.cycles[k] for k in used.tolist()], program.shares[used]
        lower = bound(self.graph, cycles, shares)
        best = (cycles, shares, lower) if lower > now.lower_bound else (now.cycles, now.shares, now.lower_bound)
        if program.is_solved:
            self._drop_idle(rises=best[2] > before.lower_bound)
        return best

    def _drop_idle(self, rises: bool) -> None:
        """Drop rows without a share, if they are many.

        One that was dropped may be needed again, and the rounds must end. So where the bound does not rise, there must
        be more rows each time.
        """
        program, count = self._program, len(self._program.cycles)
        if not (rises or count > self._crowd):
            return
        idle = np.flatnonzero((program.shares <= 0.0) & (self._lengths() > 1.0 + VIOLATED))
        if len(idle) > IDLE * count:
            program.drop(idle)
            self._crowd = self._crowd if rises else GROWTH * count

    def _lengths(self) -> FloatArray:
        """How far the edges of every row's cycle are broken, together."""
        cycles = self._program.cycles
        owners = np.arange(len(cycles)).repeat([len(cycle) for cycle in cycles])
        broken: FloatArray = self._program.broken[np.concatenate(cycles)]
        return np.bincount(owners, broken, len(cycles)).astype(float)

    def _improving(self, broken: FloatArray) -> Iterator[None]:
        """Look for a better labelling: half of the search begins with the best one that the program suggests, half of
        it goes on with the best one of all.
        """
        near = list[tuple[float, IntArray]]()
        for each in self._perturbed(broken):
            yield
            labeling = decoded(self.graph, each)
            near.append((self.mrf.energy(labeling), labeling))
        _, best = min(near, key=itemgetter(0))
        suggested = LabelingSearch(self.mrf, best, int(self._dice.integers(1 << 31)))
        yield from self._searching(suggested)
        if self.mrf.energy(suggested.labeling) < self._log.latest.upper_bound:
            self._search.turn_to(self.mrf, suggested.labeling)
        yield from self._searching(self._search)

    def _searching(self, search: LabelingSearch) -> Iterator[None]:
        begin = search.work
        yield from search.slices(SEARCH * self.mrf.n // 2)
        self.work += search.work - begin

    def _perturbed(self, broken: FloatArray) -> Iterator[FloatArray]:
        """The program's solution, and means of the last ones with different perturbations."""
        self._mean = (self._mean + broken) / 2
        yield broken
        for _ in range(DECODED):
            yield self._mean + PERTURBATION * self._dice.random(len(broken))

    def _best_labeling(self) -> tuple[IntArray, float]:
        """The best one known, with its energy."""
        latest, found = self._log.latest, self._search.labeling
        energy = self.mrf.energy(found)
        return (found, energy) if energy < latest.upper_bound else (latest.labeling, latest.upper_bound)

    @property
    def nbytes(self) -> int:
        """About the memory of the graph, of the linear program, and of what is kept of every round."""
        entries = sum(map(len, self._program.cycles))
        of_graph = OF_EDGE * len(self.graph.cost) + OF_VERTEX * (self.graph.n + 1)
        return of_graph + OF_ENTRY * entries + self._log.nbytes

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
        return parts_of(self.graph, self.cycles, self.shares, broken)

    def take(self, labeling: IntArray) -> None:
        """Take over a labelling from elsewhere, if it is better: from the end of the last complete round on.

        Parameters
        ----------
        labeling : ndarray of int64, shape (n,)
        """
        energy = self.mrf.energy(labeling)
        if energy < self._log.latest.upper_bound:
            self._log.improve(labeling, energy)
            self._search.turn_to(self.mrf, labeling)
            self._show(self.position)

    def facts(self, kept: IntArray | None = None) -> Facts:
        """What every labelling fulfils that is better than the best one. Source: docs/cycles.md §4.

        Where none is, as `is_proven` says, they may contradict each other.

        Parameters
        ----------
        kept : ndarray of int64, shape (n,), optional
            A labelling in place of the best one; what it does not fulfil itself is left out.

        Returns
        -------
        Facts
        """
        graph, rest = self.graph, rests(self.graph, self.cycles, self.shares)
        upper = self.upper_bound if kept is None else self.mrf.energy(kept)
        decided = self.margin.excludes(self.lower_bound + np.abs(rest) - upper, 0.0) & (rest != 0.0)
        # What an edge wants holds where breaking it costs too much, and fails where keeping it does.
        if kept is not None:
            decided &= graph.broken(kept) == (rest < 0.0)
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
        step = self.proof_step(unreduced(self.mrf), found)
        return Proof(self.mrf.content_hash(), self.labeling, lower, energy, limits.negligible, (step,))

    def proof_step(self, whole: Reduction, found: Reduction | None) -> CycleStep:
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


def needed_bytes(mrf: BinaryMRF) -> int:
    """About the memory of a packing of a model before its first round, at most.

    Parameters
    ----------
    mrf : BinaryMRF
    """
    edges, vertices = mrf.n_edges + mrf.n, mrf.n + 1  # with those of the ghost
    return (OF_EDGE + 8) * edges + OF_VERTEX * vertices


def _margin(graph: SignedGraph, mrf: BinaryMRF, left: Left | None) -> Margin:
    if left is None:
        points = lattice(mrf)
        negligible, rounded = negligible_gain(mrf, points), 0.0
    else:
        points, negligible, rounded = lattice_left(left.whole, left.negligible), left.negligible, left.whole.rounding
    return margin(graph.rounding + ULP * float(graph.cost.sum()) + rounded, points, negligible)


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
    order = np.argsort(broken, kind="stable")
    odd = sides(graph.n + 1, graph.ends[order], graph.opposite[order])
    return np.asarray(odd[:-1] == odd[-1], np.int64)


def _facts(graph: SignedGraph, decided: BoolArray, opposite: BoolArray) -> Facts:
    """Ties between the ends of decided edges; a tie to the ghost, which is 1, is a value."""
    ends, apart = graph.ends[decided], opposite[decided]
    to_ghost = ends[:, 1] == graph.n
    value = np.full(graph.n, OPEN, np.int64)
    value[ends[to_ghost, 0]] = ~apart[to_ghost]
    return Facts(value, np.column_stack([ends[~to_ghost], apart[~to_ghost]]).astype(np.int64))
