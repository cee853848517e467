"""Sums that are rounded once: where huge energies cancel each other, small ones beside them are not lost."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import count

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
    sums, further = np.zeros((2, n)), defaultdict[int, list[float]](list)
    for k in count():
        left = terms != 0.0
        if not left.any():
            break
        place, terms = place[left], terms[left]
        heads = _heads(place, terms, n)
        summed = np.bincount(place, heads, n)
        if k < len(sums):
            sums[k] = summed
        else:
            for p in np.unique(place).tolist():
                further[p].append(float(summed[p]))
        terms = terms - heads
    # The sum of two is rounded once, that of more is not.
    found: NDArray[np.float64] = sums[0] + sums[1]
    for p, parts in further.items():
        found[p] = math.fsum([*sums[:, p].tolist(), *parts])
    return found


def residues(sums: NDArray[np.float64], place: NDArray[np.int64], terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """What `exact_sums` of these terms have lost by rounding, at every place: the exact sum is sum and residue.

    Parameters
    ----------
    sums : ndarray, shape (n,)
    place, terms
        As for `exact_sums`.

    Returns
    -------
    ndarray, shape (n,)
    """
    n = len(sums)
    return exact_sums(np.concatenate([place, np.arange(n)]), np.concatenate([terms, -sums]), n)


def _heads(place: NDArray[np.int64], terms: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The terms cut to multiples of a power of two, so coarse a one at every place that their sum is not rounded.

    After Rump, Ogita and Oishi, Accurate Floating-Point Summation I, SIAM J. Sci. Comput. 31 (2008): what is added to
    a term and taken off again is a power of two that exceeds all terms of the place together.
    """
    largest, many = np.zeros(n), np.bincount(place, minlength=n)
    np.maximum.at(largest, place, np.abs(terms))
    above = np.ldexp(1.0, np.frexp(largest)[1] + np.frexp(many)[1])[place]
    found: NDArray[np.float64] = (above + terms) - above
    return found
