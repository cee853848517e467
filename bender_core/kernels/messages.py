"""The messages that a node passes (paper, Alg. 1; docs/method.md §2.3).

With the total ``t(y) = phi_p(y) + sum_q nu_pq(y)`` every edge q gets ``lambda_{pq->p} = nu_pq - w t`` and the node
keeps the rest, where w is the edge's share. What the node and its edges hold together stays the same at every state,
and their minima now add up to ``min t``: the bound rises by ``min t`` less what they were before.
"""

from __future__ import annotations

from bender_core.kernels._jit import entry
from bender_core.kernels.schedule import edge_share, is_ahead
from bender_core.kernels.tables.projection import dual_table, write_message


@entry
def pass_messages(problem, rule, state, node, work):
    """Share the node's total among itself and its edges; returns the gain in the bound."""
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    share = edge_share(problem, rule, state.cursor, node)
    level = work.total[state.decoded[node]]
    kept, before, after = level, state.node_bound[node], 0.0
    for slot in range(last - first):
        arc = problem.node_arcs[first + slot]
        weight = share if is_ahead(problem, rule, state.cursor, arc) else 0.0
        write_message(problem, arc, work.nu[slot], work.total, weight, dual_table(problem, state.lam, arc))
        state.written[arc] = state.cursor.events
        before += state.edge_bound[arc // 2]
        state.edge_bound[arc // 2] = weight * level
        after += weight * level
        kept -= weight * level
    state.node_bound[node] = kept
    return after + kept - before
