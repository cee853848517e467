"""Executions that are killed, broken and spread over a cluster."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from bender_core.experiments import (
    Instance,
    Outcome,
    Plan,
    PlanProgress,
    Store,
    dask,
    execute,
    perform,
    read_plan,
)
from bender_core.experiments.outcome import WORKER_DIED
from bender_core.experiments.tables import (
    endings,
)
from tests.unit.experiments.plans import ROOT, Here, but_for_times, here, workers_of


@pytest.mark.slow
def test_every_task_is_done_once_and_reported(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    log: list[str] = []
    told: list[PlanProgress] = []
    assert execute(tasks, store, here(log, {}), 2, told.append)
    assert sorted(log) == sorted(task.key for task in tasks)
    assert [p.done for p in told if p.last is not None] == list(range(1, len(tasks) + 1))
    assert told[-1].seconds_left(0) == 0
    # And not again.
    assert execute(tasks, store, here(log, {}), 2)
    assert len(log) == len(tasks)
    kept = {run.task.key: run.outcome.lower_bound for run in store.runs()}
    assert kept == {task.key: perform(task).lower_bound for task in tasks}


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_task_that_kills_its_worker_stops_nobody_else(deaths: int, plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    assert execute(tasks, store, here([], {tasks[3].key: deaths}), 2)
    assert [run.task.key for run in store.runs()] == sorted(task.key for task in tasks)
    died = [run.task.key for run in store.runs() if run.outcome.status == WORKER_DIED]
    assert died == ([tasks[3].key] if deaths == 2 else [])
    # The next execution tries it again.
    assert execute(tasks, store, here([], {}), 2)
    assert WORKER_DIED not in endings(store.runs())


def test_a_pool_that_breaks_at_a_submission_loses_no_run(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    log: list[str] = []

    class Breaking(Here):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if len(log) == 5:
                log.append("broken")
                raise BrokenExecutor
            return super().submit(fn, *args, **kwargs)

    assert execute(tasks, store, lambda: contextlib.nullcontext(Breaking(log, {})), 2)
    assert [run.task.key for run in store.runs()] == sorted(task.key for task in tasks)


def test_a_stop_keeps_what_is_done(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    assert not execute(tasks, store, here([], {}), 1, lambda progress: progress.done >= 3)
    assert 3 <= len(store.runs()) < len(tasks)


@pytest.mark.parametrize("end", ["a stop", "an error"])
def test_runs_finished_at_the_end_are_kept(end: str, rows_of_three: Plan, tmp_path: Path) -> None:
    tasks, store = rows_of_three.tasks(), Store(tmp_path / "a.sqlite")
    futures: list[Future[Outcome]] = []

    class Later(Executor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            futures.append(Future())
            return futures[-1]

    def tell(progress: PlanProgress) -> bool:
        """All other runs finish at the moment when the first one is reported."""
        if progress.last is None and futures and not futures[0].done():
            futures[0].set_result(Outcome("closed"))
        elif progress.last is not None and not futures[1].done():
            if end == "an error":
                futures[1].set_exception(ValueError("no such instance"))
            for future in futures:
                if not future.done():
                    future.set_result(Outcome("closed"))
            return end == "a stop"
        return False

    with contextlib.nullcontext() if end == "a stop" else pytest.raises(ValueError, match="no such instance"):
        execute(tasks, store, lambda: contextlib.nullcontext(Later()), 2, tell)
    finished = [future for future in futures if future.done() and future.exception() is None]
    assert len(store.runs()) == len(finished) == (4 if end == "a stop" else 3)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")
def test_ten_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\ntorus = true\ncoupling = 'gaussian'\nseed = {from = 0, to = 14}\n"
        "[runs]\nsizes = [7]\nvariants = [5, 11]\nstrategies = ['blocks']\n[limits]\nsweeps = 150\n"
    )
    tasks = read_plan(path).tasks()
    undisturbed = Store(tmp_path / "undisturbed.sqlite")
    for task in tasks:
        undisturbed.add(task, perform(task))
    rng, killed = random.Random(1), 0
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(path), "--workers", "2"]
    store = Store(path.with_suffix(".sqlite"))
    everybody: set[int] = set()
    while killed < 10:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        workers: list[int] = []
        while process.poll() is None and len(workers) < 2:
            workers = workers_of(process.pid)
        everybody.update(workers)
        time.sleep(rng.uniform(0, 1.2))
        # A worker, then the parent while it deals with that.
        for victim in (*workers[:1], process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                killed += 1
        process.wait()
    # Nobody outlives the parent.
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in everybody) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}").exists() for worker in everybody)
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    assert but_for_times(store) == but_for_times(undisturbed)


@pytest.mark.slow
def test_a_dask_cluster_gives_what_this_process_gives(plan_file: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    tasks = read_plan(plan_file).tasks()
    mine, theirs = Store(tmp_path / "mine.sqlite"), Store(tmp_path / "theirs.sqlite")
    assert execute(tasks, mine, here([], {}), 2)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert execute(tasks, theirs, dask(cluster.scheduler_address), 2)
        with distributed.Client(cluster.scheduler_address) as client:

            def computing() -> bool:
                return any(client.run(lambda dask_worker: dask_worker.state.executing_count).values())

            # A worker whose run is given up does not go on with it.
            of_minutes = Plan("p", (Instance("body_pose", (("candidates", 16),)),), (14,), (11,)).tasks()
            abandoned = Store(tmp_path / "abandoned.sqlite")
            assert not execute(of_minutes, abandoned, dask(cluster.scheduler_address), 1, lambda _: computing())
            deadline = time.monotonic() + 20
            while computing() and time.monotonic() < deadline:
                time.sleep(0.05)
            assert not computing()
    assert but_for_times(mine) == but_for_times(theirs)
    assert len(mine.runs()) == len(tasks)
