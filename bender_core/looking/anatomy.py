"""The anatomy of a row: the couplings of its edge, and how it splits their weights.

Source: docs/method.md §3.1, §12.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bender_core.engine.engine import Engine
from bender_core.engine.rows import over_states
from bender_core.hypergraph import HyperGraph
from bender_core.looking.classes import bits_of
from bender_core.looking.message import incoming
from bender_core.looking.rows import Row
from bender_core.model import FloatArray, IntArray


class EdgeCouplings(NamedTuple):
    """The couplings of a hyper-edge, seen from the receiver of a message.

    Attributes
    ----------
    receiving, sending : ndarray of int64, shape (couplings,)
        The members at both ends, as places in their groups.
    entry : ndarray of int64, shape (couplings, 2)
        The values of the two members at which the coupling has energy -weight; elsewhere it is 0.
    weight : ndarray, shape (couplings,)
        Energy, above 0.
    """

    receiving: IntArray
    sending: IntArray
    entry: IntArray
    weight: FloatArray


def couplings(graph: HyperGraph, p: int, q: int) -> EdgeCouplings:
    """The couplings between the members of p and q.

    Raises
    ------
    ValueError
        If there are none.
    """
    problem, arc = graph.problem, graph.arc(p, q)
    edge, side = divmod(arc, 2)
    mine = slice(int(problem.couplings.first[edge]), int(problem.couplings.first[edge + 1]))
    bit = problem.couplings.bit[mine]
    return EdgeCouplings(
        receiving=graph.active_members(arc)[bit[:, side]],
        sending=graph.active_members(arc ^ 1)[bit[:, 1 - side]],
        entry=problem.couplings.entry[mine][:, [side, 1 - side]],
        weight=problem.couplings.weight[mine].copy(),
    )


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A row, and how it splits the couplings of its edge.

    Attributes
    ----------
    row : Row
    couplings : EdgeCouplings
    taken : ndarray of bool, shape (couplings,)
        Whether the row's anchor has the value that the coupling needs.
    own : bool
        Whether it was made for the receiver, so that the anchor is a state of the receiver.
    anchor : ndarray of uint8, shape (members of the group that it was made for,)
        The values at the anchor, 0 for members without couplings.
    answer : ndarray of uint8, shape (members of the sender,)
        The sender's answer: the lowest state that attains the intercept, 0 for members without couplings.
    """

    row: Row
    couplings: EdgeCouplings
    taken: NDArray[np.bool_]
    own: bool
    anchor: NDArray[np.uint8]
    answer: NDArray[np.uint8]


def anatomy(engine: Engine, p: int, q: int, row: Row) -> Anatomy:
    """The anatomy of a row of the message from q into p, at the present messages.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    row : Row
        One of ``looking.rows(engine, p, q)``.

    Returns
    -------
    Anatomy

    Raises
    ------
    ValueError
        If the groups are not coupled.
    """
    found, own = couplings(engine.graph, p, q), row.made_for == p
    sizes = engine.graph.problem.size
    anchor = bits_of(row.anchor, int(sizes[row.made_for]))
    ends = found.receiving if own else found.sending
    taken = anchor[ends] == found.entry[:, 0 if own else 1]
    arc = engine.graph.arc(p, q)
    senders = engine.graph.active_members(arc ^ 1)
    cheapest = int((-incoming(engine, arc) - over_states(row.v[senders])).argmin())
    answer = np.zeros(int(sizes[q]), np.uint8)
    answer[senders] = bits_of(cheapest, len(senders))
    return Anatomy(row, found, taken, own, anchor, answer)
