"""Figures of lessons: a title above, how to read it below, and axes that stay fixed while something is dragged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from bender_core.model import FloatArray
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import COLOURS, SLACK_AREA

# More states than this are not named below the axis.
MOST_NAMED = 8


class Line(NamedTuple):
    """An energy over the states of a group, and its look: colour, dash and symbol each identify it."""

    name: str
    values: FloatArray
    colour: str
    dash: str = "solid"
    symbol: str = "circle"
    shaded: bool = False  # the area down to the line before


def draw(drawing: go.Figure, title: str, caption: str, alt: str, key: str, height: int = 290) -> None:
    """A figure between its title and a caption that says how to read it."""
    # A finger dragged over the figure scrolls the page.
    drawing.update_layout(dragmode=False)
    drawing.update_xaxes(fixedrange=True)
    drawing.update_yaxes(fixedrange=True)
    st.markdown(f"**{title}**")
    st.plotly_chart(drawing, key=key, height=height, alt=alt, config={"displayModeBar": False})
    st.caption(caption)


def over_states(
    names: Sequence[str], lines: Sequence[Line], group: str, marked: int, shown: Sequence[float], mark: str = "y*"
) -> go.Figure:
    """Energies over the states of a group, one state marked.

    Parameters
    ----------
    names : sequence of str
        Of the states, in the order drawn.
    lines : sequence of Line
        Values in the same order.
    group : str
        The group's name.
    marked : int
        The place of the state that is marked.
    shown : sequence of float
        Energies that must be within the frame, so that it stays fixed while something is dragged.
    mark : str
        The text at the marked state.
    """
    place = np.arange(len(names))
    named = len(names) <= MOST_NAMED
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers" if named else "lines",
            "x": place,
            "y": line.values,
            "name": plain(line.name),
            "text": [plain(name) for name in names],
            "line": {"color": line.colour, "dash": line.dash, "width": 2},
            "marker": {"size": 8, "symbol": line.symbol},
            "hovertemplate": "%{text}: %{y:.4g}",
            "fill": "tonexty" if line.shaded else None,
            "fillcolor": SLACK_AREA,
        }
        for line in lines
    ]
    drawing = figure(traces)
    low, high = min(shown), max(shown)
    margin = 0.08 * (high - low) + 1e-9
    drawing.add_vline(x=marked, line={"dash": "dot", "width": 1.5, "color": COLOURS["nu"]})
    drawing.add_annotation(
        x=marked,
        y=1,
        yref="paper",
        text=f"{mark} {plain(names[marked])}",
        showarrow=False,
        yanchor="top",
        xanchor="left" if 2 * marked < len(names) else "right",
        xshift=4 if 2 * marked < len(names) else -4,
    )
    drawing.update_xaxes(title=f"states of {group}", range=[-0.4, len(names) - 0.6])
    drawing.update_xaxes(**({"tickvals": place, "ticktext": list(names)} if named else {"showticklabels": False}))
    drawing.update_yaxes(title="energy", range=[low - margin, high + 3 * margin])
    return drawing
