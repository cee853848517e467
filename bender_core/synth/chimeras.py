"""Spin glasses on the Chimera graph of the first quantum annealers."""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._graphs import Graph
from bender_core.synth.spins import COUPLING, FIELD, Coupling, draw_couplings, ising_fields, ising_tables


def chimera(
    rows: int = 3,
    columns: int = 3,
    shore: int = 4,
    coupling: Coupling = "pm1",
    field: float = 0.0,
    seed: int = 0,
) -> BinaryMRF:
    """A spin glass on a Chimera graph: a grid of cells, each a complete bipartite graph.

    Upright spins of a cell are joined to those of the cells above and below, level spins to those on the left and
    right. The graph is that of P. I. Bunyk et al., Architectural considerations in the design of a superconducting
    quantum annealing processor, IEEE Trans. Appl. Supercond. 24 (2014), where a shore has 4 spins.

    Parameters
    ----------
    rows, columns : int
        The numbers of rows and columns of cells.
    shore : int
        Spins on each of the two sides of a cell, so n = 2 · rows · columns · shore.
    coupling : {"pm1", "gaussian"}
        J is −1 or +1 with equal chance, or standard normal.
    field : float
        Standard deviation of h.
    seed : int

    Returns
    -------
    BinaryMRF
        Cells are the groups, drawn as crosses.
    """
    rng = generator(seed)
    graph = chimera_graph(rows, columns, shore)
    strength = draw_couplings(rng, len(graph.edges), coupling)
    h = field * rng.standard_normal(len(graph.names))
    return BinaryMRF(
        unary=ising_fields(h),
        pairwise=ising_tables(strength),
        **graph._asdict(),
        name=f"Chimera {rows}×{columns}",
        description=f"A spin glass on the graph of an early quantum annealer: cells of {2 * shore} spins, dense "
        "inside and sparsely joined.",
        source=stated("chimera", rows=rows, columns=columns, shore=shore, coupling=coupling, field=field, seed=seed),
    )


def chimera_graph(rows: int, columns: int, shore: int) -> Graph:
    """The Chimera graph; index (row, column, level, k), where level is 0 for upright spins and 1 for level ones."""
    index = np.arange(rows * columns * 2 * shore).reshape(rows, columns, 2, shore)
    upright, level = index[:, :, 0], index[:, :, 1]
    pairs = [
        np.broadcast_arrays(upright[..., :, None], level[..., None, :]),
        (upright[:-1], upright[1:]),
        (level[:, :-1], level[:, 1:]),
    ]
    row, column, flat, k = np.unravel_index(index.ravel(), index.shape)
    # A cross leaves its middle free, so that lines to other cells pass no spin.
    along = np.where(k < shore // 2, k, k + 1) - shore // 2
    centre = (shore + 2) * np.column_stack([column, row])
    cell = [f"r{r}c{c}" for r, c in zip(row, column, strict=True)]
    return Graph(
        edges=np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in pairs]),
        names=tuple(f"{name} {'ul'[f]}{p}" for name, f, p in zip(cell, flat, k, strict=True)),
        positions=centre + np.column_stack([along * (flat == 0), along * (flat == 1)]),
        groups=tuple(f"cell {name}" for name in cell),
    )


FAMILY = Family(
    name="chimera",
    title="Chimera",
    shows="Cells are natural groups: dense inside, a few couplings to each neighbour. One cell a group leaves a grid "
    "of groups with loops, where the bound may stay below the optimum.",
    generate=chimera,
    parameters=(
        Parameter("rows", "Rows of cells", 3, 1, 16),
        Parameter("columns", "Columns of cells", 3, 1, 16),
        Parameter("shore", "Spins on each side of a cell", 4, 1, 8),
        COUPLING,
        FIELD,
        SEED,
    ),
)
