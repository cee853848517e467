"""Lesson: what a MAP problem is."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from bender_core.looking.words import number
from bender_core.model import FloatArray, IntArray
from bender_core.visualization.figures import figure
from bender_core.visualization.layout import variable_layout
from bender_core.visualization.styles import COLOURS
from pages._shared.app.text import table
from pages._shared.learn.drawing import draw
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import put_tiny, same, tiny

TEXT = """
A model has variables, each 0 or 1. Every choice of values has an **energy**, a sum: each variable adds a number if it
is 1, and each pair joined by a line adds one if **both** are 1. A negative number is a reward, a positive one a
penalty.

The **<dfn>MAP</dfn> problem** asks for the values of least energy. Rewards pull one way, penalties another, and each
new variable doubles the number of choices. A photograph has millions of variables.

**Try it:** switch variables on and off. How low can the energy get?
"""


@lru_cache(maxsize=1)
def energies() -> FloatArray:
    """The energies of all labellings, in ascending order."""
    return np.sort([tiny().energy(x) for x in product((0, 1), repeat=tiny().n)])


def show() -> None:
    mrf = tiny()
    chosen = st.pills(
        "Variables that are 1",
        mrf.names,
        selection_mode="multi",
        default=mrf.names[:1],
        key="learn-map-ones",
        persist_state="session",
    )
    x = np.array([name in chosen for name in mrf.names], np.int64)
    draw(
        plot_labelling(x),
        "Six variables and what they cost together",
        "Filled circle: the variable is 1. Thick line: both ends are 1, so its number counts; thin: it does not. "
        "Blue, solid: a reward. Orange, dotted: a penalty. In brackets: the energy that the variable adds if it is 1.",
        f"The six variables of the model, those at 1: {', '.join(chosen) or 'none'}.",
        key="learn-map-figure",
    )
    singles = float(mrf.unary[np.arange(mrf.n), x].sum())
    table(
        ["variables add", "pairs add", "energy"],
        [[number(singles), number(mrf.energy(x) - singles), number(mrf.energy(x))]],
    )


def plot_labelling(x: IntArray) -> go.Figure:
    """The tiny model under a labelling: which numbers count."""
    mrf = tiny()
    points, coupling = variable_layout(mrf), mrf.coupling()
    traces: list[dict[str, Any]] = []
    for edge, weight in zip(mrf.edges.tolist(), coupling.tolist(), strict=True):
        counts = bool(x[edge].all())
        kind, dash = ("attractive", "solid") if weight < 0 else ("repulsive", "dot")
        ends = points[edge]
        traces.append(
            {"type": "scatter", "mode": "lines", "x": ends[:, 0], "y": ends[:, 1], "hoverinfo": "skip"}
            | {"line": {"color": COLOURS[kind], "dash": dash, "width": 6 if counts else 1.5}}
        )
    # Numbers are next to their line, a third of the way along, where few lines cross.
    where = points[mrf.edges[:, 0]] + 0.3 * (points[mrf.edges[:, 1]] - points[mrf.edges[:, 0]])
    traces.append(
        {"type": "scatter", "mode": "text", "x": where[:, 0], "y": where[:, 1], "hoverinfo": "skip"}
        | {"text": [f"<b>{number(weight)}</b>" for weight in coupling]}
        | {"textposition": ["middle right" if one == other else "top center" for one, other in points[mrf.edges, 0]]}
    )
    cost = mrf.unary[:, 1] - mrf.unary[:, 0]
    left = points[:, 0] < points[:, 0].mean()
    traces.append(
        {"type": "scatter", "mode": "markers+text", "x": points[:, 0], "y": points[:, 1], "hoverinfo": "skip"}
        | {"text": [f"{name} = {v} ({number(c)})" for name, v, c in zip(mrf.names, x, cost, strict=True)]}
        | {"textposition": ["middle left" if side else "middle right" for side in left]}
        | {"marker": {"size": 20, "color": COLOURS["neutral"], "symbol": ["circle" if v else "circle-open" for v in x]}}
    )
    drawing = figure([trace | {"showlegend": False} for trace in traces], upside_down=True)
    drawing.update_xaxes(range=[-0.75, 1.75])
    drawing.update_layout(margin={"t": 10})
    return drawing


def question() -> Question:
    def judge(answer: Answer) -> Verdict:
        guess, least = float(answer), float(energies()[0])
        if same(guess, least):
            others = int(np.sum(~np.isclose(energies(), least)))
            return Verdict(
                True, f"{number(least)} is the least: all {len(energies())} choices were tried, and {others} cost more."
            )
        if guess < least:
            return Verdict(False, f"None of the {len(energies())} choices costs as little as {number(guess)}.")
        cheaper = int(np.sum(energies() < guess))
        return Verdict(
            False, f"{cheaper} of the {len(energies())} choices cost less than {number(guess)}. Switch on some more."
        )

    return Question("What is the least energy that you can reach?", judge)


LESSON = Lesson(
    slug="map",
    title="What a MAP problem is",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("instance", "this model and its tables", put_tiny),
    computes=False,
)
