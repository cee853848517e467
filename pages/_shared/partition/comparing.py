"""Strategies side by side, computed in the background."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import bender_core as bc
from bender_core.groups import Partition
from bender_core.strategies import PURSUIT, applicable
from bender_core.trying.comparison import bound_after, measured
from bender_core.units import so_far
from pages._shared.running.background import Personal


@dataclass(eq=False)
class Comparing(Personal):
    """Every strategy at every requested M: first its cost, and on request the bound that each reaches."""

    mrf: bc.BinaryMRF
    sizes: Sequence[int]
    variant: int
    schedule: str
    rows: list[bc.Comparison] = field(default_factory=list)
    sweeps: int = 0  # of the bounds; 0 before any were requested
    share: float = 0.0  # of the work done
    doing: str = ""
    _parts: list[Partition] = field(default_factory=list)

    @property
    def about(self) -> tuple[object, ...]:
        """What is compared."""
        return self.mrf, tuple(self.sizes), self.variant, self.schedule

    @property
    def in_order(self) -> list[bc.Comparison]:
        """The rows so far, by M and strategy."""
        order = applicable(self.mrf)
        return sorted(self.rows, key=lambda row: (row.max_size, order.index(row.strategy)))

    @property
    def complete(self) -> bool:
        """Whether every row is computed."""
        return len(self.rows) == len(self.sizes) * len(applicable(self.mrf))

    def measure(self) -> None:
        """Make the missing partitions, and measure their costs."""
        # Copies: the previous work may not have ended yet.
        self.rows = list(self.rows)
        self._parts = self._parts[: len(self.rows)]
        self.begin(self._measure)

    def bound(self, sweeps: int) -> None:
        """Run every partition that fits for some sweeps."""
        self.rows = [replace(row, lower_bound=None) for row in self.rows]
        self.sweeps = sweeps
        self.begin(self._bound)

    def begin(self, work: Callable[[threading.Event], None], waits: bool = True) -> None:
        self.share, self.doing = 0.0, ""
        super().begin(work, waits)

    def _measure(self, stop: threading.Event) -> None:
        rows, parts = self.rows, self._parts

        def tell(share: float, bound: float = -math.inf) -> None:
            if not stop.is_set():
                self.doing, self.share = what + so_far(bound), (k + share) / len(ways)

        ways = [(max_size, name) for max_size in self.sizes for name in applicable(self.mrf)]
        # What takes longest comes last.
        ways.sort(key=lambda way: way[1] == PURSUIT)
        for k, (max_size, name) in list(enumerate(ways))[len(rows) :]:
            what, until = f"partition {k + 1} of {len(ways)}: {name}, M {max_size}", bc.Stop(requested=stop.is_set)
            tell(0.0)
            try:
                part = bc.partition(self.mrf, max_size, name, stop=until, on_progress=tell)
                row = measured(self.mrf, part, max_size, self.variant, self.schedule, until)
            except bc.Stopped:
                return
            parts.append(part)
            rows.append(row)

    def _bound(self, stop: threading.Event) -> None:
        rows, sweeps, count = self.rows, self.sweeps, len(self.rows)

        def tell(engine: bc.Engine) -> bool:
            self.doing = f"{title}: sweep {engine.sweep} of {sweeps}, bound {engine.lower_bound:.6g}"
            self.share = (k + min(engine.sweep / sweeps, 1.0)) / count
            return stop.is_set()

        for k, (row, part) in enumerate(zip(rows, self._parts, strict=True)):
            title = f"run {k + 1} of {count}: {row.strategy}, M {row.max_size}"
            self.doing, self.share = title, k / count
            reached = bound_after(self.mrf, part, sweeps, self.variant, self.schedule, tell)
            if stop.is_set():
                return
            rows[k] = replace(row, lower_bound=reached)
