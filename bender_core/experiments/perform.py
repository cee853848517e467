"""One run of a plan, in any process: from the task to its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import cache

from bender_core.experiments.lane import Entry, Lane
from bender_core.experiments.outcome import Outcome
from bender_core.experiments.plan import Task
from bender_core.warming import warm_up


def perform(task: Task, unwanted: Callable[[], bool] = lambda: False) -> Outcome:
    """Do a run within its limits; a run that is too large also has an outcome.

    Parameters
    ----------
    task : Task
    unwanted : callable, optional
        Called about every 50 ms; the run is abandoned if it returns True.

    Raises
    ------
    CancelledError
        If ``unwanted`` returned True.
    FormatError, ModelError, PartitionError, OSError
        If its instance can no longer be loaded or partitioned.
    """
    # First: what its groups cost counts.
    _warm()
    entry = Entry(*task.load(), task.max_size, task.variant, task.schedule, task.method)
    lane = Lane(entry, task.limits, time.perf_counter)
    try:
        while lane.outcome is None:
            lane.advance()
            if unwanted():
                raise CancelledError
    finally:
        lane.end()
    return lane.outcome


@cache
def _warm() -> None:
    """Load the kernels; otherwise a worker's first run would take longer than its others."""
    warm_up()
