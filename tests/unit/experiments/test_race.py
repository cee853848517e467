"""A race is fair, and its runs end as they would alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import bender_core as bc
from bender_core.account import Account
from bender_core.experiments import METHODS, Limits, Outcome, curve_of, entry_by
from bender_core.experiments import lane as course
from bender_core.experiments.lane import Entry, Lane, ends_of_sweeps, thinned
from bender_core.experiments.outcome import ENDINGS, MEMORY_REACHED, SECONDS_REACHED, SWEEPS_REACHED, Record
from bender_core.experiments.race import Race
from tests.tiers import quick

MODEL = bc.sample("pose-small")
LIMITS = Limits(sweeps=400, seconds=1e9)


def turns_of(seconds: float) -> Callable[[], float]:
    """A clock under which every turn of a run takes this long."""
    return itertools.count(0.0, seconds).__next__


def lane(
    variant: int = 9, max_size: int = 8, limits: Limits = LIMITS, turn: float = 1.0, schedule: str = "mplp"
) -> Lane:
    # Groups that cost nothing: the clock alone counts.
    part = replace(bc.partition(MODEL, max_size), seconds=0.0)
    entry = Entry(MODEL, part, max_size, variant, schedule)
    return Lane(entry, limits, turns_of(turn))


def finished(*lanes: Lane) -> Race:
    raced = Race(lanes)
    while not raced.finished:
        raced.advance()
    return raced


def alone(one: Lane) -> bc.Engine:
    entry = one.entry
    engine = bc.Engine(
        entry.mrf, entry.part, variant=entry.variant, schedule=entry.schedule, max_sweeps=one.limits.sweeps
    )
    engine.run()
    return engine


def test_the_run_with_the_least_time_goes_next() -> None:
    lanes = [lane(4, turn=1.0), lane(9, turn=3.0), lane(12, turn=7.0)]
    raced = Race(lanes)
    while not raced.finished:
        before = [one.seconds for one in lanes]
        going = [one for one in lanes if one.outcome is None]
        raced.advance()
        (moved,) = [k for k, one in enumerate(lanes) if one.seconds != before[k]]
        assert before[moved] == min(one.seconds if one is not lanes[moved] else before[moved] for one in going)
        still = [one.seconds for one in lanes if one.outcome is None]
        assert not still or max(still) - min(still) <= 7.0
    # The quick ones had many turns for one of the slow one.
    assert all(one.seconds == len(one.records) * turn for one, turn in zip(lanes, (1.0, 3.0, 7.0), strict=True))


@pytest.mark.parametrize("schedule", quick(["mplp", "srmp"], ["mplp"]))
def test_a_run_ends_in_a_race_as_it_does_alone(schedule: str) -> None:
    lanes = [lane(variant, max_size, schedule=schedule) for variant in (1, 4, 9, 11, 12) for max_size in (3, 8)]
    finished(*lanes)
    for one in lanes:
        engine, outcome = alone(one), one.outcome
        assert outcome is not None
        assert outcome.status == ENDINGS.get(engine.status, engine.status.name.lower().replace("_", " "))
        assert (outcome.lower_bound, outcome.upper_bound) == (engine.lower_bound, engine.upper_bound)
        assert (outcome.sweeps, outcome.rows) == (engine.sweep, engine.n_rows)
        best = np.unpackbits(np.frombuffer(outcome.labeling, np.uint8), count=MODEL.n)
        assert MODEL.energy(best) == pytest.approx(outcome.upper_bound)


def test_records_cover_every_sweep_and_only_improve() -> None:
    one = lane(4)
    finished(one)
    engine = bc.Engine(MODEL, one.entry.part, variant=4)
    sweeps, lower = [0], [engine.lower_bound]
    while not engine.finished:
        engine.run(max_sweeps=engine.sweep + 1)
        sweeps.append(engine.sweep)
        lower.append(engine.lower_bound)
    at_ends = [record for record, is_end in zip(one.records, ends_of_sweeps(one.records), strict=True) if is_end]
    assert one.records[0][1:3] == (0, lower[0])
    assert [record[1] for record in at_ends] == list(range(1, engine.sweep + 1))
    assert [record[2] for record in at_ends] == lower[1 : 1 + engine.sweep]
    seconds, swept, bounds, best, rows, work = zip(*one.records, strict=True)
    for column in (seconds, swept, bounds, rows, work, [-value for value in best]):
        assert list(column) == sorted(column)
    assert work[-1] == bc.looking.work(engine).messages.sum() + bc.looking.work(engine).rest
    # What is kept tells the ends of sweeps and the last moment.
    assert one.outcome is not None
    curve = curve_of(one.outcome.curve)
    assert curve["lower_bound"].tolist() == [record[2] for record in at_ends] + [engine.lower_bound] * (
        one.records[-1] not in at_ends
    )


def test_limits_end_a_run() -> None:
    swept, timed = lane(4, limits=Limits(sweeps=3, seconds=1e9)), lane(4, limits=Limits(sweeps=400, seconds=5.0))
    finished(swept, timed)
    assert swept.outcome is not None
    assert timed.outcome is not None
    assert (swept.outcome.status, swept.outcome.sweeps, swept.share) == (SWEEPS_REACHED, 3, 1.0)
    assert (timed.outcome.status, timed.outcome.seconds, len(timed.records)) == (SECONDS_REACHED, 5.0, 5)
    assert (swept._run, timed._run) == (None, None)


def test_a_run_that_is_stopped_had_a_limit_of_the_time_it_took() -> None:
    one, unbegun = lane(4, turn=2.0), lane(4)
    for _ in range(3):
        one.advance()
    assert 0 < one.share < 1
    for stopped in (one, unbegun):
        stopped.end()
    assert (one.limits.seconds, unbegun.limits.seconds) == (6.0, 1e9)
    assert unbegun.outcome is None
    assert one.outcome is not None
    assert (one.outcome.status, one.outcome.seconds) == (SECONDS_REACHED, 6.0)
    kept = one.outcome
    one.end()
    assert one.outcome is kept
    task = one.entry.task(one.limits)
    assert (task.limits.seconds, task.instance.source, task.model) == (6.0, MODEL.name, MODEL.content_hash())


def test_what_does_not_fit_ends_alone() -> None:
    large, other = lane(9, limits=Limits(megabytes=0)), lane(4)
    finished(large, other)
    assert large.outcome == Outcome(MEMORY_REACHED, seconds=large.seconds)
    assert (large.records, large.share) == ([], 1.0)
    assert other.outcome is not None
    assert other.outcome.sweeps > 0


def test_the_choice_of_groups_counts_as_building() -> None:
    part = replace(bc.partition(MODEL, 8), seconds=2.5)
    one = Lane(Entry(MODEL, part, 8, 9, "mplp"), LIMITS, turns_of(1.0))
    finished(one)
    assert one.outcome is not None
    assert one.outcome.building == 2.5
    assert (one.records[0], one.records[1][0]) == ((2.5, 0, -math.inf, math.inf, 0, 0), 3.5)
    assert one.outcome.seconds == 2.5 + len(one.records) - 1
    # It is part of the limit, and such a run waits until others have had as much time.
    late = Lane(Entry(MODEL, part, 8, 9, "mplp"), Limits(seconds=3.0), turns_of(1.0))
    early = lane(4)
    raced = Race([late, early])
    for _ in range(3):
        raced.advance()
    assert (late.turns, early.turns) == (1, 2)
    assert late.outcome is not None
    assert late.outcome.status == SECONDS_REACHED


def test_making_groups_takes_time_and_stating_them_does_not() -> None:
    part = bc.partition(MODEL, 8)
    assert part.seconds > 0.0
    assert bc.manual(MODEL, [list(map(int, group)) for group in part.groups]).seconds == 0.0


# -- memory ---------------------------------------------------------------------------------------------------

GLASS = bc.synth.sherrington_kirkpatrick(n=24, seed=0)


def on_glass(variant: int, max_size: int) -> Entry:
    return Entry(GLASS, bc.partition(GLASS, max_size, "greedy"), max_size, variant, "mplp")


def grown(entry: Entry, limits: Limits) -> int:
    """The bytes that a run has charged at its end."""
    assert entry.part is not None
    engine = bc.Engine(entry.mrf, entry.part, variant=entry.variant, max_sweeps=limits.sweeps, snapshot_bytes=0)
    engine.run()
    return engine.account.used


def test_a_run_grows_in_a_race_as_far_as_it_does_alone() -> None:
    """Its rows need little at first and much later; what the others do not use is for it."""
    growing, others = on_glass(9, 12), [on_glass(12, 12), entry_by(METHODS["cycles"], GLASS)]
    limits = Limits(sweeps=60, seconds=1e9)
    needed = grown(growing, limits) + grown(others[0], limits) + others[1].memory
    shared = replace(limits, megabytes=(needed >> 20) + 2)
    assert growing.memory < needed / 4
    alone, beside = Race.of([growing], shared), Race.of([growing, *others], shared)
    for race in (alone, beside):
        while not race.finished:
            race.advance()
    ends = [race.lanes[0].outcome for race in (alone, beside)]
    assert ends[0] is not None
    assert ends[1] is not None
    assert ends[0].status == ends[1].status != MEMORY_REACHED
    assert (ends[0].sweeps, ends[0].lower_bound) == (ends[1].sweeps, ends[1].lower_bound)


def test_all_that_has_ended_is_free_again_and_starts_are_reserved() -> None:
    account = Account(64 << 20)
    field = [on_glass(9, 8), on_glass(12, 8), entry_by(METHODS["proof"], GLASS, 8)]
    race = Race.of(field, Limits(sweeps=3, seconds=1e9, megabytes=64), account)
    assert account.used == sum(entry.memory for entry in field)
    while not race.finished:
        race.advance()
    assert account.used == 0
    # A race that is stopped before its first turn, too.
    for lane_ in Race.of(field, Limits(megabytes=64), account).lanes:
        lane_.end()
    assert account.used == 0


def test_processes_reserve_what_they_need_and_half_of_the_rest() -> None:
    solver, runs = entry_by(METHODS["highs"], GLASS), [on_glass(9, 8), on_glass(12, 8)]
    account = Account(900 << 20)
    lanes = Race.of([*runs, solver, solver], Limits(megabytes=900), account).lanes
    first, second = (one.limits.megabytes for one in lanes[2:])
    assert first == second
    needs = sum(-(-entry.memory >> 20) for entry in (*runs, solver, solver))
    assert 2 * first == 2 * -(-solver.memory >> 20) + 2 * ((900 - needs) // 4)
    assert [one.limits.megabytes for one in lanes[:2]] == [900, 900]
    for one in lanes:
        one.end()


def moments(*sweeps: int) -> list[Record]:
    return [(float(k), sweep, 0.0, 0.0, 0, 0) for k, sweep in enumerate(sweeps)]


def test_thinning_keeps_the_ends_of_sweeps_the_first_and_the_last() -> None:
    records = moments(0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 3)
    assert [record[0] for record in thinned(records)] == [0, 1, 3, 4, 6, 8, 9, 10, 12]
    everything = moments(0, 1, 2, 3)
    assert thinned(everything) == everything


def test_a_long_run_keeps_few_moments_within_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "MOST_WITHIN", 3)
    # So that every turn ends within a sweep.
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1)
    one = lane(4, limits=Limits(sweeps=5, seconds=1e9))
    finished(one)
    at_ends = [record for record, is_end in zip(one.records, ends_of_sweeps(one.records), strict=True) if is_end]
    assert [record[1] for record in at_ends] == [1, 2, 3, 4, 5]
    assert one.seconds > 2 * len(one.records)
    assert len(one.records) <= 3 + 5 + 1
    assert one.outcome is not None
    assert (one.outcome.sweeps, one.outcome.lower_bound) == (5, alone(one).lower_bound)
