"""Benders rows: separable minorants of the coupling of a hyper-edge (paper, section 3; method.md, section 3).

Every coupling of the edge has one entry that pays, of weight |theta|. A row splits that weight: the payment
``beta_1`` goes into u, on the side the row is made for, and the rest ``beta_2`` into v, on the other side.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import kernel
from bender_core.kernels.affine import affine_max, affine_max4, affine_value, raise_envelope, raise_envelope4, tabulate
from bender_core.kernels.coupling import coupling_form
from bender_core.kernels.layout import Progress, RowKind
from bender_core.kernels.magnanti_wong import Cut, CutStatus, begin_cut, continue_cut, sender_capacity

# The version of an intercept that has not been computed; no table ever has it (see `has_intercept`).
NEVER = -2
# How far, relative to the numbers involved, an envelope may lie below the truth and still count as tight.
# Rounding is a thousand times smaller.
TIGHT = 1e-12


@kernel
def plan_reverse_row(problem, pool, row, arc, state, intercept, work):
    """Write the reverse Magnanti-Wong row of a message at an active state; not in use until `link_row`.

    Couplings whose entry the state does not take are paid in full by u, the others by v.
    """
    side, bits = arc % 2, problem.bits[arc]
    constant = 0.0
    for k in range(bits):
        if (state >> k) & 1 == 1:
            amount = problem.charge[arc, k, 0]
            constant += amount
            work.slope[k] = -amount
        else:
            work.slope[k] = problem.charge[arc, k, 1]
    at = 2 * row * problem.stride
    tabulate(constant, work.slope, bits, pool.table, at + side * problem.stride, problem.low_length)
    _tabulate_coupling(problem, arc, state, work.slope, pool.table, at + (1 - side) * problem.stride)
    pool.share[row] = 1.0
    _describe(pool, row, arc, state, RowKind.RMC, intercept)


@kernel
def plan_cut(problem, pool, row, arc, state, intercept, kind, sent, work, begun):
    """Go on writing the Magnanti-Wong row of a message at an active state; not in use until `link_row`.

    Of the couplings whose entry the state does not take, u pays the share that the cut chooses. If that would not
    be tight because of rounding, it pays all, as the reverse row does. Returns the passes over what the sender brings,
    and whether the row is written; if not, the call is to be repeated with ``begun``.
    """
    sender_bits = problem.bits[arc ^ 1]
    charge, capacity, payment = problem.charge[arc ^ 1], work.capacity, work.payment
    if not begun:
        sender_capacity(problem, arc, state, capacity)
        begin_cut(
            sent,
            sender_bits,
            intercept,
            charge,
            capacity,
            0.5 * (kind - RowKind.MWC_0),
            problem.low_length,
            work.table,
            work.fold,
            work.block,
            work.cut,
            payment,
        )
    limit = 1 + (work.progress[Progress.LIMIT] >> sender_bits)
    passes, status = continue_cut(
        sent,
        sender_bits,
        charge,
        capacity,
        limit,
        problem.low_length,
        work.table,
        work.fold,
        work.block,
        work.cut,
        payment,
    )
    if status == CutStatus.UNFINISHED:
        return passes, False
    share = pool.share[row]
    for j in range(sender_bits):
        for x in range(2):
            share[j, x] = payment[j, x] / capacity[j, x] if capacity[j, x] > 0.0 else 0.0
    _tabulate_shared(problem, pool, row, arc, state, work)
    at = (2 * row + 1 - arc % 2) * problem.stride
    reached = -affine_max(sent, 0, sender_bits, pool.table, at, problem.low_length, work.fold)
    if reached < intercept - 0.25 * TIGHT * (abs(intercept) + problem.edge_weight[arc // 2]):
        share[:sender_bits] = 1.0
        _tabulate_shared(problem, pool, row, arc, state, work)
        reached = intercept
    _describe(pool, row, arc, state, kind, reached)
    return passes + 1, True


@kernel
def make_row(problem, pool, row, arc, state, intercept, kind, sent, work, repeats):
    """Write a row of any kind, so often that it can be timed; returns the pivots of its cut."""
    pivots = 0
    for _ in range(repeats):
        if kind == RowKind.RMC:
            plan_reverse_row(problem, pool, row, arc, state, intercept, work)
        else:
            begun = written = False
            while not written:
                _, written = plan_cut(problem, pool, row, arc, state, intercept, kind, sent, work, begun)
                begun = True
            pivots = int(work.cut[Cut.PIVOTS])
    return pivots


@kernel
def _tabulate_shared(problem, pool, row, arc, state, work):
    """The u and v of a row from its shares: u pays them where the state does not take the entry, v the rest."""
    edge, side = arc // 2, arc % 2
    u, v, share = work.slope, work.total_slope, pool.share[row]
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    u[:bits] = 0.0
    v[:sender_bits] = 0.0
    u_constant = v_constant = 0.0
    for c in range(problem.coupling_start[edge], problem.coupling_start[edge + 1]):
        i, a = problem.coupling_bit[c, side], problem.coupling_entry[c, side]
        j, b = problem.coupling_bit[c, 1 - side], problem.coupling_entry[c, 1 - side]
        weight = problem.coupling_weight[c]
        paid = 0.0 if (state >> i) & 1 == a else weight * share[j, b]
        rest = weight - paid
        u[i] += paid if a == 1 else -paid
        v[j] += rest if b == 1 else -rest
        u_constant += paid * (1 - a)
        v_constant += rest * (1 - b)
    at = 2 * row * problem.stride
    tabulate(u_constant, u, bits, pool.table, at + side * problem.stride, problem.low_length)
    tabulate(v_constant, v, sender_bits, pool.table, at + (1 - side) * problem.stride, problem.low_length)


@kernel
def _describe(pool, row, arc, state, kind, intercept):
    """Note what a row is, for the message that it was made for."""
    pool.version[row, 0] = pool.version[row, 1] = NEVER
    pool.edge[row] = arc // 2
    pool.side[row] = arc % 2
    pool.anchor[row] = state
    pool.kind[row] = kind
    pool.next[row] = -1
    pool.intercept[row, arc % 2] = intercept


@kernel
def _tabulate_coupling(problem, arc, state, slope, table, at):
    """``-phi_pq(state, .)`` over the sender's states, which is the v of the reverse row at that state."""
    constant = coupling_form(problem, arc, state, slope)
    tabulate(constant, slope, problem.bits[arc ^ 1], table, at, problem.low_length)


