"""How long a sweep takes on this machine: measured where that is quick, otherwise extrapolated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

import bender_core as bc
from bender_core.units import duration
from bender_core.visualization.figures import figure
from bender_core.visualization.styles import COLOURS, STYLES

# A sweep by enumeration that takes longer is not timed, as a user waits for it. It takes GROWTH times as long as with a
# variable less in each group, as either end of an edge has twice as many states.
ENUMERATION, GROWTH, WAITING_SECONDS = 11, 4, 0.03

Model = Callable[[int], tuple[bc.BinaryMRF, bc.Partition]]


class Timing(NamedTuple):
    """Seconds for a sweep."""

    seconds: float
    measured: bool

    def __str__(self) -> str:
        if math.isinf(self.seconds):
            return "too long to be measured"
        return f"{'' if self.measured else 'about '}{duration(self.seconds)}"

    @property
    def how(self) -> str:
        """The time, and how it is known."""
        return f"{self}, {'measured' if self.measured else 'extrapolated'}"


@lru_cache(maxsize=256)
def sweep_time(model: Model, size: int, variant: int) -> Timing:
    """The time of a sweep: measured, or for long enumerations extrapolated from smaller groups."""
    if variant == ENUMERATION and size > 1:
        smaller = sweep_time(model, size - 1, variant)
        if GROWTH * smaller.seconds > WAITING_SECONDS:
            return Timing(GROWTH * smaller.seconds, measured=False)
    taken = bc.time_sweep(*model(size), variant)
    return Timing(taken.seconds, measured=taken.sweeps >= 1)


def plot_times(model: Model, sizes: Sequence[int], size: int, names: dict[int, str]) -> go.Figure:
    """Seconds of a sweep by the size of groups, a line a variant, and large markers at one size."""
    ticks = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1e3, 1e4]
    every = {variant: [sweep_time(model, m, variant) for m in sizes] for variant in names}
    traces: list[dict[str, Any]] = []
    for variant, name in names.items():
        style, chosen = STYLES[variant], sweep_time(model, size, variant)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": list(sizes),
                "y": [taken.seconds for taken in every[variant]],
                "name": name,
                "line": {"color": style.colour, "dash": style.dash, "width": 2},
                "marker": {"symbol": style.symbol, "size": 6},
                "text": [taken.how for taken in every[variant]],
                "hovertemplate": "M = %{x}: %{text}",
            }
        )
        traces.append(
            {"type": "scatter", "mode": "markers", "x": [size], "y": [chosen.seconds], "showlegend": False}
            | {"marker": {"symbol": style.symbol, "size": 13, "color": style.colour}, "name": name}
            | {"text": [chosen.how], "hovertemplate": "M = %{x}: %{text}"}
        )
    ends = np.array([taken.seconds for times in every.values() for taken in times if math.isfinite(taken.seconds)])
    drawing = figure(traces)
    drawing.add_vline(x=size, line={"dash": "dot", "width": 1.5, "color": COLOURS["nu"]})
    drawing.update_xaxes(title="M, variables in a group", dtick=2)
    drawing.update_yaxes(
        type="log",
        title="time of a sweep",
        tickvals=ticks,
        ticktext=[duration(tick) if tick >= 1e-3 else f"{1e6 * tick:.0f} µs" for tick in ticks],
        range=[np.log10(ends.min()) - 0.3, np.log10(ends.max()) + 0.3],
    )
    return drawing
