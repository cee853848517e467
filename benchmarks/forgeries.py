"""Forged proofs and certificates: is one that states something false accepted? ``python -m benchmarks.forgeries``.

Honest certificates of small models, complete and not, by groups and by cycles, are changed in many ways
(`benchmarks.proving.forging`, `benchmarks.proving.cycles`). A proof claims that no labelling costs less than
``lower_bound - negligible``, that its labelling costs ``upper_bound``, and that it is optimal where both are equal.
That is compared with the exact energies of the model. What is accepted is

- *true*: all of that, and ``negligible`` is less than the difference of the best labelling and the next one;
- *hides*: the bound is true because ``negligible`` is so large that it hides that difference;
- *FALSE*: otherwise.

A forgery may be refused though what it claims is true. How many claim what is false, or hides something, is ``lies``.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain

import numpy as np

import bender_core as bc
from benchmarks.common import table
from benchmarks.proving.cycles import CYCLES
from benchmarks.proving.forging import CERTIFICATES, PROOFS, Base, Forger, Ints, base
from benchmarks.proving.kinds import KINDS, Kind, Make, independent_set, near
from bender_core.checking.certificate import EXHAUSTED, OPTIMAL, OUT_OF_MEMORY, OUT_OF_TIME, STOPPED
from bender_core.checking.checker import RefusedError, check_proof
from bender_core.checking.proof import Proof

STATUSES = {EXHAUSTED, OPTIMAL, OUT_OF_MEMORY, OUT_OF_TIME, STOPPED}
HONEST, LIES = "honest", "lies"
REFUSED, TRUE, HIDES, FALSE, ERROR = VERDICTS = ("refused", "true", "hides", "FALSE", "error")
Judged = tuple[str, str]
FORGERS = PROOFS | CYCLES | CERTIFICATES
# What the proofs of a model rest on.
METHODS = ("groups", "cycles", "both")
# Proofs that are looked at for something to forge.
TRIES = 10_000


def dense(rng: np.random.Generator) -> bc.BinaryMRF:
    """Whole energies from -9 to 9, all variables coupled."""
    n = int(rng.integers(6, 12))
    edges = near(n, n, 1.0, rng)
    tables = (rng.integers(-9, 10, shape).astype(float) for shape in ((n, 2), (len(edges), 2, 2)))
    return bc.BinaryMRF(next(tables), edges, next(tables))


def grid(rng: np.random.Generator) -> bc.BinaryMRF:
    """Couplings of ±1 or whole numbers between neighbours of 3 rows of 4, without fields or with some."""
    i, j = np.triu_indices(12, 1)
    kept = ((j - i == 1) & (j % 4 > 0)) | (j - i == 4)
    edges = np.column_stack([i[kept], j[kept]])
    sizes = rng.choice([1.0, 2.0, 3.0][: rng.integers(1, 4)], len(edges)) * rng.choice([-1.0, 1.0], len(edges))
    unary = np.zeros((12, 2))
    unary[:, 1] = rng.integers(-2, 3, 12) * rng.integers(2)
    return bc.BinaryMRF(unary, edges, sizes[:, None, None] * np.array([[0.0, 1.0], [1.0, 0.0]]))


def forced(rng: np.random.Generator) -> bc.BinaryMRF:
    """Two variables, one of them forced by 1000: a table costs 10 or 11, or 0 with the other value."""
    pairwise = np.array([[0.0, rng.permutation([10.0, 11.0])[0]], [21.0, 0.0]])
    pairwise[1, 1] = 21.0 - pairwise[0, 1]
    return bc.BinaryMRF(np.array([[0.0, 0.0], [1000.0, 0.0]]), np.array([[0, 1]]), pairwise[None])


def beside(rng: np.random.Generator) -> bc.BinaryMRF:
    """Energies 0 and 5, beside one of 1e12; in any order, either value."""
    values = rng.permutation([5.0, 1e12])
    return bc.BinaryMRF(np.array([rng.permutation([0.0, value]) for value in values]))


def _small() -> Iterator[tuple[str, Kind]]:
    """Kinds of models whose proofs are short; not those of mixed scales, where what counts is a matter of the rule."""
    for name, kind in KINDS.items():
        if not name.startswith(("mixed", "independent")):
            yield name, kind
    sets: dict[str, Make] = {
        "independent sets 40, 1e4 + 0…9, 6e6": partial(independent_set, 40, 4, 1e4, 6e6),
        "independent sets 30, 1e6 + 0…9, inf": partial(independent_set, 30, 3, 1e6, np.inf),
        "dense, -9…9": dense,
        "grid 3×4, -3…3": grid,
        "10 and 11, the other value forced": forced,
        "0 and 5 beside 1e12": beside,
    }
    for name, make in sets.items():
        yield name, Kind(make, 1, 0.0)


MODELS: Mapping[str, Kind] = dict(_small())


def bases(seed: int, each: int, names: Collection[str] = MODELS, methods: Sequence[str] = METHODS) -> list[Base]:
    """Honest certificates by all methods: a number of models of every kind, groups of 1, 2 and 4 variables in turn."""
    return [
        base(name, kind.make(np.random.default_rng([seed, place, k])), (1, 2, 4)[k % 3], kind.counts, method)
        for place, (name, kind) in enumerate(MODELS.items())
        for k in range(each)
        for method in methods
        if name in names
    ]


# --- what is true -------------------------------------------------------------------------------------------------


def truth(of: Base, proof: Proof) -> Judged:
    """Whether a proof's claims are true, and what is false of them."""
    mrf, x = of.mrf, np.asarray(proof.labeling)
    if proof.model != mrf.content_hash():
        return FALSE, "the proof is of another model"
    if x.shape != (mrf.n,) or not np.isin(x, (0, 1)).all():
        return FALSE, "there is no labelling"
    x = x.astype(np.int64)
    if proof.upper_bound != reported(of, x):
        return FALSE, f"the energy of the labelling is not {proof.upper_bound!r}"
    if not math.isfinite(proof.negligible) or not proof.lower_bound < math.inf:
        return FALSE, "a claim is no number"
    if _is_above(of, proof):
        return FALSE, f"the bound {proof.lower_bound!r} is above the least energy {float(of.least)!r}"
    if proof.negligible >= of.second:
        return HIDES, f"{proof.negligible:.3g} is called negligible, but best and next differ by {float(of.second):.3g}"
    if proof.lower_bound == proof.upper_bound and of.excess(x) > Fraction(of.counts):
        return HIDES, f"the optimal labelling costs {float(of.excess(x)):.3g} more than another one"
    return TRUE, ""


