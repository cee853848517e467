"""A proof that a labelling is optimal, or bounds: one descent that reduces, packs and cuts anew, without branching.

A round is a run of message passing on what is left of the model. As soon as it has decided enough, the model is
reduced, and the next round goes on with the same messages on the groups of what is left, united as far as they fit.
Where a round stalls, larger unions are allowed; where no groups can be united, or these stall, too, what is left is cut
anew, as short trials advise. All is counted in work, so without a time limit nothing depends on the clock. Source:
docs/method.md §15.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from bender_core import looking
from bender_core.account import Account
from bender_core.checking.certificate import EXHAUSTED, OPTIMAL, OUT_OF_MEMORY, OUT_OF_TIME, STOPPED, Certificate, Round
from bender_core.checking.left import minima
from bender_core.checking.proof import Proof
from bender_core.engine.arrays import Start
from bender_core.engine.engine import Engine
from bender_core.engine.fit import TooLargeError
from bender_core.engine.settings import ENDLESS, Settings
from bender_core.forms.polynomial import is_flat
from bender_core.forms.reduction import OPEN, Facts, Reduction, reduction
from bender_core.groups import Partition, require_size
from bender_core.looking.decided import confirmed, decided, proves
from bender_core.model import BinaryMRF, IntArray, require_model
from bender_core.stopping import Stop, Stopped, never
from bender_core.strategies import applicable_rules, default_strategy, partition
from bender_core.strategies.packing import packed
from bender_core.trying.bounds import Bounds
from bender_core.trying.change import EXACT, PROVING, ByStrategy, Change, Fork, digits
from bender_core.trying.steps import Steps
from bender_core.trying.trial import Sets, Trial, as_sets, largest, other_schedule
from bender_core.warming import ready

# The size of the first groups, small ones being cheap; a round that stalls is followed by one with groups larger by
# GROWTH, so that two of them can be united.
SMALL, GROWTH = 5, 5
# Cuts that are tried at the largest size, one after another without a decision, before it is given up; and how many
# times as much work, with them, as was done up to the last decision, or by the trials of one cut.
PATIENCE, ENOUGH = 10, 100
# What is decided is used as soon as it is this share of the variables. It is looked for each time a round has done
# this many times as much work as at the look before.
WORTH, LOOK = 0.1, 1.1
# A round stalls if a sweep gains less than this share of the gap.
LEAST = 0.02
# Trials of this many runs do as much work as was done before them, and at least TRIAL table entries each, twice as many
# with every cut in vain. Then the best of them do as much again. A run that stalls ends its trial.
TRIALS, FINALISTS, TRIAL = 8, 3, 1 << 26
FIRST_SCHEDULE = "mplp"
LARGEST = 16  # variables in a group, unless others are asked for
# Seconds between two calls of ``on_progress``.
TOLD_EVERY = 0.05

PACKED = "packed"

OnProgress = Callable[["Descent"], bool | None]
OnRound = Callable[[Fork, Engine], None]


def first_change(mrf: BinaryMRF) -> Change:
    """The change that makes the first round of a proof of a run that has done nothing yet: small groups are cheap."""
    return Change(prove=True, schedule=FIRST_SCHEDULE, cut=ByStrategy(SMALL, default_strategy(mrf)))


def _bound(trial: Trial) -> float:
    return -trial.engine.lower_bound


class Descent(Bounds):
    """A proof on its way.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size, seed
        As for `certify`.
    stop : Stop
        Ends it; with the time limit.
    first : Engine, optional
        The run of the first round, made by a `Change` that proves; by default one on small groups.
    on_round : callable, optional
        Called with the `Fork` and the run of every further round when it begins; the runs stay as they are then.
    account : Account, optional
        For the memory of its runs; by default that of the first one, or one of its own.

    Attributes
    ----------
    rounds : list of Round
        Those that have ended.
    finished : bool
        Whether it is over.
    status : str
        As of a `Certificate`; "stopped" until it is over.
    account : Account
    mrf, cap, whole, labeling, lower_bound, upper_bound, negligible, work
        As of `Bounds`; trials and the search for labellings are work, too.
    """

    def __init__(
        self,
        mrf: BinaryMRF,
        max_size: int = LARGEST,
        seed: int = 0,
        stop: Stop = never,
        first: Engine | None = None,
        on_round: OnRound | None = None,
        account: Account | None = None,
    ) -> None:
        require_model(mrf)
        require_size(max_size)
        labeling = mrf.unary.argmin(axis=1) if first is None else first.labeling
        super().__init__(mrf, labeling, seed, 0.0 if first is None else first.margin.negligible)
        self.rounds: list[Round] = []
        self.finished, self.status = False, STOPPED
        self.account = account or (Account() if first is None else first.account)
        self._max_size, self._seed, self._stop = max_size, seed, stop
        self._given, self._on_round = first, on_round
        self._begin = time.perf_counter()
        self._course = self._descend()
        self._sweeps = 0  # of the rounds before this one
        self._round: Trial | None = None
        self._last: Reduction | None = None  # from the model of the engine to what is left
        self._steps = Steps(self.account)
        # Variables left, schedule and groups of the rounds that have ended: they are not tried again.
        self._ended = set[tuple[int, str, Sets]]()

    @property
    def engine(self) -> Engine | None:
        """The run of this round; None before the first."""
        return None if self._round is None else self._round.engine

    @property
    def sweep(self) -> int:
        """Completed sweeps, of all rounds."""
        return self._sweeps + (0 if self.engine is None else self.engine.sweep)

    @property
    def n_rows(self) -> int:
        """The number of rows of this round."""
        return 0 if self.engine is None else self.engine.n_rows

    def run(self, max_sweeps: int | None = None, on_progress: OnProgress | None = None) -> bool:
        """Go on until it is proven, stopped, or nothing is left to try, or until a limit of this call is reached.

        Parameters
        ----------
        max_sweeps : int, optional
            Pause when this number of sweeps or more are complete: those of a trial count once it is taken.
        on_progress : callable, optional
            Called about every 50 ms with the descent, which pauses if it returns True.

        Returns
        -------
        bool
            Whether it is over.

        Raises
        ------
        TooLargeError
            If not even small groups fit into memory.
        """
        told = -math.inf
        while not self.finished and (max_sweeps is None or self.sweep < max_sweeps):
            self._advance()
            now = time.perf_counter()
            if on_progress is not None and now >= told + TOLD_EVERY:
                told = now
                if on_progress(self):
                    break
        return self.finished

    def end(self) -> Certificate:
        """End it where it is, if it is not over; returns the outcome."""
        if not self.finished:
            self._conclude(STOPPED)
        optimal, labeling = self.status == OPTIMAL, self.labeling.copy()
        lower = self.upper_bound if optimal else self._claimed
        return Certificate(
            optimal=optimal,
            lower_bound=lower,
            upper_bound=self.upper_bound,
            labeling=labeling,
            feasible=self.mrf.is_feasible(self.upper_bound),
            open_variables=0 if optimal else self.whole.reduced.n,
            negligible=self.negligible,
            rounding=self._rounding,
            status=self.status,
            # A better labelling that a later round found may cost less by a rounding than the bound of an earlier one.
            rounds=tuple(replace(one, lower_bound=min(one.lower_bound, self.upper_bound)) for one in self.rounds),
            seconds=time.perf_counter() - self._begin,
            proof=self._proof(labeling, lower),
        )

    def _proof(self, labeling: IntArray, lower: float) -> Proof | None:
        steps = self._steps.steps
        if steps is None:
            return None
        return Proof(self.mrf.content_hash(), labeling, lower, self.upper_bound, self.negligible, steps, cap=self.cap)

    @property
    def _rounding(self) -> float:
        """How much the bound of the last round may be wrong."""
        engine = self.engine
        return 0.0 if engine is None else engine.margin.rounding_with(engine.arrays.message_size)

    @property
    def _claimed(self) -> float:
        """A bound that no rounding has raised, below the upper bound: equal ones would claim a proof."""
        lower = max(self._steps.lower_bound, math.fsum(minima(self.whole.model)))
        rounded = (1 + len(self.rounds)) * math.ulp(lower)
        # The constant is added to the bound of every round.
        lower -= rounded if rounded > self.negligible else 0.0
        return min(lower, math.nextafter(self.upper_bound, -math.inf))

    def _advance(self) -> None:
        """Go on for about 50 ms, or to the end of what cannot be broken off."""
        try:
            next(self._course)
        except StopIteration as over:
            # None: an error has ended it before.
            self._conclude(STOPPED if over.value is None else OPTIMAL if over.value else EXHAUSTED)
        except Stopped:
            self._conclude(OUT_OF_TIME if self._stop.left == 0.0 else STOPPED)
        except TooLargeError:
            self._conclude(OUT_OF_MEMORY)
            if self.engine is None:
                raise

    def _conclude(self, status: str) -> None:
        self._course.close()
        self.finished, self.status = True, status
        if status == OPTIMAL:
            self.lower_bound = self.upper_bound
        elif self.engine is not None and self._last is None:
            self._end(fixed=0, tied=0)

    # -- rounds: each yields where it may pause ----------------------------------------------------------

    def _descend(self) -> Generator[None, None, bool]:
        """Round after round; returns whether the best labelling is optimal."""
        if not self.whole.reduced.n:
            return True
        yield from self._pause()
        ready(EXACT).wait(self._stop)
        size, idle, fruitful = min(SMALL, self._max_size), 0, TRIALS * TRIAL
        self._take(self._first(size))
        size = min(max(size, self._running.partition.max_size), self._max_size)
        while True:
            before = self.whole.reduced.n
            facts = yield from self._run()
            left = 0 if facts is None else self._reduce(facts)
            if not left or (is_flat(self.whole.reduced) and not self.whole.rounding):
                return True
            enough = before - left >= (WORTH * before if size < self._max_size else 1)
            if enough:
                idle = 0
            elif size < self._max_size:
                size = min(size + GROWTH, self._max_size)
            else:
                idle += 1
            if not idle:
                fruitful = max(fruitful, self.work)
            elif idle > PATIENCE or self.work > ENOUGH * fruitful:
                return False
            goes_on = self._unites(size) and not idle
            self._take(self._next(size) if goes_on else (yield from self._best_of(size, idle)))

    def _run(self) -> Generator[None, None, Facts | None]:
        """Run until enough is decided or the bound stalls; returns what is decided, None if the bound proves all."""
        look = 0.0
        while True:
            now, engine = self._now, self._running
            try:
                stalls = yield from self._sweep(now)
            finally:
                self._note(engine)
            if proves(engine):
                self._end(fixed=engine.mrf.n, tied=0, proves=True)
                return None
            if not stalls and now.work < look:
                continue
            look = LOOK * now.work
            if self._improves(engine):
                self._begin_again()
                continue
            facts, enough = decided(engine), WORTH * engine.mrf.n
            if stalls or len(facts) >= enough:
                facts = confirmed(engine, facts, self._stop)
            if stalls or len(facts) >= enough:
                return facts

    def _sweep(self, trial: Trial, max_work: int = ENDLESS) -> Generator[None, None, bool]:
        """Run to the end of a sweep, or of some work; returns whether the bound stalls."""
        engine, end, paused = trial.engine, trial.work + max_work, True
        sweep, lower = engine.sweep + 1, engine.lower_bound
        is_whole = not engine.position or looking.step_ended(engine, "sweep")
        yield from self._pause()

        def pause(_: Engine) -> bool:
            nonlocal paused
            paused = True
            return True

        while paused:
            paused = False
            engine.run(max_sweeps=sweep, max_work=end - trial.work, on_progress=pause)
            trial.work += engine.entries_read
            self.work += engine.entries_read
            if paused:
                yield from self._pause()
        gain, gap = engine.lower_bound - lower, engine.upper_bound - engine.lower_bound
        return engine.finished or (is_whole and gain < LEAST * gap)

    def _pause(self) -> Iterator[None]:
        """A moment in which whoever makes the proof may do something else, or end it."""
        yield
        self._stop.check()

    def _reduce(self, facts: Facts) -> int:
        """Take what is decided out of the model; returns how many variables are left."""
        last = self._last = reduction(self.whole, facts)
        fixed = int((facts.value != OPEN).sum())
        self._end(fixed, len(facts) - fixed, last)
        self._leave(last, self._running.labeling)
        return last.reduced.n

    def _improves(self, engine: Engine) -> bool:
        """Look for a labelling so much better than that of a run that the run should go on with it."""
        if not self._search(self._stop):
            return False
        gain = engine.upper_bound - self._best.energy
        return gain > max(LEAST * (engine.upper_bound - engine.lower_bound), self.negligible)

    def _begin_again(self) -> None:
        """Go on with the messages of this round and the best labelling, as a round of its own if memory allows."""
        with suppress(TooLargeError):
            trial = self._made(PACKED, Change())
            self._end(fixed=0, tied=0)
            self._take(trial)

    @property
    def _now(self) -> Trial:
        assert self._round is not None
        return self._round

    @property
    def _running(self) -> Engine:
        return self._now.engine

    def _take(self, trial: Trial) -> None:
        """Begin a round."""
        if trial.change is not None and self._on_round is not None:
            self._on_round(Fork(self._running.position, trial.change), trial.engine)
        self._sweeps = self.sweep
        self._round, self._last = trial, None
        self._note(trial.engine)

    def _end(self, fixed: int, tied: int, found: Reduction | None = None, proves: bool = False) -> None:
        """Record a round, keep what proves its facts or its bound, and its labelling if that is better."""
        engine = self._running
        self._ended.add((engine.mrf.n, engine.settings.schedule, as_sets(engine.partition)))
        self._steps.add(engine, self.whole, self._certain(engine), found, proves)
        self._keep_better(engine.labeling)
        self.rounds.append(
            Round(
                engine.mrf.n,
                len(engine.partition),
                engine.partition.max_size,
                self._now.strategy,
                engine.variant.number,
                engine.settings.schedule,
                engine.sweep,
                self._now.work,
                min(self.lower_bound, self._steps.lower_bound),
                self.upper_bound,
                fixed,
                tied,
                time.perf_counter() - self._begin,
            )
        )

    # -- ways to go on --------------------------------------------------------------------------------

    def _first(self, size: int) -> Trial:
        """A run on the usual groups: a choice among others takes longer than a first bound."""
        if self._given is not None:
            return Trial(self._given.partition.strategy, self._given)
        self._search(self._stop)
        self._cap()
        model = self.whole.reduced

        def make(most: int) -> Trial:
            part = partition(model, most, seed=self._seed, stop=self._stop)
            settings = replace(Settings(**PROVING), schedule=FIRST_SCHEDULE, snapshot_bytes=0)
            start = Start(labeling=self._best.labeling)
            engine = Engine(model, part, settings, start=start, limit=self.account, stop=self._stop)
            return Trial(default_strategy(model), engine)

        return largest(make, size)

    def _next(self, size: int) -> Trial:
        """A run that goes on with the messages of this round, on what is left of its groups, united as far as they fit.

        Where nothing is left out, and nothing fits, the other schedule goes on.
        """
        engine = self._running
        last = self._last
        assert last is not None

        def make(most: int) -> Trial:
            part = packed(last, engine.partition, most)
            same = last.reduced.n == engine.mrf.n and len(part) == len(engine.partition)
            change = Change(reduce=True, pack=most, schedule=other_schedule(engine.settings.schedule) if same else None)
            return self._made(PACKED, change, part)

        return largest(make, size)

    def _unites(self, size: int) -> bool:
        """Whether the next round has fewer variables or fewer groups than this one, if groups may be so large."""
        engine, last = self._running, self._last
        assert last is not None
        return last.reduced.n < engine.mrf.n or len(packed(last, engine.partition, size)) < len(engine.partition)

    def _others(self, size: int, seed: int) -> Iterator[Trial]:
        """Runs on what is left that go on in other ways than the rounds that have ended."""
        engine, model, tried = self._running, self.whole.reduced, self._ended.copy()
        for strategy, change, part in self._ways(size, seed):
            way = (model.n, change.schedule or engine.settings.schedule, as_sets(part))
            if way not in tried:
                tried.add(way)
                with suppress(TooLargeError):
                    yield self._made(strategy, change, part)

    def _ways(self, size: int, seed: int) -> Iterator[tuple[str, Change, Partition]]:
        """To go on under the other schedule, and with what is left cut by every strategy."""
        engine, model = self._running, self.whole.reduced
        assert self._last is not None
        change = Change(reduce=True, pack=size, schedule=other_schedule(engine.settings.schedule))
        yield PACKED, change, packed(self._last, engine.partition, size)
        for strategy in applicable_rules(model):
            change = Change(reduce=True, cut=ByStrategy(size, strategy, self._seed + seed))
            yield strategy, change, partition(model, size, strategy, self._seed + seed, self._stop)

    def _made(self, strategy: str, change: Change, part: Partition | None = None) -> Trial:
        """A run that goes on from that of this round, as far as its groups allow, with the best labelling known."""
        engine, last = self._running, self._last
        self._search(self._stop)
        known = engine.labeling if last is None else last.reduce(engine.labeling)
        if not np.array_equal(self._best.labeling, known):
            change = replace(change, labeling=digits(self._best.labeling))
        return Trial(strategy, change.fork(engine, self._stop, last, part), change)

    def _best_of(self, size: int, idle: int) -> Generator[None, None, Trial]:
        """Of the runs that go on in other ways the one with the best bound after a trial.

        All may do the same work, together about as much as was done before; the best of them then as much again.
        """
        before, best = self.work, list[Trial]()
        of_a_sweep = self._now.work // max(self._running.sweep, 1)
        for trial in self._others(size, idle):
            yield from self._try(trial, max(before // TRIALS, of_a_sweep, TRIAL << idle))
            if proves(trial.engine):
                return trial
            best = sorted([*best, trial], key=_bound)[:FINALISTS]
        if not best:
            return self._next(self._max_size)
        for trial in best:
            yield from self._try(trial, before // FINALISTS)
        return min(best, key=_bound)

    def _try(self, trial: Trial, work: int) -> Iterator[None]:
        engine, end = trial.engine, trial.work + work
        try:
            while trial.work < end and not proves(engine):
                if (yield from self._sweep(trial, end - trial.work)):
                    break
            yield from self._pause()
        except (Stopped, GeneratorExit):
            if engine.lower_bound > self.lower_bound:
                # So that its bound counts.
                self._take(trial)
            raise
        finally:
            self._note_labeling(engine)
