"""The bound by cycles beside the rounds of a proof: it ends proofs, decides, gives way, and never lies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain, product, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.checking.proof import CycleStep, Step
from bender_core.engine.arrays import Start
from bender_core.forms.reduction import OPEN, Facts, reduction
from bender_core.stopping import never
from bender_core.synth import chimera
from bender_core.synth.grids import ising_grid
from bender_core.synth.pose import body_pose
from bender_core.trying import cycles
from bender_core.trying.change import ByCycles, Fork, forks_text, read_forks
from bender_core.trying.lineage import Lineage
from bender_core.trying.proof import Descent
from bender_core.trying.solving import certify
from bender_core.trying.steps import CYCLES
from tests.models import examples, loose, mrfs
from tests.unit.engines import fingerprint


def optimum(mrf: bc.BinaryMRF) -> float:
    return min(mrf.energy(x) for x in product((0, 1), repeat=mrf.n))


def test_a_sparse_model_is_proven_before_any_group_is_made() -> None:
    mrf = bc.sample("torus-10x10")
    descent = Descent(mrf)
    descent.run()
    found = descent.end()
    assert descent.engine is None
    (only,) = found.rounds
    assert (only.strategy, only.variables, only.groups, only.sweeps, only.fixed) == (CYCLES, 100, 0, 0, 100)
    assert found.proof is not None
    assert [type(step) for step in found.proof.steps] == [CycleStep]
    found.verify(mrf)
    result = bc.solve(mrf)
    assert (result.optimal, result.status, result.rows, result.sweeps) == (True, "closed", 0, 0)
    assert result.upper_bound == found.upper_bound


@pytest.mark.parametrize("tail", [3, 6])
def test_what_cycles_decide_leaves_the_model(tail: int) -> None:
    """They tie variables of different groups; what is left is partitioned anew, and the proof holds."""
    for seed in range(5):
        mrf = loose(tail, seed)
        found = certify(mrf, max_size=3)
        decided = [one for one in found.rounds if one.strategy == CYCLES]
        assert decided[0].tied + decided[0].fixed >= tail
        assert found.upper_bound == pytest.approx(optimum(mrf))
        found.verify(mrf)
        assert found.proof is not None
        assert {type(step) for step in found.proof.steps} == {CycleStep, Step}


@settings(max_examples=examples(150), deadline=None)
@given(mrfs(8), st.sampled_from([0, 1 << 16, 1 << 28]), st.sampled_from([0.0, 1.0, 100.0]), st.integers(1, 4))
def test_however_the_work_is_shared_the_answer_is_right(
    mrf: bc.BinaryMRF, first: int, share: float, max_size: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("FIRST", first), ("LEADING", share), ("EQUAL", share), ("SPARSE", 99)):
            patch.setattr(cycles, name, value)
        found = certify(mrf, max_size)
    found.verify(mrf)
    best = optimum(mrf)
    near = found.negligible + 1e-9 * max(1.0, abs(best))
    assert found.lower_bound <= best + near
    assert not found.optimal or found.upper_bound <= best + near


def test_a_dense_model_gives_cycles_little_work() -> None:
    for mrf in (body_pose(candidates=14, seed=3), bc.sample("karate")):
        descent = Descent(mrf)
        descent.run()
        assert descent.end().optimal
        assert all(one.strategy != CYCLES for one in descent.rounds)
        assert descent.cycles.work < 0.15 * descent.known.work


def test_where_groups_give_up_cycles_go_on_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = ising_grid(8, 8, torus=True, seed=2)
    monkeypatch.setattr("bender_core.trying.policy.PATIENCE", 0)
    for name in ("FIRST", "EQUAL", "TRAILING"):
        monkeypatch.setattr(cycles, name, 0)
    assert not certify(mrf, max_size=2, method="groups").optimal
    found = certify(mrf, max_size=2)
    assert found.optimal
    assert [one.strategy == CYCLES for one in found.rounds][-2:] == [False, True]
    found.verify(mrf)


@pytest.mark.parametrize("checks", [3, 30, 100])
def test_a_stop_leaves_the_bound_by_cycles(checks: int) -> None:
    mrf = ising_grid(20, 20, torus=True, seed=1)
    left = iter(range(checks))
    found = certify(mrf, stop=bc.Stop(requested=lambda: next(left, None) is None))
    assert found.status == "stopped"
    assert -np.inf < found.lower_bound < found.upper_bound
    found.verify(mrf)
    assert not found.rounds or found.rounds[-1].strategy == CYCLES


def test_rounds_that_decide_nothing_leave_the_bound_by_cycles() -> None:
    """What is shown on the way is what the certificate claims in the end."""
    rng = np.random.default_rng(0)
    pairs = np.column_stack(np.triu_indices(80, 1))
    edges = pairs[np.sort(rng.choice(len(pairs), 320, replace=False))]
    weight = rng.normal(size=(len(edges), 1, 1)) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    mrf = bc.BinaryMRF(0.1 * rng.normal(size=(80, 2)), edges, weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cycles, "FIRST", 1 << 27)
        patch.setattr(cycles, "LEADING", 0.0)
        patch.setattr(cycles, "EQUAL", 0.0)
        descent = Descent(mrf, max_size=2)
        descent.run(max_sweeps=30)
        shown = descent.lower_bound
        found = descent.end()
    assert len(found.rounds) > 2
    assert not found.optimal
    assert found.lower_bound == pytest.approx(shown, abs=1e-9)
    found.verify(mrf)


def test_a_labelling_found_elsewhere_ends_a_packing_that_has_come_to_its_end() -> None:
    mrf = ising_grid(6, 6, seed=2)
    descent = Descent(mrf)
    best = bc.search(mrf).labeling
    packing_of = descent.cycles
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bender_core.cycles.packing.Packing._improving", lambda _, broken: iter(()))
        moments = packing_of.finish()
        for _ in moments:
            pass
        assert packing_of.packing is not None
        assert (packing_of.packing.finished, packing_of.packing.is_proven) == (True, False)
        descent.known.keep_better(best)
        descent.known._best.take(best)
        with pytest.raises(StopIteration) as end:
            next(packing_of.finish())
    assert end.value.value is True


def test_cycles_that_do_not_fit_into_memory_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even begun: the signed graph of a dense model alone may not fit."""
    account = bc.Account(60_000)
    monkeypatch.setattr(cycles, "Packing", None)
    held = Descent(ising_grid(20, 20, torus=True, seed=1), account=account).cycles
    assert [list(held.go_on(-np.inf)), held.packing] == [[], None]
    assert account.used == 0


