"""Which cases of a test belong to `make test`, and which are left to `make test-all`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

import pytest

# Of a test with more cases, the others are slow; not if it is marked `whole`.
CASES = 2


def thin(items: Iterable[pytest.Item]) -> None:
    """Mark as slow all but the first cases of every test, beside those that are marked so already."""
    taken = Counter[str]()
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("whole"):
            continue
        test = item.nodeid.partition("[")[0]
        taken[test] += 1
        if taken[test] > CASES:
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
