"""The app, served on a free port for as long as a test wants it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
START_SECONDS = 60


class Served(NamedTuple):
    """A server that runs the app: its address, and the number of its process."""

    url: str
    pid: int


@contextmanager
def serve(log: Path) -> Iterator[str]:
    """Start the app and yield its address."""
    with process(log) as served:
        yield served.url


@contextmanager
def process(log: Path, *options: str, below: str = "") -> Iterator[Served]:
    """Start the app, with options of Streamlit, to look at its process too; ``below`` a path."""
    port = free_port()
    url = f"http://127.0.0.1:{port}{below}"
    where = ["--server.address", "127.0.0.1", "--server.port", str(port), "--server.baseUrlPath", below]
    with running([sys.executable, "-m", "streamlit", "run", "app.py", *where, *options], ROOT, log, url) as served:
        yield served


@contextmanager
def running(command: list[str], folder: Path, log: Path, url: str) -> Iterator[Served]:
    """Run a command that serves the app at an address, in a folder."""
    with log.open("w") as output:
        server = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait_until_healthy(f"{url}/_stcore/health", server)
        yield Served(url, server.pid)
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def free_port() -> int:
    """A port that nothing listens to."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)  # nothing to listen to yet: only polling tells
    pytest.fail(f"the app did not start (exit code {server.poll()})", pytrace=False)
