"""Idle bits: a coupling sees only the members of a group that it touches.

Of every arc the receiver's states are projected to the bits that have a coupling on that hyper-edge (its
*active* states, ``problem.bits[arc]`` of them). Rows and min-marginals live there; messages and totals live on
all states. The projection is additive over the low and the high bits, so two small tables hold it.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import inlined, kernel
from bender_core.kernels.affine import assign
from bender_core.kernels.layout import LOW_BITS


@kernel
def active_state(problem, arc, state):
    """The active state that a state of the receiver projects to."""
    size = problem.size[problem.edge_node[arc // 2, arc % 2]]
    if problem.bits[arc] == size:
        return state
    low = min(size, LOW_BITS)
    start = problem.lens_start[arc]
    return problem.lens[start + (state & ((1 << low) - 1))] + problem.lens[start + (1 << low) + (state >> low)]


@kernel
def project_max(problem, arc, table, out):
    """``out[v] = max`` of ``table[y]`` over the states y of the receiver that project to v."""
    size = problem.size[problem.edge_node[arc // 2, arc % 2]]
    if problem.bits[arc] == size:
        assign(out, table)
        return
    n_low = 1 << min(size, LOW_BITS)
    start = problem.lens_start[arc]
    low = problem.lens[start : start + n_low]
    out[:] = -np.inf
    for h in range(1 << max(size - LOW_BITS, 0)):
        base = problem.lens[start + n_low + h]
        x = table[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            v = base + low[t]
            out[v] = max(out[v], x[t])


@inlined
def sent_table(problem, lam, arc, room):
    """What the sender of an arc brings: its table ``lambda_{pq->q}`` over the active states of the sender.

    Where the sender has no idle bits that is the table itself, else what `fetch` has left in ``room``.
    """
    back = arc ^ 1
    size = problem.size[problem.edge_node[back // 2, back % 2]]
    if problem.bits[back] < size:
        return room[: 1 << problem.bits[back]]
    start = problem.lam_start[back]
    return lam[start : start + (1 << size)]


@kernel
def fetch(problem, lam, arc, room):
    """Prepare `sent_table`: idle bits of the sender take their best value. Returns the entries read."""
    back = arc ^ 1
    size = problem.size[problem.edge_node[back // 2, back % 2]]
    if problem.bits[back] == size:
        return 0
    start = problem.lam_start[back]
    project_max(problem, back, lam[start : start + (1 << size)], room[: 1 << problem.bits[back]])
    return 1 << size


@kernel
def add_spread(problem, arc, nu, total):
    """``total[y] += nu[active state of y]``."""
    size = problem.size[problem.edge_node[arc // 2, arc % 2]]
    n = 1 << size
    if problem.bits[arc] == size:
        whole, seen = total[:n], nu[:n]
        for y in range(n):
            whole[y] += seen[y]
        return
    n_low = 1 << min(size, LOW_BITS)
    start = problem.lens_start[arc]
    low = problem.lens[start : start + n_low]
    for h in range(1 << max(size - LOW_BITS, 0)):
        base = problem.lens[start + n_low + h]
        x = total[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            x[t] += nu[base + low[t]]


@kernel
def write_message(problem, arc, nu, total, weight, lam):
    """``lam[y] = nu[active state of y] - weight * total[y]``."""
    size = problem.size[problem.edge_node[arc // 2, arc % 2]]
    n = 1 << size
    if problem.bits[arc] == size:
        whole, seen, all_of_it = lam[:n], nu[:n], total[:n]
        for y in range(n):
            whole[y] = seen[y] - weight * all_of_it[y]
        return
    n_low = 1 << min(size, LOW_BITS)
    start = problem.lens_start[arc]
    low = problem.lens[start : start + n_low]
    for h in range(1 << max(size - LOW_BITS, 0)):
        base = problem.lens[start + n_low + h]
        x = lam[h * n_low : (h + 1) * n_low]
        y = total[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            x[t] = nu[base + low[t]] - weight * y[t]
