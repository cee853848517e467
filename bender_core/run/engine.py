"""The engine: one resumable run of block message passing, with steps, full-speed runs and seeking.

The compiled loop ``kernels.advance`` does all the work. This module calls it slice by slice, grows arrays on request,
and keeps snapshots, so that any earlier event can be reached by replaying from the nearest one. Source: docs/method.md
§10.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bender_core import memory
from bender_core.costs.fit import TooLargeError
from bender_core.forms.reduction import Reduction
from bender_core.groups import Partition, PartitionError, merge_all
from bender_core.kernels._jit import typed
from bender_core.kernels.advance import advance, is_reached
from bender_core.kernels.layout import Kind, Outcome, Phase, RowKind, Run, State, Status, Until
from bender_core.kernels.rows.pool import describe_row, link_row, make_row
from bender_core.kernels.tables.projection import active_state
from bender_core.run.arrays import ENDLESS
from bender_core.run.carrying import RowCarrier, owners, united_edges
from bender_core.run.reckoning import Reckonings
from bender_core.run.rows import RowAt, rows_at
from bender_core.run.trace import Event, require_grain
from bender_core.stopping import Stop, never
from bender_core.strategies.packing import what_is_left
from bender_core.units import storage
from bender_core.variants import Variant

Grain = Literal["event", "row", "round", "node", "sweep"]
_UNTIL = {
    "event": Until.EVENT,
    "row": Until.ROW,
    "round": Until.ROUND,
    "node": Until.NODE,
    "sweep": Until.SWEEP,
}
# Table entries read between two looks at the clock, at most and at the start; then as many as take about this long: in
# small scattered tables an entry takes thirty times longer than in large ones.
_SLICE, _FIRST_SLICE = 1 << 26, 1 << 22
_SLICE_SECONDS = 0.025
# A snapshot copies the dual tables; reading this many times their entries in between makes its cost negligible.
_SNAPSHOT_EVERY = 64
OnProgress = Callable[["Engine"], bool | None]


class EngineError(RuntimeError):
    """The engine reached a state that its mathematics excludes; please report the model and the settings."""


class Engine(Reckonings):
    """One run of message passing over hyper-variables.

    Source: docs/method.md §2, §3, §10 (paper, Algs. 1 and 2).

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition
    variant : int or Variant
        The paper's number, 1 to 11, or 12: see `variants.VARIANTS`.
    schedule : {"mplp", "srmp"}
        The order of updates and the shares: the paper's, or forward and backward (docs/method.md §6).
    tolerance : float
        Relative to the bound, or to the energy at stake if that is less: a smaller gap counts as closed, a smaller gain
        of a sweep as no progress (docs/method.md §9.3).
    max_sweeps : int
        The run ends after this number of sweeps (400 in the paper).
    deepest : int
        Where the bound rises slowly, the envelopes of a group are made tight at up to this number of its best states
        instead of only at its minimiser; 1 is the paper's algorithm (docs/method.md §4.2).
    improving : bool
        Improve the decoded labelling after every sweep by local search. Without it the upper bound is the paper's: the
        energy of the best decoded labelling (docs/method.md §8).
    snapshot_bytes : int
        The most memory for snapshots; when it is full, they are thinned out. The start is kept, too, and any later
        event can be reached from it by replay; but a run that goes on from another one and has 0 bytes for snapshots
        only goes forward.
    limit : int or Account, optional
        Bytes for the run, or the account that it shares with other runs; by default a new one of
        `account.memory_limit`. Everything is charged before it grows. When the account is full, snapshots are dropped;
        when none is left, the run ends with the status "memory limit".
    stop : Stop
        Checked about every 10 ms while tables are made.
    start : Engine, optional
        A run of the same model to continue, with any variant and schedule. Its best labelling is taken over, and if
        each of its groups lies within one of ``partition``, so are the messages: the bound begins at its bound or
        higher. If edges of that run are united, `certified_bound` may be higher still until they are updated.
    reduction : Reduction, optional
        From the model of ``start`` to this one. The messages are taken over if what is left of each group lies within
        one group; they change by what the normal form of this model has elsewhere. The rows are not (docs/method.md
        §15.3).
    excluding : bool
        Strike off states of groups that no better labelling takes (docs/method.md §15.1). It changes no result.
    labeling : array_like of {0, 1}, shape (n,), optional
        The best one known, to begin with in place of that of ``start``.

    Attributes
    ----------
    entries_read : int
        The work of the last step, run or seek, in table entries read.
    whole : Reduction
        From the model that the first run began with to the one of this run; most often they are the same.
    negligible : float
        A gain that does not count, energy.
    margin : Margin
        When a labelling is no better than another.

    Raises
    ------
    TooLargeError
        If the run could not begin within the limit.
    PartitionError
        If the partition belongs to another model.
    ModelError
        If ``labeling`` is not a labelling of the model.
    ValueError
        If there is no such variant or schedule, a number is out of range, or ``start`` is a run of another model.
    Stopped
        If ``stop`` says so.

    Examples
    --------
    >>> import bender_core as bc
    >>> mrf = bc.load("sample_instances/tiny.mrf.json")
    >>> engine = Engine(mrf, bc.partition(mrf, max_size=3))
    >>> engine.lower_bound
    -8.0
    >>> [event.kind.name for event in engine.step("row")]
    ['NODE_OPENED', 'ORACLE', 'ROW']
    >>> engine.run(), engine.lower_bound, engine.upper_bound
    (True, -3.0, -3.0)
    >>> engine.seek(0), engine.lower_bound
    (True, -8.0)
    """

    _slice = _FIRST_SLICE

    @cached_property
    def _loop(self) -> Callable[[Run], int]:
        """The compiled loop, for arrays of the types that all runs have."""
        loop: Callable[[Run], int] = typed(advance, self._run)
        return loop

    def step(self, grain: Grain = "row", on_progress: OnProgress | None = None) -> list[Event]:
        """Advance to the end of the next event, row, round, node or sweep, and return the events of that step.

        At an earlier position the recorded events are repeated identically. Source: docs/method.md §10.2.

        Parameters
        ----------
        grain : {"event", "row", "round", "node", "sweep"}
            A round is all that happens at one y*. "row" and "round" also stop where messages are passed, "node" only
            there; see docs/method.md §10.2.
        on_progress : callable, optional
            Called about every 50 ms with the engine; if it returns True, the step is interrupted, even within a
            message. The next step continues from there.

        Returns
        -------
        list of Event

        Raises
        ------
        ValueError
            If there is no such grain.
        """
        require_grain(grain)
        begin = self.position
        self._go_on(_UNTIL[grain], self._stop(None, on_progress))
        trace = self.trace
        return [trace[k] for k in range(begin, self.position)]

    def step_ended(self, grain: Grain) -> bool:
        """Whether a step of a grain ends at the present position, so that steps can be taken event by event.

        Source: docs/method.md §10.2.

        Parameters
        ----------
        grain : {"event", "row", "round", "node", "sweep"}

        Returns
        -------
        bool
            False at the start.
        """
        require_grain(grain)
        goal = self._goal
        goal.until, goal.event_limit = _UNTIL[grain], ENDLESS
        return self.position > 0 and bool(is_reached(self._events.view, self._state.cursor, goal))

    def run(
        self,
        max_sweeps: int | None = None,
        max_events: int | None = None,
        max_work: int | None = None,
        time_limit: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> bool:
        """Advance at full speed until the run is finished or a limit of this call is reached.

        Parameters
        ----------
        max_sweeps : int, optional
            Pause when this number of sweeps is complete.
        max_events : int, optional
            Pause when this number of events has happened.
        max_work : int, optional
            Pause when about this number of table entries has been read: a limit independent of the machine.
        time_limit : float, optional
            Seconds; checked about every 50 ms.
        on_progress : callable, optional
            Called about every 50 ms with the engine; the run pauses if it returns True.

        Returns
        -------
        bool
            Whether the run is finished.

        Raises
        ------
        TypeError
            If a number of sweeps, events or entries is not an integer.
        """
        sweeps, events, work = (
            ENDLESS if most is None else min(max(operator.index(most), 0), ENDLESS)
            for most in (max_sweeps, max_events, max_work)
        )
        self._go_on(Until.NEVER, self._stop(time_limit, on_progress), events, sweeps, work)
        return self.finished

    def seek(self, position: int, on_progress: OnProgress | None = None) -> bool:
        """Go to the state after the first ``position`` events, backward or forward.

        Source: docs/method.md §10.3.

        Parameters
        ----------
        position : int
        on_progress : callable, optional
            Called about every 50 ms with the engine; the seek is interrupted if it returns True.

        Returns
        -------
        bool
            Whether the position was reached.

        Raises
        ------
        ValueError
            If the run has not come that far, or cannot go back.
        TypeError
            If ``position`` is not an integer.
        """
        position = operator.index(position)
        if not 0 <= position <= self._frontier:
            raise ValueError(f"event {position} has not been computed; events 0 to {self._frontier} can be shown")
        nearest = self._past.nearest(position)
        if nearest is not None and (position < self.position or nearest.cursor.events > self.position):
            self._restore(nearest)
        if position < self.position:
            raise ValueError(f"the run cannot go back to event {position}: it has no bytes for snapshots")
        if position > self.position:
            self._go_on(Until.NEVER, self._stop(None, on_progress), position)
        return self.position == position

    # -- another run from here ------------------------------------------------------------------------

    def fork(
        self,
        rows: Sequence[RowAt] = (),
        merge: Iterable[tuple[int, int]] = (),
        variant: int | Variant | None = None,
        schedule: str | None = None,
        partition: Partition | None = None,
        deepest: int | None = None,
        stop: Stop = never,
        *,
        tolerance: float | None = None,
        max_sweeps: int | None = None,
        excluding: bool | None = None,
        reduction: Reduction | None = None,
        labeling: ArrayLike | None = None,
    ) -> Engine:
        """A run that goes on from the present messages, rows and labelling, with some things changed.

        This run stays as it is. The other one begins its first sweep with the messages that were passed last: an update
        that is open here is abandoned. Where its groups are unions of groups of this run its bound begins at the bound
        of this run or higher; with any other partition it begins afresh, with the best labelling alone. Source:
        docs/method.md §2.5.

        Parameters
        ----------
        rows : sequence of RowAt
            Rows to be made at the present messages and added, in terms of the groups of the new run.
        merge : iterable of pairs of int
            Groups to be united.
        variant, schedule, deepest, tolerance, max_sweeps, excluding
            As for `Engine`; by default those of this run.
        partition : Partition, optional
            By default that of this run, or what is left of it; ``merge`` applies to it.
        reduction : Reduction, optional
            Of the model of this run to that of the new one, to which all the rest applies.
        labeling : array_like of {0, 1}, shape (n,), optional
            Taken if it costs less than the best one of this run.
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        Engine
            It shares the account of this run.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with this run.
        PartitionError
            If groups cannot be united, or nothing is left of the model.
        ValueError
            If ``labeling`` is none of the model, a row is for groups that are not coupled, its state is unknown, or the
            variant has no rows.
        Stopped
            If ``stop`` says so.

        Examples
        --------
        >>> import bender_core as bc
        >>> mrf = bc.load("sample_instances/tiny.mrf.json")
        >>> engine = Engine(mrf, bc.partition(mrf, max_size=3))
        >>> _ = engine.step("row")
        >>> engine.fork(merge=[(0, 1)]).lower_bound
        -3.0
        """
        if reduction is not None and not reduction.reduced.n:
            raise PartitionError("all variables are decided: the best labelling is optimal")
        if partition is None:
            partition = self.partition if reduction is None else what_is_left(self.partition, reduction)
        other = Engine(
            self.mrf if reduction is None else reduction.reduced,
            merge_all(partition, merge),
            self.variant if variant is None else variant,
            self.schedule if schedule is None else schedule,
            self.tolerance if tolerance is None else tolerance,
            self.max_sweeps if max_sweeps is None else max_sweeps,
            self.deepest if deepest is None else deepest,
            self.improving,
            self.snapshot_bytes,
            self.account,
            stop,
            self,
            reduction,
            self.excluding if excluding is None else excluding,
            labeling,
        )
        if rows and other.variant.exact:
            raise ValueError(f"variant {other.variant.number} has no rows; choose another one to add some")
        other._take_over(self, reduction, stop)
        other._make_rows(rows_at(rows), stop)
        return other

    def _take_over(self, other: Engine, reduction: Reduction | None, stop: Stop) -> None:
        """Begin with the rows of another run, and the exact bounds of edges that have been united."""
        state = self._state
        owner = owners(other.partition, self.partition, None if reduction is None else reduction.home)
        if owner is not None and other.n_rows and not self.variant.exact:
            self._make_room_for_rows(other.n_rows)
            state.row_first[:] = state.row_last[:] = -1
            state.cursor.rows = 0
            pools = other._rows.view, self._rows.view
            carrier = RowCarrier(other.graph, self.graph, *pools, state, self._work, owner, reduction)
            for row in range(other.n_rows):
                stop.check()
                carrier.carry(row)
        for edge in united_edges(other.graph, self.graph, owner):
            state.edge_bound[edge] = max(self._least_of_edge(2 * edge, stop), state.edge_bound[edge])
        state.bounds.lower = state.bounds.sweep_start = state.node_bound.sum() + state.edge_bound.sum()
        self._past.begin_at(state)

    def _make_rows(self, rows: Sequence[RowAt], stop: Stop) -> None:
        """Begin with some more rows."""
        if not rows:
            return
        self._make_room_for_rows(int(self._state.cursor.rows) + len(rows))
        for asked in rows:
            self._add_row(asked, stop)
        self._past.begin_at(self._state)

    def _make_room_for_rows(self, rows: int) -> None:
        needed = rows + self._dims.degree + len(self._rule.cuts)
        missing = needed - self._rows.count
        if missing > 0 and not self._rows.grow(missing, self._past.thin_out):
            bytes_needed = missing * memory.row_bytes(self._dims)
            said = f"the run leaves no room for {storage(bytes_needed)} of rows to begin with; raise the limit"
            raise TooLargeError(said, bytes_needed, self.account.free)

    def _add_row(self, asked: RowAt, stop: Stop) -> None:
        """Make a row at the present messages, and put it to use."""
        p, q, kind = asked.receiver, asked.sender, RowKind(asked.kind)
        arc, row = self.graph.arc(p, q), int(self._state.cursor.rows)
        truth = float(self.min_marginal(p, q, [asked.state], stop)[0])
        pool, anchor = self._rows.view, active_state(self._problem, arc, asked.state)
        describe_row(pool, row, arc, anchor, int(kind), truth)
        make_row(self._problem, pool, row, self.incoming(arc), self.probe, 1)
        pool.born[row] = -1
        link_row(pool, self._state, row)
        self._state.cursor.rows += 1

    def _stop(self, seconds: float | None, on_progress: OnProgress | None) -> Stop:
        return Stop(seconds, None if on_progress is None else lambda: on_progress(self))

    def _go_on(
        self,
        until: Until,
        stop: Stop,
        event_limit: int = ENDLESS,
        sweep_limit: int = ENDLESS,
        work: int = ENDLESS,
    ) -> None:
        """Advance slice by slice to a goal, a limit of work, or a stop."""
        self.entries_read = 0
        while work > 0:
            # Snapshots are taken between two updates only.
            pause = Until.NODE if until > Until.NODE and self._snapshot_due() else until
            begin = time.perf_counter()
            outcome = self._advance(pause, event_limit, sweep_limit, min(self._slice, _SLICE, work))
            spent = int(self._goal.spent)
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
        """Adjust the size of the next slice to the desired time; the result of a run does not depend on it."""
        if seconds > _SLICE_SECONDS:
            self._slice = max(int(self._slice * _SLICE_SECONDS / seconds), 1)
        elif 2 * spent > self._slice:
            self._slice = min(2 * self._slice, _SLICE)

    def _is_at(self, until: Until, event_limit: int, sweep_limit: int) -> bool:
        """Whether a goal beyond the end of an update is reached."""
        if self.position >= event_limit or (self.sweep >= sweep_limit and self._between_nodes()):
            return True
        return until == Until.SWEEP and self.trace[self.position - 1].kind >= Kind.SWEEP

    def _advance(self, until: Until, event_limit: int, sweep_limit: int, budget: int) -> Outcome:
        """Call the loop once; grow the arrays that it reports as full."""
        goal = self._goal
        end = ENDLESS if self._memory_end is None else self._memory_end
        goal.until, goal.event_limit, goal.sweep_limit = until, min(event_limit, end), sweep_limit
        goal.budget, goal.spent = budget, 0
        while True:
            outcome = Outcome(self._loop(self._run))
            make_room = self._past.thin_out
            if outcome == Outcome.NEED_EVENTS and self._events.grow(1, make_room):
                continue
            if outcome == Outcome.NEED_ROWS and self._rows.grow(self._dims.degree + len(self._rule.cuts), make_room):
                continue
            if outcome in (Outcome.NEED_EVENTS, Outcome.NEED_ROWS):
                self._memory_end = self.position
            if self.position == self._memory_end and event_limit > self.position and not self.finished:
                # A replay ends at the same event, even if more memory is available by then.
                self._state.cursor.status, self._state.cursor.phase = Status.MEMORY_LIMIT, Phase.FINISH
                goal.event_limit = event_limit
                continue
            break
        self._frontier = max(self._frontier, self.position)
        self._since_snapshot += int(goal.spent)
        if outcome == Outcome.NOT_TIGHT:
            raise EngineError("a new Benders row is not tight at its own minimiser; please report this model")
        return outcome

    # -- going back -----------------------------------------------------------------------------------

    def _snapshot_due(self) -> bool:
        return self._since_snapshot >= _SNAPSHOT_EVERY * len(self._state.lam)

    def _restore(self, snapshot: State) -> None:
        memory.restore(self._state, snapshot)
        # The rows in use have changed, so the lists of the edges are linked again, in order of creation.
        # Later rows stay in the pool, unlinked; the replay writes them again.
        edges, chain = self.row_edges(), self._rows.view.next
        order = np.argsort(edges, kind="stable")
        chain[order] = -1
        alike = edges[order[:-1]] == edges[order[1:]]
        chain[order[:-1][alike]] = order[1:][alike]
