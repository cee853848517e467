"""Labellings: their energy, what a group decodes to, and better ones than what was decoded."""

from __future__ import annotations

from bender_core.kernels._jit import kernel
from bender_core.kernels.affine import affine_argmin, assign, tabulate
from bender_core.kernels.coupling import coupling_energy, coupling_form
from bender_core.kernels.layout import Bound
from bender_core.kernels.projection import active_state

# Rounds over all groups at most; a descent that is still going then has gained what there was to gain.
ROUNDS = 20


@kernel
def total_energy(problem, states):
    """The energy of a joint state of all groups, without the model's constant."""
    energy = 0.0
    for p in range(len(states)):
        energy += problem.phi[problem.phi_start[p] + states[p]]
    for edge in range(len(problem.edge_node)):
        energy += coupling_energy(problem, edge, states[problem.edge_node[edge, 0]], states[problem.edge_node[edge, 1]])
    return energy


@kernel
def _local_energy(problem, states, node):
    energy = problem.phi[problem.phi_start[node] + states[node]]
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        edge = problem.node_arcs[a] // 2
        energy += coupling_energy(problem, edge, states[problem.edge_node[edge, 0]], states[problem.edge_node[edge, 1]])
    return energy


@kernel
def decode(problem, state, node, minimiser):
    """Let a group decode to its minimiser, and keep the best joint labelling over time (paper, Eq. "EqOptInt")."""
    bound = state.bound
    if minimiser == state.decoded[node]:
        return
    before = _local_energy(problem, state.decoded, node)
    state.decoded[node] = minimiser
    bound[Bound.DECODED] += _local_energy(problem, state.decoded, node) - before
    if bound[Bound.DECODED] < bound[Bound.BEST_DECODED]:
        # Summed afresh, so that the bound reported does not carry the rounding of the increments.
        bound[Bound.DECODED] = total_energy(problem, state.decoded)
        bound[Bound.BEST_DECODED] = min(bound[Bound.BEST_DECODED], bound[Bound.DECODED])
        keep_better(state, state.decoded, bound[Bound.DECODED])


@kernel
def keep_better(state, states, energy):
    """Keep a labelling if it is the best so far."""
    if energy < state.bound[Bound.UPPER]:
        state.bound[Bound.UPPER] = energy
        assign(state.best, states)


@kernel
def follow(problem, rule, state, trial, position, work):
    """Decode the group at a position of the sweep's order: messages speak for the groups to come, the couplings for
    those decided before, with which a group that decodes on its own need not agree where states tie.

    Returns the entries read.
    """
    node = rule.order[position]
    n = 1 << problem.size[node]
    total = work.total[:n]
    assign(total, problem.phi[problem.phi_start[node] :])
    spent = n
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        if rule.rank[problem.edge_node[arc // 2, 1 - arc % 2]] > position:
            lam = state.lam[problem.lam_start[arc] : problem.lam_start[arc] + n]
            for y in range(n):
                total[y] += lam[y]
            spent += n
    trial[node] = _best_state(problem, rule.rank, position, trial, node, total, work)
    return spent


@kernel
def descend(problem, rule, trial, node, work):
    """Give one group its best state, all others fixed; returns whether that lowers the energy of the labelling."""
    start = problem.phi_start[node]
    phi = problem.phi[start : start + (1 << problem.size[node])]
    best = _best_state(problem, rule.rank, len(trial), trial, node, phi, work)
    if best == trial[node]:
        return False
    before = _local_energy(problem, trial, node)
    previous = trial[node]
    trial[node] = best
    if _local_energy(problem, trial, node) < before - 1e-12 * problem.scale:
        return True
    trial[node] = previous
    return False


@kernel
def _best_state(problem, rank, limit, states, node, energies, work):
    """The best state of a group, given those neighbours whose rank is below a limit.

    With neighbours fixed the couplings are affine in the group's bits, so that is one pass over its own energies.
    """
    bits = problem.size[node]
    constant = 0.0
    total = work.total_slope
    total[:bits] = 0.0
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        sender = problem.edge_node[arc // 2, 1 - arc % 2]
        if rank[sender] >= limit:
            continue
        constant -= coupling_form(problem, arc ^ 1, active_state(problem, arc ^ 1, states[sender]), work.slope)
        k = 0
        for position in range(bits):
            if active_state(problem, arc, 1 << position) != 0:
                total[position] -= work.slope[k]
                k += 1
    tabulate(constant, total, bits, work.table, 0, problem.low_length)
    return affine_argmin(energies, bits, work.table, problem.low_length, work.fold, work.block)
