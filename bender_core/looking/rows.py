"""The Benders rows of a message: their charges for each value of each member of either group.

Source: docs/method.md §3.1, §12.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bender_core.engine.engine import Engine
from bender_core.engine.messages import envelope
from bender_core.engine.rows import over_states
from bender_core.given import require_index
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import LOW_BITS, Pool, RowKind
from bender_core.kernels.rows.pool import has_intercept
from bender_core.looking.message import is_tight
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never


@dataclass(frozen=True, eq=False)
class Row:
    """A Benders row, seen from the group that receives the message.

    Source: docs/method.md §3.1 (paper, Eqs. 11 and 16).

    Attributes
    ----------
    index : int
        Its number in the order of creation, over all edges.
    kind : RowKind
    born : int
        Index of the event that added it; -1 for the initial rows.
    made_for : int
        The group for which it was made.
    anchor : int
        The state of that group at which it was made, with 0 for idle members.
    intercept : float
        beta_0 at the current lambda, energy.
    u : ndarray, shape (members of the receiver, 2)
        The charge for each value of each member (``omega_i = -u_i``), energy.
    v : ndarray, shape (members of the sender, 2)
        The same for the sender.
    paid : ndarray, shape (couplings of the edge,)
        The part of every coupling's weight that is in ``u``; the rest is in ``v``. Energy.
    """

    index: int
    kind: RowKind
    born: int
    made_for: int
    anchor: int
    intercept: float
    u: FloatArray
    v: FloatArray
    paid: FloatArray


class RowSupport(NamedTuple):
    """Where the rows of a message are its envelope, up to rounding. Source: docs/method.md §12.1.

    Attributes
    ----------
    states : ndarray of int, shape (rows,)
        The number of states of the receiver's active bits at which each is the envelope, in the order of `rows`; 0: the
        row is dead.
    oldest : ndarray of int, shape (2^(active bits of the receiver),)
        For every such state the place of the row that is the envelope, the oldest among equals; -1 without rows.
    """

    states: IntArray
    oldest: IntArray


def rows(engine: Engine, p: int, q: int) -> list[Row]:
    """The rows of the message from q into p, oldest first.

    Source: docs/method.md §3.1.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.

    Returns
    -------
    list of Row
        With their intercepts at the present messages; empty for an exact variant.

    Raises
    ------
    ValueError
        If the groups are not coupled.
    TooLargeError
        If the scratch does not fit into memory with the run.
    """
    run = engine.arrays
    arc = run.graph.arc(p, q)
    if run.rule.exact:
        return []
    envelope(run, arc)
    return [_row(engine, index, arc) for index in _in_use(engine, arc)]


def row(engine: Engine, index: int) -> Row:
    """A row in use, seen from the group for which it was made.

    Parameters
    ----------
    engine : Engine
    index : int
        Its number in the order of creation.

    Returns
    -------
    Row

    Raises
    ------
    ValueError
        If there is no such row.
    """
    index = require_index(index, engine.n_rows, "row")
    return _row(engine, index, _own_message(engine, index))


def row_charges(engine: Engine, index: int) -> tuple[float, FloatArray]:
    """The intercept and the charges ``u`` of a `row` in use, without those of the sender: what pictures draw.

    Parameters
    ----------
    engine : Engine
    index : int
        Its number in the order of creation.

    Returns
    -------
    intercept : float
        Energy.
    u : ndarray, shape (members of the receiver, 2)
        Energy.
    """
    arc, pool = _own_message(engine, index), engine.arrays.rows.view
    edge, side = divmod(arc, 2)
    paid = row_payments(engine.graph, pool, index, edge, side)
    return float(pool.intercept[index, side]), row_terms(engine.graph, paid, edge, side)


def row_support(engine: Engine, p: int, q: int, stop: Stop = never) -> RowSupport:
    """Where each row of the message from q into p is its envelope.

    A row that is nowhere the envelope is dead: dropping it would change nothing now. It may revive, as the messages
    change. Source: docs/method.md §12.1.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    stop : Stop
        Checked before every row.

    Returns
    -------
    RowSupport
        Oldest first; empty for an exact variant.

    Raises
    ------
    ValueError
        If the groups are not coupled.
    TooLargeError
        If the scratch does not fit into memory with the run.
    """
    run = engine.arrays
    arc = run.graph.arc(p, q)
    bits, states = int(run.problem.bits[arc]), list[int]()
    oldest = np.full(1 << bits, -1)
    if run.rule.exact:
        return RowSupport(np.zeros(0, np.int64), oldest)
    below, pool, side = envelope(run, arc, stop), run.rows.view, arc % 2
    for index in _in_use(engine, arc):
        stop.check()
        value = pool.intercept[index, side] - over_active_states(pool.table[index, side], bits)
        fits = is_tight(engine, arc, below, value)
        oldest[fits & (oldest < 0)] = len(states)
        states.append(int(np.count_nonzero(fits)))
    return RowSupport(np.array(states, np.int64), oldest)


def row_edges(engine: Engine) -> IntArray:
    """The hyper-edge of every row in use, in the order of creation, shape (n_rows,).

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    ndarray of int64, shape (n_rows,)
    """
    edges: IntArray = engine.arrays.rows.view.edge[: engine.n_rows].copy()
    return edges


def rows_made(engine: Engine) -> IntArray:
    """The number of rows in use that were made for each message, shape (2 E,).

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    ndarray of int64, shape (2 E,)
    """
    pool, count = engine.arrays.rows.view, engine.n_rows
    arcs = 2 * pool.edge[:count] + pool.side[:count]
    return np.bincount(arcs, minlength=2 * len(engine.graph.edges))


def _own_message(engine: Engine, index: int) -> int:
    """The message into the group for which a row was made; its intercept there is in place."""
    run = engine.arrays
    pool = run.rows.view
    arc = 2 * int(pool.edge[index]) + int(pool.side[index])
    if not has_intercept(pool, run.state, index, arc):
        envelope(run, arc)
    return arc


def _in_use(engine: Engine, arc: int) -> list[int]:
    """The rows of the edge of an arc, oldest first."""
    run, found = engine.arrays, list[int]()
    index = int(run.state.row_first[arc // 2])
    while index >= 0:
        found.append(index)
        index = int(run.rows.view.next[index])
    return found


def _row(engine: Engine, index: int, arc: int) -> Row:
    """A row with the intercept that is stored for a message."""
    graph, pool = engine.graph, engine.arrays.rows.view
    edge, side = divmod(arc, 2)
    made = graph.active_members(2 * edge + int(pool.side[index]))
    paid = row_payments(graph, pool, index, edge, side)
    return Row(
        index=index,
        kind=RowKind(int(pool.kind[index])),
        born=int(pool.born[index]),
        made_for=int(graph.problem.edge_node[edge, pool.side[index]]),
        anchor=int(np.left_shift(pool.anchor[index] >> np.arange(len(made)) & 1, made).sum()),
        intercept=float(pool.intercept[index, side]),
        u=row_terms(graph, paid, edge, side),
        v=row_terms(graph, row_payments(graph, pool, index, edge, 1 - side), edge, 1 - side),
        paid=paid,
    )


def row_values(row: Row) -> FloatArray:
    """The row over the states of the receiver: ``beta_0 - sum_i u_i``, energy, shape (2^|Y_p|,)."""
    return row.intercept - over_states(row.u)


def row_value(row: Row, state: int) -> float:
    """The row at one state of the receiver, energy."""
    return float(row.intercept - sum(terms[state >> k & 1] for k, terms in enumerate(row.u)))


def over_active_states(table: FloatArray, bits: int) -> FloatArray:
    """The charge of a row at every state of the active bits, from its table (see `kernels.tables.affine`)."""
    low, high = 1 << min(bits, LOW_BITS), 1 << max(bits - LOW_BITS, 0)
    return (table[low : low + high, None] + table[:low]).reshape(-1)


def row_payments(graph: HyperGraph, pool: Pool, row: int, edge: int, side: int) -> FloatArray:
    """The part of every coupling's weight that the row assigns to one side.

    Returns
    -------
    ndarray, shape (couplings of the edge,)
        Energy.
    """
    couplings = graph.problem.couplings
    mine = slice(int(couplings.first[edge]), int(couplings.first[edge + 1]))
    weight, bit, entry = couplings.weight[mine], couplings.bit[mine], couplings.entry[mine]
    made = int(pool.side[row])
    taken = pool.anchor[row] >> bit[:, made] & 1 == entry[:, made]
    payment = np.where(taken, 0.0, weight * pool.share[row, bit[:, 1 - made], entry[:, 1 - made]])
    return payment if side == made else weight - payment


def row_terms(graph: HyperGraph, payments: FloatArray, edge: int, side: int) -> FloatArray:
    """The charges of a row for each value of each member of one side: sums of the payments there.

    Returns
    -------
    ndarray, shape (members of that side, 2)
        Energy.
    """
    problem = graph.problem
    mine = slice(int(problem.couplings.first[edge]), int(problem.couplings.first[edge + 1]))
    members = graph.active_members(2 * edge + side)[problem.couplings.bit[mine, side]]
    value_of = 2 * members + problem.couplings.entry[mine, side]
    size = int(problem.size[problem.edge_node[edge, side]])
    # Of no coupling at all it would be integers.
    terms: FloatArray = np.bincount(value_of, payments, 2 * size).astype(np.float64, copy=False)
    return terms.reshape(size, 2)
