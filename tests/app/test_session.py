"""The state of a session: steps in both directions, the background run, and errors that change nothing."""

from __future__ import annotations

import numpy as np
import pytest

import bender_core as bc
from bender_core import synth
from bender_core.io import samples
from bender_core.kernels.layout import Kind
from pages._shared.app.session import FIRST, Lab, sample, sample_names
from pages._shared.running.watched import WatchedRun
from tests.labs import take_model

FIRST_SAMPLE, FIRST_SIZE, FIRST_VARIANT = FIRST["sample"], int(FIRST["M"]), int(FIRST["variant"])
GRAINS: list[bc.Grain] = ["row", "node", "sweep"]
STOPS = {"row": Kind.ROW, "node": Kind.MESSAGE, "sweep": Kind.SWEEP}


def model(name: str) -> bc.BinaryMRF:
    return bc.sample(name)


def engine(name: str = FIRST_SAMPLE, max_size: int = FIRST_SIZE, variant: int = FIRST_VARIANT) -> bc.Engine:
    mrf = model(name)
    return bc.Engine(mrf, bc.partition(mrf, max_size), variant=variant)


def lab(name: str = FIRST_SAMPLE) -> Lab:
    mrf = model(name)
    part = bc.partition(mrf, FIRST_SIZE)
    return Lab(mrf, FIRST_SIZE, part, FIRST_VARIANT, "mplp", WatchedRun(bc.Engine(mrf, part, variant=FIRST_VARIANT)))


def long_lab() -> Lab:
    """A lab whose run takes minutes: every message enumerates 2^12 states of both groups."""
    mrf = synth.ising_grid(rows=30, columns=30, torus=True)
    part = bc.partition(mrf, 12, "greedy")
    return Lab(mrf, 12, part, 11, "mplp", WatchedRun(bc.Engine(mrf, part, variant=11)))


def start_and_see_it_move(run: WatchedRun) -> None:
    run.start()
    assert run.running
    thread = run.work.thread
    while thread.is_alive() and not run.progress.events:
        thread.join(0.05)
    assert run.running


# -- stepping -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("variant", [4, 9, 11])
def test_forward_steps_are_those_of_the_engine(variant: int, grain: bc.Grain) -> None:
    run, plain = WatchedRun(engine(variant=variant)), engine(variant=variant)
    for _ in range(5):
        run.step(grain, backward=False)
        plain.step(grain)
        assert run.position == run.seen == plain.position
        assert run.engine.lower_bound == plain.lower_bound


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("variant", [4, 9, 11])
def test_backward_goes_to_where_the_step_began(variant: int, grain: bc.Grain) -> None:
    run = WatchedRun(engine(variant=variant))
    run.engine.run(max_sweeps=3)
    kinds = run.engine.trace.column("kind")
    for position in np.linspace(0, len(kinds), 25).astype(int).tolist():
        run.show(position)
        run.step(grain, backward=True)
        earlier = [k for k in range(1, position) if kinds[k - 1] >= STOPS[grain]]
        assert run.position == max(earlier, default=0)


@pytest.mark.parametrize("grain", GRAINS)
def test_back_and_forth_meet(grain: bc.Grain) -> None:
    run = WatchedRun(engine())
    stops = [0]
    while len(stops) < 5:
        run.step(grain, backward=False)
        stops.append(run.position)
    for stop in stops[-2::-1]:
        run.step(grain, backward=True)
        assert run.position == stop
    assert run.seen == stops[-1]


def test_steps_start_at_the_position_shown_not_at_the_engines() -> None:
    run = WatchedRun(engine())
    run.engine.run(max_sweeps=2)
    run.show(3)
    run.engine.seek(100)
    run.step("row", backward=False)
    plain = engine()
    plain.step("row")
    while plain.position <= 3:
        plain.step("row")
    assert run.position == plain.position


def test_positions_outside_the_run_are_impossible() -> None:
    run = WatchedRun(engine())
    run.engine.run()
    length = len(run.engine.trace)
    for wanted, reached in ((-5, 0), (10**9, length), (7, 7)):
        run.show(wanted)
        assert run.position == reached
    assert run.seen == length
    run.show(length)
    run.step("sweep", backward=False)
    assert run.position == length


# -- the background run ---------------------------------------------------------------------------------------


def test_a_run_ends_where_the_engine_ends() -> None:
    run, plain = WatchedRun(engine()), engine()
    plain.run()
    run.step("node", backward=False)
    run.start()
    run.work.thread.join()
    told = run.progress.lower
    run.settle()
    assert not run.running
    assert not run.failure
    assert run.progress is None
    assert run.position == run.seen == len(plain.trace)
    assert (run.engine.trace.column("lower_bound") == plain.trace.column("lower_bound")).all()
    assert told <= run.engine.lower_bound


def test_a_long_run_reports_progress_and_can_be_stopped_and_continued() -> None:
    run = long_lab().run
    start_and_see_it_move(run)
    assert run.progress.lower < run.progress.upper
    run.start()
    first = run.work.thread
    assert first.is_alive()
    run.halt()
    assert not first.is_alive()
    run.settle()
    stopped = run.position
    assert 0 < stopped == len(run.engine.trace)
    assert not run.engine.finished
    run.step("node", backward=False)
    assert run.position > stopped
    start_and_see_it_move(run)
    run.halt()
    run.settle()
    assert run.position > stopped


