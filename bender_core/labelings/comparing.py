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
    (one, two), (i, j) = (labeling, other), mrf.edges.T
    pairs = [
        (mrf.unary[np.arange(mrf.n), one], mrf.unary[np.arange(mrf.n), two]),
        (mrf.pairwise[np.arange(mrf.n_edges), one[i], one[j]], mrf.pairwise[np.arange(mrf.n_edges), two[i], two[j]]),
    ]
    changed = [term[a != b] * sign for a, b in pairs for term, sign in ((a, 1.0), (b, -1.0))]
    return math.fsum(np.concatenate(changed)) < 0.0
