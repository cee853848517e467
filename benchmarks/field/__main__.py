"""Our default against every other method that is here: ``python -m benchmarks.field``, or ``make bench-field``.

Carries out the plan ``field.toml`` on generated instances and on the real ones next to the repository, one run at a
time, and writes ``docs/benchmarks.md``. Runs that are in the store are not repeated: a run that was stopped goes on
where it was.
"""

from __future__ import annotations

import argparse
import glob
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from benchmarks.field.matches import Match, matches, name_of
from benchmarks.field.page import page
from benchmarks.field.published import published
from benchmarks.others.instances import FOLDER
from bender_core.experiments import Plan, PlanProgress, Store, Task, execute, local
from bender_core.experiments.methods import METHODS
from bender_core.experiments.plan import plan_of
from bender_core.experiments.tables import by_other_code, of_plan
from bender_core.stopping import INTERRUPTED

PLAN = Path(__file__).with_name("field.toml")
DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def whole_plan(folder: Path) -> Plan:
    """The plan, with the files of a folder first, and without methods whose packages are missing."""
    data = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    files = sorted(path.name for path in folder.glob("*.*") if path.suffix != ".md")
    data["instances"] = [*({"files": glob.escape(name)} for name in files), *data["instances"]]
    data["runs"]["methods"] = [name for name in data["runs"]["methods"] if not METHODS[name].missing]
    return plan_of(data, folder, PLAN.stem)


def finished(tasks: Sequence[Task], store: Store) -> tuple[list[Match], list[str]]:
    """What the runs in a store say, and the names of instances some of whose runs are missing."""
    runs = of_plan(store.runs(), tasks)
    if others := by_other_code(runs):
        print(f"{others} of {len(runs)} runs are by another version of the code; without --report they are done again")
    done = {(run.task.instance, run.task.strategy) for run in runs}
    missing = dict.fromkeys(task.instance for task in tasks if (task.instance, task.strategy) not in done)
    return list(matches(run for run in runs if run.task.instance not in missing)), list(map(name_of, missing))


def tell(progress: PlanProgress) -> None:
    """Print a line after every run."""
    if progress.last is not None:
        print(f"{progress.done} of {progress.total}, {progress.seconds:.0f} s: {progress.last.title}", flush=True)


def main() -> int:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=Path, default=FOLDER, metavar="DIR", help="the folder of real instances")
    parser.add_argument("--store", type=Path, default=PLAN.with_suffix(".sqlite"), help="the file of finished runs")
    parser.add_argument("--report", action="store_true", help="measure nothing: write the page from the store")
    options = parser.parse_args()
    if not options.instances.is_dir():
        print(f"There is no folder {options.instances}: generated instances alone. Name one with --instances.")
    for method in METHODS.values():
        if method.missing:
            print(f"{method.title} is left out: {method.missing}")
    tasks, store = whole_plan(options.instances).tasks(), Store(options.store)
    try:
        if not options.report:
            execute(tasks, store, local(1), 1, tell)
    except KeyboardInterrupt:
        print("stopped; finished runs are kept, run the same command again to resume", file=sys.stderr)
        return INTERRUPTED
    done, left_out = finished(tasks, store)
    if not done:
        parser.error(f"{options.store} has all runs of no instance; leave out --report to measure them")
    DOCUMENT.write_text(page(done, published(), left_out), encoding="utf-8")
    print(f"{DOCUMENT.name} is written: {len(done)} instances")
    return 0


if __name__ == "__main__":
    sys.exit(main())
