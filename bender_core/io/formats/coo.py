"""The coordinate format of dimod: ``i j value`` a line, linear terms on the diagonal, minimised.

A comment says whether the variables are bits or spins: ``# vartype=BINARY`` or ``# vartype: SPIN``; a file without it
is refused. Variables are named by any whole numbers, or by words. The format has no constant, and dimod skips rows
of words; so a constant is read and written as a comment ``# offset=…``, and names as ``# labels=["a", "b"]``: the
label of 0, that of 1, and so on.

Source: docs/formats.md §2.6; https://docs.dwavequantum.com (dimod, serialization, coo)
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np

from bender_core.io._comments import VARTYPE, notes_of, stated
from bender_core.io._json import parse_json
from bender_core.io._source import NUMBER, Source, Tokens, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import coefficients, rounding_of_source, rows, shortest
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import DOMAINS, from_coefficients
from bender_core.io.formats._rows import Rows, read_rows
from bender_core.model import BinaryMRF

TITLE = "COO"
ENDINGS = (".coo",)
_STATED = re.compile(rf"^[ \t]*#[^\n]*?{VARTYPE.pattern}", re.MULTILINE | re.IGNORECASE)
_LABELS = re.compile(r"^[ \t]*#[ \t]*labels[ \t]*=(?P<list>[^\n]*)", re.MULTILINE)
_WORD = re.compile(r"[^\x00-\x20]+")


def recognises(source: Source) -> bool:
    """Whether rows of three words come with a vartype, or with an ending of this format."""
    has_vartype, words = _STATED.search(source.text) is not None, len(source.first_line().split())
    return (has_vartype and words in (0, 3)) or (source.ending.endswith(ENDINGS) and words == 3)


def parse(source: Source) -> BinaryMRF:
    """Read a COO file.

    Raises
    ------
    FormatError
        If the vartype is not stated, a row is not a coefficient, or labels are not one for each variable.
    """
    source, labels = _labels(source)
    comments = stated(source)
    if comments.vartype is None:
        raise FormatError(
            1,
            "the file does not say whether its variables are bits or spins",
            'add a line "# vartype=BINARY" or "# vartype=SPIN"',
        )
    tokens = Tokens(source.text)
    if labels is not None:
        found, names = read_rows(tokens, skipped=0), labels
        found.require_range(0, len(names))
    elif not len(tokens):
        raise FormatError(None, "the file has no coefficients", "write rows i j value")
    else:
        found, names = _by_numbers(tokens) if NUMBER.fullmatch(tokens.word(0)) else _by_words(tokens)
    ends, affine = (found.i, found.j), (comments.scale, [comments.offset])
    energy = from_coefficients(ends, found.value, len(names), DOMAINS[comments.vartype], *affine)
    return energy.model(source, TITLE, names=names, notes=notes_of(comments, TITLE, comments.vartype))


def _labels(source: Source) -> tuple[Source, tuple[str, ...] | None]:
    """The labels in a comment, None if there are none; and the file without it, since labels may say anything."""
    comments = list(_LABELS.finditer(source.text))
    if not comments:
        return source, None
    line = source.text.count("\n", 0, comments[-1].start()) + 1
    if len(comments) > 1:
        raise FormatError(line, "the labels are given twice", "keep one list")
    try:
        labels = parse_json(comments[0]["list"])
    except FormatError:
        labels = None
    if not isinstance(labels, list) or not labels or not all(isinstance(label, str) for label in labels):
        raise FormatError(line, "the labels are no list of texts", 'write # labels=["a", "b"], one for each variable')
    return replace(source, text=_LABELS.sub("", source.text)), tuple(labels)


def _by_numbers(tokens: Tokens) -> tuple[Rows, tuple[str, ...]]:
    """Rows whose variables have any whole numbers, counted from 0 in the order of these; and the names."""
    found = read_rows(tokens, skipped=0)
    labels, numbers = np.unique(np.stack([found.i, found.j]), return_inverse=True)
    i, j = numbers.reshape(2, -1)
    return replace(found, i=i, j=j), tuple(map(str, labels.tolist()))


def _by_words(tokens: Tokens) -> tuple[Rows, tuple[str, ...]]:
    """Rows whose variables have words, counted from 0 in order of appearance; and the words."""
    places: dict[str, int] = {}
    lines = tokens.text.split("\n")
    for k, line in enumerate(lines):
        *ends, last = _WORD.findall(line) or [""]
        for word in filter(NUMBER.fullmatch, ends[:2]):
            raise FormatError(k + 1, f"a row names a variable {shown(word)}, the first one by a word", "name all alike")
        # Lines stay where they are.
        lines[k] = " ".join([*(str(places.setdefault(word, len(places))) for word in ends), last])
    return read_rows(Tokens("\n".join(lines)), skipped=0), tuple(places)


def write(mrf: BinaryMRF) -> str:
    """The model as a COO file of bits or spins, as its source has them."""
    found = coefficients(mrf, mrf.objective.domain)
    vartype = next(word for word, domain in DOMAINS.items() if domain == found.domain)
    head = [f"# vartype={vartype}"] + ([f"# offset={shortest(found.constant)}"] if found.constant else [])
    if mrf.names != tuple(map(str, range(mrf.n))):
        # Else dimod might find a vartype in it.
        labels = json.dumps(mrf.names, ensure_ascii=False).replace("=", r"\u003d").replace(":", r"\u003a")
        head.append(f"# labels={labels}")
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
    loses="groups and positions",
    is_minimised=True,
    rounding=rounding_of_source,
)
