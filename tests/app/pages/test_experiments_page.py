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
from bender_core.engine.gap import relative_gap
from bender_core.experiments import Instance, Limits, Plan, Store, execute, read_plan
from bender_core.experiments.methods import METHODS
from bender_core.experiments.tables import of_plan
from bender_core.strategies import BY_RUNS
from bender_core.units import figures
from pages._shared.app import session
from pages._shared.app.data import store
from pages._shared.app.requests import CYCLES_BY, PROOF
from pages._shared.app.session import FIRST, linked, next_run, show_next
from pages._shared.app.text import markdown
from pages._shared.experiments import execution, opening
from pages._shared.experiments.experimenting import Experiment, experiment
from pages._shared.experiments.planning import Planning
from pages._shared.experiments.plans import SHIPPED, file_of, keep, path_of, text_of
from pages._shared.running import kept
from tests.app.pages.test_pages import ROOT, app, complaints, go, html, lab, press, ran, tables
from tests.labs import SessionState
from tests.unit.experiments.plans import here


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


def row_of(test: AppTest, head: str, first: str) -> list[str]:
    """The cells behind the first one of a row, in the table whose header begins with a text."""
    found = cells(test)
    found = found[found.index(head) :]
    return found[found.index(first) + 1 :][:5]


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
    assert "Which rows are the fastest" in "".join(piece.text for piece in html(test))
    # Whether it is finished, which depends on the version of the code, the table says alone.
    assert not [title for title in test.selectbox(key="plan_kind").options if "finished" in title]
    runs = store().runs()
    assert len([run for run in runs if run.task.instance.source == "body_pose"]) >= 576
    assert "gap closed" in tables(test)
    test.session_state.study_view = "The paper's figure"
    ran(test.run())
    for text in ("12: exact min-marginals by pruning", "M 16"):
        assert text in tables(test)
    test.session_state.study_view = "The paper's table"
    ran(test.run())
    # The paper's own figures stand below ours.
    assert "0.0634 %" in tables(test)
    assert tables(test).count("paper") == 11


