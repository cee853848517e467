"""Where rows are the envelope of their message: against all rows at all states, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.rows import row_value
from tests.models import examples, random_mrf
from tests.unit.engines import WITH_ROWS, sample, size_of

NEAR = 1e-9


def support(engine: bc.Engine, p: int, q: int) -> dict[int, tuple[int, int]]:
    """Of every row at how many states it is at least, and at most, the largest of all rows."""
    rows, near = looking.rows(engine, p, q), NEAR * size_of(engine.mrf)
    found = {row.index: [0, 0] for row in rows}
    # Each state of the active bits once: idle members are 0.
    idle = set(range(len(engine.partition.groups[p]))) - set(engine.graph.active_members(engine.graph.arc(p, q)))
    for state in range(1 << len(engine.partition.groups[p])):
        if any(state >> k & 1 for k in idle):
            continue
        values = {row.index: row_value(row, state) for row in rows}
        top = max(values.values())
        for index, value in values.items():
            rivals = [other for row, other in values.items() if row != index]
            found[index][0] += all(value > other + near for other in rivals)
            found[index][1] += value >= top - near
    return {row.index: (found[row.index][0], found[row.index][1]) for row in rows}


def check(engine: bc.Engine) -> None:
    for edge in engine.graph.edges.tolist():
        for p, q in (edge, edge[::-1]):
            found, truth = looking.row_support(engine, p, q), support(engine, p, q)
            for states, (least, most) in zip(found.states.tolist(), truth.values(), strict=True):
                assert least <= states <= most


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(WITH_ROWS), st.booleans())
def test_a_row_is_alive_where_no_other_is_above_it(seed: int, variant: int, ties: bool) -> None:
    mrf = random_mrf(seed, 8, integers=ties)
    engine = bc.Engine(mrf, bc.partition(mrf, 3), variant=variant, max_sweeps=3)
    check(engine)
    while not engine.finished:
        engine.step("node")
        check(engine)


def test_rows_die_and_every_state_has_one_alive() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 6), variant=9)
    engine.run(max_sweeps=3)
    dead = 0
    for arc in range(2 * len(engine.graph.edges)):
        p, q = engine.graph.ends(arc)
        found = looking.row_support(engine, p, q)
        assert found.states.sum() >= 1 << len(engine.graph.active_members(arc))
        dead += np.count_nonzero(found.states == 0)
    assert 0 < dead < 2 * engine.n_rows


def test_wide_groups_have_two_tables() -> None:
    """From nine active bits on a charge is looked up in two parts."""
    mrf = random_mrf(3, 20, density=1.0)
    engine = bc.Engine(mrf, bc.partition(mrf, 10), variant=9)
    engine.run(max_sweeps=1)
    assert len(engine.graph.active_members(0)) > 8
    found, truth = looking.row_support(engine, *engine.graph.ends(0)), support(engine, *engine.graph.ends(0))
    assert all(least <= states <= most for states, (least, most) in zip(found.states, truth.values(), strict=True))


def test_an_exact_variant_has_no_rows_and_looking_can_be_stopped() -> None:
    mrf = sample("tiny")
    part = bc.partition(mrf, 3)
    p, q = bc.Engine(mrf, part, variant=11).graph.ends(0)
    found = looking.row_support(bc.Engine(mrf, part, variant=11), p, q)
    assert len(found.states) == 0
    assert (found.oldest == -1).all()
    with pytest.raises(bc.Stopped):
        looking.row_support(bc.Engine(mrf, part, variant=9), p, q, bc.Stop(requested=lambda: True))
