"""The anatomy of a row: its payments make the row, and its answer makes the intercept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.anatomy import anatomy, couplings
from tests import naive
from tests.models import cut_mrfs, examples
from tests.unit.engines import WITH_ROWS, sample, size_of


def test_couplings_between_two_groups_are_those_of_the_model() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    slow = naive.GroupModel(mrf, engine.partition.groups)
    for p, q in engine.graph.edges.tolist():
        for receiver, sender in ((p, q), (q, p)):
            found, coupling = couplings(engine.graph, receiver, sender), slow.coupling(receiver, sender)
            mine, theirs = np.arange(coupling.shape[0])[:, None], np.arange(coupling.shape[1])[None, :]
            total = np.zeros(coupling.shape)
            for i, j, (a, b), weight in zip(*found, strict=True):
                total -= weight * ((mine >> i & 1 == a) & (theirs >> j & 1 == b))
            np.testing.assert_allclose(total, coupling, rtol=0, atol=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(cut_mrfs(max_n=9, max_size=4), st.sampled_from(WITH_ROWS), st.integers(0, 80), st.booleans())
def test_payments_make_the_row_and_the_answer_its_intercept(
    cut: tuple[bc.BinaryMRF, bc.Partition], variant: int, events: int, forward: bool
) -> None:
    mrf, part = cut
    engine = bc.Engine(mrf, part, variant=variant)
    assume(len(engine.graph.edges))
    engine.run(max_events=events)
    close = 1e-9 * size_of(mrf)
    for edge in engine.graph.edges.tolist():
        p, q = edge if forward else edge[::-1]
        lam = looking.message(engine, q, p)
        for row in looking.rows(engine, p, q):
            found = anatomy(engine, p, q, row)
            links = found.couplings
            u, v = np.zeros_like(row.u), np.zeros_like(row.v)
            np.add.at(u, (links.receiving, links.entry[:, 0]), row.paid)
            np.add.at(v, (links.sending, links.entry[:, 1]), links.weight - row.paid)
            np.testing.assert_allclose(u, row.u, rtol=0, atol=close)
            np.testing.assert_allclose(v, row.v, rtol=0, atol=close)
            assert ((row.paid >= -close) & (row.paid <= links.weight + close)).all()

            answer = int(found.answer.astype(np.int64) @ (1 << np.arange(len(found.answer))))
            reached = -lam - naive.table_of(row.v)
            idle = np.setdiff1d(np.arange(len(part.groups[q])), links.sending)
            alike = [
                y
                for y in range(len(lam))
                if all((y ^ answer) >> k & 1 == 0 or k in idle for k in range(len(found.answer)))
            ]
            assert reached[alike].min() == pytest.approx(row.intercept, abs=close)
            assert reached.min() == pytest.approx(row.intercept, abs=close)
            assert (found.answer[idle] == 0).all()

            assert found.own == (row.made_for == p)
            ends, values = (links.receiving, links.entry[:, 0]) if found.own else (links.sending, links.entry[:, 1])
            assert found.taken.tolist() == [(row.anchor >> i & 1) == a for i, a in zip(ends, values, strict=True)]
            # What is taken at the anchor is paid at the other end.
            assert (np.abs(row.paid if found.own else links.weight - row.paid)[found.taken] <= close).all()
