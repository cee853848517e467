"""The position of a run: bounds, counts, the labelling, and its progress.

Source: docs/method.md §10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bender_core.kernels.layout import Phase, Status
from bender_core.model import FloatArray, IntArray
from bender_core.run.arrays import Arrays
from bender_core.run.bounds import gap_between, relative_gap
from bender_core.run.result import STATUSES, Result, verdict
from bender_core.run.trace import Trace


@dataclass(frozen=True)
class Position:
    """The progress of a run, including that within an update and a message.

    Attributes
    ----------
    sweep : int
        Completed sweeps.
    update, updates : int
        Completed and total updates of the sweep.
    message, messages : int
        Completed and total messages of the update; 0 of 0 between updates.
    share : float
        The share of the current message that is done, 0 to 1.
    """

    sweep: int
    update: int
    updates: int
    message: int
    messages: int
    share: float


class Standing(Arrays):
    """The present state of a run."""

    @property
    def position(self) -> int:
        """The number of events up to the present state."""
        return int(self._state.cursor.events)

    @property
    def trace(self) -> Trace:
        """All events computed so far, including those after the present position."""
        return Trace(self._events.view, self._frontier)

    @property
    def sweep(self) -> int:
        """Completed sweeps."""
        return int(self._state.cursor.sweep)

    @property
    def n_rows(self) -> int:
        """Benders rows in use."""
        return int(self._state.cursor.rows)

    @property
    def status(self) -> Status:
        """The status: running, or the reason for the end."""
        return Status(int(self._state.cursor.status))

    @property
    def finished(self) -> bool:
        """Whether the run is at its last event."""
        return int(self._state.cursor.phase) == Phase.DONE

    @property
    def lower_bound(self) -> float:
        """The certified lower bound on the energy."""
        return float(self._state.bounds.lower + self._rule.constant)

    @property
    def opening_bound(self) -> float:
        """The lower bound before the first event."""
        return float(self._past.opening + self._rule.constant)

    @property
    def upper_bound(self) -> float:
        """The energy of the best labelling so far."""
        return float(self._state.bounds.upper + self._rule.constant)

    @property
    def decoded_bound(self) -> float:
        """The energy of the best decoded labelling, before any improvement (the paper's upper bound)."""
        return float(self._state.bounds.best_decoded + self._rule.constant)

    @property
    def rounded_bound(self) -> float:
        """The lower bound, raised to the next possible energy (see `lattice`)."""
        return self.lattice.raised(self.lower_bound, self.upper_bound)

    @property
    def gap(self) -> float:
        """`bounds.relative_gap` of the two bounds, which for negative energies is the paper's; 0 where they meet.

        Source: docs/method.md §9.4.
        """
        if self.status == Status.GAP_CLOSED:
            return gap_between(self.lower_bound, self.upper_bound, self._problem.gap_scale)
        return relative_gap(self.lower_bound, self.upper_bound)

    @property
    def bound_excess(self) -> float:
        """The lower bound less the upper bound, energy; the model's constant does not cost it digits."""
        return float(self._state.bounds.lower - self._state.bounds.upper)

    @property
    def message_size(self) -> float:
        """The sum, over all messages, of the largest energy that each contains, in size."""
        lam, first = self._state.lam, self._problem.lam_first
        if not len(lam):
            return 0.0
        # Without a table of sizes, which would take as much memory as the messages.
        return float(np.maximum(np.maximum.reduceat(lam, first), -np.minimum.reduceat(lam, first)).sum())

    @property
    def whereabouts(self) -> Position:
        """The progress of the run, including that within an update and a message."""
        cursor, work = self._state.cursor, self._work
        slot, share, messages = int(cursor.slot), 0.0, 0
        if cursor.phase <= Phase.PASS and len(self._rule.order):
            p = self._rule.order[cursor.position]
            first, last = self._problem.arc_first[p : p + 2]
            messages = int(last - first)
            if cursor.begun and self._rule.exact:
                arc = self._problem.node_arcs[first + slot]
                share = max(int(work.progress.next), 0) / (1 << self._problem.bits[arc])
            elif cursor.phase > Phase.OPEN:
                slot = messages
        return Position(self.sweep, int(cursor.position), len(self._rule.order), min(slot, messages), messages, share)

    @property
    def labeling(self) -> IntArray:
        """The best labelling so far, shape (n,)."""
        return self.graph.labeling(self._state.best)

    @property
    def open_node(self) -> int:
        """The group being updated, -1 between two updates."""
        cursor = self._state.cursor
        busy = cursor.phase <= Phase.PASS and not self._between_nodes() and len(self._rule.order)
        return int(self._rule.order[cursor.position]) if busy else -1

    @property
    def slack(self) -> FloatArray:
        """The slack of every arc at its minimiser when last computed; NaN before; (2 E,)."""
        return self._state.slack.copy()

    def row_edges(self) -> IntArray:
        """The hyper-edge of every row in use, in the order of creation, shape (n_rows,)."""
        edges: IntArray = self._rows.view.edge[: self.n_rows].copy()
        return edges

    def rows_made(self) -> IntArray:
        """The number of rows in use that were made for each message, shape (2 E,)."""
        pool, count = self._rows.view, self.n_rows
        arcs = 2 * pool.edge[:count] + pool.side[:count]
        return np.bincount(arcs, minlength=len(self._state.slack))

    def _between_nodes(self) -> bool:
        cursor = self._state.cursor
        return int(cursor.phase) == Phase.OPEN and int(cursor.slot) == 0 and int(cursor.begun) == 0

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
        labeling = self.labeling
        energy = self.mrf.energy(labeling)
        status = STATUSES[self.status] if self.finished else stopped
        size, scale = self.message_size, self._problem.gap_scale
        rounding = self.margin.rounding_with(size)
        gain = self.margin.gain if self.margin.excludes(self.bound_excess, size) else None
        return Result(
            **verdict(status, self.lower_bound, energy, self.lattice, scale, rounding, gain),
            labeling=labeling,
            decoded_bound=self.decoded_bound,
            sweeps=self.sweep,
            rows=self.n_rows,
            seconds=seconds,
            feasible=not self.mrf.violations(labeling),
            trace=self.trace,
        )
