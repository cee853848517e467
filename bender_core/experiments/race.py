"""Runs on one model side by side. The run with the least time goes next, so a race is fair at any moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bender_core.account import Account
from bender_core.experiments.lane import Entry, Lane
from bender_core.experiments.plan import Limits


@dataclass(eq=False)
class Race:
    """Runs that take turns.

    Attributes
    ----------
    lanes : list of Lane
    """

    lanes: Sequence[Lane]

    @classmethod
    def of(cls, entries: Iterable[Entry], limits: Limits, account: Account | None = None) -> Self:
        """A race of runs that share their memory: each may grow while all of them together are within the limit.

        The process of an external solver has to know its memory before it begins: it reserves what it needs. Half of
        the rest is for the processes in equal parts, the other half for the runs.

        Parameters
        ----------
        entries : iterable of Entry
        limits : Limits
            Of every run, but for the megabytes, which are those of all together.
        account : Account, optional
            What they are charged to; by default one with these megabytes.
        """
        entries = list(entries)
        account = account or Account(limits.megabytes << 20)
        needed = [-(-entry.memory >> 20) for entry in entries]
        rest = max(limits.megabytes - sum(needed), 0)
        share = rest // (2 * max(sum(entry.is_process for entry in entries), 1))
        lanes = []
        for entry, need in zip(entries, needed, strict=True):
            own = need + share if entry.is_process else limits.megabytes
            lane = Lane(entry, replace(limits, megabytes=own), account=account)
            lane.reserve(own << 20 if entry.is_process else entry.memory)
            lanes.append(lane)
        return cls(lanes)

    @property
    def finished(self) -> bool:
        """Whether all runs have ended."""
        return all(lane.outcome is not None for lane in self.lanes)

    def advance(self) -> None:
        """Advance the run with the least time a little; of several, the one with the fewest turns.

        Raises
        ------
        EngineError
        """
        min(
            (lane for lane in self.lanes if lane.outcome is None), key=lambda lane: (lane.seconds, lane.turns)
        ).advance()
