"""The strategies one by one, the choice among them, and their comparison."""

from __future__ import annotations

import dataclasses
import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.engine.coupled import coupled, entries_of_updates
from bender_core.groups import coupled_groups, independent_cycles, spanning_forest
from bender_core.kernels import forest
from bender_core.kernels.forest import Closes
from bender_core.strategies import BY_RUNS, STRATEGIES, applicable, applicable_rules, communities, quality
from bender_core.synth import ising_grid, random_tree
from bender_core.trying import auto as auto_module
from bender_core.trying import comparison
from bender_core.trying.comparison import bound_after
from tests.models import examples, mrfs, random_mrf, random_partition
from tests.tiers import thinned


def sample(name: str) -> bc.BinaryMRF:
    return bc.sample(name)


def planted(seed: int, groups: int, size: int, inside: float = 5.0, between: float = 0.1) -> bc.BinaryMRF:
    """Cliques of strongly coupled variables in no order, all pairs of others coupled weakly; spins of both signs."""
    rng = np.random.default_rng(seed)
    edges = np.column_stack(np.triu_indices(groups * size, 1))
    owner = rng.permutation(np.repeat(np.arange(groups), size))
    strength = np.where(owner[edges[:, 0]] == owner[edges[:, 1]], inside, between) * rng.choice([-1, 1], len(edges))
    tables = strength[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return bc.BinaryMRF(rng.normal(size=(groups * size, 2)), edges, tables, groups=owner.astype(str))


def union(seed: int, sizes: list[int]) -> bc.BinaryMRF:
    """Models side by side, not coupled."""
    parts = [random_mrf(seed + k, n, 0.6) for k, n in enumerate(sizes)]
    start = np.cumsum([0, *sizes])
    edges = [part.edges + first for part, first in zip(parts, start, strict=False)]
    return bc.BinaryMRF(
        np.concatenate([part.unary for part in parts]),
        np.concatenate(edges),
        np.concatenate([part.pairwise for part in parts]),
    )


def sets(part: bc.Partition) -> set[frozenset[int]]:
    return {frozenset(group.tolist()) for group in part.groups}


def is_chain(graph: bc.HyperGraph) -> bool:
    degree = np.bincount(graph.edges.reshape(-1), minlength=graph.n_groups)
    return graph.cycles() == 0 and len(graph.edges) == graph.n_groups - 1 and degree.max() <= 2


# --- all of them ---------------------------------------------------------------------------------------------


def test_no_variables_no_groups() -> None:
    mrf = bc.BinaryMRF(np.zeros((0, 2)), groups=(), positions=np.zeros((0, 2)))
    assert [len(bc.partition(mrf, 4, strategy)) for strategy in STRATEGIES] == [0] * len(STRATEGIES)


@pytest.mark.parametrize("strategy", ["greedy", "refined", "layers", "community", "random", "auto"])
@settings(max_examples=examples(20))
@given(st.integers(0, 1000), st.lists(st.integers(1, 7), min_size=1, max_size=5), st.integers(1, 6))
def test_components_side_by_side_are_cut_too(strategy: str, seed: int, sizes: list[int], max_size: int) -> None:
    mrf = union(seed, sizes)
    part = bc.partition(mrf, max_size, strategy, seed)
    assert sorted(np.concatenate(part.groups).tolist()) == list(range(mrf.n))
    assert part.largest <= max_size


def test_applicable_strategies_are_those_that_succeed() -> None:
    plain = random_mrf(0, 6)
    drawn = bc.BinaryMRF(plain.unary, plain.edges, plain.pairwise, positions=np.zeros((6, 2)))
    named = bc.BinaryMRF(plain.unary, plain.edges, plain.pairwise, groups=list("aabbcc"))
    for mrf, lacking in ((plain, {"groups", "blocks"}), (drawn, {"groups"}), (named, {"blocks"})):
        assert set(applicable(mrf)) == set(STRATEGIES) - lacking
        for strategy in STRATEGIES:
            if strategy in lacking:
                with pytest.raises(bc.PartitionError, match=r"this model (has|names) no"):
                    bc.partition(mrf, 3, strategy)
            else:
                assert bc.partition(mrf, 3, strategy).strategy == strategy


def test_random_differs_by_seed() -> None:
    mrf = random_mrf(0, 20)
    cuts = {tuple(map(tuple, bc.partition(mrf, 6, "random", seed).groups)) for seed in range(5)}
    assert len(cuts) == 5
    assert all(sorted(map(len, cut)) == [2, 6, 6, 6] for cut in cuts)


# --- layers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "columns", "max_size", "groups"),
    [(10, 10, 10, 10), (10, 10, 13, 10), (10, 10, 20, 5), (4, 9, 4, 9), (9, 4, 8, 5), (1, 12, 5, 3), (2, 2, 4, 1)],
)
def test_layers_of_a_grid_are_a_chain_of_rows(rows: int, columns: int, max_size: int, groups: int) -> None:
    mrf = ising_grid(rows=rows, columns=columns, torus=False, seed=rows)
    part = bc.partition(mrf, max_size, "layers")
    assert is_chain(bc.HyperGraph(mrf, part))
    assert len(part) == groups


