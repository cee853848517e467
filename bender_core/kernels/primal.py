"""Labellings: what a group decodes to, and better ones than what was decoded (docs/method.md §8)."""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import entry, inner, small
from bender_core.kernels.costs import FLIP, NEIGHBOUR
from bender_core.kernels.tables.affine import affine_argmin, assign, tabulate
from bender_core.kernels.tables.bits import has
from bender_core.kernels.tables.coupling import (
    add_local_energy,
    add_slopes,
    exact_energy,
    local_energy,
    total_energy,
)
from bender_core.kernels.tables.projection import active_state, dual_table, energies, sender_of

# Rounds over all groups at most; a descent that is still going then has gained what there was to gain.
ROUNDS = 20
# Energies that differ by less, relative to what is at stake, are the same but for rounding.
LEAST = 1e-12
# A member that was flipped is tabu for this number of flips, to twice as many.
TENURE = 10
# The search begins anew after PERSISTENCE flips in vain, and PERSISTENCE_PER_MEMBER more for every member,
PERSISTENCE, PERSISTENCE_PER_MEMBER = 200, 10
# with the states of up to one in KICKED groups at random.
KICKED = 4
# Which neighbours `best_state` takes as decided: those that come before on the way out, on the way back, or all.
OUT, BACK, ALL = 1, -1, 0


@small
def decode(problem, state, node, y):
    """Let a group decode to its minimiser, and keep the best joint labelling over time (paper, Eq. "EqOptInt")."""
    bounds, decoded = state.bounds, state.decoded
    if y == decoded[node]:
        return
    energy, rest = add_local_energy(problem, decoded, node, -1.0, bounds.decoded, bounds.decoded_rest)
    decoded[node] = y
    bounds.decoded, bounds.decoded_rest = add_local_energy(problem, decoded, node, 1.0, energy, rest)
    _note_decoded(state, node)
    if bounds.decoded < bounds.best_decoded:
        bounds.best_decoded = bounds.decoded
        if bounds.decoded < bounds.upper:
            bounds.upper = bounds.decoded
            _keep_decoded(state)


@entry
def sum_decoded(problem, state):
    """Sum the energy of the decoded labelling afresh."""
    state.bounds.decoded, state.bounds.decoded_rest = exact_energy(problem, state.decoded)


@inner
def _note_decoded(state, node):
    """Note that a group has been decoded anew, unless the list is full or of no use."""
    cursor = state.cursor
    if 0 <= cursor.changes < len(state.changed):
        state.changed[cursor.changes] = node
        cursor.changes += 1
    else:
        cursor.changes = -1


@inner
def _keep_decoded(state):
    """Keep the decoded labelling: only what has changed, as in a large model it may be better after every update."""
    cursor = state.cursor
    if cursor.changes < 0:
        assign(state.best, state.decoded)
    for k in range(cursor.changes):
        state.best[state.changed[k]] = state.decoded[state.changed[k]]
    cursor.changes = 0


@inner
def keep_better(state, states, energy):
    """Keep another labelling if it is the best so far."""
    if energy < state.bounds.upper:
        state.bounds.upper = energy
        assign(state.best, states)
        state.cursor.changes = -1


# -- following and descending -------------------------------------------------------------------------------------


@entry
def follow(problem, rule, state, position, work):
    """Decode the group at a position of the order: messages speak for the groups to come, the couplings for those
    decided before, with which a group that decodes on its own need not agree where states tie.

    The second half of an alternating order is the way back. Returns the entries read.
    """
    node = rule.order[position]
    way = OUT if position < len(rule.rank) else BACK
    n = 1 << problem.size[node]
    total = work.total[:n]
    assign(total, energies(problem, node))
    spent = n
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        if not _is_decided(problem, rule, way, node, arc):
            lam = dual_table(problem, state.lam, arc)
            for y in range(n):
                total[y] += lam[y]
            spent += n
    work.search.trial[node] = _best_state(problem, rule, way, node, total, work)
    return spent


@inner
def descend(problem, rule, node, work):
    """Give one group its best state, all others fixed; returns whether that lowers the energy of the labelling."""
    trial = work.search.trial
    best = _best_state(problem, rule, ALL, node, energies(problem, node), work)
    if best == trial[node]:
        return False
    before = local_energy(problem, trial, node)
    previous = trial[node]
    trial[node] = best
    if local_energy(problem, trial, node) < before - LEAST * problem.scale:
        return True
    trial[node] = previous
    return False


@inner
def _is_decided(problem, rule, way, node, arc):
    """Whether the sender of an arc is decided before its receiver."""
    return way == ALL or way * (rule.rank[sender_of(problem, arc)] - rule.rank[node]) < 0


