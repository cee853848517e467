"""Proofs, against brute force and published optima."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.engine.memory import nbytes
from bender_core.kernels.layout import Kind
from bender_core.looking.decided import proves
from bender_core.synth.grids import ising_grid
from bender_core.synth.pose import body_pose
from bender_core.trying import policy
from bender_core.trying import proof as descent
from bender_core.trying.change import Change, Fork, forks_text, read_forks
from bender_core.trying.lineage import Lineage
from bender_core.trying.policy import METHODS
from bender_core.trying.proof import Descent
from bender_core.trying.solving import certify
from bender_core.trying.steps import CYCLES
from bender_core.trying.trials import Trial
from tests.models import examples, mrfs, random_mrf
from tests.tiers import thinned
from tests.unit.engines import fingerprint

PROVEN = {
    "UAI14PR_DBN_11.uai": -133.464194807,
    "UAI14PR_Segmentation_11.uai": 56.036788527,
    "bqp50-1.sparse": -2098.0,
    "gka2b.sparse": -121.0,
    "grid4x4.uai": -102.062020408,
}


def optimum(mrf: bc.BinaryMRF) -> float:
    return min(mrf.energy(x) for x in product((0, 1), repeat=mrf.n))


@settings(max_examples=examples(200))
@given(mrfs(9), st.integers(1, 9), st.sampled_from(METHODS))
def test_an_answer_is_the_optimum_and_a_bound_is_below_it(mrf: bc.BinaryMRF, max_size: int, method: str) -> None:
    """Groups as small as you like: then it may be that nothing is proven."""
    found, best = certify(mrf, max_size, method=method), optimum(mrf)
    found.verify(mrf)
    assert found.upper_bound == mrf.energy(found.labeling)
    assert found.lower_bound <= best + 1e-9 * max(1.0, abs(best))
    if found.optimal:
        assert found.upper_bound == pytest.approx(best, abs=found.negligible + 1e-9 * abs(best))
        assert (found.lower_bound, found.open_variables) == (found.upper_bound, 0)


@pytest.mark.parametrize(
    "mrf",
    [body_pose(14, 8, 3), ising_grid(6, 6, torus=True, seed=3), random_mrf(np.random.default_rng(4), 40, 0.4)],
    ids=lambda mrf: mrf.name,
)
def test_a_proof_is_a_line_of_forks_that_repeats_it(mrf: bc.BinaryMRF) -> None:
    """From a run that was watched; each round is the fork of the one before, and runs as it did."""
    watched = bc.Engine(mrf, bc.partition(mrf, 4), variant=9)
    watched.run(max_events=30)
    begins = Fork(30, Change(prove=True))
    rounds, forks = [begins.change.fork(watched)], [begins]

    def begun(fork: Fork, engine: bc.Engine) -> None:
        forks.append(fork)
        rounds.append(engine)

    descent = Descent(mrf, first=rounds[0], on_round=begun, method="groups")
    descent.run()
    assert len(descent.rounds) == len(rounds) > 1
    line = replace(Lineage.of(watched, 4), forks=read_forks(forks_text(forks)))
    _, *again = line.runs(mrf)
    for one, other in zip(rounds, again, strict=True):
        other.seek(0)
        other.run(max_events=one.position)
        assert fingerprint(one) == fingerprint(other)
    assert again[-1].whole.reduced.n == descent.rounds[-1].variables
    assert descent.upper_bound == pytest.approx(rounds[-1].upper_bound)


@pytest.mark.parametrize("scale", thinned([1e-6, 1.0, 1e6], 2))
@pytest.mark.parametrize("constant", [0.0, 1e9])
def test_a_constant_neither_helps_nor_hinders(scale: float, constant: float) -> None:
    mrf = random_mrf(np.random.default_rng(8), 12, 0.5, scale)
    found, moved = certify(mrf), certify(replace(mrf, constant=constant))
    assert found.optimal
    assert moved.optimal
    assert found.labeling.tolist() == moved.labeling.tolist()
    assert found.upper_bound == pytest.approx(optimum(mrf))


@pytest.mark.parametrize("method", METHODS)
def test_a_difference_that_rounding_hides_is_not_decided(method: str) -> None:
    """Beside energies of 1e12 one of 1e-6 is lost: it says that it does not know, or has the optimum."""
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(examples(10)):
        small = random_mrf(rng, 8, 0.6, 1e-6)
        large = np.where(rng.random((len(small.edges), 1, 1)) < 0.3, 1e12, 0.0) * [[1, -1], [-1, 1]]
        mrf = replace(small, pairwise=small.pairwise + large)
        found = certify(mrf, method=method)
        wrong += found.optimal and found.upper_bound > optimum(mrf)
    assert wrong == 0


@pytest.mark.parametrize("scale", thinned([5e-324, 1e-318, 1e-309, 1e-301, 1e-290], 3))
@pytest.mark.parametrize("integers", thinned([False, True], 2))
@pytest.mark.parametrize("method", METHODS)
def test_energies_at_the_end_of_the_range_of_floats(scale: float, integers: bool, method: str) -> None:
    """They have few digits or one: a gain of 1e-300 does not count."""
    for seed in range(4):
        mrf = random_mrf(seed, 8, 0.6, scale, integers=integers)
        found = certify(mrf, method=method)
        found.verify(mrf)
        assert found.optimal or method == CYCLES
        assert not found.optimal or found.upper_bound <= optimum(mrf) + max(1e-9 * abs(optimum(mrf)), 1e-300)


def test_decimals_without_couplings() -> None:
    """Nothing is at stake between variables, so nothing is negligible, and no decimal is a multiple of 0.1."""
    for seed in range(examples(50)):
        rng = np.random.default_rng(seed)
        mrf = bc.BinaryMRF(unary=rng.integers(-30, 31, (3, 2)) / 10)
        found = certify(mrf)
        found.verify(mrf)
        assert found.optimal
        assert found.upper_bound == pytest.approx(optimum(mrf))


@pytest.mark.parametrize("method", METHODS)
def test_a_bound_beside_a_huge_constant_is_rounded_down(method: str) -> None:
    """Floats near 1e15 are 1/8 apart: those of the bounds of many rounds add up."""
    for seed in range(examples(30)):
        mrf = random_mrf(seed, 8, 1.0, constant=1e15)
        stopped = Descent(mrf, 1, method=method)
        stopped.run(max_sweeps=1 + seed % 3)
        found = stopped.end()
        found.verify(mrf)
        least = optimum(replace(mrf, constant=0.0))
        assert found.optimal or found.lower_bound - mrf.constant <= least + 1e-9


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", thinned(range(40), 4))
def test_small_energies_beside_huge_ones_that_cancel(seed: int, method: str) -> None:
    """Variables with huge preferences are decided, and their huge couplings to one variable cancel each other."""
    rng = np.random.default_rng(seed)
    n, huge, small = 8, 1e12, 1e-4
    unary = small * rng.normal(size=(n, 2))
    unary[:3, 1] += rng.choice([-50.0, 50.0], 3) * huge
    edges = np.column_stack(np.triu_indices(n, 1))
    tables = small * rng.normal(size=(len(edges), 2, 2))
    tables[edges[:, 1] < 3] = 0.0
    for j in range(3, n):
        coupling = huge * rng.normal()
        for i, weight in zip(rng.choice(3, 2, replace=False), (coupling, -coupling), strict=True):
            tables[(edges == [i, j]).all(axis=1), :, :] = [0.0, weight]
    mrf = bc.BinaryMRF(unary, edges, tables)
    found = certify(mrf, max_size=int(rng.integers(2, 6)), method=method)
    found.verify(mrf)
    costs = [exact_energy(mrf, x) for x in product((0, 1), repeat=n)]
    assert found.optimal or method == CYCLES
    assert not found.optimal or exact_energy(mrf, tuple(found.labeling)) - min(costs) <= found.negligible < 1e-5 * small


def table(same: float, other: float, both: float = 0.0) -> list[list[float]]:
    """Energies of two variables that are equal, or opposite; both may be 1 at another one."""
    return [[same, other], [other, both or same]]


K = 2.0**50


@pytest.mark.parametrize("max_size", [1, 2, 6])
@pytest.mark.parametrize(
    ("edges", "tables"),
    [
        ([[0, 1]], [table(0, 1e15, -0.06)]),
        ([[0, 1], [0, 2], [2, 3]], [table(0, 2e15), table(0, 1e15, -0.03), table(4000, 0)]),
        ([[0, 1]], [table(0, 1e6, -4e-11)]),
        ([[0, 1]], [table(0, 2.0**26, -9e-10)]),
        (
            [[0, i] for i in range(1, 7)],
            [table(2 * K, 0), table(K, 0), table(2 * K, 0), table(2 * K, 0), table(0, K), [[2 * K, 0], [-7e-4, 2 * K]]],
        ),
        ([[0, 1], [1, 2]], [[[1e11 + 1, 1], [2, 1e11 - 2]], [[0, 1e11 - 1], [1e11 + 1, 2]]]),
        ([[0, 2], [1, 2]], [[[1e15, -0.01], [0, 1e15]], [[0, 0], [2000, 0]]]),
        ([[0, 1], [3, 4]], [table(0, 824633720832.0), [[5e-6, 824633720832.0], [824633720832.0, 0]]]),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_small_energies_that_coefficients_are_rounded_by(
    edges: list[list[int]], tables: list[list[list[float]]], max_size: int, method: str
) -> None:
    """They may lie below the last digit of all sums: then nothing is proven that they might change."""
    n = 1 + max(map(max, edges))
    mrf = bc.BinaryMRF(np.zeros((n, 2)), edges, tables)
    found = certify(mrf, max_size, method=method)
    found.verify(mrf)
    least = min(exact_energy(mrf, x) for x in product((0, 1), repeat=n))
    if found.optimal:
        assert exact_energy(mrf, tuple(found.labeling)) - least <= found.negligible
    assert Fraction(found.lower_bound) - least <= found.negligible


def exact_energy(mrf: bc.BinaryMRF, x: tuple[int, ...]) -> Fraction:
    taken = [mrf.unary[i, x[i]] for i in range(mrf.n)]
    taken += [t[x[i], x[j]] for (i, j), t in zip(mrf.edges, mrf.pairwise, strict=True)]
    return sum(map(Fraction, map(float, taken)), Fraction(mrf.constant))


def test_models_without_anything_to_decide() -> None:
    empty = certify(bc.BinaryMRF(unary=np.zeros((0, 2)), constant=3.0))
    alone = certify(bc.BinaryMRF(unary=[[2.0, 1.0]]))
    equal = certify(bc.BinaryMRF(unary=np.zeros((5, 2)), edges=[[0, 1]], pairwise=np.ones((1, 2, 2))))
    apart = certify(bc.BinaryMRF(unary=[[0, 1], [1, 0], [0, 5]], constant=1.0))
    assert [(found.optimal, found.upper_bound) for found in (empty, alone, equal, apart)] == [
        (True, 3.0),
        (True, 1.0),
        (True, 1.0),
        (True, 1.0),
    ]


def test_hard_constraints() -> None:
    """Exactly one of three variables is 1; and a model that no labelling fulfils."""
    pairs = [[0, 1], [0, 2], [1, 2]]
    exclusive = np.array([[[0, 0], [0, np.inf]]] * 3)
    found = certify(bc.BinaryMRF(unary=[[9, 0], [9, 1], [9, 2]], edges=pairs, pairwise=exclusive))
    assert (found.optimal, found.feasible, found.labeling.tolist()) == (True, True, [1, 0, 0])
    odd = np.array([[[np.inf, 0], [0, np.inf]]] * 3)
    none = certify(bc.BinaryMRF(unary=np.zeros((3, 2)), edges=pairs, pairwise=odd))
    assert not none.feasible


@pytest.mark.parametrize("name", PROVEN)
def test_published_optima(name: str, shared_instances: Path) -> None:
    found = certify(bc.load(shared_instances / name))
    assert found.optimal
    assert found.upper_bound == pytest.approx(PROVEN[name])


def test_a_proof_in_several_rounds_never_steps_back() -> None:
    """A body pose whose model is reduced again and again; the optimum is that of the whole model in one run."""
    mrf = body_pose(candidates=10, seed=3)
    found = certify(mrf, method="groups")
    parts = bc.solve(mrf, bc.partition(mrf, 10, "groups"), 12)
    assert found.optimal
    assert found.upper_bound == pytest.approx(parts.upper_bound)
    assert parts.status == "closed"
    assert len(found.rounds) > 2
    lower = [one.lower_bound for one in found.rounds]
    assert lower == sorted(lower)
    left = [one.variables for one in found.rounds]
    decided = [one.fixed + one.tied for one in found.rounds]
    assert [before - went for before, went in zip(left[:-1], decided, strict=False)] == left[1:]


def test_the_same_proof_twice() -> None:
    mrf = body_pose(candidates=8, seed=1)
    first, second = (certify(mrf, seed=4) for _ in range(2))
    assert [replace(one, seconds=0.0) for one in first.rounds] == [replace(one, seconds=0.0) for one in second.rounds]


@pytest.mark.parametrize("made", thinned([lambda: body_pose(candidates=8, seed=1), lambda: frustrated(12)], 2))
def test_a_proof_made_in_turns_is_the_same(made: Callable[[], bc.BinaryMRF], monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns that end within sweeps and within trials."""
    mrf = made()
    at_once, by_turns = certify(mrf, max_size=3), Descent(mrf, max_size=3)
    monkeypatch.setattr("bender_core.engine.engine._SLICE", 1 << 10)
    seen, within = [(by_turns.sweep, by_turns.lower_bound)], 0
    while not by_turns.run(max_sweeps=by_turns.sweep + 1, on_progress=lambda _: True):
        within += by_turns.sweep == seen[-1][0]
        seen.append((by_turns.sweep, by_turns.lower_bound))
    assert within > len(seen) / 3
    assert seen == sorted(seen)
    found = by_turns.end()
    assert [replace(one, seconds=0.0) for one in found.rounds] == [replace(one, seconds=0.0) for one in at_once.rounds]
    assert (found.status, found.lower_bound) == (at_once.status, at_once.lower_bound)
    assert found.labeling.tolist() == at_once.labeling.tolist()


