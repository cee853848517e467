"""The policy of a proof: rounds that reduce the model, unite groups, and partition anew.

A round is a run of message passing on the reduced model. As soon as it has decided enough variables, the model is
reduced further, and the next round continues with the same messages on the remaining groups, united as far as unions
fit. If a round stalls, larger unions are allowed; if no groups can be united, or unions stall as well, the reduced
model is partitioned anew, as short trials advise. Beside the rounds, the bound by frustrated cycles is raised: the
better of both bounds gets most of the work. Source: docs/method.md §15.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

import numpy as np

from bender_core.account import Account
from bender_core.checking.certificate import Round
from bender_core.cycles.packing import Packing
from bender_core.engine.arrays import Start
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError
from bender_core.engine.settings import Settings
from bender_core.forms.polynomial import is_flat
from bender_core.forms.reduction import Facts, Reduction
from bender_core.groups import Partition
from bender_core.looking.decided import confirmed, decided, proves
from bender_core.model import BinaryMRF, IntArray
from bender_core.stopping import Stop
from bender_core.strategies import applicable_rules, default_strategy, partition
from bender_core.strategies.packing import packed
from bender_core.trying.change import EXACT, PROVING, ByStrategy, Change, change_by, digits
from bender_core.trying.cycles import LEADING, Cycles
from bender_core.trying.known import Known
from bender_core.trying.steps import CYCLES
from bender_core.trying.trials import Spend, Trial, Trying, best_of, go_on, largest
from bender_core.variants import SCHEDULES
from bender_core.warming import ready

# The size of the first groups (small ones are cheap); after a round that stalls, groups may be larger by GROWTH, so
# that two of them can be united.
SMALL, GROWTH = 5, 5
# The number of partitions tried at the largest size, one after another without a decision, before the proof gives up;
# and the limit on their work, as a multiple of the work up to the last decision, or of the trials of one partition.
PATIENCE, ENOUGH = 10, 100
# Decisions are used as soon as they cover this share of the variables. They are checked each time the work of a round
# has grown by this factor since the last check.
WORTH, LOOK = 0.1, 1.1
# A round stalls if a sweep gains less than this share of the gap.
LEAST = 0.02
# Trials of this many runs do as much work as was done before them, and at least TRIAL table entries each, a limit that
# doubles with every partition in vain. Then the best of them do as much again. A run that stalls ends its trial.
TRIALS, FINALISTS, TRIAL = 8, 3, 1 << 26
FIRST_SCHEDULE = "mplp"
LARGEST = 16  # the default M

PACKED = "packed"
# What a proof rests on: message passing between groups, frustrated cycles, or both.
GROUPS, BOTH = "groups", "both"
METHODS = (BOTH, GROUPS, CYCLES)


def first_change(mrf: BinaryMRF) -> Change:
    """The change from a run that has done nothing yet to the first round of its proof: small groups are cheap."""
    return Change(prove=True, schedule=FIRST_SCHEDULE, by_strategy=ByStrategy(SMALL, default_strategy(mrf)))


def other_schedule(schedule: str) -> str:
    """The schedule that a run does not use."""
    return next(other for other in SCHEDULES if other != schedule)


# Groups in any order.
Sets = frozenset[frozenset[int]]


def as_sets(part: Partition) -> Sets:
    """Groups as sets, for comparison."""
    return frozenset(frozenset(group.tolist()) for group in part.groups)


class Rounds(Protocol):
    """The rounds of a proof, which `proof.Descent` keeps: those that are chosen here begin and end there.

    Attributes
    ----------
    known : Known
    cycles : Cycles
    rounds : list of Round
        Those that have ended.
    account : Account
    round : Trial or None
        The present one.
    left : Reduction or None
        What the last one has left of the model; None if it goes on.
    """

    known: Known
    cycles: Cycles
    rounds: list[Round]
    account: Account
    round: Trial | None
    left: Reduction | None

    def begin(self, trial: Trial) -> None:
        """Begin a round."""

    def reduce(self, facts: Facts, by: Packing | None = None) -> int:
        """End the round with what it has decided, or cycles have; returns how many variables are left."""

    def end_round(self, proves: bool = False, by: Packing | None = None) -> None:
        """End the round, or record what cycles have proven."""


class Policy:
    """Chooses the rounds of a proof.

    Parameters
    ----------
    proof : Descent
        It carries out the rounds that are chosen here.
    max_size : int
        M, of the largest groups.
    seed : int
        The seed of the partitions.
    method : str
        One of `METHODS`.
    stop : Stop
    """

    def __init__(self, proof: Rounds, max_size: int, seed: int, method: str, stop: Stop) -> None:
        self._proof, self._known, self._method = proof, proof.known, method
        self._max_size, self._seed, self._stop = max_size, seed, stop
        # Open variables, schedule and groups of the rounds that have ended, which are not tried again.
        self._ended = set[tuple[int, str, Sets]]()
        self._by_cycles: Packing | None = None  # the cycles that have ended the last round

    def descend(self, first: Engine | None) -> Trying[bool]:
        """Choose one round after another; returns whether the best labelling is optimal.

        Parameters
        ----------
        first : Engine or None
            The run of the first round, if there is one.
        """
        known, cycles = self._known, self._proof.cycles
        if not known.whole.reduced.n:
            return True
        ready(EXACT).wait(self._stop)
        if first is None:
            known.search(self._stop)
            known.lower_penalties()
        else:
            self._proof.begin(Trial(first.partition.strategy, first))
        if self._method == CYCLES:
            proves = self._taken((yield from cycles.finish()))
            if cycles.is_given_up and not proves:
                raise TooLargeError("there is no room for more cycles; raise the limit")
            return proves
        if self._method == BOTH and self._taken((yield from cycles.go_on(-math.inf))):
            return True
        return (yield from self._by_groups())

    def _by_groups(self) -> Trying[bool]:
        """One round after another, beside the bound by cycles."""
        proof, known = self._proof, self._known
        size, failures, successful_work = min(SMALL, self._max_size), 0, TRIALS * TRIAL
        if proof.round is None:
            proof.begin(self._first(size))
        size = min(max(size, self._now.engine.partition.largest), self._max_size)
        while True:
            before = known.whole.reduced.n
            left = yield from self._round()
            if not left or (is_flat(known.whole.reduced) and not known.whole.rounding):
                return True
            enough = before - left >= (WORTH * before if size < self._max_size else 1)
            if enough:
                failures = 0
            elif size < self._max_size:
                size = min(size + GROWTH, self._max_size)
            else:
                failures += 1
            if not failures:
                successful_work = max(successful_work, known.work)
            elif failures > PATIENCE or known.work > ENOUGH * successful_work:
                return self._method == BOTH and self._taken((yield from proof.cycles.finish(LEADING * known.work)))
            if self._by_cycles is not None:
                proof.begin(self._after(self._by_cycles, size))
            elif self._unites(size) and not failures:
                proof.begin(self._united(size))
            else:
                proof.begin((yield from self._best(size, failures)))

    def _taken(self, proves: bool) -> bool:
        """Record the round of cycles if it proves the best labelling, as is returned."""
        if proves:
            self._proof.end_round(proves=True, by=self._proof.cycles.packing)
        return proves

    @property
    def _now(self) -> Trial:
        """The run of this round."""
        assert self._proof.round is not None
        return self._proof.round

    @property
    def _left(self) -> Reduction:
        """The reduction of this round's model."""
        assert self._proof.left is not None
        return self._proof.left

    def _remember(self) -> None:
        engine = self._now.engine
        self._ended.add((engine.mrf.n, engine.settings.schedule, as_sets(engine.partition)))

    # -- a round ------------------------------------------------------------------------------------------

    def _round(self) -> Trying[int]:
        """Run until enough is decided or the bound stalls; returns how many variables are left, 0 if all is proven."""
        look, labeling = 0.0, self._known.left
        while True:
            now, engine = self._now, self._now.engine
            stalls = yield Spend(now, least=LEAST)
            self._known.note(engine)
            if proves(engine):
                self._proof.end_round(proves=True)
                return 0
            if self._method == BOTH and (left := (yield from self._round_of_cycles(engine))) is not None:
                self._remember()
                return left
            if not stalls and now.work < look:
                continue
            look = LOOK * now.work
            if self._improves(engine, labeling):
                self._begin_again()
                labeling = self._known.left
                continue
            facts, enough = decided(engine), WORTH * engine.mrf.n
            if stalls or len(facts) >= enough:
                facts = confirmed(engine, facts, self._stop)
            if stalls or len(facts) >= enough:
                self._remember()
                return self._proof.reduce(facts)

    def _round_of_cycles(self, engine: Engine) -> Trying[int | None]:
        """Raise the bound by cycles; returns how many variables are left if that ends the round, else None."""
        cycles, self._by_cycles = self._proof.cycles, None
        if self._taken((yield from cycles.go_on(engine.lower_bound))):
            return 0
        facts = cycles.facts()
        if facts is None:
            return None
        self._by_cycles = cycles.packing
        return self._proof.reduce(facts, cycles.packing)

    def _improves(self, engine: Engine, before: IntArray) -> bool:
        """Search; returns whether a new labelling is known that is so much better that a run should go on with it."""
        self._known.search(self._stop)
        if self._known.left is before:
            return False
        gain = engine.upper_bound - self._known.energy_left
        return gain > max(LEAST * (engine.upper_bound - engine.lower_bound), self._known.negligible)

    def _begin_again(self) -> None:
        """Continue with the messages of this round and the best labelling, as a new round if memory allows."""
        with suppress(TooLargeError):
            trial = self._made(PACKED, Change())
            self._remember()
            self._proof.end_round()
            self._proof.begin(trial)

    # -- the next round -----------------------------------------------------------------------------------

    def _first(self, size: int) -> Trial:
        """A run on default groups: choosing among others takes longer than a first bound."""
        model = self._known.whole.reduced

        def make(most: int) -> Trial:
            part = partition(model, most, seed=self._seed, stop=self._stop)
            settings = replace(Settings(**PROVING), schedule=FIRST_SCHEDULE, snapshot_bytes=0)
            start = Start(labeling=self._known.left, left=self._known.rest)
            engine = Engine(model, part, settings, start=start, limit=self._proof.account, stop=self._stop)
            return Trial(default_strategy(model), engine)

        return largest(make, size)

    def _after(self, packing: Packing, size: int) -> Trial:
        """A run on what cycles have left: they tie variables of different groups, whose messages cannot go on."""
        model, engine = self._known.whole.reduced, self._now.engine
        change, strategy = replace(change_by(packing), reduce=True, schedule=FIRST_SCHEDULE), default_strategy(model)

        def make(most: int) -> Trial:
            part = partition(model, most, strategy, self._seed, self._stop)
            whole = replace(change, by_strategy=ByStrategy(most, strategy, self._seed))
            return Trial(strategy, whole.fork(engine, self._stop, self._left, part, packing), whole)

        return largest(make, size)

    def _unites(self, size: int) -> bool:
        """Whether the next round, with groups of up to this size, would have fewer variables or fewer groups."""
        engine, left = self._now.engine, self._left
        return left.reduced.n < engine.mrf.n or len(packed(left, engine.partition, size)) < len(engine.partition)

    def _united(self, size: int) -> Trial:
        """A run that continues with the messages of this round on its remaining groups, united as far as unions fit.

        If no variable leaves the model, and no union fits, the other schedule is used.
        """
        engine, left = self._now.engine, self._left

        def make(most: int) -> Trial:
            part = packed(left, engine.partition, most)
            same = left.reduced.n == engine.mrf.n and len(part) == len(engine.partition)
            change = Change(reduce=True, pack=most, schedule=other_schedule(engine.settings.schedule) if same else None)
            return self._made(PACKED, change, part)

        return largest(make, size)

    def _best(self, size: int, failures: int) -> Trying[Trial]:
        """The run with the best bound after trials of other ways to continue.

        All do at most the same work, together about as much as was done before; then the best of them do as much again.
        """
        before = self._known.work
        of_a_sweep = self._now.work // max(self._now.engine.sweep, 1)
        work = max(before // TRIALS, of_a_sweep, TRIAL << failures)
        best = yield from best_of(self._others(size, failures), work, _proves, LEAST, FINALISTS, self._note)
        if not best:
            return self._united(self._max_size)
        if _proves(best[0]):
            return best[0]
        for trial in best:
            yield from go_on(trial, trial.work + before // FINALISTS, _proves, LEAST)
            self._note(trial)
        return max(best, key=lambda trial: trial.engine.lower_bound)

    def _note(self, trial: Trial) -> None:
        self._known.note_labeling(trial.engine)

    def _others(self, size: int, seed: int) -> Iterator[Trial]:
        """Runs on the reduced model that differ from the rounds that have ended."""
        schedule, model, tried = self._now.engine.settings.schedule, self._known.whole.reduced, self._ended.copy()
        for strategy, change, part in self._ways(size, seed):
            way = (model.n, change.schedule or schedule, as_sets(part))
            if way not in tried:
                tried.add(way)
                with suppress(TooLargeError):
                    yield self._made(strategy, change, part)

    def _ways(self, size: int, seed: int) -> Iterator[tuple[str, Change, Partition]]:
        """The other ways to continue: the other schedule, and every strategy on the reduced model."""
        engine, model = self._now.engine, self._known.whole.reduced
        change = Change(reduce=True, pack=size, schedule=other_schedule(engine.settings.schedule))
        yield PACKED, change, packed(self._left, engine.partition, size)
        for strategy in applicable_rules(model):
            change = Change(reduce=True, by_strategy=ByStrategy(size, strategy, self._seed + seed))
            yield strategy, change, partition(model, size, strategy, self._seed + seed, self._stop)

    def _made(self, strategy: str, change: Change, part: Partition | None = None) -> Trial:
        """A run that continues that of this round, as far as its groups allow, with the best labelling known."""
        engine, left = self._now.engine, self._proof.left
        self._known.search(self._stop)
        labeling = engine.labeling if left is None else left.reduce(engine.labeling)
        if not np.array_equal(self._known.left, labeling):
            change = replace(change, labeling=digits(self._known.left))
        return Trial(strategy, change.fork(engine, self._stop, left, part), change)


def _proves(trial: Trial) -> bool:
    return proves(trial.engine)
