"""Predicted memory against an engine's arrays, and refusals."""

from __future__ import annotations

import dataclasses
import itertools
import re

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking, synth
from bender_core.account import memory_limit
from bender_core.costs import freedom
from bender_core.costs import work as costs
from bender_core.costs.speed import Speed, speed
from bender_core.engine import engine as engine_module
from bender_core.engine.fit import largest_fit, required_bytes
from bender_core.engine.memory import TABLES, nbytes
from bender_core.kernels.layout import Kind
from bender_core.strategies import choice
from bender_core.trying import refine as trial
from bender_core.trying.refine import refine
from bender_core.variants import SCHEDULES
from tests.models import random_mrf, random_partition
from tests.tiers import quick

GB = 1 << 30


def sample(name: str) -> bc.BinaryMRF:
    return bc.sample(name)


def seconds(mrf: bc.BinaryMRF, part: bc.Partition | None, variant: int) -> float:
    return bc.estimate(mrf, part or bc.partition(mrf), variant).seconds_per_sweep


@pytest.mark.parametrize("variant", [5, 9, 11, 12])
@pytest.mark.parametrize("seed", range(6))
def test_what_a_run_takes_from_its_beginning_is_known_to_the_byte(seed: int, variant: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = random_mrf(rng, int(rng.integers(1, 40)), density=float(rng.choice([0.05, 0.3, 1.0])))
    part = random_partition(rng, mrf.n, int(rng.choice([1, 3, 8, 11])))
    engine = bc.Engine(mrf, part, variant=variant)
    form = engine.graph.normal_form
    kept = form.unary.nbytes + form.entry.nbytes + form.weight.nbytes
    fixed = engine.arrays.problem, engine.arrays.state, engine.arrays.work

    def held() -> int:
        return kept + sum(
            map(nbytes, (*fixed, engine.arrays.rows.view, engine.arrays.events.view, *engine.arrays.past.states))
        )

    assert required_bytes(mrf, part, variant) == held()
    engine.run()
    assert engine.account.used == held() + nbytes(engine.arrays.probe) + (8 * TABLES << part.max_size)


@pytest.mark.parametrize(("name", "max_size"), [("pose-small", 6), ("pose", 8), ("pose", 16), ("torus-10x10", 10)])
def test_the_bytes_of_a_whole_run(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = bc.partition(mrf, max_size)
    engine = bc.Engine(mrf, part, variant=9)
    engine.run()
    assert 1 / 3 < bc.estimate(mrf, part, 9).bytes / engine.account.used < 3


@pytest.mark.parametrize("variant", [4, 9, 11])
@pytest.mark.parametrize("strategy", ["groups", "greedy"])
def test_a_refusal_names_the_largest_group_size_that_fits(strategy: str, variant: int) -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 12, strategy)
    limit = required_bytes(mrf, part, variant) - 1
    with pytest.raises(bc.TooLargeError, match="more than the limit") as refusal:
        bc.Engine(mrf, part, variant=variant, limit=limit)
    named = int(re.search(r"M = (\d+) would fit", str(refusal.value))[1])
    assert named == largest_fit(mrf, part, variant, limit) < part.max_size
    bc.Engine(mrf, bc.partition(mrf, named, strategy), variant=variant, limit=limit)
    for larger in range(named + 1, part.max_size + 1):
        assert required_bytes(mrf, bc.partition(mrf, larger, strategy), variant) > limit


@pytest.mark.parametrize("strategy", ["auto", "pursuit", "manual"])
def test_a_refusal_of_groups_made_by_runs_makes_no_runs(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """These may take seconds: the groups that fit are the default strategy's."""
    monkeypatch.setattr(choice, "BY_RUNS", {})
    mrf = sample("pose")
    part = dataclasses.replace(bc.partition(mrf, 12, "greedy"), strategy=strategy)
    limit = required_bytes(mrf, part, 9) - 1
    named = largest_fit(mrf, part, 9, limit)
    assert named == largest_fit(mrf, dataclasses.replace(part, strategy="groups"), 9, limit)


def test_a_bound_is_certified_where_there_is_no_room_to_look_at_messages() -> None:
    mrf = sample("tree")
    part = bc.partition(mrf, 14, "greedy")
    engine = bc.Engine(mrf, part, variant=9, limit=1 << 20)
    engine.run()
    assert looking.certified_bound(engine) == pytest.approx(engine.lower_bound, rel=1e-12)
    p, q = engine.graph.ends(0)
    for look in (
        lambda: looking.envelope(engine, p, q),
        lambda: looking.min_marginal(engine, p, q, [0]),
        engine.tightness,
    ):
        with pytest.raises(bc.TooLargeError, match=r"looking at a message takes .* of 1 MB; M = 13 would") as refused:
            look()
    assert engine.account.used <= 1 << 20
    nearest = bc.Engine(mrf, bc.partition(mrf, refused.value.fits, "greedy"), variant=9, limit=1 << 20)
    nearest.run()
    assert (looking.envelope(nearest, p, q) <= looking.min_marginal(nearest, p, q) + 1e-9).all()


def test_a_certificate_without_room_is_one_sentence() -> None:
    mrf = sample("torus-10x10")
    part = bc.partition(mrf, 8, "greedy")
    engine = bc.Engine(mrf, part, variant=9, limit=required_bytes(mrf, part, 9))
    with pytest.raises(bc.TooLargeError, match=r"computing the certificate of the bound takes .* M = 7 would"):
        looking.certified_bound(engine)


@pytest.mark.parametrize("variant", [9, 11, 12])
@pytest.mark.parametrize("seed", range(4))
def test_a_certificate_is_the_sum_of_minima_over_whole_tables(seed: int, variant: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = random_mrf(rng, 24, density=float(rng.choice([0.1, 0.5])))
    engine = bc.Engine(mrf, random_partition(rng, mrf.n, 7), variant=variant)
    engine.run(max_events=20)
    nodes = sum(looking.reparametrized(engine, p).min() for p in range(engine.graph.n_groups))
    edges = sum(
        (looking.min_marginal(engine, p, q) - looking.message(engine, p, q)).min()
        for p, q in engine.graph.edges.tolist()
    )
    constant = engine.graph.normal_form.constant
    assert looking.certified_bound(engine) == pytest.approx(nodes + edges + constant, rel=1e-12)


def test_groups_of_24_are_refused_before_anything_is_allocated() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 24, "greedy")
    with pytest.raises(bc.TooLargeError, match=r"groups of up to 24 variables need \S+ GB.*; M = \d+ would fit"):
        bc.Engine(mrf, part, variant=9, limit=GB)


@pytest.mark.parametrize("max_size", [1, 3])
def test_if_nothing_fits_the_advice_is_to_raise_the_limit(max_size: int) -> None:
    mrf = sample("tiny")
    said = rf"groups of up to {max_size} variables? need .*; no smaller groups would fit: raise the limit"
    with pytest.raises(bc.TooLargeError, match=said):
        bc.Engine(mrf, bc.partition(mrf, max_size), variant=9, limit=1)


def test_groups_made_by_hand_are_measured_too() -> None:
    mrf = sample("pose")
    part = bc.manual(mrf, [range(0, 28), *([i] for i in range(28, mrf.n))])
    with pytest.raises(bc.TooLargeError, match=r"up to 28 variables .* M = \d+ would fit"):
        bc.Engine(mrf, part, variant=9, limit=GB)


def test_the_limit_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BENDER_MEMORY_MB", raising=False)
    assert memory_limit() == GB
    monkeypatch.setenv("BENDER_MEMORY_MB", "5")
    assert memory_limit() == 5 << 20
    mrf = sample("pose")
    with pytest.raises(bc.TooLargeError, match="more than the limit"):
        bc.Engine(mrf, bc.partition(mrf, 12), variant=9)


@pytest.mark.parametrize("variant", [4, 9, 11, 12])
def test_larger_groups_are_predicted_to_cost_more(variant: int) -> None:
    mrf = sample("torus-10x10")
    predicted = [bc.estimate(mrf, bc.partition(mrf, max_size, "greedy"), variant) for max_size in (8, 12, 16)]
    assert [p.states for p in predicted] == [1 << 8, 1 << 12, 1 << 16]
    for smaller, larger in itertools.pairwise(predicted):
        assert 0 < smaller.bytes < larger.bytes
        assert 0 < smaller.seconds_per_sweep < larger.seconds_per_sweep


def test_enumeration_is_predicted_to_lose_at_the_papers_size() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 16)
    assert seconds(mrf, part, 11) > 50 * seconds(mrf, part, 9)


@pytest.mark.parametrize("variant", quick(bc.VARIANTS, (5, 9, 11, 12)))
def test_dense_models_are_predicted_to_cost_more(variant: int) -> None:
    dense = synth.sherrington_kirkpatrick(24, "pm1")
    sparse = synth.random_regular(24, 3)
    blocks = [range(k, k + 12) for k in (0, 12)]
    assert seconds(dense, bc.manual(dense, blocks), variant) > seconds(sparse, bc.manual(sparse, blocks), variant)


@pytest.mark.parametrize("variant", [1, 4, 9])
def test_strong_fields_and_attraction_are_predicted_to_cost_less(variant: int) -> None:
    free = synth.sherrington_kirkpatrick(24)
    blocks = bc.manual(free, [range(k, k + 12) for k in (0, 12)])
    decided = dataclasses.replace(free, unary=free.unary + np.where(np.arange(2) == 1, 100.0, 0.0))
    attractive = dataclasses.replace(free, pairwise=-np.abs(free.coupling())[:, None, None] * np.eye(2))
    assert seconds(decided, blocks, variant) < 0.5 * seconds(free, blocks, variant)
    assert seconds(attractive, blocks, variant) < 0.5 * seconds(free, blocks, variant)


@pytest.mark.parametrize("variant", [4, 5])
def test_more_cuts_are_predicted_to_cost_more(variant: int) -> None:
    mrf = sample("karate")
    part = bc.partition(mrf, 12)
    assert seconds(mrf, part, variant) == pytest.approx(seconds(mrf, part, variant + 5))
    assert seconds(mrf, part, 4) < seconds(mrf, part, 1) < seconds(mrf, part, 5)


@pytest.mark.parametrize("variant", quick(bc.VARIANTS, (5, 9, 11, 12)))
def test_a_model_without_couplings_costs_next_to_nothing(variant: int) -> None:
    none, many = np.zeros((0, 2), np.int64), seconds(sample("pose"), None, variant)
    for n in (0, 1, 3):
        mrf = bc.BinaryMRF(np.zeros((n, 2)), none, np.zeros((0, 2, 2)))
        assert 0 < seconds(mrf, bc.partition(mrf, 2, "greedy"), variant) < many


@pytest.mark.parametrize(("name", "max_size"), [("pose", 8), ("torus-10x10", 12), ("karate", 12), ("tree", 8)])
def test_the_couplings_are_those_of_the_hyper_graph(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = bc.partition(mrf, max_size)
    coupled, problem = costs.coupled(mrf, part), bc.HyperGraph(mrf, part).problem
    np.testing.assert_array_equal(coupled.ends, problem.edge_node)
    np.testing.assert_array_equal(coupled.bits.reshape(-1), problem.bits)
    np.testing.assert_array_equal(coupled.first, problem.couplings.first)
    assert ((coupled.loose >= 0) & (coupled.loose <= coupled.bits)).all()
    method, largest = costs.plan(coupled)
    np.testing.assert_array_equal(method.reshape(-1), problem.methods.method)
    np.testing.assert_array_equal(largest.reshape(-1), problem.methods.largest)


def test_looseness_is_the_influence_of_other_groups() -> None:
    """In two groups of two variables: one is decided by its field, one by its own group, and two by the other group."""
    attract = np.array([[0.0, 1.0], [1.0, 0.0]])
    mrf = bc.BinaryMRF(
        unary=np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 9.0], [0.0, 0.0]]),
        edges=np.array([[0, 1], [0, 2], [1, 3]]),
        pairwise=np.array([3 * attract, attract, attract]),
    )
    looseness = costs.looseness(mrf, np.array([0, 0, 1, 1]))
    assert looseness == pytest.approx([0.5, 0.5, 0.0, 1.0])


