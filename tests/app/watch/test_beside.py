"""Two runs on the stage: how the second one is begun, where it stands, what changes it and what ends it."""

from __future__ import annotations

import re
import threading
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.stopping import never
from bender_core.trying.clock import BEATS, Beat, Clock, entries_read
from pages._shared.app.branches import Branch
from pages._shared.app.requests import BRANCH
from pages._shared.app.session import (
    FIRST,
    Lab,
    Replay,
    give_up_next,
    linked,
    next_run,
    return_to,
    show_beside,
    show_next,
)
from pages._shared.forks.beside import begin_named
from pages._shared.forks.growing import made_again
from pages._shared.running import background
from pages._shared.running.background import Background
from pages._shared.running.watched import Place, WatchedRun, position_of, run_to
from pages._shared.watch import forking, protocol, stage
from pages._shared.watch.run_bar import EXACT, ROWS, choose, put_beside
from tests.labs import SessionState, beside, command, lab, take_model
from tests.models import examples
from tests.protocol import check


@pytest.fixture(autouse=True)
def session_state(answered: None, monkeypatch: pytest.MonkeyPatch) -> SessionState:
    state = SessionState()
    monkeypatch.setattr(stage.st, "session_state", state)
    return state


@pytest.fixture
def mine() -> Lab:
    return linked(FIRST)


def ended(work: Background) -> None:
    if work.thread is not None:
        work.thread.join()


def shown(current: Lab) -> Branch:
    """The run beside the one shown, once it has been made and stands at its place."""
    following = next_run(current, is_beside=True)
    if following is not None:
        ended(following)
        assert show_next(current, is_beside=True)
    found = current.branches.beside
    assert found is not None
    assert found.run is not None
    ended(found.run.work)
    assert found.run.settle()
    return found


def at(current: Lab, events: int) -> None:
    current.run.engine.run(max_events=events)
    current.run.show(events)


def test_the_first_beside_a_run_has_exact_messages_and_is_at_the_same_place(mine: Lab) -> None:
    at(mine, 60)
    put_beside(mine)
    second = shown(mine)
    assert second.settings["variant"] == f"variant {EXACT}"
    assert second.run is not None
    assert second.run.place == mine.run.place == Place(0, mine.run.place.group, True)
    data = stage.stage_data(mine)
    check(protocol.Stage, data)
    assert data["beside"] is not None
    assert (data["clocked"]["name"], data["beside"]["clocked"]["name"], data["has_same_groups"]) == (
        "variant 9",
        "variant 11",
        True,
    )


def test_beside_exact_messages_there_are_rows(mine: Lab) -> None:
    mine.repartition(mine.partition, 8, EXACT, "mplp")
    mine.branches.before = None
    put_beside(mine)
    assert shown(mine).settings["variant"] == f"variant {ROWS}"


def test_the_run_before_is_put_beside_if_there_is_one(mine: Lab) -> None:
    first = mine.branches.shown
    at(mine, 60)
    choose(mine, {"variant": 4}, first)
    following = next_run(mine)
    assert following is not None
    ended(following)
    assert show_next(mine)
    put_beside(mine)
    assert shown(mine) is first


def test_what_is_chosen_for_the_second_replaces_the_second_alone(mine: Lab) -> None:
    run = mine.run
    put_beside(mine)
    choose(mine, {"variant": 4, "M": 5}, shown(mine))
    second = shown(mine)
    assert second.settings == {"M": "M 5", "strategy": "groups", "variant": "variant 4", "schedule": "mplp"}
    assert mine.run is run
    data = stage.stage_data(mine)
    assert data["beside"] is not None
    assert data["bar"]["now"]["variant"] == 9
    assert data["beside"]["bar"]["now"] | {"variant": 4, "M": 5} == data["beside"]["bar"]["now"]
    assert not data["has_same_groups"]
    # And for the first the first alone.
    choose(mine, {"variant": 12}, mine.branches.shown)
    following = next_run(mine)
    assert following is not None
    ended(following)
    assert show_next(mine)
    assert (mine.variant, mine.branches.beside) == (12, second)


def test_shown_by_itself_the_second_changes_places_with_the_first(mine: Lab) -> None:
    first = mine.branches.shown
    put_beside(mine)
    second = shown(mine)
    return_to(mine, second)
    assert (mine.branches.shown, mine.branches.beside) == (second, first)


