"""Results of an experiment: gaps and speed-ups, as the paper reports them."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bender_core.experiments.outcome import SECONDS_REACHED
from bender_core.experiments.plan import Instance, Task, distinct, has_groups
from bender_core.experiments.store import FinishedRun

# The levels of the paper's table of normalised gaps, and the baseline of its times.
PERCENTILES = (80, 90, 93, 95, 98, 100)
BASELINE = 11
# Between the shortest and the longest of its times, if a slope is to tell something.
LEAST_SPREAD = 1.1
_ANY = Instance("")


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
        At `PERCENTILES`; infinite where a run never began.
    """

    max_size: int
    variant: int
    schedule: str
    count: int
    limited: int
    percentiles: NDArray[np.float64]


@dataclass(frozen=True)
class Timing:
    """A run, and the baseline's run on the same groups."""

    run: FinishedRun
    baseline: FinishedRun

    @property
    def cut_short(self) -> bool:
        """Whether one of them reached its time limit, so that its time is only a lower bound."""
        return SECONDS_REACHED in (self.run.outcome.status, self.baseline.outcome.status)


@dataclass(frozen=True)
class Speed:
    """Times of one variant against the baseline at one M.

    Attributes
    ----------
    max_size, variant : int
    schedule : str
    count : int
        Partitions on which both have run.
    cut_short : int
        Of these, those in which one of the two reached its time limit.
    speedup : float
        The median of the ratios of times; for a run that reached its limit, the limit is its time.
    slope, intercept : float
        Of `fitted_line`.
    """

    max_size: int
    variant: int
    schedule: str
    count: int
    cut_short: int
    speedup: float
    slope: float
    intercept: float


def of_plan(runs: Iterable[FinishedRun], tasks: Iterable[Task]) -> list[FinishedRun]:
    """The run of every finished task of a plan, by the current code or else the latest by another version.

    A run that counts for several tasks appears for each of them, with its M and strategy.
    """
    tasks = list(tasks)
    keys = {task.key for task in tasks}
    by_content = {_content(task, model): task.key for task in tasks for model in (task.model, task.former)}
    found: dict[str, FinishedRun] = {}
    for run in sorted(runs, key=lambda run: (run.task.key in keys, run.finished)):
        key = run.task.key if run.task.key in keys else by_content.get(_content(run.task, run.task.model))
        if key is not None:
            found[key] = run
    done = [(task, found[task.key]) for task in tasks if task.key in found]
    return [replace(run, task=replace(task, key=run.task.key)) for task, run in done]


def _content(task: Task, model: str) -> Task:
    """A task without what depends on the version of the code, and on where the file of its instance lies."""
    return replace(task, key="", model=model, instance=_ANY)


def shared(tasks: Iterable[Task]) -> int:
    """The number of tasks that repeat the run of an earlier one."""
    tasks = list(tasks)
    return len(tasks) - len(distinct(tasks))


def by_other_code(runs: Iterable[FinishedRun]) -> int:
    """The number of runs done by another version of the code."""
    return sum(run.code != run.task.code for run in runs)


def endings(runs: Iterable[FinishedRun]) -> Counter[str]:
    """The number of runs for each status."""
    return Counter(run.outcome.status for run in runs)


def gaps(runs: Sequence[FinishedRun]) -> list[Gaps]:
    """The paper's table "Percentiles of Normalized Gap", by M, schedule and variant."""
    found = []
    for (max_size, schedule, variant), group in sorted(_grouped(on_groups(runs)).items()):
        values = np.array([run.outcome.gap for run in group])
        limited = sum(run.outcome.status.startswith("limit") for run in group)
        # Without interpolation, which is impossible between a number and infinity.
        levels = np.percentile(values, PERCENTILES, method="higher")
        found.append(Gaps(max_size, variant, schedule, len(group), limited, levels))
    return found


def on_groups(runs: Iterable[FinishedRun]) -> list[FinishedRun]:
    """The runs whose groups stay as they are, which the paper's tables compare."""
    return [run for run in runs if run.task.method is None]


