"""Experiments: the shipped study, new plans, and runs that are started, stopped and reported."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import synth
from bender_core.experiments import Instance, Limits, Plan, Store, read_plan
from bender_core.experiments.methods import METHODS
from bender_core.strategies import BY_RUNS
from pages._shared.app import session
from pages._shared.app.data import store
from pages._shared.app.requests import CYCLES_BY, PROOF
from pages._shared.app.session import FIRST, linked, next_run, show_next
from pages._shared.experiments import outcomes
from pages._shared.experiments.experimenting import Experiment, experiment
from pages._shared.experiments.planning import Planning
from pages._shared.experiments.plans import SHIPPED, file_of, keep, path_of, text_of
from pages._shared.running import kept
from tests.app.pages.test_pages import ROOT, app, complaints, go, html, lab, press, ran, tables
from tests.labs import SessionState


@pytest.fixture(autouse=True)
def _planned_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the cuts of a plan before the page is drawn."""
    monkeypatch.setattr(Planning, "wait", lambda self: self.thread.join(60))


def cells(test: AppTest) -> list[str]:
    return [cell for piece in html(test) for cell in piece.cells]


def beside(test: AppTest, title: str) -> str:
    """The cell of a table next to a word."""
    found = cells(test)
    return found[found.index(title) + 1]


def mine(test: AppTest, count: int = 3) -> AppTest:
    """A small plan from the form: a few small grids."""
    ran(test.selectbox("plan_kind").select("own").run())
    ran(test.selectbox("plan_source").select("ising_grid").run())
    test.number_input("plan-ising_grid-rows").set_value(4)
    test.number_input("plan-ising_grid-columns").set_value(4)
    test.number_input("plan-ising_grid-seed").set_value(count)
    test.multiselect("plan_sizes").set_value([4])
    test.multiselect("plan_variants").set_value([9, 11])
    return press(test, "Plan it")


def carrying_out(test: AppTest) -> Experiment:
    return experiment(test.session_state.plan)


def finished(test: AppTest) -> AppTest:
    """The page after the experiment's process has ended."""
    carrying_out(test).thread.join()
    return ran(test.run())


# -- the shipped study ----------------------------------------------------------------------------------------


def test_the_page_opens_with_a_finished_study() -> None:
    test = app("experiments")
    assert complaints(test) == []
    assert beside(test, "runs") == "576"
    # Whether it is finished, which depends on the version of the code, the table says alone.
    assert not [title for title in test.selectbox(key="plan_kind").options if "finished" in title]
    runs = store().runs()
    assert len([run for run in runs if run.task.instance.source == "body_pose"]) >= 576
    for text in ("12: exact min-marginals by pruning", "M 16", "gap closed"):
        assert text in tables(test)
    test.session_state.study_view = "Gaps"
    ran(test.run())
    # The paper's own figures stand below ours.
    assert "0.00063" in tables(test)
    assert tables(test).count("paper") == 11


def test_the_shipped_store_contains_the_whole_small_study() -> None:
    plan = read_plan(SHIPPED["small"])
    kept = Store(SHIPPED["small"].with_suffix(".sqlite"))
    asked = {(i, m, v) for i in plan.instances for m in plan.sizes for v in plan.variants}
    assert {(run.task.instance, run.task.max_size, run.task.variant) for run in kept.runs()} == asked
    assert all(run.task.limits == plan.limits for run in kept.runs())


# -- plans ----------------------------------------------------------------------------------------------------


def test_a_plan_from_the_form_is_described() -> None:
    test = mine(app("experiments"))
    assert (beside(test, "instances"), beside(test, "runs"), beside(test, "to do")) == ("3", "6", "6")
    assert beside(test, "time").startswith("at most ")
    assert complaints(test) == []
    name = test.session_state.plan
    assert dict(parse_qsl(test.session_state.page_address))["plan"] == name
    plan = read_plan(path_of(name))
    assert [dict(instance.values)["seed"] for instance in plan.instances] == [0, 1, 2]
    assert (plan.sizes, plan.variants, plan.limits) == ((4,), (9, 11), Limits(400, 60.0, 1024))
    # Another session finds it by the address; and it is still there after a look elsewhere.
    other = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    other.query_params["plan"] = name
    go(other, "experiments")
    assert beside(other, "runs") == "6"
    go(test, "watch")
    assert beside(go(test, "experiments"), "runs") == "6"