@pytest.mark.parametrize("turns", [2, 5, 20, 60])
def test_a_proof_ended_between_turns_lets_go_of_its_runs(turns: int) -> None:
    proof, mrf = Descent(frustrated(12), max_size=3, method="groups"), frustrated(12)
    for _ in range(turns):
        proof.run(on_progress=lambda _: True)
    found = proof.end()
    assert (found.optimal, found.status, proof.run()) == (False, descent.STOPPED, True)
    assert -np.inf < found.lower_bound < optimum(mrf)
    found.verify(mrf)
    account, running = proof.account, ref(proof)
    del proof
    assert running() is None, "without the help of the garbage collector"
    assert account.used == 0


def test_a_proof_that_an_error_has_ended_is_stopped() -> None:
    calls = list[int]()

    def interrupted() -> bool:
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return False

    proof = Descent(frustrated(12), 3, stop=bc.Stop(requested=interrupted), method="groups")
    with pytest.raises(KeyboardInterrupt):
        proof.run()
    assert (proof.run(), proof.end().status) == (True, descent.STOPPED)
    cramped = Descent(frustrated(12), 3, account=bc.Account(10), method="groups")
    with pytest.raises(bc.TooLargeError):
        cramped.run()
    assert (cramped.run(), cramped.status) == (True, descent.OUT_OF_MEMORY)


