"""Proofs by cycles: every honest one holds, agrees with brute force, and survives its file; no forged one does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import synth
from bender_core.checking.checker import RefusedError, _ByCycles, check_proof
from bender_core.checking.left import Remainder
from bender_core.checking.proof import CycleStep, Proof, load_proof
from bender_core.cycles.packing import Packing
from bender_core.cycles.shares import bound
from bender_core.io import FormatError
from tests import naive
from tests.models import examples, mrfs, random_mrf

Forger = Callable[[np.random.Generator, CycleStep], CycleStep | None]
FORGED = examples(200)


def proven(mrf: bc.BinaryMRF, rounds: int | None = None) -> Proof:
    packing = Packing(mrf)
    packing.run(rounds)
    return packing.proof()


def step_of(proof: Proof) -> CycleStep:
    (step,) = proof.steps
    assert isinstance(step, CycleStep)
    return step


def with_step(proof: Proof, step: CycleStep) -> Proof:
    return replace(proof, steps=(step,))


@settings(max_examples=examples(300), deadline=None)
@given(mrfs(7), st.integers(0, 4), st.integers(0, 9))
def test_every_proof_holds_and_is_true(mrf: bc.BinaryMRF, rounds: int, rank: int) -> None:
    packing, labels, energies = Packing(mrf), naive.bits(mrf.n), naive.energies(mrf)
    packing.run(rounds)
    # The search has mostly found the best one, and then little is decided.
    packing.labeling = labels[np.argsort(energies, kind="stable")[min(rank, len(energies) - 1)]]
    packing.upper_bound = mrf.energy(packing.labeling)
    proof = packing.proof()
    check_proof(mrf, proof)
    near = proof.negligible + 1e-12 * np.abs(energies).max()
    assert proof.lower_bound <= energies.min() + near
    better, step = labels[energies < proof.upper_bound - near - packing.margin.gain], step_of(proof)
    assert (better[:, step.fixed[:, 0]] == step.fixed[:, 1]).all()
    for i, j, opposite in step.tied.tolist():
        assert ((better[:, i] != better[:, j]) == opposite).all()


@settings(max_examples=examples(300), deadline=None)
@given(mrfs(6), st.integers(0, 1 << 16), st.integers(0, 9))
def test_what_the_checker_lets_follow_holds_in_every_better_labelling(mrf: bc.BinaryMRF, seed: int, rank: int) -> None:
    """At any shares, also such that edges lend more than they have."""
    rng, labels, energies = np.random.default_rng(seed), naive.bits(mrf.n), naive.energies(mrf)
    packing = Packing(mrf)
    packing.run(2)
    packing.labeling = labels[np.argsort(energies, kind="stable")[min(rank, len(energies) - 1)]]
    packing.upper_bound = mrf.energy(packing.labeling)
    packing.shares = packing.shares * rng.choice([1.0, 1.5, 2.0, 0.5], len(packing.shares))
    packing.lower_bound = bound(packing.graph, packing.cycles, packing.shares)
    proof = packing.proof()
    found = _ByCycles(Remainder(mrf, proof), step_of(proof), proof.negligible)
    near = proof.negligible + 1e-12 * np.abs(energies).max()
    better = labels[energies < proof.upper_bound - near - packing.margin.gain]
    spins = np.column_stack([better, np.ones(len(better), np.int64)])
    assert not (found.proves_optimal and len(better))
    for i, j in combinations(range(mrf.n + 1), 2):
        for opposite in (False, True):
            if found.follows(i, j, opposite):
                assert ((spins[:, i] != spins[:, j]) == opposite).all()


def test_optima_of_sparse_models_are_proven() -> None:
    for mrf in (bc.sample("torus-10x10"), synth.ising_grid(12, 12, coupling="gaussian", torus=True, seed=3)):
        proof = proven(mrf)
        assert proof.lower_bound == proof.upper_bound
        check_proof(mrf, proof)


def test_a_proof_survives_its_file(tmp_path: Path) -> None:
    mrf = bc.sample("torus-10x10")
    proof = proven(mrf, 3)
    proof.save(tmp_path / "proof.npz")
    read = load_proof(tmp_path / "proof.npz")
    assert read.to_bytes() == proof.to_bytes()
    check_proof(mrf, read)
    with pytest.raises(RefusedError, match="another model"):
        check_proof(bc.sample("karate"), read)


def test_a_step_of_an_unknown_kind_is_no_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bc.checking.proof._KINDS, CycleStep, "stars")
    proven(bc.sample("tiny")).save(tmp_path / "proof.npz")
    monkeypatch.undo()
    with pytest.raises(FormatError, match="no proof, or damaged"):
        load_proof(tmp_path / "proof.npz")


def test_values_follow_along_edges_that_are_decided() -> None:
    """A chain in a field: each edge costs more than the labelling, and the first variable alone has a field."""
    n = 5
    edges = [[i, i + 1] for i in range(n - 1)]
    mrf = bc.BinaryMRF([[3.0, 0.0], *[[0.0, 0.0]] * (n - 1)], edges, [[[0.0, 4.0], [4.0, 0.0]]] * (n - 1))
    packing = Packing(mrf)
    packing.labeling, packing.upper_bound = np.zeros(n, np.int64), 3.0
    proof = packing.proof()
    step = step_of(proof)
    assert step.fixed.tolist() == [[k, 1] for k in range(n)]
    check_proof(mrf, proof)
    for k in range(n):
        flipped = step.fixed.copy()
        flipped[k, 1] = 0
        with pytest.raises(RefusedError, match=f"variable {k} is not decided to be 0"):
            check_proof(mrf, with_step(proof, replace(step, fixed=flipped)))
    tied = np.array([[0, k, 1] for k in range(1, n)])
    with pytest.raises(RefusedError, match="variables 0 and 1 are not tied"):
        check_proof(mrf, with_step(proof, replace(step, fixed=step.fixed[:0], tied=tied)))


def test_an_edge_that_lends_more_than_it_has_is_decided_to_be_broken() -> None:
    """A triangle: what is better than a labelling that breaks an edge of cost 5 breaks the one of cost 1."""
    equal, apart = np.array([[0.0, 1.0], [1.0, 0.0]]), np.eye(2)
    tables = [equal, 5.0 * apart, 5.0 * equal]
    packing = Packing(bc.BinaryMRF(np.zeros((3, 2)), [[0, 1], [0, 2], [1, 2]], tables))
    packing.cycles, packing.shares = [np.arange(3)], np.array([5.0])
    packing.lower_bound = bound(packing.graph, packing.cycles, packing.shares)
    packing.labeling = np.array([0, 0, 1])
    packing.upper_bound = packing.mrf.energy(packing.labeling)
    proof = packing.proof()
    assert (packing.lower_bound, packing.upper_bound) == (1.0, 5.0)
    found = _ByCycles(Remainder(packing.mrf, proof), step_of(proof), proof.negligible)
    assert found.follows(0, 1, True)
    assert not found.follows(0, 1, False)


# --- forgeries ---------------------------------------------------------------------------------------------------


def _with_cycle(step: CycleStep, k: int, cycle: np.ndarray) -> CycleStep:
    return replace(step, cycles=(*step.cycles[:k], cycle, *step.cycles[k + 1 :]))


def edge_dropped(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    k = int(rng.integers(len(step.cycles)))
    return _with_cycle(step, k, np.delete(step.cycles[k], rng.integers(len(step.cycles[k])), axis=0))


def edge_twice(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    k = int(rng.integers(len(step.cycles)))
    return _with_cycle(step, k, np.concatenate([step.cycles[k], step.cycles[k][:1], step.cycles[k][:1]]))


def edge_elsewhere(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    k = int(rng.integers(len(step.cycles)))
    cycle = step.cycles[k].copy()
    cycle[rng.integers(len(cycle)), rng.integers(2)] += rng.choice([-1, 1, 1000])
    return _with_cycle(step, k, cycle)


def empty(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    return _with_cycle(step, int(rng.integers(len(step.cycles))), np.empty((0, 2), np.int64))


def two_as_one(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    """The edges of two cycles: closed, but the number of edges that want opposite ends is even."""
    disjoint = [
        (a, b)
        for a, one in enumerate(step.cycles)
        for b, two in enumerate(step.cycles[:a])
        if not {*map(tuple, one.tolist())} & {*map(tuple, two.tolist())}
    ]
    if not disjoint:
        return None
    a, b = disjoint[rng.integers(len(disjoint))]
    return _with_cycle(step, a, np.concatenate([step.cycles[a], step.cycles[b]]))


def share_negative(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    shares = step.shares.copy()
    shares[rng.integers(len(shares))] = rng.choice([-1e-9, -1.0, -np.inf, np.inf, np.nan])
    return replace(step, shares=shares)


def share_missing(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    return replace(step, shares=step.shares[: rng.integers(len(step.shares))])


def lattice_invented(rng: np.random.Generator, step: CycleStep) -> CycleStep | None:
    return replace(step, lattice=float(rng.choice([0.7, 3.0, 1e-300, np.nan, -1.0])))


@pytest.mark.parametrize(
    "forge",
    [edge_dropped, edge_twice, edge_elsewhere, empty, two_as_one, share_negative, share_missing, lattice_invented],
)
def test_a_step_that_is_no_packing_is_refused(forge: Forger) -> None:
    rng, forged = np.random.default_rng(5), 0
    for _ in range(FORGED):
        mrf = random_mrf(rng, 12, 0.35)
        proof = proven(mrf, int(rng.integers(1, 6)))
        if not len(step_of(proof).cycles) or (made := forge(rng, step_of(proof))) is None:
            continue
        forged += 1
        with pytest.raises(RefusedError, match="step 1: "):
            check_proof(mrf, with_step(proof, made))
    assert forged > FORGED / 3


def test_what_is_claimed_beyond_the_truth_is_refused() -> None:
    """Higher bounds, worse labellings as optimal, other shares, facts: what is accepted is true."""
    rng, accepted = np.random.default_rng(8), 0
    for _ in range(2 * FORGED):
        mrf = random_mrf(rng, 9, 0.4)
        labels, energies = naive.bits(9), naive.energies(mrf)
        proof = proven(mrf, int(rng.integers(0, 5)))
        step = replace(step_of(proof), shares=step_of(proof).shares * rng.choice([1.0, 1.1, 3.0]))
        i, value = int(rng.integers(9)), int(rng.integers(2))
        if rng.random() < 0.5:
            step = replace(step, fixed=np.array([[i, value]]), tied=np.empty((0, 3), np.int64))
        labeling = labels[rng.integers(len(labels))] if rng.random() < 0.5 else proof.labeling
        upper = mrf.energy(labeling)
        lower = upper if rng.random() < 0.5 else rng.uniform(energies.min() - 0.5, upper)
        forged = replace(with_step(proof, step), labeling=labeling, upper_bound=upper, lower_bound=float(lower))
        try:
            check_proof(mrf, forged)
        except RefusedError:
            continue
        accepted += 1
        near = forged.negligible + 1e-12 * np.abs(energies).max()
        assert lower <= energies.min() + near
        for i, value in step.fixed.tolist():
            assert (labels[energies < upper - near][:, i] == value).all()
    assert accepted
