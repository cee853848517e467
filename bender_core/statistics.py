"""Statistics of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bender_core.kernels.forest import Closes, spanning_forest
from bender_core.model import BinaryMRF, IntArray


@dataclass(frozen=True)
class Statistics:
    """Size, density and frustration of a model.

    Attributes
    ----------
    n, n_edges : int
        Variables; edges whose coupling is not zero.
    mean_degree, max_degree : float, int
    attractive, repulsive : int
        Edges that favour equal, or different, values.
    cycles : int
        Independent cycles of the graph; 0 for a forest.
    frustrated : int
        The number of cycles of a fundamental basis whose edges cannot all be satisfied at once.
    range : float
        The largest coefficient (field or coupling) over the smallest non-zero one, without penalties of hard
        constraints.
    """

    n: int
    n_edges: int
    mean_degree: float
    max_degree: int
    attractive: int
    repulsive: int
    cycles: int
    frustrated: int
    range: float


def statistics(mrf: BinaryMRF) -> Statistics:
    """The statistics of a model."""
    coupling = mrf.coupling()
    kept = coupling != 0
    edges, repulsive = mrf.edges[kept], coupling[kept] > 0
    degree = np.bincount(edges.reshape(-1), minlength=mrf.n)
    cycles, frustrated = _cycles(mrf.n, edges, repulsive)
    return Statistics(
        n=mrf.n,
        n_edges=len(edges),
        mean_degree=float(degree.mean()) if mrf.n else 0.0,
        max_degree=int(degree.max(initial=0)),
        attractive=int((~repulsive).sum()),
        repulsive=int(repulsive.sum()),
        cycles=cycles,
        frustrated=frustrated,
        range=_range(mrf),
    )


def _range(mrf: BinaryMRF) -> float:
    hard_unary, hard_pairwise = mrf.hard_masks()
    fields = (mrf.unary[:, 1] - mrf.unary[:, 0])[~hard_unary.any(axis=1)]
    couplings = mrf.coupling()[~hard_pairwise.any(axis=(1, 2))]
    sizes = np.abs(np.concatenate([fields, couplings]))
    sizes = sizes[sizes > 0]
    return float(sizes.max() / sizes.min()) if len(sizes) else 1.0


def _cycles(n: int, edges: IntArray, repulsive: NDArray[np.bool_]) -> tuple[int, int]:
    """Cycles closed over a spanning forest, and those with an odd number of repulsive edges."""
    closes = spanning_forest(n, edges, repulsive)
    return int((closes != Closes.NOTHING).sum()), int((closes == Closes.FRUSTRATED).sum())
