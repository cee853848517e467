"""Where the gap lives: the bound and a labelling, term by term (docs/method.md §9.6)."""

from __future__ import annotations

from bender_core.kernels._jit import entry
from bender_core.kernels.tables.coupling import coupling_energy
from bender_core.kernels.tables.projection import dual_table, energies


@entry
def tensions(problem, state, states, groups, edges):
    """Fill in by how much every term of the energy at a joint state exceeds the term of the bound.

    With ``theta_p = phi_p + sum_q lambda_{pq->p}`` and ``theta_pq = phi_pq - lambda_{pq->p} - lambda_{pq->q}`` a group
    gets ``theta_p - lambda_p`` and an edge ``theta_pq - lambda_pq``.
    """
    for p in range(len(groups)):
        groups[p] = energies(problem, p)[states[p]] - state.node_bound[p]
    for edge in range(len(edges)):
        edges[edge] = coupling_energy(problem, edge, states) - state.edge_bound[edge]
        for side in range(2):
            p = problem.edge_node[edge, side]
            dual = dual_table(problem, state.lam, 2 * edge + side)[states[p]]
            groups[p] += dual
            edges[edge] -= dual
