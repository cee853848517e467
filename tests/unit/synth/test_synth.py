"""Generated models: deterministic, true to their descriptions, and with checked parameters."""

from __future__ import annotations

import inspect
import itertools
import re

import networkx as nx
import numpy as np
import pytest

from bender_core.model import BinaryMRF, ModelError
from bender_core.rivals.reference import reference
from bender_core.synth import (
    FAMILIES,
    Family,
    body_pose,
    chimera,
    frustrated_cycle,
    generate,
    ising_grid,
    planted,
    random_regular,
    random_tree,
    sherrington_kirkpatrick,
    tree_plus,
)
from bender_core.synth._family import Parameter, Value
from bender_core.synth.pose import ADJACENT, BODY_HEIGHT, LIMBS, PARTS, SKELETON
from tests import naive
from tests.tiers import thinned
from tests.unit.local_polytope import fractional_share, solve_lp


def graph(mrf: BinaryMRF) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from(range(mrf.n))
    result.add_edges_from(mrf.edges.tolist())
    return result


def names(family: Family) -> list[str]:
    return [parameter.name for parameter in family.parameters]


def corners(family: Family) -> list[dict[str, Value]]:
    """Every parameter at either end or any of its words, the others as they are; then all at one end."""
    ends = {
        p.name: (False, True) if isinstance(p.default, bool) else p.choices or (p.low, p.high)
        for p in family.parameters
    }
    single = [{name: value} for name, values in ends.items() for value in values]
    return [*single, *({name: values[end] for name, values in ends.items()} for end in (0, -1))]


def spins_of(mrf: BinaryMRF) -> tuple[dict[tuple[int, int], float], list[float]]:
    """The couplings and fields of a spin glass, from how its tables differ."""
    strength = {(i, j): -float(w) / 4 for (i, j), w in zip(mrf.edges.tolist(), mrf.coupling(), strict=True)}
    return strength, ((mrf.unary[:, 0] - mrf.unary[:, 1]) / 2).tolist()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_describes_its_generator(name: str) -> None:
    family = FAMILIES[name]
    signature = inspect.signature(family.generate).parameters
    assert family.name == name == family.generate.__name__
    assert {p.name: p.default for p in family.parameters} == {p.name: p.default for p in signature.values()}
    assert family.shows.endswith(".")
    for parameter in family.parameters:
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.choices or isinstance(parameter.default, bool) or parameter.low < parameter.high


@pytest.mark.parametrize("name", FAMILIES)
def test_the_source_makes_a_model_again(name: str) -> None:
    first, again = generate(name), generate(name)
    assert first.content_hash() == again.content_hash()
    assert np.array_equal(first.positions, again.positions)  # type: ignore[arg-type]
    module, _, call = first.source.partition(".synth.")
    assert module == "bender_core"
    stated = eval(call, {name: FAMILIES[name].generate})
    assert stated.content_hash() == first.content_hash()
    assert stated.source == first.source
    assert first.name
    assert first.description.endswith((".", "?"))


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if "seed" in names(family)])
def test_the_seed_decides_everything(name: str) -> None:
    first, again, other = generate(name, seed=3), generate(name, seed=3), generate(name, seed=4)
    assert first.content_hash() == again.content_hash() != other.content_hash()
    assert "seed=3" in first.source


@pytest.mark.parametrize("name", FAMILIES)
def test_the_global_random_state_plays_no_part(name: str) -> None:
    np.random.seed(1)  # noqa: NPY002
    first = generate(name)
    np.random.seed(2)  # noqa: NPY002
    assert generate(name).content_hash() == first.content_hash()


# A tree of four leaves three pairs, and eight people with so little chance may have no edge.
REFUSED: dict[str, list[dict[str, Value]]] = {
    "tree_plus": [{"n": 4}],
    "planted_communities": [{"size": 4, "within": 0.1, "between": 0.0, "seed": 0}],
}


@pytest.mark.parametrize("name", thinned(FAMILIES, 4))
def test_the_ends_of_the_ranges_make_models(name: str) -> None:
    family = FAMILIES[name]
    for values in corners(family):
        if values in REFUSED.get(name, []):
            with pytest.raises(ModelError):
                family(**values)
            continue
        mrf = family(**values)
        assert mrf.n >= 2
        assert len(set(mrf.names)) == mrf.n
        assert np.isfinite(mrf.pairwise).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_no_two_variables_are_drawn_at_one_place(name: str) -> None:
    mrf = generate(name)
    if mrf.positions is not None:
        assert len({tuple(point) for point in mrf.positions.tolist()}) == mrf.n


