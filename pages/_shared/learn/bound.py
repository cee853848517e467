"""Lesson: the bound, the gap, the certificate."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.words import number
from bender_core.visualization.figures import figure
from bender_core.visualization.styles import COLOURS, GAP_AREA
from pages._shared.app.fields import SAMPLE
from pages._shared.app.session import Lab, sample
from pages._shared.app.text import table
from pages._shared.learn.drawing import draw
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import same, show_at

TEXT = """
Take the least cost of every group by itself, and the least cost of every edge after the sharing. Groups need not
agree, so the sum of these costs is a **lower bound** (<dfn>LB</dfn>): no labelling costs less. The groups' cheapest
states together form a labelling; its cost is an **upper bound** (<dfn>UB</dfn>). The optimum lies between. UB − LB is
the **<dfn>gap</dfn>**: when it closes, the labelling is proven optimal.

The shares <dfn>λ</dfn> are the **<dfn>certificate</dfn>**: LB can be recomputed from them alone, without trusting the
rows or the run.

Each update raises LB or leaves it unchanged; it never falls.

**Try it:** drag through the sweeps of a small body pose.
"""

SIZE, EARLY = 8, 2


class AfterSweep(NamedTuple):
    """The state of the run after a sweep; energies."""

    position: int
    lower: float
    upper: float
    certificate: float


@lru_cache(maxsize=1)
def partition_of() -> bc.Partition:
    return bc.partition(sample("pose-small"), SIZE, "groups")


@lru_cache(maxsize=1)
def after_sweeps() -> tuple[AfterSweep, ...]:
    """The run sweep by sweep, to its end."""
    engine = bc.Engine(sample("pose-small"), partition_of(), variant=9)
    found = []
    while True:
        found.append(
            AfterSweep(engine.position, engine.lower_bound, engine.upper_bound, looking.certified_bound(engine))
        )
        if engine.finished:
            return tuple(found)
        engine.step("sweep")


def show() -> None:
    every = after_sweeps()
    # Next to the first bound, which is very low, all others would look alike.
    sweep: int = st.slider("Sweeps made", 1, len(every) - 1, 1, key="learn-bound-sweep", persist_state="session")
    now = every[sweep]
    draw(
        plot_bounds(every, sweep),
        f"Bounds on the energy after sweep {sweep}",
        "Blue, round: LB. Orange, square, dashed: UB. Shaded: the gap, where the optimum lies. Dotted: still to come.",
        f"After sweep {sweep} the lower bound is {number(now.lower)} and the upper bound {number(now.upper)}.",
        key="learn-bound-figure",
    )
    table(
        ["at this sweep", "energy"],
        [
            ["UB, the best labelling so far", number(now.upper)],
            ["LB, as the run keeps it", number(now.lower)],
            ["LB, computed again from λ alone", number(now.certificate)],
            ["gap UB − LB", "0, closed" if same(now.upper, now.lower) else number(now.upper - now.lower)],
        ],
    )


def plot_bounds(every: tuple[AfterSweep, ...], sweep: int) -> go.Figure:
    """Both bounds up to a sweep, with the gap between them; later sweeps are faint."""
    x = np.arange(1, len(every))
    lower, upper = (np.array([getattr(each, side) for each in every[1:]]) for side in ("lower", "upper"))
    line = {"type": "scatter", "mode": "lines+markers"}
    drawing = figure(
        [
            {"type": "scatter", "mode": "lines", "x": x, "y": bound, "showlegend": False, "hoverinfo": "skip"}
            | {"line": {"color": COLOURS["neutral"], "dash": "dot", "width": 1.5}}
            for bound in (lower, upper)
        ]
        + [
            line
            | {"x": x[:sweep], "y": lower[:sweep], "name": "LB", "line": {"color": COLOURS["lb"], "width": 2.5}}
            | {"marker": {"size": 9}, "hovertemplate": "sweep %{x}: LB %{y:.5g}<extra></extra>"},
            line
            | {"x": x[:sweep], "y": upper[:sweep], "name": "UB", "fill": "tonexty"}
            | {"fillcolor": GAP_AREA, "line": {"color": COLOURS["ub"], "dash": "dash", "width": 2.5}}
            | {"marker": {"size": 9, "symbol": "square"}, "hovertemplate": "sweep %{x}: UB %{y:.5g}<extra></extra>"},
        ]
    )
    margin = 0.08 * float(upper.max() - lower.min())
    drawing.update_xaxes(title="sweep", dtick=1, range=[0.7, len(every) - 0.7])
    drawing.update_yaxes(title="energy", range=[float(lower.min()) - margin, float(upper.max()) + margin])
    return drawing


def question() -> Question:
    """The gap limits what can be gained; the actual gain is known only at the end."""
    then, end = after_sweeps()[EARLY], after_sweeps()[-1]
    most, truly = then.upper - then.lower, then.upper - end.upper
    options = tuple(number(value) for value in sorted({0.0, truly, most, -then.lower}))

    def judge(answer: Answer) -> Verdict:
        facts = f"UB = {number(then.upper)} and LB = {number(then.lower)}"
        if answer == number(most):
            return Verdict(
                True, f"{facts} are {number(most)} apart. The run later finds a labelling better by {number(truly)}."
            )
        if answer == number(truly):
            return Verdict(False, f"That is what the run gains in the end. After {EARLY} sweeps it knows only {facts}.")
        if answer == number(0.0):
            return Verdict(False, f"The bounds have not met: {facts}. A better labelling may exist.")
        return Verdict(False, f"More than the bounds allow: {facts}.")

    return Question(
        f"Stop after {EARLY} sweeps. By how much may the optimum be lower than the labelling found, judging by "
        "the bounds?",
        judge,
        options,
    )


def put(lab: Lab) -> None:
    sweep = int(np.clip(st.session_state.get("learn-bound-sweep", 1), 1, len(after_sweeps()) - 1))
    lab.open(sample("pose-small"), SAMPLE.say("pose-small"), partition_of(), SIZE, 9, "mplp")
    show_at(lab, after_sweeps()[sweep].position)


LESSON = Lesson(
    slug="bound",
    title="The bound, the gap, the certificate",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("watch", "the run at the end of this sweep", put),
)
