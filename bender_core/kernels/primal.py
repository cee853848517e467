"""Labellings: their energy, what a group decodes to, and the descent that improves a decoded labelling."""

from __future__ import annotations

from bender_core.kernels._jit import kernel
from bender_core.kernels.affine import affine_argmin, tabulate
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
        _keep(state, state.decoded, bound[Bound.DECODED])


@kernel
def _keep(state, states, energy):
    if energy < state.bound[Bound.UPPER]:
        state.bound[Bound.UPPER] = energy
        state.best[:] = states


@kernel
def improve(problem, state, work):
    """Descend from the decoded labelling, one whole group at a time, and keep the result if it is the best.

    With the other groups fixed the couplings of a group are affine in its bits, so its best state is one pass
    over its own energies. Returns the entries read.
    """
    trial = work.trial
    trial[:] = state.decoded
    spent = 0
    for _ in range(ROUNDS):
        moved = False
        for node in range(len(trial)):
            best = _best_state(problem, trial, node, work)
            spent += 1 << problem.size[node]
            if best != trial[node]:
                before = _local_energy(problem, trial, node)
                previous = trial[node]
                trial[node] = best
                if _local_energy(problem, trial, node) < before - 1e-12 * problem.spread:
                    moved = True
                else:
                    trial[node] = previous
        if not moved:
            break
    _keep(state, trial, total_energy(problem, trial))
    return spent


@kernel
def _best_state(problem, states, node, work):
    bits = problem.size[node]
    constant = 0.0
    total = work.total_slope
    total[:bits] = 0.0
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        sender = problem.edge_node[arc // 2, 1 - arc % 2]
        constant -= coupling_form(problem, arc ^ 1, active_state(problem, arc ^ 1, states[sender]), work.slope)
        k = 0
        for position in range(bits):
            if active_state(problem, arc, 1 << position) != 0:
                total[position] -= work.slope[k]
                k += 1
    tabulate(constant, total, bits, work.table, 0, problem.low_length)
    start = problem.phi_start[node]
    phi = problem.phi[start : start + (1 << bits)]
    return affine_argmin(phi, bits, work.table, problem.low_length, work.fold, work.block)