@pytest.mark.parametrize(
    ("family", "values", "said"),
    [
        ("image", {}, "there is no family 'image'; known are body_pose"),
        ("ising_grid", {"size": 3}, "Ising grid has no parameter 'size'; its parameters are rows, columns"),
        ("ising_grid", {"rows": 2}, "Rows is 2; it must be a whole number from 3 to 60"),
        ("ising_grid", {"rows": 4.5}, "Rows is 4.5"),
        ("ising_grid", {"rows": True}, "Rows is True"),
        ("ising_grid", {"torus": 1}, "it must be True or False"),
        ("ising_grid", {"coupling": "cauchy"}, "Couplings is 'cauchy'; it must be one of pm1, gaussian"),
        ("ising_grid", {"field": float("nan")}, "Strength of the field is nan; it must be a number from 0 to 10"),
        ("body_pose", {"clutter": 1.5}, "Share of clutter is 1.5"),
        ("body_pose", {"candidates": 10**9}, "Candidates of each part is 1000000000"),
        ("random_tree", {"n": "9"}, "Variables is '9'"),
        ("frustrated_cycle", {"seed": -1}, "Seed is -1"),
        ("max_cut", {"graph": "karate"}, "Graph is 'karate'; it must be one of karate club, les miserables"),
        ("max_cut", {"seed": 1}, "Maximum cut, known graphs has no parameter 'seed'"),
        ("random_regular", {"n": 5}, "no graph has 5 nodes of degree 3 each"),
        ("random_regular", {"n": 4, "degree": 4}, "no graph has 4 nodes of degree 4 each"),
        ("tree_plus", {"n": 5, "extra": 7}, "a tree of 5 variables leaves 6 pairs unjoined"),
        ("planted_communities", {"size": 4, "within": 0.1, "between": 0.0}, "the network has no edges"),
    ],
)
def test_wrong_parameters_are_refused_in_words(family: str, values: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError) as caught:
        generate(family, **values)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="the seed is -1; choose a whole number from 0"):
        sherrington_kirkpatrick(8, seed=-1)


@pytest.mark.parametrize("value", [5e-324, 1e-200, 1e-17, 1e-15])
def test_the_smallest_parameters_make_models(value: float) -> None:
    for family in FAMILIES.values():
        for parameter in family.parameters:
            if isinstance(parameter.default, float) and parameter.low <= value:
                assert family(**{parameter.name: value}).n > 0


def test_a_model_that_cannot_be_generated_gives_one_sentence() -> None:
    def fail(n: int) -> BinaryMRF:
        raise ZeroDivisionError("division by zero")

    family = Family("broken", "Broken", "Nothing.", fail, (Parameter("n", "Variables", 5, 1, 9),))
    with pytest.raises(ModelError, match="no model of 'Broken' can be made with n=3: division by zero"):
        family(n=3)


def test_whole_floats_from_a_form_are_whole_numbers() -> None:
    assert generate("frustrated_cycle", n=5.0).source == "bender_core.synth.frustrated_cycle(n=5, seed=0)"


# --- grids, cycles, trees ------------------------------------------------------------------------------------


