"""Several binary quadratic programs in one file, as in the OR-Library: ``bqp50.txt``.

The number of programs; then each like a sparse file: the numbers of variables and coefficients, and a line ``i j q``
for each of these. ``x' Q x`` is maximised. The format's name with a number, ``orlib:3``, selects the third.

Source: docs/formats.md §2.21; https://people.brunel.ac.uk/~mastjjb/jeb/orlib/bqpinfo.html
"""

from __future__ import annotations

import re
from dataclasses import replace

from bender_core.io._comments import HASH, unread
from bender_core.io._source import NUMBER, Source, Tokens
from bender_core.io.errors import FormatError
from bender_core.io.formats import sparse
from bender_core.io.formats._format import Format
from bender_core.model import BinaryMRF

NAME, TITLE = "orlib", "OR-Library bqp"
# Of a count.
_DIGITS = 9


def _is_count(word: str) -> bool:
    return word.isdecimal() and word.isascii() and len(word) <= _DIGITS


def recognises(source: Source) -> bool:
    """Whether lines of one, of two and of three numbers come first."""
    lines = (line.partition("#")[0].split() for line in source.text.split("\n", 1000)[:1000])
    rows = [words for words in lines if words][:3]
    counts = [word for words in rows[:2] for word in words]
    return (
        [len(words) for words in rows] == [1, 2, 3]
        and all(map(_is_count, counts))
        and all(map(NUMBER.fullmatch, rows[2]))
    )


def parse(source: Source) -> BinaryMRF:
    """Read one of the programs.

    Raises
    ------
    FormatError
        If there are several and none is chosen, or there are fewer; or counts and rows disagree.
    """
    tokens = Tokens(source.text)
    parts = _parts(tokens)
    which = source.which or 1
    if which > len(parts) or (len(parts) > 1 and not source.which):
        what = f"the file has {len(parts)} problems" + f", and no problem {which}" * (which > len(parts))
        raise FormatError(None, what, f"choose one, as the format {NAME}:1 to {NAME}:{len(parts)}")
    begin, end = parts[which - 1]
    # Lines stay where they are; a comment above a program would belong to the one before, so that none is read.
    text = "\n" * tokens.text.count("\n", 0, begin) + re.sub("#[^\n]*", "", tokens.text[begin:end])
    mrf = sparse.parse(replace(source, text=text), TITLE, maximised=True)
    name = f"{source.stem}-{which}" if len(parts) > 1 else source.stem
    return replace(mrf, name=name, notes=mrf.notes + unread(source, HASH))


def _parts(tokens: Tokens) -> list[tuple[int, int]]:
    """Where each program begins and ends in the text."""
    first, length = tokens.row_lengths()

    def refuse(row: int, what: str, mend: str) -> FormatError:
        return FormatError(tokens.line(int(first[row]) if row < len(first) else len(tokens)), what, mend)

    if not len(first) or length[0] != 1 or not _is_count(tokens.word(0)) or not int(tokens.word(0)):
        raise refuse(0, "the first line is not the number of problems", "write it there, alone")
    count, row, begins = int(tokens.word(0)), 1, list[int]()
    for k in range(1, count + 1):
        words = [tokens.word(int(first[row]) + i) for i in range(2)] if row < len(first) and length[row] == 2 else [""]
        if not all(map(_is_count, words)):
            what = f"problem {k} of {count} does not begin with its numbers of variables and coefficients"
            raise refuse(row, what, "correct the counts or complete the file")
        m, left = int(words[1]), len(first) - row - 1
        if m > left:
            what = f"problem {k} promises {m} coefficients but {left} lines follow"
            raise refuse(row, what, "correct the count or complete the file")
        begins.append(int(tokens.starts[first[row]]))
        row += 1 + m
    if row < len(first):
        what = f"{len(first) - row} more lines follow the last of {count} problems"
        raise refuse(row, what, "correct the counts or remove them")
    return list(zip(begins, [*begins[1:], len(tokens.text)], strict=True))


FORMAT = Format(name=NAME, title=TITLE, endings=(), recognises=recognises, parse=parse, write=None, has_several=True)
