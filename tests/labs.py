"""The state of a session of the app, without Streamlit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bender_core as bc
from pages._shared.app.session import Lab, WatchedRun

SAMPLES = Path(__file__).parents[1] / "sample_instances"


class SessionState(dict[str, Any]):
    """Streamlit's state of one session."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def lab(name: str, max_size: int, variant: int, schedule: str = "mplp", max_sweeps: int = 400) -> Lab:
    """A sample at the start of its run."""
    mrf = bc.load(SAMPLES / f"{name}.mrf.json")
    part = bc.partition(mrf, max_size)
    engine = bc.Engine(mrf, part, variant, schedule, max_sweeps=max_sweeps)
    return Lab(mrf, max_size, part, variant, schedule, WatchedRun(engine))


def command(do: str, at: int = 0, **more: Any) -> dict[str, Any]:
    """A request of the stage."""
    usual = {
        "arc": 0,
        "first": at,
        "ahead": 80,
        "goes_on": False,
        "held": True,
        "measure": "tension",
        "run": 0,
        "serial": 1,
    }
    return {"do": do, "at": at} | usual | more


def is_shown(value: float, text: str) -> bool:
    """Whether a text is a number, rounded to the digits it has."""
    text = text.replace("−", "-")
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return abs(float(text) - value) <= 0.500001 * 10.0**-decimals
