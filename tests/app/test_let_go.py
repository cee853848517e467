"""The memory of a run may be let go at any moment while a page reads of it: what computes in the background does so."""

from __future__ import annotations

import threading

import pytest

import bender_core as bc
from bender_core.stopping import never
from bender_core.trying.change import Fork
from pages._shared.app.branches import Branch, branch_of, places_of
from pages._shared.app.requests import BranchRequest
from pages._shared.app.session import Lab
from pages._shared.forks.growing import made_again
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import stage as feeding
from pages._shared.watch.stage_views import chapters_view, opening_words
from tests.labs import SessionState, lab


@pytest.fixture
def forked() -> Lab:
    """A run that has forked, and the fork is shown."""
    mine = lab("pose-small", 8, 9)
    mine.run.engine.run(max_events=30)
    mine.run.show(30)
    change = bc.Change(variant=4)
    mine.fork(change, change.fork(mine.run.engine))
    mine.run.engine.run(max_events=7)
    mine.run.show(7)
    return mine


@pytest.fixture
def fading(monkeypatch: pytest.MonkeyPatch) -> list[Branch]:
    """Branches whose memory is let go as soon as their run has been read."""
    chosen: list[Branch] = []

    def read(branch: Branch) -> WatchedRun | None:
        run = vars(branch)["run"]
        if branch in chosen:
            vars(branch)["run"] = None
        return run

    def write(branch: Branch, run: WatchedRun | None) -> None:
        vars(branch)["run"] = run

    monkeypatch.setattr(Branch, "run", property(read, write), raising=False)
    return chosen


def test_chapters_are_told_while_the_last_one_is_let_go(forked: Lab, fading: list[Branch]) -> None:
    tip, run = forked.branches.tip, forked.run
    forked.turn(next(iter(forked.branches)), 3)
    expected = chapters_view(forked.branches)
    assert expected[-1]["length"] == run.seen == 7
    fading.append(tip)
    assert chapters_view(forked.branches) == expected


def test_what_is_read_of_a_branch_is_of_one_run(forked: Lab, fading: list[Branch]) -> None:
    tip, first = forked.branches.tip, next(iter(forked.branches))
    run = tip.run
    words = opening_words(tip)
    fading.append(tip)
    assert opening_words(tip) == words
    tip.run, tip.places = run, None
    places_of(tip)
    tip.run = run
    assert made_again(forked, tip, never) is run
    tip.run = run
    tip.let_go()
    assert (tip.run, tip.position) == (None, 7)
    fading.append(first)
    change = bc.Change(variant=3)
    before = vars(first)["run"]
    before.arc, before.pinned = 5, True
    made = branch_of(first, forked.branches.tip.lineage.forks[0]._replace(change=change), change.fork(before.engine))
    assert made.run is not None
    assert (made.run.arc, made.run.pinned) == (5, True)


def test_a_chapter_that_is_let_go_before_the_stage_turns_to_it_is_made_again(
    forked: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker stands in `let_go` while a person turns to that very chapter: it is halted, and has let go."""
    first, began, goes_on = next(iter(forked.branches)), threading.Event(), threading.Event()
    let_go = Branch.let_go

    def slow(branch: Branch) -> None:
        began.set()
        assert goes_on.wait(60)
        let_go(branch)

    monkeypatch.setattr(Branch, "let_go", slow)
    forked.run.look(lambda _: forked.branches.let_go())
    assert began.wait(60)
    assert first.run is not None
    halt = WatchedRun.halt

    def halted(run: WatchedRun) -> None:
        goes_on.set()
        halt(run)

    monkeypatch.setattr(WatchedRun, "halt", halted)
    state = SessionState()
    monkeypatch.setattr(feeding.st, "session_state", state)
    feeding.turn(forked, 0, 3)
    wanted = state["branch_request"]
    assert isinstance(wanted, BranchRequest)
    assert (wanted.what, wanted.branch, first.position) == ("turn", first, 3)
    assert forked.branches.shown is not first
    # Made again, it is shown there.
    made_again(forked, first, never)
    assert forked.turn(first, first.position)
    assert (forked.run, forked.run.position) == (first.run, 3)


def test_where_memory_is_short_the_run_that_is_needed_is_kept(forked: Lab) -> None:
    """A fork is made of a run that is not shown, for which there is no room at first."""
    branches, first = forked.branches, next(iter(forked.branches))
    change = bc.Change(variant=1)
    other = branch_of(first, Fork(first.run.engine.position, change), change.fork(first.run.engine))
    branches.add(other)
    tries = []

    def make() -> bc.Engine:
        tries.append([branch.run is not None for branch in (first, other)])
        if len(tries) == 1:
            raise bc.TooLargeError("no room")
        return first.run.engine

    assert branches.with_room(make, first) is first.run.engine
    assert tries == [[True, True], [True, False]]
