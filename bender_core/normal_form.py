"""Conversion to the form the Benders rows need: one non-positive entry per pairwise table.

The energy of every labelling is unchanged. Source: docs/method.md §1.3 and §14 (paper, appendix C, without its
misprints).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class NormalForm:
    """``f(x) = constant + sum_i unary[i, x_i] + sum_e weight[e] * [x_i, x_j == entry[e]]``, energies.

    Source: docs/method.md §1.3.

    Attributes
    ----------
    constant : float
    unary : ndarray, shape (n, 2)
        Every row has minimum 0; the common part of both states is in the constant.
    edges : ndarray of int64, shape (m, 2)
    entry : ndarray of int64, shape (m, 2)
        The only pair of states with non-zero energy: (1, 1) for attractive edges, (1, 0) for repulsive ones.
    weight : ndarray, shape (m,)
        Energy of that entry, never positive.
    """

    constant: float
    unary: FloatArray
    edges: IntArray
    entry: IntArray
    weight: FloatArray

    def energy(self, labeling: IntArray) -> float:
        """The energy of a labelling; equals ``BinaryMRF.energy`` up to rounding.

        Parameters
        ----------
        labeling : ndarray of {0, 1}, shape (n,)

        Returns
        -------
        float
        """
        x = np.asarray(labeling, dtype=np.int64)
        paid = (x[self.edges] == self.entry).all(axis=1)
        return float(self.constant + self.unary[np.arange(len(x)), x].sum() + self.weight[paid].sum())

    def pairwise(self) -> FloatArray:
        """The tables of the normal form, shape (m, 2, 2): zero except for one entry each."""
        tables = np.zeros((len(self.weight), 2, 2))
        tables[np.arange(len(self.weight)), self.entry[:, 0], self.entry[:, 1]] = self.weight
        return tables


def unary_shifts(pairwise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The terms that the conversion of every table adds to the unaries of its two variables.

    Parameters
    ----------
    pairwise : ndarray, shape (m, 2, 2)

    Returns
    -------
    shift_i, shift_j : ndarray, shape (m, 2)
    """
    t = pairwise
    attractive = (t[:, 1, 1] - t[:, 0, 1]) - (t[:, 1, 0] - t[:, 0, 0]) < 0
    shift_i = np.zeros((len(t), 2))
    shift_i[:, 1] = np.where(attractive, t[:, 1, 0] - t[:, 0, 0], t[:, 1, 1] - t[:, 0, 1])
    return shift_i, t[:, 0, :].copy()


def to_normal_form(mrf: BinaryMRF) -> NormalForm:
    """Rewrite a model so that each pairwise table has one non-zero entry, and that entry is negative.

    Source: docs/method.md §1.3 (paper, Eqs. 37 to 39).

    Parameters
    ----------
    mrf : BinaryMRF

    Returns
    -------
    NormalForm
        The same energy for every labelling.

    Examples
    --------
    >>> form = to_normal_form(BinaryMRF(unary=[[0, 1], [0, 0]], edges=[[0, 1]], pairwise=[[[0, 2], [2, 0]]]))
    >>> form.entry.tolist(), form.weight.tolist()
    ([[1, 1]], [-4.0])
    >>> form.energy([0, 1])
    2.0
    """
    # A table's minimum is moved into the constant first: an energy that is large only because it was
    # shifted must not cost the differences their digits.
    floor = mrf.pairwise.min(axis=(1, 2), initial=np.inf) if mrf.n_edges else np.zeros(0)
    tables = mrf.pairwise - floor[:, None, None]
    shift_i, shift_j = unary_shifts(tables)
    unary_floor = mrf.unary.min(axis=1, initial=np.inf) if mrf.n else np.zeros(0)
    unary = mrf.unary - unary_floor[:, None]
    np.add.at(unary, mrf.edges[:, 0], shift_i)
    np.add.at(unary, mrf.edges[:, 1], shift_j)
    lowest = unary.min(axis=1, initial=np.inf) if mrf.n else np.zeros(0)
    coupling = mrf.coupling()
    entry = np.ones((mrf.n_edges, 2), np.int64)
    entry[coupling >= 0, 1] = 0
    return NormalForm(
        constant=float(mrf.constant + floor.sum() + unary_floor.sum() + lowest.sum()),
        unary=unary - lowest[:, None],
        edges=mrf.edges,
        entry=entry,
        weight=-np.abs(coupling),
    )