def test_cutting_the_instances_can_be_stopped_and_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the middle of a search for groups: the page answers at once."""
    monkeypatch.setattr(Planning, "wait", lambda self: None)
    goes_on, cut = threading.Event(), []

    def slow(mrf: bc.BinaryMRF, max_size: int, *_: object) -> bc.Partition:
        goes_on.wait(60)
        cut.append(max_size)
        return bc.partition(mrf, max_size, "greedy")

    monkeypatch.setitem(BY_RUNS, "pursuit", slow)
    test = ran(app("experiments").selectbox("plan_kind").select("own").run())
    test.multiselect("plan_sizes").set_value([2, 3])
    test.multiselect("plan_strategies").set_value(["pursuit"])
    press(test, "Plan it")
    planning = test.session_state.planning
    assert planning.busy
    press(test, "Stop")
    assert not planning.busy
    goes_on.set()
    planning.thread.join()
    assert (cut, planning.planned) == ([2], None), "no other cut is begun"
    press(test, "Resume")
    planning.thread.join()
    ran(test.run())
    assert beside(test, "runs") == str(len(planning.planned.tasks)) == "8"
    assert cut == [2, 3], "what is cut is not cut again"
    assert complaints(test) == []


def test_the_current_model_can_be_planned() -> None:
    test = app("experiments")
    ran(test.selectbox("plan_kind").select("own").run())
    press(test, "Plan it")
    (instance,) = test.session_state.planning.planned.plan.instances
    assert instance.load().content_hash() == lab(test).mrf.content_hash()
    assert instance.title == "pose-small.mrf.json"


def test_an_empty_plan_is_refused() -> None:
    test = app("experiments")
    ran(test.selectbox("plan_kind").select("own").run())
    test.multiselect("plan_variants").set_value([])
    press(test, "Plan it")
    assert complaints(test) == ["The plan has no variants; choose at least one."]


def test_an_unknown_plan_in_the_address_is_reported() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params["plan"] = "0123456789abcdef"
    go(test, "experiments")
    said = "There is no plan 0123456789abcdef on this machine; create it again or upload its file."
    assert complaints(test) == [said]
    for name in ("../../etc", "", "a/b", "plan.toml"):
        assert path_of(name) is None


def test_an_unreadable_plan_gives_one_sentence() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params["plan"] = keep("[[instances]]\nfamily = 'ising_grid'\n[runs]\nsizes = [99]\n")
    go(test, "experiments")
    (said,) = complaints(test)
    assert said == "This plan cannot be carried out: [runs] sizes contains 99; choose from 1 to 30"


def test_plans_are_stored_by_content(tmp_path: Path) -> None:
    mrf = bc.sample("tiny")
    runs = {"sizes": [2], "variants": [9], "strategies": ["default"], "schedules": ["mplp"]}
    text = text_of({"files": file_of(mrf)}, runs, Limits(7, 1.5), 'a "name" with \\ and ü')
    assert keep(text, mrf) == keep(text, mrf) != keep(text)
    plan = read_plan(path_of(keep(text, mrf)))
    assert (plan.name, plan.limits, len(plan)) == ('a "name" with \\ and ü', Limits(7, 1.5, 1024), 1)


# -- running --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_experiment_is_run_and_reported() -> None:
    test = mine(app("experiments"), 2)
    assert [button.label for button in test.button if button.label in ("Run", "Resume")] == ["Run"]
    press(test, "Run")
    finished(test)
    assert complaints(test) == []
    assert (beside(test, "to do"), beside(test, "time")) == ("0", "–")
    tasks = test.session_state.planning.planned.tasks
    kept = {run.task.key: run for run in store().runs()}
    assert {task.key for task in tasks} <= set(kept)
    for task in tasks:
        engine = bc.Engine(*task.load(), variant=task.variant, schedule=task.schedule)
        engine.run()
        assert kept[task.key].outcome.lower_bound == engine.lower_bound
    assert "9: RMC on all loose edges" in tables(test)
    # A plan that shares runs has less to do.
    assert beside(mine(test, 3), "to do") == "2"
    assert [button.label for button in test.button if button.label in ("Run", "Resume")] == ["Resume"]


@pytest.mark.parametrize("strategy", ["default", "proof"])
def test_a_run_is_watched(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof from small groups, as it was run."""
    monkeypatch.setattr(kept.st, "session_state", SessionState(lab=linked(FIRST)))
    opened: list[str] = []
    monkeypatch.setattr(outcomes.st, "switch_page", opened.append)
    rules: dict[str, Any] = {"variants": (4,), "strategies": (strategy,), "schedules": ("srmp",), "limits": Limits()}
    values = {parameter.name: parameter.default for parameter in synth.FAMILIES["ising_grid"].parameters}
    instance = Instance("ising_grid", tuple((values | {"rows": 5, "columns": 5}).items()))
    if strategy in METHODS:
        rules |= {"strategies": (), "methods": (strategy,)}
    (task,) = Plan("of a test", (instance,), (9,), **rules).tasks()
    outcomes.watch(task)
    mine = session.lab()
    following = next_run(mine)
    assert following is not None
    assert following.thread is not None
    following.thread.join()
    assert show_next(mine)
    mrf, part = task.load()
    assert part is not None
    assert mine.mrf.content_hash() == mrf.content_hash()
    assert mine.origin["make"] == "ising_grid"
    assert (mine.variant, mine.schedule) == (task.variant, task.schedule)
    assert mine.partition.group_of().tolist() == part.group_of().tolist()
    assert (PROOF.get(), opened) == (True if strategy == "proof" else None, ["pages/watch.py"])


