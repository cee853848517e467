"""The arrays of a run: their sizes, growth, and copies.

The compiled loop allocates nothing (``kernels.advance``); its arrays are made here. All sizes depend on `Dimensions`
alone, so the needs of a run are known before anything is allocated. Source: docs/method.md §11.1.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bender_core.account import Charges
from bender_core.hypergraph import HyperGraph, form_length
from bender_core.kernels.layout import (
    LOW_BITS,
    STEP,
    Bounds,
    Cursor,
    CutPoint,
    CutRoom,
    EliminateRoom,
    Events,
    MessageProgress,
    Method,
    Phase,
    Pool,
    Problem,
    PruneRoom,
    Record,
    Rounds,
    Scan,
    SearchPoint,
    SearchRoom,
    State,
    Status,
    Workspace,
)
from bender_core.kernels.min_marginals.prune import LISTED, list_width
from bender_core.kernels.primal import sum_decoded
from bender_core.kernels.tables.coupling import coupling_minimum
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never

WORD = 8  # bytes per number
# The item under which the scratch for inspection is charged.
LOOKING = "looking"
# The number of tables over the states of a group that exist at a time during the inspection of a message.
TABLES = 5
_Arrays = TypeVar("_Arrays", Events, Pool)


class Dimensions(NamedTuple):
    """The quantities that determine the sizes of the arrays."""

    n: int  # variables
    n_edges: int  # edges of the model
    size: IntArray  # (G,) members of each group
    edge_node: IntArray  # (E, 2) groups joined
    bits: IntArray  # (2 E,) active bits of the receiver of each arc
    couplings: int  # between groups
    method: IntArray  # (2 E,) how exact min-marginals are computed
    largest: FloatArray  # (2 E,) entries of the largest table of an elimination

    @property
    def degree(self) -> int:
        """The largest number of neighbours of a group."""
        return int(np.bincount(self.edge_node.reshape(-1), minlength=1).max(initial=0))

    @property
    def stride(self) -> int:
        """The length of an affine function of the active bits of any group: a low and a high table."""
        return int(form_length(np.array(self.bits.max(initial=1))))


def dimensions(graph: HyperGraph) -> Dimensions:
    """The dimensions of a hyper-graph."""
    mrf, problem = graph.mrf, graph.problem
    methods = problem.methods
    return Dimensions(
        n=mrf.n,
        n_edges=mrf.n_edges,
        size=problem.size,
        edge_node=problem.edge_node,
        bits=problem.bits,
        couplings=len(problem.couplings.weight),
        method=methods.method,
        largest=methods.largest,
    )


# -- sizes --------------------------------------------------------------------------------------------------------


def problem_bytes(dims: Dimensions) -> int:
    """Bytes of the model in normal form and of the arrays of the hyper-graph."""
    groups, arcs = len(dims.size), len(dims.bits)
    sender = dims.bits.reshape(-1, 2)[:, ::-1].reshape(-1)
    receivers = dims.size[dims.edge_node.reshape(-1)]
    idle = dims.bits < receivers
    words = (
        np.exp2(dims.size).sum()  # phi
        + 3 * groups
        + 9 * arcs
        + 2
        + 5 * dims.couplings
        + 3 * arcs * int(dims.bits.max(initial=1))  # weights at bits, orders of elimination
        + form_length(receivers[idle]).sum()  # projections
        + (form_length(dims.bits) * (sender + 1)).sum()  # forms
        + 2 * dims.n
        + 3 * dims.n_edges  # the normal form itself
    )
    return int(WORD * words)


def state_bytes(dims: Dimensions) -> int:
    """Bytes of the position of a run, mostly its messages."""
    groups, arcs = len(dims.size), len(dims.bits)
    words = np.exp2(dims.size)[dims.edge_node].sum() + 4 * groups + 4.5 * arcs
    return int(WORD * words) + Cursor.width() + Bounds.width()


def first_rows(dims: Dimensions, cuts: int, exact: bool) -> int:
    """The least capacity for rows: the initial row of every message, and the rows that one oracle may request."""
    return 0 if exact else len(dims.bits) + dims.degree + cuts


def row_bytes(dims: Dimensions) -> int:
    """Bytes of one Benders row."""
    return WORD * (2 * dims.stride + 6 + 4 + 2 * int(dims.bits.max(initial=1)))


def event_bytes() -> int:
    """Bytes of one event."""
    return WORD * len(Events._fields)


def workspace_bytes(dims: Dimensions, slots: int, exact: bool, deepest: int) -> int:
    """Bytes of the scratch."""
    return sum(_bytes(room) for room in _workspace_shapes(dims, slots, exact, deepest).values())


def _bytes(room: _Room) -> int:
    """Bytes of a scratch array, a record or a group of them."""
    if isinstance(room, Array):
        return WORD * math.prod(room.shape)
    if isinstance(room, dict):
        return sum(_bytes(part) for part in room.values())
    return room.width()


def certifying_bytes(dims: Dimensions) -> int:
    """Bytes needed to compute the certificate of a bound: scratch for one message."""
    return sum(_bytes(room) for room in _looking_shapes(dims).values())


def alive_bytes(dims: Dimensions) -> int:
    """Bytes of a run that excludes states: which are left, and which were at its start."""
    return 2 * int((1 << dims.size).sum())


def looking_bytes(dims: Dimensions) -> int:
    """Bytes needed to inspect messages: scratch, and a few tables over the states of a group."""
    return certifying_bytes(dims) + (WORD * TABLES << int(dims.size.max(initial=0)))


class GrowingArrays(Generic[_Arrays]):
    """Arrays that grow within the limits of an account. They grow in place: nothing is copied, old views stay valid.

    Address space is reserved for as many entries as the limit allows; the system backs the entries written to.

    Parameters
    ----------
    make : callable
        Makes the arrays for a capacity.
    item : str
        The item under which they are charged.
    size : int
        Bytes of an entry.
    count : int
        Initial capacity in entries; it is charged already.
    charges : Charges
        The charges of the run.

    Attributes
    ----------
    view : the arrays, of the length of the capacity
    """

    def __init__(self, make: Callable[[int], _Arrays], item: str, size: int, count: int, charges: Charges) -> None:
        self._item, self._size, self._charges = item, size, charges
        self._capacity = max(charges.account.limit // size, count)
        while True:
            try:
                self._arrays: _Arrays = make(self._capacity)
                break
            except MemoryError:
                # Not enough address space: the capacity will be less than the limit allows.
                if self._capacity == count:
                    raise
                self._capacity = max(self._capacity // 2, count)
        self.count = count
        self.view: _Arrays = self._first(count)

    def grow(self, least: int, make_room: Callable[[], bool]) -> bool:
        """Make room for at least ``least`` more entries, half of the present number if possible.

        Parameters
        ----------
        least : int
        make_room : callable
            Frees memory elsewhere; returns False if there is nothing to free.

        Returns
        -------
        bool
            Whether there is room.
        """
        growth = min(max(least, self.count // 2), self._capacity - self.count)
        if growth < least:
            return False
        for more in (growth, least):
            while not self._charges.charge(self._item, more * self._size):
                # Keeping snapshots is better than growing in large steps.
                if more > least or not make_room():
                    break
            else:
                self.count += more
                self.view = self._first(self.count)
                return True
        return False

    def _first(self, count: int) -> _Arrays:
        views: _Arrays = type(self._arrays)._make(
            array[: len(array) // self._capacity * count] for array in self._arrays
        )
        return views


# -- the arrays ---------------------------------------------------------------------------------------------------


def events(capacity: int) -> Events:
    """Capacity for events; the system backs only the part written to."""
    floats = {"value", "before", "lower_bound", "upper_bound", "floor", "ceiling"}
    return Events._make(_reserved((capacity,), float if name in floats else np.int64) for name in Events._fields)


def pool(dims: Dimensions, capacity: int) -> Pool:
    """Capacity for rows; the system backs only the part written to."""
    return Pool(
        table=_reserved((capacity, 2, dims.stride), float),
        **{name: _reserved((capacity,), np.int64) for name in ("edge", "side", "anchor", "kind", "born", "next")},
        intercept=_reserved((capacity, 2), float),
        version=_reserved((capacity, 2), np.int64),
        share=_reserved((capacity, int(dims.bits.max(initial=1)), 2), float),
    )


def _reserved(shape: tuple[int, ...], kind: type | np.dtype[Any]) -> NDArray[Any]:
    """Zeros in separate pages, which take no memory until they are written to, and return it when they are freed.

    `numpy.zeros` may reuse freed memory, and then has to write all of it; and the memory that it frees stays with the
    process while anything lies behind it in the heap.
    """
    count = math.prod(shape)
    if not count:
        return np.zeros(shape, kind)
    needed = np.dtype(kind).itemsize * count
    try:
        pages = mmap.mmap(-1, needed)
    except (OSError, OverflowError) as error:
        raise MemoryError(f"no address space for {needed} bytes") from error
    return np.frombuffer(pages, kind, count).reshape(shape)


class Array(NamedTuple):
    """A scratch array to be made."""

    shape: tuple[int, ...]
    kind: type = float


_Room = Array | type[Record] | dict[str, "_Room"]


def _workspace_shapes(dims: Dimensions, slots: int, exact: bool, deepest: int) -> dict[str, _Room]:
    """The shapes of the scratch, from the needs of its users: fields of `Workspace`, and of its parts."""
    largest = int(dims.size.max(initial=1))
    receiver = dims.size[dims.edge_node].reshape(-1)
    bits = int(dims.bits.max(initial=1))
    groups, states, active = len(dims.size), 1 << largest, 1 << int(dims.bits.max(initial=0))
    projected = 1 << int(dims.bits[dims.bits < receiver].max(initial=0))
    low, high = 1 << min(largest, LOW_BITS), 1 << max(bits - LOW_BITS, 0)
    pruned = exact & (dims.method == Method.PRUNE)
    pruned_bits = int(dims.bits[pruned].max(initial=0))
    candidates = 1 << int(dims.bits[np.flatnonzero(pruned) ^ 1].max(initial=0))
    entries = int(dims.largest.max(initial=1)) if exact else 1
    slots = max(slots, 1)
    per_bit = ("z", "cap", "price", "normal", "step", "slope", "needed", "weight", "rate", "part")
    return {
        "nu": Array((slots, active)),
        "incoming": Array((slots, projected)),
        "oracle": Array((slots,)),
        "rise": Array((projected,)),
        "total": Array((states,)),
        "visited": Array((min(deepest, states),), int),
        "rounds": Rounds,
        "progress": MessageProgress,
        "table": Array((4, dims.stride)),
        "whole": Array((int(form_length(np.array(largest))),)),
        "slope": Array((largest,)),
        "total_slope": Array((largest,)),
        "chosen": Array((active,), int),
        "scan": {"best": Array((4, low)), "where": Array((low,))},
        "cut": {
            "point": CutPoint,
            "capacity": Array((bits, 2)),
            "payment": Array((bits, 2)),
            **{name: Array((bits,)) for name in per_bit},
            "members": Array((bits,), int),
            "factor": Array((bits, bits)),
            "table": Array((dims.stride,)),
            "scan": {"best": Array((1, low)), "where": Array((low,))},
        },
        "prune": {
            "candidates": Array((1 + pruned_bits, dims.stride)),
            "centre": Array((dims.stride,)),
            "lists": Array((min(LISTED, candidates * list_width(pruned_bits)),)),
            "level": Array((pruned_bits + 1, 3), int),
            "margin": Array((candidates,)),
            "found": Array((candidates,), int),
        },
        "eliminate": {
            "table": Array((2, entries)),
            "place": Array((bits,), int),
            "low_place": Array((low,), int),
            "high_place": Array((high,), int),
        },
        "search": {
            "point": SearchPoint,
            "trial": Array((groups,), int),
            "candidate": Array((groups,), int),
            "pull": Array((groups, largest)),
            "gain": Array((groups, largest)),
            "tabu": Array((groups, largest), int),
        },
    }


# Scratch for updates and decoding, which is not needed to inspect a message.
_UPDATING = {"rise", "total", "visited", "oracle", "search"}


def _looking_shapes(dims: Dimensions) -> dict[str, _Room]:
    """The shapes of the scratch for inspecting a message; all other arrays are empty."""
    shapes = _workspace_shapes(dims, 1, exact=True, deepest=1)
    return {name: _emptied(room) if name in _UPDATING else room for name, room in shapes.items()}


def _emptied(room: _Room) -> _Room:
    if isinstance(room, Array):
        return room._replace(shape=(0,) * len(room.shape))
    if isinstance(room, dict):
        return {name: _emptied(part) for name, part in room.items()}
    return room


def _made(room: _Room) -> Any:
    """The scratch arrays and records of these shapes, by name."""
    if isinstance(room, Array):
        return np.empty(room.shape, np.int64 if room.kind is int else np.float64)
    if isinstance(room, dict):
        return {name: _made(part) for name, part in room.items()}
    return room.zeros()


def workspace(dims: Dimensions, slots: int, exact: bool, deepest: int) -> Workspace:
    """Scratch for nodes of at most ``slots`` neighbours, with or without that for exact min-marginals."""
    return _workspace(_workspace_shapes(dims, slots, exact, deepest))


def looking(dims: Dimensions) -> Workspace:
    """Scratch for inspecting one message."""
    return _workspace(_looking_shapes(dims))


def _workspace(shapes: dict[str, _Room]) -> Workspace:
    made = _made(shapes)
    made["progress"].limit = STEP
    made["scan"], made["cut"]["scan"] = Scan(**made["scan"]), Scan(**made["cut"]["scan"])
    rooms = {"cut": CutRoom, "prune": PruneRoom, "eliminate": EliminateRoom, "search": SearchRoom}
    return Workspace(**made | {name: room(**made[name]) for name, room in rooms.items()})


def start(problem: Problem, excluding: bool = False, stop: Stop = never) -> State:
    """The start, all messages 0: bounds from the tables alone, every group decoded by its own energies.

    No state is excluded yet.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    groups, edges = len(problem.size), len(problem.edge_node)
    tables = [problem.phi[s : s + (1 << b)] for s, b in zip(problem.phi_first, problem.size, strict=True)]
    decoded = np.array([table.argmin() for table in tables], np.int64)
    node_bound = np.array([table.min() for table in tables])
    edge_bound = np.array([_coupling_minimum(problem, edge, stop) for edge in range(edges)])
    lower = node_bound.sum() + edge_bound.sum()
    cursor, bounds = Cursor.zeros(), Bounds.zeros()
    cursor.depth = 1
    if not groups:
        cursor.phase, cursor.status = Phase.FINISH, Status.GAP_CLOSED
    bounds.lower = bounds.sweep_start = lower
    state = State(
        cursor=cursor,
        bounds=bounds,
        lam=np.zeros(int(np.left_shift(1, problem.size)[problem.edge_node].sum())),
        node_bound=node_bound,
        edge_bound=edge_bound,
        decoded=decoded,
        best=decoded.copy(),
        changed=np.zeros(groups, np.int64),
        row_first=np.full(edges, -1, np.int64),
        row_last=np.full(edges, -1, np.int64),
        slack=np.full(2 * edges, np.nan),
        written=np.full(2 * edges, -1, np.int64),
        alive=np.ones(len(problem.phi) if excluding else 0, np.bool_),
        read=np.zeros(2 * edges, np.int64),
    )
    sum_decoded(problem, state)
    bounds.upper = bounds.best_decoded = bounds.decoded
    return state


