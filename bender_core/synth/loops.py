"""Spin glasses with a planted optimum."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth.chimeras import chimera_graph
from bender_core.synth.grids import grid_graph
from bender_core.synth.spins import ising_tables

Lattice = Literal["grid", "chimera"]

SHORTEST = 6  # loops around a single square of a grid would be too easy
SHORE = 4


def planted(lattice: Lattice = "grid", size: int = 8, density: float = 0.5, seed: int = 0) -> BinaryMRF:
    """Frustrated loops on a lattice, all optimal at one hidden labelling: ``E(s) = −Σ J_ij s_i s_j``.

    Each loop is a random walk on the lattice, cut where it meets itself. All its edges but one favour the hidden
    labelling, and every labelling of a loop violates at least one edge; so the hidden labelling is optimal in
    every loop, and in their sum. After I. Hen et al., Probing for quantum speedup in spin-glass problems with planted
    solutions, Phys. Rev. A 92 (2015).

    Parameters
    ----------
    lattice : {"grid", "chimera"}
        An open square grid, or a Chimera graph with cells of 8.
    size : int
        Rows and columns, of spins or of cells.
    density : float
        Loops per spin.
    seed : int

    Returns
    -------
    BinaryMRF
        The energy of the hidden labelling, the optimum, is stated in the description. Couplings are integers; edges
        on which the loops cancel are left out. Rows or cells are the groups.
    """
    rng = generator(seed)
    graph = grid_graph(size, size) if lattice == "grid" else chimera_graph(size, size, SHORE)
    n = len(graph.names)
    hidden = rng.choice([-1.0, 1.0], n)
    neighbours = _neighbours(n, graph.edges)
    loops = [_loop(rng, neighbours) for _ in range(max(round(density * n), 1))]
    edges, strength = _total([_frustrated(rng, loop) for loop in loops])
    least = sum(2 - len(loop) for loop in loops)
    return BinaryMRF(
        unary=np.zeros((n, 2)),
        pairwise=ising_tables(strength * hidden[edges].prod(axis=1)),
        **graph._replace(edges=edges)._asdict(),
        name=f"planted {lattice} {size}×{size}",
        description=f"Frustrated loops hide a labelling. The least energy is −{-least}, known by construction.",
        source=stated("planted", lattice=lattice, size=size, density=density, seed=seed),
    )


def _neighbours(n: int, edges: IntArray) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges.tolist():
        neighbours[i].append(j)
        neighbours[j].append(i)
    return neighbours


def _loop(rng: np.random.Generator, neighbours: list[list[int]]) -> list[int]:
    """The nodes of a random loop of at least ``SHORTEST``, in order."""
    while True:
        walk = [int(rng.integers(len(neighbours)))]
        place = {walk[0]: 0}
        while True:
            ahead = [node for node in neighbours[walk[-1]] if node not in walk[-2:-1]]
            node = ahead[rng.integers(len(ahead))]
            if node in place:
                break
            place[node] = len(walk)
            walk.append(node)
        loop = walk[place[node] :]
        if len(loop) >= SHORTEST:
            return loop


def _frustrated(rng: np.random.Generator, loop: list[int]) -> dict[tuple[int, int], float]:
    """Couplings of a loop: 1, and −1 for one of them."""
    pairs = [(min(pair), max(pair)) for pair in zip(loop, loop[1:] + loop[:1], strict=True)]
    couplings = dict.fromkeys(pairs, 1.0)
    couplings[pairs[rng.integers(len(pairs))]] = -1.0
    return couplings


def _total(loops: list[dict[tuple[int, int], float]]) -> tuple[IntArray, FloatArray]:
    """The sum of the couplings: edges and couplings that are not zero."""
    total: dict[tuple[int, int], float] = {}
    for loop in loops:
        for pair, coupling in loop.items():
            total[pair] = total.get(pair, 0.0) + coupling
    kept = {pair: coupling for pair, coupling in sorted(total.items()) if coupling}
    return np.array(list(kept), dtype=np.int64).reshape(-1, 2), np.array(list(kept.values()))


FAMILY = Family(
    name="planted",
    title="Planted optimum",
    shows="The optimum is known by construction, so the gap to it can be seen at any size. With many loops per spin "
    "the couplings add up to the hidden labelling, and even the LP is tight.",
    generate=planted,
    parameters=(
        Parameter("lattice", "Lattice", "grid", choices=("grid", "chimera")),
        Parameter("size", "Rows and columns", 8, 3, 16),
        Parameter("density", "Loops per spin", 0.5, 0.01, 2.0),
        SEED,
    ),
)