def test_a_proof_is_interrupted_within_a_round_of_cycles() -> None:
    """A call of ``on_progress`` may pause it there, and it goes on as if it had not been."""
    mrf = ising_grid(12, 12, torus=True, coupling="gaussian", seed=1)
    whole, pieces, within = certify(mrf), Descent(mrf), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bender_core.trying.proof.REPORT_SECONDS", 0.0)
        while not pieces.run(on_progress=lambda _: True):
            packing = pieces.cycles.packing
            within += packing is not None and packing._course is not None
    found = pieces.end()
    assert within > 20
    assert found.proof is not None
    assert whole.proof is not None
    assert found.proof.to_bytes() == whole.proof.to_bytes()


def test_cycles_alone_say_what_they_could_not_prove() -> None:
    mrf = loose(3)
    found = certify(mrf, method=CYCLES)
    assert (found.optimal, found.status) == (False, "nothing left to try")
    assert found.lower_bound < optimum(mrf) == pytest.approx(found.upper_bound)
    found.verify(mrf)


def test_the_same_proof_twice() -> None:
    one, other = (certify(loose(6, 1), max_size=3, seed=3) for _ in range(2))
    assert [each.work for each in one.rounds] == [each.work for each in other.rounds]
    assert one.proof is not None
    assert other.proof is not None
    assert one.proof.to_bytes() == other.proof.to_bytes()


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no method 'cycle'; choose one of both, groups, cycles"):
        certify(loose(3), method="cycle")


