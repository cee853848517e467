"""Searches that go wrong, in ways that an external solver may."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from bender_core.model import BinaryMRF
from bender_core.rivals.report import BUILT, PROVEN, READY, Report


def begun(mrf: BinaryMRF) -> Iterator[Report]:
    """The beginning of all of them: a bound, and a labelling."""
    yield Report(status=READY)
    yield Report(status=BUILT)
    yield Report(bound=-1.0)
    yield Report(labeling=np.zeros(mrf.n, np.int64))


def answering(mrf: BinaryMRF, limit: int, answer: Any) -> Iterator[Any]:
    """Give an answer, and then work on."""
    yield from begun(mrf)
    yield answer
    time.sleep(60.0)


def claiming_a_proof_first(_: BinaryMRF, limit: int) -> Iterator[Report]:
    yield Report(status=READY)
    yield Report(bound=0.0, status=PROVEN)


def failing(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    yield from begun(mrf)
    raise ValueError("there is no licence")


def killed(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    yield from begun(mrf)
    os.kill(os.getpid(), signal.SIGKILL)


def leaving(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    yield from begun(mrf)
    os._exit(0)


def ending(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    yield from begun(mrf)


def writing_noise(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    """Write to every stream that is open."""
    yield from begun(mrf)
    for stream in range(1, 64):
        try:
            os.write(stream, b"\x80\x00garbage" * 100)
        except OSError:
            continue
    time.sleep(60.0)


def eating(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    from bender_core.child_process import limit_memory

    limit_memory(limit)
    yield from begun(mrf)
    eaten = []
    while True:
        eaten.append(np.ones(1 << 20))


def hanging(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    yield from begun(mrf)
    time.sleep(3600.0)


def not_starting(_: BinaryMRF, limit: int) -> Iterator[Report]:
    time.sleep(3600.0)
    yield Report(status=READY)


def counting_time(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    """Tell the time, as a bound that rises, for ever."""
    yield Report(status=READY)
    yield Report(status=BUILT)
    while True:
        yield Report(bound=time.monotonic() - 1e9)
        time.sleep(0.002)


def with_a_child(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    """Start another process, and tell its number as a bound."""
    yield Report(status=READY)
    yield Report(status=BUILT)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    yield Report(bound=-float(process.pid))
    time.sleep(3600.0)


def building(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    """Take some time to build a model."""
    yield Report(status=READY)
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    yield Report(status=BUILT)
    yield Report(labeling=np.zeros(mrf.n, np.int64))


# From what a clock is subtracted to make a bound of it that rises and holds.
FAR = 1e6


def telling_its_clock(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    """Work, build a model and search, and tell the least and the most processor time of both, as bounds that rise."""
    before = time.process_time()
    yield Report(status=READY)
    begun = time.process_time()
    work(0.02)
    built = time.process_time()
    yield Report(status=BUILT)
    went_on = time.process_time()
    work(0.12)
    found = time.process_time()
    yield Report(labeling=np.zeros(mrf.n, np.int64))
    end = time.process_time()
    for order, seconds in enumerate((built - begun, went_on - before, found - begun, end - before)):
        yield Report(bound=100.0 * order + seconds - FAR)
    yield Report(status="the end")


def work(seconds: float) -> None:
    """Use the processor for some time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
