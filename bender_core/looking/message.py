"""The messages of a run: dual tables, min-marginals, envelopes, and how tight these are.

Functions raise ValueError if there is no group with a given number, or if receiver and sender are not coupled;
TooLargeError if their scratch does not fit into memory with the run; and Stopped if ``stop`` says so. Source:
docs/method.md §12.1.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core.engine import memory
from bender_core.engine import messages as messages_of
from bender_core.engine.engine import Engine
from bender_core.given import require_index
from bender_core.model import FloatArray
from bender_core.stopping import Stop, never

# An envelope this close to the min-marginal, relative to the numbers involved, is tight.
CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Tightness:
    """How far the envelope of every arc lies below the true min-marginal (its slack); each of shape (2 E,).

    Source: docs/method.md §3.5.

    Attributes
    ----------
    mean, largest : ndarray
        Over the states of the receiver, energy.
    at_state : ndarray
        At the state of the last oracle, energy; NaN before the first.
    tight_share : ndarray
        The share of the states without slack, up to rounding, 0 to 1.
    sampled : ndarray of bool
        Whether the arc was judged on a sample of the states.
    """

    mean: FloatArray
    largest: FloatArray
    at_state: FloatArray
    tight_share: FloatArray
    sampled: NDArray[np.bool_]


def is_close(nu: FloatArray, below: FloatArray, weight: float) -> NDArray[np.bool_]:
    """Where a lower bound equals a min-marginal up to rounding; ``weight`` is that of all couplings of the edge."""
    close: NDArray[np.bool_] = nu - below <= CLOSE * (np.abs(nu) + weight)
    return close


def reparametrized(engine: Engine, p: int) -> FloatArray:
    """``phi_p + sum_q lambda_{pq->p}``: a group decodes to its minimiser.

    Source: docs/method.md §2.1 (paper, Eq. 9).

    Parameters
    ----------
    engine : Engine
    p : int

    Returns
    -------
    ndarray, shape (2^|Y_p|,)
        Energy.

    Raises
    ------
    ValueError
        If there is no such group.
    """
    total = engine.graph.energies(p).copy()
    for arc in messages_of.arcs_into(engine.arrays, p):
        total += messages_of.dual_table(engine.arrays, int(arc))
    return total


def min_marginal(engine: Engine, p: int, q: int, states: ArrayLike | None = None, stop: Stop = never) -> FloatArray:
    """The true min-marginal ``nu_pq``, the message from q into p before sharing.

    Source: docs/method.md §2.2, §5 (paper, Eq. 7).

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    states : array_like of int, optional
        States of p, each at the cost of a pass over the states of q; by default all of them, pruned or
        eliminated (variant 12) where that is cheaper.
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    ndarray
        Energy, one entry per state.

    Raises
    ------
    TooLargeError
        If it does not fit into memory with the run.
    ValueError
        If the groups are not coupled, or p has no such state.
    Stopped
        If ``stop`` says so.
    """
    arc = engine.graph.arc(p, q)
    run = engine.arrays
    run.charge_looking(memory.looking_bytes, "looking at a message")
    active = engine.graph.active_states(arc)
    if states is None:
        return messages_of.exact(run, arc, stop)[active]
    chosen = messages_of.require_states(run, arc, states)
    states, place = np.unique(active[chosen], return_inverse=True)
    return messages_of.exact_at(run, arc, states, stop)[place]


def envelope(engine: Engine, p: int, q: int, stop: Stop = never) -> FloatArray:
    """The envelope ``nu_pq^- <= nu_pq`` at the current lambda and rows.

    For an exact variant, which keeps no rows, it is the min-marginal. Source: docs/method.md §3.5 (paper, Eq. 11).

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    ndarray, shape (2^|Y_p|,)
        Energy.

    Raises
    ------
    TooLargeError
        If it does not fit into memory with the run.
    """
    if engine.arrays.rule.exact:
        return min_marginal(engine, p, q, stop=stop)
    arc = engine.graph.arc(p, q)
    return messages_of.envelope(engine.arrays, arc, stop)[engine.graph.active_states(arc)]


def reduced_cost(engine: Engine, p: int, stop: Stop = never) -> FloatArray:
    """``phi_p + sum_q nu_pq^-``, which determines the next minimiser of a group (docs/method.md §2.3).

    Parameters
    ----------
    engine : Engine
    p : int
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    ndarray, shape (2^|Y_p|,)
        Energy.
    """
    total = engine.graph.energies(p).copy()
    for q in engine.graph.neighbours(p):
        total += envelope(engine, p, q, stop)
    return total


def is_tight(engine: Engine, arc: int, nu: FloatArray, below: FloatArray) -> NDArray[np.bool_]:
    """Where an envelope of an arc equals the true min-marginal up to rounding (docs/method.md §3.5).

    Parameters
    ----------
    engine : Engine
    arc : int
    nu, below : ndarray
        Energies at the same states.

    Returns
    -------
    ndarray of bool

    Raises
    ------
    ValueError
        If there is no such arc.
    """
    arc = require_index(arc, len(engine.arrays.state.slack), "arc")
    return is_close(nu, below, float(engine.arrays.problem.edge_weight[arc // 2]))


def tightness(engine: Engine, max_states: int | None = None, stop: Stop = never) -> Tightness:
    """The slack of every arc's envelope.

    Parameters
    ----------
    engine : Engine
    max_states : int, optional
        Groups with more states than this are sampled at this number of evenly spaced states; by default all states
        of all groups are used.
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    Tightness

    Raises
    ------
    TooLargeError
        If it does not fit into memory with the run.
    ValueError
        If ``max_states`` is less than 1.
    """
    if max_states is not None and operator.index(max_states) < 1:
        raise ValueError(f"max_states is {max_states}; judge by one state at least")
    arcs = len(engine.arrays.state.slack)
    mean, largest, tight_share = np.zeros((3, arcs))
    sampled = np.zeros(arcs, bool)
    for arc in range(arcs):
        p, q = engine.graph.ends(arc)
        n = 1 << int(engine.arrays.problem.size[p])
        if max_states is not None and n > max_states:
            sampled[arc] = True
            states = np.linspace(0, n - 1, max_states).astype(np.int64)
            nu, below = min_marginal(engine, p, q, states, stop), envelope(engine, p, q, stop)[states]
        else:
            nu, below = min_marginal(engine, p, q, stop=stop), envelope(engine, p, q, stop)
        gap = np.maximum(nu - below, 0.0)
        mean[arc] = gap.mean()
        largest[arc] = gap.max()
        tight_share[arc] = is_tight(engine, arc, nu, below).mean()
    return Tightness(mean, largest, slack(engine), tight_share, sampled)


def message(engine: Engine, p: int, q: int) -> FloatArray:
    """The dual table ``lambda_{pq->p}``, a copy (docs/method.md §2.1).

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.

    Returns
    -------
    ndarray, shape (2^|Y_p|,)
        Energy.
    """
    return messages_of.dual_table(engine.arrays, engine.graph.arc(p, q)).copy()


def messages(engine: Engine) -> FloatArray:
    """A copy of all messages: for every edge the table of the one into its first group, then of that into its second.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    ndarray
        Energy.
    """
    return engine.arrays.state.lam.copy()


def message_bytes(engine: Engine) -> int:
    """The size of all messages, bytes."""
    return int(engine.arrays.state.lam.nbytes)


def incoming(engine: Engine, arc: int) -> FloatArray:
    """The sender's table ``lambda_{pq->q}``, maximised over its idle bits (docs/method.md §1.5).

    Parameters
    ----------
    engine : Engine
    arc : int

    Returns
    -------
    ndarray, shape (2^(active bits of the sender),)
        Energy.

    Raises
    ------
    ValueError
        If there is no such arc.
    """
    arc = require_index(arc, len(engine.arrays.state.slack), "arc")
    return messages_of.incoming(engine.arrays, arc).copy()


def slack(engine: Engine) -> FloatArray:
    """The slack of every arc at the state of its last oracle; NaN before; (2 E,).

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    ndarray, shape (2 E,)
        Energy.
    """
    return engine.arrays.state.slack.copy()
