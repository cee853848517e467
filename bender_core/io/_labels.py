"""Labels of variables as texts, and as JSON has them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from bender_core.io._json import shown_value
from bender_core.io.errors import FormatError

# How deeply tuples of a label may be nested.
_DEEPEST = 20


def names_of(labels: Sequence[Hashable]) -> tuple[str, ...]:
    """Labels as texts; in quotes where two would look the same."""
    texts = tuple(map(str, labels))
    return texts if len(set(texts)) == len(texts) else tuple(map(repr, labels))


def label_of(value: Any, depth: int = 0) -> Hashable:
    """A label of dimod in JSON, which has lists in place of tuples.

    Raises
    ------
    FormatError
        If it is neither a text, a number, nor a list of these.
    """
    if isinstance(value, list) and depth < _DEEPEST:
        return tuple(label_of(each, depth + 1) for each in value)
    if isinstance(value, str | int | float):
        return value
    raise FormatError(
        None, f"a variable has the label {shown_value(value)}", "give a text, a number or a list of these"
    )
