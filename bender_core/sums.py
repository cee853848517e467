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


def sums_of_tables(place: NDArray[np.int64], tables: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The sum of the tables at every place, each entry rounded once.

    Parameters
    ----------
    place : ndarray of int64, shape (k,)
        Of every table, from 0 to n - 1.
    tables : ndarray, shape (k, s)
        An entry ``+inf`` forbids, whatever is added to it.
    n : int

    Returns
    -------
    ndarray, shape (n, s)
    """
    size = tables.shape[1]
    entry, forbidden = size * place[:, None] + np.arange(size), np.isinf(tables)
    total = exact_sums(entry.reshape(-1), np.where(forbidden, 0.0, tables).reshape(-1), size * n)
    total[entry[forbidden]] = np.inf
    return total.reshape(n, size)


def exact_products(factor: float, terms: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The products of a factor and some terms, and the rounding error of each: their sums are the exact products.

    After Dekker, A Floating-Point Technique for Extending the Available Precision, Numer. Math. 18 (1971).

    Parameters
    ----------
    factor : float
    terms : ndarray
        So far from the largest and the smallest float that no product overflows, or is less than 1e-290 and not 0.

    Returns
    -------
    products, remainders : ndarray

    Examples
    --------
    >>> products, remainders = exact_products(0.1, np.array([3.0, 8.0]))
    >>> products.tolist(), remainders.tolist()
    ([0.30000000000000004, 0.8], [-2.7755575615628914e-17, 0.0])
    """
    products = factor * terms
    (high, low), (heads, tails) = _halves(np.float64(factor)), _halves(terms)
    remainders = ((high * heads - products) + high * tails + low * heads) + low * tails
    return products, remainders


def _halves(numbers: NDArray[np.float64] | np.float64) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Numbers as sums of two that have half of the digits each, after Veltkamp."""
    scaled = 134217729.0 * numbers  # 2 ** 27 + 1
    high = np.asarray(scaled - (scaled - numbers))
    return high, np.asarray(numbers - high)


def residues(sums: NDArray[np.float64], place: NDArray[np.int64], terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rounding errors of `exact_sums` of these terms, at every place: the exact sum is sum plus residue.

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
