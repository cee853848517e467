"""The run bar: a choice begins another run, at the same place, and the run before stays."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

import bender_core as bc
from bender_core.groups import LARGEST_GROUP
from bender_core.trying.change import ByStrategy
from bender_core.variants import SCHEDULES
from pages._shared.app import next_run as making
from pages._shared.app.next_run import NEXT
from pages._shared.app.requests import BRANCH
from pages._shared.app.session import FIRST, Lab, linked, next_run, open_address, return_to, show_next
from pages._shared.running.background import Background
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import protocol, stage
from pages._shared.watch.run_bar import bar, choices, choose
from pages._shared.watch.stage_views import parent_view
from tests.labs import SessionState, command, lab, take_model
from tests.tiers import quick


@pytest.fixture(autouse=True)
def session_state(answered: None, monkeypatch: pytest.MonkeyPatch) -> SessionState:
    state = SessionState()
    monkeypatch.setattr(stage.st, "session_state", state)
    return state


@pytest.fixture
def mine() -> Lab:
    return linked(FIRST)


def made(current: Lab, **chosen: Any) -> None:
    """Choose, and wait until the run is shown and at its place."""
    choose(current, chosen, current.branches.shown)
    finish(current)


def finish(current: Lab) -> None:
    following = next_run(current)
    assert following is not None
    ended(following)
    assert show_next(current)
    ended(current.run.work)
    assert current.run.settle()


def said(current: Lab) -> protocol.Bar:
    """The run bar of the run shown."""
    return bar(current, current.branches.shown)


def ended(work: Background) -> None:
    if work.thread is not None:
        work.thread.join()


@pytest.fixture
def slow_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups by pursuit take for ever, unless they are stopped."""
    make = bc.partition

    def wait(mrf: bc.BinaryMRF, max_size: int, strategy: str = "greedy", **more: Any) -> bc.Partition:
        if strategy != "pursuit":
            return make(mrf, max_size, strategy, **more)
        more["on_progress"](0.25, -7.0)
        while True:
            more["stop"].check()

    monkeypatch.setattr(making.bc, "partition", wait)


# -- what it shows --------------------------------------------------------------------------------------------


def test_it_shows_what_makes_the_run(mine: Lab) -> None:
    assert said(mine) == {
        "now": {"model": "sample=pose-small", "M": 8, "strategy": "groups", "variant": 9, "schedule": "mplp"},
        "largest": mine.partition.largest,
        "making": None,
        "refusal": "",
        "offer": None,
        "before": None,
        "same": "",
    }


def test_every_choice_of_a_run_is_among_those_offered(mine: Lab) -> None:
    now, offered = said(mine)["now"], choices(mine)
    models = [option["value"] for _, options in offered["models"] for option in options]
    assert now["model"] in models
    assert len(models) == len(set(models))
    for name in ("strategies", "variants", "schedules"):
        value = now[{"strategies": "strategy", "variants": "variant", "schedules": "schedule"}[name]]
        assert f"{value}" in [option["value"] for option in offered[name]]
    assert [option["text"] for option in offered["variants"]][8] == "9: RMC on all loose edges"


def test_a_model_that_is_no_sample_is_offered_again(mine: Lab) -> None:
    made_up = bc.sample("tiny")
    take_model(mine, made_up, {"upload": "0123"})
    choices(mine)
    made(mine, model="sample=karate")
    offered = {"value": "upload=0123", "text": made_up.name, "title": made_up.description}
    assert dict(choices(mine)["models"])["recent"] == [offered]
    made(mine, model="upload=0123")
    assert mine.mrf is made_up
    assert mine.origin == {"upload": "0123"}


# -- another run ----------------------------------------------------------------------------------------------


def test_other_rows_begin_on_the_same_groups_and_the_run_before_stays(mine: Lab) -> None:
    first, part = mine.branches.shown, mine.partition
    made(mine, variant=4)
    assert mine.run.engine.partition is part
    assert dict(parse_qsl(mine.address))["variant"] == "4"
    assert said(mine)["before"] == "variant 9"
    assert first.run is not None
    return_to(mine, first)
    assert (mine.variant, said(mine)["before"]) == (9, "variant 4")
    assert len(mine.branches) == 2


