"""The place in a run outlives other choices, and choices that are not applied are said where the run is shown."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from pages._shared.app.session import FIRST, linked, open_again
from tests.app.pages.test_pages import app, go, html, lab, press, ran
from tests.labs import SessionState

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


def test_another_variant_is_shown_at_the_same_place() -> None:
    test = at_a_place("partition")
    ran(test.selectbox("partition_variant").select(3).run())
    press(test, "Partition and watch")
    mine = lab(test)
    assert (mine.variant, mine.run.engine.variant.number) == (3, 3)
    assert (mine.run.position, mine.run.arc, mine.run.pinned) == (EVENT, 7, True)
    expected = bc.Engine(mine.mrf, mine.partition, variant=3, excluding=True)
    expected.run(max_events=EVENT)
    mine.run.engine.seek(EVENT)
    assert mine.run.engine.lower_bound == expected.lower_bound


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
    event = mine.run.position
    mine.repartition(mine.partition, 3, 11, "mplp")
    mine.run.work.wait()
    assert mine.run.settle()
    alone = bc.Engine(mine.mrf, mine.partition, variant=11)
    alone.run()
    assert mine.run.position == min(event, len(alone.trace))


def test_the_place_of_a_fork_is_after_as_many_events_in_all() -> None:
    mine = linked(FIRST | {"at": "30"})
    mine.fork(bc.Change(), bc.Change().fork(mine.run.engine))
    mine.run.engine.run(max_events=9)
    mine.run.show(9)
    mine.repartition(mine.partition, 8, 4, "mplp")
    mine.run.work.wait()
    assert mine.run.settle()
    assert mine.run.position == 39


def test_compare_keeps_the_place_of_the_run_that_is_watched() -> None:
    test = at_a_place("compare")
    held, mine = test.session_state.contest, lab(test)
    entry_part = mine.partition

    class Curve:
        max_size, variant, schedule = 8, 3, "mplp"

    held.watch(entry_part, Curve)
    assert held.to_watch
    assert (mine.variant, mine.run.position, mine.run.arc) == (3, EVENT, 7)


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


def test_back_opens_the_run_that_the_address_names(session: SessionState) -> None:
    before = session.lab
    left = address(before, at=str(EVENT), arc="7", order="cost")
    before.repartition(before.partition, 8, 3, "mplp")
    later = address(before, at="0")
    open_again(left)
    mine = session.lab
    assert mine is not before
    assert (mine.variant, mine.run.position, mine.run.arc, mine.run.pinned) == (9, EVENT, 7, True)
    # The pages tell runs apart by their numbers.
    assert mine.number > before.number
    open_again(later)
    assert (session.lab.variant, session.lab.run.position) == (3, 0)
    assert session.lab.number > mine.number


def test_back_keeps_a_tree_that_the_address_is_of(session: SessionState) -> None:
    mine = session.lab
    mine.run.engine.run(max_events=30)
    mine.run.show(30)
    left = address(mine, at="12")
    mine.fork(bc.Change(variant=4), bc.Change(variant=4).fork(mine.run.engine))
    run = mine.run
    for said in (left, address(mine, at="0"), {}, {"lesson": "row"}):
        open_again(said)
        assert session.lab is mine
        assert mine.run is run


def test_back_to_a_model_that_is_gone_keeps_the_run_and_says_so(session: SessionState) -> None:
    mine = session.lab
    open_again(address(mine) | {"sample": "none-such"})
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
    assert (lab(test).variant, lab(test).run.position) == (3, EVENT)
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
    assert said(test).startswith("Not applied: M 8 by manual.")


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

    monkeypatch.setattr(lab(test), "repartition", refuse)
    press(test, "Apply it")
    assert "there is no room" in said(test)
    assert lab(test).variant == 9
