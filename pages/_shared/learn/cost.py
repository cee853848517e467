"""Lesson: why enumeration explodes."""

from __future__ import annotations

import streamlit as st

from bender_core.groups import coupled_groups
from pages._shared.app.permalink import made_by
from pages._shared.app.session import Lab
from pages._shared.app.text import table
from pages._shared.learn.drawing import draw
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import body
from pages._shared.learn.timing import ENUMERATION, plot_times, sweep_time

TEXT = """
Large groups give good bounds, as the ring showed. What do they cost? Each group of <dfn>M</dfn> variables has 2 to the
power of M states. To compute <dfn data-term="min-marginal">min-marginals</dfn> by **enumeration**, every state of one
group is tried with every state of the other.

The model here is a body pose: fourteen body parts, each a group, with M candidates (places where that part may be). A
**<dfn>sweep</dfn>** updates every group once, and a run takes many sweeps. The times are those of **the machine that
runs this app**: measured where that is quick, and extrapolated from smaller groups where it is not.

**Try it:** drag M until you would no longer wait.
"""

SIZES = range(2, 17)
FACTORS = ("1", "2", "4", "16")


def candidates() -> int:
    return int(st.session_state.get("learn-cost-size", 8))


def show() -> None:
    size: int = st.slider(
        "M: candidates of each body part", SIZES[0], SIZES[-1], 8, key="learn-cost-size", persist_state="session"
    )
    mrf, part = body(size)
    taken = sweep_time(body, size, ENUMERATION)
    draw(
        plot_times(body, SIZES, size, {ENUMERATION: "enumeration"}),
        f"M = {size}: a sweep by enumeration takes {taken}",
        "The large marker is the chosen M. Each grid line is ten times the one below.",
        f"Time of a sweep against M; at {size} it is {taken}.",
        key="learn-cost-figure",
    )
    states = 1 << size
    table(
        ["for this M", "how many"],
        [
            ["states of a group", f"{states:,}"],
            ["pairs of states of two groups", f"{states * states:,}"],
            ["edges between groups", f"{len(coupled_groups(mrf, part))}"],
            ["time of a sweep", taken.how],
        ],
    )


def question() -> Question:
    def judge(answer: Answer) -> Verdict:
        last = SIZES[-1]
        before, after = (1 << 2 * size for size in (last - 1, last))
        facts = (
            f"from M = {last - 1} to {last} two groups go from {before:,} to {after:,} pairs of states, a sweep from "
            f"{sweep_time(body, last - 1, ENUMERATION)} to {sweep_time(body, last, ENUMERATION)}"
        )
        if int(answer) == after // before:
            return Verdict(True, f"Indeed, {facts}. Both groups have twice as many states.")
        return Verdict(False, f"Not {answer} times: {facts}. Both groups get twice as many states.")

    return Question("Add one variable to every group: how many times as long does a sweep take?", judge, FACTORS)


def put(lab: Lab) -> None:
    size = candidates()
    mrf, part = body(size)
    lab.open(mrf, made_by("body_pose", {"candidates": size, "people": 2}), part, size, 9, "mplp")


LESSON = Lesson(
    slug="cost",
    title="Why enumeration explodes",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("partition", "memory and time of any M and variant, before a run", put),
)
