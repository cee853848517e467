"""Partition beyond the choices: undo and redo, reasons, selection, splitting, and the comparison of strategies."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import synth
from bender_core.engine.memory import alive_bytes
from bender_core.engine.memory_needed import largest_fit
from bender_core.groups import Partition, split, split_by_coupling
from bender_core.stopping import never
from bender_core.strategies import BY_RUNS, Tell, applicable, quality
from bender_core.units import storage
from pages._shared.app.session import Lab
from pages._shared.partition.comparing import Comparing
from pages._shared.partitioning import making
from pages._shared.partitioning.draft import MOST_STEPS, Draft, SizedPartition
from pages._shared.partitioning.making import Costing, PartitionMaker
from pages._shared.running import background
from tests.app.pages.test_pages import app, complaints, go, html, lab, press, ran, tables
from tests.labs import take_model
from tests.tiers import thinned

pytestmark = pytest.mark.usefixtures("patient")

NASTY = ("<b>bold</b>", "$x^2$", "*a* _b_ `c`", "[link](https://example.com)", "&amp; 🎈 :red[x]")


def cut(test: AppTest) -> SizedPartition:
    found: SizedPartition = test.session_state.draft.now
    return found


def groups(test: AppTest) -> list[list[int]]:
    return [group.tolist() for group in cut(test).part.groups]


def look(test: AppTest, tab: str) -> AppTest:
    """The page with another tab open."""
    test.session_state.cut_view = tab
    return ran(test.run())


def opened(mrf: bc.BinaryMRF, max_size: int = 4) -> AppTest:
    """The page with the test's model."""
    test = app("instance")
    mine = lab(test)
    take_model(mine, mrf, {})
    mine.repartition(bc.partition(mrf, max_size), max_size, 9, "mplp")
    return go(test, "partition")


def worked(test: AppTest) -> AppTest:
    """The page after the comparison's thread has done its work."""
    test.session_state.comparing.thread.join()
    return ran(test.run())


def comparison(test: AppTest) -> dict[str, list[Any]]:
    (table,) = test.dataframe
    return {name: table.value[name].tolist() for name in table.value}


# -- undo and redo --------------------------------------------------------------------------------------------


def test_undo_and_redo_go_over_strategy_size_and_edits_alike() -> None:
    test = app("partition")

    def said() -> tuple[list[list[int]], int, str]:
        return groups(test), test.slider("partition_size").value, test.selectbox("partition_strategy").value

    states = [said()]
    ran(test.slider("partition_size").set_value(5).run())
    states.append(said())
    ran(test.selectbox("partition_strategy").select("greedy").run())
    states.append(said())
    ran(test.selectbox("move_variable").select(3).run())
    ran(test.selectbox("move_target").select_index(2).run())
    press(test, "Move")
    states.append(said())
    ran(test.slider("partition_size").set_value(7).run())
    states.append(said())
    assert [(size, strategy) for _, size, strategy in states] == [
        (8, "groups"),
        (5, "groups"),
        (5, "greedy"),
        (5, "manual"),
        (7, "groups"),
    ]
    for earlier in states[-2::-1]:
        press(test, "Undo")
        assert said() == earlier
    assert [button.disabled for button in test.button if button.label in ("Undo", "Redo")] == [True, False]
    for later in states[1:4]:
        press(test, "Redo")
        assert said() == later
    # What is changed after an undo takes the place of what was undone.
    ran(test.selectbox("partition_strategy").select("layers").run())
    assert [button.disabled for button in test.button if button.label in ("Undo", "Redo")] == [False, True]
    press(test, "Undo")
    assert said() == states[3]


def test_a_choice_counts_even_if_the_next_press_comes_too_soon() -> None:
    """If Streamlit drops a callback for a newer run, the page still applies the choice."""
    test = app("partition")
    test.session_state.partition_size = 5
    ran(test.run())
    assert cut(test).choice == (5, "groups")
    assert max(len(group) for group in groups(test)) <= 5
    press(test, "Undo")
    assert (
        cut(test).choice
        == (test.slider("partition_size").value, test.selectbox("partition_strategy").value)
        == (8, "groups")
    )


