"""The QUBO files of qbsolv, ``.qubo``: ``Σ q_ii x_i + Σ q_ij x_i x_j`` over bits, minimised.

Lines that start with ``c`` are comments. bqp2qubo and QUBOTools write ``c scale : ...`` and ``c offset : ...``, which
are read; a constant is written as the latter, which qbsolv ignores. The first other line is ``p qubo 0 n d c`` with the
target and the numbers of variables, of diagonal and of other coefficients; then the coefficients, ``i i q`` and
``i j q``, variables from 0. The target is ``0`` or ``unconstrained``, or the topology of a machine, ``chimera128``.

Source: docs/formats.md §2.5; https://github.com/dwavesystems/qbsolv (README, section "qbsolv QUBO input file format")
"""

from __future__ import annotations

import re

from bender_core.io._comments import C, notes_of, stated
from bender_core.io._source import Source, Tokens, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import coefficients, rows, shortest
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import from_coefficients
from bender_core.io.formats._rows import header, read_rows
from bender_core.model import BinaryMRF

TITLE = "QUBO"
COMMENT = r"^[ \t]*c(?![^\s])[^\n]*"
# A topology says which pairs there may be, and changes no energy.
_TARGET = re.compile(r"0|unconstrained|chimera\d*", re.ASCII | re.IGNORECASE)


def parse(source: Source) -> BinaryMRF:
    """Read a QUBO file.

    Raises
    ------
    FormatError
        If the line "p qubo ..." is missing, its target is unknown or its counts disagree with the rows, or a variable
        does not exist.
    """
    tokens = Tokens(source.text, COMMENT)
    words = [tokens.word(k) for k in range(3)]
    if words[:2] != ["p", "qubo"] or tokens.row_lengths()[1][0] != 6:
        raise FormatError(tokens.line(0), "the first line is not p qubo 0 n d c", "write it with three whole numbers")
    if not _TARGET.fullmatch(words[2]):
        mend = "write 0, and read what is maximised with --maximize"
        raise FormatError(tokens.line(0), f"the target is {shown(words[2])}", mend)
    n, diagonal, others = header(tokens, ("variables", "diagonal coefficients", "other coefficients"), start=3)
    source.require_variables(max(n, 0), tokens.line(0))
    found = read_rows(tokens, skipped=1)
    found.require_count(diagonal + others, "coefficients")
    given = int((found.i == found.j).sum())
    if given != diagonal:
        raise FormatError(
            tokens.line(0),
            f"the file promises {diagonal} diagonal and {others} other coefficients"
            f" but {given} and {len(found) - given} follow",
            "correct the counts or the rows",
        )
    found.require_range(0, n)
    comments = stated(source, C)
    energy = from_coefficients((found.i, found.j), found.value, n, "bits", comments.scale, [comments.offset])
    return energy.model(source, TITLE, names=tuple(map(str, range(n))), notes=notes_of(comments, TITLE, "BINARY"))


def write(mrf: BinaryMRF) -> str:
    """The model as a QUBO file."""
    found = coefficients(mrf, "bits")
    lines = rows(found, base=0)
    head = [f"c offset : {shortest(found.constant)}"] if found.constant else []
    return "\n".join([*head, f"p qubo 0 {mrf.n} {len(lines) - mrf.n_edges} {mrf.n_edges}", *lines]) + "\n"


FORMAT = Format(
    name="qubo",
    title="QUBO (qbsolv)",
    endings=(".qubo",),
    recognises=lambda source: source.first_line(COMMENT).split()[:2] == ["p", "qubo"],
    parse=parse,
    write=write,
    is_minimised=True,
    rounding=lambda mrf: coefficients(mrf, "bits").rounding,
)
