"""What a run will cost, from a short trial of it: where the model alone does not tell how many rows it takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bender_core import memory
from bender_core.account import Account
from bender_core.costs.estimate import SECONDS, Estimate, growth, predicted
from bender_core.costs.fit import TooLargeError
from bender_core.costs.freedom import freedom
from bender_core.costs.speed import speed
from bender_core.costs.work import LONGEST, SWEEPS, Coupled, Work, by_message, coupled, foreseen, shares, updates
from bender_core.groups import Partition
from bender_core.kernels.layout import Kind
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.run.engine import Engine
from bender_core.stopping import Stop, never
from bender_core.variants import Variant
from bender_core.variants import variant as variant_of

# Entries of tables that a trial reads, about: a tenth of a second, on a busy machine up to three.
BUDGET = 1 << 27
# Bytes of a run whose tables are made in about as long.
LARGEST = 64 << 20
# The entries counted for exact messages are believed from so much of a sweep on.
LEAST = 0.1
# A run that goes on after its trial may end at any time. Its memory is foreseen between what it has by then, and what
# it would have in `SECONDS`: a geometric mean, in which the latter has this weight.
LASTING = 0.7


def refine(
    mrf: BinaryMRF,
    part: Partition,
    which: int | Variant = 9,
    schedule: str = "mplp",
    budget: int = BUDGET,
    limit: int | Account | None = None,
    stop: Stop = never,
) -> Estimate:
    """Predict memory and time of a run from a short trial: its first updates, or sweeps, with a real engine.

    What the trial counts (rounds of oracles, rows, entries read) takes the place of what `estimate` expects; what
    costs how much is the same. It is counted, not timed, so that the answer does not depend on what else the machine
    does. The first sweeps tell the seconds (those of enumeration are foreseen); then the trial goes on until its budget
    is spent. If the run ends by then, its memory is known; if not, it is taken to grow as before. The answer is that of
    `estimate` where the trial does not come to the end of an update, where making the tables alone would take longer,
    and where they do not fit into memory. Source: docs/method.md §11.2.

    Beside the entries read, what takes time is all that is done once: some tenths of a second for a look at the model
    in models of 20 000 variables (`freedom`), and about 15 microseconds for every message that the run consists of,
    which is a second for 40 000 pairs of groups.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    schedule : {"mplp", "srmp"}
    budget : int
        Entries of tables to be read, about; 2^27 of them take about a tenth of a second.
    limit : int or Account, optional
        What the trial may take, as for `Engine`.
    stop : Stop
        Asked about every 50 ms whether to give up.

    Returns
    -------
    Estimate

    Raises
    ------
    PartitionError
        If the partition belongs to another model.
    ValueError
        If there is no such variant or schedule.
    Stopped
        If ``stop`` says so.
    """
    graph, method, free = coupled(mrf, part), variant_of(which), freedom(mrf, part, stop)
    work = foreseen(mrf, part, graph, method, free)
    cost = predicted(mrf, graph, method, schedule, work, free)
    if cost.least > LARGEST or not len(graph.ends) or not budget:
        return cost
    try:
        engine = Engine(mrf, part, method, schedule, limit=limit, stop=stop)
    except TooLargeError:
        return cost
    engine.run(max_sweeps=SWEEPS, max_work=budget, on_progress=lambda _: stop())
    stop.check()
    read, done = engine.entries_read, _sweeps_done(engine, graph, work)
    if not done:
        return cost
    if not method.enumerated:
        cost = predicted(mrf, graph, method, schedule, _counted(engine, graph, work), free)
    engine.run(max_work=budget - read, on_progress=lambda _: stop())
    stop.check()
    return replace(cost, bytes=_bytes(engine, cost, read + engine.entries_read, read / done))


def _bytes(engine: Engine, cost: Estimate, read: int, a_sweep: float) -> int:
    """What a run comes to take that has read ``read`` entries by now, and reads ``a_sweep`` in a sweep."""
    if engine.finished:
        return engine.charged
    later = max(a_sweep * min(SECONDS / cost.seconds_per_sweep, LONGEST), read)
    dims = memory.dimensions(engine.graph)
    goes_on = cost.least + growth(dims, engine.variant, engine.n_rows, later / read * engine.position, later)
    return int(engine.charged ** (1 - LASTING) * max(goes_on, engine.charged) ** LASTING)


def _sweeps_done(engine: Engine, graph: Coupled, expected: Work) -> float:
    """How many sweeps a trial has made, and which part of the next."""
    closed = _by_group(engine, Kind.MESSAGE)
    # Groups that take longer count for more, in what a sweep that is not complete has done.
    weight = graph.received(by_message(graph, engine.variant, expected, speed())) if engine.variant.exact else 1.0
    weight = weight + np.zeros(len(closed))
    done = float(closed @ weight / (updates(engine.schedule) * weight.sum()))
    # A sweep that the run does not complete counts as one.
    return float(np.ceil(done - 1e-9)) if engine.finished else done


def _counted(engine: Engine, graph: Coupled, expected: Work) -> Work:
    """What a trial that has completed an update has counted, a sweep."""
    done = _sweeps_done(engine, graph, expected)
    sweeps = done if engine.finished else expected.sweeps
    if engine.variant.exact:
        return expected._replace(read=engine.entries_read / done, sweeps=sweeps) if done >= LEAST else expected
    added = np.bincount(engine.row_edges(), minlength=len(graph.ends)) - 2.0
    # Of a sweep that is not complete the rest is taken to be alike; its rows fall where such rows are expected.
    share = shares(graph) if done < 1 else added / max(added.sum(), 1.0)
    rows = added.sum() / min(done, 1.0) * share
    return Work(_rounds(engine, expected), rows / max(done, 1.0), 2 + rows, sweeps)


def _by_group(engine: Engine, kind: Kind) -> IntArray:
    """How many events of a kind every group has had, shape (G,)."""
    trace = engine.trace
    node = trace.column("node")[trace.column("kind") == kind].astype(np.int64)
    return np.bincount(node, minlength=engine.graph.n_groups)


def _rounds(engine: Engine, expected: Work) -> FloatArray:
    """Rounds of oracles an update, shape (G,): those counted; for groups not seen those expected, corrected alike."""
    rounds, closed = _by_group(engine, Kind.ORACLE), _by_group(engine, Kind.MESSAGE)
    seen = closed > 0
    correction = rounds[seen].sum() / (closed * expected.rounds).sum()
    # An update that is not complete takes at least the rounds that it has had.
    unseen = np.maximum(correction * expected.rounds, rounds)
    counted: FloatArray = np.maximum(np.where(seen, rounds / np.maximum(closed, 1), unseen), 1.0)
    return counted