def test_a_draft_remembers_a_bounded_number_of_partitions() -> None:
    part = bc.Partition((np.arange(1),), ("a",))
    mrf = bc.BinaryMRF([[0.0, 1.0]])
    kept = Draft(0, SizedPartition(part, 0), PartitionMaker(mrf), Costing(mrf, bc.Account()))
    for size in range(1, MOST_STEPS + 10):
        kept.put(SizedPartition(part, size))
    for _ in range(MOST_STEPS + 10):
        kept.undo()
    assert (kept.now.max_size, kept.past) == (9, [])
    for _ in range(MOST_STEPS + 10):
        kept.redo()
    assert (kept.now.max_size, kept.future, len(kept.past)) == (MOST_STEPS + 9, [], MOST_STEPS)


# -- why, and at what cost ------------------------------------------------------------------------------------


def test_auto_gives_its_reason_and_every_strategy_its_quality() -> None:
    test = app("partition")
    assert test.selectbox("partition_strategy").options[0].startswith("auto")
    for strategy in ("auto", "greedy"):
        ran(test.selectbox("partition_strategy").select(strategy).run())
        part = bc.partition(lab(test).mrf, 8, strategy)
        kept = quality(lab(test).mrf, part)
        assert f"{100 * kept.inside:.0f} % in groups, {100 * kept.covered:.0f} % with a forest" in tables(test)
        said = [piece.text.replace("\u00a0", " ") for piece in html(test)]
        assert [text for text in said if "of the relevant coupling" in text] == [part.reason] * (strategy == "auto")


def test_the_size_advised_is_the_largest_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("partition")
    monkeypatch.setenv("BENDER_MEMORY_MB", "20")
    ran(test.selectbox("partition_strategy").select("greedy").run())
    ran(test.slider("partition_size").set_value(24).run())
    (said,) = complaints(test)
    fits = int(said.split("M = ")[1].split(" ")[0])
    mrf = lab(test).mrf
    assert fits == largest_fit(mrf, cut(test).part, 9, 20 << 20)
    assert bc.required_bytes(mrf, bc.partition(mrf, fits, "greedy")) <= 20 << 20
    press(test, f"Take M = {fits}")
    assert complaints(test) == []
    assert cut(test).part.largest <= fits


def test_the_cost_is_that_of_the_variant_and_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    timed, time_sweep = list[tuple[Partition, int, str]](), bc.time_sweep
    monkeypatch.setattr(bc, "time_sweep", lambda mrf, *run, **how: timed.append(run) or time_sweep(mrf, *run, **how))
    test = app("partition")
    for schedule in ("mplp", "srmp"):
        test.session_state.partition_schedule = schedule
        ran(test.run())
        mrf, part = lab(test).mrf, cut(test).part
        assert timed[-1] == (part, 9, schedule)
        assert f"{test.session_state.draft.costing.cost.sweep}, measured just now" in tables(test)
        assert f"{storage(bc.required_bytes(mrf, part, 9, alive_bytes))} at the start" in tables(test)
    assert lab(test).account.used == lab(test).run.engine.arrays.charges.used, "the runs that were timed are over"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Partitions by "refined" take until this event is set, or until they are stopped."""
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.01)
    may_end, made = threading.Event(), bc.partition

    def partition(
        mrf: bc.BinaryMRF, max_size: int, strategy: str | None, stop: bc.Stop = never, on_progress: object = None
    ) -> bc.Partition:
        while strategy == "refined" and not may_end.wait(0.001):
            stop.check()
        return made(mrf, max_size, strategy, stop=stop)

    monkeypatch.setattr(making.bc, "partition", partition)
    return may_end


def said_of(test: AppTest) -> tuple[int, str, tuple[int, str]]:
    """The values of the widgets, and the draft."""
    return test.slider("partition_size").value, test.selectbox("partition_strategy").value, cut(test).choice


def test_a_slow_partition_is_made_in_the_background(slow: threading.Event) -> None:
    test = app("partition")
    ran(test.selectbox("partition_strategy").select("refined").run())
    assert said_of(test) == (8, "refined", (8, "groups"))
    assert [bar.proto.text for bar in test.get("progress")] == ["Making partition: refined, M 8"]
    assert [button.disabled for button in test.button if button.label == "Partition and watch"] == [True]
    # The page can be used meanwhile, and asks for no second cut.
    thread = test.session_state.draft.maker.thread
    look(test, "Groups")
    assert test.session_state.draft.maker.thread is thread
    slow.set()
    thread.join(60)
    ran(test.run())
    assert said_of(test) == (8, "refined", (8, "refined"))
    assert [button.disabled for button in test.button if button.label == "Partition and watch"] == [False]
    press(test, "Undo")
    assert said_of(test) == (8, "groups", (8, "groups"))


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Runs are made in the background no sooner than this event is set, or a stop is requested."""
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.05)
    may_end, make = threading.Event(), Lab._beside

    def beside(*given: Any) -> bc.Engine:
        while not may_end.wait(0.01):
            given[-1].check()
        return make(*given)

    monkeypatch.setattr(Lab, "_beside", beside)
    return may_end


