"""Partitions: every strategy covers every variable once, within M, the same way every time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.groups import LARGEST_GROUP, coupled_groups, merge, move, split, split_by_coupling
from bender_core.strategies import STRATEGIES
from tests.models import examples, mrfs, random_mrf, random_partition


def kinds(mrf: bc.BinaryMRF, seed: int) -> bc.BinaryMRF:
    """The model with a kind and a position for each variable, so that every strategy applies."""
    rng = np.random.default_rng(seed)
    names, points = rng.choice(["head", "neck", "knee"], mrf.n), rng.integers(0, 5, (mrf.n, 2))
    return bc.BinaryMRF(mrf.unary, mrf.edges, mrf.pairwise, groups=names, positions=points)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=examples(60))
@given(mrfs(max_n=20), st.integers(1, 8), st.integers(0, 3))
def test_every_strategy_partitions(strategy: str, mrf: bc.BinaryMRF, max_size: int, seed: int) -> None:
    mrf = kinds(mrf, seed)
    part = bc.partition(mrf, max_size, strategy, seed)
    assert sorted(np.concatenate(part.groups).tolist()) == list(range(mrf.n))
    assert 1 <= part.largest == max(map(len, part.groups)) <= max_size
    assert (part.strategy, len(part.labels), len(set(part.labels))) == (strategy, len(part), len(part))
    again = bc.partition(mrf, max_size, strategy, seed)
    assert [g.tolist() for g in again.groups] == [g.tolist() for g in part.groups]
    owner = part.group_of()
    assert all(owner[i] == p for p, group in enumerate(part.groups) for i in group)


@settings(max_examples=examples(60))
@given(mrfs(max_n=20), st.integers(1, 8), st.integers(0, 3))
def test_groups_contain_one_kind_in_as_few_chunks_as_possible(mrf: bc.BinaryMRF, max_size: int, seed: int) -> None:
    mrf = kinds(mrf, seed)
    part = bc.partition(mrf, max_size, "groups")
    for kind in set(mrf.groups or ()):
        mine = [g for g in part.groups if {mrf.groups[i] for i in g} == {kind}]
        members = np.concatenate(mine)
        assert sorted(members) == members.tolist() == [i for i in range(mrf.n) if mrf.groups[i] == kind]
        assert len(mine) == -(-len(members) // max_size)
    assert all(len({mrf.groups[i] for i in g}) == 1 for g in part.groups)


def test_singletons() -> None:
    mrf = random_mrf(0, 5)
    part = bc.partition(mrf, 8, "singletons")
    assert [g.tolist() for g in part.groups] == [[0], [1], [2], [3], [4]]
    assert part.labels == mrf.names


def test_greedy_grows_by_the_strongest_coupling() -> None:
    """A strong triangle, a strong pair, weak edges between them, one isolated variable."""
    edges = {(0, 3): 5.0, (3, 5): -5.0, (0, 5): 4.0, (1, 4): 3.0, (0, 1): 0.5, (4, 5): -0.5}
    tables = np.array(list(edges.values()))[:, None, None] * np.array([[0.25, -0.25], [-0.25, 0.25]])
    mrf = bc.BinaryMRF(np.zeros((6, 2)), list(edges), tables)
    for seed in range(5):
        part = bc.partition(mrf, 3, "greedy", seed)
        assert {frozenset(g.tolist()) for g in part.groups} == {frozenset(g) for g in ([0, 3, 5], [1, 4], [2])}


def test_the_seed_of_greedy_breaks_ties() -> None:
    mrf = bc.BinaryMRF(np.zeros((12, 2)), [(i, (i + 1) % 12) for i in range(12)], np.tile(np.eye(2), (12, 1, 1)))
    cuts = {tuple(sorted(tuple(g) for g in bc.partition(mrf, 3, "greedy", seed).groups)) for seed in range(10)}
    assert len(cuts) > 1


def naive_strengths(mrf: bc.BinaryMRF) -> list[float]:
    """How much every coupling may matter: up to its ends' leeway, which shows when the neighbours take all values."""
    neighbours: list[list[tuple[np.ndarray, int]]] = [[] for _ in range(mrf.n)]
    for (i, j), table in zip(mrf.edges.tolist(), mrf.pairwise, strict=True):
        neighbours[i].append((table, j))
        neighbours[j].append((table.T, i))
    leeway = []
    for i in range(mrf.n):
        preferences = [
            mrf.unary[i, 1]
            - mrf.unary[i, 0]
            + sum(table[1, x] - table[0, x] for x, (table, _) in zip(taken, neighbours[i], strict=True))
            for taken in itertools.product((0, 1), repeat=len(neighbours[i]))
        ]
        leeway.append(max(min(max(preferences), -min(preferences)), 0.0))
    interaction = [abs(t[1, 1] - t[0, 1] - t[1, 0] + t[0, 0]) for t in mrf.pairwise]
    return [min(w, leeway[i], leeway[j]) + 0.01 * w for (i, j), w in zip(mrf.edges.tolist(), interaction, strict=True)]


