"""Durations and sizes in readable units, and the bound of a search."""

from __future__ import annotations

import math

import numpy as np

_DURATIONS = ((3600.0, 7200.0, "h"), (60.0, 120.0, "min"), (1.0, 0.1, "s"), (1e-3, 0.0, "ms"))


def duration(seconds: float) -> str:
    """Seconds as milliseconds, seconds, minutes or hours, with about two digits."""
    unit, name = next((unit, name) for unit, least, name in _DURATIONS if seconds >= least)
    value = seconds / unit
    return f"{value:.2g} {name}" if value < 9.95 else f"{value:,.0f} {name}"


def microseconds(seconds: float) -> str:
    """Seconds in millionths: a digit behind the point, or one that counts."""
    value = 1e6 * seconds
    return f"{value:,.1f}" if value >= 0.1 else f"{value:.1g}"


def storage(count: float) -> str:
    """Bytes as MB or GB (of 1024), with about three digits."""
    megabytes = count / 2**20
    return f"{megabytes:.3g} MB" if megabytes < 999.5 else f"{megabytes / 1024:.3g} GB"


def so_far(bound: float) -> str:
    """The best lower bound of a search, after the words that say what it does; empty before there is one."""
    return f", bound {bound:.6g}" if math.isfinite(bound) else ""


def counted(count: int, what: str) -> str:
    """How many of something, as in "1 run" and "3 runs"."""
    return f"{count} {what}{'s' * (count != 1)}"


def figures(value: float, digits: int = 3) -> str:
    """A number with some digits that count, never as a power of ten; a dash if there is none."""
    if not math.isfinite(value):
        return "–"
    return np.format_float_positional(value, precision=digits, fractional=False, trim="-")


def percent(share: float) -> str:
    """A share in per cent, with three digits that count; a dash if there is none."""
    return f"{figures(100 * share)} %" if math.isfinite(share) else "–"
