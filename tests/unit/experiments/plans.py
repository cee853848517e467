"""A small plan, and its runs in a store."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

from bender_core.experiments import (
    Instance,
    Limits,
    Plan,
    Store,
    Task,
    curve_of,
)

ROOT = Path(__file__).parents[3]
PLAN = """
name = "small"

[[instances]]
family = "ising_grid"
rows = 6
columns = 6
torus = true
coupling = "gaussian"
seed = {from = 0, to = 2}

[[instances]]
files = "*.mrf.json"

[runs]
sizes = [3, 6]
variants = [9, 11]
strategies = ["layers", "default"]

[limits]
sweeps = 40
seconds = 30
"""


def but_for_times(store: Store) -> dict[str, object]:
    """The stored columns of every run, without times."""
    told = ("status", "lower_bound", "upper_bound", "sweeps", "rows", "labeling")
    return {
        run.task.key: (
            run.task,
            [getattr(run.outcome, name) for name in told],
            [curve_of(run.outcome.curve)[name].tolist() for name in ("lower_bound", "upper_bound", "rows")],
        )
        for run in store.runs()
    }


def task_of(variant: int = 9, max_size: int = 6, **limits: Any) -> Task:
    instance = Instance("ising_grid", (("rows", 6), ("columns", 6), ("torus", True), ("coupling", "gaussian")))
    plan = Plan("p", (instance,), (max_size,), (variant,), ("blocks",), limits=Limits(**limits))
    (task,) = plan.tasks()
    return task


class Here(Executor):
    """Does tasks in this process; some of them kill their worker."""

    def __init__(self, log: list[str], deaths: dict[str, int]) -> None:
        self.log, self.deaths = log, deaths

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        task = args[0]
        future: Future[Any] = Future()
        self.log.append(task.key)
        if self.deaths.get(task.key, 0):
            self.deaths[task.key] -= 1
            future.set_exception(BrokenExecutor("killed"))
        else:
            future.set_result(fn(*args))
        return future


def here(log: list[str], deaths: dict[str, int]) -> Callable[[], contextlib.AbstractContextManager[Executor]]:
    return lambda: contextlib.nullcontext(Here(log, deaths))


def workers_of(parent: int) -> list[int]:
    """The worker processes of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            its_parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if its_parent == parent and b"--multiprocessing-fork" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found