@pytest.mark.parametrize("variant", quick(bc.VARIANTS, (5, 9, 11, 12)))
def test_going_forward_and_back_is_predicted_to_cost_more_than_going_once(variant: int) -> None:
    mrf = sample("torus-10x10")
    part = bc.partition(mrf, 8)
    once, twice = (bc.estimate(mrf, part, variant, schedule).seconds_per_sweep for schedule in ("mplp", "srmp"))
    assert once < twice < 2.5 * once


def test_an_unknown_schedule_is_refused() -> None:
    mrf = sample("tiny")
    with pytest.raises(ValueError, match="there is no schedule 'trws'; choose one of mplp, srmp"):
        bc.estimate(mrf, bc.partition(mrf, 2), 9, "trws")


def test_the_schedules_are_those_of_the_engine() -> None:
    assert costs.UPDATES.keys() == SCHEDULES.keys()
    mrf = sample("tiny")
    for schedule, updates in costs.UPDATES.items():
        engine = bc.Engine(mrf, bc.partition(mrf, 2), variant=11, schedule=schedule)
        assert looking.whereabouts(engine).updates == updates * len(engine.partition)


def test_models_that_are_frustrated_more_are_predicted_to_cost_more() -> None:
    """The same couplings with other signs: a relabelling makes all of them attractive, or does not."""
    frustrated = synth.sherrington_kirkpatrick(24)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], 24)
    table = np.array([[0.0, 1.0], [1.0, 0.0]])
    weight = np.abs(frustrated.coupling()) * signs[frustrated.edges].prod(axis=1)
    agreeing = bc.BinaryMRF(np.zeros((24, 2)), frustrated.edges, weight[:, None, None] * table)
    blocks = bc.manual(agreeing, [range(k, k + 12) for k in (0, 12)])
    assert freedom.frustration(agreeing) == 0 < freedom.frustration(frustrated)
    assert seconds(agreeing, blocks, 9) < 0.5 * seconds(frustrated, blocks, 9)


