"""A model without its floor, the sum of the least energies of all tables, and without costs that no optimum pays."""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray

# The most rounds of a descent.
ROUNDS = 200


def floor(mrf: BinaryMRF) -> float:
    """The least energies of all tables, summed: a bound, energy."""
    return float(mrf.constant + mrf.unary.min(axis=1).sum() + mrf.pairwise.min(axis=(1, 2)).sum())


def above_floor(mrf: BinaryMRF) -> BinaryMRF:
    """A model whose energies are those of another one above its floor: the least of every table is 0."""
    return BinaryMRF(
        unary=mrf.unary - mrf.unary.min(axis=1, keepdims=True),
        edges=mrf.edges,
        pairwise=mrf.pairwise - mrf.pairwise.min(axis=(1, 2), keepdims=True),
    )


def capped(excess: BinaryMRF, cap: float) -> BinaryMRF:
    """A model whose least energies are all 0, with energies capped.

    No energy grows, so bounds stay valid. Labellings with a larger energy still cost at least the cap: if that is the
    energy of a known labelling, the optimum is the same. For the LP over variables the cap must be twice that, since
    its vertices take entries by at least half.

    Parameters
    ----------
    excess : BinaryMRF
        As from `above_floor`.
    cap : float
        Energy.

    Returns
    -------
    BinaryMRF
    """
    return BinaryMRF(unary=np.minimum(excess.unary, cap), edges=excess.edges, pairwise=np.minimum(excess.pairwise, cap))


def descent(mrf: BinaryMRF, labeling: IntArray) -> IntArray:
    """Flip single variables while the energy falls, in rounds: those that gain more than all their neighbours.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : ndarray of int64, shape (n,)
        Where it begins.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    x, every = labeling.copy(), np.arange(mrf.n)
    (i, j), table = mrf.edges.T, np.arange(mrf.n_edges)
    # A change smaller than the rounding of the energies around it might alternate for ever.
    largest = mrf.unary.max(axis=1) + _at_ends(mrf, *np.broadcast_to(mrf.pairwise.max(axis=(1, 2)), (2, mrf.n_edges)))
    for _ in range(ROUNDS):
        now = mrf.pairwise[table, x[i], x[j]]
        of_i, of_j = mrf.pairwise[table, 1 - x[i], x[j]] - now, mrf.pairwise[table, x[i], 1 - x[j]] - now
        change = mrf.unary[every, 1 - x] - mrf.unary[every, x] + _at_ends(mrf, of_i, of_j)
        change = np.where(change < -1e-12 * largest, change, 0.0)
        rank = np.empty_like(x)
        rank[np.argsort(change, kind="stable")] = every
        first = change < 0
        first[np.where(rank[i] < rank[j], j, i)] = False
        if not first.any():
            break
        x[first] = 1 - x[first]
    return x


def _at_ends(mrf: BinaryMRF, of_i: FloatArray, of_j: FloatArray) -> FloatArray:
    """The sum over the edges of every variable, shape (n,), of values for their first and second ends."""
    i, j = mrf.edges.T
    return (np.bincount(i, of_i, mrf.n) + np.bincount(j, of_j, mrf.n)).astype(np.float64)
