"""What an experiment found: gaps and speeds, as the paper tells them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bender_core.experiments.paper import PUBLISHED_GAPS
from bender_core.experiments.plan import Task
from bender_core.experiments.store import Run

# Of the paper's table of normalised gaps, and the variant that its times are compared with.
PERCENTILES = (80, 90, 93, 95, 98, 100)
BASELINE = 11


@dataclass(frozen=True)
class Gaps:
    """Normalised gaps of one variant at one M, over instances.

    Attributes
    ----------
    max_size, variant : int
    schedule : str
    count : int
        Runs.
    limited : int
        Of these, those that reached a limit.
    percentiles : ndarray, shape (6,)
        At `PERCENTILES`.
    """

    max_size: int
    variant: int
    schedule: str
    count: int
    limited: int
    percentiles: NDArray[np.float64]


@dataclass(frozen=True)
class Speed:
    """Times of one variant against the baseline at one M.

    Attributes
    ----------
    max_size, variant : int
    schedule : str
    seconds, baseline : ndarray, shape (k,)
        Of the runs that both have done; where the baseline reached its time limit, that limit.
    slope, intercept : float
        Of the line ``log10(seconds) = slope * log10(baseline) + intercept`` that fits best; NaN for
        fewer than two runs.
    """

    max_size: int
    variant: int
    schedule: str
    seconds: NDArray[np.float64]
    baseline: NDArray[np.float64]
    slope: float
    intercept: float

    @property
    def speedup(self) -> float:
        """The median of the ratios of times."""
        return float(np.median(self.baseline / self.seconds))


def of_plan(runs: Iterable[Run], tasks: Iterable[Task]) -> list[Run]:
    """Those runs that a plan asks for."""
    keys = {task.key for task in tasks}
    return [run for run in runs if run.task.key in keys]


def endings(runs: Iterable[Run]) -> Counter[str]:
    """How many runs ended how."""
    return Counter(run.outcome.status for run in runs)


def gaps(runs: Sequence[Run]) -> list[Gaps]:
    """The paper's table "Percentiles of Normalized Gap", by M, schedule and variant."""
    found = []
    for (max_size, schedule, variant), group in sorted(_grouped(runs).items()):
        values = np.array([run.outcome.gap for run in group])
        limited = sum(run.outcome.status.startswith("limit") for run in group)
        # Of the values themselves: between a number and infinity there is nothing.
        levels = np.percentile(values, PERCENTILES, method="higher")
        found.append(Gaps(max_size, variant, schedule, len(group), limited, levels))
    return found


def speeds(runs: Sequence[Run]) -> list[Speed]:
    """The paper's figure "Timing comparison", by M, schedule and variant; none where there is no baseline."""
    groups = _grouped(runs)
    found = []
    for (max_size, schedule, variant), group in sorted(groups.items()):
        baseline = {run.task.instance: run for run in groups.get((max_size, schedule, BASELINE), [])}
        pairs = [
            (run.outcome.seconds, other.outcome.seconds)
            for run in group
            if (other := baseline.get(run.task.instance)) and min(run.outcome.seconds, other.outcome.seconds) > 0
        ]
        if not pairs or variant == BASELINE:
            continue
        seconds, against = np.array(pairs).T
        slope, intercept = np.nan, np.nan
        if len(np.unique(against)) > 1:
            slope, intercept = np.polyfit(np.log10(against), np.log10(seconds), 1)
        found.append(Speed(max_size, variant, schedule, seconds, against, float(slope), float(intercept)))
    return found


def _grouped(runs: Sequence[Run]) -> dict[tuple[int, str, int], list[Run]]:
    groups: dict[tuple[int, str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.task.max_size, run.task.schedule, run.task.variant), []).append(run)
    return groups


def report(runs: Sequence[Run]) -> str:
    """Everything in plain text."""
    lines = [
        f"{len(runs)} runs: " + ", ".join(f"{count} {status}" for status, count in endings(runs).most_common()),
        "",
        "Normalised gap, (UB - LB) / |LB|, at percentiles over instances; in brackets the runs that reached a limit:",
        f"{'M':>3} {'schedule':8} {'variant':>7} " + " ".join(f"{level:>9}" for level in PERCENTILES),
    ]
    for row in gaps(runs):
        values = " ".join(f"{value:9.2e}" for value in row.percentiles)
        lines.append(f"{row.max_size:3} {row.schedule:8} {row.variant:7} {values} ({row.limited} of {row.count})")
        published = PUBLISHED_GAPS.get(row.max_size, {}).get(row.variant) if row.schedule == "mplp" else None
        if published is not None:
            lines.append(f"{'the paper':>20} " + " ".join(f"{value:9.2e}" for value in published))
    lines += [
        "",
        f"Times against variant {BASELINE}: the median speed-up, and the slope in log-log; below 1, the speed-up grows",
        "with the time that the baseline takes:",
        f"{'M':>3} {'schedule':8} {'variant':>7} {'speed-up':>9} {'slope':>6} {'runs':>5}",
    ]
    for speed in speeds(runs):
        times = f"{speed.speedup:9.2f} {speed.slope:6.2f} {len(speed.seconds):5}"
        lines.append(f"{speed.max_size:3} {speed.schedule:8} {speed.variant:7} {times}")
    return "\n".join(lines)
