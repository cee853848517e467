"""What an experiment of many runs costs besides the runs: whether it grows in proportion, and to what for a million."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.common import Options, table
from bender_core.experiments import Instance, Limits, Outcome, Plan, Store, Task, dask, execute
from bender_core.experiments.report import report
from bender_core.experiments.tables import of_plan
from bender_core.resources import STUDY
from bender_core.synth import FAMILIES, Value

COUNTS = 960, 9600
SIZES = 2, 3, 4, 5, 6, 8, 10, 12

Result = TypeVar("Result")


def run(options: Options) -> None:
    """Print processor microseconds per run and growth of memory for every step around the runs."""
    print(
        "Runs that are listed, stored and read again, with the outcomes of the study that is shipped. Microseconds and"
    )
    print("bytes are per run; bytes are those by which the memory of the process grew.\n")
    row = table({"runs": 8, "step": -30, "µs": 8, "bytes": 8})
    with tempfile.TemporaryDirectory() as folder:
        shipped = Store(Path(folder) / "shipped.sqlite")
        shipped.adopt(STUDY / "small.sqlite")
        outcomes = [found.outcome for found in shipped.runs()]
        for count in COUNTS:
            _measure(count, outcomes, Store(Path(folder) / f"{count}.sqlite"), row)
        _on_cluster(Store(Path(folder) / "cluster.sqlite"), row)


def _on_cluster(store: Store, row: Callable[..., None]) -> None:
    """The client and the scheduler, both in this process; the worker is another one."""
    import distributed

    tasks = _plan(COUNTS[0]).tasks()
    make: Any = distributed.LocalCluster  # untyped
    with make(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        begin = time.process_time()
        execute(tasks, store, dask(cluster.scheduler_address), None)
        seconds = time.process_time() - begin
    row(f"{len(tasks):,}", "carry out (client, scheduler)", f"{1e6 * seconds / len(tasks):.0f}", "")


def _measure(count: int, outcomes: list[Outcome], store: Store, row: Callable[..., None]) -> None:
    def measured(step: str, action: Callable[[], Result]) -> Result:
        begin, bytes_before = time.process_time(), _resident()
        result = action()
        seconds, grown = time.process_time() - begin, _resident() - bytes_before
        row(f"{count:,}", step, f"{1e6 * seconds / count:.0f}", f"{max(grown, 0) / count:,.0f}")
        return result

    tasks = measured("list (Plan.tasks)", _plan(count).tasks)
    measured("add one by one (Store.add)", lambda: _fill(store, tasks, outcomes))
    measured("find what is missing", lambda: store.missing(tasks))
    runs = measured("read all (Store.runs)", store.runs)
    done = measured("match with tasks (of_plan)", lambda: of_plan(runs, tasks))
    measured("tables (report)", lambda: report(done))
    row(f"{count:,}", "in the file", "", f"{store.path.stat().st_size / count:,.0f}")


def _plan(count: int) -> Plan:
    family = FAMILIES["ising_grid"]
    values: dict[str, Value] = {parameter.name: parameter.default for parameter in family.parameters}
    values |= {"rows": 10, "columns": 10}
    seeds = range(count // (12 * len(SIZES)))
    instances = tuple(Instance("ising_grid", tuple((values | {"seed": seed}).items())) for seed in seeds)
    return Plan("many", instances, SIZES, strategies=("blocks",), limits=Limits(sweeps=2))


def _fill(store: Store, tasks: list[Task], outcomes: list[Outcome]) -> None:
    with store.kept_open():
        for task, outcome in zip(tasks, cycle(outcomes)):
            store.add(task, outcome)


def _resident() -> int:
    """The bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
