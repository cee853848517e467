"""References in the app: computed in the background, shown as they are found, and abandoned when not needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

import bender_core as bc
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from pages._shared.app.session import Lab, References
from pages._shared.running.watched import WatchedRun
from tests.labs import take_model

PATIENCE = 60.0
OnProgress = Callable[[bc.Reference], bool | None]


class Solver:
    """In place of `bc.reference`: reports one result after the other, each when it is allowed to continue."""

    def __init__(self, *told: bc.Reference) -> None:
        self.told, self.calls, self.stopped = list(told), 0, False
        self.go_on, self.has_told = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, mrf: BinaryMRF, part: Partition, time_limit: float, on_progress: OnProgress) -> bc.Reference:
        self.calls += 1
        for known in self.told[:-1]:
            assert self.go_on.acquire(timeout=PATIENCE)
            self.stopped = bool(on_progress(known))
            self.has_told.release()
            if self.stopped:
                return known
        assert self.go_on.acquire(timeout=PATIENCE)
        return self.told[-1]

    def say(self) -> None:
        self.go_on.release()
        assert self.has_told.acquire(timeout=PATIENCE)


def lab(name: str = "tiny") -> Lab:
    mrf = bc.sample(name)
    part = bc.partition(mrf, 3)
    return Lab(mrf, 3, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9)))


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> Solver:
    mine = lab()
    whole = bc.reference(mine.mrf, mine.partition)
    searching = replace(whole, optimum=None, status="still searching")
    solver = Solver(replace(searching, fractional=float("nan")), searching, whole)
    monkeypatch.setattr(bc, "reference", solver)
    return solver


def finish(references: References) -> None:
    assert references.thread is not None
    references.thread.join(PATIENCE)
    assert not references.thread.is_alive()


def test_results_are_shown_as_they_arrive(solver: Solver) -> None:
    mine = lab()
    references = mine.references
    references.ask(mine.mrf, mine.partition)
    references.ask(mine.mrf, mine.partition)
    solver.say()
    assert references.busy
    assert references.found is None
    solver.say()
    assert references.busy
    assert references.found is solver.told[1]
    solver.go_on.release()
    finish(references)
    assert not references.busy
    assert references.found is solver.told[2]
    references.ask(mine.mrf, mine.partition)
    assert solver.calls == 1


@pytest.mark.parametrize("change", ["model", "cut"])
def test_another_model_or_partition_ends_the_search_and_discards_its_results(solver: Solver, change: str) -> None:
    mine = lab()
    abandoned = mine.references
    abandoned.ask(mine.mrf, mine.partition)
    if change == "model":
        take_model(mine, lab("tree").mrf, {})
    else:
        mine.repartition(bc.partition(mine.mrf, 2), 2, 9, "mplp")
    assert not abandoned.busy
    solver.say()
    finish(abandoned)
    assert solver.stopped
    assert abandoned.found is None
    assert mine.references is not abandoned
    assert (mine.references.busy, mine.references.found) == (False, None)
    # The new ones are asked for anew.
    mine.references.ask(mine.mrf, mine.partition)
    assert mine.references.busy
    mine.references.stop()
    solver.say()
    finish(mine.references)


def test_a_result_found_while_the_search_is_abandoned_is_not_shown(solver: Solver) -> None:
    mine = lab()
    abandoned = mine.references
    abandoned.ask(mine.mrf, mine.partition)
    solver.say()
    solver.say()
    abandoned.stop()
    solver.go_on.release()
    finish(abandoned)
    assert abandoned.found is solver.told[1]


def test_references_with_highs() -> None:
    mine = lab()
    mine.references.ask(mine.mrf, mine.partition)
    finish(mine.references)
    assert mine.references.found is not None
    assert mine.references.found.status == "proven"
