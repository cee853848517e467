"""Qubist's Hamiltonians, ``.qh``: ``H(s) = Σ h_i s_i + Σ J_ij s_i s_j`` over spins, minimised.

One coefficient per line, ``i i h`` or ``i j J``. bqp2qh and QUBOTools write the numbers of sites and of rows first;
other files start with the rows, and the largest number is that of the last spin. Spins are counted from 0 or from 1:
bqp2qh counts from 0, QUBOTools and most files without a header from 1.

Source: docs/formats.md §2.7; https://github.com/lanl-ansi/bqpjson (bqp2qh), https://github.com/JuliaQUBO/QUBOTools.jl
"""

from __future__ import annotations

from bender_core.io._comments import notes_of, stated
from bender_core.io._source import Source, Tokens
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import coefficients, rows, unheld_constant
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import from_coefficients
from bender_core.io.formats._rows import Rows, header, read_rows, starts_with_counts
from bender_core.model import BinaryMRF

TITLE = "qh"
ENDINGS = (".qh",)


def recognises(source: Source) -> bool:
    """Whether the file has the ending, and starts with a row or with two counts."""
    return source.ending.endswith(ENDINGS) and (len(source.first_line().split()) == 3 or starts_with_counts(source))


def parse(source: Source) -> BinaryMRF:
    """Read a Hamiltonian.

    Raises
    ------
    FormatError
        If a row is not a coefficient, or the header disagrees with the rows.
    """
    tokens = Tokens(source.text)
    if len(tokens.row_lengths()[1]) and tokens.row_lengths()[1][0] == 2:
        n, m = header(tokens, ("sites", "rows"))
        source.require_variables(max(n, 0), tokens.line(0))
        found = read_rows(tokens, skipped=1)
        found.require_count(m, "rows")
        # The number n exists only where spins are counted from 1.
        base = int(len(found) > 0 and _largest(found) == n)
    else:
        found = read_rows(tokens, skipped=0)
        if not len(found):
            raise FormatError(None, "the file has no coefficients", "write rows i j value")
        base = int(min(found.i.min(), found.j.min()) != 0)
        n = _largest(found) + 1 - base
        source.require_variables(max(n, 0), None)
    found.require_range(base, n)
    comments = stated(source)
    ends = found.i - base, found.j - base
    energy = from_coefficients(ends, found.value, n, "spins", comments.scale, [comments.offset])
    names = tuple(map(str, range(base, base + n)))
    return energy.model(source, TITLE, names=names, notes=notes_of(comments, TITLE, "SPIN"))


def _largest(found: Rows) -> int:
    return int(max(found.i.max(), found.j.max()))


def write(mrf: BinaryMRF) -> str:
    """The model as a Hamiltonian, with a header, spins from 0."""
    lines = rows(coefficients(mrf, "spins"), base=0)
    return "\n".join([f"{mrf.n} {len(lines)}", *lines]) + "\n"


def _rounding(mrf: BinaryMRF) -> float:
    found = coefficients(mrf, "spins")
    return found.rounding + abs(found.constant)


FORMAT = Format(
    name="qh",
    title="qh (Qubist)",
    endings=ENDINGS,
    recognises=recognises,
    parse=parse,
    write=write,
    is_marked=False,
    alike=("rudy", "sparse"),
    is_minimised=True,
    unheld_constant=unheld_constant("spins"),
    rounding=_rounding,
)