def test_contenders_are_compared_by_the_chosen_target() -> None:
    """The table says what a loop over the runs says, of the chosen M alone; pairs are with the chosen reference."""
    test = app("experiments")
    runs_of_all = of_plan(store().runs(), read_plan(SHIPPED["small"]).tasks())
    runs = [run for run in runs_of_all if run.task.max_size == 16]
    ran(test.segmented_control(key="study_picture").set_value("table").run())
    for variant in (4, 11):
        ends = [run.outcome for run in runs if run.task.variant == variant]
        closed = sorted(end.seconds for end in ends if end.status == "gap closed")
        solved, count, quarter, *_ = row_of(test, "contender", f"{variant} · M 16")
        assert (solved, count) == (str(len(closed)), str(len(ends)))
        assert quarter == figures(closed[len(ends) // 4 - 1])
    ran(test.selectbox(key="study_target").set_value("percent").run())
    best = {
        run.task.model: min(r.outcome.upper_bound for r in runs_of_all if r.task.model == run.task.model)
        for run in runs
    }
    near = [relative_gap(r.outcome.lower_bound, best[r.task.model]) <= 0.01 for r in runs if r.task.variant == 11]
    assert row_of(test, "contender", "11 · M 16")[:2] == [str(sum(near)), "12"]
    ran(test.segmented_control(key="study_picture").set_value("pairs").run())
    ran(test.selectbox(key="study_target").set_value("gap").run())
    (against,) = [box for box in test.selectbox if box.label == "Against"]
    assert against.value == "1 · M 16", "the first of those that solve most, as in the exported figure"
    assert beside(test, "against 1 · M 16") == "times faster"
    ran(against.select("12 · M 16").run())
    assert float(row_of(test, "against 12 · M 16", "11 · M 16")[0].removesuffix("×")) < 1, (
        "the baseline is slower than 12"
    )


def opened(fields: dict[str, str]) -> AppTest:
    """The page at an address."""
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    for name, text in fields.items():
        test.query_params[name] = text
    return go(test, "experiments")


def pair_cells(test: AppTest) -> list[str]:
    """The table of pairs."""
    found = cells(test)
    return found[next(k for k, cell in enumerate(found) if cell.startswith("against ")) :]


def of_two_families() -> str:
    """The name of a plan on grids of 3 and of 4 rows, all of which is done."""
    name = keep(
        "name = 'two'\n"
        + "".join(
            f"[[instances]]\nfamily = 'ising_grid'\nrows = {rows}\ncolumns = 3\nseed = [0, 1, 2]\n" for rows in (3, 4)
        )
        + "[runs]\nsizes = [3]\nvariants = [9, 11]\n"
    )
    execute(read_plan(path_of(name)).tasks(), store(), here([], {}), 1)
    return name


def test_everything_is_of_the_chosen_family_of_instances() -> None:
    name = of_two_families()
    test = opened({"plan": name, "pictured": "table"})
    (choice,) = [box for box in test.selectbox if str(box.key).startswith("study_family")]
    assert choice.options == ["all (2 families)", "ising_grid 3×3", "ising_grid 4×3"]
    assert cells(test).count("ising_grid 3×3") == 2, "a row for each contender"
    ran(choice.set_value("ising_grid 4×3").run())
    assert row_of(test, "contender", "9")[1] == "3"
    assert "ising_grid 3×3" not in cells(test)
    address = dict(parse_qsl(test.session_state.page_address))
    assert address["family"] == "ising_grid 4×3"
    other = opened({key: address[key] for key in ("plan", "family")} | {"results": "runs"})
    (listed,) = other.dataframe
    assert {title.rpartition(" seed ")[0] for title in listed.value["instance"]} == {"ising_grid 4×3"}
    assert list(listed.value)[:8] == ["instance", "M", "strategy", "variant", "schedule", "status", "gap", "seconds"]
    names = [button.proto.label for button in other.get("download_button")]
    assert "Save the study" in names


def test_a_link_opens_the_same_comparison() -> None:
    test = app("experiments")
    ran(test.segmented_control(key="study_picture").set_value("pairs").run())
    ran(test.selectbox(key="study_target").set_value("percent").run())
    kinds, sizes = (group for group in test.get("button_group") if group.label in ("Variants and methods", "M"))
    ran(kinds.set_value(["4", "9", "11"]).run())
    kinds, sizes = (group for group in test.get("button_group") if group.label in ("Variants and methods", "M"))
    ran(sizes.set_value(["M 9"]).run())
    (against,) = [box for box in test.selectbox if box.label == "Against"]
    ran(against.select("11 · M 9").run())
    fields = dict(parse_qsl(test.session_state.page_address))
    shown = {name: fields[name] for name in ("plan", "pictured", "target", "contenders", "sizes", "reference")}
    assert list(shown.values()) == ["small", "pairs", "percent", "4_9_11", "9", "11 · M 9"]
    other = opened(shown)
    assert other.segmented_control(key="study_picture").value == "pairs"
    assert other.selectbox(key="study_target").value == "percent"
    assert pair_cells(other) == pair_cells(test)
    assert complaints(other) == []
    other = opened({"plan": "small", "results": "table"})
    assert other.session_state.study_view == "The paper's table"
    assert dict(parse_qsl(other.session_state.page_address))["results"] == "table"
    wrong = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    wrong.query_params["pictured"] = "pie"
    go(wrong, "experiments")
    assert wrong.segmented_control(key="study_picture").value == "profile"
    (said,) = complaints(wrong)
    assert said == "This link compares by 'pie'; the pictures are profile, solved, distance, pairs, table."


def test_too_many_and_no_contenders_are_refused_in_a_sentence() -> None:
    test = app("experiments")
    (sizes,) = [group for group in test.get("button_group") if group.label == "M"]
    ran(sizes.set_value(["M 5", "M 9", "M 13"]).run())
    assert complaints(test) == ["36 are too many to tell apart; choose at most 24."]
    (sizes,) = [group for group in test.get("button_group") if group.label == "M"]
    ran(sizes.set_value([]).run())
    assert complaints(test) == ["Nothing to compare: choose at least one variant or method."]


def test_the_choice_of_what_is_compared_survives_a_look_elsewhere() -> None:
    test = app("experiments")
    ran(test.segmented_control(key="study_picture").set_value("solved").run())
    ran(test.selectbox(key="study_target").set_value("permille").run())
    go(go(test, "method"), "experiments")
    assert test.segmented_control(key="study_picture").value == "solved"
    assert test.selectbox(key="study_target").value == "permille"


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
    begun, goes_on, cut = threading.Event(), threading.Event(), []

    def slow(mrf: bc.BinaryMRF, max_size: int, *_: object) -> bc.Partition:
        begun.set()
        goes_on.wait(60)
        cut.append(max_size)
        return bc.partition(mrf, max_size, "greedy")

    monkeypatch.setitem(BY_RUNS, "pursuit", slow)
    test = ran(app("experiments").selectbox("plan_kind").select("own").run())
    test.multiselect("plan_sizes").set_value([2, 3])
    test.multiselect("plan_strategies").set_value(["pursuit"])
    press(test, "Plan it")
    planning = test.session_state.planning
    assert begun.wait(60)
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


def test_a_plan_from_the_form_has_a_name_and_a_question() -> None:
    test = mine(app("experiments"))
    test.text_input("plan_name").set_value("grids of four")
    test.text_input("plan_question").set_value("Which is the faster?")
    press(test, "Plan it")
    plan = read_plan(path_of(test.session_state.plan))
    assert (plan.name, plan.question) == ("grids of four", "Which is the faster?")
    assert "Which is the faster?" in "".join(piece.text for piece in html(test))


def test_a_file_that_is_no_plan_is_refused_where_it_is_uploaded() -> None:
    """The uploader stays open, and the plan before stays."""
    test = ran(app("experiments").selectbox("plan_kind").select("file").run())
    wrong = b"[[instances]]\nfamily = 'ising_grid'\n[runs]\nsizes = [99]\n"
    ran(test.file_uploader("plan_file").set_value(("wrong.toml", wrong, "application/toml")).run())
    assert complaints(test) == [
        "wrong.toml cannot be carried out: [runs] sizes contains 99; choose from 1 to 30. "
        "The current plan is unchanged."
    ]
    assert [piece.proto.expanded for piece in test.expander if piece.label == "The plan"] == [True]


def test_while_a_plan_is_run_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its results are drawn again when the first run is done, and whenever twice as many are."""
    name = keep(
        "[[instances]]\nfamily = 'ising_grid'\nrows = 3\ncolumns = 5\n[runs]\nsizes = [3]\nvariants = [9, 11]\n"
    )
    monkeypatch.setattr(Experiment, "busy", property(lambda self: True))
    followed: list[bool] = []
    monkeypatch.setattr(execution, "follow", lambda goes_on, draw, every: followed.append(goes_on()))
    running = experiment(name)
    running.total, running.done = 2, 0
    test = opened({"plan": name})
    assert [piece.value for piece in test.info] == ["The first runs are on their way; what is finished is shown here."]
    assert "to do" not in cells(test)

    def first_is_done(goes_on: Any, draw: Any, every: float) -> None:
        running.done = 1
        followed.append(goes_on())

    monkeypatch.setattr(execution, "follow", first_is_done)
    ran(test.run())
    assert followed == [True, False]


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
    test.session_state.study_view = "The paper's figure"
    ran(test.run())
    assert "9: RMC on all loose edges" in tables(test)
    # A plan that shares runs has less to do.
    assert beside(mine(test, 3), "to do") == "2"
    assert [button.label for button in test.button if button.label in ("Run", "Resume")] == ["Resume"]


@pytest.mark.parametrize("strategy", ["default", "proof"])
def test_a_run_is_watched(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof from small groups, as it was run."""
    monkeypatch.setattr(kept.st, "session_state", SessionState(lab=linked(FIRST)))
    opened: list[str] = []
    monkeypatch.setattr(opening.st, "switch_page", opened.append)
    rules: dict[str, Any] = {"variants": (4,), "strategies": (strategy,), "schedules": ("srmp",), "limits": Limits()}
    values = {parameter.name: parameter.default for parameter in synth.FAMILIES["ising_grid"].parameters}
    instance = Instance("ising_grid", tuple((values | {"rows": 5, "columns": 5}).items()))
    if strategy in METHODS:
        rules |= {"strategies": (), "methods": (strategy,)}
    (task,) = Plan("of a test", (instance,), (9,), **rules).tasks()
    opening.watch(task)
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
    assert mine.notice.startswith("This is a proof with groups of up to 9: it begins with those of M 5,") == (
        strategy in METHODS
    )
    assert mine.partition.group_of().tolist() == part.group_of().tolist()
    assert (PROOF.get(), opened) == (True if strategy == "proof" else None, ["pages/watch.py"])


def test_cycles_are_opened_on_their_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the model of the run, which is made the current one unless it is."""
    monkeypatch.setattr(kept.st, "session_state", SessionState(lab=linked(FIRST)))
    opened: list[str] = []
    monkeypatch.setattr(opening.st, "switch_page", opened.append)
    instance = Instance("ising_grid", (("rows", 3), ("columns", 3), ("seed", 5)))
    tasks = Plan("of a test", (instance,), (), strategies=(), methods=("cycles", "proof by cycles", "mplp-cp")).tasks()
    for task, by in zip(tasks, ("program", "program", "messages"), strict=True):
        opening.watch(task)
        mine = session.lab()
        following = next_run(mine)
        assert (following is not None) == (task is tasks[0])
        if following is not None and following.thread is not None:
            following.thread.join()
            assert show_next(mine)
        assert mine.mrf.content_hash() == task.model
        assert CYCLES_BY.get() == by
    assert opened == ["pages/cycles.py"] * 3


def test_a_run_of_an_external_solver_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the run on Watch stays."""
    monkeypatch.setattr(kept.st, "session_state", SessionState(lab=linked(FIRST)))
    said: list[str] = []
    monkeypatch.setattr(opening.st, "toast", said.append)
    instance = Instance("ising_grid", (("rows", 3), ("columns", 3), ("seed", 5)))
    (task,) = Plan("of a test", (instance,), (), strategies=(), methods=("highs",)).tasks()
    opening.watch(task)
    assert said == [
        markdown("ising_grid 3×3 seed 5, HiGHS cannot be stepped through: it is a run of an external solver.")
    ]
    assert next_run(session.lab()) is None


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
    test.session_state.study_view = "The paper's figure"
    ran(test.run())
    assert "M 4" in tables(test)
    assert "M 6" in tables(test)
    test.session_state.study_view = "Runs"
    ran(test.run())
    (listed,) = test.dataframe
    assert sorted(listed.value["M"]) == [4] * 4 + [6] * 4


@pytest.mark.slow
def test_methods_are_compared_without_the_papers_views() -> None:
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
    assert [tab.label for tab in test.tabs] == ["Compare", "Runs"]
    ran(test.segmented_control(key="study_picture").set_value("table").run())
    assert [row_of(test, "contender", name)[:2] for name in ("proof", "cycles")] == [["2", "2"]] * 2
    test.session_state.study_view = "Runs"
    ran(test.run())
    (listed,) = test.dataframe
    assert [value == 5 for value in listed.value["M"]] == [True, False] * 2
    test.multiselect("plan_strategies").set_value(["default"])
    finished(press(press(test, "Plan it"), "Resume"))
    assert [tab.label for tab in test.tabs] == ["Compare", "The paper's figure", "The paper's table", "Runs"]
    test.session_state.study_view = "The paper's table"
    ran(test.run())
    assert "12" not in cells(test), "a proof is no run of its first round's variant"


def test_a_plan_of_cycles_needs_no_sizes() -> None:
    test = app("experiments")
    mine(test, 2)
    test.multiselect("plan_sizes").set_value([])
    test.multiselect("plan_methods").set_value(["mplp-cp"])
    press(test, "Plan it")
    assert complaints(test) == ["The plan has no values of M; choose at least one."]
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
