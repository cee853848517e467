"""The time of a sweep on this machine, measured in a short run."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

from bender_core.account import Account
from bender_core.engine.coupled import coupled, entries_of_updates
from bender_core.engine.engine import Engine
from bender_core.groups import Partition
from bender_core.looking.update import whereabouts
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.units import duration
from bender_core.variants import Variant
from bender_core.variants import variant as variant_of
from bender_core.warming import ready

# The length of such a run: seconds, or sweeps if these are quicker. The first sweep makes the most rows.
SECONDS, SWEEPS = 0.1, 4


class SweepTime(NamedTuple):
    """The time of a sweep, from the first sweeps of a run.

    Attributes
    ----------
    seconds : float
        Processor time; infinite if nothing of a sweep was done.
    sweeps : float
        The number of sweeps measured; a part of one, if that took long enough.
    """

    seconds: float
    sweeps: float

    def __str__(self) -> str:
        """In words, which tell a complete measurement from a partial one."""
        if not self.sweeps:
            return "too long to be measured"
        if self.sweeps >= 1.0:
            return duration(self.seconds)
        return f"about {duration(self.seconds)}, from {max(100 * self.sweeps, 1):.0f} % of a sweep"


def time_sweep(
    mrf: BinaryMRF,
    part: Partition,
    variant: int | Variant = 9,
    schedule: str = "mplp",
    limit: int | Account | None = None,
    stop: Stop = never,
) -> SweepTime:
    """Measure the time of a sweep in a run of its own, which ends after a tenth of a second, or four sweeps.

    Later sweeps of a run are often quicker, as they make fewer rows; where a run stalls, deeper envelopes take longer.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    variant : int or Variant
    schedule : {"mplp", "srmp"}
    limit : int or Account, optional
        The memory limit of the run, as for `Engine`.
    stop : Stop
        Checked about every 50 ms.

    Returns
    -------
    SweepTime

    Raises
    ------
    TooLargeError
        If the run does not fit into memory.
    Stopped
        If ``stop`` says so.
    """
    ready(variant_of(variant).number).wait(stop)
    engine = Engine(mrf, part, variant=variant, schedule=schedule, snapshot_bytes=0, limit=limit, stop=stop)
    begin = time.thread_time()
    engine.run(max_sweeps=SWEEPS, time_limit=SECONDS, on_progress=lambda _: stop())
    stop.check()
    taken, made = time.thread_time() - begin, _sweeps_of(engine)
    return SweepTime(taken / made if made else math.inf, made)


def _sweeps_of(engine: Engine) -> float:
    """The number of sweeps that a run has made, with the share of the last one; a run that has ended has made one."""
    if engine.finished:
        return float(max(engine.sweep, 1))
    at = whereabouts(engine)
    begun = (at.message + at.share) / at.messages if at.messages else 0.0
    # Groups differ in size, and some rules put the large ones first.
    entries = entries_of_updates(coupled(engine.mrf, engine.partition))[engine.arrays.rule.order]
    done = entries[: at.update].sum() + begun * entries[at.update : at.update + 1].sum()
    return float(at.sweep + done / entries.sum())