def speeds(runs: Sequence[FinishedRun]) -> list[Speed]:
    """The paper's figure "Timing comparison", by M, schedule and variant; without a baseline there is none."""
    groups: dict[tuple[int, str, int], list[Timing]] = {}
    for timing in timings(runs):
        groups.setdefault(_kind(timing.run), []).append(timing)
    found = []
    for (max_size, schedule, variant), group in sorted(groups.items()):
        if variant != BASELINE:
            ratios = [timing.baseline.outcome.seconds / timing.run.outcome.seconds for timing in group]
            short = sum(timing.cut_short for timing in group)
            line = fitted_line(group)
            found.append(Speed(max_size, variant, schedule, len(group), short, float(np.median(ratios)), *line))
    return found


def timings(runs: Sequence[FinishedRun]) -> list[Timing]:
    """Every run that took time, with the baseline's run on the same groups if there is one; the baseline too."""
    runs = on_groups(runs)
    baselines = {_partition_of(run): run for run in runs if run.task.variant == BASELINE and run.outcome.seconds > 0}
    return [
        Timing(run, baselines[_partition_of(run)])
        for run in runs
        if run.outcome.seconds > 0 and _partition_of(run) in baselines
    ]


def fitted_line(timed: Iterable[Timing]) -> tuple[float, float]:
    """Slope and intercept of ``log10(seconds) = slope * log10(seconds of the baseline) + intercept``.

    Times that reached a limit do not count, and a run shared by several M counts once. NaN unless the longest of the
    baseline's times is at least `LEAST_SPREAD` times the shortest: the slope would be that of chance.
    """
    pairs = {(t.baseline.outcome.seconds, t.run.outcome.seconds): None for t in timed if not t.cut_short}
    if not pairs or max(pairs)[0] < LEAST_SPREAD * min(pairs)[0]:
        return math.nan, math.nan
    baselines, seconds = np.log10(list(pairs)).T
    slope, intercept = np.polyfit(baselines, seconds, 1)
    return float(slope), float(intercept)


def columns(runs: Iterable[FinishedRun]) -> dict[str, list[object]]:
    """The runs as columns of equal length, for files and data frames.

    Bounds and gap are None if a run never began; M, variant and schedule, and rows, if a method makes no groups; work
    if nobody has counted it; building if there was none (`Outcome.building`).
    """
    columns: dict[str, Callable[[FinishedRun], object]] = {
        "instance": lambda run: run.task.instance.title,
        "M": lambda run: run.task.max_size or None,
        "strategy": lambda run: run.task.strategy,
        "variant": lambda run: run.task.variant or None,
        "schedule": lambda run: run.task.schedule or None,
        "status": lambda run: run.outcome.status,
        "lower_bound": lambda run: _finite(run.outcome.lower_bound),
        "upper_bound": lambda run: _finite(run.outcome.upper_bound),
        "gap": lambda run: _finite(run.outcome.gap),
        "sweeps": lambda run: run.outcome.sweeps,
        "rows": lambda run: run.outcome.rows if has_groups(run.task.strategy) else None,
        "work": lambda run: run.outcome.work,
        "seconds": lambda run: run.outcome.seconds,
        "building": lambda run: run.outcome.building or None,
        "finished": lambda run: run.finished,
        "code": lambda run: run.code,
        "model": lambda run: run.task.model,
        "key": lambda run: run.task.key,
    }
    runs = list(runs)
    return {name: [tell(run) for run in runs] for name, tell in columns.items()}


def to_csv(runs: Iterable[FinishedRun]) -> str:
    """The runs as comma-separated text with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    found = columns(runs)
    writer.writerow(found)
    writer.writerows(zip(*found.values(), strict=True))
    return out.getvalue()


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _kind(run: FinishedRun) -> tuple[int, str, int]:
    return run.task.max_size, run.task.schedule, run.task.variant


def _partition_of(run: FinishedRun) -> tuple[Instance, int, str, str]:
    return run.task.instance, run.task.max_size, run.task.strategy, run.task.schedule


def _grouped(runs: Sequence[FinishedRun]) -> dict[tuple[int, str, int], list[FinishedRun]]:
    groups: dict[tuple[int, str, int], list[FinishedRun]] = {}
    for run in runs:
        groups.setdefault(_kind(run), []).append(run)
    return groups
