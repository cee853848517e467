"""Proofs by `bc.solve` against those of toulbar2 and HiGHS, all by default settings: bound, energy, wall seconds."""

from __future__ import annotations

import time

import bender_core as bc
from benchmarks.common import Options, table
from benchmarks.others.solvers import SOLVERS, Answer, ask, missing
from benchmarks.proving.models import glasses, instances, large_glasses, poses, qubos

LIMIT = 60.0
OURS = "solve"


def run(options: Options) -> None:
    """Print one table, and how many models each has proven."""
    limit = options.seconds(LIMIT)
    solvers = [OURS, *(solver for solver in SOLVERS if not missing(solver))]
    print(f"Bound, energy, and wall seconds to the proof that the energy is the least; at most {limit:g} s each")
    print(missing("toulbar2"))
    row = table({"model": -26, "n": 4, "couplings": 9, "by": -9, "bound": 16, "energy": 16, "proven": 9})
    proven = dict.fromkeys(solvers, 0)
    models = [*poses(16, 30, 40, 60, 80), *glasses(), *large_glasses()]
    models += [*qubos(50, 100, 150, 200), *instances(options)]
    for name, mrf in models:
        for solver in solvers:
            answer = prove(mrf, limit) if solver == OURS else ask(solver, mrf, limit)
            proven[solver] += answer.proven
            seconds = f"{answer.seconds:.2f} s" if answer.proven else "—"
            row(name, mrf.n, mrf.n_edges, solver, f"{answer.lower:.6f}", f"{answer.upper:.6f}", seconds)
    print(f"\nproven, of {len(models)}: " + ", ".join(f"{solver} {number}" for solver, number in proven.items()) + "\n")


def prove(mrf: bc.BinaryMRF, limit: float) -> Answer:
    """Our proof."""
    begin = time.perf_counter()
    result = bc.solve(mrf, time_limit=limit)
    return Answer(result.rounded_bound, result.upper_bound, time.perf_counter() - begin, result.optimal)
