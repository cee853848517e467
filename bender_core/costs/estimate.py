"""What a run will typically cost: memory and time, before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bender_core import memory
from bender_core.costs.fit import FIRST_EVENTS, dimensions, first_bytes
from bender_core.costs.freedom import Freedom, freedom
from bender_core.costs.speed import speed
from bender_core.costs.work import Coupled, Work, coupled, entries_read, foreseen, seconds, sweeps, updates
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.variants import Variant, variant

# Typical memory is that of a run that ends by itself, or after this number of seconds.
SECONDS = 2.0
# The rows that a run keeps are made in its first sweeps; what grows has on average 20 % more room than content.
ROWS_MADE_IN, ROOM = 10, 1.2
# A run that is over by sweep DEEP_FROM has made envelopes tight at a few states only; later it takes DEEP times the
# rounds.
DEEP_FROM, DEEP = 16, 6
# A snapshot is taken after SNAPSHOT_AFTER entries read, at the earliest, and SNAPSHOT_EVERY per entry of the messages;
# when the room for them is full every other one is given up.
SNAPSHOT_AFTER, SNAPSHOT_EVERY, SNAPSHOT_BYTES, KEPT = 1 << 26, 64, 256 << 20, 0.7


@dataclass(frozen=True)
class Estimate:
    """The predicted cost of a run.

    On models that no constant was fitted to, the seconds a sweep that `estimate` predicts are within a factor of three
    of the measured ones for 90 % of 481 runs; those that `planning.refine` predicts from a short trial for 98 %, and
    its bytes for 96 % (``python -m benchmarks estimates``). Enumeration is foreseen. How many rows it takes to make an
    envelope tight depends on how freely groups choose their states, which the model tells only roughly: for clear
    communities the estimate may be twelve times too high, and how soon pruning gives up may be misjudged by ten times.

    Attributes
    ----------
    bytes : int
        Memory that a run typically comes to take in some seconds, with its rows, its trace, what it keeps for going
        back and what looking at it takes. How many sweeps it makes is hardly foreseen.
    least : int
        Memory without which it cannot begin.
    seconds_per_sweep : float
        Processor time on this machine: the mean over the first ten sweeps of a run, or over all where it ends sooner.
        What a run that stalls takes after that, when deepening has reached its limit, is not in it; neither is making
        the tables.
    states : int
        States of the largest hyper-variable.
    """

    bytes: int
    least: int
    seconds_per_sweep: float
    states: int


def _foreseen_growth(
    dims: memory.Dimensions, graph: Coupled, which: Variant, schedule: str, work: Work, length: float
) -> float:
    """What a run of this length (sweeps) typically takes beside that, in bytes."""
    rows = 0.0 if which.exact else len(dims.bits) + work.added.sum() * min(length, ROWS_MADE_IN)
    deep = DEEP if graph.cyclic and length > DEEP_FROM else 1
    rounds = 0.0 if which.exact else deep * work.rounds.sum()
    events = length * updates(schedule) * (2 * len(dims.size) + rounds) + rows
    return growth(dims, which, rows, events, length * entries_read(graph, which, schedule, work, speed()))


def growth(dims: memory.Dimensions, which: Variant, rows: float, events: float, read: float) -> float:
    """What a run takes beside what it begins with, in bytes: for more rows and events, snapshots, and looking at it.

    Parameters
    ----------
    dims : Dimensions
    which : Variant
    rows, events : float
        How many it has made.
    read : float
        Table entries that it has read.
    """
    more_rows = ROOM * rows - memory.first_rows(dims, len(which.alphas), which.exact)
    more_events = ROOM * events - FIRST_EVENTS
    messages = np.exp2(dims.size)[dims.edge_node].sum()
    snapshots = np.floor(read / max(SNAPSHOT_AFTER, SNAPSHOT_EVERY * messages)) * memory.state_bytes(dims)
    return float(
        max(more_rows, 0) * memory.row_bytes(dims)
        + max(more_events, 0) * memory.event_bytes()
        + min(snapshots, KEPT * SNAPSHOT_BYTES)
        + memory.looking_bytes(dims)
    )


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
        Asked whether to give up.

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
    graph, method = coupled(mrf, part), variant(which)
    stop.check()
    free = freedom(mrf, part, stop)
    return predicted(mrf, graph, method, schedule, foreseen(mrf, part, graph, method, free), free)


def predicted(mrf: BinaryMRF, graph: Coupled, which: Variant, schedule: str, work: Work, free: Freedom) -> Estimate:
    """What a run costs whose sweeps consist of this work."""
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
