"""Labellings: their energy, what a group decodes to, and better ones than what was decoded."""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import kernel
from bender_core.kernels.affine import affine_argmin, assign, tabulate
from bender_core.kernels.coupling import coupling_energy, coupling_form
from bender_core.kernels.layout import Bound, Search
from bender_core.kernels.projection import active_state

# Rounds over all groups at most; a descent that is still going then has gained what there was to gain.
ROUNDS = 20
# Energies that differ by less, relative to what is at stake, are the same but for rounding.
LEAST = 1e-12
# A member that was flipped is tabu for so many flips, to twice as many.
TENURE = 10
# The search begins anew after so many flips in vain, and so many more a member,
PERSISTENCE, PERSISTENCE_PER_MEMBER = 200, 10
# with the states of up to one in so many groups at random.
KICKED = 4
# What a flip takes in entries read: for every member of the model, and for every member of a neighbour.
FLIP, NEIGHBOUR = 4, 40


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
    """Decode the group at a position of the order: messages speak for the groups to come, the couplings for those
    decided before, with which a group that decodes on its own need not agree where states tie.

    The second half of an alternating order is the way back. Returns the entries read.
    """
    node = rule.order[position]
    direction = 1 if position < len(rule.rank) else -1
    n = 1 << problem.size[node]
    total = work.total[:n]
    assign(total, problem.phi[problem.phi_start[node] :])
    spent = n
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        if not _is_decided(problem, rule, direction, node, arc):
            lam = state.lam[problem.lam_start[arc] : problem.lam_start[arc] + n]
            for y in range(n):
                total[y] += lam[y]
            spent += n
    trial[node] = _best_state(problem, rule, direction, trial, node, total, work)
    return spent


@kernel
def descend(problem, rule, trial, node, work):
    """Give one group its best state, all others fixed; returns whether that lowers the energy of the labelling."""
    start = problem.phi_start[node]
    phi = problem.phi[start : start + (1 << problem.size[node])]
    best = _best_state(problem, rule, 0, trial, node, phi, work)
    if best == trial[node]:
        return False
    before = _local_energy(problem, trial, node)
    previous = trial[node]
    trial[node] = best
    if _local_energy(problem, trial, node) < before - LEAST * problem.scale:
        return True
    trial[node] = previous
    return False