@pytest.mark.parametrize("page", ["partition", "edge"])
def test_a_run_is_made_in_the_background(held: threading.Event, page: str) -> None:
    test = app("partition")
    ran(test.selectbox("partition_variant").select(4).run())
    if page == "edge":
        go(test, "edge")
    begin = {"partition": "Partition and watch", "edge": "Apply it"}[page]
    press(test, begin)
    following = test.session_state.next_run
    assert "Making the tables of 14 groups…" in [caption.value for caption in test.caption]
    assert not [button for button in test.button if button.label == begin and not button.disabled]
    assert lab(test).variant == 9
    # The page can be used meanwhile.
    ran(test.run())
    assert test.session_state.next_run is following
    press(test, "Stop")
    following.thread.join(60)
    assert ("Stop" in [button.label for button in test.button], lab(test).variant) == (False, 9)
    press(test, begin)
    held.set()
    test.session_state.next_run.thread.join(60)
    ran(test.run())
    assert lab(test).variant == 4
    assert bool(test.get("bidi_component")) or page == "edge"


def test_a_run_that_cannot_be_made_leaves_the_page_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise bc.PartitionError("there is no room")

    test = app("partition")
    monkeypatch.setattr(lab(test), "_beside", refuse)
    ran(test.selectbox("partition_variant").select(4).run())
    press(test, "Partition and watch")
    assert complaints(test) == ["there is no room"]
    ran(test.selectbox("partition_variant").select(3).run())
    assert complaints(test) == []
    assert lab(test).variant == 9


def test_a_slow_partition_can_be_stopped(slow: threading.Event) -> None:
    test = app("partition")
    ran(test.selectbox("partition_strategy").select("refined").run())
    thread = test.session_state.draft.maker.thread
    press(test, "Stop")
    thread.join(60)
    assert said_of(test) == (8, "groups", (8, "groups"))
    assert "Stop" not in [button.label for button in test.button]
    # Nor is it waited for by somebody who chooses otherwise.
    for back, expected in (("groups", (8, "groups")), ("greedy", (8, "greedy"))):
        ran(test.selectbox("partition_strategy").select("refined").run())
        thread = test.session_state.draft.maker.thread
        ran(test.selectbox("partition_strategy").select(back).run())
        thread.join(60)
        if test.session_state.draft.maker.thread is not thread:
            test.session_state.draft.maker.thread.join(60)
        ran(test.run())
        assert said_of(test) == (*expected, expected)


# -- picking and editing --------------------------------------------------------------------------------------


