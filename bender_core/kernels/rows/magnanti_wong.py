"""Magnanti-Wong cuts: the cheapest row that is tight at the minimiser (paper, "MWC"; docs/method.md §3.4).

Of the couplings that y* does not pay, ``beta[j, x]`` is the part paid on the receiver's side, out of q[j, x]. It
minimises ``sum alpha beta + (1 - alpha) beta^2`` subject to one constraint per state of the sender, which says that the
row's minimum does not fall below the oracle's value there. A dual active-set method (Goldfarb and Idnani) meets them
one by one: from beta = 0 each round adds the constraint that is violated most, which one pass finds, so none of the
others is ever written down.

At beta = q one state y0 attains the value already; its constraint forces ``beta[j, y0_j] = q[j, y0_j]``. What is left
is one variable z_j per bit, for the value that y0 does not take, and a constraint per set D of bits in which a state
differs from y0: ``sum_{j in D} z_j >= needed(D)``. Divided by 1 - alpha the objective is that of the point of the
feasible set nearest to (-c, ..., -c).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from bender_core.kernels._jit import entry, inner
from bender_core.kernels.layout import Floats
from bender_core.kernels.tables.affine import affine_argmax, assign, tabulate
from bender_core.kernels.tables.bits import count_bits, everything, has

# For alpha = 1 there is no nearest point but a linear program; far enough away the nearest point solves it, up to
# half the inverse of this, relative.
FAR = 1e8
# What counts as zero among combinations of 0/1 vectors.
ZERO = 1e-10
# Relative to the oracle's value and all couplings: how far a constraint may be missed, in the method and at its end.
ROW_SLACK, BOX_SLACK, CUT_SLACK = 1e-13, 3e-14, 1e-12
# How far a cut that rounding spoilt may move towards the reverse row, as a part of the way, and be called optimal.
NUDGE = 1e-8
# Of `CutPoint.bit`: the constraint to be added is no bit's limit, but a row.
ROW = -1


class CutStatus(IntEnum):
    """What became of a cut. Once it is made it is valid and tight either way."""

    OPTIMAL = 0
    FALLBACK = 1  # rounding stopped the method: the cut lies between where that was and the reverse row
    UNFINISHED = 2


class Sender(NamedTuple):
    """Who sends the message that a cut is made for."""

    bits: int
    incoming: Floats  # (2^bits,) what it brings
    weight: Floats  # (bits, 2) what all couplings at a bit and its value weigh
    capacity: Floats  # (bits, 2) those that y* does not take: q


@entry
def begin_cut(sender, intercept, alpha, cut):
    """Prepare for a Magnanti-Wong cut, which `continue_cut` makes.

    Parameters
    ----------
    sender : Sender
    intercept : float
        The oracle's value at y*.
    alpha : float
        The linear part of the objective; the rest is quadratic.
    cut : CutRoom
    """
    point, payment, bits = cut.point, cut.payment, sender.bits
    point.intercept, point.magnitude = intercept, abs(intercept)
    for j in range(bits):
        point.magnitude += sender.weight[j, 0] + sender.weight[j, 1]
        payment[j, 0] = sender.capacity[j, 0]
        payment[j, 1] = sender.capacity[j, 1]
    point.origin = _most_violated(sender, cut)
    point.attained = sender.incoming[point.origin]
    largest = 0.0
    for j in range(bits):
        x = (point.origin >> j) & 1
        point.attained += sender.weight[j, x] - sender.capacity[j, x]
        cut.cap[j] = sender.capacity[j, 1 - x]
        largest = max(largest, cut.cap[j])
    point.pull = FAR * largest if alpha == 1.0 else min(alpha / (2.0 * (1.0 - alpha)), FAR * largest)
    point.pivots = point.count = point.free = point.full = point.fixed = 0
    # Bits start at 0: held there by their price, or, where nothing pulls, free. Those without capacity stay.
    for j in range(bits):
        cut.z[j] = 0.0
        cut.price[j] = point.pull
        if cut.cap[j] <= BOX_SLACK * point.magnitude:
            cut.z[j] = cut.cap[j]
            point.fixed |= 1 << j
        elif point.pull == 0.0:
            point.free |= 1 << j


@entry
def continue_cut(sender, passes, cut):
    """Go on with a cut for about ``passes`` passes over what the sender brings.

    Returns how many were made, and the status; when that is no longer UNFINISHED, ``cut.payment`` holds beta.
    """
    point = cut.point
    made, status = _active_set(sender, passes, cut)
    if status == CutStatus.UNFINISHED:
        return made, status
    if status == CutStatus.OPTIMAL and -point.attained >= point.intercept - CUT_SLACK * point.magnitude:
        return made, status
    return made, CutStatus.OPTIMAL if repair(sender, cut) <= NUDGE else CutStatus.FALLBACK


@inner
def _most_violated(sender, cut):
    """The state at which the row with the present payments is lowest."""
    constant = 0.0
    for j in range(sender.bits):
        zero = sender.weight[j, 0] - cut.payment[j, 0]
        constant += zero
        cut.slope[j] = sender.weight[j, 1] - cut.payment[j, 1] - zero
    tabulate(constant, cut.slope, sender.bits, cut.table)
    return affine_argmax(sender.incoming, sender.bits, cut.table, cut.scan)


@inner
def _active_set(sender, passes, cut):
    """Goldfarb and Idnani's method; returns the passes made, and whether all constraints are met.

    The point is at all times the best one for the active constraints alone, so its objective only rises and never
    exceeds the optimum.
    """
    point, limit, made = cut.point, 30 * sender.bits + 60, 0
    while point.pivots < limit:
        if made == passes:
            return made, CutStatus.UNFINISHED
        _factorise(cut)
        _settle(cut, sender.bits)
        if not _find_limit(cut, sender.bits):
            made += 1
            _find_row(sender, cut)
            if point.violation <= ROW_SLACK * point.magnitude:
                return made, CutStatus.OPTIMAL
            if _is_active(cut):
                return made, CutStatus.FALLBACK  # as near as rounding lets it come
        if not _meet(cut, sender.bits, limit):
            return made, CutStatus.FALLBACK
        _add(cut)
    return made, CutStatus.FALLBACK


@inner
def _find_limit(cut, bits):
    """Make the limit that is violated most the next constraint, which costs no pass; returns whether there is one."""
    point = cut.point
    point.bit, point.violation, point.needed = ROW, BOX_SLACK * point.magnitude, 0.0
    for j in range(bits):
        beyond = max(-cut.z[j], cut.z[j] - cut.cap[j])
        if has(point.free, j) and beyond > point.violation:
            point.bit, point.violation = j, beyond
    if point.bit == ROW:
        return False
    point.members = 1 << point.bit
    point.sign = -1.0 if cut.z[point.bit] > 0.0 else 1.0
    return True


@inner
def _find_row(sender, cut):
    """Make the row that is violated most the next constraint: a pass over what the sender brings."""
    point, weight = cut.point, sender.weight
    pay(sender, 0.0, cut)
    state = _most_violated(sender, cut)
    point.members, point.sign = state ^ point.origin, 1.0
    needed, met = sender.incoming[state] - point.attained, 0.0
    for j in range(sender.bits):
        x = (state >> j) & 1
        if has(point.members, j):
            needed += weight[j, x]
            met -= cut.payment[j, x]
        else:
            needed += weight[j, x] - sender.capacity[j, x]
    point.needed, point.violation = needed, met + needed


@inner
def _is_active(cut):
    """Whether the row found is active already."""
    k = 0
    while k < cut.point.count and cut.members[k] != cut.point.members:
        k += 1
    return k < cut.point.count


@inner
def _meet(cut, bits, limit):
    """Raise the multiplier of the new constraint until it is met; returns whether it could be.

    An active constraint whose multiplier reaches 0 on the way leaves.
    """
    point = cut.point
    for j in range(bits):
        cut.normal[j] = point.sign * float((point.members >> j) & 1)
    point.multiplier = 0.0
    while True:
        length = _split(cut, bits)
        at_limit = everything(bits) & ~(point.free | point.fixed)
        blocked = _blocked_at(cut, bits, at_limit)
        reach = point.violation / length if length > ZERO else np.inf
        if (reach == np.inf and blocked == np.inf) or point.pivots >= limit:
            return False
        if point.bit == ROW and point.count == bits and reach <= blocked:
            return False  # no more rows are independent, whatever rounding says
        amount = min(reach, blocked)
        point.pivots += 1
        point.multiplier += amount
        if length > ZERO:
            point.violation -= amount * length
            for j in range(bits):
                if has(point.free, j):
                    cut.z[j] += amount * cut.step[j]
        # Ties leave together.
        gone = blocked * (1.0 + 1e-13) + 1e-14 * point.pull if blocked < reach else -1.0
        _release(cut, bits, at_limit, amount, gone)
        if reach <= blocked:
            return True
        _factorise(cut)


@inner
def _blocked_at(cut, bits, at_limit):
    """How far the new multiplier may rise before that of an active row, or the price of a bit held, is 0."""
    blocked = np.inf
    for k in range(cut.point.count):
        if cut.rate[k] > ZERO:
            blocked = min(blocked, max(cut.weight[k], 0.0) / cut.rate[k])
    for j in range(bits):
        if has(at_limit, j) and cut.step[j] > ZERO:
            blocked = min(blocked, max(cut.price[j], 0.0) / cut.step[j])
    return blocked


@inner
def _release(cut, bits, at_limit, amount, gone):
    """Lower the multipliers by what the new one has risen; those that are 0 before it has risen by ``gone`` leave."""
    point, weight, rate, price, step = cut.point, cut.weight, cut.rate, cut.price, cut.step
    kept = 0
    for k in range(point.count):
        if rate[k] <= ZERO or max(weight[k], 0.0) / rate[k] > gone:
            cut.members[kept] = cut.members[k]
            cut.needed[kept] = cut.needed[k]
            weight[kept] = weight[k] - amount * rate[k]
            kept += 1
    point.count = kept
    for j in range(bits):
        if has(at_limit, j):
            if step[j] <= ZERO or max(price[j], 0.0) / step[j] > gone:
                price[j] -= amount * step[j]
            else:
                point.free |= 1 << j
                point.full &= ~(1 << j)


@inner
def _add(cut):
    """Make the constraint that was met an active one."""
    point = cut.point
    if point.bit == ROW:
        cut.members[point.count] = point.members
        cut.needed[point.count] = point.needed
        cut.weight[point.count] = point.multiplier
        point.count += 1
        return
    point.free &= ~point.members
    cut.price[point.bit] = point.multiplier
    cut.z[point.bit] = 0.0
    if point.sign < 0.0:
        point.full |= point.members
        cut.z[point.bit] = cut.cap[point.bit]


@entry
def pay(sender, moved, cut):
    """The payments at a point moved a part of the way towards the reverse row."""
    for j in range(sender.bits):
        x = (cut.point.origin >> j) & 1
        cap = cut.cap[j]
        z = min(max(cut.z[j], 0.0), cap)
        cut.payment[j, x] = sender.capacity[j, x]
        cut.payment[j, 1 - x] = min(z + moved * (cap - z), cap)


@inner
def _factorise(cut):
    """Cholesky, afresh: the Gram matrix counts common members, so no rounding is carried from pivot to pivot."""
    factor = cut.factor
    for a in range(cut.point.count):
        seen = cut.members[a] & cut.point.free
        for b in range(a + 1):
            value = float(count_bits(seen & cut.members[b]))
            for k in range(b):
                value -= factor[a, k] * factor[b, k]
            factor[a, b] = value / factor[b, b] if b < a else np.sqrt(max(value, ZERO))


@inner
def _solve(factor, count, x):
    """Solve with the Gram matrix, in place."""
    for a in range(count):
        for k in range(a):
            x[a] -= factor[a, k] * x[k]
        x[a] /= factor[a, a]
    for a in range(count - 1, -1, -1):
        for k in range(a + 1, count):
            x[a] -= factor[k, a] * x[k]
        x[a] /= factor[a, a]


@inner
def _settle(cut, bits):
    """Move the free bits by the least that makes the active rows tight again, to the last digits."""
    part, point = cut.part, cut.point
    for k in range(point.count):
        part[k] = cut.needed[k]
        for j in range(bits):
            part[k] -= cut.z[j] * float((cut.members[k] >> j) & 1)
    _solve(cut.factor, point.count, part)
    for k in range(point.count):
        members = cut.members[k] & point.free
        for j in range(bits):
            cut.z[j] += part[k] * float((members >> j) & 1)


@inner
def _split(cut, bits):
    """Write the new normal as a combination of the active rows (``rate``) and a rest (``step``).

    On the free bits the rest is orthogonal to the rows, and its squared length is returned; on the others it is
    the rate at which the multiplier of the limit falls. The second round makes good what rounding left.
    """
    step, rate, part, point = cut.step, cut.rate, cut.part, cut.point
    assign(step[:bits], cut.normal)
    rate[: point.count] = 0.0
    for _ in range(2):
        for k in range(point.count):
            members = cut.members[k] & point.free
            part[k] = 0.0
            for j in range(bits):
                part[k] += step[j] * float((members >> j) & 1)
        _solve(cut.factor, point.count, part)
        for k in range(point.count):
            rate[k] += part[k]
            for j in range(bits):
                step[j] -= part[k] * float((cut.members[k] >> j) & 1)
    length = 0.0
    for j in range(bits):
        if has(point.free, j):
            length += step[j] * step[j]
        elif has(point.full, j):
            step[j] = -step[j]
    return length


@entry
def repair(sender, cut):
    """Move towards the reverse row by the least part of the way that makes the cut tight; returns that part.

    The row's minimum is concave along the way: of every state that is too low the part follows that lifts it
    enough, and a few such steps suffice. The reverse row is the end of the way.
    """
    point, moved = cut.point, 0.0
    for _ in range(2 * sender.bits + 10):
        pay(sender, moved, cut)
        state = _most_violated(sender, cut)
        missing, slope = sender.incoming[state] + point.intercept, 0.0
        for j in range(sender.bits):
            x = (state >> j) & 1
            missing += sender.weight[j, x] - cut.payment[j, x]
            if x != (point.origin >> j) & 1:
                slope += cut.cap[j] - min(max(cut.z[j], 0.0), cut.cap[j])
        if missing <= CUT_SLACK * point.magnitude:
            return moved
        further = moved + missing / slope if slope > 0.0 else 1.0
        if not moved < further < 1.0:
            break
        moved = further
    pay(sender, 1.0, cut)
    return 1.0
