"""The anatomy of a row as a figure: how it splits the couplings between two groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bender_core.looking.anatomy import Anatomy
from bender_core.looking.words import number
from bender_core.model import FloatArray, IntArray
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import COLOURS

# Pixels: a line of text in a large window, and the space above and below the members, for a legend on a phone.
LINE, AROUND = 24, 150
# Widths of links in pixels, for the weakest couplings to the strongest.
WIDTHS = (1.0, 2.0, 3.0, 4.5, 6.0)
# Opacity of links whose coupling costs nothing at the anchor.
PALE = 0.3
# Colours of the charges of the receiver, u, and of the sender, v.
BY_RECEIVER, BY_SENDER = COLOURS["other-row"], COLOURS["envelope"]
# Where things are from left to right: the receiver's members at 0, the sender's at 1.
BESIDE = 0.07


def plot_anatomy(found: Anatomy, receiving: Sequence[str], sending: Sequence[str]) -> go.Figure:
    """A row as a bipartite graph: the receiver's members left, the sender's right, their couplings as links.

    Each link is as wide as its weight is large and has the colour of u as far as the row charges it to the receiver,
    that of v for the rest. It is pale where the row's anchor lacks the value that the coupling needs. Only members with
    couplings are drawn.

    Parameters
    ----------
    found : Anatomy
    receiving, sending : sequence of str
        The members of both groups.

    Returns
    -------
    go.Figure
        With its height in pixels.
    """
    row, links = found.row, found.couplings
    left, right = np.unique(links.receiving), np.unique(links.sending)
    lines = max(len(left), len(right))
    texts = 1 + max(int((terms > 0).sum(axis=1).max()) for terms in (row.u[left], row.v[right]))
    rows = [_spread(members, lines) for members in (left, right)]
    traces = [
        *_links(found, rows[0][np.searchsorted(left, links.receiving)], rows[1][np.searchsorted(right, links.sending)]),
        _members(0.0, rows[0], [receiving[i] for i in left], row.u[left], "u"),
        _members(1.0, rows[1], [sending[j] for j in right], row.v[right], "v"),
        _values(1.0, rows[1], found.answer[right], "circle", COLOURS["slack"], "the sender's answer"),
    ]
    if found.own:
        anchor, at, x = found.anchor[left], rows[0], 0.0
    else:
        anchor, at, x = found.anchor[right], rows[1], 1.0 - BESIDE
    traces.append(_values(x, at, anchor, "square", COLOURS["nu"], "y*, for which the row was made"))
    hidden = {"visible": False, "fixedrange": True}
    layout = {
        "height": AROUND + LINE * texts * lines,
        "xaxis": hidden | {"range": [-0.75, 1.75]},
        "yaxis": hidden | {"range": [lines - 0.4, -0.6]},
        "hovermode": "closest",
        "margin": {"b": 4, "t": 60},
    }
    return figure(traces, layout)


def _spread(members: IntArray, lines: int) -> FloatArray:
    """The heights of some members, centred among as many lines as the longer side has."""
    return np.arange(len(members), dtype=np.float64) + (lines - len(members)) / 2


def _links(found: Anatomy, left: FloatArray, right: FloatArray) -> list[dict[str, Any]]:
    """Two parts of every coupling: the receiver's charge from the left, the rest from the right.

    Couplings of about the same weight form one trace: one of each would take long to draw.
    """
    links, traces = found.couplings, []
    share = found.row.paid / links.weight
    meeting = left + share * (right - left)
    gap = np.full(len(share), np.nan)
    level = np.ceil(len(WIDTHS) * links.weight / links.weight.max()).astype(np.int64) - 1
    for name, colour, x, y, some in (
        ("u, charged to the receiver", BY_RECEIVER, [0 * share, share, gap], [left, meeting, gap], share > 0),
        ("v, charged to the sender", BY_SENDER, [share, 0 * share + 1, gap], [meeting, right, gap], share < 1),
    ):
        traces.append(_nothing(name, colour))
        for taken in (False, True):
            line = {"type": "scatter", "mode": "lines", "opacity": 1 if taken else PALE, "hoverinfo": "skip"}
            for k, width in enumerate(WIDTHS):
                drawn = some & (found.taken == taken) & (level == k)
                if drawn.any():
                    traces.append(
                        line
                        | {"x": np.column_stack(x)[drawn].ravel(), "y": np.column_stack(y)[drawn].ravel()}
                        | {"line": {"color": colour, "width": width}, "legendgroup": name, "showlegend": False}
                    )
    return [*traces, _middles(found, left, right)]


def _nothing(name: str, colour: str) -> dict[str, Any]:
    """A trace for the legend alone."""
    return {"type": "scatter", "mode": "lines", "x": [None], "y": [None], "name": name, "legendgroup": name} | {
        "line": {"color": colour, "width": WIDTHS[-1]}
    }


def _middles(found: Anatomy, left: FloatArray, right: FloatArray) -> dict[str, Any]:
    """Invisible marks on the links, whose tips show their numbers."""
    links, paid = found.couplings, found.row.paid
    texts = [
        f"−{number(float(weight))} where they are {a} and {b}<br>u {number(float(u))}, v {number(float(weight - u))}"
        for weight, u, (a, b) in zip(links.weight, paid, links.entry.tolist(), strict=True)
    ]
    return {"type": "scatter", "mode": "markers", "x": np.full(len(texts), 0.5), "y": (left + right) / 2} | {
        "marker": {"size": 14, "opacity": 0},
        "text": texts,
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }


def _members(x: float, y: FloatArray, names: Sequence[str], terms: FloatArray, symbol: str) -> dict[str, Any]:
    """The names of members beside their places, each with the charges for its values."""
    texts = ["<br>".join([plain(name), *_charged(symbol, line)]) for name, line in zip(names, terms, strict=True)]
    beside = -BESIDE if x == 0 else BESIDE
    return {"type": "scatter", "mode": "text", "x": np.full(len(y), x + beside), "y": y, "text": texts} | {
        "textposition": "middle left" if x == 0 else "middle right",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _charged(symbol: str, charges: FloatArray) -> list[str]:
    """The nonzero charges of a member for its values."""
    return [f"{symbol}({value}) = {charge:.3g}" for value, charge in enumerate(charges.tolist()) if charge > 0]


def _values(x: float, y: FloatArray, values: NDArray[np.uint8], symbol: str, colour: str, name: str) -> dict[str, Any]:
    """The values of members in a state: filled for 1, hollow for 0."""
    symbols = [symbol if value else f"{symbol}-open" for value in values]
    marker = {"symbol": symbols, "size": 15, "color": colour, "line": {"width": 2, "color": colour}}
    return {"type": "scatter", "mode": "markers", "x": np.full(len(y), x), "y": y, "marker": marker, "name": name} | {
        "customdata": values,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
