"""Penalties that are lowered: no energy rises, and no labelling worth having changes its own."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import bender_core as bc
from bender_core.forms.cap import cap_beside, capped, is_clear
from bender_core.forms.lattice import lattice
from tests import naive
from tests.models import random_mrf
from tests.tiers import thinned


def exact_energy(mrf: bc.BinaryMRF, x: np.ndarray) -> Fraction:
    i, j = mrf.edges.T
    terms = [*mrf.unary[np.arange(mrf.n), x], *mrf.pairwise[np.arange(mrf.n_edges), x[i], x[j]]]
    return sum(map(Fraction, map(float, terms)), Fraction(mrf.constant))


def excluding(seed: int, penalty: float, integers: bool = False) -> bc.BinaryMRF:
    """A random model in which some pairs of values are penalised."""
    rng = np.random.default_rng(seed)
    plain = random_mrf(rng, 7, integers=integers)
    pairwise = plain.pairwise + penalty * (rng.random(plain.pairwise.shape) < 0.15)
    return bc.BinaryMRF(plain.unary, plain.edges, pairwise, constant=plain.constant)


@pytest.mark.parametrize("penalty", thinned([1e10, 1e13, 1e16, 1e20], 3))
def test_energies_up_to_the_best_known_stay(penalty: float) -> None:
    lowered = 0
    for seed in range(20):
        mrf = excluding(seed, penalty)
        labels = np.array(naive.labelings(mrf.n))
        energies = [exact_energy(mrf, x) for x in labels]
        known = sorted(range(len(labels)), key=energies.__getitem__)[seed % 3]
        cap = math.inf if is_clear(mrf, lattice(mrf)) else cap_beside(mrf, labels[known])
        model = capped(mrf, cap)
        lowered += not math.isinf(cap)
        for x, energy in zip(labels, energies, strict=True):
            assert exact_energy(model, x) <= energy
            if energy <= energies[known]:
                assert exact_energy(model, x) == energy
        assert is_clear(model, lattice(model))
    assert lowered > 10


@pytest.mark.parametrize("penalty", [1e10, 1e16, 1e20])
def test_what_is_left_keeps_its_lattice(penalty: float) -> None:
    for seed in range(10):
        mrf = excluding(seed, penalty, integers=True)
        labels = np.array(naive.labelings(mrf.n))
        best = labels[np.argmin([exact_energy(mrf, x) for x in labels])]
        assert lattice(capped(mrf, cap_beside(mrf, best))).step >= 1.0


def test_where_rounding_hides_nothing_the_model_stays() -> None:
    for mrf in (random_mrf(0, 8), random_mrf(1, 8, integers=True), excluding(0, 1e3)):
        assert is_clear(mrf, lattice(mrf))
        assert math.isinf(bc.certify(mrf).proof.cap)
        assert capped(mrf, math.inf) is mrf


@pytest.mark.parametrize("penalty", thinned([1e10, 1e12, 1e14, 1e16, 1e20], 2))
@pytest.mark.parametrize("integers", [False, True])
def test_models_with_huge_penalties_are_proven(penalty: float, integers: bool) -> None:
    for seed in range(8):
        mrf = excluding(seed, penalty, integers)
        found = bc.certify(mrf, max_size=3)
        found.verify(mrf)
        assert found.optimal
        optimum = min(exact_energy(mrf, x) for x in np.array(naive.labelings(mrf.n)))
        assert exact_energy(mrf, found.labeling) - optimum <= Fraction(found.negligible)
        assert found.upper_bound == float(optimum) or found.negligible