@pytest.mark.slow
@pytest.mark.parametrize("max_size", thinned([10, 12], 2))
def test_layers_of_a_grid_reach_the_optimum(max_size: int) -> None:
    mrf = ising_grid(rows=10, columns=10, torus=False, seed=2)
    engine = bc.Engine(mrf, bc.partition(mrf, max_size, "layers"), variant=12, schedule="srmp")
    engine.run()
    optimum = bc.reference(mrf).optimum
    assert engine.lower_bound == pytest.approx(optimum, rel=1e-9)
    assert engine.upper_bound == pytest.approx(optimum, rel=1e-9)


def test_layers_of_a_scrambled_grid_are_a_chain() -> None:
    """Neither the numbers nor the positions of the variables help."""
    mrf = ising_grid(rows=6, columns=8, torus=False, seed=1)
    shuffled = np.random.default_rng(0).permutation(mrf.n)
    other = bc.BinaryMRF(mrf.unary, shuffled[mrf.edges], mrf.pairwise)
    assert is_chain(bc.HyperGraph(other, bc.partition(other, 6, "layers")))


@pytest.mark.parametrize("max_size", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(3))
def test_layers_of_a_tree_are_a_tree(max_size: int, seed: int) -> None:
    mrf = random_tree(n=40, seed=seed)
    part = bc.partition(mrf, max_size, "layers")
    assert bc.HyperGraph(mrf, part).cycles() == 0
    assert len(part) <= {1: 40, 2: 27, 3: 20, 5: 14, 8: 10}[max_size]


@settings(max_examples=examples(60))
@given(mrfs(max_n=14))
def test_layers_as_wide_as_any_level_close_no_cycle(mrf: bc.BinaryMRF) -> None:
    """With M = n nothing is cut, so the clusters of levels form a forest whatever the graph is."""
    part = bc.partition(mrf, mrf.n, "layers")
    assert independent_cycles(len(part), coupled_groups(mrf, part)) == 0


def test_layers_of_a_ring_are_a_chain() -> None:
    tables = np.tile(np.eye(2), (12, 1, 1))
    mrf = bc.BinaryMRF(np.zeros((12, 2)), [(i, (i + 1) % 12) for i in range(12)], tables)
    assert is_chain(bc.HyperGraph(mrf, bc.partition(mrf, 2, "layers")))


# --- blocks, community ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "max_size", "tile"), [(8, 16, (4, 4)), (8, 4, (2, 2)), (8, 8, (2, 4)), (4, 1, (1, 1))]
)
def test_blocks_are_tiles(side: int, max_size: int, tile: tuple[int, int]) -> None:
    mrf = ising_grid(rows=side, columns=side)
    part = bc.partition(mrf, max_size, "blocks")
    assert len(part) == side * side // max_size
    for group in part.groups:
        points = mrf.positions[group]
        assert tuple(sorted(np.ptp(points, axis=0) + 1)) == tile
        assert len(np.unique(points, axis=0)) == len(group) == max_size


