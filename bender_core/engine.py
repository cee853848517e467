"""The engine: one resumable run of block message passing, stepped, played, run and sought through.

All of it is the compiled loop ``kernels.advance``; this class owns the arrays, grows them when the loop
asks, and keeps snapshots so that any earlier event can be returned to by replaying from the nearest one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core import memory
from bender_core.estimate import SNAPSHOTS, memory_limit, require_fit
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.advance import advance
from bender_core.kernels.exact import exact_min_marginals
from bender_core.kernels.layout import (
    Bound,
    Cursor,
    Goal,
    Outcome,
    Phase,
    RowKind,
    Rule,
    State,
    Status,
    Until,
    Workspace,
    cut_kind,
)
from bender_core.kernels.projection import active_state, fetch, sent_table
from bender_core.kernels.rows import enumerate_min_marginals, link_row, plan_reverse_row, recycle
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.partition import Partition
from bender_core.rows import Row, row_terms
from bender_core.trace import Event, Trace
from bender_core.variants import Variant, variant

Grain = Literal["event", "row", "node", "sweep"]
_UNTIL = {"event": Until.EVENT, "row": Until.ROW, "node": Until.NODE, "sweep": Until.SWEEP}
_ENDLESS = np.iinfo(np.int64).max
# Table entries read between two looks at the clock: about 25 ms, several times that on a busy machine.
_SLICE = 1 << 27
# A snapshot copies the dual tables; taking one after this many times their size of work keeps that cheap.
_SNAPSHOT_EVERY = 64
_DEFAULT_SNAPSHOT_BYTES = 256 << 20
# An envelope this close to the truth, relative to the numbers involved, is tight.
CLOSE = 1e-9
# At how many of a group's states its envelope is made tight at most, where progress is slow.
DEEPEST = 32

SCHEDULES = {
    "mplp": "the paper's: one group after the other, equal shares for all edges",
    "srmp": "forward and back, all that a group has goes to the edges ahead",
}

SENTENCES = {
    Status.RUNNING: "not finished",
    Status.GAP_CLOSED: "converged: gap closed",
    Status.NO_PROGRESS: "converged: no progress in a sweep",
    Status.SWEEP_LIMIT: "stopped: sweep limit reached",
    Status.MEMORY_LIMIT: "stopped: no memory left for more rows",
}


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
class Result:
    """What a run ends with. Energies are the model's own, constant included."""

    lower_bound: float
    upper_bound: float
    labeling: IntArray
    decoded_bound: float
    gap: float
    status: str
    sweeps: int
    rows: int
    seconds: float
    feasible: bool
    trace: Trace


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
        Relative to the bound: a smaller gap is closed, a smaller gain in a sweep is no progress.
    max_sweeps : int
        The run is finished after that many sweeps (400 in the paper).
    deepest : int
        Where the bound rises slowly, the envelope of a group is made tight at up to so many of its best states
        instead of at its minimiser alone; 1 is the paper's algorithm.
    improving : bool
        Descend from the decoded labelling after every sweep, one group at a time. Without it the upper bound
        is the paper's: the best labelling that was decoded.
    snapshot_bytes : int
        Memory for going back; when it is full, snapshots are thinned out. With 0 only the start is kept.
    limit : int, optional
        Bytes the run may take; `estimate.memory_limit` by default. A run whose rows come to fill it is finished.

    Raises
    ------
    TooLargeError
        If the tables would not fit into the limit.
    PartitionError
        If the partition belongs to another model.
    ValueError
        If there is no such variant or schedule, or a limit makes no sense.
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
        limit: int | None = None,
    ) -> None:
        self.variant = _variant(variant)
        if schedule not in SCHEDULES:
            raise ValueError(f"there is no schedule {schedule!r}; choose one of {', '.join(SCHEDULES)}")
        if not tolerance >= 0:
            raise ValueError(f"the tolerance is {tolerance}; it must be a number that is not negative")
        if max_sweeps < 1:
            raise ValueError(f"max_sweeps is {max_sweeps}; allow at least one sweep")
        if deepest < 1:
            raise ValueError(f"deepest is {deepest}; an envelope has to be tight at one state at least")
        limit = memory_limit() if limit is None else limit
        require_fit(mrf, partition, self.variant, limit)
        self.mrf = mrf
        self.partition = partition
        self.schedule = schedule
        self.tolerance = tolerance
        self.max_sweeps = max_sweeps
        self.deepest = deepest
        self.improving = improving
        self.graph = HyperGraph(mrf, partition)
        self._problem = self.graph.problem
        alternating = schedule == "srmp"
        order = self.graph.sweep_order() if alternating else np.arange(self.graph.n_groups)
        self._rule = Rule(
            order=np.concatenate([order, order[::-1]]) if alternating else order,
            rank=np.argsort(order),
            alternating=alternating,
            forest=self.graph.cycles() == 0,
            exact=self.variant.exact,
            enumerated=self.variant.enumerated,
            everywhere=self.variant.everywhere,
            cuts=np.array([cut_kind(alpha) for alpha in self.variant.alphas], np.int64),
            deepest=1 if self.variant.exact else deepest,
            improving=improving,
            tolerance=tolerance,
            max_sweeps=max_sweeps,
            constant=self.graph.normal_form.constant,
        )
        degree = np.diff(self._problem.arc_first).max(initial=0)
        self._work = memory.workspace(
            self._problem, degree, self._rule.exact and not self._rule.enumerated, self._rule.deepest
        )
        self._events = memory.events(1024)
        self._pool = memory.pool(self._problem, 4 * len(self._problem.edge_node) + int(degree) + len(self._rule.cuts))
        self._state = memory.start(self._problem)
        self._most_rows = self._rows_within(limit)
        if not self._rule.exact:
            self._add_initial_rows()
        self._goal = np.zeros(len(Goal), np.int64)
        self._frontier = 0
        self._snapshot_bytes = snapshot_bytes
        self._since_snapshot = 0
        self._snapshots: list[State] = [memory.copy(self._state)]

    @cached_property
    def probe(self) -> Workspace:
        """Scratch for looking, which must not disturb a node that is being updated."""
        return memory.workspace(self._problem, 1, exact=True, deepest=1)

    # -- where the run stands -------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """How many events have happened at the state shown."""
        return int(self._state.cursor[Cursor.EVENTS])

    @property
    def trace(self) -> Trace:
        """All events computed so far, also those after the present position."""
        return Trace(self._events, self._frontier)

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
    def gap(self) -> float:
        """(upper - lower) / |lower|, never negative (the paper's normalised gap)."""
        difference = max(float(self._state.bound[Bound.UPPER] - self._state.bound[Bound.LOWER]), 0.0)
        return difference / abs(self.lower_bound) if self.lower_bound else (np.inf if difference else 0.0)

    @property
    def labeling(self) -> IntArray:
        """The best labelling so far, shape (n,)."""
        return self.graph.labeling(self._state.best)

    @property
    def open_node(self) -> int:
        """The group being updated, -1 between two updates."""
        cursor = self._state.cursor
        busy = cursor[Cursor.PHASE] in (Phase.ORACLE, Phase.APPLY, Phase.PASS) or cursor[Cursor.SLOT] > 0
        return int(self._rule.order[cursor[Cursor.POSITION]]) if busy else -1

    @property
    def slack(self) -> FloatArray:
        """Of every arc, how loose its envelope was at its minimiser when last looked at; NaN before; (2 E,)."""
        return self._state.slack.copy()

    def row_edges(self) -> IntArray:
        """The hyper-edge of every row in use, in the order of birth, shape (n_rows,)."""
        return self._pool.edge[: self.n_rows].copy()

    # -- moving ---------------------------------------------------------------------------------------

    def step(self, grain: Grain = "row") -> list[Event]:
        """Go on to the next event, row (or message), node or sweep, and return the events of that step.

        At an earlier position the recorded events happen again, identically.
        """
        begin = self.position
        self._advance(until=_UNTIL[grain])
        self._maybe_snapshot()
        trace = self.trace
        return [trace[k] for k in range(begin, self.position)]

    def run(
        self,
        max_sweeps: int | None = None,
        max_events: int | None = None,
        time_limit: float | None = None,
        on_progress: Callable[[Engine], bool | None] | None = None,
    ) -> bool:
        """Go on at full speed until the run is finished or a limit of this call is reached.

        Parameters
        ----------
        max_sweeps : int, optional
            Pause when so many sweeps are complete.
        max_events : int, optional
            Pause when so many events have happened.
        time_limit : float, optional
            Seconds; looked at about every 50 ms.
        on_progress : callable, optional
            Called as often with the engine; the run pauses if it returns True.

        Returns
        -------
        bool
            Whether the run is finished.
        """
        deadline = None if time_limit is None else time.perf_counter() + time_limit
        sweeps = _ENDLESS if max_sweeps is None else max_sweeps
        events = _ENDLESS if max_events is None else max_events
        while True:
            due = self._snapshot_due()
            until = Until.NODE if due else Until.NEVER
            outcome = self._advance(until, event_limit=events, sweep_limit=sweeps, budget=_SLICE)
            self._maybe_snapshot()
            if outcome == Outcome.FINISHED or self.finished:
                return True
            if self.position >= events or (self.sweep >= sweeps and self._between_nodes()):
                return False
            if on_progress is not None and on_progress(self):
                return False
            if deadline is not None and time.perf_counter() >= deadline:
                return False

    def seek(self, position: int) -> None:
        """Go to the state after the first ``position`` events, back or forward.

        Raises
        ------
        ValueError
            If the run has not come that far.
        """
        if not 0 <= position <= self._frontier:
            raise ValueError(f"event {position} has not been computed; events 0 to {self._frontier} can be shown")
        nearest = max(
            (s for s in self._snapshots if s.cursor[Cursor.EVENTS] <= position),
            key=lambda s: int(s.cursor[Cursor.EVENTS]),
        )
        if position < self.position or nearest.cursor[Cursor.EVENTS] > self.position:
            self._restore(nearest)
        if position > self.position:
            self._advance(until=Until.NEVER, event_limit=position)

    def _advance(
        self, until: Until, event_limit: int = _ENDLESS, sweep_limit: int = _ENDLESS, budget: int = _ENDLESS
    ) -> Outcome:
        goal = self._goal
        goal[:] = (until, event_limit, sweep_limit, budget, 0)
        while True:
            outcome = Outcome(
                advance(self._problem, self._rule, self._pool, self._state, self._work, self._events, goal)
            )
            if outcome == Outcome.NEED_EVENTS:
                self._events = memory.grown(self._events, 2 * len(self._events.kind))
            elif outcome == Outcome.NEED_ROWS and len(self._pool.edge) < self._most_rows:
                self._pool = memory.grown(self._pool, min(2 * len(self._pool.edge), self._most_rows))
            elif outcome == Outcome.NEED_ROWS:
                self._state.cursor[[Cursor.STATUS, Cursor.PHASE]] = Status.MEMORY_LIMIT, Phase.FINISH
            else:
                break
        self._frontier = max(self._frontier, self.position)
        self._since_snapshot += int(goal[Goal.SPENT])
        if outcome == Outcome.NOT_TIGHT:
            raise EngineError("a new Benders row is not tight at its own minimiser; please report this model")
        return outcome

    def _rows_within(self, limit: int) -> int:
        """How many rows a run of so many bytes has room for, beside its tables and the snapshots it keeps at least."""
        tables = memory.nbytes(self._problem) + (1 + SNAPSHOTS) * memory.nbytes(self._state) + memory.nbytes(self._work)
        return max(len(self._pool.edge), (limit - tables) // memory.nbytes(memory.pool(self._problem, 1)))

    # -- going back -----------------------------------------------------------------------------------

    def _between_nodes(self) -> bool:
        cursor = self._state.cursor
        return bool(cursor[Cursor.PHASE] == Phase.OPEN and cursor[Cursor.SLOT] == 0 and cursor[Cursor.BLOCK] == 0)

    def _snapshot_due(self) -> bool:
        return self._snapshot_bytes > 0 and self._since_snapshot >= _SNAPSHOT_EVERY * len(self._state.lam)

    def _maybe_snapshot(self) -> None:
        latest = int(self._snapshots[-1].cursor[Cursor.EVENTS])
        if not (self._snapshot_due() and self._between_nodes() and self.position > latest):
            return
        self._snapshots.append(memory.copy(self._state))
        self._since_snapshot = 0
        if len(self._snapshots) * memory.nbytes(self._state) > self._snapshot_bytes:
            self._snapshots = self._snapshots[::2]

    def _restore(self, snapshot: State) -> None:
        for target, source in zip(self._state, snapshot, strict=True):
            np.copyto(target, source)
        # Which rows are in use has changed, so the lists of the edges are chained afresh, in order of birth.
        # Younger rows stay in the pool, unlinked; the replay writes them again.
        edges = self.row_edges()
        order = np.argsort(edges, kind="stable")
        self._pool.next[order] = -1
        alike = edges[order[:-1]] == edges[order[1:]]
        self._pool.next[order[:-1][alike]] = order[1:][alike]

    # -- looking --------------------------------------------------------------------------------------

    def certificate(self) -> float:
        """The lower bound, computed afresh from lambda alone (method.md, section 2); enumerates every edge."""
        nodes = sum(float(self.reparametrized(p).min()) for p in range(self.graph.n_groups))
        edges = sum(
            float((self.min_marginal(p, q) - self._table(2 * edge)).min())
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

    def min_marginal(self, p: int, q: int, states: ArrayLike | None = None) -> FloatArray:
        """The true min-marginal ``nu_pq``, the message from q into p before it is shared.

        Parameters
        ----------
        p, q : int
            Receiving and sending group.
        states : array_like of int, optional
            States of p, each at the cost of a pass over the states of q; by default all of them, pruned or
            eliminated (variant 12) where that is cheaper.

        Returns
        -------
        ndarray
            Energy, one entry a state.

        Raises
        ------
        ValueError
            If the groups are not coupled, or p has no such state.
        """
        arc = self.graph.arc(p, q)
        active = self.graph.active_states(arc)
        if states is None:
            return self._exact(arc)[active]
        chosen = np.asarray(states, np.int64)
        if ((chosen < 0) | (chosen >= len(active))).any():
            raise ValueError(f"group {p} has the states 0 to {len(active) - 1}; one of those asked for is none of them")
        wanted, place = np.unique(active[chosen], return_inverse=True)
        nu = np.empty(len(wanted))
        enumerate_min_marginals(self._problem, self.sent(arc), arc, wanted, nu, self.probe)
        return nu[place]

    def envelope(self, p: int, q: int) -> FloatArray:
        """The envelope ``nu_pq^- <= nu_pq`` at the present lambda and rows, energy, shape (2^|Y_p|,).

        For an exact variant, which keeps no rows, the min-marginal itself.
        """
        if self._rule.exact:
            return self.min_marginal(p, q)
        arc = self.graph.arc(p, q)
        nu = np.full(1 << self._problem.bits[arc], -np.inf)
        recycle(self._problem, self._pool, self._state, arc, self.sent(arc), nu, self.probe)
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
        pool, found = self._pool, []
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

    def tightness(self, max_states: int | None = None) -> Tightness:
        """How loose every arc's envelope is.

        Parameters
        ----------
        max_states : int, optional
            Groups with more states than this are judged on so many of them, evenly spread; by default all are
            judged on all their states.
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
                nu, envelope = self.min_marginal(p, q, states), self.envelope(p, q)[states]
            else:
                nu, envelope = self.min_marginal(p, q), self.envelope(p, q)
            slack = np.maximum(nu - envelope, 0.0)
            mean[arc] = slack.mean()
            largest[arc] = slack.max()
            tight_share[arc] = self.is_tight(arc, nu, envelope).mean()
        return Tightness(mean, largest, self.slack, tight_share, sampled)

    def message(self, p: int, q: int) -> FloatArray:
        """The dual table ``lambda_{pq->p}``, a copy, energy, shape (2^|Y_p|,)."""
        return self._table(self.graph.arc(p, q)).copy()

    def result(self, seconds: float, stopped: str | None = None) -> Result:
        """The outcome of the run as it stands."""
        labeling = self.labeling
        energy = self.mrf.energy(labeling)
        return Result(
            lower_bound=self.lower_bound,
            upper_bound=energy,
            labeling=labeling,
            decoded_bound=self.decoded_bound,
            gap=self.gap,
            status=SENTENCES[self.status] if self.finished else stopped or SENTENCES[Status.RUNNING],
            sweeps=self.sweep,
            rows=self.n_rows,
            seconds=seconds,
            feasible=self.mrf.is_feasible(energy),
            trace=self.trace,
        )

    def sent(self, arc: int) -> FloatArray:
        """What the sender of an arc brings, over its active states."""
        room = self.probe.sent[0]
        fetch(self._problem, self._state.lam, arc, room)
        sent: FloatArray = sent_table(self._problem, self._state.lam, arc, room)
        return sent

    def _exact(self, arc: int) -> FloatArray:
        """The min-marginals of an arc over the active states of its receiver."""
        nu = np.empty(1 << self._problem.bits[arc])
        sent, done = self.sent(arc), 0
        while done < len(nu):
            done, _ = exact_min_marginals(self._problem, arc, sent, done, nu, self.probe)
        return nu

    def _table(self, arc: int) -> FloatArray:
        p, _ = self.graph.ends(arc)
        start = self._problem.lam_start[arc]
        return self._state.lam[start : start + (1 << self._problem.size[p])]

    def _add_initial_rows(self) -> None:
        """For every message the reverse row at the minimiser of phi_p (paper, "Initializing")."""
        problem, pool, state = self._problem, self._pool, self._state
        for arc in range(2 * len(problem.edge_node)):
            receiver = int(problem.edge_node[arc // 2, arc % 2])
            row = int(state.cursor[Cursor.ROWS])
            anchor = active_state(problem, arc, state.decoded[receiver])
            plan_reverse_row(problem, pool, row, arc, anchor, 0.0, self._work)
            pool.born[row] = -1
            link_row(pool, state, row)
            state.cursor[Cursor.ROWS] = row + 1


def solve(
    mrf: BinaryMRF,
    partition: Partition,
    variant: int | Variant = 9,
    schedule: str = "mplp",
    max_sweeps: int = 400,
    tolerance: float = 1e-9,
    deepest: int = DEEPEST,
    improving: bool = True,
    time_limit: float | None = None,
    on_progress: Callable[[Engine], bool | None] | None = None,
) -> Result:
    """Run message passing to its end.

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition
    variant, schedule, max_sweeps, tolerance, deepest, improving
        As for `Engine`.
    time_limit : float, optional
        Seconds.
    on_progress : callable, optional
        Called about every 50 ms with the engine; the run stops if it returns True.

    Returns
    -------
    Result

    Raises
    ------
    TooLargeError, PartitionError, ValueError
        As for `Engine`.
    """
    begin = time.perf_counter()
    engine = Engine(mrf, partition, variant, schedule, tolerance, max_sweeps, deepest, improving, snapshot_bytes=0)
    engine.run(time_limit=time_limit, on_progress=on_progress)
    seconds = time.perf_counter() - begin
    late = time_limit is not None and seconds >= time_limit
    return engine.result(seconds, "stopped: time limit reached" if late else "stopped on request")


_variant = variant
