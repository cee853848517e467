"""Sweeps, time, progress and memory: where a run pauses and ends."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.engine import engine as engine_module
from bender_core.engine import memory
from bender_core.engine.memory_needed import FIRST_EVENTS, required_bytes
from bender_core.kernels.layout import Kind, Status
from tests import naive
from tests.models import between_groups
from tests.unit.engines import (
    every_variant,
    fingerprint,
    glassy,
    jitless,
    sample,
)


@jitless
@every_variant
def test_a_run_pauses_at_a_sweep_limit_and_continues(variant: int) -> None:
    cut = glassy()
    whole = bc.Engine(*cut, variant=variant, max_sweeps=7)
    assert whole.run()
    engine = bc.Engine(*cut, variant=variant, max_sweeps=7)
    for sweeps in (1, 3, 3, 4):
        assert not engine.run(max_sweeps=sweeps)
        assert (engine.sweep, engine.finished, looking.open_node(engine)) == (sweeps, False, -1)
        assert engine.trace[-1].kind == Kind.SWEEP
        assert engine.result(0.0).status == "not finished"
        assert engine.status == Status.RUNNING
    assert engine.run()
    assert (engine.sweep, engine.status) == (7, Status.SWEEP_LIMIT)
    assert engine.result(0.0).status == "sweep limit"
    assert fingerprint(engine) == fingerprint(whole)
    assert engine.run()
    assert fingerprint(engine) == fingerprint(whole)


@jitless
@pytest.mark.parametrize("slices", range(1, 16))
def test_a_pause_within_a_node_does_not_hang_the_next_run(slices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep limit of the next run may already be reached, but not at the end of a node."""
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    engine = bc.Engine(*glassy(), variant=9)
    until_pause, until_alarm = iter(range(slices)), iter(range(100))
    assert not engine.run(on_progress=lambda e: next(until_pause, None) is None)
    assert not engine.run(max_sweeps=0, on_progress=lambda e: next(until_alarm, None) is None)
    assert next(until_alarm, None) is not None, "the run went round and round without moving"
    assert engine.sweep == 0


@jitless
def test_a_time_limit_pauses_the_run_which_can_continue(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = glassy()
    whole = bc.solve(*cut, variant=9)
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    engine = bc.Engine(*cut, variant=9)
    assert not engine.run(time_limit=0.0)
    assert engine.position < len(whole.trace) // 2
    assert engine.run(time_limit=1e6)
    assert engine.lower_bound == whole.lower_bound
    late = bc.solve(*cut, variant=9, time_limit=0.0)
    assert late.status == "time limit"
    assert late.lower_bound < whole.lower_bound
    assert late.upper_bound == pytest.approx(naive.energy(cut[0], late.labeling))


@jitless
def test_progress_is_reported_and_may_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    cut = glassy()
    seen: list[float] = []

    def watch(engine: bc.Engine) -> bool:
        seen.append(engine.lower_bound)
        return len(seen) == 60

    result = bc.solve(*cut, variant=9, on_progress=watch)
    assert result.status == "stopped"
    assert len(seen) == 60
    assert seen == sorted(seen)
    assert result.lower_bound == seen[-1] > seen[0]
    engine = bc.Engine(*cut, variant=9)
    assert engine.run(on_progress=lambda e: None), "None means go on"


@jitless
@every_variant
def test_why_a_run_ended(variant: int) -> None:
    # Two groups of three variables make a tree; a frustrated triangle over single variables leaves a gap.
    closed = bc.solve(sample("tiny"), bc.partition(sample("tiny"), 3), variant)
    assert closed.status == "closed"
    assert closed.lower_bound == pytest.approx(-3.0)
    assert closed.upper_bound == -3.0
    assert closed.gap <= 1e-9
    apart = np.array([[0.0, -1.0], [-1.0, 0.0]])
    unary = np.array([[0.0, 0.1], [0.0, -0.2], [0.3, 0.0]])
    triangle = bc.BinaryMRF(unary, [[0, 1], [1, 2], [0, 2]], [apart, 1.1 * apart, 1.2 * apart])
    stuck = bc.solve(triangle, bc.partition(triangle, 1), variant)
    assert stuck.status == "no progress"
    assert stuck.gap == pytest.approx((stuck.upper_bound - stuck.lower_bound) / abs(stuck.lower_bound))
    assert stuck.gap > 0.01
    assert stuck.trace.column("kind")[-1] == Kind.FINISHED
    sweeps = stuck.trace.column("value")[stuck.trace.column("kind") == Kind.SWEEP]
    assert sweeps[-1] - sweeps[-2] <= 1e-9 * abs(sweeps[-1]) < sweeps[-2] - sweeps[-3]


def test_envelopes_are_tight_at_one_state_only_if_asked_to() -> None:
    """The paper does this, and stalls."""
    mrf = sample("pose")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), variant=4, deepest=1)
    engine.run()
    sweeps = engine.trace.column("kind") == Kind.SWEEP
    assert (engine.trace.column("depth") == sweeps)[:-1].all()
    assert engine.gap > 0.01


