"""Labels of variables as texts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def names_of(labels: Sequence[Hashable]) -> tuple[str, ...]:
    """Labels as texts; in quotes where two would look the same."""
    texts = tuple(map(str, labels))
    return texts if len(set(texts)) == len(texts) else tuple(map(repr, labels))