def _is_above(of: Base, proof: Proof) -> bool:
    """Whether the bound lies above the least energy, and above what that is rounded to, by more than is negligible."""
    if proof.lower_bound == -math.inf:
        return False
    return Fraction(proof.lower_bound) - Fraction(proof.negligible) > max(of.least, Fraction(float(of.least)))


def reported(of: Base, x: Ints) -> float:
    """The energy of a labelling, rounded once; above `top` if and only if it violates a hard constraint."""
    energy = float(of.exact.energy(x))
    return max(energy, math.nextafter(of.mrf.top, math.inf)) if of.mrf.violations(x) else min(energy, of.mrf.top)


def truth_of_certificate(of: Base, found: bc.Certificate) -> Judged:
    """Whether what a certificate says is true, and what is false of it."""
    said = {name: getattr(found, name) for name in ("labeling", "lower_bound", "upper_bound", "negligible")}
    verdict, why = truth(of, replace(of.proof, **said))
    if verdict == FALSE:
        return verdict, why
    if found.optimal != (found.lower_bound == found.upper_bound):
        return FALSE, f"its bounds meet, or do not; optimal: {found.optimal}"
    if found.feasible != (of.mrf.violations(found.labeling) == 0):
        return FALSE, f"hard constraints are violated, or are not; feasible: {found.feasible}"
    if found.open_variables != of.certificate.open_variables:
        return FALSE, f"{of.certificate.open_variables} variables are open, not {found.open_variables}"
    if found.status not in STATUSES or (found.status == OPTIMAL) != found.optimal:
        return FALSE, f"the status is not {found.status!r}"
    for each in found.rounds:
        if each.lower_bound - found.negligible > float(of.least) or each.upper_bound < float(of.least):
            return FALSE, f"no round has had the bounds {each.lower_bound!r} and {each.upper_bound!r}"
        if each.variables > of.mrf.n or each.fixed + each.tied > each.variables:
            return FALSE, f"no round has decided {each.fixed} and {each.tied} of {each.variables} variables"
    return verdict, why


