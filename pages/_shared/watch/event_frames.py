"""Events as the stage plays them: the encoder of `Frames` in `protocol`."""

from __future__ import annotations

import math
import sys
import time
from typing import Any, cast

import numpy as np

from bender_core import Engine, Event, Grain, Stop, TooLargeError, looking
from bender_core.engine.engine import OnProgress
from bender_core.forms.reduction import OPEN
from bender_core.kernels.layout import Kind
from bender_core.looking.attribution import Attribution
from bender_core.looking.bounds import Tension
from bender_core.looking.decided import decided_members, proves, settled
from bender_core.looking.words import BY_CYCLES, DECIDED, bounded, decides, explain, optimal
from bender_core.model import FloatArray
from bender_core.stopping import never
from pages._shared.app.text import inert, label
from pages._shared.running.watched import WatchedRun, go_to, tensions
from pages._shared.watch import protocol
from pages._shared.watch.event_details import Update, listed, rounded

# Computing ahead must not keep the user waiting.
AHEAD_SECONDS = 0.075
# The most messages, over all updates that are encoded ahead, whose states are kept: about 100 bytes each.
KEPT = 200_000
COLUMNS = tuple(protocol.Columns.__annotations__)


class Encoder:
    """The encoder of a run. It keeps what it has encoded last, and ahead, so that nothing is encoded twice.

    Its methods raise Stopped if ``stop`` says so.

    Parameters
    ----------
    run : WatchedRun

    Attributes
    ----------
    refusal : str
        Why the last update has no pictures; empty if it has.
    """

    def __init__(self, run: WatchedRun) -> None:
        self.run, self.engine = run, run.engine
        self._kept: Chunk | None = None
        self.refusal = ""

    @property
    def end(self) -> int:
        """The last position that is encoded; 0 if none is."""
        return 0 if self._kept is None else self._kept.end

    def frames(
        self, first: int, shown: int, last: int, goes_on: bool = False, more: bool = False, stop: Stop = never
    ) -> protocol.Frames:
        """The events from the start of the update that event ``first`` lies in, and the state before them.

        Up to event ``last``, or as far as they can be encoded in time; at least to the event ``shown``, and with
        ``more`` to event ``first``. If it ``goes_on`` from the event before ``first``, which the stage holds, only
        those from ``first`` on, possibly none.
        """
        if goes_on and not more and first > max(shown, last):
            return {"first": first, "before": None, "columns": _typed({name: [] for name in COLUMNS})}
        engine, first = self.engine, min(first, len(self.engine.trace))
        chunk = self._chunk(first, stop)
        deadline = time.perf_counter() + AHEAD_SECONDS
        last, least = min(last, self._limit), min(max(first + more, shown), self._limit)

        def is_over(_: Engine | None = None) -> bool:
            return stop() or (engine.position >= least and time.perf_counter() > deadline)

        while engine.position < last and not engine.finished and not is_over():
            self._append(chunk, is_over, stop)
        if engine.position < least and not engine.finished:
            stop.check()
        self._kept = chunk
        last = max(last, least)
        return chunk.columns_from(first, last) if goes_on else chunk.columns_of(last)

    def step(self, position: int, grain: Grain, stop: Stop = never) -> int:
        """Encode the events of a step from a position on; returns where it ends or was stopped."""
        engine = self.engine
        known = engine.trace.stops(grain)
        # Only the next event shows whether a round has ended.
        known = known[(position < known) & (known < len(engine.trace))]
        if len(known):
            return int(known[0])
        chunk = self._chunk(position, stop)

        def is_there() -> bool:
            return engine.position == self._limit or (engine.position > position and looking.step_ended(engine, grain))

        while not engine.finished and not is_there():
            self._append(chunk, lambda _: stop(), stop)
            if engine.position <= position:
                stop.check()
            elif stop():
                break
        self._kept = chunk
        return engine.position

    def prepare(self, position: int, last: int, stop: Stop = never) -> None:
        """Encode from a position to another, and on to where the step by group ends, until ``stop`` says so.

        What was encoded before and is forgotten, the stage holds: it is not encoded again.
        """
        begin = position if self._kept is None else max(position, self._kept.first)
        engine, chunk = self.engine, self._chunk(begin, stop)

        most = 1 + KEPT // (1 + len(engine.graph.edges))

        def is_enough() -> bool:
            is_there = engine.position >= last and looking.step_ended(engine, "node")
            return is_there or engine.position == self._limit or len(chunk.openings) > most

        while not (engine.finished or is_enough() or stop()):
            self._append(chunk, lambda _: stop(), stop)
        self._kept = chunk

    @property
    def _limit(self) -> int:
        """The last position that can be shown."""
        return sys.maxsize if self.run.until is None else self.run.until

    def last_event(self, stop: Stop = never) -> protocol.Frames:
        """Only the event before the engine's position, without pictures of its update.

        A position between updates is sent without computing the update again, which may take long.
        """
        chunk = Chunk(self.run, stop)
        event = looking.last_event(self.engine)
        if event is not None:
            chunk.openings[chunk.first - 1] = chunk.openings[chunk.first]
            chunk.first -= 1
            chunk.why = ""  # so that the sentence gives the reason if it is proven
            chunk.append(event, stop)
        return chunk.columns_of(chunk.end)

    def _chunk(self, first: int, stop: Stop) -> Chunk:
        """The chunk that begins with the update that event ``first`` lies in; the engine is at its end."""
        engine, chunk, start = self.engine, self._kept, _start(self.engine, first)
        # If this is stopped, the encoded events no longer match the engine.
        self._kept = None
        if chunk is None or start not in chunk.openings:
            go_to(engine, start, stop)
            self.refusal = ""
            chunk = Chunk(self.run, stop)
        chunk.forget_before(start)
        go_to(engine, chunk.end, stop)
        return chunk

    def _append(self, chunk: Chunk, is_over: OnProgress, stop: Stop) -> None:
        """Compute one more event, unless it is interrupted."""
        for event in self.engine.step("event", is_over):
            chunk.append(event, stop)
            self.refusal = chunk.refusal


