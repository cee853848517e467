"""Work that is done in pieces."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def result(pieces: Generator[None, None, T]) -> T:
    """Do all of it; returns what comes of it."""
    while True:
        try:
            next(pieces)
        except StopIteration as over:
            return over.value  # type: ignore[no-any-return]
