"""Lesson: a frustrated cycle pays once, so its couplings can lend it a share each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

import bender_core as bc
from bender_core import synth
from bender_core.looking.words import number
from bender_core.model import FloatArray
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import COLOURS
from pages._shared.app.permalink import made_by
from pages._shared.app.session import Lab
from pages._shared.app.text import table
from pages._shared.learn.drawing import draw
from pages._shared.learn.lending import Lending, ring, strip
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import same

TEXT = """
A coupling's **cost** is what a labelling pays that breaks its wish. If none were broken, the energy would be as low as
it can be: a first bound.

But this ring is **frustrated**: an odd number of its couplings want opposite ends, so every labelling breaks at least
one. So each coupling may **lend** the ring the same **share** of its cost: whichever is broken, the ring gets one share
back. The bound rises by it.

What a coupling lends beyond its cost, the bound loses again.

**Try it:** drag the share. Where is the bound highest? Then take the loops that share couplings: what one takes, others
lack. Can LB reach the optimum?
"""

# Of a torus, on which many cycles share couplings.
TORUS: dict[str, synth.Value] = {"rows": 4, "columns": 4, "torus": True, "coupling": "gaussian", "seed": 1}
SIZE = 8


ONE, SEVERAL = "one ring", "loops that share couplings"
# What a slider goes beyond the dearest coupling of its loop, energy.
BEYOND = 2.0
# Around the picture of the loops, for names; places of variables are 1 apart.
ROOM = 0.25


def lower(share: float) -> float:
    """The bound if every coupling lends the ring a share, energy."""
    return ring().lower([share])


def most() -> float:
    """The share at which the bound is highest, energy."""
    return float(ring().graph.cost.min())


def beyond(share: float) -> int:
    """How many couplings of the ring lend more than they cost."""
    return int((ring().left([share]) < 0).sum())


def show() -> None:
    which: str = st.segmented_control(
        "Take shares from",
        (ONE, SEVERAL),
        default=ONE,
        required=True,
        key="learn-cycles-which",
        persist_state="session",
        label_visibility="collapsed",
    )
    lending = ring() if which == ONE else strip()
    shares = choose(lending)
    found = lending.lower(shares)
    reached = f"LB {number(found)}, at best {number(lending.best)}. {lending.limit(shares)}."
    draw(
        plot_lent(lending, shares),
        reached,
        "A bar: the cost of a coupling. Blue: lent. Grey: left. Orange: lent beyond its cost, which lowers the bound."
        + " Dotted lines want opposite ends." * (len(shares) > 1),
        f"What {len(lending.names)} couplings have lent. {reached}",
        key="learn-cycles-figure",
        height=250,
    )
    table(
        ["bounds and truth", "energy"],
        [
            ["no coupling broken", number(lending.graph.base)],
            ["LB with these shares" if len(shares) > 1 else "LB with this share", number(found)],
            ["the best LB, by the engine", number(lending.best)],
            ["the true optimum", number(lending.optimum)],
            ["still missing", "0, closed" if same(found, lending.optimum) else number(lending.optimum - found)],
        ],
    )


def choose(lending: Lending) -> list[float]:
    """The share of every loop; beside several sliders, a picture of the loops."""
    if len(lending.loops) == 1:
        return sliders(lending, "The share: what each coupling lends, energy")
    left, right = st.columns([2, 3])
    with left:
        shares = sliders(lending, "The share of loop {}, energy")
    with right:
        st.plotly_chart(
            plot_loops(lending, shares),
            key="learn-cycles-loops",
            height=230,
            alt="The loops "
            + ", ".join(
                f"{name} around {', '.join(lending.mrf.names[v] for v in around)}"
                for name, around in lending.loops.items()
            ),
            config={"displayModeBar": False},
        )
    return shares


def sliders(lending: Lending, title: str) -> list[float]:
    """A slider for the share of every loop."""
    return [
        st.slider(
            title.format(name),
            0.0,
            float(np.ceil(lending.graph.cost[cycle].max())) + BEYOND,
            0.0,
            0.5,
            key=f"learn-cycles-share-{name}",
            persist_state="session",
        )
        for name, cycle in zip(lending.loops, lending.cycles, strict=True)
    ]


def plot_lent(lending: Lending, shares: Sequence[float]) -> go.Figure:
    """A bar for each coupling: lent, left, and lent beyond its cost; below it, where there are several, its loops."""
    cost, left = lending.graph.cost, lending.left(shares)
    lent = np.minimum(cost, cost - left)
    names = [plain(name) for name in lending.names]
    if len(shares) > 1:
        names = [f"{name}<br>{', '.join(lending.loops_of(k))}" for k, name in enumerate(names)]
    parts = {
        "lent": (lent, COLOURS["lb"]),
        "left": (cost - lent, COLOURS["neutral"]),
        "beyond its cost": (np.maximum(-left, 0.0), COLOURS["ub"]),
    }
    bars = [
        {"type": "bar", "x": names, "y": values, "name": name, "marker": {"color": colour}}
        | {"hovertemplate": f"%{{x}}: %{{y:.4g}} {name}<extra></extra>"}
        for name, (values, colour) in parts.items()
    ]
    # Fixed while a share is dragged from end to end.
    highest = float(np.ceil(cost.max())) + BEYOND + 0.5
    axis = {"title": {"text": "energy"}, "range": [0.0, max(highest, float((cost - left).max()) + 0.5)]}
    return figure(bars, {"barmode": "stack", "yaxis": axis})


def plot_loops(lending: Lending, shares: Sequence[float]) -> go.Figure:
    """The loops as they lie beside each other; couplings in the colours of their bars, dotted for opposite ends."""
    graph, left = lending.graph, lending.left(shares)
    points = np.asarray(lending.mrf.positions)
    traces: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "lines", "x": points[ends, 0], "y": points[ends, 1], "hoverinfo": "skip"}
        | {"line": {"color": _colour(rest), "dash": "dot" if opposite else "solid", "width": 6}}
        for ends, opposite, rest in zip(graph.ends, graph.opposite, left.tolist(), strict=True)
    ]
    traces.append(
        {"type": "scatter", "mode": "markers", "x": points[:, 0], "y": points[:, 1], "hoverinfo": "skip"}
        | {"marker": {"size": 16, "color": COLOURS["nu"]}}
    )
    words = [
        _word(points[list(around)].mean(axis=0), f"<b>{name}</b><br>{number(share)}")
        for (name, around), share in zip(lending.loops.items(), shares, strict=True)
    ]
    upper = points[:, 1] < points[:, 1].mean()
    words += [
        _word(point, plain(name)) | {"yshift": 18 if above else -18}
        for name, point, above in zip(lending.mrf.names, points, upper.tolist(), strict=True)
    ]
    low, high = points.min(axis=0) - ROOM, points.max(axis=0) + ROOM
    layout = {
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "dragmode": False,
        "xaxis": {"range": [low[0], high[0]], "visible": False},
        "yaxis": {"range": [high[1], low[1]], "visible": False},
        "annotations": words,
    }
    return figure([trace | {"showlegend": False} for trace in traces], layout)


def _colour(left: float) -> str:
    """Of a coupling that has something left, nothing, or less than nothing."""
    return COLOURS["neutral" if left > 0 else "lb" if left == 0 else "ub"]


def _word(point: FloatArray, text: str) -> dict[str, Any]:
    return {"x": point[0], "y": point[1], "text": text, "showarrow": False}


def question() -> Question:
    def judge(answer: Answer) -> Verdict:
        share, best = float(answer), most()
        if same(share, best):
            return Verdict(
                True,
                f"The cheapest couplings cost {number(best)}: with this share LB is {number(lower(best))}. Beyond it, "
                f"each unit gains 1 and costs {beyond(best + 0.01)}.",
            )
        if share < best:
            return Verdict(
                False,
                f"With {number(share)} every coupling has something left; LB is {number(lower(max(share, 0.0)))}.",
            )
        return Verdict(
            False,
            f"With {number(share)}, {beyond(share)} couplings lend more than they cost; LB is {number(lower(share))}, "
            f"and {number(lower(best))} is possible.",
        )

    return Question("In the ring, how large is the share at which the bound is highest?", judge)


def put(lab: Lab) -> None:
    mrf = synth.generate("ising_grid", **TORUS)
    lab.open(mrf, made_by("ising_grid", TORUS), bc.partition(mrf, SIZE), SIZE, 9, "mplp")


LESSON = Lesson(
    slug="cycles",
    title="A frustrated cycle pays once",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("cycles", "a torus of 4 × 4 whose cycles share couplings, cycle by cycle", put),
)
