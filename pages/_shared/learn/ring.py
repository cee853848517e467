"""Lesson: why the LP is loose, and what groups gain."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core.looking.words import number
from bender_core.visualization.figures import plot_model
from pages._shared.app.fields import SAMPLE
from pages._shared.app.session import Lab, sample
from pages._shared.app.text import table
from pages._shared.learn.drawing import draw
from pages._shared.learn.lesson import Answer, Lesson, Opening, Question, Verdict
from pages._shared.learn.models import same

TEXT = """
On this ring every line has a wish: its two ends should be equal, or should differ. The wishes contradict each other:
on the way around the ring, at least one must be broken.

The usual bound comes from a **linear program (LP)**: it lets every variable be half 0 and half 1, which grants all
wishes. So it promises an energy that no labelling reaches. It is **loose**, and messages between single variables
cannot improve it.

**<dfn data-term="hyper-variable">Groups</dfn>** help: inside a group, every combination counts and nothing is half.
The groups themselves must not form a ring.

**Try it:** drag <dfn>M</dfn>, the size of the pieces. Then pair variables across the ring.
"""

ALONG, ACROSS = "pieces along the ring", "pairs across the ring"


def ring() -> bc.BinaryMRF:
    return sample("frustrated-cycle")


@lru_cache(maxsize=32)
def partition_of(size: int, way: str = ALONG) -> bc.Partition:
    """The ring in groups of at most ``size`` variables: neighbours, or opposite pairs (of any size)."""
    n = ring().n
    if way == ALONG:
        starts = [*range(0, n, size), n]
        return bc.manual(ring(), [list(range(a, b)) for a, b in pairwise(starts)])
    return bc.manual(ring(), [[0], *([i, n - i] for i in range(1, (n + 1) // 2))])


@lru_cache(maxsize=32)
def bound(size: int, way: str = ALONG) -> float:
    """The lower bound that messages between these groups reach."""
    return bc.solve(ring(), partition_of(size, way), variant=9).lower_bound


@lru_cache(maxsize=1)
def truth() -> bc.Reference:
    return bc.reference(ring())


def optimum() -> float:
    return truth().energy


def enough() -> int:
    """The smallest pieces along the ring that close the gap."""
    return next(size for size in range(1, ring().n + 1) if same(bound(size), optimum()))


def chosen() -> tuple[int, str]:
    """The current choice, even where the widgets are not drawn."""
    return st.session_state.get("learn-loose-size", 1), st.session_state.get("learn-loose-way", ALONG)


def show() -> None:
    way: str = st.segmented_control(
        "Split into",
        (ALONG, ACROSS),
        default=ALONG,
        required=True,
        key="learn-loose-way",
        persist_state="session",
        label_visibility="collapsed",
    )
    size: int = st.slider(
        "M: variables in a piece",
        1,
        ring().n,
        1,
        key="learn-loose-size",
        persist_state="session",
        disabled=way == ACROSS,
    )
    part = partition_of(size, way)
    edges = len(bc.HyperGraph(ring(), part).edges)
    joined = "all in one" if len(part) == 1 else "they form a ring" if edges >= len(part) else "they form a chain"
    draw(
        plot_model(ring(), part),
        f"The ring in {len(part)} groups: {joined}" if len(part) > 1 else "The ring in one group",
        "Same area, colour and marker: one group. Blue, solid lines (attractive) want equal ends; "
        "orange, dotted ones (repulsive) want them to differ.",
        f"A ring of {ring().n} variables in {len(part)} groups; {joined}.",
        key="learn-loose-figure",
        height=270,
    )
    found = bound(size, way)
    gap = max(optimum() - found, 0.0)
    table(
        ["lower bounds and truth", "energy"],
        [
            ["LP over single variables", number(truth().lp_bound)],
            ["messages between these groups", number(found)],
            ["the true optimum", number(optimum())],
            ["still missing", "0, closed" if same(found, optimum()) else number(gap)],
        ],
    )


def question() -> Question:
    sizes = tuple(size for size in (2, 3, 4, 5, 6, ring().n) if size <= ring().n)

    def judge(answer: Answer) -> Verdict:
        size, right = int(answer), enough()
        if size == right:
            return Verdict(
                True,
                f"With M = {size} there are {len(partition_of(size))} groups, which form no ring: the bound rises from "
                f"{number(bound(1))} to {number(bound(size))}. Pairs across the ring form a chain: there M = 2 does "
                + ("too." if same(bound(2, ACROSS), optimum()) else "not."),
            )
        if size < right:
            return Verdict(
                False,
                f"M = {size} makes {len(partition_of(size))} groups that form a ring again: the bound stays at "
                f"{number(bound(size))}, below the optimum, {number(optimum())}.",
            )
        return Verdict(False, f"M = {size} does reach {number(optimum())}, but a smaller M is enough.")

    return Question(
        "In pieces along the ring, what is the smallest M whose bound is the optimum?",
        judge,
        tuple(map(str, sizes)),
    )


def put(lab: Lab) -> None:
    size, way = chosen()
    part = partition_of(size, way)
    sizes = [len(group) for group in part.groups]
    lab.open(ring(), SAMPLE.say("frustrated-cycle"), part, int(np.max(sizes)), 9, "mplp")


LESSON = Lesson(
    slug="loose",
    title="Why the LP is loose, and how groups help",
    text=TEXT,
    show=show,
    question=question,
    opens=Opening("partition", "this ring, to be partitioned in other ways", put),
)
