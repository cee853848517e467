"""Exact min-marginals by dominance pruning (docs/method.md §5.3).

With ``v = y_q``, minus the min-marginal is an upper envelope of affine functions of the bits of y_p, one a
candidate v. The cube of states y_p is halved, highest bit first; inside a box every candidate is kept as its
value at the centre and its half slopes along the open bits. There v can exceed a pivot w by at most

    centre_v - centre_w + sum_k |half_kv - half_kw|,

so a candidate for which that is not positive never matters inside the box. The first boxes look at all
candidates without listing them; once few enough survive they are listed, and lists only get shorter.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import inner, small
from bender_core.kernels.layout import LOW_BITS
from bender_core.kernels.tables.affine import assign, high_states, low_states, raise_envelope, raise_envelope4, tabulate

# Numbers that the lists of all nested boxes may take: 32 MB.
LISTED = 1 << 22
# A box with so few open bits, or with so few candidates, is written out instead of halved.
LEAF_BITS = 4
LEAF_CANDIDATES = 8


@small
def list_width(open_bits):
    """What a candidate may take in a box and all boxes inside: of each a centre and as many half slopes as bits."""
    return (open_bits + 1) * (open_bits + 2) // 2


@inner
def list_candidates(problem, arc, room):
    """Constants and half slopes of all candidates, as affine functions of their own bits."""
    width, sender_bits = problem.bits[arc] + 1, problem.bits[arc ^ 1]
    first, table = problem.forms.first[arc ^ 1], problem.forms.table
    for t in range(low_states(sender_bits) + high_states(sender_bits)):
        room.candidates[0, t] = table[first + t * width]
        for k in range(1, width):
            room.candidates[k, t] = 0.5 * table[first + t * width + k]


@inner
def begin_box(problem, message, open_bits, work):
    """List the candidates that survive in the box at `Progress.next`, for `halve_box`.

    Returns False if they are too many to be listed.
    """
    begin, room = work.progress.next, work.prune
    _evaluate_centre(problem, message.arc, begin, open_bits, room)
    pivot, most = _find_pivot(problem, message, work)
    count = _find_survivors(problem, message, open_bits, pivot, most, work)
    if count < 0:
        return False
    _list_survivors(problem, message, open_bits, count, room)
    message.nu[begin : begin + (1 << open_bits)] = -np.inf
    room.level[0, 0], room.level[0, 1], room.level[0, 2] = 0, count, 0
    work.progress.depth, work.progress.state = 0, begin
    return True


@inner
def _evaluate_centre(problem, arc, begin, open_bits, room):
    """The candidates at the centre of a box, less what the sender brings, as an affine function of their bits."""
    length = low_states(problem.bits[arc ^ 1]) + high_states(problem.bits[arc ^ 1])
    centre = room.centre[:length]
    assign(centre, room.candidates[0])
    for k in range(problem.bits[arc]):
        share = 1.0 if k < open_bits else 2.0 * ((begin >> k) & 1)
        half = room.candidates[1 + k]
        if share > 0.0:
            for t in range(length):
                centre[t] += share * half[t]


@inner
def _find_pivot(problem, message, work):
    """The candidate that is largest at the centre of the box, and its value there."""
    bits = problem.bits[message.arc ^ 1]
    n_low, n_high = low_states(bits), high_states(bits)
    low, high = work.prune.centre[:n_low], work.prune.centre[n_low:]
    best, where = work.scan.best[0, :n_low], work.scan.where[:n_low]
    best[:] = -np.inf
    for h in range(n_high):
        x = message.incoming[h * n_low : (h + 1) * n_low]
        shift, here = high[h], float(h)
        for t in range(n_low):
            value = x[t] + shift
            better = value > best[t]
            best[t] = value if better else best[t]
            where[t] = here if better else where[t]
    pivot, most = 0, -np.inf
    for t in range(n_low):
        if best[t] + low[t] > most:
            pivot, most = int(where[t]) * n_low + t, best[t] + low[t]
    return pivot, most


@inner
def _find_survivors(problem, message, open_bits, pivot, most, work):
    """Find the candidates that the pivot does not dominate; returns how many, or -1 if they are too many."""
    room, bits = work.prune, problem.bits[message.arc ^ 1]
    n_low, n_high = low_states(bits), high_states(bits)
    centre, candidates, slope = room.centre, room.candidates, work.slope
    for k in range(open_bits):
        slope[k] = candidates[1 + k, pivot & (n_low - 1)] + candidates[1 + k, n_low + (pivot >> LOW_BITS)]
    capacity = len(room.lists) // list_width(open_bits)
    chance = work.scan.where[:n_low]
    count = 0
    for h in range(n_high):
        x = message.incoming[h * n_low : (h + 1) * n_low]
        shift = centre[n_low + h] - most
        for t in range(n_low):
            chance[t] = x[t] + (shift + centre[t])
        # Four bits at a time: 1.3 and 1.8 times faster than one (``python -m benchmarks unrolled``, 2^12 and 2^16
        # candidates).
        k = 0
        while k + 4 <= open_bits:
            r0, r1, r2, r3 = candidates[1 + k], candidates[2 + k], candidates[3 + k], candidates[4 + k]
            s0, s1 = r0[n_low + h] - slope[k], r1[n_low + h] - slope[k + 1]
            s2, s3 = r2[n_low + h] - slope[k + 2], r3[n_low + h] - slope[k + 3]
            for t in range(n_low):
                chance[t] += (abs(r0[t] + s0) + abs(r1[t] + s1)) + (abs(r2[t] + s2) + abs(r3[t] + s3))
            k += 4
        while k < open_bits:
            half = candidates[1 + k]
            s0 = half[n_low + h] - slope[k]
            for t in range(n_low):
                chance[t] += abs(half[t] + s0)
            k += 1
        for t in range(n_low):
            if chance[t] > 0.0 or h * n_low + t == pivot:
                if count == capacity:
                    return -1
                room.found[count] = h * n_low + t
                count += 1
    return count


@inner
def _list_survivors(problem, message, open_bits, count, room):
    """Write the first list: of the candidates found, their values at the centre, then their half slopes."""
    n_low, found = low_states(problem.bits[message.arc ^ 1]), room.found
    for k in range(1 + open_bits):
        table = room.centre if k == 0 else room.candidates[k]
        listed = room.lists[k * count : (k + 1) * count]
        for c in range(count):
            listed[c] = table[found[c] & (n_low - 1)] + table[n_low + (found[c] >> LOW_BITS)]
    for c in range(count):
        room.lists[c] = message.incoming[found[c]] + room.lists[c]


@inner
def halve_box(message, open_bits, work):
    """Go on halving the box at `Progress.next`, and write out the small ones; `Progress.depth` is -1 when all is done.

    Returns the entries read.
    """
    room, level, progress = work.prune, work.prune.level, work.progress
    entries = 0
    while progress.depth >= 0 and entries < progress.limit:
        at, count, branch = level[progress.depth, 0], level[progress.depth, 1], level[progress.depth, 2]
        bits = open_bits - progress.depth
        if bits <= LEAF_BITS or count <= LEAF_CANDIDATES:
            box = message.nu[progress.state : progress.state + (1 << bits)]
            listed = room.lists[at : at + (bits + 1) * count]
            if 0 < bits <= LEAF_BITS and count > LEAF_CANDIDATES:
                _write_leaf(listed, count, bits, box, room.margin)
            else:
                _write_out(listed, count, bits, box, work)
            entries += count << bits
            branch = 2
        if branch == 2:
            # Back to the parent's state: the bit of this box is cleared.
            progress.state &= ~(1 << bits)
            progress.depth -= 1
            continue
        level[progress.depth, 2] = branch + 1
        if branch == 1:
            progress.state |= 1 << (bits - 1)
        below = at + (bits + 1) * count
        kept = _halve_list(room.lists[at:below], bits, branch, room.lists[below:], room)
        entries += bits * (count + kept)
        progress.depth += 1
        level[progress.depth, 0], level[progress.depth, 1], level[progress.depth, 2] = below, kept, 0
    if progress.depth < 0:
        box = message.nu[progress.next : progress.next + (1 << open_bits)]
        for y in range(len(box)):
            box[y] = -box[y]
    return entries


@inner
def _halve_list(listed, bits, branch, below, room):
    """List below the candidates that survive in one half of a box; returns how many."""
    count = len(listed) // (bits + 1)
    centre, top = listed[:count], listed[bits * count :]
    margin, found = room.margin[:count], room.found
    sign = 1.0 if branch == 1 else -1.0
    for c in range(count):
        margin[c] = centre[c] + sign * top[c]
    pivot, most = 0, margin[0]
    for c in range(1, count):
        if margin[c] > most:
            pivot, most = c, margin[c]
    for c in range(count):
        margin[c] -= most
    for k in range(1, bits):
        half = listed[k * count : (k + 1) * count]
        level = half[pivot]
        for c in range(count):
            margin[c] += abs(half[c] - level)
    kept = 0
    margin[pivot] = 1.0
    for c in range(count):
        found[kept] = c
        kept += margin[c] > 0.0
    for c in range(kept):
        below[c] = centre[found[c]] + sign * top[found[c]]
    for k in range(1, bits):
        half, fresh = listed[k * count : (k + 1) * count], below[k * kept : (k + 1) * kept]
        for c in range(kept):
            fresh[c] = half[found[c]]
    return kept


@inner
def _write_out(listed, count, bits, box, work):
    """The upper envelope of a list of candidates over a whole box."""
    table = work.table
    c = 0
    while c + 4 <= count:
        for j in range(4):
            _tabulate_candidate(listed[c + j :], count, bits, work.slope, table[j])
        raise_envelope4(box, bits, (table[0], table[1], table[2], table[3]), (0.0, 0.0, 0.0, 0.0))
        c += 4
    while c < count:
        _tabulate_candidate(listed[c:], count, bits, work.slope, table[0])
        raise_envelope(box, bits, table[0], 0.0)
        c += 1


@inner
def _write_leaf(listed, count, bits, box, value):
    """The upper envelope of many candidates over a small box: all of them state by state, in a Gray code's order."""
    value = value[:count]
    assign(value, listed)
    for k in range(1, bits):
        half = listed[(1 + k) * count : (2 + k) * count]
        for c in range(count):
            value[c] -= half[c]
    first = listed[count : 2 * count]
    state = 0
    for step in range(1 << (bits - 1)):
        k, shift = 0, 0.0
        if step > 0:
            while (step >> k) & 1 == 0:
                k += 1
            k += 1
            state ^= 1 << k
            shift = 2.0 if (state >> k) & 1 else -2.0
        half = listed[(1 + k) * count : (2 + k) * count]
        low, high = -np.inf, -np.inf
        for c in range(count):
            value[c] += shift * half[c]
            low = max(low, value[c] - first[c])
            high = max(high, value[c] + first[c])
        box[state] = low
        box[state + 1] = high


@inner
def _tabulate_candidate(listed, count, bits, slope, g):
    """Minus the first candidate of a list over its box: `raise_envelope` subtracts."""
    corner = listed[0]
    for k in range(bits):
        half = listed[(1 + k) * count]
        corner -= half
        slope[k] = -2.0 * half
    tabulate(-corner, slope, bits, g)
