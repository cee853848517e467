"""Ising models on square and cubic grids, open or periodic."""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF, IntArray
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._graphs import Graph
from bender_core.synth.spins import COUPLING, FIELD, Coupling, draw_couplings, ising_fields, ising_tables

# The offset of each layer from the previous one, to the right and upwards.
OBLIQUE = (0.4, -0.3)


def ising_grid(
    rows: int = 10,
    columns: int = 10,
    torus: bool = False,
    coupling: Coupling = "pm1",
    field: float = 0.0,
    seed: int = 0,
    layers: int = 1,
) -> BinaryMRF:
    """A spin glass on a grid: ``E(s) = −Σ J_ij s_i s_j − Σ h_i s_i`` with spins ``s = 2x − 1``.

    The model of S. F. Edwards and P. W. Anderson, Theory of spin glasses, J. Phys. F 5 (1975).

    Parameters
    ----------
    rows, columns : int
        Size of the grid. A torus needs at least 3 of each.
    torus : bool
        Whether the last row, column and layer are joined to the first.
    coupling : {"pm1", "gaussian"}
        J is −1 or +1 with equal chance, or standard normal.
    field : float
        Standard deviation of h.
    seed : int
    layers : int
        The number of grids on top of each other, with neighbours coupled.

    Returns
    -------
    BinaryMRF
        Each line across is a group, or each layer if there are several; variables are at (column, row), layers drawn
        obliquely.
    """
    rng = generator(seed)
    graph = grid_graph(rows, columns, layers, torus)
    strength = draw_couplings(rng, len(graph.edges), coupling)
    h = field * rng.standard_normal(len(graph.names))
    kind, deep = "torus" if torus else "grid", layers > 1
    # A flat grid keeps the call from before layers existed, so that old files are reproducible.
    depth = {"layers": layers} if deep else {}
    return BinaryMRF(
        unary=ising_fields(h),
        pairwise=ising_tables(strength),
        **graph._asdict(),
        name=f"{kind} {rows}×{columns}" + (f"×{layers}" if deep else ""),
        description="A spin glass: neighbours favour equal or different values, and not all can be satisfied.",
        source=stated(
            "ising_grid",
            rows=rows,
            columns=columns,
            torus=torus,
            coupling=coupling,
            field=field,
            seed=seed,
            **depth,
        ),
    )


def grid_graph(rows: int, columns: int, layers: int = 1, torus: bool = False) -> Graph:
    """A grid: its lines as groups, or layers if there are several."""
    layer, row, column = np.unravel_index(np.arange(layers * rows * columns), (layers, rows, columns))
    deep = layers > 1
    names = [f"r{r}c{c}" for r, c in zip(row, column, strict=True)]
    return Graph(
        edges=_grid_edges((layers, rows, columns), torus),
        names=tuple(f"l{k}{name}" for k, name in zip(layer, names, strict=True)) if deep else tuple(names),
        positions=np.column_stack([column, row]) + layer[:, None] * OBLIQUE,
        groups=tuple(f"layer {k}" for k in layer) if deep else tuple(f"line {r}" for r in row),
    )


def _grid_edges(shape: tuple[int, int, int], torus: bool) -> IntArray:
    """Edges to the right, then down, then to the next layer."""
    index = np.arange(np.prod(shape)).reshape(shape)
    pairs = []
    for axis in (2, 1, 0):
        # Two layers are coupled once, even on a torus.
        after = np.roll(index, -1, axis) if torus and shape[axis] > 2 else np.delete(index, 0, axis)
        before = np.take(index, range(after.shape[axis]), axis)
        pairs.append(np.column_stack([before.ravel(), after.ravel()]))
    return np.concatenate(pairs).astype(np.int64)


FAMILY = Family(
    name="ising_grid",
    title="Ising grid",
    shows="Lines as groups make an open grid a chain, which message passing solves exactly; on a torus it need not. "
    "Several layers make cubes of spins, with the layers as groups.",
    generate=ising_grid,
    parameters=(
        Parameter("rows", "Rows", 10, 3, 60),
        Parameter("columns", "Columns", 10, 3, 60),
        Parameter("layers", "Layers", 1, 1, 10),
        Parameter("torus", "Torus (periodic)", False),
        COUPLING,
        FIELD,
        SEED,
    ),
)
