"""Ising models on square grids, open or closed to a torus."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.synth._family import SEED, Family, Parameter, stated

Coupling = Literal["pm1", "gaussian"]


def ising_grid(
    rows: int = 10,
    columns: int = 10,
    torus: bool = False,
    coupling: Coupling = "pm1",
    field: float = 0.0,
    seed: int = 0,
) -> BinaryMRF:
    """A spin glass on a grid: ``E(s) = −Σ J_ij s_i s_j − Σ h_i s_i`` with spins ``s = 2x − 1``.

    Parameters
    ----------
    rows, columns : int
        Size of the grid. A torus needs at least 3 of each.
    torus : bool
        Whether the last row and column are joined to the first.
    coupling : {"pm1", "gaussian"}
        J is −1 or +1 with equal chance, or standard normal.
    field : float
        Standard deviation of h.
    seed : int

    Returns
    -------
    BinaryMRF
        Rows are the groups; variables sit at (column, row).
    """
    rng = np.random.default_rng(seed)
    edges = _grid_edges(rows, columns, torus)
    m, n = len(edges), rows * columns
    strength = rng.choice([-1.0, 1.0], m) if coupling == "pm1" else rng.standard_normal(m)
    h = field * rng.standard_normal(n)
    row, column = np.divmod(np.arange(n), columns)
    kind = "torus" if torus else "grid"
    return BinaryMRF(
        unary=np.column_stack([h, -h]),
        edges=edges,
        pairwise=ising_tables(strength),
        names=tuple(f"r{r}c{c}" for r, c in zip(row, column, strict=True)),
        groups=tuple(f"row {r}" for r in row),
        positions=np.column_stack([column, row]),
        name=f"{kind} {rows}×{columns}",
        description="A spin glass: neighbours want to agree or to differ, and not all can have their way.",
        source=stated("ising_grid", rows=rows, columns=columns, torus=torus, coupling=coupling, field=field, seed=seed),
    )


def ising_tables(strength: FloatArray) -> FloatArray:
    """Energy tables of ``−J s_i s_j``, shape (m, 2, 2), from the couplings J, shape (m,)."""
    tables: FloatArray = strength[:, None, None] * np.array([[-1.0, 1.0], [1.0, -1.0]])
    return tables


def _grid_edges(rows: int, columns: int, torus: bool) -> IntArray:
    index = np.arange(rows * columns).reshape(rows, columns)
    if torus:
        right, down = np.roll(index, -1, axis=1), np.roll(index, -1, axis=0)
        pairs = [(index, right), (index, down)]
    else:
        pairs = [(index[:, :-1], index[:, 1:]), (index[:-1], index[1:])]
    return np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in pairs]).astype(np.int64)


FAMILY = Family(
    name="ising_grid",
    title="Ising grid",
    shows="Rows as groups make an open grid a chain, which message passing solves exactly; on a torus it need not.",
    generate=ising_grid,
    parameters=(
        Parameter("rows", "Rows", 10, 3, 60),
        Parameter("columns", "Columns", 10, 3, 60),
        Parameter("torus", "Torus (joined at the borders)", False),
        Parameter("coupling", "Couplings", "pm1", choices=("pm1", "gaussian")),
        Parameter("field", "Strength of the field", 0.0, 0.0, 10.0),
        SEED,
    ),
)
