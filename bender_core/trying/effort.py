"""The work of runs during a search for groups: counted, reported, and stopped on request."""

from __future__ import annotations

import math

from bender_core.stopping import Stop, never
from bender_core.strategies import Tell
from bender_core.trying.trials import T, Trial, Trying, course


class Effort:
    """The work of runs during a search for groups.

    Parameters
    ----------
    stop : Stop
        Checked between slices of a run, and after it.
    tell : callable, optional
        Called as often with the share of the work done, and the best lower bound so far.

    Attributes
    ----------
    done : int
        Table entries read, with other work converted to entries.
    left : float
        The most work that may follow; infinite until known.
    bound : float
        The best lower bound of all runs, energy; minus infinity before the first.
    """

    def __init__(self, stop: Stop = never, tell: Tell | None = None) -> None:
        self.stop, self._tell = stop, tell
        self.done, self.left, self.bound = 0, math.inf, -math.inf

    def limit(self, left: int) -> None:
        """Note that at most this work follows."""
        self.left = min(self.left, left)

    def count(self, work: int) -> None:
        """Note work that is done."""
        self.done += work
        self.left = max(self.left - work, 0)

    def spend(self, trying: Trying[T]) -> T:
        """Let a procedure spend the work that it requests; returns its result.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        moments = course(trying, self._note)
        while True:
            try:
                next(moments)
            except StopIteration as end:
                found: T = end.value
                return found
            self.stop.check()

    def _note(self, trial: Trial, work: int) -> None:
        self.count(work)
        self.bound = max(self.bound, trial.engine.lower_bound)
        if self._tell is not None:
            self._tell(self.done / (self.done + self.left), self.bound)
