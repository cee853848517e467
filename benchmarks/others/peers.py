"""Wall seconds to a certified optimum of generated poses: ours against toulbar2 and HiGHS with their defaults."""

from __future__ import annotations

from functools import partial

import bender_core as bc
from benchmarks.common import Options, TimedRun, solve, table, times
from benchmarks.others.solvers import SOLVERS, Answer, ask, missing
from bender_core.synth import body_pose

CANDIDATES = (16, 30, 40)
SEEDS = (0, 1, 2)
LIMIT = 120.0
MAX_SWEEPS = 10_000
# Variant, schedule, strategy and M; the strategy "groups" is the paper's.
OURS = (
    (12, "mplp", "groups", 8),
    (12, "srmp", "groups", 8),
    (12, "srmp", "groups", 10),
    (12, "srmp", "groups", 12),
    (12, "srmp", "groups", 16),
    (12, "srmp", "greedy", 14),
    (9, "srmp", "groups", 8),
    (9, "mplp", "groups", 12),
)


def run(options: Options) -> None:
    """Print one table per model."""
    limit = options.seconds(LIMIT)
    others = [solver for solver in SOLVERS if not missing(solver)]
    print(f"Poses of 14 parts: wall seconds to a certified optimum (gap ≤ 1e-9), at most {limit:g} each; ours include")
    print("cutting and all tables. A ratio with ≥ is of a peer that hit the limit.")
    print(missing("toulbar2"))
    summary = []
    for candidates in CANDIDATES:
        for seed in SEEDS:
            mrf = body_pose(candidates=candidates, seed=seed)
            title = f"14×{candidates} seed {seed}"
            print(f"{title}: {mrf.n} variables, {mrf.n_edges} edges")
            summary.append((title, *_one(mrf, limit, others)))
    row = table({"model": -14, "best of ours": -26, "seconds": 9} | {f"{solver}/ours": 16 for solver in others})
    for title, name, ours, answers in summary:
        row(title, name, f"{ours.wall:.2f}" if ours.closed else "—", *(_ratio(ours, answer) for answer in answers))
    print()


def _one(mrf: bc.BinaryMRF, limit: float, others: list[str]) -> tuple[str, TimedRun, list[Answer]]:
    row = table({"": -26, "lower bound": 16, "upper bound": 16, "gap": 8, "sweeps": 6, "seconds": 9, "status": -10})
    runs = {}
    for variant, schedule, strategy, size in OURS:
        name = f"{variant} {schedule} {strategy} M = {size}"
        done = solve(mrf, partial(bc.partition, mrf, size, strategy), variant, schedule, limit, MAX_SWEEPS)
        e = done.engine
        bounds = f"{e.lower_bound:.9f}", f"{e.upper_bound:.9f}", f"{e.gap:.1e}"
        row(name, *bounds, e.sweep, f"{done.wall:.2f}", done.state)
        runs[name] = done
    # The fastest of those that close the gap; if none does, the one that comes closest.
    best = min(
        runs, key=lambda name: (not runs[name].closed, runs[name].wall if runs[name].closed else runs[name].engine.gap)
    )
    answers = [ask(solver, mrf, limit) for solver in others]
    for solver, answer in zip(others, answers, strict=True):
        gap = (answer.upper - answer.lower) / abs(answer.lower)
        bounds = f"{answer.lower:.9f}", f"{answer.upper:.9f}", f"{max(gap, 0):.1e}"
        row(solver, *bounds, "", f"{answer.seconds:.2f}", "proven" if answer.proven else "time")
        if answer.proven and runs[best].closed and abs(answer.upper - runs[best].engine.upper_bound) > 1e-6:
            print(f"{solver} and we disagree about the optimum")
    print()
    return best, runs[best], answers


def _ratio(ours: TimedRun, answer: Answer) -> str:
    """The ratio of a peer's time to ours; if we prove nothing, only whether the peer does."""
    if not ours.closed:
        return "they prove" if answer.proven else "neither proves"
    return ("" if answer.proven else "≥ ") + times(answer.seconds / ours.wall)
