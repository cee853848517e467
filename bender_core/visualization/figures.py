"""Plotly figures of models, partitions and runs, for the app and for notebooks.

Each figure has two parts: the data (arrays, tested without a figure) and the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.colors import get_colorscale
from scipy.spatial import ConvexHull

from bender_core import looking
from bender_core.engine.engine import Engine
from bender_core.engine.trace import Trace
from bender_core.groups import Partition, coupled_groups
from bender_core.kernels.gap import CLOSED
from bender_core.looking.bounds import Tension
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.stopping import Stop, never
from bender_core.visualization.layout import hypergraph_layout, variable_layout
from bender_core.visualization.styles import COLOURS, GROUP_COLOURS, tinted

MARKERS = (0, 1, 2, 5, 17, 13)  # circle, square, diamond, triangle, star, pentagon: numbers save bytes
MOST_EDGES = 2000
# Below groups, where a click redraws everything; dashes are the slowest to draw.
MOST_EDGES_BELOW = 400
# Colours of lines with tight envelopes, and of loose ones, the loosest last.
TIGHT = "#2C8ECB"
LOOSE = ("#F0A85C", "#D97B20", "#A85208", "#6E3204")
# Stated in full: the browser's scale of this name has other steps.
CIVIDIS = get_colorscale("Cividis")
# Envelopes over more states are sampled at this number of states.
MOST_STATES = 1024

_ROUND = np.column_stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)])
_RIM = {"width": 1, "color": "white"}
_NOWHERE = np.empty((0, 2))
# Where a name may be: below, above, left and right of its point; and pixels of a figure at its usual size.
_POSITIONS = ("bottom center", "top center", "middle left", "middle right")
_BESIDE = np.array([[0.0, 1.0], [0.0, -1.0], [-1.0, 0.0], [1.0, 0.0]])
_USUAL_SIZE = np.array([560.0, 330.0])
# Beyond its left and right ends a name would be cut off.
_OUTSIDE = np.array([[-1e4, -1e4, -30.0, 1e4], [590.0, -1e4, 1e4, 1e4]])
# A click selects, but the rest does not fade.
_AS_THEY_ARE: dict[str, Any] = {side: {"marker": {"opacity": 1}} for side in ("selected", "unselected")}


def plot_model(
    mrf: BinaryMRF, part: Partition | None = None, picked: int | None = None, points: FloatArray | None = None
) -> go.Figure:
    """The variables of a model and its strongest couplings; with a partition, the groups as hulls around them.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition, optional
    picked : int, optional
        A variable to ring, with its group highlighted.
    points : ndarray of float, optional
        Positions of the variables, shape (n, 2); by default from `variable_layout`.
    """
    points = variable_layout(mrf) if points is None else points
    coupling = mrf.coupling()
    shown = np.argsort(-np.abs(coupling), kind="stable")[: MOST_EDGES if part is None else MOST_EDGES_BELOW]
    traces = [
        *([] if part is None else _hulls(points, part, picked)),
        _lines(points, mrf.edges[shown[coupling[shown] < 0]], COLOURS["attractive"], "solid", "attractive"),
        _lines(points, mrf.edges[shown[coupling[shown] > 0]], COLOURS["repulsive"], "dot", "repulsive"),
        *([] if picked is None else [_ring(points[picked], _size(mrf) + 12)]),
        _variables(mrf, points, part),
    ]
    return figure(traces, upside_down=True, same_scale=part is None and mrf.positions is not None)


def plot_couplings(mrf: BinaryMRF) -> go.Figure:
    """Histogram of the couplings w of all edges."""
    coupling = mrf.coupling()
    edges = np.histogram_bin_edges(coupling, bins=31) if len(coupling) else np.array([0.0, 1.0])
    width = edges[1] - edges[0]
    bars = [
        {
            "type": "bar",
            "x": (edges[:-1] + edges[1:]) / 2,
            "y": np.histogram(part, edges)[0],
            "width": width,
            "name": name,
            "marker": {"color": colour},
        }
        for part, name, colour in (
            (coupling[coupling <= 0], "attractive", COLOURS["attractive"]),
            (coupling[coupling > 0], "repulsive", COLOURS["repulsive"]),
        )
    ]
    drawing = figure(bars)
    drawing.update_layout(barmode="stack", bargap=0)
    drawing.update_xaxes(visible=True, title="coupling w (energy)")
    drawing.update_yaxes(visible=True, title="edges")
    return drawing


def plot_partition(
    mrf: BinaryMRF, part: Partition, picked: int | None = None, points: FloatArray | None = None
) -> go.Figure:
    """The hyper-graph of a partition: circles are groups, lines join coupled groups.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    picked : int, optional
        A group to ring.
    points : ndarray of float, optional
        Positions of the groups, shape (G, 2); by default from `hypergraph_layout`.
    """
    points = hypergraph_layout(mrf, part) if points is None else points
    nodes = _groups(mrf, part, points)
    lines = _lines(points, coupled_groups(mrf, part)[:MOST_EDGES], COLOURS["neutral"], "solid", "coupled")
    ring = [] if picked is None else [_ring(points[picked], nodes["marker"]["size"][picked] + 12)]
    return figure([lines | {"showlegend": False}, *ring, nodes], upside_down=True)


def plot_tightness(engine: Engine, stop: Stop = never) -> go.Figure:
    """The hyper-graph of a run, with lines coloured by the present slack of their envelopes.

    The slack of an edge is that of its looser direction, averaged over the states (`MOST_STATES` evenly spaced ones if
    there are more). Looser lines are darker and wider.

    Parameters
    ----------
    engine : Engine
    stop : Stop
        Checked about every 10 ms.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    found = looking.tightness(engine, MOST_STATES, stop)
    slack = np.where(found.tight_share < 1, found.mean, 0.0).reshape(-1, 2).max(axis=1, initial=0.0)
    return _measured(engine, slack, "slack", "tight")


