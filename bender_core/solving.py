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
from bender_core.planning.pursuit import Pursuit
from bender_core.planning.unions import stages
from bender_core.result import STATUSES, STOPPED, TIME_LIMIT, Result, meaning
from bender_core.stopping import Stop, Stopped, never
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
    stop: Stop = never,
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
    stop : Stop
        Asked about every 10 ms while tables are made, and as often as ``on_progress`` later, whether to stop.

    Returns
    -------
    Result

    Raises
    ------
    TooLargeError, PartitionError, ValueError
        As for `Engine`.
    Stopped
        If ``stop`` says so before there is an engine.
    """
    begin = time.perf_counter()
    limit = Stop(time_limit, stop)
    sweeps = max_sweeps if max_sweeps is not None else MAX_SWEEPS if time_limit is None else ENDLESS
    first, then = partition, []
    if time_limit is not None:
        # What does not fit is refused at once, also if its parts would.
        charge_run(mrf, partition, variant_of(variant), schedule, Account()).close()
        first, *then = stages(mrf, partition, variant, time_limit)
    try:
        engine = Engine(
            mrf, first, variant, schedule, tolerance, sweeps, deepest, improving, snapshot_bytes=0, stop=limit
        )
    except Stopped:
        stop.check()
        return _unbuilt(mrf, time.perf_counter() - begin)
    pursuit = Pursuit(engine, then, limit, max_sweeps, on_progress)
    del engine
    if time_limit is None:
        pursuit.run()
    else:
        pursuit.follow()
    return _concluded(pursuit, time.perf_counter() - begin)


def _concluded(pursuit: Pursuit, seconds: float) -> Result:
    """The best of all runs, and why the last of them ended."""
    spent = STATUSES[Status.SWEEP_LIMIT] if pursuit.sweeps_left == 0 else STOPPED
    last = pursuit.engine.result(seconds, TIME_LIMIT if pursuit.is_late else spent)
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
        feasible=not mrf.violations(labeling),
        trace=Trace(memory.events(0), 0),
    )
