"""Groups merged where tension sits: their runs, the choice of pairs, and the groups that are returned."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking, synth
from bender_core.engine.engine import Engine
from bender_core.strategies import AUTO, BY_RUNS, PURSUIT, applicable
from bender_core.trying import auto as auto_module
from bender_core.trying import pursuit as pursuit_module
from bender_core.trying.effort import Effort
from bender_core.trying.pursuit import MergeSearch, pairs_to_merge
from tests import naive
from tests.models import examples, mrfs, random_mrf
from tests.tiers import thinned
from tests.unit.engines import sample

MODELS: dict[str, Callable[[], bc.BinaryMRF]] = {
    "torus": lambda: synth.ising_grid(7, 7, torus=True, seed=2),
    "regular": lambda: synth.random_regular(40, 5, "pm1", seed=1),
    "dense": lambda: random_mrf(4, 40, 0.9),
    "ties": lambda: random_mrf(5, 40, 0.4, integers=True),
}


def shorten(patch: pytest.MonkeyPatch) -> None:
    for name, work in (("WORK", 1 << 28), ("START", 1 << 25), ("MAKING", 1 << 20), ("TRIAL", 1 << 25)):
        patch.setattr(pursuit_module, name, work)
    for counts_work in (auto_module.choose, auto_module.work_of_a_choice):
        patch.setattr(counts_work, "__defaults__", (1 << 23,))
    patch.setattr(auto_module, "LONGER", 1)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short searches and trials."""
    shorten(monkeypatch)


