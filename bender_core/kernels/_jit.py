"""The decorators of all compiled code: no GIL, strict floating point, a disk cache that cannot go stale."""

from __future__ import annotations

import numba

from bender_core.kernels._cache import DiskCache

# Sums are never re-associated (replay and the interpreter must agree to the last bit); without NaN and
# signed zeros in play, minima and maxima still vectorise.
_FASTMATH = {"nnan", "nsz"}


def kernel(function):
    """Compile a function on its first call, and keep the machine code on disk.

    Kernels neither allocate nor return arrays: there are no reference counts. Those whose name begins with an
    underscore cannot be called from Python; to unpack its arguments would take longer to compile than they do.
    """
    compiled = numba.njit(
        nogil=True,
        fastmath=_FASTMATH,
        error_model="numpy",
        no_cpython_wrapper=function.__name__.startswith("_"),
        no_cfunc_wrapper=True,
        _nrt=False,
    )(function)
    compiled._cache = DiskCache(function)
    return compiled


def inlined(function):
    """Make a function part of the kernels that call it: one that returns arrays, or a phase of a long one."""
    return numba.njit(inline="always")(function)
