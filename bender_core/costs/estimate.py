"""The cost of a choice of partition and variant, before anything is allocated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bender_core import memory
from bender_core.account import Account, Line
from bender_core.costs.freedom import Freedom, freedom
from bender_core.costs.speed import speed
from bender_core.costs.work import Coupled, Work, coupled, entries_read, foreseen, plan, seconds, sweeps, updates
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.strategies import partition
from bender_core.units import storage
from bender_core.variants import DEEPEST, Variant, variant

# Typical memory is that of a run until it ends, or for this number of seconds.
SECONDS = 2.0
# A run makes most of its rows in its first sweeps; growing arrays have on average 20 % spare capacity.
ROWS_MADE_IN, ROOM = 10, 1.2
# A run that ends by sweep DEEP_FROM makes envelopes tight at only a few states; longer ones take DEEP times the rounds.
DEEP_FROM, DEEP = 16, 6
# A snapshot is taken after SNAPSHOT_AFTER entries read, at the earliest, and SNAPSHOT_EVERY per entry of the messages;
# when their memory is full, every other one is dropped.
SNAPSHOT_AFTER, SNAPSHOT_EVERY, SNAPSHOT_BYTES, KEPT = 1 << 26, 64, 256 << 20, 0.7
# Initial capacity for events.
FIRST_EVENTS = 1024


class TooLargeError(ValueError):
    """A choice needs more memory than available; the message says how much, for what, and which choice would fit.

    Attributes
    ----------
    needed, limit : int
        Bytes.
    fits : int or None
        The largest M that would fit with the same strategy.
    """

    def __init__(self, message: str, needed: int = 0, limit: int = 0, fits: int | None = None) -> None:
        super().__init__(message)
        self.needed, self.limit, self.fits = needed, limit, fits


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


Looking = Callable[[memory.Dimensions], int]


def required_bytes(mrf: BinaryMRF, part: Partition, which: int | Variant = 9, looking: Looking | None = None) -> int:
    """The memory without which a run cannot begin: tables, messages, scratch and the first rows.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    looking : callable, optional
        `memory.looking_bytes` or `memory.certifying_bytes`, whose bytes are added.

    Returns
    -------
    int
        Bytes.
    """
    dims = _dimensions(mrf, coupled(mrf, part))
    return sum(_needs(dims, variant(which)).values()) + (looking(dims) if looking else 0)


def _dimensions(mrf: BinaryMRF, graph: Coupled) -> memory.Dimensions:
    method, largest = plan(graph)
    return memory.Dimensions(
        mrf.n,
        mrf.n_edges,
        size=np.log2(graph.states).astype(np.int64),
        edge_node=graph.ends,
        bits=graph.bits.reshape(-1),
        couplings=len(graph.coupling_bit),
        method=method.reshape(-1),
        largest=largest.reshape(-1),
    )


def _needs(dims: memory.Dimensions, which: Variant) -> dict[str, int]:
    """The bytes that a run needs at its start, by purpose."""
    exact = which.exact and not which.enumerated
    return {
        "energies and couplings": memory.problem_bytes(dims),
        "messages": memory.state_bytes(dims),
        "scratch": memory.workspace_bytes(dims, dims.degree, exact, 1 if which.exact else DEEPEST),
        "rows": memory.first_rows(dims, len(which.alphas), which.exact) * memory.row_bytes(dims),
        "events": FIRST_EVENTS * memory.event_bytes(),
    }


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
    graph, method = coupled(mrf, part), variant(which)
    stop.check()
    free = freedom(mrf, part, stop)
    return predicted(mrf, graph, method, schedule, foreseen(mrf, part, graph, method, free), free)


def predicted(mrf: BinaryMRF, graph: Coupled, which: Variant, schedule: str, work: Work, free: Freedom) -> Estimate:
    """The cost of a run whose sweeps consist of this work."""
    dims = _dimensions(mrf, graph)
    least = sum(_needs(dims, which).values())
    each = seconds(graph, which, schedule, work, speed())
    length = min(sweeps(graph, schedule, free), SECONDS / each)
    return Estimate(
        bytes=least + int(_foreseen_growth(dims, graph, which, schedule, work, length)),
        least=least,
        seconds_per_sweep=each,
        states=int(graph.states.max(initial=1)),
    )


def charge_run(mrf: BinaryMRF, part: Partition, which: Variant, schedule: str, account: Account) -> Line:
    """Charge the memory that a run needs at its start.

    Raises
    ------
    TooLargeError
        If it does not fit; then nothing is charged.
    """
    dims = _dimensions(mrf, coupled(mrf, part))
    needs = _needs(dims, which)
    name = f"{mrf.name}, M = {part.max_size}, variant {which.number}, {schedule}"
    # If possible, memory is reserved for inspecting the run, or at least for its certificate, even when its rows fill
    # the rest.
    for kept in (memory.looking_bytes(dims), memory.certifying_bytes(dims), 0):
        line = account.open(name, needs | {memory.LOOKING: kept})
        if line is not None:
            return line
    raise _too_large(mrf, part, which, needs, account)


def _too_large(
    mrf: BinaryMRF, part: Partition, which: Variant, needs: dict[str, int], account: Account
) -> TooLargeError:
    needed, room = sum(needs.values()), account.free
    fits = largest_fit(mrf, part, which, room)
    advice = f"M = {fits} would fit" if fits else "no smaller groups would fit: raise the limit"
    largest = sorted(needs, key=lambda what: -needs[what])[:2]
    parts = " and ".join(f"{storage(needs[what])} for {what}" for what in largest)
    limit = f"the limit of {storage(account.limit)}"
    if needed <= account.limit:
        limit = f"the {storage(room)} that other runs leave of {limit}"
    variables = "1 variable" if part.max_size == 1 else f"{part.max_size} variables"
    return TooLargeError(
        f"groups of up to {variables} need {storage(needed)} (including {parts}), more than {limit}; {advice}",
        needed,
        room,
        fits,
    )


def largest_fit(
    mrf: BinaryMRF,
    part: Partition,
    which: int | Variant,
    room: int,
    cut: Callable[[BinaryMRF, int, str | None], Partition] = partition,
    looking: Looking | None = None,
) -> int | None:
    """The largest M, cut by the strategy of ``part``, whose run can begin with ``room`` bytes.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
        The partition that does not fit; for one made by hand the model's default strategy is used.
    which : int or Variant
    room : int
        Bytes.
    cut : callable
        Like `partition`, the default.
    looking : callable, optional
        As for `required_bytes`.
    """
    strategy = part.strategy if part.strategy != "manual" else None
    for max_size in range(part.max_size - 1, 0, -1):
        # A lower bound: the energies, total and one message of a full group. If no group is full, the partition equals
        # that of a smaller M.
        if 3 * memory.WORD << max_size > room:
            continue
        if required_bytes(mrf, cut(mrf, max_size, strategy), which, looking) <= room:
            return max_size
    return None