def test_a_run_whose_rows_fill_the_memory_ends_with_a_valid_bound() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 5)
    limit = required_bytes(mrf, part, 9) + (4 << 20)
    engine = bc.Engine(mrf, part, variant=9, limit=limit)
    engine.run()
    assert engine.status == Status.MEMORY_LIMIT
    assert engine.result(0.0).status == "memory limit"
    assert engine.trace[-1].kind == Kind.FINISHED
    stores = (
        engine.arrays.problem,
        engine.arrays.state,
        engine.arrays.work,
        engine.arrays.rows.view,
        engine.arrays.events.view,
    )
    assert sum(map(memory.nbytes, stores)) <= engine.account.used <= limit
    assert not engine.arrays.past.states, "what is kept for going back gives way to rows"
    assert engine.lower_bound == pytest.approx(looking.certified_bound(engine), rel=1e-9)
    assert engine.lower_bound < engine.upper_bound
    after = fingerprint(engine)
    for back in (len(engine.trace) // 2, 0):
        assert engine.seek(back)
        engine.run()
        assert fingerprint(engine) == after
    plenty = bc.Engine(mrf, part, variant=9)
    plenty.run(max_events=len(engine.trace) - 1)
    assert plenty.trace.column("value").tobytes() == engine.trace.column("value")[:-1].tobytes()


def test_events_fill_the_memory_too() -> None:
    cut = glassy(n=24, max_size=2)
    limit = required_bytes(*cut, 11) + 200 * memory.event_bytes()
    engine = bc.Engine(*cut, variant=11, limit=limit)
    engine.run()
    assert engine.status == Status.MEMORY_LIMIT
    assert FIRST_EVENTS < len(engine.trace) <= FIRST_EVENTS + 200
    assert engine.account.used <= limit
    after = fingerprint(engine)
    engine.seek(3)
    engine.run()
    assert fingerprint(engine) == after


def test_runs_share_an_account_and_release_their_charges() -> None:
    cut = glassy()
    least = required_bytes(*cut, 9)
    account = bc.Account(int(2.9 * least))
    first, second = (bc.Engine(*cut, variant=9, limit=account) for _ in range(2))
    assert [line.name for line in account.charges] == ["model, M = 3, variant 9, mplp"] * 2
    taken = account.used
    assert 2 * least <= taken <= account.limit
    with pytest.raises(bc.TooLargeError) as refused:
        bc.Engine(*cut, variant=9, limit=account)
    assert (refused.value.needed, refused.value.limit) == (least, account.limit - taken)
    del first
    gc.collect()
    assert least <= account.used < taken
    third = bc.Engine(*cut, variant=9, limit=account)
    assert third.run() == second.run()
    assert account.used <= account.limit


def test_a_nested_account_is_limited_by_the_outer_one() -> None:
    whole = bc.Account(1000)
    part = bc.Account(800, within=whole, name="a race")
    other = whole.open("another run", {"rows": 700})
    assert (part.free, whole.free) == (300, 300)
    assert part.open("a run", {"rows": 301}) is None
    mine = part.open("a run", {"rows": 200})
    assert (part.used, part.free, whole.used) == (200, 100, 900)
    other.close()
    assert (part.free, whole.free) == (600, 800)
    mine.close()
    assert (part.free, whole.used) == (800, 0)


def test_dropped_snapshots_are_no_longer_charged() -> None:
    cut = glassy()
    room = 4 * memory.nbytes(bc.Engine(*cut, variant=9).arrays.state)
    engine = bc.Engine(*cut, variant=9, snapshot_bytes=room)
    counts = []
    while engine.step("node"):
        counts.append(len(engine.arrays.past.states))
        (line,) = engine.account.charges
        assert line.items.get("snapshots", 0) == counts[-1] * memory.nbytes(engine.arrays.state)
    assert any(after < before for before, after in itertools.pairwise(counts)), "some were given up"


@pytest.mark.parametrize("schedule", ["mplp", "srmp"])
@pytest.mark.parametrize("variant", [9, 12])
def test_how_far_a_run_is_never_steps_back(variant: int, schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    engine = bc.Engine(*glassy(), variant=variant, schedule=schedule)
    places = []
    engine.run(max_sweeps=3, on_progress=lambda e: places.append(looking.whereabouts(e)))
    order = [(at.sweep, at.update, at.message + at.share) for at in places]
    assert order == sorted(order)
    assert all(at.message <= at.messages and at.update <= at.updates for at in places)
    assert any(at.message == at.messages > 0 for at in places)


def test_a_large_enumeration_is_interrupted_between_its_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = between_groups(0, [13, 12], [(0, 1)], density=0.4)
    expected = bc.solve(*cut, variant=9, tolerance=1e-12)
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    engine = bc.Engine(*cut, variant=11, tolerance=1e-12)
    shares = []
    engine.run(on_progress=lambda e: shares.append(looking.whereabouts(e).share))
    assert any(0 < share < 1 for share in shares)
    assert engine.lower_bound == pytest.approx(expected.lower_bound, rel=1e-12)
    assert engine.upper_bound == pytest.approx(engine.lower_bound, rel=1e-9)
