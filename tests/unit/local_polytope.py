"""The local-polytope LP of a binary model, written out for HiGHS independently of the library."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from bender_core.model import BinaryMRF


def solve_lp(mrf: BinaryMRF) -> tuple[float, NDArray[np.float64]]:
    """The bound and the values of the variables.

    With ``z_e`` for the marginal of (1, 1), the polytope is max(0, x_i + x_j − 1) ≤ z_e ≤ min(x_i, x_j).
    """
    n, m = mrf.n, mrf.n_edges
    i, j = mrf.edges.T
    t = mrf.pairwise
    cost = np.zeros(n + m)
    cost[:n] = mrf.unary[:, 1] - mrf.unary[:, 0]
    np.add.at(cost, i, t[:, 1, 0] - t[:, 0, 0])
    np.add.at(cost, j, t[:, 0, 1] - t[:, 0, 0])
    cost[n:] = t[:, 1, 1] - t[:, 0, 1] - t[:, 1, 0] + t[:, 0, 0]
    constant = mrf.constant + mrf.unary[:, 0].sum() + t[:, 0, 0].sum()

    e = np.arange(m)
    one = np.ones(m)
    rows = np.concatenate([e, e, m + e, m + e, 2 * m + e, 2 * m + e, 2 * m + e])
    columns = np.concatenate([n + e, i, n + e, j, i, j, n + e])
    entries = np.concatenate([one, -one, one, -one, one, one, -one])
    matrix = csr_array((entries, (rows, columns)), shape=(3 * m, n + m))
    solution = linprog(cost, matrix, np.concatenate([np.zeros(2 * m), one]), bounds=(0, 1), method="highs")
    return float(solution.fun + constant), solution.x[:n]


def fractional_share(x: NDArray[np.float64]) -> float:
    """The share of variables that are neither 0 nor 1."""
    return float(((x > 0.01) & (x < 0.99)).mean())
