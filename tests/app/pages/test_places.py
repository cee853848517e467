"""The place in a run outlives other choices, and choices that are not applied are said where the run is shown."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.stopping import never
from pages._shared.app.requests import BRANCH, BranchRequest
from pages._shared.app.session import FIRST, linked, open_address
from pages._shared.forks.beside import begin_named
from pages._shared.forks.growing import made_again
from pages._shared.running.watched import Place, WatchedRun
from tests.app.pages.test_compare_page import contest, watch
from tests.app.pages.test_pages import app, go, html, lab, press, ran
from tests.labs import SessionState, take_model

pytestmark = pytest.mark.usefixtures("patient")

EVENT = 46


def at_a_place(page: str) -> AppTest:
    """A run in the middle, with a message that is pinned."""
    test = app("watch")
    run = lab(test).run
    run.engine.run(max_events=EVENT)
    run.show(EVENT)
    run.arc, run.pinned = 7, True
    return go(test, page)


def said(test: AppTest) -> str:
    """What the page says of choices that are not applied."""
    texts = [piece.text for piece in html(test)] + [caption.value for caption in test.caption]
    return " ".join(text for text in texts if text.startswith("Not applied"))


# -- the place ------------------------------------------------------------------------------------------------


def open_update(run: WatchedRun) -> tuple[int, int]:
    """The sweep and the group of the update that a run shows as begun."""
    event = run.engine.trace[run.position - 1]
    assert event.kind == Kind.NODE_OPENED
    return event.sweep, event.node


def test_another_variant_is_shown_at_the_same_place() -> None:
    test = at_a_place("partition")
    shown = lab(test).run.engine.trace[EVENT - 1]
    assert Kind.NODE_OPENED < shown.kind < Kind.MESSAGE
    ran(test.selectbox("partition_variant").select(3).run())
    press(test, "Partition and watch")
    mine = lab(test)
    assert (mine.variant, mine.run.engine.variant.number) == (3, 3)
    assert (mine.run.arc, mine.run.pinned) == (7, True)
    assert open_update(mine.run) == (shown.sweep, shown.node)
    expected = bc.Engine(mine.mrf, mine.partition, variant=3, excluding=True)
    expected.run(max_events=mine.run.position)
    mine.run.engine.seek(mine.run.position)
    assert mine.run.engine.lower_bound == expected.lower_bound


def test_with_other_groups_as_many_sweeps_have_passed() -> None:
    mine = linked(FIRST)
    mine.run.engine.run(max_sweeps=3)
    mine.run.show(len(mine.run.engine.trace))
    mine.run.arc, mine.run.pinned = 7, True
    mine.repartition(bc.partition(mine.mrf, 5, "greedy"), 5, 9, "mplp")
    mine.run.work.wait()
    assert mine.run.settle()
    assert (mine.run.place, mine.run.pinned) == (Place(3), False)


def test_other_groups_have_no_place_of_the_groups_before() -> None:
    test = at_a_place("partition")
    ran(test.slider("partition_size").set_value(5).run())
    ran(test.selectbox("partition_strategy").select("greedy").run())
    press(test, "Partition and watch")
    run = lab(test).run
    assert (run.position, run.arc, run.pinned) == (0, 0, False)


def test_a_run_that_ends_before_the_place_is_shown_at_its_end() -> None:
    mine = linked(FIRST | {"sample": "tiny", "M": "3", "at": str(10**6)})
    mine.run.work.wait()
    assert mine.run.settle()
    sweeps = mine.run.place.sweep
    mine.repartition(mine.partition, 3, 11, "mplp")
    mine.run.work.wait()
    assert mine.run.settle()
    alone = bc.Engine(mine.mrf, mine.partition, variant=11)
    alone.run(max_sweeps=sweeps)
    assert mine.run.position == len(alone.trace)


def test_the_place_of_a_fork_is_in_as_many_sweeps_in_all() -> None:
    mine = linked(FIRST)
    mine.run.engine.run(max_sweeps=2)
    mine.run.show(len(mine.run.engine.trace))
    mine.fork(bc.Change(), bc.Change().fork(mine.run.engine))
    mine.run.step("sweep", backward=False)
    mine.run.step("node", backward=False)
    node = mine.run.place.group
    mine.repartition(mine.partition, 8, 4, "mplp")
    mine.run.work.wait()
    assert mine.run.settle()
    assert mine.run.place == Place(3, node)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([1, 4, 9, 11, 12]), st.sampled_from(["mplp", "srmp"]), st.integers(0, 400))
def test_a_place_is_found_again_in_any_run_with_the_same_groups(variant: int, schedule: str, position: int) -> None:
    mine = linked(FIRST | {"sample": "torus-10x10", "M": "5", "strategy": "greedy"})
    mine.run.engine.run(max_events=position)
    mine.run.show(position)
    place = mine.run.place
    other = WatchedRun(bc.Engine(mine.mrf, mine.partition, variant=variant, schedule=schedule))
    other.start(place)
    assert other.work.thread is not None
    other.work.thread.join()
    assert other.settle()
    assert other.place == place or other.engine.finished


def test_compare_keeps_the_place_of_the_run_that_is_watched() -> None:
    test = at_a_place("compare")
    held, mine = contest(test), lab(test)

    class Curve:
        max_size, strategy, variant, schedule, method = 8, "groups", 3, "mplp", None

    watch(test, held.watch, mine.partition, Curve)
    assert (mine.variant, mine.run.arc) == (3, 7)
    shown = next(iter(mine.branches)).run.engine.trace[EVENT - 1]
    assert open_update(mine.run) == (shown.sweep, shown.node)


# -- Back -----------------------------------------------------------------------------------------------------


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> SessionState:
    """A session whose run is of variant 9."""
    from pages._shared.running import kept

    state = SessionState(lab=linked(FIRST))
    monkeypatch.setattr(kept.st, "session_state", state)
    return state


def address(mine: object, **more: str) -> dict[str, str]:
    return dict(parse_qsl(mine.address)) | more


def test_back_shows_the_run_that_the_address_names(session: SessionState) -> None:
    mine, number = session.lab, session.lab.number
    mine.run.engine.run(max_events=EVENT)
    left = address(mine, at=str(EVENT), arc="7", order="cost")
    mine.repartition(mine.partition, 8, 3, "mplp")
    later = address(mine, at="0")
    open_address(left)
    assert session.lab is mine
    assert (mine.variant, mine.run.position, mine.run.arc, mine.run.pinned) == (9, EVENT, 7, True)
    # The pages tell runs apart by their numbers.
    assert mine.number == number + 2
    open_address(later)
    assert (mine.variant, mine.run.position) == (3, 0)
    assert len(mine.branches) == 2


@pytest.mark.parametrize("has_fork", [False, True])
def test_a_moment_of_a_fork_is_shown_in_the_fork_not_in_the_run_that_it_left(
    session: SessionState, has_fork: bool
) -> None:
    before = session.lab
    before.run.engine.run(max_events=EVENT)
    before.run.show(EVENT)
    left, change = before.branches.shown, bc.Change(variant=4)
    before.fork(change, change.fork(before.run.engine))
    fork, moment = before.branches.shown, address(before, at="2")
    before.show(left)
    if not has_fork:
        before.branches.forget(fork)
    open_address(moment, is_moment=True)
    mine = session.lab
    if mine.replay is not None:
        mine.replay.thread.join()
        mine.replay.finish(mine)
    assert (mine is before) == has_fork
    assert mine.variant == 4
    assert mine.run.position == 2
    assert mine.branches.shown.lineage.forks == fork.lineage.forks


def test_back_to_a_run_whose_memory_was_freed_asks_for_it_again(session: SessionState) -> None:
    mine = session.lab
    left, first = address(mine, at="3"), mine.branches.shown
    mine.repartition(mine.partition, 8, 3, "mplp")
    first.let_go()
    open_address(left)
    request = BRANCH.get()
    assert (request.what, request.branch, first.position) == ("show", first, 3)
    assert mine.variant == 3


def test_a_moment_does_not_get_the_second_run_that_the_one_before_it_waits_for(session: SessionState) -> None:
    mine = session.lab
    alone, first = address(mine, at="3"), mine.branches.shown
    mine.repartition(mine.partition, 8, 3, "mplp")
    second = mine.branches.shown
    mine.show(first)
    second.let_go()
    open_address(address(mine, at="9", beside="variant=3"), is_moment=True)
    begin_named(mine)
    assert BRANCH.get().branch is second
    open_address(alone, is_moment=True)
    assert BRANCH.get() is None
    assert (mine.run.position, mine.branches.beside) == (3, None)


def test_an_address_that_changes_nothing_keeps_what_was_asked_for(session: SessionState) -> None:
    mine = session.lab
    asked = BranchRequest("run on", mine.branches.shown)
    BRANCH.set(asked)
    open_address(address(mine, at="3"))
    open_address(address(mine, sample="none-such"), is_moment=True)
    assert BRANCH.get() is asked


def test_back_to_a_model_that_was_left_opens_its_run_anew(session: SessionState) -> None:
    before = session.lab
    left = address(before, at=str(EVENT), arc="7")
    take_model(before, bc.sample("tiny"), {"sample": "tiny"})
    open_address(left)
    mine = session.lab
    assert mine is not before
    assert (mine.mrf.name, mine.run.position, mine.run.arc, mine.run.pinned) == ("pose, small", EVENT, 7, True)
    assert mine.number > before.number


@pytest.mark.parametrize("is_fork", [False, True])
def test_back_to_a_model_that_was_left_has_its_other_runs_again(session: SessionState, is_fork: bool) -> None:
    before = session.lab
    before.run.engine.run(max_events=EVENT)
    before.run.show(EVENT)
    root = address(before, at="3")
    change = bc.Change(variant=4)
    before.fork(change, change.fork(before.run.engine))
    before.repartition(before.partition, 8, 3, "mplp")
    fork = next(each for each in before.branches if each.lineage.forks)
    if is_fork:
        assert before.show(fork)
    left = address(before, at="0") if is_fork else root
    expected = [(each.name, each.depth, each.settings) for each in before.branches]
    take_model(before, bc.sample("tiny"), {"sample": "tiny"})
    open_address(left)
    mine = session.lab
    if mine.replay is not None:
        mine.replay.thread.join()
        mine.replay.finish(mine)
    assert [(each.name, each.depth, each.settings) for each in mine.branches] == expected
    assert bool(mine.branches.shown.lineage.forks) == is_fork
    # Those whose memory is free are made again from what is known of them.
    for each in list(mine.branches):
        assert made_again(mine, each, never).engine.mrf is mine.mrf
        assert mine.show(each)


def test_back_keeps_a_tree_that_the_address_is_of(session: SessionState) -> None:
    mine = session.lab
    mine.run.engine.run(max_events=30)
    mine.run.show(30)
    left = address(mine, at="12")
    mine.fork(bc.Change(variant=4), bc.Change(variant=4).fork(mine.run.engine))
    run = mine.run
    for said in (left, address(mine, at="0"), {}, {"lesson": "row"}):
        open_address(said)
        assert session.lab is mine
        assert mine.run is run


def test_back_to_a_model_that_is_gone_keeps_the_run_and_says_so(session: SessionState) -> None:
    mine = session.lab
    open_address(address(mine) | {"sample": "none-such"})
    assert session.lab is mine
    assert "there is no sample 'none-such'" in mine.notice
    assert "The previous run is shown" in mine.notice


def test_only_another_page_has_an_address_of_its_own() -> None:
    """A press on a page that states its address later must not be taken for Back."""
    test = app("partition")
    before = lab(test)
    test.query_params.update(address(before) | {"variant": "4", "at": "3"})
    ran(test.run())
    assert lab(test) is before
    # As Back does: another page, at an address of its own.
    go(test, "edge")
    assert (lab(test).variant, lab(test).run.position) == (4, 3)


# -- choices that are not applied -----------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["watch", "edge"])
def test_choices_that_are_not_applied_are_said_and_applied_where_the_run_is_shown(page: str) -> None:
    test = at_a_place("partition")
    assert said(test) == ""
    ran(test.selectbox("partition_variant").select(3).run())
    expected = "Not applied: variant 3. The run still has variant 9."
    assert said(test) == expected
    go(test, page)
    assert said(test).strip() == expected
    assert lab(test).variant == 9
    press(test, "Apply it")
    assert lab(test).variant == 3
    assert said(test) == ""
    # Partition shows what the run has.
    go(test, "partition")
    assert test.selectbox("partition_variant").value == 3
    assert said(test) == ""


def test_all_choices_that_differ_are_named() -> None:
    test = app("partition")
    ran(test.slider("partition_size").set_value(5).run())
    ran(test.selectbox("partition_strategy").select("greedy").run())
    ran(test.segmented_control("partition_schedule").set_value("srmp").run())
    assert said(test) == "Not applied: M 5 by greedy, srmp. The run still has M 8 by groups, mplp."
    press(test, "Undo")
    press(test, "Undo")
    assert said(test) == "Not applied: srmp. The run still has mplp."
    ran(test.segmented_control("partition_schedule").set_value("mplp").run())
    assert said(test) == ""
    # Groups made by hand have the same M.
    press(test, "Merge")
    assert said(test).startswith("Not applied: M 8 by hand.")


def test_choices_that_are_dropped_are_those_of_the_run_again() -> None:
    test = app("partition")
    ran(test.selectbox("partition_variant").select(3).run())
    go(test, "watch")
    press(test, "Discard")
    assert said(test) == ""
    go(test, "partition")
    assert test.selectbox("partition_variant").value == 9


def test_a_choice_that_cannot_be_applied_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("partition")
    ran(test.selectbox("partition_variant").select(3).run())
    go(test, "watch")

    def refuse(*_: object) -> None:
        raise bc.PartitionError("there is no room")

    monkeypatch.setattr(lab(test), "_beside", refuse)
    press(test, "Apply it")
    test.session_state.next_run.thread.join()
    ran(test.run())
    assert "there is no room" in said(test)
    assert lab(test).variant == 9
