"""Lesson: a Benders row as a separable minorant."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import RowKind
from bender_core.looking.words import number
from bender_core.visualization.styles import COLOURS
from pages._shared.app.session import Lab
from pages._shared.app.text import table
from pages._shared.learn.drawing import Line, draw, over_states
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import RECEIVER, SENDER, put_tiny, same, tiny, tiny_partition, tiny_run

TEXT = """
Instead of the whole table ν we keep simple bounds on it. A **<dfn>Benders row</dfn>** is a number <dfn>β⁰</dfn> minus
a charge for each variable of A, one if it is 0 and another if it is 1: a plain sum, without pairs. So it is cheap to
make, to store and to evaluate, even if A has thousands of states.

The charges are chosen so that the row is nowhere above <dfn>ν</dfn>: it is a **minorant**. At one state, the
<dfn>y*</dfn> for which it was made, it touches ν. Raised any further, it would exceed ν somewhere and no longer be a
valid bound.

**Try it:** choose y*, then raise the row.
"""


@lru_cache(maxsize=16)
def row_at(state: int) -> bc.WhatIfRow:
    """The row that the paper's closed formula makes at a state of A."""
    found = bc.what_if(tiny_run(), RECEIVER, SENDER, state)
    return next(cut for cut in found if cut.kind == RowKind.RMC)


def describe(state: int) -> str:
    return tiny_partition().describe(RECEIVER, state)


def show() -> None:
    nu = looking.min_marginal(tiny_run(), RECEIVER, SENDER)
    left, right = st.columns(2)
    state: int = left.select_slider(
        "y*: the state of A it is made for",
        range(len(nu)),
        value=2,
        format_func=describe,
        key="learn-row-state",
        persist_state="session",
    )
    lift: float = right.slider(
        "Raise the row by (energy)", -2.0, 2.0, 0.0, 0.5, key="learn-row-lift", persist_state="session"
    )
    row = row_at(state)
    values = row.values + lift
    above = np.flatnonzero(values > nu + 1e-9)
    touching = np.flatnonzero(np.isclose(values, nu))
    shown = [*nu, *np.concatenate([row_at(y).values for y in range(len(nu))])]
    if len(above):
        verdict = f"✗ Not a bound: above ν at {', '.join(describe(int(y)) for y in above)}"
    elif len(touching):
        verdict = f"✓ A bound, and it touches ν at {', '.join(describe(int(y)) for y in touching)}"
    else:
        verdict = "✓ A bound, but it touches ν nowhere: it could be raised"
    colour, symbol = ("wrong", "x") if len(above) else ("other-row", "square")
    draw(
        over_states(
            [describe(y) for y in range(len(nu))],
            [
                Line("ν, the truth", nu, COLOURS["nu"]),
                Line("the row", values, COLOURS[colour], "longdash", symbol),
            ],
            "A (a1 a2 a3)",
            state,
            [min(shown) - 2, max(shown) + 2],
        ),
        verdict,
        "Round markers: the true ν of each state. Long dashes, square markers: the row; it turns orange, with crosses, "
        "when it is not a bound. Dotted vertical line: y*.",
        f"The min-marginal over the states of A, and a row made at {describe(state)} and raised by {number(lift)}. "
        f"{verdict}.",
        key="learn-row-figure",
    )
    names = [tiny().names[i] for i in tiny_partition().groups[RECEIVER]]
    intercept = float(row.values[0] + sum(row.u[:, 0])) + lift
    table(
        ["the row: β⁰ minus", *names],
        [[f"charge if {v}", *(number(u) for u in row.u[:, v])] for v in (0, 1)],
    )
    st.caption(f"β⁰ = {number(intercept)}. At 111 the row is β⁰ minus the last line: {number(values[-1])}.")


def question() -> Question:
    nu = looking.min_marginal(tiny_run(), RECEIVER, SENDER)
    state = 0
    touched = np.isclose(row_at(state).values, nu)

    def judge(answer: Answer) -> Verdict:
        count = int(touched.sum())
        where = ", ".join(describe(int(y)) for y in np.flatnonzero(touched))
        worst = int((nu - row_at(state).values).argmax())
        rest = (
            f"at {describe(worst)}, say, it is {number(row_at(state).values[worst])} "
            f"where ν is {number(float(nu[worst]))}"
        )
        if same(float(answer), count):
            return Verdict(True, f"It touches ν at {where}. At the other {len(nu) - count} states it is below: {rest}.")
        if float(answer) > count:
            return Verdict(False, f"It is below ν at more states than that: {rest}.")
        return Verdict(False, f"It touches at more states than that, not only at {describe(state)}: see {where}.")

    return Question(f"Made at y* = {describe(state)} and not raised, at how many states does the row touch ν?", judge)


def put(lab: Lab) -> None:
    put_tiny(lab)
    st.session_state.edge_look = "Row anatomy"


LESSON = Lesson(
    slug="row",
    title="A Benders row: a bound that is a plain sum",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("edge", "rows of this message, taken apart", put),
)
