"""The arrays of a run: how large they are at first, how they grow, and copies of them.

The compiled loop allocates nothing (``kernels.advance``); what it works on is made here.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from bender_core.kernels.coupling import coupling_minimum
from bender_core.kernels.layout import Bound, Cursor, Events, Method, Pool, Problem, State, Workspace
from bender_core.kernels.magnanti_wong import cut_scratch
from bender_core.kernels.primal import total_energy
from bender_core.kernels.prune import LISTED, list_width
from bender_core.kernels.rows import NEVER
from bender_core.model import FloatArray, IntArray

_Arrays = TypeVar("_Arrays", Events, Pool)


def events(capacity: int) -> Events:
    floats = {"value", "before", "lower_bound", "upper_bound"}
    return Events._make(np.empty(capacity, np.float64 if name in floats else np.int64) for name in Events._fields)


def pool(problem: Problem, capacity: int) -> Pool:
    return Pool(
        table=np.zeros(2 * problem.stride * capacity),
        **{name: np.empty(capacity, np.int64) for name in ("edge", "side", "anchor", "kind", "born", "next")},
        intercept=np.zeros((capacity, 2)),
        version=np.full((capacity, 2), NEVER),
        share=np.zeros((capacity, int(problem.bits.max(initial=1)), 2)),
    )


def grown(arrays: _Arrays, capacity: int) -> _Arrays:
    """The same arrays with room for ``capacity`` entries."""
    length = len(arrays[1])

    def grow(array: FloatArray | IntArray) -> FloatArray | IntArray:
        larger = np.zeros((array.shape[0] // length * capacity, *array.shape[1:]), array.dtype)
        larger[: len(array)] = array
        return larger

    return type(arrays)._make(grow(array) for array in arrays)


def workspace(problem: Problem, slots: int, exact: bool, deepest: int) -> Workspace:
    """Scratch for nodes of so many neighbours, with or without room for exact min-marginals."""
    receiver = problem.size[problem.edge_node].reshape(-1)
    idle = problem.bits < receiver
    active_bits = int(problem.bits.max(initial=1))
    states, active = 1 << int(problem.size.max(initial=0)), 1 << int(problem.bits.max(initial=0))
    projected = 1 << int(problem.bits[idle].max(initial=0))
    pruned = exact & (problem.method == Method.PRUNE)
    pruned_bits = int(problem.bits[pruned].max(initial=0))
    candidates = 1 << int(problem.bits[np.flatnonzero(pruned) ^ 1].max(initial=0))
    front = int(problem.front.max(initial=1)) if exact else 1
    return Workspace(
        nu=np.empty((max(slots, 1), active)),
        sent=np.empty((max(slots, 1), projected)),
        rise=np.empty(projected),
        total=np.empty(states),
        visited=np.empty(deepest, np.int64),
        oracle=np.empty(max(slots, 1)),
        table=np.empty(4 * problem.stride),
        fold=np.empty((4, problem.low_length)),
        block=np.empty(problem.low_length),
        slope=np.empty(problem.size.max(initial=1)),
        total_slope=np.empty(problem.size.max(initial=1)),
        capacity=np.empty((active_bits, 2)),
        payment=np.empty((active_bits, 2)),
        cut=np.empty(cut_scratch(active_bits)),
        trial=np.empty(len(problem.size), np.int64),
        frame=np.empty((1 + pruned_bits, problem.stride)),
        centre=np.empty(problem.stride),
        lists=np.empty(min(LISTED, candidates * list_width(pruned_bits))),
        level=np.empty((pruned_bits + 1, 3), np.int64),
        worthwhile=np.empty(1, np.int64),
        margin=np.empty(candidates),
        found=np.empty(max(candidates, active), np.int64),
        front=np.empty(front),
        back=np.empty(front),
        place=np.empty(active_bits, np.int64),
        low_place=np.empty(problem.low_length, np.int64),
        high_place=np.empty(problem.stride - problem.low_length, np.int64),
    )


def start(problem: Problem) -> State:
    """The start, all messages 0: bounds from the tables themselves, every group decoded by its own energies."""
    n_edges = len(problem.edge_node)
    tables = [problem.phi[s : s + (1 << b)] for s, b in zip(problem.phi_start, problem.size, strict=True)]
    decoded = np.array([table.argmin() for table in tables], np.int64)
    node_bound = np.array([table.min() for table in tables])
    slope = np.empty(problem.size.max(initial=1))
    edge_bound = np.array([coupling_minimum(problem, edge, slope) for edge in range(n_edges)])
    lower, energy = node_bound.sum() + edge_bound.sum(), total_energy(problem, decoded)
    cursor = np.zeros(len(Cursor), np.int64)
    cursor[Cursor.DEPTH] = 1
    bound = np.zeros(len(Bound))
    bound[[Bound.LOWER, Bound.SWEEP_START]] = lower
    bound[[Bound.UPPER, Bound.DECODED, Bound.BEST_DECODED]] = energy
    return State(
        cursor=cursor,
        bound=bound,
        lam=np.zeros(int(np.left_shift(1, problem.size)[problem.edge_node].sum())),
        node_bound=node_bound,
        edge_bound=edge_bound,
        decoded=decoded,
        best=decoded.copy(),
        row_first=np.full(n_edges, -1, np.int64),
        row_last=np.full(n_edges, -1, np.int64),
        slack=np.full(2 * n_edges, np.nan),
        written=np.full(2 * n_edges, -1),
    )


def nbytes(arrays: Problem | Pool | State | Workspace) -> int:
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def copy(state: State) -> State:
    return State._make(array.copy() for array in state)
