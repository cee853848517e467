"""The one error that reading or writing a model file raises."""

from __future__ import annotations


class FormatError(ValueError):
    """A model file cannot be read or written; its text is one sentence: where, what, and how to mend it.

    Source: docs/formats.md §1.1.

    Parameters
    ----------
    line : int or None
        Line of the file, from 1; None where no single line is to blame.
    what : str
        What is wrong.
    mend : str
        What would mend it, or what is supported.
    """

    def __init__(self, line: int | None, what: str, mend: str) -> None:
        super().__init__(line, what, mend)
        self.line = line
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"{place}{self.what}; {self.mend}"