def test_another_m_that_makes_the_same_groups_says_so(mine: Lab) -> None:
    made(mine, M=12)
    assert said(mine)["same"] == "M 12 makes the same groups as M 8: none has more than 6 variables."
    # Not while the next run is on its way, whose groups are not known.
    choose(mine, {"M": 5}, mine.branches.shown)
    assert said(mine)["same"] == ""
    finish(mine)
    assert mine.partition.largest == 5
    assert said(mine)["same"] == ""
    made(mine, variant=4)
    assert said(mine)["same"] == ""


def test_another_strategy_that_makes_the_same_groups_says_so() -> None:
    mine = linked({"sample": "tiny", "M": "1", "strategy": "greedy", "variant": "9", "schedule": "mplp"})
    made(mine, strategy="singletons")
    assert said(mine)["same"] == "singletons makes the same groups as greedy."


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("variant", quick([1, 4, 5, 9, 11, 12], [4, 12]))
def test_it_is_the_run_that_a_link_opens_event_by_event(variant: int, schedule: str) -> None:
    mine = linked(FIRST | {"sample": "torus-10x10", "M": "5", "strategy": "greedy", "at": "200"})
    made(mine, variant=variant, schedule=schedule, M=6)
    alone = bc.Engine(mine.mrf, bc.partition(mine.mrf, 6, "greedy"), variant=variant, schedule=schedule, excluding=True)
    alone.run(max_sweeps=6)
    mine.run.engine.run(max_sweeps=6)
    for column in ("kind", "node", "arc", "state", "lower_bound", "upper_bound"):
        assert np.array_equal(mine.run.engine.trace.column(column), alone.trace.column(column), equal_nan=True)
    assert np.array_equal(mine.run.engine.labeling, alone.labeling)


def test_groups_made_by_hand_stay_while_m_and_the_strategy_do() -> None:
    mine = lab("tiny", 3, 9)
    by_hand = bc.manual(mine.mrf, [[i] for i in range(mine.mrf.n)])
    mine.repartition(by_hand, 3, 9, "mplp")
    made(mine, variant=11)
    assert mine.partition is by_hand
    made(mine, M=2)
    assert mine.partition.strategy == "groups"


def test_another_model_begins_with_its_usual_groups(mine: Lab) -> None:
    made(mine, strategy="greedy")
    made(mine, model="sample=karate", M=6)
    assert (mine.mrf.name, mine.max_size, mine.partition.strategy) == ("karate", 6, "groups")
    assert (mine.origin, len(mine.branches), said(mine)["before"]) == (
        {"sample": "karate"},
        1,
        None,
    )


def test_another_model_begins_as_the_line_began_not_as_its_last_fork(mine: Lab) -> None:
    change = bc.Change(variant=4, by_strategy=ByStrategy(3, "greedy"))
    mine.run.engine.run(max_events=20)
    mine.run.show(20)
    mine.fork(change, change.fork(mine.run.engine))
    assert (mine.max_size, mine.variant) == (3, 4)
    made(mine, model="sample=karate")
    assert (mine.mrf.name, mine.max_size, mine.variant, mine.schedule) == ("karate", 8, 9, "mplp")


def test_what_is_chosen_while_a_run_is_being_made_counts_for_another_model_too(mine: Lab, slow_groups: None) -> None:
    shown = mine.branches.shown
    choose(mine, {"M": 6}, shown)
    choose(mine, {"model": "sample=karate"}, shown)
    following = next_run(mine)
    assert following is not None
    assert (following.choice.mrf.name, following.choice.max_size) == ("karate", 6)


def test_back_to_the_present_model_nothing_is_made(mine: Lab, slow_groups: None) -> None:
    change = bc.Change(variant=4)
    mine.run.engine.run(max_events=20)
    mine.run.show(20)
    mine.fork(change, change.fork(mine.run.engine))
    shown = mine.branches.shown
    choose(mine, {"model": "sample=karate"}, shown)
    choose(mine, {"model": urlencode(mine.origin)}, shown)
    assert next_run(mine) is None


