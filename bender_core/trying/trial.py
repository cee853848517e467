"""A round of a proof, or a run that may become the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bender_core.engine.engine import Engine
from bender_core.engine.fit import TooLargeError
from bender_core.groups import Partition
from bender_core.trying.change import Change
from bender_core.variants import SCHEDULES

# Groups, in whatever order.
Sets = frozenset[frozenset[int]]


def other_schedule(schedule: str) -> str:
    """The schedule that a run is not under."""
    return next(other for other in SCHEDULES if other != schedule)


def as_sets(part: Partition) -> Sets:
    """Groups as they are compared."""
    return frozenset(frozenset(group.tolist()) for group in part.groups)


@dataclass
class Trial:
    """A run.

    Attributes
    ----------
    strategy : str
        That has made its groups.
    engine : Engine
    change : Change or None
        That has led to it; None of the first.
    work : int
        Table entries that it has read.
    """

    strategy: str
    engine: Engine
    change: Change | None = None
    work: int = 0


def largest(make: Callable[[int], Trial], size: int) -> Trial:
    """A run on the largest groups that fit into memory.

    Parameters
    ----------
    make : callable
        Makes a run on groups of up to a given number of variables.
    size : int
        The first number to try.

    Raises
    ------
    TooLargeError
        If not even groups of one variable fit.
    """
    while True:
        try:
            return make(size)
        except TooLargeError:
            if size == 1:
                raise
            size -= 1