def test_another_model_and_a_forgotten_run_end_it(mine: Lab) -> None:
    put_beside(mine)
    mine.branches.forget(shown(mine))
    assert mine.branches.beside is None
    assert stage.stage_data(mine)["beside"] is None
    put_beside(mine)
    shown(mine)
    take_model(mine, bc.sample("tiny"), {"sample": "tiny"})
    assert mine.branches.beside is None


def test_its_memory_is_kept_while_it_is_on_the_stage(mine: Lab) -> None:
    put_beside(mine)
    second = shown(mine)
    mine.branches.let_go()
    assert second.run is not None
    mine.branches.beside = None
    mine.branches.let_go()
    assert second.run is None


@pytest.mark.parametrize(
    "fields",
    [{"variant": "11"}, {"variant": "4", "M": "5"}, {"variant": "9", "strategy": "greedy", "schedule": "srmp"}],
)
def test_an_address_opens_both_runs_again(fields: dict[str, str]) -> None:
    text = "&".join(f"{name}={value}" for name, value in {**fields, "at": "12"}.items())
    mine = linked(FIRST | {"at": "60", "beside": text})
    begin_named(mine)
    second = shown(mine)
    assert second.run is not None
    assert (mine.run.position, second.run.position) == (60, 12)
    assert second.run.engine.variant.number == int(fields["variant"])
    assert dict(parse_qsl(dict(parse_qsl(mine.address))["beside"])) == fields | {"at": "12"}


