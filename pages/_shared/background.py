"""Work that goes on while its page is looked at."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

# Most work is over before anybody could read a progress line.
PATIENCE_SECONDS = 0.3


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
    def busy(self) -> bool:
        """Whether work is being done, as far as people care: what was told to stop ends by itself."""
        return self.thread is not None and self.thread.is_alive() and not self._stopped.is_set()

    def begin(self, work: Callable[[threading.Event], None]) -> None:
        """Give up what is going on for this, and wait for it a little.

        Parameters
        ----------
        work : callable
            Is to end, and to change nothing more, once the event it is given is set.
        """
        self._stopped.set()
        self._stopped = threading.Event()
        self.thread = threading.Thread(target=work, args=(self._stopped,), daemon=True)
        self.thread.start()
        self.thread.join(PATIENCE_SECONDS)

    def stop(self, wait: float = 0.0) -> None:
        """Leave it at what is done, and wait so many seconds for the end."""
        self._stopped.set()
        if self.thread is not None:
            self.thread.join(wait)
