"""The energy as a polynomial in the variables, ``f(x) = f(0) + sum_i a_i x_i + sum_ij b_ij x_i x_j``.

Source: docs/method.md §9.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray, require_model
from bender_core.sums import exact_sums, residues


class Terms(NamedTuple):
    """The energies that add up to the coefficients of a polynomial, but those of pairs.

    Attributes
    ----------
    constant : ndarray, shape (c,)
    variables : ndarray of int64, shape (k,)
    linear : ndarray, shape (k,)
        Energies of the variables.
    """

    constant: FloatArray
    variables: IntArray
    linear: FloatArray


def terms_of(mrf: BinaryMRF) -> Terms:
    """The terms of a model's energy.

    Parameters
    ----------
    mrf : BinaryMRF

    Returns
    -------
    Terms
    """
    require_model(mrf)
    i, j = mrf.edges.T
    own, t = np.arange(mrf.n), mrf.pairwise
    linear = [mrf.unary[:, 1], -mrf.unary[:, 0], t[:, 1, 0], t[:, 0, 1], -t[:, 0, 0], -t[:, 0, 0]]
    return Terms(
        np.concatenate([[mrf.constant], mrf.unary[:, 0], t[:, 0, 0]]),
        np.concatenate([own, own, i, j, i, j]),
        np.concatenate(linear),
    )


def polynomial(mrf: BinaryMRF) -> tuple[FloatArray, FloatArray]:
    """The coefficients, ``a`` of the variables and ``b`` of the edges, each rounded once.

    Parameters
    ----------
    mrf : BinaryMRF

    Returns
    -------
    a : ndarray, shape (n,)
    b : ndarray, shape (m,)
    """
    terms = terms_of(mrf)
    return exact_sums(terms.variables, terms.linear, mrf.n), mrf.coupling()


def rounded_off(mrf: BinaryMRF, of_variables: FloatArray, of_edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The rounding errors of the coefficients: each exact coefficient is the float plus this.

    Parameters
    ----------
    mrf : BinaryMRF
    of_variables, of_edges : ndarray
        As `polynomial` finds them.

    Returns
    -------
    of_variables : ndarray, shape (n,)
    of_edges : ndarray, shape (m,)
    """
    terms = terms_of(mrf)
    entries = (mrf.pairwise * [[1.0, -1.0], [-1.0, 1.0]]).reshape(-1)
    edges = np.arange(mrf.n_edges).repeat(4)
    return residues(of_variables, terms.variables, terms.linear), residues(of_edges, edges, entries)


def is_flat(mrf: BinaryMRF) -> bool:
    """Whether all labellings have the same energy."""
    return not any(coefficients.any() for coefficients in polynomial(mrf))
