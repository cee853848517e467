"""What a run ends with, why it ended, and what that means.

Source: docs/method.md §9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from bender_core.kernels.layout import Status
from bender_core.lattice import Lattice
from bender_core.model import IntArray
from bender_core.run.bounds import gap_between, relative_gap
from bender_core.run.trace import Trace

CLOSED = "closed"
# The status of a run in a word or two. The last two are those of a run that was left where it stood.
STATUSES = {
    Status.RUNNING: "not finished",
    Status.GAP_CLOSED: CLOSED,
    Status.NO_PROGRESS: "no progress",
    Status.SWEEP_LIMIT: "sweep limit",
    Status.MEMORY_LIMIT: "memory limit",
}
TIME_LIMIT, STOPPED = "time limit", "stopped"

_MEANINGS = {
    "not finished": "The run has not ended yet.",
    CLOSED: "Closed: the labelling is optimal, which the bound proves.",
    "no progress": "No progress: sweeps raise the bound no more. Larger groups, the other schedule or variant 12 may.",
    "sweep limit": "Sweep limit: all sweeps allowed are done. More sweeps may raise the bound.",
    "memory limit": "Memory limit: no room is left for more rows or events. A higher limit, smaller groups, or "
    "variant 12, which keeps no rows, may go further.",
    TIME_LIMIT: "Time limit: the bounds hold, more time may improve them.",
    STOPPED: "Stopped: the bounds hold, going on may improve them.",
}


@dataclass(frozen=True)
class Attempt:
    """One of several runs of a model, of which each went on where the one before gained no more.

    Attributes
    ----------
    variant : int
    schedule : str
    groups, max_size : int
        Of the partition.
    deepest : int
        At how many states of a group its envelope is made tight at most.
    sweeps : int
    lower_bound, upper_bound : float
        Energies, at its end.
    status : str
        See `STATUSES`; "left" where its bound rose too slowly or time was over.
    """

    variant: int
    schedule: str
    groups: int
    max_size: int
    deepest: int
    sweeps: int
    lower_bound: float
    upper_bound: float
    status: str

    def __str__(self) -> str:
        groups = f"{self.groups} {'group' if self.groups == 1 else 'groups'} of up to {self.max_size}"
        sweeps = "1 sweep" if self.sweeps == 1 else f"{self.sweeps} sweeps"
        return (
            f"variant {self.variant}, {self.schedule}, {groups}, envelopes tight at up to {self.deepest} states: "
            f"bound {self.lower_bound:.9g} after {sweeps}, {self.status}"
        )


class Verdict(TypedDict):
    """What two bounds say together, as fields of a `Result`."""

    lower_bound: float
    rounded_bound: float
    step: float
    upper_bound: float
    gap: float
    status: str
    meaning: str


def verdict(
    status: str, lower: float, upper: float, points: Lattice, scale: float, tried: tuple[Attempt, ...] = ()
) -> Verdict:
    """What the bounds that a run ended with mean.

    Parameters
    ----------
    status : str
        Why it ended: see `STATUSES`. Where the bounds meet that is the reason, whatever else came at the same time.
    lower, upper : float
        Energies.
    points : Lattice
        The energies there are.
    scale : float
        How much energy is at stake (`hypergraph.energy_scale`).
    tried : tuple of Attempt
        The runs that led there, if there was more than one.
    """
    rounded = points.raised(lower, upper)
    if rounded >= upper:
        status = CLOSED
    gap = gap_between(rounded, upper, scale) if status == CLOSED else relative_gap(rounded, upper)
    return Verdict(
        lower_bound=lower,
        rounded_bound=rounded,
        step=points.step,
        upper_bound=upper,
        gap=gap,
        status=status,
        meaning=_meaning(status, lower, rounded, upper, gap, points.step, tried),
    )


def _meaning(
    status: str, lower: float, rounded: float, upper: float, gap: float, step: float, tried: tuple[Attempt, ...]
) -> str:
    said = _MEANINGS[status]
    if status == CLOSED and gap:
        said = (
            f"Closed within the tolerance: the labelling costs at most {upper - rounded:.3g} more than the least "
            f"energy, {100 * gap:.2g} %."
        )
    if rounded > lower and step:
        said += f" All energies differ by multiples of {step:.6g}, so the bound {lower:.6g} means {rounded:.6g}."
    if len(tried) > 1:
        largest = max(run.max_size for run in tried)
        said += (
            f" {len(tried)} runs, with groups of up to {largest} variables, raised the bound from "
            f"{tried[0].lower_bound:.9g} to {lower:.9g}."
        )
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
        `bounds.relative_gap` of ``rounded_bound`` and ``upper_bound``; 0 where they meet. With a loose tolerance a run
        is closed before (docs/method.md §9.4).
    status : str
        Why the run ended: see docs/method.md §9.5.
    meaning : str
        The same in a sentence, and what it means.
    sweeps : int
        Of all runs.
    rows : int
        Of the last run.
    seconds : float
    feasible : bool
        Whether the labelling violates no hard constraint.
    trace : Trace
        Of the last run.
    tried : tuple of Attempt
        The runs that were made, oldest first; one, unless there was a time limit.
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
    tried: tuple[Attempt, ...] = ()
