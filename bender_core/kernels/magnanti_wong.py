"""Magnanti-Wong cuts: the cheapest row that is tight at the minimiser (paper, "MWC"; method.md, section 3).

Of the couplings that y* does not pay, ``beta[j, x]`` is the part paid on the receiver's side, out of q[j, x].
It minimises ``sum alpha beta + (1 - alpha) beta^2`` subject to one constraint per state of the sender, which
says that the row's minimum does not fall below the oracle's value there. A dual active-set method (Goldfarb
and Idnani) meets them one by one: from beta = 0 each round adds the constraint that is violated most, which
one pass finds, so none of the others is ever written down.

At beta = q one state y0 attains the value already; its constraint forces ``beta[j, y0_j] = q[j, y0_j]``. What is
left is one variable z_j per bit, for the value that y0 does not take, and a constraint per set D of bits in
which a state differs from y0: ``sum_{j in D} z_j >= needed(D)``. Divided by 1 - alpha the objective is that of
the point of the feasible set nearest to (-c, ..., -c).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from bender_core.kernels._jit import inlined, kernel
from bender_core.kernels.affine import affine_argmax, assign, tabulate
from bender_core.kernels.bits import count_bits
from bender_core.kernels.layout import Floats

# For alpha = 1 there is no nearest point but a linear program; far enough away the nearest point solves it, up to
# half the inverse of this, relative.
FAR = 1e8
# What counts as zero among combinations of 0/1 vectors.
ZERO = 1e-10
# Relative to the oracle's value and all couplings: how far a constraint may be missed, in the method and at its end.
ROW_SLACK, BOX_SLACK, CUT_SLACK = 1e-13, 3e-14, 1e-12
# How far a cut that rounding spoilt may move towards the reverse row, as a part of the way, and be called optimal.
NUDGE = 1e-8


class CutStatus(IntEnum):
    """What became of a cut. Once it is made it is valid and tight either way."""

    OPTIMAL = 0
    FALLBACK = 1  # rounding stopped the method: the cut lies between where that was and the reverse row
    UNFINISHED = 2


class Cut(IntEnum):
    """Slots at the beginning of the scratch: where the method stands between two calls."""

    PIVOTS = 0
    INTERCEPT = 1
    MAGNITUDE = 2
    BASE = 3  # the state y0
    MOST = 4  # the value it attains
    PULL = 5  # of the linear part, c
    FREE = 6  # the bits that are at neither limit
    FULL = 7  # those at the upper one
    FIXED = 8  # those without capacity
    COUNT = 9  # of active rows


HEAD = len(Cut)


class _Room(NamedTuple):
    """The scratch, cut up. A set of bits is an integer; an active set also has the masks of free and full bits."""

    z: Floats  # (bits,)
    cap: Floats  # (bits,) upper limits of z; the lower limits are 0
    price: Floats  # (bits,) multiplier of the limit that a bit which is not free is held at
    normal: Floats  # (bits,) of the constraint to be added
    step: Floats  # (bits,) what the active set leaves of it
    slope: Floats  # (bits,)
    members: Floats  # (bits,) the set of every active row
    needed: Floats  # (bits,) its right-hand side
    weight: Floats  # (bits,) its multiplier
    rate: Floats  # (bits,) how fast that falls as the new constraint's rises
    part: Floats  # (bits,)
    factor: Floats  # (bits, bits) Cholesky factor of the Gram matrix of the active rows on the free bits


def cut_scratch(bits: int) -> int:
    """The length of the scratch that `magnanti_wong` needs."""
    return HEAD + bits * (bits + 11)


@inlined
def _room(scratch, bits):
    b, first = bits, HEAD
    return _Room(
        scratch[first : first + b],
        scratch[first + b : first + 2 * b],
        scratch[first + 2 * b : first + 3 * b],
        scratch[first + 3 * b : first + 4 * b],
        scratch[first + 4 * b : first + 5 * b],
        scratch[first + 5 * b : first + 6 * b],
        scratch[first + 6 * b : first + 7 * b],
        scratch[first + 7 * b : first + 8 * b],
        scratch[first + 8 * b : first + 9 * b],
        scratch[first + 9 * b : first + 10 * b],
        scratch[first + 10 * b : first + 11 * b],
        scratch[first + 11 * b : first + 11 * b + b * b].reshape((b, b)),
    )


@kernel
def sender_capacity(problem, arc, state, q):
    """Fill ``q[j, x]``: what the couplings at the sender's bit j and value x weigh that the state does not take."""
    edge, side = arc // 2, arc % 2
    q[: problem.bits[arc ^ 1]] = 0.0
    for c in range(problem.coupling_start[edge], problem.coupling_start[edge + 1]):
        if (state >> problem.coupling_bit[c, side]) & 1 != problem.coupling_entry[c, side]:
            q[problem.coupling_bit[c, 1 - side], problem.coupling_entry[c, 1 - side]] += problem.coupling_weight[c]