def test_all_that_a_proof_has_in_memory_is_on_its_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that goes on, the one that it goes on from, and what proves the facts of both."""
    proof, both = Descent(ising_grid(12, 12, torus=True, seed=1), method="groups"), list[tuple[int, int, int]]()
    make = policy.Policy._made

    def made(self: policy.Policy, *args: Any) -> Trial:
        trial, account = make(self, *args), proof.account
        runs = proof.engine, trial.engine
        assert not any("start" in line.items for line in account.charges), "nothing is kept to go back to"
        both.append((account.used, *(nbytes((engine.arrays.state, engine.arrays.problem)) for engine in runs)))
        return trial

    monkeypatch.setattr(policy.Policy, "_made", made)
    proof.run()
    assert len(both) > 3
    assert all(used >= old + new for used, old, new in both)
    found = proof.end()
    assert found.proof
    (line,) = (line for line in proof.account.charges if line.name == "proof")
    assert line.used == sum(step.messages.nbytes for step in found.proof.steps) > 0


def test_a_proof_that_is_stopped_claims_less_than_its_labelling_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bound may equal it, and yet prove nothing but for rounding."""
    monkeypatch.setattr(descent, "REPORT_SECONDS", 0.0)
    mrf = bc.BinaryMRF(unary=[[0.1, 0.3], [0.2, 0.7]])
    found = certify(mrf, 1, on_progress=lambda proof: proof.lower_bound > -np.inf)
    assert (found.status, found.optimal) == (descent.STOPPED, False)
    assert found.upper_bound - 1e-15 < found.lower_bound < found.upper_bound
    found.verify(mrf)


