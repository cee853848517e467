"""The coordinate format of dimod: ``i j value`` a line, linear terms on the diagonal, minimised.

A comment says whether the variables are bits or spins: ``# vartype=BINARY`` or ``# vartype: SPIN``; a file without it
is refused. Variables are named by any numbers. The format has no constant; one is read and written as a comment
``# offset=…``, which dimod ignores.

Source: docs/formats.md §2.6; https://docs.dwavequantum.com (dimod, serialization, coo)
"""

from __future__ import annotations

import re

import numpy as np

from bender_core.io._comments import VARTYPE, notes_of, stated
from bender_core.io._source import Source, Tokens
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import coefficients, rounding_of_source, rows, shortest
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import DOMAINS, from_coefficients
from bender_core.io.formats._rows import read_rows
from bender_core.model import BinaryMRF

TITLE = "COO"
ENDINGS = (".coo",)
_STATED = re.compile(rf"^[ \t]*#[^\n]*?{VARTYPE.pattern}", re.MULTILINE | re.IGNORECASE)


def recognises(source: Source) -> bool:
    """Whether rows of three words come with a vartype, or with an ending of this format."""
    has_vartype, words = _STATED.search(source.text) is not None, len(source.first_line().split())
    return (has_vartype and words in (0, 3)) or (source.ending.endswith(ENDINGS) and words == 3)


def parse(source: Source) -> BinaryMRF:
    """Read a COO file.

    Raises
    ------
    FormatError
        If the vartype is not stated, or a row is not a coefficient.
    """
    comments = stated(source)
    if comments.vartype is None:
        raise FormatError(
            1,
            "the file does not say whether its variables are bits or spins",
            'add a line "# vartype=BINARY" or "# vartype=SPIN"',
        )
    domain = DOMAINS[comments.vartype]
    found = read_rows(Tokens(source.text), skipped=0)
    if not len(found):
        raise FormatError(None, "the file has no coefficients", "write rows i j value")
    labels, numbers = np.unique(np.stack([found.i, found.j]), return_inverse=True)
    i, j = numbers.reshape(2, -1)
    energy = from_coefficients((i, j), found.value, len(labels), domain, comments.scale, [comments.offset])
    names = tuple(map(str, labels.tolist()))
    return energy.model(source, TITLE, names=names, notes=notes_of(comments, TITLE, comments.vartype))


def write(mrf: BinaryMRF) -> str:
    """The model as a COO file of bits or spins, as its source has them."""
    found = coefficients(mrf, mrf.objective.domain)
    vartype = next(word for word, domain in DOMAINS.items() if domain == found.domain)
    head = [f"# vartype={vartype}"] + ([f"# offset={shortest(found.constant)}"] if found.constant else [])
    named = (found.linear != 0) | np.isin(np.arange(mrf.n), found.edges)
    # A variable exists by being named.
    return "\n".join(head + [f"{i} {i} 0" for i in np.flatnonzero(~named)] + rows(found, base=0)) + "\n"


FORMAT = Format(
    name="coo",
    title="COO (dimod)",
    endings=ENDINGS,
    recognises=recognises,
    parse=parse,
    write=write,
    is_minimised=True,
    rounding=rounding_of_source,
)
