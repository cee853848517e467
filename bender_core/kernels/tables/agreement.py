"""What the states of a group that are alive have in common: bits with one value, and bits that are always equal or
always opposite. Source: docs/method.md §15.1.
"""

from __future__ import annotations

from bender_core.kernels._jit import entry, inner
from bender_core.kernels.tables.bits import everything, has

OPEN = -1


@inner
def _tie_to(k, alive, bits, value, tied, opposite):
    """Tie bits above k to it that always equal it, or never."""
    above = everything(bits) & ~everything(k + 1)
    always, ever = above, 0
    for y in range(len(alive)):
        if alive[y]:
            # A bit of these is 1 where it differs from bit k.
            differ = y ^ (everything(bits) if has(y, k) else 0)
            always &= differ
            ever |= differ
            if not always and ever & above == above:
                return
    for m in range(k + 1, bits):
        if value[m] == OPEN and tied[m] == OPEN and (has(always, m) or not has(ever, m)):
            tied[m], opposite[m] = k, has(always, m)


@entry
def agreement(alive, bits, value, tied, opposite):
    """For every bit its value, if all states have the same, else -1; and the lower bit it is tied to, -1 if to none.

    Of a bit that is tied, ``opposite`` says whether it differs from the other one. At least one state is alive.
    """
    always, ever = everything(bits), 0
    for y in range(len(alive)):
        if alive[y]:
            always &= y
            ever |= y
    for k in range(bits):
        value[k] = 1 if has(always, k) else OPEN if has(ever, k) else 0
        tied[k] = OPEN
    for k in range(bits):
        if value[k] == OPEN and tied[k] == OPEN:
            _tie_to(k, alive, bits, value, tied, opposite)
