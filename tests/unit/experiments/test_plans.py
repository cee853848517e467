"""Plans of experiments: their content, and runs that count for several tasks."""

from __future__ import annotations

import csv
import io
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core.experiments import (
    Instance,
    Limits,
    Outcome,
    Plan,
    PlanError,
    PlanProgress,
    Store,
    execute,
    perform,
    read_plan,
    seconds_at_most,
)
from bender_core.experiments import plan as plan_module
from bender_core.experiments.plan import distinct, plan_of
from bender_core.experiments.report import report
from bender_core.experiments.tables import (
    fitted_line,
    gaps,
    of_plan,
    speeds,
    timings,
    to_csv,
)
from bender_core.strategies import BY_RUNS, PURSUIT, Tell
from bender_core.visualization.on_screen import on_screen
from bender_core.visualization.study import times
from tests.unit.experiments.plans import here


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
    assert seconds_at_most(tasks) == 30.0 * len(tasks)
    assert seconds_at_most([]) == 0


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


def searching(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The values of M of all searches that are made, which are short."""
    made = []

    def search(mrf: bc.BinaryMRF, max_size: int, seed: int, stop: bc.Stop, tell: Tell | None) -> bc.Partition:
        made.append(max_size)
        if tell is not None:
            tell(0.5, -12.5)
        stop.check()
        return replace(bc.partition(mrf, max_size, "blocks"), strategy=PURSUIT)

    monkeypatch.setitem(BY_RUNS, PURSUIT, search)
    monkeypatch.setattr(plan_module, "_partitions", {})
    return made


def test_groups_are_searched_for_once_and_go_to_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    made = searching(monkeypatch)
    instance = Instance("ising_grid", (("rows", 4), ("columns", 4), ("coupling", "gaussian"), ("seed", 0)))
    plan = Plan("p", (instance,), (3, 4), (9, 11), (PURSUIT, "blocks"), ("mplp", "srmp"), Limits(sweeps=2))
    tasks = plan.tasks()
    assert len(tasks) == 16
    assert made == [3, 4]
    found = [task for task in tasks if task.strategy == PURSUIT]
    # A search for the same groups takes time that counts: it is another run.
    assert not {task.key for task in found} & {task.key for task in tasks if task.strategy == "blocks"}
    assert all(task.found is None for task in tasks if task.strategy == "blocks")
    # Another process knows what is sent to it.
    monkeypatch.setattr(plan_module, "_partitions", {})
    for task in pickle.loads(pickle.dumps(found)):
        _, part = task.load()
        assert (part.strategy, part.largest) == (PURSUIT, task.max_size)
        assert perform(task).sweeps > 0
    assert made == [3, 4]


def test_a_plan_says_how_far_it_is_and_stops_within_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    made = searching(monkeypatch)
    instances = tuple(Instance("ising_grid", (("rows", 4), ("columns", 4), ("seed", seed))) for seed in (0, 1))
    plan, told = Plan("p", instances, (3,), (9,), (PURSUIT,)), list[tuple[float, str]]()
    plan.tasks(lambda *so_far: told.append(so_far))
    assert told == [
        (0.0, "partition 1 of 2: pursuit, M 3, ising_grid 4×4 seed 0"),
        (0.25, "partition 1 of 2: pursuit, M 3, ising_grid 4×4 seed 0, bound -12.5"),
        (0.5, "partition 2 of 2: pursuit, M 3, ising_grid 4×4 seed 1"),
        (0.75, "partition 2 of 2: pursuit, M 3, ising_grid 4×4 seed 1, bound -12.5"),
    ]
    plan_module._partitions.clear()
    made.clear()
    told.clear()
    with pytest.raises(bc.Stopped):
        plan.tasks(lambda *so_far: told.append(so_far), bc.Stop(requested=lambda: len(told) == 2))
    assert made == [3]
    assert not plan_module._partitions


def test_the_latest_partitions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made = searching(monkeypatch)
    monkeypatch.setattr(plan_module, "_KEPT", 2)
    instance = Instance("ising_grid", (("rows", 4), ("columns", 4), ("seed", 0)))
    for sizes in ((2, 3), (3, 4), (4, 2)):
        Plan("p", (instance,), sizes, (9,), (PURSUIT,)).tasks()
    assert made == [2, 3, 4, 2]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"instances": []}, "the plan has no instances; add"),
        ({"instanses": []}, "the plan has an unknown key 'instanses'; known are name, question, instances"),
        ({"instances": {"family": "ising_grid"}}, "[instances] is a single table; write [[instances]], once for each"),
        ({"instances": [{"family": "ising_grid", "seed": -1}]}, "it must be a whole number from 0 to 2147483647"),
        ({"instances": [{}]}, "must have either a family or files"),
        ({"instances": [{"family": "a", "files": "b"}]}, "must have either a family or files"),
        ({"instances": [{"family": "ising"}]}, "there is no family 'ising'; known are body_pose"),
        ({"instances": [{"family": "ising_grid", "row": 3}]}, "the family ising_grid has an unknown key 'row'"),
        ({"instances": [{"family": "ising_grid", "rows": 1}]}, "the family ising_grid: Rows is 1; it must be"),
        ({"instances": [{"family": "ising_grid", "seed": {"from": 1}}]}, "write it like {from = 0, to = 96}"),
        ({"instances": [{"family": "ising_grid", "seed": {"from": 3, "to": 2}}]}, "an empty list or range of values"),
        ({"instances": [{"family": "ising_grid", "seed": {"from": 0, "to": 10**12}}]}, "at most 100,000 are made"),
        ({"instances": [{"files": "*.none"}]}, "there are no files '*.none' next to the plan"),
        ({"runs": {}}, "[runs] has no sizes; add them"),
        ({"runs": {"sizes": [0]}}, "[runs] sizes contains 0; choose from 1 to 30"),
        ({"runs": {"sizes": [4], "variants": [13]}}, "[runs] variants contains 13; choose from 1, 2"),
        (
            {"runs": {"sizes": [4], "strategies": ["best"]}},
            "[runs] strategies contains 'best'; choose from default, auto",
        ),
        ({"runs": {"sizes": [4], "variant": 9}}, "[runs] has an unknown key 'variant'"),
        ({"limits": {"seconds": 0}}, "[limits] seconds is 0; it must be a number above 0"),
        ({"limits": {"hours": 1}}, "[limits] has an unknown key 'hours'"),
        ({"limits": 3}, "limits is 3; it must be a table"),
        ({"limits": {"sweeps": math.inf}}, "[limits] sweeps is inf; it must be a number above 0"),
        ({"limits": {"megabytes": 10**23}}, "[limits] megabytes is 100000000000000000000000; it must be"),
        ({"limits": {"seconds": math.nan}}, "[limits] seconds is nan; it must be a number above 0"),
        ({"name": math.nan}, "the name is nan; write it as a string"),
        ({"name": {}}, "the name is {}; write it as a string"),
        ({"question": 3}, "the question is 3; write it as a string"),
        ({"instances": [{"family": {}}]}, "there is no family {}; known are body_pose"),
        ({"instances": [{"family": [[1]]}]}, "there is no family [[1]]; known are body_pose"),
        ({"runs": {"sizes": [4], "variants": [[1]]}}, "[runs] variants contains [1]; choose from 1, 2"),
        ({"runs": {"sizes": [4], "schedules": {}}}, "[runs] schedules contains {}; choose from mplp"),
        ({"runs": {"sizes": []}}, "[runs] sizes is empty; give at least one"),
        ({"runs": {"sizes": [4], "variants": []}}, "[runs] variants is empty; give at least one"),
        ({"runs": {"sizes": [4.0]}}, "[runs] sizes contains 4.0; choose from 1 to 30"),
    ],
)
def test_an_invalid_plan_gives_one_sentence(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    data = {"instances": [{"family": "ising_grid"}], "runs": {"sizes": [4]}}
    assert len(plan_of(data, tmp_path, "p")) == 12
    with pytest.raises(PlanError) as caught:
        plan_of(data | changes, tmp_path, "p")
    assert said in str(caught.value)


def test_what_is_given_twice_is_done_once(tmp_path: Path) -> None:
    data = {"instances": [{"family": "ising_grid", "seed": [0, 0]}] * 2, "runs": {"sizes": [5, 5], "variants": [9, 9]}}
    plan = plan_of(data, tmp_path, "p")
    assert (len(plan.instances), plan.sizes, plan.variants) == (1, (5,), (9,))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.uai").write_text("MARKOV\n1\n2\n1\n1 0\n2\n1 2\n")
    (tmp_path / "half.uai").write_text("MARKOV\n1\n2\n1\n1 0\n2\n1\n")
    plan = plan_of({"instances": [{"files": "*.uai"}], "runs": {"sizes": [4]}}, tmp_path, "p")
    with pytest.raises(PlanError, match=r"half\.uai: line 7: "):
        plan.tasks()


def test_a_run_on_equal_groups_is_done_once_and_counts_at_every_size(rows_of_three: Plan, tmp_path: Path) -> None:
    tasks, store = rows_of_three.tasks(), Store(tmp_path / "a.sqlite")
    assert len(tasks) == len(rows_of_three) == 18
    keys = {task.key for task in tasks}
    assert len(keys) == 12
    assert seconds_at_most(tasks) == 12 * rows_of_three.limits.seconds
    log: list[str] = []
    told: list[PlanProgress] = []
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
    points = [
        point[2] for trace in on_screen(times(runs)).data if trace.mode == "markers" for point in trace.customdata
    ]
    assert sorted(points) == [2] * 6 + [3] * 6 + [9] * 6
    # The line of best fit counts it once.
    lines = [fitted_line([t for t in timings(runs) if t.run.task.max_size in sizes]) for sizes in ((3,), (3, 9))]
    np.testing.assert_allclose(*lines)
    assert "\n6 of them have the same groups as another M or strategy, and were done once\n" in report(runs)


def test_a_run_done_at_another_size_is_not_repeated(rows_of_three: Plan, tmp_path: Path) -> None:
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
    told: list[PlanProgress] = []
    assert execute(tasks, store, here([], {tasks[-1].key: 2}), 2, told.append)
    assert (told[-1].done, told[-1].failed) == (18, 2)
    assert store.missing(tasks) == [task for task in tasks if task.key == tasks[-1].key]


def test_titles_tell_the_instances_of_a_plan_apart() -> None:
    values = {"family": "ising_grid", "rows": [10, 20], "columns": [10, 20], "torus": [False, True], "seed": [0, 1]}
    found = plan_of({"instances": [values], "runs": {"sizes": [3]}}, Path(), "p").instances
    assert len({instance.title for instance in found}) == len(found) == 16
    families = [instance.family for instance in found[::2]]
    assert families == [
        f"ising_grid{size}{torus}" for size in ("", " 10×20", " 20", " 20×20") for torus in ("", " torus")
    ]
    assert Instance("/a/b/c.uai").family == "b"
