"""Instances reach their known bounds."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack

import bender_core as bc
from bender_core import looking
from bender_core.resources import SAMPLES
from tests.tiers import quick
from tests.unit.engines import (
    ROOT,
    every_variant,
    sample,
)
from tests.unit.local_polytope import solve_lp


@cache
def proven_optimum(name: str) -> float:
    """The least energy of a sample by HiGHS: x binary, and z_e = x_i x_j bounded on the side that costs."""
    mrf = sample(name)
    i, j = mrf.edges.T
    t, w = mrf.pairwise, mrf.coupling()
    cost = mrf.unary[:, 1] - mrf.unary[:, 0]
    np.add.at(cost, i, t[:, 1, 0] - t[:, 0, 0])
    np.add.at(cost, j, t[:, 0, 1] - t[:, 0, 0])
    m = mrf.n_edges
    e, one = np.arange(m), np.ones(m)
    first, second = (csr_array((one, (e, k)), shape=(m, mrf.n)) for k in (i, j))
    z = eye_array(m)
    solution = milp(
        np.concatenate([cost, w]),
        constraints=[
            LinearConstraint(hstack([first, -z])[w < 0], 0, np.inf),
            LinearConstraint(hstack([second, -z])[w < 0], 0, np.inf),
            LinearConstraint(hstack([first + second, -z])[w >= 0], -np.inf, 1),
        ],
        integrality=np.concatenate([np.ones(mrf.n), np.zeros(m)]),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 1e-12},
    )
    assert solution.status == 0, solution.message
    return float(solution.fun + mrf.constant + mrf.unary[:, 0].sum() + t[:, 0, 0].sum())


@every_variant
def test_pose_small_is_solved(variant: int) -> None:
    mrf = sample("pose-small")
    result = bc.solve(mrf, bc.partition(mrf, 6), variant)
    assert result.gap <= 1e-9
    assert result.upper_bound == pytest.approx(proven_optimum("pose-small"), abs=1e-6)
    assert mrf.energy(result.labeling) == pytest.approx(result.upper_bound)


@pytest.mark.parametrize(
    ("variant", "max_size", "schedule"),
    quick(
        [(variant, max_size, "mplp") for variant in bc.VARIANTS for max_size in (5, 16)]
        + [(variant, 16, "srmp") for variant in (4, 5, 9, 11, 12)],
        [(5, 5, "mplp"), (12, 5, "mplp"), (9, 16, "srmp")],
        several=True,
    ),
)
def test_pose_is_solved(variant: int, max_size: int, schedule: str) -> None:
    """All certify the same optimum, which HiGHS proves too, in half a minute."""
    mrf = sample("pose")
    # Enumeration would take minutes at M = 16.
    result = bc.solve(mrf, bc.partition(mrf, min(max_size, 8) if variant == 11 else max_size), variant, schedule)
    assert result.status == "closed"
    assert result.lower_bound == pytest.approx(-70.558613, abs=1e-7)
    assert mrf.energy(result.labeling) == pytest.approx(-70.558613, abs=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory in /proc")
def test_pose_with_groups_of_16_takes_less_than_600_megabytes() -> None:
    """Of the whole process, interpreter and compiled code included; the peak of three runs one after the other."""
    # Unlike getrusage, the status begins anew with the program and knows nothing of the process that started it.
    script = f"""
from pathlib import Path
import bender_core as bc

mrf = bc.load({str(SAMPLES / "pose.mrf.json")!r})
for variant in (5, 9, 12):
    bc.solve(mrf, bc.partition(mrf, 16), variant)
(peak,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1024)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert float(run.stdout) < 600


@pytest.mark.parametrize("variant", [9, 11])
def test_a_published_segmentation_is_solved(shared_instances: Path, variant: int) -> None:
    mrf = bc.load(shared_instances / "UAI14PR_Segmentation_11.uai")
    result = bc.solve(mrf, bc.partition(mrf, 8), variant)
    assert result.lower_bound == pytest.approx(56.036788527, abs=1e-7)
    assert result.upper_bound == pytest.approx(56.036788527, abs=1e-7)


@every_variant
def test_a_published_grid_over_single_variables_reaches_its_relaxation(shared_instances: Path, variant: int) -> None:
    mrf = bc.load(shared_instances / "UAI14PR_Grids_11.uai")
    engine = bc.Engine(mrf, bc.partition(mrf, 1), variant=variant)
    engine.run()
    lp, _ = solve_lp(mrf)
    assert -480.8986 <= engine.lower_bound <= -480.89
    assert engine.lower_bound <= lp + 1e-9 * abs(lp)
    assert looking.certified_bound(engine) == pytest.approx(engine.lower_bound, rel=1e-12)
    assert engine.upper_bound >= -387.894788588 - 1e-6


@pytest.mark.parametrize(("max_size", "least"), [(8, -144.19), (10, -140.02), (14, -133.464194807)])
def test_large_groups_win_on_a_published_dense_model(shared_instances: Path, max_size: int, least: float) -> None:
    """Its LP over single variables stops at -317.3, one with all odd cycles at -167.5."""
    mrf = bc.load(shared_instances / "UAI14PR_DBN_11.uai")
    engine = bc.Engine(mrf, bc.partition(mrf, max_size, "refined"), variant=12, schedule="srmp")
    engine.run()
    assert least - 1e-6 <= engine.lower_bound <= -133.464194807 + 1e-6
    assert looking.certified_bound(engine) == pytest.approx(engine.lower_bound, rel=1e-9)
