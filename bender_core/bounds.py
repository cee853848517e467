"""What two bounds on the optimum say together."""

from __future__ import annotations


def relative_gap(lower: float, upper: float) -> float:
    """How far two bounds on the least energy are apart, relative to the larger of them in size.

    For negative energies this is the paper's normalised gap, ``(UB - LB) / |LB|``. Unlike that it is finite and at
    most 2 whatever the signs: energies may be shifted by any constant, so ``|LB|`` alone can be 0 by accident.

    Parameters
    ----------
    lower, upper : float
        Energies.

    Returns
    -------
    float
        0 where the bounds meet (or cross, by rounding); ``inf`` only if a bound is infinite.
    """
    difference = upper - lower
    if not difference > 0.0:
        return 0.0
    largest = max(abs(lower), abs(upper))
    return difference / largest if largest < float("inf") else float("inf")