def test_selecting_a_variable_selects_its_group_even_after_an_edit() -> None:
    test = app("partition")
    ran(test.selectbox("move_variable").select(20).run())
    owner = int(cut(test).part.group_of()[20])
    chosen = f"{owner + 1}. {cut(test).part.labels[owner]}"
    assert (test.selectbox("merge_first").value, test.selectbox("split_group").value) == (chosen, chosen)
    press(test, "Merge")
    owner = int(cut(test).part.group_of()[20])
    assert test.selectbox("split_group").value == f"{owner + 1}. {cut(test).part.labels[owner]}"


def test_a_move_without_a_variable_says_what_to_do() -> None:
    test = press(app("partition"), "Move")
    assert complaints(test) == ["no variable is chosen; click one in the drawing or choose it from the list"]


@pytest.mark.parametrize("how", ["coupling", "order"])
def test_a_group_is_split_in_either_way(how: str) -> None:
    test = app("partition")
    ran(test.selectbox("partition_strategy").select("greedy").run())
    before = cut(test).part
    ran(test.selectbox("split_group").select_index(2).run())
    ran(test.selectbox("split_by").select(how).run())
    press(test, "Split")
    expected = split(before, 2) if how == "order" else split_by_coupling(lab(test).mrf, before, 2)
    assert groups(test) == [group.tolist() for group in expected.groups]


# -- strategies compared --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_comparison_says_what_the_library_says() -> None:
    test = look(opened(synth.ising_grid(rows=4, columns=4, seed=1), max_size=3), "Compare strategies")
    assert test.multiselect("compare_sizes").value == [4, 8, 12]
    ran(test.multiselect("compare_sizes").set_value([6, 3]).run())
    worked(test.number_input("compare_sweeps").set_value(3).run())
    press(test, "Run each for 3 sweeps")
    shown = comparison(worked(test))
    expected = bc.compare_partitions(lab(test).mrf, [3, 6], sweeps=3)
    assert shown["strategy"] == [row.strategy for row in expected]
    assert shown["M"] == [row.max_size for row in expected]
    assert shown["groups"] == [row.groups for row in expected]
    assert shown["cycles left"] == [row.cycles for row in expected]
    assert shown["kept"] == pytest.approx([100 * row.covered for row in expected])
    assert shown["MB"] == pytest.approx([row.bytes / 2**20 for row in expected])
    assert all(time > 0 for time in shown["ms per sweep"])
    assert shown["bound"] == [row.lower_bound for row in expected]
    best = max(row.lower_bound for row in expected)
    marked = ["bound" in remark for remark in shown["remarks"]]
    assert marked == [abs(row.lower_bound - best) <= 1e-9 * abs(best) for row in expected]


def test_a_partition_too_large_to_run_is_reported_and_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    test = opened(synth.ising_grid(rows=6, columns=6, seed=1))
    test.session_state.compare_sizes = [15]  # before the usual sizes are cut
    look(test, "Compare strategies")
    monkeypatch.setenv("BENDER_MEMORY_MB", "1")
    worked(test.number_input("compare_sweeps").set_value(1).run())
    press(test, "Run each for 1 sweep")
    shown = comparison(worked(test))
    mrf = lab(test).mrf
    parts = (bc.partition(mrf, m, s) for m, s in zip(shown["M"], shown["strategy"], strict=True))
    fits = [bc.required_bytes(mrf, part) <= 1 << 20 for part in parts]
    assert set(fits) == {True, False}
    assert [not np.isnan(bound) for bound in shown["bound"]] == fits
    assert [not remark.startswith("too large: ") for remark in shown["remarks"]] == fits


