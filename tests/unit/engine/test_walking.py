"""One run, reached in any way: steps, seeking, snapshots, replays."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.engine import engine as engine_module
from bender_core.engine import memory
from bender_core.kernels.layout import Kind
from bender_core.variants import DEEPEST
from tests import naive
from tests.models import JIT
from tests.tiers import thinned
from tests.unit.engines import (
    every_variant,
    fingerprint,
    glassy,
    jitless,
    sample,
    size_of,
)


@jitless
@every_variant
def test_steps_of_any_grain_and_one_run_are_the_same_run(variant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invariant 9."""
    mrf, part = glassy(variant % 3)
    straight = bc.Engine(mrf, part, variant=variant, max_sweeps=5)
    assert straight.run()
    expected = fingerprint(straight)
    ends = {
        "row": {Kind.ROW, Kind.MESSAGE, Kind.SWEEP, Kind.FINISHED},
        "node": {Kind.MESSAGE, Kind.SWEEP, Kind.FINISHED},
        "sweep": {Kind.SWEEP, Kind.FINISHED},
        "event": set(Kind),
    }
    for grain, kinds in ends.items():
        engine = bc.Engine(mrf, part, variant=variant, max_sweeps=5)
        walked = []
        while events := engine.step(grain):
            # Looking must not disturb the run. Single events stop wherever the others do.
            looking.certified_bound(engine)
            if grain == "event":
                looking.tightness(engine)
            looking.rows(engine, *engine.graph.edges[len(walked) % len(engine.graph.edges)])
            walked += events
            assert events[-1].kind in kinds
            assert not {event.kind for event in events[:-1]} & kinds
        # NaN is equal to nothing, so that events are compared as text.
        assert list(map(repr, walked)) == list(map(repr, straight.trace))
        assert engine.finished
        assert fingerprint(engine) == expected
    monkeypatch.setattr(engine_module, "_SLICE", 1)
    sliced = bc.Engine(mrf, part, variant=variant, max_sweeps=5)
    calls = []
    assert sliced.run(on_progress=lambda e: calls.append(e.position))
    assert len(calls) > len(straight.trace) / 2
    assert calls == sorted(calls)
    assert fingerprint(sliced) == expected


