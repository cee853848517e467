"""A race is fair, and its runs end as they would alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import bender_core as bc
from bender_core.experiments import Limits, curve_of
from bender_core.experiments import lane as course
from bender_core.experiments.lane import Entry, Lane, ends_of_sweeps, thinned
from bender_core.experiments.outcome import ENDINGS, SECONDS_REACHED, SWEEPS_REACHED, Record
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
    entry = Entry(MODEL, bc.partition(MODEL, max_size), max_size, variant, schedule)
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
    seconds, swept, bounds, best, rows = zip(*one.records, strict=True)
    for column in (seconds, swept, bounds, rows, [-value for value in best]):
        assert list(column) == sorted(column)
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


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(bc.TooLargeError):
        lane(9, limits=Limits(megabytes=0)).advance()


def moments(*sweeps: int) -> list[Record]:
    return [(float(k), sweep, 0.0, 0.0, 0) for k, sweep in enumerate(sweeps)]


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
