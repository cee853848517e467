"""Idle bits: a coupling sees only the members of a group that it touches (docs/method.md §1.5).

Of every arc the receiver's states are projected to the bits that have a coupling on that edge (its *active* states,
``2^problem.bits[arc]`` of them). Rows and min-marginals live there; messages and totals live on all states. The
projection is additive over the low and the high bits, so two small tables hold it.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import inlined, inner, small
from bender_core.kernels.layout import LOW_BITS
from bender_core.kernels.tables.affine import assign, high_states, low_states


@inner
def receiver_of(problem, arc):
    """The group that an arc's message goes into."""
    return problem.edge_node[arc // 2, arc % 2]


@inner
def sender_of(problem, arc):
    """The group that it comes from."""
    return problem.edge_node[arc // 2, 1 - arc % 2]


@inlined
def energies(problem, node):
    """The energies of a group, over its states."""
    first = problem.phi_first[node]
    return problem.phi[first : first + (1 << problem.size[node])]


@inlined
def dual_table(problem, lam, arc):
    """``lambda_{pq->p}`` over the states of the receiver."""
    first = problem.lam_first[arc]
    return lam[first : first + (1 << problem.size[problem.edge_node[arc // 2, arc % 2]])]


@inlined
def _tables(problem, arc, size):
    """The active state of every low state of a receiver of some size, and what every high state adds."""
    first = problem.projections.first[arc]
    low = problem.projections.table[first : first + low_states(size)]
    high = problem.projections.table[first + low_states(size) : first + low_states(size) + high_states(size)]
    return low, high


@small
def active_state(problem, arc, state):
    """The active state that a state of the receiver projects to."""
    size = problem.size[receiver_of(problem, arc)]
    if problem.bits[arc] == size:
        return state
    low, high = _tables(problem, arc, size)
    return low[state & (low_states(size) - 1)] + high[state >> LOW_BITS]


@small
def project_max(problem, arc, table, out):
    """``out[v] = max`` of ``table[y]`` over the states y of the receiver that project to v."""
    size = problem.size[receiver_of(problem, arc)]
    if problem.bits[arc] == size:
        assign(out, table)
        return
    low, high = _tables(problem, arc, size)
    n_low = len(low)
    out[:] = -np.inf
    for h in range(len(high)):
        x = table[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            v = high[h] + low[t]
            out[v] = max(out[v], x[t])


@inlined
def incoming_table(problem, lam, arc, room):
    """What the sender of an arc brings: its table ``lambda_{pq->q}`` over the active states of the sender.

    Where the sender has no idle bits that is the table itself, else what `fetch` has left in ``room``.
    """
    table = room[: 1 << problem.bits[arc ^ 1]]
    if problem.bits[arc ^ 1] == problem.size[sender_of(problem, arc)]:
        table = dual_table(problem, lam, arc ^ 1)
    return table


@small
def fetch(problem, lam, arc, room):
    """Prepare `incoming_table`: idle bits of the sender take their best value. Returns the entries read."""
    back = arc ^ 1
    size = problem.size[receiver_of(problem, back)]
    if problem.bits[back] == size:
        return 0
    project_max(problem, back, dual_table(problem, lam, back), room[: 1 << problem.bits[back]])
    return 1 << size


@small
def add_spread(problem, arc, nu, total):
    """``total[y] += nu[active state of y]``."""
    size = problem.size[receiver_of(problem, arc)]
    if problem.bits[arc] == size:
        whole, seen = total[: 1 << size], nu[: 1 << size]
        for y in range(len(whole)):
            whole[y] += seen[y]
        return
    low, high = _tables(problem, arc, size)
    n_low = len(low)
    for h in range(len(high)):
        base = high[h]
        x = total[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            x[t] += nu[base + low[t]]


@small
def write_message(problem, arc, nu, total, weight, lam):
    """``lam[y] = nu[active state of y] - weight * total[y]``."""
    size = problem.size[receiver_of(problem, arc)]
    if problem.bits[arc] == size:
        n = 1 << size
        whole, seen, all_of_it = lam[:n], nu[:n], total[:n]
        for y in range(n):
            whole[y] = seen[y] - weight * all_of_it[y]
        return
    low, high = _tables(problem, arc, size)
    n_low = len(low)
    for h in range(len(high)):
        base = high[h]
        x = lam[h * n_low : (h + 1) * n_low]
        y = total[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            x[t] = nu[base + low[t]] - weight * y[t]
