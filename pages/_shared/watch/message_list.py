"""The columns of the list of messages that are not in events, for the visible lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from bender_core import Engine, Stop, TooLargeError, looking
from bender_core.looking.words import ROUNDING
from bender_core.model import FloatArray
from bender_core.stopping import never
from pages._shared.watch import protocol
from pages._shared.watch.event_details import rounded
from pages._shared.watch.verdict import tensest, verdict

# The most messages examined, and the seconds between two reports on them.
MOST, REPORT_SECONDS = 1000, 0.2


class MessageFacts(NamedTuple):
    """What there is to say of a message where the run stands; None what an exact variant has none of, or no room for.

    Attributes
    ----------
    mean, largest, now : float or None
        The slack of its envelope over the states of the receiver, and at the receiver's cheapest state; energy.
    disagreement, unclaimed : float or None
        The parts of the tension of its edge, seen from the receiver; energy.
    rows, alive : int or None
        The rows of its edge, and how many of them are its envelope at some state.
    """

    mean: float | None = None
    largest: float | None = None
    now: float | None = None
    disagreement: float | None = None
    unclaimed: float | None = None
    rows: int | None = None
    alive: int | None = None


class MessageList:
    """The lines looked at where a run stands; what is known is kept until it stands elsewhere."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._at, self._known = -1, dict[int, MessageFacts]()
        self._in_sight = list[int]()
        self._verdict: protocol.Verdict | None = None

    def look(self, arcs: Sequence[int], stop: Stop = never) -> Iterator[protocol.Lines]:
        """Look at some messages, one by one; yields the lines found so far from time to time, and at the end.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        engine = self.engine
        if engine.position != self._at:
            self._at, self._known, self._verdict = engine.position, {}, None
        ground = cache(lambda p: looking.ground(engine, p, stop))
        self._in_sight = in_sight = [
            arc for arc in dict.fromkeys(arcs[:MOST]) if 0 <= arc < 2 * len(engine.graph.edges)
        ]
        reported = time.perf_counter()
        for arc in in_sight:
            if arc in self._known:
                continue
            self._find(arc, ground, stop)
            if time.perf_counter() - reported > REPORT_SECONDS:
                yield self._listed(in_sight)
                reported = time.perf_counter()
        if in_sight:
            yield self._listed(in_sight)

    def judge(self, stop: Stop = never) -> Iterator[protocol.Lines]:
        """Look at the edge of most tension, and what would help there; yields the lines in sight with the verdict.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        engine = self.engine
        edge = tensest(engine) if self._in_sight and self._verdict is None else None
        if edge is None:
            return
        both = [2 * edge, 2 * edge + 1]
        for arc in both:
            if arc not in self._known:
                self._find(arc, lambda p: looking.ground(engine, p, stop), stop)
        self._verdict = verdict(engine, [self._known[arc].largest for arc in both], stop)
        yield self._listed(self._in_sight)

    def _find(self, arc: int, ground: Callable[[int], FloatArray], stop: Stop) -> None:
        p, _ = self.engine.graph.ends(arc)
        try:
            self._known[arc] = line(self.engine, arc, ground(p), stop)
        except TooLargeError:
            self._known[arc] = MessageFacts()

    def _listed(self, arcs: Sequence[int]) -> protocol.Lines:
        known = [arc for arc in arcs if arc in self._known]
        lines = [self._known[arc] for arc in known]
        return {
            "at": self._at,
            "arcs": known,
            "mean": [each.mean for each in lines],
            "largest": [each.largest for each in lines],
            "now": [each.now for each in lines],
            "disagreement": [each.disagreement for each in lines],
            "unclaimed": [each.unclaimed for each in lines],
            "rows": [each.rows for each in lines],
            "alive": [each.alive for each in lines],
            "verdict": self._verdict,
        }


def line(engine: Engine, arc: int, ground: FloatArray, stop: Stop = never) -> MessageFacts:
    """What there is to say of a message.

    Parameters
    ----------
    engine : Engine
    arc : int
    ground : ndarray, shape (2^|Y_p|,)
        `looking.ground` of its receiver.
    stop : Stop
        Checked about every 10 ms.

    Raises
    ------
    TooLargeError
        If there is no room to look.
    Stopped
        If ``stop`` says so.
    """
    p, q = engine.graph.ends(arc)
    stop.check()
    parts = looking.edge_tension(engine, p, q)
    found = MessageFacts(disagreement=_excess(engine, parts.disagreement), unclaimed=_excess(engine, parts.unclaimed))
    if engine.variant.exact:
        return found
    slack = np.maximum(looking.min_marginal(engine, p, q, stop=stop) - looking.envelope(engine, p, q, stop), 0.0)
    states = looking.row_support(engine, p, q, stop).states
    return found._replace(
        mean=_excess(engine, slack.mean()),
        largest=_excess(engine, slack.max()),
        now=_excess(engine, slack[ground.argmin()]),
        rows=len(states),
        alive=int(np.count_nonzero(states)),
    )


def _excess(engine: Engine, value: float) -> float:
    """A difference; values within rounding error of 0 are 0."""
    return rounded(float(value)) if value > ROUNDING * engine.graph.problem.scale else 0.0
