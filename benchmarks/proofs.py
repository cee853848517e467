"""Proofs: are they right, and how long do they take? ``python -m benchmarks.proofs --models 10000 --seconds 60``.

First, random models of up to 14 variables (ties, no fields and ±1 couplings, integers, reals, mixed scales, hard
constraints), each proven, verified and compared with all labellings. Then, by default settings and one after the other,
body poses and the published instances that are at hand: bound, energy, whether it is proven, seconds; megabytes of the
messages that prove it, and seconds to verify them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import bender_core as bc
from bender_core.synth.pose import body_pose

INSTANCES = Path(__file__).parents[2] / "shared" / "instances"
MOST = 14
POSES = [(candidates, seed) for candidates in (14, 16, 30, 40, 60) for seed in (0, 1, 2)]


def drawn(rng: np.random.Generator) -> bc.BinaryMRF:
    """A model of a random kind."""
    n = int(rng.integers(1, MOST + 1))
    edges = np.argwhere(np.triu(rng.random((n, n)) < rng.choice([0.2, 0.5, 1.0]), 1))
    shape = (len(edges), 2, 2)
    match rng.choice(["reals", "integers", "spins", "scales", "hard"]):
        case "reals":
            unary, pairwise = rng.normal(size=(n, 2)), rng.normal(size=shape)
        case "integers":
            unary, pairwise = rng.integers(-3, 4, (n, 2)).astype(float), rng.integers(-3, 4, shape).astype(float)
        case "spins":
            sign = rng.choice([-1.0, 1.0], len(edges))
            unary, pairwise = np.zeros((n, 2)), sign[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
        case "scales":
            unary = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-6, 7, (n, 1))
            pairwise = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 7, (len(edges), 1, 1))
        case _:
            unary = rng.normal(size=(n, 2))
            pairwise = np.where(rng.random(shape) < 0.1, np.inf, rng.normal(size=shape))
    constant = float(rng.choice([0.0, 0.0, 1e6]))
    return bc.BinaryMRF(unary=unary, edges=edges, pairwise=pairwise, constant=constant)


def least(mrf: bc.BinaryMRF) -> float:
    """The least energy of all labellings."""
    graph = bc.HyperGraph(mrf, bc.manual(mrf, [range(mrf.n)]))
    return mrf.energy(graph.labeling(np.array([graph.problem.phi.argmin()])))


def check(models: int, seed: int) -> None:
    """Prove random models, and count wrong answers."""
    rng, proven, wrong, above, refused = np.random.default_rng(seed), 0, 0, 0, 0
    for k in range(models):
        mrf = drawn(rng)
        max_size = int(rng.integers(1, 9))
        found, optimum = bc.certify(mrf, max_size), least(mrf)
        rounding = found.negligible + 1e-12 * (np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum() + abs(optimum))
        proven += found.optimal
        wrong += found.optimal and found.upper_bound > optimum + rounding
        above += found.lower_bound > optimum + rounding
        refused += verified(found, mrf) is None
        if (k + 1) % 1000 == 0 or k + 1 == models:
            counts = (
                f"{proven} proven, {wrong} wrong, {above} bounds above the optimum, {refused} refused by the checker"
            )
            print(f"{k + 1} models (seed {seed}): {counts}", flush=True)


def verified(found: bc.Certificate, mrf: bc.BinaryMRF) -> float | None:
    """The seconds that the checker takes; None if it refuses the proof, or there is none."""
    begin = time.perf_counter()
    try:
        found.verify(mrf)
    except ValueError as error:
        print(f"{mrf!r}: {error}", flush=True)
        return None
    return time.perf_counter() - begin


def models() -> Iterator[tuple[str, bc.BinaryMRF]]:
    """Poses, and the instances at hand."""
    for candidates, seed in POSES:
        yield f"pose 14×{candidates}, seed {seed}", body_pose(candidates, seed=seed)
    for path in sorted(INSTANCES.glob("*.*")):
        if path.suffix != ".md":
            yield path.name, bc.load(path)


def measure(limit: float) -> None:
    """A line for every model."""
    bc.warm_up()
    print(f"{'model':<34} {'n':>5} {'bound':>16} {'energy':>16}  {'outcome':<20} {'rounds':>6} {'seconds':>8}", end="")
    print(f" {'MB':>8} {'verified':>8}")
    for name, mrf in models():
        found = bc.certify(mrf, time_limit=limit)
        numbers = f"{mrf.n:>5} {found.lower_bound:>16.6f} {found.upper_bound:>16.6f}"
        print(
            f"{name:<34} {numbers}  {found.status:<20} {len(found.rounds):>6} {found.seconds:>8.2f}", end="", flush=True
        )
        size, seconds = 0 if found.proof is None else found.proof.nbytes, verified(found, mrf)
        print(f" {size / 1e6:>8.2f} {'' if seconds is None else f'{seconds:.2f}':>8}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=1000, help="random models to be compared with all labellings")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="the time limit of every other model")
    options = parser.parse_args()
    check(options.models, options.seed)
    measure(options.seconds)


if __name__ == "__main__":
    main()
