"""One run within its limits, in any number of turns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from bender_core.account import Account, Charges
from bender_core.cycles.packing import needed_bytes
from bender_core.cycles.rounds import Rounds
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError, required_bytes
from bender_core.experiments.methods import Method
from bender_core.experiments.outcome import (
    CURVE,
    MEMORY_REACHED,
    NOT_COUNTED,
    Outcome,
    Record,
    building_of,
    outcome_of,
    record,
)
from bender_core.experiments.plan import Instance, Limits, Task, task_of
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.rivals.rival import OF_PROCESS, OF_SEARCH, Rival
from bender_core.trying.proof import Descent
from bender_core.trying.trials import Mover

# The most records from within sweeps that a run keeps, besides those at the ends of sweeps.
MOST_WITHIN = 2000

# The thread's processor time, which excludes other load on the machine.
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class Entry:
    """The settings of a run.

    Attributes
    ----------
    mrf : BinaryMRF
    part : Partition or None
        Its groups; those with which a method begins, None if it makes no groups.
    max_size : int
        The requested M; the largest one of a method, 0 if it makes no groups.
    variant : int
    schedule : str
        Those of a method are its `Method.setting`.
    method : Method or None
        That which is run instead of message passing on the groups.
    """

    mrf: BinaryMRF
    part: Partition | None
    max_size: int
    variant: int
    schedule: str
    method: Method | None = None

    @property
    def strategy(self) -> str:
        """The strategy that makes its groups, or the name of its method."""
        if self.method is not None:
            return self.method.name
        assert self.part is not None
        return self.part.strategy

    @property
    def is_process(self) -> bool:
        """Whether it is an external solver, whose process has to know its memory before it begins."""
        return self.method is not None and bool(self.method.package)

    @property
    def building(self) -> float:
        """The seconds in which its groups were chosen; a method that chooses its groups does so in its own time."""
        return self.part.seconds if self.part is not None and self.method is None else 0.0

    @cached_property
    def memory(self) -> int:
        """The bytes that it needs at its start; for a method with groups, those of its first round."""
        if self.part is not None:
            return required_bytes(self.mrf, self.part, self.variant)
        return (OF_PROCESS + OF_SEARCH) * self.is_process + needed_bytes(self.mrf)

    def begin(self, limits: Limits, account: Account) -> Mover:
        """Begin it.

        Raises
        ------
        TooLargeError
        """
        if self.method is not None:
            return self.method.begin(self.mrf, self.max_size, account)
        assert self.part is not None
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
        return task_of(Instance(self.mrf.name), self.mrf, *run, limits, self.method)


def entry_by(method: Method, mrf: BinaryMRF, max_size: int = 0, part: Partition | None = None) -> Entry:
    """A run of a method.

    Parameters
    ----------
    method : Method
    mrf : BinaryMRF
    max_size : int
        The largest size of its groups, if it makes groups.
    part : Partition, optional
        The groups with which it begins (`Method.first_groups`), if it makes groups; needed for its `task` alone.
    """
    return Entry(mrf, part, max_size, *method.setting, method)


@dataclass(eq=False)
class Lane:
    """One run within its limits.

    Attributes
    ----------
    entry : Entry
    limits : Limits
        A method has no limit of sweeps.
    clock : callable
    account : Account, optional
        The account that its memory is charged to, in addition to its own limit.
    seconds : float
        Its own computing time, the choice of its groups and tables included; of a `Rival` as that counts it.
    turns : int
    records : list of Record
        Its positions at the start, at the end of every sweep or round, and at some moments between.
    outcome : Outcome or None
        Set when it has ended; its memory is then free.
    """

    entry: Entry
    limits: Limits
    clock: Clock = time.thread_time
    account: Account | None = None
    seconds: float = 0.0
    turns: int = 0
    records: list[Record] = field(default_factory=list)
    outcome: Outcome | None = None
    _run: Mover | None = None
    _charges: Charges | None = None
    _reserved: Charges | None = None
    _is_full: bool = False

    @property
    def sweeps(self) -> int:
        """Completed sweeps, or rounds."""
        return self.records[-1][1] if self.records else 0

    @property
    def share(self) -> float:
        """The share that is done, at least: it may end before its limits."""
        if self.outcome is not None:
            return 1.0
        of_sweeps = 0.0 if self.entry.method else self.sweeps / self.limits.sweeps
        return min(max(of_sweeps, self.seconds / self.limits.seconds), 1.0)

    def reserve(self, count: int) -> None:
        """Keep bytes of the shared account free until it begins, so that others which have begun cannot take them."""
        assert self.account is not None
        self._reserved = self.account.open(f"{self._name}, not begun yet", {"start": count})

    def advance(self) -> None:
        """Advance to the end of the sweep, or of the round, for at most about 50 ms; if it is too large, it ends.

        Raises
        ------
        EngineError
        """
        begin = self.clock()
        self.turns += 1
        try:
            if self._run is None:
                self._run = self._begun()
                self.seconds = self.entry.building
            else:
                self._run.run(self._run.sweep + 1, on_progress=lambda _: True)
        except TooLargeError:
            self._refuse(self.seconds + self.clock() - begin)
            return
        self.seconds = self._run.seconds if isinstance(self._run, Rival) else self.seconds + self.clock() - begin
        self._note(self._run)
        if len(self.records) > MOST_WITHIN + self.sweeps:
            self.records = thinned(self.records)
        self._is_full = not (self._run.finished or self._fits(self._run))
        if self._has_ended(self._run):
            self.end()

    def _note(self, run: Mover) -> None:
        """Record the position, unless no bound is known yet; a curve begins where building has ended, if it takes time.

        That of a rival is its form of the model, that of a run the choice of its groups.
        """
        if not self.records:
            if isinstance(run, Rival) and run.is_built:
                self.records.append((run.building, 0, -math.inf, math.inf, 0, NOT_COUNTED))
            elif self.entry.building:
                self.records.append((self.entry.building, 0, -math.inf, math.inf, 0, 0))
        # News that a busy parent received late is older than what was read of the process meanwhile.
        while self.records and self.records[-1][0] > self.seconds:
            self.records.pop()
        if self.records or run.lower_bound > -math.inf:
            self.records.append(record(run, self.seconds))

    def _fits(self, run: Mover) -> bool:
        """Charge the memory of rounds, which others charge themselves; returns whether it fits."""
        if not isinstance(run, Rounds):
            return True
        assert self._charges is not None
        return self._charges.charge("rounds", run.nbytes - self._charges.used)

    def _refuse(self, seconds: float) -> None:
        """End it where it finds no room, for its groups or for the first ones of a proof: others may have used it."""
        self.seconds = seconds
        self.outcome = Outcome(MEMORY_REACHED, seconds=seconds)
        self.end()

    def _has_ended(self, run: Mover) -> bool:
        return run.finished or self._is_full or self.seconds >= self.limits.seconds

    def end(self) -> None:
        """End it at its position and free its memory. For a run that was stopped, the time used becomes its limit."""
        if self._run is not None and self.outcome is None:
            if not self._has_ended(self._run):
                self.limits = replace(self.limits, seconds=self.seconds)
            # A curve begins where building has ended.
            others = 0 if building_of(np.array(self.records[:1], CURVE)) else None, len(self.records) - 1
            ends = [is_end or k in others for k, is_end in enumerate(ends_of_sweeps(self.records))]
            kept = [one for one, is_kept in zip(self.records, ends, strict=True) if is_kept]
            found = outcome_of(self._run, self.seconds, kept)
            self.outcome = replace(found, status=MEMORY_REACHED) if self._is_full else found
        if isinstance(self._run, Descent):
            # So that its memory does not wait for the garbage collector.
            self._run.end()
        if isinstance(self._run, Rival):
            self._run.close()
        for charges in (self._charges, self._reserved):
            if charges is not None:
                charges.close()
        self._run = None

    @property
    def _name(self) -> str:
        entry = self.entry
        named = entry.method.name if entry.method else f"variant {entry.variant}"
        return f"race, {named}" + f", M = {entry.max_size}" * (entry.part is not None)

    def _begun(self) -> Mover:
        account = Account(self.limits.megabytes << 20, self.account, self._name)
        self._charges = account.open("rounds", {})
        with self._reserved.giving_way() if self._reserved else nullcontext():
            return self.entry.begin(self.limits, account)


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
