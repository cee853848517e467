"""Looking into a run, without disturbing it: where it stands, its certificate, messages, envelopes, rows, tightness."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core import memory
from bender_core.kernels.exact import begin_exact, exact_min_marginals
from bender_core.kernels.layout import (
    STEP,
    Bound,
    Cursor,
    Phase,
    Progress,
    RowKind,
    Status,
)
from bender_core.kernels.projection import fetch, sent_table
from bender_core.kernels.rows import begin_recycling, enumerate_min_marginals, recycle
from bender_core.model import FloatArray, IntArray
from bender_core.run.arrays import Arrays
from bender_core.run.bounds import gap_between, relative_gap
from bender_core.run.result import STATUSES, Result, verdict
from bender_core.run.rows import Row, row_terms
from bender_core.run.trace import Trace
from bender_core.stopping import Stop, never

# An envelope this close to the truth, relative to the numbers involved, is tight.
CLOSE = 1e-9
# States that are gone through at a time where a whole table would take room.
_SLICE = 1 << 16


@dataclass(frozen=True, eq=False)
class Tightness:
    """How far the envelope of every arc lies below the true min-marginal; energies, shape (2 E,) each.

    ``sampled`` tells which arcs were judged on a sample of the states instead of all of them.
    """

    mean: FloatArray
    largest: FloatArray
    at_minimiser: FloatArray
    tight_share: FloatArray
    sampled: NDArray[np.bool_]


@dataclass(frozen=True)
class Position:
    """How far a run is, also within an update and within a message.

    Attributes
    ----------
    sweep : int
        Completed sweeps.
    update, updates : int
        Completed updates of the sweep, and all of them.
    message, messages : int
        Completed messages of the update, and all of them; 0 of 0 where none is being updated.
    share : float
        Of the message in work, how much is done, 0 to 1.
    """

    sweep: int
    update: int
    updates: int
    message: int
    messages: int
    share: float


class Inspection(Arrays):
    """What can be seen of a run."""

    # -- where it stands ------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """How many events have happened at the state shown."""
        return int(self._state.cursor[Cursor.EVENTS])

    @property
    def trace(self) -> Trace:
        """All events computed so far, also those after the present position."""
        return Trace(self._events.view, self._frontier)

    @property
    def sweep(self) -> int:
        """Completed sweeps."""
        return int(self._state.cursor[Cursor.SWEEP])

    @property
    def n_rows(self) -> int:
        """Benders rows in use."""
        return int(self._state.cursor[Cursor.ROWS])

    @property
    def status(self) -> Status:
        """Whether and why the run is finished."""
        return Status(int(self._state.cursor[Cursor.STATUS]))

    @property
    def finished(self) -> bool:
        """Whether no event is left."""
        return bool(self._state.cursor[Cursor.PHASE] == Phase.DONE)

    @property
    def lower_bound(self) -> float:
        """The certified lower bound on the energy."""
        return float(self._state.bound[Bound.LOWER] + self._rule.constant)

    @property
    def upper_bound(self) -> float:
        """The energy of the best labelling so far."""
        return float(self._state.bound[Bound.UPPER] + self._rule.constant)

    @property
    def decoded_bound(self) -> float:
        """The energy of the best labelling that was decoded, before any improvement (the paper's upper bound)."""
        return float(self._state.bound[Bound.BEST_DECODED] + self._rule.constant)

    @property
    def rounded_bound(self) -> float:
        """The lower bound, raised to the next energy there is (see `lattice`)."""
        return self.lattice.raised(self.lower_bound, self.upper_bound)

    @property
    def gap(self) -> float:
        """`bounds.relative_gap` of the two bounds, which for negative energies is the paper's; 0 where they meet."""
        if self.status == Status.GAP_CLOSED:
            return gap_between(self.lower_bound, self.upper_bound, self._problem.scale)
        return relative_gap(self.lower_bound, self.upper_bound)

    @property
    def whereabouts(self) -> Position:
        """How far the run is, also within an update and within a message."""
        cursor, work = self._state.cursor, self._work
        slot, share, messages = int(cursor[Cursor.SLOT]), 0.0, 0
        if cursor[Cursor.PHASE] <= Phase.PASS and len(self._rule.order):
            p = self._rule.order[cursor[Cursor.POSITION]]
            first, last = self._problem.arc_first[p : p + 2]
            messages = int(last - first)
            if cursor[Cursor.BEGUN] and self._rule.exact:
                arc = self._problem.node_arcs[first + slot]
                share = max(int(work.progress[Progress.NEXT]), 0) / (1 << self._problem.bits[arc])
            elif cursor[Cursor.PHASE] > Phase.OPEN:
                slot = messages
        return Position(
            self.sweep, int(cursor[Cursor.POSITION]), len(self._rule.order), min(slot, messages), messages, share
        )

    @property
    def labeling(self) -> IntArray:
        """The best labelling so far, shape (n,)."""
        return self.graph.labeling(self._state.best)

    @property
    def open_node(self) -> int:
        """The group being updated, -1 between two updates."""
        cursor = self._state.cursor
        busy = cursor[Cursor.PHASE] <= Phase.PASS and not self._between_nodes() and len(self._rule.order)
        return int(self._rule.order[cursor[Cursor.POSITION]]) if busy else -1

    @property
    def slack(self) -> FloatArray:
        """Of every arc, how loose its envelope was at its minimiser when last looked at; NaN before; (2 E,)."""
        return self._state.slack.copy()

    def row_edges(self) -> IntArray:
        """The hyper-edge of every row in use, in the order of birth, shape (n_rows,)."""
        edges: IntArray = self._rows.view.edge[: self.n_rows].copy()
        return edges

    def _between_nodes(self) -> bool:
        cursor = self._state.cursor
        return bool(cursor[Cursor.PHASE] == Phase.OPEN and cursor[Cursor.SLOT] == 0 and cursor[Cursor.BEGUN] == 0)

    # -- messages and rows ----------------------------------------------------------------------------

    def certificate(self, stop: Stop = never) -> float:
        """The old name of `certified_bound`."""
        warnings.warn("Engine.certificate is Engine.certified_bound now", DeprecationWarning, stacklevel=2)
        return self.certified_bound(stop)

    def certified_bound(self, stop: Stop = never) -> float:
        """The lower bound, computed afresh from lambda alone (method.md, section 2); takes every message exactly.

        Beside the run it takes the scratch of one message, whose states are only those that are coupled.

        Raises
        ------
        TooLargeError
            If there is no room for it beside the run.
        Stopped
            If ``stop`` says so.
        """
        nodes = sum(self._least_reparametrized(p, stop) for p in range(self.graph.n_groups))
        edges = sum(self._least_of_edge(arc, stop) for arc in range(0, len(self._state.slack), 2))
        return nodes + edges + self._rule.constant

    def _least_reparametrized(self, p: int, stop: Stop) -> float:
        """The minimum of `reparametrized`, a slice of the states at a time."""
        problem, least = self._problem, np.inf
        start, states = problem.phi_start[p], 1 << int(problem.size[p])
        for begin in range(0, states, _SLICE):
            stop.check()
            end = min(begin + _SLICE, states)
            total = problem.phi[start + begin : start + end].copy()
            for arc in problem.node_arcs[problem.arc_first[p] : problem.arc_first[p + 1]]:
                total += self._table(int(arc))[begin:end]
            least = min(least, float(total.min()))
        return least

    def _least_of_edge(self, arc: int, stop: Stop) -> float:
        """``min phi_pq - lambda_{pq->p} - lambda_{pq->q}``: states that differ in idle bits alone are one."""
        slack = self._exact(arc, stop)
        slack -= self.sent(arc ^ 1)
        return float(slack.min())

    def reparametrized(self, p: int) -> FloatArray:
        """``phi_p + sum_q lambda_{pq->p}`` over the states of a group, energy, shape (2^|Y_p|,)."""
        problem = self._problem
        start = problem.phi_start[p]
        total: FloatArray = problem.phi[start : start + (1 << problem.size[p])].copy()
        for arc in problem.node_arcs[problem.arc_first[p] : problem.arc_first[p + 1]]:
            total += self._table(int(arc))
        return total

    def min_marginal(self, p: int, q: int, states: ArrayLike | None = None, stop: Stop = never) -> FloatArray:
        """The true min-marginal ``nu_pq``, the message from q into p before it is shared.

        Parameters
        ----------
        p, q : int
            Receiving and sending group.
        states : array_like of int, optional
            States of p, each at the cost of a pass over the states of q; by default all of them, pruned or
            eliminated (variant 12) where that is cheaper.
        stop : Stop
            Asked about every 10 ms whether to give up.

        Returns
        -------
        ndarray
            Energy, one entry a state.

        Raises
        ------
        TooLargeError
            If there is no room for it beside the run.
        ValueError
            If the groups are not coupled, or p has no such state.
        Stopped
            If ``stop`` says so.
        """
        arc = self.graph.arc(p, q)
        self._charge_looking(memory.looking_bytes, "looking at a message")
        active = self.graph.active_states(arc)
        if states is None:
            return self._exact(arc, stop)[active]
        chosen = np.asarray(states)
        if chosen.size and chosen.dtype.kind not in "iu":
            raise ValueError(f"states are {states!r}; give whole numbers from 0 to {len(active) - 1}")
        chosen = chosen.astype(np.int64)
        if ((chosen < 0) | (chosen >= len(active))).any():
            outside = chosen[(chosen < 0) | (chosen >= len(active))][0]
            raise ValueError(f"group {p} has the states 0 to {len(active) - 1}; there is no state {outside}")
        wanted, place = np.unique(active[chosen], return_inverse=True)
        nu, sent = np.empty(len(wanted)), self.sent(arc)
        some = max(STEP // len(sent), 1)
        for k in range(0, len(wanted), some):
            stop.check()
            enumerate_min_marginals(self._problem, sent, arc, wanted[k : k + some], nu[k : k + some], self.probe)
        return nu[place]

    def envelope(self, p: int, q: int, stop: Stop = never) -> FloatArray:
        """The envelope ``nu_pq^- <= nu_pq`` at the present lambda and rows, energy, shape (2^|Y_p|,).

        For an exact variant, which keeps no rows, the min-marginal itself.

        Raises
        ------
        TooLargeError
            If there is no room for it beside the run.
        Stopped
            If ``stop`` says so.
        """
        if self._rule.exact:
            return self.min_marginal(p, q, stop=stop)
        self._charge_looking(memory.looking_bytes, "looking at a message")
        arc = self.graph.arc(p, q)
        nu, sent, work = self._room(arc), self.sent(arc), self.probe
        begin_recycling(self._state, arc, nu, work)
        while work.progress[Progress.NEXT] >= 0:
            stop.check()
            recycle(self._problem, self._rows.view, self._state, arc, sent, nu, work)
        return nu[self.graph.active_states(arc)]

    def reduced_cost(self, p: int) -> FloatArray:
        """``phi_p + sum_q nu_pq^-`` over the states of a group, energy: what its next minimiser is chosen by."""
        start = self._problem.phi_start[p]
        total: FloatArray = self._problem.phi[start : start + (1 << self._problem.size[p])].copy()
        for q in self.graph.neighbours(p):
            total += self.envelope(p, q)
        return total

    def rows(self, p: int, q: int) -> list[Row]:
        """The rows of the message from q into p, oldest first."""
        arc = self.graph.arc(p, q)
        edge, side = divmod(arc, 2)
        self.envelope(p, q)
        pool, found = self._rows.view, []
        r = int(self._state.row_first[edge]) if not self._rule.exact else -1
        while r >= 0:
            made = self.graph.active_members(2 * edge + int(pool.side[r]))
            found.append(
                Row(
                    index=r,
                    kind=RowKind(int(pool.kind[r])),
                    born=int(pool.born[r]),
                    made_for=int(self._problem.edge_node[edge, pool.side[r]]),
                    anchor=int(np.left_shift(pool.anchor[r] >> np.arange(len(made)) & 1, made).sum()),
                    intercept=float(pool.intercept[r, side]),
                    u=row_terms(self.graph, pool, r, edge, side),
                    v=row_terms(self.graph, pool, r, edge, 1 - side),
                )
            )
            r = int(pool.next[r])
        return found

    def is_tight(self, arc: int, nu: FloatArray, envelope: FloatArray) -> NDArray[np.bool_]:
        """Where an envelope of an arc equals the true min-marginal, as far as rounding lets one tell."""
        tight: NDArray[np.bool_] = nu - envelope <= CLOSE * (np.abs(nu) + self._problem.edge_weight[arc // 2])
        return tight

    def tightness(self, max_states: int | None = None, stop: Stop = never) -> Tightness:
        """How loose every arc's envelope is.

        Parameters
        ----------
        max_states : int, optional
            Groups with more states than this are judged on that number of them, evenly spread; by default all are
            judged on all their states.
        stop : Stop
            Asked about every 10 ms whether to give up.

        Raises
        ------
        TooLargeError
            If there is no room for it beside the run.
        ValueError
            If there is no state to judge by.
        Stopped
            If ``stop`` says so.
        """
        if max_states is not None and max_states < 1:
            raise ValueError(f"max_states is {max_states}; judge by one state at least")
        arcs = len(self._state.slack)
        mean, largest, tight_share = np.zeros((3, arcs))
        sampled = np.zeros(arcs, bool)
        for arc in range(arcs):
            p, q = self.graph.ends(arc)
            n = 1 << int(self._problem.size[p])
            if max_states is not None and n > max_states:
                sampled[arc] = True
                states = np.linspace(0, n - 1, max_states).astype(np.int64)
                nu, envelope = self.min_marginal(p, q, states, stop), self.envelope(p, q, stop)[states]
            else:
                nu, envelope = self.min_marginal(p, q, stop=stop), self.envelope(p, q, stop)
            slack = np.maximum(nu - envelope, 0.0)
            mean[arc] = slack.mean()
            largest[arc] = slack.max()
            tight_share[arc] = self.is_tight(arc, nu, envelope).mean()
        return Tightness(mean, largest, self.slack, tight_share, sampled)

    def message(self, p: int, q: int) -> FloatArray:
        """The dual table ``lambda_{pq->p}``, a copy, energy, shape (2^|Y_p|,)."""
        return self._table(self.graph.arc(p, q)).copy()

    def result(self, seconds: float, stopped: str = STATUSES[Status.RUNNING]) -> Result:
        """The outcome of the run.

        Parameters
        ----------
        seconds : float
            That it took.
        stopped : str
            The status if the run is not finished.
        """
        labeling = self.labeling
        energy = self.mrf.energy(labeling)
        status = STATUSES[self.status] if self.finished else stopped
        return Result(
            **verdict(status, self.lower_bound, energy, self.lattice, self._problem.scale),
            labeling=labeling,
            decoded_bound=self.decoded_bound,
            sweeps=self.sweep,
            rows=self.n_rows,
            seconds=seconds,
            feasible=not self.mrf.violations(labeling),
            trace=self.trace,
        )

    def sent(self, arc: int) -> FloatArray:
        """What the sender of an arc brings, over its active states."""
        room = self.probe.sent[0]
        fetch(self._problem, self._state.lam, arc, room)
        sent: FloatArray = sent_table(self._problem, self._state.lam, arc, room)
        return sent

    def _exact(self, arc: int, stop: Stop = never) -> FloatArray:
        """The min-marginals of an arc over the active states of its receiver, in scratch that is soon used again."""
        nu, sent, work = self._room(arc), self.sent(arc), self.probe
        begin_exact(work)
        while work.progress[Progress.NEXT] >= 0:
            stop.check()
            exact_min_marginals(self._problem, arc, sent, nu, work)
        return nu

    def _room(self, arc: int) -> FloatArray:
        """Scratch for the active states of the receiver of an arc."""
        nu: FloatArray = self.probe.nu[0, : 1 << self._problem.bits[arc]]
        return nu

    def _table(self, arc: int) -> FloatArray:
        p, _ = self.graph.ends(arc)
        start = self._problem.lam_start[arc]
        return self._state.lam[start : start + (1 << self._problem.size[p])]
