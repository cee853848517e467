"""How the gap between two bounds is told: as a share of their size, or as closed."""

from __future__ import annotations

import bender_core as bc
from bender_core.bounds import relative_gap
from bender_core.kernels.layout import Status

# Ten times the engine's tolerance: a run whose sweeps bring less than that ends a little before the optimum.
CLOSED = 1e-8
# Relative to the spread of the energies, what rounding alone may leave between two bounds.
ROUNDING = 1e-12


def spread_of(mrf: bc.BinaryMRF) -> float:
    """By how much the energies of a model can differ at most, whatever constant was added to them."""
    form = bc.to_normal_form(mrf)
    return float(form.unary.max(axis=1, initial=0.0).sum() - form.weight.sum())


def is_closed(lower: float, upper: float, spread: float) -> bool:
    """Whether two bounds on the least energy are the same as far as a run can tell (tools.js has the same).

    Parameters
    ----------
    lower, upper : float
        Energies.
    spread : float
        By how much the energies of the model can differ at most: a constant added to all of them closes no gap.
    """
    size = min(max(abs(lower), abs(upper)), spread)
    return upper - lower <= max(CLOSED * size, ROUNDING * spread)


def gap(lower: float, upper: float, spread: float) -> float:
    """The relative gap of two bounds, 0 if it is closed."""
    return 0.0 if is_closed(lower, upper, spread) else relative_gap(lower, upper)


def ending(status: Status, lower: float, upper: float, spread: float) -> Status:
    """How a run that ended at these bounds is told to have ended."""
    if status != Status.RUNNING and is_closed(lower, upper, spread):
        return Status.GAP_CLOSED
    return status
