"""The speed-up of an experiment by a second worker, and the cost of storing a run."""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.common import Options, table, times
from bender_core.experiments import Instance, Limits, Plan, Store, Task, execute, local, perform
from bender_core.synth import FAMILIES, Value

# Similar runs, as the aim assumes.
RUNS, ROUNDS = 24, 2
KEPT = 200
AIM, AIM_MS = 1.7, 5.0


def run(options: Options) -> None:
    """Print the wall seconds of one plan with one worker and with two, in turns, and milliseconds per stored run."""
    tasks = _tasks(Limits(seconds=options.seconds(60.0)))
    print(
        f"{len(tasks)} similar runs ({tasks[0].instance.source}, M {tasks[0].max_size}, variant {tasks[0].variant}), "
        "wall seconds, the start of the\nworkers and the store included; one and two workers take turns.\n"
    )
    row = table({"workers": 7, "seconds": 8, "speed-up": 8})
    found: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        for k in range(ROUNDS):
            for workers, seconds in found.items():
                begin = time.perf_counter()
                execute(tasks, Store(Path(folder) / f"{workers}-{k}.sqlite"), local(workers), workers)
                seconds.append(time.perf_counter() - begin)
                row(workers, f"{seconds[-1]:.1f}", times(found[1][-1] / seconds[-1]))
        ratio = statistics.median(one / two for one, two in zip(*found.values(), strict=True))
        print(f"\ntwo workers: {times(ratio)} of one (aim {times(AIM)})")
        print(f"to keep a run: {1000 * _keeping(tasks[0], Path(folder)):.2g} ms (aim {AIM_MS:g} ms)")


def _tasks(limits: Limits) -> list[Task]:
    family = FAMILIES["ising_grid"]
    chosen: dict[str, Value] = {"rows": 24, "columns": 24, "torus": True, "coupling": "gaussian"}
    values: dict[str, Value] = {parameter.name: parameter.default for parameter in family.parameters}
    values |= chosen
    instances = tuple(Instance("ising_grid", tuple((values | {"seed": k}).items())) for k in range(RUNS))
    return Plan("similar runs", instances, (12,), (9,), ("blocks",), limits=replace(limits, sweeps=200)).tasks()


def _keeping(task: Task, folder: Path) -> float:
    """Median seconds of adding a run to a store."""
    store, outcome = Store(folder / "kept.sqlite"), perform(task)
    seconds = []
    for k in range(KEPT):
        begin = time.perf_counter()
        store.add(replace(task, key=f"{k}"), outcome)
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)
