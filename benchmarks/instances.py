"""Real instances that lie beside the repository: every variant under both schedules."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

import bender_core as bc
from benchmarks.common import Options, solve, table
from bender_core.engine import SCHEDULES
from bender_core.reference import _local_polytope

FOLDER = Path(__file__).parents[2] / "shared" / "instances"
LIMIT = 60.0
SIZES = {"UAI14PR_DBN_11": (8, 10, 14), "gka2b": (10, 15)}


def run(options: Options) -> None:
    """Print a table a file."""
    limit = options.seconds(LIMIT)
    if not options.instances.is_dir():
        print(f"Left out: there is no folder {options.instances}; name one with --instances.\n")
        return
    known = _index(options.instances)
    skipped = []
    for path in sorted(options.instances.iterdir()):
        if path.name not in known:
            continue
        try:
            mrf = read_sparse(path) if path.suffix == ".sparse" else bc.load(path)
        except bc.FormatError:
            skipped.append(path.name)
            continue
        lp, optimum = known[path.name]
        print(
            f"{path.name}: {mrf.n} variables, {mrf.n_edges} edges; INDEX.md says LP {lp}, optimum {optimum}; ", end=""
        )
        print(f"HiGHS says LP {_local_polytope(bc.to_normal_form(mrf))[0]:.9g}")
        for size in SIZES.get(path.stem, (12,)):
            _all_variants(mrf, size, limit)
    print(f"Skipped, for want of a loader: {', '.join(skipped) or 'none'}\n")


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
            check = f"{e.certificate() - e.lower_bound:.1e}"
            row(variant, schedule, *bounds, check, e.sweep, f"{done.seconds:.3f}", done.state)
    print()


def _index(folder: Path) -> dict[str, tuple[str, str]]:
    """LP bound and optimum of every file that INDEX.md lists."""
    lines = [line.strip().strip("|").split("|") for line in (folder / "INDEX.md").read_text().splitlines()]
    cells = [[cell.strip() for cell in line] for line in lines if len(line) == 6]
    return {line[0]: (line[4], line[5]) for line in cells if (folder / line[0]).is_file()}


def read_sparse(path: Path) -> bc.BinaryMRF:
    """``f(x) = x'Qx``: the size, then ``i j q_ij`` of the upper triangle of a symmetric Q, from 1 on."""
    n = int(path.read_text().split(maxsplit=1)[0])
    entries = np.loadtxt(path, skiprows=1, ndmin=2)
    ends, value = entries[:, :2].astype(np.int64) - 1, entries[:, 2]
    single = ends[:, 0] == ends[:, 1]
    unary, pairwise = np.zeros((n, 2)), np.zeros((int((~single).sum()), 2, 2))
    np.add.at(unary[:, 1], ends[single, 0], value[single])
    pairwise[:, 1, 1] = 2 * value[~single]
    return bc.BinaryMRF(unary=unary, edges=ends[~single], pairwise=pairwise, name=path.stem)
