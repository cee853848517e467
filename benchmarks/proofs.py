"""Proofs: are they right, and how long do they take? ``python -m benchmarks.proofs --models 10000 --seconds 60``.

First, random models whose least energies are known exactly: those of up to 14 variables (ties, no fields and ±1
couplings, integers, reals, mixed scales, hard constraints), and those in which penalties could hide what matters
(`benchmarks.proving.kinds`), each proven, verified and compared. Then, by default settings and one after the other,
body poses and the published instances that are at hand: bound, energy, whether it is proven, seconds; megabytes of the
messages that prove it, and seconds to verify them.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

import bender_core as bc
from benchmarks.common import table
from benchmarks.proving.kinds import KINDS, Kind
from benchmarks.proving.references import Exact, as_decimal
from bender_core.synth.pose import body_pose
from bender_core.trying.policy import LARGEST

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


DRAWN = {"up to 14 variables": Kind(drawn, 640, 0.1), **KINDS}
# A bound may exceed the least energy by less than this, if that is negligible.
SMALL = 1e-6
COLUMNS = {
    "kind": -38,
    "models": 6,
    "proven": 6,
    "worse": 5,  # proven labellings that cost more than the least energy and what is negligible
    "lower": 5,  # proven labellings that are not the best, by any difference that is meant
    "above": 5,  # bounds above the least energy
    "energy": 6,  # energies that are not those of the labelling, or violations that are not said
    "refused": 7,  # by the checker
    "open": 5,  # not proven
    "seconds": 8,
}


def check(models: int, seed: int, limit: float) -> None:
    """Prove random models, and count wrong answers."""
    row, total = table(COLUMNS), Counter[str]()
    shares = sum(kind.share for kind in DRAWN.values())
    for place, (name, kind) in enumerate(DRAWN.items()):
        counts = Counter[str]()
        for k in range(max(round(models * kind.share / shares), 1)):
            counts += judged(kind, np.random.default_rng([seed, place, k]), limit)
        row(name, *cells(counts))
        total += counts
    row(f"all (seed {seed})", *cells(total))


def cells(counts: Counter[str]) -> Iterator[object]:
    """What a row of the table says of them."""
    for column in list(COLUMNS)[1:]:
        yield counts[column] if column != "seconds" else f"{counts['ns'] / 1e9:.1f}"


def judged(kind: Kind, rng: np.random.Generator, limit: float) -> Counter[str]:
    """Of one model, the columns that count it."""
    mrf = kind.make(rng)
    max_size = int(rng.integers(1, 9)) if mrf.n <= MOST else LARGEST
    begin = time.perf_counter_ns()
    found = bc.certify(mrf, max_size, limit)
    nanoseconds = time.perf_counter_ns() - begin
    exact = Exact(mrf)
    least, energy = exact.least(), exact.energy(found.labeling)
    meant = Exact(mrf, as_decimal) if kind.counts == 0 else exact
    # Beside large coefficients the last digits of decimals are lost: the best in either reading is right.
    excess = min(energy - least, meant.energy(found.labeling) - meant.least())
    tolerated = min(found.negligible, max(kind.counts, SMALL)) + np.spacing(abs(found.lower_bound))
    return Counter(
        models=1,
        proven=found.optimal,
        worse=found.optimal and energy - least > Fraction(found.negligible),
        lower=found.optimal and excess > Fraction(kind.counts),
        above=Fraction(found.lower_bound) - least > Fraction(tolerated),
        energy=found.upper_bound != float(energy) or found.feasible != (mrf.violations(found.labeling) == 0),
        refused=verified(found, mrf) is None,
        open=not found.optimal,
        ns=nanoseconds,
    )


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
    parser.add_argument("--models", type=int, default=1000, help="random models whose least energies are known")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="the time limit of every model")
    options = parser.parse_args()
    bc.warm_up()
    check(options.models, options.seed, options.seconds)
    measure(options.seconds)


if __name__ == "__main__":
    main()
