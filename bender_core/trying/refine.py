"""The cost of a run, predicted from a short trial that counts its rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bender_core import looking
from bender_core.account import Account
from bender_core.costs.estimate import SECONDS, Estimate, growth, predicted, snapshots
from bender_core.costs.freedom import freedom
from bender_core.costs.speed import speed
from bender_core.costs.work import LONGEST, SWEEPS, Work, by_message, foreseen, shares, updates
from bender_core.engine import memory
from bender_core.engine.coupled import Coupled, coupled
from bender_core.engine.engine import Engine
from bender_core.engine.fit import TooLargeError
from bender_core.groups import Partition
from bender_core.kernels.layout import Kind
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.stopping import Stop, never
from bender_core.variants import Variant
from bender_core.variants import variant as variant_of

# About the number of table entries that a trial reads: a tenth of a second, on a busy machine up to three.
BUDGET = 1 << 27
# Bytes of a run whose tables take about as long to make.
LARGEST = 64 << 20
# The counted entries of exact messages are used once this share of a sweep is done.
LEAST = 0.1
# A run that continues after its trial may end at any time. Its predicted memory is the geometric mean of its memory now
# and after `SECONDS`, in which the latter has this weight.
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

    The counts of the trial (oracle rounds, rows, entries read) replace those that `estimate` predicts; the cost table
    is the same. The trial is counted, not timed, so that the result does not depend on the load of the machine; it
    takes no snapshots, since their number depends on the clock: their bytes are predicted. The first sweeps give the
    seconds (those of enumeration are predicted); then the trial continues until its budget is spent. If the run ends by
    then, its rows and events are known; if not, they are assumed to grow at the same rate. The result is that of
    `estimate` if the trial does not complete an update, if making the tables alone would take longer, or if they do not
    fit into memory. Source: docs/method.md §11.2.

    Besides the entries read, one-time work takes time: some tenths of a second for sampling a model of 20 000 variables
    (`freedom`), and about 15 microseconds for every message, which is a second for 40 000 pairs of groups.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    schedule : {"mplp", "srmp"}
    budget : int
        About the number of table entries to read; 2^27 of them take about a tenth of a second.
    limit : int or Account, optional
        The memory limit of the trial, as for `Engine`.
    stop : Stop
        Checked about every 50 ms.

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
        engine = Engine(mrf, part, variant=method, schedule=schedule, snapshot_bytes=0, limit=limit, stop=stop)
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
    """Predicted bytes of a run that has read ``read`` entries so far, and reads ``a_sweep`` in a sweep."""
    dims = memory.dimensions(engine.graph)
    now = int(engine.arrays.line.used + snapshots(dims, read))
    if engine.finished:
        return now
    later = max(a_sweep * min(SECONDS / cost.seconds_per_sweep, LONGEST), read)
    goes_on = cost.least + growth(dims, engine.variant, engine.n_rows, later / read * engine.position, later)
    return int(now ** (1 - LASTING) * max(goes_on, now) ** LASTING)


def _sweeps_done(engine: Engine, graph: Coupled, expected: Work) -> float:
    """The number of sweeps of a trial, with the fraction of the current one."""
    closed = _by_group(engine, Kind.MESSAGE)
    # In an incomplete sweep, groups that take longer count for more.
    weight = graph.received(by_message(graph, engine.variant, expected, speed())) if engine.variant.exact else 1.0
    weight = weight + np.zeros(len(closed))
    done = float(closed @ weight / (updates(engine.settings.schedule) * weight.sum()))
    # A run that ends within a sweep has made one.
    return float(np.ceil(done - 1e-9)) if engine.finished else done


def _counted(engine: Engine, graph: Coupled, expected: Work) -> Work:
    """The counts per sweep of a trial that has completed an update."""
    done = _sweeps_done(engine, graph, expected)
    sweeps = done if engine.finished else expected.sweeps
    if engine.variant.exact:
        return expected._replace(read=engine.entries_read / done, sweeps=sweeps) if done >= LEAST else expected
    added = np.bincount(looking.row_edges(engine), minlength=len(graph.ends)) - 2.0
    # The rest of an incomplete sweep is assumed to be alike; its rows are distributed as predicted.
    share = shares(graph) if done < 1 else added / max(added.sum(), 1.0)
    rows = added.sum() / min(done, 1.0) * share
    return Work(_rounds(engine, expected), rows / max(done, 1.0), 2 + rows, sweeps)


def _by_group(engine: Engine, kind: Kind) -> IntArray:
    """The number of events of a kind for every group, shape (G,)."""
    trace = engine.trace
    node = trace.column("node")[trace.column("kind") == kind].astype(np.int64)
    return np.bincount(node, minlength=engine.graph.n_groups)


def _rounds(engine: Engine, expected: Work) -> FloatArray:
    """Oracle rounds per update, shape (G,): counted, or for groups not yet updated predicted and rescaled."""
    rounds, closed = _by_group(engine, Kind.ORACLE), _by_group(engine, Kind.MESSAGE)
    seen = closed > 0
    correction = rounds[seen].sum() / (closed * expected.rounds).sum()
    # An incomplete update takes at least the rounds counted so far.
    unseen = np.maximum(correction * expected.rounds, rounds)
    counted: FloatArray = np.maximum(np.where(seen, rounds / np.maximum(closed, 1), unseen), 1.0)
    return counted
