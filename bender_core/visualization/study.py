"""The paper's figure "Timing comparison": the time of every run against the baseline's, with a line per variant."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bender_core.experiments.store import FinishedRun
from bender_core.experiments.tables import BASELINE, Timing, fitted_line, timings
from bender_core.variants import VARIANTS
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import STYLES

# The least distance between the labels of two lines.
LABEL_DECADES = 0.14


def plot_times(runs: Sequence[FinishedRun]) -> go.Figure:
    """Seconds of every run against seconds of the baseline on the same groups, both logarithmic.

    Colours and symbols are the paper's. A point is faint if one of the two runs reached its time limit; the lines of
    best fit exclude these. A point's ``customdata`` begins with the key of its run.

    Parameters
    ----------
    runs : sequence of FinishedRun
        All of one schedule; runs without a baseline are left out.
    """
    timed: dict[int, list[Timing]] = {}
    for timing in timings(runs):
        timed.setdefault(timing.run.task.variant, []).append(timing)
    drawn = [variant for variant in VARIANTS if variant in timed]
    lines = [_line(variant, timed[variant]) for variant in drawn]
    labels = [_labels(drawn, lines)] if drawn else []
    axis = {"type": "log", "dtick": 1, "minor": {"showgrid": True, "dtick": "D1"}, "exponentformat": "power"}
    axis |= {"automargin": False}  # it would draw every point twice
    layout = {
        "xaxis": axis | {"title": {"text": "baseline, variant 11 (seconds)"}},
        "yaxis": axis | {"title": {"text": "seconds"}},
        "title": {"text": "Time of a run against the baseline's", "font": {"size": 16}},
        "margin": {"l": 76, "r": 10, "t": 44, "b": 60},
        "legend": {"orientation": "v", "x": 1.02, "y": 1, "yanchor": "top", "tracegroupgap": 0, "font": {"size": 14}},
    }
    return figure([*(_points(variant, timed[variant]) for variant in drawn), *lines, *labels], layout)


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
        "name": _name(variant),
        "legendgroup": str(variant),
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _line(variant: int, timed: Sequence[Timing]) -> dict[str, Any]:
    """The line of best fit over the range of the points."""
    style = STYLES[variant]
    slope, intercept = fitted_line(timed)
    x = _seconds(timing.baseline for timing in timed)
    ends = np.array([x.min(), x.max()])
    return {
        "type": "scatter",
        "mode": "lines",
        "x": ends,
        "y": 10 ** (intercept + slope * np.log10(ends)),
        "line": {"color": style.colour, "dash": style.dash, "width": 1.5},
        "hoverinfo": "skip",
        "legendgroup": str(variant),
        "showlegend": False,
    }


def _seconds(runs: Any) -> np.ndarray:
    return np.array([run.outcome.seconds for run in runs])


def _labels(drawn: Sequence[int], lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The variants' numbers at the ends of their lines, moved apart where they would overlap."""
    ends = np.log10([line["y"][-1] for line in lines])
    order, middle = np.argsort(ends), len(ends) // 2
    for low, high in itertools.pairwise(order[middle:]):
        ends[high] = max(ends[high], ends[low] + LABEL_DECADES)
    for high, low in itertools.pairwise(order[middle::-1]):
        ends[low] = min(ends[low], ends[high] - LABEL_DECADES)
    return {
        "type": "scatter",
        "mode": "text",
        "x": [1.12 * line["x"][-1] for line in lines],
        "y": 10**ends,
        "text": [f"<b>{variant}</b>" for variant in drawn],
        "textposition": "middle right",
        "textfont": {"color": [STYLES[variant].colour for variant in drawn], "size": 14},
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
    }


def _name(variant: int) -> str:
    """A variant in a few words: the α of its Magnanti-Wong rows, and the edges of its reverse rows."""
    what = VARIANTS[variant]
    if what.exact:
        return f"{variant}: " + ("baseline" if variant == BASELINE else "exact, pruned")
    alphas = ", ".join({0.5: "½"}.get(alpha, f"{alpha:g}") for alpha in what.alphas)
    return f"{variant}: {f'α={alphas}' if alphas else 'RMC alone'}, {'all' if what.everywhere else 'loosest'}"
