"""What raised the bound: against a plain reading of the events, and in total the rise of the bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from tests.models import examples, random_mrf
from tests.unit.engines import VARIANTS, every_variant, sample, size_of

NEAR = 1e-9
SCHEDULES = ("mplp", "srmp")


def credits_read(engine: bc.Engine) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """The credits of messages and groups, event by event, and the bound that they have led to after every update."""
    messages, groups = np.zeros(2 * len(engine.graph.edges)), np.zeros(engine.graph.n_groups)
    ends, bound, level, lifts = [], looking.opening_bound(engine), np.nan, {}
    for event in engine.trace.until(engine.position):
        if event.kind == Kind.NODE_OPENED:
            level, lifts = max(bound, event.floor), {}
            waiting = [(groups, event.node, level - bound)]
        elif event.kind == Kind.ROW:
            lifts[event.row] = (event.arc, event.value - event.before)
        elif event.kind in (Kind.ORACLE, Kind.MESSAGE):
            risen = max(bound, event.floor) - level
            level += risen
            total = sum(lift for _, lift in lifts.values())
            waiting += [(messages, arc, risen * lift / total) for arc, lift in lifts.values()]
            if not lifts:
                waiting.append((groups, event.node, risen))
            lifts = {}
        if event.kind == Kind.MESSAGE:
            for credit, index, amount in waiting:
                credit[index] += amount
            ends.append(event.lower_bound)
        bound = event.lower_bound
    return messages, groups, ends


def check(engine: bc.Engine) -> None:
    near = NEAR * size_of(engine.mrf)
    found = looking.attribution(engine)
    messages, groups, ends = credits_read(engine)
    assert (found.messages >= 0).all()
    assert (found.groups >= 0).all()
    assert np.allclose(found.messages, messages, rtol=0, atol=near)
    assert np.allclose(found.groups, groups, rtol=0, atol=near)
    # Of every row, and so of every message.
    trace, gains = engine.trace.until(engine.position), looking.row_gains(engine)
    rows = trace.column("kind") == Kind.ROW
    arcs = trace.column("arc")[rows].astype(np.int64)
    assert len(gains) == engine.position
    assert (gains[~rows] == 0).all()
    assert np.bincount(arcs, gains[rows], minlength=len(messages)) == pytest.approx(messages, abs=near)
    risen = (ends[-1] if ends else looking.opening_bound(engine)) - looking.opening_bound(engine)
    assert found.messages.sum() + found.groups.sum() == pytest.approx(risen, abs=near)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(0, 10**6), st.sampled_from(VARIANTS), st.sampled_from(SCHEDULES), st.sampled_from([1, 4]), st.booleans()
)
def test_credits_sum_to_the_rise_of_the_bound(seed: int, variant: int, schedule: str, deepest: int, ties: bool) -> None:
    """At every update, and in the middle of one."""
    mrf = random_mrf(seed, 8, integers=ties, constant=float(seed % 7))
    engine = bc.Engine(mrf, bc.partition(mrf, 3), variant=variant, schedule=schedule, max_sweeps=4, deepest=deepest)
    check(engine)
    while not engine.finished:
        engine.step("node")
        check(engine)
    for position in np.random.default_rng(seed).integers(0, len(engine.trace), 5):
        engine.seek(int(position))
        check(engine)


def test_credits_are_the_same_however_often_they_are_asked_for() -> None:
    """To the last bit: what was found at an earlier event is gone on from."""
    mrf = sample("pose-small")
    asked, once = (bc.Engine(mrf, bc.partition(mrf, 4), max_sweeps=4) for _ in range(2))
    while not asked.finished:
        asked.step("node")
        looking.attribution(asked)
    once.run()
    for position in (len(once.trace), 150, 151, len(once.trace) // 2, 0):
        for engine in (asked, once):
            engine.seek(position)
        for mine, other in zip(looking.attribution(asked), looking.attribution(once), strict=True):
            assert mine.tolist() == other.tolist()


@every_variant
def test_new_rows_get_credit_if_there_are_any(variant: int) -> None:
    mrf = sample("torus-10x10")
    engine = bc.Engine(mrf, bc.partition(mrf, 4, "greedy"), variant=variant, max_sweeps=4)
    engine.run()
    check(engine)
    found = looking.attribution(engine)
    assert (found.messages.sum() > 0) == (not engine.variant.exact)


def test_a_run_that_goes_on_from_another_is_credited_with_its_own_rise() -> None:
    mrf = sample("pose-small")
    first = bc.Engine(mrf, bc.partition(mrf, 4))
    first.run(max_sweeps=2)
    second = bc.Engine(mrf, bc.partition(mrf, 4), start=first)
    assert looking.opening_bound(second) == pytest.approx(first.lower_bound)
    second.run(max_sweeps=3)
    check(second)
    assert second.lower_bound > looking.opening_bound(second)