@settings(max_examples=examples(60))
@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 1000))
def test_blocks_are_as_few_as_possible(n: int, max_size: int, seed: int) -> None:
    points = np.random.default_rng(seed).integers(0, 4, (n, 2))
    part = bc.partition(bc.BinaryMRF(np.zeros((n, 2)), positions=points), max_size, "blocks")
    assert part.largest <= max_size
    assert len(part) == -(-n // max_size)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_size", [6, 9, 11])
def test_communities_stay_together(seed: int, max_size: int) -> None:
    mrf = planted(seed, groups=5, size=6)
    assert sets(bc.partition(mrf, max_size, "community", seed)) == sets(bc.partition(mrf, 6, "groups"))


def test_small_communities_share_a_group_and_large_ones_are_cut() -> None:
    mrf = planted(0, groups=4, size=4)
    kind = np.array(mrf.groups)
    (two, also) = bc.partition(mrf, 8, "community").groups
    assert [len(set(kind[two])), len(set(kind[also]))] == [2, 2]
    part = bc.partition(mrf, 3, "community")
    # Of each community one member is left over; three of these four share a group.
    assert sorted((len(group), len(set(kind[group]))) for group in part.groups) == [(1, 1), *[(3, 1)] * 4, (3, 3)]


@settings(max_examples=examples(60))
@given(mrfs(max_n=12), st.integers(1, 6))
def test_no_two_coupled_communities_would_fit_into_one_group(mrf: bc.BinaryMRF, max_size: int) -> None:
    part = bc.partition(mrf, max_size, "community")
    for p, q in coupled_groups(mrf, part).tolist():
        assert len(part.groups[p]) + len(part.groups[q]) > max_size


# --- what is measured ----------------------------------------------------------------------------------------


@settings(max_examples=examples(40))
@given(mrfs(max_n=5), st.integers(1, 3), st.integers(0, 1000))
def test_quality_by_trying_every_forest(mrf: bc.BinaryMRF, max_size: int, seed: int) -> None:
    part = random_partition(seed, mrf.n, max_size)
    owner, weight, total = part.group_of(), what_matters_naively(mrf), 0.0
    inside, joint = 0.0, dict.fromkeys(map(tuple, coupled_groups(mrf, part).tolist()), 0.0)
    for (i, j), w in zip(mrf.edges.tolist(), weight, strict=True):
        total += w
        pair = (min(owner[i], owner[j]), max(owner[i], owner[j]))
        if owner[i] == owner[j]:
            inside += w
        elif pair in joint:
            joint[pair] += w
    forests = [
        sum(joint[pair] for pair in kept)
        for size in range(min(len(joint), len(part) - 1) + 1)
        for kept in itertools.combinations(joint, size)
        if independent_cycles(len(part), np.array(kept, np.int64).reshape(-1, 2)) == 0
    ]
    found = quality(mrf, part)
    assert found.inside == pytest.approx(inside / total if total else 1.0)
    assert found.covered == pytest.approx((inside + max(forests)) / total if total else 1.0)
    assert found.hyper_edges == len(joint)
    assert found.cycles == bc.HyperGraph(mrf, part).cycles()
    assert (found.cycles == 0) <= (found.covered == pytest.approx(1.0))


def what_matters_naively(mrf: bc.BinaryMRF) -> list[float]:
    """How much every coupling may matter: its interaction, up to its ends' leeway, and a hundredth of it besides."""
    leeway = []
    for i in range(mrf.n):
        least = most = mrf.unary[i, 1] - mrf.unary[i, 0]
        for (a, b), table in zip(mrf.edges.tolist(), mrf.pairwise, strict=True):
            if i in (a, b):
                change = table[1] - table[0] if i == a else table[:, 1] - table[:, 0]
                least, most = least + change.min(), most + change.max()
        leeway.append(max(min(most, -least), 0.0))
    interaction = [abs(t[1, 1] - t[0, 1] - t[1, 0] + t[0, 0]) for t in mrf.pairwise]
    return [min(w, leeway[i], leeway[j]) + 0.01 * w for (i, j), w in zip(mrf.edges.tolist(), interaction, strict=True)]


@pytest.mark.parametrize("strategy", ["greedy", "refined", "layers", "community"])
def test_a_cut_can_be_stopped(strategy: str) -> None:
    mrf = random_mrf(1, 60, density=0.2)
    asked = itertools.count()
    with pytest.raises(bc.Stopped):
        bc.partition(mrf, 6, strategy, stop=bc.Stop(requested=lambda: next(asked) == 10))
    assert next(asked) == 11


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(3), 3))
def test_communities_found_in_a_child_process_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = random_mrf(1, 60, density=0.2)
    here = bc.partition(mrf, 6, "community", seed)
    monkeypatch.setattr(communities, "LARGE", 0)
    there = bc.partition(mrf, 6, "community", seed)
    assert there.group_of().tolist() == here.group_of().tolist()
    with pytest.raises(bc.Stopped):
        bc.partition(mrf, 6, "community", seed, bc.Stop(0.0))


