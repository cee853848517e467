"""Sums that are rounded once: where huge energies cancel each other, small ones beside them are not lost."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def exact_sums(place: NDArray[np.int64], terms: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The sum of the terms at every place, rounded once, as by `math.fsum`.

    Source: docs/method.md §1.3.

    Parameters
    ----------
    place : ndarray of int64, shape (k,)
        Of every term, from 0 to n - 1.
    terms : ndarray, shape (k,)
        Finite, and far from the largest float.
    n : int

    Returns
    -------
    ndarray, shape (n,)

    Examples
    --------
    >>> exact_sums(np.array([0, 1, 0, 0]), np.array([1e16, 0.5, 1.0, -1e16]), 3).tolist()
    [1.0, 0.5, 0.0]
    """
    heads = []
    while (left := terms != 0.0).any():
        place, terms = place[left], terms[left]
        head = _heads(place, terms, n)
        heads.append(np.bincount(place, head, n))
        terms = terms - head
    parts = np.array([*heads, np.zeros(n), np.zeros(n)])
    # The sum of two is rounded once, that of more is not.
    sums: NDArray[np.float64] = parts[0] + parts[1]
    several = np.flatnonzero(parts[2:].any(axis=0))
    sums[several] = [math.fsum(column) for column in parts[:, several].T.tolist()]
    return sums


def _heads(place: NDArray[np.int64], terms: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The terms cut to multiples of a power of two, so coarse a one at every place that their sum is not rounded.

    After Rump, Ogita and Oishi, Accurate Floating-Point Summation I, SIAM J. Sci. Comput. 31 (2008): what is added to
    a term and taken off again is a power of two that exceeds all terms of the place together.
    """
    largest, count = np.zeros(n), np.bincount(place, minlength=n)
    np.maximum.at(largest, place, np.abs(terms))
    above = np.ldexp(1.0, np.frexp(largest)[1] + np.frexp(count)[1])[place]
    found: NDArray[np.float64] = (above + terms) - above
    return found