def test_starting_twice_starts_once() -> None:
    run = long_lab().run
    start_and_see_it_move(run)
    thread = run.work.thread
    run.start()
    assert run.work.thread is thread
    run.halt()


def test_settling_does_not_wait() -> None:
    run = long_lab().run
    run.settle()
    assert run.position == 0
    start_and_see_it_move(run)
    run.settle()
    assert run.running
    assert run.position == 0
    run.halt()


def test_an_engine_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    run = WatchedRun(engine())

    def fail(**_: object) -> bool:
        raise bc.EngineError("a row is not tight")

    monkeypatch.setattr(run.engine, "run", fail)
    run.start()
    run.work.thread.join()
    run.settle()
    assert run.failure == "a row is not tight"
    assert not run.running


# -- the lab --------------------------------------------------------------------------------------------------


def test_a_new_cut_starts_a_new_run() -> None:
    mine = lab()
    part = bc.partition(mine.mrf, 4, "greedy")
    mine.repartition(part, 4, 11, "srmp")
    assert (mine.max_size, mine.variant, mine.number) == (4, 11, 1)
    assert mine.partition is mine.run.engine.partition is part
    assert mine.run.engine.variant.number == 11


@pytest.mark.parametrize("bad", ["another model's", "too large"])
def test_an_impossible_partition_changes_nothing(bad: str) -> None:
    mine = lab("pose")
    mine.run.step("node", backward=False)
    before = dict(vars(mine))
    other = bc.partition(model("tiny"), 3) if bad == "another model's" else bc.partition(mine.mrf, 24, "greedy")
    with pytest.raises((bc.PartitionError, bc.TooLargeError)):
        mine.repartition(other, 24, 9, "mplp")
    assert vars(mine) == before
    assert mine.run.position > 0


def test_a_model_that_cannot_be_loaded_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = lab("tiny")
    before = dict(vars(mine))
    monkeypatch.setenv("BENDER_MEMORY_MB", "1")
    with pytest.raises(bc.TooLargeError):
        take_model(mine, model("pose"), {})
    assert vars(mine) == before
    mine.run.start()
    mine.run.work.thread.join()
    mine.run.settle()
    assert mine.run.engine.finished


class Rerun(BaseException):
    """The exception by which Streamlit ends a script."""


def test_a_cut_that_is_interrupted_leaves_the_old_run_and_its_charges() -> None:
    mrf = model("pose")
    part = bc.partition(mrf, 8)
    alone = bc.Engine(mrf, part, variant=9)
    account = bc.Account(int(1.9 * alone.arrays.charges.used))
    mine = Lab(mrf, 8, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9, limit=account)))
    before, used = dict(vars(mine)), account.used

    def interrupted() -> bool:
        assert [line.name.split(", ", 2)[2] for line in account.charges] == ["variant 4, mplp"]
        # Another run of the session grows meanwhile.
        assert account.open("race", {"rows": account.free})
        raise Rerun

    with pytest.raises(Rerun):
        mine.repartition(part, 8, 4, "mplp", bc.Stop(requested=interrupted))
    assert vars(mine) == before
    assert mine.run.engine.arrays.charges.used == used
    assert account.used == used + account.charges[0].used
    mine.run.step("sweep", backward=False)
    assert mine.run.position > 0
    assert mine.run.engine.arrays.charges.used >= used


def test_a_run_that_gave_way_is_charged_nothing_more() -> None:
    mrf = model("pose")
    part = bc.partition(mrf, 8)
    alone = bc.Engine(mrf, part, variant=9)
    account = bc.Account(int(1.9 * alone.arrays.charges.used))
    mine = Lab(mrf, 8, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9, limit=account)))
    old = mine.run.engine
    mine.repartition(part, 8, 4, "mplp")
    assert [line.name.split(", ", 2)[2] for line in account.charges] == ["variant 4, mplp"]
    used = account.used
    assert not old.arrays.charges.charge("rows", 1)
    assert (old.arrays.charges.used, account.used) == (0, used)


def test_a_running_run_is_stopped_when_its_lab_moves_on() -> None:
    mine = long_lab()
    start_and_see_it_move(mine.run)
    abandoned = mine.run
    take_model(mine, model("tiny"), {})
    assert not abandoned.running
    assert mine.run is not abandoned


def test_two_sessions_are_independent() -> None:
    one, other = lab(), lab()
    one.run.step("sweep", backward=False)
    assert other.run.position == len(other.run.engine.trace) == 0
    assert other.run.engine.lower_bound < one.run.engine.lower_bound


# -- the samples ----------------------------------------------------------------------------------------------


def test_the_gallery_shows_every_sample_once() -> None:
    names = sample_names()
    assert names[0] == "tiny"
    assert sorted(names) == samples.sample_names()
    assert FIRST_SAMPLE in names


def test_a_shared_sample_cannot_be_changed() -> None:
    mrf = sample(FIRST_SAMPLE)
    assert sample(FIRST_SAMPLE) is mrf
    with pytest.raises(ValueError, match="read-only"):
        mrf.unary[0, 0] = 1.0
    assert not any(array.flags.writeable for array in (mrf.unary, mrf.edges, mrf.pairwise, mrf.positions))
    assert np.isfinite(mrf.unary).all()
