"""Exact min-marginals by eliminating the sender's bits one by one (method.md, section 5): for sparse couplings.

The table starts as minus what the sender brings. When bit j of q goes, the bits of p that are coupled to it and
not in the table yet come in, its couplings are added, and the table is minimised over it. The sender's bits lie
low in the index, the next one to go on top, so that every step streams; the receiver's lie above, in the order
of their arrival.
"""

from __future__ import annotations

from bender_core.kernels._jit import kernel
from bender_core.kernels.affine import affine_value, tabulate
from bender_core.kernels.bits import count_bits
from bender_core.kernels.layout import LOW_BITS, Progress


@kernel
def plan_elimination(problem, arc, order):
    """Order the sender's bits, always the one next that brings the fewest new bits of the receiver.

    Fills ``order``; returns the entries of the largest table, and of all tables together.
    """
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    known, gone, arrived = 0, 0, 0
    peak = entries = 2.0**sender_bits
    for step in range(sender_bits):
        best, fewest, brought = -1, bits + 1, 0
        for j in range(sender_bits):
            if not (gone >> j) & 1:
                fresh = _partners(problem, arc, j) & ~known
                count = count_bits(fresh)
                if count < fewest:
                    best, fewest, brought = j, count, fresh
        order[step] = best
        gone |= 1 << best
        known |= brought
        arrived += fewest
        size = 2.0 ** (arrived + sender_bits - step - 1)
        peak = max(peak, size)
        entries += size
    return peak, entries


@kernel
def _partners(problem, arc, j):
    """The receiver's bits that bit j of the sender is coupled to, as a mask."""
    edge, side = arc // 2, arc % 2
    mask = 0
    for c in range(problem.coupling_start[edge], problem.coupling_start[edge + 1]):
        if problem.coupling_bit[c, 1 - side] == j:
            mask |= 1 << problem.coupling_bit[c, side]
    return mask


@kernel
def eliminate(problem, arc, order, sent, nu, work):
    """Go on eliminating the sender's bits of a message in an order; NEXT is -1 once all are gone.

    Returns the entries of the tables made.
    """
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    progress, place = work.progress, work.place
    step = progress[Progress.PART]
    table, other = (work.front, work.back) if step % 2 == 0 else (work.back, work.front)
    if step == 0:
        _lay_out(order, sender_bits, sent, table, work)
        place[:bits] = -1
    arrived = 0
    for k in range(bits):
        arrived += place[k] >= 0
    entries = 0
    while step < sender_bits and entries < progress[Progress.LIMIT]:
        before = arrived
        arrived = _tabulate_costs(problem, arc, order[step], arrived, work)
        _minimise(problem, table, other, sender_bits - 1 - step, before, arrived, work)
        table, other = other, table
        step += 1
        entries += 1 << (arrived + sender_bits - step)
    progress[Progress.PART] = step
    if step == sender_bits:
        _spread(place, bits, work)
        n_low = 1 << min(bits, LOW_BITS)
        for y in range(1 << bits):
            nu[y] = table[work.low_place[y & (n_low - 1)] + work.high_place[y // n_low]]
        entries += 1 << bits
        progress[Progress.NEXT] = -1
    return entries


@kernel
def _lay_out(order, sender_bits, sent, table, work):
    """The first table: minus what the sender brings, the bit that goes first on top."""
    place = work.place
    for step in range(sender_bits):
        place[order[step]] = sender_bits - 1 - step
    _spread(place, sender_bits, work)
    n_low = 1 << min(sender_bits, LOW_BITS)
    for v in range(1 << sender_bits):
        table[work.low_place[v & (n_low - 1)] + work.high_place[v // n_low]] = -sent[v]


@kernel
def _spread(place, bits, work):
    """Where a state goes when bit j moves to ``place[j]``: a table over the low bits, and one over the high."""
    work.low_place[0] = work.high_place[0] = 0
    for j in range(bits):
        target, width = (work.low_place, 1 << j) if j < LOW_BITS else (work.high_place, 1 << (j - LOW_BITS))
        for t in range(width):
            target[width + t] = target[t] + (1 << place[j])


@kernel
def _tabulate_costs(problem, arc, j, arrived, work):
    """The couplings of bit j of the sender for its values 0 and 1, over the receiver's bits that have arrived.

    Bits that are new take the next places; returns how many have arrived then.
    """
    edge, side = arc // 2, arc % 2
    place, slope = work.place, work.slope
    first, last = problem.coupling_start[edge], problem.coupling_start[edge + 1]
    for c in range(first, last):
        if problem.coupling_bit[c, 1 - side] == j and place[problem.coupling_bit[c, side]] < 0:
            place[problem.coupling_bit[c, side]] = arrived
            arrived += 1
    for value in range(2):
        constant = 0.0
        slope[:arrived] = 0.0
        for c in range(first, last):
            if problem.coupling_bit[c, 1 - side] == j and problem.coupling_entry[c, 1 - side] == value:
                at, weight = place[problem.coupling_bit[c, side]], problem.coupling_weight[c]
                if problem.coupling_entry[c, side] == 1:
                    slope[at] -= weight
                else:
                    slope[at] += weight
                    constant -= weight
        tabulate(constant, slope, arrived, work.table, value * problem.stride, problem.low_length)
    return arrived


@kernel
def _minimise(problem, table, out, rest, before, arrived, work):
    """``out[p', r] = min_x table[p, x, r] + cost_x(p')`` where p are the bits of p' that were there before."""
    half = 1 << rest
    mask = (1 << before) - 1
    for p in range(1 << arrived):
        zero = affine_value(work.table, 0, problem.low_length, p)
        one = affine_value(work.table, problem.stride, problem.low_length, p)
        at = (p & mask) * 2 * half
        if half < 4:
            for r in range(half):
                out[p * half + r] = min(table[at + r] + zero, table[at + half + r] + one)
        else:
            x, y, z = table[at : at + half], table[at + half : at + 2 * half], out[p * half : (p + 1) * half]
            for r in range(half):
                z[r] = min(x[r] + zero, y[r] + one)
