"""Lesson: RMC against MWC, and what α does."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.words import number
from bender_core.units import microseconds
from bender_core.visualization.styles import COLOURS, ROW_LOOKS
from pages._shared.app.session import Lab
from pages._shared.app.text import table
from pages._shared.learn.drawing import Line, draw, over_states
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import glass, show_at

TEXT = """
Many <dfn data-term="Benders row">rows</dfn> touch <dfn>ν</dfn> at <dfn>y*</dfn>. Away from y* some are much lower than
others and lift the <dfn>envelope</dfn> less.

**<dfn>RMC</dfn>** (reverse Magnanti-Wong) is a closed formula and takes about a microsecond. It treats each coupling
by itself and charges too much. **<dfn>MWC</dfn>** (Magnanti-Wong) solves a small optimisation problem for the smallest
charges that suffice. The number **α** defines "small": α = 1 minimises the sum of the charges, α = 0 the sum of their
squares, so that no charge gets large, and α = ½ weighs both.

A tighter row saves later rows; a cheaper one takes less time. Which wins depends on the model.

**Try it:** move y*, and compare the four.
"""

# The message shown: a run after some updates, and an arc on which the four rows differ visibly.
UPDATES, ARC = 2, 3
FIRST, QUESTIONED = "00100", "10100"


def run() -> bc.Engine:
    """A run on the glass, after a few updates."""
    mrf, part, _ = glass()
    engine = bc.Engine(mrf, part, variant=9)
    for _ in range(UPDATES):
        engine.step("node")
    return engine


def code(bits: str) -> int:
    return int(bits[::-1], 2)


@lru_cache(maxsize=64)
def rows_at(state: int) -> list[bc.WhatIfRow]:
    """The four rows at a state."""
    engine = run()
    return bc.what_if(engine, *engine.graph.ends(ARC), state)


@lru_cache(maxsize=1)
def lowest() -> float:
    """The largest distance of any row below ν, energy, so that the frame contains all rows."""
    engine = run()
    nu = looking.min_marginal(engine, *engine.graph.ends(ARC))
    return min(float((cut.values - nu).min()) for y in range(len(nu)) for cut in rows_at(y))


def show() -> None:
    engine = run()
    receiver, sender = engine.graph.ends(ARC)
    nu = looking.min_marginal(engine, receiver, sender)
    labels = engine.partition.labels

    def describe(state: int) -> str:
        return engine.partition.describe(receiver, state)

    state: int = st.select_slider(
        f"y*: the state of {labels[receiver]}",
        range(len(nu)),
        value=code(FIRST),
        format_func=describe,
        key="learn-cuts-state",
        persist_state="session",
    )
    found = rows_at(state)
    order = np.argsort(nu - found[0].values, kind="stable")
    lines = [Line("ν, the truth", np.zeros(len(nu)), COLOURS["nu"])]
    for cut in found:
        look = ROW_LOOKS[cut.kind]
        lines.append(Line(look.name, (cut.values - nu)[order], look.colour, look.dash))
    draw(
        over_states(
            [describe(int(y)) for y in order],
            lines,
            f"{labels[receiver]}, RMC's nearest first",
            int(np.flatnonzero(order == state)[0]),
            [0.0, lowest()],
        ),
        f"Message {labels[sender]} → {labels[receiver]}: how far four rows lie below ν",
        "Grey, at 0: the true ν. The rows, distinguished by their dashes, all touch it at y* (dotted vertical line). "
        "Elsewhere, nearer to 0 is better.",
        f"The min-marginal and four rows made at {describe(state)}; their mean distances are in the table below.",
        key="learn-cuts-figure",
        height=275,
    )
    table(
        ["row", "mean distance from ν", "sum of charges", "µs"],
        [
            [ROW_LOOKS[cut.kind].name, number(cut.looseness), number(float(cut.u.sum())), microseconds(cut.seconds)]
            for cut in found
        ],
    )
    st.caption("Distance: mean of ν minus the row over all states; energy. µs: time to make the row, measured now.")


def question() -> Question:
    state = code(QUESTIONED)

    def judge(answer: Answer) -> Verdict:
        found = rows_at(state)
        least = min(cut.looseness for cut in found)
        chosen = next(cut for cut in found if ROW_LOOKS[cut.kind].name == answer)
        others = "; ".join(f"{ROW_LOOKS[c.kind].name} {number(c.looseness)}" for c in found if c is not chosen)
        mine = f"{answer} lies {number(chosen.looseness)} below ν on average"
        if np.isclose(chosen.looseness, least):
            return Verdict(True, f"{mine}; the others: {others}. A mean is a sum, and α = 1 minimises the sum.")
        return Verdict(False, f"{mine}, and another comes closer. The others: {others}.")

    return Question(
        f"Made at y* = {QUESTIONED}: which row lies closest to ν on average?",
        judge,
        tuple(ROW_LOOKS[cut.kind].name for cut in rows_at(state)),
    )


def put(lab: Lab) -> None:
    mrf, part, origin = glass()
    lab.open(mrf, origin, part, part.largest, 9, "mplp")
    show_at(lab, run().position, ARC)
    st.session_state.edge_look = "What if"


LESSON = Lesson(
    slug="cuts",
    title="Which row? RMC, MWC and what α does",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("edge", "what any row would do at any state", put),
)
