"""Results with all defaults in a few seconds, on real instances and twenty generated models."""

from __future__ import annotations

import time
from collections.abc import Callable

import bender_core as bc
from benchmarks.common import Options, table
from bender_core import synth

MAX_SIZE, VARIANT, SCHEDULE = 8, 9, "srmp"
LIMIT = 5.0

GENERATED: dict[str, Callable[[], bc.BinaryMRF]] = {
    "torus 15×15 gaussian": lambda: synth.ising_grid(15, 15, True, "gaussian", seed=1),
    "torus 12×12 ±1": lambda: synth.ising_grid(12, 12, True, "pm1", seed=1),
    "torus 5×5×5 gaussian": lambda: synth.ising_grid(5, 5, True, "gaussian", layers=5, seed=1),
    "torus 4×4×4 ±1": lambda: synth.ising_grid(4, 4, True, "pm1", layers=4, seed=1),
    "grid 20×20 in a field": lambda: synth.ising_grid(20, 20, False, "gaussian", field=0.5, seed=1),
    "planted grid 12×12": lambda: synth.planted("grid", 12, seed=1),
    "planted chimera 3×3": lambda: synth.planted("chimera", 3, seed=1),
    "chimera 4×4 ±1": lambda: synth.chimera(4, 4, 4, "pm1", seed=1),
    "complete 40 gaussian": lambda: synth.sherrington_kirkpatrick(40, "gaussian", seed=1),
    "complete 60 ±1": lambda: synth.sherrington_kirkpatrick(60, "pm1", seed=1),
    "3-regular 100": lambda: synth.random_regular(100, 3, "pm1", seed=1),
    "6-regular 80": lambda: synth.random_regular(80, 6, "pm1", seed=1),
    "max-cut 60": lambda: synth.random_max_cut("uniform", 60, seed=1),
    "tree 80 and 20 edges": lambda: synth.tree_plus(80, 20, seed=1),
    "modularity of karate": lambda: synth.communities("karate club"),
    "modularity planted": lambda: synth.planted_communities(12, seed=1),
    "denoising": lambda: synth.image_denoising(1),
    "segmentation": lambda: synth.image_segmentation(columns=16),
    "poses of 8 candidates": lambda: synth.body_pose(8, seed=1),
    "Boltzmann machine": lambda: synth.restricted_boltzmann(4, 4, 16),
}


def run(options: Options) -> None:
    """Print one row per model: the choice and its result."""
    limit = options.seconds(LIMIT)
    print(
        f"Groups chosen by auto (M = {MAX_SIZE}), variant {VARIANT}, {SCHEDULE}, {limit:g} s each, choosing included.\n"
    )
    row = table(
        {"model": -24, "strategy": -18, "lower bound": 18, "upper bound": 18, "gap": 8, "seconds": 8} | {"status": -12}
    )
    for name, mrf in _models(options):
        begin, stop = time.process_time(), bc.Stop(limit)
        part = bc.auto(mrf, MAX_SIZE)
        result = bc.solve(mrf, part, VARIANT, SCHEDULE, time_limit=stop.left)
        seconds = time.process_time() - begin
        bounds = f"{result.rounded_bound:.9g}", f"{result.upper_bound:.9g}", f"{result.gap:.1e}"
        row(name, part.reason.partition(":")[0], *bounds, f"{seconds:.2f}", result.status)
    print()


def _models(options: Options) -> list[tuple[str, bc.BinaryMRF]]:
    """The readable instances next to the repository, and the generated models."""
    found = []
    for path in sorted(options.instances.glob("*")):
        try:
            found.append((path.stem, bc.load(path)))
        except bc.FormatError:
            continue
    return found + [(name, make()) for name, make in GENERATED.items()]