def _coupling_minimum(problem: Problem, edge: int, stop: Stop) -> float:
    """``min phi_pq``, a slice of states at a time."""
    # The minimum over the states of one side separates into its bits; the side with fewer states is tried in full.
    arc = 2 * edge + int(problem.bits[2 * edge] > problem.bits[2 * edge + 1])
    states, slope = 1 << int(problem.bits[arc]), np.empty(int(problem.bits[arc ^ 1]))
    width = max(STEP // (1 + len(slope)), 1)
    least = 0.0
    for begin in range(0, states, width):
        stop.check()
        least = min(least, coupling_minimum(problem, arc, begin, min(begin + width, states), slope))
    return least


def copy(state: State) -> State:
    """A copy of a position, for `restore`."""
    copies = State._make(
        _reserved(part.shape, part.dtype) if isinstance(part, np.ndarray) else part.copy() for part in state
    )
    restore(copies, state)
    return copies


def copy_of_start(state: State) -> State:
    """As `copy`, for a position with all messages 0: a single 0 stands for all of them, which `restore` broadcasts."""
    return copy(state._replace(lam=np.zeros(1)))


def restore(state: State, snapshot: State) -> None:
    """Restore a position from its copy."""
    parts: zip[tuple[Any, Any]] = zip(state, snapshot, strict=True)
    for target, source in parts:
        if isinstance(target, Record):
            target.assign(source)
        else:
            np.copyto(target, source)


def nbytes(arrays: tuple[Any, ...]) -> int:
    """Bytes of the arrays and records in a tuple, and in nested tuples."""
    return sum(nbytes(part) if isinstance(part, tuple) else getattr(part, "nbytes", 0) for part in arrays)
