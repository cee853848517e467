"""The schedule srmp (docs/method.md §6; §7, 8), and the descent from decoded labellings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking, synth
from tests.models import between_groups
from tests.tiers import quick, thinned

SAMPLES = Path(__file__).parents[3] / "sample_instances"
every_variant = pytest.mark.parametrize("variant", quick(bc.VARIANTS, (5, 9, 11, 12)))

_PROVEN: dict[str, float] = {}


def optimum(mrf: bc.BinaryMRF) -> float:
    """Proven by HiGHS, once."""
    key = mrf.content_hash()
    if key not in _PROVEN:
        _PROVEN[key] = bc.reference(mrf).optimum
    return _PROVEN[key]


@every_variant
@pytest.mark.parametrize("max_size", [1, 4])
def test_a_tree_is_exact_after_one_pass_forward_and_back(variant: int, max_size: int) -> None:
    mrf = bc.load(SAMPLES / "tree.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=variant, schedule="srmp")
    engine.run(max_sweeps=1)
    assert engine.lower_bound == pytest.approx(optimum(mrf), abs=1e-9)


@every_variant
@pytest.mark.parametrize("max_size", [3, 5])
def test_the_bound_rises_and_is_certified(variant: int, max_size: int) -> None:
    mrf = synth.ising_grid(rows=4, columns=5, torus=True, coupling="gaussian", seed=3)
    engine = bc.Engine(mrf, bc.partition(mrf, max_size, "greedy"), variant=variant, schedule="srmp")
    engine.run(max_sweeps=20)
    bounds = engine.trace.column("lower_bound")
    assert np.diff(bounds).min() >= -1e-10
    assert engine.lower_bound == pytest.approx(looking.certified_bound(engine), abs=1e-9)
    assert engine.lower_bound <= optimum(mrf) + 1e-9


@pytest.mark.parametrize("pairs", [[(0, 1), (1, 2), (1, 3)], [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)]])
def test_a_group_shares_its_total_among_the_edges_ahead(pairs: list[tuple[int, int]]) -> None:
    """On a forest all of it; otherwise shares such that the backward pass, with other edges ahead, gives no more."""
    engine = bc.Engine(*between_groups(0, [2, 1, 3, 2], pairs), variant=12, schedule="srmp", tolerance=0.0)
    graph, rank = engine.graph, engine.arrays.rule.rank
    forest = graph.cycles() == 0
    for k in range(len(rank) + 1):  # all the way out, and a step back unless the gap is closed then
        p = engine.step("node")[-1].node
        if engine.finished:
            assert k == len(rank)
            break
        neighbours = graph.neighbours(p)
        ahead = [q for q in neighbours if (rank[q] > rank[p]) == (k < len(rank))]
        share = 1 / max(len(ahead), 0 if forest else len(neighbours) - len(ahead), 1)
        nu = {q: looking.min_marginal(engine, p, q) for q in neighbours}
        total = graph.energies(p) + sum(nu.values())
        for q in neighbours:
            expected = nu[q] - share * total if q in ahead else nu[q]
            np.testing.assert_allclose(looking.message(engine, p, q), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("variant", [11, 12])
@pytest.mark.parametrize("coupling", thinned(["pm1", "gaussian"], 2))
def test_a_grid_cut_into_rows_is_solved(variant: int, coupling: str) -> None:
    """A chain of groups; with couplings of +1 and -1 most groups have many minimisers, and must agree on one."""
    mrf = synth.ising_grid(rows=6, columns=6, coupling=coupling, seed=1)
    part = bc.manual(mrf, np.arange(36).reshape(6, 6).tolist())
    result = bc.solve(mrf, part, variant, "srmp")
    assert result.gap <= 1e-9
    assert result.upper_bound == pytest.approx(optimum(mrf), abs=1e-9)


def test_the_descent_never_worsens_and_keeps_the_decoded_labelling() -> None:
    mrf = bc.load(SAMPLES / "torus-10x10.mrf.json")
    part = bc.partition(mrf, 5)
    plain = bc.solve(mrf, part, 9, max_sweeps=30, improving=False)
    improved = bc.solve(mrf, part, 9, max_sweeps=30)
    assert plain.upper_bound == pytest.approx(plain.decoded_bound)
    assert improved.decoded_bound == pytest.approx(plain.decoded_bound)
    assert improved.upper_bound < plain.upper_bound
    assert mrf.energy(improved.labeling) == pytest.approx(improved.upper_bound)
