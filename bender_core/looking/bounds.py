"""The bounds of a run: the certificate, the terms of the lower bound, and the distribution of the gap.

Source: docs/method.md §9.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bender_core.engine.engine import Engine
from bender_core.engine.messages import arcs_into, dual_table, least_of_edge
from bender_core.kernels.tables.coupling import coupling_energy
from bender_core.kernels.tension import tensions
from bender_core.looking.message import min_marginal
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never

# The number of states processed at a time where a whole table would take too much memory.
_SLICE = 1 << 16


class Tension(NamedTuple):
    """The gap to a labelling, part by part; every part is at least 0. Source: docs/method.md §9.6.

    Attributes
    ----------
    groups : ndarray, shape (P,)
    edges : ndarray, shape (E,)
        Energy.
    """

    groups: FloatArray
    edges: FloatArray


class EdgeTension(NamedTuple):
    """The tension of an edge as seen from one end; both parts are at least 0. Source: docs/method.md §9.6.

    Attributes
    ----------
    disagreement : float
        The energy that the other end would save by its best answer.
    unclaimed : float
        The energy that the message could claim in addition.
    """

    disagreement: float
    unclaimed: float


class Work(NamedTuple):
    """The work of a run, in table entries read; the parts sum to all that was read. Source: docs/method.md §10.2.

    Attributes
    ----------
    messages : ndarray of int, shape (2 E,)
        For every message.
    rest : int
        Work for no single message: minimisers, labellings, and the overhead of steps.
    """

    messages: IntArray
    rest: int


def certified_bound(engine: Engine, stop: Stop = never) -> float:
    """The lower bound, recomputed from lambda alone with exact min-marginals.

    It needs additional scratch for one message, over the states of the active bits. Source: docs/method.md §9.1.

    Parameters
    ----------
    engine : Engine
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    float
        Energy.

    Raises
    ------
    TooLargeError
        If it does not fit into memory with the run.
    """
    nodes = sum(_least_reparametrized(engine, p, stop) for p in range(engine.graph.n_groups))
    edges = sum(least_of_edge(engine.arrays, arc, stop) for arc in range(0, len(engine.arrays.state.slack), 2))
    return nodes + edges + engine.arrays.rule.constant


def _least_reparametrized(engine: Engine, p: int, stop: Stop) -> float:
    """The minimum of `reparametrized`, a slice of the states at a time."""
    problem, least = engine.arrays.problem, np.inf
    phi, states = engine.graph.energies(p), 1 << int(problem.size[p])
    for begin in range(0, states, _SLICE):
        stop.check()
        end = min(begin + _SLICE, states)
        total = phi[begin:end].copy()
        for arc in arcs_into(engine.arrays, p):
            total += dual_table(engine.arrays, int(arc))[begin:end]
        least = min(least, float(total.min()))
    return least


def opening_bound(engine: Engine) -> float:
    """The lower bound before the first event.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    float
        Energy.
    """
    return float(engine.arrays.past.opening + engine.arrays.rule.constant)


def decoded_bound(engine: Engine) -> float:
    """The energy of the best decoded labelling, before any improvement (the paper's upper bound).

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    float
        Energy.
    """
    return float(engine.arrays.state.bounds.best_decoded + engine.arrays.rule.constant)


def rounded_bound(engine: Engine) -> float:
    """The lower bound, raised to the next possible energy (see `Margin.lattice`).

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    float
        Energy.
    """
    return engine.margin.lattice.raised(engine.lower_bound, engine.upper_bound)


def bound_terms(engine: Engine) -> Tension:
    """The terms of the lower bound, one for every group and every edge, without the model's constant.

    Source: docs/method.md §2.1.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    Tension
    """
    return Tension(engine.arrays.state.node_bound.copy(), engine.arrays.state.edge_bound.copy())


def tension(engine: Engine, labeling: ArrayLike | None = None) -> Tension:
    """The distribution of the gap: how far each term of a labelling's energy exceeds its term of the bound.

    Source: docs/method.md §9.6.

    Parameters
    ----------
    engine : Engine
    labeling : array_like, shape (n,), optional
        Values of the variables; by default the best labelling so far.

    Returns
    -------
    Tension
        Its parts sum to the energy of the labelling less the lower bound.

    Raises
    ------
    ModelError
        If it is not a labelling of the model.
    """
    groups, edges = np.empty(engine.graph.n_groups), np.empty(len(engine.graph.edges))
    tensions(engine.arrays.problem, engine.arrays.state, _states_of(engine, labeling), groups, edges)
    return Tension(groups, edges)


def edge_tension(engine: Engine, p: int, q: int, labeling: ArrayLike | None = None) -> EdgeTension:
    """The tension of an edge, as seen from p.

    Source: docs/method.md §9.6.

    Parameters
    ----------
    engine : Engine
    p, q : int
        The end from which it is seen, and the other end.
    labeling : array_like, shape (n,), optional
        Values of the variables; by default the best labelling so far.

    Returns
    -------
    EdgeTension
        Its parts sum to the tension of the edge.

    Raises
    ------
    ValueError
        If the groups are not coupled.
    ModelError
        If it is not a labelling of the model.
    """
    arc, states = engine.graph.arc(p, q), _states_of(engine, labeling)
    state = int(states[p])
    exact = float(min_marginal(engine, p, q, [state])[0])
    unclaimed = exact - float(dual_table(engine.arrays, arc)[state]) - float(engine.arrays.state.edge_bound[arc // 2])
    other = float(dual_table(engine.arrays, arc ^ 1)[states[q]])
    return EdgeTension(float(coupling_energy(engine.arrays.problem, arc // 2, states) - other - exact), unclaimed)


def work(engine: Engine) -> Work:
    """The work so far, in table entries read, by message.

    Source: docs/method.md §10.2.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    Work
    """
    messages = engine.arrays.state.read.copy()
    return Work(messages, int(engine.arrays.state.cursor.read - messages.sum()))


def _states_of(engine: Engine, labeling: ArrayLike | None) -> IntArray:
    """The state that a labelling gives every group."""
    if labeling is None:
        return engine.arrays.state.best
    # Refuses values that are no labelling of the model.
    engine.mrf.energy(labeling)
    return engine.graph.states(np.asarray(labeling, np.int64))
