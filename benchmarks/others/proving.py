"""Proofs by `bc.solve` against those of toulbar2 and HiGHS, all by default settings: bound, energy, wall seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import bender_core as bc
from benchmarks.common import Options, table
from benchmarks.others.solvers import SOLVERS, Answer, ask, missing
from bender_core.synth import body_pose, ising_grid

CANDIDATES = (16, 30, 40)
SEEDS = (0, 1, 2)
LIMIT = 60.0
OURS = "solve"


def run(options: Options) -> None:
    """Print one table, and how many models each has proven."""
    limit = options.seconds(LIMIT)
    solvers = [OURS, *(solver for solver in SOLVERS if not missing(solver))]
    print(f"Bound, energy, and wall seconds to the proof that the energy is the least; at most {limit:g} s each")
    print(missing("toulbar2"))
    row = table({"model": -26, "n": 4, "couplings": 9, "by": -9, "bound": 15, "energy": 15, "proven": 9})
    proven = dict.fromkeys(solvers, 0)
    for name, mrf in models():
        for solver in solvers:
            answer = prove(mrf, limit) if solver == OURS else ask(solver, mrf, limit)
            proven[solver] += answer.proven
            seconds = f"{answer.seconds:.2f} s" if answer.proven else "—"
            row(name, mrf.n, mrf.n_edges, solver, f"{answer.lower:.6f}", f"{answer.upper:.6f}", seconds)
    print("\nproven: " + ", ".join(f"{solver} {count}" for solver, count in proven.items()) + "\n")


def models() -> Iterator[tuple[str, bc.BinaryMRF]]:
    """Body poses, spin glasses on tori, and QUBO, with as many seeds each."""
    for candidates in CANDIDATES:
        for seed in SEEDS:
            yield f"pose 14×{candidates}, seed {seed}", body_pose(candidates=candidates, seed=seed)
    for seed in SEEDS:
        yield f"±J torus 10×10, seed {seed}", ising_grid(10, 10, torus=True, seed=seed)
    for density in (0.1, 0.5):
        for seed in SEEDS:
            yield f"QUBO {density:.0%}, seed {seed}", qubo(50, density, seed)


def qubo(n: int, density: float, seed: int) -> bc.BinaryMRF:
    """A quadratic function with whole coefficients from -100 to 100, as Beasley draws them."""
    rng = np.random.default_rng(seed)
    edges = np.argwhere(np.triu(rng.random((n, n)) < density, 1))
    unary, pairwise = np.zeros((n, 2)), np.zeros((len(edges), 2, 2))
    unary[:, 1] = rng.integers(-100, 101, n)
    pairwise[:, 1, 1] = 2 * rng.integers(-100, 101, len(edges))
    return bc.BinaryMRF(unary, edges, pairwise)


def prove(mrf: bc.BinaryMRF, limit: float) -> Answer:
    """Our proof."""
    begin = time.perf_counter()
    result = bc.solve(mrf, time_limit=limit)
    return Answer(result.rounded_bound, result.upper_bound, time.perf_counter() - begin, result.optimal)
