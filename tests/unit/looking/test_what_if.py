"""What-if rows: they are valid, they are tight at their state, and the run is unchanged."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import RowKind
from tests import naive
from tests.models import cut_mrfs, examples

POSE = Path(__file__).parents[3] / "sample_instances/pose.mrf.json"

jitless = pytest.mark.jitless


@jitless
@settings(max_examples=examples(60))
@given(cut_mrfs(max_n=9, max_size=4), st.sampled_from([1, 4, 9, 12]), st.data())
def test_every_cut_is_a_row_tight_at_its_state(
    cut: tuple[bc.BinaryMRF, bc.Partition], variant: int, data: st.DataObject
) -> None:
    mrf, part = cut
    engine = bc.Engine(mrf, part, variant=variant)
    assume(len(engine.graph.edges))
    engine.run(max_sweeps=data.draw(st.integers(0, 3)))
    p, q = data.draw(st.sampled_from([end for e in engine.graph.edges.tolist() for end in (e, e[::-1])]))
    state = data.draw(st.integers(0, (1 << len(part.groups[p])) - 1))
    slow = naive.GroupModel(mrf, part.groups)
    nu, envelope = looking.min_marginal(engine, p, q), looking.envelope(engine, p, q)
    close = 1e-9 * float(1 + np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum())
    cuts = bc.what_if(engine, p, q, state)
    assert [cut.kind for cut in cuts] == [RowKind.RMC, RowKind.MWC_1, RowKind.MWC_HALF, RowKind.MWC_0]
    for cut in cuts:
        assert cut.values[state] == pytest.approx(nu[state], rel=0, abs=close)
        assert (cut.values <= nu + close).all()
        separable = -naive.table_of(cut.u)[:, None] - naive.table_of(cut.v)[None, :]
        assert (separable <= slow.coupling(p, q) + close).all()
        assert cut.looseness == pytest.approx((nu - cut.values).mean(), rel=0, abs=close)
        assert cut.lift == pytest.approx((np.maximum(envelope, cut.values) - envelope).mean(), rel=0, abs=close)
        np.testing.assert_allclose(cut.rise, np.maximum(envelope, cut.values) - envelope, rtol=0, atol=close)
        assert cut.lift == pytest.approx(cut.rise.mean(), rel=1e-12)
        arc = engine.graph.arc(p, q)
        before, after = (
            looking.is_tight(engine, arc, nu, below) for below in (envelope, np.maximum(envelope, cut.values))
        )
        assert cut.tightened == after.sum() - before.sum()
        assert cut.seconds >= 0
        assert (cut.pivots == 0) or cut.kind != RowKind.RMC
    reverse = slow.reverse_row(p, q, state)
    np.testing.assert_allclose(naive.table_of(cuts[0].u), reverse[p], rtol=0, atol=close)


def test_the_run_is_unchanged() -> None:
    mrf = bc.load(POSE)
    asked, plain = (bc.Engine(mrf, bc.partition(mrf, 8), variant=9) for _ in range(2))
    for _ in range(40):
        for engine in (asked, plain):
            engine.step("row")
        for p, q in ((0, 1), (1, 0)):
            bc.what_if(asked, p, q, 5)
    assert asked.trace.to_csv() == plain.trace.to_csv()
    for p, q in asked.graph.edges.tolist():
        assert np.array_equal(looking.message(asked, p, q), looking.message(plain, p, q))
        assert np.array_equal(looking.envelope(asked, p, q), looking.envelope(plain, p, q))


def test_a_cut_takes_time_and_pivots() -> None:
    mrf = bc.load(POSE)
    engine = bc.Engine(mrf, bc.partition(mrf, 12), variant=9)
    engine.run(max_sweeps=1)
    cuts = [cut for state in range(0, 4096, 512) for cut in bc.what_if(engine, 0, 1, state)]
    assert sum(cut.pivots for cut in cuts) > 0
    assert all(cut.seconds > 0 for cut in cuts)


def test_a_row_that_is_too_quick_for_the_clock_takes_what_it_can_take_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock has ticked once in all: twenty-one rows took no longer than one."""
    mrf = bc.load(POSE)
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    ticks = itertools.cycle([0.0, 1e-6])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    assert [cut.seconds for cut in bc.what_if(engine, 0, 1, 5)] == [pytest.approx(1e-6 / 21)] * 4


def test_impossible_rows_are_refused() -> None:
    mrf = bc.load(POSE)
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    with pytest.raises(ValueError, match="states are numbered 0 to 255"):
        bc.what_if(engine, 0, 1, 256)
    far = next(q for q in range(engine.graph.n_groups) if q and q not in engine.graph.neighbours(0))
    with pytest.raises(ValueError, match="not coupled"):
        bc.what_if(engine, 0, far, 0)
