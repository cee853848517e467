"""How long a sweep over a pose takes on this machine: measured where that is quick, otherwise extrapolated."""

from __future__ import annotations

from typing import TypedDict

import bender_core as bc
from bender_core.synth import body_pose
from bender_core.units import duration, microseconds
from bender_core.warming import Once

# Candidates of each body part: the size of the groups.
SIZES = range(2, 17)
# The variants that are compared: with exact messages, by enumeration, and with rows.
KINDS = {"exact": 11, "rows": 9}
# A sweep by enumeration that takes longer is not timed, as a user waits for it. It takes GROWTH times as long as with a
# variable less in each group, as either end of an edge has twice as many states.
GROWTH, WAITING_SECONDS = 4, 0.03


class Timing(TypedDict):
    """Seconds of a sweep, and in words, which say if they were extrapolated."""

    seconds: float
    words: str


_found: dict[str, list[Timing]] = {}


def _measure() -> None:
    measured = {kind: _by_size(variant) for kind, variant in KINDS.items()}
    _found.update(measured)


def _by_size(variant: int) -> list[Timing]:
    found: list[Timing] = []
    seconds, is_extrapolated = 0.0, False
    for size in SIZES:
        is_extrapolated |= variant == KINDS["exact"] and GROWTH * seconds > WAITING_SECONDS
        seconds = GROWTH * seconds if is_extrapolated else _seconds(size, variant)
        found.append({"seconds": seconds, "words": _words(seconds, is_extrapolated)})
    return found


def _seconds(size: int, variant: int) -> float:
    mrf = body_pose(size, people=2)
    return bc.time_sweep(mrf, bc.partition(mrf, size, "groups"), variant).seconds


def _words(seconds: float, is_extrapolated: bool) -> str:
    words = duration(seconds) if seconds >= 1e-3 else f"{microseconds(seconds)} µs"
    return f"about {words}" if is_extrapolated else words


_measuring = Once(_measure)


def begin() -> None:
    """Measure in the background, once for all sessions; it needs the compiled solver."""
    _measuring.begin()


def is_over() -> bool:
    """Whether the times are measured, or cannot be."""
    return _measuring.done or has_failed()


def has_failed() -> bool:
    return _measuring.error is not None


def seconds() -> dict[str, list[Timing]] | None:
    """By kind, the time of a sweep for every size; None until it is measured."""
    return dict(_found) if _found else None
