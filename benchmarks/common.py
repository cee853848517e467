"""Functions shared by the topics."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.resources import SAMPLES

POSE = SAMPLES / "pose.mrf.json"
# The memory limit of a run, in bytes.
MEMORY = 4 << 30

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    limit: float | None
    instances: Path

    def seconds(self, default: float) -> float:
        """The time limit of one run."""
        return default if self.limit is None else self.limit


@dataclass(frozen=True)
class TimedRun:
    """A finished engine, with its processor and wall seconds, tables included."""

    engine: bc.Engine
    seconds: float
    wall: float

    @property
    def closed(self) -> bool:
        """Whether the optimum is certified."""
        return self.engine.gap <= 1e-9

    @property
    def state(self) -> str:
        """The reason for the run's end, in one or two words."""
        return "closed" if self.closed else self.engine.status.name.lower().replace("_", " ").replace("running", "time")

    @property
    def messages(self) -> int:
        """The number of messages passed."""
        trace, graph = self.engine.trace, self.engine.graph
        nodes = trace.column("node")[trace.column("kind") == Kind.MESSAGE]
        return sum(len(graph.neighbours(int(p))) for p in nodes)


def solve(
    mrf: bc.BinaryMRF,
    cut: Callable[[], bc.Partition],
    variant: int,
    schedule: str = "mplp",
    limit: float | None = None,
    max_sweeps: int = 400,
) -> TimedRun:
    """A run from making the partition to the end."""
    begin, wall = time.process_time(), time.perf_counter()
    engine = bc.Engine(
        mrf, cut(), variant=variant, schedule=schedule, max_sweeps=max_sweeps, snapshot_bytes=0, limit=MEMORY
    )
    engine.run(time_limit=limit)
    return TimedRun(engine, time.process_time() - begin, time.perf_counter() - wall)


def interleaved(actions: Mapping[Name, Callable[[], object]], repeats: int) -> dict[Name, float]:
    """Median processor seconds of actions that take turns, so that a busy machine slows all of them."""
    seconds: dict[Name, list[float]] = {name: [] for name in actions}
    for _ in range(repeats):
        for name, action in actions.items():
            begin = time.process_time()
            action()
            seconds[name].append(time.process_time() - begin)
    return {name: statistics.median(values) for name, values in seconds.items()}


def times(ratio: float) -> str:
    """A ratio, with as many digits as it deserves."""
    return f"{ratio:.0f}×" if ratio >= 100 else f"{ratio:.3g}×"


def table(columns: Mapping[str, int]) -> Callable[..., None]:
    """Print the header of a table; returns a function that prints a row. Columns of negative width are left-aligned."""

    def row(*cells: object) -> None:
        padded = (
            str(cell).ljust(-width) if width < 0 else str(cell).rjust(width)
            for cell, width in zip(cells, columns.values(), strict=True)
        )
        print(" ".join(padded).rstrip(), flush=True)

    row(*columns)
    return row
