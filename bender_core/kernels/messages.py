"""The messages that a node passes."""

from __future__ import annotations

from bender_core.kernels._jit import kernel
from bender_core.kernels.layout import Cursor
from bender_core.kernels.projection import write_message
from bender_core.kernels.schedule import edge_share, is_ahead


@kernel
def pass_messages(problem, rule, state, node, work):
    """Share the node's total among itself and its edges; returns the gain in the bound.

    Paper, Alg. 1 (``mplp``) and method.md, section 6 (``srmp``).
    """
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    share = edge_share(problem, rule, state.cursor, node)
    level = work.total[state.decoded[node]]
    kept, before, after = level, state.node_bound[node], 0.0
    for slot in range(last - first):
        arc = problem.node_arcs[first + slot]
        weight = share if is_ahead(problem, rule, state.cursor, arc) else 0.0
        start = problem.lam_start[arc]
        lam = state.lam[start : start + (1 << problem.size[node])]
        write_message(problem, arc, work.nu[slot], work.total, weight, lam)
        state.written[arc] = state.cursor[Cursor.EVENTS]
        before += state.edge_bound[arc // 2]
        state.edge_bound[arc // 2] = weight * level
        after += weight * level
        kept -= weight * level
    state.node_bound[node] = kept
    return after + kept - before