@pytest.mark.parametrize("weights", [(3.0, 2.0, 1.0), (3.0, -2.0, -1.0), (-3.0, -2.0, 1.0)])
def test_the_frustration_of_a_triangle_is_the_share_of_its_weakest_coupling_if_it_has_an_odd_number(
    weights: tuple[float, float, float],
) -> None:
    """Positive weights push apart; a triangle is frustrated if an odd number of them does."""
    table = np.array([[1.0, 0.0], [0.0, 1.0]])
    triangle = bc.BinaryMRF(np.zeros((3, 2)), [[0, 1], [1, 2], [0, 2]], np.array(weights)[:, None, None] * table)
    odd = sum(weight > 0 for weight in weights) % 2
    assert freedom.frustration(triangle) == pytest.approx(1 / 6 if odd else 0)


def test_spins_have_the_energies_of_the_model_but_for_a_constant() -> None:
    mrf = random_mrf(3, 9)
    spins, rng = freedom.to_spins(mrf), np.random.default_rng(0)
    differences = []
    for x in rng.integers(0, 2, (20, mrf.n)):
        s = 2.0 * x - 1
        differences.append(mrf.energy(x) - spins.field @ s - spins.coupling @ s[mrf.edges].prod(axis=1))
    assert np.ptp(differences) < 1e-9


