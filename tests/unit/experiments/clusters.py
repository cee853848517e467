"""A Dask cluster as an operator runs it, in processes that are killed; and a network that is slow and fails."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.unit.experiments.plans import ROOT

# Generous: whoever waits so long has failed.
MOST_SECONDS = 60.0
# Less than the half minute for which Dask waits for a run that does not give up.
LEAVING_SECONDS = 25.0


def until(condition: Callable[[], object]) -> None:
    """Wait for a state."""
    deadline = time.monotonic() + MOST_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the state was not reached"
        time.sleep(0.01)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def started(
    script: str, *arguments: str, environment: Mapping[str, str], folder: Path = ROOT
) -> subprocess.Popen[bytes]:
    """A program of Dask, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{script}", *arguments, "--no-dashboard"],
        env=environment,
        cwd=folder,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class Operator:
    """Runs a scheduler that blames a task for one death of its worker, and a worker that its nanny starts again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._environment = os.environ | {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
            "PYTHONPATH": str(ROOT),
        }
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None

    def keep_up(self) -> None:
        """Start what has ended."""
        self.keep_up_scheduler()
        if self._worker is None or self._worker.poll() is not None:
            self._worker = self.worker()

    def keep_up_scheduler(self) -> None:
        if self._scheduler is None or self._scheduler.poll() is not None:
            where = "--host", "127.0.0.1", "--port", str(self.port)
            self._scheduler = started("dask_scheduler", *where, environment=self._environment)

    def worker(self, *options: str, folder: Path = ROOT, **environment: str) -> subprocess.Popen[bytes]:
        """One more worker."""
        arguments = self.address, "--nthreads", "1", "--host", "127.0.0.1", *options
        return started("dask_worker", *arguments, environment=self._environment | environment, folder=folder)

    def kill_scheduler(self) -> None:
        assert self._scheduler is not None
        self._scheduler.kill()
        self._scheduler.wait()

    def worker_ends(self) -> None:
        """Wait until the worker has ended by itself."""
        assert self._worker is not None
        self._worker.wait(LEAVING_SECONDS)

    def end(self) -> None:
        for process in (self._worker, self._scheduler):
            if process is not None:
                kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and those that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Gate:
    """A model that is read from a pipe with a name: whoever loads it waits until it is let through."""

    def __init__(self, path: Path, model: str) -> None:
        self.path, self._model = path, model
        self._end: int | None = None
        os.mkfifo(path)

    def wait(self) -> None:
        """Wait for somebody who loads the model, and goes on waiting for it."""

        def is_read() -> bool:
            with contextlib.suppress(OSError):  # nobody has opened the other end
                self._end = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            return self._end is not None

        until(is_read)

    def let_through(self) -> None:
        """Let somebody who loads the model have it."""
        self._write(self._model)

    def kill(self) -> None:
        """Kill somebody who loads the model."""
        self.wait()
        until(lambda: holders(self.path))
        (victim,) = holders(self.path)
        os.kill(victim, signal.SIGKILL)
        until(lambda: not holders(self.path))
        self._write("")

    def _write(self, text: str) -> None:
        if self._end is None:
            self.wait()
        assert self._end is not None
        with os.fdopen(self._end, "w") as pipe:
            pipe.write(text)
        self._end = None


def holders(path: Path) -> list[int]:
    """The other processes that have a file open."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if any(link.readlink() == path for link in (entry / "fd").iterdir()):
                    found.append(int(entry.name))
    return found


class Network:
    """A slow way to a port: what is sent arrives later, and connections can be reset."""

    DELAY = 0.02

    def __init__(self, port: int) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self._port = port
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near = self._server.accept()[0]
                try:
                    far = socket.create_connection(("127.0.0.1", self._port))
                except OSError:
                    near.close()
                    continue
                self._pairs.append((near, far))
                threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        """Carry both directions until one end closes."""
        other = {near: far, far: near}
        with contextlib.suppress(OSError, ValueError), near, far:
            while True:
                for source in select.select([near, far], [], [])[0]:
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    time.sleep(self.DELAY)  # this is the slowness, not a wait for a state
                    other[source].sendall(data)

    def reset(self) -> None:
        """Reset all connections."""
        for pair in self._pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    # Closing at once, without a farewell.
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    end.shutdown(socket.SHUT_RDWR)
        self._pairs.clear()

    def close(self) -> None:
        self.reset()
        self._server.close()
