"""Comments about the objective: a scale, an offset, and whether the variables are bits or spins.

Formats of rows have no place for these, so tools write them as comments: ``c scale : 2.0`` and ``c offset : -1.5``
(bqp2qubo, QUBOTools), ``# ObjectiveOffset 42`` (QOBLIB), ``# vartype=SPIN`` (dimod). The objective is then
``scale * (offset + Σ ...)``, as in bqpjson. A comment that may mean one of these, or a sense, and is not understood as
a whole is noted, and nothing of it is read; a vartype is read anywhere, as dimod does.

Source: docs/formats.md §1.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bender_core.io._source import NUMBER, SMALLER, Source, shown
from bender_core.io.errors import FormatError
from bender_core.model import LARGEST_ENERGY

HASH = r"#(?P<text>[^\n]*)"
C = r"^[ \t]*c(?![^\s])(?P<text>[^\n]*)"
VARTYPES = ("BINARY", "SPIN")

_KEYS = {
    "offset": "offset",
    "objectiveoffset": "offset",
    "energyoffset": "offset",
    "constant": "offset",
    "constantterm": "offset",
    "constanttermofobjective": "offset",
    "scale": "scale",
    "objectivescale": "scale",
}
# As dimod looks for it: other words may come before.
VARTYPE = re.compile(r"\bvartype\s*[=:]\s*(?P<value>[\w.-]+)", re.IGNORECASE)
# "key = value", "key: value", or "key 0.5". No key is longer, and blanks are passed over once: time must not grow with
# the square of a comment's length.
_ITEM = re.compile(
    r"(?P<key>[A-Za-z][A-Za-z _-]{0,60}?)(?:\s*+(?P<sign>[=:])\s*+|\s++(?=[-+.\d]))(?P<value>[^\s,;]+)(?:[\s,;]+|$)"
)
# Words that may mean one of these; those that prose is full of, only with a value.
_MAY_MEAN = re.compile(
    r"offsets?\b|\bconstant\s++term\b|\b(re)?scal(e|es|ed|ing)\b|\bvartype\b|\b(max|min)imi[sz]"
    r"|\bconst(ant)?s?\b\s*+((energy|part|value)\b\s*+)?([=:]|is\b|of\b)?\s*+[-+.]?\d"
    r"|\benergy\s++shift\b|\bshift(s|ed)?\b\s*+([=:]|is\b|by\b)\s*+[-+.]?\d"
    r"|\b(sense|objective|direction|goal)\b\s*+([=:]|is\b)?\s*+(max|min)",
    re.IGNORECASE,
)
# Each match has one of these in it.
_HINTS = ("offset", "const", "scal", "vartype", "max", "min", "shift")
# Between the words of energy_offset and energyOffset.
_SEAM = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
_MOST_NOTES = 3


@dataclass
class Comments:
    """The contents of a file's comments.

    Attributes
    ----------
    scale, offset : float
    vartype : str or None
        One of `VARTYPES`.
    notes : list of str
        A sentence for each comment that may mean one of these and is not understood.
    """

    scale: float = 1.0
    offset: float = 0.0
    vartype: str | None = None
    notes: list[str] = field(default_factory=list)


def stated(source: Source, comment: str = HASH) -> Comments:
    """Read the comments of a file.

    Parameters
    ----------
    source : Source
    comment : str
        Regular expression of a comment, whose text is the group ``text``.

    Raises
    ------
    FormatError
        If a comment gives a scale or an offset that is not a number, a vartype that is unknown, or one of them twice,
        differently.
    """
    found = Comments()
    given: dict[str, str] = {}
    overlooked = []
    for line, text in _candidates(source, comment):
        rest, vartypes = VARTYPE.subn(" ", text)
        for vartype in VARTYPE.finditer(text):
            _take(found, given, "vartype", vartype["value"].upper(), line)
        rest = rest.strip(" \t,;")
        items = _items(rest)
        if items is None and _may_mean(rest):
            overlooked.append((line, f"the rest of the comment, {shown(rest, 60)}," if vartypes else _whole(rest)))
        for key, value in items or ():
            _take(found, given, key, value, line)
    found.notes = _noted(overlooked)
    return found


def unread(source: Source, comment: str) -> tuple[str, ...]:
    """A sentence for each comment that may mean an offset, a scale or a vartype, in a format that has none."""
    candidates = _candidates(source, comment)
    return tuple(_noted([(line, _whole(text.strip())) for line, text in candidates if _may_mean(text)]))


def _candidates(source: Source, comment: str) -> Iterator[tuple[int, str]]:
    """The comments that may mean something, with their lines."""
    line, counted = 1, 0
    for found in re.finditer(comment, source.text, re.MULTILINE):
        text = found["text"]
        if _may_mean(text) or "constant" in text.lower():
            line += source.text.count("\n", counted, found.start("text"))
            counted = found.start("text")
            yield line, text


def _may_mean(text: str) -> bool:
    """Whether a comment may give an offset, a scale, a vartype or a sense."""
    lower = text.lower()
    # Most comments have none of these, and a file may have one in every row.
    if not any(hint in lower for hint in _HINTS):
        return False
    return any(_MAY_MEAN.search(each) for each in (text, _SEAM.sub(" ", text)))


def _whole(text: str) -> str:
    return f"the comment {shown(text, 60)}"


def _noted(overlooked: list[tuple[int, str]]) -> list[str]:
    """A sentence for each of the comments that are not read, given by line and name, as far as they are few."""
    notes = [f"line {line}: {what} is not understood, and not read" for line, what in overlooked[:_MOST_NOTES]]
    more = len(overlooked) - _MOST_NOTES
    return [*notes, f"{more} more comments like these are not read"] if more > 0 else notes


def _items(text: str) -> list[tuple[str, str]] | None:
    """The keys and values of a comment that is a list of them; None, lest a part be read, if it is anything else."""
    items: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        item = _ITEM.match(text, at)
        key = None if item is None else _KEYS.get(re.sub("[ _-]", "", item["key"]).lower())
        if item is None or key is None or (item["sign"] is None and not NUMBER.fullmatch(item["value"])):
            return None
        items.append((key, item["value"]))
        at = item.end()
    return items


def _take(found: Comments, given: dict[str, str], key: str, value: str, line: int) -> None:
    """Take the value of a key.

    Raises
    ------
    FormatError
    """
    if given.setdefault(key, value) != value:
        raise FormatError(line, f"a comment says {key} {shown(value)}, another {shown(given[key])}", "keep one")
    if key == "vartype":
        if value not in VARTYPES:
            raise FormatError(line, f"the vartype is {shown(value)}", "write BINARY or SPIN")
        found.vartype = value
        return
    if not NUMBER.fullmatch(value):
        raise FormatError(line, f"{shown(value)} is not a number", f"write {key} = 0.25, or remove the comment")
    number = float(value)
    if not abs(number) <= LARGEST_ENERGY:
        raise FormatError(line, f"the {key} is {shown(value)}", SMALLER)
    setattr(found, key, number)


def notes_of(found: Comments, title: str, vartype: str | None = None) -> tuple[str, ...]:
    """The notes on comments, and another one if they state another vartype than the format has."""
    if found.vartype in (None, vartype):
        return tuple(found.notes)
    return (*found.notes, f"a comment says vartype {found.vartype}, which {title} files do not have; it is not read")
