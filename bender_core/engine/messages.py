"""One message of a run: its parts and its envelope, computed in the scratch for looking.

Unless stated otherwise, tables are over the states of the receiver's active bits, and are soon overwritten.
Source: docs/method.md §2, §3.5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bender_core.engine import memory
from bender_core.engine.arrays import Arrays
from bender_core.given import require_index
from bender_core.kernels.layout import STEP, Message
from bender_core.kernels.min_marginals.enumerate import enumerate_min_marginals
from bender_core.kernels.min_marginals.exact import begin_exact, exact_min_marginals
from bender_core.kernels.rows.pool import begin_recycling, recycle
from bender_core.kernels.tables.projection import fetch, incoming_table
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never


def arcs_into(run: Arrays, p: int) -> IntArray:
    """The arcs that a group receives.

    Raises
    ------
    ValueError
        If there is no such group.
    """
    p, problem = require_index(p, run.graph.n_groups, "group"), run.problem
    return problem.node_arcs[problem.arc_first[p] : problem.arc_first[p + 1]]


def dual_table(run: Arrays, arc: int) -> FloatArray:
    """The table ``lambda_{pq->p}`` of an arc, over all states of its receiver; no copy."""
    p, _ = run.graph.ends(arc)
    first = run.problem.lam_first[arc]
    return run.state.lam[first : first + (1 << run.problem.size[p])]


def incoming(run: Arrays, arc: int) -> FloatArray:
    """The sender's table ``lambda_{pq->q}``, maximised over its idle bits (docs/method.md §1.5)."""
    room = run.probe.incoming[0]
    fetch(run.problem, run.state.lam, arc, room)
    table: FloatArray = incoming_table(run.problem, run.state.lam, arc, room)
    return table


def exact(run: Arrays, arc: int, stop: Stop = never) -> FloatArray:
    """The min-marginals of an arc."""
    message, work = _message(run, arc), run.probe
    begin_exact(work)
    while work.progress.next >= 0:
        stop.check()
        exact_min_marginals(run.problem, message, work)
    return message.nu


def require_states(run: Arrays, arc: int, states: ArrayLike) -> IntArray:
    """Some states of the receiver of an arc.

    Raises
    ------
    ValueError
        If it has no such states.
    """
    p, _ = run.graph.ends(arc)
    count, given = 1 << int(run.problem.size[p]), np.asarray(states)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"states are {states!r}; give whole numbers from 0 to {count - 1}")
    chosen: IntArray = given.astype(np.int64)
    outside = chosen[(chosen < 0) | (chosen >= count)]
    if len(outside):
        raise ValueError(f"group {p} has the states 0 to {count - 1}; there is no state {outside[0]}")
    return chosen


def exact_at(run: Arrays, arc: int, active: IntArray, stop: Stop = never) -> FloatArray:
    """The min-marginals of an arc at some states of the active bits; each costs a pass over the sender's states."""
    nu, table = np.empty(len(active)), incoming(run, arc)
    some = max(STEP // len(table), 1)
    for k in range(0, len(active), some):
        stop.check()
        part = Message(arc, table, nu[k : k + some])
        enumerate_min_marginals(run.problem, part, active[k : k + some], run.probe)
    return nu


def envelope(run: Arrays, arc: int, stop: Stop = never) -> FloatArray:
    """The envelope of an arc by its rows.

    Raises
    ------
    TooLargeError
        If the scratch does not fit into memory with the run.
    """
    run.charge_looking(memory.looking_bytes, "looking at a message")
    message, work = _message(run, arc), run.probe
    begin_recycling(run.state, message, work)
    while work.progress.next >= 0:
        stop.check()
        recycle(run.problem, run.rows.view, run.state, message, work)
    return message.nu


def least_of_edge(run: Arrays, arc: int, stop: Stop = never) -> float:
    """``min phi_pq - lambda_{pq->p} - lambda_{pq->q}``: the term of an edge in the bound, exactly."""
    slack = exact(run, arc, stop)
    slack -= incoming(run, arc ^ 1)
    return float(slack.min())


def _message(run: Arrays, arc: int) -> Message:
    """The description of a message to compute."""
    return Message(arc, incoming(run, arc), run.probe.nu[0, : 1 << run.problem.bits[arc]])