def plot_tension(engine: Engine, tension: Tension | None = None) -> go.Figure:
    """The hyper-graph of a run, with lines and circles coloured by the parts of the gap that they hold.

    Parameters
    ----------
    engine : Engine
    tension : Tension, optional
        By default `looking.tension`.
    """
    # A tension that counts as closed is drawn as none.
    least = CLOSED * engine.graph.problem.scale
    groups, edges = (
        np.where(part > least, part, 0.0) for part in (looking.tension(engine) if tension is None else tension)
    )
    drawing = _measured(engine, edges, "tension", "no tension")
    nodes = drawing.data[-1]
    level, _ = _levels(groups)
    nodes.marker.color = [COLOURS["group"] if k == 0 else LOOSE[k - 1] for k in level.tolist()]
    nodes.customdata = [[*of, f"{tension:.5g}"] for of, tension in zip(nodes.customdata, groups.tolist(), strict=True)]
    nodes.hovertemplate = nodes.hovertemplate.replace("<extra>", "<br>inside it: %{customdata[3]} of the gap<extra>")
    return drawing


def _measured(engine: Engine, values: FloatArray, measure: str, none: str) -> go.Figure:
    """The hyper-graph with a measure of every edge: darker and wider lines for more of it."""
    mrf, part = engine.mrf, engine.partition
    points, edges = hypergraph_layout(mrf, part), engine.graph.edges
    level, most = _levels(values)
    lines = [_lines(points, edges[level <= 0], TIGHT, "dot", none)]
    for k, colour in enumerate(LOOSE, start=1):
        line = _lines(points, edges[level == k], colour, "solid", f"{measure} up to {most * k / len(LOOSE):.3g}")
        lines.append(line | {"line": {"color": colour, "width": 1 + 1.5 * k}, "opacity": 1})
    return figure([*lines, _groups(mrf, part, points)], upside_down=True)


def _levels(values: FloatArray) -> tuple[IntArray, float]:
    """Which of `LOOSE` stands for each value, 0 for none, and the largest of them."""
    most = float(values.max(initial=0.0))
    return np.ceil(values * (len(LOOSE) / most if most else 0.0)).astype(np.int64), most


def _groups(mrf: BinaryMRF, part: Partition, points: FloatArray) -> dict[str, Any]:
    """The groups as circles, larger for more variables."""
    sizes = np.array([len(group) for group in part.groups])
    crowded = len(part) > 40
    return {
        "type": "scatter",
        "x": points[:, 0],
        "y": points[:, 1],
        "mode": "markers" if crowded else "markers+text",
        "text": [plain(label) for label in part.labels],
        "textposition": None if crowded else text_positions(points, part.labels),
        "textfont": {"shadow": "auto"},  # readable across lines
        "customdata": [[len(g), 2 ** len(g), plain(", ".join(mrf.names[i] for i in g[:12]))] for g in part.groups],
        "hovertemplate": "%{text}: %{customdata[0]} variables, %{customdata[1]} states<br>%{customdata[2]}"
        "<extra></extra>",
        "marker": {
            "size": (6 if crowded else 14) + sizes,
            "color": COLOURS["group"],
            "line": _RIM,
        },
        "showlegend": False,
        **_AS_THEY_ARE,
    }


