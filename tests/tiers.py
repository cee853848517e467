"""Which cases of a test belong to `make test`, and which are left to `make test-all`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

import pytest

# Of a test with more cases the others are slow, unless it is marked `whole` or chooses them itself.
CASES = 2


def thin(items: Iterable[pytest.Item]) -> None:
    """Mark as slow all but the first cases of every test, unless some are marked so already: then others are chosen."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    for found in cases.values():
        if not any(item.get_closest_marker(mark) for item in found for mark in ("slow", "whole")):
            for item in found[CASES:]:
                item.add_marker(pytest.mark.slow)


def thinned(cases: Iterable[Any], every: int, several: bool = False) -> list[Any]:
    """Cases for ``parametrize``, of which all but the first, and every so many after it, are slow.

    Parameters
    ----------
    cases : iterable
    every : int
    several : bool
        Whether a case has several arguments.
    """
    cases = list(cases)
    return quick(cases, cases[::every], several)


def quick(cases: Iterable[Any], kept: Collection[Any], several: bool = False) -> list[Any]:
    """Cases for ``parametrize``, of which all but the kept ones are slow."""
    slow = pytest.mark.slow
    return [case if case in kept else pytest.param(*(case if several else (case,)), marks=slow) for case in cases]
