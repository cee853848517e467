"""Runs on one model side by side. The run with the least time goes next, so a race is fair at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from bender_core.account import Account
from bender_core.costs.fit import required_bytes
from bender_core.experiments.perform import Outcome, Record, outcome_of, record
from bender_core.experiments.plan import Instance, Limits, Task, task_of
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.run.engine import Engine

# The most records from within sweeps that a run keeps, besides those at the ends of sweeps.
MOST_WITHIN = 2000

# The thread's processor time, which excludes other load on the machine.
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class Entry:
    """The settings of a run in a race.

    Attributes
    ----------
    mrf : BinaryMRF
    part : Partition
    max_size : int
        The requested M.
    variant : int
    schedule : str
    """

    mrf: BinaryMRF
    part: Partition
    max_size: int
    variant: int
    schedule: str

    @cached_property
    def memory(self) -> int:
        """The bytes that it is predicted to need."""
        return required_bytes(self.mrf, self.part, self.variant)

    def task(self, limits: Limits) -> Task:
        """The run as a task, for a store."""
        instance = Instance(self.mrf.name)
        return task_of(instance, self.mrf, self.part, self.max_size, self.variant, self.schedule, limits)


@dataclass(eq=False)
class Lane:
    """One run of a race.

    Attributes
    ----------
    entry : Entry
    limits : Limits
    clock : callable
    account : Account, optional
        The account that its memory is charged to, in addition to its own limit.
    seconds : float
        Its own computing time, tables included.
    records : list of Record
        Its positions at the start, at the end of every sweep, and at some moments between.
    outcome : Outcome or None
        Set when it has ended; its memory is then free.
    """

    entry: Entry
    limits: Limits
    clock: Clock = time.thread_time
    account: Account | None = None
    seconds: float = 0.0
    records: list[Record] = field(default_factory=list)
    outcome: Outcome | None = None
    _engine: Engine | None = None

    @property
    def sweeps(self) -> int:
        """Completed sweeps."""
        return self.records[-1][1] if self.records else 0

    @property
    def share(self) -> float:
        """The share that is done, at least: it may end before its limits."""
        if self.outcome is not None:
            return 1.0
        return min(max(self.sweeps / self.limits.sweeps, self.seconds / self.limits.seconds), 1.0)

    def advance(self) -> None:
        """Advance to the end of the sweep, for at most about 50 ms.

        Raises
        ------
        TooLargeError, EngineError
        """
        begin = self.clock()
        if self._engine is None:
            self._engine = self._begun()
        else:
            self._engine.run(max_sweeps=self._engine.sweep + 1, on_progress=lambda engine: True)
        self.seconds += self.clock() - begin
        self.records.append(record(self._engine, self.seconds))
        if len(self.records) > MOST_WITHIN + self.sweeps:
            self.records = thinned(self.records)
        if self._engine.finished or self.seconds >= self.limits.seconds:
            self.end()

    def end(self) -> None:
        """End it at its position and free its memory. For a run that was stopped, the time used becomes its limit."""
        if self._engine is not None and self.outcome is None:
            if not self._engine.finished and self.seconds < self.limits.seconds:
                self.limits = replace(self.limits, seconds=self.seconds)
            ends = [is_end or k == len(self.records) - 1 for k, is_end in enumerate(ends_of_sweeps(self.records))]
            kept = [one for one, is_kept in zip(self.records, ends, strict=True) if is_kept]
            self.outcome = outcome_of(self._engine, self.seconds, kept)
        self._engine = None

    def _begun(self) -> Engine:
        entry, limits = self.entry, self.limits
        return Engine(
            entry.mrf,
            entry.part,
            entry.variant,
            entry.schedule,
            max_sweeps=limits.sweeps,
            snapshot_bytes=0,
            limit=Account(limits.megabytes << 20, self.account, f"race, variant {entry.variant}, M = {entry.max_size}"),
        )


@dataclass(eq=False)
class Race:
    """Runs that take turns.

    Attributes
    ----------
    lanes : list of Lane
    """

    lanes: Sequence[Lane]

    @property
    def finished(self) -> bool:
        """Whether all runs have ended."""
        return all(lane.outcome is not None for lane in self.lanes)

    def advance(self) -> None:
        """Advance the run with the least time a little.

        Raises
        ------
        TooLargeError, EngineError
        """
        min((lane for lane in self.lanes if lane.outcome is None), key=lambda lane: lane.seconds).advance()


def ends_of_sweeps(records: Sequence[Record]) -> list[bool]:
    """Whether each record was made at the end of a sweep: it is the first with a new number of sweeps."""
    return [k > 0 and records[k - 1][1] != one[1] for k, one in enumerate(records)]


def thinned(records: Sequence[Record]) -> list[Record]:
    """The records without every other one from within sweeps; the first and the last stay."""
    kept, skip = [], False
    for k, (one, is_end) in enumerate(zip(records, ends_of_sweeps(records), strict=True)):
        if is_end or k in (0, len(records) - 1):
            kept.append(one)
            continue
        if not skip:
            kept.append(one)
        skip = not skip
    return kept
