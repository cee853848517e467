"""What a solver in a process of its own reports, and how its search ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from bender_core.model import BinaryMRF, IntArray

# Before a search: its packages are imported, and then its own form of the model is built.
READY, BUILT = "ready", "built"
# How a search ends.
PROVEN = "proven"
TIME_LIMIT = "time limit reached before the proof"
MEMORY = "no memory left for the proof"
FAILED = "the solver gave up"
INEXACT = "the solver's answers do not agree, so nothing is proven"


class Report(NamedTuple):
    """News of a search.

    Attributes
    ----------
    bound : float or None
        A lower bound, energy.
    labeling : ndarray of int64 or None, shape (n,)
        One that is better than those before.
    status : str or None
        `READY` and `BUILT` come first; any other is the end.
    """

    bound: float | None = None
    labeling: IntArray | None = None
    status: str | None = None


# A search on a model, within some bytes once it is ready: a function that a fresh interpreter can import.
Search: TypeAlias = Callable[[BinaryMRF, int], Iterator[Report]]
