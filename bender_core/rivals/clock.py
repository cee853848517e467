"""The processor time of processes, which is what an external solver is charged.

The wall clock would add what else the machine does, and how late a busy parent, whose threads share one lock, gets to
look at it and to stop a process. Processor time stands still while a process is held, and is as precise afterwards. Of
a solver with several threads it is the sum over them, as in this program, which computes in one. The system keeps it to
the nanosecond; what it lists of a process in text has ticks of 10 ms.
"""

from __future__ import annotations

import os
import time
from pathlib import Path


def processor_seconds(process: int) -> float | None:
    """The processor time of a process, with that of the processes which it has started and not yet waited for.

    Parameters
    ----------
    process : int
        Its number.

    Returns
    -------
    float or None
        None where the system cannot say, or the process is gone.
    """
    try:
        # The number of the clock of a process, as glibc's `clock_getcpuclockid` makes it for Linux.
        own = time.clock_gettime(~process << 3 | 2)
        started = [file.read_text().split() for file in Path(f"/proc/{process}/task").glob("*/children")]
    except (AttributeError, OSError, OverflowError):
        return None
    if not started:
        return None  # a kernel that does not list them
    return own + sum(processor_seconds(int(one)) or 0.0 for ones in started for one in ones)


def own_seconds() -> float | None:
    """The processor time of this process and of all processes that it has started."""
    living = processor_seconds(os.getpid())
    if living is None:
        return None
    import resource  # not on every system

    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return living + ended.ru_utime + ended.ru_stime
