"""Sets of bits, each an integer."""

from __future__ import annotations

from bender_core.kernels._jit import inner


@inner
def has(members, k):
    """Whether bit k is in a set."""
    return (members >> k) & 1 == 1


@inner
def everything(bits):
    """The set of all bits."""
    return (1 << bits) - 1


@inner
def count_bits(members):
    """The size of a set of bits."""
    count = 0
    while members:
        members &= members - 1
        count += 1
    return count
