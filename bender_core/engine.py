"""The engine: one resumable run of block message passing, stepped, played, run and sought through.

All of it is the compiled loop ``kernels.advance``; this class owns the arrays, grows them when the loop
asks, and keeps snapshots so that any earlier event can be returned to by replaying from the nearest one.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core import memory
from bender_core.account import Account
from bender_core.bounds import gap_between, relative_gap
from bender_core.carrying import carry
from bender_core.estimate import DEEPEST, FIRST_EVENTS, TooLargeError, charge_run
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.advance import advance
from bender_core.kernels.exact import begin_exact, exact_min_marginals
from bender_core.kernels.layout import (
    STEP,
    Bound,
    Cursor,
    Goal,
    Kind,
    Outcome,
    Phase,
    Progress,
    RowKind,
    Rule,
    State,
    Status,
    Until,
    Workspace,
    cut_kind,
)
from bender_core.kernels.projection import active_state, fetch, sent_table
from bender_core.kernels.rows import begin_recycling, enumerate_min_marginals, link_row, plan_reverse_row, recycle
from bender_core.lattice import lattice
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.partition import Partition
from bender_core.result import STATUSES, Result, verdict
from bender_core.rows import Row, row_terms
from bender_core.snapshots import Snapshots
from bender_core.stopping import Stop, never
from bender_core.trace import Event, Trace
from bender_core.units import storage
from bender_core.variants import Variant
from bender_core.variants import variant as variant_of

Grain = Literal["event", "row", "node", "sweep"]
_UNTIL = {"event": Until.EVENT, "row": Until.ROW, "node": Until.NODE, "sweep": Until.SWEEP}
_ENDLESS = np.iinfo(np.int64).max
# Table entries read between two looks at the clock, at most and to begin with; then as many as take about so long: in
# small tables that lie scattered an entry takes thirty times longer than in large ones.
_SLICE, _FIRST_SLICE = 1 << 26, 1 << 22
_SLICE_SECONDS = 0.025
# A snapshot copies the dual tables; taking one after this many times their size of work keeps that cheap.
_SNAPSHOT_EVERY = 64
_DEFAULT_SNAPSHOT_BYTES = 256 << 20
# An envelope this close to the truth, relative to the numbers involved, is tight.
CLOSE = 1e-9

SCHEDULES = {
    "mplp": "the paper's: one group after the other, equal shares for all edges",
    "srmp": "forward and back, all that a group has goes to the edges ahead",
}

OnProgress = Callable[["Engine"], bool | None]


class EngineError(RuntimeError):
    """The engine met a state that its mathematics excludes; please report the model and the settings."""


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


class Engine:
    """One run of message passing over hyper-variables (paper, Algs. 1 and 2; method.md, sections 2 and 3).

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition
    variant : int or Variant
        The paper's number, 1 to 11, or 12: see `variants.VARIANTS`.
    schedule : {"mplp", "srmp"}
        In which order groups are updated and how they share: the paper's, or forward and back
        (method.md, section 6).
    tolerance : float
        Relative to the bound, or to the energy at stake where that is less: a smaller gap is closed, a smaller gain in
        a sweep is no progress.
    max_sweeps : int
        The run is finished after that many sweeps (400 in the paper).
    deepest : int
        Where the bound rises slowly, the envelope of a group is made tight at up to so many of its best states
        instead of at its minimiser alone; 1 is the paper's algorithm.
    improving : bool
        Descend from the decoded labelling after every sweep, one group at a time. Without it the upper bound
        is the paper's: the best labelling that was decoded.
    snapshot_bytes : int
        Memory for going back, at most; when it is full, snapshots are thinned out. The start can always be gone back
        to, and everything after it by doing it again.
    limit : int or Account, optional
        Bytes the run may take, or the account that it shares with other runs; a new one of `account.memory_limit` by
        default. Everything that grows is charged before it grows. When nothing is left, snapshots are given up, and
        when none is left, the run is finished with the status "memory limit".
    stop : Stop
        Asked about every 10 ms while tables are made whether to give up.
    start : Engine, optional
        A run of the same model to go on from, whatever its variant and schedule. The best labelling is taken over, and
        where each of its groups lies within one of ``partition``, so are the messages: the bound begins where it was.

    Attributes
    ----------
    entries_read : int
        Table entries read by the last step, run or seek: its work.

    Raises
    ------
    TooLargeError
        If the run could not begin within the limit.
    PartitionError
        If the partition belongs to another model.
    ValueError
        If there is no such variant or schedule, or a limit makes no sense.
    Stopped
        If ``stop`` says so.
    """

    def __init__(
        self,
        mrf: BinaryMRF,
        partition: Partition,
        variant: int | Variant = 9,
        schedule: str = "mplp",
        tolerance: float = 1e-9,
        max_sweeps: int = 400,
        deepest: int = DEEPEST,
        improving: bool = True,
        snapshot_bytes: int = _DEFAULT_SNAPSHOT_BYTES,
        limit: int | Account | None = None,
        stop: Stop = never,
        start: Engine | None = None,
    ) -> None:
        self.variant = variant_of(variant)
        if schedule not in SCHEDULES:
            raise ValueError(f"there is no schedule {schedule!r}; choose one of {', '.join(SCHEDULES)}")
        if not 0 <= tolerance <= 1:
            raise ValueError(f"the tolerance is {tolerance}; it must be a number from 0 to 1")
        if not 1 <= max_sweeps <= _ENDLESS:
            raise ValueError(f"max_sweeps is {max_sweeps}; allow 1 to {_ENDLESS} sweeps")
        if deepest < 1:
            raise ValueError(f"deepest is {deepest}; an envelope has to be tight at one state at least")
        self.mrf = mrf
        self.partition = partition
        self.schedule = schedule
        self.tolerance = tolerance
        self.max_sweeps = max_sweeps
        self.deepest = deepest
        self.improving = improving
        self.account = limit if isinstance(limit, Account) else Account(limit)
        self._line = charge_run(mrf, partition, self.variant, schedule, self.account)
        weakref.finalize(self, self._line.close)
        try:
            self._build(snapshot_bytes, stop, start)
        except BaseException:
            self._line.close()
            raise

    def _build(self, snapshot_bytes: int, stop: Stop, start: Engine | None) -> None:
        """Make everything that the run starts with."""
        self.graph = HyperGraph(self.mrf, self.partition, stop)
        self.lattice = lattice(self.mrf)
        self._problem = self.graph.problem
        self._rule = self._make_rule()
        dims = self._dims = memory.dimensions(self.graph)
        self._work = memory.workspace(
            dims, dims.degree, self._rule.exact and not self._rule.enumerated, self._rule.deepest
        )
        self._events = memory.Store(memory.events, "events", memory.event_bytes(), FIRST_EVENTS, self._line)
        self._rows = memory.Store(
            lambda capacity: memory.pool(dims, capacity),
            "rows",
            memory.row_bytes(dims),
            memory.first_rows(dims, len(self._rule.cuts), self._rule.exact),
            self._line,
        )
        self._state = memory.start(self._problem, stop)
        if start is not None:
            self._charge_start()
            carry(start.graph, start._state, self.graph, self._state, stop)
        if not self._rule.exact:
            self._add_initial_rows(stop)
        self._goal = np.zeros(len(Goal), np.int64)
        self.entries_read = 0
        self._slice = min(_FIRST_SLICE, _SLICE)
        self._frontier = 0
        self._memory_end: int | None = None
        self._since_snapshot = 0
        self._past = Snapshots(self._state, snapshot_bytes, self._line, carried=start is not None)

    def _make_rule(self) -> Rule:
        alternating = self.schedule == "srmp"
        order = self.graph.sweep_order() if alternating else np.arange(self.graph.n_groups)
        return Rule(
            order=np.concatenate([order, order[::-1]]) if alternating else order,
            rank=np.argsort(order),
            alternating=alternating,
            forest=self.graph.cycles() == 0,
            exact=self.variant.exact,
            enumerated=self.variant.enumerated,
            everywhere=self.variant.everywhere,
            cuts=np.array([cut_kind(alpha) for alpha in self.variant.alphas], np.int64),
            deepest=1 if self.variant.exact else self.deepest,
            improving=self.improving,
            tolerance=self.tolerance,
            max_sweeps=self.max_sweeps,
            constant=self.graph.normal_form.constant,
        )

    def _charge_start(self) -> None:
        """Charge the copy of the messages that a run begins with, to which it can go back."""
        needed = memory.nbytes(self._state)
        if not self._line.charge("start", needed):
            raise self._no_room(needed, "of the messages it begins with")

    def _no_room(self, needed: int, what_for: str) -> TooLargeError:
        said = f"the run leaves no room for the {storage(needed)} {what_for}; raise the limit"
        return TooLargeError(said, needed, self.account.free)

    @cached_property
    def probe(self) -> Workspace:
        """Scratch for looking, which must not disturb a node that is being updated.

        Raises
        ------
        TooLargeError
            If there was no room for it beside the run.
        """
        needed = memory.looking_bytes(self._dims)
        while memory.LOOKING not in self._line.items and not self._line.charge(memory.LOOKING, needed):
            if not self._past.thin_out():
                raise self._no_room(needed, "it takes to look at messages")
        return memory.workspace(self._dims, 1, exact=True, deepest=1)

    @property
    def charged(self) -> int:
        """Bytes charged to the account."""
        return self._line.used

    def release(self) -> None:
        """Give what is charged back to the account, before the engine itself is dropped; it must not be used again."""
        self._line.close()

    # -- where the run stands -------------------------------------------------------------------------

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

    # -- moving ---------------------------------------------------------------------------------------

    def step(self, grain: Grain = "row", on_progress: OnProgress | None = None) -> list[Event]:
        """Go on to the next event, row (or message), node or sweep, and return the events of that step.

        At an earlier position the recorded events happen again, identically.

        Parameters
        ----------
        grain : {"event", "row", "node", "sweep"}
        on_progress : callable, optional
            Called about every 50 ms with the engine; the step is left where it is, also within a message, if it
            returns True. The next step goes on from there.
        """
        begin = self.position
        self._go_on(_UNTIL[grain], self._stop(None, on_progress))
        trace = self.trace
        return [trace[k] for k in range(begin, self.position)]

    def run(
        self,
        max_sweeps: int | None = None,
        max_events: int | None = None,
        max_work: int | None = None,
        time_limit: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> bool:
        """Go on at full speed until the run is finished or a limit of this call is reached.

        Parameters
        ----------
        max_sweeps : int, optional
            Pause when so many sweeps are complete.
        max_events : int, optional
            Pause when so many events have happened.
        max_work : int, optional
            Pause when about so many table entries have been read: a limit that does not depend on the machine.
        time_limit : float, optional
            Seconds; looked at about every 50 ms.
        on_progress : callable, optional
            Called as often with the engine; the run pauses if it returns True.

        Returns
        -------
        bool
            Whether the run is finished.
        """
        sweeps = _ENDLESS if max_sweeps is None else max_sweeps
        events = _ENDLESS if max_events is None else max_events
        work = _ENDLESS if max_work is None else max_work
        self._go_on(Until.NEVER, self._stop(time_limit, on_progress), events, sweeps, work)
        return self.finished

    def seek(self, position: int, on_progress: OnProgress | None = None) -> bool:
        """Go to the state after the first ``position`` events, back or forward.

        Parameters
        ----------
        position : int
        on_progress : callable, optional
            Called about every 50 ms with the engine; the way there is left where it is if it returns True.

        Returns
        -------
        bool
            Whether it got there.

        Raises
        ------
        ValueError
            If the run has not come that far.
        """
        if not 0 <= position <= self._frontier:
            raise ValueError(f"event {position} has not been computed; events 0 to {self._frontier} can be shown")
        nearest = self._past.nearest(position)
        if position < self.position or nearest.cursor[Cursor.EVENTS] > self.position:
            self._restore(nearest)
        if position > self.position:
            self._go_on(Until.NEVER, self._stop(None, on_progress), position)
        return self.position == position

    def _stop(self, seconds: float | None, on_progress: OnProgress | None) -> Stop:
        return Stop(seconds, None if on_progress is None else lambda: on_progress(self))

    def _go_on(
        self,
        until: Until,
        stop: Stop,
        event_limit: int = _ENDLESS,
        sweep_limit: int = _ENDLESS,
        work: int = _ENDLESS,
    ) -> None:
        """Advance slice by slice to a goal, or until so much work is done or it is time to stop."""
        self.entries_read = 0
        while work > 0:
            # A snapshot is of a position between two updates.
            pause = Until.NODE if until > Until.NODE and self._snapshot_due() else until
            begin = time.perf_counter()
            outcome = self._advance(pause, event_limit, sweep_limit, min(self._slice, work))
            spent = int(self._goal[Goal.SPENT])
            self._adapt(spent, time.perf_counter() - begin)
            self.entries_read += spent
            work -= spent
            if self._snapshot_due() and self._between_nodes() and self.position > self._past.latest:
                self._past.add(self._state)
                self._since_snapshot = 0
            if outcome == Outcome.FINISHED or self.finished:
                return
            if outcome == Outcome.REACHED and (pause == until or self._is_at(until, event_limit, sweep_limit)):
                return
            if stop():
                return

    def _adapt(self, spent: int, seconds: float) -> None:
        """Let the next slice take about as long as all should: what a run does depends on no slice."""
        if seconds > _SLICE_SECONDS:
            self._slice = max(int(self._slice * _SLICE_SECONDS / seconds), 1)
        elif 2 * spent > self._slice:
            self._slice *= 2
        self._slice = min(self._slice, _SLICE)

    def _is_at(self, until: Until, event_limit: int, sweep_limit: int) -> bool:
        """Whether a goal beyond the end of an update is reached."""
        if self.position >= event_limit or (self.sweep >= sweep_limit and self._between_nodes()):
            return True
        return until == Until.SWEEP and self.trace[self.position - 1].kind >= Kind.SWEEP

    def _advance(self, until: Until, event_limit: int, sweep_limit: int, budget: int) -> Outcome:
        """Call the loop once; give it more room where it asks for it."""
        goal = self._goal
        end = _ENDLESS if self._memory_end is None else self._memory_end
        goal[:] = (until, min(event_limit, end), sweep_limit, budget, 0)
        while True:
            outcome = Outcome(
                advance(self._problem, self._rule, self._rows.view, self._state, self._work, self._events.view, goal)
            )
            degree = self._dims.degree + len(self._rule.cuts)
            if outcome == Outcome.NEED_EVENTS and self._events.grow(1, self._past.thin_out):
                continue
            if outcome == Outcome.NEED_ROWS and self._rows.grow(degree, self._past.thin_out):
                continue
            if outcome in (Outcome.NEED_EVENTS, Outcome.NEED_ROWS):
                self._memory_end = self.position
            if self.position == self._memory_end and event_limit > self.position and not self.finished:
                # The end is where it was when the run is gone through again, whatever room there is by then.
                self._state.cursor[[Cursor.STATUS, Cursor.PHASE]] = Status.MEMORY_LIMIT, Phase.FINISH
                goal[Goal.EVENT_LIMIT] = event_limit
                continue
            break
        self._frontier = max(self._frontier, self.position)
        self._since_snapshot += int(goal[Goal.SPENT])
        if outcome == Outcome.NOT_TIGHT:
            raise EngineError("a new Benders row is not tight at its own minimiser; please report this model")
        return outcome

    # -- going back -----------------------------------------------------------------------------------

    def _between_nodes(self) -> bool:
        cursor = self._state.cursor
        return bool(cursor[Cursor.PHASE] == Phase.OPEN and cursor[Cursor.SLOT] == 0 and cursor[Cursor.BEGUN] == 0)

    def _snapshot_due(self) -> bool:
        return self._since_snapshot >= _SNAPSHOT_EVERY * len(self._state.lam)

    def _restore(self, snapshot: State) -> None:
        memory.restore(self._state, snapshot)
        # Which rows are in use has changed, so the lists of the edges are chained afresh, in order of birth.
        # Younger rows stay in the pool, unlinked; the replay writes them again.
        edges, chain = self.row_edges(), self._rows.view.next
        order = np.argsort(edges, kind="stable")
        chain[order] = -1
        alike = edges[order[:-1]] == edges[order[1:]]
        chain[order[:-1][alike]] = order[1:][alike]

    # -- looking --------------------------------------------------------------------------------------

    def certificate(self, stop: Stop = never) -> float:
        """The lower bound, computed afresh from lambda alone (method.md, section 2); takes every message exactly.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        nodes = sum(float(self.reparametrized(p).min()) for p in range(self.graph.n_groups))
        edges = sum(
            float((self.min_marginal(p, q, stop=stop) - self._table(2 * edge)).min())
            for edge, (p, q) in enumerate(self.graph.edges.tolist())
        )
        return nodes + edges + self._rule.constant

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
        ValueError
            If the groups are not coupled, or p has no such state.
        Stopped
            If ``stop`` says so.
        """
        arc = self.graph.arc(p, q)
        active = self.graph.active_states(arc)
        if states is None:
            return self._exact(arc, stop)[active]
        chosen = np.asarray(states, np.int64)
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
        Stopped
            If ``stop`` says so.
        """
        if self._rule.exact:
            return self.min_marginal(p, q, stop=stop)
        arc = self.graph.arc(p, q)
        nu, sent, work = np.empty(1 << self._problem.bits[arc]), self.sent(arc), self.probe
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
            Groups with more states than this are judged on so many of them, evenly spread; by default all are
            judged on all their states.
        stop : Stop
            Asked about every 10 ms whether to give up.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
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
        """The min-marginals of an arc over the active states of its receiver."""
        nu, sent, work = np.empty(1 << self._problem.bits[arc]), self.sent(arc), self.probe
        begin_exact(work)
        while work.progress[Progress.NEXT] >= 0:
            stop.check()
            exact_min_marginals(self._problem, arc, sent, nu, work)
        return nu

    def _table(self, arc: int) -> FloatArray:
        p, _ = self.graph.ends(arc)
        start = self._problem.lam_start[arc]
        return self._state.lam[start : start + (1 << self._problem.size[p])]

    def _add_initial_rows(self, stop: Stop) -> None:
        """For every message the reverse row at the minimiser of phi_p (paper, "Initializing")."""
        problem, pool, state = self._problem, self._rows.view, self._state
        for arc in range(2 * len(problem.edge_node)):
            stop.check()
            receiver = int(problem.edge_node[arc // 2, arc % 2])
            row = int(state.cursor[Cursor.ROWS])
            anchor = active_state(problem, arc, state.decoded[receiver])
            plan_reverse_row(problem, pool, row, arc, anchor, 0.0, self._work)
            pool.born[row] = -1
            link_row(pool, state, row)
            state.cursor[Cursor.ROWS] = row + 1
