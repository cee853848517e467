"""Good labellings: each way to search alone against both, and proofs by how much of their work the search takes."""

from __future__ import annotations

from collections.abc import Iterator

import bender_core as bc
from benchmarks.common import Options, table
from benchmarks.proving.models import Named, instances, qubo
from bender_core.kernels.search.elimination import move_on
from bender_core.kernels.search.tabu import flip_on
from bender_core.labelings import improving
from bender_core.labelings.searching import LabelingSearch
from bender_core.synth import body_pose, chimera, ising_grid

SHARES = (0.0, 0.02, 0.05, 0.1, 0.2)
WORK, SEEDS = 400_000_000, range(5)
LIMIT = 20.0


def run(options: Options) -> None:
    """Print two tables."""
    _searches(options)
    _proofs(options)


def _searches(options: Options) -> None:
    print(f"Energies found from nothing by {WORK / 1e6:g} million entries: best and mean of {len(SEEDS)} seeds")
    row = table({"model": -28, "n": 4, "couplings": 9, "tabu": 25, "elimination": 25, "both": 25})
    for name, mrf in _models(options):
        ways = [[_energy(mrf, seed, way) for seed in SEEDS] for way in (flip_on, move_on, None)]
        said = [f"{min(found):.6g} {sum(found) / len(found):.6g}" for found in ways]
        row(name, mrf.n, mrf.n_edges, *said)


def _energy(mrf: bc.BinaryMRF, seed: int, way: object) -> float:
    """The energy found by one way alone, or by both."""
    search = LabelingSearch(mrf, mrf.unary.argmin(axis=1), seed)
    if way is not None:
        search._methods = [method for method in search._methods if method.go_on is way]
    search.go_on(WORK)
    return mrf.energy(search.labeling)


def _proofs(options: Options) -> None:
    limit = options.seconds(LIMIT)
    print(f"\nSeconds to the proof, by the share of its work that goes into the search; else the gap after {limit:g} s")
    row = table({"model": -28, "n": 4, "couplings": 9} | {f"{share:.0%}": 9 for share in SHARES})
    proven, seconds = dict.fromkeys(SHARES, 0), dict.fromkeys(SHARES, 0.0)
    share, least = improving.SHARE, improving.LEAST
    for name, mrf in _models(options):
        said = []
        for tried in SHARES:
            # Without a share there is no first search either.
            improving.SHARE, improving.LEAST = tried, least if tried else 0
            found = bc.certify(mrf, time_limit=limit)
            proven[tried] += found.optimal
            seconds[tried] += found.seconds if found.optimal else 0.0
            gap = found.upper_bound - found.lower_bound
            said.append(f"{found.seconds:.2f} s" if found.optimal else f"{gap:.4g}")
        row(name, mrf.n, mrf.n_edges, *said)
    improving.SHARE, improving.LEAST = share, least
    row("proven", "", "", *proven.values())
    row("in seconds together", "", "", *(f"{spent:.1f}" for spent in seconds.values()))
    print()


def _models(options: Options) -> Iterator[Named]:
    """Body poses, spin glasses, QUBO, and instances next to the repository."""
    for candidates in (16, 40):
        for seed in (0, 1):
            yield f"pose 14×{candidates}, seed {seed}", body_pose(candidates=candidates, seed=seed)
    for seed in (0, 1):
        yield f"±J torus 10×10, seed {seed}", ising_grid(10, 10, torus=True, seed=seed)
    for seed in (0, 1):
        yield f"±J grid 20×20, seed {seed}", ising_grid(20, 20, seed=seed)
    yield "Gaussian torus 20×20", ising_grid(20, 20, torus=True, coupling="gaussian")
    yield "the same in a field", ising_grid(20, 20, torus=True, coupling="gaussian", field=0.5)
    yield "Gaussian torus 30×30", ising_grid(30, 30, torus=True, coupling="gaussian")
    yield "Gaussian Chimera 8×8", chimera(8, 8, coupling="gaussian")
    yield "Gaussian glass 5×5×5", ising_grid(5, 5, layers=5, coupling="gaussian")
    for n, density in ((50, 0.1), (50, 0.5), (100, 0.1), (100, 0.5), (200, 0.02), (200, 0.5)):
        yield f"QUBO {n}, {density:.0%}", qubo(n, density, 0)
    yield from instances(options)
