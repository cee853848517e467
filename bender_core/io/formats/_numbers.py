"""Files of numbers one after the other, whose meaning depends on those before."""

from __future__ import annotations

from bender_core.io._source import Tokens, shown
from bender_core.io.errors import FormatError


class Numbers:
    """Reads the numbers of a file in order.

    Parameters
    ----------
    tokens : Tokens
    start : int
        The index of the first word that is read; all from there on are numbers.

    Raises
    ------
    FormatError
        If one is not a number.
    """

    def __init__(self, tokens: Tokens, start: int) -> None:
        self.tokens = tokens
        self._numbers = memoryview(tokens.numbers(start))  # type: ignore[arg-type]
        self._at, self._start = 0, start

    @property
    def position(self) -> int:
        """The index of the word that comes next."""
        return self._start + self._at

    @property
    def _last(self) -> int:
        """The index of the word read last."""
        return self.position - 1

    def next(self) -> float:
        """The next number."""
        if self._at >= len(self._numbers):
            raise FormatError(
                self.tokens.line(len(self.tokens)), "the file ends too early", "correct the counts or complete it"
            )
        value: float = self._numbers[self._at]
        self._at += 1
        return value

    def text(self) -> str:
        """The number read last, as the file writes it."""
        return self.tokens.word(self._last)

    def word(self) -> str:
        """The number read last, abbreviated for messages."""
        return shown(self.text()).strip("'")

    def refuse(self, what: str, mend: str) -> FormatError:
        """An error that names the line of the number read last."""
        return FormatError(self.tokens.line(max(self._last, 0)), what, mend)

    def whole(self, what: str, low: int, high: int, mend: str = "") -> int:
        """A whole number in a range."""
        value = self.next()
        if low <= value <= high and value == int(value):
            return int(value)
        raise self.refuse(f"{what} is {self.word()}", mend or f"it must be a whole number from {low} to {high}")

    def count(self, what: str) -> int:
        """A count."""
        return self.whole(f"the number of {what}", 0, 1 << 53, "give a count")

    def require_left(self, words: int, what: str) -> None:
        """Refuse counts that exceed the rest of the file."""
        left = len(self._numbers) - self._at
        if words > left:
            raise self.refuse(
                f"the file promises more {what} than the {left} numbers that follow allow",
                "correct the count or complete the file",
            )

    def require_end(self, last: str) -> None:
        """Refuse numbers after the last item."""
        left = len(self._numbers) - self._at
        if left:
            self._at += 1
            raise self.refuse(f"{left} more numbers follow the last {last}", "correct the count or remove them")
