"""Graphs whose cut is to be as heavy as possible: what all formats of weighted edges have in common."""

from __future__ import annotations

import numpy as np

from bender_core.io._source import Source
from bender_core.io.formats._quadratic import from_coefficients
from bender_core.io.formats._rows import Rows
from bender_core.model import BinaryMRF
from bender_core.objective import Objective

OBJECTIVE = Objective(name="cut weight", sense="max", scale=-1.0)
# 1 where ends differ.
CUT = np.array([[0.0, 1.0], [1.0, 0.0]])


def cut_model(
    source: Source,
    title: str,
    edges: Rows,
    names: tuple[str, ...],
    notes: tuple[str, ...] = (),
    affine: tuple[float, float] = (1.0, 0.0),
) -> BinaryMRF:
    """The model whose energy is minus ``scale * (offset + Σ w_ij [x_i != x_j])``.

    Parameters
    ----------
    source : Source
    title : str
        Of the format.
    edges : Rows
        Vertices from 0.
    names : tuple of str
        Of the vertices.
    notes : tuple of str
    affine : tuple of float
        The scale and the offset.
    """
    n, (scale, offset) = len(names), affine
    # What an edge weighs is gained where its ends differ.
    gain = from_coefficients((edges.i, edges.j), edges.value, n, "bits", -scale, [offset])
    return BinaryMRF(
        unary=np.zeros((n, 2)),
        edges=gain.edges,
        pairwise=gain.quadratic[:, None, None] * CUT,
        constant=gain.constant,
        names=names,
        name=source.stem,
        source=f"{title} file {source.filename}".rstrip(),
        objective=OBJECTIVE,
        notes=notes + edges.mirrored(),
    )


def refuse_loops(edges: Rows, mend: str = "such an edge is in no cut; remove it") -> None:
    """Refuse edges that join a vertex to itself.

    Raises
    ------
    FormatError
    """
    loops = np.flatnonzero(edges.i == edges.j)
    if len(loops):
        row = int(loops[0])
        raise edges.refuse(row, f"an edge joins vertex {edges.i[row]} to itself", mend)
