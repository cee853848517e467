"""Labellings compared."""

from __future__ import annotations

import math

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray


def costs_less(mrf: BinaryMRF, labeling: IntArray, other: IntArray) -> bool:
    """Whether a labelling costs less than another, even by less than the rounding of their energies.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling, other : ndarray of {0, 1}, shape (n,)

    Returns
    -------
    bool
    """
    return difference(mrf, labeling, other) < 0.0


def difference(mrf: BinaryMRF, labeling: IntArray, other: IntArray) -> float:
    """How much more a labelling costs than another, rounded once: the difference of their energies may be less exact.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling, other : ndarray of {0, 1}, shape (n,)

    Returns
    -------
    float
        Energy.
    """
    moved = labeling != other
    first, second = mrf.edges.T
    i, edge = np.flatnonzero(moved), np.flatnonzero(moved[first] | moved[second])
    first, second = mrf.edges[edge].T
    # Neither the rest of the energy nor the order of the sum matters.
    terms = [
        sign * term
        for x, sign in ((labeling, 1.0), (other, -1.0))
        for term in (mrf.unary[i, x[i]], mrf.pairwise[edge, x[first], x[second]])
    ]
    return math.fsum(np.concatenate(terms))


def flips(mrf: BinaryMRF, labeling: IntArray) -> FloatArray:
    """How much more a labelling costs with each single variable changed, shape (n,), energy; sums are rounded.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : ndarray of {0, 1}, shape (n,)
    """
    i, j = mrf.edges.T
    x, y, every = labeling[i], labeling[j], np.arange(mrf.n_edges)
    now = mrf.pairwise[every, x, y]
    n, variables = mrf.n, np.arange(mrf.n)
    found: FloatArray = mrf.unary[variables, 1 - labeling] - mrf.unary[variables, labeling]
    found += np.bincount(i, mrf.pairwise[every, 1 - x, y] - now, n)
    found += np.bincount(j, mrf.pairwise[every, x, 1 - y] - now, n)
    return found
