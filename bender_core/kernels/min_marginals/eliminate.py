"""Exact min-marginals by eliminating the sender's bits one by one (docs/method.md §5.2): for sparse couplings.

The table starts as minus what the sender brings. When bit j of q goes, the bits of p that are coupled to it and not in
the table yet come in, its couplings are added, and the table is minimised over it:

    out[p', r] = min_x table[p, x, r] + cost_x(p').

The sender's bits lie low in the index, the next one to go on top, so that every step streams; the receiver's lie above,
in the order of their arrival.
"""

from __future__ import annotations

from bender_core.kernels._jit import entry, inner
from bender_core.kernels.layout import LOW_BITS
from bender_core.kernels.tables.affine import affine_value, low_states, tabulate
from bender_core.kernels.tables.bits import count_bits, everything, has


@entry
def plan_elimination(bits, first, coupled, arc, order):
    """Order the sender's bits, always the one next that brings the fewest new bits of the receiver.

    Fills ``order``; returns the entries of the largest table, and of all tables together.
    """
    known, gone, arrived = 0, 0, 0
    sender_bits = bits[arc ^ 1]
    largest = entries = 2.0**sender_bits
    for step in range(sender_bits):
        best, fewest, brought = -1, bits[arc] + 1, 0
        for j in range(sender_bits):
            if not has(gone, j):
                fresh = _partners(first, coupled, arc, j) & ~known
                count = count_bits(fresh)
                if count < fewest:
                    best, fewest, brought = j, count, fresh
        order[step] = best
        gone |= 1 << best
        known |= brought
        arrived += fewest
        size = 2.0 ** (arrived + sender_bits - step - 1)
        largest = max(largest, size)
        entries += size
    return largest, entries


@inner
def _partners(first, coupled, arc, j):
    """The receiver's bits that bit j of the sender is coupled to."""
    edge, side = arc // 2, arc % 2
    partners = 0
    for c in range(first[edge], first[edge + 1]):
        if coupled[c, 1 - side] == j:
            partners |= 1 << coupled[c, side]
    return partners


@inner
def eliminate(problem, message, work):
    """Go on eliminating the sender's bits; `Progress.next` is -1 once all are gone. Returns the entries made."""
    arc, progress, place = message.arc, work.progress, work.eliminate.place
    bits, sender_bits, order = problem.bits[arc], problem.bits[arc ^ 1], problem.methods.order[arc]
    if progress.part == 0:
        _lay_out(order, message.incoming, sender_bits, work.eliminate)
        place[:bits] = -1
    arrived = 0
    for k in range(bits):
        arrived += place[k] >= 0
    entries = 0
    while progress.part < sender_bits and entries < progress.limit:
        before = arrived
        arrived = _tabulate_costs(problem, arc, order[progress.part], arrived, work)
        rest = sender_bits - 1 - progress.part
        _minimise(rest, before, arrived, work)
        progress.part += 1
        entries += 1 << (arrived + rest)
    if progress.part == sender_bits:
        _read_out(message, bits, work)
        entries += 1 << bits
        progress.next = -1
    return entries


@inner
def _lay_out(order, incoming, bits, room):
    """The first table: minus what the sender brings, the bit that goes first on top."""
    for step in range(bits):
        room.place[order[step]] = bits - 1 - step
    _spread(bits, room)
    n_low = low_states(bits)
    for v in range(1 << bits):
        room.table[0, room.low_place[v & (n_low - 1)] + room.high_place[v // n_low]] = -incoming[v]


@inner
def _read_out(message, bits, work):
    """The last table, its bits in their own order again."""
    room = work.eliminate
    _spread(bits, room)
    table, n_low = room.table[work.progress.part % 2], low_states(bits)
    for y in range(1 << bits):
        message.nu[y] = table[room.low_place[y & (n_low - 1)] + room.high_place[y // n_low]]


@inner
def _spread(bits, room):
    """Where a state goes when bit j moves to ``place[j]``: a table over the low bits, and one over the high."""
    room.low_place[0] = room.high_place[0] = 0
    for j in range(bits):
        target, width = (room.low_place, 1 << j) if j < LOW_BITS else (room.high_place, 1 << (j - LOW_BITS))
        for t in range(width):
            target[width + t] = target[t] + (1 << room.place[j])


@inner
def _tabulate_costs(problem, arc, j, arrived, work):
    """The couplings of bit j of the sender for its values 0 and 1, over the receiver's bits that have arrived.

    Bits that are new take the next places; returns how many have arrived then.
    """
    edge, side, couplings = arc // 2, arc % 2, problem.couplings
    place, slope = work.eliminate.place, work.slope
    first, last = couplings.first[edge], couplings.first[edge + 1]
    for c in range(first, last):
        if couplings.bit[c, 1 - side] == j and place[couplings.bit[c, side]] < 0:
            place[couplings.bit[c, side]] = arrived
            arrived += 1
    for value in range(2):
        constant = 0.0
        slope[:arrived] = 0.0
        for c in range(first, last):
            if couplings.bit[c, 1 - side] == j and couplings.entry[c, 1 - side] == value:
                at, weight = place[couplings.bit[c, side]], couplings.weight[c]
                if couplings.entry[c, side] == 1:
                    slope[at] -= weight
                else:
                    slope[at] += weight
                    constant -= weight
        tabulate(constant, slope, arrived, work.table[value])
    return arrived


@inner
def _minimise(rest, before, arrived, work):
    """Minimise over the bit on top of the sender's ``rest``; p are the bits of p' that were there before."""
    step, tables = work.progress.part, work.eliminate.table
    table, out = tables[step % 2], tables[1 - step % 2]
    half = 1 << rest
    for p in range(1 << arrived):
        zero, one = affine_value(work.table[0], arrived, p), affine_value(work.table[1], arrived, p)
        at = (p & everything(before)) * 2 * half
        x, y, z = table[at : at + half], table[at + half : at + 2 * half], out[p * half : (p + 1) * half]
        for r in range(half):
            z[r] = min(x[r] + zero, y[r] + one)