def test_variables_that_are_decided_anyway_are_left_out_of_groups() -> None:
    """The strongest couplings are those of variable 0, which takes 1 for all values of the others."""
    edges = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3)]
    tables = np.array([[[0.0, 0.0], [0.0, w]] for w in (9, 9, 9, 1, 1, 1)])
    mrf = bc.BinaryMRF([[0, -100], [0, -9.5], [0, -9.5], [0, -9.5]], edges, tables)
    part = bc.partition(mrf, 3, "refined")
    assert {frozenset(g.tolist()) for g in part.groups} == {frozenset({1, 2, 3}), frozenset({0})}


@settings(max_examples=examples(60))
@given(mrfs(max_n=9), st.integers(1, 4), st.integers(0, 3))
def test_no_move_and_no_exchange_puts_more_coupling_inside_refined_groups(
    mrf: bc.BinaryMRF, max_size: int, seed: int
) -> None:
    weight = naive_strengths(mrf)

    def inside(owner: np.ndarray) -> float:
        return sum(w for (i, j), w in zip(mrf.edges.tolist(), weight, strict=True) if owner[i] == owner[j])

    part = bc.partition(mrf, max_size, "refined", seed)
    assert part.largest <= max_size
    owner = part.group_of()
    best = inside(owner) + 1e-6 * (1 + sum(weight))
    for i, group in itertools.product(range(mrf.n), range(len(part))):
        moved = owner.copy()
        moved[i] = group
        if len(part.groups[group]) < max_size:
            assert inside(moved) <= best
        for j in part.groups[group]:
            exchanged = moved.copy()
            exchanged[j] = owner[i]
            assert inside(exchanged) <= best


def test_the_default_is_groups_where_there_are_any() -> None:
    mrf = random_mrf(0, 6)
    assert bc.partition(mrf, 3).strategy == "greedy"
    assert bc.partition(kinds(mrf, 0), 3).strategy == "groups"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"max_size": 0}, "M is 0; choose a whole number from 1 to"),
        ({"max_size": -3}, "M is -3"),
        ({"max_size": LARGEST_GROUP + 1}, f"M is {LARGEST_GROUP + 1}"),
        (
            {"strategy": "best"},
            "unknown strategy 'best'; choose one of auto, pursuit, groups, greedy, refined, ",
        ),
        ({"strategy": "blocks"}, "this model has no positions; choose the strategy 'layers' or 'refined'"),
        ({"strategy": "groups"}, "this model names no groups; choose the strategy 'greedy' or 'singletons'"),
    ],
)
def test_an_impossible_partition_is_refused(arguments: dict, said: str) -> None:
    with pytest.raises(bc.PartitionError, match=said):
        bc.partition(random_mrf(0, 4), **arguments)


@pytest.mark.parametrize("strategy", ["auto", "greedy", "random", "community"])
def test_a_negative_seed_is_refused(strategy: str) -> None:
    with pytest.raises(ValueError, match="the seed is -1; choose a whole number from 0"):
        bc.partition(random_mrf(0, 4), 2, strategy, seed=-1)


# --- stated by hand ------------------------------------------------------------------------------------------


