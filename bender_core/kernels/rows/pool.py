"""Benders rows: separable minorants of the coupling of an edge (paper, section 3; docs/method.md §3).

A row is ``phi_pq(y_p, y_q) >= -u(y_p) - v(y_q)`` with u and v affine in the bits. Every coupling of the edge has one
entry that pays, of weight |theta|; a row splits that weight: the payment ``beta_1`` goes into u, on the side the row is
made for, and the rest ``beta_2`` into v, on the other side. At given messages the row bounds the min-marginal,

    nu_pq(y_p) >= beta_0 - u(y_p),   beta_0 = min_{y_q} -v(y_q) - lambda_{pq->q}(y_q),

and the maximum over the rows of an edge is the envelope of its message.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import entry, inlined, inner, small
from bender_core.kernels.layout import RowKind
from bender_core.kernels.rows.magnanti_wong import CutStatus, Sender, begin_cut, continue_cut
from bender_core.kernels.tables.affine import (
    affine_max,
    affine_max4,
    affine_value,
    raise_envelope,
    raise_envelope4,
    tabulate,
)
from bender_core.kernels.tables.bits import has
from bender_core.kernels.tables.coupling import tabulate_coupling
from bender_core.kernels.tables.projection import active_state, receiver_of

# The version of an intercept that has not been computed; no table ever has it (see `has_intercept`).
NEVER = -2
# How far, relative to the numbers involved, an envelope may lie below the truth and still count as tight.
# Rounding is a thousand times smaller.
TIGHT = 1e-12


@inner
def is_tight(known, exact, weight, part):
    """Whether a value equals the truth, up to part of what rounding may do beside the weight of the edge."""
    return exact - known <= part * TIGHT * (abs(exact) + weight)


# -- making -------------------------------------------------------------------------------------------------------


@small
def describe_row(pool, row, arc, state, kind, intercept):
    """Note what a row is to be: for a message, at an active state, where its value is the intercept (the truth)."""
    pool.version[row, 0] = pool.version[row, 1] = NEVER
    pool.edge[row] = arc // 2
    pool.side[row] = arc % 2
    pool.anchor[row] = state
    pool.kind[row] = kind
    pool.next[row] = -1
    pool.intercept[row, arc % 2] = intercept


@inner
def arc_of(pool, row):
    """The message that a row was made for."""
    return 2 * pool.edge[row] + pool.side[row]


@entry
def write_reverse_row(problem, pool, row, work):
    """Write the reverse Magnanti-Wong row that is described.

    Couplings whose entry the state does not take are paid in full by u, the others by v.
    """
    arc, state = arc_of(pool, row), pool.anchor[row]
    side, bits, slope = arc % 2, problem.bits[arc], work.slope
    constant = 0.0
    for k in range(bits):
        if has(state, k):
            amount = problem.weight_at[arc, k, 0]
            constant += amount
            slope[k] = -amount
        else:
            slope[k] = problem.weight_at[arc, k, 1]
    tabulate(constant, slope, bits, pool.table[row, side])
    tabulate_coupling(problem, arc, state, slope, pool.table[row, 1 - side])
    pool.share[row] = 1.0


@entry
def begin_row(problem, pool, row, incoming, work):
    """Begin with the Magnanti-Wong row that is described, from what the sender brings; `continue_row` makes it."""
    arc = arc_of(pool, row)
    unpaid_weight(problem, arc, pool.anchor[row], work.cut.capacity)
    alpha = 0.5 * (pool.kind[row] - RowKind.MWC_0)
    begin_cut(_sender(problem, arc, incoming, work), pool.intercept[row, arc % 2], alpha, work.cut)


@entry
def continue_row(problem, pool, row, incoming, work):
    """Go on with a Magnanti-Wong row: returns the passes over what the sender brings, and whether the row is written.

    Of the couplings whose entry the state does not take, u pays the share that the cut chooses. If that would not be
    tight because of rounding, it pays all, as the reverse row does.
    """
    arc = arc_of(pool, row)
    bits, capacity, payment = problem.bits[arc ^ 1], work.cut.capacity, work.cut.payment
    limit = 1 + (work.progress.limit >> bits)
    passes, status = continue_cut(_sender(problem, arc, incoming, work), limit, work.cut)
    if status == CutStatus.UNFINISHED:
        return passes, False
    share, intercept = pool.share[row], pool.intercept[row, arc % 2]
    for j in range(bits):
        for x in range(2):
            share[j, x] = payment[j, x] / capacity[j, x] if capacity[j, x] > 0.0 else 0.0
    _tabulate_shared(problem, pool, row, work)
    reached = -affine_max(incoming, bits, pool.table[row, 1 - arc % 2], work.scan)
    if is_tight(reached, intercept, problem.edge_weight[arc // 2], 0.25):
        pool.intercept[row, arc % 2] = reached
    else:
        share[:bits] = 1.0
        _tabulate_shared(problem, pool, row, work)
    return passes + 1, True


@inlined
def _sender(problem, arc, incoming, work):
    return Sender(problem.bits[arc ^ 1], incoming, problem.weight_at[arc ^ 1], work.cut.capacity)


@entry
def unpaid_weight(problem, arc, state, capacity):
    """Fill ``capacity[j, x]``: the weight of the couplings at bit j and value x of the sender that a state spares."""
    edge, side, couplings = arc // 2, arc % 2, problem.couplings
    capacity[: problem.bits[arc ^ 1]] = 0.0
    for c in range(couplings.first[edge], couplings.first[edge + 1]):
        if (state >> couplings.bit[c, side]) & 1 != couplings.entry[c, side]:
            capacity[couplings.bit[c, 1 - side], couplings.entry[c, 1 - side]] += couplings.weight[c]


@inner
def _tabulate_shared(problem, pool, row, work):
    """The u and v of a row from its shares: u pays them where the state does not take the entry, v the rest."""
    arc, state, share = arc_of(pool, row), pool.anchor[row], pool.share[row]
    edge, side, couplings = arc // 2, arc % 2, problem.couplings
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    u, v = work.slope, work.total_slope
    u[:bits] = 0.0
    v[:sender_bits] = 0.0
    u_constant = v_constant = 0.0
    for c in range(couplings.first[edge], couplings.first[edge + 1]):
        i, a = couplings.bit[c, side], couplings.entry[c, side]
        j, b = couplings.bit[c, 1 - side], couplings.entry[c, 1 - side]
        weight = couplings.weight[c]
        paid = 0.0 if (state >> i) & 1 == a else weight * share[j, b]
        rest = weight - paid
        u[i] += paid if a == 1 else -paid
        v[j] += rest if b == 1 else -rest
        u_constant += paid * (1 - a)
        v_constant += rest * (1 - b)
    tabulate(u_constant, u, bits, pool.table[row, side])
    tabulate(v_constant, v, sender_bits, pool.table[row, 1 - side])


@entry
def make_row(problem, pool, row, incoming, work, repeats):
    """Write the row that is described again and again, to be timed; returns the pivots of its cut."""
    pivots, side = 0, pool.side[row]
    intercept = pool.intercept[row, side]
    for _ in range(repeats):
        pool.intercept[row, side] = intercept
        if pool.kind[row] == RowKind.RMC:
            write_reverse_row(problem, pool, row, work)
        else:
            begin_row(problem, pool, row, incoming, work)
            written = False
            while not written:
                _, written = continue_row(problem, pool, row, incoming, work)
            pivots = work.cut.point.pivots
    return pivots


@small
def append_row(pool, state, row):
    """Append a row to the list of its edge."""
    edge = pool.edge[row]
    if state.row_first[edge] < 0:
        state.row_first[edge] = row
    else:
        pool.next[state.row_last[edge]] = row
    pool.next[row] = -1
    state.row_last[edge] = row


@entry
def add_first_rows(problem, pool, state, begin, end, work):
    """For some messages the reverse row at the minimiser of phi_p (paper, "Initializing")."""
    for arc in range(begin, end):
        row = state.cursor.rows
        y = active_state(problem, arc, state.decoded[receiver_of(problem, arc)])
        describe_row(pool, row, arc, y, RowKind.RMC.value, 0.0)
        write_reverse_row(problem, pool, row, work)
        pool.born[row] = -1
        append_row(pool, state, row)
        state.cursor.rows = row + 1


# -- using --------------------------------------------------------------------------------------------------------


@small
def has_intercept(pool, state, row, arc):
    """Whether the intercept of a row, for this message, is of the present lambda.

    An intercept depends on the table that the sender brings, and carries the version of the table it was computed
    from. A run is deterministic, so a version names the same numbers whenever it is current: going back restores
    the versions together with the tables.
    """
    return pool.version[row, arc % 2] == state.written[arc ^ 1]


@inner
def keep_intercept(pool, state, row, arc, intercept):
    """Store the intercept of a row for this message, as of the present lambda."""
    pool.intercept[row, arc % 2] = intercept
    pool.version[row, arc % 2] = state.written[arc ^ 1]


@small
def anchored_row(pool, state, arc, y):
    """A row of this message made at this very active state by RMC, or -1: its intercept is the oracle's value."""
    row = state.row_first[arc // 2]
    while row >= 0:
        if pool.anchor[row] == y and pool.side[row] == arc % 2 and pool.kind[row] == RowKind.RMC:
            return row if has_intercept(pool, state, row, arc) else -1
        row = pool.next[row]
    return -1


@small
def begin_recycling(state, message, work):
    """Prepare for an envelope of which no row is known."""
    message.nu[:] = -np.inf
    work.progress.next = state.row_first[message.arc // 2]


@small
def recycle(problem, pool, state, message, work):
    """Go on giving every row of an edge its intercept for what the sender brings, and raising the envelope.

    After `begin_recycling`, until `Progress.next` is -1. Returns the entries read. (Paper, section "Recycling Benders
    Rows After Updates to lambda".)
    """
    arc, progress = message.arc, work.progress
    states = (1 << problem.bits[arc]) + (1 << problem.bits[arc ^ 1])
    entries = 0
    while progress.next >= 0 and entries < progress.limit:
        r0 = progress.next
        r1 = pool.next[r0]
        r2 = pool.next[r1] if r1 >= 0 else -1
        r3 = pool.next[r2] if r2 >= 0 else -1
        if r3 >= 0:
            _recycle_four(problem, pool, state, message, work, (r0, r1, r2, r3))
            progress.next = pool.next[r3]
            entries += 4 * states
        else:
            _recycle_one(problem, pool, state, message, work, r0)
            progress.next = r1
            entries += states
    return entries


@inner
def _recycle_one(problem, pool, state, message, work, row):
    arc, side = message.arc, message.arc % 2
    intercept = -affine_max(message.incoming, problem.bits[arc ^ 1], pool.table[row, 1 - side], work.scan)
    keep_intercept(pool, state, row, arc, intercept)
    raise_envelope(message.nu, problem.bits[arc], pool.table[row, side], intercept)


@inner
def _recycle_four(problem, pool, state, message, work, rows):
    arc, side, table = message.arc, message.arc % 2, pool.table
    r0, r1, r2, r3 = rows
    v = (table[r0, 1 - side], table[r1, 1 - side], table[r2, 1 - side], table[r3, 1 - side])
    m0, m1, m2, m3 = affine_max4(message.incoming, problem.bits[arc ^ 1], v, work.scan)
    keep_intercept(pool, state, r0, arc, -m0)
    keep_intercept(pool, state, r1, arc, -m1)
    keep_intercept(pool, state, r2, arc, -m2)
    keep_intercept(pool, state, r3, arc, -m3)
    u = (table[r0, side], table[r1, side], table[r2, side], table[r3, side])
    raise_envelope4(message.nu, problem.bits[arc], u, (-m0, -m1, -m2, -m3))


@small
def row_at(problem, pool, row, side, state):
    """The value of a row, with its stored intercept, at an active state of the receiving group."""
    return pool.intercept[row, side] - affine_value(
        pool.table[row, side], problem.bits[2 * pool.edge[row] + side], state
    )
