"""The memory that a run needs at its start against an engine's arrays, and refusals."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.account import memory_limit
from bender_core.engine.coupled import coupled as coupled_of
from bender_core.engine.coupled import plan
from bender_core.engine.memory import TABLES, nbytes
from bender_core.engine.memory_needed import largest_fit, required_bytes
from bender_core.strategies import choice
from tests.models import random_mrf, random_partition

GB = 1 << 30


def sample(name: str) -> bc.BinaryMRF:
    return bc.sample(name)


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
    assert engine.account.used == held() + nbytes(engine.arrays.probe) + (8 * TABLES << part.largest)


@pytest.mark.parametrize("variant", [4, 9, 11])
@pytest.mark.parametrize("strategy", ["groups", "greedy"])
def test_a_refusal_names_the_largest_group_size_that_fits(strategy: str, variant: int) -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 12, strategy)
    limit = required_bytes(mrf, part, variant) - 1
    with pytest.raises(bc.TooLargeError, match="more than the limit") as refusal:
        bc.Engine(mrf, part, variant=variant, limit=limit)
    named = int(re.search(r"M = (\d+) would fit", str(refusal.value))[1])
    assert named == largest_fit(mrf, part, variant, limit) < part.largest
    bc.Engine(mrf, bc.partition(mrf, named, strategy), variant=variant, limit=limit)
    for larger in range(named + 1, part.largest + 1):
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
        lambda: looking.tightness(engine),
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


@pytest.mark.parametrize(("name", "max_size"), [("pose", 8), ("torus-10x10", 12), ("karate", 12), ("tree", 8)])
def test_the_couplings_are_those_of_the_hyper_graph(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = bc.partition(mrf, max_size)
    coupled, problem = coupled_of(mrf, part), bc.HyperGraph(mrf, part).problem
    np.testing.assert_array_equal(coupled.ends, problem.edge_node)
    np.testing.assert_array_equal(coupled.bits.reshape(-1), problem.bits)
    np.testing.assert_array_equal(coupled.first, problem.couplings.first)
    method, largest = plan(coupled)
    np.testing.assert_array_equal(method.reshape(-1), problem.methods.method)
    np.testing.assert_array_equal(largest.reshape(-1), problem.methods.largest)


@pytest.mark.parametrize("variant", [4, 12])
def test_the_size_that_is_offered_fits_a_run_that_excludes_states(variant: int) -> None:
    mrf = bc.sample("torus-10x10")
    for megabytes in (6, 20, 48):
        with pytest.raises(bc.TooLargeError) as refused:
            bc.Engine(mrf, bc.partition(mrf, 24, "greedy"), variant=variant, limit=megabytes << 20, excluding=True)
        fits = refused.value.fits
        assert fits is not None
        bc.Engine(mrf, bc.partition(mrf, fits, "greedy"), variant=variant, limit=megabytes << 20, excluding=True)