# --- forging ------------------------------------------------------------------------------------------------------


def forged(name: str, known: Sequence[Base], rng: np.random.Generator) -> tuple[Base, Proof | bc.Certificate]:
    """A forgery of a kind, of any of these for which there is one."""
    for _ in range(TRIES):
        of = known[int(rng.integers(len(known)))]
        # Steps of a model of the same size are more likely to fit.
        others = [each for each in known if each is not of and each.mrf.n == of.mrf.n] or known
        other = others[int(rng.integers(len(others)))]
        with warnings.catch_warnings(action="ignore"):
            found = FORGERS[name](Forger(rng, of, other))
        if found is not None:
            return of, found
    raise ValueError(f"none of these proofs has what is forged by {name!r}")


def outcome(of: Base, found: Proof | bc.Certificate) -> Judged:
    """What becomes of a forgery, and why."""
    try:
        with warnings.catch_warnings(action="ignore"):
            if isinstance(found, Proof):
                check_proof(of.mrf, found)
            else:
                found.verify(of.mrf)
    except RefusedError as error:
        return REFUSED, str(error)
    except Exception as error:  # whatever it is, it is not what `check_proof` promises
        return ERROR, f"{type(error).__name__}: {error}"
    return judged(of, found)


def judged(of: Base, found: Proof | bc.Certificate) -> Judged:
    """Whether a proof, or a certificate, says what is true."""
    return truth(of, found) if isinstance(found, Proof) else truth_of_certificate(of, found)


def campaign(
    known: Sequence[Base], count: int, seed: int, names: Sequence[str] = tuple(FORGERS)
) -> Iterator[tuple[str, Base, bool, str, str]]:
    """A number of forgeries, of all kinds in turn: kind, model, whether it lies, outcome, and why."""
    for k in range(count):
        name = names[k % len(names)]
        of, found = forged(name, known, np.random.default_rng([seed, k]))
        yield name, of, judged(of, found)[0] != TRUE, *outcome(of, found)


def main() -> None:
    """Print what became of the forgeries, kind by kind, and for each kind the first one that should not have passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000, help="forgeries, of all kinds in turn")
    parser.add_argument("--models", type=int, default=6, help="honest proofs of every kind of models")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default="", help="only those whose names contain this")
    options = parser.parse_args()
    names = [name for name in FORGERS if options.kinds in name]
    if not names:
        parser.error(f"no kind has {options.kinds!r} in its name; there are {', '.join(FORGERS)}")
    bc.warm_up()
    known = bases(options.seed, options.models)
    seen = {name: Counter[str]() for name in (HONEST, *names)}
    wrong: dict[tuple[str, str], str] = {}
    honest = ((HONEST, of, False, *outcome(of, of.certificate)) for of in known)
    for name, of, lies, verdict, why in chain(honest, campaign(known, options.count, options.seed, names)):
        seen[name] += Counter({LIES: lies, verdict: 1})
        if verdict != TRUE and (verdict != REFUSED or name == HONEST):
            wrong.setdefault((name, verdict), f"{of.name}: {why}")
    row = table({"kind": -32, "forgeries": 9, LIES: 8, **dict.fromkeys(VERDICTS, 8)})
    seen["all forgeries"] = sum((seen[name] for name in names), Counter[str]())
    for name, counts in seen.items():
        row(name, counts.total() - counts[LIES], *(counts[column] for column in (LIES, *VERDICTS)))
    for (name, verdict), why in sorted(wrong.items()):
        print(f"{name}, {verdict}: {why}")


if __name__ == "__main__":
    main()
