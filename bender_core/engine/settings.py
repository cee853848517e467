"""The settings of a run: one value, checked once."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from bender_core.groups import LARGEST_GROUP
from bender_core.variants import DEEPEST, SCHEDULES, Variant
from bender_core.variants import variant as variant_of

# More sweeps, events or entries than any run can have.
ENDLESS = np.iinfo(np.int64).max
# The number of states of the largest possible group.
MOST_STATES = 1 << LARGEST_GROUP


class Changes(TypedDict, total=False):
    """Some of the fields of `Settings`, as keywords of `Engine` and `Engine.fork`."""

    variant: int | Variant
    schedule: str
    tolerance: float
    max_sweeps: int
    deepest: int
    improving: bool
    excluding: bool
    snapshot_bytes: int


@dataclass(frozen=True)
class Settings:
    """The settings of a run.

    Attributes
    ----------
    variant : int or Variant
        The paper's number, 1 to 11, or 12: see `variants.VARIANTS`.
    schedule : {"mplp", "srmp"}
        The order of updates and the shares: the paper's, or forward and backward (docs/method.md §6).
    tolerance : float
        Relative to the bound, or to the energy at stake if that is less: a smaller gap counts as closed, a smaller gain
        of a sweep as no progress (docs/method.md §9.3).
    max_sweeps : int
        The run ends after this number of sweeps (400 in the paper).
    deepest : int
        Where the bound rises slowly, the envelopes of a group are made tight at up to this number of its best states
        instead of only at its minimiser; 1 is the paper's algorithm (docs/method.md §4.2).
    improving : bool
        Improve the decoded labelling after every sweep by local search. Without it the upper bound is the paper's: the
        energy of the best decoded labelling (docs/method.md §8).
    excluding : bool
        Exclude states of groups that no better labelling has (docs/method.md §15.1). This changes no result.
    snapshot_bytes : int
        The most memory for snapshots, bytes; when it is full, they are thinned out. The start is kept, too, and any
        later event can be reached from it by replay; but a run that continues another one and has 0 bytes for
        snapshots can only go forward.

    Raises
    ------
    ValueError
        If there is no such variant or schedule, or a number is out of range.
    TypeError
        If a number that must be whole is not.
    """

    variant: int | Variant = 9
    schedule: str = "mplp"
    tolerance: float = 1e-9
    max_sweeps: int = 400
    deepest: int = DEEPEST
    improving: bool = True
    excluding: bool = False
    snapshot_bytes: int = 256 << 20

    def __post_init__(self) -> None:
        self._set("variant", variant_of(self.variant))
        if self.schedule not in SCHEDULES:
            raise ValueError(f"there is no schedule {self.schedule!r}; choose one of {', '.join(SCHEDULES)}")
        if not 0 <= self.tolerance <= 1:
            raise ValueError(f"the tolerance is {self.tolerance}; it must be a number from 0 to 1")
        self._set("max_sweeps", operator.index(self.max_sweeps))
        if not 1 <= self.max_sweeps <= ENDLESS:
            raise ValueError(f"max_sweeps is {self.max_sweeps}; allow 1 to {ENDLESS} sweeps")
        self._set("deepest", operator.index(self.deepest))
        if not 1 <= self.deepest <= MOST_STATES:
            raise ValueError(f"deepest is {self.deepest}; an envelope can be tight at 1 to {MOST_STATES} states")

        self._set("tolerance", float(self.tolerance))
        for name in ("improving", "excluding"):
            self._set(name, bool(getattr(self, name)))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