def _start(engine: Engine, position: int) -> int:
    """Where the update that is open at a position began; the position itself between updates."""
    done = np.flatnonzero(engine.trace.column("kind")[:position] >= Kind.MESSAGE)
    return int(done[-1]) + 1 if len(done) else 0


def _updates(engine: Engine) -> int:
    """The number of updates that have ended in the sweep at the engine's position."""
    kinds = engine.trace.column("kind")[: engine.position]
    ends = np.flatnonzero(kinds == Kind.SWEEP)
    begin = int(ends[-1]) + 1 if len(ends) else 0
    return int(np.count_nonzero(kinds[begin:] == Kind.MESSAGE))


class Chunk:
    """Events in a row, as columns, from the engine's position on.

    Parameters
    ----------
    run : WatchedRun
    stop : Stop
        Checked about every 10 ms.

    Attributes
    ----------
    first : int
        The position before them.
    openings : dict
        By the positions between updates, the states there.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """

    def __init__(self, run: WatchedRun, stop: Stop = never) -> None:
        engine = run.engine
        self.run, self.engine, self.first = run, engine, engine.position
        self.update: Update | None = None
        self.round = math.nan  # the floor at the last oracle
        self.best, self.tension = best_states(engine), tensions(engine)
        self.decided = [decided_of(engine, p) for p in range(len(engine.partition))]
        self.why = self._proof(stop) if self.first else by_cycles(engine)
        self.gained, self.read = looking.attribution(engine), looking.work(engine).messages
        self.rows = looking.rows_made(engine)
        self.updates = _updates(engine)
        self.lower, self.upper = engine.lower_bound, engine.upper_bound
        self.columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.openings = {self.first: self._now()}
        self.refusal = ""

    @property
    def end(self) -> int:
        """The position after the last of them."""
        return self.first + len(self.columns["kind"])

    def columns_of(self, last: int) -> protocol.Frames:
        """The chunk as it is sent, up to a position."""
        return {"first": self.first, "before": self.openings[self.first], "columns": self._columns(self.first, last)}

    def columns_from(self, first: int, last: int) -> protocol.Frames:
        """The same from an event on, for a receiver that knows the state before it."""
        return {"first": first, "before": None, "columns": self._columns(first, last)}

    def _columns(self, first: int, last: int) -> protocol.Columns:
        return _typed({name: column[first - self.first : last - self.first] for name, column in self.columns.items()})

    def forget_before(self, opening: int) -> None:
        """Drop the events of the updates before one."""
        self.columns = {name: column[opening - self.first :] for name, column in self.columns.items()}
        self.first, self.openings = opening, {at: now for at, now in self.openings.items() if at >= opening}

    def append(self, event: Event, stop: Stop = never) -> None:
        """Add the engine's last event."""
        floor, ceiling, suspects = self._reckoned(event)
        known = list(self.decided)
        moved = self._moved(event)  # first, as the pictures of an update show the best labelling
        detail = self._detail(event, stop)
        self.updates += event.kind == Kind.MESSAGE
        more = [self._decides(known)]
        if event.kind >= Kind.MESSAGE and not self.why:
            self.why = self._proof(stop)
            more.append(optimal(self.why) if self.why else "")
        sentence = self._sentence(event, floor)
        columns_of: protocol.Columns = {
            "kind": [int(event.kind)],
            "node": [event.node],
            "arc": [event.arc],
            "sweep": [event.sweep],
            "updates": [self.updates],
            "total_rows": [event.rows],
            "state": [event.state],
            "depth": [event.depth],
            "lower": [event.lower_bound],
            "upper": [event.upper_bound],
            "floor": [None if math.isnan(floor) else floor],
            "ceiling": [None if math.isnan(ceiling) else ceiling],
            "suspects": [suspects],
            "sentence": [inert(" ".join(filter(None, [sentence, *more])))],
            "moved": [moved],
            "gained": [self._gained(event)],
            "read": [self._read()],
            "proven": [bool(self.why)],
            "why": [self.why],
            "least": [self.engine.margin.lattice.raised(event.lower_bound, event.upper_bound)],
            "detail": [detail],
        }
        for name, entry in cast(dict[str, list[Any]], columns_of).items():
            self.columns[name] += entry
        self.lower, self.upper = event.lower_bound, event.upper_bound
        if event.kind == Kind.ROW:
            self.rows[event.arc] += 1
        if event.kind >= Kind.MESSAGE:
            self.openings[self.end] = self._now()
        if event.kind == Kind.SWEEP:
            self.updates = 0

    def _now(self) -> protocol.Before:
        """The state after the last event."""
        return {
            "rows": self.rows.tolist(),
            "tension": tension_sent(self.tension),
            "gained": gained_sent(self.gained),
            "read": self.read.tolist(),
            "best": self.best,
            "decided": list(self.decided),
            "proven": bool(self.why),
            "why": self.why,
            "least": self.engine.margin.lattice.raised(self.lower, self.upper),
            "lower": self.lower,
            "upper": self.upper,
        }

    def _sentence(self, event: Event, floor: float) -> str:
        """The event in words, with facts that it does not contain itself."""
        engine, loose, risen = self.engine, None, None
        if event.kind == Kind.ORACLE:
            self.round = floor
            loose = None if self.update is None else self.update.loose
        elif event.kind == Kind.ROW:
            risen = (self.round, floor)
        points, within = engine.margin.lattice, 0.0 if engine.margin.lattice.step else engine.margin.gain
        proven = bool(self.why)
        columns_of = explain(
            event, engine.graph, engine.variant, engine.settings.schedule, loose, risen, points, proven, within
        )
        return columns_of.sentence

    def _decides(self, known: list[str]) -> str:
        """The variables decided since the previous event, in words."""
        names, groups = self.engine.mrf.names, self.engine.partition.groups
        return decides(
            [
                f"{label(names[i])} = {value}"
                for group, before, now in zip(groups, known, self.decided, strict=True)
                if before != now
                for i, was, value in zip(group.tolist(), before, now, strict=True)
                if was == "?" != value
            ],
            0.0 if self.engine.margin.step else self.engine.margin.negligible,
        )

    def _reckoned(self, event: Event) -> tuple[float, float, int]:
        """Floor, ceiling and suspects after an event; after a row, which does not contain them, from the engine."""
        now = looking.open_update(self.engine) if event.kind == Kind.ROW else None
        of = event if now is None else now
        return of.floor, of.ceiling, of.suspects

    def _detail(self, event: Event, stop: Stop) -> protocol.Detail | None:
        try:
            if event.kind == Kind.NODE_OPENED:
                self.update, self.refusal = None, ""
                self.update = Update(self.engine, event, self.best[event.node], stop)
            return self.update.detail(event) if self.update is not None and event.kind <= Kind.MESSAGE else None
        except TooLargeError as error:
            self.refusal = f"There is no room to draw this update: {error}."
            return None

    def _moved(self, event: Event) -> protocol.Moved | None:
        """The tensions and states of the best labelling that have changed, by messages or by a better labelling."""
        if event.kind < Kind.MESSAGE and event.upper_bound == self.upper:
            return None
        best, tension = best_states(self.engine), tensions(self.engine)
        found: protocol.Moved = {
            "groups": _changes(self.tension.groups, tension.groups),
            "edges": _changes(self.tension.edges, tension.edges),
            "best": {str(p): state for p, state in enumerate(best) if state != self.best[p]},
            "decided": self._decided(event, best),
        }
        self.best, self.tension = best, tension
        return found if any(found.values()) else None

    def _decided(self, event: Event, best: list[int]) -> dict[str, str]:
        """The decided members of groups: of the one that has passed its messages, or after a better labelling."""
        decoded_anew = {p for p, state in enumerate(best) if state != self.best[p]}
        found = {}
        for p in sorted(decoded_anew | ({event.node} if event.kind == Kind.MESSAGE else set())):
            now = decided_of(self.engine, p)
            if now != self.decided[p]:
                found[str(p)] = self.decided[p] = now
        return found

    def _proof(self, stop: Stop) -> str:
        """Why the engine considers the best labelling proven; empty if it does not."""
        engine, run = self.engine, self.run
        if by_cycles(engine):
            return BY_CYCLES
        if proves(engine):
            return bounded(engine.arrays.bound_excess >= -engine.margin.negligible, engine.margin.step)
        if run.settled is None or engine.position < run.settled:
            # All groups are examined again when they have decided every variable, or a proof ends.
            is_decided = not any("?" in members for members in self.decided)
            if not ((is_decided or engine.position == run.until) and settled(engine, stop)):
                return ""
            run.settled = engine.position
        return DECIDED

    def _gained(self, event: Event) -> protocol.Credited | None:
        """The parts whose credit has grown; credit is given where messages are passed."""
        if event.kind != Kind.MESSAGE:
            return None
        gained = looking.attribution(self.engine)
        found: protocol.Credited = {
            "groups": _changes(self.gained.groups, gained.groups),
            "messages": _changes(self.gained.messages, gained.messages),
        }
        self.gained = gained
        return found if any(found.values()) else None

    def _read(self) -> dict[str, int]:
        """The work of the messages for which entries have been read."""
        read = looking.work(self.engine).messages
        found = {str(arc): int(read[arc]) for arc in np.flatnonzero(read != self.read).tolist()}
        self.read = read
        return found


