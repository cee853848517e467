"""Passes over a table of 2^b entries together with affine functions of the b bits.

The loops run over whole blocks of low-bit entries and are element-wise, which the compiler vectorises; a
running maximum in one scalar would not be. Every variant of a pass does the same operations per entry, so
results do not depend on how many rows share a pass.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import kernel
from bender_core.kernels.layout import LOW_BITS


@kernel
def tabulate(constant, slope, bits, table, at, low_length):
    """Write the affine function ``constant + sum_k slope[k] bit_k`` as a low and a high table."""
    low = min(bits, LOW_BITS)
    table[at] = 0.0
    for k in range(low):
        width = 1 << k
        known = table[at : at + width]
        fresh = table[at + width : at + 2 * width]
        for t in range(width):
            fresh[t] = known[t] + slope[k]
    at += low_length
    table[at] = constant
    for k in range(low, bits):
        width = 1 << (k - low)
        known = table[at : at + width]
        fresh = table[at + width : at + 2 * width]
        for t in range(width):
            fresh[t] = known[t] + slope[k]


@kernel
def assign(target, values):
    """Copy values; an assignment of slices would first allocate, lest they overlap."""
    for t in range(len(target)):
        target[t] = values[t]


@kernel
def affine_value(table, at, low_length, state):
    """The value of a tabulated affine function at a state."""
    mask = (1 << LOW_BITS) - 1
    return table[at + (state & mask)] + table[at + low_length + (state >> LOW_BITS)]


@kernel
def _fold_max(values, count):
    """The maximum of the first ``count`` (a power of two) entries, which are overwritten."""
    while count > 4:
        count //= 2
        left = values[:count]
        right = values[count : 2 * count]
        for t in range(count):
            left[t] = max(left[t], right[t])
    best = values[0]
    for t in range(1, count):
        best = max(best, values[t])
    return best


@kernel
def affine_max(lam, start, bits, table, at, low_length, fold):
    """``max_y lam[start + y] + g(y)`` for one affine g tabulated at ``table[at:]``."""
    best = fold[0, : 1 << min(bits, LOW_BITS)]
    _best_columns(lam, start, bits, table, at, low_length, best)
    return _fold_max(best, len(best))


@kernel
def affine_argmax(values, bits, table, low_length, fold, block):
    """A state at which ``values`` plus the affine function tabulated at ``table[0:]`` is largest.

    The pass is that of `affine_max`, which is faster than one that keeps track of where the best was: that
    is looked up afterwards, within the best column.
    """
    n_low = 1 << min(bits, LOW_BITS)
    best, copy = fold[0, :n_low], block[:n_low]
    _best_columns(values, 0, bits, table, 0, low_length, best)
    assign(copy, best)
    most = _fold_max(copy, n_low)
    low = 0
    while best[low] < most:
        low += 1
    high = 0
    for h in range(1, 1 << max(bits - LOW_BITS, 0)):
        if values[h * n_low + low] + table[low_length + h] > values[high * n_low + low] + table[low_length + high]:
            high = h
    return high * n_low + low


@kernel
def _best_columns(lam, start, bits, table, at, low_length, best):
    """For every low state the maximum, over the high states, of ``lam`` plus an affine function."""
    n_low = 1 << min(bits, LOW_BITS)
    n_high = 1 << max(bits - LOW_BITS, 0)
    low = table[at : at + n_low]
    high = table[at + low_length : at + low_length + n_high]
    if n_high < 4:
        x = lam[start : start + n_low]
        for t in range(n_low):
            best[t] = x[t] + high[0]
        for h in range(1, n_high):
            x = lam[start + h * n_low : start + (h + 1) * n_low]
            shift = high[h]
            for t in range(n_low):
                best[t] = max(best[t], x[t] + shift)
    else:
        for t in range(n_low):
            best[t] = -np.inf
        for h in range(0, n_high, 4):
            b = start + h * n_low
            x0 = lam[b : b + n_low]
            x1 = lam[b + n_low : b + 2 * n_low]
            x2 = lam[b + 2 * n_low : b + 3 * n_low]
            x3 = lam[b + 3 * n_low : b + 4 * n_low]
            h0, h1, h2, h3 = high[h], high[h + 1], high[h + 2], high[h + 3]
            for t in range(n_low):
                best[t] = max(best[t], max(max(x0[t] + h0, x1[t] + h1), max(x2[t] + h2, x3[t] + h3)))
    for t in range(n_low):
        best[t] += low[t]


@kernel
def affine_max4(lam, start, bits, table, at0, at1, at2, at3, low_length, fold):
    """`affine_max` for four affine functions in one pass over ``lam``."""
    n_low = 1 << min(bits, LOW_BITS)
    n_high = 1 << max(bits - LOW_BITS, 0)
    best0, best1, best2, best3 = fold[0, :n_low], fold[1, :n_low], fold[2, :n_low], fold[3, :n_low]
    high0 = table[at0 + low_length : at0 + low_length + n_high]
    high1 = table[at1 + low_length : at1 + low_length + n_high]
    high2 = table[at2 + low_length : at2 + low_length + n_high]
    high3 = table[at3 + low_length : at3 + low_length + n_high]
    x = lam[start : start + n_low]
    for t in range(n_low):
        best0[t] = x[t] + high0[0]
        best1[t] = x[t] + high1[0]
        best2[t] = x[t] + high2[0]
        best3[t] = x[t] + high3[0]
    first = 1
    if n_high > 1:
        x = lam[start + n_low : start + 2 * n_low]
        for t in range(n_low):
            best0[t] = max(best0[t], x[t] + high0[1])
            best1[t] = max(best1[t], x[t] + high1[1])
            best2[t] = max(best2[t], x[t] + high2[1])
            best3[t] = max(best3[t], x[t] + high3[1])
        first = 2
    for h in range(first, n_high, 2):
        b = start + h * n_low
        x = lam[b : b + n_low]
        y = lam[b + n_low : b + 2 * n_low]
        a0, a1, a2, a3 = high0[h], high1[h], high2[h], high3[h]
        b0, b1, b2, b3 = high0[h + 1], high1[h + 1], high2[h + 1], high3[h + 1]
        for t in range(n_low):
            best0[t] = max(best0[t], max(x[t] + a0, y[t] + b0))
            best1[t] = max(best1[t], max(x[t] + a1, y[t] + b1))
            best2[t] = max(best2[t], max(x[t] + a2, y[t] + b2))
            best3[t] = max(best3[t], max(x[t] + a3, y[t] + b3))
    low0, low1, low2, low3 = (
        table[at0 : at0 + n_low],
        table[at1 : at1 + n_low],
        table[at2 : at2 + n_low],
        table[at3 : at3 + n_low],
    )
    for t in range(n_low):
        best0[t] += low0[t]
        best1[t] += low1[t]
        best2[t] += low2[t]
        best3[t] += low3[t]
    return _fold_max(best0, n_low), _fold_max(best1, n_low), _fold_max(best2, n_low), _fold_max(best3, n_low)


@kernel
def raise_envelope(nu, bits, table, at, low_length, intercept):
    """``nu(y) <- max(nu(y), intercept - g(y))`` for one row."""
    n_low = 1 << min(bits, LOW_BITS)
    n_high = 1 << max(bits - LOW_BITS, 0)
    low = table[at : at + n_low]
    for h in range(n_high):
        shift = intercept - table[at + low_length + h]
        x = nu[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            x[t] = max(x[t], shift - low[t])


@kernel
def raise_envelope4(nu, bits, table, at0, at1, at2, at3, low_length, c0, c1, c2, c3):
    """`raise_envelope` for four rows in one pass."""
    n_low = 1 << min(bits, LOW_BITS)
    n_high = 1 << max(bits - LOW_BITS, 0)
    low0, low1, low2, low3 = (
        table[at0 : at0 + n_low],
        table[at1 : at1 + n_low],
        table[at2 : at2 + n_low],
        table[at3 : at3 + n_low],
    )
    for h in range(n_high):
        s0 = c0 - table[at0 + low_length + h]
        s1 = c1 - table[at1 + low_length + h]
        s2 = c2 - table[at2 + low_length + h]
        s3 = c3 - table[at3 + low_length + h]
        x = nu[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            x[t] = max(x[t], max(max(s0 - low0[t], s1 - low1[t]), max(s2 - low2[t], s3 - low3[t])))


@kernel
def raise_with_total(nu, total, bits, table, at, low_length, intercept):
    """`raise_envelope`, carrying every rise over to the node's total."""
    n_low = 1 << min(bits, LOW_BITS)
    n_high = 1 << max(bits - LOW_BITS, 0)
    low = table[at : at + n_low]
    for h in range(n_high):
        shift = intercept - table[at + low_length + h]
        x = nu[h * n_low : (h + 1) * n_low]
        y = total[h * n_low : (h + 1) * n_low]
        for t in range(n_low):
            before = x[t]
            after = max(before, shift - low[t])
            x[t] = after
            y[t] += after - before