def test_a_run_on_what_cycles_have_left_counts_the_gains_of_the_whole_model() -> None:
    """The energies of what is left are larger where penalties are fixed in it: more of them would be negligible."""
    tables = [[[0.0, 1e5], [0.0, np.e]], [[0.0, 1 / 3], [np.pi, 0.0]]]
    mrf = bc.BinaryMRF([[0.0, 1e5], [0.0, 0.1], [0.7, 0.0]], [[0, 1], [1, 2]], tables)
    descent = Descent(mrf)
    descent.known.lower_penalties()
    last = reduction(descent.known.whole, Facts(np.array([0, OPEN, OPEN]), np.zeros((0, 3), np.int64)))
    descent.known.leave(last, np.zeros(3, np.int64))
    left = descent.known.rest
    engine = bc.Engine(left.whole.reduced, bc.partition(left.whole.reduced, 1), start=Start(left=left))
    assert engine.margin.negligible == descent.known.negligible == left.negligible
    assert engine.whole is left.whole
    alone = bc.Engine(left.whole.reduced, bc.partition(left.whole.reduced, 1))
    assert alone.margin.negligible != left.negligible


def line_of(
    mrf: bc.BinaryMRF, max_size: int, event: int = 0, stop: bc.Stop = never
) -> tuple[bc.Certificate, Lineage, list[bc.Engine]]:
    """A proof that goes on from a run, and the line of all runs, each at its end."""
    begun = bc.Engine(mrf, bc.partition(mrf, max_size=min(max_size, 3)), variant=9)
    begun.run(max_events=event)
    change = bc.Change(prove=True)
    lineage, runs = Lineage.of(begun, max_size).forked(begun.position, change), [change.fork(begun)]

    def keep(fork: Fork, engine: bc.Engine) -> None:
        nonlocal lineage
        lineage = lineage.forked(*fork)
        runs.append(engine)

    descent = Descent(mrf, max_size, stop=stop, first=runs[0], on_round=keep)
    descent.run()
    return descent.end(), lineage, runs


def test_a_proof_stopped_at_any_time_leaves_its_last_complete_round_of_cycles() -> None:
    mrf = ising_grid(10, 10, torus=True, seed=1)
    whole = set()
    for checks in range(3, 60):
        still = chain(repeat(False, checks), repeat(True))
        found, lineage, runs = line_of(mrf, 3, stop=bc.Stop(requested=partial(next, still)))
        if found.optimal:
            break
        assert found.status == "stopped"
        found.verify(mrf)
        change = lineage.forks[-1].change
        whole.add(None if change.cycles is None else change.cycles.rounds)
        assert runs[-1].lower_bound <= found.lower_bound
    assert whole == {None, 1, 2}


@pytest.mark.parametrize("event", [0, 9])
def test_a_line_of_runs_and_cycles_is_made_again(event: int) -> None:
    """From its text alone: the same models, bounds and labellings, to the last bit."""
    by_cycles = 0
    for seed in range(4):
        mrf = loose(5, seed)
        found, lineage, runs = line_of(mrf, 3, event)
        lineage = replace(lineage, forks=read_forks(forks_text(lineage.forks)))
        by_cycles += sum(fork.change.cycles is not None and fork.change.reduce for fork in lineage.forks)
        again = list(lineage.runs(mrf))[1:]
        assert len(again) == len(runs)
        for one, other in zip(runs, again, strict=True):
            other.run(max_events=one.position)
            assert (other.mrf.content_hash(), other.arrays.proven) == (one.mrf.content_hash(), one.arrays.proven)
            assert fingerprint(other) == fingerprint(one)
        assert found.optimal
        assert runs[-1].upper_bound == pytest.approx(found.upper_bound)
    assert by_cycles


def test_a_proof_that_cycles_end_has_a_last_run_with_their_bound_and_labelling() -> None:
    mrf = bc.sample("torus-10x10")
    found, lineage, runs = line_of(mrf, 8)
    assert found.optimal
    last = runs[-1]
    assert (last.mrf.n, last.position, last.lower_bound < last.arrays.proven.lower_bound) == (mrf.n, 0, True)
    assert last.arrays.proven.lower_bound == found.upper_bound == pytest.approx(last.upper_bound)
    assert np.array_equal(last.labeling, found.labeling)
    assert last.fork().arrays.proven.lower_bound == last.arrays.proven.lower_bound
    change = lineage.forks[-1].change
    assert change.cycles is not None
    packing = bc.Packing(mrf)
    packing.run()
    assert change.cycles.rounds <= packing.rounds
    # Fewer rounds prove less.
    fewer = replace(change, cycles=ByCycles(1)).fork(runs[0])
    assert fewer.lower_bound < fewer.arrays.proven.lower_bound < last.arrays.proven.lower_bound


