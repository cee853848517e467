"""A `Picture` as a Plotly figure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bender_core.visualization.figures import figure, plain
from bender_core.visualization.picture import COLUMNS, Axis, Panel, Picture, Series, apart
from bender_core.visualization.styles import COLOURS, tinted

# The least distance between the labels of two lines, as a share of the axis.
LABEL_SHARE = 0.045
# More points are drawn as pixels, which a browser does faster.
MOST_DRAWN = 3000
# The heights of a picture, and of a row of small multiples, in pixels.
HEIGHT, HEIGHT_OF_ROW = 440, 265
# Room for numbers and common titles of small multiples at the left, and for those of all below, in pixels.
_LEFT, _BELOW = 132, 60
_FAINT = 0.5
# The size and line width of points, in pixels, and their opacity, by how many a panel has at most: where many lie above
# each other, they are small and pale, so that it shows where most of them are.
_LOOKS = {150: (7, 1.2, 1.0), 1000: (9, 2.0, 1.0), 3000: (5, 1.0, 0.7), math.inf: (3, 1.0, 0.35)}


def on_screen(picture: Picture) -> go.Figure:
    """Draw a picture. The ``customdata`` of a point begins with the key of its run."""
    n_rows = math.ceil(len(picture.panels) / COLUMNS)
    several = len(picture.panels) > 1
    traces: list[dict[str, Any]] = []
    layout = _layout(picture)
    if several:
        # The titles of the panels name what they show.
        layout |= {"showlegend": False, "annotations": _common_titles(picture)}
    for k, panel in enumerate(picture.panels):
        row, column = divmod(k, COLUMNS)
        number = str(k + 1) if k else ""
        if several:
            layout |= _axes(picture, number, (row, n_rows), column)
            layout["annotations"].append(_title(panel, number))
        traces += [trace | {"xaxis": f"x{number}", "yaxis": f"y{number}"} for trace in _traces(picture, panel)]
    if picture.has_labels and any(series.form != "points" for series in picture.series):
        traces.append(_labels(picture))
    return figure(traces, layout | {"height": max(HEIGHT, n_rows * HEIGHT_OF_ROW) if several else HEIGHT})


def _layout(picture: Picture) -> dict[str, Any]:
    return {
        "xaxis": _axis(picture, "x") | {"title": {"text": picture.x.title}},
        "yaxis": _axis(picture, "y") | {"title": {"text": picture.y.title}},
        "title": {"text": picture.title, "font": {"size": 16}},
        "margin": {"l": 96 if len(picture.panels) <= 1 else _LEFT, "r": 28, "t": 44, "b": _BELOW},
        "legend": {"orientation": "v", "x": 1.05, "y": 1, "yanchor": "top", "maxheight": 1},
        "annotations": [],
    }


def _axis(picture: Picture, name: Any) -> dict[str, Any]:
    axis: Axis = getattr(picture, name)
    values = picture.values(name)
    # Margins that adapt would draw every point twice.
    found: dict[str, Any] = {"automargin": False}
    if axis.is_log:
        numbers = picture.numbers(name)
        found |= {"type": "log", "tickvals": list(numbers), "ticktext": list(numbers.values())}
        found |= {"minor": {"showgrid": len(picture.panels) == 1, "dtick": "D1"}}
    elif axis.is_share:
        found |= {"tickformat": ",.0%"}
    if axis.least is not None and len(values):
        last = values.max() if axis.most is None else axis.most
        ends = np.array([axis.least, last if axis.is_log else 1.03 * last])
        found["range"] = (np.log10(ends) if axis.is_log else ends).tolist()
    return found


def _axes(picture: Picture, number: str, row: tuple[int, int], column: int) -> dict[str, Any]:
    """The axes of one of several panels, which all move together: numbers are at the left, and below each column."""
    wide, high = 1 / COLUMNS, 1 / row[1]
    left, top = column * wide, 1 - row[0] * high
    is_last = int(number or 1) + COLUMNS > len(picture.panels)
    x = {"domain": [left, left + 0.92 * wide], "anchor": f"y{number}", "showticklabels": is_last}
    y = {"domain": [top - 0.9 * high, top - 0.16 * high], "anchor": f"x{number}", "showticklabels": not column}
    shared = {"title": {"text": ""}}
    return {
        f"xaxis{number}": _axis(picture, "x") | shared | x | ({"matches": "x"} if number else {}),
        f"yaxis{number}": _axis(picture, "y") | shared | y | ({"matches": "y"} if number else {}),
    }


def _title(panel: Panel, number: str) -> dict[str, Any]:
    where = {"xref": f"x{number} domain", "yref": f"y{number} domain", "x": 0, "y": 1, "yanchor": "bottom"}
    return where | {
        "xanchor": "left",
        "align": "left",
        "text": f"<b>{'<br>'.join(map(plain, panel.lines))}</b>",
        "showarrow": False,
        "font": {"size": 13},
    }


def _common_titles(picture: Picture) -> list[dict[str, Any]]:
    """The titles of the axes that all panels share, once at the left of them and once below."""
    look = {"xref": "paper", "yref": "paper", "showarrow": False, "font": {"size": 14}}
    at_left = {"x": 0, "xanchor": "left", "xshift": 4 - _LEFT, "y": 0.5, "textangle": -90, "text": picture.y.title}
    below = {"x": 0.5, "y": 0, "yanchor": "bottom", "yshift": 4 - _BELOW, "text": picture.x.title}
    return [look | at_left, look | below]


def _traces(picture: Picture, panel: Panel) -> list[dict[str, Any]]:
    bands = [_band(series) for series in panel.series if series.band]
    marks = [(_points if series.form == "points" else _line)(picture, series) for series in panel.series]
    return [*bands, *_guides(picture, panel), *marks]


def _points(picture: Picture, series: Series) -> dict[str, Any]:
    faint = np.zeros(len(series.x), bool) if series.faint is None else series.faint
    count = max(sum(len(series.x) for series in each.series if series.form == "points") for each in picture.panels)
    size, width, opacity = next(look for most, look in _LOOKS.items() if count <= most)
    return {
        "type": "scattergl" if count > MOST_DRAWN else "scatter",
        "mode": "markers",
        "x": series.x,
        "y": series.y,
        "customdata": [[key, plain(title), size] for key, title, size in series.about],
        "hovertemplate": f"{series.name or series.label}, {picture.point}<extra></extra>",
        "marker": {
            "symbol": series.style.symbol,
            "color": series.style.colour,
            "size": size,
            "opacity": np.where(faint, _FAINT, 1.0) * opacity,
            "line": {"width": width, "color": series.style.colour},
        },
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        **_named(series),
    }


def _line(picture: Picture, series: Series) -> dict[str, Any]:
    shape = {"shape": "hv"} if series.form == "steps" else {}
    hover = (
        {"hovertemplate": f"{series.name}<br>%{{x}}, %{{y}}<extra></extra>"} if series.name else {"hoverinfo": "skip"}
    )
    return {
        "type": "scatter",
        "mode": "lines",
        "x": series.x,
        "y": series.y,
        "line": {"color": series.style.colour, "dash": series.style.dash, "width": series.width, **shape},
        **hover,
        **_named(series),
    }


def _band(series: Series) -> dict[str, Any]:
    assert series.band is not None
    low, high = series.band
    return {
        "type": "scatter",
        "mode": "none",
        "x": np.concatenate([series.x, series.x[::-1]]),
        "y": np.concatenate([low, high[::-1]]),
        "fill": "toself",
        "fillcolor": tinted(series.style.colour, 0.12),
        "hoverinfo": "skip",
        **_named(series),
        "showlegend": False,
    }


def _named(series: Series) -> dict[str, Any]:
    named = {"name": series.name} if series.name else {"showlegend": False}
    return {"legendgroup": series.label, **named}


def _guides(picture: Picture, panel: Panel) -> list[dict[str, Any]]:
    """The diagonal and the limits of both axes, as thin lines."""
    values, limit = picture.values("x"), panel.limit
    if not len(values) or not (panel.has_diagonal or limit is not None):
        return []
    ends = [values.min(), values.max()]
    lines = [(ends, ends, "solid")] if panel.has_diagonal else []
    lines += [] if limit is None else [(ends, [limit, limit], "dot"), ([limit, limit], ends, "dot")]
    look = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "showlegend": False}
    return [
        look | {"x": x, "y": y, "line": {"color": COLOURS["neutral"], "width": 1, "dash": dash}} for x, y, dash in lines
    ]


def _labels(picture: Picture) -> dict[str, Any]:
    """The labels of lines at their ends, moved apart where they would overlap."""
    lines = [series for series in picture.series if series.form != "points" and len(series.x)]
    heights = np.array([series.y[-1] for series in lines])
    heights = np.log10(heights) if picture.y.is_log else heights
    values = picture.values("y")
    ends = np.log10(values[values > 0]) if picture.y.is_log else values
    moved = apart(heights, LABEL_SHARE * float(np.ptp(ends)) if len(ends) else 0.0)
    return {
        "type": "scatter",
        "mode": "text",
        "x": [1.12 * series.x[-1] if picture.x.is_log else series.x[-1] for series in lines],
        "y": 10**moved if picture.y.is_log else moved,
        "text": [f"<b>{series.label}</b>" for series in lines],
        "textposition": "middle right",
        "textfont": {"color": [series.style.colour for series in lines], "size": 14},
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
    }
