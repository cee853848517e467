"""Max-cut in the layout of the graph generator rudy, of the Gset and of the Biq Mac library: ``.rud``, ``.mc``.

The first line has the numbers of vertices and of edges; then one line per edge: ``i j w``, vertices from 1, the weight
1 if omitted. The cut is maximised, so energies are minus the weight of the cut: ``-Σ w_ij [x_i != x_j]``.

Source: docs/formats.md §2.9; https://biqmac.aau.at/biqmaclib.html, http://www.stanford.edu/~yyye/yyye/Gset/
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from bender_core.io._comments import notes_of, stated
from bender_core.io._source import Source, Tokens
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import HOLDS_ANY, Coefficients, coefficients, rows
from bender_core.io.formats._cuts import cut_model, refuse_loops
from bender_core.io.formats._format import Format
from bender_core.io.formats._rows import header, read_rows, starts_with_counts
from bender_core.model import BinaryMRF

TITLE = "max-cut (rudy)"


def parse(source: Source) -> BinaryMRF:
    """Read a max-cut file.

    Raises
    ------
    FormatError
        If counts and rows disagree, a vertex does not exist, or an edge joins a vertex to itself.
    """
    tokens = Tokens(source.text)
    n, m = header(tokens, ("vertices", "edges"))
    source.require_variables(max(n, 0), tokens.line(0))
    edges = read_rows(tokens, skipped=1, columns=(2, 3))
    edges.require_count(m, "edges")
    edges.require_range(1, n)
    refuse_loops(edges)
    comments = stated(source)
    names = tuple(map(str, range(1, n + 1)))
    affine = comments.scale, comments.offset
    return cut_model(source, TITLE, edges.shifted(1), names, notes_of(comments, TITLE), affine)


def refuse_neighbours(source: Source) -> None:
    """Refuse rows that may be lists of neighbours, of a graph in which all vertices have two, other than the edges'.

    Raises
    ------
    FormatError
    """
    tokens = Tokens(source.text)
    n, m = header(tokens, ("vertices", "edges"))
    length = tokens.row_lengths()[1]
    if n != m or len(length) != n + 1 or (length != 2).any():
        return
    rows = read_rows(tokens, skipped=1, columns=(2,))
    place = np.arange(1, n + 1)
    listed = {*zip(place.tolist(), rows.i.tolist(), strict=True), *zip(place.tolist(), rows.j.tolist(), strict=True)}
    if len(listed) < 2 * n or any(i == j or (j, i) not in listed for i, j in listed):
        return
    if {(min(pair), max(pair)) for pair in listed} != rows.pairs():
        raise rows.refuse(
            0,
            f"the rows may be edges, or lists of the neighbours of vertices 1 to {n} (METIS), which is another graph",
            "write edges with weights (i j 1), or name the format",
        )


def write(mrf: BinaryMRF) -> str:
    """The model as a max-cut file.

    Raises
    ------
    FormatError
        If some variable prefers one of its values, which a cut cannot express.
    """
    found = coefficients(mrf, "spins")
    if found.has_fields():
        preferring = int(np.argmax(np.abs(found.linear)))
        raise FormatError(
            None,
            f"variable {preferring} prefers one of its values, which a cut cannot express",
            f"write bqpjson, or {HOLDS_ANY}",
        )
    weights = replace(found, quadratic=2 * found.quadratic)
    return "\n".join([f"{mrf.n} {mrf.n_edges}", *rows(weights, base=1, diagonal=False)]) + "\n"


def _constant_of_a_cut(found: Coefficients) -> float:
    """The constant beyond those of the edges: ``-w [x_i != x_j] = w/2 s_i s_j - w/2``, rounded once."""
    return math.fsum([found.constant, *found.quadratic])


def _unheld_constant(mrf: BinaryMRF) -> float:
    found = coefficients(mrf, "spins")
    return found.beyond_noise(_constant_of_a_cut(found))


def _rounding(mrf: BinaryMRF) -> float:
    found = coefficients(mrf, "spins")
    return found.rounding + found.dropped_fields() + abs(_constant_of_a_cut(found))


FORMAT = Format(
    name="rudy",
    title=TITLE,
    endings=(".rud", ".rudy", ".mc", ".gset"),
    recognises=lambda source: starts_with_counts(source) and "-" not in source.first_line(),
    parse=parse,
    write=write,
    is_marked=False,
    doubt=refuse_neighbours,
    alike=("sparse", "qh"),
    unheld_constant=_unheld_constant,
    rounding=_rounding,
)