@inner
def _best_state(problem, rule, way, node, energy, work):
    """The best state of a group, given those neighbours that are decided.

    With neighbours fixed the couplings are affine in the group's bits, so that is one pass over its own energies.
    """
    bits, trial = problem.size[node], work.search.trial
    constant, total = 0.0, work.total_slope
    total[:bits] = 0.0
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        if _is_decided(problem, rule, way, node, arc):
            constant += add_slopes(problem, arc, trial[sender_of(problem, arc)], 1.0, total, work.slope)
    tabulate(constant, total, bits, work.whole)
    return affine_argmin(energy, bits, work.whole, work.scan)


# -- tabu search --------------------------------------------------------------------------------------------------


@entry
def begin_search(problem, work):
    """Prepare to flip members of the trial one by one. Returns the entries read."""
    room, point = work.search, work.search.point
    trial = room.trial
    point.members = point.flips = point.latest = 0
    for p in range(len(trial)):
        point.members += problem.size[p]
        room.pull[p] = 0.0
        room.tabu[p] = 0
        for a in range(problem.arc_first[p], problem.arc_first[p + 1]):
            arc = problem.node_arcs[a]
            add_slopes(problem, arc, trial[sender_of(problem, arc)], 1.0, room.pull[p], work.slope)
        _weigh_flips(problem, room, p)
    point.energy = point.least = total_energy(problem, trial)
    assign(room.candidate, trial)
    return point.members * FLIP + len(problem.node_arcs) * NEIGHBOUR


@inner
def _weigh_flips(problem, room, node):
    """What flipping every member of a group adds to the energy."""
    phi, y = energies(problem, node), room.trial[node]
    for k in range(problem.size[node]):
        coupled = room.pull[node, k]
        if has(y, k):
            coupled = -coupled
        room.gain[node, k] = phi[y ^ (1 << k)] - phi[y] + coupled


@entry
def search(problem, work):
    """Make the best flip that is not tabu, even if the energy rises; a member flipped stays so for a while.

    One that leads to the best labelling yet is made in any case (Glover's tabu search). Returns the entries read.
    """
    room, point = work.search, work.search.point
    least = LEAST * problem.scale
    node, member, best = -1, -1, np.inf
    for p in range(len(room.trial)):
        for k in range(problem.size[p]):
            gain = room.gain[p, k]
            free = room.tabu[p, k] <= point.flips or point.energy + gain < point.least - least
            if gain < best and free:
                node, member, best = p, k, gain
    point.flips += 1
    spent = point.members * FLIP
    if node < 0:
        return spent
    # Short for few members, so that there always is one to flip; uneven, so that the search does not go in circles.
    most = min(point.members // 4, TENURE)
    room.tabu[node, member] = point.flips + most + roll(room, most + 1)
    point.energy += best
    spent += _flip(problem, node, member, work)
    if point.energy < point.least - least:
        point.least = point.energy
        point.latest = point.flips
        assign(room.candidate, room.trial)
    return spent


@inner
def _flip(problem, node, member, work):
    """Flip a member of the trial, and weigh anew what depends on it. Returns the entries read."""
    room, spent = work.search, 0
    before, after = room.trial[node], room.trial[node] ^ (1 << member)
    room.trial[node] = after
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        arc = problem.node_arcs[a]
        if active_state(problem, arc, before) == active_state(problem, arc, after):
            continue
        # The message the other way has the neighbour for its receiver.
        neighbour = sender_of(problem, arc)
        add_slopes(problem, arc ^ 1, before, -1.0, room.pull[neighbour], work.slope)
        add_slopes(problem, arc ^ 1, after, 1.0, room.pull[neighbour], work.slope)
        _weigh_flips(problem, room, neighbour)
        spent += problem.size[neighbour] * NEIGHBOUR
    _weigh_flips(problem, room, node)
    return spent


@inner
def is_exhausted(point):
    """Whether the search has gone on for long without finding a better labelling."""
    return point.flips - point.latest > PERSISTENCE + point.members * PERSISTENCE_PER_MEMBER


@entry
def kick(problem, state, room):
    """The best labelling, changed at random in some groups that hang together: where the search begins anew."""
    groups = len(room.trial)
    assign(room.trial, state.best)
    node = roll(room, groups)
    for _ in range(1 + roll(room, max(groups // KICKED, 1))):
        room.trial[node] = roll(room, 1 << problem.size[node])
        first, last = problem.arc_first[node], problem.arc_first[node + 1]
        if first == last:
            node = roll(room, groups)
        else:
            node = sender_of(problem, problem.node_arcs[first + roll(room, last - first)])


@inner
def roll(room, sides):
    """A random number below ``sides`` (Park and Miller's generator)."""
    room.point.dice = room.point.dice * 48271 % 2147483647
    return room.point.dice % sides