@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e90])
def test_communities_do_not_depend_on_the_unit_of_energy(scale: float) -> None:
    plain = random_mrf(1, 12, density=0.6, integers=True)
    mrf = bc.BinaryMRF(plain.unary * scale, plain.edges, plain.pairwise * scale)
    expected = bc.partition(plain, 4, "community").group_of().tolist()
    assert bc.partition(mrf, 4, "community").group_of().tolist() == expected


@pytest.mark.parametrize("seed", range(20))
def test_a_spanning_forest_is_what_the_parities_of_its_trees_say(seed: int) -> None:
    """Compared with walks through the forest: an edge closes a cycle if its ends are connected already."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    edges = np.array([rng.choice(n, 2, replace=False) for _ in range(20 if n > 1 else 0)]).reshape(-1, 2)
    differ = rng.random(len(edges)) < 0.5
    side: list[dict[int, bool]] = [{i: False} for i in range(n)]
    expected = []
    for (i, j), apart in zip(edges.tolist(), differ.tolist(), strict=True):
        mine, other = (next(tree for tree in side if k in tree) for k in (i, j))
        if mine is other:
            expected.append(Closes.CYCLE if (mine[i] != mine[j]) == apart else Closes.FRUSTRATED)
            continue
        flip = mine[i] ^ other[j] ^ apart
        mine.update({k: value ^ flip for k, value in other.items()})
        side.remove(other)
        expected.append(Closes.NOTHING)
    assert forest.spanning_forest(n, edges, differ).tolist() == expected


def test_a_spanning_forest_takes_edges_in_their_order() -> None:
    edges = np.array([[0, 1], [2, 3], [1, 0], [1, 2], [0, 3], [4, 4]])
    assert spanning_forest(6, edges).tolist() == [True, True, False, True, False, False]


# --- auto ----------------------------------------------------------------------------------------------------

MODELS = {
    "torus": lambda: sample("torus-10x10"),
    "pose": lambda: sample("pose-small"),
    "karate": lambda: sample("karate"),
    "tree": lambda: sample("tree"),
    "planted": lambda: planted(1, 4, 5),
    "sparse": lambda: random_mrf(3, 40, 0.08),
}


def said_by(mrf: bc.BinaryMRF, reason: str, max_size: int) -> bc.Partition:
    """The partition that a reason names, made again."""
    name, seed = re.match(r"(\w+)(?: \(seed (\d+)\))?: ", reason).groups()
    return bc.partition(mrf, max_size, name, int(seed or 0))


@pytest.mark.parametrize("name", thinned(MODELS, 3))
def test_auto_is_one_of_the_others_and_not_the_worst(name: str) -> None:
    mrf = MODELS[name]()
    chosen = bc.partition(mrf, 6, "auto")
    said = said_by(mrf, chosen.reason, 6)
    assert [g.tolist() for g in chosen.groups] == [g.tolist() for g in said.groups]
    assert (chosen.strategy, chosen.labels) == ("auto", said.labels)

    def bound(part: bc.Partition) -> float:
        engine = bc.Engine(mrf, part, variant=12, snapshot_bytes=0)
        engine.run(max_sweeps=15)
        return engine.lower_bound

    bounds = [bound(bc.partition(mrf, 6, other)) for other in applicable_rules(mrf)]
    best, worst = max(bounds), min(bounds)
    assert bound(chosen) > worst or best - worst <= 1e-9 * abs(best)


@pytest.mark.parametrize("name", thinned(MODELS, 3))
def test_the_reason_is_true(name: str) -> None:
    mrf = MODELS[name]()
    part = bc.partition(mrf, 6, "auto")
    found = quality(mrf, part)
    told = re.search(
        r"; (\d+) % of the relevant coupling lies inside groups \((\d+) %\) "
        r"or on a forest that joins them, (no|\d+) cycles? left$",
        part.reason,
    )
    assert float(told[1]) == pytest.approx(100 * found.covered, abs=0.51)
    assert float(told[2]) == pytest.approx(100 * found.inside, abs=0.51)
    assert found.cycles == (0 if told[3] == "no" else int(told[3]))
    if not found.cycles:
        assert "its groups form no cycle" in part.reason
    elif "closes the gap" in part.reason:
        assert bc.solve(mrf, part, 9, "srmp").status == "closed"
    else:
        bound = float(re.search(r"bound (\S+) after a short trial", part.reason)[1])
        others = re.findall(r"(?:; |, )\w+(?: \(seed \d+\))? (-?[\d.e+]+)(?=[;,])", part.reason)
        assert others
        assert max(map(float, others)) <= bound + 1e-3 * abs(bound)
        assert bound <= bc.solve(mrf, part, 9, "srmp").upper_bound


def test_auto_takes_the_cheapest_forest() -> None:
    mrf = ising_grid(rows=5, columns=20, torus=False, seed=0)
    part = bc.partition(mrf, 5, "auto")
    assert independent_cycles(len(part), coupled_groups(mrf, part)) == 0
    assert "no cycles left" in part.reason
    tree = sample("tree")
    chosen = entries_of_updates(coupled(tree, bc.partition(tree, 8, "auto"))).sum()
    for other in applicable(tree):
        part = bc.partition(tree, 8, other)
        if independent_cycles(len(part), coupled_groups(tree, part)) == 0:
            assert chosen <= entries_of_updates(coupled(tree, part)).sum()


@pytest.mark.parametrize("strategy", thinned(["auto", "pursuit"], 2))
def test_auto_says_what_would_fit(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for a search, which would take too long at every M."""
    mrf = sample("torus-10x10")
    part = dataclasses.replace(bc.partition(mrf, 12, "auto"), strategy=strategy)
    monkeypatch.setitem(BY_RUNS, "pursuit", lambda *_: pytest.fail("a search takes too long"))
    limit = bc.required_bytes(mrf, part, 9) // 2
    with pytest.raises(bc.TooLargeError, match=r"M = (\d+) would fit") as refusal:
        bc.Engine(mrf, part, variant=9, limit=limit)
    fits = int(re.search(r"M = (\d+)", str(refusal.value))[1])
    bc.Engine(mrf, bc.partition(mrf, fits, "auto"), variant=9, limit=limit)