@kernel
def link_row(pool, state, row):
    """Append a row to the list of its edge."""
    edge = pool.edge[row]
    if state.row_first[edge] < 0:
        state.row_first[edge] = row
    else:
        pool.next[state.row_last[edge]] = row
    pool.next[row] = -1
    state.row_last[edge] = row


@kernel
def oracle(problem, sent, arc, minimiser, work):
    """The true min-marginal ``nu_pq(y*)`` of one active state: a single pass over what the sender brings.

    With y* fixed the coupling is affine in y_q: it is minus the v of the reverse row at y*, so the value is
    also the intercept of that row.
    """
    _tabulate_coupling(problem, arc, minimiser, work.slope, work.table, 0)
    return -affine_max(sent, 0, problem.bits[arc ^ 1], work.table, 0, problem.low_length, work.fold)


@kernel
def enumerate_min_marginals(problem, sent, arc, states, nu, work):
    """``nu[k] = min_{y_q} phi_pq(states[k], y_q) - sent(y_q)``: a pass over what the sender brings per state."""
    bits = problem.bits[arc ^ 1]
    low_length, stride = problem.low_length, problem.stride
    count = len(states)
    k = 0
    while k + 4 <= count:
        for slot in range(4):
            _tabulate_coupling(problem, arc, states[k + slot], work.slope, work.table, slot * stride)
        m0, m1, m2, m3 = affine_max4(
            sent, 0, bits, work.table, 0, stride, 2 * stride, 3 * stride, low_length, work.fold
        )
        nu[k], nu[k + 1], nu[k + 2], nu[k + 3] = -m0, -m1, -m2, -m3
        k += 4
    while k < count:
        _tabulate_coupling(problem, arc, states[k], work.slope, work.table, 0)
        nu[k] = -affine_max(sent, 0, bits, work.table, 0, low_length, work.fold)
        k += 1


