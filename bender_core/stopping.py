"""Stop requests and time limits, checked between slices of work of at most about 50 ms."""

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
        The time limit from now on; none by default.
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
        """Seconds until the time limit, never negative; None without one."""
        return None if self.deadline is None else max(self.deadline - time.perf_counter(), 0.0)

    def check(self) -> None:
        """Raise `Stopped` if it is time to stop.

        Raises
        ------
        Stopped
        """
        if self():
            raise Stopped


never = Stop()
