"""A proof on its way: its bounds, and how many variables are undecided, over the work done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from bender_core.model import FloatArray
from bender_core.visualization.figures import figure
from bender_core.visualization.styles import COLOURS

# The share of the height for the bounds; below them are the variables.
BOUNDS = 0.62


class ProofPoint(NamedTuple):
    """How far a proof has come.

    Attributes
    ----------
    work : int
        Table entries read.
    lower, upper : float
        Bounds of the whole model, energy.
    undecided : int
        Variables.
    rounds : int
        Those that have ended.
    """

    work: int
    lower: float
    upper: float
    undecided: int
    rounds: int


def plot_proof(points: Sequence[ProofPoint]) -> go.Figure:
    """The bounds of a proof above, its undecided variables below; a vertical line where a round has ended.

    Parameters
    ----------
    points : sequence of ProofPoint
        At least one, in the order in which they were reached.
    """
    table = np.array(points, dtype=float)
    work, lower, upper, undecided, rounds = table.T
    known = np.isfinite(lower)
    look: dict[str, Any] = {"type": "scatter", "mode": "lines"}
    lines = [
        look
        | {"x": work[known], "y": lower[known], "name": "LB lower bound"}
        | {"line": {"color": COLOURS["lb"], "width": 2, "shape": "hv"}},
        look
        | {"x": work, "y": upper, "name": "UB best labelling"}
        | {"line": {"color": COLOURS["ub"], "width": 2, "dash": "dash", "shape": "hv"}},
        look
        | {"x": work, "y": undecided, "name": "variables undecided", "yaxis": "y2", "fill": "tozeroy"}
        | {"line": {"color": COLOURS["neutral"], "width": 2, "shape": "hv"}},
    ]
    layout = {
        "xaxis": {"title": {"text": "table entries read"}, "anchor": "y2"},
        "yaxis": {"title": {"text": "energy"}, "domain": [1 - BOUNDS, 1]} | _window(lower, upper, rounds),
        "yaxis2": {"title": {"text": "variables"}, "domain": [0, 1 - BOUNDS - 0.06], "rangemode": "tozero"}
        | {"automargin": True},
    }
    drawing = figure(lines, layout)
    for end in work[1:][np.diff(rounds) > 0].tolist():
        drawing.add_vline(x=end, line={"dash": "dot", "width": 1, "color": COLOURS["neutral"]})
    return drawing


def _window(lower: FloatArray, upper: FloatArray, rounds: FloatArray) -> dict[str, list[float]]:
    """The range of the energies in view, if not all are: what the bounds have been since the end of the first round."""
    since = (rounds > 0) & np.isfinite(lower)
    if not since.any():
        return {}
    low, high = float(lower[since][0]), float(upper[since][0])
    margin = 0.1 * (high - low) or 0.01 * abs(high) or 1.0
    return {"range": [low - margin, high + margin]}
