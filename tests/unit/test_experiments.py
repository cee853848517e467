"""Plans, the store, and executions that are killed, broken and spread over a cluster."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import multiprocessing
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core.__main__ import main
from bender_core.experiments import (
    Instance,
    Limits,
    Outcome,
    Plan,
    PlanError,
    Progress,
    Store,
    StoreError,
    Task,
    command,
    curve_of,
    dask,
    execute,
    local,
    perform,
    read_plan,
    seconds_expected,
)
from bender_core.experiments.perform import MEMORY_REACHED, SECONDS_REACHED, SWEEPS_REACHED, WORKER_DIED
from bender_core.experiments.plan import _DECIDING, distinct, plan_of
from bender_core.experiments.report import report
from bender_core.experiments.tables import (
    PERCENTILES,
    by_other_code,
    endings,
    fitted_line,
    gaps,
    of_plan,
    speeds,
    timings,
    to_csv,
)
from bender_core.visualization.study import plot_times
from tests.mounts import fill, make_read_only, mounted

ROOT = Path(__file__).parents[2]
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


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    (tmp_path / "tree.mrf.json").write_bytes((ROOT / "sample_instances" / "tree.mrf.json").read_bytes())
    return path


def but_for_times(store: Store) -> dict[str, object]:
    """What a store holds of every run, less what the clock said."""
    told = ("status", "lower_bound", "upper_bound", "sweeps", "rows", "labeling")
    return {
        run.task.key: (
            run.task,
            [getattr(run.outcome, name) for name in told],
            [curve_of(run.outcome.curve)[name].tolist() for name in ("lower_bound", "upper_bound", "rows")],
        )
        for run in store.runs()
    }


# -- plans ----------------------------------------------------------------------------------------------------


def test_a_plan_is_all_combinations(plan_file: Path) -> None:
    plan = read_plan(plan_file)
    assert plan.name == "small"
    assert [dict(instance.values).get("seed") for instance in plan.instances] == [0, 1, 2, None]
    assert plan.limits == Limits(40, 30.0, 1024)
    tasks = plan.tasks()
    assert len(plan) == 4 * 2 * 2 * 2
    assert len({task.key for task in tasks}) == len(tasks) == len(plan)
    assert {(task.max_size, task.variant) for task in tasks} == {(3, 9), (3, 11), (6, 9), (6, 11)}
    assert {task.strategy for task in tasks} == {"layers", "groups", "greedy"}
    assert tasks == read_plan(plan_file).tasks()
    each = [seconds_expected([task]) for task in tasks]
    assert all(0 < seconds <= 30 for seconds in each)
    assert seconds_expected(tasks) == pytest.approx(sum(each))
    # Of many instances, some stand for all.
    first = plan.instances[0]
    seeds = tuple(replace(first, values=(*first.values[:-1], ("seed", seed))) for seed in range(40))
    one, many = replace(plan, instances=seeds[:1]), replace(plan, instances=seeds)
    assert seconds_expected(many.tasks()) == pytest.approx(40 * seconds_expected(one.tasks()), rel=0.5)
    assert seconds_expected([]) == 0


def test_a_key_is_what_decides_the_result() -> None:
    def values(seed: int) -> tuple[Instance, ...]:
        return (Instance("ising_grid", (("rows", 4), ("columns", 4), ("coupling", "gaussian"), ("seed", seed))),)

    plan = Plan("p", values(0), (4,), (9,), ("blocks",))
    (task,) = plan.tasks()

    def key(**changes: Any) -> str:
        (other,) = replace(plan, **changes).tasks()
        return other.key

    assert key(name="q") == task.key
    # Two ways to the same groups are one run.
    assert key(strategies=("blocks", "blocks")) == task.key
    for changes in (
        {"sizes": (3,)},
        {"variants": (4,)},
        {"strategies": ("random",)},
        {"schedules": ("srmp",)},
        {"limits": Limits(seconds=1.0)},
        {"instances": values(1)},
    ):
        assert key(**changes) != task.key


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"instances": []}, "the plan has no instances; add"),
        ({"instanses": []}, "the plan has an unknown key 'instanses'; known are name, instances"),
        ({"instances": [{}]}, "must have either a family or files"),
        ({"instances": [{"family": "a", "files": "b"}]}, "must have either a family or files"),
        ({"instances": [{"family": "ising"}]}, "there is no family 'ising'; known are body_pose"),
        ({"instances": [{"family": "ising_grid", "row": 3}]}, "the family ising_grid has an unknown key 'row'"),
        ({"instances": [{"family": "ising_grid", "rows": 1}]}, "the family ising_grid: Rows is 1; it must be"),
        ({"instances": [{"family": "ising_grid", "seed": {"from": 1}}]}, "write it like {from = 0, to = 96}"),
        ({"instances": [{"family": "ising_grid", "seed": {"from": 3, "to": 2}}]}, "an empty list or range of values"),
        ({"instances": [{"family": "ising_grid", "seed": {"from": 0, "to": 10**12}}]}, "at most 100,000 are made"),
        ({"instances": [{"files": "*.none"}]}, "there are no files '*.none' beside the plan"),
        ({"runs": {}}, "[runs] has no sizes; add them"),
        ({"runs": {"sizes": [0]}}, "[runs] sizes holds 0; choose from 1 to 30"),
        ({"runs": {"sizes": [4], "variants": [13]}}, "[runs] variants holds 13; choose from 1, 2"),
        ({"runs": {"sizes": [4], "strategies": ["best"]}}, "[runs] strategies holds 'best'; choose from default, auto"),
        ({"runs": {"sizes": [4], "variant": 9}}, "[runs] has an unknown key 'variant'"),
        ({"limits": {"seconds": 0}}, "[limits] seconds is 0; it must be a number above 0"),
        ({"limits": {"hours": 1}}, "[limits] has an unknown key 'hours'"),
        ({"limits": 3}, "limits is 3; it must be a table"),
        ({"limits": {"sweeps": math.inf}}, "[limits] sweeps is inf; it must be a number above 0"),
        ({"limits": {"megabytes": 10**23}}, "[limits] megabytes is 100000000000000000000000; it must be"),
        ({"limits": {"seconds": math.nan}}, "[limits] seconds is nan; it must be a number above 0"),
        ({"name": math.nan}, "the name is nan; write it as a text"),
        ({"name": {}}, "the name is {}; write it as a text"),
        ({"instances": [{"family": {}}]}, "there is no family {}; known are body_pose"),
        ({"instances": [{"family": [[1]]}]}, "there is no family [[1]]; known are body_pose"),
        ({"runs": {"sizes": [4], "variants": [[1]]}}, "[runs] variants holds [1]; choose from 1, 2"),
        ({"runs": {"sizes": [4], "schedules": {}}}, "[runs] schedules holds {}; choose from mplp"),
        ({"runs": {"sizes": []}}, "[runs] sizes is empty; give one at least"),
        ({"runs": {"sizes": [4], "variants": []}}, "[runs] variants is empty; give one at least"),
        ({"runs": {"sizes": [4.0]}}, "[runs] sizes holds 4.0; choose from 1 to 30"),
    ],
)
def test_what_is_no_plan_is_said_in_a_sentence(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    data = {"instances": [{"family": "ising_grid"}], "runs": {"sizes": [4]}}
    assert len(plan_of(data, tmp_path, "p")) == 12
    with pytest.raises(PlanError) as caught:
        plan_of(data | changes, tmp_path, "p")
    assert said in str(caught.value)


# -- runs that count for several tasks ------------------------------------------------------------------------


@pytest.fixture
def rows_of_three() -> Plan:
    """The groups are the grid's rows, whatever M is above 2."""
    values = (("rows", 3), ("columns", 3), ("coupling", "gaussian"))
    instances = tuple(Instance("ising_grid", (*values, ("seed", seed))) for seed in range(3))
    return Plan("rows of three", instances, (2, 3, 9), (9, 11), ("groups",))


