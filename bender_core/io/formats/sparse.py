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

from bender_core.io._source import Source, Tokens
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import Domain, from_coefficients, quadratic, rows, shortest, unheld_constant
from bender_core.io.formats._rows import header, read_rows, starts_with_counts
from bender_core.model import BinaryMRF
from bender_core.objective import Objective

TITLE = "sparse"
ENDINGS = (".sparse", ".qpbo", ".bqp")
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


def parse(source: Source) -> BinaryMRF:
    """Read a sparse file.

    Raises
    ------
    FormatError
        If counts and rows disagree, or a variable does not exist.
    """
    tokens = Tokens(source.text)
    n, m = header(tokens, ("the number of variables", "the number of coefficients"))
    source.require_variables(abs(n), tokens.line(0))
    coefficients = read_rows(tokens, skipped=1)
    coefficients.require_count(abs(m), "coefficients")
    coefficients.require_range(1, abs(n))
    domain: Domain = "spins" if n < 0 else "bits"
    scale = -1.0 if m < 0 else 1.0
    i, j = coefficients.i - 1, coefficients.j - 1
    alone = i == j
    value = scale * np.where(alone, 1.0, 2.0) * coefficients.value
    if domain == "spins":
        # The square of a spin is 1.
        constant = float(value[alone].sum())
        found = from_coefficients(i[~alone], j[~alone], value[~alone], abs(n), domain, constant)
    else:
        found = from_coefficients(i, j, value, abs(n), domain)
    objective = Objective(name="objective", sense="max" if m < 0 else "min", scale=scale, domain=domain)
    return found.model(source, TITLE, objective, names=tuple(map(str, range(1, abs(n) + 1))))


def write(mrf: BinaryMRF) -> str:
    """The model as a sparse file, to be minimised: of spins if it has no fields, else of bits."""
    spins = quadratic(mrf, "spins")
    n, found = (mrf.n, quadratic(mrf, "bits")) if spins.has_fields() else (-mrf.n, spins)
    lines = rows(replace(found, quadratic=found.quadratic / 2.0), base=1, diagonal=n > 0)
    if n < 0 and found.constant:
        lines.insert(0, f"1 1 {shortest(found.constant)}")
    return "\n".join([f"{n} {len(lines)}", *lines]) + "\n"


def _unheld_constant(mrf: BinaryMRF) -> float:
    """Bits cannot represent a constant; the squares of spins can."""
    return unheld_constant("bits")(mrf) if quadratic(mrf, "spins").has_fields() else 0.0


FORMAT = Format(
    name="sparse",
    title="sparse / qpbo",
    endings=ENDINGS,
    recognises=recognises,
    parse=parse,
    write=write,
    alike=("rudy",),
    unheld_constant=_unheld_constant,
)
