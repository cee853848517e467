"""Conversion to the form the Benders rows need: one non-positive entry per pairwise table.

The energy of every labelling is unchanged. Source: docs/method.md §1.3 and §14 (paper, appendix C, without its
misprints).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bender_core.forms.polynomial import Terms, terms_of
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.sums import exact_sums

# The largest rounding error of a bound, as a share of all energies together (docs/method.md §15.1).
ROUNDING = 256 * 2.0**-52


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

    @property
    def rounding(self) -> float:
        """How much a bound may be wrong by rounding, without that of messages: an energy."""
        return ROUNDING * float(np.abs(self.unary).sum() + np.abs(self.weight).sum())

    def pairwise(self) -> FloatArray:
        """The tables of the normal form, shape (m, 2, 2): zero except for one entry each."""
        tables = np.zeros((len(self.weight), 2, 2))
        tables[np.arange(len(self.weight)), self.entry[:, 0], self.entry[:, 1]] = self.weight
        return tables


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
    return normal_form(terms_of(mrf), mrf.n, mrf.edges, mrf.coupling())


def normal_form(terms: Terms, n: int, edges: IntArray, coupling: FloatArray) -> NormalForm:
    """The normal form of a polynomial; its energies are sums, each rounded once. Source: docs/method.md §1.3.

    Parameters
    ----------
    terms : Terms
    n : int
        The number of variables.
    edges : ndarray of int64, shape (m, 2)
        The lower variable first.
    coupling : ndarray, shape (m,)
        The coefficients of the edges.
    """
    slope = exact_sums(*slope_terms(terms, edges, coupling), n)
    least = np.minimum(slope, 0.0)
    entry = np.ones((len(edges), 2), np.int64)
    entry[coupling >= 0.0, 1] = 0
    return NormalForm(
        constant=math.fsum([*terms.constant.tolist(), *least.tolist()]),
        unary=np.column_stack([0.0 - least, slope - least]),
        edges=edges,
        entry=entry,
        weight=-np.abs(coupling),
    )


def slope_terms(terms: Terms, edges: IntArray, coupling: FloatArray) -> tuple[IntArray, FloatArray]:
    """The energies whose sum is what a variable costs more at 1 than at 0, and their variables.

    Parameters
    ----------
    terms, edges, coupling
        As for `normal_form`.
    """
    repulsive = coupling > 0.0
    # b x_i x_j = b x_i - b x_i (1 - x_j).
    variables = np.concatenate([terms.variables, edges[repulsive, 0]])
    return variables, np.concatenate([terms.linear, coupling[repulsive]])