def test_a_bound_by_cycles_that_proves_nothing_is_shown_by_a_last_run() -> None:
    mrf = loose(0)  # of which cycles decide nothing
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bender_core.trying.policy.PATIENCE", 0)
        patch.setattr("bender_core.trying.policy.ENOUGH", 0)
        found, _, runs = line_of(mrf, 1)
    assert not found.optimal
    assert found.rounds[-1].strategy == CYCLES
    assert runs[-2].lower_bound < runs[-1].arrays.proven.lower_bound < runs[-1].upper_bound
    assert runs[-1].arrays.proven.lower_bound == pytest.approx(found.lower_bound)


def test_cycles_that_do_not_fit_into_memory_are_refused() -> None:
    mrf = bc.sample("torus-10x10")
    engine = bc.Engine(mrf, bc.partition(mrf, max_size=3))
    change = bc.Change(cycles=ByCycles(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bender_core.cycles.packing.OF_EDGE", 1 << 40)
        with pytest.raises(bc.TooLargeError, match="there is no room for cycles beside this run"):
            change.fork(engine)


@pytest.mark.parametrize("seed", [1, 3])
def test_a_proof_is_made_again_although_another_labelling_costs_the_same(seed: int) -> None:
    """A packing that begins with the labelling of the run finds another one of the same energy."""
    mrf = chimera(3, 3, seed=seed)
    found, lineage, runs = line_of(mrf, 8, 40)
    assert any(fork.change.cycles is not None and fork.change.reduce for fork in lineage.forks)
    again = list(lineage.runs(mrf))[1:]
    assert [run.mrf.content_hash() for run in again] == [run.mrf.content_hash() for run in runs]
    assert found.optimal


def test_beside_huge_costs_the_last_run_knows_that_cycles_have_proven_its_labelling() -> None:
    """The rounding of its own bound would hide it."""
    rng, shown = np.random.default_rng(5), 0
    for _ in range(20):
        edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
        weight = rng.normal(size=(4, 1, 1)) * np.array([[1.0, -1.0], [-1.0, 1.0]])
        weight[0] *= 1e12
        found, _, runs = line_of(bc.BinaryMRF(rng.normal(size=(4, 2)), edges, weight), 2)
        if found.optimal and found.rounds[-1].strategy == CYCLES:
            assert runs[-1].arrays.proven.is_optimal
            shown += 1
    assert shown


def test_a_model_without_frustration_is_proven_by_a_last_run_after_no_round() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    mrf = bc.BinaryMRF(np.zeros((4, 2)), edges, np.tile([[-1.0, 1.0], [1.0, -1.0]], (4, 1, 1)))
    found, lineage, runs = line_of(mrf, 2)
    assert found.optimal
    assert lineage.forks[-1].change.cycles == ByCycles(0)
    assert runs[-1].arrays.proven == (found.upper_bound, True)
    assert "no frustrated cycle" in lineage.forks[-1].change.words(lineage.partition)
    assert [run.arrays.proven for run in lineage.runs(mrf)][-1] == runs[-1].arrays.proven


def test_what_is_proven_about_a_labelling_is_not_passed_on_to_a_worse_one() -> None:
    mrf = bc.sample("torus-10x10")
    _, _, runs = line_of(mrf, 8)
    last = runs[-1]
    value = np.full(mrf.n, OPEN)
    value[:5] = 1 - last.labeling[:5]
    worse = last.fork(reduction=reduction(last.whole, Facts(value)))
    assert worse.upper_bound > last.upper_bound
    assert worse.arrays.proven == (last.arrays.proven.lower_bound, False)


def test_without_room_for_more_cycles_a_proof_keeps_their_bound() -> None:
    mrf = bc.sample("torus-10x10")
    found = certify(mrf, account=bc.Account(380_000), method="cycles")
    assert (found.optimal, found.status) == (False, "no memory for another run")
    assert found.lower_bound > -130.0
    found.verify(mrf)
