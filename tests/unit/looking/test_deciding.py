"""What a run decides, against all labellings; and the bound, which never steps back where the model is reduced."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.forms.reduction import Facts, reduction, unreduced
from bender_core.groups import Partition
from bender_core.kernels.layout import Kind
from bender_core.looking.decided import common, confirmed, decided, reduced, settled
from bender_core.strategies.packing import packed, what_is_left
from tests import naive
from tests.models import examples, random_mrf, random_partition

VARIANTS = (4, 5, 9, 11, 12)


def spins(rng: np.random.Generator, n: int) -> bc.BinaryMRF:
    """±1 couplings without fields: many ties, and energies on a lattice."""
    edges = np.argwhere(np.triu(rng.random((n, n)) < 0.6, 1))
    sign = rng.choice([-1.0, 1.0], len(edges))
    return bc.BinaryMRF(unary=np.zeros((n, 2)), edges=edges, pairwise=sign[:, None, None] * [[1, -1], [-1, 1]])


def begun(mrf: bc.BinaryMRF, part: Partition, variant: int, schedule: str, events: int) -> bc.Engine:
    """A run that strikes off states, somewhere."""
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, tolerance=0.0, excluding=True)
    engine.run(max_events=events)
    return engine


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32 - 1), schedule=st.sampled_from(["mplp", "srmp"]), events=st.integers(0, 150))
def test_every_better_labelling_fulfils_what_is_decided(variant: int, seed: int, schedule: str, events: int) -> None:
    """So does the best one known; in the middle of updates, and after going back."""
    rng = np.random.default_rng(seed)
    mrf = spins(rng, 8) if seed % 2 else random_mrf(rng, 8, 0.7)
    engine = begun(mrf, random_partition(rng, 8, 4), variant, schedule, events)
    labels, energies = naive.bits(8), naive.energies(mrf)
    for position in (engine.position, engine.position // 2):
        engine.seek(position)
        facts = decided(engine)
        x = labels[(energies < engine.upper_bound - 1e-9) | (labels == engine.labeling).all(axis=1)]
        i, j, opposite = facts.ties.T
        assert ((facts.value == -1) | (x == facts.value)).all()
        assert (x[:, i] ^ x[:, j] == opposite).all()


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32 - 1), variant=st.sampled_from(VARIANTS), events=st.integers(0, 100))
def test_the_excess_of_a_state_is_below_that_of_all_labellings_with_it(seed: int, variant: int, events: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = random_mrf(rng, 7, 0.7)
    engine = begun(mrf, random_partition(rng, 7, 3), variant, "mplp", events)
    energies = naive.energies(mrf)
    for p, group in enumerate(engine.partition.groups):
        states = naive.states(naive.bits(7), group)
        assert (looking.excess(engine, p)[states] <= energies - engine.upper_bound + 1e-9).all()


def test_a_run_strikes_off_what_its_bound_excludes() -> None:
    """At the end of an update, of a group just updated: as the excess says before the messages are passed."""
    mrf = random_mrf(np.random.default_rng(3), 10, 0.6)
    engine = begun(mrf, bc.partition(mrf, 4), 12, "mplp", 0)
    limit, struck = engine.margin.limit, 0
    while not engine.finished:
        (opened,) = engine.step("event")
        if opened.kind != Kind.NODE_OPENED:
            continue
        dead = looking.excess(engine, opened.node) > limit + 1e-9
        engine.step("node")
        assert not looking.alive(engine, opened.node)[dead].any()
        struck += int(dead.sum())
    assert struck > 0


@pytest.mark.parametrize("variant", [9, 12])
def test_what_a_state_costs_too_much_is_that_of_the_present_position(variant: int) -> None:
    """Also after going on, and back; and looking counts as no work for any message."""
    engine = begun(random_mrf(5, 8, 0.7), random_partition(5, 8, 3), variant, "srmp", 0)
    positions = list(range(0, 60, 7))
    engine.run(max_events=60)
    for position in [*positions, *positions[::-1]]:
        engine.seek(position)
        before = looking.work(engine).messages.tolist()
        for p in range(len(engine.partition)):
            parts = looking.ground_parts(engine, p)
            expected = parts.own + parts.parts.sum(axis=0) + parts.rest - engine.upper_bound
            np.testing.assert_allclose(looking.excess(engine, p), expected, atol=1e-9)
        assert looking.work(engine).messages.tolist() == before


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32 - 1), schedule=st.sampled_from(["mplp", "srmp"]), sweeps=st.integers(1, 4))
def test_what_is_confirmed_follows_from_the_present_messages(seed: int, schedule: str, sweeps: int) -> None:
    """From the states that cost too much now, in the groups of the facts; and looking does not change the run."""
    rng = np.random.default_rng(seed)
    mrf = random_mrf(rng, 8, 0.7)
    engine, same = (
        begun(mrf, random_partition(np.random.default_rng(seed), 8, 4), 12, schedule, events) for events in (0, 0)
    )
    engine.run(max_sweeps=sweeps)
    same.run(max_sweeps=sweeps)
    facts = decided(engine)
    found = confirmed(engine, facts)
    arcs = [engine.graph.ends(arc) for arc in range(2 * len(engine.graph.edges))]
    assert engine.arrays.message_size == pytest.approx(
        sum(np.abs(looking.message(engine, p, q)).max() for p, q in arcs)
    )
    limit = engine.margin.rounding_with(engine.arrays.message_size) - engine.margin.gain
    group_of, value, ties = engine.partition.group_of(), np.full(8, -1), set()
    for p in {group_of[i] for i in [*np.flatnonzero(facts.value >= 0), *facts.ties[:, 0]]}:
        parts, group = looking.ground_parts(engine, int(p)), engine.partition.groups[p]
        alive = parts.own + parts.parts.sum(axis=0) + parts.rest - engine.upper_bound < limit
        alive[engine.graph.states(engine.labeling)[p]] = True
        value[group], tied = common(alive, len(group))
        ties |= {(group[k], group[m], opposite) for k, m, opposite in tied.tolist()}
    assert found.value.tolist() == value.tolist()
    assert {tuple(tie) for tie in found.ties.tolist()} == ties
    engine.run()
    same.run()
    assert engine.trace.to_csv() == same.trace.to_csv()
    assert looking.work(engine).messages.tolist() == looking.work(same).messages.tolist()


def test_states_are_struck_off_only_on_request() -> None:
    mrf = random_mrf(np.random.default_rng(0), 4)
    with pytest.raises(ValueError, match="excluding"):
        looking.alive(bc.Engine(mrf, bc.partition(mrf, 2)), 0)


@pytest.mark.jitless
@settings(max_examples=examples(100))
@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, 2**n - 1), min_size=1))))
def test_what_states_have_in_common(bits_states: tuple[int, set[int]]) -> None:
    """Every bit and every pair, one by one."""
    bits, states = bits_states
    alive = np.zeros(1 << bits, bool)
    alive[list(states)] = True
    value, ties = common(alive, bits)
    column = [{state >> k & 1 for state in states} for k in range(bits)]
    assert value.tolist() == [next(iter(seen)) if len(seen) == 1 else -1 for seen in column]
    home = {m: (k, opposite) for k, m, opposite in ties.tolist()}
    for m in range(bits):
        differ = [
            (k, next(iter(seen)))
            for k in range(m)
            if value[k] < 0 and value[m] < 0 and len(seen := {(s >> k ^ s >> m) & 1 for s in states}) == 1
        ]
        assert home.get(m) == (differ[0] if differ else None)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32 - 1), schedule=st.sampled_from(["mplp", "srmp"]), events=st.integers(0, 60))
def test_the_bound_goes_on_where_the_model_is_reduced(variant: int, seed: int, schedule: str, events: int) -> None:
    """In any unions of groups: it never falls, and stays below the certificate of the messages and the optimum."""
    rng = np.random.default_rng(seed)
    mrf = random_mrf(rng, 8, 0.7)
    part = random_partition(rng, 8, 3)
    engine = begun(mrf, part, variant, schedule, events)
    x = engine.labeling
    pairs = [rng.choice(group, 2, replace=False) for group in part.groups if len(group) > 1 and rng.random() < 0.5]
    facts = Facts(
        np.where(rng.random(8) < 0.3, x, -1), np.array([(i, j, x[i] ^ x[j]) for i, j in pairs], np.int64).reshape(-1, 3)
    )
    found = reduction(unreduced(mrf), facts)
    if not found.reduced.n:
        return
    groups = packed(found, part, int(rng.integers(1, 7)))
    on = bc.Engine(
        found.reduced, groups, variant=variant, schedule=schedule, tolerance=0.0, start=bc.Start(engine.arrays, found)
    )
    optimum = naive.optimum(found.reduced)
    assert on.upper_bound == pytest.approx(engine.upper_bound)
    assert engine.lower_bound - 1e-9 <= on.lower_bound <= looking.certified_bound(on) + 1e-9 <= optimum + 2e-9
    while not on.finished:
        before = on.lower_bound
        on.step("node")
        assert before - 1e-9 <= on.lower_bound <= optimum + 1e-9


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32 - 1), variant=st.sampled_from(VARIANTS), events=st.integers(0, 200))
def test_what_is_struck_off_stays_so_in_forks_whose_groups_contain_those_before(
    seed: int, variant: int, events: int
) -> None:
    rng = np.random.default_rng(seed)
    mrf = spins(rng, 8) if seed % 2 else random_mrf(rng, 8, 0.7)
    engine = begun(mrf, random_partition(rng, 8, 3), variant, "mplp", events)
    found = reduced(engine)
    pairs = [tuple(edge) for edge in engine.graph.edges.tolist()][:1]
    forks = [engine.fork(), engine.fork(merge=pairs)]
    if found.reduced.n:
        forks.append(engine.fork(reduction=found, partition=packed(found, engine.partition, 5)))
    dead = [~looking.alive(engine, p) for p in range(len(engine.partition))]
    for fork in forks:
        inner = [
            [g for g, members in enumerate(engine.partition.groups) if set(fork.whole.home[members]) & set(group)]
            for group in fork.partition.groups
        ]
        labels = naive.bits(fork.mrf.n)
        restored = np.array([fork.whole.restored(x) for x in labels])
        struck = [dead[g][naive.states(restored, group)] for g, group in enumerate(engine.partition.groups)]
        for p, within in enumerate(inner):
            alive = looking.alive(fork, p)[naive.states(labels, fork.partition.groups[p])]
            assert (alive == ~np.any([struck[g] for g in within], axis=0)).all()


@pytest.mark.parametrize("variant", [4, 5, 9])
@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32 - 1), schedule=st.sampled_from(["mplp", "srmp"]), events=st.integers(0, 120))
def test_every_row_of_what_is_left_goes_on_at_its_state(variant: int, seed: int, schedule: str, events: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = spins(rng, 8) if seed % 2 else random_mrf(rng, 8, 0.7)
    engine = begun(mrf, random_partition(rng, 8, 3), variant, schedule, events)
    x = engine.labeling
    pairs = [rng.choice(group, 2, replace=False) for group in engine.partition.groups if len(group) > 1]
    ties = [(i, j, x[i] ^ x[j]) for i, j in pairs if rng.random() < 0.5]
    found = reduction(
        unreduced(mrf), Facts(np.where(rng.random(8) < 0.3, x, -1), np.array(ties, np.int64).reshape(-1, 3))
    )
    if not found.reduced.n:
        return
    fork = engine.fork(reduction=found, partition=packed(found, engine.partition, int(rng.integers(1, 7))))
    for p, q in [*fork.graph.edges.tolist(), *fork.graph.edges[:, ::-1].tolist()]:
        envelope, exact = looking.envelope(fork, p, q), looking.min_marginal(fork, p, q)
        made = made_at(fork, p, q)
        # Tight where it was made, and nowhere above what it bounds.
        assert envelope[list(made)] == pytest.approx(exact[list(made)], abs=1e-9)
        assert (envelope <= exact + 1e-9).all()
        assert made >= carried(engine, fork, p, q)
        assert made
    optimum = naive.optimum(fork.mrf)
    while not fork.finished:
        before = fork.lower_bound
        fork.step("sweep")
        assert before - 1e-9 <= fork.lower_bound <= optimum + 1e-9


def made_at(engine: bc.Engine, p: int, q: int) -> set[int]:
    """The active states of a group at which the rows into it were made."""
    active = sum(1 << int(k) for k in engine.graph.active_members(engine.graph.arc(p, q)))
    return {row.anchor & active for row in looking.rows(engine, p, q) if row.made_for == p}


def carried(engine: bc.Engine, fork: bc.Engine, p: int, q: int) -> set[int]:
    """What is left of the states of another run at which its rows between the same groups were made."""
    home, value = fork.whole.home, fork.whole.value
    place = {int(i): k for k, i in enumerate(fork.partition.groups[p])}
    active = sum(1 << int(k) for k in fork.graph.active_members(fork.graph.arc(p, q)))
    known = fork.graph.states(fork.labeling)[p]
    found = set()
    for r, s in [*engine.graph.edges.tolist(), *engine.graph.edges[:, ::-1].tolist()]:
        inside = set(home[engine.partition.groups[r]]) & set(place), set(home[engine.partition.groups[s]])
        if not inside[0] or not inside[1] & set(fork.partition.groups[q].tolist()):
            continue
        for row in looking.rows(engine, r, s):
            if row.made_for == r:
                state = int(known)
                for k in engine.graph.active_members(engine.graph.arc(r, s)).tolist():
                    i = int(engine.partition.groups[r][k])
                    if home[i] >= 0:
                        bit = row.anchor >> k & 1 ^ int(value[i])
                        state = state & ~(1 << place[int(home[i])]) | bit << place[int(home[i])]
                found.add(state & active)
    return found


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32 - 1), schedule=st.sampled_from(["mplp", "srmp"]), sweeps=st.integers(0, 6))
def test_a_run_is_settled_where_its_messages_leave_nothing(seed: int, schedule: str, sweeps: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = spins(rng, 8) if seed % 2 else random_mrf(rng, 8, 0.7)
    engine = begun(mrf, random_partition(rng, 8, 4), 12, schedule, 0)
    engine.run(max_sweeps=sweeps)
    assert settled(engine) == (reduced(engine).reduced.n == 0)
    if settled(engine):
        assert engine.upper_bound == pytest.approx(naive.optimum(mrf))


def test_groups_that_are_left_are_united_strongest_first() -> None:
    coupling = np.array([1.0, 5.0, 2.0])[:, None, None] * [[1, -1], [-1, 1]]
    mrf = bc.BinaryMRF(unary=np.zeros((4, 2)), edges=[[0, 1], [1, 2], [2, 3]], pairwise=coupling)
    part = bc.manual(mrf, [[0], [1], [2], [3]])
    found = reduction(unreduced(mrf), Facts(np.full(4, -1)))
    assert [group.tolist() for group in packed(found, part, 2).groups] == [[0], [1, 2], [3]]
    assert len(packed(found, part, 4)) == 1
    left = reduction(unreduced(mrf), Facts(np.array([-1, 0, -1, -1])))
    assert [group.tolist() for group in what_is_left(part, left).groups] == [[0], [1], [2]]


def test_a_run_of_another_model_is_refused() -> None:
    mrf = random_mrf(np.random.default_rng(0), 4)
    engine = bc.Engine(mrf, bc.partition(mrf, 2))
    found = reduction(unreduced(mrf), Facts(np.array([0, -1, -1, -1])))
    with pytest.raises(ValueError, match="another model"):
        bc.Engine(found.reduced, bc.partition(found.reduced, 2), start=engine)
