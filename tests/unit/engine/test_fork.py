"""Runs that go on from another: with a new row, merged groups, another variant, schedule or partition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.engine.carrying import owners
from bender_core.forms.reduction import GONE
from bender_core.kernels.layout import RowKind
from bender_core.looking.rows import row_value
from tests import naive
from tests.models import examples, random_mrf, random_partition
from tests.unit.engines import VARIANTS, WITH_ROWS, fingerprint, sample, size_of

NEAR = 1e-9
SCHEDULES = ("mplp", "srmp")
A_RUN = {
    "seed": st.integers(0, 10**6),
    "variant": st.sampled_from(VARIANTS),
    "schedule": st.sampled_from(SCHEDULES),
    "events": st.sampled_from([0, 5, 30, 10**6]),
}


def run_of(seed: int, variant: int, schedule: str, events: int, n: int = 9, max_size: int = 3) -> bc.Engine:
    """A run in the middle of something, or converged."""
    mrf = random_mrf(seed, n, density=0.6, constant=float(seed % 5))
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=variant, schedule=schedule, max_sweeps=30)
    engine.run(max_events=events)
    return engine


def envelopes(engine: bc.Engine) -> dict[tuple[int, int], np.ndarray]:
    edges = engine.graph.edges.tolist()
    return {(p, q): looking.envelope(engine, p, q) for p, q in [*edges, *(edge[::-1] for edge in edges)]}


@settings(max_examples=examples(60), deadline=None)
@given(**A_RUN)
def test_a_fork_with_nothing_changed_has_the_same_messages_rows_and_bounds(
    seed: int, variant: int, schedule: str, events: int
) -> None:
    engine = run_of(seed, variant, schedule, events)
    before = fingerprint(engine)
    fork = engine.fork()
    near = NEAR * size_of(engine.mrf)
    assert (fork.position, fork.n_rows) == (0, engine.n_rows)
    assert fork.lower_bound == pytest.approx(engine.lower_bound, abs=near)
    assert fork.upper_bound == pytest.approx(engine.upper_bound, abs=near)
    assert fork.labeling.tolist() == engine.labeling.tolist()
    ours, theirs = envelopes(fork), envelopes(engine)
    assert all(np.allclose(ours[arrow], theirs[arrow], rtol=0, atol=near) for arrow in theirs)
    fork.run(max_sweeps=3)
    check_bounds(fork, engine.lower_bound)
    assert fingerprint(engine) == before


def check_bounds(fork: bc.Engine, from_bound: float) -> None:
    """The bound has not fallen, is a certificate of the messages, and does not exceed the optimum."""
    near = NEAR * size_of(fork.mrf)
    assert np.diff(fork.trace.column("lower_bound"), prepend=from_bound).min() >= -near
    assert fork.lower_bound <= looking.certified_bound(fork) + near
    assert fork.lower_bound <= naive.optimum(fork.mrf) + near


@settings(max_examples=examples(80), deadline=None)
@given(**A_RUN, pick=st.integers(0, 10**6))
def test_merging_never_lowers_the_bound_nor_an_envelope_at_the_states_of_its_rows(
    seed: int, variant: int, schedule: str, events: int, pick: int
) -> None:
    engine = run_of(seed, variant, schedule, events)
    if len(engine.partition) < 2:
        return
    rng, near = np.random.default_rng(pick), NEAR * size_of(engine.mrf)
    p, q = sorted(rng.choice(len(engine.partition), 2, replace=False).tolist())
    fork = engine.fork(merge=[(p, q)])
    assert fork.lower_bound >= engine.lower_bound - near
    assert fork.lower_bound <= looking.certified_bound(fork) + near
    if engine.variant.exact:
        assert fork.lower_bound == pytest.approx(looking.certified_bound(fork), abs=near)
    check_rows(engine, fork, near)
    if fork.n_rows:
        check_rows_differ(fork, p)
    check_places(engine, fork)
    fork.run(max_sweeps=4)
    check_bounds(fork, engine.lower_bound)


def check_rows(engine: bc.Engine, fork: bc.Engine, near: float) -> None:
    """At the states at which rows of the fork were made its envelopes are at least the sum of those before."""
    home = engine.partition.group_of()
    for r, s in [*fork.graph.edges.tolist(), *fork.graph.edges[:, ::-1].tolist()]:
        after, members = looking.envelope(fork, r, s), fork.partition.groups[r].tolist()
        parts = {home[i] for i in members}, {home[i] for i in fork.partition.groups[s].tolist()}
        for row in looking.rows(fork, r, s):
            if row.made_for != r:
                continue
            # Idle members are 0 in the anchor, which changes nothing of this message.
            value = {i: row.anchor >> k & 1 for k, i in enumerate(members)}
            total = 0.0
            for p, q in itertools.product(*parts):
                if q in engine.graph.neighbours(p):
                    state = sum(value[i] << k for k, i in enumerate(engine.partition.groups[p].tolist()))
                    total += float(looking.envelope(engine, p, q)[state])
            assert after[row.anchor] >= total - near
            assert row_value(row, row.anchor) <= after[row.anchor] + near


def check_rows_differ(fork: bc.Engine, group: int) -> None:
    """Of rows of a merged group that were made at the same state, one is kept."""
    for neighbour in fork.graph.neighbours(group):
        for p, q in ((group, neighbour), (neighbour, group)):
            made = [row.anchor for row in looking.rows(fork, p, q) if row.made_for == p]
            assert len(made) == len(set(made))


def check_places(engine: bc.Engine, fork: bc.Engine) -> None:
    """Where a row was made there is one of the fork, unless its edge has gone into a group."""
    home = fork.partition.group_of()
    for p, q in [*engine.graph.edges.tolist(), *engine.graph.edges[:, ::-1].tolist()]:
        r, s = (int(home[engine.partition.groups[end][0]]) for end in (p, q))
        if r == s or engine.variant.exact:
            continue
        active = engine.graph.active_members(engine.graph.arc(p, q)).tolist()
        members = [int(engine.partition.groups[p][k]) for k in active]
        place = [fork.partition.groups[r].tolist().index(i) for i in members]
        found = {tuple(row.anchor >> k & 1 for k in place) for row in looking.rows(fork, r, s) if row.made_for == r}
        made = {tuple(row.anchor >> k & 1 for k in active) for row in looking.rows(engine, p, q) if row.made_for == p}
        assert made <= found


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("variant", [1, 4, 9, 12])
def test_merged_one_by_one_down_to_one_group_the_bound_is_the_optimum(variant: int, schedule: str) -> None:
    for seed in range(4):
        fork = run_of(seed, variant, schedule, 10**6)
        while len(fork.partition) > 1:
            before = fork.lower_bound
            fork = fork.fork(merge=[(0, 1)])
            assert fork.lower_bound >= before - NEAR * size_of(fork.mrf)
            fork.run(max_sweeps=5)
        assert fork.lower_bound == pytest.approx(naive.optimum(fork.mrf), abs=NEAR * size_of(fork.mrf))


@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 10**6),
    variant=st.sampled_from(WITH_ROWS),
    schedule=st.sampled_from(SCHEDULES),
    events=st.sampled_from([0, 5, 30, 200]),
    pick=st.integers(0, 10**6),
)
def test_a_row_lifts_the_envelope_by_what_was_said_before(
    seed: int, variant: int, schedule: str, events: int, pick: int
) -> None:
    engine = run_of(seed, variant, schedule, events)
    if not len(engine.graph.edges):
        return
    rng, near = np.random.default_rng(pick), NEAR * size_of(engine.mrf)
    p, q = rng.permutation(engine.graph.edges[rng.integers(len(engine.graph.edges))]).tolist()
    state = int(rng.integers(len(engine.graph.energies(p))))
    before = looking.envelope(engine, p, q)
    for cut in bc.what_if(engine, p, q, state):
        fork = engine.fork(rows=[bc.RowAt(p, q, state, cut.kind)])
        assert fork.n_rows == engine.n_rows + 1
        after = looking.envelope(fork, p, q)
        assert (after - before).mean() == pytest.approx(cut.lift, abs=near)
        assert np.allclose(after - before, cut.rise, rtol=0, atol=near)
        nu, arc = looking.min_marginal(fork, p, q), fork.graph.arc(p, q)
        tightened = looking.is_tight(fork, arc, nu, after) & ~looking.is_tight(engine, arc, nu, before)
        assert tightened[state] == (cut.tightened > 0 and cut.rise[state] > near)
        assert tightened.sum() == cut.tightened
        assert np.allclose(after, np.maximum(before, cut.values), rtol=0, atol=near)
        assert looking.rows(fork, p, q)[-1].kind == cut.kind
        fork.run(max_sweeps=2)
        check_bounds(fork, engine.lower_bound)


@settings(max_examples=examples(40), deadline=None)
@given(**A_RUN, other=st.sampled_from(VARIANTS), turned=st.sampled_from(SCHEDULES))
def test_variant_and_schedule_can_change(
    seed: int, variant: int, schedule: str, events: int, other: int, turned: str
) -> None:
    engine = run_of(seed, variant, schedule, events)
    fork = engine.fork(variant=other, schedule=turned)
    assert (fork.variant.number, fork.settings.schedule) == (other, turned)
    assert fork.lower_bound == pytest.approx(engine.lower_bound, abs=NEAR * size_of(engine.mrf))
    fork.run(max_sweeps=4)
    check_bounds(fork, engine.lower_bound)


@pytest.mark.parametrize("variant", [1, 4, 9, 10, 12])
def test_the_same_groups_in_another_order_keep_their_messages_and_rows(variant: int) -> None:
    engine = run_of(5, variant, "mplp", 40)
    part, order = engine.partition, [2, 0, 1]
    turned = bc.Partition(tuple(part.groups[p] for p in order), tuple(part.labels[p] for p in order))
    fork = engine.fork(partition=turned)
    assert fork.n_rows == engine.n_rows
    assert fork.lower_bound == pytest.approx(engine.lower_bound)
    for (p, q), envelope in envelopes(fork).items():
        assert np.allclose(envelope, looking.envelope(engine, order[p], order[q]), rtol=0, atol=1e-9)
        ours, theirs = looking.rows(fork, p, q), looking.rows(engine, order[p], order[q])
        assert [np.allclose(a.u, b.u) and np.allclose(a.v, b.v) for a, b in zip(ours, theirs, strict=True)] == [
            True
        ] * len(theirs)


def test_another_partition_begins_afresh_with_the_best_labelling() -> None:
    engine = run_of(3, 9, "mplp", 10**6)
    part = bc.manual(engine.mrf, [[0, 4, 8], [1, 5], [2, 6], [3, 7]])
    fork, fresh = engine.fork(partition=part), bc.Engine(engine.mrf, part, variant=9)
    assert fork.lower_bound == fresh.lower_bound
    assert fork.labeling.tolist() == engine.labeling.tolist()
    assert fork.n_rows == fresh.n_rows


@pytest.mark.slow
def test_a_fork_is_sought_through_and_forked_again() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 4), variant=9)
    engine.run(max_sweeps=2)
    fork = engine.fork(merge=[(0, 1)], schedule="srmp", rows=[bc.RowAt(2, 3, 1, RowKind.MWC_HALF)])
    there = [fingerprint(fork)]
    while fork.step("node") and fork.sweep < 2:
        there.append(fingerprint(fork))
        last = fork.position
    assert fork.seek(0)
    assert fingerprint(fork) == there[0]
    assert fork.seek(last)
    assert fingerprint(fork) == there[-1]
    again = fork.fork()
    assert again.lower_bound == pytest.approx(fork.lower_bound)
    assert again.n_rows == fork.n_rows


@settings(max_examples=examples(100))
@given(seed=st.integers(0, 1 << 16))
def test_the_group_that_holds_what_is_left_of_each_group_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    old = random_partition(seed, n, int(rng.integers(1, 4)))
    left = int(rng.integers(1, n + 1))
    new = random_partition(seed + 1, left, int(rng.integers(1, n + 1)))
    home = rng.integers(GONE, left, n)
    holders = new.group_of()
    expected = [{int(holders[home[i]]) for i in group if home[i] != GONE} for group in old.groups]
    found = owners(old, new, home)
    if max(map(len, expected)) > 1:
        assert found is None
    else:
        assert found is not None
        assert found.tolist() == [next(iter(one), GONE) for one in expected]


def test_groups_merge_in_place_of_the_first() -> None:
    """A triangle makes one union, and groups of more than one union keep their order."""
    mrf = random_mrf(0, 6, density=1.0)
    engine = bc.Engine(mrf, bc.manual(mrf, [[0], [1], [2], [3], [4, 5]], list("abcde")), variant=9)
    fork = engine.fork(merge=[(3, 1), (1, 2), (3, 2)])
    assert fork.partition.labels == ("a", "d", "e")
    assert [group.tolist() for group in fork.partition.groups] == [[0], [3, 1, 2], [4, 5]]


def test_a_fork_that_cannot_be_is_refused_in_a_sentence_and_takes_no_memory() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    engine.run(max_sweeps=3)
    used = engine.account.used
    with pytest.raises(bc.PartitionError, match="cannot be merged with itself"):
        engine.fork(merge=[(1, 1)])
    with pytest.raises(ValueError, match="variant 12 has no rows"):
        engine.fork(rows=[bc.RowAt(0, 1, 0, RowKind.RMC)], variant=12)
    p, q = next((p, q) for p in range(4) for q in range(4) if p != q and q not in engine.graph.neighbours(p))
    with pytest.raises(ValueError, match="not coupled"):
        engine.fork(rows=[bc.RowAt(p, q, 0, RowKind.RMC)])
    with pytest.raises(bc.TooLargeError):
        engine.fork(merge=[(0, 1), (1, 2), (2, 3)])
    assert engine.account.used == used


def test_merging_everything_of_a_real_model_can_be_stopped() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    with pytest.raises(bc.Stopped):
        engine.fork(merge=[(0, 1)], stop=bc.Stop(requested=lambda: True))
