"""The steps of a row against streaming their bytes: one numpy pass over as many bytes, in the same run."""

from __future__ import annotations

import numpy as np

import bender_core as bc
from benchmarks.common import POSE, Options, interleaved, times
from bender_core import looking
from bender_core.kernels._jit import entry
from bender_core.kernels.layout import Message
from bender_core.kernels.min_marginals.enumerate import oracle
from bender_core.kernels.rows.pool import arc_of, begin_recycling, recycle, write_reverse_row
from bender_core.kernels.tables.affine import argmin, raise_with_total

SIZE = 16
REPEATS = 15
LOOPS = 20
AIM = 3.0


@entry
def recycle_often(problem, pool, state, message, work, loops):
    for _ in range(loops):
        begin_recycling(state, message, work)
        while work.progress.next >= 0:
            recycle(problem, pool, state, message, work)


@entry
def add_often(problem, pool, row, message, total, work, loops):
    """The oracle, the tables of a row, envelope and total raised by it, the new minimiser."""
    arc = arc_of(pool, row)
    bits, u = problem.bits[arc], pool.table[row, arc % 2]
    for _ in range(loops):
        value = oracle(problem, arc, message.incoming, pool.anchor[row], work)
        write_reverse_row(problem, pool, row, work)
        raise_with_total(message.nu, total, bits, u, value)
        argmin(total, bits, work.scan)


def run(options: Options) -> None:
    """Print the share of a recycled row and of an added one."""
    mrf = bc.load(POSE)
    engine = bc.Engine(mrf, bc.partition(mrf, SIZE), variant=9, snapshot_bytes=0)
    engine.run()
    # The edge with the most rows among those whose groups are full and have no idle bits.
    bits = engine.graph.problem.bits.reshape(-1, 2)
    kept = np.bincount(looking.row_edges(engine), minlength=len(bits))
    edge = int(np.where((bits == SIZE).all(axis=1), kept, -1).argmax())
    problem, pool, state, work = engine.arrays.problem, engine.arrays.rows.view, engine.arrays.state, engine.arrays.work
    # Its latest row is written repeatedly, with the same content.
    row = int(state.row_last[edge])
    arc = 2 * edge + int(pool.side[row])
    rows, states = int(kept[edge]), 1 << SIZE
    message, total = Message(arc, looking.incoming(engine, arc).copy(), np.full(states, -np.inf)), np.zeros(states)
    a, b = np.zeros(states), np.ones(states)

    def stream(passes: int) -> None:
        for _ in range(LOOPS * passes):
            np.maximum(a, b, out=a)

    actions = {
        "recycled": lambda: recycle_often(problem, pool, state, message, work, LOOPS),
        "stream": lambda: stream(rows),
        "added": lambda: add_often(problem, pool, row, message, total, work, LOOPS),
        "stream twice": lambda: stream(2),
    }
    for action in actions.values():
        action()
    seconds = interleaved(actions, REPEATS)
    recycled, once = (1e6 * seconds[name] / LOOPS / rows for name in ("recycled", "stream"))
    added, twice = (1e6 * seconds[name] / LOOPS for name in ("added", "stream twice"))
    print(f"Steps of a row at M = {SIZE} against numpy.maximum(a, b, out=a) over the same bytes, microseconds;")
    print(f"medians of {REPEATS} interleaved; an edge with {rows} rows\n")
    print("A recycled row reads what the sender brings and raises the envelope (1.5 MB):")
    print(f"  {recycled:.1f}, numpy {once:.1f}: {times(recycled / once)}  (aim ≤ {AIM:g}×)")
    print("An added row: oracle, tables, envelope and total raised, minimiser found (3 MB):")
    print(f"  {added:.1f}, numpy {twice:.1f}: {times(added / twice)}  (aim ≤ {AIM:g}×)\n")