@kernel
def begin_cut(lam, bits, intercept, t, q, alpha, low_length, table, fold, block, scratch, beta):
    """Prepare for a Magnanti-Wong cut, which `continue_cut` makes.

    Parameters
    ----------
    lam : what the sender brings, over the states of its ``bits``
    intercept : the oracle's value at y*
    t, q : what all couplings at a bit and value of the sender weigh, and those that y* does not take
    alpha : the linear part of the objective; the rest is quadratic
    table, fold, block : as for `affine_argmax`
    scratch : `cut_scratch` of the bits; where the method stands, see `Cut`
    beta : the payments
    """
    room = _room(scratch, bits)
    magnitude = abs(intercept)
    for j in range(bits):
        magnitude += t[j, 0] + t[j, 1]
        beta[j, 0] = q[j, 0]
        beta[j, 1] = q[j, 1]
    base = _most_violated(lam, bits, t, beta, low_length, table, fold, block, room.slope)
    most = lam[base]
    largest = 0.0
    for j in range(bits):
        x = (base >> j) & 1
        most += t[j, x] - q[j, x]
        room.cap[j] = q[j, 1 - x]
        largest = max(largest, room.cap[j])
    pull = FAR * largest if alpha == 1.0 else min(alpha / (2.0 * (1.0 - alpha)), FAR * largest)
    # Bits start at 0: held there by their price, or, where nothing pulls, free. Those without capacity stay.
    free, fixed = 0, 0
    for j in range(bits):
        room.z[j] = 0.0
        room.price[j] = pull
        if room.cap[j] <= BOX_SLACK * magnitude:
            room.z[j] = room.cap[j]
            fixed |= 1 << j
        elif pull == 0.0:
            free |= 1 << j
    scratch[Cut.PIVOTS] = 0
    scratch[Cut.INTERCEPT], scratch[Cut.MAGNITUDE] = intercept, magnitude
    scratch[Cut.BASE], scratch[Cut.MOST], scratch[Cut.PULL] = base, most, pull
    scratch[Cut.FREE], scratch[Cut.FULL], scratch[Cut.FIXED], scratch[Cut.COUNT] = free, 0, fixed, 0


@kernel
def continue_cut(lam, bits, t, q, passes, low_length, table, fold, block, scratch, beta):
    """Go on with a cut for about so many passes over ``lam``; returns how many were made, and the status.

    When that is no longer UNFINISHED, ``beta`` holds the payments. Arguments as for `begin_cut`.
    """
    room = _room(scratch, bits)
    made, finished = _active_set(lam, bits, t, q, passes, low_length, table, fold, block, room, scratch, beta)
    if made < 0:
        return passes, CutStatus.UNFINISHED
    base, intercept, magnitude = int(scratch[Cut.BASE]), scratch[Cut.INTERCEPT], scratch[Cut.MAGNITUDE]
    if finished and -scratch[Cut.MOST] >= intercept - CUT_SLACK * magnitude:
        return made, CutStatus.OPTIMAL
    moved = repair(lam, bits, base, intercept, t, q, magnitude, low_length, table, fold, block, room, beta)
    return made, CutStatus.OPTIMAL if moved <= NUDGE else CutStatus.FALLBACK


@kernel
def _most_violated(lam, bits, t, beta, low_length, table, fold, block, slope):
    """The state at which the row with these payments is lowest."""
    constant = 0.0
    for j in range(bits):
        zero = t[j, 0] - beta[j, 0]
        constant += zero
        slope[j] = t[j, 1] - beta[j, 1] - zero
    tabulate(constant, slope, bits, table, 0, low_length)
    return affine_argmax(lam, bits, table, low_length, fold, block)