def test_a_manual_partition() -> None:
    part = bc.manual(random_mrf(0, 5), [[4, 0], [2], [1, 3]])
    assert [g.tolist() for g in part.groups] == [[4, 0], [2], [1, 3]]
    assert (part.labels, part.strategy) == (("g0", "g1", "g2"), "manual")
    assert part.group_of().tolist() == [0, 2, 1, 2, 0]
    # Bit 0 is the first member, variable 4.
    assert [part.describe(0, state) for state in range(4)] == ["00", "10", "01", "11"]


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([[0, 1], [2]], "the groups contain 3 variables, the model has 4"),
        ([[0, 1], [2, 3, 4]], "the groups contain 5 variables, the model has 4"),
        ([[0, 1], [1, 2]], "exactly once"),
        ([[0, 1], [2, 7]], "exactly once"),
        ([[0, 1], [2, 10**12]], "exactly once"),
        ([[0, 1], [2, -1]], "exactly once"),
        ([[0, 1, 2, 3], []], "group 'g1' is empty"),
        ([[0, 1], [2, 2**70]], "group 'g1' is .*; list its variables by their numbers"),
        ([[0.9, 1.2], [2, 3]], "group 'g0' is .*; list its variables by their numbers"),
        ([["a"], [1, 2, 3]], "group 'g0' is .*; list its variables by their numbers"),
        ([[0, [1, 2]], [3]], "group 'g0' is .*; list its variables by their numbers"),
    ],
)
def test_groups_that_do_not_partition_are_refused(groups: list[list[int]], said: str) -> None:
    with pytest.raises(bc.PartitionError, match=said):
        bc.manual(random_mrf(0, 4), groups)


def test_every_group_has_a_label() -> None:
    with pytest.raises(bc.PartitionError, match="2 groups have 1 labels; give one for each"):
        bc.manual(random_mrf(0, 4), [[0, 1], [2, 3]], ["a"])


def test_a_group_beyond_any_run_is_refused() -> None:
    mrf = bc.BinaryMRF(np.zeros((LARGEST_GROUP + 1, 2)))
    with pytest.raises(bc.PartitionError, match=f"has {LARGEST_GROUP + 1} variables"):
        bc.manual(mrf, [range(LARGEST_GROUP + 1)])


def test_a_partition_of_another_model_is_refused() -> None:
    with pytest.raises(bc.PartitionError, match="the partition covers 4 variables, the model has 5"):
        bc.HyperGraph(random_mrf(0, 5), bc.partition(random_mrf(0, 4), 2))


# --- edited --------------------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(st.integers(2, 12), st.integers(0, 1000), st.data())
def test_edits_keep_a_partition(n: int, seed: int, data: st.DataObject) -> None:
    part = random_partition(seed, n, 4)
    for _ in range(4):
        p = data.draw(st.integers(0, len(part) - 1))
        edit = data.draw(st.sampled_from(["move", "merge", "split"]))
        before = [set(g.tolist()) for g in part.groups]
        if edit == "move":
            i = data.draw(st.integers(0, n - 1))
            part = move(part, i, p)
            expected = [g - {i} | ({i} if k == p else set()) for k, g in enumerate(before)]
        elif edit == "merge" and len(part) > 1:
            q = data.draw(st.sampled_from([q for q in range(len(part)) if q != p]))
            part = merge(part, p, q)
            expected = [g | before[q] if k == p else g for k, g in enumerate(before) if k != q]
        elif edit == "split" and len(before[p]) > 1:
            part = split(part, p)
            halves = [set(part.groups[p].tolist()), set(part.groups[p + 1].tolist())]
            assert halves[0] | halves[1] == before[p]
            assert abs(len(halves[0]) - len(halves[1])) <= 1
            expected = [*before[:p], *halves, *before[p + 1 :]]
        else:
            continue
        assert [set(g.tolist()) for g in part.groups] == [g for g in expected if g]
        assert len(set(part.labels)) == len(part)


def cut_between(mrf: bc.BinaryMRF, first: list[int], second: list[int]) -> float:
    """The coupling that joins two groups."""
    return sum(
        abs(w)
        for (i, j), w in zip(mrf.edges.tolist(), mrf.coupling(), strict=True)
        if (i in first and j in second) or (j in first and i in second)
    )


