"""Predicted memory against what an engine really holds, and what is refused."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core import costs, synth
from bender_core.account import memory_limit
from bender_core.estimate import largest_fit, required_bytes
from bender_core.memory import nbytes
from bender_core.speed import speed
from tests.models import random_mrf, random_partition

SAMPLES = Path(__file__).parents[2] / "sample_instances"
GB = 1 << 30


def sample(name: str) -> bc.BinaryMRF:
    return bc.load(SAMPLES / f"{name}.mrf.json")


def seconds(mrf: bc.BinaryMRF, part: bc.Partition | None, variant: int) -> float:
    return bc.estimate(mrf, part or bc.partition(mrf), variant).seconds_per_sweep


@pytest.mark.parametrize("variant", [5, 9, 11, 12])
@pytest.mark.parametrize("seed", range(6))
def test_what_a_run_takes_from_its_beginning_is_known_to_the_byte(seed: int, variant: int) -> None:
    rng = np.random.default_rng(seed)
    mrf = random_mrf(rng, int(rng.integers(1, 40)), density=float(rng.choice([0.05, 0.3, 1.0])))
    part = random_partition(rng, mrf.n, int(rng.choice([1, 3, 8, 11])))
    engine = bc.Engine(mrf, part, variant)
    form = engine.graph.normal_form
    kept = form.unary.nbytes + form.entry.nbytes + form.weight.nbytes
    fixed = engine._problem, engine._state, engine._work

    def held() -> int:
        return kept + sum(map(nbytes, (*fixed, engine._rows.view, engine._events.view, *engine._past.states)))

    assert required_bytes(mrf, part, variant) == held()
    engine.run()
    assert engine.account.used == held() + nbytes(engine.probe)


@pytest.mark.parametrize(("name", "max_size"), [("pose-small", 6), ("pose", 8), ("pose", 16), ("torus-10x10", 10)])
def test_the_bytes_of_a_whole_run(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = bc.partition(mrf, max_size)
    engine = bc.Engine(mrf, part, 9)
    engine.run()
    assert 1 / 3 < bc.estimate(mrf, part, 9).bytes / engine.account.used < 3


@pytest.mark.parametrize("variant", [4, 9, 11])
@pytest.mark.parametrize("strategy", ["groups", "greedy"])
def test_a_refusal_names_the_largest_group_size_that_fits(strategy: str, variant: int) -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 12, strategy)
    limit = required_bytes(mrf, part, variant) - 1
    with pytest.raises(bc.TooLargeError, match="more than the limit") as refusal:
        bc.Engine(mrf, part, variant, limit=limit)
    named = int(re.search(r"M = (\d+) would fit", str(refusal.value))[1])
    assert named == largest_fit(mrf, part, variant, limit) < part.max_size
    bc.Engine(mrf, bc.partition(mrf, named, strategy), variant, limit=limit)
    for larger in range(named + 1, part.max_size + 1):
        assert required_bytes(mrf, bc.partition(mrf, larger, strategy), variant) > limit


def test_groups_of_24_are_refused_before_anything_is_allocated() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 24, "greedy")
    with pytest.raises(bc.TooLargeError, match=r"groups of up to 24 variables need \S+ GB.*; M = \d+ would fit"):
        bc.Engine(mrf, part, 9, limit=GB)


def test_where_nothing_fits_the_advice_is_to_cut() -> None:
    mrf = sample("tiny")
    with pytest.raises(bc.TooLargeError, match="cut it into smaller groups"):
        bc.Engine(mrf, bc.partition(mrf, 3), 9, limit=1)


def test_groups_made_by_hand_are_measured_too() -> None:
    mrf = sample("pose")
    part = bc.manual(mrf, [range(0, 28), *([i] for i in range(28, mrf.n))])
    with pytest.raises(bc.TooLargeError, match=r"up to 28 variables .* M = \d+ would fit"):
        bc.Engine(mrf, part, 9, limit=GB)


def test_the_limit_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BENDER_MEMORY_MB", raising=False)
    assert memory_limit() == GB
    monkeypatch.setenv("BENDER_MEMORY_MB", "5")
    assert memory_limit() == 5 << 20
    mrf = sample("pose")
    with pytest.raises(bc.TooLargeError, match="more than the limit"):
        bc.Engine(mrf, bc.partition(mrf, 12), 9)


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


@pytest.mark.parametrize("variant", bc.VARIANTS)
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


@pytest.mark.parametrize("variant", bc.VARIANTS)
def test_a_model_without_couplings_costs_next_to_nothing(variant: int) -> None:
    none = np.zeros((0, 2), np.int64)
    for n in (0, 1, 3):
        mrf = bc.BinaryMRF(np.zeros((n, 2)), none, np.zeros((0, 2, 2)))
        assert 0 < seconds(mrf, bc.partition(mrf, 2, "greedy"), variant) < seconds(sample("pose"), None, variant)


@pytest.mark.parametrize(("name", "max_size"), [("pose", 8), ("torus-10x10", 12), ("karate", 12), ("tree", 8)])
def test_the_couplings_are_those_of_the_hyper_graph(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = bc.partition(mrf, max_size)
    coupled, problem = costs.coupled(mrf, part), bc.HyperGraph(mrf, part).problem
    np.testing.assert_array_equal(coupled.ends, problem.edge_node)
    np.testing.assert_array_equal(coupled.bits.reshape(-1), problem.bits)
    np.testing.assert_array_equal(coupled.first, problem.coupling_start)
    assert ((coupled.loose >= 0) & (coupled.loose <= coupled.bits)).all()
    method, front = costs.plan(coupled)
    np.testing.assert_array_equal(method.reshape(-1), problem.method)
    np.testing.assert_array_equal(front.reshape(-1), problem.front)


def test_a_member_is_loose_as_far_as_others_decide_it() -> None:
    """In two groups of two: one decided by its field, one by its own group, and two that are free to follow."""
    attract = np.array([[0.0, 1.0], [1.0, 0.0]])
    mrf = bc.BinaryMRF(
        unary=np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 9.0], [0.0, 0.0]]),
        edges=np.array([[0, 1], [0, 2], [1, 3]]),
        pairwise=np.array([3 * attract, attract, attract]),
    )
    looseness = costs.looseness(mrf, np.array([0, 0, 1, 1]))
    assert looseness == pytest.approx([0.5, 0.5, 0.0, 1.0])


def test_the_machine_is_measured_once() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 8)
    bc.estimate(mrf, part)
    assert all(seconds > 0 for seconds in speed())
    assert bc.estimate(mrf, part) == bc.estimate(mrf, part)
    assert speed.cache_info().misses == 1