@kernel
def has_intercept(pool, state, row, arc):
    """Whether the intercept of a row, for this message, is of the present lambda.

    An intercept depends on the table that the sender brings, and carries the version of the table it was computed
    from. A run is deterministic, so a version names the same numbers whenever it is current: going back restores
    the versions together with the tables.
    """
    return pool.version[row, arc % 2] == state.written[arc ^ 1]


@kernel
def keep_intercept(pool, state, row, arc, intercept):
    """Store the intercept of a row for this message, as of the present lambda."""
    pool.intercept[row, arc % 2] = intercept
    pool.version[row, arc % 2] = state.written[arc ^ 1]


@kernel
def anchored_row(pool, state, arc, minimiser):
    """A row of this message made at this very active state by RMC, or -1: its intercept is the oracle's value."""
    row = state.row_first[arc // 2]
    while row >= 0:
        if pool.anchor[row] == minimiser and pool.side[row] == arc % 2 and pool.kind[row] == RowKind.RMC:
            return row if has_intercept(pool, state, row, arc) else -1
        row = pool.next[row]
    return -1


@kernel
def begin_recycling(state, arc, nu, work):
    """Prepare for an envelope of which no row is known."""
    nu[:] = -np.inf
    work.progress[Progress.NEXT] = state.row_first[arc // 2]


@kernel
def recycle(problem, pool, state, arc, sent, nu, work):
    """Go on giving every row of an edge its intercept for what the sender brings, and raising the envelope nu.

    After `begin_recycling`, until NEXT is -1. Returns the entries read. (Paper, section "Recycling Benders Rows After
    Updates to lambda".)
    """
    side = arc % 2
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    low_length, stride = problem.low_length, problem.stride
    table = pool.table
    own, other = side * stride, (1 - side) * stride
    entries, limit = 0, work.progress[Progress.LIMIT]
    row = work.progress[Progress.NEXT]
    while row >= 0 and entries < limit:
        r0 = row
        r1 = pool.next[r0]
        r2 = pool.next[r1] if r1 >= 0 else -1
        r3 = pool.next[r2] if r2 >= 0 else -1
        if r3 >= 0:
            a0, a1, a2, a3 = 2 * r0 * stride, 2 * r1 * stride, 2 * r2 * stride, 2 * r3 * stride
            m0, m1, m2, m3 = affine_max4(
                sent, 0, sender_bits, table, a0 + other, a1 + other, a2 + other, a3 + other, low_length, work.fold
            )
            keep_intercept(pool, state, r0, arc, -m0)
            keep_intercept(pool, state, r1, arc, -m1)
            keep_intercept(pool, state, r2, arc, -m2)
            keep_intercept(pool, state, r3, arc, -m3)
            raise_envelope4(nu, bits, table, a0 + own, a1 + own, a2 + own, a3 + own, low_length, -m0, -m1, -m2, -m3)
            row = pool.next[r3]
            entries += 4 * ((1 << bits) + (1 << sender_bits))
        else:
            at = 2 * r0 * stride
            m0 = affine_max(sent, 0, sender_bits, table, at + other, low_length, work.fold)
            keep_intercept(pool, state, r0, arc, -m0)
            raise_envelope(nu, bits, table, at + own, low_length, -m0)
            row = r1
            entries += (1 << bits) + (1 << sender_bits)
    work.progress[Progress.NEXT] = row
    return entries


@kernel
def row_at(pool, problem, row, side, state):
    """The value of a row, with its stored intercept, at an active state of the receiving group."""
    at = (2 * row + side) * problem.stride
    return pool.intercept[row, side] - affine_value(pool.table, at, problem.low_length, state)
