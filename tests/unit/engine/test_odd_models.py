"""Extreme models, and the inspection of their runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.engine.trace import COLUMNS
from bender_core.kernels.layout import Kind, Status
from tests import naive
from tests.models import examples, mrfs, random_mrf
from tests.unit.engines import (
    EXACT,
    Cut,
    every_variant,
    glassy,
    jitless,
    size_of,
    twin,
)


def isolated() -> Cut:
    mrf = bc.BinaryMRF([[0, 1], [2, 0], [0, 0], [3, 1]], [[0, 1]], [[[0, 1], [-2, 0]]])
    return mrf, bc.manual(mrf, [[2], [0, 3], [1]])


def without_edges() -> Cut:
    mrf = random_mrf(0, 5, density=0.0, constant=4.0)
    return mrf, bc.partition(mrf, 2)


def without_interaction() -> Cut:
    mrf = bc.BinaryMRF([[0, 1], [2, 0], [1, 1]], [[0, 1], [1, 2]], [[[1, 2], [4, 5]], np.zeros((2, 2))])
    return mrf, bc.manual(mrf, [[0], [1], [2]])


def lonely() -> Cut:
    mrf = bc.BinaryMRF([[0.5, -1.5]])
    return mrf, bc.manual(mrf, [[0]])


def all_zero() -> Cut:
    mrf = bc.BinaryMRF(np.zeros((4, 2)), [[0, 1], [2, 3], [1, 2]], np.zeros((3, 2, 2)))
    return mrf, bc.manual(mrf, [[0, 2], [1, 3]])


def equal_unaries() -> Cut:
    tables = np.zeros((6, 2, 2))
    tables[:, 1, 1] = -1.0
    mrf = bc.BinaryMRF(np.full((4, 2), 3.0), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], tables)
    return mrf, bc.manual(mrf, [[0, 1], [2], [3]])


def antisymmetric() -> Cut:
    """Two optima of equal energy, mirror images: every group has ties all the way."""
    mrf = bc.BinaryMRF(np.zeros((6, 2)), [(i, (i + 1) % 6) for i in range(6)], np.tile(np.eye(2), (6, 1, 1)))
    return mrf, bc.manual(mrf, [[0, 1], [2, 3], [4, 5]])


def of_all_magnitudes() -> Cut:
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(8, 1)
    tables = rng.normal(size=(len(i), 2, 2)) * 10.0 ** rng.integers(-6, 7, (len(i), 1, 1))
    mrf = bc.BinaryMRF(rng.normal(size=(8, 2)), np.column_stack([i, j]), tables)
    return mrf, bc.partition(mrf, 3)


@jitless
@every_variant
@pytest.mark.parametrize(
    "make",
    [
        isolated,
        without_edges,
        without_interaction,
        lonely,
        all_zero,
        equal_unaries,
        antisymmetric,
        of_all_magnitudes,
    ],
)
def test_odd_models(make, variant: int) -> None:
    mrf, part = make()
    engine = bc.Engine(mrf, part, variant=variant)
    assert engine.run()
    optimum, close = naive.optimum(mrf), 1e-12 * size_of(mrf)
    slow = twin(engine)
    assert engine.lower_bound == pytest.approx(slow.lower_bound(), rel=0, abs=close)
    assert looking.certified_bound(engine) == pytest.approx(engine.lower_bound, rel=0, abs=close)
    assert engine.lower_bound <= optimum + close <= engine.upper_bound + 2 * close
    assert engine.upper_bound == pytest.approx(naive.energy(mrf, engine.labeling), rel=0, abs=close)
    if engine.graph.cycles() == 0:
        assert engine.lower_bound == pytest.approx(optimum, rel=1e-8)
        assert engine.status == Status.GAP_CLOSED
        assert engine.gap <= 1e-9


@jitless
@every_variant
def test_the_scale_of_the_energies_changes_nothing(variant: int) -> None:
    """Times a power of two, floating-point numbers keep all their digits: so must the run."""
    mrf, part = glassy()
    plain = bc.Engine(mrf, part, variant=variant, max_sweeps=10)
    plain.run()
    for factor in (2.0**-60, 2.0**-20, 2.0**20, 2.0**60):
        scaled = bc.BinaryMRF(mrf.unary * factor, mrf.edges, mrf.pairwise * factor)
        other = bc.Engine(scaled, part, variant=variant, max_sweeps=10)
        other.run()
        for name in COLUMNS:
            expected = plain.trace.column(name)
            scale = factor if expected.dtype == float else 1
            np.testing.assert_array_equal(other.trace.column(name), expected * scale, err_msg=f"{name}, {factor}")


@jitless
@every_variant
@pytest.mark.parametrize("shift", [1e9, -1e9])
def test_a_constant_changes_nothing_but_the_bounds(variant: int, shift: float) -> None:
    mrf, part = glassy()
    shifted = bc.BinaryMRF(mrf.unary, mrf.edges, mrf.pairwise, constant=shift)
    plain = bc.Engine(mrf, part, variant=variant, max_sweeps=10, tolerance=0.0)
    other = bc.Engine(shifted, part, variant=variant, max_sweeps=10, tolerance=0.0)
    plain.run()
    other.run()
    assert other.lower_bound - shift == pytest.approx(plain.lower_bound, abs=1e-6)
    assert other.upper_bound - shift == pytest.approx(plain.upper_bound, abs=1e-6)
    for name in ("kind", "node", "arc", "row", "state", "rows"):
        assert np.array_equal(other.trace.column(name), plain.trace.column(name))
    for p, q in plain.graph.edges.tolist():
        assert np.array_equal(looking.message(other, p, q), looking.message(plain, p, q))


@jitless
@every_variant
def test_a_shift_of_the_tables_costs_only_its_own_rounding(variant: int) -> None:
    mrf, part = glassy()
    shifted = bc.BinaryMRF(mrf.unary + 1e9, mrf.edges, mrf.pairwise - 1e9)
    constant = 1e9 * (mrf.n - mrf.n_edges)
    plain, other = (bc.solve(m, part, variant, max_sweeps=30) for m in (mrf, shifted))
    assert other.lower_bound - constant == pytest.approx(plain.lower_bound, abs=1e-4)
    assert other.upper_bound == pytest.approx(naive.energy(shifted, other.labeling), abs=1e-4)


@settings(max_examples=examples(30))
@given(mrfs(max_n=6), st.data())
def test_hard_constraints_are_kept_where_they_can_be(mrf: bc.BinaryMRF, data: st.DataObject) -> None:
    pairwise = mrf.pairwise.copy()
    for e in data.draw(st.sets(st.integers(0, max(mrf.n_edges - 1, 0)))) if mrf.n_edges else ():
        pairwise[(e, *data.draw(st.tuples(st.integers(0, 1), st.integers(0, 1))))] = np.inf
    hard = bc.BinaryMRF(mrf.unary, mrf.edges, pairwise, mrf.constant)
    energies = [hard.energy(x) for x in naive.labelings(hard.n)]
    assume(hard.hard_entries)
    result = bc.solve(hard, bc.manual(hard, [range(hard.n)]))
    assert result.feasible == hard.is_feasible(min(energies))
    assert result.upper_bound == pytest.approx(min(energies), rel=1e-12, abs=1e-9)


@jitless
@every_variant
def test_tightness_is_that_of_the_envelopes(variant: int) -> None:
    mrf, part = glassy(max_size=4)
    engine = bc.Engine(mrf, part, variant=variant)
    assert np.isnan(looking.tightness(engine).at_state).all()
    engine.run(max_sweeps=2)
    slow, found, sampled = twin(engine), looking.tightness(engine), looking.tightness(engine, max_states=8)
    for p, q in slow.model.theta:
        arc = engine.graph.arc(p, q)
        slack = slow.min_marginal(p, q) - slow.envelope(p, q)
        assert found.mean[arc] == pytest.approx(slack.mean(), abs=1e-12)
        assert found.largest[arc] == pytest.approx(slack.max(), abs=1e-12)
        assert found.tight_share[arc] == np.mean(slack < 1e-9)
        assert not found.sampled[arc]
        assert sampled.sampled[arc] == (len(slack) > 8)
        assert sampled.largest[arc] <= found.largest[arc] + 1e-12
    if variant not in EXACT:
        assert 0 < found.tight_share.mean() < 1
        # The node updated last was left tight at its minimiser.
        last = [engine.graph.arc(len(part) - 1, q) for q in engine.graph.neighbours(len(part) - 1)]
        assert (found.at_state[last] <= 1e-12).all()


@jitless
@every_variant
@pytest.mark.parametrize("events", [0, 3, 20, 50])
def test_inspection_of_odd_models(variant: int, events: int) -> None:
    mrf, part = glassy()
    engine = bc.Engine(mrf, part, variant=variant)
    steps = [engine.step("event")[0] for _ in range(events)]
    slow, graph = twin(engine), engine.graph
    for p in range(len(part)):
        np.testing.assert_allclose(looking.reduced_cost(engine, p), slow.envelope_total(p), rtol=0, atol=1e-12)
        np.testing.assert_allclose(looking.reparametrized(engine, p), slow.reparametrized(p), rtol=0, atol=1e-12)
    for p, q in slow.model.theta:
        copy = looking.message(engine, p, q)
        copy += 1.0
        assert np.array_equal(looking.message(engine, p, q), slow.lam[p, q])
        some = [1, 0, 1]
        np.testing.assert_allclose(
            looking.min_marginal(engine, p, q, some), slow.min_marginal(p, q)[some], rtol=0, atol=1e-12
        )
    indices = [(row.index, edge) for edge, (p, q) in enumerate(graph.edges) for row in looking.rows(engine, p, q)]
    assert [edge for _, edge in sorted(indices)] == looking.row_edges(engine).tolist()
    assert len(indices) == engine.n_rows
    busy = bool(steps) and steps[-1].kind in (Kind.NODE_OPENED, Kind.ORACLE, Kind.ROW)
    assert looking.open_node(engine) == (steps[-1].node if busy else -1)
    seen = {event.arc for event in steps if event.kind in (Kind.ORACLE, Kind.ROW)} - {-1}
    assert not np.isnan(looking.slack(engine)[list(seen)]).any()


@jitless
@every_variant
def test_the_result_is_where_the_run_stands(variant: int) -> None:
    mrf, part = glassy()
    engine = bc.Engine(mrf, part, variant=variant)
    engine.run()
    result = bc.solve(mrf, part, variant)
    assert (result.lower_bound, result.sweeps, result.rows) == (engine.lower_bound, engine.sweep, engine.n_rows)
    assert np.array_equal(result.labeling, engine.labeling)
    assert result.upper_bound == mrf.energy(result.labeling) == pytest.approx(engine.upper_bound)
    assert result.gap == pytest.approx((result.upper_bound - result.lower_bound) / abs(result.lower_bound))
    assert (result.feasible, len(result.trace)) == (True, len(engine.trace))
