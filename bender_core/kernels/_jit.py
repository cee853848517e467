"""The decorators of all compiled code: no GIL, strict floating point, a disk cache that cannot go stale.

Kernels neither allocate nor return arrays: there are no reference counts.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core import config

from bender_core.kernels._cache import DiskCache

# Sums are never re-associated (replay and the interpreter must agree to the last bit); without NaN and
# signed zeros in play, minima and maxima still vectorise.
_FASTMATH = {"nnan", "nsz"}


def entry(function):
    """Compile a function that Python calls, on its first call, and keep the machine code on disk."""
    return _compiled(function, called_by_python=True, forceinline=True)


def shared(function):
    """As `entry`, for what many kernels call and takes long enough for a call not to count: not made part of them."""
    return _compiled(function, called_by_python=True, forceinline=False)


def inner(function):
    """Compile a function that kernels alone call: unpacking its arguments would take longer to compile than they do."""
    return _compiled(function, called_by_python=False, forceinline=True)


def inlined(function):
    """Make a function part of the kernels that call it: one that returns arrays, or a phase of a long one."""
    return numba.njit(inline="always")(function)


def typed(function: Any, *arguments: Any) -> Any:
    """What an entry was compiled to for the types of these arguments; later calls take the types for granted.

    An entry has one signature. To find out the types of a `Run` at every call takes twice as long as to hand it over,
    and to find them out for every run as long as a sweep of a small one.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    if not function.overloads:
        function.compile(tuple(map(function.typeof_pyval, arguments)))
    return next(iter(function.overloads.values())).entry_point


def _compiled(function, *, called_by_python, **options):
    compiled = numba.njit(
        nogil=True,
        fastmath=_FASTMATH,
        error_model="numpy",
        no_cpython_wrapper=not called_by_python,
        no_cfunc_wrapper=True,
        _nrt=False,
        **options,
    )(function)
    compiled._cache = DiskCache(function)
    return compiled
