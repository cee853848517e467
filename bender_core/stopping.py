"""How long work may go on: a wish to stop, looked at between slices of at most some 50 ms."""

from __future__ import annotations

import time
from collections.abc import Callable


class Stopped(Exception):  # noqa: N818 -- nothing went wrong
    """Work was stopped, on request or because its time was over."""


class Stop:
    """When to stop.

    Parameters
    ----------
    seconds : float, optional
        From now on; without it there is time.
    wanted : callable, optional
        Whether a stop was requested.
    """

    def __init__(self, seconds: float | None = None, wanted: Callable[[], bool | None] | None = None) -> None:
        self.deadline = None if seconds is None else time.perf_counter() + seconds
        self.late = False
        self._wanted = wanted

    def __call__(self) -> bool:
        """Whether to stop now."""
        if self._wanted is not None and self._wanted():
            return True
        self.late = self.deadline is not None and time.perf_counter() >= self.deadline
        return self.late

    @property
    def left(self) -> float | None:
        """Seconds until time is over, never negative; None if there is no end."""
        return None if self.deadline is None else max(self.deadline - time.perf_counter(), 0.0)

    def check(self) -> None:
        """Give up if it is time to stop.

        Raises
        ------
        Stopped
        """
        if self():
            raise Stopped


never = Stop()
