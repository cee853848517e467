"""What a proof and a certificate claim besides bounds: tolerances, caps, and what has been decided."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.checking.checker import RefusedError, check_proof
from bender_core.checking.proof import Proof, Step, load_proof
from bender_core.synth.pose import body_pose
from bender_core.trying.proof import Descent
from tests.models import random_mrf
from tests.tiers import thinned

TIES, EDGES = np.zeros((0, 3), np.int64), np.zeros((0, 2), np.int64)


def hidden(huge: float) -> tuple[bc.BinaryMRF, Proof]:
    """A labelling of energy 5 called optimal beside one of 0, with a tolerance that hides the difference."""
    mrf = bc.BinaryMRF([[0.0, huge], [0.0, 5.0]])
    step = Step((np.arange(2),), EDGES, np.zeros(0), EDGES, TIES, 0.0)
    return mrf, Proof(mrf.content_hash(), np.array([0, 1]), 5.0, 5.0, 0.0, (step,))


@pytest.mark.parametrize("huge", [1e3, 1e12, 3e12 * math.pi, 1e15])
@pytest.mark.parametrize("negligible", [5.0, 6.0, 1999.0, 1e12])
@pytest.mark.parametrize("version", [1, 2])
def test_a_tolerance_that_hides_a_difference_is_refused(huge: float, negligible: float, version: int) -> None:
    mrf, proof = hidden(huge)
    with pytest.raises(RefusedError):
        check_proof(mrf, replace(proof, negligible=negligible, version=version))


@pytest.mark.parametrize(
    ("negligible", "version"), [(-1e-9, 2), (math.nan, 2), (math.inf, 2), (-1e-9, 1), (math.nan, 1)]
)
def test_a_tolerance_that_is_none_is_refused(negligible: float, version: int) -> None:
    mrf = random_mrf(0, 6)
    proof = bc.certify(mrf, method="groups").proof
    assert proof is not None
    with pytest.raises(RefusedError, match="not negligible"):
        check_proof(mrf, replace(proof, negligible=negligible, version=version))


def test_a_certificate_of_another_model_is_refused_as_that() -> None:
    certificate = bc.certify(random_mrf(0, 6))
    with pytest.raises(RefusedError, match="the proof is of another model"):
        certificate.verify(random_mrf(1, 7))
    with pytest.raises(bc.ModelError, match="the model is of type str; give a BinaryMRF"):
        certificate.verify("model")  # type: ignore[arg-type]


@pytest.mark.parametrize(("constant", "least"), [(1e16, 1e16), (0.0, -1.1)])
def test_a_bound_that_is_too_high_by_its_last_digit_is_refused(constant: float, least: float) -> None:
    mrf = bc.BinaryMRF([[least - constant, 5.0]], constant=constant)
    labeling = np.array([1])
    proof = Proof(mrf.content_hash(), labeling, least, mrf.energy(labeling), 0.0, ())
    check_proof(mrf, proof)
    with pytest.raises(RefusedError, match="do not prove the bound"):
        check_proof(mrf, replace(proof, lower_bound=math.nextafter(least, math.inf)))


@pytest.mark.parametrize("scale", [1.0, 1e10, 1e16, 1e20, 1e80])
def test_energies_that_are_whole_only_because_they_are_large_lie_on_no_lattice(scale: float) -> None:
    plain = random_mrf(5, 8)
    mrf = bc.BinaryMRF(plain.unary * scale, plain.edges, plain.pairwise * scale)
    found = bc.certify(mrf)
    assert found.optimal
    found.verify(mrf)


@pytest.mark.parametrize("constant", [0.0, 1e10])
@pytest.mark.parametrize("step", [0.1, 0.001, 1e-6])
def test_a_proof_that_goes_on_from_a_run_beside_penalties_is_verified(constant: float, step: float) -> None:
    """Its penalties stay as they are: what counts as equal is what the checker allows beside these."""
    rng = np.random.default_rng(7)
    edges = np.column_stack(np.triu_indices(6, 1))
    costs = np.round(rng.integers(-99, 99, (6, 2)) * step, 6)
    pairs = np.where(rng.random((len(edges), 2, 2)) < 0.2, 1e10, np.round(rng.integers(-99, 99) * step, 6))
    mrf = bc.BinaryMRF(costs, edges, pairs, constant=constant)
    engine = bc.Engine(mrf, bc.partition(mrf, 3), variant=9)
    engine.run(max_sweeps=1)
    descent = Descent(mrf, first=bc.Change(prove=True).fork(engine), method="groups")
    descent.run()
    descent.end().verify(mrf)


def test_proofs_of_a_model_without_variables_are_verified() -> None:
    mrf = bc.BinaryMRF(np.zeros((0, 2)), constant=3.0)
    found = bc.certify(mrf)
    assert (found.optimal, found.lower_bound) == (True, 3.0)
    found.verify(mrf)
    check_proof(mrf, bc.Packing(mrf).proof())


@pytest.mark.parametrize("cap", [0.0, -1.0, math.nan, -math.inf])
def test_a_cap_that_leaves_no_energies_is_refused(cap: float) -> None:
    mrf = random_mrf(0, 6)
    proof = bc.certify(mrf, method="groups").proof
    assert proof is not None
    with pytest.raises(RefusedError, match="cap"):
        check_proof(mrf, replace(proof, cap=cap))


def test_any_cap_proves_only_what_is_true() -> None:
    """A cap that is too small lowers energies, and so bounds: it proves less."""
    mrf = random_mrf(3, 8)
    proof = bc.certify(mrf, method="groups").proof
    assert proof is not None
    with pytest.raises(RefusedError):
        check_proof(mrf, replace(proof, cap=1e-3))


@pytest.mark.parametrize("cap", [10.0, math.nextafter(11.0, 0.0)])
def test_a_cap_that_makes_better_labellings_cheaper_is_refused(cap: float) -> None:
    """With a cap of 10 the energies of labellings with two of these values are equal; they are 10 and 11."""
    mrf = bc.BinaryMRF([[0.0, 0.0], [1000.0, 0.0]], [[0, 1]], [[[0.0, 10.0], [21.0, 11.0]]])
    proof = bc.Packing(mrf).proof()
    forged = replace(proof, labeling=np.array([1, 1]), lower_bound=11.0, upper_bound=11.0, negligible=2.5, cap=cap)
    with pytest.raises(RefusedError, match=r"a cap of .* changes the energies of better labellings"):
        check_proof(mrf, forged)
    check_proof(mrf, replace(proof, cap=11.0))


def test_proofs_of_version_1_are_checked_with_the_tolerance_of_today(tmp_path: Path) -> None:
    mrf = body_pose(candidates=6, seed=1)
    proof = bc.certify(mrf, method="groups").proof
    assert proof is not None
    old = replace(proof, version=1, negligible=1e-5)
    (tmp_path / "old").write_bytes(old.to_bytes())
    found = load_proof(tmp_path / "old")
    assert (found.version, found.negligible, found.cap) == (1, 1e-5, math.inf)
    assert 0.0 < check_proof(mrf, found) < 1e-7
    with pytest.raises(RefusedError, match="not negligible"):
        check_proof(mrf, replace(found, version=2))


CLAIMS = {
    "feasible": lambda found: replace(found, feasible=not found.feasible),
    "open": lambda found: replace(found, open_variables=found.open_variables + 1),
    "status": lambda found: replace(found, status="stopped" if found.optimal else "optimal"),
    "another status": lambda found: replace(found, status="certain"),
    "rounds": lambda found: replace(found, rounds=(*found.rounds, replace(found.rounds[-1], fixed=10_000))),
    "bound of a round": lambda found: replace(
        found, rounds=(*found.rounds, replace(found.rounds[-1], fixed=0, tied=0, upper_bound=found.upper_bound - 1))
    ),
    "negligible": lambda found: replace(found, negligible=found.negligible + 1),
    "labelling": lambda found: replace(found, labeling=1 - found.labeling),
}


@pytest.mark.parametrize("complete", thinned([True, False], 2))
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_certificate_claims_no_more_than_its_proof(claim: str, complete: bool) -> None:
    mrf = body_pose(candidates=8, seed=2)
    descent = Descent(mrf)
    descent.run(max_sweeps=None if complete else 4)
    found = descent.end()
    found.verify(mrf)
    assert found.optimal == complete
    with pytest.raises(RefusedError):
        CLAIMS[claim](found).verify(mrf)