def test_local_minima_can_hardly_be_improved_by_single_flips() -> None:
    mrf = random_mrf(5, 30, density=0.2)
    found = (freedom._local_minima(mrf, bc.stopping.never)[:, :8].T).astype(np.int64)
    better = 0
    for x in found:
        for i in range(mrf.n):
            flipped = x.copy()
            flipped[i] = 1 - x[i]
            better += mrf.energy(flipped) < mrf.energy(x) - 1e-9
    assert better < 0.05 * found.size


def test_groups_that_are_decided_answer_in_one_way_and_tied_ones_in_two() -> None:
    """Three pairs, all coupled weakly to six others: free, tied to each other, and decided by their fields."""
    weak = [[i, 6 + i] for i in range(6)]
    unary = np.zeros((12, 2))
    unary[4:6, 1] = 9.0
    repel = np.array([[1.0, 0.0], [0.0, 1.0]])
    mrf = bc.BinaryMRF(unary, [*weak, [2, 3]], np.array([*[repel] * 6, -9 * repel]))
    part = bc.manual(mrf, [[0, 1], [2, 3], [4, 5], range(6, 12)])
    free, tied, decided, _ = freedom.response(mrf, part)
    assert 1.8 < free <= 2
    assert 0.5 < tied <= 1
    assert decided == 0
    assert freedom.diversity(mrf, part)[2] == 0


