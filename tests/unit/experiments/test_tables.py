"""Tables of runs."""

from __future__ import annotations

import contextlib
import csv
import io
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bender_core.experiments import (
    Instance,
    Limits,
    Outcome,
    Store,
    Task,
    execute,
    perform,
    read_plan,
)
from bender_core.experiments.outcome import MEMORY_REACHED, SECONDS_REACHED
from bender_core.experiments.report import report
from bender_core.experiments.tables import (
    PERCENTILES,
    by_other_code,
    gaps,
    of_plan,
    speeds,
    timings,
    to_csv,
)
from tests.unit.experiments.plans import here, task_of


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


def test_times_at_a_limit_do_not_affect_the_line() -> None:
    def run(variant: int, seed: int, seconds: float, status: str = "closed") -> Any:
        task = Task("", "", Instance("ising_grid", (("seed", seed),)), 5, "groups", variant, "mplp", Limits())
        return type("Run", (), {"task": task, "outcome": Outcome(status, -1.0, -1.0, seconds=seconds)})

    runs = [run(v, seed, 10.0**seed) for seed in range(3) for v in (9, 11)]
    runs += [run(9, 3, 1.0), run(11, 3, 60.0, SECONDS_REACHED)]
    (speed,) = speeds(runs)
    assert (speed.count, speed.cut_short, speed.slope) == (4, 1, pytest.approx(1))
    # No baseline: no speeds. A run that never began took no time.
    assert speeds([run(9, 0, 1.0)]) == speeds([run(9, 0, 0.0), run(11, 0, 1.0)]) == []


def test_runs_by_older_code_replace_missing_ones(plan_file: Path, tmp_path: Path) -> None:
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
    mrf = tasks[0].instance.load()
    assert [run.task for run in mine.of_model(mrf)] == [run.task for run in mine.runs()]
    assert mine.of_model(replace(mrf, constant=1.0)) == []


def test_runs_that_are_kept_under_the_former_hash_are_found(tmp_path: Path) -> None:
    store, task = Store(tmp_path / "runs.sqlite"), task_of(3)
    mrf = task.instance.load()
    kept = replace(task, key="old", model=mrf.former_hash())
    assert kept.model != task.model == mrf.content_hash()
    store.add(kept, Outcome("closed", 1.0, 1.0))
    assert [run.task.key for run in store.of_model(mrf)] == ["old"]
    assert [run.task for run in of_plan(store.runs(), [task])] == [replace(task, key="old")]


def test_runs_as_a_file(plan_file: Path, tmp_path: Path) -> None:
    tasks, store = read_plan(plan_file).tasks(), Store(tmp_path / "a.sqlite")
    execute(tasks[:4], store, here([], {}), 1)
    rows = list(csv.DictReader(io.StringIO(to_csv(store.runs()))))
    assert len(rows) == 4
    for row, run in zip(rows, store.runs(), strict=True):
        assert (row["instance"], int(row["variant"]), row["key"]) == (
            "ising_grid 6×6 torus gaussian seed 0",
            run.task.variant,
            run.task.key,
        )
        assert float(row["lower_bound"]) == run.outcome.lower_bound


def test_a_gap_is_finite_for_any_signs_of_the_bounds() -> None:
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
