"""The memory of runs, proofs and trials: charged, and measured as peak resident memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import bender_core as bc
from benchmarks.common import Options, table
from bender_core import looking
from bender_core.resources import SAMPLES
from bender_core.stopping import Stop, Stopped
from bender_core.synth import Value, generate, ising_grid

# Seconds of wall clock for a run, and again for looking at it.
LIMIT = 3.0
# The most states of a group that are inspected.
LOOKED_AT = 1024
# Memory limits of a run in megabytes: the app's default, and a small one.
LIMITS = (1024, 256)
# The aim: the highest peak, in limits.
AIM_PEAK = 1.1
CLEAR, STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


class Case(NamedTuple):
    """A run to measure."""

    model: str  # the name of a file, or of a family
    values: dict[str, Value]  # the family's parameters
    max_size: int
    variant: int
    schedule: str

    def load(self, instances: Path) -> bc.BinaryMRF | None:
        """The model; None if its file is missing."""
        if self.values:
            return generate(self.model, **self.values)
        path = next((path for path in (SAMPLES / self.model, instances / self.model) if path.is_file()), None)
        return None if path is None else bc.load(path)


class Taken(NamedTuple):
    """Bytes."""

    used: int  # charged to the account in the end
    peak: int  # of resident memory, above what the process took before
    looking: int  # the same after the certificate and the tightness of all messages


CASES = (
    Case("tree.mrf.json", {}, 12, 9, "mplp"),
    Case("karate.mrf.json", {}, 16, 4, "srmp"),
    Case("pose.mrf.json", {}, 16, 9, "mplp"),
    Case("pose.mrf.json", {}, 12, 12, "srmp"),
    Case("torus-10x10.mrf.json", {}, 20, 9, "mplp"),
    Case("UAI14PR_DBN_11.uai", {}, 12, 9, "mplp"),
    Case("UAI14PR_DBN_11.uai", {}, 20, 4, "srmp"),
    Case("UAI14PR_DBN_11.uai", {}, 16, 5, "mplp"),
    Case("UAI14PR_Grids_11.uai", {}, 16, 9, "srmp"),
    Case("UAI14PR_Segmentation_11.uai", {}, 18, 9, "mplp"),
    Case("toulbar2_haplotype.qpbo", {}, 16, 12, "mplp"),
    Case("toulbar2_haplotype.qpbo", {}, 8, 9, "srmp"),
    Case("gka2b.sparse", {}, 10, 9, "mplp"),
    Case("gka2b.sparse", {}, 15, 4, "mplp"),
    Case("pm1s_80.0.rud", {}, 16, 9, "mplp"),
    Case("pm1s_80.0.rud", {}, 20, 12, "srmp"),
    Case("bqp50-1.sparse", {}, 20, 11, "mplp"),
    Case("t2g10_5555.rud", {}, 8, 4, "srmp"),
    Case("3r3x_2body_n64_s1.qh", {}, 12, 5, "srmp"),
    Case("dwig_ran1_i_4.json", {}, 20, 4, "mplp"),
    Case("sherrington_kirkpatrick", {"n": 60, "seed": 2}, 12, 9, "mplp"),
    Case("sherrington_kirkpatrick", {"n": 40, "seed": 2}, 20, 9, "srmp"),
    Case("restricted_boltzmann", {"hidden": 24, "seed": 2}, 16, 4, "mplp"),
    Case("ising_grid", {"rows": 40, "columns": 40, "seed": 2}, 12, 9, "mplp"),
    Case("ising_grid", {"rows": 60, "columns": 60, "coupling": "gaussian", "seed": 2}, 4, 11, "srmp"),
    Case("random_tree", {"n": 2000, "seed": 2}, 20, 12, "mplp"),
    Case("random_regular", {"n": 1000, "degree": 4, "seed": 2}, 14, 9, "mplp"),
    Case("chimera", {"rows": 8, "columns": 8, "seed": 2}, 16, 5, "srmp"),
    Case("image_segmentation", {"columns": 64}, 18, 9, "mplp"),
    Case("body_pose", {"candidates": 24, "people": 4, "seed": 2}, 14, 9, "srmp"),
)


def _fork_twice(mrf: bc.BinaryMRF, part: bc.Partition, seconds: float) -> None:
    engine = bc.Engine(mrf, part)
    engine.run(time_limit=seconds)
    fork = engine.fork(schedule="srmp")
    fork.run(time_limit=seconds)
    fork.fork(variant=12).run(time_limit=seconds)


def _look_for_help(mrf: bc.BinaryMRF, part: bc.Partition, seconds: float) -> None:
    engine = bc.Engine(mrf, part)
    engine.run(time_limit=seconds)
    bc.what_would_help(engine, stop=Stop(10 * seconds))


def _pursue(mrf: bc.BinaryMRF, part: bc.Partition, seconds: float) -> None:
    bc.pursuit(mrf, part.largest, stop=Stop(10 * seconds))


# What makes runs, one or many, on one account or several; each has ten times as long as a run above.
MAKING: dict[str, Callable[[bc.BinaryMRF, bc.Partition, float], object]] = {
    "solve with a partition": lambda mrf, part, seconds: bc.solve(mrf, part, time_limit=10 * seconds),
    "a proof": lambda mrf, part, seconds: bc.certify(mrf, stop=Stop(10 * seconds)),
    "forks of forks": _fork_twice,
    "what would help": _look_for_help,
    "pursuit": _pursue,
}


def run(options: Options) -> None:
    """Print one line per run, and how close the worst come to their limits; the same for what makes runs."""
    if not CLEAR.exists():
        print(f"Left out: the peak of resident memory is read in {CLEAR.parent}, which this system does not have.\n")
        return
    seconds = options.seconds(LIMIT)
    _compare_runs(options, seconds)
    limit = LIMITS[-1]
    print(f"The peak of what makes runs, on a 40×40 grid with M = 8 and a limit of {limit} MB.\n")
    row = table({"work": -24, "peak": 8, "peak/limit": 10})
    for name in MAKING:
        with ProcessPoolExecutor(1, get_context("spawn")) as alone:
            peak = alone.submit(_peak_of, name, limit, seconds).result()
        row(name, f"{peak / 2**20:.1f}", f"{peak / (limit << 20):.3f}")
    print()


def _peak_of(name: str, limit: int, seconds: float) -> int:
    """The peak of resident memory above what the process took before, bytes."""
    os.environ["BENDER_MEMORY_MB"] = str(limit)
    bc.warm_up()
    mrf = ising_grid(40, 40, coupling="gaussian", seed=2)
    mrf = replace(mrf, pairwise=3.0 * mrf.pairwise)
    part = bc.partition(mrf, 8, "greedy")
    CLEAR.write_text("5")
    before = _resident("VmRSS")
    with suppress(Stopped, bc.TooLargeError):
        MAKING[name](mrf, part, seconds)
    return _resident("VmHWM") - before


def _compare_runs(options: Options, seconds: float) -> None:
    """One line per run: charged and measured."""
    print(
        f"Megabytes; runs of {seconds:g} s, each in a process of its own. The peak is that of resident memory, above\n"
        "what the process took with the model loaded and everything compiled; looking is the same after the\n"
        f"certificate and the tightness of all messages, on {LOOKED_AT} states of a group at most.\n"
    )
    row = table(
        {"model": -27, "M": 3, "variant": 7, "schedule": -8, "limit": 6, "used": 8, "peak": 8}
        | {"looking": 8, "peak/limit": 10}
    )
    peaks = []
    for case, limit in product(CASES, LIMITS):
        taken = _in_a_new_process(case, options.instances, limit << 20, seconds)
        if taken is None:
            continue
        peaks.append(max(taken.peak, taken.looking) / (limit << 20))
        shown = (f"{count / 2**20:.1f}" for count in taken)
        row(case.model, *case[2:], limit, *shown, f"{peaks[-1]:.3f}")
    print(
        f"\n{len(peaks)} runs (those left out do not fit, or their file is missing). The highest peak is "
        f"{max(peaks):.3f} limits (aim {AIM_PEAK:g}).\n"
    )


def _in_a_new_process(case: Case, instances: Path, limit: int, seconds: float) -> Taken | None:
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        return alone.submit(_measured, case, instances, limit, seconds).result()


def _measured(case: Case, instances: Path, limit: int, seconds: float) -> Taken | None:
    """The memory of a run; None if it does not fit or its file is missing."""
    bc.warm_up()
    mrf = case.load(instances)
    if mrf is None:
        return None
    part = bc.partition(mrf, case.max_size)
    CLEAR.write_text("5")
    before = _resident("VmRSS")
    try:
        engine = bc.Engine(mrf, part, variant=case.variant, schedule=case.schedule, limit=limit)
    except bc.TooLargeError:
        return None
    engine.run(time_limit=seconds)
    used, peak = engine.account.used, _resident("VmHWM") - before
    try:
        stop = Stop(seconds)
        looking.certified_bound(engine, stop)
        looking.tightness(engine, LOOKED_AT, stop)
    except (Stopped, bc.TooLargeError):
        pass
    return Taken(used, peak, _resident("VmHWM") - before)


def _resident(name: str) -> int:
    """Bytes of resident memory: now (VmRSS), or at its peak since it was cleared (VmHWM)."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) << 10
