"""One run of a plan, in any process: from the task to its outcome."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bender_core.costs.fit import TooLargeError
from bender_core.experiments.plan import Task
from bender_core.kernels.layout import Status
from bender_core.run.bounds import relative_gap
from bender_core.run.engine import Engine
from bender_core.run.warming import warm_up

CURVE = np.dtype(
    [("seconds", "<f4"), ("sweep", "<i4"), ("lower_bound", "<f8"), ("upper_bound", "<f8"), ("rows", "<i8")]
)

SECONDS_REACHED = "limit reached: time"
SWEEPS_REACHED = "limit reached: sweeps"
MEMORY_REACHED = "limit reached: memory"
WORKER_DIED = "the worker died"
ENDINGS = {
    Status.MEMORY_LIMIT: MEMORY_REACHED,
    Status.RUNNING: SECONDS_REACHED,
    Status.SWEEP_LIMIT: SWEEPS_REACHED,
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    status : str
        "gap closed", "no progress", or the limit that it reached.
    lower_bound, upper_bound : float
        Energies; infinite if the run never began.
    sweeps, rows : int
    seconds : float
        Of the wall clock, tables included.
    labeling : bytes
        The best labelling, eight variables per byte.
    curve : bytes
        `CURVE` records, one per sweep, packed by `pack_curve`.
    """

    status: str
    lower_bound: float = -np.inf
    upper_bound: float = np.inf
    sweeps: int = 0
    rows: int = 0
    seconds: float = 0.0
    labeling: bytes = b""
    curve: bytes = b""

    @property
    def gap(self) -> float:
        """The normalised gap, `relative_gap`; infinite if the run never began."""
        return relative_gap(self.lower_bound, self.upper_bound)


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
    limits = task.limits
    mrf, part = task.cut()
    _warm()
    begin = time.perf_counter()
    try:
        room = limits.megabytes << 20
        engine = Engine(mrf, part, task.variant, task.schedule, max_sweeps=limits.sweeps, snapshot_bytes=0, limit=room)
    except TooLargeError:
        return Outcome(MEMORY_REACHED)
    records = []
    while not engine.finished and (left := limits.seconds - (time.perf_counter() - begin)) > 0:
        engine.run(max_sweeps=engine.sweep + 1, time_limit=left, on_progress=lambda engine: unwanted())
        if unwanted():
            raise CancelledError
        records.append(record(engine, time.perf_counter() - begin))
    return outcome_of(engine, time.perf_counter() - begin, records)


Record = tuple[float, int, float, float, int]


def record(engine: Engine, seconds: float) -> Record:
    """The position of a run, as a `CURVE` record."""
    return seconds, engine.sweep, engine.lower_bound, engine.upper_bound, engine.n_rows


def outcome_of(engine: Engine, seconds: float, records: Sequence[Record]) -> Outcome:
    """The outcome of a run, from its seconds and records."""
    return Outcome(
        status=ENDINGS.get(engine.status, engine.status.name.lower().replace("_", " ")),
        lower_bound=engine.lower_bound,
        upper_bound=engine.upper_bound,
        sweeps=engine.sweep,
        rows=engine.n_rows,
        seconds=seconds,
        labeling=np.packbits(engine.labeling.astype(np.uint8)).tobytes(),
        curve=pack_curve(records),
    )


@cache
def _warm() -> None:
    """Load the kernels; otherwise a worker's first run would take longer than its others."""
    warm_up()


def pack_curve(records: Sequence[Record]) -> bytes:
    """Records as the bytes that `curve_of` reads."""
    return zlib.compress(np.array(records, CURVE).tobytes())


def curve_of(curve: bytes) -> NDArray[np.void]:
    """The records of a run as a structured array of `CURVE`."""
    return np.frombuffer(zlib.decompress(curve), CURVE)
