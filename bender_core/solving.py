"""Solve a model: run, go on while there is time, and say what came of it."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from bender_core import memory
from bender_core.account import Account
from bender_core.bounds import relative_gap
from bender_core.engine import Engine, OnProgress
from bender_core.estimate import DEEPEST, charge_run
from bender_core.kernels.layout import Status
from bender_core.lattice import lattice
from bender_core.model import BinaryMRF
from bender_core.normal_form import to_normal_form
from bender_core.partition import Partition
from bender_core.planning.pursuit import Pursuit, attempt, stages
from bender_core.result import STATUSES, STOPPED, TIME_LIMIT, Result, meaning
from bender_core.stopping import Stop, Stopped
from bender_core.trace import Trace
from bender_core.variants import Variant
from bender_core.variants import variant as variant_of

# Sweeps of a run without a time limit, as in the paper, and of one with.
MAX_SWEEPS, ENDLESS = 400, 1 << 62


def solve(
    mrf: BinaryMRF,
    partition: Partition,
    variant: int | Variant = 9,
    schedule: str = "mplp",
    max_sweeps: int | None = None,
    tolerance: float = 1e-9,
    deepest: int = DEEPEST,
    improving: bool = True,
    time_limit: float | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Run message passing to its end, or use the time there is.

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition
    variant, schedule, tolerance, deepest, improving
        As for `Engine`.
    max_sweeps : int, optional
        Of all runs together; without it 400, as in the paper, or as many as there is time for.
    time_limit : float, optional
        Seconds, for making the tables and for running. Where a run gains no more before time is over, others go on from
        it, under the other schedule or with larger groups (see `planning.pursuit`); ``Result.tried`` says which.
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
    if time_limit is None:
        sweeps = MAX_SWEEPS if max_sweeps is None else max_sweeps
        engine = Engine(mrf, partition, variant, schedule, tolerance, sweeps, deepest, improving, snapshot_bytes=0)
        engine.run(on_progress=on_progress)
        return replace(engine.result(time.perf_counter() - begin, STOPPED), tried=(attempt(engine),))
    stop = Stop(time_limit)
    sweeps = ENDLESS if max_sweeps is None else max_sweeps
    # What does not fit is refused at once, also if its parts would.
    charge_run(mrf, partition, variant_of(variant), schedule, Account()).close()
    first, *then = stages(mrf, partition, variant, time_limit)
    try:
        engine = Engine(
            mrf, first, variant, schedule, tolerance, sweeps, deepest, improving, snapshot_bytes=0, stop=stop
        )
    except Stopped:
        return _unbuilt(mrf, time.perf_counter() - begin)
    pursuit = Pursuit(engine, then, stop, max_sweeps, on_progress)
    del engine
    pursuit.follow()
    return _concluded(pursuit, time.perf_counter() - begin)


def _concluded(pursuit: Pursuit, seconds: float) -> Result:
    """The best of all runs, and why the last of them ended."""
    last = pursuit.engine.result(seconds, TIME_LIMIT if pursuit.stop() else STOPPED)
    mrf, points, tried = pursuit.engine.mrf, pursuit.engine.lattice, tuple(pursuit.tried)
    upper = mrf.energy(pursuit.labeling)
    rounded = points.raised(pursuit.lower, upper)
    closed = last.status == STATUSES[Status.GAP_CLOSED] or rounded >= upper
    status = STATUSES[Status.GAP_CLOSED] if closed else last.status
    return replace(
        last,
        lower_bound=pursuit.lower,
        rounded_bound=rounded,
        upper_bound=upper,
        labeling=pursuit.labeling,
        gap=0.0 if closed else relative_gap(rounded, upper),
        status=status,
        meaning=meaning(status, pursuit.lower, rounded, points.step, tried),
        sweeps=sum(run.sweeps for run in tried),
        feasible=mrf.is_feasible(upper),
        tried=tried,
    )


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
        feasible=mrf.is_feasible(upper),
        trace=Trace(memory.events(0), 0),
    )
