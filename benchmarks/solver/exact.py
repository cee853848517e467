"""Variant 12's exact messages against enumeration, and an open grid cut into rows."""

from __future__ import annotations

from functools import partial

import numpy as np

import bender_core as bc
from benchmarks.common import MEMORY, POSE, Options, interleaved, solve, table, times
from benchmarks.others.solvers import ask, missing
from bender_core import looking
from bender_core.engine.messages import exact
from bender_core.kernels.layout import Message, Method
from bender_core.kernels.min_marginals.enumerate import enumerate_min_marginals
from bender_core.model import FloatArray, IntArray
from bender_core.synth import ising_grid
from bender_core.synth.spins import Coupling, ising_tables

SIZE = 16
MESSAGES, REPEATS = 7, 5
POSE_AIM, GLASS_AIM, GRID_AIM = 200.0, 1.0, 15.0
GLASSES = 3
GRID = 20
COUPLINGS: tuple[Coupling, ...] = ("pm1", "gaussian")
PEER_LIMIT = 60.0


def run(options: Options) -> None:
    """Print the ratios of single messages, then the grids."""
    one_message_of_pose()
    one_message_of_glass()
    grids(options.seconds(PEER_LIMIT))


def one_message_of_pose() -> None:
    """Messages of the sample pose after a sweep."""
    mrf = bc.load(POSE)
    engine = _after_a_sweep(mrf, bc.partition(mrf, SIZE))
    chosen = np.random.default_rng(0).choice(2 * len(engine.graph.edges), MESSAGES, replace=False)
    print(f"One exact message at M = {SIZE}: milliseconds, medians of {REPEATS} interleaved\n")
    _messages(mrf.name, engine, chosen.tolist(), POSE_AIM)


def one_message_of_glass() -> None:
    """Both messages of two groups with couplings +1 and −1 between all pairs: the hardest case for pruning."""
    for seed in range(GLASSES):
        mrf = spin_glass(2 * SIZE, seed)
        part = bc.manual(mrf, [range(SIZE), range(SIZE, 2 * SIZE)])
        _messages(f"±J glass {seed}", _after_a_sweep(mrf, part), [0, 1], GLASS_AIM)


def spin_glass(n: int, seed: int) -> bc.BinaryMRF:
    """Spins with couplings +1 or −1 between all pairs."""
    edges = np.column_stack(np.triu_indices(n, 1))
    strength = np.random.default_rng(seed).choice([-1.0, 1.0], len(edges))
    return bc.BinaryMRF(unary=np.zeros((n, 2)), edges=edges, pairwise=ising_tables(strength))


def _after_a_sweep(mrf: bc.BinaryMRF, part: bc.Partition) -> bc.Engine:
    engine = bc.Engine(mrf, part, variant=12, snapshot_bytes=0, limit=MEMORY)
    engine.run(max_sweeps=1)
    return engine


def _messages(name: str, engine: bc.Engine, arcs: list[int], aim: float) -> None:
    row = table({name: -12, "by": -10, "12": 8, "11": 8, "11/12": 8, "largest difference": 20})
    ratios = []
    for arc in arcs:
        p, q = engine.graph.ends(arc)
        states = np.arange(1 << engine.graph.problem.bits[arc])
        nu = np.empty(len(states))

        def enumerate_all(arc: int = arc, states: IntArray = states, nu: FloatArray = nu) -> None:
            enumerate_min_marginals(
                engine.graph.problem, Message(arc, looking.incoming(engine, arc), nu), states, engine.arrays.probe
            )

        seconds = interleaved({12: partial(exact, engine.arrays, arc), 11: enumerate_all}, REPEATS)
        ratios.append(seconds[11] / seconds[12])
        apart = np.abs(exact(engine.arrays, arc) - nu).max()
        method = Method(int(engine.graph.problem.methods.method[arc])).name.lower()
        row(
            f"{q} → {p}",
            method,
            f"{1e3 * seconds[12]:.2f}",
            f"{1e3 * seconds[11]:.0f}",
            times(ratios[-1]),
            f"{apart:.1e}",
        )
    print(f"median {times(float(np.median(ratios)))}, least {times(min(ratios))}  (aim ≥ {aim:g}×)\n")


def grids(limit: float) -> None:
    """Open grids cut into rows: a chain of groups, on which the bound reaches the optimum."""
    print(f"{GRID}×{GRID} open grids cut into rows, M = {GRID}: variant 12 under srmp; wall seconds")
    if missing("toulbar2"):
        print(missing("toulbar2"))
    print()
    row = table(
        {"couplings": -9, "lower bound": 16, "upper bound": 16, "gap": 8, "seconds": 8, "aim": 7} | {"  toulbar2": -50}
    )
    for coupling in COUPLINGS:
        mrf = ising_grid(GRID, GRID, coupling=coupling)
        lines = np.arange(mrf.n).reshape(GRID, GRID).tolist()
        done = solve(mrf, partial(bc.manual, mrf, lines), 12, "srmp")
        e = done.engine
        theirs = "" if missing("toulbar2") else ask("toulbar2", mrf, limit)
        bounds = f"{e.lower_bound:.9f}", f"{e.upper_bound:.9f}", f"{e.gap:.1e}"
        row(coupling, *bounds, f"{done.wall:.2f}", f"≤ {GRID_AIM:g}", f"  {theirs}")
    print()
