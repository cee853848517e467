"""Moments to go to: the next event of a kind, in what has been computed or beyond."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from bender_core import Engine, Stop, Trace, looking
from bender_core.kernels.layout import Kind
from bender_core.looking.words import ROUNDING
from bender_core.model import BoolArray
from pages._shared.running.watched import go_to

Goal = Literal["rise", "row", "tight", "labeling"]
# Events computed between two looks for a moment, where none of those known is one.
AT_A_TIME = 512

MISSED: dict[Goal, str] = {
    "rise": "LB never rises by so much again",
    "row": "no row is added to this edge again",
    "tight": "this message does not become tight again",
    "labeling": "no better labelling is found again",
}


def find(engine: Engine, goal: Goal, after: int, arc: int, share: float, stop: Stop) -> int | None:
    """The position after the next event of a kind; None if there is none up to the end of the run.

    What needs rows is never found in the run of an exact variant, which has none.

    Parameters
    ----------
    engine : Engine
        It is moved.
    goal : {"rise", "row", "tight", "labeling"}
        The lower bound rises by more than a share of the gap; a row is added to the edge of a message; its envelope
        becomes tight at all states, as it was not before; a better labelling is found.
    after : int
        The position from which on to look.
    arc : int
        The message; -1: none, so that nothing is found of it.
    share : float
        Of the gap at that position.
    stop : Stop

    Raises
    ------
    Stopped
    """
    go_to(engine, after, stop)
    if goal in ("row", "tight") and (arc < 0 or engine.variant.exact):
        return None
    if goal == "tight":
        return _tight(engine, after, arc, stop)
    upper, gap = engine.upper_bound, engine.upper_bound - engine.lower_bound
    least = max(share * gap, ROUNDING * engine.graph.problem.scale)
    are: dict[Goal, Callable[[Trace], BoolArray]] = {
        "rise": lambda trace: _rises(trace, least),
        "row": lambda trace: _rows(trace, arc // 2),
        "labeling": lambda trace: trace.column("upper_bound") < upper,
    }
    return next(_moments(engine, after, are[goal], stop), None)


def _moments(engine: Engine, after: int, are: Callable[[Trace], BoolArray], stop: Stop) -> Iterator[int]:
    """The positions after all later events of a kind; the run goes on as far as they are wanted."""
    while True:
        known = len(engine.trace)
        found = np.flatnonzero(are(engine.trace)[after:]) + after + 1
        yield from found.tolist()
        after = known
        go_to(engine, known, stop)
        if engine.finished:
            return
        engine.run(max_events=known + AT_A_TIME, on_progress=lambda _: stop())
        stop.check()


def _rises(trace: Trace, least: float) -> BoolArray:
    rises: BoolArray = (trace.column("value") - trace.column("before") > least) & (trace.column("kind") == Kind.MESSAGE)
    return rises


def _rows(trace: Trace, edge: int) -> BoolArray:
    rows: BoolArray = (trace.column("kind") == Kind.ROW) & (trace.column("arc") // 2 == edge)
    return rows


def _tight(engine: Engine, after: int, arc: int, stop: Stop) -> int | None:
    """A message and its envelope change with the rows of its edge, and with the updates of both ends."""
    p, q = engine.graph.ends(arc)

    def may_be(trace: Trace) -> BoolArray:
        kind, node = trace.column("kind"), trace.column("node")
        of_ends: BoolArray = (kind == Kind.MESSAGE) & ((node == p) | (node == q))
        return _rows(trace, arc // 2) | of_ends

    def is_tight() -> bool:
        nu, envelope = looking.min_marginal(engine, p, q, stop=stop), looking.envelope(engine, p, q, stop)
        return bool(looking.is_tight(engine, arc, nu, envelope).all())

    was = is_tight()
    for position in _moments(engine, after, may_be, stop):
        go_to(engine, position, stop)
        now = is_tight()
        if now and not was:
            return position
        was = now
    return None
