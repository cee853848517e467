"""Formats with a header and then one coefficient per line: ``i j value``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from bender_core.io._source import Source, Tokens, shown
from bender_core.io.errors import FormatError
from bender_core.model import LARGEST_ENERGY, FloatArray, IntArray

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
# Of a count.
_DIGITS = 15


@dataclass(frozen=True)
class Rows:
    """Coefficients, in the order of the file.

    Attributes
    ----------
    i, j : ndarray of int64
        Numbers of the two variables, as the file counts them.
    value : ndarray
    tokens : Tokens
        The words of the file.
    first : ndarray of int64
        Index of the first word of each row.
    """

    i: IntArray
    j: IntArray
    value: FloatArray
    tokens: Tokens
    first: IntArray

    def __len__(self) -> int:
        return len(self.value)

    def shifted(self, low: int) -> Rows:
        """The same with variables counted from 0, which the file counts from ``low``."""
        return replace(self, i=self.i - low, j=self.j - low)

    def refuse(self, row: int, what: str, mend: str) -> FormatError:
        """An error that names the line of a row."""
        return FormatError(self.tokens.line(int(self.first[row])), what, mend)

    def pairs(self) -> set[tuple[int, int]]:
        """The pairs of two different variables, the lower number first."""
        low, high = np.minimum(self.i, self.j), np.maximum(self.i, self.j)
        return {(i, j) for i, j in zip(low.tolist(), high.tolist(), strict=True) if i != j}

    def mirrored(self) -> tuple[str, ...]:
        """A note if every pair of variables is given as i j and as j i, with one value: both count."""
        rows = set(zip(self.i.tolist(), self.j.tolist(), self.value.tolist(), strict=True))
        apart = [row for row in rows if row[0] != row[1]]
        if not apart or any((j, i, value) not in rows for i, j, value in apart):
            return ()
        return ("every pair is given twice, as i j and as j i, and both count: the pairs weigh twice what a row says",)

    def require_range(self, low: int, n: int) -> None:
        """Refuse variables outside ``low`` to ``low + n - 1``.

        Raises
        ------
        FormatError
        """
        outside = np.flatnonzero((np.minimum(self.i, self.j) < low) | (np.maximum(self.i, self.j) >= low + n))
        if len(outside):
            i, j = self.i[outside[0]], self.j[outside[0]]
            bad = i if not low <= i < low + n else j
            raise self.refuse(outside[0], f"a row names variable {bad}", f"variables run from {low} to {low + n - 1}")

    def require_count(self, promised: float, what: str) -> None:
        """Refuse a number of rows that differs from the header.

        Raises
        ------
        FormatError
        """
        if len(self) != promised:
            raise FormatError(
                self.tokens.line(0),
                f"the file promises {promised:.15g} {what} but {len(self)} follow",
                "correct the count or complete the file",
            )


def read_rows(tokens: Tokens, skipped: int, columns: tuple[int, ...] = (3,)) -> Rows:
    """All lines but the first ones.

    Parameters
    ----------
    tokens : Tokens
    skipped : int
        The number of non-empty lines before the rows.
    columns : tuple of int
        How many numbers a row may have; a row of two has the value 1.

    Raises
    ------
    FormatError
        If a row has another number of words, or a word is not a number, or not an integer or finite where required.
    """
    first, length = tokens.row_lengths()
    start = int(first[skipped]) if skipped < len(first) else len(tokens)
    first, length = first[skipped:], length[skipped:]
    numbers = tokens.numbers(start)
    wrong = np.flatnonzero(~np.isin(length, columns))
    if len(wrong):
        row = int(wrong[0])
        expected = " or ".join(map(str, columns))
        raise FormatError(
            tokens.line(int(first[row])), f"a row has {length[row]} words", f"rows have {expected}: i j value"
        )
    at = first - start
    i, j = numbers[at], numbers[at + 1]
    value = np.ones(len(at))
    value[length == 3] = numbers[at[length == 3] + 2]
    whole = (i == np.floor(i)) & (j == np.floor(j)) & (np.maximum(np.abs(i), np.abs(j)) < 2**53)
    for bad, place, mend in (
        (~whole, np.where(i == np.floor(i), 1, 0), "variables have whole numbers"),
        (~(np.abs(value) <= LARGEST_ENERGY), np.full(len(at), 2), f"coefficients are finite, up to {LARGEST_ENERGY:g}"),
    ):
        found = np.flatnonzero(bad)
        if len(found):
            index = int(first[found[0]] + place[found[0]])
            raise FormatError(tokens.line(index), f"a row has {tokens.word(index)[:24]!r}", mend)
    return Rows(i.astype(np.int64), j.astype(np.int64), value, tokens, first)


def header(tokens: Tokens, names: tuple[str, ...], start: int = 0) -> list[int]:
    """The whole numbers of the first line, after its first ``start`` words.

    Raises
    ------
    FormatError
        If their number is wrong, or they are not integers, or too large.
    """
    length = tokens.row_lengths()[1][:1].tolist()
    words = [tokens.word(start + k) for k in range(len(names))]
    if length != [start + len(names)] or not all(map(_WHOLE.fullmatch, words)):
        names_in_words = f"{', '.join(names[:-1])} and {names[-1]}"
        raise FormatError(
            tokens.line(0), f"the numbers of {names_in_words} are missing", "write these whole numbers in this line"
        )
    for word in words:
        if len(word) > _DIGITS:
            raise FormatError(tokens.line(0), f"{shown(word)} is too large a number", "correct the counts")
    return list(map(int, words))


def starts_with_counts(source: Source) -> bool:
    """Whether the first line consists of two whole numbers."""
    words = source.first_line().split()
    return len(words) == 2 and all(word.removeprefix("-").isdecimal() for word in words)
