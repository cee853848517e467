"""The relaxation by frustrated cycles, by a linear program and by MPLP with cycle pursuit; and MPLP alone, which stops
short of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import chain

import bender_core as bc
from benchmarks.common import Options, table
from benchmarks.proving.models import Named, glasses, instances
from bender_core.cycles.mplp import CyclePursuit
from bender_core.cycles.rounds import Rounds
from bender_core.looking.decided import proves

LIMIT = 30.0
MOMENTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def run(options: Options) -> None:
    """Print one table: the bounds over processor seconds."""
    limit = options.seconds(LIMIT)
    moments = [moment for moment in MOMENTS if moment <= limit]
    print("Lower bounds after the processor seconds above each column; *: the best labelling has been proven")
    row = table({"model": -26, "by": -8} | {f"{moment:g} s": 14 for moment in moments})
    for name, mrf in _models(options):
        for way, mover in _ways(mrf):
            row(name, way, *_bounds(mover, moments))
    print()


def _ways(mrf: bc.BinaryMRF) -> Iterator[tuple[str, bc.Engine | Rounds]]:
    """Each begins when its turn comes."""
    yield "cycles", bc.Packing(mrf, keeps=False)
    yield "mplp-cp", CyclePursuit(mrf, keeps=False)
    yield "mplp", bc.Engine(mrf, bc.partition(mrf, 1, "singletons"), variant=12, max_sweeps=10**6, snapshot_bytes=0)


def _bounds(mover: bc.Engine | Rounds, moments: list[float]) -> list[str]:
    """The bound at each moment, as far as a round that began before it has ended."""
    found, spent = list[str](), 0.0
    for moment in moments:
        begin = time.process_time() - spent

        def is_late(_: object, end: float = begin + moment) -> bool:
            return time.process_time() >= end

        mover.run(on_progress=is_late)
        spent = time.process_time() - begin
        lower = mover.lower_bound
        is_proven = proves(mover) if isinstance(mover, bc.Engine) else mover.is_proven
        found.append("—" if math.isinf(lower) else f"{lower:.6g}{'*' if is_proven else ''}")
    return found


def _models(options: Options) -> Iterator[Named]:
    return chain(glasses(), instances(options))
