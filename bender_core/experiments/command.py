"""``python -m bender_core experiment plan|run|status|report``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from pathlib import Path

from bender_core.experiments.execute import Progress, dask, execute, local
from bender_core.experiments.plan import read_plan, seconds_expected
from bender_core.experiments.report import report
from bender_core.experiments.store import Store
from bender_core.experiments.tables import endings, of_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The subcommands and what they take."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, action, told in (
        ("plan", _plan, "say what a plan consists of and how long it may take"),
        ("run", _run, "do what is not done yet"),
        ("status", _status, "say how much is done"),
        ("report", _report, "print the tables"),
    ):
        command = commands.add_parser(name, help=told)
        command.add_argument("plan", type=Path, help="a TOML file; see bender_core/experiments/plan.py")
        command.add_argument("--store", type=Path, help="where runs are kept; beside the plan by default")
        command.set_defaults(command=action)
        if name in ("plan", "run"):
            command.add_argument("--workers", type=int, help="runs at a time; as many as there are cores by default")
        if name == "run":
            command.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, like tcp://host:8786")
            command.add_argument(
                "--attached",
                action="store_true",
                help="for programs: progress as lines of JSON, and an end when standard input is closed",
            )


def _store(options: argparse.Namespace) -> Store:
    return Store(options.store or options.plan.with_suffix(".sqlite"))


def _workers(options: argparse.Namespace) -> int:
    return max(options.workers or os.cpu_count() or 1, 1)


def _plan(options: argparse.Namespace) -> int:
    plan = read_plan(options.plan)
    tasks = plan.tasks()
    todo = _store(options).missing(tasks)
    seconds = seconds_expected(todo)
    workers = _workers(options)
    print(f"{plan.name}: {len(plan.instances)} instances, {len(tasks)} runs, {len(todo)} to do")
    print(f"about {seconds / 3600:.2g} core-hours; {seconds / workers / 3600:.2g} hours with {workers} workers")
    return 0


def _run(options: argparse.Namespace) -> int:
    tasks = read_plan(options.plan).tasks()
    store, workers = _store(options), _workers(options)
    begun_with = len(tasks) - len(store.missing(tasks))
    closed = _closed_input() if options.attached else threading.Event()

    def tell(progress: Progress) -> bool:
        if progress.last is not None:
            left = progress.seconds_left(begun_with) or 0.0
            print((_as_json if options.attached else _in_words)(progress, left), flush=True)
        return closed.is_set()

    try:
        execute(tasks, store, dask(options.scheduler) if options.scheduler else local(workers), workers, tell)
    except KeyboardInterrupt:
        print("stopped; what is done is kept, run again to go on", file=sys.stderr)
        return 130
    return 0


def _in_words(progress: Progress, left: float) -> str:
    title = progress.last.title if progress.last else ""
    return f"{progress.done} of {progress.total}, about {left:.0f} s left: {title}"


def _as_json(progress: Progress, left: float) -> str:
    told = {"done": progress.done, "total": progress.total, "failed": progress.failed, "left": left}
    return json.dumps(told | {"last": progress.last.title if progress.last else ""})


def _closed_input() -> threading.Event:
    """Set when whoever started this process closes its standard input, or is gone."""
    closed = threading.Event()

    def watch() -> None:
        sys.stdin.read()
        closed.set()

    threading.Thread(target=watch, daemon=True).start()
    return closed


def _status(options: argparse.Namespace) -> int:
    tasks = read_plan(options.plan).tasks()
    runs = of_plan(_store(options).runs(), tasks)
    print(f"{len(runs)} of {len(tasks)} runs are done")
    for status, count in endings(runs).most_common():
        print(f"{count:6} {status}")
    return 0


def _report(options: argparse.Namespace) -> int:
    print(report(of_plan(_store(options).runs(), read_plan(options.plan).tasks())))
    return 0
