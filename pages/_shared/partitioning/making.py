"""Partitions of a model and their costs, computed in the background."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import bender_core as bc
from bender_core.engine.memory import alive_bytes
from bender_core.engine.memory_needed import largest_fit
from bender_core.groups import Partition
from bender_core.strategies import Quality, quality
from bender_core.units import so_far
from pages._shared.running.background import Personal


@dataclass(eq=False)
class PartitionMaker(Personal):
    """Partitions of a model, made in the background.

    Attributes
    ----------
    mrf : BinaryMRF
    parts : dict
        The partitions so far, by M and strategy.
    errors : dict
        The reasons for those that cannot be made.
    doing : str
    share : float
        Of the work, from 0 to 1.
    """

    mrf: bc.BinaryMRF
    parts: dict[tuple[int, str], Partition] = field(default_factory=dict)
    errors: dict[tuple[int, str], str] = field(default_factory=dict)
    doing: str = ""
    share: float = 0.0

    def ask(self, choices: Sequence[tuple[int, str]]) -> None:
        """Make the missing ones of these partitions; an earlier request is abandoned."""
        missing = [choice for choice in choices if choice not in self.parts and choice not in self.errors]
        if missing:
            self.begin(partial(self._drive, missing))
        else:
            self.stop()

    def _drive(self, choices: Sequence[tuple[int, str]], stop: threading.Event) -> None:
        def tell(share: float, bound: float = -math.inf) -> None:
            # An abandoned request may end while the next one is running.
            if not stop.is_set():
                self.share, self.doing = (k + share) / len(choices), what + so_far(bound)

        for k, (max_size, strategy) in enumerate(choices):
            of = f" {k + 1} of {len(choices)}" if len(choices) > 1 else ""
            what = f"Making partition{of}: {strategy}, M {max_size}"
            tell(0.0)
            try:
                until = bc.Stop(requested=stop.is_set)
                made = bc.partition(self.mrf, max_size, strategy, stop=until, on_progress=tell)
            except bc.PartitionError as error:
                self.errors[max_size, strategy] = str(error)
            except bc.Stopped:
                return
            else:
                self.parts[max_size, strategy] = made


@dataclass(frozen=True)
class Cost:
    """The cost of a choice, as known so far.

    Attributes
    ----------
    kept : Quality
    bytes : int or None
        The memory without which a run cannot begin; None until it is known.
    sweep : SweepTime or None
        None until it is measured, and if a run would not fit.
    fits : int or None
        If the choice does not fit, the largest M that would.
    """

    kept: Quality
    bytes: int | None = None
    sweep: bc.SweepTime | None = None
    fits: int | None = None


@dataclass(eq=False)
class Costing(Personal):
    """Quality and cost of one choice of partition, variant and schedule; a short run measures the time of a sweep.

    Attributes
    ----------
    mrf : BinaryMRF
    account : Account
        The limit for the choice, and for that run.
    cost : Cost or None
        None until something is known.
    """

    mrf: bc.BinaryMRF
    account: bc.Account
    cost: Cost | None = None
    _choice: tuple[Partition, int, str, int] | None = None

    def ask(self, part: Partition, variant: int, schedule: str) -> None:
        """Compute the cost of a choice, once."""
        choice = (part, variant, schedule, self.account.limit)
        if choice != self._choice:
            self._choice, self.cost = choice, None
            self.begin(partial(self._drive, *choice))

    def _drive(self, part: Partition, variant: int, schedule: str, limit: int, event: threading.Event) -> None:
        stop = bc.Stop(requested=event.is_set)

        def make(mrf: bc.BinaryMRF, max_size: int, strategy: str | None) -> Partition:
            return bc.partition(mrf, max_size, strategy, stop=stop)

        def tell(cost: Cost) -> Cost:
            stop.check()
            self.cost = cost
            return cost

        try:
            cost = tell(Cost(quality(self.mrf, part)))
            needed = bc.required_bytes(self.mrf, part, variant, alive_bytes)
            if needed > limit:
                tell(replace(cost, bytes=needed, fits=largest_fit(self.mrf, part, variant, limit, make, alive_bytes)))
                return
            cost = tell(replace(cost, bytes=needed))
            tell(replace(cost, sweep=bc.time_sweep(self.mrf, part, variant, schedule, limit=self.account, stop=stop)))
        except (bc.Stopped, bc.TooLargeError):
            # Too large: there is no room for another run beside the present ones.
            return
