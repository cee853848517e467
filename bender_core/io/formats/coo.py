"""The coordinate format of dimod: ``i j value`` a line, linear terms on the diagonal, minimised.

A comment says whether the variables are bits or spins: ``# vartype=BINARY`` or ``# vartype=SPIN``; a file without it is
refused. Variables are named by any numbers. The format has no constant; we write one as a comment ``# offset=…``, which
dimod ignores.

Source: docs/formats.md §2.6; https://docs.dwavequantum.com (dimod, serialization, coo)
"""

from __future__ import annotations

import re

import numpy as np

from bender_core.io._source import Source, Tokens
from bender_core.io.errors import FormatError
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import Domain, from_coefficients, quadratic, rows
from bender_core.io.formats._rows import read_rows
from bender_core.model import BinaryMRF

TITLE = "COO"
ENDINGS = (".coo",)
_VARTYPE = re.compile(r"^[ \t]*#[ \t]*vartype[ \t]*=[ \t]*(\w+)", re.MULTILINE | re.IGNORECASE)
_OFFSET = re.compile(r"^[ \t]*#[ \t]*offset[ \t]*=[ \t]*(\S+)", re.MULTILINE | re.IGNORECASE)
_DOMAINS: dict[str, Domain] = {"BINARY": "bits", "SPIN": "spins"}


def recognises(source: Source) -> bool:
    """Whether rows of three words come with a vartype, or with an ending of this format."""
    stated, words = _VARTYPE.search(source.text) is not None, len(source.first_line().split())
    return (stated and words in (0, 3)) or (source.ending.endswith(ENDINGS) and words == 3)


def parse(source: Source) -> BinaryMRF:
    """Read a COO file.

    Raises
    ------
    FormatError
        If the vartype is not stated, or a row is not a coefficient.
    """
    stated = _VARTYPE.search(source.text)
    if stated is None or stated[1].upper() not in _DOMAINS:
        raise FormatError(
            1 if stated is None else source.text.count("\n", 0, stated.start()) + 1,
            "the file does not say whether its variables are bits or spins",
            'add a line "# vartype=BINARY" or "# vartype=SPIN"',
        )
    domain = _DOMAINS[stated[1].upper()]
    coefficients = read_rows(Tokens(source.text), skipped=0)
    if not len(coefficients):
        raise FormatError(None, "the file has no coefficients", "write rows i j value")
    labels, numbers = np.unique(np.stack([coefficients.i, coefficients.j]), return_inverse=True)
    i, j = numbers.reshape(2, -1)
    found = from_coefficients(i, j, coefficients.value, len(labels), domain, _offset(source))
    return found.model(source, TITLE, names=tuple(map(str, labels.tolist())))


def _offset(source: Source) -> float:
    stated = _OFFSET.search(source.text)
    if stated is None:
        return 0.0
    (value,) = Tokens(stated[1], comment="$^").numbers(0)
    return float(value)


def write(mrf: BinaryMRF) -> str:
    """The model as a COO file of bits or spins, as its source has them."""
    found = quadratic(mrf, mrf.objective.domain)
    vartype = next(word for word, domain in _DOMAINS.items() if domain == found.domain)
    head = [f"# vartype={vartype}"] + ([f"# offset={found.constant!r}"] if found.constant else [])
    named = (found.linear != 0) | np.isin(np.arange(mrf.n), found.edges)
    # A variable exists by being named.
    return "\n".join(head + [f"{i} {i} 0" for i in np.flatnonzero(~named)] + rows(found, base=0)) + "\n"


FORMAT = Format(name="coo", title="COO (dimod)", endings=ENDINGS, recognises=recognises, parse=parse, write=write)
