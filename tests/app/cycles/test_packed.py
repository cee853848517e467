"""The packing that is watched: computed in the background, stopped, charged, and one per model."""

from __future__ import annotations

from typing import Any, get_args

import pytest

import bender_core as bc
from bender_core import synth
from pages._shared.cycles import picture, protocol
from pages._shared.cycles.packed import WatchedPacking
from pages._shared.running import kept
from tests.labs import SessionState, lab
from tests.protocol import check


@pytest.fixture
def torus() -> bc.BinaryMRF:
    return synth.ising_grid(12, 12, torus=True, coupling="gaussian", seed=2)


def computed(packed: WatchedPacking, events: float) -> None:
    packed.advance(events)
    assert packed.thread is not None
    packed.thread.join()


def command(*halves: WatchedPacking, **more: Any) -> protocol.Command:
    none = [0] * len(halves)
    usual: dict[str, Any] = {"do": "more", "known": none, "until": none, "has_graph": False, "at": 0, "grouped": False}
    given = {**usual, "by": picture.shown_by(halves), "serial": 1, "key": picture.key_of(halves), **more}
    check(protocol.Command, given)
    return given  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> SessionState:
    state = SessionState()
    monkeypatch.setattr(kept.st, "session_state", state)
    return state


def test_events_are_computed_a_few_rounds_ahead_and_then_all(torus: bc.BinaryMRF) -> None:
    packed = WatchedPacking(torus, bc.Account())
    computed(packed, 10)
    assert packed.start is not None
    assert 10 <= len(packed.events) < 200
    assert packed.ending is None
    computed(packed, float("inf"))
    assert packed.ending is not None
    assert packed.ending["proven"]
    whole = bc.Packing(torus)
    whole.run()
    assert len(packed.events) == len(whole.events)
    assert packed.events[-1]["lower"] == whole.lower_bound
    packed.advance(float("inf"))  # nothing more to do
    assert not packed.busy


def test_a_stopped_packing_goes_on(torus: bc.BinaryMRF) -> None:
    packed = WatchedPacking(torus, bc.Account())
    packed.advance(float("inf"))
    packed.stop(wait=None)
    assert not packed.doing()
    computed(packed, float("inf"))
    assert packed.ending is not None


def test_a_packing_without_memory_says_so_and_gives_it_back(torus: bc.BinaryMRF) -> None:
    account = bc.Account(200_000)
    packed = WatchedPacking(torus, account)
    computed(packed, float("inf"))
    assert packed.failure == "There is no memory for the cycles of this model now."
    assert packed.ending is None
    roomy = bc.Account()
    packed = WatchedPacking(torus, roomy)
    computed(packed, float("inf"))
    assert roomy.used > 0
    del packed
    assert roomy.used == 0


def test_a_picture_gets_what_it_does_not_have() -> None:
    current = lab("torus-10x10", 8, 9)
    packed = WatchedPacking(current.mrf, current.account)
    waiting = picture.data(current, [packed])
    (half,) = waiting["halves"]
    assert (waiting["graph"], half["events"], half["ending"]) == (None, [], None)
    computed(packed, float("inf"))
    whole = picture.data(current, [packed])
    check(protocol.Cycles, whole)
    assert whole["graph"] is not None
    (half,) = whole["halves"]
    assert (half["first"], len(half["events"])) == (0, len(packed.events))
    rest = picture.data(current, [packed], command(packed, known=[200], has_graph=True))
    (half,) = rest["halves"]
    assert (rest["graph"], half["first"], len(half["events"])) == (None, 200, len(packed.events) - 200)
    assert half["ending"] == packed.ending


def test_a_graph_of_two_waits_for_both() -> None:
    current = lab("tiny", 8, 9)
    halves = [WatchedPacking(current.mrf, current.account, None, by) for by in get_args(protocol.By)]
    computed(halves[0], 1)
    assert picture.data(current, halves)["graph"] is None
    computed(halves[1], 1)
    whole = picture.data(current, halves)
    check(protocol.Cycles, whole)
    assert whole["graph"] is not None
    assert whole["by"] == "both"
    assert [half["by"] for half in whole["halves"]] == list(get_args(protocol.By))


def test_of_two_only_what_is_needed_is_computed_and_both_are_stopped(torus: bc.BinaryMRF) -> None:
    halves = [WatchedPacking(torus, bc.Account(), None, by) for by in get_args(protocol.By)]
    picture.obey(halves, command(*halves, until=[0, 20]))
    assert halves[1].thread is not None
    halves[1].thread.join()
    assert len(halves[1].events) >= 20
    assert not halves[0].events
    picture.obey(halves, command(*halves, do="end"))
    picture.obey(halves, command(*halves, do="stop"))
    assert not any(each.doing() for each in halves)


def test_places_are_kept_of_what_is_shown_and_forgotten_with_the_model() -> None:
    current = lab("tiny", 8, 9)
    program = picture.halves_of(current)
    picture.show(picture.key_of(program), 4)
    picture.CYCLES_BY.set("both")
    both = picture.halves_of(current)
    assert picture.position_of(both) == 0
    picture.show(picture.key_of(both), 6)
    assert (picture.position_of(program), picture.position_of(both)) == (4, 6)
    picture.halves_of(lab("tree", 8, 9))
    assert not picture.PLACES.get()


def test_that_it_cannot_go_on_is_sent_with_the_last_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "SENT", 50)
    current = lab("torus-10x10", 8, 9)
    packed = WatchedPacking(current.mrf, current.account)
    computed(packed, 120)
    packed.failure = "There is no memory for more rounds."
    known = 0
    while known < len(packed.events):
        (half,) = picture.data(current, [packed], command(packed, known=[known], has_graph=True))["halves"]
        known += len(half["events"])
        assert bool(half["failure"]) == (known == len(packed.events))


def test_what_was_stopped_goes_on_only_when_it_is_asked_for(torus: bc.BinaryMRF) -> None:
    packed = WatchedPacking(torus, bc.Account())
    picture.obey([packed], command(packed, do="end"))
    picture.obey([packed], command(packed, do="stop", serial=2))
    thread = packed.thread
    picture.obey([packed], command(packed, do="show", serial=3))
    assert packed.thread is thread
    assert not packed.doing()
    picture.obey([packed], command(packed, do="end", serial=4))
    assert packed.thread is not None
    packed.thread.join()
    assert packed.ending is not None


def test_all_events_are_computed_although_a_few_were_asked_for_before(torus: bc.BinaryMRF) -> None:
    packed = WatchedPacking(torus, bc.Account())
    packed.advance(1)
    packed.advance(float("inf"))
    assert packed.thread is not None
    packed.thread.join()
    packed.advance(1)
    packed.thread.join()
    assert packed.ending is not None


@pytest.mark.parametrize("name", ["frustrated-cycle", "karate"])
def test_messages_are_watched_to_their_end(name: str) -> None:
    mrf = bc.sample(name)
    packed = WatchedPacking(mrf, bc.Account(), None, "messages")
    computed(packed, float("inf"))
    assert packed.ending is not None
    assert packed.events[-1]["lower"] <= packed.events[-1]["upper"]
    whole = bc.CyclePursuit(mrf)
    whole.run()
    assert len(packed.events) == len(whole.events)
    assert packed.events[-1]["lower"] == whole.lower_bound
