"""The decorators of all compiled code: no GIL, strict floating point, a disk cache that cannot go stale.

Kernels neither allocate nor return arrays: there are no reference counts.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core import config

from bender_core.kernels._cache import DiskCache
from bender_core.kernels._linking import EntryCompiler, PartCompiler


class _Flags(set[str]):
    """Flags in alphabetical order: their text is part of the names of machine code, which processes share."""

    def __str__(self) -> str:
        return str(sorted(self))


# Sums are never re-associated (replay and the interpreter must agree to the last bit); without NaN and
# signed zeros in play, minima and maxima still vectorise.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "fastmath": _Flags({"nnan", "nsz"}),
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


def entry(function):
    """Compile a function by itself, on its first call, and keep the code on disk: Python and kernels call it."""
    # Otherwise it would be as its first caller is.
    return _kept(function, by_name=True, forceinline=False)


def small(function):
    """As `entry`, for one so short that a call would count: kernels that call it include it."""
    return _kept(function, by_name=False, forceinline=True)


def inner(function):
    """Make a function part of the entries that call it: only kernels can."""
    return numba.njit(**_OPTIONS, forceinline=True, no_cpython_wrapper=True, pipeline_class=PartCompiler)(function)


def inlined(function):
    """As `inner`, before types are known: for one that returns arrays, or is a phase of a long one."""
    return numba.njit(inline="always")(function)


def typed(function: Any, *arguments: Any) -> Any:
    """What an entry was compiled to for the types of these arguments; later calls take the types for granted.

    An entry has one signature. To find out the types of a `Run` at every call takes ten times as long as to hand it
    over, and to find them out for every run as long as a sweep of a small one.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    if not function.overloads:
        function.compile(tuple(map(function.typeof_pyval, arguments)))
    return next(iter(function.overloads.values())).entry_point


def _kept(function, *, by_name, **options):
    compiled = numba.njit(**_OPTIONS, pipeline_class=EntryCompiler, **options)(function)
    if not config.DISABLE_JIT:
        compiled._cache = DiskCache(compiled, by_name)
    return compiled
