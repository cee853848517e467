"""Solve a model, and certify: prove, or run on given groups, within a time limit, and report the result."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from bender_core.account import Account
from bender_core.checking.certificate import EXHAUSTED, Certificate
from bender_core.cycles.mplp import CyclePursuit
from bender_core.engine import memory
from bender_core.engine.engine import Engine, OnProgress
from bender_core.engine.result import STOPPED, TIME_LIMIT, Result, verdict, verdict_of
from bender_core.engine.settings import ENDLESS
from bender_core.engine.trace import Trace
from bender_core.forms.lattice import lattice
from bender_core.forms.normal_form import to_normal_form
from bender_core.forms.scale import energy_scale, gap_scale
from bender_core.groups import Partition
from bender_core.model import BinaryMRF, require_model
from bender_core.stopping import Stop, Stopped, never
from bender_core.trying.policy import BOTH, LARGEST, METHODS
from bender_core.trying.proof import Descent
from bender_core.trying.proof import OnProgress as OnProofProgress
from bender_core.variants import Variant
from bender_core.variants import variant as variant_of
from bender_core.warming import ready

# Sweeps of a run without a time limit, as in the paper.
MAX_SWEEPS = 400
# The method of `solve` that makes no proof which can be checked: MPLP with cycle pursuit, docs/cycles.md §8.
MPLP_CP = "mplp-cp"


def solve(
    mrf: BinaryMRF,
    partition: Partition | None = None,
    variant: int | Variant | None = None,
    schedule: str | None = None,
    max_sweeps: int | None = None,
    tolerance: float | None = None,
    deepest: int | None = None,
    improving: bool | None = None,
    time_limit: float | None = None,
    on_progress: Callable[[Any], bool | None] | None = None,
    stop: Stop = never,
    method: str = BOTH,
) -> Result:
    """Prove that a labelling is optimal, as far as possible; or, with a partition, run message passing on it.

    A proof is made by `certify`, which also accepts the size of groups and a seed. Source: docs/method.md §9.5, §13.2,
    §15.

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition, optional
        For a run.
    variant, schedule, tolerance, deepest, improving : optional
        Settings of a run, as for `Engine`, with its defaults; refused without a partition.
    max_sweeps : int, optional
        Limit of a run; by default 400, as in the paper, or unlimited with a time limit.
    time_limit : float, optional
        Seconds for everything, including the construction of tables. A run that gains nothing more ends earlier.
    on_progress : callable, optional
        Called about every 50 ms with the `Engine` of a run, once there is one, or with the `Descent` of a proof; after
        every round with a `CyclePursuit`. All have ``lower_bound``, ``upper_bound`` and ``labeling``. The work stops if
        it returns True.
    stop : Stop
        Checked about every 10 ms while tables are made, and as often as ``on_progress`` later.
    method : {"both", "groups", "cycles", "mplp-cp"}
        Of a proof, as for `certify`; or MPLP with cycle pursuit, for comparison, which leaves no certificate.

    Returns
    -------
    Result
        For a proof, with its certificate.

    Raises
    ------
    TooLargeError, PartitionError, ValueError
        As for `Engine` and `certify`; or if a setting of a run is given without a partition.
    Stopped
        If ``stop`` says so before a run has an engine; a proof returns bounds at any moment.

    Examples
    --------
    >>> mrf = BinaryMRF(unary=[[0, 1], [0, 1]], edges=[[0, 1]], pairwise=[[[0, 0], [0, -3]]])
    >>> proof = solve(mrf)
    >>> proof.optimal, proof.upper_bound, proof.labeling.tolist()
    (True, -1.0, [1, 1])
    >>> run = solve(mrf, Partition(([0], [1]), ("a", "b")))
    >>> run.status, run.lower_bound, run.labeling.tolist()
    ('closed', -1.0, [1, 1])
    """
    require_model(mrf)
    settings = {
        "variant": variant,
        "schedule": schedule,
        "max_sweeps": max_sweeps,
        "tolerance": tolerance,
        "deepest": deepest,
        "improving": improving,
    }
    given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    if partition is not None:
        return _run(mrf, partition, **given, time_limit=time_limit, on_progress=on_progress, stop=stop)
    if given:
        raise ValueError(
            f"{' and '.join(given)} without a partition: a proof chooses its runs; give a partition for one run"
        )
    if method not in (*METHODS, MPLP_CP):
        raise ValueError(f"there is no method {method!r}; choose one of {', '.join((*METHODS, MPLP_CP))}")
    limit = Stop(time_limit, stop)
    if method == MPLP_CP:
        return _pursued(mrf, on_progress, limit)
    descent = Descent(mrf, stop=limit, method=method)
    descent.run(on_progress=on_progress)
    return _proven(descent)


def certify(
    mrf: BinaryMRF,
    max_size: int = LARGEST,
    time_limit: float | None = None,
    on_progress: OnProofProgress | None = None,
    seed: int = 0,
    stop: Stop = never,
    account: Account | None = None,
    method: str = BOTH,
) -> Certificate:
    """Prove that a labelling is optimal, or come as close as possible.

    Source: docs/method.md §15.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size : int
        M, the largest number of variables in a group.
    time_limit : float, optional
        Seconds.
    on_progress : callable, optional
        Called about every 50 ms with the `Descent`; it ends if it returns True.
    seed : int
        The seed of strategies that depend on one, and of the search for labellings.
    stop : Stop
        Checked about every 50 ms.
    account : Account, optional
        To which its runs are charged; by default one of its own.
    method : {"both", "groups", "cycles"}
        What the proof rests on: message passing between groups, frustrated cycles, or both.

    Returns
    -------
    Certificate
        Without a time limit it depends only on the model, M and the seed.

    Raises
    ------
    ValueError
        If the time limit is not a number, the seed is negative, or there is no such method.
    PartitionError
        If there are no groups of that size.
    TooLargeError
        If not even small groups fit into memory.

    Examples
    --------
    >>> import bender_core as bc
    >>> certificate = certify(bc.load("sample_instances/frustrated-cycle.mrf.json"))
    >>> certificate.optimal, certificate.upper_bound
    (True, -17.0)
    """
    descent = Descent(mrf, max_size, seed, Stop(time_limit, stop), account=account, method=method)
    descent.run(on_progress=on_progress)
    return descent.end()


def _run(
    mrf: BinaryMRF,
    partition: Partition,
    variant: int | Variant = 9,
    max_sweeps: int | None = None,
    time_limit: float | None = None,
    on_progress: OnProgress | None = None,
    stop: Stop = never,
    **settings: Any,
) -> Result:
    """One run; ``settings`` are of `Engine`."""
    begin = time.perf_counter()
    limit = Stop(time_limit, stop) if time_limit is not None else stop
    sweeps = max_sweeps if max_sweeps is not None else MAX_SWEEPS if time_limit is None else ENDLESS
    try:
        if limit is not never:
            ready(variant_of(variant).number).wait(limit)
        engine = Engine(mrf, partition, variant=variant, max_sweeps=sweeps, snapshot_bytes=0, stop=limit, **settings)
    except Stopped:
        stop.check()
        return _unbuilt(mrf, time.perf_counter() - begin)
    engine.run(on_progress=lambda running: limit() or (on_progress is not None and on_progress(running)))
    return engine.result(time.perf_counter() - begin, TIME_LIMIT if limit.late else STOPPED)


def _proven(descent: Descent) -> Result:
    """The outcome of a proof; fields about a single run are those of the last one."""
    found, engine = descent.end(), descent.engine
    last = _unbuilt(descent.mrf, found.seconds) if engine is None else engine.result(found.seconds)
    return replace(
        last,
        **verdict_of(found, lattice(descent.known.whole.model)),
        labeling=found.labeling,
        sweeps=sum(one.sweeps for one in found.rounds),
        feasible=found.feasible,
        certificate=found,
    )


def _pursued(mrf: BinaryMRF, on_progress: Callable[[Any], bool | None] | None, limit: Stop) -> Result:
    """The outcome of MPLP with cycle pursuit, whose rounds count as sweeps."""
    begin = time.perf_counter()
    rival = CyclePursuit(mrf, keeps=False)
    with suppress(Stopped):
        rival.run(on_progress=on_progress, stop=limit)
    lower, upper, margin = rival.lower_bound, rival.upper_bound, rival.margin
    status = EXHAUSTED if rival.finished else TIME_LIMIT if limit.late else STOPPED
    gain = margin.gain if rival.is_proven else None
    scale = gap_scale(energy_scale(mrf), margin.rounding)
    return Result(
        **verdict(status, lower, upper, margin.lattice, scale, margin.rounding, gain),
        labeling=rival.labeling,
        decoded_bound=upper,
        sweeps=rival.rounds,
        rows=0,
        seconds=time.perf_counter() - begin,
        feasible=not mrf.violations(rival.labeling),
        trace=Trace(memory.events(0), 0),
    )


def _unbuilt(mrf: BinaryMRF, seconds: float) -> Result:
    """The result if there was no time to make the tables: the minima of all terms."""
    form = to_normal_form(mrf)
    labeling, rounding = form.unary.argmin(axis=1), form.rounding
    lower, upper = float(form.constant + form.weight.sum()), mrf.energy(labeling)
    return Result(
        **verdict(TIME_LIMIT, lower, upper, lattice(mrf), gap_scale(energy_scale(mrf), rounding), rounding),
        labeling=labeling.astype(np.int64),
        decoded_bound=upper,
        sweeps=0,
        rows=0,
        seconds=seconds,
        feasible=not mrf.violations(labeling),
        trace=Trace(memory.events(0), 0),
    )
