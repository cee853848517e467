"""A message by classes of its receiver's states: those that agree in the members coupled to the sender.

A message does not depend on the other members, so the values of a class hold for each of its states.
Source: docs/method.md §12.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core.engine.engine import Engine
from bender_core.engine.rows import over_states
from bender_core.looking.message import envelope, is_close, is_tight, min_marginal
from bender_core.looking.rows import Row, row_support, rows
from bender_core.looking.update import ground
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never


@dataclass(frozen=True, eq=False)
class Classes:
    """A message by classes; bit k of a class is the value of the receiver's member ``members[k]``.

    Attributes
    ----------
    members : ndarray of int64, shape (bits,)
        The members of the receiver that are coupled to the sender, ascending.
    idle : int
        The number of its other members: a class has 2^idle states.
    nu, envelope : ndarray, shape (2^bits,)
        The true min-marginal and the envelope, energy.
    tight : ndarray of bool, shape (2^bits,)
        Where the two are equal up to rounding (`looking.is_tight`).
    least : ndarray, shape (2^bits,)
        A lower bound on the cost of the class's cheapest state, in units of the bound (`looking.ground`).
    rows : list of Row
        Oldest first; none in an exact variant.
    support : ndarray of int64, shape (2^bits,)
        The place in ``rows`` of the row that is the envelope, the oldest among equals; -1 in an exact variant.
    maximal : ndarray, shape (rows,)
        The share of the classes at which a row is the envelope, 0 to 1.
    weight : float
        The sum of the weights of the edge's couplings, energy, to which tightness is relative.
    at_oracle : int
        The class of y*, the state in the receiver's last event; before its first update, that of the cheapest state.
    """

    members: IntArray
    idle: int
    nu: FloatArray
    envelope: FloatArray
    tight: NDArray[np.bool_]
    least: FloatArray
    rows: list[Row]
    support: IntArray
    maximal: FloatArray
    weight: float
    at_oracle: int

    def __len__(self) -> int:
        return len(self.nu)

    @property
    def slack(self) -> FloatArray:
        """The min-marginal minus the envelope, shape (2^bits,); energy."""
        return np.maximum(self.nu - self.envelope, 0.0)

    @property
    def bits(self) -> NDArray[np.uint8]:
        """The values of the coupled members in every class, shape (2^bits, bits)."""
        return bits_of(np.arange(len(self)), len(self.members))

    @property
    def states(self) -> IntArray:
        """A state of every class: the one whose other members are 0, shape (2^bits,)."""
        return states_of(np.arange(len(self)), self.members)

    def supported(self, places: list[int]) -> NDArray[np.bool_]:
        """Where any of the rows at these places is the envelope, shape (2^bits,)."""
        values = [row_over(self.rows[place], self.members) for place in places]
        return is_close(self.envelope, np.max(values, axis=0), self.weight)


def classes(engine: Engine, p: int, q: int, stop: Stop = never) -> Classes:
    """The message from q into p by classes, at the position of a run.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    Classes

    Raises
    ------
    ValueError
        If the groups are not coupled.
    TooLargeError
        If it does not fit into memory with the run.
    Stopped
        If ``stop`` says so.
    """
    arc = engine.graph.arc(p, q)
    members = engine.graph.active_members(arc)
    idle = np.setdiff1d(np.arange(int(engine.graph.problem.size[p])), members)
    states = states_of(np.arange(1 << len(members)), members)
    nu = min_marginal(engine, p, q, stop=stop)[states]
    below = nu if engine.variant.exact else envelope(engine, p, q, stop)[states]
    cost = ground(engine, p, stop)
    support = row_support(engine, p, q, stop)
    return Classes(
        members=members,
        idle=len(idle),
        nu=nu,
        envelope=below,
        tight=is_tight(engine, arc, nu, below),
        least=cost[states[:, None] | states_of(np.arange(1 << len(idle)), idle)].min(axis=1),
        rows=rows(engine, p, q),
        support=support.oldest,
        maximal=support.states / len(states),
        weight=float(engine.graph.problem.edge_weight[arc // 2]),
        at_oracle=class_of(engine, arc, _state_at_oracle(engine, p, cost)),
    )


def class_of(engine: Engine, arc: int, state: int) -> int:
    """The class of a state of the receiver of an arc."""
    values = state >> engine.graph.active_members(arc) & 1
    return int(values @ (1 << np.arange(len(values))))


def states_of(numbers: IntArray, members: IntArray) -> IntArray:
    """Numbers with their bits moved to the places of some members."""
    states = np.zeros(len(numbers), np.int64)
    for k, member in enumerate(members.tolist()):
        states |= (numbers >> k & 1) << member
    return states


def bits_of(numbers: ArrayLike, bits: int) -> NDArray[np.uint8]:
    """The lowest bits of some numbers, the lowest first, shape (numbers, bits)."""
    return (np.asarray(numbers)[..., None] >> np.arange(bits) & 1).astype(np.uint8)


def _state_at_oracle(engine: Engine, p: int, cost: FloatArray) -> int:
    trace = engine.trace.until(engine.position)
    own = np.flatnonzero(trace.column("node") == p)
    return trace[int(own[-1])].state if len(own) else int(cost.argmin())


def row_over(row: Row, members: IntArray) -> FloatArray:
    """A row over the classes, given by the receiver's members that it depends on; energy, shape (2^members,)."""
    return row.intercept - over_states(row.u[members])
