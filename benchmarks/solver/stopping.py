"""The delay between a stop request or time limit and the end of work: p95 and worst of many trials, by phase.

Every trial stops after a random fraction of the phase's time (or of some seconds, if it takes longer): by a `Stop` or a
time limit in the library, by Ctrl-C or ``--time-limit`` on the command line, until the process ends, and in the app
like its Stop buttons, without a browser. Times are wall-clock, since users wait for them; they assume an idle machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import bender_core as bc
from benchmarks.common import POSE, Options, table
from bender_core import looking, synth

TRIALS = 20
AIM = 0.5
# Seconds; work that takes longer is stopped within this time.
LONGEST = 1.0
# A process must first import the library and choose a partition.
LONGEST_PROCESS = 4.0
ROOM = 4 << 30
ROOT = Path(__file__).parents[2]

Work = Callable[[bc.Stop], object]
# Maps the seconds until the stop to the seconds from the stop to the end.
Trial = Callable[[float], float]
# By name, with the latest time of a stop in seconds.
Phases = dict[str, tuple[Trial, float]]


def run(options: Options) -> None:
    """Print p95 and worst delay of every phase."""
    row = table({"where": -13, "phase": -56, "p95": 9, "worst": 9})
    worst = 0.0
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        places: dict[str, Callable[[], Phases]]
        places = {"library": library, "command line": partial(command_line, Path(folder)), "app": app}
        for place, phases in places.items():
            for name, (trial, longest) in phases().items():
                late = np.array([max(trial(rng.uniform(0.0, longest)), 0.0) for _ in range(TRIALS)])
                worst = max(worst, late.max())
                row(place, name, f"{1e3 * np.quantile(late, 0.95):.0f} ms", f"{1e3 * late.max():.0f} ms")
    print(f"\nworst {1e3 * worst:.0f} ms  (aim ≤ {1e3 * AIM:.0f} ms)\n")


# -- library --------------------------------------------------------------------------------------------------


def library() -> Phases:
    """The work that a `Stop` can end, with its seconds."""
    works = _works()
    return {name: (partial(_stopped, work), _takes(work)) for name, work in works.items()}


def _works() -> dict[str, Work]:
    """Work that runs until it is done or stopped."""
    pose, glass = bc.load(POSE), synth.generate("sherrington_kirkpatrick", n=60)
    grid, large = synth.generate("ising_grid", rows=20, columns=20), large_model()
    parts = {
        "pose 16": (pose, bc.partition(pose, 16)),
        "glass 20": (glass, bc.partition(glass, 20, "greedy")),
        "grid 20": (grid, bc.partition(grid, 20, "layers")),
        "large 4": (large, bc.partition(large, 4, "greedy")),
    }

    def engine(name: str, variant: int, schedule: str = "mplp") -> bc.Engine:
        return bc.Engine(*parts[name], variant=variant, schedule=schedule, limit=ROOM, snapshot_bytes=0)

    def going(engine: bc.Engine) -> Work:
        return lambda stop: engine.run(on_progress=lambda _: stop())

    def stepping(engine: bc.Engine, grain: bc.Grain) -> Work:
        return lambda stop: engine.step(grain, on_progress=lambda _: stop())

    seen = engine("pose 16", 9)
    seen.run(max_sweeps=2)
    p, q = seen.graph.edges[0].tolist()
    back = engine("glass 20", 9)
    back.run(time_limit=3.0)

    def to_and_fro(stop: bc.Stop) -> None:
        back.seek(0)
        back.seek(len(back.trace), on_progress=lambda _: stop())

    return {
        "partitioning 20 000 variables: refined": lambda stop: bc.partition(large, 8, "refined", stop=stop),
        "partitioning 20 000 variables: layers": lambda stop: bc.partition(large, 8, "layers", stop=stop),
        "partitioning 20 000 variables: community": lambda stop: bc.partition(large, 8, "community", stop=stop),
        "trying partitions (auto): pose, M = 12": lambda stop: bc.partition(pose, 12, "auto", stop=stop),
        "time of a sweep: glass, M = 20": lambda stop: bc.time_sweep(*parts["glass 20"], stop=stop),
        "making tables: 20 000 variables": lambda stop: bc.Engine(*parts["large 4"], variant=9, limit=ROOM, stop=stop),
        "making tables: pose, M = 16": lambda stop: bc.Engine(*parts["pose 16"], variant=9, limit=ROOM, stop=stop),
        "making tables, first rows: glass of 60, M = 20": lambda stop: bc.Engine(
            *parts["glass 20"], variant=5, limit=ROOM, stop=stop
        ),
        "small tables that lie scattered: 20 000 variables": going(engine("large 4", 9)),
        "a row of variant 11: pose, M = 16": stepping(engine("pose 16", 11), "row"),
        "rows with Magnanti-Wong cuts (5): glass, M = 20": going(engine("glass 20", 5)),
        "recycled rows (9, srmp): glass, M = 20": going(engine("glass 20", 9, "srmp")),
        "exact messages (12), pruned: glass, M = 20": going(engine("glass 20", 12)),
        "exact messages (12), eliminated: grid, M = 20": going(engine("grid 20", 12, "srmp")),
        "going forward again: glass, M = 20": to_and_fro,
        "certificate: pose, M = 16": lambda stop: looking.certified_bound(seen, stop),
        "tightness of all messages: pose, M = 16": lambda stop: looking.tightness(seen, stop=stop),
        "what-if: pose, M = 16": lambda stop: bc.what_if(seen, p, q, 0, stop),
        "a time limit of bc.solve: glass, M = 20, variant 5": lambda stop: bc.solve(
            *parts["glass 20"], 5, time_limit=stop.left
        ),
        "a time limit of bc.solve: 20 000 variables, M = 4": lambda stop: bc.solve(
            *parts["large 4"], time_limit=stop.left
        ),
        "a time limit of a proof: 20 000 variables": lambda stop: bc.solve(large, time_limit=stop.left),
        "HiGHS: glass of 60": lambda stop: bc.reference(glass, time_limit=60.0, on_progress=lambda _: stop()),
    }


def large_model() -> bc.BinaryMRF:
    """Twenty thousand variables with six random neighbours each."""
    rng, n = np.random.default_rng(0), 20_000
    edges = np.unique(np.sort(rng.integers(0, n, (3 * n, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] < edges[:, 1]]
    tables = np.zeros((len(edges), 2, 2))
    tables[:, 1, 1] = rng.normal(size=len(edges))
    return bc.BinaryMRF(rng.normal(size=(n, 2)), edges, tables, name="large")


def _takes(work: Work) -> float:
    """Seconds until the work is done, at most `LONGEST`."""
    begin = time.perf_counter()
    with contextlib.suppress(bc.Stopped):
        work(bc.Stop(LONGEST))
    return min(time.perf_counter() - begin, LONGEST)


def _stopped(work: Work, patience: float) -> float:
    begin = time.perf_counter()
    with contextlib.suppress(bc.Stopped):
        work(bc.Stop(patience))
    return time.perf_counter() - begin - patience


# -- command line ---------------------------------------------------------------------------------------------


def command_line(folder: Path) -> Phases:
    """Commands that are interrupted, or limited, with the latest time of a stop in seconds."""
    large, glass = str(folder / "large.mrf.json"), str(folder / "glass.mrf.json")
    bc.save(large_model(), large)
    bc.save(synth.generate("sherrington_kirkpatrick", n=60), glass)
    cut, auto = ("solve", large, "--max-size", "8"), ("solve", glass, "--max-size", "16")
    plan = folder / "plan.toml"
    plan.write_text('[[instances]]\nfamily = "body_pose"\nseed = {from = 0, to = 30}\n[runs]\nsizes = [12, 13]\n')
    store = str(folder / "store.sqlite")
    return {
        "Ctrl-C: 20 000 variables, from reading on": (partial(_interrupted, cut), LONGEST_PROCESS),
        "Ctrl-C: a proof of 20 000 variables": (partial(_interrupted, ("solve", large)), LONGEST_PROCESS),
        "Ctrl-C: glass of 60, M = 16, auto": (partial(_interrupted, auto), LONGEST_PROCESS),
        "Ctrl-C: compiling": (partial(_interrupted, ("warm-up",), cold=True), LONGEST_PROCESS),
        "Ctrl-C: an experiment": (
            partial(_interrupted, ("experiment", "run", str(plan), "--store", store)),
            LONGEST_PROCESS,
        ),
        "--time-limit: 20 000 variables": (partial(_limited, cut), LONGEST_PROCESS),
        "--time-limit: a proof of 20 000 variables": (partial(_limited, ("solve", large)), LONGEST_PROCESS),
        "--time-limit: glass of 60, M = 16, auto": (partial(_limited, auto), LONGEST_PROCESS),
        "--time-limit: the same, compiling": (partial(_limited, auto, cold=True), LONGEST_PROCESS),
    }


@contextlib.contextmanager
def _environment(cold: bool) -> Iterator[dict[str, str]]:
    """The environment of a process; a cold one has an empty cache of compiled code."""
    with tempfile.TemporaryDirectory() as cache:
        yield os.environ | ({"BENDER_CACHE_DIR": cache, "TMPDIR": cache} if cold else {})


def _interrupted(arguments: tuple[str, ...], patience: float, cold: bool = False) -> float:
    command = [sys.executable, "-m", "bender_core", *arguments]
    with (
        _environment(cold) as environment,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # A benchmark in the background ignores Ctrl-C, and its child processes would inherit that.
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        ) as process,
    ):
        begin = time.perf_counter()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        process.send_signal(signal.SIGINT)
        process.wait()
        return time.perf_counter() - begin - patience


def _limited(arguments: tuple[str, ...], limit: float, cold: bool = False) -> float:
    """The delay after the limit, which begins when the process has read the model."""
    command = [sys.executable, "-m", "bender_core", *arguments, "--json", "--time-limit", str(limit)]
    with _environment(cold) as environment:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    seconds: float = json.loads(done.stdout)["seconds"]
    return seconds - limit


# -- app ------------------------------------------------------------------------------------------------------


def app() -> Phases:
    """The work with a Stop button, with the latest time of a stop in seconds."""
    from bender_core.experiments import Limits
    from bender_core.experiments.lane import Entry, Lane
    from pages._shared.app.session import References
    from pages._shared.compare.racing import Racing
    from pages._shared.partition.comparing import Comparing
    from pages._shared.partitioning.making import Costing, PartitionMaker
    from pages._shared.running.background import Background
    from pages._shared.running.watched import WatchedRun

    glass, large = synth.generate("sherrington_kirkpatrick", n=60), large_model()
    part = bc.partition(glass, 16, "greedy")

    def running() -> Background:
        run = WatchedRun(bc.Engine(glass, bc.partition(glass, 18, "greedy"), variant=5))
        run.start()
        return run.work

    def racing() -> Background:
        limits = Limits(seconds=60.0)
        race = Racing([Lane(Entry(glass, part, 16, v, "mplp"), limits) for v in (4, 9, 11, 12)], limits, lambda: True)
        race.start()
        return race

    def partitioning(strategy: str) -> Background:
        work = PartitionMaker(large)
        work.ask([(8, strategy)])
        return work

    def costing() -> Background:
        work = Costing(large, bc.Account())
        work.ask(bc.partition(large, 9, "greedy"), 9, "mplp")
        return work

    def comparing(sweeps: int) -> Background:
        work = Comparing(glass, [8, 14], 9, "mplp")
        work.measure()
        if sweeps and work.thread is not None:
            work.thread.join()
            work.bound(sweeps)
        return work

    def references() -> Background:
        work = References()
        work.ask(glass, part)
        return work

    begins: dict[str, Callable[[], Background]] = {
        "Watch: a run, glass, M = 18, variant 5": running,
        "Watch: HiGHS": references,
        "Compare: a race of four, glass, M = 16": racing,
        "Partition: partitioning 20 000 variables, community": partial(partitioning, "community"),
        "Partition: partitioning 20 000 variables, auto": partial(partitioning, "auto"),
        "Partition: what a choice costs, 20 000 variables": costing,
        "Partition: strategies compared": partial(comparing, 0),
        "Partition: their bounds": partial(comparing, 400),
    }
    return {name: (partial(_halted, begin), 2 * LONGEST) for name, begin in begins.items()}


def _halted(begin: Callable[[], object], patience: float) -> float:
    from pages._shared.running.background import Background

    work = begin()
    assert isinstance(work, Background)
    if work.thread is not None:
        work.thread.join(patience)
    asked = time.perf_counter()
    work.stop(None)
    return time.perf_counter() - asked