@kernel
def _active_set(lam, bits, t, q, passes, low_length, table, fold, block, room, scratch, beta):
    """Goldfarb and Idnani's method; returns the passes made, -1 if it is to go on, and whether all constraints are met.

    The point is at all times the best one for the active constraints alone, so its objective only rises and
    never exceeds the optimum.
    """
    z, cap, price, normal = room.z, room.cap, room.price, room.normal
    step, weight, rate = room.step, room.weight, room.rate
    base, most, pull, magnitude = int(scratch[Cut.BASE]), scratch[Cut.MOST], scratch[Cut.PULL], scratch[Cut.MAGNITUDE]
    free, full, fixed = int(scratch[Cut.FREE]), int(scratch[Cut.FULL]), int(scratch[Cut.FIXED])
    count, pivots = int(scratch[Cut.COUNT]), int(scratch[Cut.PIVOTS])
    box_slack = BOX_SLACK * magnitude
    limit, made = 30 * bits + 60, 0
    while pivots < limit:
        if made == passes:
            scratch[Cut.FREE], scratch[Cut.FULL] = free, full
            scratch[Cut.COUNT] = count
            return -1, False
        _factorise(room, count, free)
        _settle(room, bits, count, free)
        # The next constraint: a limit if one is violated, which costs no pass, or else a state's.
        bit, violation, needed = -1, box_slack, 0.0
        for j in range(bits):
            if (free >> j) & 1 == 1 and max(-z[j], z[j] - cap[j]) > violation:
                bit, violation = j, max(-z[j], z[j] - cap[j])
        if bit >= 0:
            members = 1 << bit
            sign = -1.0 if z[bit] > 0.0 else 1.0
        else:
            pay(bits, base, q, 0.0, room, beta)
            state = _most_violated(lam, bits, t, beta, low_length, table, fold, block, room.slope)
            made += 1
            members, sign = state ^ base, 1.0
            needed = lam[state] - most
            violation = 0.0
            for j in range(bits):
                x = (state >> j) & 1
                if (members >> j) & 1 == 1:
                    needed += t[j, x]
                    violation -= beta[j, x]
                else:
                    needed += t[j, x] - q[j, x]
            violation += needed
            if violation <= ROW_SLACK * magnitude:
                return made, True
            for k in range(count):
                if room.members[k] == members:
                    return made, False  # as near as rounding lets it come
        for j in range(bits):
            normal[j] = sign * float((members >> j) & 1)
        # Raise its multiplier until it is met. An active constraint whose multiplier reaches 0 on the way leaves.
        multiplier = 0.0
        while True:
            length = _split(room, bits, count, free, full)
            blocked = np.inf
            for k in range(count):
                if rate[k] > ZERO:
                    blocked = min(blocked, max(weight[k], 0.0) / rate[k])
            held = ((1 << bits) - 1) & ~(free | fixed)
            for j in range(bits):
                if (held >> j) & 1 == 1 and step[j] > ZERO:
                    blocked = min(blocked, max(price[j], 0.0) / step[j])
            reach = violation / length if length > ZERO else np.inf
            if (reach == np.inf and blocked == np.inf) or pivots >= limit:
                return made, False
            if bit < 0 and count == bits and reach <= blocked:
                return made, False  # no more rows are independent, whatever rounding says
            amount = min(reach, blocked)
            pivots += 1
            scratch[Cut.PIVOTS] = pivots
            multiplier += amount
            if length > ZERO:
                violation -= amount * length
                for j in range(bits):
                    if (free >> j) & 1 == 1:
                        z[j] += amount * step[j]
            # Ties leave together.
            gone = blocked * (1.0 + 1e-13) + 1e-14 * pull if blocked < reach else -1.0
            kept = 0
            for k in range(count):
                if rate[k] <= ZERO or max(weight[k], 0.0) / rate[k] > gone:
                    room.members[kept] = room.members[k]
                    room.needed[kept] = room.needed[k]
                    weight[kept] = weight[k] - amount * rate[k]
                    kept += 1
            count = kept
            for j in range(bits):
                if (held >> j) & 1 == 1:
                    if step[j] <= ZERO or max(price[j], 0.0) / step[j] > gone:
                        price[j] -= amount * step[j]
                    else:
                        free |= 1 << j
                        full &= ~(1 << j)
            if reach <= blocked:
                break
            _factorise(room, count, free)
        if bit < 0:
            room.members[count] = members
            room.needed[count] = needed
            weight[count] = multiplier
            count += 1
        else:
            free &= ~members
            price[bit] = multiplier
            z[bit] = 0.0
            if sign < 0.0:
                full |= members
                z[bit] = cap[bit]
    return made, False


