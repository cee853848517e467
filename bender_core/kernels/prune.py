"""Exact min-marginals by dominance pruning (method.md, section 5).

With ``v = y_q``, minus the min-marginal is an upper envelope of affine functions of the bits of y_p, one a
candidate v. The cube of states y_p is halved, highest bit first; inside a box every candidate is kept as its
value at the centre and its half slopes along the open bits. There v can exceed a pivot w by at most

    centre_v - centre_w + sum_k |half_kv - half_kw|,

so a candidate for which that is not positive never matters inside the box. The first boxes look at all
candidates without listing them; once few enough survive they are listed, and lists only get shorter.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import kernel
from bender_core.kernels.affine import assign, raise_envelope, raise_envelope4, tabulate
from bender_core.kernels.layout import LOW_BITS, Progress

# Numbers that the lists of all nested boxes may take: 32 MB.
LISTED = 1 << 22
# A box with so few open bits, or with so few candidates, is written out instead of halved.
LEAF_BITS = 4
LEAF_CANDIDATES = 8


@kernel
def list_width(open_bits):
    """What a candidate may take in a box and all boxes inside: of each a centre and as many half slopes as bits."""
    return (open_bits + 1) * (open_bits + 2) // 2


@kernel
def prepare_frame(problem, arc, frame):
    """Constants and half slopes of all candidates, as affine functions of their own bits: low, then high tables."""
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    n_low = 1 << min(sender_bits, LOW_BITS)
    width = bits + 1
    at = problem.form_start[arc ^ 1]
    for t in range(n_low):
        frame[0, t] = problem.form[at + t * width]
        for k in range(bits):
            frame[1 + k, t] = 0.5 * problem.form[at + t * width + 1 + k]
    at += n_low * width
    for h in range(1 << max(sender_bits - LOW_BITS, 0)):
        frame[0, n_low + h] = problem.form[at + h * width]
        for k in range(bits):
            frame[1 + k, n_low + h] = 0.5 * problem.form[at + h * width + 1 + k]


@kernel
def begin_box(problem, arc, sent, begin, open_bits, nu, work):
    """List the candidates that survive in a box, for `halve_box`; returns False if they are too many to be listed."""
    count = _list_survivors(problem, arc, sent, begin, open_bits, work)
    if count < 0:
        return False
    nu[begin : begin + (1 << open_bits)] = -np.inf
    work.level[0, 0], work.level[0, 1], work.level[0, 2] = 0, count, 0
    work.progress[Progress.DEPTH], work.progress[Progress.STATE] = 0, begin
    return True


@kernel
def _list_survivors(problem, arc, sent, begin, open_bits, work):
    """List the candidates that the pivot does not dominate in a box; returns how many, or -1 if too many."""
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    n_low = 1 << min(sender_bits, LOW_BITS)
    n_high = 1 << max(sender_bits - LOW_BITS, 0)
    frame, centre = work.frame, work.centre
    length = n_low + n_high
    assign(centre[:length], frame[0])
    for k in range(bits):
        share = 1.0 if k < open_bits else 2.0 * ((begin >> k) & 1)
        row = frame[1 + k]
        if share > 0.0:
            for t in range(length):
                centre[t] += share * row[t]
    low_centre = centre[:n_low]
    pivot_low, pivot_high, most = 0, 0, -np.inf
    block = work.block[:n_low]
    best, where = work.fold[0, :n_low], work.fold[1, :n_low]
    best[:] = -np.inf
    for h in range(n_high):
        x = sent[h * n_low : (h + 1) * n_low]
        shift, here = centre[n_low + h], float(h)
        for t in range(n_low):
            value = x[t] + shift
            better = value > best[t]
            best[t] = value if better else best[t]
            where[t] = here if better else where[t]
    for t in range(n_low):
        if best[t] + low_centre[t] > most:
            pivot_low, pivot_high, most = t, int(where[t]), best[t] + low_centre[t]
    pivot = work.slope
    for k in range(open_bits):
        pivot[k] = frame[1 + k, pivot_low] + frame[1 + k, n_low + pivot_high]
    room = len(work.lists) // list_width(open_bits)
    found = work.found
    count = 0
    for h in range(n_high):
        x = sent[h * n_low : (h + 1) * n_low]
        shift = centre[n_low + h] - most
        for t in range(n_low):
            block[t] = x[t] + (shift + low_centre[t])
        k = 0
        while k + 4 <= open_bits:
            r0, r1, r2, r3 = frame[1 + k], frame[2 + k], frame[3 + k], frame[4 + k]
            s0, s1 = r0[n_low + h] - pivot[k], r1[n_low + h] - pivot[k + 1]
            s2, s3 = r2[n_low + h] - pivot[k + 2], r3[n_low + h] - pivot[k + 3]
            for t in range(n_low):
                block[t] += (abs(r0[t] + s0) + abs(r1[t] + s1)) + (abs(r2[t] + s2) + abs(r3[t] + s3))
            k += 4
        while k < open_bits:
            row = frame[1 + k]
            s0 = row[n_low + h] - pivot[k]
            for t in range(n_low):
                block[t] += abs(row[t] + s0)
            k += 1
        for t in range(n_low):
            if block[t] > 0.0 or (t == pivot_low and h == pivot_high):
                if count == room:
                    return -1
                found[count] = h * n_low + t
                count += 1
    listed = work.lists[:count]
    for c in range(count):
        listed[c] = sent[found[c]] + (centre[found[c] & (n_low - 1)] + centre[n_low + (found[c] >> LOW_BITS)])
    for k in range(open_bits):
        row, listed = frame[1 + k], work.lists[(1 + k) * count : (2 + k) * count]
        for c in range(count):
            listed[c] = row[found[c] & (n_low - 1)] + row[n_low + (found[c] >> LOW_BITS)]
    return count


@kernel
def halve_box(problem, begin, open_bits, nu, work):
    """Go on halving a box with its list of candidates, and write out the small ones; DEPTH is -1 when all is done.

    Returns the entries read.
    """
    lists, level, progress = work.lists, work.level, work.progress
    depth, state = progress[Progress.DEPTH], progress[Progress.STATE]
    entries = 0
    while depth >= 0 and entries < progress[Progress.LIMIT]:
        at, count, branch = level[depth, 0], level[depth, 1], level[depth, 2]
        bits = open_bits - depth
        if bits <= LEAF_BITS or count <= LEAF_CANDIDATES:
            if 0 < bits <= LEAF_BITS and count > LEAF_CANDIDATES:
                _write_leaf(lists, at, count, bits, nu[state : state + (1 << bits)], work.margin)
            else:
                _write_out(problem, at, count, state, bits, nu, work)
            entries += count << bits
            branch = 2
        if branch == 2:
            # Back to the parent's state: the bit of this box is cleared.
            state &= ~(1 << bits)
            depth -= 1
            continue
        level[depth, 2] = branch + 1
        if branch == 1:
            state |= 1 << (bits - 1)
        below = at + (bits + 1) * count
        kept = _descend(lists, at, count, bits, branch, below, work)
        entries += bits * (count + kept)
        depth += 1
        level[depth, 0], level[depth, 1], level[depth, 2] = below, kept, 0
    progress[Progress.DEPTH], progress[Progress.STATE] = depth, state
    if depth < 0:
        box = nu[begin : begin + (1 << open_bits)]
        for y in range(len(box)):
            box[y] = -box[y]
    return entries


@kernel
def _descend(lists, at, count, bits, branch, below, work):
    """List below the candidates that survive in one half of a box; returns how many."""
    centre = lists[at : at + count]
    top = lists[at + bits * count : at + (bits + 1) * count]
    margin = work.margin[:count]
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
        row = lists[at + k * count : at + (k + 1) * count]
        level = row[pivot]
        for c in range(count):
            margin[c] += abs(row[c] - level)
    found = work.found
    kept = 0
    margin[pivot] = 1.0
    for c in range(count):
        found[kept] = c
        kept += margin[c] > 0.0
    low = lists[below : below + kept]
    for c in range(kept):
        low[c] = centre[found[c]] + sign * top[found[c]]
    for k in range(1, bits):
        row = lists[at + k * count : at + (k + 1) * count]
        low = lists[below + k * kept : below + (k + 1) * kept]
        for c in range(kept):
            low[c] = row[found[c]]
    return kept


@kernel
def _write_out(problem, at, count, begin, bits, nu, work):
    """The upper envelope of a list of candidates over a whole box."""
    lists, table, slope = work.lists, work.table, work.slope
    stride, low_length = problem.stride, problem.low_length
    box = nu[begin : begin + (1 << bits)]
    c = 0
    while c + 4 <= count:
        for j in range(4):
            _tabulate_candidate(lists, at + c + j, count, bits, slope, table, j * stride, low_length)
        raise_envelope4(box, bits, table, 0, stride, 2 * stride, 3 * stride, low_length, 0.0, 0.0, 0.0, 0.0)
        c += 4
    while c < count:
        _tabulate_candidate(lists, at + c, count, bits, slope, table, 0, low_length)
        raise_envelope(box, bits, table, 0, low_length, 0.0)
        c += 1


@kernel
def _write_leaf(lists, at, count, bits, box, value):
    """The upper envelope of many candidates over a small box: all of them state by state, in a Gray code's order."""
    value = value[:count]
    assign(value, lists[at:])
    for k in range(1, bits):
        half = lists[at + (1 + k) * count : at + (2 + k) * count]
        for c in range(count):
            value[c] -= half[c]
    first = lists[at + count : at + 2 * count]
    state = 0
    for step in range(1 << (bits - 1)):
        k, shift = 0, 0.0
        if step > 0:
            while (step >> k) & 1 == 0:
                k += 1
            k += 1
            state ^= 1 << k
            shift = 2.0 if (state >> k) & 1 else -2.0
        half = lists[at + (1 + k) * count : at + (2 + k) * count]
        low, high = -np.inf, -np.inf
        for c in range(count):
            value[c] += shift * half[c]
            low = max(low, value[c] - first[c])
            high = max(high, value[c] + first[c])
        box[state] = low
        box[state + 1] = high


@kernel
def _tabulate_candidate(lists, at, count, bits, slope, table, start, low_length):
    """Minus a candidate over a box: `raise_envelope` subtracts."""
    corner = lists[at]
    for k in range(bits):
        half = lists[at + (1 + k) * count]
        corner -= half
        slope[k] = -2.0 * half
    tabulate(-corner, slope, bits, table, start, low_length)