def test_cycles_are_opened_on_their_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the model of the run, which is made the current one unless it is."""
    monkeypatch.setattr(kept.st, "session_state", SessionState(lab=linked(FIRST)))
    opened: list[str] = []
    monkeypatch.setattr(outcomes.st, "switch_page", opened.append)
    instance = Instance("ising_grid", (("rows", 3), ("columns", 3), ("seed", 5)))
    tasks = Plan("of a test", (instance,), (), strategies=(), methods=("cycles", "proof by cycles", "mplp-cp")).tasks()
    for task, by in zip(tasks, ("program", "program", "messages"), strict=True):
        outcomes.watch(task)
        mine = session.lab()
        following = next_run(mine)
        assert (following is not None) == (task is tasks[0])
        if following is not None and following.thread is not None:
            following.thread.join()
            assert show_next(mine)
        assert mine.mrf.content_hash() == task.model
        assert CYCLES_BY.get() == by
    assert opened == ["pages/cycles.py"] * 3


def test_a_plan_that_cannot_be_written_completely_does_not_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENDER_DATA_DIR", str(tmp_path))
    replace = Path.replace

    def full(path: Path, _: Path) -> Path:
        assert path.stat().st_size
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        keep('name = "p"\n')
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    monkeypatch.setattr(Path, "replace", replace)
    path = path_of(keep('name = "p"\n'))
    assert path is not None
    assert path.read_text() == 'name = "p"\n'


@pytest.mark.slow
def test_a_stop_keeps_finished_runs_and_a_start_resumes(tmp_path: Path) -> None:
    plan, kept, running = sixty(tmp_path), tmp_path / "runs.sqlite", Experiment()
    running.start(plan, kept, 1)
    while running.busy and not running.done:
        running.thread.join(0.01)
    assert running.doing.startswith("partition ")
    assert 0 < running.partitioning < 1
    running.stop()
    assert not running.busy
    running.thread.join()
    assert running.failure == ""
    done = len(Store(kept).runs())
    assert 0 < done < 60
    running.start(plan, kept, 1)
    running.thread.join()
    assert (running.done, running.total, running.failure) == (60, 60, "")
    assert len(Store(kept).runs()) == 60


@pytest.mark.slow
def test_equal_groups_are_shown_at_every_size() -> None:
    test = app("experiments")
    mine(test, 2)
    # The groups are rows of four.
    test.number_input("plan-ising_grid-rows").set_value(3)
    test.multiselect("plan_sizes").set_value([4, 6])
    press(test, "Plan it")
    assert (beside(test, "instances"), beside(test, "runs")) == ("2", "8")
    shared = "4 of the runs have the same groups as another M or strategy; equal runs are done once."
    assert shared in [caption.value for caption in test.caption]
    press(test, "Run")
    finished(test)
    assert beside(test, "to do") == "0"
    assert carrying_out(test).total == 8
    assert "M 4" in tables(test)
    assert "M 6" in tables(test)
    test.session_state.study_view = "Runs"
    ran(test.run())
    (listed,) = test.dataframe
    assert sorted(listed.value["M"]) == [4] * 4 + [6] * 4


@pytest.mark.slow
def test_methods_have_a_view_of_their_own() -> None:
    test = app("experiments")
    mine(test, 2)
    # Of models that no other test has run already.
    test.number_input("plan-ising_grid-rows").set_value(5)
    test.multiselect("plan_sizes").set_value([5])
    test.multiselect("plan_strategies").set_value([])
    press(test, "Plan it")
    assert complaints(test) == ["The plan has no strategies and no methods; choose at least one."]
    test.multiselect("plan_methods").set_value(["proof", "cycles"])
    press(test, "Plan it")
    assert (beside(test, "instances"), beside(test, "runs"), beside(test, "to do")) == ("2", "4", "4")
    press(test, "Run")
    finished(test)
    assert complaints(test) == []
    assert [tab.label for tab in test.tabs] == ["Methods", "Runs"]
    assert beside(test, "proof") == "5", "the largest M"
    assert beside(test, "cycles") == "–"
    assert cells(test).count("2 of 2") == 2
    test.session_state.study_view = "Runs"
    ran(test.run())
    (listed,) = test.dataframe
    assert [value == 5 for value in listed.value["M"]] == [True, False] * 2
    test.multiselect("plan_strategies").set_value(["default"])
    finished(press(press(test, "Plan it"), "Resume"))
    assert [tab.label for tab in test.tabs] == ["Times", "Gaps", "Methods", "Runs"]
    test.session_state.study_view = "Gaps"
    ran(test.run())
    assert "12" not in cells(test), "a proof is no run of its first round's variant"


def test_a_plan_of_cycles_needs_no_sizes() -> None:
    test = app("experiments")
    mine(test, 2)
    test.multiselect("plan_sizes").set_value([])
    test.multiselect("plan_methods").set_value(["mplp-cp"])
    press(test, "Plan it")
    assert complaints(test) == ["The plan has no sizes; choose at least one."]
    for name in ("strategies", "variants", "schedules"):
        test.multiselect(f"plan_{name}").set_value([])
    press(test, "Plan it")
    assert complaints(test) == []
    assert (beside(test, "instances"), beside(test, "runs")) == ("2", "2")


def sixty(folder: Path) -> Path:
    """A plan of sixty short runs."""
    plan = folder / "plan.toml"
    plan.write_text(
        text_of(
            {"family": "ising_grid", "rows": 5, "columns": 5, "seed": {"from": 0, "to": 59}},
            {"sizes": [4], "variants": [9]},
            Limits(),
            "sixty",
        )
    )
    return plan


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_a_killed_experiment_is_reported_and_resumes(tmp_path: Path) -> None:
    plan, kept, running = sixty(tmp_path), tmp_path / "runs.sqlite", Experiment()
    running.start(plan, kept, 1)
    while running.busy and not running.done:
        running.thread.join(0.01)
    running._process.kill()
    running.thread.join()
    assert running.failure == "its process was ended by SIGKILL"
    done = len(Store(kept).runs())
    assert 0 < done < 60
    running.start(plan, kept, 2)
    running.thread.join()
    assert (running.done, running.failure) == (60, "")


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs signals")
def test_a_process_that_ignores_the_stop_is_killed(tmp_path: Path) -> None:
    running = Experiment()
    running.start(sixty(tmp_path), tmp_path / "runs.sqlite", 1)
    running._process.send_signal(signal.SIGSTOP)
    running.stop()
    running.thread.join(20)
    assert running._process.returncode == -signal.SIGKILL
    assert running.failure == ""


@pytest.mark.slow
def test_the_reason_for_the_end_of_an_experiment_is_reported(tmp_path: Path) -> None:
    running = Experiment()
    running.start(tmp_path / "none.toml", tmp_path / "runs.sqlite", 1)
    running.thread.join()
    assert "none.toml" in running.failure
    assert "Traceback" not in running.failure
    kept = tmp_path / "runs.sqlite"
    kept.write_text("no database")
    running.start(sixty(tmp_path), kept, 1)
    running.thread.join()
    assert running.failure == f"{kept}: it is not a store of runs; move it away or choose another place"


def test_a_damaged_store_is_reported_and_nothing_else_is_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENDER_DATA_DIR", str(tmp_path))
    kept = tmp_path / "runs.sqlite"
    kept.write_text("no database")
    test = app("experiments")
    (said,) = complaints(test)
    assert said == (
        f"Runs cannot be read or kept on this machine: {kept}: it is not a store of runs; "
        "move it away or choose another place."
    )
    assert kept.read_text() == "no database"
    kept.unlink()
    ran(test.run())
    assert complaints(test) == []
    assert beside(test, "runs") == "576"
    # Spoilt while the app runs.
    kept.write_text("no database")
    ran(test.run())
    assert [said.startswith("Runs cannot be read or kept") for said in complaints(test)] == [True]


def test_an_unwritable_folder_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BENDER_DATA_DIR", str(tmp_path / "file" / "below"))
    test = app("experiments")
    (said,) = complaints(test)
    assert said.startswith("Runs cannot be kept on this machine")
    assert said.endswith("set BENDER_DATA_DIR to a writable folder.")
