"""The packing that is watched: computed in the background, stopped, charged, and one per model."""

from __future__ import annotations

from typing import Any

import pytest

import bender_core as bc
from bender_core import synth
from pages._shared.cycles import picture, protocol
from pages._shared.cycles.packed import WatchedPacking
from tests.labs import lab
from tests.protocol import check


@pytest.fixture
def torus() -> bc.BinaryMRF:
    return synth.ising_grid(12, 12, torus=True, coupling="gaussian", seed=2)


def computed(packed: WatchedPacking, events: float) -> None:
    packed.advance(events)
    assert packed.thread is not None
    packed.thread.join()


def command(packed: WatchedPacking, **more: Any) -> protocol.Command:
    usual: dict[str, Any] = {"do": "more", "by": packed.by, "known": 0, "has_graph": False, "at": 0, "grouped": False}
    given = {**usual, "serial": 1, "key": picture.key_of(packed), **more}
    check(protocol.Command, given)
    return given  # type: ignore[return-value]


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
    waiting = picture.data(current, packed, None)
    assert (waiting["graph"], waiting["events"], waiting["ending"]) == (None, [], None)
    computed(packed, float("inf"))
    whole = picture.data(current, packed, None)
    check(protocol.Cycles, whole)
    assert whole["graph"] is not None
    assert (whole["first"], len(whole["events"])) == (0, len(packed.events))
    rest = picture.data(current, packed, command(packed, known=200, has_graph=True))
    assert (rest["graph"], rest["first"], len(rest["events"])) == (None, 200, len(packed.events) - 200)
    assert rest["ending"] == packed.ending


def test_what_was_stopped_goes_on_only_when_it_is_asked_for(torus: bc.BinaryMRF) -> None:
    packed = WatchedPacking(torus, bc.Account())
    picture.obey(packed, command(packed, do="end", at=3))
    picture.obey(packed, command(packed, do="stop", at=5, serial=2))
    assert packed.position == 5
    thread = packed.thread
    picture.obey(packed, command(packed, do="show", at=6, serial=3))
    assert packed.position == 6
    assert packed.thread is thread
    assert not packed.doing()
    picture.obey(packed, command(packed, do="end", at=6, serial=4))
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
def test_messages_are_watched_with_the_limit_of_the_linear_program(name: str) -> None:
    mrf = bc.sample(name)
    packed, program = WatchedPacking(mrf, bc.Account(), None, "messages"), WatchedPacking(mrf, bc.Account())
    assert picture.limit_of(packed, program) is None, "nothing is known of it"
    computed(packed, float("inf"))
    assert packed.ending is not None
    assert packed.events[-1]["lower"] <= packed.events[-1]["upper"]
    whole = bc.CyclePursuit(mrf)
    whole.run()
    assert len(packed.events) == len(whole.events)
    assert packed.events[-1]["lower"] == whole.lower_bound
    computed(program, 1)
    if program.ending is None:
        assert picture.limit_of(packed, program) == {"value": program.events[-1]["lower"], "is_last": False}
    computed(program, float("inf"))
    assert picture.limit_of(packed, program) == {"value": program.events[-1]["lower"], "is_last": True}
    assert picture.limit_of(program, program) is None
    other = WatchedPacking(bc.sample("tiny"), bc.Account())
    computed(other, float("inf"))
    assert picture.limit_of(packed, other) is None, "another model"


def test_a_bound_that_ends_at_a_step_of_the_energies_is_no_limit() -> None:
    """Messages may go beyond it."""
    mrf = synth.ising_grid(8, 8, torus=True, coupling="pm1", seed=4)
    packed, program = WatchedPacking(mrf, bc.Account(), None, "messages"), WatchedPacking(mrf, bc.Account())
    computed(program, float("inf"))
    assert program.ending is not None
    assert program.ending["proven"]
    meets = program.events[-1]["lower"] == pytest.approx(program.events[-1]["upper"])
    limit = picture.limit_of(packed, program)
    assert limit is not None
    assert limit["is_last"] == meets
