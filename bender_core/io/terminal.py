"""A line of the terminal that says how far work is."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Back to the beginning of the line, which is erased.
_CLEAR = "\r\x1b[K"


@contextmanager
def following() -> Iterator[Callable[[str], None]]:
    """A function that puts a text in place of the one before, on standard error if that is a terminal.

    Nothing of it is left at the end.
    """
    seen = sys.stderr.isatty()

    def tell(said: str) -> None:
        if seen:
            # A line that does not fit would be followed by another instead of being replaced.
            print(_CLEAR + said[: shutil.get_terminal_size().columns - 1], end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if seen:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