@cache
def searched(name: str, max_size: int) -> bc.Partition:
    """What a short search finds, once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        return bc.partition(MODELS[name](), max_size, PURSUIT)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, short: None) -> list[tuple[Engine | None, float, Engine]]:
    """All runs that searches make: from which, from which bound, and the run."""
    made = []

    def make(*given, start: Engine | None = None, **named) -> Engine:
        engine = Engine(*given, start=start, **named)
        made.append((start, engine.lower_bound, engine))
        return engine

    monkeypatch.setattr(pursuit_module, "Engine", make)
    return made


def sets(part: bc.Partition) -> set[frozenset[int]]:
    return {frozenset(group.tolist()) for group in part.groups}


# --- what is returned -------------------------------------------------------------------------------------------


@settings(max_examples=examples(25), deadline=None)
@given(mrfs(12), st.integers(1, 6), st.integers(0, 3))
def test_every_variable_is_in_one_group_of_at_most_m(mrf: bc.BinaryMRF, max_size: int, seed: int) -> None:
    part = bc.partition(mrf, max_size, PURSUIT, seed)
    assert sorted(np.concatenate(part.groups).tolist()) == list(range(mrf.n))
    assert part.largest <= max_size
    assert (part.strategy, part.seed) == (PURSUIT, seed)
    assert part.reason


@pytest.mark.parametrize("name", thinned(MODELS, 4))
def test_its_bound_is_not_below_that_of_auto(name: str, short: None) -> None:
    mrf = MODELS[name]()

    def bound(part: bc.Partition) -> tuple[float, float]:
        engine = bc.Engine(mrf, part, variant=9, schedule="srmp")
        engine.run(max_work=1 << 29)
        return engine.lower_bound, engine.upper_bound

    (found, upper), (usual, _) = bound(searched(name, 5)), bound(bc.partition(mrf, 5, AUTO))
    assert found >= usual - 0.01 * (upper - usual)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "max_size"), [("torus", 5), ("regular", 6)])
def test_it_finds_better_groups_than_any_rule(name: str, max_size: int, short: None) -> None:
    mrf = MODELS[name]()
    part = searched(name, max_size)
    assert part.reason.startswith("merged: bound ")
    assert sets(part) not in [sets(bc.partition(mrf, max_size, rule)) for rule in applicable(mrf) if rule != PURSUIT]


@pytest.mark.slow
def test_it_depends_on_nothing_but_its_arguments(monkeypatch: pytest.MonkeyPatch, short: None) -> None:
    mrf, first = MODELS["torus"](), searched("torus", 5)
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1 << 20)
    again = bc.partition(mrf, 5, PURSUIT)
    assert [group.tolist() for group in first.groups] == [group.tolist() for group in again.groups]
    assert first.reason == again.reason
    assert sets(bc.partition(mrf, 5, PURSUIT, seed=2)) != sets(first)


def test_a_forest_is_taken_at_once(runs: list) -> None:
    grid = synth.ising_grid(rows=5, columns=9, torus=False, seed=0)
    for mrf, max_size in ((grid, 5), (sample("tree"), 4), (grid, 25)):
        part = bc.partition(mrf, max_size, PURSUIT)
        assert sets(part) == sets(bc.partition(mrf, max_size, AUTO))
        assert "its groups form no cycle" in part.reason
    assert not runs


@pytest.mark.parametrize("max_size", [1, 3, 8])
def test_models_with_little_to_merge(max_size: int) -> None:
    unary = np.arange(10.0).reshape(5, 2)
    alone = bc.BinaryMRF(unary)
    one = bc.BinaryMRF(unary[:1])
    zero = bc.BinaryMRF(unary, [[0, 1], [1, 2], [0, 2]], np.zeros((3, 2, 2)))
    for mrf in (alone, one, zero):
        part = bc.partition(mrf, max_size, PURSUIT)
        assert bc.solve(mrf, part).lower_bound == pytest.approx(naive.optimum(mrf))


def test_components_that_fit_are_one_group_each() -> None:
    parts = [random_mrf(seed, 4, 1.0) for seed in range(3)]
    mrf = bc.BinaryMRF(
        np.concatenate([part.unary for part in parts]),
        np.concatenate([part.edges + 4 * k for k, part in enumerate(parts)]),
        np.concatenate([part.pairwise for part in parts]),
    )
    assert sets(bc.partition(mrf, 4, PURSUIT)) == {frozenset(range(k, k + 4)) for k in (0, 4, 8)}


def test_single_variables_stay_single(short: None) -> None:
    mrf = MODELS["ties"]()
    assert bc.partition(mrf, 1, PURSUIT).largest == 1


def test_energies_of_hard_constraints_are_no_obstacle(short: None) -> None:
    plain = random_mrf(7, 20, 0.5)
    pairwise = plain.pairwise.copy()
    pairwise[::3, 1, 1] = 1e9
    mrf = bc.BinaryMRF(plain.unary, plain.edges, pairwise)
    part = bc.partition(mrf, 6, PURSUIT)
    assert part.largest <= 6
    result = bc.solve(mrf, part)
    assert result.lower_bound <= result.upper_bound < 1e6


def test_runs_that_do_not_fit_into_memory_leave_the_groups_of_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = MODELS["dense"]()
    monkeypatch.setenv("BENDER_MEMORY_MB", "0")
    part = bc.partition(mrf, 5, PURSUIT)
    assert sets(part) == sets(bc.partition(mrf, 5, AUTO))
    assert "merging has found no better groups" in part.reason


@pytest.mark.parametrize(
    ("max_size", "size"), [(3, 3), (16, 16), (17, 16), (18, 9), (20, 10), (24, 12), (25, 12), (30, 15)]
)
def test_large_groups_are_unions_of_what_runs_have_found(max_size: int, size: int) -> None:
    assert pursuit_module._size_of_a_search(max_size) == size


def test_large_groups_are_filled(monkeypatch: pytest.MonkeyPatch, runs: list) -> None:
    monkeypatch.setattr(pursuit_module, "LARGEST", 4)
    mrf = MODELS["regular"]()
    part = pursuit_module._merged(mrf, bc.partition(mrf, 6, "greedy"), 6, 0, Effort())
    assert max(engine.partition.largest for _, _, engine in runs) == 3
    assert part.largest == 6
    owner, size = part.group_of(), np.array([len(group) for group in part.groups])
    ends = owner[mrf.edges[mrf.coupling() != 0]]
    ends = ends[ends[:, 0] != ends[:, 1]]
    assert size[ends].sum(axis=1).min() > 6, "no two coupled groups would fit into one"


# --- the search -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", thinned(MODELS, 4))
def test_a_bound_never_falls_from_merge_to_merge(name: str, runs: list) -> None:
    mrf = MODELS[name]()
    bc.partition(mrf, 6, PURSUIT)
    best = bc.solve(mrf).upper_bound
    merges = [(start, bound, engine) for start, bound, engine in runs if start is not None]
    assert len(merges) > 10
    for start, bound, engine in merges:
        assert start.lower_bound - 1e-9 <= bound <= engine.lower_bound <= best + 1e-9
        assert len(engine.partition) < len(start.partition)
        assert engine.partition.largest <= 6


@pytest.mark.slow
def test_the_best_groups_of_all_runs_are_proposed(monkeypatch: pytest.MonkeyPatch, runs: list) -> None:
    proposed = []
    monkeypatch.setattr(pursuit_module, "candidate", lambda mrf, name, part: proposed.append(part) or part)
    monkeypatch.setattr(pursuit_module, "choose", lambda mrf, found, *_: found[0] if proposed else usual)
    mrf = MODELS["torus"]()
    usual = bc.partition(mrf, 6, AUTO)
    bc.partition(mrf, 6, PURSUIT)
    _, merged = proposed
    continued = {id(start) for start, _, _ in runs}
    ends = [engine for _, _, engine in runs if id(engine) not in continued]
    best = max(ends, key=lambda engine: engine.lower_bound)
    assert sets(best.partition) == sets(merged)
    # The first nine have begun with auto's groups, with single variables, and with the groups of rules.
    assert ends.index(best) >= 9


@pytest.mark.slow
def test_what_falls_apart_is_a_few_coupled_groups(monkeypatch: pytest.MonkeyPatch, short: None) -> None:
    begin, begun = MergeSearch.begin, []

    def note(search: MergeSearch, part: bc.Partition, sizes: list[int]) -> None:
        begun.append((search.best, part))
        begin(search, part, sizes)

    monkeypatch.setattr(MergeSearch, "begin", note)
    mrf = MODELS["regular"]()
    bc.partition(mrf, 6, PURSUIT)
    improved = [(best, part) for best, part in begun if best is not None and len(part) > len(best.partition)][8:]
    assert improved
    for best, part in improved:
        apart = [p for p, group in enumerate(best.partition.groups) if frozenset(group.tolist()) not in sets(part)]
        assert 1 <= len(apart) <= pursuit_module.APART
        singles = sets(part) - sets(best.partition)
        assert all(len(group) == 1 for group in singles)
        near = {frozenset(edge) for edge in itertools.combinations(apart, 2)} & set(
            map(frozenset, best.graph.edges.tolist())
        )
        assert len(near) >= len(apart) - 1


def test_the_work_is_limited(monkeypatch: pytest.MonkeyPatch, runs: list) -> None:
    mrf = MODELS["dense"]()
    monkeypatch.setattr(pursuit_module, "PATIENCE", 10**6)
    bc.partition(mrf, 6, PURSUIT)
    read = sum(int(looking.work(engine).messages.sum()) + looking.work(engine).rest for _, _, engine in runs)
    made = sum(
        pursuit_module.MAKING + 2 * pursuit_module.MAKING_A_MESSAGE * len(engine.graph.edges) for _, _, engine in runs
    )
    assert 0.9 * pursuit_module.WORK < read + made < 1.1 * pursuit_module.WORK


@pytest.mark.slow
def test_it_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch, runs: list) -> None:
    """Counted in work, with the best bound of all runs so far; reporting it changes nothing."""
    mrf, told = MODELS["regular"](), list[tuple[float, float]]()
    part = bc.partition(mrf, 6, PURSUIT, on_progress=lambda share, bound: told.append((share, bound)))
    shares, bounds = map(list, zip(*told, strict=True))
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.1
    assert shares[-1] <= 1.0
    assert len({round(share, 2) for share in shares}) > 20
    best = max(engine.lower_bound for _, _, engine in runs)
    assert bounds == sorted(bounds)
    assert bounds[-1] >= best
    assert sets(searched("regular", 6)) == sets(part)


class Request:
    """A request to stop, made when somebody asks for the n-th time."""

    def __init__(self, n: int) -> None:
        self.n, self.asked = n, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.made

    @property
    def made(self) -> bool:
        return self.asked >= self.n


@pytest.mark.slow
def test_it_can_be_stopped(monkeypatch: pytest.MonkeyPatch, short: None) -> None:
    mrf = MODELS["torus"]()

    def begun(request: Request) -> list[bool]:
        """For every run that begins or goes on, whether the request has been made already."""
        found, run = [], Engine.run
        with monkeypatch.context() as patch:
            patch.setattr(Engine, "run", lambda *given, **named: found.append(request.made) or run(*given, **named))
            with pytest.raises(bc.Stopped):
                bc.partition(mrf, 5, PURSUIT, stop=bc.Stop(requested=request))
        return found

    never = Request(1 << 30)
    bc.partition(mrf, 5, PURSUIT, stop=bc.Stop(requested=never))
    assert never.asked > 50
    # How often it is asked within a run depends on the speed of the machine.
    runs = [begun(Request(n)) for n in range(1, never.asked // 2, never.asked // 8)]
    assert len(runs[-1]) > 20
    assert True not in itertools.chain(*runs)


# --- the pairs --------------------------------------------------------------------------------------------------


def scores(engine: Engine) -> dict[tuple[int, int], float]:
    """The tension around every edge for the size of its ends, added up group by group."""
    tension, edges = looking.tension(engine), [tuple(edge) for edge in engine.graph.edges.tolist()]
    held = {frozenset(edge): value for edge, value in zip(edges, tension.edges, strict=True)}
    found = {}
    for p, q in edges:
        total = tension.groups[p] + tension.groups[q] + held[frozenset((p, q))]
        for s in range(len(engine.partition)):
            if {frozenset((p, s)), frozenset((q, s))} <= held.keys():
                total += held[frozenset((p, s))] + held[frozenset((q, s))]
        found[p, q] = total / (len(engine.partition.groups[p]) + len(engine.partition.groups[q]))
    return found


def fitting(engine: Engine, max_size: int) -> Iterator[tuple[int, int]]:
    groups = engine.partition.groups
    return (pair for pair in scores(engine) if sum(len(groups[p]) for p in pair) <= max_size)


@pytest.mark.parametrize("lines", [2, 256])
@pytest.mark.parametrize("name", MODELS)
def test_pairs_have_the_most_tension_for_their_size(monkeypatch: pytest.MonkeyPatch, name: str, lines: int) -> None:
    monkeypatch.setattr(pursuit_module, "LINES", lines)
    mrf = MODELS[name]()
    for strategy, max_size in (("singletons", 2), ("greedy", 4), ("random", 5)):
        engine = Engine(mrf, bc.partition(mrf, 3, strategy), variant=9, schedule="srmp")
        engine.run(max_sweeps=1)
        score, left = scores(engine), set(fitting(engine, max_size))
        pairs = pairs_to_merge(engine, max_size)
        assert len(pairs) <= max(1, 0.2 * len(engine.partition))
        for pair in pairs:
            assert score[pair] == pytest.approx(max(score[other] for other in left), abs=1e-9)
            left = {other for other in left if not set(other) & set(pair)}
        assert not left or len(pairs) == max(1, int(0.2 * len(engine.partition)))


# --- among the strategies ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_else_that_tries_strategies_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bc.Partition:
        raise AssertionError("a search takes longer than what it is tried against")

    monkeypatch.setitem(BY_RUNS, PURSUIT, refuse)
    mrf = MODELS["torus"]()
    bc.partition(mrf, 4, AUTO)
    engine = bc.Engine(mrf, bc.partition(mrf, 4))
    engine.run(max_sweeps=3)
    assert any(remedy.change.by_strategy for remedy in bc.what_would_help(engine))
    bc.certify(mrf, max_size=6, time_limit=2.0)
