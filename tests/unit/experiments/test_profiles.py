"""Profiles, medians over time, percentiles and paired tests, against their definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bender_core.engine.gap import relative_gap
from bender_core.experiments.contenders import CLOSED, NEARLY, Contender, Study
from bender_core.experiments.profiles import (
    CONFIDENCE,
    LEAST,
    MOST_EXACT,
    Steps,
    _holm,
    _interval,
    _signed_rank,
    distance_over_time,
    pairs,
    performance_profile,
    solved_over_time,
    summaries,
)
from tests.unit.experiments.studies import LIMITS, run_of, solved_in

TIMES = st.floats(LEAST, 60.0) | st.just(math.inf)
TABLES = st.integers(1, 6).flatmap(
    lambda count: st.lists(st.lists(TIMES, min_size=count, max_size=count), min_size=1, max_size=4)
)


def study_of(table: Sequence[Sequence[float]]) -> Study:
    return Study(solved_in(dict(zip((1, 9, 11, "highs"), table, strict=False))))


def value(steps: Steps, at: float) -> float:
    """The value of a step function; 0 before its first step."""
    return float(steps.y[steps.x <= at][-1]) if np.any(steps.x <= at) else 0.0


@given(TABLES)
@settings(max_examples=60)
def test_a_profile_is_the_share_solved_within_a_multiple_of_the_fastest(table: list[list[float]]) -> None:
    study = study_of(table)
    lines = performance_profile(study, list(study.by_contender), CLOSED)
    fastest = [min(column) for column in zip(*table, strict=True)]
    for line, times in zip(lines, table, strict=True):
        ratios = [mine / best for mine, best in zip(times, fastest, strict=True) if math.isfinite(mine)]
        for ratio in (1.0, 1.5, 7.0, 1e6, *ratios):
            within = sum(each <= ratio for each in ratios) / len(times)
            assert value(line, ratio) == pytest.approx(within)
        assert np.all(np.diff(line.x) >= 0)
        assert line.x[0] == 1.0


@given(TABLES)
@settings(max_examples=60)
def test_instances_are_solved_when_their_time_has_come(table: list[list[float]]) -> None:
    study = study_of(table)
    for line, times in zip(solved_over_time(study, list(study.by_contender), CLOSED), table, strict=True):
        for seconds in (LEAST, 0.5, 60.0, *filter(math.isfinite, times)):
            assert value(line, seconds) == sum(time <= seconds for time in times)


def test_only_instances_on_which_all_have_run_count() -> None:
    study = Study(solved_in({9: [1.0, 1.0, 1.0], 11: [2.0]}))
    lines = performance_profile(study, list(study.by_contender), CLOSED)
    assert [line.y[-1] for line in lines] == [1.0, 1.0]
    assert [line.x.tolist() for line in lines] == [[1.0, 1.0], [1.0, 2.0]]


def test_times_below_a_millisecond_count_as_one() -> None:
    study = Study(solved_in({9: [1e-6], 11: [2e-3]}))
    lines = performance_profile(study, list(study.by_contender), CLOSED)
    assert lines[1].x[-1] == pytest.approx(2.0)


def test_distances_over_time_are_quartiles_over_instances() -> None:
    climbs = [[(0.1 * (k + 1), -4.0, 0.0), (0.7 * (k + 1), -2.5, -1.0), (2.0 * (k + 1), -2.0, -2.0)] for k in range(5)]
    study = Study([run_of(9, k, climb) for k, climb in enumerate(climbs)])
    (line,) = distance_over_time(study, list(study.by_contender))
    for at, found in zip(line.seconds, line.quartiles.T, strict=True):
        # Seconds are kept in single precision.
        known = [[low for when, low, _ in climb if np.float32(when) <= at] for climb in climbs]
        far = sorted(relative_gap(lows[-1], -2.0) if lows else math.inf for lows in known)
        assert found.tolist() == [far[1], far[2], far[3]]
    assert line.quartiles[:, -1].tolist() == [0.0, 0.0, 0.0], "at the end all have closed"


def test_the_distance_of_a_bound_that_fell_is_that_of_the_best_before() -> None:
    """Another solver may report a lower bound later: what it has proven remains."""
    study = Study([run_of("highs", 0, [(0.1, -3.0, -2.0), (0.5, -9.0, -2.0)], closed=False)])
    (line,) = distance_over_time(study, list(study.by_contender))
    assert line.quartiles[1, -1] == pytest.approx(1 / 3)


def test_a_summary_counts_and_has_quartiles_of_all_runs() -> None:
    study = Study(solved_in({9: [4.0, 1.0, math.inf, 2.0]}))
    (row,) = summaries(study, list(study.by_contender), CLOSED)
    assert (row.count, row.reached) == (4, 3)
    assert row.seconds.tolist() == [1.0, 2.0, 4.0]
    assert row.gaps.tolist() == [0.0, 0.0, 0.0]
    (row,) = summaries(study, list(study.by_contender), NEARLY)
    assert row.reached == 3
    ends = [-2.0, -2.5, -4.0, -8.0]
    study = Study([run_of(9, k, [(1.0, lower, -2.0)], closed=False) for k, lower in enumerate(ends)])
    (row,) = summaries(study, list(study.by_contender), CLOSED)
    assert row.gaps.tolist() == pytest.approx([0.0, 0.2, 0.5])
    assert np.isinf(row.seconds).all()


def pair_of(mine: Sequence[float], theirs: Sequence[float]) -> object:
    study = Study(solved_in({9: mine, 11: theirs}))
    nine, eleven = study.by_contender
    (pair,) = pairs(study, [nine, eleven], eleven, CLOSED)
    assert pair.contender == nine
    return pair


def test_a_pair_counts_wins_ties_and_losses_where_one_of_them_solves() -> None:
    pair = pair_of([1.0, 1.0, 4.0, math.inf, 30.0, math.inf], [2.0, 1.01, 1.0, 8.0, math.inf, math.inf])
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 2)
    gains = [2.0, 1.01, 0.25, 8 / 60, 60 / 30]
    assert pair.ratio == pytest.approx(np.median(gains))
    assert pair.seconds.tolist() == [1.0, 1.0, 4.0, 60.0, 30.0, 60.0]
    assert pair.reached.tolist() == [True, True, True, False, True, False]


def test_one_that_gave_up_early_has_lost() -> None:
    """It ended sooner than the other solved the instance, but did not solve it: it counts with its limit of time."""
    runs = [run_of(9, 0, [(0.1, -3.0, -2.0)], closed=False), run_of(11, 0, [(5.0, -2.0, -2.0)])]
    study = Study(runs)
    nine, eleven = study.by_contender
    (pair,) = pairs(study, [nine, eleven], eleven, CLOSED)
    assert (pair.wins, pair.ties, pair.losses) == (0, 0, 1)
    assert pair.ratio == pytest.approx(5 / LIMITS.seconds)
    (pair,) = pairs(study, [nine, eleven], nine, CLOSED)
    assert (pair.wins, pair.losses) == (1, 0)
    assert pair.ratio == pytest.approx(LIMITS.seconds / 5)


@pytest.mark.parametrize("seconds", [58.0, 59.99, 60.7])
def test_a_solved_instance_is_never_a_tie_with_an_unsolved_one(seconds: float) -> None:
    """Also near the limit, and beyond it: a run may pass its limit by a turn."""
    runs = [run_of(9, 0, [(60.0, -3.0, -2.0)], closed=False), run_of(11, 0, [(seconds, -2.0, -2.0)])]
    study = Study(runs)
    nine, eleven = study.by_contender
    (pair,) = pairs(study, [nine, eleven], eleven, CLOSED)
    assert (pair.wins, pair.ties, pair.losses) == (0, 0, 1)
    assert pair.ratio <= 1
    (pair,) = pairs(study, [nine, eleven], nine, CLOSED)
    assert (pair.wins, pair.ties, pair.losses) == (1, 0, 0)


def test_where_neither_solves_anything_nothing_is_claimed() -> None:
    pair = pair_of([math.inf] * 3, [math.inf] * 3)
    assert (pair.wins, pair.ties, pair.losses) == (0, 0, 0)
    assert math.isnan(pair.ratio)
    assert math.isnan(pair.p)
    assert math.isnan(pair.interval[0])


@pytest.mark.parametrize("count", [1, 5, 6, 9, 20, 41])
def test_the_interval_of_a_median_covers_it_in_95_of_100_samples(count: int) -> None:
    """Whether the true median is between two order statistics depends only on how many values lie below it."""
    low, high = _interval(np.arange(1.0, count + 1))
    if math.isnan(low):
        assert 2 * 0.5**count > 1 - CONFIDENCE, "no interval is wide enough"
        return
    first, last = round(math.log(low)), round(math.log(high))
    covered = sum(math.comb(count, below) for below in range(first, last)) / 2**count
    assert covered >= CONFIDENCE
    narrower = sum(math.comb(count, below) for below in range(first + 1, last - 1)) / 2**count
    assert narrower < CONFIDENCE
    assert first - 1 == count - last


def test_the_signed_rank_test_is_that_of_all_signs() -> None:
    """Its p-value is the share of all assignments of signs whose ranks are at least as uneven."""
    mine, theirs = [1.0, 1.0, 3.0, 1.0, 1.0, 1.0, 1.0], [2.0, 4.0, 1.5, 9.0, 17.0, 33.0, 65.0]
    pair = pair_of(mine, theirs)
    gains = [math.log(b / a) for a, b in zip(mine, theirs, strict=True)]
    ranks = np.argsort(np.argsort(np.abs(gains))) + 1
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=7)
    ]
    seen = sum(rank for rank, gain in zip(ranks, gains, strict=True) if gain > 0)
    middle = sum(ranks) / 2
    assert pair.p == pytest.approx(np.mean([abs(each - middle) >= abs(seen - middle) for each in sums]))


@pytest.mark.parametrize(("wins", "losses"), [(11, 3), (15, 6), (14, 0), (60, 41)])
def test_the_signed_rank_test_is_exact_with_ties(wins: int, losses: int) -> None:
    """Of equal gains it is a sign test, whose p-value is a sum of binomial coefficients."""
    pair = pair_of([1.0] * wins + [4.0] * losses, [2.0] * wins + [2.0] * losses)
    n = wins + losses
    tail = sum(math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= wins - losses)
    assert pair.p == pytest.approx(tail / 2**n)


def test_many_pairs_are_tested_approximately() -> None:
    rng = np.random.default_rng(3)
    gains = rng.normal(0.05, 1.0, MOST_EXACT)
    exact, close = _signed_rank(gains), stats.wilcoxon(gains).pvalue
    assert exact == pytest.approx(close, rel=0.05)
    assert _signed_rank(np.append(gains, 0.3)) == stats.wilcoxon(np.append(gains, 0.3)).pvalue


def test_p_values_are_corrected_for_their_number() -> None:
    assert _holm([0.01, math.nan, 0.04, 0.03]) == pytest.approx([0.03, math.nan, 0.06, 0.06], nan_ok=True)
    assert _holm([0.5, 0.9]) == [1.0, 1.0]
    assert _holm([]) == []


def test_more_contenders_make_a_p_value_larger() -> None:
    table = {9: [1.0, 1.1, 1.2, 1.3, 1.4, 1.5], 12: [2.0] * 6, 11: [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]}
    study = Study(solved_in(table))
    contenders = list(study.by_contender)
    eleven = Contender("11", 5, "", "mplp")
    alone = pairs(study, [contenders[0], eleven], eleven, CLOSED)[0].p
    assert pairs(study, contenders, eleven, CLOSED)[0].p == pytest.approx(2 * alone)
