"""Qubist's Hamiltonians, ``.qh``: ``H(s) = Σ h_i s_i + Σ J_ij s_i s_j`` over spins, minimised.

One coefficient per line, spins from 1: ``i i h`` or ``i j J``. There is no header; the largest number is the number of
spins.

Source: docs/formats.md §2.7; https://github.com/lanl-ansi/bqpjson (its bqp2qh writes such files)
"""

from __future__ import annotations

import numpy as np

from bender_core.io._source import Source, Tokens
from bender_core.io.errors import FormatError
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import from_coefficients, quadratic, rows, unheld_constant
from bender_core.io.formats._rows import read_rows
from bender_core.model import BinaryMRF

TITLE = "qh"
ENDINGS = (".qh",)


def parse(source: Source) -> BinaryMRF:
    """Read a Hamiltonian.

    Raises
    ------
    FormatError
        If a row is not a coefficient.
    """
    tokens = Tokens(source.text)
    coefficients = read_rows(tokens, skipped=0)
    if not len(coefficients):
        raise FormatError(None, "the file has no coefficients", "write rows i j value")
    n = int(max(coefficients.i.max(), coefficients.j.max()))
    source.require_variables(max(n, 0), None)
    coefficients.require_range(1, n)
    found = from_coefficients(coefficients.i - 1, coefficients.j - 1, coefficients.value, n, "spins")
    return found.model(source, TITLE, names=tuple(map(str, range(1, n + 1))))


def write(mrf: BinaryMRF) -> str:
    """The model as a Hamiltonian."""
    found = quadratic(mrf, "spins")
    lines = rows(found, base=1)
    named = (found.linear != 0) | np.isin(np.arange(mrf.n), found.edges)
    # The largest number is the number of spins.
    return "\n".join(lines + ([] if named[-1] else [f"{mrf.n} {mrf.n} 0"])) + "\n"


FORMAT = Format(
    name="qh",
    title="qh (Qubist)",
    endings=ENDINGS,
    recognises=lambda source: source.ending.endswith(ENDINGS) and len(source.first_line().split()) == 3,
    parse=parse,
    write=write,
    unheld_constant=unheld_constant("spins"),
)