def test_the_address_names_the_second_run_from_the_press_on(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    at(mine, 60)
    may_end, make = threading.Event(), mine._beside
    monkeypatch.setattr(mine, "_beside", lambda *given: may_end.wait(60) and make(*given))
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    put_beside(mine)
    assert mine.branches.beside is None
    text = dict(parse_qsl(mine.address))["beside"]
    assert text == "variant=11"
    give_up_next(is_beside=True)
    assert "beside" not in dict(parse_qsl(mine.address))
    may_end.set()
    # A page that is loaded again meanwhile opens it at the same place.
    again = linked(FIRST | {"at": "60", "beside": text})
    ended(again.run.work)
    begin_named(again)
    second = shown(again)
    assert second.run is not None
    assert second.run.place == again.run.place
    named = dict(parse_qsl(dict(parse_qsl(again.address))["beside"]))
    assert named == {"variant": "11", "at": str(second.run.position)}


def opened_again(current: Lab) -> tuple[Lab, Branch]:
    """The lab of the address, with the run beside the one shown."""
    fields = dict(parse_qsl(current.address)) | {"at": str(current.run.position)}
    again = linked(fields)
    if again.replay is not None:
        ended(again.replay)
        again.replay.finish(again)
    begin_named(again)
    if again.replay is not None:
        ended(again.replay)
        again.replay.finish(again)
    assert again.notice == ""
    return again, shown(again)


@pytest.mark.parametrize("is_begun", [False, True])
def test_an_address_names_a_fork_beside_the_run_shown(mine: Lab, is_begun: bool) -> None:
    at(mine, 60)
    if is_begun:
        mine.repartition(bc.partition(mine.mrf, 5, "greedy"), 5, 4, "mplp")
    first, before = mine.branches.chapters[0], mine.branches.before
    for k in range(2):
        change = bc.Change(variant=12 - k)
        mine.fork(change, change.fork(mine.run.engine))
        at(mine, 9)
    fork = mine.branches.shown
    assert mine.show(before or first, 60)
    show_beside(mine, fork, 9)
    shown(mine)
    again, second = opened_again(mine)
    assert second.lineage.forks == fork.lineage.forks
    assert second.run is not None
    assert (again.run.position, second.run.position) == (60, 9)
    assert second.run.engine.lower_bound == fork.run.engine.lower_bound  # type: ignore[union-attr]
    assert [(each.settings, each.depth) for each in again.branches] == [
        (each.settings, each.depth) for each in mine.branches
    ]
    assert again.address == mine.address


def test_a_second_run_that_the_session_has_is_shown_at_its_place(mine: Lab) -> None:
    put_beside(mine)
    first = shown(mine)
    assert first.run is not None
    first.run.engine.run(max_events=80)
    mine.branches.beside, mine.aside = None, "variant=11&at=20"
    begin_named(mine)
    assert shown(mine) is first
    assert first.run.position == 20


def test_a_second_run_that_is_made_again_is_shown_at_its_place(mine: Lab) -> None:
    put_beside(mine)
    second = shown(mine)
    second.let_go()
    mine.branches.beside, mine.aside = None, "variant=11&at=20"
    begin_named(mine)
    request = BRANCH.get()
    assert request is not None
    assert dict(parse_qsl(mine.address))["beside"] == "variant=11&at=20"
    made_again(mine, second, never)
    assert forking.shown(mine, request)
    assert shown(mine) is second
    assert second.run is not None
    assert second.run.position == 20


def test_a_fork_of_the_line_shown_is_not_made_twice_beside_it(mine: Lab) -> None:
    at(mine, 60)
    first = mine.branches.shown
    mine.fork(bc.Change(variant=4), bc.Change(variant=4).fork(mine.run.engine))
    fork = mine.branches.shown
    assert mine.turn(first, 60)
    show_beside(mine, fork, 7)
    shown(mine)
    again, second = opened_again(mine)
    assert len(again.branches) == 2
    assert again.branches.tip is second
    assert second.run is not None
    assert second.run.position == 7


def test_a_fork_beside_that_is_not_made_leaves_the_run_shown(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, stops, why in (
        ("variant=4&forks=40.variant-9", True, "it was stopped"),
        ("variant=9&forks=40.merge-0-99", False, "not made: .*99"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(Replay, "start", lambda replay, _: None)
            mine.aside = text
            begin_named(mine)
        assert mine.replay is not None
        stopped = threading.Event()
        if stops:
            stopped.set()
        mine.replay._make(mine, stopped)
        mine.replay.finish(mine)
        assert re.search(why, mine.notice)
        assert (mine.replay, mine.branches.beside, mine.variant) == (None, None, 9)


def test_a_second_run_that_does_not_fit_is_refused_in_its_own_bar(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    put_beside(mine)
    second = shown(mine)
    monkeypatch.setattr(mine.account, "_limit", mine.account.used + 4096)
    choose(mine, {"M": 16, "strategy": "greedy"}, second)
    following = next_run(mine, is_beside=True)
    assert following is not None
    ended(following)
    assert not show_next(mine, is_beside=True)
    data = stage.stage_data(mine)
    assert data["beside"] is not None
    assert data["bar"]["refusal"] == ""
    assert "does not fit" in data["beside"]["bar"]["refusal"]
    assert mine.branches.beside is second


@settings(max_examples=examples(12), deadline=None)
@given(st.integers(0, 400), st.sampled_from(["mplp", "srmp"]), st.sampled_from([4, 9, 11]))
def test_a_known_place_is_where_a_run_to_it_ends(position: int, schedule: str, variant: int) -> None:
    known, anew = (lab("torus-10x10", 5, variant, schedule, max_sweeps=6).run for _ in range(2))
    known.engine.run()
    # The end of a run belongs to its last sweep.
    known.show(min(position, len(known.engine.trace) - 2))
    place = known.place
    run_to(anew.engine, place, lambda _: False)
    assert position_of(known.engine.trace, place) == anew.engine.position
    assert place.is_open or anew.engine.position == known.position
    assert place == WatchedRun.place.fget(_at(anew, anew.engine.position))  # type: ignore[attr-defined]


def _at(run: WatchedRun, position: int) -> WatchedRun:
    run.show(position)
    return run


def test_a_place_beyond_what_is_computed_is_not_known() -> None:
    run = lab("tiny", 3, 9).run
    run.engine.run(max_sweeps=1)
    assert position_of(run.engine.trace, Place(1)) == len(run.engine.trace)
    assert position_of(run.engine.trace, Place(2)) is None
    assert position_of(run.engine.trace, Place(1, 0)) is None


def test_a_repeated_question_begins_nothing_twice(mine: Lab) -> None:
    put_beside(mine)
    second = shown(mine)
    ask: dict[str, Any] = command("choose", run=second.number, chosen={"variant": 4})
    stage.carry_out_beside(mine, ask)  # type: ignore[arg-type]
    following = next_run(mine, is_beside=True)
    assert following is not None
    stage.carry_out_beside(mine, ask)  # type: ignore[arg-type]
    assert next_run(mine, is_beside=True) is following


def test_choices_for_both_at_once_are_both_made(mine: Lab) -> None:
    put_beside(mine)
    second = shown(mine)
    choose(mine, {"variant": 4}, second)
    choose(mine, {"variant": 12}, mine.branches.shown)
    first = next_run(mine)
    assert first is not None
    ended(first)
    assert show_next(mine)
    assert (mine.variant, shown(mine).settings["variant"]) == (12, "variant 4")


def test_stop_gives_up_the_run_that_is_made_beside(mine: Lab) -> None:
    put_beside(mine)
    second = shown(mine)
    choose(mine, {"strategy": "auto"}, second)
    stage.carry_out_beside(mine, command("stop", run=second.number))  # type: ignore[arg-type]
    assert next_run(mine, is_beside=True) is None


def test_a_chapter_that_is_turned_to_is_not_shown_beside_itself(mine: Lab) -> None:
    at(mine, 60)
    first = mine.branches.shown
    mine.fork(bc.Change(variant=4), bc.Change(variant=4).fork(mine.run.engine))
    fork = mine.branches.shown
    show_beside(mine, first)
    assert mine.turn(first)
    assert (mine.branches.shown, mine.branches.beside) == (first, fork)


def test_a_fork_counts_the_sweeps_of_its_line(mine: Lab) -> None:
    first = mine.branches.shown
    mine.run.engine.run(max_sweeps=2)
    mine.run.show(mine.run.engine.position)
    end = mine.run.position
    mine.fork(bc.Change(variant=4), bc.Change(variant=4).fork(mine.run.engine))
    show_beside(mine, first)
    found = shown(mine)
    assert found is first
    assert first.run is not None
    # Where the fork begins.
    assert (mine.run.position, first.run.position) == (0, end)
    data = stage.stage_data(mine)
    assert data["beside"] is not None
    assert (data["clocked"]["begins"], data["beside"]["clocked"]["begins"]) == (2, 0)
    clock = Clock((mine.run.engine, first.run.engine), "node", (2, 0))
    clock.to_first_difference()
    places = [clock.place(k) for k in (0, 1)]
    assert places[0] == places[1] >= (2, 0)


def test_a_stage_that_is_mounted_anew_leaves_the_second_where_it_is(mine: Lab) -> None:
    at(mine, 60)
    put_beside(mine)
    second = shown(mine)
    first = stage.stage_data(mine)
    stage.carry_out_beside(mine, command("show", run=second.number))  # type: ignore[arg-type]
    later = stage.stage_data(mine)
    assert first["beside"] is not None
    assert later["beside"] is not None
    assert (first["beside"]["clocked"]["placed_at"], later["beside"]["clocked"]["placed_at"]) == (60, None)


def test_a_question_about_a_run_that_is_gone_moves_nothing(mine: Lab) -> None:
    put_beside(mine)
    second = shown(mine)
    assert second.run is not None
    stage.carry_out_beside(mine, command("step", run=second.number + 1, grain="sweep"))  # type: ignore[arg-type]
    ended(second.run.work)
    assert second.run.position == 0


# -- the clock in Python --------------------------------------------------------------------------------------


def two(
    name: str, *, variants: tuple[int, int] = (9, 11), sizes: tuple[int, int] = (6, 6)
) -> tuple[bc.Engine, bc.Engine]:
    mrf = bc.sample(name)
    one, other = (
        bc.Engine(mrf, bc.partition(mrf, size), variant=variant, max_sweeps=8)
        for variant, size in zip(variants, sizes, strict=True)
    )
    return one, other


@pytest.mark.parametrize("name", ["pose-small", "torus-10x10", "karate"])
@pytest.mark.parametrize("sizes", [(6, 6), (4, 8)])
def test_equal_work_is_equal_up_to_an_update(name: str, sizes: tuple[int, int]) -> None:
    runs, most, done = two(name, sizes=sizes), 0, [0, 0]
    while not any(run.finished for run in runs):
        Clock(runs, "work").advance()
        now = [entries_read(run) for run in runs]
        most = max(most, *(later - before for later, before in zip(now, done, strict=True)))
        assert abs(now[0] - now[1]) <= most
        done = now


@pytest.mark.parametrize("beat", BEATS)
def test_bounds_are_equal_before_the_first_difference(beat: Beat) -> None:
    runs, again = two("torus-10x10"), two("torus-10x10")
    clock = Clock(again, beat)
    assert Clock(runs, beat).to_first_difference()
    assert Clock(runs, beat).leader() >= 0
    while [run.position for run in again] != [run.position for run in runs]:
        assert clock.leader() < 0
        assert clock.advance()


@pytest.mark.parametrize("beat", BEATS)
def test_the_lead_changes_at_the_place_found_and_nowhere_before(beat: Beat) -> None:
    runs, again = two("karate", variants=(4, 9)), two("karate", variants=(4, 9))
    found, led, clock = Clock(runs, beat).to_next_lead(), -1, Clock(again, beat)
    for _ in range(10_000):
        if not clock.advance():
            break
        now = clock.leader()
        if led >= 0 and now >= 0 and now != led:
            break
        led = max(now, led) if led < 0 else led
    assert [run.position for run in again] == [run.position for run in runs]
    assert found == (led >= 0 and Clock(runs, beat).leader() == 1 - led)


def test_beside_itself_a_run_never_differs() -> None:
    runs = two("tiny", variants=(9, 9), sizes=(3, 3))
    assert not Clock(runs, "node").to_first_difference()
    assert all(run.finished for run in runs)


def test_a_search_is_stopped() -> None:
    runs = two("torus-10x10", variants=(9, 9))
    assert not Clock(runs, "node").to_first_difference(lambda _: True)
    assert not all(run.finished for run in runs)


def test_the_search_for_a_place_of_both_leaves_them_where_there_is_none(mine: Lab) -> None:
    mine = beside(lab("tiny", 3, 9), 9)
    second = mine.branches.beside
    assert second is not None
    assert second.run is not None
    runs = mine.run, second.run
    ask: dict[str, Any] = command("meet", run=mine.number, where="difference", beat="node")
    stage.carry_out(mine, ask | {"beside": ask})  # type: ignore[typeddict-item]
    stage.carry_out_beside(mine, ask | {"run": second.number})  # type: ignore[arg-type]
    for run in runs:
        ended(run.work)
    data = stage.stage_data(mine)
    assert data["missed"] == "LB is the same in both to the end"
    assert [run.position for run in runs] == [0, 0]
    assert Kind.MESSAGE in mine.run.engine.trace.column("kind")


@pytest.mark.parametrize("asked", [0, 1])
def test_a_run_that_is_asked_alone_does_not_wait_for_the_other(mine: Lab, asked: int) -> None:
    mine = beside(lab("pose-small", 8, 9), 11)
    second = mine.branches.beside
    assert second is not None
    assert second.run is not None
    places = []
    for do in (("meet", "meet"), ("meet", "show") if asked == 0 else ("show", "meet")):
        one, two = (command(each, where="difference", beat="node") for each in do)
        stage.carry_out(mine, one | {"run": mine.number, "beside": two})  # type: ignore[typeddict-item]
        stage.carry_out_beside(mine, two | {"run": second.number})
        for run in (mine.run, second.run):
            ended(run.work)
        data = stage.stage_data(mine)
        places.append([mine.run.position, second.run.position])
        assert (data if asked == 0 else data["beside"])["missed"] is None
    # The other one goes where its own question says; that which was asked alone stays.
    assert places[0][asked] > 0
    assert places[1][asked] == 0


@pytest.mark.parametrize("name", ["pose-small", "torus-10x10", "karate"])
@pytest.mark.parametrize("done", [0, 3, 9])
def test_the_next_lead_is_the_same_from_within_an_update_as_from_its_end(name: str, done: int) -> None:
    found = []
    for is_open in (False, True):
        runs = two(name, variants=(9, 4))
        for _ in range(done):
            Clock(runs, "node").advance()
        runs[0].step("round" if is_open else "node")
        runs[1].step("node")
        Clock(runs, "node").to_next_lead()
        found.append([run.position for run in runs])
    assert found[0] == found[1]