def text_positions(points: FloatArray, names: Sequence[str]) -> list[str]:
    """Beside each point the place for its name that covers the least: of the names before it, all points and the rim.

    Parameters
    ----------
    points : ndarray, shape (n, 2)
        From 0 to 1, as drawn by `figure`.
    names : sequence of str, length n

    Returns
    -------
    list of str
        Values of ``textposition``.
    """
    middles = points * _USUAL_SIZE
    half = np.column_stack([[4.0 * len(name) for name in names], np.full(len(names), 9.0)])
    corners = [np.column_stack([middles - 9, middles + 9]), _OUTSIDE]
    chosen = []
    for middle, extent in zip(middles, half, strict=True):
        taken = np.vstack(corners)
        boxes = [np.concatenate([at - extent, at + extent]) for at in middle + _BESIDE * (extent + 12)]
        covered = [_overlap(box, taken) for box in boxes]
        best = int(np.argmin(covered))
        chosen.append(_POSITIONS[best])
        corners.append(boxes[best][None])
    return chosen


def _overlap(box: FloatArray, others: FloatArray) -> float:
    """The area of other boxes that lies in a box; each is (left, top, right, bottom)."""
    shared = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return float(np.maximum(shared, 0.0).prod(axis=1).sum())


def plot_bounds(trace: Trace) -> go.Figure:
    """The lower and the upper bound of a run over its events.

    Parameters
    ----------
    trace : Trace
    """
    events = np.arange(1, len(trace) + 1)
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": events,
            "y": trace.column(column),
            "name": name,
            "line": {"color": colour, "dash": dash, "width": 2, "shape": "hv"},
        }
        for column, name, colour, dash in (
            ("lower_bound", "LB lower bound", COLOURS["lb"], "solid"),
            ("upper_bound", "UB best labelling", COLOURS["ub"], "dash"),
        )
    ]
    drawing = figure(lines)
    drawing.update_xaxes(title="events")
    drawing.update_yaxes(title="energy")
    return drawing


def model_svg(mrf: BinaryMRF, width: int = 150, height: int = 100) -> str:
    """A small picture of a model as SVG text; it contains no strings of the model."""
    points = variable_layout(mrf) * (width - 14, height - 14) + 7
    coupling = mrf.coupling()
    strongest = np.argsort(-np.abs(coupling), kind="stable")[:400]
    attractive, repulsive = (
        "".join(
            f"M{points[i, 0]:.0f} {points[i, 1]:.0f}L{points[j, 0]:.0f} {points[j, 1]:.0f}" for i, j in mrf.edges[kept]
        )
        for kept in (strongest[coupling[strongest] < 0], strongest[coupling[strongest] > 0])
    )
    radius = 4 if mrf.n <= 12 else 2.5 if mrf.n <= 120 else 1.6
    dots = "".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius}"/>' for x, y in points)
    opacity = 0.8 if mrf.n_edges < 60 else 0.3
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<g fill="none" stroke-opacity="{opacity}"><path d="{attractive}" stroke="{COLOURS["attractive"]}"/>'
        f'<path d="{repulsive}" stroke="{COLOURS["repulsive"]}"/></g><g fill="{COLOURS["neutral"]}">{dots}</g></svg>'
    )


def _hulls(points: FloatArray, part: Partition, picked: int | None) -> list[dict[str, Any]]:
    """The groups as areas, one trace per colour; if groups overlap much, only the selected one is filled."""
    margin = min(0.03, 0.35 / np.sqrt(len(points))) if len(points) else 0.0
    chosen = -1 if picked is None else int(part.group_of()[picked])
    around = _ROUND if len(points) <= 500 else _ROUND[::2]  # fewer corners save bytes
    areas = [_hull(points[group], margin, around) if len(group) > 1 else _NOWHERE for group in part.groups]
    filled, width = (0.0, 0.7) if _crossed(points, part) else (0.2, 1.5)
    colours = len(GROUP_COLOURS)
    traces = [
        _area([area for p, area in enumerate(areas) if p % colours == k and p != chosen], colour, filled, width)
        for k, colour in enumerate(GROUP_COLOURS[: len(part)])
    ]
    if chosen >= 0:
        area = _hull(points[part.groups[chosen]], margin, around)
        traces.append(_area([area], GROUP_COLOURS[chosen % colours], 0.4, 4))
    return traces


def _hull(points: FloatArray, margin: float, around: FloatArray) -> FloatArray:
    """The corners of a closed hull around some points with a margin, followed by a gap."""
    corners: FloatArray = (points[:, None] + margin * around).reshape(-1, 2)
    order = ConvexHull(corners).vertices
    return np.vstack([corners[order], corners[order[:1]], [[np.nan, np.nan]]])


def _crossed(points: FloatArray, part: Partition) -> bool:
    """Whether many variables lie within the bounding box of another group."""
    strangers = -len(points)
    for group in part.groups:
        low, high = points[group].min(axis=0), points[group].max(axis=0)
        strangers += int(((points >= low) & (points <= high)).all(axis=1).sum())
    return strangers > len(points)