def test_what_cannot_be_chosen_stays_as_it_is(mine: Lab) -> None:
    made(mine, M=10**6, strategy="none-such", variant=99, schedule="none-such", model="sample=none-such")
    assert (mine.max_size, mine.partition.strategy, mine.variant) == (LARGEST_GROUP, "groups", 9)
    assert (mine.schedule, mine.mrf.name) == ("mplp", "pose, small")


def test_a_choice_that_changes_nothing_begins_nothing(mine: Lab) -> None:
    choose(mine, {"variant": 9, "M": 8}, mine.branches.shown)
    assert next_run(mine) is None


def test_the_bound_of_the_run_before_is_drawn_from_its_beginning(mine: Lab) -> None:
    mine.run.engine.run(max_sweeps=2)
    trace = mine.run.engine.trace
    made(mine, variant=4)
    drawn = parent_view(mine.branches)
    assert drawn is not None
    assert drawn["name"] == "variant 9"
    assert drawn["lower"] == pytest.approx([trace[k - 1].lower_bound for k in drawn["event"]])
    assert drawn["sweep"][-1] == 2


# -- while it is being made -----------------------------------------------------------------------------------


def test_progress_is_shown_and_stop_keeps_the_present_run(mine: Lab, slow_groups: None) -> None:
    run = mine.run
    stage.carry_out(mine, command("choose", chosen={"strategy": "pursuit"}))
    shown = said(mine)
    assert shown["now"]["strategy"] == "pursuit"
    assert shown["making"].startswith("making groups by pursuit, M 8: 25%")
    following = next_run(mine)
    stage.carry_out(mine, command("stop"))
    ended(following)
    assert not show_next(mine)
    assert (said(mine)["now"]["strategy"], said(mine)["making"], mine.run) == (
        "groups",
        None,
        run,
    )


def test_a_command_that_is_repeated_does_not_begin_again(mine: Lab, slow_groups: None) -> None:
    again = command("choose", chosen={"strategy": "pursuit"}, serial=7)
    stage.carry_out(mine, again)
    following = next_run(mine)
    stage.carry_out(mine, again)
    stage.carry_out(mine, command("choose", chosen={"strategy": "pursuit"}, serial=8))
    assert next_run(mine) is following
    # Another choice adds to it.
    stage.carry_out(mine, command("choose", chosen={"M": 5}, serial=9))
    assert not following.busy
    assert (next_run(mine).choice.max_size, next_run(mine).choice.strategy) == (5, "pursuit")
    next_run(mine).stop(wait=None)


def test_a_run_that_fails_says_so_and_the_present_one_stays(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> bc.Partition:
        raise MemoryError

    monkeypatch.setattr(making.bc, "partition", fail)
    choose(mine, {"strategy": "greedy"}, mine.branches.shown)
    ended(next_run(mine))
    assert not show_next(mine)
    assert said(mine)["refusal"] == "This run cannot be made; the server's log says why."
    assert said(mine)["now"]["strategy"] == "groups"


def test_a_run_that_was_made_for_another_place_is_dropped(mine: Lab, slow_groups: None) -> None:
    choose(mine, {"strategy": "pursuit"}, mine.branches.shown)
    following = NEXT.get()
    take_model(mine, bc.sample("tiny"), {"sample": "tiny"})
    assert next_run(mine) is None
    assert not following.busy


def test_what_does_not_fit_is_refused_with_the_nearest_that_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "64")
    mine = linked(FIRST | {"sample": "pose", "M": "6", "strategy": "greedy"})
    run = mine.run
    choose(mine, {"M": 24, "variant": 11}, mine.branches.shown)
    ended(next_run(mine))
    assert not show_next(mine)
    shown = said(mine)
    assert mine.run is run
    assert shown["refusal"].startswith("M 24 does not fit: ")
    assert (shown["now"]["M"], shown["now"]["variant"]) == (6, 9)
    offer = shown["offer"]
    assert (offer["variant"], 6 < offer["M"] < 24) == (11, True)
    # It can be dismissed, and the offer be taken.
    choose(mine, {}, mine.branches.shown)
    assert said(mine)["refusal"] == ""
    made(mine, **offer)
    assert (mine.max_size, mine.variant) == (offer["M"], 11)


