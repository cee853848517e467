"""Groups merged where tension sits, against those of every other strategy: the bounds after the same work."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import bender_core as bc
from benchmarks.common import MEMORY, Options, table
from bender_core import synth
from bender_core.groups import coupled_groups, independent_cycles
from bender_core.strategies import AUTO, PURSUIT, applicable_rules

SIZES = (8, 12, 16)
RUNS = ((12, "mplp"), (9, "srmp"))
# Table entries of a run; no limit of sweeps is met before.
WORK, SWEEPS = 1 << 30, 1 << 30
# Larger models are left out: this work says little of them.
MOST_VARIABLES, MOST_COUPLINGS = 2000, 20_000
# A smaller gap, relative to the bound, counts as closed.
ROUNDING = 1e-6
# Strategies that are there for comparison with all others.
BASELINES = ("random", "singletons")
GENERATED: dict[str, Callable[[], bc.BinaryMRF]] = {
    "torus 20x20": lambda: synth.ising_grid(20, 20, torus=True, seed=1),
    "glass 60": lambda: synth.sherrington_kirkpatrick(60, seed=1),
    "6-regular glass": lambda: synth.random_regular(80, 6, "pm1", seed=1),
    "pose": lambda: bc.sample("pose"),
}


@dataclass(frozen=True)
class Ends:
    """The bounds of a run, after its work and after that of a search as well, and the energy of its labelling."""

    lower: float
    later: float
    upper: float


def run(options: Options) -> None:
    """Print a line for every model, M and kind of run, and who wins."""
    print(
        "The share of the gap of auto's run that others close after as much work (2^30 entries); then that of auto's\n"
        "run if it goes on for as much work as the search for pursuit's groups has read, in all runs that it made.\n"
    )
    row = table(
        {"model": -22, "M": 3, "run": -8, "auto": 12, "pursuit": 8, "best rule": 22}
        | {"auto, longer": 12, "search": 8, "seconds": 8}
    )
    won: list[tuple[float, float, float]] = []
    for name, mrf in _models(options):
        for size in SIZES:
            usual = bc.partition(mrf, size, AUTO)
            if not independent_cycles(len(usual), coupled_groups(mrf, usual)):
                row(name, size, "", "a forest", *[""] * 5)
                continue
            begin = time.process_time()
            with counted() as read:
                found = bc.partition(mrf, size, PURSUIT)
            seconds, search = time.process_time() - begin, sum(read)
            parts = {rule: bc.partition(mrf, size, rule) for rule in applicable_rules(mrf) if rule not in BASELINES}
            for variant, schedule in RUNS:
                ends = {rule: _ends(mrf, part, variant, schedule, 0) for rule, part in parts.items()}
                best = max(ends, key=lambda rule: ends[rule].lower)
                auto, ours = _ends(mrf, usual, variant, schedule, search), _ends(mrf, found, variant, schedule, 0)
                gap = min(end.upper for end in (*ends.values(), auto, ours)) - auto.lower
                if gap <= ROUNDING * abs(auto.lower):
                    row(name, size, f"{variant} {schedule}", f"{auto.lower:.8g}", "closed", *[""] * 4)
                    continue
                bounds = ours.lower, ends[best].lower, auto.later
                first, second, third = ((bound - auto.lower) / gap for bound in bounds)
                won.append((first, second, third))
                cells = (f"{auto.lower:.8g}", f"{first:+.2f}", f"{best} {second:+.2f}", f"{third:+.2f}")
                row(name, size, f"{variant} {schedule}", *cells, f"{search:.1e}", f"{seconds:.1f}")
    _sum_up(won)


def _sum_up(won: list[tuple[float, float, float]]) -> None:
    """How often pursuit's bound is the better one; a thousandth of the gap does not count."""
    if not won:
        return
    ours = [share for share, _, _ in won]
    print(
        f"\nOf {len(won)} runs pursuit's bound is above auto's in {sum(share > 1e-3 for share in ours)}, below in "
        f"{sum(share < -1e-3 for share in ours)}; median share {statistics.median(ours):.2f}.\n"
        f"It is above that of every rule in {sum(share > rule + 1e-3 for share, rule, _ in won)}, "
        f"and above auto's after more work in {sum(share > more + 1e-3 for share, _, more in won)}.\n"
    )


def _ends(mrf: bc.BinaryMRF, part: bc.Partition, variant: int, schedule: str, more: int) -> Ends:
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, max_sweeps=SWEEPS, snapshot_bytes=0, limit=MEMORY)
    engine.run(max_work=WORK)
    lower = engine.lower_bound
    engine.run(max_work=more)
    return Ends(lower, engine.lower_bound, engine.upper_bound)


@contextmanager
def counted() -> Iterator[list[int]]:
    """The table entries that runs read meanwhile, one number a call."""
    read: list[int] = []
    go = bc.Engine.run

    def count(engine: bc.Engine, *limits: Any, **named: Any) -> bool:
        finished = go(engine, *limits, **named)
        read.append(engine.entries_read)
        return finished

    with mock.patch.object(bc.Engine, "run", count):
        yield read


def _models(options: Options) -> Iterator[tuple[str, bc.BinaryMRF]]:
    for path in sorted(options.instances.glob("*")):
        try:
            mrf = bc.load(path)
        except bc.FormatError:
            continue
        if mrf.n <= MOST_VARIABLES and mrf.n_edges <= MOST_COUPLINGS:
            yield path.stem, mrf
    for name, make in GENERATED.items():
        yield name, make()
