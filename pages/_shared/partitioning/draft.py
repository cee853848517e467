"""The draft on Partition, and the partitions for undo and redo."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bender_core.groups import Partition
from pages._shared.partitioning.making import Costing, PartitionMaker
from pages._shared.running.kept import Kept

MOST_STEPS = 100


class SizedPartition(NamedTuple):
    """A partition, and its requested M."""

    part: Partition
    max_size: int

    @property
    def choice(self) -> tuple[int, str]:
        """The values of its widgets: M and the strategy."""
        return self.max_size, self.part.strategy


@dataclass
class Draft:
    """A partition in preparation, independent of the run, with what is computed for it."""

    number: int  # of the run it began with
    now: SizedPartition
    maker: PartitionMaker
    costing: Costing
    choices: dict[str, Any] = field(default_factory=dict)  # the values of the page's widgets
    past: list[SizedPartition] = field(default_factory=list)
    future: list[SizedPartition] = field(default_factory=list)
    error: str = ""
    being_made: tuple[int, str] | None = None  # M and strategy of a partition that is being made
    in_widgets: SizedPartition = field(init=False)  # as in the widgets on the page

    def __post_init__(self) -> None:
        self.in_widgets = self.now

    def stop(self) -> None:
        """Another draft begins: what is computed for this one is not needed."""
        self.maker.stop()
        self.costing.stop()

    def put(self, partition: SizedPartition) -> None:
        """Continue with another partition."""
        self.past = [*self.past, self.now][-MOST_STEPS:]
        self.future = []
        self.now = partition

    def undo(self) -> None:
        """Go back to the previous partition."""
        if self.past:
            self.future.append(self.now)
            self.now = self.past.pop()

    def redo(self) -> None:
        """Reverse an undo."""
        if self.future:
            self.past.append(self.now)
            self.now = self.future.pop()


DRAFT = Kept[Draft]("draft")
