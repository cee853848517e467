"""Continuations of a run that stalls before its time limit.

A run that stalls has reached the best bound that its groups, schedule and envelopes allow. In turn:

- if the requested groups are large, the first runs are those of their parts; now the parts are united again;
- groups without a cycle, if memory and time allow any, on which the bound reaches the optimum;
- the other schedule, on the same groups and from the same messages;
- larger groups: the most strongly coupled ones are united, as many as time allows;
- another partition, by the best strategy in short trials (see `auto`): the better of both runs continues;
- deeper envelopes (see ``kernels.deepening``).

All but the forest and the other partition continue from the current messages, so that the bound does not fall; for
these two the best bound of all runs counts. Source: docs/method.md §13.2.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bender_core.costs.estimate import estimate
from bender_core.costs.fit import TooLargeError
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.kernels.layout import Status
from bender_core.planning.auto import VARIANT, candidates, choose
from bender_core.planning.effort import Effort
from bender_core.planning.unions import stages, united
from bender_core.run.engine import Engine
from bender_core.run.result import STATUSES, Attempt
from bender_core.stopping import Stop, Stopped
from bender_core.strategies import partition, quality
from bender_core.variants import SCHEDULES, Variant

# The bound is checked every CHUNK sweeps: a run is slow if PATIENCE times their gain would not close the gap.
CHUNK, PATIENCE = 10, 20
# Larger groups are worth a run if this number of sweeps fits into the time left.
SWEEPS = 20
# Without a cycle one sweep forward and backward is enough.
FOREST_SWEEPS = 1
# The share of the remaining time that the search for a forest may take.
LOOKING = 0.1
# A new partition may take 1 / CHOICES of the remaining time, and is tried if that is at least CHOOSING seconds.
CHOICES, CHOOSING = 4, 1.5
# The increase of M for a new partition if no groups can be united.
GROWTH = 2
# A deeper envelope is tight at this many times as many states.
DEEPER = 32

# Seconds between two calls of `Continuations.on_progress`.
TOLD_EVERY = 0.05

OnProgress = Callable[[Engine], bool | None]


@dataclass
class Continuations:
    """Successive runs of one model, and their best results.

    Attributes
    ----------
    engine : Engine
        The current run.
    parts : list of Partition
        The partitions that follow the first one, in order, before anything else is tried.
    stop : Stop
        The time limit.
    sweeps_left : int or None
        The limit for all runs together.
    on_progress : callable or None
        As for `Engine.run`.
    lower : float
        The best lower bound of all runs.
    asked : bool
        Whether ``on_progress`` requested a stop.
    tried : list of Attempt
        The finished runs, oldest first.
    """

    engine: Engine
    parts: list[Partition]
    stop: Stop
    sweeps_left: int | None = None
    on_progress: OnProgress | None = None
    lower: float = -np.inf
    asked: bool = False

    def __post_init__(self) -> None:
        self.tried: list[Attempt] = []
        self._best = self.engine.labeling
        self._size = 0
        self._told = -np.inf
        self._noted: Engine | None = None
        self._ways = self._in_turn()

    @property
    def labeling(self) -> np.ndarray:
        """The best labelling of all runs, shape (n,)."""
        return self._best

    @property
    def is_late(self) -> bool:
        """Whether the time limit is reached."""
        return self.stop.left == 0.0

    def run(self) -> None:
        """Run to the end, without continuations."""
        self.engine.run(on_progress=self._watch)
        self._note()

    def follow(self) -> None:
        """Run, with continuations, until the gap is closed, the time limit is reached or nothing is left to try."""
        patient = False
        while True:
            self._run_while_fast(patient)
            self._note()
            if self._is_over():
                return
            following = next(self._ways, None)
            if following is not None:
                self.engine = following
            elif patient or self.engine.finished:
                return
            else:
                patient = True

    def _run_while_fast(self, patient: bool) -> None:
        """Run until the end or, without patience, until the bound rises slowly."""
        engine = self.engine
        while not engine.finished and not self._watch(engine):
            begin, lower = engine.sweep, engine.lower_bound
            count = CHUNK if self.sweeps_left is None else min(CHUNK, self.sweeps_left)
            engine.run(max_sweeps=begin + count, on_progress=self._watch)
            if self.sweeps_left is not None:
                self.sweeps_left -= engine.sweep - begin
            gain, gap = engine.lower_bound - lower, engine.upper_bound - engine.lower_bound
            if not patient and engine.sweep - begin == CHUNK and gain * PATIENCE < gap:
                return

    def _watch(self, engine: Engine) -> bool:
        """Report progress at intervals; returns whether to stop."""
        now = time.perf_counter()
        if self.on_progress is not None and now >= self._told + TOLD_EVERY:
            self._told = now
            self.asked = bool(self.on_progress(engine))
        return self._is_stopped()

    def _is_stopped(self) -> bool:
        return self.asked or self.sweeps_left == 0 or self.stop()

    def _is_over(self) -> bool:
        if self._is_stopped():
            return True
        energy = self.engine.mrf.energy(self._best)
        return self.engine.lattice.raised(self.lower, energy) >= energy or self.engine.status == Status.GAP_CLOSED

    def _note(self) -> None:
        """Record the results of the run."""
        engine = self.engine
        self.lower = max(self.lower, engine.lower_bound)
        if engine.mrf.energy(engine.labeling) < engine.mrf.energy(self._best):
            self._best = engine.labeling
        if self._noted is engine:
            self.tried.pop()
        self._noted = engine
        self.tried.append(attempt(engine))

    # -- continuations --------------------------------------------------------------------------------

    def _in_turn(self) -> Iterator[Engine]:
        """Successive runs, each made when the previous one stalls."""
        for part in self.parts:
            yield from self._made(part)
        yield from self._forest()
        yield from self._other_schedule()
        while True:
            grown = self._united()
            if grown is not None:
                yield from self._made(grown)
                yield from self._other_schedule()
            tried = self._size
            yield from self._rival(grown is None)
            if grown is None and self._size == tried:
                break
        if not self.engine.variant.exact:
            yield from self._made(self.engine.partition, deepest=DEEPER * self.engine.deepest)

    def _forest(self) -> Iterator[Engine]:
        """The cheapest groups without a cycle that fit. The run begins with messages 0; the best bound is kept."""
        mrf = self.engine.mrf
        if not self.engine.graph.cycles():
            return
        best, least = None, np.inf
        looking = Stop(None if self.stop.left is None else LOOKING * self.stop.left, self.stop)
        for max_size in range(self.engine.partition.max_size, LARGEST_GROUP + 1):
            try:
                part = partition(mrf, max_size, "layers", stop=looking)
                if quality(mrf, part).cycles or not self._fits(part, 12, FOREST_SWEEPS):
                    continue
                seconds = estimate(mrf, part, 12, stop=looking).seconds_per_sweep
            except Stopped:
                break
            if seconds < least:
                best, least = part, seconds
        if best is not None:
            yield from self._made(best, variant=12, schedule="srmp")

    def _other_schedule(self) -> Iterator[Engine]:
        other = next(name for name in SCHEDULES if name != self.engine.schedule)
        yield from self._made(self.engine.partition, schedule=other)

    def _united(self) -> Partition | None:
        """The partition with as many groups united as time allows; None if there are none, or no time."""
        mrf, part = self.engine.mrf, self.engine.partition
        most = len(part) // 2
        while most and not self.stop():
            larger = united(mrf, part, most)
            if len(larger) == len(part):
                return None
            if self._fits(larger, self.engine.variant, SWEEPS):
                return larger
            most //= 2
        return None

    def _rival(self, larger: bool) -> Iterator[Engine]:
        """A new partition of the same M, or a larger one; after its run the better of both continues."""
        kept, left = self.engine, self.stop.left
        size = max(kept.partition.max_size, self._size) + GROWTH if larger else kept.partition.max_size
        if not self._size < size <= LARGEST_GROUP:
            return
        if left is not None and left < CHOICES * CHOOSING:
            return
        choosing = Stop(None if left is None else left / CHOICES, self.stop)
        try:
            found = [one for one in candidates(kept.mrf, size, stop=choosing) if self._fits(one.part, VARIANT, SWEEPS)]
            if not found:
                return
            part = choose(kept.mrf, found, Effort(choosing))
            parts = stages(kept.mrf, part, kept.variant, np.inf if left is None else left, choosing)
        except Stopped:
            return
        self._size = size
        yield from self._made(parts[0])
        for larger_part in parts[1:]:
            yield from self._made(larger_part)
        if self.engine.lower_bound < kept.lower_bound:
            self.engine = kept

    def _fits(self, part: Partition, which: int | Variant, sweeps: int) -> bool:
        """Whether memory and time suffice for these sweeps."""
        cost = estimate(self.engine.mrf, part, which)
        left = self.stop.left
        return cost.least <= self.engine.account.free and (left is None or sweeps * cost.seconds_per_sweep <= left)

    def _made(
        self, part: Partition, variant: int | None = None, schedule: str | None = None, deepest: int | None = None
    ) -> Iterator[Engine]:
        """A run that continues the current one, with the given changes."""
        now = self.engine
        try:
            yield Engine(
                now.mrf,
                part,
                now.variant if variant is None else variant,
                schedule or now.schedule,
                now.tolerance,
                now.max_sweeps,
                deepest or now.deepest,
                now.improving,
                snapshot_bytes=0,
                limit=now.account,
                stop=self.stop,
                start=now,
            )
        except (Stopped, TooLargeError):
            return


def attempt(engine: Engine) -> Attempt:
    """The settings and results of a run."""
    return Attempt(
        variant=engine.variant.number,
        schedule=engine.schedule,
        groups=engine.graph.n_groups,
        max_size=engine.partition.max_size,
        deepest=engine.deepest,
        sweeps=engine.sweep,
        lower_bound=engine.lower_bound,
        upper_bound=engine.upper_bound,
        status=STATUSES[engine.status] if engine.status != Status.RUNNING else "left",
    )
