"""Ctrl-C as a wish: work ends at its next look, with what it has; pressed again, at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

INTERRUPTED = 130  # what a shell expects of a process that SIGINT has ended


class Interrupt:
    """While it is entered, the first SIGINT is remembered, and the second raises KeyboardInterrupt.

    Attributes
    ----------
    wanted : bool
        Whether there was a SIGINT.
    """

    def __init__(self) -> None:
        self.wanted = False

    def __enter__(self) -> Interrupt:
        # Signals reach the main thread only.
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