def test_a_run_on_equal_groups_is_done_once_and_counts_at_every_size(rows_of_three: Plan, tmp_path: Path) -> None:
    tasks, store = rows_of_three.tasks(), Store(tmp_path / "a.sqlite")
    assert len(tasks) == len(rows_of_three) == 18
    keys = {task.key for task in tasks}
    assert len(keys) == 12
    assert seconds_expected(tasks) == pytest.approx(seconds_expected([task for task in tasks if task.max_size < 9]))
    log: list[str] = []
    told: list[Progress] = []
    assert execute(tasks, store, here(log, {}), 2, told.append)
    assert sorted(log) == sorted(keys)
    # A run at M = 3 is one at M = 9 too.
    done = [progress.done for progress in told if progress.last is not None]
    assert done[-1] == told[-1].total == 18
    assert sorted(later - earlier for earlier, later in zip([0, *done], done, strict=False)) == [1] * 6 + [2] * 6
    runs = of_plan(store.runs(), tasks)
    assert [run.task for run in runs] == tasks
    assert {row.max_size: row.count for row in gaps(runs)} == {2: 3, 3: 3, 9: 3}
    assert {speed.max_size: speed.count for speed in speeds(runs)} == {2: 3, 3: 3, 9: 3}
    found = {(row.max_size, row.variant): row.percentiles.tolist() for row in gaps(runs)}
    assert all(found[3, variant] == found[9, variant] for variant in (9, 11))
    assert [row["M"] for row in csv.DictReader(io.StringIO(to_csv(runs)))] == [str(task.max_size) for task in tasks]
    points = [point[2] for trace in plot_times(runs).data if trace.mode == "markers" for point in trace.customdata]
    assert sorted(points) == [2] * 6 + [3] * 6 + [9] * 6
    # The line of best fit counts it once.
    lines = [fitted_line([t for t in timings(runs) if t.run.task.max_size in sizes]) for sizes in ((3,), (3, 9))]
    np.testing.assert_allclose(*lines)
    assert "\n6 of them have the same groups as another M or strategy, and were done once\n" in report(runs)


