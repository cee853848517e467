"""The lattice of energies: a constant plus multiples of a step, if all coefficients are multiples of that step.

If all coefficients of the energy as a polynomial are multiples of d, so is every difference of energies, and a lower
bound may be raised to the next point of the lattice.

Source: docs/method.md §9.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bender_core.forms.normal_form import ROUNDING
from bender_core.forms.polynomial import polynomial, rounded_off, terms_of
from bender_core.forms.reduction import Reduction
from bender_core.model import BinaryMRF, FloatArray
from bender_core.sums import exact_products

# Coefficients are tried as multiples of 1, 1/10, ... and of 1, 1/2, 1/4, ...: the usual choices in files.
_SCALES = (*(2.0**k for k in range(21)), *(10.0**k for k in range(1, 7)))
# The rounding error of coefficients of reduced models, as a share of the model's decimal coefficients.
_REDUCED = 2.0**-54
# The distance of a float from the next one is at most this share of it.
_ULP = 2.0**-52
# Each coefficient of a model goes into at most three of a reduced one, which so miss the lattice by up to three times
# as much together, and by what they are rounded by; a proof allows for four times that.
_PARTS = 24
# Most steps are ruled out by the first coefficients.
_SOME = 64
# A bound is raised though it exceeds a point of the lattice by this share of a step: that may be rounding.
_ALLOWED = 1e-6


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
    rounding : float
        How much too high a bound may be by rounding, energy.
    """

    offset: float
    step: float
    off: float = 0.0
    rounding: float = 0.0

    @property
    def blur(self) -> float:
        """A difference of energies that only the rounding of decimals can make; 0 if the lattice is exact."""
        return _PARTS * self.off

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
        allowed = max(_ALLOWED, self._doubt(lower) / self.step)
        raised = self.offset + math.ceil((lower - self.offset) / self.step - allowed) * self.step
        if abs(raised - upper) <= max(2.0 * _ALLOWED * self.step, 2.0 * _digits(lower, self.offset)):
            raised = upper
        return max(lower, raised) if raised <= upper else lower

    def proves(self, lower: float, upper: float) -> bool:
        """Whether no energy of the lattice lies below that of a labelling, given a lower bound.

        Parameters
        ----------
        lower, upper : float
            As for `raised`.
        """
        return self._doubt(lower) < self.step and self.raised(lower, upper) >= upper

    def _doubt(self, lower: float) -> float:
        """How much too high a bound may be, with the last digits of numbers as large as it."""
        return self.rounding + _digits(lower, self.offset)


def _digits(*energies: float) -> float:
    """The rounding of sums and differences of a few energies."""
    return 2.0 * _ULP * max(map(abs, energies))


def lattice(mrf: BinaryMRF) -> Lattice:
    """The lattice of a model's energies; its step is 0 when in doubt.

    Source: docs/method.md §9.2.

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
    rounded = polynomial(mrf)
    coefficients, size = np.concatenate(rounded), _entries(mrf, 0.0)
    for scale in _scales(coefficients):
        if _missed(coefficients[:_SOME], scale, size[:_SOME]) is None:
            continue
        missed = _missed(coefficients, scale, size)
        if missed is not None:
            lost = np.concatenate(rounded_off(mrf, *rounded))
            found = _lattice(mrf, scale, np.round(coefficients * scale), np.abs(missed + lost), offset)
            if found.step:
                return found
    return Lattice(offset, 0.0)


def _scales(coefficients: FloatArray) -> list[float]:
    """Of these scales those at which floats hold every whole number up to the largest coefficient."""
    largest = float(np.abs(coefficients).max(initial=0.0))
    return [scale for scale in _SCALES if largest * scale < 2.0**53]


def _missed(coefficients: FloatArray, scale: float, size: FloatArray) -> FloatArray | None:
    """By how much coefficients exceed multiples of 1 / scale; None if that is more than the rounding of entries."""
    missed = _remainders(coefficients, scale)
    return missed if (np.abs(missed) <= _ULP * size).all() else None


def _remainders(coefficients: FloatArray, scale: float) -> FloatArray:
    """By how much coefficients exceed the next multiples of 1 / scale."""
    products, lost = exact_products(scale, coefficients)
    found: FloatArray = ((products - np.round(products)) + lost) / scale
    return found


def _lattice(mrf: BinaryMRF, scale: float, whole: FloatArray, missed: FloatArray, offset: float) -> Lattice:
    """The lattice of coefficients that are multiples of 1 / scale, if only rounded decimals miss these."""
    # Beside decimals, whole numbers are exact, and so are multiples of a power of 2.
    unit = scale if math.frexp(scale)[0] == 0.5 else 1.0
    multiples = whole / scale
    decimals = float(np.abs(multiples[multiples * unit % 1.0 != 0.0]).sum())
    found = _multiples(whole, scale, float(missed.sum()) + _REDUCED * decimals, offset)
    is_close = (missed <= _ULP * _entries(mrf, unit)).all() and 4.0 * found.blur <= found.step
    return found if is_close else Lattice(offset, 0.0)


def _multiples(whole: FloatArray, scale: float, off: float, offset: float) -> Lattice:
    """The lattice of coefficients that are these multiples of 1 / scale."""
    step = float(np.gcd.reduce(np.abs(whole).astype(np.int64), initial=0)) / scale
    # In the normal form a coupling may be counted twice.
    return Lattice(offset, step, off, 2.0 * ROUNDING * float(np.abs(whole).sum()) / scale)


def _entries(mrf: BinaryMRF, unit: float) -> FloatArray:
    """The sizes of the entries that go into each coefficient, added up, without those that are multiples of 1 / unit.

    Parameters
    ----------
    mrf : BinaryMRF
    unit : float
        0: all are added up.

    Returns
    -------
    ndarray, shape (n + m,)
    """
    of_unary, of_edges = (
        np.abs(np.where(table * unit % 1.0 != 0.0, table, 0.0) if unit else table).sum(axis=tuple(range(1, table.ndim)))
        for table in (mrf.unary, mrf.pairwise)
    )
    of_variables = of_unary + np.bincount(mrf.edges.reshape(-1), of_edges.repeat(2), mrf.n)
    return np.concatenate([of_variables, of_edges])


def lattice_left(found: Reduction, negligible: float) -> Lattice:
    """The lattice of a reduced model, if its energies miss it by much less than the negligible gain.

    The rounding of the reduced model's energies counts as well: they may look like multiples of a step only
    then. Source: docs/method.md §15.5.

    Parameters
    ----------
    found : Reduction
    negligible : float
        A gain that does not count, energy.

    Returns
    -------
    Lattice
    """
    mrf = found.reduced
    offset, rounded = math.fsum(terms_of(mrf).constant), polynomial(mrf)
    coefficients = np.concatenate(rounded)
    lost = np.concatenate(rounded_off(mrf, *rounded))
    for scale in _scales(coefficients):
        missed = np.abs(_remainders(coefficients, scale) + lost)
        off = float(missed.sum()) + found.rounding
        if 4.0 * off <= negligible:
            points = _multiples(np.round(coefficients * scale), scale, off, offset)
            return points if points.step > negligible else Lattice(offset, 0.0)
    return Lattice(offset, 0.0)