def test_a_search_for_groups_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone, and as one of several cuts."""
    mrf, told, work = bc.sample("tiny"), list[tuple[float, str]](), list[Any]()

    def search(mrf: bc.BinaryMRF, max_size: int, seed: int, stop: bc.Stop, tell: Tell) -> bc.Partition:
        tell(0.5, -12.5)
        told.append((work[-1].share, work[-1].doing))
        return bc.partition(mrf, max_size, "greedy")

    monkeypatch.setitem(BY_RUNS, "pursuit", search)
    work.append(PartitionMaker(mrf))
    work[-1].ask([(2, "pursuit"), (3, "pursuit")])
    work[-1].thread.join()
    cuts = [f"Making partition {k} of 2: pursuit, M {size}, bound -12.5" for k, size in ((1, 2), (2, 3))]
    assert told == list(zip((0.25, 0.75), cuts, strict=True))
    count = len(applicable(mrf))
    work.append(Comparing(mrf, [2], 9, "mplp"))
    work[-1].measure()
    work[-1].thread.join()
    assert told[2:] == [((count - 0.5) / count, f"partition {count} of {count}: pursuit, M 2, bound -12.5")]


@pytest.mark.slow
def test_a_stopped_comparison_changes_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    mrf = bc.sample("pose")
    comparing = Comparing(mrf, [10], 9, "mplp")
    comparing.measure()
    comparing.thread.join()
    assert len(comparing.rows) == len(applicable(mrf))
    comparing.bound(400)
    assert comparing.busy
    assert comparing.doing.startswith("run ")
    comparing.stop()
    before = list(comparing.rows)
    comparing.thread.join(5)
    assert not comparing.thread.is_alive()
    assert comparing.rows == before
    assert before[-1].lower_bound is None


@pytest.mark.slow
def test_a_stopped_comparison_resumes() -> None:
    test = worked(look(opened(synth.ising_grid(rows=4, columns=4, seed=1)), "Compare strategies"))
    comparing = test.session_state.comparing
    every = list(comparing.rows)
    assert len(every) > 3
    comparing.rows = every[:3]
    press(ran(test.run()), "Resume")
    comparing.thread.join()
    assert all(kept is before for kept, before in zip(comparing.rows[:3], every, strict=False))
    assert [(row.strategy, row.max_size) for row in comparing.rows] == [(row.strategy, row.max_size) for row in every]
    ran(test.run())
    assert not [button for button in test.button if button.label == "Resume"]


# -- odd models -----------------------------------------------------------------------------------------------


def named(n: int, edges: int) -> bc.BinaryMRF:
    """A model with names that are markup in several languages."""
    ends = [(i, i + 1) for i in range(edges)]
    names = [f"{NASTY[i % len(NASTY)]} {i}" for i in range(n)]
    return bc.BinaryMRF(np.zeros((n, 2)), ends, np.tile(np.eye(2), (edges, 1, 1)), names=names, groups=names)


@pytest.mark.parametrize(
    "mrf",
    thinned(
        [named(1, 0), bc.BinaryMRF(np.zeros((3, 2))), bc.BinaryMRF(np.zeros((250, 2))), synth.random_tree(n=1001)], 4
    ),
    ids=["one variable", "no edges", "many without edges", "huge"],
)
def test_odd_models_are_shown_in_every_tab(mrf: bc.BinaryMRF) -> None:
    test = opened(mrf)
    for tab in ("Hyper-variables", "Variables", "Groups", "Compare strategies"):
        look(test, tab)
        assert complaints(test) == []
    said = [caption.value for caption in look(test, "Variables").caption]
    assert any("too many to draw" in text for text in said) == (mrf.n > 1000)


def test_names_are_shown_verbatim() -> None:
    test = opened(named(5, 4), max_size=2)
    look(test, "Groups")
    said = [piece for piece in html(test) if "bold" in piece.text]
    (listing,) = said
    assert not {tag for tag, _ in listing.tags} - {"p"}
    for name in lab(test).mrf.names:
        assert name in listing.text
    written = [element.value for kind in (test.markdown, test.caption) for element in kind]
    written += [button.label for button in test.button]
    assert not any(name[:4] in text for text in written for name in NASTY)
