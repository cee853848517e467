"""The cut on the table of Partition, and the cuts that undo and redo go to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from bender_core.groups import Partition

MOST_STEPS = 100


class Cut(NamedTuple):
    """A partition, and the M that was asked for."""

    part: Partition
    max_size: int

    @property
    def choice(self) -> tuple[int, str]:
        """What the boxes say of it: M and the strategy."""
        return self.max_size, self.part.strategy


@dataclass
class Draft:
    """What a person is about to cut; the run knows nothing of it yet."""

    number: int  # of the run it began with
    now: Cut
    past: list[Cut] = field(default_factory=list)
    future: list[Cut] = field(default_factory=list)
    error: str = ""
    wanted: tuple[int, str] | None = None  # M and strategy of a cut that is being made
    told: Cut = field(init=False)  # what the boxes on the page say

    def __post_init__(self) -> None:
        self.told = self.now

    def put(self, cut: Cut) -> None:
        """Go on to another cut."""
        self.past = [*self.past, self.now][-MOST_STEPS:]
        self.future = []
        self.now = cut

    def undo(self) -> None:
        """Go back to the cut before."""
        if self.past:
            self.future.append(self.now)
            self.now = self.past.pop()

    def redo(self) -> None:
        """Take an undo back."""
        if self.future:
            self.past.append(self.now)
            self.now = self.future.pop()