def test_what_was_done_at_another_size_need_not_be_done_again(rows_of_three: Plan, tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    small, large = (replace(rows_of_three, sizes=(size,)).tasks() for size in (3, 9))
    execute(small, store, here([], {}), 2)
    assert store.missing(large) == []
    assert [run.task for run in of_plan(store.runs(), large)] == large


def test_a_run_by_older_code_counts_at_every_size_too(rows_of_three: Plan, tmp_path: Path) -> None:
    tasks, store = rows_of_three.tasks(), Store(tmp_path / "a.sqlite")
    for task in distinct(tasks):
        store.add(replace(task, key=f"old {task.key}"), Outcome("closed", -2.0, -1.0))
    runs = of_plan(store.runs(), tasks)
    assert [replace(run.task, key="") for run in runs] == [replace(task, key="") for task in tasks]
    assert [run.task.key for run in runs] == [f"old {task.key}" for task in tasks]


def test_a_worker_that_died_failed_at_every_size(rows_of_three: Plan, tmp_path: Path) -> None:
    tasks, store = rows_of_three.tasks(), Store(tmp_path / "a.sqlite")
    told: list[Progress] = []
    assert execute(tasks, store, here([], {tasks[-1].key: 2}), 2, told.append)
    assert (told[-1].done, told[-1].failed) == (18, 2)
    assert store.missing(tasks) == [task for task in tasks if task.key == tasks[-1].key]


# -- runs -----------------------------------------------------------------------------------------------------


def task_of(variant: int = 9, max_size: int = 6, **limits: Any) -> Task:
    instance = Instance("ising_grid", (("rows", 6), ("columns", 6), ("torus", True), ("coupling", "gaussian")))
    plan = Plan("p", (instance,), (max_size,), (variant,), ("blocks",), limits=Limits(**limits))
    (task,) = plan.tasks()
    return task


# Of what the engine imports: limits, words and looks, which decide nothing.
NEUTRAL = {"account", "costs", "files", "planning", "stopping", "strategies", "units"} | {
    f"run.{name}" for name in ("carrying", "inspection", "rows", "snapshots", "standing", "trace")
}


def test_all_code_that_decides_results_is_hashed() -> None:
    """What the engine is made of either changes the key of a run or is known to decide nothing."""
    library = Path(bc.__file__).parent
    hashed = {path for pattern in _DECIDING for path in library.glob(pattern)}
    waiting, reached = [library / "run" / "engine.py"], set()
    while waiting:
        source = waiting.pop()
        reached.add(source)
        for module in re.findall(r"^(?:from|import) bender_core\.([\w.]+)", source.read_text(), re.MULTILINE):
            path = library / (module.replace(".", "/") + ".py")
            if path not in reached and path.is_file():
                waiting.append(path)
    names = {path.relative_to(library).with_suffix("").as_posix().replace("/", "."): path for path in reached}
    assert "kernels.rows" in names
    unknown = {name for name, path in names.items() if path not in hashed and name not in NEUTRAL}
    assert not {name for name in unknown if name.partition(".")[0] not in NEUTRAL}


def test_an_outcome_is_what_the_engine_says() -> None:
    task = task_of(sweeps=12)
    outcome = perform(task)
    mrf, part = task.cut()
    engine = bc.Engine(mrf, part, 9, max_sweeps=12)
    engine.run()
    assert (outcome.lower_bound, outcome.upper_bound) == (engine.lower_bound, engine.upper_bound)
    assert (outcome.sweeps, outcome.rows) == (engine.sweep, engine.n_rows)
    assert outcome.gap == pytest.approx(bc.relative_gap(engine.lower_bound, engine.upper_bound))
    labeling = np.unpackbits(np.frombuffer(outcome.labeling, np.uint8))[: mrf.n]
    assert mrf.energy(labeling) == pytest.approx(outcome.upper_bound)
    curve = curve_of(outcome.curve)
    assert len(curve) == outcome.sweeps
    assert (np.diff(curve["seconds"]) >= 0).all()
    assert (np.diff(curve["lower_bound"]) >= -1e-12).all()
    assert curve[-1]["lower_bound"] == outcome.lower_bound


def test_limits_are_outcomes() -> None:
    assert perform(task_of(sweeps=2)).status == SWEEPS_REACHED
    assert perform(task_of(seconds=1e-9)).status == SECONDS_REACHED
    large = perform(task_of(max_size=18, megabytes=1))
    assert (large.status, large.gap, large.lower_bound) == (MEMORY_REACHED, np.inf, -np.inf)


# -- the store ------------------------------------------------------------------------------------------------


def test_a_run_is_kept_once_and_comes_back_whole(tmp_path: Path) -> None:
    store, task = Store(tmp_path / "runs.sqlite"), task_of()
    first = perform(task)
    assert store.missing([task]) == [task]
    assert store.add(task, first)
    assert not store.add(task, Outcome("another"))
    (run,) = Store(tmp_path / "runs.sqlite").runs()
    assert (run.task, run.outcome) == (task, first)
    assert store.missing([task, task_of(4)]) == [task_of(4)]


def test_a_dead_worker_is_no_result_for_ever(tmp_path: Path) -> None:
    store, task = Store(tmp_path / "runs.sqlite"), task_of()
    assert store.add(task, Outcome(WORKER_DIED))
    assert store.missing([task]) == [task]
    assert store.add(task, Outcome("closed", 1.0, 1.0))
    assert not store.add(task, Outcome(WORKER_DIED))
    assert store.missing([task]) == []
    assert [run.outcome.status for run in store.runs()] == ["closed"]


def test_an_infinite_bound_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.sqlite")
    store.add(task_of(), Outcome(MEMORY_REACHED))
    assert store.runs()[0].outcome == Outcome(MEMORY_REACHED)


def write(path: Path, tasks: list[Task], who: str) -> None:
    store = Store(path)
    for task in tasks:
        store.add(task, Outcome(who))


def test_two_writers_at_once_spoil_nothing(tmp_path: Path) -> None:
    path, base = tmp_path / "runs.sqlite", task_of()
    tasks = [replace(base, key=f"{k:032d}") for k in range(150)]
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write, args=(path, tasks, who)) for who in ("one", "other")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert [run.task.key for run in Store(path).runs()] == [task.key for task in tasks]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.fixture
def filled(tmp_path: Path) -> Store:
    """A store with some runs."""
    store, base = Store(tmp_path / "filled.sqlite"), task_of()
    for k in range(20):
        store.add(replace(base, key=f"{k:032d}"), Outcome("closed", curve=os.urandom(500)))
    return store


