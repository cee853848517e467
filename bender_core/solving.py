"""Solve a model: cut, run, and say what came of it."""

from __future__ import annotations

import time

import numpy as np

from bender_core import memory
from bender_core.bounds import relative_gap
from bender_core.engine import Engine, OnProgress
from bender_core.estimate import DEEPEST
from bender_core.lattice import lattice
from bender_core.model import BinaryMRF
from bender_core.normal_form import to_normal_form
from bender_core.partition import Partition
from bender_core.result import STOPPED, TIME_LIMIT, Result, meaning
from bender_core.stopping import Stop, Stopped
from bender_core.trace import Trace
from bender_core.variants import Variant


def solve(
    mrf: BinaryMRF,
    partition: Partition,
    variant: int | Variant = 9,
    schedule: str = "mplp",
    max_sweeps: int = 400,
    tolerance: float = 1e-9,
    deepest: int = DEEPEST,
    improving: bool = True,
    time_limit: float | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Run message passing to its end.

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition
    variant, schedule, max_sweeps, tolerance, deepest, improving
        As for `Engine`.
    time_limit : float, optional
        Seconds, for making the tables and for the run.
    on_progress : callable, optional
        Called about every 50 ms with the engine, once there is one; the run stops if it returns True.

    Returns
    -------
    Result

    Raises
    ------
    TooLargeError, PartitionError, ValueError
        As for `Engine`.
    """
    begin = time.perf_counter()
    stop = Stop(time_limit)
    try:
        engine = Engine(
            mrf, partition, variant, schedule, tolerance, max_sweeps, deepest, improving, snapshot_bytes=0, stop=stop
        )
    except Stopped:
        return _unbuilt(mrf, time.perf_counter() - begin)
    engine.run(time_limit=stop.left, on_progress=on_progress)
    return engine.result(time.perf_counter() - begin, TIME_LIMIT if stop() else STOPPED)


def _unbuilt(mrf: BinaryMRF, seconds: float) -> Result:
    """What can be said where there was no time to make the tables: every term by itself."""
    form = to_normal_form(mrf)
    labeling = form.unary.argmin(axis=1)
    lower, upper = float(form.constant + form.weight.sum()), mrf.energy(labeling)
    points = lattice(mrf)
    rounded = points.raised(lower, upper)
    return Result(
        lower_bound=lower,
        rounded_bound=rounded,
        step=points.step,
        upper_bound=upper,
        labeling=labeling.astype(np.int64),
        decoded_bound=upper,
        gap=relative_gap(rounded, upper),
        status=TIME_LIMIT,
        meaning=meaning(TIME_LIMIT, lower, rounded, points.step),
        sweeps=0,
        rows=0,
        seconds=seconds,
        feasible=not mrf.violations(labeling),
        trace=Trace(memory.events(0), 0),
    )
