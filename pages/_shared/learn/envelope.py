"""Lesson: the envelope, and tightness at the minimiser."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import bender_core as bc
from bender_core import looking
from bender_core.looking.words import explain, number
from bender_core.model import FloatArray
from bender_core.visualization.styles import COLOURS
from pages._shared.app.session import Lab
from pages._shared.app.text import paragraph
from pages._shared.learn.drawing import Line, draw, over_states
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import RECEIVER, SENDER, put_tiny, same, tiny_messages, tiny_partition, tiny_run

TEXT = """
The **<dfn>envelope</dfn>** ν⁻ is the maximum of all rows at each state. Its distance from <dfn>ν</dfn> is the
**<dfn>slack</dfn>**. Removing all slack could take very many rows. There is no need: the bound depends on A's
**cheapest** state alone.

So A finds its cheapest state <dfn>y*</dfn> according to the envelope, and asks B for the true cost at this one state
(the **<dfn>oracle</dfn>**). If the envelope is too low there, a <dfn data-term="Benders row">row</dfn> is made at y*
and A looks again. Once the envelope is **tight** at the cheapest state, the bound is as good as with the whole table
ν.

**Try it:** step through A's first update.
"""


def describe(state: int) -> str:
    return tiny_partition().describe(RECEIVER, state)


def last() -> int:
    """The event with which A passes its messages."""
    return tiny_messages()[0]


def totals(engine: bc.Engine) -> tuple[FloatArray, FloatArray]:
    """The costs of A's states, by the envelope and in truth."""
    low = looking.reduced_cost(engine, RECEIVER)
    return low, low + looking.min_marginal(engine, RECEIVER, SENDER) - looking.envelope(engine, RECEIVER, SENDER)


def tight(engine: bc.Engine) -> NDArray[np.bool_]:
    """The states of A at which the envelope is tight."""
    nu, envelope = looking.min_marginal(engine, RECEIVER, SENDER), looking.envelope(engine, RECEIVER, SENDER)
    return looking.is_tight(engine, engine.graph.arc(RECEIVER, SENDER), nu, envelope)


def minimising_state(engine: bc.Engine) -> int:
    """The state of A that the last event is about; before the first one its cheapest state."""
    return engine.trace[engine.position - 1].state if engine.position else int(totals(engine)[0].argmin())


def show() -> None:
    event: int = st.slider(
        "Events of A's first update", 0, last(), 0, key="learn-envelope-event", persist_state="session"
    )
    engine = tiny_run(event)
    nu, envelope, close = (
        looking.min_marginal(engine, RECEIVER, SENDER),
        looking.envelope(engine, RECEIVER, SENDER),
        tight(engine),
    )
    y = minimising_state(engine)
    shown = [*nu, *looking.envelope(tiny_run(), RECEIVER, SENDER)]
    draw(
        over_states(
            [describe(k) for k in range(len(nu))],
            [
                Line("ν⁻, the envelope", envelope, COLOURS["envelope"], "dash", "square"),
                Line("ν, the truth", nu, COLOURS["nu"], shaded=True),
            ],
            "A (a1 a2 a3)",
            y,
            shown,
        ),
        f"After event {event}: tight at {int(close.sum())} of {len(nu)} states",
        "Round markers: the true ν. Dashed, square markers: the envelope ν⁻ of the rows so far; it is tight where the "
        "two markers coincide. Shaded: slack. Dotted vertical line: the current y*.",
        f"The min-marginal and its envelope after event {event}: tight at {int(close.sum())} states.",
        key="learn-envelope-figure",
    )
    if event:
        explanation = explain(engine.trace[event - 1], engine.graph, engine.variant)
        paragraph(explanation.sentence)
    else:
        paragraph(f"Before A's update. By the envelope, its cheapest state is {describe(y)}.")


def question() -> Question:
    engine = tiny_run(last())
    loose = int((~tight(engine)).sum())
    low, true = totals(engine)

    def judge(answer: Answer) -> Verdict:
        same_bound = (
            f"the cheapest state costs {number(float(low.min()))} by the envelope and "
            f"{number(float(true.min()))} in truth"
        )
        if same(float(answer), loose):
            return Verdict(True, f"{loose} of {len(low)} are loose, and yet nothing is lost: {same_bound}.")
        if float(answer) > loose:
            return Verdict(
                False, f"Fewer are loose: the envelope is tight at {len(low) - loose} of {len(low)} by then."
            )
        wide = int((true - low).argmax())
        return Verdict(
            False,
            f"More are loose: at {describe(wide)}, say, {number(float((true - low)[wide]))} is missing. "
            f"It does no harm: {same_bound}.",
        )

    return Question("When A has passed its message, at how many of its states is the envelope still below ν?", judge)


def put(lab: Lab) -> None:
    event = int(st.session_state.get("learn-envelope-event", 0))
    put_tiny(lab, int(np.clip(event, 0, last())))


LESSON = Lesson(
    slug="envelope",
    title="The envelope, tight where it matters",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("watch", "the same event on the stage", put),
)
