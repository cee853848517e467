"""Lesson: rows are recycled when λ moves."""

from __future__ import annotations

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.rows import Row, row_values
from bender_core.looking.words import number
from bender_core.visualization.styles import COLOURS
from pages._shared.app.session import Lab
from pages._shared.app.text import table
from pages._shared.learn.drawing import Line, draw, over_states
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import RECEIVER, SENDER, glass, show_at

TEXT = """
When other groups are updated, they pass <dfn data-term="message">messages</dfn> too: λ changes, and the true
<dfn>ν</dfn> changes with it. Must all rows be made again?

No. The charges of a <dfn data-term="Benders row">row</dfn> bound the **couplings**, which never change. Only the
constant <dfn>β⁰</dfn> depends on λ, and computing it takes one pass over the states of the sender, without
optimisation. So every row is kept, recomputed for the new λ, and is still nowhere above ν. It serves both directions
of its edge. An <dfn>RMC</dfn> row even continues to touch ν at its own y*.

That is why later sweeps need few new rows.

**Try it:** run some sweeps, and follow one old row.
"""


def run(sweeps: int) -> bc.Engine:
    """A run on the glass after the first update, and after some sweeps."""
    mrf, part, _ = glass()
    engine = bc.Engine(mrf, part, variant=9)
    engine.step("node")
    if sweeps:
        engine.run(max_sweeps=sweeps)
    return engine


def sweeps() -> int:
    """How many sweeps the run makes."""
    mrf, part, _ = glass()
    engine = bc.Engine(mrf, part, variant=9)
    engine.run()
    return engine.sweep


def followed(engine: bc.Engine) -> Row:
    """The row that is followed: the last one made for the message in the first update."""
    rows = [row for row in looking.rows(engine, RECEIVER, SENDER) if row.made_for == RECEIVER]
    first = [row for row in looking.rows(run(0), RECEIVER, SENDER) if row.made_for == RECEIVER]
    return next(row for row in rows if row.index == first[-1].index)


def distance(engine: bc.Engine, row: Row) -> float:
    """The slack of the row at the state it was made for."""
    return max(float(looking.min_marginal(engine, RECEIVER, SENDER)[row.anchor] - row_values(row)[row.anchor]), 0.0)


def show() -> None:
    passed: int = st.slider("Sweeps passed", 0, sweeps(), 0, key="learn-recycle-sweeps", persist_state="session")
    before, engine = run(0), run(passed)
    born, row = followed(before), followed(engine)
    nu = looking.min_marginal(engine, RECEIVER, SENDER)
    order = np.argsort(looking.min_marginal(before, RECEIVER, SENDER), kind="stable")
    labels = engine.partition.labels
    names = [engine.partition.describe(RECEIVER, int(y)) for y in order]
    envelope = looking.envelope(engine, RECEIVER, SENDER)
    at = int(np.flatnonzero(order == row.anchor)[0])
    lines = [
        Line("ν, the truth", nu[order], COLOURS["nu"]),
        Line("ν⁻ of all rows", envelope[order], COLOURS["envelope"], "dash"),
        Line("the row followed", row_values(row)[order], COLOURS["other-row"], "longdash"),
    ]
    shown = [0.0, *looking.min_marginal(before, RECEIVER, SENDER), *row_values(born)]
    draw(
        over_states(names, lines, f"{labels[RECEIVER]}, by their ν at first", at, shown),
        f"Message {labels[SENDER]} → {labels[RECEIVER]} after {passed} {'sweep' if passed == 1 else 'sweeps'}",
        "Grey: the true ν now. Dashes: the envelope of all rows. Long dashes: one row of the first update, at the "
        "current λ. Dotted vertical line: the state y* it was made for.",
        f"After {passed} sweeps the row followed is {number(distance(engine, row))} below the truth at its own state.",
        key="learn-recycle-figure",
    )
    table(
        ["the row followed", "when made", "now"],
        [
            ["β⁰", number(born.intercept), number(row.intercept)],
            ["sum of its charges", number(float(born.u.sum())), number(float(row.u.sum()))],
            ["how far below ν at its y*", number(distance(before, born)), number(distance(engine, row))],
            [
                "rows of this edge",
                f"{len(looking.rows(before, RECEIVER, SENDER))}",
                f"{len(looking.rows(engine, RECEIVER, SENDER))}",
            ],
        ],
    )


OPTIONS = ("nothing", "β⁰ alone", "its charges alone", "β⁰ and its charges")


def question() -> Question:
    def judge(answer: Answer) -> Verdict:
        old, new = followed(run(0)), followed(run(1))
        front, charges = old.intercept != new.intercept, not np.array_equal(old.u, new.u)
        right = OPTIONS[front + 2 * charges]
        facts = (
            f"after a sweep β⁰ went from {number(old.intercept)} to {number(new.intercept)}, while the charges add up "
            f"to {number(float(old.u.sum()))} before and {number(float(new.u.sum()))} after"
        )
        if answer == right:
            return Verdict(True, f"Indeed, {facts}: {right}.")
        return Verdict(False, f"Look at the row: {facts}.")

    return Question("λ has changed. Which part of an old row must be recomputed?", judge, OPTIONS)


def put(lab: Lab) -> None:
    mrf, part, origin = glass()
    engine = run(int(st.session_state.get("learn-recycle-sweeps", 0)))
    lab.open(mrf, origin, part, part.largest, 9, "mplp")
    show_at(lab, engine.position, engine.graph.arc(RECEIVER, SENDER))


LESSON = Lesson(
    slug="recycle",
    title="Rows are kept for ever",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("edge", "all rows of this edge, when they were added, and whether they are still tight", put),
)