def refused(action: Callable[[], object]) -> str:
    """What is said when something cannot be done with a store."""
    with pytest.raises(StoreError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda whole: whole[: len(whole) // 2], "it is damaged; move it away and try again"),
        (lambda whole: whole[:8192] + bytes(8192) + whole[16384:], "it is damaged; move it away and try again"),
        (lambda whole: b"no database, but some text\n" * 99, "it is not a store of runs; move it away"),
    ],
    ids=["truncated", "overwritten", "not a database"],
)
def test_a_spoilt_store_is_left_alone_and_said(spoil: Callable[[bytes], bytes], said: str, filled: Store) -> None:
    spoilt = spoil(filled.path.read_bytes())
    filled.path.write_bytes(spoilt)
    message = refused(lambda: Store(filled.path).runs())
    assert message.startswith(f"{filled.path}: {said}")
    assert filled.path.read_bytes() == spoilt
    # As told: moved away, it makes room for another, also for who has had it open all the time.
    filled.path.rename(filled.path.with_suffix(".old"))
    assert filled.add(task_of(), Outcome("closed"))
    assert len(Store(filled.path).runs()) == 1


def test_a_database_of_something_else_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE runs (distance REAL)")
    assert "other.sqlite: it is not a store of runs; move it away or choose another" in refused(lambda: Store(path))
    mine = Store(tmp_path / "mine.sqlite")
    path.write_text("no database at all")
    assert "other.sqlite: it is not a store" in refused(lambda: mine.adopt(path))
    assert "none.sqlite: it cannot be opened; allow" in refused(lambda: mine.adopt(tmp_path / "none.sqlite"))


