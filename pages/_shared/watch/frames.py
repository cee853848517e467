"""Events as the stage plays them: the encoder of ``frames`` in ``pages/_shared/frontend/protocol.json``."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from bender_core import Engine, Event, TooLargeError
from bender_core.kernels.layout import Kind
from bender_core.model import FloatArray
from bender_core.run.explain import ROUNDING, Explanation, explain
from bender_core.run.reckoning import Tension
from pages._shared.app.text import inert
from pages._shared.watch.details import Update, listed, rounded

# Computing ahead must not keep the person waiting.
AHEAD_SECONDS = 0.15
COLUMNS = (
    *("kind", "node", "arc", "sweep", "total_rows", "state", "depth", "lower", "upper"),
    *("floor", "ceiling", "suspects", "sentence", "formula", "moved", "detail"),
)


class Encoder:
    """The encoder of a run. It keeps what it has encoded of an open update, so that nothing is encoded twice."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._open: Chunk | None = None

    def frames(self, first: int, shown: int, last: int, goes_on: bool = False) -> dict[str, Any]:
        """The events from the start of the update that event ``first`` lies in, and the state before them.

        Up to event ``last``, or as far as they can be encoded in time; always to the event ``shown``, and event
        ``first``. If it ``goes_on`` from the event before ``first``, which the stage holds, only those from ``first``.
        """
        engine, first = self.engine, min(first, len(self.engine.trace))
        chunk, start = self._open, _start(self.engine, first)
        if chunk is None or chunk.first != start:
            engine.seek(start)
            chunk = Chunk(engine)
        engine.seek(chunk.end)
        deadline, least = time.perf_counter() + AHEAD_SECONDS, max(first + 1, shown)

        def is_late(_: Engine | None = None) -> bool:
            return engine.position >= least and time.perf_counter() > deadline

        while engine.position < last and not engine.finished and not is_late():
            for event in engine.step("event", is_late):
                chunk.append(event)
        told = chunk.told_from(first) if goes_on else chunk.told()
        self._open = chunk.from_opening()
        return told

    def last_frame(self) -> dict[str, Any]:
        """As `frames`, of the last event alone where it lies between updates, else of its update so far.

        The end of a long run is sent without computing anything again, which takes long.
        """
        engine, event = self.engine, self.engine.last_event
        if event is None or event.kind < Kind.SWEEP:
            return self.frames(max(engine.position - 1, 0), engine.position, engine.position)
        chunk = Chunk(engine)
        chunk.first -= 1
        chunk.append(event)
        return chunk.told()


def _start(engine: Engine, position: int) -> int:
    """Where the update that goes on at a position began, or that position if none does."""
    done = np.flatnonzero(engine.trace.column("kind")[:position] >= Kind.MESSAGE)
    return int(done[-1]) + 1 if len(done) else 0