@pytest.mark.parametrize("torus", [False, True])
def test_a_grid_has_the_edges_of_a_grid(torus: bool) -> None:
    mrf = ising_grid(4, 6, torus=torus)
    lattice = nx.grid_2d_graph(4, 6, periodic=torus)
    expected = {frozenset((6 * a + b, 6 * c + d)) for (a, b), (c, d) in lattice.edges}
    assert {frozenset(edge) for edge in mrf.edges.tolist()} == expected
    assert mrf.n_edges == len(expected)
    assert mrf.groups is not None
    assert mrf.positions is not None
    assert mrf.groups[6:8] == ("line 1", "line 1")
    assert mrf.positions[7].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("values", "content"),
    [
        ({}, "faefe6ce7dcc49b533095c6a6b848746d0f4eebfd5de6c9774d6c0033f6381c2"),
        (
            {"torus": True, "coupling": "gaussian", "field": 0.3, "seed": 5},
            "e4ce58eebe8ec88972aea92a5b8773082f6f8a43e487e998794e1bc54789efca",
        ),
        ({"rows": 4, "columns": 7, "seed": 2}, "e2e73348911933f2ea9d0cf639016f10fd7bba7a10ed5c5f9fb45d928e8c215f"),
    ],
)
def test_flat_grids_are_unchanged_by_the_layers_option(values: dict[str, Value], content: str) -> None:
    mrf = generate("ising_grid", **values)
    assert mrf.former_hash() == content
    assert "layers" not in mrf.source


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("layers", [2, 3, 4])
def test_layers_are_joined_to_their_neighbours(torus: bool, layers: int) -> None:
    mrf = ising_grid(3, 5, torus=torus, layers=layers)
    # networkx counts the last dimension first; a ring of two is one edge.
    lattice = nx.grid_graph((5, 3, layers), periodic=(torus, torus, torus and layers > 2))
    expected = {frozenset(15 * k + 5 * r + c for k, r, c in edge) for edge in lattice.edges}
    assert {frozenset(edge) for edge in mrf.edges.tolist()} == expected
    assert set(np.abs(mrf.coupling())) == {4.0}
    assert mrf.groups is not None
    assert [mrf.groups.count(f"layer {k}") for k in range(layers)] == [15] * layers
    assert mrf.names[15 + 5 + 2] == "l1r1c2"
    assert mrf.source.endswith(f"layers={layers})")


def test_a_chimera_is_a_grid_of_bipartite_cells() -> None:
    rows, columns, shore = 3, 2, 3
    mrf = chimera(rows, columns, shore)

    def index(row: int, column: int, level: int, k: int) -> int:
        return ((row * columns + column) * 2 + level) * shore + k

    expected = set()
    for r, c, k in itertools.product(range(rows), range(columns), range(shore)):
        expected |= {(index(r, c, 0, k), index(r, c, 1, q)) for q in range(shore)}
        if r + 1 < rows:
            expected.add((index(r, c, 0, k), index(r + 1, c, 0, k)))
        if c + 1 < columns:
            expected.add((index(r, c, 1, k), index(r, c + 1, 1, k)))
    assert {tuple(edge) for edge in mrf.edges.tolist()} == expected
    assert mrf.n_edges == len(expected)
    assert mrf.groups is not None
    assert mrf.positions is not None
    assert set(mrf.groups[6:12]) == {"cell r0c1"}
    assert mrf.names[index(2, 1, 1, 0)] == "r2c1 l0"
    # A line between cells is upright or level.
    i, j = mrf.edges.T
    across = np.array(mrf.groups)[i] != np.array(mrf.groups)[j]
    assert (np.count_nonzero(mrf.positions[i[across]] - mrf.positions[j[across]], axis=1) == 1).all()


SMALL_GLASSES: dict[str, dict[str, Value]] = {
    "ising_grid": {"rows": 3, "columns": 3, "layers": 2},
    "sherrington_kirkpatrick": {"n": 9},
    "random_regular": {"n": 10, "degree": 4},
    "chimera": {"rows": 1, "columns": 2, "shore": 2},
}


@pytest.mark.parametrize("coupling", ["pm1", "gaussian"])
@pytest.mark.parametrize("name", SMALL_GLASSES)
def test_a_spin_glass_is_an_ising_model(name: str, coupling: str) -> None:
    mrf = generate(name, **SMALL_GLASSES[name], coupling=coupling, field=0.5, seed=2)
    strength, h = spins_of(mrf)
    scale = mrf.n**-0.5 if name == "sherrington_kirkpatrick" else 1.0
    assert np.std(h) == pytest.approx(0.5, rel=0.6)
    if coupling == "pm1":
        assert set(strength.values()) <= {-scale, scale}
        assert len(set(strength.values())) == 2
    else:
        assert len(set(strength.values())) == mrf.n_edges
        assert np.std(list(strength.values())) == pytest.approx(scale, rel=0.4)
    for x in np.random.default_rng(0).integers(0, 2, (50, mrf.n)):
        s = [2 * int(value) - 1 for value in x]
        pairs = sum(-J * s[i] * s[j] for (i, j), J in strength.items())
        assert mrf.energy(x) == pytest.approx(pairs - sum(a * b for a, b in zip(h, s, strict=True)))
    assert not generate(name, **SMALL_GLASSES[name], coupling=coupling, seed=2).unary.any()


def test_every_pair_of_a_sherrington_kirkpatrick_glass_is_coupled() -> None:
    mrf = sherrington_kirkpatrick(100, "gaussian", seed=1)
    assert {tuple(edge) for edge in mrf.edges.tolist()} == set(itertools.combinations(range(100), 2))
    strength, _ = spins_of(mrf)
    assert 10 * np.std(list(strength.values())) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(("n", "degree"), [(10, 3), (11, 4), (40, 7), (4, 2)])
