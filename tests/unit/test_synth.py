"""Generated models: deterministic, what their names promise, and checked parameters."""

from __future__ import annotations

import inspect
import itertools

import networkx as nx
import numpy as np
import pytest

from bender_core.model import BinaryMRF, ModelError
from bender_core.synth import FAMILIES, body_pose, frustrated_cycle, generate, ising_grid, random_tree
from bender_core.synth.pose import ADJACENT, BODY_HEIGHT, LIMBS, PARTS, SKELETON
from tests.unit.local_polytope import fractional_share, solve_lp


def graph(mrf: BinaryMRF) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from(range(mrf.n))
    result.add_edges_from(mrf.edges.tolist())
    return result


def optimum(mrf: BinaryMRF) -> float:
    return min(mrf.energy(x) for x in itertools.product((0, 1), repeat=mrf.n))


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
def test_the_seed_decides_everything_and_the_source_makes_it_again(name: str) -> None:
    first, again, other = generate(name, seed=3), generate(name, seed=3), generate(name, seed=4)
    assert first.content_hash() == again.content_hash() != other.content_hash()
    assert np.array_equal(first.positions, again.positions)  # type: ignore[arg-type]
    module, _, call = first.source.partition(".synth.")
    assert module == "bender_core"
    stated = eval(call, {name: FAMILIES[name].generate})
    assert stated.content_hash() == first.content_hash()
    assert first.name
    assert first.description.endswith(".")


@pytest.mark.parametrize("name", FAMILIES)
def test_the_global_random_state_plays_no_part(name: str) -> None:
    np.random.seed(1)  # noqa: NPY002
    first = generate(name)
    np.random.seed(2)  # noqa: NPY002
    assert generate(name).content_hash() == first.content_hash()


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
    ],
)
def test_wrong_parameters_are_refused_in_words(family: str, values: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError) as caught:
        generate(family, **values)  # type: ignore[arg-type]
    assert said in str(caught.value)


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
    assert mrf.groups[6:8] == ("row 1", "row 1")
    assert mrf.positions[7].tolist() == [1, 1]


@pytest.mark.parametrize("coupling", ["pm1", "gaussian"])
def test_a_grid_is_an_ising_model(coupling: str) -> None:
    mrf = generate("ising_grid", rows=3, columns=3, coupling=coupling, field=0.5, seed=2)
    strength = -mrf.coupling() / 4
    h = (mrf.unary[:, 0] - mrf.unary[:, 1]) / 2
    assert (h != 0).all()
    assert set(np.abs(strength)) == {1.0} if coupling == "pm1" else len(set(strength)) == mrf.n_edges
    for x in itertools.product((0, 1), repeat=9):
        s = 2 * np.array(x) - 1
        i, j = mrf.edges.T
        assert mrf.energy(x) == pytest.approx(-(strength * s[i] * s[j]).sum() - (h * s).sum())


@pytest.mark.parametrize("n", [3, 4, 9])
@pytest.mark.parametrize("seed", range(6))
def test_a_frustrated_cycle_must_lose_its_weakest_edge(n: int, seed: int) -> None:
    mrf = frustrated_cycle(n, seed)
    assert nx.is_isomorphic(graph(mrf), nx.cycle_graph(n))
    strength = np.abs(mrf.coupling()) / 4
    assert set(strength) <= {1.0, 2.0, 3.0}
    assert optimum(mrf) == -strength.sum() + 2 * strength.min()
    bound, x = solve_lp(mrf)
    assert bound == pytest.approx(-strength.sum())
    assert fractional_share(x) == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_random_tree_is_a_tree_and_its_lp_is_tight(seed: int) -> None:
    mrf = random_tree(12, seed=seed)
    assert nx.is_tree(graph(mrf))
    assert solve_lp(mrf)[0] == pytest.approx(optimum(mrf))


def test_a_tree_is_drawn_without_overlaps() -> None:
    mrf = random_tree(60, seed=1)
    assert mrf.positions is not None
    assert len({tuple(p) for p in mrf.positions.tolist()}) == mrf.n
    depth = nx.single_source_shortest_path_length(graph(mrf), 0)
    assert mrf.positions[:, 1].tolist() == [depth[i] for i in range(mrf.n)]


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
