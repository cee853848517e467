"""The past of a message: what is said of an event is what the run shows there."""

from __future__ import annotations

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import RowKind
from bender_core.looking.classes import classes
from bender_core.looking.history import history, lives, tight_where_made
from bender_core.looking.rows import row_values
from tests.unit.engines import sample


def torus(variant: int = 6, sweeps: int = 8) -> bc.Engine:
    mrf = sample("torus-10x10")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), variant=variant)
    engine.run(max_sweeps=sweeps)
    return engine


def test_rows_may_come_loose_where_they_were_made_but_reverse_rows_do_not() -> None:
    engine, told = torus(), set()
    for p, q in engine.graph.edges.tolist():
        for receiver, sender in ((p, q), (q, p)):
            rows = looking.rows(engine, receiver, sender)
            for row, tight in zip(rows, tight_where_made(engine, receiver, sender, rows), strict=True):
                made = row.made_for
                (own,) = (r for r in looking.rows(engine, made, p + q - made) if r.index == row.index)
                truth = looking.min_marginal(engine, made, p + q - made)[row.anchor]
                assert tight == (truth - row_values(own)[row.anchor] <= 1e-9 * (1 + abs(truth)))
                told.add((bool(tight), row.kind))
    assert {(False, RowKind.MWC_1), (True, RowKind.RMC)} <= told
    assert (False, RowKind.RMC) not in told


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_the_past_is_that_of_the_run_and_leaves_it_where_it_stands(share: float) -> None:
    engine = torus()
    p, q = engine.graph.edges[3].tolist()
    here = int(share * len(engine.trace))
    engine.seek(here)
    past = history(engine, p, q, points=9, seconds=60.0)
    assert (engine.position, past.complete) == (here, True)
    assert (past.event[0], past.event[-1]) == (0, len(engine.trace))
    assert here in past.event
    assert not past.maximal.all()
    for k, position in enumerate(past.event.tolist()):
        engine.seek(position)
        slack = np.maximum(looking.min_marginal(engine, p, q) - looking.envelope(engine, p, q), 0.0)
        assert (past.mean[k], past.largest[k]) == pytest.approx((slack.mean(), slack.max()), abs=1e-12)
        rows, width = looking.rows(engine, p, q), past.maximal.shape[1]
        values = np.array([row_values(row) for row in rows])
        maximal = (values >= values.max(axis=0) - 1e-9).any(axis=1)
        assert past.maximal[k].tolist() == [*maximal, *[False] * (width - len(rows))]
        tight = tight_where_made(engine, p, q, rows)
        assert past.tight[k].tolist() == [*tight, *[False] * (width - len(rows))]


@pytest.mark.slow
def test_the_lives_of_rows_are_those_of_the_events_looked_at() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    engine.run(max_sweeps=6)
    kinds = set()
    for p, q in [edge for pair in engine.graph.edges[:6].tolist() for edge in (pair, pair[::-1])]:
        past = history(engine, p, q, points=12, seconds=60.0)
        for here in (past.event[5], past.event[-1]):
            now = int(here)
            engine.seek(now)
            rows = looking.rows(engine, p, q)
            for k, (row, life) in enumerate(zip(rows, lives(past, rows, now), strict=True)):
                lived = [(e, at) for e, at in enumerate(past.event.tolist()) if row.born < at <= now]
                maximal = [at for e, at in lived if past.maximal[e, k]]
                tight = [at for e, at in lived if past.tight[e, k]]
                after = [at for _, at in lived if not maximal or at > maximal[-1]]
                assert life.maximal == (maximal[-1] if maximal else None)
                assert life.tight == (tight[-1] if tight else None)
                assert life.dead == (after[0] if after else None)
                # The present is always looked at.
                assert (life.dead is None) == (classes(engine, p, q).maximal[k] > 0)
                kinds.add((life.maximal is None, life.dead is None))
    assert kinds == {(False, True), (False, False), (True, False)}


def test_without_time_only_the_beginning_is_looked_at() -> None:
    engine = torus(sweeps=2)
    p, q = engine.graph.edges[0].tolist()
    past = history(engine, p, q, points=9, seconds=0.0)
    assert (past.complete, past.event.tolist()) == (False, [0])
    later = looking.rows(engine, p, q)
    assert len(later) > past.maximal.shape[1]
    assert lives(past, later, engine.position)[-1] == (None, None, None)


def test_an_exact_variant_has_a_past_without_rows() -> None:
    engine = torus(variant=12, sweeps=2)
    past = history(engine, *engine.graph.edges[0].tolist(), points=4, seconds=60.0)
    assert past.maximal.shape == past.tight.shape == (len(past.event), 0)
    assert (past.largest == 0).all()
