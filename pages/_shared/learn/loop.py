"""Lesson: a frustrated cycle pays once, so its couplings can lend it a share each."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
import streamlit as st

import bender_core as bc
from bender_core import synth
from bender_core.cycles.shares import bound
from bender_core.cycles.signed import SignedGraph, signed_graph
from bender_core.looking.words import number
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import COLOURS
from pages._shared.app.permalink import made_by
from pages._shared.app.session import Lab, sample
from pages._shared.app.text import table
from pages._shared.learn.drawing import draw
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import same
from pages._shared.learn.ring import optimum

TEXT = """
A coupling's **cost** is what a labelling pays that breaks its wish. If none were broken, the energy would be as low as
it can be: a first bound.

But this ring is **frustrated**: an odd number of its couplings want opposite ends, so every labelling breaks at least
one. So each coupling may **lend** the ring the same **share** of its cost: whichever is broken, the ring gets one share
back. The bound rises by it.

What lends more than it has must return the rest, and the bound falls.

**Try it:** drag the share. Where is the bound highest?
"""

# Of a torus, on which many cycles share couplings.
TORUS: dict[str, synth.Value] = {"rows": 4, "columns": 4, "torus": True, "coupling": "gaussian", "seed": 1}
SIZE = 8


@lru_cache(maxsize=1)
def ring() -> SignedGraph:
    return signed_graph(sample("frustrated-cycle"))


def lower(share: float) -> float:
    """The bound if every coupling lends the ring a share, energy."""
    return bound(ring(), [np.arange(len(ring().cost))], np.array([share]))


def most() -> float:
    """The share at which the bound is highest, energy."""
    return float(ring().cost.min())


def beyond(share: float) -> int:
    """How many couplings lend more than they cost."""
    return int((ring().cost < share).sum())


def show() -> None:
    graph = ring()
    share: float = st.slider(
        "The share: what each coupling lends, energy",
        0.0,
        float(np.ceil(graph.cost.max())) + 2.0,
        0.0,
        0.5,
        key="learn-cycles-share",
        persist_state="session",
    )
    found = lower(share)
    draw(
        plot_lent(graph, share),
        "What the couplings of the ring have lent",
        "A bar: the cost of a coupling. Blue: lent. Grey: left. Orange: lent beyond its cost, which lowers the bound.",
        f"Of {len(graph.cost)} couplings each lends {number(share)}; {beyond(share)} of them more than they cost.",
        key="learn-cycles-figure",
        height=250,
    )
    table(
        ["bounds and truth", "energy"],
        [
            ["no coupling broken", number(graph.base)],
            ["LB with this share", number(found)],
            ["the true optimum", number(optimum())],
            ["still missing", "0, closed" if same(found, optimum()) else number(optimum() - found)],
        ],
    )


def plot_lent(graph: SignedGraph, share: float) -> go.Figure:
    """A bar for each coupling: lent, left, and lent beyond its cost."""
    names = [plain("–".join(sample("frustrated-cycle").names[v] for v in ends)) for ends in graph.ends.tolist()]
    lent = np.minimum(graph.cost, share)
    parts = {
        "lent": (lent, COLOURS["lb"]),
        "left": (graph.cost - lent, COLOURS["neutral"]),
        "beyond its cost": (np.maximum(share - graph.cost, 0.0), COLOURS["ub"]),
    }
    drawing = figure(
        [
            {"type": "bar", "x": names, "y": values, "name": name, "marker": {"color": colour}}
            | {"hovertemplate": f"%{{x}}: %{{y:.4g}} {name}<extra></extra>"}
            for name, (values, colour) in parts.items()
        ]
    )
    drawing.update_layout(barmode="stack")
    drawing.update_yaxes(title="energy", range=[0.0, float(np.ceil(graph.cost.max())) + 2.5])
    return drawing


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

    return Question("How large is the share at which the bound is highest?", judge)


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
