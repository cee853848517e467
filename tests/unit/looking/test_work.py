"""The work of every message: read off the events, in total all that was read, and the same however one gets there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from tests.models import examples, random_mrf
from tests.unit.engines import VARIANTS, sample

SCHEDULES = ("mplp", "srmp")


def parts(engine: bc.Engine) -> list[int]:
    """The work of every message, and that of none."""
    work = looking.work(engine)
    return [*work.messages.tolist(), work.rest]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(0, 10**6), st.sampled_from(VARIANTS), st.sampled_from(SCHEDULES), st.sampled_from([1, 4]), st.booleans()
)
def test_work_sums_to_all_that_was_read(seed: int, variant: int, schedule: str, deepest: int, ties: bool) -> None:
    mrf = random_mrf(seed, 8, integers=ties)
    engine = bc.Engine(mrf, bc.partition(mrf, 3), variant=variant, schedule=schedule, max_sweeps=4, deepest=deepest)
    total, seen = 0, [parts(engine)]
    assert not any(seen[0])
    while not engine.finished:
        before, (event,) = looking.work(engine), engine.step("event")
        total += engine.entries_read
        work = looking.work(engine)
        assert work.messages.sum() + work.rest == total
        assert work.rest > before.rest
        check(engine, event, work.messages - before.messages)
        seen.append(parts(engine))
    for position in np.random.default_rng(seed).integers(0, len(engine.trace) + 1, 5):
        engine.seek(int(position))
        assert parts(engine) == seen[position]
    engine.seek(0)
    engine.run()
    assert parts(engine) == seen[-1]


def check(engine: bc.Engine, event: bc.Event, read: np.ndarray) -> None:
    """What an event reads for messages: into the group updated alone, and as much as its pictures say."""
    graph, bits = engine.graph, engine.graph.problem.bits
    own = [graph.arc(event.node, q) for q in graph.neighbours(event.node)] if event.node >= 0 else []
    assert set(np.flatnonzero(read)) <= set(own)
    states = 1 << len(engine.partition.groups[event.node])
    if event.kind == Kind.NODE_OPENED:
        assert (read[own] >= states).all()
    elif event.kind == Kind.ORACLE:
        assert read[own].tolist() == [1 << int(bits[arc ^ 1]) for arc in own]
    elif event.kind == Kind.ROW:
        assert read[event.arc] >= states
        assert engine.variant.alphas or np.count_nonzero(read) == 1
    elif event.kind == Kind.MESSAGE:
        assert (read[own] == states).all()
    else:
        assert not read.any()


@pytest.mark.parametrize("variant", [5, 9, 11, 12])
def test_work_does_not_depend_on_the_slices_that_it_is_done_in(variant: int) -> None:
    mrf = sample("pose-small")
    engines = [bc.Engine(mrf, bc.partition(mrf, 6), variant=variant, max_sweeps=2) for _ in range(2)]
    engines[1]._slice = 1000
    for engine in engines:
        engine.run()
    assert parts(engines[0]) == parts(engines[1])
    assert looking.work(engines[0]).messages.min() > 0


def test_a_fork_begins_without_work() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 4))
    engine.run(max_sweeps=1)
    fork = engine.fork()
    assert not any(parts(fork))
    fork.step("sweep")
    assert sum(parts(fork)) == fork.entries_read
