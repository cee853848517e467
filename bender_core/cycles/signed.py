"""A model as a signed graph: couplings that want equal or opposite ends, and what each costs if it is broken.

Source: docs/cycles.md §1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bender_core.forms.polynomial import terms_of
from bender_core.forms.scale import FEW_DIGITS
from bender_core.kernels.frustration import Doubled, doubled
from bender_core.model import BinaryMRF, BoolArray, FloatArray, IntArray
from bender_core.sums import exact_sums

ULP = 2.0**-52


@dataclass(frozen=True, eq=False)
class SignedGraph:
    """The energy of a labelling is ``base`` plus the costs of the edges that it breaks.

    The vertices are the variables and, for their fields, one more, the *ghost*, which is always 1: a variable whose
    field prefers a value is joined to it. Edges of no weight, or of one that rounding makes uncertain, are left out.

    Attributes
    ----------
    n : int
        Variables; the ghost is vertex n.
    ends : ndarray of int64, shape (E, 2)
        The ends of every edge, the lower one first.
    opposite : ndarray of bool, shape (E,)
        Whether an edge wants opposite ends; else it wants equal ones.
    cost : ndarray, shape (E,)
        Energy, > 0, each rounded once.
    base : float
        Energy.
    rounding : float
        How much the energies are off by rounding at most, energy.
    """

    n: int
    ends: IntArray
    opposite: BoolArray
    cost: FloatArray
    base: float
    rounding: float

    def broken(self, labeling: ArrayLike) -> BoolArray:
        """Which edges a labelling breaks, shape (E,)."""
        spins = np.append(np.asarray(labeling, bool), True)
        return np.asarray((spins[self.ends[:, 0]] != spins[self.ends[:, 1]]) != self.opposite)

    def energy(self, labeling: ArrayLike) -> float:
        """The energy of a labelling."""
        return math.fsum([self.base, *self.cost[self.broken(labeling)].tolist()])

    @cached_property
    def doubled(self) -> Doubled:
        """The graph in which frustrated cycles are paths, with the work space for one search at a time."""
        return doubled(self.n + 1, self.ends, self.opposite)


def signed_graph(mrf: BinaryMRF, is_rounded: bool = False) -> SignedGraph:
    """The signed graph of a model.

    Parameters
    ----------
    mrf : BinaryMRF
    is_rounded : bool
        Whether its energies are rounded sums of those of a whole model.

    Returns
    -------
    SignedGraph

    Examples
    --------
    Two variables that want to be 1, and not to be equal:

    >>> graph = signed_graph(BinaryMRF([[2, 0], [2, 0]], [[0, 1]], [[[4, 0], [0, 4]]]))
    >>> graph.ends.tolist(), graph.opposite.tolist(), graph.cost.tolist(), graph.base
    ([[0, 1], [0, 2], [1, 2]], [True, False, False], [4.0, 2.0, 2.0], 0.0)
    >>> graph.broken([1, 1]).tolist(), graph.energy([1, 1])
    ([True, False, False], 4.0)
    """
    n, terms, coupling = mrf.n, terms_of(mrf), mrf.coupling()
    # With x = (1 + s) / 2 the coefficient of s_i s_j is b / 4, and that of s_i is a / 2 + the sum of b / 4.
    shares = (mrf.pairwise * [[0.5, -0.5], [-0.5, 0.5]]).reshape(-1, 4)
    ends_of = mrf.edges.T.reshape(-1)
    variables = np.concatenate([terms.variables, ends_of.repeat(4)])
    energies = np.concatenate([terms.linear, np.tile(shares, (2, 1)).reshape(-1)])
    weight = np.concatenate([coupling / 2, exact_sums(variables, energies, n)])
    ends = np.concatenate([mrf.edges, np.column_stack([np.arange(n), np.full(n, n)])])
    # Of a small sum of rounded energies not even the sign is certain.
    doubt = (2 * ULP if is_rounded else 0.0) * np.bincount(variables, np.abs(energies), n)
    kept = np.abs(weight) > np.concatenate([np.zeros(len(coupling)), doubt]) + FEW_DIGITS
    cost, left_out = np.abs(weight[kept]), float(np.abs(weight[~kept]).sum())
    halves = np.concatenate([terms.linear, shares.reshape(-1), -cost]) / 2
    base = math.fsum([*terms.constant.tolist(), *halves.tolist()])
    rounding = ULP * (float(cost.sum()) + abs(base)) + left_out
    return SignedGraph(n, ends[kept].astype(np.int64), weight[kept] > 0.0, cost, base, rounding)