def test_a_random_regular_graph_is_regular(n: int, degree: int) -> None:
    mrf = random_regular(n, degree, seed=3)
    assert set(dict(graph(mrf).degree).values()) == {degree}
    assert {*map(tuple, mrf.edges.tolist())} != {
        *map(tuple, random_regular(n, degree, seed=4).edges.tolist())
    } or n == 4


@pytest.mark.parametrize("n", [3, 4, 9])
@pytest.mark.parametrize("seed", range(6))
def test_a_frustrated_cycle_must_lose_its_weakest_edge(n: int, seed: int) -> None:
    mrf = frustrated_cycle(n, seed)
    assert nx.is_isomorphic(graph(mrf), nx.cycle_graph(n))
    strength = np.abs(mrf.coupling()) / 4
    assert set(strength) <= {1.0, 2.0, 3.0}
    assert naive.optimum(mrf) == -strength.sum() + 2 * strength.min()
    bound, x = solve_lp(mrf)
    assert bound == pytest.approx(-strength.sum())
    assert fractional_share(x) == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_random_tree_is_a_tree_and_its_lp_is_tight(seed: int) -> None:
    mrf = random_tree(12, seed=seed)
    assert nx.is_tree(graph(mrf))
    assert solve_lp(mrf)[0] == pytest.approx(naive.optimum(mrf))


def test_a_random_tree_has_normal_couplings_and_fields() -> None:
    strength, h = spins_of(random_tree(2000, strength=3.0, seed=1))
    assert np.std(list(strength.values())) == pytest.approx(3.0, rel=0.05)
    assert np.std(h) == pytest.approx(1.0, rel=0.05)


def test_a_tree_is_drawn_without_overlaps() -> None:
    mrf = random_tree(60, seed=1)
    assert mrf.positions is not None
    assert len({tuple(p) for p in mrf.positions.tolist()}) == mrf.n
    depth = nx.single_source_shortest_path_length(graph(mrf), 0)
    assert mrf.positions[:, 1].tolist() == [depth[i] for i in range(mrf.n)]


@pytest.mark.parametrize("seed", range(4))
def test_tree_plus_is_the_tree_with_extra_cycles(seed: int) -> None:
    tree, mrf = random_tree(12, 2.0, seed), tree_plus(12, 5, 2.0, seed)
    assert np.array_equal(mrf.edges[:11], tree.edges)
    assert np.array_equal(mrf.pairwise[:11], tree.pairwise)
    assert np.array_equal(mrf.unary, tree.unary)
    assert len({tuple(edge) for edge in mrf.edges.tolist()}) == mrf.n_edges == 16
    assert len(nx.cycle_basis(graph(mrf))) == 5
    strength, h = spins_of(mrf)
    for x in np.random.default_rng(seed).integers(0, 2, (20, 12)):
        s = [2 * int(value) - 1 for value in x]
        assert mrf.energy(x) == pytest.approx(
            -sum(J * s[i] * s[j] for (i, j), J in strength.items()) - sum(a * b for a, b in zip(h, s, strict=True))
        )


def test_all_pairs_can_be_extra_edges() -> None:
    assert {tuple(edge) for edge in tree_plus(6, 10).edges.tolist()} == set(itertools.combinations(range(6), 2))


@pytest.mark.slow
def test_the_cycles_of_a_tree_plus_loosen_its_lp() -> None:
    mrf = tree_plus()
    assert solve_lp(mrf)[0] < reference(mrf).energy - 1


# --- planted -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lattice", "size"), thinned([("grid", 3), ("grid", 4), ("chimera", 3), ("grid", 8)], 4, several=True)
)
@pytest.mark.parametrize("density", [0.1, 0.5, 2.0])
def test_no_labelling_is_better_than_the_planted_one(lattice: str, size: int, density: float) -> None:
    mrf = generate("planted", lattice=lattice, size=size, density=density, seed=size)
    said = re.search(r"The least energy is −(\d+), known by construction\.", mrf.description)
    assert said is not None
    assert reference(mrf).optimum == -int(said[1])


