"""Ctrl-C as a stop request: work ends at its next check, with its result so far; a second Ctrl-C ends it at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

INTERRUPTED = 130  # the exit code that a shell expects after SIGINT


class Interrupt:
    """A context in which the first SIGINT is noted, and the second raises KeyboardInterrupt.

    Attributes
    ----------
    wanted : bool
        Whether there was a SIGINT.
    """

    def __init__(self) -> None:
        self.wanted = False

    def __enter__(self) -> Interrupt:
        # Only the main thread receives signals.
        self._heard = threading.current_thread() is threading.main_thread()
        if self._heard:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._heard:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.wanted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
