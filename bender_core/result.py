"""What a run ends with, why it ended, and what that means."""

from __future__ import annotations

from dataclasses import dataclass

from bender_core.kernels.layout import Status
from bender_core.model import IntArray
from bender_core.trace import Trace

# The status of a run in a word or two. The last two are those of a run that was left where it stood.
STATUSES = {
    Status.RUNNING: "not finished",
    Status.GAP_CLOSED: "closed",
    Status.NO_PROGRESS: "no progress",
    Status.SWEEP_LIMIT: "sweep limit",
    Status.MEMORY_LIMIT: "memory limit",
}
TIME_LIMIT, STOPPED = "time limit", "stopped"

_MEANINGS = {
    "not finished": "The run has not ended yet.",
    "closed": "Closed: the labelling is optimal, which the bound proves.",
    "no progress": "No progress: these groups admit no better bound. Larger groups, or another partition, may.",
    "sweep limit": "Sweep limit: all sweeps allowed are done. More sweeps may raise the bound.",
    "memory limit": "Memory limit: no room is left for more rows or events. A higher limit, smaller groups, or "
    "variant 12, which keeps no rows, may go further.",
    TIME_LIMIT: "Time limit: the bounds hold, more time may improve them.",
    STOPPED: "Stopped: the bounds hold, going on may improve them.",
}


def meaning(status: str, lower: float, rounded: float, step: float) -> str:
    """One sentence on why a run ended and what it means.

    Parameters
    ----------
    status : str
        See `STATUSES`.
    lower, rounded : float
        The lower bound, and the same raised to the next energy there is.
    step : float
        Of which all differences of energies are multiples; 0 if none is known.
    """
    said = _MEANINGS[status]
    if rounded > lower and step:
        said += f" All energies differ by multiples of {step:.6g}, so the bound {lower:.6g} means {rounded:.6g}."
    return said


@dataclass(frozen=True)
class Result:
    """What a run ends with. Energies are the model's own, constant included.

    Attributes
    ----------
    lower_bound : float
        The dual bound: no labelling costs less.
    rounded_bound : float
        The same, raised to the next energy there is where all are multiples of ``step`` apart.
    step : float
        0 where no such step is known.
    upper_bound : float
        The energy of ``labeling``.
    labeling : ndarray, shape (n,)
        The best one found.
    decoded_bound : float
        The energy of the best labelling that was decoded, before any improvement (the paper's upper bound).
    gap : float
        `bounds.relative_gap` of ``rounded_bound`` and ``upper_bound``; 0 if the status is "closed".
    status : str
        Why the run ended: see `STATUSES`.
    meaning : str
        The same in a sentence, and what it means.
    sweeps, rows : int
    seconds : float
    feasible : bool
        Whether the labelling violates no hard constraint.
    trace : Trace
    """

    lower_bound: float
    rounded_bound: float
    step: float
    upper_bound: float
    labeling: IntArray
    decoded_bound: float
    gap: float
    status: str
    meaning: str
    sweeps: int
    rows: int
    seconds: float
    feasible: bool
    trace: Trace
