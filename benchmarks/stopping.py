"""How soon work ends that is to be stopped, or whose time is over: by phase, p95 and worst of many trials.

Every trial wants to stop after a random part of the time that the phase takes (or of a second, if it takes longer).
The wall clock counts here: it is what people wait for. An idle machine is assumed.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable

import numpy as np

import bender_core as bc
from benchmarks.common import POSE, Options, table
from bender_core import synth

TRIALS = 20
AIM = 0.5
# Seconds; work that takes longer is stopped within this time.
LONGEST = 1.0
ROOM = 4 << 30

Work = Callable[[bc.Stop], object]


def run(options: Options) -> None:
    """Print p95 and worst delay of every phase."""
    row = table({"phase": -52, "takes": 9, "p95": 9, "worst": 9})
    worst = 0.0
    for name, work in phases().items():
        late = delays(work)
        worst = max(worst, late.max())
        row(name, f"{takes(work):.2f} s", f"{1e3 * np.quantile(late, 0.95):.0f} ms", f"{1e3 * late.max():.0f} ms")
    print(f"\nworst {1e3 * worst:.0f} ms  (aim ≤ {1e3 * AIM:.0f} ms)\n")


def phases() -> dict[str, Work]:
    """What can be stopped, each as something that goes on until it is done or told to stop."""
    pose, glass = bc.load(POSE), synth.generate("sherrington_kirkpatrick", n=60)
    grid = synth.generate("ising_grid", rows=20, columns=20)
    parts = {
        "pose 16": (pose, bc.partition(pose, 16)),
        "glass 20": (glass, bc.partition(glass, 20, "greedy")),
        "grid 20": (grid, bc.partition(grid, 20, "layers")),
    }

    def engine(name: str, variant: int, schedule: str = "mplp") -> bc.Engine:
        return bc.Engine(*parts[name], variant, schedule, limit=ROOM, snapshot_bytes=0)

    def going(engine: bc.Engine) -> Work:
        return lambda stop: engine.run(on_progress=lambda _: stop())

    def stepping(engine: bc.Engine, grain: bc.Grain) -> Work:
        return lambda stop: engine.step(grain, on_progress=lambda _: stop())

    seen = engine("pose 16", 9)
    seen.run(max_sweeps=2)
    p, q = seen.graph.edges[0].tolist()
    back = engine("glass 20", 9)
    back.run(time_limit=3.0)

    def to_and_fro(stop: bc.Stop) -> None:
        back.seek(0)
        back.seek(len(back.trace), on_progress=lambda _: stop())

    return {
        "making tables: pose, M = 16": lambda stop: bc.Engine(*parts["pose 16"], 9, limit=ROOM, stop=stop),
        "making tables, first rows: glass of 60, M = 20": lambda stop: bc.Engine(
            *parts["glass 20"], 5, limit=ROOM, stop=stop
        ),
        "a row of variant 11: pose, M = 16": stepping(engine("pose 16", 11), "row"),
        "rows with Magnanti-Wong cuts (5): glass, M = 20": going(engine("glass 20", 5)),
        "recycled rows (9, srmp): glass, M = 20": going(engine("glass 20", 9, "srmp")),
        "exact messages (12), pruned: glass, M = 20": going(engine("glass 20", 12)),
        "exact messages (12), eliminated: grid, M = 20": going(engine("grid 20", 12, "srmp")),
        "going forward again: glass, M = 20": to_and_fro,
        "certificate: pose, M = 16": seen.certificate,
        "tightness of all messages: pose, M = 16": lambda stop: seen.tightness(stop=stop),
        "what-if: pose, M = 16": lambda stop: bc.what_if(seen, p, q, 0, stop),
        "a time limit of bc.solve: glass, M = 20, variant 5": lambda stop: bc.solve(
            *parts["glass 20"], 5, time_limit=stop.left
        ),
    }


def takes(work: Work) -> float:
    """Seconds until it is done, or `LONGEST`."""
    begin = time.perf_counter()
    with contextlib.suppress(bc.Stopped):
        work(bc.Stop(LONGEST))
    return time.perf_counter() - begin


def delays(work: Work) -> np.ndarray:
    """Seconds from the moment at which it is to stop until it has; 0 where it was done before."""
    rng, usual, late = random.Random(0), takes(work), []
    for _ in range(TRIALS):
        patience = rng.uniform(0.0, min(usual, LONGEST))
        begin = time.perf_counter()
        with contextlib.suppress(bc.Stopped):
            work(bc.Stop(patience))
        late.append(max(time.perf_counter() - begin - patience, 0.0))
    return np.array(late)