@pytest.fixture
def crowded() -> Lab:
    """A lab without room for a second run."""
    mrf = bc.sample("pose")
    part = bc.partition(mrf, 8)
    alone = bc.Engine(mrf, part, variant=9)
    account = bc.Account(int(1.9 * alone.arrays.charges.used))
    return Lab(mrf, 8, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9, limit=account)))


def test_without_room_for_both_the_run_before_is_made_again_when_it_is_wanted(crowded: Lab) -> None:
    first = crowded.branches.shown
    made(crowded, variant=4)
    assert (crowded.variant, first.run, said(crowded)["before"]) == (4, None, "variant 9")
    return_to(crowded, first)
    assert (BRANCH.get().what, BRANCH.get().branch) == ("show", first)


def test_a_run_that_is_given_up_costs_the_present_one_no_memory(crowded: Lab) -> None:
    used = crowded.run.engine.arrays.charges.used
    choose(crowded, {"variant": 4}, crowded.branches.shown)
    ended(next_run(crowded))
    stage.carry_out(crowded, command("stop"))
    assert next_run(crowded) is None
    assert crowded.run.engine.arrays.charges.used == used > 0
    assert crowded.branches.shown.run is crowded.run


# -- the place, and the way back ------------------------------------------------------------------------------


def test_the_place_is_that_of_the_stage_when_it_was_chosen(mine: Lab) -> None:
    first = mine.run
    first.engine.run(max_events=200)
    first.show(100)
    stage.carry_out(mine, command("choose", at=110, chosen={"variant": 4}))
    assert first.position == 110
    finish(mine)
    shown, event = first.engine.trace[109], mine.run.engine.trace[mine.run.position - 1]
    assert (event.sweep, event.node) == (shown.sweep, shown.node)


def test_a_choice_that_overtakes_the_next_run_counts(mine: Lab, session_state: SessionState) -> None:
    session_state.lab = mine
    before = mine.number
    made(mine, variant=4)
    session_state.stage = {"command": command("choose", run=before, chosen={"schedule": "srmp"})}
    stage._on_command()
    finish(mine)
    assert (mine.variant, mine.schedule) == (4, "srmp")


def test_another_chapter_does_not_give_up_the_run_that_is_being_made(mine: Lab, slow_groups: None) -> None:
    mine.run.engine.run(max_events=40)
    mine.run.show(40)
    mine.fork(bc.Change(), bc.Change().fork(mine.run.engine))
    choose(mine, {"strategy": "pursuit"}, mine.branches.shown)
    following = next_run(mine)
    mine.turn(mine.branches.chapters[0], 12)
    assert next_run(mine) is following
    following.stop(wait=None)


def test_back_to_a_fork_shows_its_chapter_and_place(mine: Lab, session_state: SessionState) -> None:
    session_state.lab = mine
    mine.run.engine.run(max_events=60)
    mine.run.show(60)
    mine.fork(bc.Change(variant=11), bc.Change(variant=11).fork(mine.run.engine))
    fork, root = mine.branches.shown, mine.branches.chapters[0]
    mine.turn(root, 20)
    left = dict(parse_qsl(mine.address)) | {"at": "20"}
    made(mine, variant=4)
    made(mine, variant=9)
    open_address(left)
    assert (mine.branches.shown, mine.branches.tip, mine.run.position) == (root, fork, 20)


def test_the_run_before_is_named_by_what_it_was(mine: Lab) -> None:
    mine.run.engine.run(max_sweeps=1)
    change = bc.Change(prove=True)
    mine.fork(change, change.fork(mine.run.engine))
    assert mine.variant == 12
    made(mine, variant=4)
    assert said(mine)["before"].endswith("variant 12")


def test_models_without_an_address_are_kept_apart(mine: Lab) -> None:
    one, other = bc.sample("tiny"), bc.sample("tree")
    for mrf in (one, other, one):
        take_model(mine, mrf, {})
        choices(mine)
    made(mine, variant=4)
    assert (mine.mrf, mine.variant) == (one, 4)
    values = [option["value"] for option in dict(choices(mine)["models"])["recent"]]
    assert len(values) == len(set(values)) == 2
