"""Stop requests, Ctrl-C among them, and time limits, checked between slices of work of at most about 50 ms."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from numbers import Real
from types import FrameType, TracebackType

INTERRUPTED = 130  # the exit code that a shell expects after SIGINT


class Stopped(Exception):  # noqa: N818 -- nothing went wrong
    """Work was stopped, on request or because its time was over."""


class Stop:
    """When to stop.

    Parameters
    ----------
    seconds : float, optional
        The time limit from now on; none by default.
    requested : callable, optional
        Whether a stop was requested.

    Raises
    ------
    ValueError
        If the time limit is not a number.
    """

    def __init__(self, seconds: float | None = None, requested: Callable[[], bool | None] | None = None) -> None:
        self.deadline = None if seconds is None else time.perf_counter() + _number(seconds)
        self.late = False
        self._requested = requested

    def __call__(self) -> bool:
        """Whether to stop now."""
        if self._requested is not None and self._requested():
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


def _number(seconds: object) -> float:
    if not isinstance(seconds, Real) or math.isnan(seconds):
        raise ValueError(f"the time limit is {seconds!r}; it must be a number of seconds")
    return float(seconds)


never = Stop()


class Interrupt:
    """A context in which Ctrl-C is a stop request: the first SIGINT is noted, the second raises KeyboardInterrupt.

    Attributes
    ----------
    requested : bool
        Whether there was a SIGINT.
    """

    def __init__(self) -> None:
        self.requested = False

    def __enter__(self) -> Interrupt:
        # Only the main thread receives signals.
        self._noticed = threading.current_thread() is threading.main_thread()
        if self._noticed:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._noticed:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