def _area(corners: list[FloatArray], colour: str, filled: float, width: float) -> dict[str, Any]:
    path = np.concatenate([*corners, _NOWHERE]).astype(np.float32)
    return {
        "type": "scatter",
        "x": path[:, 0],
        "y": path[:, 1],
        "mode": "lines",
        "fill": "toself",
        "fillcolor": tinted(colour, filled),
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _ring(point: FloatArray, size: float) -> dict[str, Any]:
    """A bold circle around the selection."""
    return {
        "type": "scatter",
        "x": point[:1],
        "y": point[1:],
        "mode": "markers",
        "hoverinfo": "skip",
        "marker": {"symbol": "circle-open", "size": size, "color": COLOURS["selected"], "line": {"width": 4}},
        "showlegend": False,
    }


def _variables(mrf: BinaryMRF, points: FloatArray, part: Partition | None) -> dict[str, Any]:
    cost = mrf.unary[:, 1] - mrf.unary[:, 0]
    names = [plain(name) for name in mrf.names]
    if part is None:
        marker: dict[str, Any] = {
            "color": cost,
            "colorscale": CIVIDIS,
            "colorbar": {"title": {"text": "cost of x = 1"}},
        }
        if mrf.n and np.ptp(cost) < 1e-12:
            marker = {"color": COLOURS["neutral"]}
        texts = names
    else:
        owner: NDArray[np.int64] = part.group_of()
        marker = {
            "color": [GROUP_COLOURS[p % len(GROUP_COLOURS)] for p in owner],
            "symbol": np.array(MARKERS, np.int8)[owner // len(GROUP_COLOURS) % len(MARKERS)],
        }
        texts = [f"{name} in {plain(part.labels[p])}" for name, p in zip(names, owner, strict=True)]
    return {
        "type": "scatter",
        "x": np.float32(points[:, 0]),
        "y": np.float32(points[:, 1]),
        "mode": "markers",
        "text": texts,
        "customdata": cost,
        "hovertemplate": "%{text}<br>cost of x = 1: %{customdata:.4g}<extra></extra>",
        "marker": marker | {"size": _size(mrf), "line": _RIM},
        "showlegend": False,
        **_AS_THEY_ARE,
    }


def _size(mrf: BinaryMRF) -> int:
    return 13 if mrf.n <= 60 else 8


def _lines(points: FloatArray, edges: IntArray, colour: str, dash: str, name: str) -> dict[str, Any]:
    """All lines as one trace: one trace per edge would take seconds."""
    x, y = (
        np.column_stack([points[edges[:, 0], axis], points[edges[:, 1], axis], np.full(len(edges), np.nan)])
        .astype(np.float32)  # half the bytes
        .reshape(-1)
        for axis in (0, 1)
    )
    opacity = 0.7 if len(edges) < 300 else 0.3
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "line": {"color": colour, "dash": dash, "width": 1.5},
        "opacity": opacity,
        "hoverinfo": "skip",
        "name": f"{name} ({len(edges)})",
        "showlegend": len(edges) > 0,
    }


def figure(
    traces: list[dict[str, Any]],
    layout: dict[str, Any] | None = None,
    upside_down: bool = False,
    same_scale: bool = False,
) -> go.Figure:
    """A figure in the common style; upside down, it has no axes and y grows downwards.

    Plotly checks neither traces nor layout: that would take ten times as long as to make the figure, at every click.
    The tests check them. Titles are written in full, as ``{"text": …}``.

    Parameters
    ----------
    traces : list of dict
    layout : dict, optional
        Added to the common one, entry by entry of its parts.
    upside_down : bool
    same_scale : bool
        Whether a unit is as long on both axes.

    Returns
    -------
    go.Figure
    """
    merged: dict[str, Any] = {
        "margin": {"l": 10, "r": 10, "t": 34, "b": 10},
        "font": {"size": 14},
        # The size that the app shows: Plotly may measure names before the style of the page has arrived.
        "legend": {"orientation": "h", "y": 1.0, "x": 0, "yanchor": "bottom", "font": {"size": 14}},
        "hoverlabel": {"font": {"size": 14}},
        # The margins of the app's theme; elsewhere such small margins would cut off the axes.
        "xaxis": {"automargin": True},
        "yaxis": {"automargin": True},
    }
    for name, part in (layout or {}).items():
        merged[name] = merged.get(name, {}) | part if isinstance(part, dict) else part
    if upside_down:
        merged["xaxis"] |= {"visible": False}
        merged["yaxis"] |= {"visible": False, "autorange": "reversed"}
    if same_scale:
        merged["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    return go.Figure(data=traces, layout=merged, _validate=False)


def plain(text: str) -> str:
    """Text that Plotly shows verbatim: its pseudo-HTML interprets tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
