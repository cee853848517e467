"""The error raised by reading or writing a model file."""

from __future__ import annotations


class FormatError(ValueError):
    """A model file cannot be read or written; its text is one sentence: where, what, and how to fix it.

    Source: docs/formats.md §1.1.

    Parameters
    ----------
    line : int or None
        Line of the file, from 1; None if no single line is at fault.
    what : str
        The error.
    mend : str
        How to fix it, or what is supported.
    """

    def __init__(self, line: int | None, what: str, mend: str) -> None:
        super().__init__(line, what, mend)
        self.line = line
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"{place}{self.what}; {self.mend}"
