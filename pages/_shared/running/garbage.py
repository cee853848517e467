"""When garbage is collected, and how memory is given back.

Streamlit collects after every run of a script: with many sessions, most of the time. That is turned off in
``.streamlit/config.toml``.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import time

# The part of the time that collecting may take.
SHARE = 0.05
# Of glibc's <malloc.h>: the option of `mallopt`, and the number of arenas.
_ARENA_MAX, ARENAS = -8, 2


class Collector:
    """Collects garbage as often as a small share of the time allows."""

    def __init__(self) -> None:
        self._next = 0.0  # when it may collect again, seconds of the clock

    def collect(self) -> None:
        """Collect, or leave it for later."""
        begun = time.monotonic()
        if begun >= self._next:
            gc.collect()
            ended = time.monotonic()
            self._next = ended + (ended - begun) / SHARE


collect_seldom = Collector().collect


def set_aside() -> None:
    """Collect everything, give back what is free, and exempt the rest from later collections.

    Numba keeps hundreds of thousands of objects.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _glibc("malloc_trim", 0)


def allocate_together() -> None:
    """Let all threads allocate in the same few arenas of the C library.

    It would have eight for each core. Every session has threads of its own; when a class has left, pieces still
    in use of what all sessions share keep every arena from being given back.
    """
    _glibc("mallopt", _ARENA_MAX, ARENAS)


def _glibc(name: str, *values: int) -> None:
    """Call a function that no other C library has; without it memory is only given back later."""
    function = getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
    if function is not None:
        function(*values)
