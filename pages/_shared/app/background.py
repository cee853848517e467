"""Work that goes on while its page is looked at."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pages._shared.app.visits import presence

# Most work is over before anybody could read a progress line.
PATIENCE_SECONDS = 0.2
# How often work asks whether the tab it is done for is still open.
LOOK_SECONDS = 2.0


class Stop(threading.Event):
    """Set when work is asked to stop, or once nobody is waiting for it.

    Parameters
    ----------
    present : callable
        Whether somebody is waiting; asked by `is_set`, every `LOOK_SECONDS` at most.
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
    """One piece of work at a time, in a thread of its own. It calls nothing of Streamlit.

    Attributes
    ----------
    thread : Thread or None
        Of the piece begun last.
    """

    thread: threading.Thread | None = field(default=None, init=False)
    _stopped: threading.Event = field(default_factory=threading.Event, init=False)

    @property
    def alive(self) -> bool:
        """Whether the thread is at work, also if it was asked to stop."""
        return self.thread is not None and self.thread.is_alive()

    @property
    def busy(self) -> bool:
        """Whether the thread is at work and was not asked to stop."""
        return self.alive and not self._stopped.is_set()

    def begin(self, work: Callable[[threading.Event], None]) -> None:
        """Give up what is going on for this, and wait for it a little.

        Parameters
        ----------
        work : callable
            Is to end, and to change nothing more, once the event it is given is set.
        """
        self._stopped.set()
        self._stopped = self._stop_event()
        self.thread = threading.Thread(target=work, args=(self._stopped,), daemon=True)
        self.thread.start()
        self.thread.join(PATIENCE_SECONDS)

    def stop(self, wait: float | None = 0.0) -> None:
        """Leave it at what is done, and wait at most ``wait`` seconds for the end; without a limit if None."""
        self._stopped.set()
        if self.thread is not None:
            self.thread.join(wait)

    def _stop_event(self) -> threading.Event:
        return threading.Event()


class Personal(Background):
    """Work for one person: it stops when the tab that it was begun in is closed."""

    def _stop_event(self) -> threading.Event:
        return Stop(presence())