@kernel
def pay(bits, base, q, moved, room, beta):
    """The payments at a point moved a part of the way towards the reverse row."""
    for j in range(bits):
        x = (base >> j) & 1
        cap = room.cap[j]
        z = min(max(room.z[j], 0.0), cap)
        beta[j, x] = q[j, x]
        beta[j, 1 - x] = min(z + moved * (cap - z), cap)


@kernel
def _factorise(room, count, free):
    """Cholesky, afresh: the Gram matrix counts common members, so no rounding is carried from pivot to pivot."""
    factor = room.factor
    for a in range(count):
        seen = int(room.members[a]) & free
        for b in range(a + 1):
            value = float(count_bits(seen & int(room.members[b])))
            for k in range(b):
                value -= factor[a, k] * factor[b, k]
            factor[a, b] = value / factor[b, b] if b < a else np.sqrt(max(value, ZERO))


@kernel
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


@kernel
def _settle(room, bits, count, free):
    """Move the free bits by the least that makes the active rows tight again, to the last digits."""
    part = room.part
    for k in range(count):
        members = int(room.members[k])
        part[k] = room.needed[k]
        for j in range(bits):
            part[k] -= room.z[j] * float((members >> j) & 1)
    _solve(room.factor, count, part)
    for k in range(count):
        members = int(room.members[k]) & free
        for j in range(bits):
            room.z[j] += part[k] * float((members >> j) & 1)


@kernel
def _split(room, bits, count, free, full):
    """Write the new normal as a combination of the active rows (``rate``) and a rest (``step``).

    On the free bits the rest is orthogonal to the rows, and its squared length is returned; on the others it is
    the rate at which the multiplier of the limit falls. The second round makes good what rounding left.
    """
    step, rate, part = room.step, room.rate, room.part
    assign(step, room.normal)
    rate[:count] = 0.0
    for _ in range(2):
        for k in range(count):
            members = int(room.members[k]) & free
            part[k] = 0.0
            for j in range(bits):
                part[k] += step[j] * float((members >> j) & 1)
        _solve(room.factor, count, part)
        for k in range(count):
            members = int(room.members[k])
            rate[k] += part[k]
            for j in range(bits):
                step[j] -= part[k] * float((members >> j) & 1)
    length = 0.0
    for j in range(bits):
        if (free >> j) & 1 == 1:
            length += step[j] * step[j]
        elif (full >> j) & 1 == 1:
            step[j] = -step[j]
    return length


@kernel
def repair(lam, bits, base, intercept, t, q, magnitude, low_length, table, fold, block, room, beta):
    """Move towards the reverse row by the least part of the way that makes the cut tight; returns that part.

    The row's minimum is concave along the way: of every state that is too low the part follows that lifts it
    enough, and a few such steps suffice. The reverse row is the end of the way.
    """
    moved = 0.0
    for _ in range(2 * bits + 10):
        pay(bits, base, q, moved, room, beta)
        state = _most_violated(lam, bits, t, beta, low_length, table, fold, block, room.slope)
        missing = lam[state] + intercept
        slope = 0.0
        for j in range(bits):
            x = (state >> j) & 1
            missing += t[j, x] - beta[j, x]
            if x != (base >> j) & 1:
                slope += room.cap[j] - min(max(room.z[j], 0.0), room.cap[j])
        if missing <= CUT_SLACK * magnitude:
            return moved
        further = moved + missing / slope if slope > 0.0 else 1.0
        if not moved < further < 1.0:
            break
        moved = further
    pay(bits, base, q, 1.0, room, beta)
    return 1.0
