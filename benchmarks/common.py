"""What the topics share."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import bender_core as bc
from bender_core.kernels.layout import Kind

SAMPLES = Path(__file__).parents[1] / "sample_instances"
POSE = SAMPLES / "pose.mrf.json"
# Bytes that a run may take here.
MEMORY = 4 << 30

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    limit: float | None
    instances: Path

    def seconds(self, default: float) -> float:
        """The time limit of one run."""
        return default if self.limit is None else self.limit


@dataclass(frozen=True)
class TimedRun:
    """An engine that has run, and the processor and wall seconds that it took, tables included."""

    engine: bc.Engine
    seconds: float
    wall: float

    @property
    def closed(self) -> bool:
        """Whether the optimum is certified."""
        return self.engine.gap <= 1e-9

    @property
    def state(self) -> str:
        """Why the run ended, in one word or two."""
        return "closed" if self.closed else self.engine.status.name.lower().replace("_", " ").replace("running", "time")

    @property
    def messages(self) -> int:
        """The messages that were passed."""
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
    """A run from cutting the model to the end."""
    begin, wall = time.process_time(), time.perf_counter()
    engine = bc.Engine(mrf, cut(), variant, schedule, max_sweeps=max_sweeps, snapshot_bytes=0, limit=MEMORY)
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
    """Print the head of a table; returns what prints a row. Columns of negative width are aligned to the left."""

    def row(*cells: object) -> None:
        padded = (
            str(cell).ljust(-width) if width < 0 else str(cell).rjust(width)
            for cell, width in zip(cells, columns.values(), strict=True)
        )
        print(" ".join(padded).rstrip(), flush=True)

    row(*columns)
    return row
