"""The checker of proofs, against all labellings; and falsified proofs, none of which it lets through."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from benchmarks.proofs import drawn
from bender_core.account import memory_limit
from bender_core.checking import checker
from bender_core.checking.checker import RefusedError, _ByMessages, check_proof
from bender_core.checking.left import Remainder
from bender_core.checking.proof import Proof, Step, load_proof
from bender_core.synth.pose import body_pose
from bender_core.trying import steps as keeping
from bender_core.trying.proof import Descent
from tests import naive
from tests.models import JIT, examples, random_mrf, random_partition

NO_EDGES, NO_TIES, NO_MESSAGES = np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64), np.zeros(0)
ROOT = Path(__file__).parents[3]
MODELS = examples(300) if JIT else 10


def proven(mrf: bc.BinaryMRF, max_size: int = 16) -> Proof:
    proof = bc.certify(mrf, max_size, method="groups").proof
    assert proof is not None
    return proof


def begun(mrf: bc.BinaryMRF) -> bc.Certificate:
    """Of a proof that is ended after the first sweep, on groups of one variable."""
    descent = Descent(mrf, 1, method="groups")
    descent.run(max_sweeps=1)
    return descent.end()


def refused(mrf: bc.BinaryMRF, proof: Proof) -> bool:
    try:
        check_proof(mrf, proof)
    except RefusedError:
        return True
    return False


def with_step(proof: Proof, k: int, **changed: object) -> Proof:
    """A proof with another step at place k."""
    steps = list(proof.steps)
    steps[k] = replace(steps[k], **changed)
    return replace(proof, steps=tuple(steps))


def twin_of(mrf: bc.BinaryMRF, step: Step) -> naive.NaiveEngine:
    """The slow twin of a run with the messages of a step, of the whole model."""
    twin = naive.NaiveEngine(mrf, step.groups, 12)
    place = 0
    for p, q in step.edges.tolist():
        for pair in ((p, q), (q, p)):
            twin.lam[pair] = step.messages[place : place + (1 << len(step.groups[pair[0]]))]
            place += len(twin.lam[pair])
    return twin


def twin_costs(twin: naive.NaiveEngine, p: int) -> np.ndarray:
    """What every labelling costs at least that gives group p a state, for all states."""
    near = [pair for pair in twin.model.edges if p in pair]
    without = twin.lower_bound() - twin.reparametrized(p).min()
    without -= sum((twin.min_marginal(a, b) - twin.lam[a, b]).min() for a, b in near)
    return without + twin.exact_total(p)


@pytest.fixture(scope="module")
def pose() -> tuple[bc.BinaryMRF, Proof]:
    """Several steps, with values and ties."""
    mrf = body_pose(candidates=10, seed=3)
    proof = proven(mrf)
    assert len(proof.steps) > 2
    assert any(len(step.tied) for step in proof.steps)
    return mrf, proof


# --- what is true ------------------------------------------------------------------------------------------------


def test_every_proof_of_the_solver_holds() -> None:
    """Models of all kinds, groups of all sizes: proven, or with a bound; brute force agrees with the bound."""
    rng, closed = np.random.default_rng(11), 0
    for _ in range(MODELS):
        mrf, max_size = drawn(rng), int(rng.integers(1, 9))
        proof = proven(mrf, max_size)
        check_proof(mrf, proof)
        rounding = 1e-12 * (np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum() + abs(mrf.constant))
        assert proof.lower_bound <= naive.optimum(mrf) + proof.negligible + rounding
        closed += proof.lower_bound == proof.upper_bound
    assert MODELS / 2 < closed <= MODELS


def test_proofs_in_many_steps_hold(pose: tuple[bc.BinaryMRF, Proof]) -> None:
    check_proof(*pose)


@pytest.mark.parametrize("calls", [1, 2, 5, 20])
def test_a_proof_that_is_broken_off_holds_with_its_bound(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.trying.proof.REPORT_SECONDS", 0.0)
    told = list[float]()

    def enough(descent: Descent) -> bool:
        told.append(descent.lower_bound)
        return len(told) > calls

    mrf = body_pose(candidates=14, seed=2)
    found = bc.certify(mrf, on_progress=enough)
    found.verify(mrf)
    assert not found.optimal


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32 - 1))
def test_its_bounds_at_any_messages_are_those_of_the_twin(seed: int) -> None:
    """And no labelling with a state costs less than the checker says of that state."""
    rng = np.random.default_rng(seed)
    mrf, part = random_mrf(rng, 8, 0.7, constant=3.0), random_partition(rng, 8, 4)
    edges = np.array(naive.GroupModel(mrf, part.groups).edges, np.int64).reshape(-1, 2)
    size = sum(1 << len(part.groups[p]) for p in edges.reshape(-1))
    first = np.array([[group[0], 0] for group in part.groups])
    step = Step(part.groups, edges, rng.normal(size=size), first, np.empty((0, 3), np.int64), 0.0)
    twin = twin_of(mrf, step)
    labels, costs = naive.bits(8), naive.energies(mrf)
    x = labels[rng.integers(len(labels))]
    proof = Proof(mrf.content_hash(), x, -np.inf, mrf.energy(x), 1e-9, (step,))
    found = _ByMessages(Remainder(mrf, proof), step, 1e-9)
    assert found.excess == pytest.approx(twin.lower_bound() - mrf.energy(x), abs=1e-9)
    for p, group in enumerate(part.groups):
        assert found.costs[p] == pytest.approx(twin_costs(twin, p) - mrf.energy(x), abs=1e-9)
        least = [costs[labels[:, group] @ (1 << np.arange(len(group))) == y].min() for y in range(1 << len(group))]
        assert (found.costs[p] <= np.array(least) - mrf.energy(x) + 1e-9).all()


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32 - 1))
def test_what_is_left_has_the_energy_of_the_labelling_that_it_stands_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mrf, x = random_mrf(rng, 7, 0.8, constant=2.0), rng.integers(0, 2, 7)
    left = Remainder(mrf, Proof("", x, -np.inf, 0.0, 0.0, ()))
    none, facts = np.empty(0, np.int64), []
    for _ in range(3):
        first, *others = rng.permutation(left.open)[: rng.integers(1, 4)].tolist()
        ties = np.array([[first, j, rng.integers(0, 2)] for j in others], np.int64).reshape(-1, 3)
        fixed = np.array([[first, rng.integers(0, 2)]], np.int64)[: 0 if others else 1]
        facts += [*fixed.tolist(), *ties.tolist()]
        left.take(Step((), none.reshape(-1, 2), np.zeros(0), fixed.reshape(-1, 2), ties, 0.0))
        if not len(left.open):
            break
    known = np.append(rng.integers(0, 2, 7), 0)
    y = known[left.decider] ^ left.value
    assert all(y[fact[0]] == (fact[1] if len(fact) == 2 else y[fact[1]] ^ fact[2]) for fact in facts)
    terms = left.polynomial
    i, j = terms.pairs.T
    energy = terms.excess + terms.linear @ known[:7] + (terms.coupling * known[i] * known[j]).sum()
    assert energy == pytest.approx(mrf.energy(y) - mrf.energy(x), abs=1e-9)
    assert set(terms.pairs.reshape(-1).tolist()) <= set(left.open.tolist())


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32 - 1), at_once=st.sampled_from([1, 8, 64]))
def test_min_marginals_are_those_of_all_pairs(seed: int, at_once: int) -> None:
    """However few pairs are looked at at once; also with ties, and with members that are not coupled."""
    rng = np.random.default_rng(seed)
    p, q = rng.integers(1, 6, 2)
    coupling = np.where(rng.random((p, q)) < 0.7, rng.normal(size=(p, q)), 0.0)
    message = rng.normal(size=1 << q) if seed % 2 else rng.integers(-2, 3, 1 << q).astype(float)
    coupling = coupling if seed % 2 else np.round(coupling)
    ys, zs = (np.arange(1 << n)[:, None] >> np.arange(n) & 1 for n in (p, q))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "_AT_ONCE", at_once)
        found = checker._min_marginal(coupling, message)
    assert found == pytest.approx((ys @ coupling @ zs.T - message).min(axis=1), abs=1e-12)


# --- what is not -------------------------------------------------------------------------------------------------


def test_a_falsified_claim_is_refused(pose: tuple[bc.BinaryMRF, Proof]) -> None:
    mrf, proof = pose
    other = proof.labeling.copy()
    other[0] ^= 1
    for false in (
        replace(proof, labeling=other),
        replace(proof, labeling=other, upper_bound=mrf.energy(other)),
        replace(proof, labeling=other, upper_bound=mrf.energy(other), lower_bound=mrf.energy(other)),
        replace(proof, labeling=proof.labeling[1:]),
        replace(proof, upper_bound=proof.upper_bound - 1.0),
        replace(proof, lower_bound=proof.upper_bound + 1.0),
        replace(proof, negligible=1.0),
        replace(proof, negligible=float("nan")),
        replace(proof, model=random_mrf(0, 3).content_hash()),
    ):
        assert refused(mrf, false)


def test_a_bound_that_is_raised_is_refused() -> None:
    """Of proofs that are ended early."""
    rng = np.random.default_rng(3)
    for _ in range(30 if JIT else 3):
        mrf = random_mrf(rng, 9, 1.0)
        proof = begun(mrf).proof
        assert proof is not None
        assert proof.lower_bound < proof.upper_bound - 10 * proof.negligible
        check_proof(mrf, proof)
        assert refused(mrf, replace(proof, lower_bound=proof.lower_bound + 3 * proof.negligible))
        assert refused(mrf, replace(proof, lower_bound=proof.upper_bound))


@pytest.mark.parametrize("size", [1e6, 1e12, 1e18, 1e25])
def test_large_messages_do_not_raise_the_bound(size: float) -> None:
    mrf = bc.BinaryMRF(unary=[[0, 1], [0, 1]], edges=[[0, 1]], pairwise=[[[0, 1], [1, 0]]])
    groups, messages = (np.array([0]), np.array([1])), np.array([size, size, -size, -size])
    step = Step(groups, np.array([[0, 1]]), messages, NO_EDGES, NO_TIES, 0.0)
    for bound in (0.1, 1.9):
        with pytest.raises(RefusedError, match="do not prove the bound"):
            check_proof(mrf, Proof(mrf.content_hash(), np.array([1, 1]), bound, 2.0, 0.0, (step,)))


@pytest.mark.parametrize("size", [1e14, 1e18, 1e25, 1e100, 1.2e308])
def test_rounding_of_large_messages_proves_nothing(size: float) -> None:
    """Beside them the energies vanish: sums of floats are 0 where the true ones are below."""
    mrf, labeling = bc.BinaryMRF(unary=[[0, -5], [0, -5]]), np.zeros(2, np.int64)
    messages = np.array([size, size, -size, -size])
    for lattice in (0.0, 5.0):
        step = Step((np.array([0]), np.array([1])), np.array([[0, 1]]), messages, NO_EDGES, NO_TIES, lattice)
        for bound in (-1.0, -1e-6, 0.0):
            assert refused(mrf, Proof(mrf.content_hash(), labeling, bound, 0.0, 1e-9, (step,)))


def test_messages_whose_sum_is_infinite_decide_nothing() -> None:
    mrf, size = bc.BinaryMRF(unary=[[0, -5], *[[0, 0]] * 7]), 1.2e308
    into = np.array([[0, 0, -m, -m] for m in (-size, size, size, -size, 0, 0, 0)]).reshape(-1)
    edges = np.array([[0, k] for k in range(1, 8)])
    alone = tuple(np.array([k]) for k in range(8))
    first = Step(alone, edges, into, np.array([[0, 0]]), NO_TIES, 0.0)
    rest = np.array([[k, 0] for k in range(1, 8)])
    second = Step(alone[1:], NO_EDGES, np.zeros(0), rest, NO_TIES, 0.0)
    proof = Proof(mrf.content_hash(), np.zeros(8, np.int64), 0.0, 0.0, 1e-9, (first, second))
    with pytest.raises(RefusedError, match="step 1: a message is not a number of size below"):
        check_proof(mrf, proof)


def test_what_is_negligible_does_not_depend_on_offsets() -> None:
    """The other value costs 1000 less: that is much, also beside 1e12."""
    mrf = bc.BinaryMRF(unary=[[1e12, 1e12 - 1000]])
    step = Step((np.array([0]),), NO_EDGES, np.zeros(0), np.array([[0, 0]]), NO_TIES, 0.0)
    with pytest.raises(RefusedError, match="is not negligible"):
        check_proof(mrf, Proof(mrf.content_hash(), np.zeros(1, np.int64), 1e12, 1e12, 3900.0, (step,)))


def test_groups_too_large_for_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(members: int) -> None:
        raise MemoryError

    mrf = random_mrf(3, 8, 0.6)
    proof = proven(mrf)
    monkeypatch.setattr(checker, "_states", too_large)
    with pytest.raises(RefusedError, match="step 1: its groups are too large for the memory"):
        check_proof(mrf, proof)


def test_a_certificate_claims_what_its_proof_does() -> None:
    mrf = random_mrf(3, 8, 0.6)
    for certificate in (bc.certify(mrf), begun(mrf)):
        certificate.verify(mrf)
        for change in (
            {"lower_bound": certificate.lower_bound - 1},
            {"upper_bound": certificate.upper_bound + 1},
            {"labeling": 1 - certificate.labeling},
            {"negligible": 0.0},
            {"optimal": not certificate.optimal},
        ):
            with pytest.raises(RefusedError, match="the certificate does not agree"):
                replace(certificate, **change).verify(mrf)


@pytest.mark.parametrize("rest", [[], [[0.0, 1e-20]]])
def test_a_lattice_through_what_is_left_proves_nothing_of_what_is_not(rest: list[list[float]], tmp_path: Path) -> None:
    """The first step is true: what is better has x = 1. All that is left lies on a lattice with the worse labelling."""
    mrf = bc.BinaryMRF(unary=[[0.0, -1.0], *rest])
    first = Step(tuple(np.array([i]) for i in range(mrf.n)), NO_EDGES, NO_MESSAGES, np.array([[0, 1]]), NO_TIES, 0.0)
    second = Step(first.groups[1:], NO_EDGES, NO_MESSAGES, NO_EDGES, NO_TIES, 1.0)
    proof = Proof(mrf.content_hash(), np.zeros(mrf.n, np.int64), 0.0, 0.0, 1e-9, (first, second))
    assert refused(mrf, proof)
    proof.save(tmp_path / "forged")
    assert refused(mrf, load_proof(tmp_path / "forged"))


def test_a_lattice_is_measured_with_all_digits() -> None:
    """Opposite coefficients miss multiples of 1e15 by 1e-8, 1e-33 of their size."""
    exact = (2**36 + 1) * 10**15
    high, tie, small = float(exact), 1e15 * 2.0**38, 1e-8
    low = float(Fraction(exact) - Fraction(high))
    tables = [[[tie, 0.0], [0.0, tie]], [[0.0, 0.0], [small, small]]]
    mrf = bc.BinaryMRF([[-low, high], [-low, high], [0.0, 0.0]], [[0, 1], [0, 2]], tables)
    x = np.array([1, 0, 0])
    step = Step((np.arange(3),), NO_EDGES, NO_MESSAGES, NO_EDGES, NO_TIES, 1e15)
    with pytest.raises(RefusedError, match="not all energies are multiples"):
        check_proof(mrf, Proof(mrf.content_hash(), x, mrf.energy(x), mrf.energy(x), 0.0, (step,)))


@pytest.mark.parametrize("step", [1e-320, 1e-310, 5e-324])
def test_a_lattice_that_is_too_fine_is_refused(step: float) -> None:
    mrf = bc.BinaryMRF(unary=[[0, 1], [0, 1]], edges=[[0, 1]], pairwise=[[[0, 1], [1, 0]]])
    groups = (np.array([0]), np.array([1]))
    forged = Step(groups, np.array([[0, 1]]), np.zeros(4), NO_EDGES, NO_TIES, step)
    with pytest.raises(RefusedError, match="no step of a lattice"):
        check_proof(mrf, Proof(mrf.content_hash(), np.array([1, 1]), 1.9, 2.0, 1e-9, (forged,)))


@pytest.mark.slow
def test_steps_that_are_left_out_or_change_places_are_refused(pose: tuple[bc.BinaryMRF, Proof]) -> None:
    mrf, proof = pose
    steps = proof.steps
    for k in range(len(steps)):
        assert refused(mrf, replace(proof, steps=steps[:k] + steps[k + 1 :])), k
    for k in range(len(steps) - 1):
        swapped = (*steps[:k], steps[k + 1], steps[k], *steps[k + 2 :])
        assert refused(mrf, replace(proof, steps=swapped)), k


@pytest.mark.slow
def test_facts_pass_only_if_the_twin_finds_them_in_all_states_that_are_alive() -> None:
    """At the first step: every value of every variable, and every tie within a group."""
    rng, passed, failed = np.random.default_rng(5), 0, 0
    for _ in range(MODELS // 10):
        mrf = random_mrf(rng, 10, 0.6)
        proof = proven(mrf, 4)
        step = proof.steps[0]
        twin = twin_of(mrf, step)
        alone = replace(proof, steps=(step,), lower_bound=-np.inf)
        for p, group in enumerate(step.groups):
            costs = twin_costs(twin, p) - proof.upper_bound
            if (np.abs(costs + proof.negligible) < 1e-10).any():
                continue  # too close to tell
            alive = np.flatnonzero(costs < -proof.negligible)
            bits = alive[:, None] >> np.arange(len(group)) & 1
            for k, i in enumerate(group.tolist()):
                for value in (0, 1):
                    false = with_step(alone, 0, fixed=np.array([[i, value]]), tied=np.empty((0, 3), np.int64))
                    assert refused(mrf, false) == bool((bits[:, k] != value).any())
                    passed, failed = passed + (not refused(mrf, false)), failed + refused(mrf, false)
                for m, j in enumerate(group.tolist()[:k]):
                    for opposite in (0, 1):
                        tied = np.array([[j, i, opposite]])
                        false = with_step(alone, 0, fixed=np.empty((0, 2), np.int64), tied=tied)
                        assert refused(mrf, false) == bool((bits[:, k] ^ bits[:, m] != opposite).any())
    assert (passed > 10, failed > 10) == (True, True)


def test_messages_that_are_changed_where_it_matters_are_refused() -> None:
    """Where the bound is tight, all least terms are at the best labelling: one rises, and its edge falls as much."""
    rng, seen = np.random.default_rng(8), 0
    for _ in range(MODELS // 4):
        mrf = random_mrf(rng, 10, 0.9)
        proof = proven(mrf, 4)
        last = proof.steps[-1]
        if len(last.fixed) or len(last.tied) or not len(last.edges):
            continue
        messages = last.messages.copy()
        group = last.groups[last.edges[0, 0]]
        messages[proof.labeling[group] @ (1 << np.arange(len(group)))] += 100.0
        assert refused(mrf, with_step(proof, len(proof.steps) - 1, messages=messages))
        seen += 1
    assert seen > (10 if JIT else 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda step: {"groups": step.groups[1:]}, "its groups are no partition"),
        (lambda step: {"groups": (*step.groups, np.empty(0, np.int64))}, "a group is empty"),
        (lambda step: {"edges": step.edges[::-1, ::-1]}, "do not fit its groups|is not decided|not tied"),
        (lambda step: {"edges": np.vstack([step.edges[:1], step.edges])}, "an edge is there twice"),
        (lambda step: {"edges": step.edges + 1000}, "its edges are not pairs of its groups"),
        (lambda step: {"messages": step.messages[1:]}, "do not fit its groups"),
        (lambda step: {"messages": step.messages * np.nan}, "a message is not a number"),
        (lambda step: {"fixed": np.vstack([step.fixed, step.fixed])}, "decided twice"),
        (lambda step: {"fixed": np.array([[-1, 0]])}, "variable -1 is not open"),
        (lambda step: {"fixed": np.array([[step.fixed[0, 0], 2]])}, "neither 0 nor 1"),
        (lambda step: {"tied": np.array([[0, 0, 0]])}, "tied to one that is decided"),
        (lambda step: {"lattice": 0.37}, "not all energies are multiples of 0.37"),
        (lambda step: {"lattice": -1.0}, "no step of a lattice"),
    ],
)
def test_the_place_of_an_error_is_said(
    change: Callable[[Step], dict[str, object]], said: str, pose: tuple[bc.BinaryMRF, Proof]
) -> None:
    mrf, proof = pose
    k = next(k for k, step in enumerate(proof.steps) if len(step.fixed))
    with pytest.raises(RefusedError, match=rf"^step {k + 1}: .*({said})"):
        check_proof(mrf, with_step(proof, k, **change(proof.steps[k])))


def test_a_fact_that_does_not_follow_is_named(pose: tuple[bc.BinaryMRF, Proof]) -> None:
    mrf, proof = pose
    step = proof.steps[0]
    i = next(i for group in step.groups for i in group.tolist() if i not in step.fixed[:, 0] and i not in step.tied)
    false = np.vstack([step.fixed, [[i, 1 - proof.labeling[i]]]])
    with pytest.raises(RefusedError, match=rf"^step 1: variable {i} is not decided to be .: state \d+ of its group"):
        check_proof(mrf, with_step(proof, 0, fixed=false))


# --- files, sizes, and independence ------------------------------------------------------------------------------


def test_a_proof_comes_back_from_its_file(tmp_path: Path, pose: tuple[bc.BinaryMRF, Proof]) -> None:
    mrf, proof = pose
    first, second = tmp_path / "a.proof", tmp_path / "b.proof"
    proof.save(first)
    found = bc.load_proof(first)
    check_proof(mrf, found)
    found.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert found.nbytes == proof.nbytes > 0
    assert (found.model, found.lower_bound, found.upper_bound) == (proof.model, proof.lower_bound, proof.upper_bound)


@pytest.mark.parametrize("content", [b"", b"PK", b"Dear diary,\n", bytes(range(256)), b"\x93NUMPY"])
def test_another_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    path.write_bytes(content)
    with pytest.raises(bc.FormatError, match="no proof, or damaged; give a file that a proof was saved to"):
        bc.load_proof(path)


def test_a_file_that_is_cut_short_or_changed_is_refused(tmp_path: Path, pose: tuple[bc.BinaryMRF, Proof]) -> None:
    mrf, proof = pose
    path = tmp_path / "a.proof"
    proof.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(30):
        broken = bytearray(whole)
        broken[int(rng.integers(len(whole)))] ^= 1 << int(rng.integers(8))
        for content in (bytes(broken), whole[: int(rng.integers(len(whole)))]):
            path.write_bytes(content)
            try:
                found = bc.load_proof(path)
            except bc.FormatError:
                continue
            # A bit of the archive's bookkeeping: what it holds is the same.
            check_proof(mrf, found)
            assert found.upper_bound == proof.upper_bound


def test_a_proof_that_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(keeping, "SHARE", memory_limit() >> 12)
    mrf = body_pose(candidates=10, seed=3)
    found = bc.certify(mrf)
    assert found.optimal
    assert found.proof is None
    for use in (lambda: found.verify(mrf), lambda: found.save(tmp_path / "a.proof")):
        with pytest.raises(ValueError, match="too large to be kept"):
            use()


BLOCKED = """
import runpy, sys
SOLVER = tuple(f"bender_core.{room}" for room in ("kernels", "engine", "looking", "trying"))
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == "numba" or name.startswith(SOLVER):
            raise ImportError(name)
sys.meta_path.insert(0, Blocked())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_it_needs_nothing_of_the_solver(tmp_path: Path, pose: tuple[bc.BinaryMRF, Proof]) -> None:
    """In a process that cannot import it."""
    mrf, proof = pose
    model, good, bad = tmp_path / "pose.mrf.json", tmp_path / "good.proof", tmp_path / "bad.proof"
    bc.save(mrf, model)
    proof.save(good)
    replace(proof, steps=proof.steps[:-1]).save(bad)

    def run(path: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", BLOCKED, str(ROOT / "bender_core" / "checking"), str(model), str(path)]
        return subprocess.run(command, env=os.environ | {"PYTHONPATH": ""}, capture_output=True, text=True)

    held, failed = run(good), run(bad)
    assert (held.returncode, held.stderr) == (0, "")
    assert held.stdout.startswith(f"verified, {len(proof.steps)} steps: energy {proof.upper_bound!r} is optimal")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == "error: the steps do not prove that the labelling is optimal\n"
