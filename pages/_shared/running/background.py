"""Work in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import bender_core as bc
from pages._shared.running.visits import presence

# Most work ends before anybody could read a progress line.
PATIENCE_SECONDS = 0.2
# How often work checks that its tab is still open.
LOOK_SECONDS = 2.0
# How often a thread that waits for something that another one has looks whether to stop.
WAIT_SECONDS = 0.02


class Stop(threading.Event):
    """Set when a stop is requested, or when the tab is closed.

    Parameters
    ----------
    present : callable
        Whether the tab is open; called by `is_set`, every `LOOK_SECONDS` at most.
    """

    def __init__(self, present: Callable[[], bool]) -> None:
        super().__init__()
        self._present = present
        self._look = time.monotonic() + LOOK_SECONDS

    def is_set(self) -> bool:
        if not super().is_set() and time.monotonic() >= self._look:
            self._look = time.monotonic() + LOOK_SECONDS
            if not self._present():
                self.set()
        return super().is_set()


@dataclass(eq=False)
class Background:
    """One piece of work at a time, in a separate thread. It makes no calls to Streamlit.

    Attributes
    ----------
    thread : Thread or None
        The thread of the latest piece.
    """

    thread: threading.Thread | None = field(default=None, init=False)
    _stopped: threading.Event = field(default_factory=threading.Event, init=False)

    @property
    def alive(self) -> bool:
        """Whether the thread is running, even after a stop request."""
        return self.thread is not None and self.thread.is_alive()

    @property
    def busy(self) -> bool:
        """Whether the thread is running, without a stop request."""
        return self.alive and not self._stopped.is_set()

    def begin(self, work: Callable[[threading.Event], None], waits: bool = True) -> None:
        """Stop the present work and begin this.

        Parameters
        ----------
        work : callable
            Must end, and change nothing more, once the given event is set.
        waits : bool
            Whether to wait briefly for its end.
        """
        self._stopped.set()
        # A local variable, as a reloaded page may begin work of its own before its last script has ended.
        stopped = self._stopped = self._stop_event()
        thread = threading.Thread(target=work, args=(stopped,), daemon=True)
        thread.start()
        self.thread = thread
        if waits:
            self.wait()

    def wait(self) -> None:
        """Wait briefly for the end of the work."""
        if self.thread is not None:
            self.thread.join(PATIENCE_SECONDS)

    def stop(self, wait: float | None = 0.0) -> None:
        """Stop the work, and wait at most ``wait`` seconds for its end; without a limit if None."""
        self._stopped.set()
        if self.thread is not None:
            self.thread.join(wait)

    def _stop_event(self) -> threading.Event:
        return threading.Event()


class Personal(Background):
    """Work for one session: it stops when its tab is closed."""

    def _stop_event(self) -> threading.Event:
        return Stop(presence())


@dataclass(eq=False)
class Exclusive(Personal):
    """Work with something that one thread at a time may use: all work takes it, and lends it to other work."""

    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)
    _borrowers: set[int] = field(default_factory=set, init=False)  # the threads that wait to be lent it

    @contextmanager
    def taken(self, stop: bc.Stop) -> Iterator[None]:
        """Have it for this thread alone.

        Raises
        ------
        Stopped
            If ``stop`` says so while another thread has it.
        """
        while not self._lock.acquire(timeout=WAIT_SECONDS):
            stop.check()
        try:
            yield
        finally:
            self._lock.release()

    @property
    def is_needed(self) -> bool:
        """Whether other work waits for it: what nobody waits for makes way."""
        return bool(self._borrowers)

    @contextmanager
    def lent(self, stop: bc.Stop) -> Iterator[None]:
        """Have it for other work, once this work needs it no more; what this work begins meanwhile waits.

        Raises
        ------
        Stopped
            If ``stop`` says so first.
        """
        borrower = threading.get_ident()
        self._borrowers.add(borrower)
        try:
            with self.taken(stop):
                self._borrowers.discard(borrower)
                yield
        finally:
            self._borrowers.discard(borrower)
