"""A generator that runs in a separate process, so that it can be killed at any moment.

Compiled code such as HiGHS ignores signals while it works, and does not always respect its time limit; a process can
be killed, and its memory limited. It is spawned, never forked: the parent may be a server with many threads.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from bender_core.resources import environment

T = TypeVar("T")

_COMMAND = [sys.executable, "-P", "-c", "from bender_core.child_process import serve; serve()"]

# Reads until its parent has ended, and then ends a group of processes.
_GUARD = ["sh", "-c", 'read _; kill -9 "-$0"']
# Seconds until a process that sends nothing more should have ended.
PATIENCE = 1.0


class Child(Generic[T]):
    """A process that runs a generator and sends back what it yields. It ends with its context, and with its parent.

    While it is held, it cannot see that its parent has ended: then a guard sees that, and ends it.

    Parameters
    ----------
    generator : callable
        A function that a fresh interpreter can import; returns an iterator.
    *arguments
        Its arguments; pickled, as are the values it yields.
    rests : bool
        Whether it is held as soon as it has sent its first value, until `go_on`.

    Attributes
    ----------
    ended : bool
        Whether everything that the process sent has been received, and it sends no more.
    """

    def __init__(self, generator: Callable[..., Iterator[T]], *arguments: Any, rests: bool = False) -> None:
        self.ended, self._rests = False, rests
        self._guard: subprocess.Popen[bytes] | None = None
        self._received: SimpleQueue[list[T]] = SimpleQueue()
        self._job = generator, arguments

    def __enter__(self) -> Self:
        # Threads share one arena: otherwise each reserves addresses, which count against the memory limit.
        settings = environment() | {"MALLOC_ARENA_MAX": "1"}
        # In a separate session, Ctrl-C reaches only the parent, which then ends the child.
        self._process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=settings, start_new_session=True
        )
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._send, self._receive)]
        try:
            if self._rests:
                self._guarded()  # now, as it goes on meanwhile
            for thread in self._threads:
                thread.start()
        except (OSError, RuntimeError):  # no room for another process, or for the stack of a thread
            self._process.kill()
            self._process.wait()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._signal("SIGKILL")
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        # Last, as the thread that receives may have begun to hold it.
        if self._guard is not None:
            self._guard.kill()
            self._guard.communicate()
        for pipe in (self._process.stdin, self._process.stdout):
            # Values not yet sent are dropped on purpose.
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def hold(self) -> None:
        """Let it rest, with the processes that it has started; on a system that cannot do this, it goes on."""
        self._guarded()
        self._signal("SIGSTOP")

    def _guarded(self) -> None:
        """Start its guard, where it can be held."""
        if self._guard is None and hasattr(os, "killpg"):
            end = [*_GUARD, str(self._process.pid)]
            self._guard = subprocess.Popen(end, stdin=subprocess.PIPE, start_new_session=True)

    def go_on(self) -> None:
        """End its rest."""
        self._signal("SIGCONT")

    def _signal(self, name: str) -> None:
        """Send a signal to its process and to those that it has started, where there are such signals."""
        if hasattr(signal, name) and hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, getattr(signal, name))

    @property
    def runs(self) -> bool:
        """Whether its process has not ended, though it may be held."""
        return self._process.poll() is None

    @property
    def number(self) -> int:
        """That of its process."""
        return self._process.pid

    def failure(self) -> str:
        """Why its process sends nothing more, once it has ended."""
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return "its process sends nothing that can be read"
        return f"its process was ended by {signal.Signals(-code).name}" if code < 0 else "its process gave no result"

    def receive(self, timeout: float) -> list[T]:
        """The next value of the generator in a list; an empty list if there is none within `timeout` seconds."""
        try:
            values = self._received.get(timeout=timeout)
        except Empty:
            return []
        self.ended = not values
        return values

    def _send(self) -> None:
        # The pipe stays open: the child exits when it closes.
        with contextlib.suppress(OSError):
            pickle.dump(self._job, self._process.stdin)  # type: ignore[arg-type]
            self._process.stdin.flush()  # type: ignore[union-attr]

    def _receive(self) -> None:
        # A killed child may leave an incomplete value, and a library may write something else.
        with contextlib.suppress(Exception):
            while True:
                values = [pickle.load(self._process.stdout)]  # type: ignore[arg-type]
                if self._rests:
                    self._rests = False
                    self.hold()
                self._received.put(values)
        self._received.put([])


def serve() -> None:
    """The child's main function: run the generator received on standard input."""
    answers = os.fdopen(os.dup(1), "wb")
    # Other output must not mix with the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    generator, arguments = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for value in generator(*arguments):
        pickle.dump(value, answers)
        answers.flush()


def _end_with_parent() -> None:
    """End this process when the other end of standard input is closed, for any reason."""
    while os.read(0, 1 << 16):
        pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)  # and those that it has started
    os._exit(1)


def limit_memory(more: int, process: int = 0) -> None:
    """Limit a process to ``more`` bytes beyond its present use; does nothing if the system has no such limit.

    Parameters
    ----------
    more : int
    process : int
        Its number; 0 is this one.
    """
    status = Path(f"/proc/{process or 'self'}/statm")
    if not status.exists():
        return
    import resource  # not on every system

    taken = int(status.read_text().split()[0]) * resource.getpagesize()
    limits = resource.prlimit(process, resource.RLIMIT_AS)
    known = [limit for limit in limits if limit != resource.RLIM_INFINITY]
    resource.prlimit(process, resource.RLIMIT_AS, (min([taken + more, *known]), limits[1]))
