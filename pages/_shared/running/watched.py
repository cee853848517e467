"""The run that is watched: an engine, the position shown, and the background work that uses it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from bender_core.looking.attribution import Attribution
from bender_core.looking.bounds import Tension
from bender_core.looking.words import ROUNDING
from bender_core.model import IntArray
from bender_core.stopping import never
from pages._shared.running.background import Exclusive

# The interval at which a background run reports its progress; the stage asks a little less often.
TELL_SECONDS = 0.2


class Place(NamedTuple):
    """A place that runs with the same groups have in common, whatever their events are.

    Attributes
    ----------
    sweep : int
        The number of complete sweeps before it.
    group : int
        The one whose update in the next sweep is open, or has ended last; -1: none.
    is_open : bool
        Whether it is open.
    nth : int
        Which update of this group in the sweep, from 0: in some schedules a sweep has several.
    """

    sweep: int
    group: int = -1
    is_open: bool = False
    nth: int = 0


@dataclass(frozen=True, eq=False)
class Progress:
    """The last reported position of a background run. Copies: the run continues while they are drawn."""

    sweep: int
    rows: int
    events: int
    lower: float
    upper: float
    tension: Tension  # of every group and edge
    gained: Attribution  # by every group and message
    read: IntArray  # table entries, for every message
    rows_made: IntArray  # for every message
    trace: bc.Trace
    when: float  # seconds, of the clock


@dataclass
class WatchedRun:
    """An engine, the position shown, and the background work that uses it: a run to the end, or a look."""

    engine: bc.Engine
    position: int = 0
    seen: int = 0  # the latest event shown; the engine computes a little further ahead
    arc: int = 0  # the message selected last
    pinned: bool = False  # whether it is pinned; else the stage follows the loosest message
    work: Exclusive = field(default_factory=Exclusive)
    progress: Progress | None = None  # the position reached by the latest run to the end, until `settle`
    failure: str = ""
    since: int = 0  # the first position shown
    until: int | None = None  # the last one shown, where the next chapter begins; None: the run may go on
    settled: int | None = None  # the first position known at which its messages decide every variable
    opening: tuple[float, float] = field(init=False)  # the bounds before anything happened
    _reached: int = field(default=0, init=False)  # where the latest run in the background has come to

    def __post_init__(self) -> None:
        self.engine.seek(0)
        self.opening = self.engine.lower_bound, self.engine.upper_bound

    @property
    def running(self) -> bool:
        """Whether the engine is running to the end in the background."""
        return self.progress is not None and self.work.alive

    @property
    def looking(self) -> bool:
        """Whether the background thread is using the engine to look at the run."""
        return self.progress is None and self.work.alive

    @property
    def complete(self) -> bool:
        """Whether the trace reaches the end of the run."""
        trace = self.engine.trace
        return len(trace) > 0 and trace[-1].kind == Kind.FINISHED

    @property
    def end(self) -> int | None:
        """The last position that can be shown; None until it is known."""
        if self.until is not None:
            return self.until
        return len(self.engine.trace) if self.complete else None

    def show(self, position: int) -> None:
        """Show the position after the first ``position`` events."""
        known = len(self.engine.trace)
        self.position = min(max(position, self.since), known if self.until is None else min(known, self.until))
        self.seen = max(self.seen, self.position)

    def step(self, grain: bc.Grain, backward: bool, stop: bc.Stop = never) -> None:
        """One step of a grain, in either direction; if stopped, it ends after the last complete update.

        Raises
        ------
        Stopped
            If ``stop`` says so before the step could begin.
        """
        if backward:
            self.step_back(grain)
            return
        if self.until is not None:
            later = self.engine.trace.until(self.until).stops(grain)
            later = later[later > self.position]
            self.show(int(later[0]) if len(later) else self.until)
            return
        go_to(self.engine, self.position, stop)
        self.engine.step(grain, lambda _: stop())
        self.show(max(self._last_update(), self.position) if stop() else self.engine.position)

    def _last_update(self) -> int:
        """The position after the last complete update."""
        ends = self.engine.trace.until(self.engine.position).stops("node")
        return int(ends[-1]) if len(ends) else 0

    def step_back(self, grain: bc.Grain) -> None:
        """Go back to the beginning of the step of a grain that led here."""
        stops = self.engine.trace.until(self.position).stops(grain)
        earlier = stops[stops < self.position]
        self.show(int(earlier[-1]) if len(earlier) else 0)

    @property
    def place(self) -> Place:
        """The place shown."""
        kinds = self.engine.trace.column("kind")[: self.position]
        sweep, last = int(np.count_nonzero(kinds == Kind.SWEEP)), int(kinds[-1]) if len(kinds) else Kind.SWEEP
        if last >= Kind.SWEEP:
            return Place(sweep)
        node, is_open = self.engine.trace[self.position - 1].node, last < Kind.MESSAGE
        begin = int(np.flatnonzero(kinds == Kind.SWEEP)[-1]) + 1 if sweep else 0
        return Place(sweep, node, is_open, len(_ends_of(self.engine.trace, node, begin, self.position)) - (not is_open))

    def start(self, until: int | Place | None = None) -> None:
        """Continue in the background: to the end, until event ``until``, or to a place."""
        if not self.settle():
            return
        self.progress, self._reached = self._progress(), self.position
        self.work.begin(partial(self._drive, until))

    def join(self, place: int | Place) -> None:
        """Show a position or a place: at once if it is known, else when the run has come there, in the background."""
        if not self.settle():
            return
        trace = self.engine.trace
        found = position_of(trace, place) if isinstance(place, Place) else place
        if found is None or found > len(trace):
            self.start(until=place)
        else:
            self.show(found)

    def look(self, job: Callable[[threading.Event], None]) -> None:
        """Let a job use the engine in the background, until something else needs it; the job takes it."""
        if self.settle():
            self.work.begin(job, waits=False)

    def halt(self) -> None:
        """Stop the background work, and wait for its end (it checks about every 50 ms)."""
        self.work.stop(wait=None)

    def settle(self) -> bool:
        """Whether the engine is free: looks are stopped, a run to the end is not; where it has ended is shown."""
        if self.running:
            return False
        self.halt()
        if self.progress is not None:
            self.progress = None
            self.show(self._reached)
        return True

    def _drive(self, until: int | Place | None, stop: threading.Event) -> None:
        tell = partial(self._tell, stop)
        try:
            with self.work.taken(bc.Stop(requested=stop.is_set)):
                if not self.engine.seek(len(self.engine.trace), tell):
                    return
                if isinstance(until, Place):
                    run_to(self.engine, until, tell)
                else:
                    self.engine.run(max_events=until, on_progress=tell)
                self._reached = self.engine.position
        except bc.Stopped:
            pass
        except bc.EngineError as error:
            self.failure = str(error)

    def _tell(self, stop: threading.Event, engine: bc.Engine) -> bool:
        if self.progress is None or time.perf_counter() - self.progress.when > TELL_SECONDS:
            self.progress = self._progress()
        return stop.is_set()

    def _progress(self) -> Progress:
        engine = self.engine
        last = looking.last_event(engine)
        return Progress(
            0 if last is None else last.sweep,
            engine.n_rows,
            engine.position,
            engine.lower_bound,
            engine.upper_bound,
            tensions(engine),
            looking.attribution(engine),
            looking.work(engine).messages,
            looking.rows_made(engine),
            engine.trace,
            time.perf_counter(),
        )


def run_to(engine: bc.Engine, place: Place, on_progress: Callable[[bc.Engine], bool]) -> None:
    """Continue to a place, or to the end of the run if that comes first; where ``on_progress`` is true, it ends."""
    engine.run(max_sweeps=place.sweep, on_progress=on_progress)
    left = place.nth
    while place.group >= 0 and engine.sweep == place.sweep and not engine.finished:
        begin = engine.position
        engine.step("node", on_progress)
        last = looking.last_event(engine)
        if last is None or last.kind < Kind.MESSAGE:
            return  # stopped
        left -= last.kind == Kind.MESSAGE and last.node == place.group
        if last.kind > Kind.MESSAGE and (found := position_of(engine.trace, place)) is not None:
            engine.seek(found, on_progress)
        elif left < 0 and place.is_open:
            engine.seek(begin + 1, on_progress)
        if left < 0 or last.kind > Kind.MESSAGE:
            return


def position_of(trace: bc.Trace, place: Place) -> int | None:
    """The position of a place; None if the trace does not reach it."""
    kinds = trace.column("kind")
    begins = np.append(0, np.flatnonzero(kinds == Kind.SWEEP) + 1)
    if place.sweep >= len(begins):
        return None
    begin = int(begins[place.sweep])
    if place.group < 0:
        return begin
    end = int(begins[place.sweep + 1]) if place.sweep + 1 < len(begins) else len(kinds)
    ends = _ends_of(trace, place.group, begin, end)
    is_whole = end < len(kinds) or (len(kinds) > begin and kinds[-1] >= Kind.SWEEP)
    if len(ends) <= place.nth and not is_whole:
        return None
    if not len(ends):
        return end
    # A schedule with fewer updates of the group: the last of them.
    at = int(ends[min(place.nth, len(ends) - 1)])
    opened = np.flatnonzero(kinds[:at] == Kind.NODE_OPENED)
    return (int(opened[-1]) if place.is_open else at) + 1


def _ends_of(trace: bc.Trace, group: int, begin: int, end: int) -> IntArray:
    """The events from one position to another at which updates of a group end."""
    kinds, nodes = (trace.column(name)[begin:end] for name in ("kind", "node"))
    found: IntArray = begin + np.flatnonzero((kinds == Kind.MESSAGE) & (nodes == group))
    return found


def go_to(engine: bc.Engine, position: int, stop: bc.Stop) -> None:
    """Seek.

    Raises
    ------
    Stopped
        If ``stop`` says so before the position is reached.
    """
    if not engine.seek(position, lambda _: stop()):
        raise bc.Stopped


def tensions(engine: bc.Engine) -> Tension:
    """The tension of every part; values within rounding error of 0 are 0."""
    least = ROUNDING * engine.graph.problem.scale
    groups, edges = (np.where(values > least, values, 0.0) for values in looking.tension(engine))
    return Tension(groups, edges)


def whereabouts(engine: bc.Engine) -> str:
    """What an engine is computing, for example "event 2,310, message 3 of 7, 41%"."""
    where = looking.whereabouts(engine)
    parts = [f"event {engine.position + 1:,}"]
    if where.message < where.messages:
        parts.append(f"message {where.message + 1} of {where.messages}")
    if where.share:
        parts.append(f"{where.share:.0%}")
    return ", ".join(parts)
