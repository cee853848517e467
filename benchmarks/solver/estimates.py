"""The predictions of `estimate` and `refine` against measurements, on models that they were not fitted to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, product
from pathlib import Path
from time import thread_time
from typing import NamedTuple

import numpy as np

import bender_core as bc
from benchmarks.common import MEMORY, Options, table, times
from bender_core import looking
from bender_core.costs.work import SWEEPS
from bender_core.resources import SAMPLES
from bender_core.synth import Value, generate
from bender_core.trying.refine import refine
from bender_core.variants import SCHEDULES

SIZES = (4, 6, 8, 10, 12, 14, 16, 18, 20)
VARIANTS = (4, 9, 11, 12)
# A run ends after SWEEPS sweeps or the time limit; short runs are repeated.
LIMIT, REPEATED, REPEATS = 2.0, 0.05, 3
# Runs predicted to take longer, or to need more memory, are left out.
LONGEST_SWEEP, LARGEST = 3.0, 1 << 30
# Shorter sweeps do not matter to a user.
NOTICED = 2e-3
AIM = 3.0

# Every family in three sizes, with seeds and parameters that no constant was fitted with.
HELD_OUT: dict[str, list[dict[str, Value]]] = {
    "body_pose": [
        {"candidates": 8, "people": 2, "seed": 1},
        {"candidates": 14, "people": 3, "seed": 2},
        {"candidates": 24, "people": 2, "seed": 3},
    ],
    "ising_grid": [
        {"rows": 6, "columns": 7, "seed": 1},
        {"rows": 11, "columns": 11, "torus": True, "coupling": "gaussian", "seed": 12},
        {"rows": 24, "columns": 25, "field": 0.7, "seed": 3},
    ],
    "chimera": [
        {"rows": 2, "columns": 3, "coupling": "gaussian", "seed": 1},
        {"rows": 3, "columns": 4, "seed": 2},
        {"rows": 5, "columns": 6, "coupling": "gaussian", "field": 0.4, "seed": 3},
    ],
    "sherrington_kirkpatrick": [
        {"n": 20, "field": 1.0, "seed": 1},
        {"n": 36, "coupling": "pm1", "seed": 2},
        {"n": 50, "seed": 3},
    ],
    "random_regular": [
        {"n": 24, "degree": 3, "coupling": "gaussian", "seed": 1},
        {"n": 50, "degree": 5, "seed": 2},
        {"n": 120, "degree": 4, "coupling": "gaussian", "seed": 3},
    ],
    "planted": [
        {"size": 6, "density": 0.8, "seed": 1},
        {"size": 10, "seed": 2},
        {"size": 15, "density": 0.4, "seed": 3},
    ],
    "frustrated_cycle": [{"n": 12}, {"n": 60}, {"n": 110}],
    "random_tree": [{"n": 30, "seed": 1}, {"n": 120, "seed": 2}, {"n": 400, "seed": 3}],
    "tree_plus": [
        {"n": 30, "extra": 7, "seed": 1},
        {"n": 50, "extra": 12, "strength": 2.0, "seed": 2},
        {"n": 200, "extra": 50, "seed": 3},
    ],
    "max_cut": [{"graph": "icosahedral"}, {"graph": "dodecahedral"}, {"graph": "les miserables"}],
    "random_max_cut": [
        {"kind": "small world", "n": 40, "edges_per_node": 3, "seed": 1},
        {"kind": "scale free", "n": 50, "edges_per_node": 2, "seed": 2},
        {"kind": "geometric", "n": 80, "edges_per_node": 3, "seed": 3},
    ],
    "communities": [{"graph": "davis southern women"}, {"graph": "les miserables"}],
    "planted_communities": [
        {"size": 8, "within": 0.6, "between": 0.15, "seed": 1},
        {"size": 16, "within": 0.6, "between": 0.15, "seed": 2},
        {"size": 20, "within": 0.4, "seed": 3},
    ],
    "image_denoising": [
        {"image": 3, "reach": 1, "flips": 0.2, "seed": 1},
        {"image": 4, "flips": 0.2, "seed": 2},
        {"image": 5, "reach": 4, "flips": 0.2, "seed": 3},
    ],
    "image_segmentation": [
        {"picture": "china", "columns": 16, "smoothness": 4.0},
        {"picture": "china", "columns": 32},
        {"picture": "china", "columns": 40, "smoothness": 1.0},
    ],
    "restricted_boltzmann": [
        {"image": 10, "rows_seen": 3, "hidden": 10, "seed": 2},
        {"image": 9, "rows_seen": 5, "hidden": 12, "seed": 1},
        {"image": 11, "rows_seen": 1, "hidden": 20, "seed": 3},
    ],
}


class Comparison(NamedTuple):
    """Predictions for a run, as multiples of the measurement."""

    name: str
    variant: int
    schedule: str
    measured: float  # seconds per sweep
    estimate: float
    refined: float
    trial: float  # seconds that refining took
    bytes: float


def run(options: Options) -> None:
    """Print every prediction with its measurement, and the share within a factor of three."""
    limit = options.seconds(LIMIT)
    print(
        f"Processor seconds a sweep, the mean over the first {SWEEPS} sweeps, or those of {limit:g} s; a sweep that a\n"
        "run does not complete counts as one. Of every model each variant under each schedule, M in turns. None of\n"
        "these models was used to fit a constant. Left out: what is predicted to take more than "
        f"{LONGEST_SWEEP:g} s a sweep\nor 1 GB, and what does not complete one. Bytes: predicted, in what is "
        "charged in the end.\n"
    )
    row = table(
        {"model": -34, "M": 3, "variant": 7, "schedule": -8, "measured": 9, "estimate": 9, "refined": 8, "trial": 6}
        | {"bytes": 6}
    )
    found: list[Comparison] = []
    sizes = cycle(SIZES)
    for mrf, name in _models(options.instances):
        for variant, schedule in product(VARIANTS, SCHEDULES):
            size = next(sizes)
            part = bc.partition(mrf, size)
            compared = _compared(mrf, part, name, variant, schedule, limit)
            if compared:
                found.append(compared)
                ratios = times(compared.estimate), times(compared.refined), f"{compared.trial:.2f}"
                row(name[:34], size, variant, schedule, f"{compared.measured:.1e}", *ratios, times(compared.bytes))
    print(f"\nShare within a factor of {AIM:g} (in brackets: of sweeps of {1000 * NOTICED:g} ms or more):")
    _summarise("all", found)
    for variant, schedule in product(VARIANTS, SCHEDULES):
        alike = [c for c in found if (c.variant, c.schedule) == (variant, schedule)]
        if alike:
            _summarise(f"variant {variant}, {schedule}", alike)
    longest = max(found, key=lambda c: c.trial)
    print(f"\nA trial takes {longest.trial:.2f} s at most ({longest.name}).\n")


def _models(instances: Path) -> Iterator[tuple[bc.BinaryMRF, str]]:
    """The samples, any instances next to the repository, and every family."""
    for path in (*sorted(SAMPLES.glob("*.mrf.json")), *sorted(instances.glob("*"))):
        if path.name != "INDEX.md":
            yield bc.load(path), path.name
    for family, choices in HELD_OUT.items():
        for values in choices:
            yield generate(family, **values), f"{family} {' '.join(str(value) for value in values.values())}"


def _compared(
    mrf: bc.BinaryMRF, part: bc.Partition, name: str, variant: int, schedule: str, limit: float
) -> Comparison | None:
    cost = bc.estimate(mrf, part, variant, schedule)
    if len(part) < 2 or cost.seconds_per_sweep > LONGEST_SWEEP or cost.least > LARGEST:
        return None
    begin = thread_time()
    refined = refine(mrf, part, variant, schedule)
    trial = thread_time() - begin
    seconds, used = _measured(mrf, part, variant, schedule, limit)
    if not seconds:
        return None
    ratios = (cost.seconds_per_sweep / seconds, refined.seconds_per_sweep / seconds)
    return Comparison(name, variant, schedule, seconds, *ratios, trial, refined.bytes / used)


def _measured(mrf: bc.BinaryMRF, part: bc.Partition, variant: int, schedule: str, limit: float) -> tuple[float, int]:
    """Processor seconds per sweep, the least of a few short runs; and bytes charged at its end or its limit."""
    least, used = np.inf, 0
    for repeat in range(REPEATS):
        engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, limit=MEMORY)
        begin = thread_time()
        engine.run(max_sweeps=SWEEPS, time_limit=limit)
        seconds = thread_time() - begin
        if not engine.sweep:
            # To the end of the sweep, if that is not far; groups differ, so a part of one says little.
            engine.run(max_sweeps=1, time_limit=LONGEST_SWEEP)
            seconds = thread_time() - begin
        done = engine.sweep + (engine.finished and looking.whereabouts(engine).update > 0)
        if not done:
            return 0.0, 0
        if not repeat:
            engine.run(time_limit=max(limit - seconds, 0.0))
            used = engine.account.used
        least = min(least, seconds / done)
        if seconds > REPEATED:
            break
    return least, used


def _summarise(title: str, comparisons: Sequence[Comparison]) -> None:
    noticed = np.array([c.measured >= NOTICED for c in comparisons])
    print(f"{title:18} {len(comparisons):3} runs", end="")
    for name in ("estimate", "refined", "bytes"):
        ratio = np.array([getattr(c, name) for c in comparisons])
        good = np.abs(np.log(ratio)) <= np.log(AIM)
        worst = comparisons[int(np.abs(np.log(ratio)).argmax())]
        share = f"{good.mean():.0%}" + (f" ({good[noticed].mean():.0%})" if noticed.any() else "")
        print(f"; {name} {share}, median {np.median(ratio):.2f}, worst {times(getattr(worst, name))}", end="")
        print(f" ({worst.name[:24]})", end="")
    print()