@pytest.mark.parametrize("schedule", ["mplp", "srmp"])
@pytest.mark.parametrize("variant", [4, 9])
def test_a_trial_counts_what_a_run_does(variant: int, schedule: str) -> None:
    mrf = sample("karate")
    part = bc.partition(mrf, 8)
    graph, which = costs.coupled(mrf, part), bc.VARIANTS[variant]
    expected = costs.foreseen(mrf, part, graph, which, freedom.freedom(mrf, part))
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule)
    engine.run(max_sweeps=3)
    counted = trial._counted(engine, graph, expected)
    for p in range(len(part)):
        kinds = [event.kind for event in engine.trace if event.node == p]
        assert counted.rounds[p] == kinds.count(Kind.ORACLE) / kinds.count(Kind.MESSAGE)
    made = [event.arc // 2 for event in engine.trace if event.kind == Kind.ROW]
    assert counted.added * 3 == pytest.approx([made.count(edge) for edge in range(len(graph.ends))])
    assert (counted.held > 2).all() == (counted.added > 0).all()


@pytest.mark.parametrize("variant", [4, 9, 11, 12])
def test_a_trial_says_the_same_at_any_load_of_the_machine(monkeypatch: pytest.MonkeyPatch, variant: int) -> None:
    """On a busy machine a run advances in smaller slices."""
    mrf = sample("torus-10x10")
    part = bc.partition(mrf, 10)
    refined = refine(mrf, part, variant, "srmp")
    monkeypatch.setattr(engine_module, "_SLICE_SECONDS", 1e-4)
    assert refined == refine(mrf, part, variant, "srmp")
    assert refined.least == bc.estimate(mrf, part, variant, "srmp").least
    assert refined.seconds_per_sweep > 0


def test_estimates_and_trials_can_be_stopped() -> None:
    mrf = sample("karate")
    part = bc.partition(mrf, 12)
    for ask in (bc.estimate, refine):
        asked = itertools.count()
        with pytest.raises(bc.Stopped):
            ask(mrf, part, 9, stop=bc.Stop(wanted=lambda asked=asked: next(asked) == 5))
        assert next(asked) == 6


def test_without_a_trial_the_estimate_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no trial if tables are large or do not fit, or for a budget of 0."""
    mrf = sample("karate")
    part = bc.partition(mrf, 12)
    assert refine(mrf, part, 9) != bc.estimate(mrf, part, 9) == refine(mrf, part, 9, budget=0)
    monkeypatch.setenv("BENDER_MEMORY_MB", "0")
    assert refine(mrf, part, 9) == bc.estimate(mrf, part, 9)
    monkeypatch.delenv("BENDER_MEMORY_MB")
    monkeypatch.setattr(trial, "LARGEST", 0)
    assert refine(mrf, part, 9) == bc.estimate(mrf, part, 9)


def test_a_trial_that_comes_to_the_end_knows_the_memory_of_the_run() -> None:
    mrf = sample("karate")
    part = bc.partition(mrf, 8)
    engine = bc.Engine(mrf, part, variant=9, snapshot_bytes=0)
    engine.run()
    assert refine(mrf, part, 9).bytes == engine.arrays.line.used
    assert refine(mrf, part, 11).seconds_per_sweep == bc.estimate(mrf, part, 11).seconds_per_sweep


def test_memory_of_an_unfinished_trial_is_predicted_between_now_and_later() -> None:
    """A trial of a tenth of the run's work predicts its memory within a factor of three."""
    mrf = sample("pose")
    part = bc.partition(mrf, 8)
    engine = bc.Engine(mrf, part, variant=9)
    engine.run()
    tried = bc.Engine(mrf, part, variant=9)
    tried.run(max_work=engine.entries_read // 10)
    foreseen = refine(mrf, part, 9, budget=engine.entries_read // 10).bytes
    assert not tried.finished
    assert max(tried.arrays.line.used, engine.arrays.line.used / 3) < foreseen < 3 * engine.arrays.line.used


def test_a_trial_sees_that_clear_communities_need_few_rows() -> None:
    """The counted rows are closer to the run's than the predicted ones, which are ten times too many."""
    mrf = sample("karate")
    part = bc.partition(mrf, 17)
    engine = bc.Engine(mrf, part, variant=9)
    engine.run(max_sweeps=costs.SWEEPS)
    graph = costs.coupled(mrf, part)
    expected = costs.foreseen(mrf, part, graph, engine.variant, freedom.freedom(mrf, part))
    counted = trial._counted(engine, graph, expected)
    assert counted.added.sum() * engine.sweep <= engine.n_rows < expected.added.sum() * engine.sweep


def test_large_tables_are_passed_at_the_speed_of_memory() -> None:
    machine = Speed(entry=1.0, streamed=3.0, eliminated=1.0, overhead=1.0)
    assert machine.passing(np.array([2.0**12, 2.0**20])).tolist() == [2.0**12, 3 * 2.0**20]


def test_the_machine_is_measured_once() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 8)
    bc.estimate(mrf, part)
    assert all(seconds > 0 for seconds in speed())
    assert bc.estimate(mrf, part) == bc.estimate(mrf, part)
    assert speed.cache_info().misses == 1
