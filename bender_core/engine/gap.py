"""The gap between two bounds on the optimum, and when a labelling is no better than another."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bender_core.forms.lattice import Lattice
from bender_core.forms.normal_form import ROUNDING
from bender_core.kernels.gap import CLOSED
from bender_core.kernels.rows.pool import TIGHT
from bender_core.model import BoolArray

# A run's margin is smaller: a checker adds in another order, and another labelling may be slightly better.
CLAIMED = 0.9


def is_closed(lower: float, upper: float, scale: float) -> bool:
    """Whether two bounds on the least energy are equal within the default tolerance of a run.

    Source: docs/method.md §9.4.

    Parameters
    ----------
    lower, upper : float
        Energies.
    scale : float
        The energy at stake (`forms.scale.gap_scale`): a constant added to all energies does not close the gap. Where it
        is 0, rounding hides whether the bounds meet.
    """
    size = min(max(abs(lower), abs(upper)), scale)
    return scale > 0.0 and upper - lower <= max(CLOSED * size, TIGHT * scale)


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


@dataclass(frozen=True)
class Margin:
    """When a labelling is no better than another.

    Source: docs/method.md §15.1.

    Attributes
    ----------
    gain : float
        The least gain of a better labelling, energy.
    rounding : float
        The largest rounding error of a bound, energy.
    lattice : Lattice
        The lattice of possible energies.
    negligible : float
        A gain that does not count, energy.
    """

    gain: float
    rounding: float
    lattice: Lattice
    negligible: float

    @property
    def step(self) -> float:
        """Of the lattice; 0 if none is known."""
        return self.lattice.step

    @property
    def limit(self) -> float:
        """A bound above the best energy by this much excludes better labellings; mostly negative."""
        return self.rounding - self.gain

    def rounding_with(self, message_size: float) -> float:
        """The largest rounding error of a bound recomputed from the messages of a run, which depends on their sizes."""
        return self.rounding + ROUNDING * message_size

    def certain(self, lower: float, rounding: float) -> float:
        """A bound, less its rounding error where that is not negligible."""
        return lower - (rounding if rounding > self.negligible else 0.0)

    def excludes(self, excess: ArrayLike, message_size: float) -> BoolArray:
        """Which labellings are no better than the best one, given lower bounds on their excess cost.

        Source: docs/method.md §15.1, §15.5.

        Parameters
        ----------
        excess : array_like
            Recomputed from the present messages of a run, energy.
        message_size : float
            The sum of the sizes of these messages.
        """
        return np.asarray(excess) >= self.rounding_with(message_size) - self.gain


def margin(rounding: float, points: Lattice, negligible: float) -> Margin:
    """The margin of a model.

    Parameters
    ----------
    rounding : float
        The largest rounding error of a bound, energy.
    points : Lattice
        Of its energies, up to errors far below the negligible gain.
    negligible : float
        A gain that does not count, energy.

    Returns
    -------
    Margin
    """
    gain = points.step - negligible if points.step else CLAIMED * negligible
    return Margin(gain, rounding, points, negligible)
