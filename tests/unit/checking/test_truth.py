"""Nothing that is claimed is false: of models whose penalties could hide what matters, and of forged proofs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from benchmarks.forgeries import FORGERS, REFUSED, TRUE, campaign, forged, outcome
from benchmarks.proving.cycles import CYCLES
from benchmarks.proving.forging import Base
from benchmarks.proving.kinds import Make, excluding, independent_set, one_hot
from benchmarks.proving.references import Exact, as_decimal
from tests.models import examples

SETS: dict[str, tuple[Make, int]] = {
    "300, 1e4 + 0…9, inf": (partial(independent_set, 300, 8, 1e4, np.inf), 2),
    "300, 1e4 + 0…9, 6e6": (partial(independent_set, 300, 8, 1e4, 6e6), 5),
    "400, 1e6 + 0…9, inf": (partial(independent_set, 400, 6, 1e6, np.inf), 27),
    "150, 1e5 + 0…9, inf": (partial(independent_set, 150, 8, 1e5, np.inf), 7),
}
SMALL: dict[str, Make] = {
    "one-hot 10×5, 1e9": partial(one_hot, 10, 5, 1e9, "decimal"),
    "one-hot 8×5, 1e7": partial(one_hot, 8, 5, 1e7, "decimal"),
    "six variables, 1e10…1e16, whole": partial(excluding, 6, (10, 16), "whole"),
    "six variables, 1e10…1e16, dyadic": partial(excluding, 6, (10, 16), "dyadic"),
}
# Three variables, whose logarithms are maximised; every pair is forbidden by a number.
THREE = """MARKOV 3 2 2 2 6
1 0  1 1  1 2  2 0 1  2 0 2  2 1 2
2 0 1.25  2 0 1.5  2 0 1.375
4 0 0 0 -1e20  4 0 0 0 -1e20  4 0 0 0 -1e20
"""


def require_truth(mrf: bc.BinaryMRF, found: bc.Certificate) -> None:
    """Its energy, its bound and its proof; all coefficients of the model are whole, or decimals."""
    exact, meant = Exact(mrf), Exact(mrf, as_decimal)
    least, energy = exact.least(), exact.energy(found.labeling)
    assert found.upper_bound == float(energy)
    if found.optimal:
        # Beside large coefficients the last digits of decimals are lost: the best in either reading is right.
        assert energy == least or meant.energy(found.labeling) == meant.least()
    # Sums are rounded once; beyond that a bound claims to hold up to what is negligible, which is 0 for whole numbers.
    assert Fraction(found.lower_bound) <= max(least, Fraction(float(least))) + Fraction(found.negligible)
    if not found.optimal:
        assert Fraction(found.lower_bound) <= max(least, Fraction(float(least)))
    found.verify(mrf)


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_the_heaviest_independent_set_is_told_from_the_next(name: str) -> None:
    """Weights differ by 1, beside a million and penalties of a thousand millions."""
    make, seed = SETS[name]
    mrf = make(np.random.default_rng(seed))
    require_truth(mrf, bc.certify(mrf, time_limit=60))


@pytest.mark.parametrize("name", SMALL)
def test_penalties_hide_no_difference(name: str) -> None:
    for seed in range(examples(25)):
        mrf = SMALL[name](np.random.default_rng(seed))
        require_truth(mrf, bc.certify(mrf))
        certificate = bc.solve(mrf).certificate
        assert certificate is not None
        require_truth(mrf, certificate)


@pytest.mark.parametrize("order", ["1.25 1.5 1.375", "1.5 1.25 1.375", "1.375 1.25 1.5"])
def test_the_best_of_three_that_exclude_each_other_is_found(order: str, tmp_path: Path) -> None:
    path = tmp_path / "three.LG"
    path.write_text(THREE.replace("2 0 1.25  2 0 1.5  2 0 1.375", "  ".join(f"2 0 {each}" for each in order.split())))
    mrf = bc.load(path)
    found = bc.certify(mrf)
    require_truth(mrf, found)
    assert (found.optimal, found.upper_bound) == (True, -1.5)


# --- forgeries ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_honest_certificates_are_true_and_accepted(known: list[Base]) -> None:
    assert [(of.name, *found) for of in known if (found := outcome(of, of.certificate))[0] != TRUE] == []


@pytest.mark.parametrize("name", CYCLES)
def test_what_is_accepted_of_forged_cycles_is_true(name: str, by_cycles: list[Base]) -> None:
    for _, of, _, verdict, why in campaign(by_cycles, 20, 0, [name]):
        assert verdict in (REFUSED, TRUE), f"{of.name}, {verdict}: {why}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGERS)
def test_what_is_accepted_of_forgeries_is_true(name: str, known: list[Base]) -> None:
    for seed in range(examples(60)):
        of, found = forged(name, known, np.random.default_rng(seed))
        verdict, why = outcome(of, found)
        assert verdict in (REFUSED, TRUE), f"seed {seed}, {of.name}, {verdict}: {why}"
