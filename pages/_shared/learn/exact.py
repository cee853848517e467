"""Lesson: what Bender Lab adds, exact messages by pruning and elimination."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Method
from bender_core.looking.words import number
from pages._shared.app.fields import SAMPLE
from pages._shared.app.session import Lab, sample
from pages._shared.app.text import table
from pages._shared.learn.drawing import draw
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import RECEIVER, SENDER, two_parts, two_rows
from pages._shared.learn.timing import Model, plot_times, sweep_time

TEXT = """
<dfn data-term="Benders row">Rows</dfn> avoid the table <dfn>ν</dfn>. Bender Lab can also compute it exactly, even
where enumeration is hopeless.

**Pruning** drops states of the sender early, once another is cheaper for all values of the receiver's remaining
variables. **Elimination** suits groups joined by few couplings, such as rows of a grid: it minimises over the sender's
variables one at a time and keeps the table small.

<dfn data-term="variant">Variant</dfn> 12 chooses the cheapest of the three methods for each message in advance. Exact
messages also give the true <dfn>slack</dfn> of rows, and verify the <dfn>certificate</dfn>.

Neither always wins: where couplings are dense and conflicting, little can be pruned.

**Try it:** choose a pair of groups, and drag M.
"""

SIZES = range(2, 17)
NAMES = {11: "enumeration", 9: "rows (RMC)", 12: "exact, pruned or eliminated"}
PAIRS: dict[str, Model] = {"two body parts": two_parts, "two rows of a grid": two_rows}
WAYS = {Method.ENUMERATE: "enumeration", Method.ELIMINATE: "elimination", Method.PRUNE: "pruning"}
# The number of receiver states at which the two methods are compared.
COMPARED = 64


@lru_cache(maxsize=64)
def way(model: Model, size: int) -> str:
    """The method that the engine chooses for the message."""
    graph = bc.HyperGraph(*model(size))
    return WAYS[Method(int(graph.problem.methods.method[graph.arc(RECEIVER, SENDER)]))]


@lru_cache(maxsize=64)
def difference(model: Model, size: int) -> float:
    """The largest difference between the message and enumeration at some states; energy."""
    engine = bc.Engine(*model(size), variant=12)
    engine.step("node")
    states = np.unique(np.linspace(0, (1 << size) - 1, COMPARED).astype(int))
    whole, tried = (
        looking.min_marginal(engine, SENDER, RECEIVER),
        looking.min_marginal(engine, SENDER, RECEIVER, states),
    )
    return float(np.abs(whole[states] - tried).max())


def show() -> None:
    pair: str = st.segmented_control(
        "Two groups",
        list(PAIRS),
        default=next(iter(PAIRS)),
        required=True,
        key="learn-ours-pair",
        persist_state="session",
        label_visibility="collapsed",
    )
    size: int = st.slider(
        "M: variables in each", SIZES[0], SIZES[-1], 12, key="learn-ours-size", persist_state="session"
    )
    model = PAIRS[pair]
    draw(
        plot_times(model, SIZES, size, NAMES),
        f"{pair.capitalize()}, M = {size}",
        "The lines differ in dashes and markers. Large markers: the chosen M, as in the table. Each grid line is ten "
        "times the one below.",
        f"Time of a sweep against M, by enumeration, with rows, and exact, for {pair}.",
        key="learn-ours-figure",
    )
    times = {variant: sweep_time(model, size, variant) for variant in NAMES}
    table(
        ["a sweep", "time", "how known"],
        [[NAMES[v], str(t), "measured" if t.measured else "extrapolated"] for v, t in times.items()],
    )
    st.caption(
        f"Variant 12 chooses {way(model, size)} here. Compared with trying every answer at up to {COMPARED} states, "
        f"its message differs by at most {number(difference(model, size))}."
    )


def question() -> Question:
    size = SIZES[-1]

    def judge(answer: Answer) -> Verdict:
        right = way(two_rows, size)
        quick, slow = sweep_time(two_rows, size, 12), sweep_time(two_rows, size, 11)
        facts = f"A sweep takes {quick} this way, and {slow} by enumeration"
        if answer == right:
            return Verdict(True, f"{facts}: each variable is coupled to only one in the other row.")
        return Verdict(False, f"The engine finds {right} cheaper. {facts}; few couplings leave small tables.")

    return Question(f"Two rows of a grid, M = {size}: which method does it choose?", judge, tuple(WAYS.values()))


def put(lab: Lab) -> None:
    mrf = sample("pose-small")
    lab.open(mrf, SAMPLE.say("pose-small"), bc.partition(mrf, 8, "groups"), 8, 12, "mplp")


LESSON = Lesson(
    slug="ours",
    title="What we add: exact messages after all",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("compare", "rows, enumeration and exact messages racing on one model", put),
)
