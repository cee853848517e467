"""One run within its limits, in any number of turns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from bender_core.account import Account
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError, required_bytes
from bender_core.experiments.outcome import Outcome, Record, outcome_of, record
from bender_core.experiments.plan import PROOF, Instance, Limits, Task, task_of
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.trying.proof import Descent
from bender_core.trying.trials import Mover

# The most records from within sweeps that a run keeps, besides those at the ends of sweeps.
MOST_WITHIN = 2000

# The thread's processor time, which excludes other load on the machine.
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class Entry:
    """The settings of a run, or of a proof.

    Attributes
    ----------
    mrf : BinaryMRF
    part : Partition
        The groups of a run; those with which a proof begins.
    max_size : int
        The requested M; the largest one of a proof.
    variant : int
    schedule : str
        Those of a proof are the first round's.
    proves : bool
        Whether it is a proof.
    """

    mrf: BinaryMRF
    part: Partition
    max_size: int
    variant: int
    schedule: str
    proves: bool = False

    @property
    def strategy(self) -> str:
        """The strategy that makes its groups."""
        return PROOF if self.proves else self.part.strategy

    @cached_property
    def memory(self) -> int:
        """The bytes that it needs at its start; of a proof, those of its first round."""
        return required_bytes(self.mrf, self.part, self.variant)

    def begin(self, limits: Limits, account: Account) -> Mover:
        """Begin it.

        Raises
        ------
        TooLargeError
        """
        if self.proves:
            return Descent(self.mrf, self.max_size, account=account)
        return Engine(
            self.mrf,
            self.part,
            variant=self.variant,
            schedule=self.schedule,
            max_sweeps=limits.sweeps,
            snapshot_bytes=0,
            limit=account,
        )

    def task(self, limits: Limits) -> Task:
        """The run as a task, for a store."""
        run = self.part, self.max_size, self.variant, self.schedule
        return task_of(Instance(self.mrf.name), self.mrf, *run, limits, self.proves)


@dataclass(eq=False)
class Lane:
    """One run within its limits.

    Attributes
    ----------
    entry : Entry
    limits : Limits
        A proof has no limit of sweeps.
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
    _run: Mover | None = None

    @property
    def sweeps(self) -> int:
        """Completed sweeps."""
        return self.records[-1][1] if self.records else 0

    @property
    def share(self) -> float:
        """The share that is done, at least: it may end before its limits."""
        if self.outcome is not None:
            return 1.0
        of_sweeps = 0.0 if self.entry.proves else self.sweeps / self.limits.sweeps
        return min(max(of_sweeps, self.seconds / self.limits.seconds), 1.0)

    def advance(self) -> None:
        """Advance to the end of the sweep, for at most about 50 ms.

        Raises
        ------
        TooLargeError, EngineError
        """
        begin = self.clock()
        try:
            if self._run is None:
                self._run = self._begun()
            else:
                self._run.run(max_sweeps=self._run.sweep + 1, on_progress=lambda _: True)
        except TooLargeError:
            self._run = None  # a proof that has not begun
            raise
        self.seconds += self.clock() - begin
        # A proof has no bound before its first round.
        if self._run.lower_bound > -math.inf:
            self.records.append(record(self._run, self.seconds))
        if len(self.records) > MOST_WITHIN + self.sweeps:
            self.records = thinned(self.records)
        if self._run.finished or self.seconds >= self.limits.seconds:
            self.end()

    def end(self) -> None:
        """End it at its position and free its memory. For a run that was stopped, the time used becomes its limit."""
        if self._run is not None and self.outcome is None:
            if not self._run.finished and self.seconds < self.limits.seconds:
                self.limits = replace(self.limits, seconds=self.seconds)
            ends = [is_end or k == len(self.records) - 1 for k, is_end in enumerate(ends_of_sweeps(self.records))]
            kept = [one for one, is_kept in zip(self.records, ends, strict=True) if is_kept]
            self.outcome = outcome_of(self._run, self.seconds, kept)
        if isinstance(self._run, Descent):
            # So that its memory does not wait for the garbage collector.
            self._run.end()
        self._run = None

    def _begun(self) -> Mover:
        entry = self.entry
        named = "proof" if entry.proves else f"variant {entry.variant}"
        account = Account(self.limits.megabytes << 20, self.account, f"race, {named}, M = {entry.max_size}")
        return entry.begin(self.limits, account)


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
