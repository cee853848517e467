"""Classes of a message: exact for every state that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.classes import Classes, class_of, classes
from bender_core.looking.rows import row_values
from tests import naive
from tests.models import cut_mrfs, examples
from tests.unit.engines import sample, size_of


def class_by_hand(state: int, members: list[int]) -> int:
    return sum((state >> member & 1) << k for k, member in enumerate(members))


def slow_envelope(engine: bc.Engine, p: int, q: int) -> np.ndarray:
    """The maximum of all rows, each with its intercept found by brute force."""
    lam = looking.message(engine, q, p)
    values = [(-lam - naive.table_of(row.v)).min() - naive.table_of(row.u) for row in looking.rows(engine, p, q)]
    return np.max(values, axis=0)


@pytest.mark.jitless
@settings(max_examples=examples(60), deadline=None)
@given(cut_mrfs(max_n=9, max_size=5), st.sampled_from([1, 4, 5, 9, 11, 12]), st.integers(0, 60), st.integers(0, 10**6))
def test_a_class_is_exact_for_each_of_its_states(
    cut: tuple[bc.BinaryMRF, bc.Partition], variant: int, events: int, pick: int
) -> None:
    mrf, part = cut
    engine = bc.Engine(mrf, part, variant=variant)
    assume(len(engine.graph.edges))
    engine.run(max_events=events)
    rng, close = np.random.default_rng(pick), 1e-9 * size_of(mrf)
    p, q = rng.permutation(engine.graph.edges[rng.integers(len(engine.graph.edges))]).tolist()
    found = classes(engine, p, q)
    slow = naive.GroupModel(mrf, part.groups)
    coupling = slow.coupling(p, q)
    nu = (coupling - looking.message(engine, q, p)[None, :]).min(axis=1)
    envelope = nu if engine.variant.exact else slow_envelope(engine, p, q)
    cost, size, members = looking.ground(engine, p), len(part.groups[p]), found.members.tolist()

    # Every member that the coupling depends on is coupled.
    moved = [k for k in range(size) if not np.array_equal(coupling, coupling[np.arange(1 << size) ^ (1 << k)])]
    assert set(moved) <= set(members)
    assert (len(found), found.idle) == (1 << len(members), size - len(members))
    per_class: dict[int, list[int]] = {}
    for state in range(1 << size):
        own = class_by_hand(state, members)
        assert class_of(engine, engine.graph.arc(p, q), state) == own
        per_class.setdefault(own, []).append(state)
        assert found.nu[own] == pytest.approx(nu[state], abs=close)
        assert found.envelope[own] == pytest.approx(envelope[state], abs=close)
        assert found.bits[own].tolist() == [state >> k & 1 for k in members]
    for own, states in per_class.items():
        assert len(states) == 1 << found.idle
        assert found.least[own] == min(cost[state] for state in states)
        assert found.states[own] == min(states)
    seen = [event.state for event in engine.trace if event.node == p]
    assert found.at_oracle == class_by_hand(seen[-1] if seen else int(cost.argmin()), members)
    check_support(engine, p, q, found, close)


def check_support(engine: bc.Engine, p: int, q: int, found: Classes, close: float) -> None:
    """The supporting row is the oldest of those that are the envelope."""
    rows = looking.rows(engine, p, q)
    assert [row.index for row in found.rows] == [row.index for row in rows]
    if not rows:
        assert (found.support == -1).all()
        return
    values = np.array([row_values(row) for row in rows])[:, found.states]
    for own, place in enumerate(found.support.tolist()):
        assert values[place, own] == pytest.approx(values[:, own].max(), abs=close)
        assert (values[:place, own] < values[place, own]).all()
    # As the list of messages counts.
    support = looking.row_support(engine, p, q)
    assert (support.states / len(found)).tolist() == found.maximal.tolist()
    for place, share in enumerate(found.maximal):
        assert share == found.supported([place]).mean()
        assert share >= (found.support == place).mean()
    assert found.supported(list(range(len(rows)))).all()


def test_few_coupled_members_make_few_classes() -> None:
    mrf = sample("torus-10x10")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), variant=9)
    engine.run(max_sweeps=2)
    # Halves of a row of the grid meet at both of their ends, those of neighbouring rows along all five.
    sizes = {len(classes(engine, *engine.graph.ends(arc))) for arc in range(2 * len(engine.graph.edges))}
    assert sizes == {1 << 2, 1 << 5}


def test_slack_is_as_the_engine_measures_it() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    engine.run(max_sweeps=1)
    measured = looking.tightness(engine)
    for arc in range(2 * len(engine.graph.edges)):
        found = classes(engine, *engine.graph.ends(arc))
        assert found.slack.mean() == pytest.approx(measured.mean[arc], abs=1e-12)
        assert found.slack.max() == measured.largest[arc]
        assert found.tight.mean() == pytest.approx(measured.tight_share[arc])


def test_looking_can_be_stopped() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    engine.run(max_sweeps=1)
    for calls in range(6):
        left = iter(range(calls))
        with pytest.raises(bc.Stopped):
            classes(engine, 0, 1, bc.Stop(requested=lambda left=left: next(left, None) is None))
