"""When garbage is collected. Streamlit does so after every run of a script: with many sessions, most of the time.

That is turned off in ``.streamlit/config.toml``.
"""

from __future__ import annotations

import gc
import time

# The part of the time that collecting may take.
SHARE = 0.05


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
    """Collect everything, and exempt the rest from later collections: Numba keeps hundreds of thousands of objects."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
