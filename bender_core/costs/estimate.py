"""The typical memory and time of a run, predicted before anything is allocated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from bender_core.costs.freedom import Freedom, freedom
from bender_core.costs.speed import speed
from bender_core.costs.work import Work, entries_read, foreseen, seconds, sweeps, updates
from bender_core.engine import memory
from bender_core.engine.coupled import Coupled, coupled
from bender_core.engine.fit import FIRST_EVENTS, dimensions, first_bytes
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.variants import Variant, variant

# Typical memory is that of a run until it ends, or for this number of seconds.
SECONDS = 2.0
# A run makes most of its rows in its first sweeps; growing arrays have on average 20 % spare capacity.
ROWS_MADE_IN, ROOM = 10, 1.2
# A run that ends by sweep DEEP_FROM makes envelopes tight at only a few states; longer ones take DEEP times the rounds.
DEEP_FROM, DEEP = 16, 6
# A snapshot is taken after SNAPSHOT_AFTER entries read, at the earliest, and SNAPSHOT_EVERY per entry of the messages;
# when their memory is full, every other one is dropped.
SNAPSHOT_AFTER, SNAPSHOT_EVERY, SNAPSHOT_BYTES, KEPT = 1 << 26, 64, 256 << 20, 0.7


@dataclass(frozen=True)
class Estimate:
    """The predicted cost of a run.

    On models that no constant was fitted to, the seconds a sweep that `estimate` predicts are within a factor of three
    of the measured ones for 90 % of 481 runs; those that `planning.refine` predicts from a short trial for 98 %, and
    its bytes for 96 % (``python -m benchmarks estimates``). Enumeration is predicted exactly. The number of rows that
    make an envelope tight depends on how freely groups choose their states, which the model shows only roughly: for
    clear communities the estimate may be twelve times too high, and the work of pruning may be wrong by a factor of
    ten.

    Attributes
    ----------
    bytes : int
        Typical memory of a run after some seconds, with its rows, trace, snapshots and the scratch for inspection. The
        number of its sweeps can hardly be predicted.
    least : int
        Memory without which it cannot begin.
    seconds_per_sweep : float
        Processor time on this machine: the mean over the first ten sweeps of a run, or over all if it ends sooner. It
        excludes the later sweeps of a run that stalls, when deepening has reached its limit, and making the tables.
    states : int
        The number of states of the largest group.
    """

    bytes: int
    least: int
    seconds_per_sweep: float
    states: int


def _foreseen_growth(
    dims: memory.Dimensions, graph: Coupled, which: Variant, schedule: str, work: Work, length: float
) -> float:
    """The bytes that a run of this length (sweeps) typically needs in addition."""
    rows = 0.0 if which.exact else len(dims.bits) + work.added.sum() * min(length, ROWS_MADE_IN)
    deep = DEEP if graph.cyclic and length > DEEP_FROM else 1
    rounds = 0.0 if which.exact else deep * work.rounds.sum()
    events = length * updates(schedule) * (2 * len(dims.size) + rounds) + rows
    return growth(dims, which, rows, events, length * entries_read(graph, which, schedule, work, speed()))


def growth(dims: memory.Dimensions, which: Variant, rows: float, events: float, read: float) -> float:
    """The bytes that a run needs beyond its start: for more rows and events, snapshots, and inspection.

    Parameters
    ----------
    dims : Dimensions
    which : Variant
    rows, events : float
        The numbers it has made.
    read : float
        Table entries it has read.
    """
    more_rows = ROOM * rows - memory.first_rows(dims, len(which.alphas), which.exact)
    more_events = ROOM * events - FIRST_EVENTS
    return float(
        max(more_rows, 0) * memory.row_bytes(dims)
        + max(more_events, 0) * memory.event_bytes()
        + snapshots(dims, read)
        + memory.looking_bytes(dims)
    )


def snapshots(dims: memory.Dimensions, read: float) -> float:
    """The bytes of the snapshots of a run that has read this number of table entries."""
    messages = np.exp2(dims.size)[dims.edge_node].sum()
    taken = np.floor(read / max(SNAPSHOT_AFTER, SNAPSHOT_EVERY * messages))
    return float(min(taken * memory.state_bytes(dims), KEPT * SNAPSHOT_BYTES))


def estimate(
    mrf: BinaryMRF, part: Partition, which: int | Variant = 9, schedule: str = "mplp", stop: Stop = never
) -> Estimate:
    """Predict memory and time of a run from the model alone.

    Source: docs/method.md §11.2.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    schedule : {"mplp", "srmp"}
    stop : Stop
        Asked whether to stop.

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
    return next(estimates(mrf, part, [(which, schedule)], stop))


def estimates(
    mrf: BinaryMRF, part: Partition, runs: Iterable[tuple[int | Variant, str]], stop: Stop = never
) -> Iterator[Estimate]:
    """The same for several runs on one partition, each a variant and a schedule; most of the work is done once.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    runs : iterable of (int or Variant, str)
    stop : Stop
        Asked whether to stop.

    Returns
    -------
    iterator of Estimate

    Raises
    ------
    PartitionError, ValueError, Stopped
        As `estimate`.
    """
    graph = coupled(mrf, part)
    stop.check()
    free = freedom(mrf, part, stop)
    for which, schedule in runs:
        method = variant(which)
        yield predicted(mrf, graph, method, schedule, foreseen(mrf, part, graph, method, free), free)


def predicted(mrf: BinaryMRF, graph: Coupled, which: Variant, schedule: str, work: Work, free: Freedom) -> Estimate:
    """The cost of a run whose sweeps consist of this work."""
    dims = dimensions(mrf, graph)
    least = sum(first_bytes(dims, which).values())
    each = seconds(graph, which, schedule, work, speed())
    length = min(sweeps(graph, schedule, free), SECONDS / each)
    return Estimate(
        bytes=least + int(_foreseen_growth(dims, graph, which, schedule, work, length)),
        least=least,
        seconds_per_sweep=each,
        states=int(graph.states.max(initial=1)),
    )