def test_an_edit_leaves_no_reason_behind() -> None:
    part = bc.partition(sample("tiny"), 2, "auto")
    assert part.reason
    edited = bc.partition(sample("tiny"), 2, "greedy")
    assert edited.reason == ""
    assert bc.manual(sample("tiny"), [range(6)]).reason == ""


# --- comparison ----------------------------------------------------------------------------------------------


def test_a_comparison_says_what_a_run_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_module.choose, "__defaults__", (1 << 20,))
    mrf = sample("torus-10x10")
    rows = bc.compare_partitions(mrf, [4, 6], ["greedy", "layers", "auto"], variant=12, sweeps=3)
    assert [(row.max_size, row.strategy) for row in rows] == [
        (m, s) for m in (4, 6) for s in ("greedy", "layers", "auto")
    ]
    for row in rows:
        part = bc.partition(mrf, row.max_size, row.strategy)
        graph = bc.HyperGraph(mrf, part)
        engine = bc.Engine(mrf, part, variant=12)
        engine.run(max_sweeps=3)
        assert row.bytes == bc.required_bytes(mrf, part, 12)
        assert row.seconds_per_sweep is not None
        assert row.seconds_per_sweep > 0
        assert (row.groups, row.hyper_edges, row.cycles) == (len(part), len(graph.edges), graph.cycles())
        assert (row.inside, row.covered) == (quality(mrf, part).inside, quality(mrf, part).covered)
        assert row.lower_bound == engine.lower_bound


def test_a_comparison_without_sweeps_has_no_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = comparison.measured
    monkeypatch.setattr(comparison, "measured", lambda *run: dataclasses.replace(measured(*run), seconds_per_sweep=0.0))
    mrf = sample("tiny")
    rows = bc.compare_partitions(mrf, [3])
    assert [row.strategy for row in rows] == applicable(mrf)
    assert all(row.lower_bound is None for row in rows)
    ran = bc.compare_partitions(mrf, [3], sweeps=1)
    assert [dataclasses.replace(row, lower_bound=None) for row in ran] == rows
    monkeypatch.setenv("BENDER_MEMORY_MB", "0")
    assert bc.compare_partitions(mrf, [3], sweeps=1) == rows


def test_a_bound_is_that_of_the_schedule_and_none_after_a_stop() -> None:
    mrf = sample("torus-10x10")
    part = bc.partition(mrf, 4)
    engine = bc.Engine(mrf, part, variant=9, schedule="srmp")
    engine.run(max_sweeps=4)
    assert bound_after(mrf, part, 4, schedule="srmp") == engine.lower_bound
    assert bc.compare_partitions(mrf, [4], ["groups"], sweeps=4, schedule="srmp")[0].lower_bound == engine.lower_bound
    large = sample("pose")
    assert bound_after(large, bc.partition(large, 12, "random"), 400, on_progress=lambda _: True) is None
