"""Benders rows for inspection: their charges for each value of each member of either group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import LOW_BITS, Pool, RowKind
from bender_core.model import FloatArray

CUT_KINDS = {0.0: RowKind.MWC_0, 0.5: RowKind.MWC_HALF, 1.0: RowKind.MWC_1}


def cut_kind(alpha: float) -> RowKind:
    """The kind of a Magnanti-Wong row of a given alpha.

    Raises
    ------
    ValueError
        If rows are not made with that alpha.
    """
    if alpha not in CUT_KINDS:
        raise ValueError(f"alpha is {alpha}; Magnanti-Wong rows are made with {', '.join(map(str, CUT_KINDS))}")
    return CUT_KINDS[alpha]


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
        The group at whose minimiser it was made.
    anchor : int
        That minimiser, with 0 for the idle members.
    intercept : float
        beta_0 at the current lambda, energy.
    u : ndarray, shape (members of the receiver, 2)
        The charge for each value of each member (``omega_i = -u_i``), energy.
    v : ndarray, shape (members of the sender, 2)
        The same for the sender.
    paid : ndarray, shape (couplings of the edge,)
        The part of the weight of every coupling that is in ``u``; the rest is in ``v``. Energy.
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


class RowAt(NamedTuple):
    """A row that could be made, as `what_if` does: for a message, at a state of its receiver.

    Attributes
    ----------
    receiver, sender : int
        Groups.
    state : int
        Of the receiver; bit k is member k.
    kind : RowKind
    """

    receiver: int
    sender: int
    state: int
    kind: RowKind


def rows_at(given: Iterable[RowAt]) -> tuple[RowAt, ...]:
    """Rows that could be made, checked.

    Raises
    ------
    ValueError
        If something else is given.
    """
    rows = tuple(given) if isinstance(given, Iterable) else (given,)
    for row in rows:
        if not isinstance(row, RowAt) or row.kind not in list(RowKind):
            kinds = ", ".join(kind.name for kind in RowKind)
            raise ValueError(f"{row!r} is no row; give RowAt(receiver, sender, state, kind) with one of {kinds}")
    return rows


def row_values(row: Row) -> FloatArray:
    """The row over the states of the receiver: ``beta_0 - sum_i u_i``, energy, shape (2^|Y_p|,)."""
    return row.intercept - over_states(row.u)


def row_value(row: Row, state: int) -> float:
    """The row at one state of the receiver, energy."""
    return float(row.intercept - sum(terms[state >> k & 1] for k, terms in enumerate(row.u)))


def over_states(terms: FloatArray) -> FloatArray:
    """Sums of one term per member, over the states of their group; shapes (..., members, 2) and (..., 2^members)."""
    total = np.zeros((*terms.shape[:-2], 1))
    for k in range(terms.shape[-2]):
        total = np.concatenate([total + terms[..., k, :1], total + terms[..., k, 1:]], axis=-1)
    return total


def over_active_states(table: FloatArray, bits: int) -> FloatArray:
    """What a row charges at every state of the active bits, from its table (see `kernels.tables.affine`)."""
    low, high = 1 << min(bits, LOW_BITS), 1 << max(bits - LOW_BITS, 0)
    return (table[low : low + high, None] + table[:low]).reshape(-1)


def row_payments(graph: HyperGraph, pool: Pool, row: int, edge: int, side: int) -> FloatArray:
    """What every coupling of an edge pays on one side: its weight split by the row.

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
    """The charges of a row for each value of each member of one side: the sums of its payments there.

    Returns
    -------
    ndarray, shape (members of that side, 2)
        Energy.
    """
    problem = graph.problem
    mine = slice(int(problem.couplings.first[edge]), int(problem.couplings.first[edge + 1]))
    terms = np.zeros((int(problem.size[problem.edge_node[edge, side]]), 2))
    members = graph.active_members(2 * edge + side)[problem.couplings.bit[mine, side]]
    np.add.at(terms, (members, problem.couplings.entry[mine, side]), payments)
    return terms
