"""Lesson: a message and a min-marginal."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.anatomy import couplings
from bender_core.looking.words import number
from bender_core.model import FloatArray
from bender_core.visualization.figures import figure
from bender_core.visualization.styles import COLOURS
from pages._shared.learn.drawing import draw
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import RECEIVER, SENDER, put_tiny, same, tiny_partition, tiny_run

TEXT = """
The variables of the tiny model form two groups, A and B, joined only by the couplings between them. Put A into some
state. B <dfn data-term="answer">answers</dfn> with the state that makes these couplings cheapest. The cost of this
best answer is the **<dfn>min-marginal</dfn>** of A's state, written **ν** (nu).

The **message** from B to A is a table too, written **<dfn>λ</dfn>** (lambda): the share of these costs that A counts
as its own, one number for each state of A. All λ start at 0. When A is updated, it takes over what ν says of its
states, and hands back a part. So messages move costs around and change no energy.

**Try it:** put A into each of its states, and see how B answers.
"""


def answers(engine: bc.Engine, state: int) -> FloatArray:
    """The cost of every state of the sender at a state of the receiver: couplings minus shares."""
    found = couplings(engine.graph, RECEIVER, SENDER)
    costs = -looking.message(engine, SENDER, RECEIVER)
    states = np.arange(len(costs))
    for i, j, (mine, theirs), weight in zip(*found, strict=True):
        costs -= weight * ((state >> i & 1 == mine) & (states >> j & 1 == theirs))
    return costs


def describe(state: int) -> str:
    return tiny_partition().describe(RECEIVER, state)


def show() -> None:
    engine, part = tiny_run(), tiny_partition()
    state: int = st.select_slider(
        "State of A (the values of a1, a2, a3)",
        range(1 << len(part.groups[RECEIVER])),
        value=(1 << len(part.groups[RECEIVER])) - 1,
        format_func=describe,
        key="learn-message-state",
        persist_state="session",
    )
    costs = answers(engine, state)
    best = int(costs.argmin())
    lowest = min(float(looking.min_marginal(engine, RECEIVER, SENDER).min()), 0.0)
    draw(
        plot_answers(costs, [part.describe(SENDER, y) for y in range(len(costs))], lowest),
        f"A is {describe(state)}: what each answer of B costs",
        f"One bar per state of B (b1, b2, b3). The lowest, striped, is the best answer: {part.describe(SENDER, best)}. "
        f"Its cost is ν at {describe(state)}. All λ are 0 here.",
        f"Bars: costs of the states of B while A is {describe(state)}; the least is {number(costs[best])}.",
        key="learn-message-figure",
    )


def plot_answers(costs: FloatArray, names: list[str], lowest: float) -> go.Figure:
    """A bar for every answer, with the best highlighted."""
    best = int(costs.argmin())
    chosen = np.arange(len(costs)) == best
    drawing = figure(
        [
            {
                "type": "bar",
                "x": names,
                "y": costs,
                "marker": {
                    "color": [COLOURS["nu"] if b else COLOURS["envelope"] for b in chosen],
                    "pattern": {"shape": ["/" if b else "" for b in chosen]},
                },
                "text": [f"ν = {number(cost)}" if b else "" for cost, b in zip(costs, chosen, strict=True)],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertemplate": "B is %{x}: %{y:.4g}<extra></extra>",
            }
        ]
    )
    drawing.update_layout(margin={"t": 10})
    drawing.update_xaxes(type="category", title="states of B")
    drawing.update_yaxes(title="energy", range=[1.25 * lowest, -0.08 * lowest])
    return drawing


def question() -> Question:
    engine = tiny_run()
    nu = looking.min_marginal(engine, RECEIVER, SENDER)
    state = int("101"[::-1], 2)

    def judge(answer: Answer) -> Verdict:
        costs = answers(engine, state)
        best = tiny_partition().describe(SENDER, int(costs.argmin()))
        if same(float(answer), float(nu[state])):
            return Verdict(True, f"B's best answer is {best}, and it costs {number(nu[state])}.")
        if same(float(answer), float(costs.max())):
            return Verdict(False, f"That is B's worst answer; the best one, {best}, costs less.")
        if float(answer) < nu[state]:
            return Verdict(False, f"No answer of B is that cheap: the best one, {best}, costs more.")
        return Verdict(False, f"B has an answer that costs less: {best}. Put A into {describe(state)} and read it off.")

    return Question(f"What is ν at A = {describe(state)}?", judge)


LESSON = Lesson(
    slug="message",
    title="A message and a min-marginal",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("watch", "messages being passed, step by step", put_tiny),
)
