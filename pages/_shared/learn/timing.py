"""How long a sweep takes on this machine: measured where that is quick, otherwise predicted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

import bender_core as bc
from bender_core.units import duration
from bender_core.visualization.figures import figure
from bender_core.visualization.styles import COLOURS, STYLES

# A sweep expected to take longer is not run while a user waits. Others run twice, and the faster one counts.
WAITING_SECONDS = 0.04

Model = Callable[[int], tuple[bc.BinaryMRF, bc.Partition]]


class Timing(NamedTuple):
    """Seconds for a sweep."""

    seconds: float
    measured: bool

    def __str__(self) -> str:
        return f"{'' if self.measured else 'about '}{duration(self.seconds)}"


@lru_cache(maxsize=256)
def predicted(model: Model, size: int, variant: int) -> float:
    """Seconds per sweep, without running one."""
    return bc.estimate(*model(size), variant).seconds_per_sweep


@lru_cache(maxsize=128)
def sweep_time(model: Model, size: int, variant: int) -> Timing:
    """The time of a sweep: of the first sweep of a run, measured now, or the prediction."""
    expected = predicted(model, size, variant)
    if expected > WAITING_SECONDS:
        return Timing(expected, measured=False)
    return Timing(min(_made(*model(size), variant) for _ in range(2)), measured=True)


def _made(mrf: bc.BinaryMRF, part: bc.Partition, variant: int) -> float:
    engine = bc.Engine(mrf, part, variant=variant)
    begin = time.perf_counter()
    engine.step("sweep")
    return time.perf_counter() - begin


def plot_times(model: Model, sizes: Sequence[int], size: int, names: dict[int, str]) -> go.Figure:
    """Predicted seconds per sweep by the size of groups, a line a variant, and what `sweep_time` says at one size."""
    ticks = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1e3, 1e4]
    every = np.array([[predicted(model, m, variant) for m in sizes] for variant in names])
    times = [sweep_time(model, size, variant) for variant in names]
    traces: list[dict[str, Any]] = []
    for (variant, name), seconds in zip(names.items(), every, strict=True):
        style = STYLES[variant]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": list(sizes),
                "y": seconds,
                "name": name,
                "line": {"color": style.colour, "dash": style.dash, "width": 2},
                "marker": {"symbol": style.symbol, "size": 6},
                "text": [duration(value) for value in seconds],
                "hovertemplate": "M = %{x}: %{text}, predicted",
            }
        )
    for variant, taken in zip(names, times, strict=True):
        style = STYLES[variant]
        traces.append(
            {"type": "scatter", "mode": "markers", "x": [size], "y": [taken.seconds], "showlegend": False}
            | {"marker": {"symbol": style.symbol, "size": 13, "color": style.colour}, "name": names[variant]}
            | {"text": [f"{taken}{', measured' * taken.measured}"], "hovertemplate": "M = %{x}: %{text}"}
        )
    ends = np.append(every.ravel(), [taken.seconds for taken in times])
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