class Chunk:
    """Events in a row, as columns, from the engine's position on.

    Attributes
    ----------
    first : int
        The position before them.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine, self.first = engine, engine.position
        self.update: Update | None = None
        self.round = math.nan  # the floor at the last oracle
        self.best, self.tension = best_states(engine), tensions(engine)
        self.rows = np.bincount(engine.row_edges(), minlength=len(engine.graph.edges))
        self.lower, self.upper = engine.lower_bound, engine.upper_bound
        self.columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.before, self.opening, self.opened = self._now(), 0, self._now()

    @property
    def end(self) -> int:
        """The position after the last of them."""
        return self.first + len(self.columns["kind"])

    def told(self) -> dict[str, Any]:
        """The chunk as ``frames`` of the protocol; it does not change any more."""
        return self.told_from(self.first) | {"before": self.before}

    def told_from(self, first: int) -> dict[str, Any]:
        """The same from an event on, to one who knows the state before it."""
        columns = {name: column[first - self.first :] for name, column in self.columns.items()}
        return {"first": first, "before": None, "columns": columns}

    def from_opening(self) -> Chunk:
        """The chunk without what lies before the open update."""
        self.columns = {name: column[self.opening :] for name, column in self.columns.items()}
        self.first, self.opening, self.before = self.first + self.opening, 0, self.opened
        return self

    def append(self, event: Event) -> None:
        """Add the engine's last event."""
        floor, ceiling, suspects = self._reckoned(event)
        moved = self._moved(event)  # first, as an update shows the best labelling
        detail = self._detail(event)
        said = self._said(event, floor)
        values = {
            "kind": int(event.kind),
            "node": event.node,
            "arc": event.arc,
            "sweep": event.sweep,
            "total_rows": event.rows,
            "state": event.state,
            "depth": event.depth,
            "lower": event.lower_bound,
            "upper": event.upper_bound,
            "floor": None if math.isnan(floor) else floor,
            "ceiling": None if math.isnan(ceiling) else ceiling,
            "suspects": suspects,
            "sentence": inert(said.sentence),
            "formula": said.formula,
            "moved": moved,
            "detail": detail,
        }
        for name, column in self.columns.items():
            column.append(values[name])
        self.lower, self.upper = event.lower_bound, event.upper_bound
        if event.kind == Kind.ROW:
            self.rows[event.arc // 2] += 1
        if event.kind >= Kind.MESSAGE:
            self.opening, self.opened = len(self.columns["kind"]), self._now()

    def _now(self) -> dict[str, Any]:
        """The state after the last event, as ``before`` of the events to come."""
        return {
            "rows": self.rows.tolist(),
            "tension": told(self.tension),
            "best": self.best,
            "lower": self.lower,
            "upper": self.upper,
        }

    def _said(self, event: Event, floor: float) -> Explanation:
        """The event in words, with what it does not say itself."""
        engine, loose, risen = self.engine, None, None
        if event.kind == Kind.ORACLE:
            self.round = floor
            loose = None if self.update is None else self.update.loose
        elif event.kind == Kind.ROW:
            risen = (self.round, floor)
        return explain(event, engine.graph, engine.variant, engine.schedule, loose, risen)

    def _reckoned(self, event: Event) -> tuple[float, float, int]:
        """Floor, ceiling and suspects after an event; of a row, which does not say them, the engine does."""
        now = self.engine.reckoning() if event.kind == Kind.ROW else None
        of = event if now is None else now
        return of.floor, of.ceiling, of.suspects

    def _detail(self, event: Event) -> dict[str, Any] | None:
        try:
            if event.kind == Kind.NODE_OPENED:
                self.update = None
                self.update = Update(self.engine, event, self.best[event.node])
            return self.update.detail(event) if self.update is not None and event.kind <= Kind.MESSAGE else None
        except TooLargeError:
            # Why, the message's picture says.
            return None

    def _moved(self, event: Event) -> dict[str, Any] | None:
        """The tensions and states of the best labelling that are not as before; only messages and labellings move."""
        if event.kind < Kind.MESSAGE and event.upper_bound == self.upper:
            return None
        best, tension = best_states(self.engine), tensions(self.engine)
        found = {
            "groups": _changes(self.tension.groups, tension.groups),
            "edges": _changes(self.tension.edges, tension.edges),
            "best": {str(p): state for p, state in enumerate(best) if state != self.best[p]},
        }
        self.best, self.tension = best, tension
        return found if any(found.values()) else None


def _changes(before: FloatArray, now: FloatArray) -> dict[str, float]:
    return {str(k): rounded(now[k]) for k in np.flatnonzero(now != before).tolist()}


def best_states(engine: Engine) -> list[int]:
    """Of every group its state in the best labelling."""
    states: list[int] = engine.graph.states(engine.labeling).tolist()
    return states


def tensions(engine: Engine) -> Tension:
    """The tension of every part; what rounding leaves of none is none."""
    least = ROUNDING * engine.graph.problem.scale
    groups, edges = (np.where(values > least, values, 0.0) for values in engine.tension())
    return Tension(groups, edges)


def told(tension: Tension) -> dict[str, Any]:
    """Tensions of all parts, as ``tension`` of the protocol."""
    return {"groups": listed(tension.groups), "edges": listed(tension.edges)}