def test_a_full_disk_costs_the_one_run_that_finds_it_full(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", 400) as disk:
        store, base = Store(disk / "runs.sqlite"), task_of()
        large = Outcome("closed", curve=os.urandom(100_000))
        store.add(base, large)
        taken = fill(disk)
        message = refused(lambda: store.add(replace(base, key="another"), large))
        assert message.startswith(f"{store.path}: the run {base.title} is not kept: the disk is full")
        assert message.endswith(" and try again")
        taken.unlink()
        assert [run.outcome for run in store.runs()] == [large]
        assert store.add(replace(base, key="another"), large)


def test_a_store_that_can_only_be_read_is_said(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", 1024) as disk:
        store = Store(disk / "runs.sqlite")
        store.add(task_of(), Outcome("closed"))
        make_read_only(disk)
        message = refused(lambda: store.add(task_of(4), Outcome("closed")))
        assert message.startswith(f"{store.path}: the run {task_of(4).title} is not kept: it cannot be ")
        assert message.endswith("allow writing to it and its folder, or choose another place")


def test_a_store_that_another_program_keeps_locked_is_said(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.experiments.store.WAIT", 0.01)
    with contextlib.closing(sqlite3.connect(filled.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        message = refused(lambda: filled.add(task_of(), Outcome("closed")))
        assert "is not kept: another program has kept it locked for" in message
        assert len(filled.runs()) == 20
    assert filled.add(task_of(), Outcome("closed"))


# -- executions -----------------------------------------------------------------------------------------------


class Here(Executor):
    """Does tasks in this process; some of them kill their worker."""

    def __init__(self, log: list[str], deaths: dict[str, int]) -> None:
        self.log, self.deaths = log, deaths

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (task,) = args
        future: Future[Any] = Future()
        self.log.append(task.key)
        if self.deaths.get(task.key, 0):
            self.deaths[task.key] -= 1
            future.set_exception(BrokenExecutor("killed"))
        else:
            future.set_result(fn(task))
        return future


def here(log: list[str], deaths: dict[str, int]) -> Callable[[], contextlib.AbstractContextManager[Executor]]:
    return lambda: contextlib.nullcontext(Here(log, deaths))


def test_every_task_is_done_once_and_told(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    log: list[str] = []
    told: list[Progress] = []
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


def test_a_stop_keeps_what_is_done(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    assert not execute(tasks, store, here([], {}), 1, lambda progress: progress.done >= 3)
    assert 3 <= len(store.runs()) < len(tasks)


@pytest.mark.parametrize("end", ["a stop", "an error"])
def test_what_is_finished_when_it_ends_is_kept(end: str, rows_of_three: Plan, tmp_path: Path) -> None:
    tasks, store = rows_of_three.tasks(), Store(tmp_path / "a.sqlite")
    futures: list[Future[Outcome]] = []

    class Later(Executor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            futures.append(Future())
            return futures[-1]

    def tell(progress: Progress) -> bool:
        """Everything else is finished in the moment in which the first run is told."""
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


def workers_of(parent: int) -> list[int]:
    """The worker processes of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            its_parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if its_parent == parent and b"--multiprocessing-fork" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")
def test_ten_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\ntorus = true\ncoupling = 'gaussian'\nseed = {from = 0, to = 14}\n"
        "[runs]\nsizes = [7]\nvariants = [5, 11]\nstrategies = ['blocks']\n[limits]\nsweeps = 300\n"
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


def test_a_dask_cluster_gives_what_local_processes_give(plan_file: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    tasks = read_plan(plan_file).tasks()
    mine, theirs = Store(tmp_path / "mine.sqlite"), Store(tmp_path / "theirs.sqlite")
    assert execute(tasks, mine, local(2), 2)
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


# -- tables ---------------------------------------------------------------------------------------------------


def test_tables_say_what_the_runs_say(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    execute(tasks, store, here([], {}), 1)
    store.add(task_of(4), perform(task_of(4)))
    runs = of_plan(store.runs(), tasks)
    assert len(runs) == len(tasks) == len(store.runs()) - 1
    for row in gaps(runs):
        at = row.max_size, row.variant
        mine = sorted(run.outcome.gap for run in runs if (run.task.max_size, run.task.variant) == at)
        assert row.count == len(mine)
        assert row.percentiles[-1] == mine[-1]
        for level, value in zip(PERCENTILES, row.percentiles, strict=True):
            assert sum(gap <= value for gap in mine) >= level / 100 * (len(mine) - 1)
            assert value in mine
    for speed in speeds(runs):
        assert speed.variant == 9
        mine = [t for t in timings(runs) if (t.run.task.max_size, t.run.task.variant) == (speed.max_size, 9)]
        assert speed.count == len(mine) >= 4
        ratios = [t.baseline.outcome.seconds / t.run.outcome.seconds for t in mine]
        assert speed.speedup == pytest.approx(np.median(ratios))
        for timing in mine:
            assert replace(timing.run.task, key="", variant=11) == replace(timing.baseline.task, key="")
    assert f"{len(tasks)} runs: " in report(runs)


def test_the_line_of_best_fit() -> None:
    def run(variant: int, seed: int, seconds: float) -> Any:
        instance = Instance("ising_grid", (("seed", seed),))
        task = Task(f"{variant}-{seed}", "", instance, 5, "groups", variant, "mplp", Limits())
        return type("Run", (), {"task": task, "outcome": Outcome("closed", -1.0, -1.0, seconds=seconds)})

    baseline = [run(11, seed, 10.0**seed) for seed in range(4)]
    (speed,) = speeds([*baseline, *(run(9, seed, 3 * 10.0 ** (0.5 * seed)) for seed in range(4))])
    assert speed.slope == pytest.approx(0.5)
    assert 10**speed.intercept == pytest.approx(3)


def test_times_that_were_cut_short_do_not_bend_the_line() -> None:
    def run(variant: int, seed: int, seconds: float, status: str = "closed") -> Any:
        task = Task("", "", Instance("ising_grid", (("seed", seed),)), 5, "groups", variant, "mplp", Limits())
        return type("Run", (), {"task": task, "outcome": Outcome(status, -1.0, -1.0, seconds=seconds)})

    runs = [run(v, seed, 10.0**seed) for seed in range(3) for v in (9, 11)]
    runs += [run(9, 3, 1.0), run(11, 3, 60.0, SECONDS_REACHED)]
    (speed,) = speeds(runs)
    assert (speed.count, speed.cut_short, speed.slope) == (4, 1, pytest.approx(1))
    # No baseline: no speeds. A run that never began took no time.
    assert speeds([run(9, 0, 1.0)]) == speeds([run(9, 0, 0.0), run(11, 0, 1.0)]) == []


def test_runs_by_older_code_stand_in_for_those_to_come(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    for k, task in enumerate(tasks):
        store.add(replace(task, key=f"old {k}"), Outcome("closed", -2.0, -1.0))
    assert [run.task.key for run in of_plan(store.runs(), tasks)] == [f"old {k}" for k in range(len(tasks))]
    assert store.missing(tasks) == tasks
    store.add(tasks[5], Outcome("closed", -2.0, -2.0))
    assert of_plan(store.runs(), tasks)[5].task == tasks[5]
    assert len(of_plan(store.runs(), tasks)) == len(tasks)
    assert by_other_code(store.runs()) == 0
    with contextlib.closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE runs SET code = 'older' WHERE key LIKE 'old%'")
    assert by_other_code(store.runs()) == len(tasks)
    assert f"{len(tasks) - 1} of them by another version" in report(of_plan(store.runs(), tasks))


def test_a_store_takes_over_what_another_has(tmp_path: Path) -> None:
    shipped, mine = Store(tmp_path / "shipped.sqlite"), Store(tmp_path / "mine.sqlite")
    tasks = [task_of(3), task_of(4)]
    for task in tasks:
        shipped.add(task, Outcome("closed", 1.0, 1.0))
    mine.add(tasks[0], Outcome("closed", 2.0, 2.0))
    mine.adopt(shipped.path)
    mine.adopt(shipped.path)
    assert [run.outcome.lower_bound for run in of_plan(mine.runs(), tasks)] == [2.0, 1.0]
    assert [run.task for run in mine.of_model(tasks[0].model)] == [run.task for run in mine.runs()]
    assert mine.of_model("another") == []


def test_runs_as_a_file(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    execute(tasks[:4], store, here([], {}), 1)
    rows = list(csv.DictReader(io.StringIO(to_csv(store.runs()))))
    assert len(rows) == 4
    for row, run in zip(rows, store.runs(), strict=True):
        assert (row["instance"], int(row["variant"]), row["key"]) == ("ising_grid 0", run.task.variant, run.task.key)
        assert float(row["lower_bound"]) == run.outcome.lower_bound


def test_a_gap_is_finite_whatever_the_signs_of_the_bounds() -> None:
    assert Outcome("closed", -2.0, -1.0).gap == 0.5  # the paper's
    assert Outcome("closed", 0.0, 1.0).gap == 1.0
    assert Outcome("closed", -1.0, 1.0).gap == 2.0
    assert Outcome("closed", 1.0, 4.0).gap == 0.75


def test_a_run_that_never_began_has_no_gap(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.add(task_of(), Outcome(MEMORY_REACHED))
    runs = store.runs()
    (row,) = csv.DictReader(io.StringIO(to_csv(runs)))
    assert (row["lower_bound"], row["upper_bound"], row["gap"]) == ("", "", "")
    said = report(runs)
    assert "inf" not in said
    assert said.endswith("–         – (1 of 1)")


# -- the command line -----------------------------------------------------------------------------------------


def test_the_command_line(plan_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str) -> str:
        assert main(["experiment", *arguments]) == 0
        return capsys.readouterr().out

    total = len(read_plan(plan_file).tasks())
    assert f"small: 4 instances, {total} runs, {total} to do" in said("plan", str(plan_file))
    assert said("status", str(plan_file)).startswith(f"0 of {total}")
    done = said("run", str(plan_file), "--workers", "2").splitlines()
    assert done[-1].startswith(f"{total} of {total}, about 0 s left: ")
    assert said("status", str(plan_file)).startswith(f"{total} of {total} runs are done")
    assert ", 0 to do" in said("plan", str(plan_file))
    assert "Normalised gap" in said("report", str(plan_file))
    plan_file.write_text("[runs]\nsizes = 4")
    assert main(["experiment", "plan", str(plan_file)]) == 2
    assert capsys.readouterr().err == "error: the plan has no instances; add [[instances]] with a family or files\n"


def test_an_attached_run_ends_when_its_input_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\nseed = {from = 0, to = 199}\n[runs]\nsizes = [6]\nvariants = [9]\n"
    )
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(path), "--workers", "1", "--attached"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.stdin.close()
        said = [first, *map(json.loads, process.stdout)]
    assert process.returncode == 0
    assert [told["done"] for told in said] == list(range(1, len(said) + 1))
    assert said[0]["total"] == 200
    assert said[0]["last"].startswith("ising_grid 0, M 6, variant 9")
    assert len(Store(path.with_suffix(".sqlite")).runs()) == len(said) < 200


SLOW = """
[[instances]]
family = 'ising_grid'
rows = 3
columns = 3
[[instances]]
family = 'body_pose'
candidates = 16
seed = {from = 0, to = 3}
[runs]
sizes = [14]
variants = [11]
"""


@pytest.fixture
def slow_plan(tmp_path: Path) -> Path:
    """A run of a moment and four of minutes."""
    path = tmp_path / "plan.toml"
    path.write_text(SLOW)
    return path


@pytest.fixture
def begun(slow_plan: Path) -> Iterator[subprocess.Popen[str]]:
    """An experiment of which the first run is done, in a process group of its own as a terminal gives it."""
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(slow_plan), "--workers", "2"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("1 of 5, about ")
        try:
            yield process
        finally:
            process.kill()


def gone(processes: Sequence[int]) -> bool:
    """Whether processes have ended, or do so presently."""
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{process}").exists() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(Path(f"/proc/{process}").exists() for process in processes)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")
def test_ctrl_c_stops_the_workers_and_keeps_what_is_done(begun: subprocess.Popen[str], slow_plan: Path) -> None:
    workers = workers_of(begun.pid)
    assert len(workers) == 2
    # A terminal's Ctrl-C goes to the workers as well.
    os.killpg(begun.pid, signal.SIGINT)
    _, said = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert said == "stopped: 1 of 5 runs are done and kept; run the same command again to go on\n"
    assert [run.task.instance.title for run in Store(slow_plan.with_suffix(".sqlite")).runs()] == ["ising_grid 0"]
    assert gone(workers)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds up the plan by a pipe with a name")
@pytest.mark.parametrize("how", ["Ctrl-C", "closed input"])
def test_a_stop_is_heard_while_the_plan_is_being_cut(how: str, tmp_path: Path) -> None:
    path, model = tmp_path / "plan.toml", tmp_path / "model.uai"
    path.write_text("[[instances]]\nfiles = '*.uai'\n[runs]\nsizes = [4]\n")
    os.mkfifo(model)
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(path), "--attached"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process, model.open("w"):
        # Opened at both ends, so it is being read; but nothing comes.
        if how == "Ctrl-C":
            process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == (130 if how == "Ctrl-C" else 0)
    assert said == (
        "stopped before the first run; what was done earlier is kept, run the same command again to go on\n"
    )


def test_a_full_disk_ends_the_experiment_and_room_lets_it_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, taken = tmp_path / "plan.toml", []
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\nseed = {from = 0, to = 7}\n[runs]\nsizes = [4]\nvariants = [9]"
    )
    with mounted(tmp_path / "disk", 1024) as disk:
        in_words = command._in_words

        def filling(progress: Progress, left: float) -> str:
            """The disk is full after three runs."""
            if progress.done == 3 and not taken:
                taken.append(fill(disk))
            return in_words(progress, left)

        monkeypatch.setattr(command, "_in_words", filling)
        run = ["experiment", "run", str(path), "--store", str(disk / "runs.sqlite"), "--workers", "1"]
        assert main(run) == 2
        said = capsys.readouterr()
        assert said.out.count("\n") == 3
        assert said.err.startswith(f"error: {disk / 'runs.sqlite'}: the run ising_grid ")
        assert ", M 4, variant 9, mplp is not kept: the disk is full" in said.err
        taken[0].unlink()
        assert main(run) == 0
        assert capsys.readouterr().out.startswith("4 of 8, ")
        assert len(Store(disk / "runs.sqlite").runs()) == 8
