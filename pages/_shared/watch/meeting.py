"""Two runs side by side that look for a place together: where their bounds first differ, or where the other one leads.

Each run is used by a thread of its own (`Answers`). The search uses both, so each thread waits for the other.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Literal

from bender_core import Engine, Stop, Stopped
from bender_core.trying.clock import Beat, Clock
from pages._shared.running.watched import WatchedRun, go_to

Where = Literal["difference", "lead"]

MISSED: dict[Where, str] = {
    "difference": "LB is the same in both to the end",
    "lead": "the other run never takes the lead after this",
}
# Seconds between two looks at whether to stop.
_LOOK = 0.05


@dataclass(eq=False)
class Meeting:
    """A search for a place of two runs.

    Attributes
    ----------
    runs : pair of WatchedRun
    where : {"difference", "lead"}
    beat : {"node", "sweep", "work"}
    begins : pair of int
        The complete sweeps before the beginning of each.
    """

    runs: tuple[WatchedRun, WatchedRun]
    where: Where
    beat: Beat
    begins: tuple[int, int] = (0, 0)
    _missed: str | None = None
    _found: bool = False  # whether the search has come to its end
    _second_waits: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)
    _searching: threading.Lock = field(default_factory=threading.Lock)

    def search(self, run: WatchedRun, stop: Stop) -> str | None:
        """Let a run be used for the search; it is shown at the place found. Returns a message if there is none.

        Raises
        ------
        Stopped
            If ``stop`` says so, for either run.
        """
        try:
            go_to(run.engine, run.position, stop)
            if run is self.runs[1]:
                self._second_waits.set()
                _wait(self._over, stop)
            else:
                _wait(self._second_waits, stop)
                self._search(stop)
        finally:
            self._second_waits.set()
            self._over.set()
            # The first has the engine of the second until it sees that it is over.
            with self._searching:
                pass
        if not self._found:
            raise Stopped
        if self._missed is None:
            run.show(run.engine.position)
        return self._missed

    def _search(self, stop: Stop) -> None:
        def tell(_: Engine) -> bool:
            return stop() or self._over.is_set()

        first, second = self.runs
        with self._searching:
            if self._over.is_set():  # the second has left
                return
            clock = Clock((first.engine, second.engine), self.beat, self.begins, (first.until, second.until))
            go = clock.to_first_difference if self.where == "difference" else clock.to_next_lead
            is_there = go(tell)
            self._found = is_there or not tell(first.engine)
            self._missed = None if is_there else MISSED[self.where]


def _wait(event: threading.Event, stop: Stop) -> None:
    """Wait for an event.

    Raises
    ------
    Stopped
        If ``stop`` says so first.
    """
    while not event.wait(_LOOK):
        stop.check()
