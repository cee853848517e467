"""Engines to test, with their slow twins."""

from __future__ import annotations

from copy import copy
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.engine.trace import COLUMNS
from bender_core.kernels.layout import Kind
from bender_core.looking.rows import Row
from tests import naive
from tests.models import JIT
from tests.tiers import quick

ROOT = Path(__file__).parents[2]
VARIANTS = tuple(bc.VARIANTS)
WITH_ROWS = tuple(number for number, variant in bc.VARIANTS.items() if not variant.exact)
EXACT = tuple(number for number, variant in bc.VARIANTS.items() if variant.exact)
# Those whose rows the twin makes itself; a Magnanti-Wong cut with alpha = 1 is one of many optima.
TWINS = (4, 9, *EXACT)
# All kinds of rows on the loosest edge, reverse rows on all edges, and the exact ones.
QUICK = (5, 9, *EXACT)

Cut = tuple[bc.BinaryMRF, bc.Partition]
jitless = pytest.mark.jitless
every_variant = pytest.mark.parametrize("variant", quick(VARIANTS, QUICK))
every_variant_with_rows = pytest.mark.parametrize("variant", quick(WITH_ROWS, QUICK))


def sample(name: str) -> bc.BinaryMRF:
    return bc.sample(name)


def size_of(mrf: bc.BinaryMRF) -> float:
    """The magnitude that rounding is relative to."""
    return float(1 + abs(mrf.constant) + np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum())


def twin(engine: bc.Engine, rows: bool = True) -> naive.NaiveEngine:
    """A naive engine at the messages and with the rows of an engine; without rows it has no envelopes."""
    slow = _at_the_messages(engine, _fresh_twin(engine.mrf, engine.partition, engine.variant.number))
    edges = slow.model.edges if rows else ()
    slow.rows = {(p, q): [_tables(p, q, row) for row in looking.rows(engine, p, q)] for p, q in edges}
    return slow


def followed(slow: naive.NaiveEngine, engine: bc.Engine, event: bc.Event) -> naive.NaiveEngine:
    """The twin after an event, from that before it: with one more row, or at the messages that were passed.

    Both share their lists of rows.
    """
    if event.kind == Kind.ROW:
        p, q = engine.graph.ends(event.arc)
        slow.rows[min(p, q), max(p, q)].append(_tables(p, q, looking.row(engine, event.row)))
    return _at_the_messages(engine, slow) if event.kind == Kind.MESSAGE else slow


@lru_cache(maxsize=1)
def _fresh_twin(mrf: bc.BinaryMRF, part: bc.Partition, variant: int) -> naive.NaiveEngine:
    """At the start of a run; kept, for its tables are the same all through the run."""
    return naive.NaiveEngine(mrf, part.groups, variant)


def _at_the_messages(engine: bc.Engine, slow: naive.NaiveEngine) -> naive.NaiveEngine:
    twin = copy(slow)
    twin.lam = {(p, q): looking.message(engine, p, q) for p, q in slow.model.theta}
    return twin


def _tables(receiver: int, sender: int, row: Row) -> dict[int, naive.Array]:
    return {receiver: naive.table_of(row.u), sender: naive.table_of(row.v)}


def glassy(seed: int = 0, n: int = 10 if JIT else 7, max_size: int = 3) -> Cut:
    """A spin glass on a complete graph: so frustrated that it keeps the engine busy for tens of sweeps."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    spins = np.array([[1.0, -1.0], [-1.0, 1.0]])
    unary, pairwise = 0.1 * rng.normal(size=(n, 2)), rng.normal(size=(len(i), 1, 1)) * spins
    mrf = bc.BinaryMRF(unary, np.column_stack([i, j]), pairwise)
    return mrf, bc.partition(mrf, max_size)


def fingerprint(engine: bc.Engine) -> tuple[bytes, ...]:
    """The complete state of a run at its position, to the last bit, including what inspection shows."""
    edges = engine.graph.edges.tolist()
    arrows = [*edges, *(edge[::-1] for edge in edges)]
    # Envelopes first: they compute the intercepts of all rows at the present messages.
    envelopes = [looking.envelope(engine, p, q).tobytes() for p, q in arrows]
    rows = engine.arrays.rows.view._replace(version=np.zeros(0))
    return (
        *(engine.trace.column(name)[: engine.position].tobytes() for name in COLUMNS),
        *(array.tobytes() for array in engine.arrays.state),
        *(looking.message(engine, p, q).tobytes() for p, q in arrows),
        *envelopes,
        *(array[: engine.n_rows].tobytes() for array in rows),
        repr(
            (engine.position, engine.sweep, engine.n_rows, engine.status, looking.open_node(engine), engine.gap)
        ).encode(),
    )
