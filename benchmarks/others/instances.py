"""Real instances next to the repository: every variant under both schedules."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import bender_core as bc
from benchmarks.common import Options, solve, table
from benchmarks.others.solvers import ask, missing
from bender_core import looking
from bender_core.rivals.reference import _local_polytope
from bender_core.variants import SCHEDULES

FOLDER = Path(__file__).parents[3] / "shared" / "instances"
LIMIT = 60.0
SIZES = {"UAI14PR_DBN_11": (8, 10, 14), "gka2b": (10, 15)}


def run(options: Options) -> None:
    """Print one table per file."""
    limit = options.seconds(LIMIT)
    if not options.instances.is_dir():
        print(f"Left out: there is no folder {options.instances}; name one with --instances.\n")
        return
    for name, (lp, optimum) in sorted(_index(options.instances).items()):
        mrf, path = bc.load(options.instances / name), Path(name)
        own = _local_polytope(bc.to_normal_form(mrf))[0]
        print(f"{name}: {mrf.n} variables, {mrf.n_edges} edges; INDEX.md says LP {lp}, optimum {optimum};")
        print(f"HiGHS says LP {own:.9g}, {_proven(mrf, limit)}")
        for size in SIZES.get(path.stem, (12,)):
            _all_variants(mrf, size, limit)


def _proven(mrf: bc.BinaryMRF, limit: float) -> str:
    """The optimum by an independent solver."""
    if missing("toulbar2"):
        return missing("toulbar2")
    answer = ask("toulbar2", mrf, limit)
    return f"toulbar2 says {f'optimum {answer.upper:.12g}' if answer.proven else f'nothing within {limit:g} s'}"


def _all_variants(mrf: bc.BinaryMRF, size: int, limit: float) -> None:
    print(f"M = {size}, refined, at most {limit:g} s a run")
    row = table(
        {"variant": 7, "schedule": -8, "lower bound": 18, "upper bound": 18, "gap": 8, "certificate − bound": 19}
        | {"sweeps": 6, "seconds": 8, "status": -10}
    )
    for schedule in SCHEDULES:
        for variant in bc.VARIANTS:
            done = solve(mrf, partial(bc.partition, mrf, size, "refined"), variant, schedule, limit)
            e = done.engine
            bounds = f"{e.lower_bound:.9f}", f"{e.upper_bound:.9f}", f"{e.gap:.1e}"
            check = f"{looking.certified_bound(e) - e.lower_bound:.1e}"
            row(variant, schedule, *bounds, check, e.sweep, f"{done.seconds:.3f}", done.state)
    print()


def _index(folder: Path) -> dict[str, tuple[str, str]]:
    """LP bound and optimum of every file that INDEX.md lists."""
    lines = [line.strip().strip("|").split("|") for line in (folder / "INDEX.md").read_text().splitlines()]
    cells = [[cell.strip() for cell in line] for line in lines if len(line) == 6]
    return {line[0]: (line[4], line[5]) for line in cells if (folder / line[0]).is_file()}
