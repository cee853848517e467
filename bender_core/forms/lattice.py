"""The lattice of energies: a constant plus multiples of a step, if all coefficients are multiples of that step.

If all coefficients of the energy as a polynomial are multiples of d, so is every difference of energies, and a lower
bound may be raised to the next point of the lattice.

Source: docs/method.md §9.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from bender_core.forms.polynomial import polynomial, rounding, terms_of
from bender_core.forms.reduction import Reduction
from bender_core.forms.scale import energy_scale, negligible_gain
from bender_core.model import BinaryMRF

# Coefficients are tried as multiples of 1, 1/10, ... and of 1, 1/2, 1/4, ...: the usual choices in files.
_SCALES = (*(2.0**k for k in range(0, 21, 4)), *(10.0**k for k in range(1, 7)))
# The largest rounding error of all coefficients together, relative to their sum: that of decimals. The largest rounding
# error of an energy, in steps; and the tolerance for it.
_ROUNDING = 64 * np.finfo(float).eps
_OFF, _ALLOWED = 1e-7, 1e-6
# The share of what does not count by which energies may miss the lattice.
_SHARE = 1 / 8


@dataclass(frozen=True)
class Lattice:
    """Every energy is ``offset`` plus a multiple of ``step``, up to rounding.

    Attributes
    ----------
    offset : float
        The energy of the labelling 0...0.
    step : float
        0 if no step is known.
    off : float
        By how much all coefficients together, before they are rounded, miss multiples of the step at most, energy.
    """

    offset: float
    step: float
    off: float = 0.0

    def within(self, negligible: float) -> Lattice:
        """The lattice if energies miss it by much less than an energy that does not count; else one without a step."""
        return self if self.off <= _SHARE * negligible else Lattice(self.offset, 0.0)

    def raised(self, lower: float, upper: float) -> float:
        """The least energy of the lattice that is consistent with a lower bound.

        Parameters
        ----------
        lower : float
            A lower bound on all energies.
        upper : float
            The energy of a labelling; energies that differ from it only by rounding are taken as equal.

        Returns
        -------
        float
            Not below ``lower``.
        """
        if not self.step or not math.isfinite(lower):
            return lower
        steps = math.ceil((lower - self.offset) / self.step - _ALLOWED)
        raised = self.offset + steps * self.step
        if abs(raised - upper) <= 2 * _ALLOWED * self.step:
            raised = upper
        return max(lower, raised) if raised <= upper else lower


def lattice(mrf: BinaryMRF) -> Lattice:
    """The lattice of a model's energies; its step is 0 when in doubt.

    Parameters
    ----------
    mrf : BinaryMRF

    Returns
    -------
    Lattice

    Examples
    --------
    >>> points = lattice(BinaryMRF(unary=[[0, 1.5], [0, -2.5]]))
    >>> points.step, points.raised(-2.9, upper=-2.5)
    (0.5, -2.5)
    """
    offset = math.fsum(terms_of(mrf).constant)
    of_variables, of_edges = polynomial(mrf)
    coefficients = np.concatenate([of_variables, of_edges])
    size = abs(offset) + float(np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum())
    for scale in _SCALES:
        whole = np.round(coefficients * scale)
        if not (np.abs(whole) < 2.0**52).all():
            break
        step = float(np.gcd.reduce(np.abs(whole).astype(np.int64), initial=0)) / scale
        off = float(np.abs(coefficients - whole / scale).sum())
        # Multiples of 1/10 are rounded, and so is 1/10.
        off += 0.0 if math.frexp(scale)[0] == 0.5 else np.finfo(float).eps * float(np.abs(coefficients).sum())
        if step and off <= _ROUNDING * size <= _OFF * step:
            return Lattice(offset, step, off + rounding(mrf, of_variables, of_edges)).within(
                negligible_gain(energy_scale(mrf))
            )
    return Lattice(offset, 0.0)


def lattice_left(found: Reduction) -> Lattice:
    """The lattice of what is left of a model, as `lattice` of the reduced one.

    What the energies of that have been rounded by counts: they may look like multiples of a step only then.

    Parameters
    ----------
    found : Reduction

    Returns
    -------
    Lattice
    """
    points = lattice(found.reduced)
    return replace(points, off=points.off + found.rounding) if points.step else points
