"""Sets of bits, each an integer."""

from __future__ import annotations

from bender_core.kernels._jit import kernel


@kernel
def count_bits(members):
    """The size of a set of bits."""
    count = 0
    while members:
        members &= members - 1
        count += 1
    return count