def frustrated(n: int) -> bc.BinaryMRF:
    """Spins of which every pair is coupled, by 1 or -1."""
    edges = np.column_stack(np.triu_indices(n, 1))
    sign = np.random.default_rng(1).choice([-1.0, 1.0], len(edges))
    return bc.BinaryMRF(
        unary=np.zeros((n, 2)), edges=edges, pairwise=sign[:, None, None] * [[1, -1], [-1, 1]], name="frustrated"
    )


def test_where_the_largest_groups_stall_other_cuts_are_tried() -> None:
    """Small groups cannot see how all pairs are coupled: it ends all the same, with bounds."""
    mrf = frustrated(12)
    found = certify(mrf, max_size=2, method="groups")
    assert found.status == descent.EXHAUSTED
    assert found.lower_bound < optimum(mrf) <= found.upper_bound
    assert {one.strategy for one in found.rounds} > {"greedy"}
    assert found.open_variables > 0


def test_it_ends_after_some_cuts_in_vain_or_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = frustrated(12)
    by_number = certify(mrf, max_size=2, method="groups")
    decisions = [one.fixed + one.tied for one in by_number.rounds]
    assert not any(decisions)
    assert len(by_number.rounds) == policy.PATIENCE + 1
    monkeypatch.setattr(policy, "ENOUGH", 0)
    by_work = certify(mrf, max_size=2, method="groups")
    assert by_work.status == descent.EXHAUSTED
    assert len(by_work.rounds) == 1


