"""Finished runs with given curves, made by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bender_core.experiments import FinishedRun, Instance, Limits, Outcome, Task
from bender_core.experiments.outcome import GAP_CLOSED, SECONDS_REACHED, pack_curve

LIMITS = Limits(seconds=60.0)
# Seconds, lower and upper bound, in the order of time.
Bounds = Sequence[tuple[float, float, float]]


def run_of(
    kind: int | str,
    number: int,
    bounds: Bounds,
    *,
    size: int = 5,
    strategy: str = "greedy",
    closed: bool = True,
    rows: int = 10,
) -> FinishedRun:
    """A run of a variant or a method on instance ``number``, which ends with its last bounds."""
    by_method = isinstance(kind, str)
    instance = Instance("ising_grid", (("rows", rows), ("seed", number)))
    setting = (kind, 0, "") if by_method else (strategy, kind, "mplp")
    size = 0 if by_method else size
    task = Task(f"{kind} {number} {size} {strategy}", f"model {number}", instance, size, *setting, LIMITS)  # type: ignore[arg-type]
    seconds, lower, upper = bounds[-1] if bounds else (0.0, -math.inf, math.inf)
    records = [(when, k, low, high, 0, -1) for k, (when, low, high) in enumerate(bounds)]
    curve = pack_curve(records) if records else b""
    status = GAP_CLOSED if closed else SECONDS_REACHED
    return FinishedRun(task, Outcome(status, lower, upper, len(bounds), 0, seconds, curve=curve), "code", "now")


def solved_in(seconds: Mapping[int | str, Sequence[float]]) -> list[FinishedRun]:
    """Runs that close their gap after some seconds each, or do not, where these are infinite, within the limit."""
    return [
        run_of(kind, k, [(min(each, LIMITS.seconds), -2.0 - math.isinf(each), -2.0)], closed=math.isfinite(each))
        for kind, times in seconds.items()
        for k, each in enumerate(times)
    ]
