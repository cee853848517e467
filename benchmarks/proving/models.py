"""The models that proofs are tried on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import bender_core as bc
from benchmarks.common import Options
from bender_core.synth import body_pose, chimera, ising_grid
from bender_core.synth.spins import Coupling

SEEDS = (0, 1, 2)
Named = tuple[str, bc.BinaryMRF]


def poses(*candidates: int) -> Iterator[Named]:
    """Body poses of 14 parts, with each of these numbers of candidates."""
    for each in candidates:
        for seed in SEEDS:
            yield f"pose 14×{each}, seed {seed}", body_pose(candidates=each, seed=seed)


def glasses() -> Iterator[Named]:
    """Spin glasses without a field, on tori."""
    for seed in SEEDS:
        yield f"±J torus 10×10, seed {seed}", ising_grid(10, 10, torus=True, seed=seed)
    yield "Gaussian torus 10×10", ising_grid(10, 10, torus=True, coupling="gaussian")
    yield from tori(20, 20)
    yield from tori(5, 5, 5)


def large_glasses() -> Iterator[Named]:
    """Larger ones, and one on a Chimera graph."""
    for shape in ((30, 30), (40, 40), (6, 6, 6), (7, 7, 7)):
        yield from tori(*shape)
    yield "±J Chimera 8×8", chimera(8, 8)


def tori(*shape: int) -> Iterator[Named]:
    """Spin glasses of both kinds on a torus."""
    rows, columns, *layers = shape
    name = "torus " + "×".join(map(str, shape))
    couplings: dict[str, Coupling] = {"±J": "pm1", "Gaussian": "gaussian"}
    for kind, coupling in couplings.items():
        yield f"{kind} {name}", ising_grid(rows, columns, True, coupling, layers=max(layers, default=1))


def qubos(*sizes: int) -> Iterator[Named]:
    """QUBO, sparse and dense."""
    for n in sizes:
        for density in (0.1, 0.5):
            yield f"QUBO {n}, {density:.0%}", qubo(n, density, 0)


def qubo(n: int, density: float, seed: int) -> bc.BinaryMRF:
    """A quadratic function with whole coefficients from -100 to 100, as Beasley draws them."""
    rng = np.random.default_rng(seed)
    edges = np.argwhere(np.triu(rng.random((n, n)) < density, 1))
    unary, pairwise = np.zeros((n, 2)), np.zeros((len(edges), 2, 2))
    unary[:, 1] = rng.integers(-100, 101, n)
    pairwise[:, 1, 1] = 2 * rng.integers(-100, 101, len(edges))
    return bc.BinaryMRF(unary, edges, pairwise)


def instances(options: Options) -> Iterator[Named]:
    """Real instances next to the repository; none if there are none."""
    for path in sorted(options.instances.glob("*.*")):
        if path.suffix != ".md":
            yield path.stem, bc.load(path)
