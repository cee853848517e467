"""When energies count as equal: the energy to which tolerances are relative, and the negligible gain.

Source: docs/method.md §9.3.
"""

from __future__ import annotations

import numpy as np

from bender_core.forms.lattice import Lattice
from bender_core.forms.polynomial import polynomial
from bender_core.model import BinaryMRF, FloatArray

# A distance between two energies this many times as large as all smaller distances together: penalties begin there.
_PENALTY = 1024.0
# A labelling is optimal if none is better by more than this share of all energies together, which leaves room for
# rounding, and by more than this share of their spread; or by more than an energy that floats hold with few digits.
# The checker allows twice as much, since sums differ in their last digits.
_OF_ALL, _OF_SPREAD, FEW_DIGITS = 2.0**-42, 2.0**-21, 1e-300
# Distances below this share of the largest entry may be what sums of decimals have left: 0.1 + 0.2 is not 0.3.
_NOISE = 2.0**-46
# Bounds rounded by more than this share of the energy at stake close no gap.
_HIDDEN = 2.0**-27


def spread(energies: FloatArray, noise: float = 0.0) -> float:
    """By how much energies differ, penalties aside.

    The distances between neighbours, from the smallest up, are added up to where the next one is a thousand times as
    large as all before: energies beyond it are penalties, beside which the others must still count.
    Source: docs/method.md §9.3.

    Parameters
    ----------
    energies : ndarray, shape (k,)
        Of any signs: their sizes count.
    noise : float
        The largest distance that does not count.

    Returns
    -------
    float
        0 if there are none.
    """
    gaps = np.sort(np.diff(np.unique(np.append(np.abs(energies), 0.0))))
    gaps = gaps[gaps > noise]
    sums = np.cumsum(gaps)
    ends = np.flatnonzero(gaps[1:] > _PENALTY * sums[:-1])
    return float(sums[ends[0]] if len(ends) else sums[-1]) if len(gaps) else 0.0


def _energies(mrf: BinaryMRF) -> tuple[FloatArray, float]:
    """The coefficients of the energy, shape (n + m,), and the spread of these and of the entries of tables."""
    coefficients = np.concatenate(polynomial(mrf))
    slopes = mrf.unary[:, 1] - mrf.unary[:, 0]
    return coefficients, spread(np.concatenate([coefficients, slopes, mrf.pairwise.reshape(-1)]))


def energy_scale(mrf: BinaryMRF) -> float:
    """The energy at stake: the sum of all coefficients, each of which counts up to the spread of energies.

    So neither a constant nor a penalty makes differences elsewhere look small. Source: docs/method.md §9.3.

    Parameters
    ----------
    mrf : BinaryMRF

    Returns
    -------
    float
        At least 1e-300.
    """
    coefficients, most = _energies(mrf)
    return max(float(np.minimum(np.abs(coefficients), most).sum()), FEW_DIGITS)


def visible_scale(coefficients: FloatArray) -> float:
    """The energy at stake for solvers that round costs: distances that sums of decimals may have left do not count.

    In proofs they do, as penalties may be so large that costs are in their last digits.

    Parameters
    ----------
    coefficients : ndarray, shape (k,)
        All coefficients of the energy.

    Returns
    -------
    float
        At least 1e-300.
    """
    sizes = np.abs(coefficients)
    most = spread(sizes, _NOISE * float(sizes.max(initial=0.0)))
    return max(float(np.minimum(sizes, most).sum()), FEW_DIGITS)


def gap_scale(scale: float, rounding: float) -> float:
    """The energy at stake where it says whether a gap is closed; 0 where rounding hides that.

    Source: docs/method.md §9.3.

    Parameters
    ----------
    scale : float
        The energy at stake.
    rounding : float
        How much a bound may be wrong by rounding (`NormalForm.rounding`), energy.
    """
    return scale if rounding <= _HIDDEN * scale else 0.0


def negligible_gain(mrf: BinaryMRF, points: Lattice) -> float:
    """The largest gain of a labelling that does not count.

    Source: docs/method.md §9.3.

    Parameters
    ----------
    mrf : BinaryMRF
    points : Lattice
        Of its energies.

    Returns
    -------
    float
        0 if energies lie on an exact lattice.
    """
    if points.step:
        return points.blur
    coefficients, most = _energies(mrf)
    return max(min(_OF_ALL * float(np.abs(coefficients).sum()), _OF_SPREAD * most), FEW_DIGITS)
