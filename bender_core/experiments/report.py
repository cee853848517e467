"""The results of an experiment, in plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bender_core.experiments.comparison import tables
from bender_core.experiments.contenders import Study
from bender_core.experiments.observations import observations
from bender_core.experiments.paper import PUBLISHED_GAPS
from bender_core.experiments.plan import Task
from bender_core.experiments.store import FinishedRun
from bender_core.experiments.tables import (
    BASELINE,
    PERCENTILES,
    by_other_code,
    endings,
    gaps,
    on_groups,
    shared,
    speeds,
)


def report(runs: Sequence[FinishedRun], tasks: Sequence[Task] = ()) -> str:
    """Endings, the tables of `comparison`, the paper's observations, times, and gaps next to the paper's.

    Sections are separated by empty lines; ``tasks`` are all of the plan.
    """
    compared = on_groups(runs)
    sections = [_endings(runs), *(table.lines() for table in tables(Study(runs, tasks)).values())]
    if compared:
        sections += [_observations(compared), _times(compared), _gaps(compared)]
    return "\n\n".join("\n".join(section) for section in sections if section)


def _endings(runs: Sequence[FinishedRun]) -> list[str]:
    ended = ", ".join(f"{count} {status}" for status, count in endings(runs).most_common())
    others, same = by_other_code(runs), shared(run.task for run in runs)
    return [
        f"{len(runs)} runs: {ended}",
        *[f"{same} of them have the same groups as another M or strategy, and were done once"] * bool(same),
        *[f"{others} of them by another version of the code"] * bool(others),
    ]


def _gaps(runs: Sequence[FinishedRun]) -> list[str]:
    lines = [
        "Normalised gap, (UB - LB) / max(|LB|, |UB|), at percentiles over instances; in brackets the runs that "
        "reached a limit:",
        f"{'M':>3} {'schedule':8} {'variant':>7} " + " ".join(f"{level:>9}" for level in PERCENTILES),
    ]
    for row in gaps(runs):
        values = " ".join(f"{value:9.2e}" if math.isfinite(value) else f"{'–':>9}" for value in row.percentiles)
        lines.append(f"{row.max_size:3} {row.schedule:8} {row.variant:7} {values} ({row.limited} of {row.count})")
        published = PUBLISHED_GAPS.get(row.max_size, {}).get(row.variant) if row.schedule == "mplp" else None
        if published is not None:
            lines.append(f"{'the paper':>20} " + " ".join(f"{value:9.2e}" for value in published))
    return lines


def _times(runs: Sequence[FinishedRun]) -> list[str]:
    found = speeds(runs)
    if not found:
        return []
    lines = [
        f"Times against variant {BASELINE}: the median speed-up, and the slope in log-log; below 1, the speed-up grows",
        "with the time that the baseline takes; in brackets the runs in which one of the two reached its time limit:",
        f"{'M':>3} {'schedule':8} {'variant':>7} {'speed-up':>9} {'slope':>6}",
    ]
    for speed in found:
        times = f"{speed.speedup:9.2f} {speed.slope:6.2f} ({speed.cut_short} of {speed.count})"
        lines.append(f"{speed.max_size:3} {speed.schedule:8} {speed.variant:7} {times}")
    return lines


def _observations(runs: Sequence[FinishedRun]) -> list[str]:
    lines: list[str] = []
    for schedule in sorted({run.task.schedule for run in runs}):
        found = observations([run for run in runs if run.task.schedule == schedule])
        if found:
            lines.append(f"What the paper observed, and whether it holds here ({schedule}):")
        for look in found:
            lines += [f"{'holds' if look.holds else 'does not hold'}: {look.claim}", f"    {look.numbers}"]
    return lines
