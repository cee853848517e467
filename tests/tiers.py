"""Which cases of a test belong to `make test`, and which are left to `make test-all`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


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
