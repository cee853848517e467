"""Labellings compared."""

from __future__ import annotations

import math

import numpy as np

from bender_core.model import BinaryMRF, IntArray


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
    moved = labeling != other
    first, second = mrf.edges.T
    i, edge = np.flatnonzero(moved), np.flatnonzero(moved[first] | moved[second])
    first, second = mrf.edges[edge].T
    # Rounded once: neither the rest of the energy nor the order of the sum matters.
    terms = [
        sign * term
        for x, sign in ((labeling, 1.0), (other, -1.0))
        for term in (mrf.unary[i, x[i]], mrf.pairwise[edge, x[first], x[second]])
    ]
    return math.fsum(np.concatenate(terms)) < 0.0
