"""The state of the Compare page: a race and partitions in the background, and pinned runs."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

import bender_core as bc
from bender_core.experiments import FinishedRun, Limits, Outcome, Store, Task, curve_of
from bender_core.experiments.lane import Entry, Lane
from bender_core.experiments.methods import Method
from bender_core.experiments.outcome import CURVE
from bender_core.experiments.race import Race
from bender_core.forms.polynomial import polynomial
from bender_core.forms.scale import visible_scale
from pages._shared.app.fields import CYCLES, WATCH
from pages._shared.app.next_run import Choice
from pages._shared.app.requests import BY_OF, PAGE_OF
from pages._shared.app.session import Lab, begin_next
from pages._shared.compare.curves import Curve
from pages._shared.partitioning.making import PartitionMaker
from pages._shared.running.background import Personal

# A stop waits for the current turn; a turn that builds large tables is left to finish by itself.
STOP_SECONDS = 0.4


@dataclass(eq=False)
class Racing(Personal):
    """A race in the background.

    Attributes
    ----------
    lanes : list of Lane
    limits : Limits
        The requested limits of every run.
    goes_on : callable
        Called at every turn; the race stops when it returns False.
    failure : str
        The reason why it was abandoned, or empty.
    """

    lanes: list[Lane]
    limits: Limits
    goes_on: Callable[[], bool]
    failure: str = ""

    @property
    def share(self) -> float:
        """The share that is done, at least."""
        return sum(lane.share for lane in self.lanes) / len(self.lanes)

    @property
    def doing(self) -> str:
        """Its progress, in numbers."""
        done = sum(lane.outcome is not None for lane in self.lanes)
        going = [lane for lane in self.lanes if lane.outcome is None]
        text = f"{done} of {len(self.lanes)} runs have ended"
        if not going:
            return text
        seconds = min(lane.seconds for lane in going)
        starting = [lane.entry.strategy for lane in going if lane.turns and not lane.seconds]
        if starting:
            return f"{text}; starting {', '.join(starting)}…"
        text += f"; the others have used {seconds:.1f} s of {self.limits.seconds:g} s"
        sweeps = [lane.sweeps for lane in going if lane.entry.method is None]
        if not sweeps:
            return text
        fewest, most = min(sweeps), max(sweeps)
        return f"{text}, sweep {fewest}" + f" to {most}" * (fewest < most)

    def start(self) -> None:
        self.begin(self._drive)

    def _drive(self, stop: threading.Event) -> None:
        race = Race(self.lanes)
        try:
            while not (race.finished or stop.is_set()) and self.goes_on():
                race.advance()
        except bc.EngineError as error:
            self.failure = str(error)
        finally:
            for lane in self.lanes:
                lane.end()

    def status(self, lane: Lane) -> str:
        """The status of a run, in words."""
        if lane.outcome is None:
            return "racing" if self.busy and lane.records else "waiting" if self.busy else "stopped"
        return "stopped" if lane.limits.seconds < self.limits.seconds else lane.outcome.status


@dataclass(frozen=True, eq=False)
class Pin:
    """A run that stays in the chart."""

    entry: Entry
    task: Task
    outcome: Outcome
    curve: Curve


def megabytes(entry: Entry) -> int:
    """The least memory limit of a run, or of the first round of a method, in megabytes."""
    return -(-entry.memory >> 20)


@dataclass(eq=False)
class Contest:
    """The state of the Compare page for one model.

    Attributes
    ----------
    lab : Lab
    mrf : BinaryMRF
    maker : PartitionMaker
    choices : dict
        The values of the page's widgets; Streamlit forgets those of a page that is left.
    racing : Racing or None
    pins : dict
        By the keys of their curves.
    error : str
    requested : bool
        Whether a race was requested: the click is noted here, as Streamlit may drop the rerun that it starts.
    destination : str
        The page to open, if one is.
    to_prove : bool
        Whether to prove the model there.
    cycles_by : str
        What raises the bound on Cycles, if that is opened.
    """

    lab: Lab
    mrf: bc.BinaryMRF
    maker: PartitionMaker
    choices: dict[str, Any]
    racing: Racing | None = None
    pins: dict[str, Pin] = field(default_factory=dict)
    error: str = ""
    faults: list[str] = field(default_factory=list)
    requested: bool = False
    destination: str = ""
    to_prove: bool = False
    cycles_by: str = ""
    _races: int = 0

    @cached_property
    def scale(self) -> float:
        """The energy at stake in the model."""
        return visible_scale(np.concatenate(polynomial(self.mrf)))

    @property
    def busy(self) -> bool:
        return self.racing is not None and self.racing.busy

    def ask(self) -> None:
        self.requested, self.error, self.faults = True, "", []

    def start(self, entries: Sequence[Entry], limits: Limits) -> None:
        """Race; the runs share the memory that the run on Watch leaves."""
        self.requested = False
        self.stop()
        self._races += 1
        account = self.lab.account
        limits = replace(limits, megabytes=account.free >> 20)
        race = Race.of(entries, limits, account)
        self.racing = Racing(list(race.lanes), limits, lambda: self.lab.mrf is self.mrf)
        self.racing.start()

    def stop(self) -> None:
        if self.racing is not None:
            self.racing.stop(STOP_SECONDS)

    def pin(self, runs: Sequence[tuple[Lane, Curve]], store: Store | None) -> None:
        """Keep finished runs in the chart, and for later sessions."""
        self.error = ""
        for lane, curve in runs:
            if lane.outcome is None:
                continue
            task = lane.entry.task(lane.limits)
            self.pins[curve.key] = Pin(lane.entry, task, lane.outcome, curve)
            try:
                if store is not None:
                    store.add(task, lane.outcome)
            except (OSError, sqlite3.Error) as error:
                self.error = f"The run is pinned for this session only; it cannot be kept for later ones: {error}."

    def unpin(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.pins.pop(key, None)

    def watch(self, part: bc.Partition, curve: Curve) -> None:
        """Start the run again on Watch."""
        begin_next(self.lab, self._choice(part, curve))
        self.destination = WATCH

    def open(self, method: Method) -> None:
        """Prove the model again on Watch, or show its cycles."""
        self.destination = PAGE_OF[method.name]
        self.cycles_by = BY_OF.get(method.name, "")
        self.to_prove = self.destination == WATCH

    def open_both(self) -> None:
        """Show the cycles by the linear program and by messages, side by side."""
        self.destination, self.cycles_by = CYCLES, "both"

    def watch_both(self, runs: Sequence[tuple[bc.Partition, Curve]]) -> None:
        """Start two runs again on Watch, side by side."""
        first, second = runs
        self.watch(*first)
        begin_next(self.lab, self._choice(*second), is_beside=True)

    def _choice(self, part: bc.Partition, curve: Curve) -> Choice:
        size, strategy = (1, part.strategy) if curve.method else (curve.max_size, curve.strategy)
        rules = size, strategy, curve.variant, curve.schedule
        return Choice(self.mrf, self.lab.origin, *rules, part)

    def lanes(self) -> dict[str, Lane]:
        """The runs of the race, by the keys of their curves."""
        if self.racing is None:
            return {}
        return {f"{self._races}.{k}": lane for k, lane in enumerate(self.racing.lanes)}

    def curves(self) -> list[Curve]:
        """The runs of the race, and those pinned before."""
        own = {key: self._curve(key, lane) for key, lane in self.lanes().items()}
        before = [replace(pin.curve, note="pinned", faded=True) for key, pin in self.pins.items() if key not in own]
        return [*own.values(), *before]

    def _curve(self, key: str, lane: Lane) -> Curve:
        assert self.racing is not None
        entry = lane.entry
        return Curve(
            key=key,
            variant=entry.variant,
            max_size=entry.max_size,
            strategy=entry.strategy,
            schedule=entry.schedule,
            status=self.racing.status(lane),
            # The thread continues meanwhile, and appends to the same list.
            records=np.array(list(lane.records), CURVE),
            memory=None if entry.method else entry.memory,
            scale=self.scale,
            note="pinned" * (key in self.pins),
        )


def earlier(run: FinishedRun, scale: float) -> Curve:
    """A run of an earlier session, on a model whose energies have this scale."""
    task = run.task
    return Curve(
        key=task.key,
        variant=task.variant,
        max_size=task.max_size,
        strategy=task.strategy,
        schedule=task.schedule,
        status=run.outcome.status,
        records=curve_of(run.outcome.curve) if run.outcome.curve else np.zeros(0, CURVE),
        memory=None,
        scale=scale,
        note="earlier" if run.code == task.code else "earlier, older code",
        faded=True,
    )
