"""The observations of the paper's study, checked with any runs and supported by numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bender_core.experiments.store import FinishedRun
from bender_core.experiments.tables import BASELINE, Timing, fitted_line, timings
from bender_core.units import figures, percent

LOOSEST, EVERYWHERE = (1, 2, 3, 4, 5), (6, 7, 8, 9, 10)
PAPERS = LOOSEST + EVERYWHERE
# Our reading of the paper's "little", "substantial" and "highly similar".
LITTLE, SUBSTANTIAL_SECONDS, SIMILAR = 0.01, 5.0, 1.25
MOSTLY = 0.9


@dataclass(frozen=True)
class Observation:
    """One sentence of the paper (section "Experiments", and its figure of times).

    Attributes
    ----------
    claim : str
        The observation.
    holds : bool
        Whether it holds here, by our reading of its words.
    numbers : str
        The numbers that decide it.
    """

    claim: str
    holds: bool
    numbers: str


def observations(runs: Sequence[FinishedRun]) -> list[Observation]:
    """The paper's observations that these runs can decide.

    Parameters
    ----------
    runs : sequence of FinishedRun
        All of one schedule; only partitions on which all ten variants and the baseline have run are counted.
    """
    partitions = _complete(timings(runs))
    return [look(partitions) for look in _LOOKS] if partitions else []


ByPartition = list[dict[int, Timing]]


def _complete(timed: Sequence[Timing]) -> ByPartition:
    """The runs of the paper's variants and the baseline, by partition, where none is missing."""
    found: dict[str, dict[int, Timing]] = {}
    for timing in timed:
        found.setdefault(timing.baseline.task.key, {})[timing.run.task.variant] = timing
    return [runs for runs in found.values() if set(runs) >= {*PAPERS, BASELINE}]


def _gap(partitions: ByPartition) -> Observation:
    timed = [runs[v] for runs in partitions for v in PAPERS if not runs[v].cut_short]
    away = np.array([abs(timing.run.outcome.gap - timing.baseline.outcome.gap) for timing in timed])
    share = float((away <= LITTLE).mean()) if timed else 0.0
    most = f"; at most {away.max():.2g} away" if timed else ""
    return Observation(
        "The gap hardly depends on the variant, and equals that of the baseline.",
        share >= MOSTLY,
        f"{percent(share)} of the {len(timed)} runs in which neither reached its time limit end within {LITTLE:g} of "
        f"the baseline's gap (relative to the bound){most}.",
    )


def _growth(partitions: ByPartition) -> Observation:
    slopes = [fitted_line([runs[v] for runs in partitions])[0] for v in PAPERS]
    return Observation(
        "The longer the baseline takes, the larger the speed-up.",
        max(slopes) < 1,
        f"In log-log, the time of a variant grows with the baseline's to the power of {min(slopes):.2f} to "
        f"{max(slopes):.2f}; below 1, the speed-up grows.",
    )


def _ahead(partitions: ByPartition) -> Observation:
    slow = [runs for runs in partitions if runs[BASELINE].run.outcome.seconds >= SUBSTANTIAL_SECONDS]
    ratios = np.array([[_seconds(runs, BASELINE) / _seconds(runs, v) for v in PAPERS] for runs in slow])
    share = float((ratios > 1).mean()) if slow else 0.0
    numbers = f"The baseline took {SUBSTANTIAL_SECONDS:g} s or more on {len(slow)} of {len(partitions)} partitions"
    if slow:
        numbers += f"; there {percent(share)} of the runs are faster, the median by {np.median(ratios):.3g}×"
    return Observation(
        "All variants tend to be faster where the baseline takes substantial time.", share >= MOSTLY, f"{numbers}."
    )


def _reverse_only(partitions: ByPartition) -> Observation:
    means = {v: _mean(partitions, v) for v in PAPERS}
    ranked = [sorted(family, key=means.__getitem__) for family in (LOOSEST, EVERYWHERE)]
    listed = [", ".join(f"{v}: {figures(means[v], 2)}" for v in family) for family in ranked]
    return Observation(
        "Of the variants on the loosest edge and of those on all edges, the one with reverse Magnanti-Wong cuts alone "
        "(4, 9) is the fastest.",
        (ranked[0][0], ranked[1][0]) == (4, 9),
        f"Geometric means of seconds, fastest first: on the loosest edge {listed[0]}; on all edges {listed[1]}.",
    )


def _alike(partitions: ByPartition) -> Observation:
    ratios = [_mean(partitions, zero) / _mean(partitions, half) for zero, half in ((2, 3), (7, 8))]
    return Observation(
        "α = 0 and α = ½ take nearly the same time.",
        all(1 / SIMILAR <= ratio <= SIMILAR for ratio in ratios),
        f"Geometric mean of the ratio of times: {ratios[0]:.2f} on the loosest edge, {ratios[1]:.2f} on all edges.",
    )


_LOOKS: tuple[Callable[[ByPartition], Observation], ...] = (_gap, _growth, _ahead, _reverse_only, _alike)


def _seconds(runs: dict[int, Timing], variant: int) -> float:
    return runs[variant].run.outcome.seconds


def _mean(partitions: ByPartition, variant: int) -> float:
    """The geometric mean of seconds."""
    seconds: NDArray[np.float64] = np.array([_seconds(runs, variant) for runs in partitions])
    return float(np.exp(np.log(seconds).mean()))