def _typed(columns: dict[str, list[Any]]) -> protocol.Columns:
    """Columns by names that a type checker cannot follow."""
    return cast(protocol.Columns, columns)


def _changes(before: FloatArray, now: FloatArray) -> dict[str, float]:
    return {str(k): rounded(now[k]) for k in np.flatnonzero(now != before).tolist()}


def by_cycles(engine: Engine) -> str:
    """Why the best labelling was proven before a run began, by cycles; empty if it was not."""
    return BY_CYCLES if engine.arrays.proven.is_optimal else ""


def best_states(engine: Engine) -> list[int]:
    """The state of every group in the best labelling."""
    states: list[int] = engine.graph.states(engine.labeling).tolist()
    return states


def decided_of(engine: Engine, p: int) -> str:
    """For every member of a group 0 or 1, if all states that a better labelling may have agree on it; else ?."""
    if not engine.settings.excluding:
        return "?" * len(engine.partition.groups[p])
    return "".join("?" if value == OPEN else str(value) for value in decided_members(engine, p).tolist())


def tension_sent(parts: Tension) -> protocol.Tension:
    return {"groups": listed(parts.groups), "edges": listed(parts.edges)}


def gained_sent(parts: Attribution) -> protocol.Gained:
    return {"messages": listed(parts.messages), "groups": listed(parts.groups)}
