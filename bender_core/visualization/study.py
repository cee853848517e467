"""The paper's figure "Timing comparison": the time of every run against that of the baseline, with a line a variant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bender_core.experiments.store import Run
from bender_core.experiments.tables import BASELINE, Timing, fitted_line, timings
from bender_core.variants import VARIANTS
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import STYLES


def plot_times(runs: Sequence[Run]) -> go.Figure:
    """Seconds of every run against seconds of the baseline on the same groups, both logarithmic.

    Colours and symbols are the paper's. A point is faint where one of the two runs reached its time limit; the lines
    of best fit are made without those. A point's ``customdata`` begins with the key of its run.

    Parameters
    ----------
    runs : sequence of Run
        All of one schedule; runs without a baseline are left out.
    """
    timed = timings(runs)
    traces = []
    for variant in VARIANTS:
        mine = [timing for timing in timed if timing.run.task.variant == variant]
        if mine:
            traces += [_points(variant, mine), _line(variant, mine)]
    drawing = figure(traces)
    for axis, title in ((drawing.update_xaxes, "baseline, variant 11 (seconds)"), (drawing.update_yaxes, "seconds")):
        axis(type="log", title=title, dtick=1, minor={"showgrid": True, "dtick": "D1"}, exponentformat="power")
    drawing.update_layout(
        title={"text": "Time of a run against the baseline's", "font": {"size": 16}},
        margin={"l": 10, "r": 10, "t": 44, "b": 10},
        legend={"orientation": "v", "x": 1.02, "y": 1, "yanchor": "top"},
    )
    return drawing


def _points(variant: int, timed: Sequence[Timing]) -> dict[str, Any]:
    style = STYLES[variant]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": _seconds(timing.baseline for timing in timed),
        "y": _seconds(timing.run for timing in timed),
        "customdata": [[t.run.task.key, plain(t.run.task.instance.title), t.run.task.max_size] for t in timed],
        "hovertemplate": f"variant {variant}, M %{{customdata[2]}}, %{{customdata[1]}}<br>%{{y:.3g}} s, "
        "baseline %{x:.3g} s<br>click to watch it<extra></extra>",
        "marker": {
            "symbol": style.symbol,
            "color": style.colour,
            "size": 9,
            "opacity": [0.35 if timing.cut_short else 1.0 for timing in timed],
            "line": {"width": 2, "color": style.colour},
        },
        "name": f"{variant}: {_name(variant)}",
        "legendgroup": str(variant),
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _line(variant: int, timed: Sequence[Timing]) -> dict[str, Any]:
    """The line of best fit over the range of the points, with the variant's number at its end."""
    style = STYLES[variant]
    slope, intercept = fitted_line(timed)
    x = _seconds(timing.baseline for timing in timed)
    ends = np.array([x.min(), x.max()])
    return {
        "type": "scatter",
        "mode": "lines+text",
        "x": ends,
        "y": 10**intercept * ends**slope,
        "text": ["", f"<b>{variant}</b>"],
        "textposition": "middle right",
        "textfont": {"color": style.colour},
        "line": {"color": style.colour, "dash": style.dash, "width": 1.5},
        "hoverinfo": "skip",
        "legendgroup": str(variant),
        "showlegend": False,
    }


def _seconds(runs: Any) -> np.ndarray:
    return np.array([run.outcome.seconds for run in runs])


def _name(variant: int) -> str:
    return "the baseline" if variant == BASELINE else VARIANTS[variant].name