@settings(max_examples=examples(60))
@given(mrfs(max_n=12), st.integers(0, 1000), st.data())
def test_a_split_by_coupling_is_never_worse_than_halves_nor_than_another_exchange(
    mrf: bc.BinaryMRF, seed: int, data: st.DataObject
) -> None:
    part = random_partition(seed, mrf.n, 9)
    p = data.draw(st.integers(0, len(part) - 1))
    if len(part.groups[p]) < 2:
        return
    halves, best = split(part, p), split_by_coupling(mrf, part, p)
    assert best.labels == halves.labels
    assert [len(group) for group in best.groups] == [len(group) for group in halves.groups]
    first, second = best.groups[p].tolist(), best.groups[p + 1].tolist()
    assert sorted(first + second) == sorted(part.groups[p].tolist())
    rest = [group.tolist() for group in (*best.groups[:p], *best.groups[p + 2 :])]
    assert rest == [group.tolist() for k, group in enumerate(part.groups) if k != p]
    least = cut_between(mrf, first, second) - 1e-6 * (1 + np.abs(mrf.coupling()).sum())
    assert least <= cut_between(mrf, halves.groups[p].tolist(), halves.groups[p + 1].tolist())
    for i, j in itertools.product(first, second):
        assert least <= cut_between(mrf, [k for k in first if k != i] + [j], [k for k in second if k != j] + [i])


def test_a_split_by_coupling_leaves_what_is_strongly_coupled_together() -> None:
    """Two strong triangles whose members alternate."""
    edges = {(0, 2): 3.0, (2, 4): 3.0, (0, 4): 3.0, (1, 3): 3.0, (3, 5): 3.0, (1, 5): 3.0, (0, 1): 1.0, (4, 5): 1.0}
    tables = np.array(list(edges.values()))[:, None, None] * np.eye(2)
    mrf = bc.BinaryMRF(np.zeros((6, 2)), list(edges), tables)
    halves = split_by_coupling(mrf, bc.manual(mrf, [range(6)]), 0)
    assert [group.tolist() for group in halves.groups] == [[0, 2, 4], [1, 3, 5]]


def test_impossible_edits_are_refused() -> None:
    part = bc.manual(random_mrf(0, 4), [[0, 1, 2], [3]])
    for variable in (4, -1, 0.5):
        with pytest.raises(bc.PartitionError, match=f"there is no variable {variable}; variables are numbered"):
            move(part, variable, 0)
    for group in (2, -1, 0.5):
        for edit in (
            lambda group: move(part, 0, group),
            lambda group: merge(part, 0, group),
            lambda group: merge(part, group, 0),
            lambda group: merge(part, group, group),
            lambda group: split(part, group),
            lambda group: split_by_coupling(random_mrf(0, 4), part, group),
        ):
            with pytest.raises(bc.PartitionError, match=f"there is no group {group}; groups are numbered"):
                edit(group)
    with pytest.raises(bc.PartitionError, match="merged with itself"):
        merge(part, 1, 1)
    with pytest.raises(bc.PartitionError, match="only one variable"):
        split(part, 1)
    with pytest.raises(bc.PartitionError, match="only one variable"):
        split_by_coupling(random_mrf(0, 4), part, 1)
    with pytest.raises(bc.PartitionError, match="the partition covers 4 variables, the model has 5"):
        split_by_coupling(random_mrf(0, 5), part, 0)


def test_coupled_groups_are_those_joined_by_an_interaction() -> None:
    # (0, 1) inside, (1, 2) and (0, 3) between, (2, 4) without interaction.
    tables = np.array([np.eye(2), np.eye(2), np.eye(2), [[0.0, 1.0], [2.0, 3.0]]])
    mrf = bc.BinaryMRF(np.zeros((5, 2)), [[0, 1], [1, 2], [0, 3], [2, 4]], tables)
    assert coupled_groups(mrf, bc.manual(mrf, [[3], [0, 1], [2], [4]])).tolist() == [[0, 1], [1, 2]]
