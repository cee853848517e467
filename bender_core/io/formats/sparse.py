"""Sparse matrices of binary quadratic programs: ``.sparse`` of Beasley and Biq Mac, ``.qpbo`` of toulbar2.

The first line has the numbers of variables and coefficients; then one line per coefficient: ``i j q``, variables from
1.
``x' Q x`` is minimised and Q is symmetric, so a coefficient off the diagonal, given once, counts twice. toulbar2 adds:
a negative number of variables means spins, of which the squares are 1, and a negative number of coefficients means
that the sum is maximised.

Source: docs/formats.md §2.8; https://biqmac.aau.at/biqmaclib.html, https://toulbar2.github.io/toulbar2/formats/qpboformat.html
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from bender_core.io._comments import notes_of, stated
from bender_core.io._source import Source, Tokens
from bender_core.io.formats._coefficients import Coefficients, coefficients, rows, shortest
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import Domain, from_coefficients
from bender_core.io.formats._rows import header, read_rows, starts_with_counts
from bender_core.model import BinaryMRF
from bender_core.objective import Objective

TITLE = "sparse"
# Whose files say by their format what is optimised, and whose do not.
_STATING, _SILENT = (".qpbo", ".qs"), (".sparse", ".bqp")
ENDINGS = (*_SILENT, *_STATING)
MINIMISED = "the objective x'Qx is minimised, as in files of Biq Mac; in those of OR-Library and MQLib it is maximised"
_ON_THE_DIAGONAL = re.compile(r"^[ \t]*(\d+)[ \t]+\1[ \t]", re.MULTILINE)


def recognises(source: Source) -> bool:
    """Whether two counts come first, and the file cannot be a max-cut file or its ending decides."""
    if not starts_with_counts(source):
        return False
    return (
        source.ending.endswith(ENDINGS)
        or "-" in source.first_line()
        or _ON_THE_DIAGONAL.search(source.text) is not None
    )


def parse(source: Source, title: str = TITLE, maximised: bool = False) -> BinaryMRF:
    """Read a sparse file.

    Parameters
    ----------
    source : Source
    title : str
        Of the format.
    maximised : bool
        Whether the sum is maximised, whatever the sign of the number of coefficients.

    Raises
    ------
    FormatError
        If counts and rows disagree, or a variable does not exist.
    """
    tokens = Tokens(source.text)
    n, m = header(tokens, ("variables", "coefficients"))
    source.require_variables(abs(n), tokens.line(0))
    found = read_rows(tokens, skipped=1)
    found.require_count(abs(m), "coefficients")
    found.require_range(1, abs(n))
    domain: Domain = "spins" if n < 0 else "bits"
    maximised = maximised or m < 0
    sign = -1.0 if maximised else 1.0
    i, j, alone = found.i - 1, found.j - 1, found.i == found.j
    value, comments = np.where(alone, 1.0, 2.0) * found.value, stated(source)
    # The square of a spin is 1.
    squares = alone & (domain == "spins")
    ends, offsets = (i[~squares], j[~squares]), [comments.offset, *value[squares].tolist()]
    energy = from_coefficients(ends, value[~squares], abs(n), domain, sign * comments.scale, offsets)
    objective = Objective(name="objective", sense="max" if maximised else "min", scale=sign, domain=domain)
    silent = n > 0 and not maximised and not source.ending.endswith(_STATING)
    notes = notes_of(comments, title, "SPIN" if n < 0 else "BINARY") + found.mirrored() + (MINIMISED,) * silent
    return energy.model(source, title, objective, tuple(map(str, range(1, abs(n) + 1))), notes)


def _written(mrf: BinaryMRF) -> tuple[int, Coefficients]:
    """The number of variables, negative for spins, and the coefficients: of spins if it has no fields, else of bits."""
    spins = coefficients(mrf, "spins")
    return (mrf.n, coefficients(mrf, "bits")) if spins.has_fields() else (-mrf.n, spins)


def write(mrf: BinaryMRF) -> str:
    """The model as a sparse file, to be minimised."""
    n, found = _written(mrf)
    lines = rows(replace(found, quadratic=found.quadratic / 2.0), base=1, diagonal=n > 0)
    if n < 0 and found.constant:
        lines.insert(0, f"1 1 {shortest(found.constant)}")
    return "\n".join([f"{n} {len(lines)}", *lines]) + "\n"


def _unheld_constant(mrf: BinaryMRF) -> float:
    """Bits cannot represent a constant; the squares of spins can."""
    n, found = _written(mrf)
    return found.beyond_noise(found.constant) if n > 0 else 0.0


def _rounding(mrf: BinaryMRF) -> float:
    n, found = _written(mrf)
    return found.rounding + (abs(found.constant) if n > 0 else found.dropped_fields())


FORMAT = Format(
    name="sparse",
    title="sparse / qpbo",
    endings=ENDINGS,
    recognises=recognises,
    parse=parse,
    write=write,
    is_marked=False,
    alike=("rudy", "qh"),
    is_minimised=True,
    unheld_constant=_unheld_constant,
    rounding=_rounding,
)
