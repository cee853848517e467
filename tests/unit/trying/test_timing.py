"""The time of a sweep, measured in a run of its own."""

from __future__ import annotations

import itertools
import math

import pytest

import bender_core as bc
from bender_core.engine.coupled import coupled, entries_of_updates
from bender_core.kernels.costs import STEPPED
from bender_core.trying import timing
from bender_core.units import duration


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that ticks once a look: a run takes one second."""
    ticks = itertools.count()
    monkeypatch.setattr(timing.time, "thread_time", lambda: float(next(ticks)))


@pytest.mark.parametrize("variant", [9, 12])
@pytest.mark.parametrize("schedule", ["mplp", "srmp"])
def test_the_time_of_a_run_is_divided_by_its_sweeps(clock: None, schedule: str, variant: int) -> None:
    mrf = bc.sample("karate")
    part = bc.partition(mrf, 6)
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule)
    engine.run(max_sweeps=4)
    assert bc.time_sweep(mrf, part, variant, schedule) == (1 / engine.sweep, engine.sweep)


def test_a_run_that_ends_has_made_a_sweep(clock: None) -> None:
    """Without couplings there is nothing to update."""
    mrf = bc.BinaryMRF([[0.0, 1.0]], [], [])
    assert bc.time_sweep(mrf, bc.partition(mrf, 1)) == (1.0, 1.0)


def cost_of_update(engine: bc.Engine, p: int) -> float:
    """Three passes over a group's table and each of its messages, one over the senders' tables, and a constant."""
    graph, neighbours = engine.graph, engine.graph.neighbours(p)
    degree, states = len(neighbours), 2 ** len(engine.partition.groups[p])
    sent = sum(2 ** len(graph.active_members(graph.arc(q, p))) for q in neighbours)
    return 3 * (1 + degree) * states + STEPPED * (3 + degree) + sent


def test_a_large_group_is_more_of_a_sweep_than_a_small_one(clock: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bc.Engine, "run", lambda self, **_: self.step("node"))
    mrf = bc.sample("torus-10x10")
    part = bc.manual(mrf, [range(12), *[[k] for k in range(12, 100)]])
    assert bc.time_sweep(mrf, part).sweeps > 0.3


@pytest.mark.parametrize("events", [1, 4, 9])
def test_of_a_run_that_is_broken_off_the_last_sweep_counts_by_its_messages(
    clock: None, events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an update, exact messages count one by one."""
    run = bc.Engine.run
    monkeypatch.setattr(bc.Engine, "run", lambda self, **_: run(self, max_events=events))
    mrf = bc.sample("karate")
    part = bc.partition(mrf, 6)
    engine = bc.Engine(mrf, part, variant=12)
    run(engine, max_events=events)
    done = bc.looking.whereabouts(engine)
    within = 0.0 if not done.messages else done.message / done.messages
    costs = [cost_of_update(engine, p) for p in engine.arrays.rule.order]
    made = done.sweep + (sum(costs[: done.update]) + within * costs[done.update]) / sum(costs)
    taken = bc.time_sweep(mrf, part, 12)
    assert 0 < made < 1
    assert taken == pytest.approx((1 / made, made))
    assert str(taken) == f"about {duration(1 / made)}, from {max(100 * made, 1):.0f} % of a sweep"


def test_a_sweep_of_which_nothing_was_done_has_no_time(clock: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bc.Engine, "run", lambda self, **_: False)
    mrf = bc.sample("karate")
    taken = bc.time_sweep(mrf, bc.partition(mrf, 6))
    assert (taken, str(taken)) == ((math.inf, 0.0), "too long to be measured")


def test_a_measurement_leaves_no_memory_charged_and_can_be_stopped() -> None:
    mrf = bc.sample("karate")
    part, account = bc.partition(mrf, 12), bc.Account()
    assert bc.time_sweep(mrf, part, limit=account).seconds > 0
    assert account.used == 0
    with pytest.raises(bc.Stopped):
        bc.time_sweep(mrf, part, limit=account, stop=bc.Stop(requested=lambda: True))
    assert account.used == 0
    with pytest.raises(bc.TooLargeError):
        bc.time_sweep(mrf, part, limit=1 << 10)


def test_no_sweep_reads_less_than_its_passes() -> None:
    """Rounds of oracles and new rows come on top."""
    mrf = bc.sample("torus-10x10")
    for max_size in (2, 4, 8, 12):
        part = bc.partition(mrf, max_size, "greedy")
        engine = bc.Engine(mrf, part, variant=9)
        engine.run(max_sweeps=1)
        least = entries_of_updates(coupled(mrf, part)).sum()
        assert least <= engine.entries_read <= 20 * least
