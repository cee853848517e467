"""The result of a run or a proof, the reason for its end, and its meaning.

Source: docs/method.md §9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from typing import TypedDict

from bender_core.checking.certificate import EXHAUSTED, OUT_OF_MEMORY, Certificate
from bender_core.engine.gap import relative_gap
from bender_core.engine.trace import Trace
from bender_core.forms.lattice import Lattice
from bender_core.kernels.layout import Status
from bender_core.model import IntArray

CLOSED = "closed"
# The status of a run in a word or two. The last two are for interrupted runs.
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
    CLOSED: "Closed: the labelling is optimal{within}, which the bound proves.",
    "no progress": "No progress: sweeps no longer raise the bound. Larger groups, the other schedule or variant 12 "
    "may.",
    "sweep limit": "Sweep limit: all allowed sweeps are done. More sweeps may raise the bound.",
    "memory limit": "Memory limit: no memory is left for more rows or events. A higher limit, smaller groups, or "
    "variant 12, which keeps no rows, may go further.",
    TIME_LIMIT: "Time limit: the bounds hold; more time may improve them.",
    STOPPED: "Stopped: the bounds hold; continuing may improve them.",
    OUT_OF_MEMORY: "No memory for another run: the bounds hold; a higher limit may improve them.",
    EXHAUSTED: "Nothing left to try: the bounds hold; larger groups may improve them.",
}


class Meaning(TypedDict):
    """The meaning of two bounds, as fields of a `Result`."""

    lower_bound: float
    rounded_bound: float
    step: float
    upper_bound: float
    gap: float
    status: str
    meaning: str


def verdict(
    status: str, lower: float, upper: float, points: Lattice, scale: float, rounding: float, gain: float | None = None
) -> Meaning:
    """Interpret the final bounds of a run.

    Parameters
    ----------
    status : str
        Why it ended: see `STATUSES`. If the bounds meet, that is the reason, even if a limit was reached at the same
        time.
    lower, upper : float
        Energies.
    points : Lattice
        The lattice of energies.
    scale : float
        The energy at stake (`forms.scale.gap_scale`).
    rounding : float
        The rounding error of the bound, energy. Where it hides whether the bounds meet, that much less is claimed.
    gain : float, optional
        If the bound excludes all labellings that are better by more than this (`Margin.excludes`), energy.
    """
    # Rounding may lift the lower bound above the upper one.
    lower = min(lower if scale else lower - rounding, upper)
    rounded = points.raised(lower, upper)
    proven = gain is not None or points.proves(lower, upper)
    least = min(rounded, upper - rounding)
    status = CLOSED if proven else status
    within = upper - least if not proven else 0.0 if points.step or gain is None else gain
    return Meaning(
        lower_bound=lower,
        rounded_bound=rounded,
        step=points.step,
        upper_bound=upper,
        gap=0.0 if proven else relative_gap(least, upper),
        status=status,
        meaning=_meaning(status, lower, rounded, proven, within, points.step)
        + _doubt(rounding) * (not proven and not scale and rounding > points.step),
    )


def verdict_of(found: Certificate, points: Lattice) -> Meaning:
    """Interpret the outcome of a proof; its bounds meet only if the proof claims so, since it accounts for rounding.

    Parameters
    ----------
    found : Certificate
    points : Lattice
        The lattice of energies.
    """
    lower, upper = found.lower_bound, found.upper_bound
    status = CLOSED if found.optimal else found.status
    raised = points.raised(lower, upper)
    rounded = raised if found.optimal or raised < upper else lower
    return Meaning(
        lower_bound=lower,
        rounded_bound=rounded,
        step=points.step,
        upper_bound=upper,
        gap=relative_gap(rounded, upper),
        status=status,
        meaning=_meaning(status, lower, rounded, found.optimal, 0.0 if points.step else found.negligible, points.step)
        + _doubt(found.rounding) * (not found.optimal and found.rounding > max(found.negligible, points.step)),
    )


def _doubt(rounding: float) -> str:
    return (
        f" Sums of energies as large as these are rounded by up to {rounding:.2g}, so smaller differences are not "
        "decided: smaller penalties may suffice."
    )


def _meaning(status: str, lower: float, rounded: float, proven: bool, within: float, step: float) -> str:
    """The status in a sentence; ``within``: the most that a better labelling may gain, energy."""
    most = _rounded_up(within)
    sentence = _MEANINGS[status].format(within=f" to within {most}" if within else "")
    if status == CLOSED and not proven:
        sentence = f"Closed within the tolerance: the labelling costs at most {most} more than the least energy."
    if rounded > lower and step:
        sentence += f" All energies differ by multiples of {step:.6g}, so the bound {lower:.6g} means {rounded:.6g}."
    return sentence


def _rounded_up(energy: float) -> str:
    """An upper limit in three digits, rounded up."""
    nearest = f"{energy:.3g}"
    if math.isclose(float(nearest), energy, rel_tol=1e-12):
        return nearest
    return f"{float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(energy)):.3g}"


@dataclass(frozen=True)
class Result:
    """The result of a run, or of a proof, which is several runs. Energies are the model's own, constant included.

    Attributes
    ----------
    lower_bound : float
        The dual bound: no labelling costs less. Where rounding hides whether the bounds meet, it is lowered by the
        error (docs/method.md §9.4).
    rounded_bound : float
        The same, raised to the next possible energy if all differ by multiples of ``step``.
    step : float
        0 if no such step is known.
    upper_bound : float
        The energy of ``labeling``.
    labeling : ndarray, shape (n,)
        The best one found.
    decoded_bound : float
        The energy of the best decoded labelling of the last run, before any improvement (the paper's upper bound).
    gap : float
        `relative_gap` of ``rounded_bound`` and ``upper_bound``; 0 where they meet. With a loose tolerance a run
        may be closed with a gap above 0 (docs/method.md §9.4).
    status : str
        Why it ended: see docs/method.md §9.5.
    meaning : str
        The status and its meaning in a sentence.
    sweeps : int
        Completed sweeps, of all runs.
    rows : int
        Rows in use in the last run.
    seconds : float
    feasible : bool
        Whether the labelling violates no hard constraint.
    trace : Trace
        The trace of the last run; in a proof that is a run on the reduced model.
    certificate : Certificate or None
        The certificate of a proof; None for a single run.
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
    certificate: Certificate | None = None

    @property
    def optimal(self) -> bool:
        """Whether no labelling costs less: in a proof up to ``certificate.negligible``, in a run if the gap is 0
        (docs/method.md §9.4).
        """
        return self.status == CLOSED and self.gap == 0.0
