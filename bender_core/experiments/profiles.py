"""Contenders over many instances: profiles, medians over time, percentiles, and paired tests.

Times below `LEAST` seconds count as that: their ratios would be those of the clock.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bender_core.experiments.contenders import Contender, Study, Target, bounds_over_time, distances
from bender_core.experiments.plan import Instance
from bender_core.experiments.tables import endings

LEAST = 1e-3
POINTS = 160
QUARTILES = (0.25, 0.5, 0.75)
# Times within this ratio of each other are a tie.
TIE = 1.05
CONFIDENCE = 0.95
MOST_EXACT = 200

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Steps:
    """A step function of one contender.

    Attributes
    ----------
    contender : Contender
    x, y : ndarray
        Where it steps, ascending, and its value from there on.
    """

    contender: Contender
    x: Array
    y: Array


def performance_profile(study: Study, contenders: Sequence[Contender], target: Target) -> list[Steps]:
    """The share of instances that a contender solves within a multiple of the fastest contender's time.

    Instances are those on which all contenders have run; where none reached the target, none counts as solved.
    Source: Dolan and Moré, *Benchmarking optimization software with performance profiles*, 2002.

    Parameters
    ----------
    study : Study
    contenders : sequence of Contender
    target : Target

    Returns
    -------
    list of Steps
        From a multiple of 1 on; shares from 0 to 1.
    """
    times = _times(study, contenders, study.shared(contenders), target)
    fastest = times.min(axis=0) if len(contenders) else np.empty(0)
    solved = np.isfinite(fastest)
    ratios = times[:, solved] / fastest[solved]
    per = 1 / max(times.shape[1], 1)
    return [_steps(contender, 1.0, mine, per) for contender, mine in zip(contenders, ratios, strict=True)]


def solved_over_time(study: Study, contenders: Sequence[Contender], target: Target) -> list[Steps]:
    """The number of instances solved within some seconds each; with swapped axes, a cactus plot."""
    times = _times(study, contenders, study.shared(contenders), target)
    begin = float(times.min(initial=math.inf))
    return [_steps(contender, begin, mine, 1.0) for contender, mine in zip(contenders, times, strict=True)]


def _steps(contender: Contender, begin: float, values: Array, height: float) -> Steps:
    """A step of this height at every finite value, from 0 at the beginning; empty if that is infinite."""
    steps = np.sort(values[np.isfinite(values)])
    x = np.append(begin, steps) if math.isfinite(begin) else steps
    return Steps(contender, x, height * np.arange(len(x), dtype=np.float64))


@dataclass(frozen=True)
class OverTime:
    """Quartiles, over instances, of a contender's distance to the best labelling.

    Attributes
    ----------
    contender : Contender
    seconds : ndarray, shape (k,)
    quartiles : ndarray, shape (3, k)
        Relative distances of the bound; infinite where it has none yet.
    """

    contender: Contender
    seconds: Array
    quartiles: Array


def distance_over_time(study: Study, contenders: Sequence[Contender]) -> list[OverTime]:
    """Quartiles of the distance between a contender's bound and the best labelling of all runs, over seconds.

    A run that has ended keeps its last bound. Quartiles are values that occur, as the mean of a number and infinity
    tells nothing.

    Parameters
    ----------
    study : Study
    contenders : sequence of Contender

    Returns
    -------
    list of OverTime
        At `POINTS` moments, evenly spaced by the logarithm of time.
    """
    instances = study.shared(contenders)
    runs = [study.by_contender[contender] for contender in contenders]
    longest = max((each[i].outcome.seconds for each in runs for i in instances), default=0.0)
    seconds = np.geomspace(LEAST, max(longest, 10 * LEAST), POINTS)
    # To the last bit.
    seconds[-1] = max(seconds[-1], longest)
    found = []
    for contender, mine in zip(contenders, runs, strict=True):
        far = np.full((len(instances), POINTS), np.inf)
        for row, instance in zip(far, instances, strict=True):
            when, lower, _ = bounds_over_time(mine[instance])
            latest = np.searchsorted(when, seconds, side="right") - 1
            known = latest >= 0
            row[known] = distances(lower, study.best[instance])[latest[known]]
        if len(instances):
            found.append(OverTime(contender, seconds, np.quantile(far, QUARTILES, axis=0, method="inverted_cdf")))
    return found


@dataclass(frozen=True)
class Summary:
    """A contender over its instances.

    Attributes
    ----------
    contender : Contender
    count : int
    reached : int
        Of these, the runs that reached the target.
    seconds : ndarray, shape (3,)
        The quartiles of the times at which runs did, over all runs: infinite where too few did.
    gaps : ndarray, shape (3,)
        The quartiles of the gaps at the ends of all runs; infinite where they have none.
    unsolved : Counter
        How the runs that did not reach it ended.
    """

    contender: Contender
    count: int
    reached: int
    seconds: Array
    gaps: Array
    unsolved: Counter[str]


def summaries(study: Study, contenders: Sequence[Contender], target: Target) -> list[Summary]:
    """Every contender over the instances on which it has run."""
    found, times = [], study.seconds(target)
    for contender in contenders:
        runs = study.by_contender[contender]
        seconds = np.array(list(times[contender].values()))
        gaps = np.array([run.outcome.gap for run in runs.values()])
        unsolved = endings(run for instance, run in runs.items() if math.isinf(times[contender][instance]))
        of_time, of_gap = (np.quantile(each, QUARTILES, method="inverted_cdf") for each in (seconds, gaps))
        found.append(Summary(contender, len(gaps), int(np.isfinite(seconds).sum()), of_time, of_gap, unsolved))
    return found


@dataclass(frozen=True)
class Pair:
    """A contender against a reference, instance by instance.

    Attributes
    ----------
    contender : Contender
    instances : list of Instance
        On which both have run.
    seconds, reference : ndarray
        When they reached the target on each; where they did not, their time limit.
    reached, reference_reached : ndarray of bool
    wins, ties, losses : int
        Of the instances where at least one of them reached it, those where the contender was faster or reached it
        alone, was about as fast (`TIE`), or was slower or did not reach it.
    ratio : float
        The median of the reference's time over the contender's there, or NaN: above 1, the contender is faster.
    interval : tuple of float
        Its confidence interval, by order statistics: no assumption on the distribution. NaN if there are too few.
    p : float
        Of the signed-rank test that neither is faster (Wilcoxon, two-sided), corrected for the number of contenders
        (Holm); NaN where nothing differs.
    """

    contender: Contender
    instances: list[Instance]
    seconds: Array
    reference: Array
    reached: NDArray[np.bool_]
    reference_reached: NDArray[np.bool_]
    wins: int
    ties: int
    losses: int
    ratio: float
    interval: tuple[float, float]
    p: float


def pairs(study: Study, contenders: Sequence[Contender], reference: Contender, target: Target) -> list[Pair]:
    """Every other contender against a reference, on the instances on which both have run.

    A run that did not reach the target counts with its time limit: the true ratio is further from 1.
    """
    others = [contender for contender in contenders if contender != reference]
    found = [_pair(study, contender, reference, target) for contender in others]
    corrected = _holm([pair.p for pair in found])
    return [replace(pair, p=p) for pair, p in zip(found, corrected, strict=True)]


def _pair(study: Study, contender: Contender, reference: Contender, target: Target) -> Pair:
    instances, both = study.shared([contender, reference]), (contender, reference)
    times = _times(study, both, instances, target)
    reached = np.isfinite(times)
    limits = [[study.by_contender[each][instance].task.limits.seconds for instance in instances] for each in both]
    # A run may pass its limit by a turn: one that did not get there is slower than one that did.
    latest = np.maximum(np.array(limits, float).reshape(times.shape), np.where(reached, times, 0.0)[::-1])
    seconds = np.where(reached, times, latest)
    counted = reached.any(axis=0)
    gains, alone = np.log(seconds[1] / seconds[0])[counted], (reached[0].astype(int) - reached[1])[counted]
    wins = int((np.where(alone, alone > 0, gains > math.log(TIE))).sum())
    losses = int((np.where(alone, alone < 0, gains < -math.log(TIE))).sum())
    return Pair(
        contender,
        instances,
        seconds[0],
        seconds[1],
        reached[0],
        reached[1],
        wins,
        len(gains) - wins - losses,
        losses,
        float(np.exp(np.median(gains))) if len(gains) else math.nan,
        _interval(gains),
        _signed_rank(gains),
    )


def _interval(gains: Array) -> tuple[float, float]:
    """The confidence interval of the median ratio, between two order statistics; NaN if there are too few."""
    count = len(gains)
    # The quantile of a binomial distribution.
    rank = int(np.searchsorted(special.bdtr(np.arange(count), count, 0.5), (1 - CONFIDENCE) / 2))
    if not rank:
        return math.nan, math.nan
    ordered = np.exp(np.sort(gains))
    return float(ordered[rank - 1]), float(ordered[len(gains) - rank])


def _signed_rank(gains: Array) -> float:
    """The p-value of Wilcoxon's test: exact for up to `MOST_EXACT` values, as ties are frequent; else approximate.

    Zeros have ranks, and no sign (Pratt).
    """
    if not gains.any():
        return math.nan
    if len(gains) > MOST_EXACT:
        from scipy import stats  # takes half a second to load

        return float(stats.wilcoxon(gains, zero_method="pratt").pvalue)
    # Twice the ranks are whole: those of ties are means.
    _, place, counts = np.unique(np.abs(gains), return_inverse=True, return_counts=True)
    ranks = (2 * np.cumsum(counts) - counts + 1)[place]
    positive, counted = int(ranks[gains > 0].sum()), ranks[gains != 0]
    chances = np.zeros(counted.sum() + 1)
    chances[0] = 1.0
    for rank in counted:
        # Each sign is as likely as the other.
        chances[rank:] += chances[:-rank].copy()
        chances /= 2
    away = np.abs(2 * np.arange(len(chances)) - counted.sum())
    return float(chances[away >= abs(2 * positive - counted.sum())].sum())


def _holm(values: Sequence[float]) -> list[float]:
    """Corrected for their number: the least one times all of them, the next times one fewer, …; NaN do not count."""
    order = [int(k) for k in np.argsort(values) if not math.isnan(values[k])]
    found, largest = [math.nan] * len(values), 0.0
    for rank, k in enumerate(order):
        largest = max(largest, min((len(order) - rank) * values[k], 1.0))
        found[k] = largest
    return found


def _times(study: Study, contenders: Sequence[Contender], instances: Sequence[Instance], target: Target) -> Array:
    """Seconds of every contender on every instance, infinite where the target was not reached."""
    found = study.seconds(target)
    times = [[found[contender][instance] for instance in instances] for contender in contenders]
    floored: Array = np.maximum(np.array(times, float).reshape(len(contenders), len(instances)), LEAST)
    return floored
