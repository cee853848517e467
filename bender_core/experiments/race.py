"""Runs on one model side by side. The run with the least time goes next, so a race is fair at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bender_core.experiments.lane import Lane


@dataclass(eq=False)
class Race:
    """Runs that take turns.

    Attributes
    ----------
    lanes : list of Lane
    """

    lanes: Sequence[Lane]

    @property
    def finished(self) -> bool:
        """Whether all runs have ended."""
        return all(lane.outcome is not None for lane in self.lanes)

    def advance(self) -> None:
        """Advance the run with the least time a little; of several, the one with the fewest turns.

        Raises
        ------
        TooLargeError, EngineError
        """
        min(
            (lane for lane in self.lanes if lane.outcome is None), key=lambda lane: (lane.seconds, lane.turns)
        ).advance()