def test_planted_loops_run_on_the_lattice_and_are_hidden() -> None:
    for mrf, lattice in ((planted("grid", 6), ising_grid(6, 6)), (planted("chimera", 3), chimera(3, 3))):
        assert {tuple(edge) for edge in mrf.edges.tolist()} <= {tuple(edge) for edge in lattice.edges.tolist()}
        assert (mrf.names, mrf.groups) == (lattice.names, lattice.groups)
        strength, h = spins_of(mrf)
        assert not any(h)
        assert all(J == int(J) != 0 for J in strength.values())
        # The hidden labelling is neither all up nor all down: couplings of both signs are common.
        assert 0.3 < np.mean([J > 0 for J in strength.values()]) < 0.7


@pytest.mark.parametrize("lattice", ["grid", "chimera"])
def test_one_planted_loop_is_a_frustrated_cycle(lattice: str) -> None:
    mrf = generate("planted", lattice=lattice, size=3, density=0.01, seed=1)
    (loop,) = nx.cycle_basis(graph(mrf))
    strength, _ = spins_of(mrf)
    assert len(loop) == mrf.n_edges >= 6
    assert set(np.abs(list(strength.values()))) == {1.0}
    assert np.prod(list(strength.values())) == -1
    assert f"−{len(loop) - 2}," in mrf.description


@pytest.mark.slow
def test_many_loops_make_the_lp_tight_and_few_do_not() -> None:
    few, many = planted(density=0.2), planted(density=2.0)
    assert solve_lp(few)[0] < reference(few).energy - 1
    assert solve_lp(many)[0] == pytest.approx(reference(many).energy)


# --- body pose -----------------------------------------------------------------------------------------------


def test_the_body_is_a_tree_and_the_neck_touches_every_part() -> None:
    tree = nx.Graph(LIMBS)
    assert nx.is_tree(tree)
    assert set(tree) == set(PARTS) == set(SKELETON)
    assert len(PARTS) == 14
    pairs = {frozenset(pair) for pair in ADJACENT}
    assert len(pairs) == len(ADJACENT)
    assert pairs == {frozenset(pair) for pair in LIMBS} | {frozenset(("neck", part)) for part in PARTS} - {
        frozenset(["neck"])
    }


def test_poses_have_parts_as_groups_and_edges_within_and_between_adjacent_parts() -> None:
    mrf = body_pose(5, seed=1)
    assert mrf.n == 70
    assert mrf.groups is not None
    assert [mrf.groups.count(part) for part in PARTS] == [5] * 14
    allowed = {frozenset(pair) for pair in ADJACENT} | {frozenset([part]) for part in PARTS}
    assert {frozenset((mrf.groups[i], mrf.groups[j])) for i, j in mrf.edges.tolist()} == allowed
    assert mrf.n_edges == 14 * 10 + len(ADJACENT) * 25
    # Only taking both candidates of a pair has a score, and leaving all out costs nothing.
    assert np.count_nonzero(mrf.pairwise.reshape(-1, 4)[:, :3]) == 0
    assert mrf.energy(np.zeros(70)) == 0


def test_pose_scores_follow_the_geometry() -> None:
    mrf = body_pose(12, seed=2)
    assert mrf.groups is not None
    assert mrf.positions is not None
    groups, skeleton = np.array(mrf.groups), np.array([SKELETON[g] for g in mrf.groups]) * BODY_HEIGHT
    i, j = mrf.edges.T
    score = -mrf.pairwise[:, 1, 1]
    # Two candidates agree when both imply the same centre of the body; within a part, when they are close.
    centre = mrf.positions - skeleton
    error = np.linalg.norm(centre[i] - centre[j], axis=1)
    same = groups[i] == groups[j]
    for edges in (
        same,
        *((groups[i] == a) & (groups[j] == b) for a, b in (("neck", "left hip"), ("left hip", "left knee"))),
    ):
        assert edges.any()
        order = np.argsort(error[edges])
        # Positions are rounded to a tenth of a pixel, scores are not.
        assert (np.diff(score[edges][order]) <= 0.05).all()
        assert score[edges].max() > 0 > score[edges].min()


def test_clutter_lowers_the_odds() -> None:
    people, clutter = (body_pose(20, clutter=share, seed=0).unary[:, 1].mean() for share in (0.0, 1.0))
    assert people < 0 < clutter


@pytest.mark.parametrize("seed", range(3))
def test_the_lp_of_a_pose_is_loose(seed: int) -> None:
    mrf = body_pose(16, seed=seed)
    assert fractional_share(solve_lp(mrf)[1]) >= 1 / 3
