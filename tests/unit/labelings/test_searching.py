"""The search for good labellings, against energies of the model and all labellings of small ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.kernels.search import elimination, tabu
from bender_core.kernels.search.board import WIDTH, Board, Spell, Terms, begin
from bender_core.labelings import searching
from bender_core.labelings.comparing import costs_less
from bender_core.labelings.searching import LabelingSearch
from bender_core.synth import ising_grid, random_tree
from tests import naive
from tests.models import JIT, examples, mrfs, random_mrf
from tests.tiers import thinned

pytestmark = pytest.mark.jitless

LITTLE = 500_000 if JIT else 200_000


def board_of(mrf: bc.BinaryMRF, seed: int) -> tuple[Terms, Board]:
    """At a random labelling."""
    spell = Spell.zeros()
    spell.dice = 1 + seed
    terms, board = searching._terms(mrf), searching._board(mrf.n, spell)
    begin(terms, board, np.random.default_rng(seed).integers(0, 2, mrf.n))
    return terms, board


def flipped(x: np.ndarray, i: int) -> np.ndarray:
    return np.where(np.arange(len(x)) == i, 1 - x, x)


def check_pulls(mrf: bc.BinaryMRF, board: Board) -> None:
    here = mrf.energy(board.x)
    for i in range(mrf.n):
        costs = mrf.energy(flipped(board.x, i)) - here
        assert board.pull[i] * (1 - 2 * board.x[i]) == pytest.approx(costs, abs=1e-9)


# -- the whole search ---------------------------------------------------------------------------------------------


@settings(max_examples=examples(100))
@given(mrfs(8), st.integers(0, 1000))
def test_a_search_is_never_worse_than_its_start_and_knows_its_energy(mrf: bc.BinaryMRF, seed: int) -> None:
    start = np.random.default_rng(seed).integers(0, 2, mrf.n)
    found = bc.search(mrf, start, work=200_000, seed=seed)
    assert found.energy == mrf.energy(found.labeling) <= mrf.energy(start)
    assert not costs_less(mrf, start, found.labeling)


def test_small_models_are_solved() -> None:
    """All of them; one in twenty may be missed before this fails."""
    rng, solved, models = np.random.default_rng(1), 0, 200 if JIT else 10
    for k in range(models):
        mrf = random_mrf(rng, int(rng.integers(1, 13)), float(rng.choice([0.2, 0.5, 1.0])), integers=bool(k % 2))
        solved += bc.search(mrf, work=LITTLE, seed=k).energy <= naive.optimum(mrf) + 1e-9
    assert solved >= 0.95 * models


@pytest.mark.skipif(not JIT, reason="takes long without compilation")
@pytest.mark.parametrize(
    ("file", "energy"), [("pm1s_80.0.rud", -79.0), ("t2g10_5555.rud", -6049461.0), ("3r3x_2body_n64_s1.qh", -128.0)]
)
def test_good_labellings_of_real_models_are_found(shared_instances: Path, file: str, energy: float) -> None:
    assert bc.search(bc.load(shared_instances / file), work=400_000_000).energy == energy


def test_the_same_search_twice_and_another_seed() -> None:
    mrf = ising_grid(12, 12, torus=True, coupling="gaussian")
    first, second, other = (bc.search(mrf, work=20 * LITTLE, seed=seed) for seed in (3, 3, 4))
    assert first.labeling.tolist() == second.labeling.tolist()
    assert (first.energy, first.work) == (second.energy, second.work)
    assert first.labeling.tolist() != other.labeling.tolist()


def test_models_without_anything_to_search() -> None:
    none = bc.search(bc.BinaryMRF(unary=np.zeros((0, 2)), constant=3.0), work=LITTLE)
    one = bc.search(bc.BinaryMRF(unary=[[2.0, 1.0]]), [0], work=LITTLE)
    apart = bc.search(bc.BinaryMRF(unary=[[0, 1], [1, 0], [0, 5]]), [1, 0, 1], work=LITTLE)
    equal = bc.search(bc.BinaryMRF(unary=np.zeros((5, 2)), edges=[[0, 1]], pairwise=np.ones((1, 2, 2))), work=LITTLE)
    assert [found.energy for found in (none, one, apart, equal)] == [3.0, 1.0, 0.0, 1.0]
    assert (none.work, none.labeling.tolist(), apart.labeling.tolist()) == (0, [], [0, 1, 0])


def test_hard_constraints_are_fulfilled() -> None:
    """One of every four variables is 1, and neighbours in a ring of such choices differ."""
    rng, choices = np.random.default_rng(0), 6
    pairs = [(4 * c + a, 4 * c + b) for c in range(choices) for a in range(4) for b in range(a)]
    ring = [(4 * c + a, (4 * c + 4) % (4 * choices) + a) for c in range(choices) for a in range(4)]
    both = np.broadcast_to([[0.0, 0.0], [0.0, np.inf]], (len(pairs) + len(ring), 2, 2))
    none = np.column_stack([np.full(4 * choices, 9.0), rng.random(4 * choices)])
    mrf = bc.BinaryMRF(unary=none, edges=pairs + ring, pairwise=both)
    found = bc.search(mrf, np.ones(mrf.n, int), work=10 * LITTLE)
    assert mrf.violations(found.labeling) == 0
    assert found.energy < 9.0 * 4 * choices - 8.0 * (choices - 1)


@pytest.mark.parametrize("constant", [1e9, -1e9])
def test_a_large_constant_changes_nothing(constant: float) -> None:
    mrf = random_mrf(2, 12, 0.5, scale=1e-6)
    found, moved = (bc.search(model, work=LITTLE) for model in (mrf, replace(mrf, constant=constant)))
    assert found.energy == pytest.approx(naive.optimum(mrf), abs=1e-15)
    assert found.labeling.tolist() == moved.labeling.tolist()


def test_beside_huge_energies_nothing_becomes_worse() -> None:
    """Sums with 1e12 lose differences of 1e-6, so what a flip seems to gain may be a loss."""
    rng = np.random.default_rng(2)
    for seed in range(20):
        small = random_mrf(rng, 10, 0.6, 1e-6)
        large = np.where(rng.random((len(small.edges), 1, 1)) < 0.3, 1e12, 0.0) * [[1, -1], [-1, 1]]
        mrf, start = replace(small, pairwise=small.pairwise + large), rng.integers(0, 2, small.n)
        for _ in range(3):
            found = bc.search(mrf, start, work=LITTLE // 10, seed=seed)
            assert not costs_less(mrf, start, found.labeling)
            start = found.labeling


def test_a_search_stops_when_it_is_asked_to_with_the_best_so_far() -> None:
    mrf, calls = ising_grid(32, 32, torus=True), list[int]()

    def enough() -> bool:
        calls.append(1)
        return len(calls) > 2

    some = 4 * searching.SLICE if JIT else LITTLE
    found = bc.search(mrf, work=some, stop=bc.Stop(requested=enough))
    assert len(calls) <= 3
    if JIT:
        assert searching.SLICE <= found.work < 3 * searching.SLICE
    assert found.energy < mrf.energy(mrf.unary.argmin(axis=1))
    nothing = bc.search(mrf, work=some, stop=bc.Stop(requested=lambda: True))
    assert (nothing.work, nothing.labeling.tolist()) == (0, mrf.unary.argmin(axis=1).tolist())


def test_a_search_does_about_as_much_work_as_it_may() -> None:
    mrf = ising_grid(10, 10, torus=True)
    for work in (1, 100_000, LITTLE):
        assert work <= bc.search(mrf, work=work).work < work + 100_000


def test_a_method_gets_work_for_what_it_gains() -> None:
    """On a torus moves find most; where neither method gains, both do as much work."""
    torus = LabelingSearch(ising_grid(20, 20, torus=True, coupling="gaussian"), np.zeros(400, int))
    torus.go_on((300 if JIT else 15) * LITTLE)
    flips, moves = torus._methods
    assert flips.work + moves.work == torus.work
    if JIT:
        assert moves.gains > flips.gains
        assert moves.work > 1.3 * flips.work
    done = LabelingSearch(bc.BinaryMRF(unary=np.array([[0.0, 1.0]] * 4)), np.zeros(4, int))
    done.go_on(2_000_000)
    flips, moves = done._methods
    assert (flips.gains, moves.gains) == (0, 0)
    assert flips.work == pytest.approx(moves.work, rel=0.5)


def test_a_search_goes_on_with_another_model() -> None:
    small, large = random_mrf(0, 4, 1.0), random_mrf(1, 9, 0.7)
    search = LabelingSearch(large, np.zeros(9, int))
    search.go_on(LITTLE // 5)
    before = search.work
    search.turn_to(small, [1, 0, 1, 1])
    search.go_on(LITTLE // 5)
    assert search.work > before
    assert small.energy(search.labeling) == pytest.approx(naive.optimum(small))


def test_bad_input_is_refused() -> None:
    mrf = random_mrf(0, 3)
    for labeling in ([0, 1], [0, 1, 2], [0.5, 0, 1]):
        with pytest.raises(bc.ModelError, match="a labelling has 3 entries"):
            bc.search(mrf, labeling)
    with pytest.raises(ValueError, match="the seed is -1"):
        bc.search(mrf, seed=-1)


# -- moves --------------------------------------------------------------------------------------------------------


def move_of(mrf: bc.BinaryMRF, seed: int, noise: float = 0.0) -> tuple[Board, np.ndarray]:
    """A move from a random labelling, in a random order; and the variables that were free."""
    terms, board = board_of(mrf, seed)
    board.order[:] = np.random.default_rng(seed).permutation(mrf.n)
    return board, board.line[: elimination.move(terms, board, noise)].copy()


def width(edges: np.ndarray, line: np.ndarray) -> int:
    """The most neighbours that a variable has left when those of a line go one by one, and their neighbours meet."""
    near = {i: {j for edge in edges.tolist() if i in edge for j in edge if j != i} & {*line.tolist()} for i in line}
    most = 0
    for i in line:
        most = max(most, len(near[i]))
        for j in near[i]:
            near[j] = (near[j] | near[i]) - {i, j}
    return most


@pytest.mark.parametrize("density", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("integers", [False, True])
def test_a_move_gives_free_variables_their_best_values_given_the_others(density: float, integers: bool) -> None:
    fixed = 0
    for seed in range(10 if JIT else 3):
        mrf = random_mrf(seed, 10, density, integers=integers)
        _, start = board_of(mrf, seed)
        before = start.x.copy()
        board, free = move_of(mrf, seed)
        assert len(set(free.tolist())) == len(free) > min(mrf.n - 1, WIDTH)
        assert width(mrf.edges, free) <= WIDTH
        others = np.setdiff1d(np.arange(mrf.n), free)
        assert (board.x[others] == before[others]).all()
        best = naive.energies(mrf)[(naive.bits(mrf.n)[:, others] == before[others]).all(axis=1)].min()
        assert mrf.energy(board.x) == pytest.approx(best, abs=1e-9)
        assert board.spell.energy == pytest.approx(best - mrf.energy(before), abs=1e-9)
        check_pulls(mrf, board)
        fixed += len(others)
    assert (fixed > 0) == (density > 0.5)


def least(mrf: bc.BinaryMRF, x: np.ndarray, line: np.ndarray) -> float:
    """The least energy over all values of the variables in a line, the others as in x: they are eliminated in turn."""
    known = [i not in line for i in range(mrf.n)]
    tables = [((i,), mrf.unary[i]) for i in range(mrf.n)] + list(zip(map(tuple, mrf.edges), mrf.pairwise, strict=True))
    for at, (scope, table) in enumerate(tables):
        values = tuple(x[i] if known[i] else slice(None) for i in scope)
        tables[at] = tuple(i for i in scope if not known[i]), table[values]
    for gone in line:
        mine = [entry for entry in tables if gone in entry[0]]
        rest = sorted({i for scope, _ in mine for i in scope} - {gone})
        total = np.zeros((2,) * (len(rest) + 1))
        for scope, table in mine:
            where = [*rest, gone]
            turned = table.transpose(sorted(range(len(scope)), key=lambda k, scope=scope: where.index(scope[k])))
            total += turned.reshape([2 if i in scope else 1 for i in where])
        tables = [entry for entry in tables if gone not in entry[0]] + [(tuple(rest), total.min(axis=-1))]
    return mrf.constant + sum(float(table) for _, table in tables)


@pytest.mark.parametrize("seed", range(6 if JIT else 2))
def test_a_move_in_a_large_model_finds_what_elimination_finds(seed: int) -> None:
    """Where variables of a scope are fixed only after their messages are sent."""
    for mrf in (ising_grid(8, 8, torus=True, coupling="gaussian", field=1.0), random_mrf(seed, 40, 0.15)):
        _, start = board_of(mrf, seed)
        before = start.x.copy()
        board, free = move_of(mrf, seed)
        assert WIDTH < len(free) < mrf.n
        assert mrf.energy(board.x) == pytest.approx(least(mrf, before, free), abs=1e-9)
        check_pulls(mrf, board)


def test_what_has_small_treewidth_is_solved_by_one_move() -> None:
    """A tree, and a strip of three rows; on a wide grid most variables are free."""
    for mrf in (random_tree(12), ising_grid(3, 4, coupling="gaussian", field=1.0)):
        board, free = move_of(mrf, 0)
        assert len(free) == mrf.n
        assert mrf.energy(board.x) == pytest.approx(naive.optimum(mrf), abs=1e-9)
    wide = ising_grid(12, 12, coupling="gaussian")
    assert 0.6 * wide.n < len(move_of(wide, 0)[1]) < wide.n


def test_every_variable_is_free_in_some_moves_and_fixed_in_others() -> None:
    mrf = ising_grid(8, 8, torus=True)
    free = np.zeros(mrf.n, int)
    for seed in range(40):
        free[move_of(mrf, seed)[1]] += 1
    assert 5 < free.min() <= free.max() < 40


def test_where_values_tie_a_move_takes_either() -> None:
    """Two equal spins that nothing else pulls: both ways."""
    mrf = bc.BinaryMRF(unary=np.zeros((2, 2)), edges=[[0, 1]], pairwise=[[[0, 1], [1, 0]]])
    terms, board = board_of(mrf, 0)
    seen = set()
    for _ in range(30):
        board.order[:] = [0, 1]
        elimination.move(terms, board, 0.0)
        seen.add(tuple(board.x.tolist()))
    assert seen == {(0, 0), (1, 1)}


def test_noise_moves_variables_from_their_best_values_and_is_gone_in_the_end() -> None:
    mrf = ising_grid(8, 8, torus=True, coupling="gaussian")
    terms, board = board_of(mrf, 1)
    ends = [mrf.energy(move_of(mrf, 1, noise)[0].x) for noise in (0.0, elimination.NOISE)]
    assert ends[0] < ends[1]
    begin(terms, board, np.zeros(mrf.n, np.int64))
    board.spell.shaken = 1
    while not elimination.move_on(terms, board, 500_000):
        check_pulls(mrf, board)
    assert board.spell.moves > elimination.COOLING + elimination.PERSISTENCE
    assert board.spell.least == pytest.approx(mrf.energy(board.found) - mrf.energy(np.zeros(mrf.n)), abs=1e-9)
    assert mrf.energy(board.x) < ends[0]


@pytest.mark.parametrize("seed", thinned(range(4), 4))
def test_flips_are_weighed_as_their_energies_say(seed: int) -> None:
    mrf = random_mrf(seed, 12, 0.5)
    terms, board = board_of(mrf, seed)
    start, least, flips = mrf.energy(board.x), np.inf, []
    latest: dict[int, int] = {}
    tenure = min(mrf.n // 4, tabu.TENURE)
    for move in range(150):
        here, before = mrf.energy(board.x), board.x.copy()
        least = min(least, here)
        assert board.spell.energy == pytest.approx(here - start, abs=1e-9)
        assert board.spell.least == pytest.approx(least - start, abs=1e-9)
        assert mrf.energy(board.found) == pytest.approx(least, abs=1e-9)
        check_pulls(mrf, board)
        tabu.flip_on(terms, board, 1)
        (changed,) = np.flatnonzero(board.x != before).tolist()
        costs = [mrf.energy(flipped(before, i)) - here for i in range(mrf.n)]
        leads = here + costs[changed] < least - 1e-9
        if not leads and changed in latest:
            assert move - latest[changed] > tenure
        # None that was never flipped, and none that leads to the best, would have cost less.
        free = [i for i in range(mrf.n) if i not in latest or here + costs[i] < least - 1e-9]
        assert all(costs[changed] <= costs[i] + 1e-9 for i in free)
        latest[changed] = move
        flips.append(changed)
    assert len(set(flips)) > mrf.n // 2


def test_a_spell_that_is_shaken_begins_not_far_from_the_best_labelling() -> None:
    mrf = ising_grid(6, 6, torus=True)
    terms, board = board_of(mrf, 3)
    best, distances = board.x.copy(), set()
    for _ in range(20):
        begin(terms, board, best)
        board.spell.shaken = 1
        tabu.flip_on(terms, board, 1)
        check_pulls(mrf, board)
        distances.add(int((board.x != best).sum()))
    assert max(distances) <= mrf.n // tabu.KICKED + 1
    assert len(distances) > 2


def test_a_spell_ends_when_it_finds_nothing_better() -> None:
    mrf = random_mrf(0, 6, 0.5)
    terms, board = board_of(mrf, 0)
    while not tabu.flip_on(terms, board, 1000):
        pass
    patience = tabu.PERSISTENCE + mrf.n * tabu.PERSISTENCE_PER_VARIABLE
    assert board.spell.moves == board.spell.latest + patience + 1
    assert mrf.energy(board.found) == pytest.approx(naive.optimum(mrf))
