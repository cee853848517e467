"""Graphs as lists of weighted edges, to be cut: MatrixMarket, DIMACS, and rows alone.

Source: docs/formats.md §2.13, §2.14, §2.15; https://math.nist.gov/MatrixMarket/formats.html,
http://archive.dimacs.rutgers.edu/pub/challenge/graph/doc/ccformat.tex
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from bender_core.io._comments import C, unread
from bender_core.io._source import Source, Tokens
from bender_core.io.errors import FormatError
from bender_core.io.formats._cuts import cut_model, refuse_loops
from bender_core.io.formats._format import Format
from bender_core.io.formats._rows import Rows, header, read_rows
from bender_core.model import BinaryMRF

_BANNER = "%%matrixmarket"
_MATRICES, _SYMMETRIES = ("real", "integer", "pattern", "double"), ("symmetric", "general")
_PERCENT, _EITHER = r"%(?P<text>[^\n]*)", r"[#%](?P<text>[^\n]*)"
_GRAPHS = ("edge", "col", "edges")


def parse_matrix(source: Source) -> BinaryMRF:
    """Read a MatrixMarket file as the weights of a graph.

    Raises
    ------
    FormatError
        If it is no square coordinate matrix of real numbers without a diagonal.
    """
    words = source.text.split("\n", 1)[0].lower().split()
    kind = words[:3] == [_BANNER, "matrix", "coordinate"] and len(words) == 5
    if not (kind and words[3] in _MATRICES and words[4] in _SYMMETRIES):
        raise FormatError(
            1, "this is no matrix of weights", "the first line is %%MatrixMarket matrix coordinate real symmetric"
        )
    tokens = Tokens(source.text, _PERCENT)
    rows, columns, entries = header(tokens, ("rows", "columns", "entries"))
    if rows != columns:
        raise FormatError(tokens.line(0), f"the matrix is {rows} × {columns}", "the weights of a graph are square")
    edges = _edges(source, tokens, rows, entries, 2 if words[3] == "pattern" else 3)
    refuse_loops(edges, "remove it; a QUBO matrix is read by scipy.io.mmread and bender_core.from_scipy")
    return cut_model(source, MATRIX.title, edges.shifted(1), _numbered(rows), unread(source, _PERCENT))


def parse_dimacs(source: Source) -> BinaryMRF:
    """Read a graph of DIMACS; an edge may have a weight.

    Raises
    ------
    FormatError
        If it is no such graph, or counts and rows disagree.
    """
    # Lines stay where they are.
    tokens = Tokens(re.sub(r"^[ \t]*e(?=\s)", " ", source.text, flags=re.MULTILINE), C)
    if tokens.word(0) != "p" or tokens.word(1) not in _GRAPHS:
        raise FormatError(tokens.line(0), "the first line is not p edge n m", "write the numbers of vertices and edges")
    n, m = header(tokens, ("vertices", "edges"), start=2)
    edges = _edges(source, tokens, n, m, 2, 3)
    refuse_loops(edges)
    return cut_model(source, DIMACS.title, edges.shifted(1), _numbered(n), unread(source, C))


def parse_rows(source: Source) -> BinaryMRF:
    """Read rows ``i j w`` without a header; vertices have any whole numbers.

    Raises
    ------
    FormatError
        If a row is no edge.
    """
    tokens = Tokens(source.text, _EITHER)
    edges = read_rows(tokens, skipped=0, columns=(2, 3))
    if not len(edges):
        raise FormatError(None, "the file has no edges", "write rows i j w")
    _refuse_header(tokens, edges)
    refuse_loops(edges)
    labels, places = np.unique(np.stack([edges.i, edges.j]), return_inverse=True)
    i, j = places.reshape(2, -1)
    names = tuple(map(str, labels.tolist()))
    return cut_model(source, EDGES.title, replace(edges, i=i, j=j), names, unread(source, _EITHER))


def _refuse_header(tokens: Tokens, edges: Rows) -> None:
    """Refuse a first row that may be the numbers of vertices and edges.

    Raises
    ------
    FormatError
    """
    _, length = tokens.row_lengths()
    others = np.flatnonzero(length != length[0])
    if len(others):
        raise edges.refuse(
            int(others[0]), "some rows have weights, and others have none", "give all of them weights, or none"
        )
    if length[0] == 2 and edges.j[0] == len(edges) - 1:
        raise edges.refuse(
            0, "the first row may be the numbers of vertices and edges", 'remove it, or read the file as "rudy"'
        )


def _edges(source: Source, tokens: Tokens, n: int, count: int, *columns: int) -> Rows:
    """The rows after the first line."""
    source.require_variables(max(n, 0), tokens.line(0))
    edges = read_rows(tokens, skipped=1, columns=columns)
    edges.require_count(count, "edges")
    edges.require_range(1, n)
    return edges


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n + 1)))


MATRIX = Format(
    name="mtx",
    title="MatrixMarket graph",
    endings=(".mtx",),
    recognises=lambda source: source.text[: len(_BANNER)].lower() == _BANNER,
    parse=parse_matrix,
    write=None,
)
DIMACS = Format(
    name="dimacs",
    title="DIMACS graph",
    endings=(".col", ".clq", ".dimacs"),
    recognises=lambda source: tuple(source.first_line(C).split()[:2]) in {("p", each) for each in _GRAPHS},
    parse=parse_dimacs,
    write=None,
)
# Rows alone say too little: they are read where the ending or the caller says what they are.
EDGES = Format(
    name="edges",
    title="edge list",
    endings=(".el", ".wel", ".edgelist"),
    recognises=lambda source: False,
    parse=parse_rows,
    write=None,
)
