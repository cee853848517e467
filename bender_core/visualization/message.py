"""Figures of one message: the true min-marginal over its envelope, class by class, and the slack between.

As in `figures`, the data (`bender_core.looking`) is separate from the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bender_core.kernels.layout import RowKind
from bender_core.looking.classes import Classes, bits_of, row_over
from bender_core.looking.history import History
from bender_core.looking.what_if import WhatIfRow
from bender_core.looking.words import number
from bender_core.model import FloatArray, IntArray
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import COLOURS, ROW_LOOKS, SLACK_AREA, tinted

ORDERS = {"cost": "cheapest state first", "nu": "least ν first", "slack": "most slack first"}
# The most classes drawn as stems; if there are more, a ribbon of STEPS steps summarises them all.
MOST, STEPS = 64, 48
# Sizes in pixels: stems, one line of the matrix, the ribbon and the space below it, margins above and below.
STEMS, LINE, RIBBON, BELOW_RIBBON, ABOVE, BELOW = 230, 20, 70, 64, 34, 34
# The column of the selected class.
CHOSEN = tinted(COLOURS["group"], 0.22)
# With more stems than this on a line, marks are smaller.
CROWD = 32
# Characters of a line of a tip.
TIP = 48
# Opacity of the classes that the chosen rows do not support.
FAINT = 0.3

Bools = NDArray[np.bool_]


class Stems(NamedTuple):
    """The classes that are drawn.

    Attributes
    ----------
    order : str
        One of `ORDERS`.
    ranked : ndarray of int64, shape (2^bits,)
        All classes in this order.
    between : tuple of int
        The first and the last requested rank, from 1.
    places : ndarray of int64
        The ranks of those drawn, from 0, ascending.
    """

    order: str
    ranked: IntArray
    between: tuple[int, int]
    places: IntArray

    @property
    def classes(self) -> IntArray:
        """The classes drawn, from left to right."""
        return self.ranked[self.places]

    @property
    def all(self) -> bool:
        """Whether these are all classes."""
        return len(self.places) == len(self.ranked)


def stems(shown: Classes, order: str, between: tuple[int, int], always: Sequence[int] = ()) -> Stems:
    """The classes to draw: all if there are few, else at most `MOST` of those between two ranks, evenly spaced.

    Parameters
    ----------
    shown : Classes
    order : str
        One of `ORDERS`.
    between : tuple of int
        The first and the last rank, from 1.
    always : sequence of int
        Classes drawn in any case, at their rank.

    Returns
    -------
    Stems
    """
    key = {"cost": shown.least, "nu": shown.nu, "slack": -shown.slack}[order]
    ranked = np.argsort(key, kind="stable")
    if len(ranked) <= MOST:
        return Stems(order, ranked, (1, len(ranked)), np.arange(len(ranked)))
    first, last = between[0] - 1, between[1] - 1
    spaced = np.linspace(first, last, min(MOST, last - first + 1)).round().astype(np.int64)
    return Stems(order, ranked, between, np.union1d(spaced, np.flatnonzero(np.isin(ranked, always))))


class Ribbon(NamedTuple):
    """Quantiles of the slack by rank, in steps that grow with the rank.

    Attributes
    ----------
    rank : ndarray of int64, shape (steps + 1,)
        Where the steps begin, from 1, and where the last one ends.
    slack : ndarray, shape (5, steps)
        Least, quartiles and largest of every step, energy.
    """

    rank: IntArray
    slack: FloatArray


def ribbon(slack: FloatArray) -> Ribbon:
    """The ribbon of the slack of all classes, given in their order."""
    rank = np.unique(np.geomspace(1, len(slack) + 1, STEPS + 1).round().astype(np.int64))
    parts = np.split(slack, rank[1:-1] - 1)
    return Ribbon(rank, np.array([np.quantile(part, (0, 0.25, 0.5, 0.75, 1)) for part in parts]).T)


def values_in_words(names: Sequence[str], bits: Sequence[int]) -> str:
    """A state or a class in words, the same everywhere: its members that are 1."""
    ones = [name for name, bit in zip(names, bits, strict=True) if bit]
    if len(ones) in (0, len(names)):
        return f"all {'1' if ones else '0'}"
    return f"{', '.join(ones)} = 1, {'others' if len(names) - len(ones) > 1 else 'the other'} 0"


def plot_classes(
    shown: Classes, drawn: Stems, names: Sequence[str], selected: int | None = None, rows: Sequence[int] = ()
) -> go.Figure:
    """Every class as a stem: a dot at its min-marginal, a bar at its envelope, the slack between, its values below.

    Parameters
    ----------
    shown : Classes
    drawn : Stems
    names : sequence of str
        The coupled members, as long as ``shown.members``.
    selected : int, optional
        A class to mark.
    rows : sequence of int
        Places of rows to draw; classes that none of them supports become faint.

    Returns
    -------
    go.Figure
        With its height in pixels.
    """
    classes, bits = drawn.classes, len(shown.members)
    lit = shown.supported(list(rows))[classes] if len(rows) else np.ones(len(classes), bool)
    matrix, ribboned = LINE * bits, not drawn.all
    height = ABOVE + STEMS + matrix + BELOW + (RIBBON + BELOW_RIBBON) * ribboned
    inside = height - ABOVE - BELOW
    floor, top = matrix / inside, (matrix + STEMS) / inside
    # Room for the mark of y*.
    highest = top - 18 / inside
    traces = [
        *_slack(shown, classes, lit),
        *_envelope(shown, classes, lit),
        *_truth(shown, classes, lit, names),
        *_rows(shown, classes, rows),
        *_matrix(classes, bits, lit),
        *(_ribbon(shown, drawn) if ribboned else []),
    ]
    axis = {"automargin": False, "zeroline": False}
    layout: dict[str, Any] = {
        "height": height,
        # Fixed margins: to measure them Plotly draws the axes twice, which takes a quarter of the time.
        "margin": {"l": 24 + 9 * max(8, *map(len, names)), "r": 12, "t": ABOVE, "b": BELOW},
        "xaxis": axis | {"range": [-0.6, len(classes) - 0.4], "showgrid": False, "anchor": "y2"} | _ranks(drawn),
        "yaxis": axis
        | {"domain": [floor + 0.02, highest], "title": {"text": "energy"}, "range": _window(shown, classes)},
        "yaxis2": axis
        | {"domain": [0, floor], "range": [bits - 0.4, -0.6], "tickvals": list(range(bits))}
        | {"ticktext": [plain(name) for name in names], "anchor": "x", "showgrid": False},
        "hovermode": "closest",
        "shapes": _marks(drawn, selected, top),
        "annotations": _star(drawn, shown.at_oracle, top),
    }
    if ribboned:
        ends = [np.log10(0.9), np.log10(len(shown) * 1.1)]
        layout |= {
            "xaxis2": axis
            | {"type": "log", "dtick": 1, "range": ends, "anchor": "y3", "title": {"text": "rank", "standoff": 4}},
            "yaxis3": axis
            | {"domain": [1 - RIBBON / inside, 1], "title": {"text": "slack"}, "rangemode": "tozero", "anchor": "x2"},
        }
    return figure(traces, layout)


def _window(shown: Classes, classes: IntArray) -> list[float]:
    low, high = float(shown.envelope[classes].min()), float(shown.nu[classes].max())
    margin = 0.07 * (high - low) + 1e-9 * (abs(low) + 1.0)
    return [low - margin, high + margin]


def _layers(lit: Bools) -> list[tuple[Bools, float]]:
    """The classes drawn fully and those drawn faintly, with the opacity."""
    return [(some, opacity) for some, opacity in ((lit, 1.0), (~lit, FAINT)) if some.any()]


def _slack(shown: Classes, classes: IntArray, lit: Bools) -> list[dict[str, Any]]:
    """The stems between envelope and min-marginal; exact variants have none."""
    if not shown.rows:
        return []
    ends = np.column_stack([shown.envelope[classes], shown.nu[classes], np.full(len(classes), np.nan)])
    x = np.repeat(np.arange(len(classes))[:, None], 3, axis=1)
    line = {"color": tinted(COLOURS["slack"], 0.75), "width": 5 if len(classes) > CROWD else 9}
    return [
        {"type": "scatter", "mode": "lines", "name": "slack", "legendgroup": "slack", "hoverinfo": "skip"}
        | {"x": x[some].ravel(), "y": ends[some].ravel(), "line": line, "opacity": opacity, "showlegend": k == 0}
        for k, (some, opacity) in enumerate(_layers(lit))
    ]


def _envelope(shown: Classes, classes: IntArray, lit: Bools) -> list[dict[str, Any]]:
    """The envelope as bars, in the colour of the kind of row that supports it; exact variants have none."""
    if not shown.rows:
        return []
    support = shown.support[classes]
    kind, index = (np.array([getattr(row, name) for row in shown.rows])[support] for name in ("kind", "index"))
    size = 9 if len(classes) > CROWD else 22
    traces: list[dict[str, Any]] = []
    for look in RowKind:
        name = f"ν⁻ by {ROW_LOOKS[look].name}"
        marker = {"symbol": "line-ew", "size": size, "line": {"color": ROW_LOOKS[look].colour, "width": 4}}
        for k, (x, opacity) in enumerate((np.flatnonzero(some & (kind == look)), fade) for some, fade in _layers(lit)):
            if len(x):
                points = _points(x, shown.envelope[classes[x]], marker, opacity)
                points |= {"name": name, "legendgroup": name, "customdata": index[x]}
                points |= {"showlegend": k == 0 or not (lit & (kind == look)).any()}
                traces.append(points | {"hovertemplate": "ν⁻ = %{y:.5g}, by row %{customdata}<extra></extra>"})
    return traces


def _truth(shown: Classes, classes: IntArray, lit: Bools, names: Sequence[str]) -> list[dict[str, Any]]:
    """The min-marginal as dots, whose tips describe their classes."""
    texts = np.array([_text(shown, int(chosen), names) for chosen in classes])
    return [
        _points(
            np.flatnonzero(some),
            shown.nu[classes[some]],
            {"size": 7 if len(classes) > CROWD else 10, "color": COLOURS["nu"]},
            opacity,
        )
        | {"name": "ν true", "legendgroup": "ν", "showlegend": k == 0}
        | {"text": texts[some], "hovertemplate": "%{text}<extra></extra>"}
        for k, (some, opacity) in enumerate(_layers(lit))
    ]


def _text(shown: Classes, chosen: int, names: Sequence[str]) -> str:
    bits = bits_of(chosen, len(names)).tolist()
    lines = wrap(values_in_words([plain(name) for name in names], bits), TIP)
    slack = "tight" if shown.tight[chosen] else f"slack {number(float(shown.slack[chosen]))}"
    lines.append(f"ν = {number(float(shown.nu[chosen]))}, ν⁻ = {number(float(shown.envelope[chosen]))}, {slack}")
    lines.append(f"its cheapest state costs at least {number(float(shown.least[chosen]))}")
    return "<br>".join([*lines, f"bits {''.join(map(str, bits))}"])


def _rows(shown: Classes, classes: IntArray, places: Sequence[int]) -> list[dict[str, Any]]:
    """Chosen rows, as a cross at every class."""
    traces = []
    for place in places:
        row = shown.rows[place]
        marker = {"symbol": "x-thin", "size": 8, "line": {"color": ROW_LOOKS[row.kind].colour, "width": 1.5}}
        values = row_over(row, shown.members)[classes]
        points = _points(np.arange(len(classes)), values, marker)
        traces.append(points | {"name": f"row {row.index}, {ROW_LOOKS[row.kind].name}", "hoverinfo": "skip"})
    return traces


def _matrix(classes: IntArray, bits: int, lit: Bools) -> list[dict[str, Any]]:
    """The values of the coupled members below every stem: filled for 1, a small dot for 0."""
    line, x = np.meshgrid(np.arange(bits), np.arange(len(classes)), indexing="ij")
    ones = (classes[x] >> line & 1).astype(bool)
    large = 7 if len(classes) > CROWD else 12
    return [
        _points(x[dots], line[dots], {"size": size, "color": COLOURS["nu"]}, opacity)
        | {"yaxis": "y2", "showlegend": False, "hovertemplate": f"%{{y}} = {value}<extra></extra>"}
        for some, opacity in _layers(lit)
        for dots, value, size in ((ones & some[x], 1, large), (~ones & some[x], 0, 4))
    ]


def _points(x: IntArray, y: FloatArray | IntArray, marker: dict[str, Any], opacity: float = 1.0) -> dict[str, Any]:
    # A click selects a point, but the others do not fade.
    still = {"marker": {"opacity": opacity}}
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker | {"opacity": opacity}} | {
        "selected": still,
        "unselected": still,
    }


def _ribbon(shown: Classes, drawn: Stems) -> list[dict[str, Any]]:
    found = ribbon(shown.slack[drawn.ranked])
    x = np.repeat(found.rank, 2)[1:-1]
    least, low, median, high, largest = (np.repeat(line, 2) for line in found.slack)
    line = {"type": "scatter", "mode": "lines", "x": x, "xaxis": "x2", "yaxis": "y3"} | {
        "hoverinfo": "skip",
        "showlegend": False,
        "line": {"width": 0},
    }
    colour = COLOURS["slack"]
    return [
        line | {"y": least},
        line | {"y": largest, "fill": "tonexty", "fillcolor": tinted(colour, 0.2)},
        line | {"y": low},
        line | {"y": high, "fill": "tonexty", "fillcolor": tinted(colour, 0.45)},
        line | {"y": median, "line": {"width": 2, "color": colour}},
    ]


def _ranks(drawn: Stems) -> dict[str, Any]:
    """Below the matrix: the order, and the ranks of some of the classes drawn."""
    if drawn.all:
        return {"showticklabels": False, "title": {"text": ORDERS[drawn.order], "standoff": 2}}
    x = np.unique(np.linspace(0, len(drawn.places) - 1, 6).astype(np.int64))
    return {"tickvals": x, "ticktext": [f"{drawn.places[k] + 1:,}" for k in x]}


def _marks(drawn: Stems, selected: int | None, top: float) -> list[dict[str, Any]]:
    """The column of a class, and on the ribbon the ranks that are drawn."""
    band: dict[str, Any] = {"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": CHOSEN}
    shapes = [
        band | {"xref": "x", "yref": "paper", "x0": x - 0.5, "x1": x + 0.5, "y0": 0, "y1": top}
        for x in np.flatnonzero(drawn.classes == selected).tolist()
    ]
    if not drawn.all:
        first, last = drawn.between
        grey = {"fillcolor": tinted(COLOURS["neutral"], 0.3)}
        shapes.append(band | grey | {"x0": first, "x1": last + 1, "xref": "x2", "yref": "y3 domain", "y0": 0, "y1": 1})
    return shapes


def _star(drawn: Stems, at_oracle: int, top: float) -> list[dict[str, Any]]:
    """The mark of y*, above its stem."""
    place = {"xref": "x", "yref": "paper", "y": top, "yanchor": "top", "text": "y*", "showarrow": False}
    return [place | {"x": x} for x in np.flatnonzero(drawn.classes == at_oracle).tolist()]


def plot_what_if(shown: Classes, drawn: Stems, cuts: Sequence[WhatIfRow], selected: int) -> go.Figure:
    """The lift of the envelope by each row, class by class, in front of the present slack.

    Parameters
    ----------
    shown : Classes
    drawn : Stems
        The same classes in the same order as in `plot_classes`.
    cuts : sequence of WhatIfRow
        Drawn from above.
    selected : int
        The class at which they would be made.

    Returns
    -------
    go.Figure
    """
    x, classes = np.arange(len(drawn.classes)), drawn.classes
    slack = shown.slack[classes]
    share = 1 / len(cuts)
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {"xaxis": {"range": [-0.6, len(x) - 0.4], "showticklabels": False, "showgrid": False}}
    notes: list[dict[str, Any]] = []
    for k, cut in enumerate(cuts):
        look, suffix, top = ROW_LOOKS[cut.kind], "" if k == 0 else str(k + 1), 1 - k * share
        bar = {"type": "bar", "x": x, "yaxis": f"y{suffix}", "width": 0.8, "showlegend": False}
        traces += [
            bar | {"y": slack, "name": "slack", "marker": {"color": SLACK_AREA}, "hoverinfo": "skip"},
            bar
            | {"y": cut.rise[shown.states[classes]], "name": look.name, "marker": {"color": look.colour}}
            | {"hovertemplate": "lifted by %{y:.4g}<extra></extra>"},
        ]
        axes[f"yaxis{suffix}"] = {
            "domain": [top - 0.97 * share, top - 0.3 * share],
            "range": [0, 1.05 * float(slack.max(initial=0.0)) or 1.0],
            "nticks": 3,
            "automargin": False,
        }
        notes.append(
            {"text": look.name, "x": 0, "xref": "paper", "xanchor": "left", "y": top - 0.3 * share, "yref": "paper"}
            | {"yanchor": "bottom", "showarrow": False}
        )
    band: dict[str, Any] = {"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": CHOSEN}
    places = np.flatnonzero(classes == selected).tolist()
    layout = axes | {
        "barmode": "overlay",
        "margin": {"l": 60, "t": 4, "b": 12},
        "annotations": notes,
        "shapes": [band | {"x0": at - 0.5, "x1": at + 0.5, "yref": "paper", "y0": 0, "y1": 1} for at in places],
    }
    return figure(traces, layout)


def plot_slack_history(past: History, now: int) -> go.Figure:
    """Mean and largest slack over the events of a run."""
    lines = [
        {"type": "scatter", "mode": "lines+markers", "x": past.event, "y": values, "name": name}
        # Values between two markers have not been computed.
        | {"line": {"color": colour, "dash": "dot", "width": 1}, "marker": {"size": 7, "symbol": symbol}}
        for values, name, colour, symbol in (
            (past.mean, "mean", COLOURS["slack"], "circle"),
            (past.largest, "largest", COLOURS["nu"], "diamond"),
        )
    ]
    drawing = figure(lines)
    drawing.add_vline(x=now, line={"dash": "dot", "width": 1.5, "color": COLOURS["nu"]})
    drawing.update_xaxes(title="event")
    drawing.update_yaxes(title="slack (energy)", rangemode="tozero")
    return drawing