@jitless
@pytest.mark.parametrize(
    ("variant", "room", "schedule"),
    thinned([(variant, 4, schedule) for variant in bc.VARIANTS for schedule in ("mplp", "srmp")], 11, several=True)
    + [(variant, room, "srmp") for variant in (1, 9) for room in (0, 1, 1000)],
)
def test_seeking_goes_back_and_forward_again_exactly(variant: int, room: int, schedule: str) -> None:
    """Invariant 9; with snapshots thinned out, and to events in the middle of a batch of rows."""
    mrf, part = glassy(n=8 if JIT else 7)
    walker = bc.Engine(mrf, part, variant=variant, schedule=schedule, max_sweeps=2)
    there = [fingerprint(walker)]
    while walker.step("event"):
        there.append(fingerprint(walker))
    snapshot_bytes = room * memory.nbytes(walker.arrays.state)
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, max_sweeps=2, snapshot_bytes=snapshot_bytes)
    while engine.step("node"):
        assert len(engine.arrays.past.states) <= room
    assert len(engine.arrays.past.states) > 1 or room < 2
    assert (len(engine.arrays.past.states) > 4) == (room > 4)
    last = len(engine.trace)
    # To before the last event of every kind, into batches of rows, and anywhere.
    kind, rng = engine.trace.column("kind"), np.random.default_rng(0)
    batches = np.flatnonzero((kind[:-1] == Kind.ROW) & (kind[1:] == Kind.ROW)) + 1
    assert len(batches) or not engine.variant.everywhere
    targets = {int(np.flatnonzero(kind == k)[-1]) for k in set(kind)} | {1, last - 1}
    targets |= {*batches[:1].tolist(), *batches[-2:].tolist(), *rng.choice(last, 4, replace=False).tolist()}
    # There, a step on, a little further, to the end, to the start.
    for target in rng.permutation(sorted(targets)).tolist():
        engine.seek(target)
        assert fingerprint(engine) == there[target]
        assert len(engine.trace) == last
        engine.step("event")
        assert fingerprint(engine) == there[target + 1]
        for further in (min(target + 7, last), last, 0):
            engine.seek(further)
            assert fingerprint(engine) == there[further]
    # Back, then at full speed to the end; back again, then event by event.
    engine.seek(last // 3)
    assert engine.run()
    assert fingerprint(engine) == there[last]
    engine.seek(last // 2)
    for k in range(last // 2, last):
        engine.step("event")
        assert fingerprint(engine) == there[k + 1]
    assert not engine.step("event")


@every_variant
@pytest.mark.parametrize("schedule", ["mplp", "srmp"])
@pytest.mark.parametrize("deepest", [1, DEEPEST])
def test_after_going_back_bounds_are_true_and_the_run_is_the_same(variant: int, schedule: str, deepest: int) -> None:
    """Deep into runs, at random events, with inspection in between: values of another lambda must not be used."""
    rng = np.random.default_rng([variant, deepest])
    for seed in range(2):
        mrf, part = glassy(seed, n=12, max_size=4)
        straight = bc.Engine(mrf, part, variant=variant, schedule=schedule, deepest=deepest, max_sweeps=12)
        straight.run()
        last, optimum, close = len(straight.trace), naive.optimum(mrf), 1e-12 * size_of(mrf)
        expected = fingerprint(straight)
        engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, deepest=deepest, max_sweeps=12)
        engine.run()
        for position in rng.integers(0, last + 1, 8).tolist():
            engine.seek(position)
            if rng.random() < 0.5:
                engine.run(max_events=position + int(rng.integers(1, 40)))
            assert engine.lower_bound == pytest.approx(looking.certified_bound(engine), rel=0, abs=close)
            assert engine.lower_bound <= optimum + close
            p, q = engine.graph.edges[rng.integers(len(engine.graph.edges))].tolist()
            assert (looking.envelope(engine, p, q) <= looking.min_marginal(engine, p, q) + close).all()
        engine.run()
        assert len(engine.trace) == last
        assert fingerprint(engine) == expected


def test_going_back_keeps_the_bound_of_the_poses_true_under_srmp() -> None:
    mrf = sample("pose")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=4, schedule="srmp")
    engine.run(max_events=1500)
    expected = fingerprint(engine)
    for back in (400, 1, 1203):
        engine.seek(back)
        engine.seek(1500)
        assert engine.lower_bound == pytest.approx(looking.certified_bound(engine), abs=1e-8)
        assert fingerprint(engine) == expected


@jitless
def test_seeking_beyond_the_computed_events_is_refused() -> None:
    engine = bc.Engine(*glassy(), variant=9)
    engine.run(max_sweeps=1)
    reached = len(engine.trace)
    for position in (-1, reached + 1):
        with pytest.raises(ValueError, match=f"events 0 to {reached} can be shown"):
            engine.seek(position)
    engine.seek(0)
    assert (engine.position, len(engine.trace), engine.sweep, engine.finished) == (0, reached, 0, False)


@jitless
def test_a_run_that_goes_on_without_bytes_for_snapshots_only_goes_forward() -> None:
    first = bc.Engine(*glassy(), variant=9, snapshot_bytes=0)
    first.run(max_sweeps=1)
    other, again = first.fork(), first.fork()
    assert first.seek(0), "a start without messages takes no bytes"
    other.run(max_sweeps=1)
    opening, reached = looking.opening_bound(other), other.position
    with pytest.raises(ValueError, match="cannot go back to event 1: it has no bytes for snapshots"):
        other.seek(1)
    assert other.position == reached
    assert looking.opening_bound(other) == opening == again.lower_bound
    assert other.seek(reached)


@jitless
@every_variant
def test_snapshots_share_no_memory(variant: int) -> None:
    engine = bc.Engine(*glassy(), variant=variant)
    while engine.sweep < 5:
        engine.step("node")
    assert len(engine.arrays.past.states) > 2
    states = [engine.arrays.state, *engine.arrays.past.states]
    arrays = [(k, array) for k, state in enumerate(states) for array in state]
    for k, array in arrays:
        assert not any(np.shares_memory(array, other) for i, other in arrays if i != k)
    # And they are positions of the past, in order.
    when = [int(state.cursor.events) for state in engine.arrays.past.states]
    assert when == sorted(set(when))


@pytest.mark.parametrize("variant", thinned([4, 8], 2))
def test_events_and_rows_survive_the_growth_of_their_arrays(variant: int) -> None:
    engine = bc.Engine(*glassy(2, n=48, max_size=4), variant=variant, max_sweeps=5)
    events_room, rows_room = len(engine.arrays.events.view.kind), len(engine.arrays.rows.view.edge)
    events, rows = [], {}
    while step := engine.step("row"):
        events += step
        if step[-1].kind == Kind.ROW:
            p, q = engine.graph.ends(step[-1].arc)
            rows[step[-1].row] = (p, q, looking.row(engine, step[-1].row))
    assert len(events) > 2 * events_room
    assert engine.n_rows > rows_room
    assert list(map(repr, engine.trace)) == list(map(repr, events))
    kept = {
        pair: {row.index: row for row in looking.rows(engine, *pair)} for pair in {(p, q) for p, q, _ in rows.values()}
    }
    for index, (p, q, born) in rows.items():
        row = kept[p, q][index]
        assert (row.born, row.anchor, row.kind) == (born.born, born.anchor, born.kind)
        assert (row.u.tolist(), row.v.tolist()) == (born.u.tolist(), born.v.tolist())
        side = engine.graph.arc(p, q) % 2
        u, n_low = engine.arrays.rows.view.table[index, side], 1 << len(row.u)
        np.testing.assert_allclose(u[:n_low] + u[n_low], naive.table_of(row.u), rtol=0, atol=1e-12)


@pytest.mark.parametrize("variant", [9, 11])
def test_arrays_keep_their_types_as_they_grow(variant: int) -> None:
    """The loop checks their types once, and relies on them afterwards."""
    engine = bc.Engine(*glassy(), variant=variant)
    types = numba.typeof(engine.arrays.run)
    engine.run(max_sweeps=2)
    for store in (engine.arrays.events, engine.arrays.rows):
        assert store.grow(1, engine.arrays.past.thin_out)
    assert numba.typeof(engine.arrays.run) == types
    engine.seek(1)
    assert numba.typeof(engine.arrays.run) == types