@kernel
def _is_decided(problem, rule, direction, node, arc):
    """Whether the sender of an arc comes before its receiver: on the way out (1) or back (-1); 0 if all do."""
    sender = problem.edge_node[arc // 2, 1 - arc % 2]
    return direction == 0 or direction * (rule.rank[sender] - rule.rank[node]) < 0


@kernel
def _best_state(problem, rule, direction, states, node, energies, work):
    """The best state of a group, given those neighbours that are decided.

    With neighbours fixed the couplings are affine in the group's bits, so that is one pass over its own energies.
    """
    bits = problem.size[node]
    constant = 0.0
    total = work.total_slope
    total[:bits] = 0.0
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        if _is_decided(problem, rule, direction, node, arc):
            constant += _add_slopes(problem, arc, states[problem.edge_node[arc // 2, 1 - arc % 2]], 1.0, total, work)
    tabulate(constant, total, bits, work.table, 0, problem.low_length)
    return affine_argmin(energies, bits, work.table, problem.low_length, work.fold, work.block)


@kernel
def _add_slopes(problem, arc, state, sign, total, work):
    """Add to every member's slope what the sender's state makes it pay for being 1; returns the constant."""
    constant = coupling_form(problem, arc ^ 1, active_state(problem, arc ^ 1, state), work.slope)
    k = 0
    for position in range(problem.size[problem.edge_node[arc // 2, arc % 2]]):
        if active_state(problem, arc, 1 << position) != 0:
            total[position] -= sign * work.slope[k]
            k += 1
    return -sign * constant


@kernel
def begin_search(problem, work):
    """Prepare to flip members of the trial one by one. Returns the entries read."""
    trial, groups = work.trial, len(work.trial)
    members = 0
    for p in range(groups):
        members += problem.size[p]
        work.pull[p] = 0.0
        work.tabu[p] = 0
        for a in range(problem.arc_first[p], problem.arc_first[p + 1]):
            arc = problem.node_arcs[a]
            _add_slopes(problem, arc, trial[problem.edge_node[arc // 2, 1 - arc % 2]], 1.0, work.pull[p], work)
        _weigh_flips(problem, work, p)
    work.search[Search.MEMBERS] = members
    work.search[Search.FLIPS] = work.search[Search.LATEST] = 0
    work.energy[:] = total_energy(problem, trial)
    assign(work.candidate, trial)
    return members * FLIP + len(problem.node_arcs) * NEIGHBOUR


@kernel
def _weigh_flips(problem, work, node):
    """What flipping every member of a group adds to the energy."""
    start, y = problem.phi_start[node], work.trial[node]
    for k in range(problem.size[node]):
        coupled = work.pull[node, k]
        if (y >> k) & 1 == 1:
            coupled = -coupled
        work.gain[node, k] = problem.phi[start + (y ^ (1 << k))] - problem.phi[start + y] + coupled


@kernel
def search(problem, work):
    """Make the best flip that is not tabu, even if the energy rises; a member flipped stays so for a while.

    One that leads to the best labelling yet is made in any case (Glover's tabu search). Returns the entries read.
    """
    seek = work.search
    least = LEAST * problem.scale
    flips, groups = seek[Search.FLIPS], len(work.trial)
    node, member, best = -1, -1, np.inf
    for p in range(groups):
        for k in range(problem.size[p]):
            gain = work.gain[p, k]
            free = work.tabu[p, k] <= flips or work.energy[0] + gain < work.energy[1] - least
            if gain < best and free:
                node, member, best = p, k, gain
    seek[Search.FLIPS] = flips + 1
    spent = seek[Search.MEMBERS] * FLIP
    if node < 0:
        return spent
    before, after = work.trial[node], work.trial[node] ^ (1 << member)
    work.trial[node] = after
    work.energy[0] += best
    # Short for few members, so that there always is one to flip; uneven, so that the search does not go in circles.
    most = min(seek[Search.MEMBERS] // 4, TENURE)
    work.tabu[node, member] = flips + 1 + most + roll(work, most + 1)
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        if active_state(problem, arc, before) == active_state(problem, arc, after):
            continue
        # The message the other way has the neighbour for its receiver.
        neighbour = problem.edge_node[arc // 2, 1 - arc % 2]
        _add_slopes(problem, arc ^ 1, before, -1.0, work.pull[neighbour], work)
        _add_slopes(problem, arc ^ 1, after, 1.0, work.pull[neighbour], work)
        _weigh_flips(problem, work, neighbour)
        spent += problem.size[neighbour] * NEIGHBOUR
    _weigh_flips(problem, work, node)
    if work.energy[0] < work.energy[1] - least:
        work.energy[1] = work.energy[0]
        seek[Search.LATEST] = seek[Search.FLIPS]
        assign(work.candidate, work.trial)
    return spent


@kernel
def is_exhausted(work):
    """Whether the search has gone on for long without finding a better labelling."""
    seek = work.search
    return seek[Search.FLIPS] - seek[Search.LATEST] > PERSISTENCE + seek[Search.MEMBERS] * PERSISTENCE_PER_MEMBER


@kernel
def kick(problem, state, work):
    """The best labelling, changed at random in some groups that hang together: where the search begins anew."""
    groups = len(work.trial)
    assign(work.trial, state.best)
    node = roll(work, groups)
    for _ in range(1 + roll(work, max(groups // KICKED, 1))):
        work.trial[node] = roll(work, 1 << problem.size[node])
        first, last = problem.arc_first[node], problem.arc_first[node + 1]
        if first == last:
            node = roll(work, groups)
        else:
            arc = problem.node_arcs[first + roll(work, last - first)]
            node = problem.edge_node[arc // 2, 1 - arc % 2]


@kernel
def roll(work, sides):
    """A random number below ``sides`` (Park and Miller's generator)."""
    work.search[Search.DICE] = work.search[Search.DICE] * 48271 % 2147483647
    return work.search[Search.DICE] % sides
