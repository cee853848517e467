"""The gap between two bounds on the optimum."""

from __future__ import annotations

import math

from bender_core.kernels.gap import CLOSED
from bender_core.kernels.rows.pool import TIGHT


def is_closed(lower: float, upper: float, scale: float) -> bool:
    """Whether two bounds on the least energy are equal within the default tolerance of a run.

    Source: docs/method.md §9.4.

    Parameters
    ----------
    lower, upper : float
        Energies.
    scale : float
        The energy at stake (`hypergraph.energy_scale`): a constant added to all energies does not close the gap.
    """
    size = min(max(abs(lower), abs(upper)), scale)
    return upper - lower <= max(CLOSED * size, TIGHT * scale)


def relative_gap(lower: float, upper: float) -> float:
    """The distance of two bounds on the least energy, relative to the larger of them in size.

    For negative energies this is the paper's normalised gap, ``(UB - LB) / |LB|``. Unlike that gap it is finite and at
    most 2 for any signs: energies may be shifted by any constant, so ``|LB|`` can be 0 by accident.
    Source: docs/method.md §9.4.

    Parameters
    ----------
    lower, upper : float
        Energies.

    Returns
    -------
    float
        0 where the bounds meet (or cross, by rounding); ``inf`` only if a bound is infinite, NaN only if one is NaN.

    Examples
    --------
    >>> relative_gap(-4.0, -3.0)
    0.25
    """
    if math.isnan(lower) or math.isnan(upper):
        return math.nan
    difference = upper - lower
    if not difference > 0.0:
        return 0.0
    largest = max(abs(lower), abs(upper))
    return difference / largest if largest < float("inf") else float("inf")


def gap_between(lower: float, upper: float, scale: float) -> float:
    """`relative_gap` of two bounds, 0 where `is_closed`."""
    return 0.0 if is_closed(lower, upper, scale) else relative_gap(lower, upper)