@kernel
def argmin(total, bits, fold, block):
    """The lowest state at which ``total`` is smallest."""
    n_low = 1 << min(bits, LOW_BITS)
    n_high = 1 << max(bits - LOW_BITS, 0)
    best = fold[0, :n_low]
    where = block[:n_low]
    x = total[:n_low]
    for t in range(n_low):
        best[t] = x[t]
        where[t] = 0.0
    for h in range(1, n_high):
        x = total[h * n_low : (h + 1) * n_low]
        here = float(h)
        for t in range(n_low):
            better = x[t] < best[t]
            best[t] = x[t] if better else best[t]
            where[t] = here if better else where[t]
    return _lowest(best, where, n_low)


@kernel
def affine_argmin(values, bits, table, low_length, fold, block):
    """The lowest state at which ``values`` plus the affine function tabulated at ``table[0:]`` is smallest."""
    n_low = 1 << min(bits, LOW_BITS)
    n_high = 1 << max(bits - LOW_BITS, 0)
    low, high = table[:n_low], table[low_length : low_length + n_high]
    best = fold[0, :n_low]
    where = block[:n_low]
    best[:] = np.inf
    where[:] = 0.0
    for h in range(n_high):
        x = values[h * n_low : (h + 1) * n_low]
        shift, here = high[h], float(h)
        for t in range(n_low):
            value = x[t] + shift + low[t]
            better = value < best[t]
            best[t] = value if better else best[t]
            where[t] = here if better else where[t]
    return _lowest(best, where, n_low)


@kernel
def _lowest(best, where, n_low):
    """The state of the smallest entry; ties go to the lowest state."""
    low, high = 0, where[0]
    for t in range(1, n_low):
        if best[t] < best[low] or (best[t] == best[low] and where[t] < high):
            low, high = t, where[t]
    return int(high) * n_low + low