def test_a_trial_ends_where_it_proves_or_its_bound_stalls(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much work it may do."""
    monkeypatch.setattr(policy, "TRIAL", 1 << 40)
    ended = list[bool]()

    def begun(fork: Fork, engine: bc.Engine) -> None:
        if fork.change.by_strategy is not None:
            sweeps = [event for event in engine.trace if event.kind == Kind.SWEEP]
            gaps = [event.upper_bound - event.lower_bound for event in sweeps]
            stalled = [before - gap < policy.LEAST * gap for before, gap in pairwise(gaps)]
            # The best ones are tried a second time.
            assert not any(stalled[:-2])
            ended.append(proves(engine) or stalled[-1])

    for seed in range(2):
        Descent(ising_grid(10, 10, torus=True, seed=seed), on_round=begun, method="groups").run()
    assert ended
    assert all(ended)


def test_a_proof_is_stopped_at_any_moment_with_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descent, "REPORT_SECONDS", 0.0)
    mrf, calls = body_pose(candidates=14, seed=2), list[int]()

    def enough(descent: Descent) -> bool:
        calls.append(len(descent.rounds))
        return len(calls) > 3

    found = certify(mrf, on_progress=enough)
    assert (found.optimal, found.status) == (False, descent.STOPPED)
    assert found.lower_bound <= found.upper_bound == mrf.energy(found.labeling)
    late = certify(mrf, time_limit=0.0)
    assert (late.optimal, late.status) == (False, descent.OUT_OF_TIME)


def test_bad_input_is_refused() -> None:
    mrf = random_mrf(np.random.default_rng(0), 3)
    with pytest.raises(ValueError, match="time limit"):
        certify(mrf, time_limit=float("nan"))
    with pytest.raises(bc.PartitionError):
        certify(mrf, max_size=0)


def test_a_bound_is_checked_to_its_last_digits() -> None:
    mrf = bc.BinaryMRF(unary=[[1.0, 2.0]])
    bc.check_proof(mrf, bc.Proof(mrf.content_hash(), np.array([1]), 1.0, 2.0, 0.0, ()))
    with pytest.raises(bc.RefusedError, match="do not prove the bound"):
        bc.check_proof(mrf, bc.Proof(mrf.content_hash(), np.array([1]), 1.0 + 1e-12, 2.0, 0.0, ()))


def test_a_stop_after_a_reduction_keeps_nothing_of_the_model_before() -> None:
    """Beside huge energies the run of the whole model may seem better than what is known of the reduced one."""
    unary = np.zeros((6, 2))
    unary[:, 0] = [-2.88102532e9, 0.238609606, 37.2721089, 99750.8425, 369301795.0, -1.1712564e-05]
    unary[:, 1] = [2.27635598e-04, 357959028.0, -1.15934974e-12, 4.93039612e-12, -55382.4446, 407366.72]
    edges = [(0, 3), (0, 4), (0, 5), (1, 5), (2, 5), (3, 5), (4, 5)]
    pairwise = [
        [[-1.28684146e-09, -8.5333705e-06], [2.57753007, -157912236.0]],
        [[295531488000.0, -78.1737223], [13834760400.0, -1.1423362e-12]],
        [[-1.6894065e-12, -1.14499126e-07], [1.39522022e-05, 3.42777938e-09]],
        [[-6.57315916e-10, -5516127270.0], [-1585202480.0, -1502.05915]],
        [[-0.00621842198, -6.83743791e-09], [-118147966.0, -1187851050.0]],
        [[0.00164277935, -0.00177927463], [9.28074502e-08, 601604581000.0]],
        [[1.67112193e-06, 14.6672994], [-1.31804888e-09, 4.11114167e-13]],
    ]
    mrf = bc.BinaryMRF(unary, edges, pairwise)
    for looks in range(60):
        left = iter(range(looks))
        found = bc.certify(mrf, stop=bc.Stop(requested=lambda left=left: next(left, None) is None))
        assert found.labeling.shape == (6,)
        assert found.lower_bound <= found.upper_bound == mrf.energy(found.labeling)
