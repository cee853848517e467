"""The outcome of a run within limits, and its progress."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bender_core.checking.certificate import OPTIMAL, OUT_OF_MEMORY, STOPPED
from bender_core.cycles.rounds import Rounds
from bender_core.engine.engine import Engine
from bender_core.engine.gap import relative_gap
from bender_core.kernels.layout import Status
from bender_core.rivals.report import MEMORY, PROVEN
from bender_core.trying.proof import Descent
from bender_core.trying.trials import Mover

# What curves of earlier versions have, and what they have now.
_FORMER = [("seconds", "<f4"), ("sweep", "<i4"), ("lower_bound", "<f8"), ("upper_bound", "<f8"), ("rows", "<i8")]
CURVE = np.dtype([*_FORMER, ("work", "<i8")])
# The work of a record that has none: of an external solver, or an earlier version.
NOT_COUNTED = -1
# Before the compressed records, which begin with another byte; earlier versions wrote nothing there.
_VERSION = b"\x02"

GAP_CLOSED = "gap closed"
SECONDS_REACHED = "limit reached: time"
SWEEPS_REACHED = "limit reached: sweeps"
MEMORY_REACHED = "limit reached: memory"
WORKER_DIED = "the worker died"
# Of a run, and of a method.
ENDINGS: dict[Status | str, str] = {
    Status.MEMORY_LIMIT: MEMORY_REACHED,
    Status.RUNNING: SECONDS_REACHED,
    Status.SWEEP_LIMIT: SWEEPS_REACHED,
    OPTIMAL: GAP_CLOSED,
    STOPPED: SECONDS_REACHED,
    OUT_OF_MEMORY: MEMORY_REACHED,
    PROVEN: GAP_CLOSED,
    MEMORY: MEMORY_REACHED,
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    status : str
        "gap closed"; "no progress", of a method "nothing left to try"; or the limit that it reached.
    lower_bound, upper_bound : float
        Energies; infinite if the run never began.
    sweeps, rows : int
        Rounds without groups count as sweeps.
    seconds : float
        Of the wall clock, tables included; of an external solver, its processor time (`Rival.seconds`).
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
        """The normalised gap, `relative_gap`; infinite if the run never began, or knows no bound or no labelling."""
        return relative_gap(self.lower_bound, self.upper_bound)

    @property
    def work(self) -> int | None:
        """Table entries read, other work converted to entries; None if nobody has counted them."""
        last = curve_of(self.curve)[-1:]["work"].tolist() if self.curve else []
        return last[0] if last and last[0] != NOT_COUNTED else None

    @property
    def building(self) -> float:
        """Those of its seconds in which groups were chosen, or an external solver built its own form of the model."""
        return building_of(curve_of(self.curve)) if self.curve else 0.0


Record = tuple[float, int, float, float, int, int]


def record(run: Mover, seconds: float) -> Record:
    """The position of a run, as a `CURVE` record."""
    return seconds, run.sweep, _lower_bound(run), run.upper_bound, run.n_rows, _work(run)


def _work(run: Mover) -> int:
    """Table entries read so far, other work converted to entries; of external solvers nobody counts them."""
    if isinstance(run, Engine):
        return int(run.arrays.state.cursor.read)
    return run.work if isinstance(run, Descent | Rounds) else NOT_COUNTED


def _lower_bound(run: Mover) -> float:
    """That of a run; where a labelling is proven optimal, its energy is a bound, too."""
    return run.upper_bound if run.status == OPTIMAL else run.lower_bound


def outcome_of(run: Mover, seconds: float, records: Sequence[Record]) -> Outcome:
    """The outcome of a run, from its seconds and records."""
    status = run.status
    named = status if isinstance(status, str) else status.name.lower().replace("_", " ")
    return Outcome(
        status=ENDINGS.get(status, named),
        lower_bound=_lower_bound(run),
        upper_bound=run.upper_bound,
        sweeps=run.sweep,
        rows=run.n_rows,
        seconds=seconds,
        labeling=np.packbits(run.labeling.astype(np.uint8)).tobytes(),
        curve=pack_curve(records),
    )


def building_of(records: NDArray[np.void]) -> float:
    """The seconds of building, after which a curve begins: its first record knows nothing yet; otherwise 0."""
    is_nothing_known = len(records) and not np.isfinite([records[0]["lower_bound"], records[0]["upper_bound"]]).any()
    return float(records[0]["seconds"]) if is_nothing_known else 0.0


def pack_curve(records: Sequence[Record]) -> bytes:
    """Records as the bytes that `curve_of` reads."""
    return _VERSION + zlib.compress(np.array(records, CURVE).tobytes())


def curve_of(curve: bytes) -> NDArray[np.void]:
    """The records of a run as a structured array of `CURVE`."""
    if curve.startswith(_VERSION):
        return np.frombuffer(zlib.decompress(curve[len(_VERSION) :]), CURVE)
    former = np.frombuffer(zlib.decompress(curve), _FORMER)
    found = np.full(len(former), NOT_COUNTED, CURVE)
    for name in former.dtype.names or ():
        found[name] = former[name]
    return found
