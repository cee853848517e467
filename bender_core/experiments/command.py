"""``python -m bender_core experiment plan|run|status|report|export``."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing import resource_tracker
from pathlib import Path

from bender_core.experiments.execute import GLANCE_SECONDS, PlanProgress, dask, execute, local
from bender_core.experiments.plan import Plan, Task, read_plan, seconds_at_most
from bender_core.experiments.report import report
from bender_core.experiments.store import Store
from bender_core.experiments.tables import endings, of_plan, shared
from bender_core.io.terminal import following
from bender_core.stopping import INTERRUPTED
from bender_core.units import counted, duration

# Seconds within which finished runs are stored, unless the store is locked.
STOP_SECONDS = 0.3


Command = Callable[[argparse.Namespace], int]


def add_arguments(parser: argparse.ArgumentParser, export: Command) -> None:
    """The subcommands and their arguments; ``export`` carries out the one that draws figures."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, action, what in (
        ("plan", _plan, "describe a plan, and how long it takes at most"),
        ("run", _run, "carry out the runs that are not done yet"),
        ("status", _status, "print the progress"),
        ("report", _report, "print the tables"),
        ("export", export, "write plan, instances, runs, tables and figures into one file"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("plan", type=Path, help="a TOML file; see docs/formats.md §9.1")
        command.add_argument("--store", type=Path, help="file of finished runs; by default next to the plan")
        command.set_defaults(command=action)
        if name == "export":
            command.add_argument("--to", type=Path, help="the ZIP file; by default next to the plan")
        if name in ("plan", "run"):
            command.add_argument(
                "--workers", type=int, help="parallel runs; by default one per core, or per thread of the cluster"
            )
        if name == "run":
            command.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, like tcp://host:8786")
            command.add_argument(
                "--attached",
                action="store_true",
                help="for programs: progress as lines of JSON, and an end when standard input is closed",
            )


def store_of(options: argparse.Namespace) -> Store:
    """The store that a command names, or the one next to the plan."""
    return Store(options.store or options.plan.with_suffix(".sqlite"))


def _workers(options: argparse.Namespace) -> int:
    return max(options.workers or os.cpu_count() or 1, 1)


def tasks_of(plan: Plan) -> list[Task]:
    """The runs of a plan; on a terminal a line says how many of its partitions are made."""
    with following() as tell:
        return plan.tasks(lambda share, doing: tell(f"{share:.0%}, {doing}"))


def _tasks_as_json(plan: Plan) -> list[Task]:
    """The same for a program."""
    return plan.tasks(lambda share, doing: print(json.dumps({"partitioning": share, "doing": doing}), flush=True))


def _plan(options: argparse.Namespace) -> int:
    plan = read_plan(options.plan)
    tasks = tasks_of(plan)
    todo = store_of(options).missing(tasks)
    seconds = seconds_at_most(todo)
    workers = _workers(options)
    print(f"{plan.name}: {counted(len(plan.instances), 'instance')}, {counted(len(tasks), 'run')}, {len(todo)} to do")
    same = shared(tasks)
    if same:
        print(f"{same} of the runs have the same groups as another M or strategy; equal runs are done once")
    print(f"at most {duration(seconds)} of one core; {duration(seconds / workers)} with {counted(workers, 'worker')}")
    return 0


def _run(options: argparse.Namespace) -> int:
    """Carry out a plan in a thread, so that the main thread notices a stop at once."""
    execution = _Execution(options)
    execution.start()
    try:
        while not (execution.ended.wait(GLANCE_SECONDS) or execution.stop.is_set()):
            pass
        code = 0
    except KeyboardInterrupt:
        # The rest takes a moment; a second Ctrl-C would not help.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = INTERRUPTED
    if code or execution.stop.is_set():
        execution.end()
        print(execution.left_at, file=sys.stderr, flush=True)
        if not execution.ended.is_set():
            # Python would wait for the workers; they end with this process.
            os._exit(code)
    if execution.error is not None:
        raise execution.error
    return code


class _Execution(threading.Thread):
    """A plan in execution.

    Attributes
    ----------
    stop : Event
        Set to request the end.
    ended : Event
        Set when it has ended; Python regards a thread as ended when Ctrl-C interrupts a join.
    error : BaseException or None
        The error that ended it, if any.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(daemon=True)
        self.stop, self.ended = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self._options = options
        self._progress: PlanProgress | None = None

    def end(self) -> None:
        """Request the end, and wait until finished runs are stored; while partitions are made, there are none."""
        self.stop.set()
        if self._progress is not None:
            self.ended.wait(STOP_SECONDS)

    @property
    def left_at(self) -> str:
        """The progress at a stop, in words."""
        if self._progress is None:
            return "stopped before the first run; earlier runs are kept, run the same command again to resume"
        done, total = self._progress.done, self._progress.total
        return f"stopped: {done} of {total} runs are done and kept; run the same command again to resume"

    def run(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            # Inherited by the workers: Ctrl-C in a terminal would reach each of them. Starting their tracker would undo
            # it.
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        if self._options.attached:
            threading.Thread(target=self._stop_at_end_of_input, daemon=True).start()
        try:
            self._carry_out()
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()

    def _carry_out(self) -> None:
        options = self._options
        tasks = (_tasks_as_json if options.attached else tasks_of)(read_plan(options.plan))
        store = store_of(options)
        begun_with = len(tasks) - len(store.missing(tasks))

        def tell(progress: PlanProgress) -> bool:
            changed = self._progress is None or progress.waiting != self._progress.waiting
            self._progress = progress
            if progress.last is not None or (changed and progress.waiting):
                left = progress.seconds_left(begun_with) or 0.0
                try:
                    print((_as_json if options.attached else _in_words)(progress, left), flush=True)
                except BrokenPipeError as error:
                    # Ended like any program whose output is no longer read, but finished runs are kept first.
                    self.error = error
            return self.error is not None or self.stop.is_set()

        if options.scheduler:
            # Where the scheduler is away it would log tracebacks, for which we have a sentence.
            for name in ("distributed.client", "distributed.batched"):
                logging.getLogger(name).disabled = True
            execute(tasks, store, dask(options.scheduler), options.workers, tell)
        else:
            workers = _workers(options)
            execute(tasks, store, local(workers), workers, tell)

    def _stop_at_end_of_input(self) -> None:
        """Wait until the parent process has closed our standard input, or is gone; then stop."""
        sys.stdin.read()
        self.stop.set()


def _in_words(progress: PlanProgress, left: float) -> str:
    if progress.waiting:
        return f"{progress.done} of {progress.total}, waiting for {progress.waiting}"
    title = progress.last.title if progress.last else ""
    return f"{progress.done} of {progress.total}, about {left:.0f} s left: {title}"


def _as_json(progress: PlanProgress, left: float) -> str:
    fields = {"done": progress.done, "total": progress.total, "failed": progress.failed, "left": left}
    return json.dumps(fields | {"last": progress.last.title if progress.last else "", "waiting": progress.waiting})


def _status(options: argparse.Namespace) -> int:
    tasks = tasks_of(read_plan(options.plan))
    runs = of_plan(store_of(options).runs(), tasks)
    print(f"{len(runs)} of {len(tasks)} runs are done")
    for status, count in endings(runs).most_common():
        print(f"{count:6} {status}")
    return 0


def _report(options: argparse.Namespace) -> int:
    tasks = tasks_of(read_plan(options.plan))
    print(report(of_plan(store_of(options).runs(), tasks), tasks))
    return 0
