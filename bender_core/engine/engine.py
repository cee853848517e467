"""The engine: one resumable run of block message passing, with steps, full-speed runs and seeking.

The compiled loop ``kernels.advance`` does all the work. This module calls it slice by slice, grows arrays on request,
and keeps snapshots, so that any earlier event can be reached by replaying from the nearest one. Source: docs/method.md
§10.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Unpack

import numpy as np
from numpy.typing import ArrayLike

from bender_core.account import Account
from bender_core.engine import memory
from bender_core.engine.arrays import Arrays, Start
from bender_core.engine.fork_rows import add_rows, take_over
from bender_core.engine.gap import Margin, gap_between, relative_gap
from bender_core.engine.moved import moved
from bender_core.engine.result import STATUSES, Result, verdict
from bender_core.engine.rows import RowAt, rows_at
from bender_core.engine.settings import ENDLESS, Changes, Settings
from bender_core.engine.trace import Event, Trace, require_grain
from bender_core.forms.reduction import Reduction
from bender_core.groups import Partition, PartitionError, merge_all
from bender_core.hypergraph import HyperGraph
from bender_core.kernels._jit import typed
from bender_core.kernels.advance import advance
from bender_core.kernels.layout import Kind, LoopEnd, Phase, Run, State, Status, Until
from bender_core.model import BinaryMRF, IntArray
from bender_core.stopping import Stop, never
from bender_core.strategies.packing import what_is_left
from bender_core.variants import Variant

Grain = Literal["event", "row", "round", "node", "sweep"]
UNTIL = {
    "event": Until.EVENT,
    "row": Until.ROW,
    "round": Until.ROUND,
    "node": Until.NODE,
    "sweep": Until.SWEEP,
}
# The most table entries read between two looks at the clock, also used at the start; later slices take about this time,
# as an entry takes thirty times longer in small scattered tables than in large ones.
_SLICE, _FIRST_SLICE = 1 << 26, 1 << 22
_SLICE_SECONDS = 0.025
# A snapshot copies the dual tables; reading this many times their entries in between makes its cost negligible.
_SNAPSHOT_EVERY = 64
OnProgress = Callable[["Engine"], bool | None]


class EngineError(RuntimeError):
    """The engine reached a state that its mathematics excludes; please report the model and the settings."""


class Engine:
    """One run of message passing over hyper-variables.

    Source: docs/method.md §2, §3, §10 (paper, Algs. 1 and 2).

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition
    settings : Settings, optional
        By default the paper's variant 9 under its own schedule; ``changes`` apply to them.
    start : Engine or Start, optional
        A run of the same model to continue from; or a `Start`, for more.
    limit : int or Account, optional
        Bytes for the run, or the account that it shares with other runs; by default a new one of
        `account.memory_limit`. Everything is charged before it grows. When the account is full, snapshots are dropped;
        when none is left, the run ends with the status "memory limit".
    stop : Stop
        Checked about every 10 ms while tables are made.
    **changes
        Fields of `Settings`, such as ``variant=9``.

    Attributes
    ----------
    mrf, partition, settings
        As given.
    account : Account
        Charged with its memory.
    arrays : Arrays
        All state of the run.
    entries_read : int
        The work of the last step, run or seek, in table entries read.

    Raises
    ------
    TooLargeError
        If the run could not begin within the limit.
    PartitionError
        If the partition belongs to another model.
    ModelError
        If the initial labelling is not one of the model.
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

    def __init__(
        self,
        mrf: BinaryMRF,
        partition: Partition,
        settings: Settings | None = None,
        *,
        start: Engine | Start | None = None,
        limit: int | Account | None = None,
        stop: Stop = never,
        **changes: Unpack[Changes],
    ) -> None:
        self.mrf, self.partition = mrf, partition
        if settings is not None and not isinstance(settings, Settings):
            raise TypeError(f"settings are {settings!r}; give Settings, or one by its name, such as variant=9")
        self.settings = replace(settings or Settings(), **changes)
        self.account = limit if isinstance(limit, Account) else Account(limit)
        begin = Start(start.arrays) if isinstance(start, Engine) else start or Start()
        self.arrays: Arrays = Arrays(mrf, partition, self.settings, self.account, begin, stop)
        self.entries_read = 0
        self._slice = _FIRST_SLICE
        self._frontier = 0
        self._memory_end: int | None = None
        self._since_snapshot = 0

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run is not copied or pickled; keep its model, groups and settings, and seek its position")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return moved(self, name)

    # -- its state ------------------------------------------------------------------------------------------

    @property
    def variant(self) -> Variant:
        """The variant of the run."""
        return self.arrays.variant

    @property
    def graph(self) -> HyperGraph:
        """The hyper-graph of its groups."""
        return self.arrays.graph

    @property
    def whole(self) -> Reduction:
        """The reduction of the first run's model to the model of this run; usually they are the same."""
        return self.arrays.whole

    @property
    def margin(self) -> Margin:
        """When a labelling is no better than another."""
        return self.arrays.margin

    @property
    def position(self) -> int:
        """The number of events before the present state."""
        return int(self.arrays.state.cursor.events)

    @property
    def trace(self) -> Trace:
        """All events computed so far, including those after the present position."""
        return Trace(self.arrays.events.view, self._frontier)

    @property
    def sweep(self) -> int:
        """Completed sweeps."""
        return int(self.arrays.state.cursor.sweep)

    @property
    def n_rows(self) -> int:
        """Benders rows in use."""
        return int(self.arrays.state.cursor.rows)

    @property
    def status(self) -> Status:
        """The status: running, or the reason for the end."""
        return Status(int(self.arrays.state.cursor.status))

    @property
    def finished(self) -> bool:
        """Whether the run is at its last event."""
        return int(self.arrays.state.cursor.phase) == Phase.DONE

    @property
    def lower_bound(self) -> float:
        """The certified lower bound on the energy."""
        return float(self.arrays.state.bounds.lower + self.arrays.rule.constant)

    @property
    def upper_bound(self) -> float:
        """The energy of the best labelling so far."""
        return float(self.arrays.state.bounds.upper + self.arrays.rule.constant)

    @property
    def labeling(self) -> IntArray:
        """The best labelling so far, shape (n,)."""
        return self.graph.labeling(self.arrays.state.best)

    @property
    def gap(self) -> float:
        """`relative_gap` of the two bounds, which for negative energies is the paper's; 0 where they meet.

        Source: docs/method.md §9.4.
        """
        if self.status == Status.GAP_CLOSED:
            return gap_between(self.lower_bound, self.upper_bound, self.arrays.problem.gap_scale)
        return relative_gap(self.lower_bound, self.upper_bound)

    def result(self, seconds: float, stopped: str = STATUSES[Status.RUNNING]) -> Result:
        """The result of the run.

        Parameters
        ----------
        seconds : float
            Its time.
        stopped : str
            The status if the run is not finished.

        Returns
        -------
        Result
        """
        run, margin = self.arrays, self.margin
        labeling = self.labeling
        energy, size = self.mrf.energy(labeling), run.message_size
        status = STATUSES[self.status] if self.finished else stopped
        rounding = margin.rounding_with(size)
        gain = margin.gain if margin.excludes(run.bound_excess, size) else None
        return Result(
            **verdict(status, self.lower_bound, energy, margin.lattice, run.problem.gap_scale, rounding, gain),
            labeling=labeling,
            decoded_bound=float(run.state.bounds.best_decoded + run.rule.constant),
            sweeps=self.sweep,
            rows=self.n_rows,
            seconds=seconds,
            feasible=not self.mrf.violations(labeling),
            trace=self.trace,
        )

    # -- moving -------------------------------------------------------------------------------------------

    def step(self, grain: Grain = "row", on_progress: OnProgress | None = None) -> list[Event]:
        """Advance to the end of the next event, row, round, node or sweep, and return the events of that step.

        At an earlier position the recorded events are repeated identically. Source: docs/method.md §10.2.

        Parameters
        ----------
        grain : {"event", "row", "round", "node", "sweep"}
            A round consists of all events at one y*. "row" and "round" also stop where messages are passed, "node" only
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
        self._go_on(UNTIL[grain], self._stop(None, on_progress))
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
            If the run has not been computed so far, or cannot go back.
        TypeError
            If ``position`` is not an integer.
        """
        position = operator.index(position)
        if not 0 <= position <= self._frontier:
            raise ValueError(f"event {position} has not been computed; events 0 to {self._frontier} can be shown")
        nearest = self.arrays.past.nearest(position)
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
        partition: Partition | None = None,
        stop: Stop = never,
        *,
        reduction: Reduction | None = None,
        labeling: ArrayLike | None = None,
        **changes: Unpack[Changes],
    ) -> Engine:
        """A run that continues from the present messages, rows and labelling, with some things changed.

        This run does not change. The fork begins its first sweep with the messages passed last; it abandons an open
        update. If its groups are unions of groups of this run, its bound begins at the bound of this run or above; with
        any other partition only the best labelling is kept. Source: docs/method.md §2.5.

        Parameters
        ----------
        rows : sequence of RowAt
            Rows to make at the present messages and add; their groups and states are those of the new run.
        merge : iterable of pairs of int
            Groups to be united.
        partition : Partition, optional
            By default that of this run, without the variables that leave the model; ``merge`` applies to it.
        stop : Stop
            Checked about every 10 ms.
        reduction : Reduction, optional
            The reduction of this run's model to that of the new one, to which all other arguments refer.
        labeling : array_like of {0, 1}, shape (n,), optional
            Used if it costs less than the best one of this run.
        **changes
            Fields of `Settings`, such as ``variant=12``; by default those of this run.

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
            self.settings,
            start=Start(self.arrays, reduction, labeling),
            limit=self.account,
            stop=stop,
            **changes,
        )
        keeps_best = other.upper_bound <= self.upper_bound + self.margin.negligible
        other.arrays.proven = self.arrays.proven._replace(is_optimal=self.arrays.proven.is_optimal and keeps_best)
        if rows and other.variant.exact:
            raise ValueError(f"variant {other.variant.number} has no rows; choose another one to add some")
        take_over(self.arrays, other.arrays, reduction, stop)
        add_rows(other.arrays, rows_at(rows), stop)
        return other

    # -- slices of the compiled loop ------------------------------------------------------------------

    @cached_property
    def _loop(self) -> Callable[[Run], int]:
        """The compiled loop, for the array types of all runs."""
        loop: Callable[[Run], int] = typed(advance, self.arrays.run)
        return loop

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
            # Snapshots are taken only between two updates.
            pause = Until.NODE if until > Until.NODE and self._snapshot_due() else until
            begin = time.perf_counter()
            outcome = self._advance(pause, event_limit, sweep_limit, min(self._slice, _SLICE, work))
            spent = int(self.arrays.goal.spent)
            self._adapt(spent, time.perf_counter() - begin)
            self.entries_read += spent
            work -= spent
            if self._snapshot_due() and self.arrays.between_updates and self.position > self.arrays.past.latest:
                self.arrays.past.add(self.arrays.state)
                self._since_snapshot = 0
            if outcome == LoopEnd.FINISHED or self.finished:
                return
            if outcome == LoopEnd.REACHED and (pause == until or self._is_at(until, event_limit, sweep_limit)):
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
        if self.position >= event_limit or (self.sweep >= sweep_limit and self.arrays.between_updates):
            return True
        return until == Until.SWEEP and self.trace[self.position - 1].kind >= Kind.SWEEP

    def _advance(self, until: Until, event_limit: int, sweep_limit: int, budget: int) -> LoopEnd:
        """Call the loop once; grow the arrays that it reports as full."""
        goal = self.arrays.goal
        end = ENDLESS if self._memory_end is None else self._memory_end
        goal.until, goal.event_limit, goal.sweep_limit = until, min(event_limit, end), sweep_limit
        goal.budget, goal.spent = budget, 0
        while True:
            outcome = LoopEnd(self._loop(self.arrays.run))
            is_full = outcome in (LoopEnd.NEED_EVENTS, LoopEnd.NEED_ROWS)
            if is_full and self._grow(outcome):
                continue
            if is_full:
                self._memory_end = self.position
            if self.position == self._memory_end and event_limit > self.position and not self.finished:
                # A replay ends at the same event, even if more memory has become available.
                cursor = self.arrays.state.cursor
                cursor.status, cursor.phase = Status.MEMORY_LIMIT, Phase.FINISH
                goal.event_limit = event_limit
                continue
            break
        self._frontier = max(self._frontier, self.position)
        self._since_snapshot += int(goal.spent)
        if outcome == LoopEnd.NOT_TIGHT:
            raise EngineError("a new Benders row is not tight at its own minimiser; please report this model")
        return outcome

    def _grow(self, outcome: LoopEnd) -> bool:
        """Grow the arrays that the loop reports as full; returns whether there is memory."""
        run = self.arrays
        if outcome == LoopEnd.NEED_EVENTS:
            return run.events.grow(1, run.past.thin_out)
        return run.rows.grow(run.dims.degree + len(run.rule.cuts), run.past.thin_out)

    # -- going back -----------------------------------------------------------------------------------

    def _snapshot_due(self) -> bool:
        return self._since_snapshot >= _SNAPSHOT_EVERY * len(self.arrays.state.lam)

    def _restore(self, snapshot: State) -> None:
        memory.restore(self.arrays.state, snapshot)
        # The rows in use have changed, so the lists of the edges are linked again, in order of creation.
        # Later rows stay in the pool, unlinked; the replay writes them again.
        pool = self.arrays.rows.view
        edges, chain = pool.edge[: self.n_rows], pool.next
        order = np.argsort(edges, kind="stable")
        chain[order] = -1
        alike = edges[order[:-1]] == edges[order[1:]]
        chain[order[:-1][alike]] = order[1:][alike]
