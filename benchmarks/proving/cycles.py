"""Forgeries of steps by cycles: sets of edges that are no frustrated cycles, and shares that nobody lends.

Such a set takes what its edges have left, and the bound that would follow is claimed: a checker that forgets to look
would believe it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchmarks.proving.forging import Changed, Forger, Ints, at
from bender_core.checking.left import Remainder
from bender_core.checking.proof import CycleStep, Proof

Pair = tuple[int, int]
Change = Callable[[Forger, CycleStep], Changed]
# Of the sum of all costs: more than the rounding error of a bound.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Signed:
    """What the steps before one have left, as a constant and edges: docs/cycles.md §1.

    Attributes
    ----------
    base : float
        The energy if every edge has what it wants.
    weight : dict
        By edge, lower end first; above 0 if it wants opposite ends.
    """

    base: float
    weight: dict[Pair, float]

    def rest(self, step: CycleStep) -> dict[Pair, float]:
        """What every edge has left of its cost."""
        left = {pair: 2 * abs(weight) for pair, weight in self.weight.items()}
        for cycle, share in zip(step.cycles, step.shares.tolist(), strict=False):
            for i, j in cycle.tolist():
                pair = min(i, j), max(i, j)
                left[pair] = left.get(pair, 0.0) - share
        return left

    def bound(self, step: CycleStep) -> float:
        """The bound by a step, if its cycles were frustrated ones."""
        size = abs(self.base) + 2 * sum(map(abs, self.weight.values()))
        lent = [*step.shares.tolist(), *(min(left, 0.0) for left in self.rest(step).values())]
        return float(self.base + sum(lent) - ROUNDING * size)

    def is_odd(self, pairs: set[Pair]) -> bool:
        """Whether an odd number of edges want opposite ends."""
        return sum(self.weight[pair] > 0 for pair in pairs) % 2 == 1


def signed(f: Forger, k: int) -> Signed:
    """What the steps before a place have left."""
    left, ghost = Remainder(f.of.mrf, f.proof), f.of.mrf.n
    for step in f.proof.steps[:k]:
        left.take(step)
    found = left.polynomial
    linear = found.linear / 2
    for end in found.pairs.T:
        np.add.at(linear, end, found.coupling / 4)
    weight = {(i, ghost): field for i, field in enumerate(linear.tolist()) if field}
    weight |= {(i, j): each / 4 for (i, j), each in zip(found.pairs.tolist(), found.coupling.tolist(), strict=True)}
    base = f.proof.upper_bound + found.excess + float(found.linear.sum() / 2 + found.coupling.sum() / 4)
    return Signed(base - sum(map(abs, weight.values())), weight)


def before(f: Forger, step: CycleStep) -> Signed:
    """What the steps before an honest one have left."""
    return signed(f, f.proof.steps.index(step))


def pairs_of(cycle: Ints) -> set[Pair]:
    """Its edges, lower end first."""
    return {(min(i, j), max(i, j)) for i, j in cycle.tolist()}


def edges_of(pairs: set[Pair]) -> Ints:
    """A cycle of these edges."""
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def with_cycle(f: Forger, step: CycleStep, k: int, cycle: Ints) -> Changed:
    """Another cycle at a place, with the same share, or with what its edges have left, too."""
    if k < len(step.cycles):
        shares = step.shares.copy()
        cycles = (*step.cycles[:k], cycle, *step.cycles[k + 1 :])
    else:
        cycles, shares = (*step.cycles, cycle), np.append(step.shares, 0.0)
    left = before(f, step).rest(replace(step, cycles=cycles, shares=shares))
    least = min((left[pair] for pair in pairs_of(cycle)), default=float(f.of.second))
    shares[k] += f.one_of(0.0, 1.0, 1.0, f.rng.random()) * max(least, 0.0)
    return {"cycles": cycles, "shares": shares}


def _other(f: Forger, step: CycleStep, change: Callable[[Forger, CycleStep, Ints], Ints | None]) -> Changed:
    """Another set of edges in place of a cycle."""
    if not step.cycles:
        return None
    k = int(f.rng.integers(len(step.cycles)))
    found = change(f, step, step.cycles[k])
    return None if found is None else with_cycle(f, step, k, found)


# --- sets of edges that are no cycles -----------------------------------------------------------------------------


def edge_dropped(f: Forger, step: CycleStep, cycle: Ints) -> Ints:
    """One, or all."""
    kept = np.arange(len(cycle)) != f.rng.integers(len(cycle))
    return cycle[kept] if f.rng.random() < 0.8 else cycle[:0]


def edge_added(f: Forger, step: CycleStep, cycle: Ints) -> Ints | None:
    """One or some of the model's."""
    others = sorted(before(f, step).weight.keys() - pairs_of(cycle))
    if not others:
        return None
    chosen = f.rng.permutation(others)[: f.rng.integers(1, 4)]
    return np.concatenate([cycle, chosen])


def edge_exchanged(f: Forger, step: CycleStep, cycle: Ints) -> Ints | None:
    """For another one of the model."""
    return edge_added(f, step, np.delete(cycle, f.rng.integers(len(cycle)), axis=0))


def edge_unknown(f: Forger, step: CycleStep, cycle: Ints) -> Ints:
    """To a variable that it has no edge to, that is decided, or that does not exist; or to itself."""
    n, found = f.of.mrf.n, cycle.copy()
    e, end = f.rng.integers(len(cycle)), f.rng.integers(2)
    found[e, end] = f.one_of(-1, n, n + 1, 1 << 40, (1 << 63) - 1, -(1 << 63), f.rng.integers(n), cycle[e, 1 - end])
    return found


def edge_twice(f: Forger, step: CycleStep, cycle: Ints) -> Ints:
    """Once or twice more, perhaps the other way round."""
    more = np.repeat(cycle[f.rng.integers(len(cycle))][None], f.rng.integers(1, 3), axis=0)
    return np.concatenate([cycle, f.one_of(more, more[:, ::-1])])


def satisfied(f: Forger, step: CycleStep, cycle: Ints) -> Ints | None:
    """Closed, but some labelling breaks none of its edges: an edge makes a detour over another variable."""
    among = before(f, step)
    i, j = cycle[f.rng.integers(len(cycle))].tolist()
    for k in f.rng.permutation(f.of.mrf.n + 1).tolist():
        around = pairs_of(np.array([[i, j], [i, k], [k, j]]))
        found = pairs_of(cycle) ^ around
        if len(around) == 3 and around <= among.weight.keys() and not among.is_odd(found):
            return edges_of(found)
    return None


def two_as_one(f: Forger, step: CycleStep, cycle: Ints) -> Ints | None:
    """The edges that only one of two cycles has: closed, but an even number of them want opposite ends."""
    found = pairs_of(cycle) ^ pairs_of(f.one_of(*step.cycles))
    return edges_of(found) if found else None


def triangles(f: Forger, among: Signed, frustrated: bool) -> list[set[Pair]]:
    """Some of the model, all frustrated, or none."""
    drawn = (sorted(f.rng.permutation(f.of.mrf.n + 1)[:3].tolist()) for _ in range(50))
    found = ({(i, j), (i, k), (j, k)} for i, j, k in drawn)
    return [each for each in found if each <= among.weight.keys() and among.is_odd(each) == frustrated]


def invented(f: Forger, step: CycleStep) -> Changed:
    """One edge that is no cycle, or a triangle of which some labelling breaks none: that with the most left of many."""
    among = before(f, step)
    left = among.rest(step)
    found = [*([{pair} for pair, weight in among.weight.items() if weight > 0]), *triangles(f, among, False)]
    if not found:
        return None
    chosen = f.rng.permutation(len(found))[:10].tolist()
    best = max((found[k] for k in chosen), key=lambda pairs: min(left[pair] for pair in pairs))
    return with_cycle(f, step, len(step.cycles), edges_of(best))


def of_another_model(f: Forger, step: CycleStep) -> Changed:
    """All cycles, with or without their shares."""
    theirs = [each for each in f.other.proof.steps if isinstance(each, CycleStep) and each.cycles]
    if not theirs or f.other.mrf.n != f.of.mrf.n:
        return None
    other = theirs[f.rng.integers(len(theirs))]
    fits = f.rng.random() < 0.5 and len(step.shares) > 0
    return {"cycles": other.cycles, "shares": np.resize(step.shares, len(other.cycles)) if fits else other.shares}


# --- shares -------------------------------------------------------------------------------------------------------


def _raised(low: float, high: float, f: Forger, step: CycleStep) -> Changed:
    """One or all, by a power of 10 between two exponents, as a share of what they are."""
    if not len(step.shares):
        return None
    where = f.one_of(slice(None), f.rng.integers(len(step.shares)))
    shares = step.shares.copy()
    shares[where] *= 1.0 + f.between(low, high)
    return {"shares": shares}


def share_no_number(f: Forger, step: CycleStep) -> Changed:
    """One or all; or so large that sums overflow."""
    return _with_share(f, step, f.one_of(math.nan, math.inf, -math.inf, 1e308, 1.7e308))


def share_negative(f: Forger, step: CycleStep) -> Changed:
    """By little or much; -0 is none."""
    return _with_share(f, step, -f.one_of(0.0, 5e-324, 1e-9, float(f.of.second), f.between(-6, 12), 1.7e308))


def share_lent_back(f: Forger, step: CycleStep) -> Changed:
    """A triangle gives its edges what other cycles take; the best of a few."""
    among = before(f, step)
    found = [_lending(f, among, step, triangle) for triangle in triangles(f, among, True)[:4]]
    best = max(found, key=among.bound, default=None)
    return None if best is None else {"cycles": best.cycles, "shares": best.shares}


def _lending(f: Forger, among: Signed, step: CycleStep, triangle: set[Pair]) -> CycleStep:
    def beside(now: CycleStep, cycle: Ints, share: float) -> CycleStep:
        return replace(now, cycles=(*now.cycles, cycle), shares=np.append(now.shares, share))

    now = beside(step, edges_of(triangle), -float(f.of.second))
    for cycle in step.cycles:
        if len(pairs_of(cycle) & triangle) == 1:
            left = among.rest(now)
            now = beside(now, cycle, max(min(left[pair] for pair in pairs_of(cycle)), 0.0))
    return now


def _with_share(f: Forger, step: CycleStep, share: float) -> Changed:
    if not len(step.shares):
        return None
    shares = step.shares.copy()
    shares[f.one_of(slice(None), f.rng.integers(len(shares)))] = share
    return {"shares": shares}


def shares_misplaced(f: Forger, step: CycleStep) -> Changed:
    """In another order, one too many or too few."""
    if not len(step.shares):
        return None
    shares = step.shares
    return {"shares": f.one_of(f.rng.permutation(shares), shares[::-1], shares[1:], np.append(shares, shares[0]))}


def cycle_repeated(f: Forger, step: CycleStep) -> Changed:
    """One or all, with the same shares: edges lend more than they have."""
    if not step.cycles:
        return None
    k = int(f.rng.integers(len(step.cycles)))
    chosen = f.one_of(slice(None), slice(k, k + 1))
    return {"cycles": step.cycles + step.cycles[chosen], "shares": np.append(step.shares, step.shares[chosen])}


# --- what is claimed ----------------------------------------------------------------------------------------------


def believed(f: Forger, proof: Proof) -> Proof:
    """A forgery that claims the bound that its step seems to prove."""
    k = next(k for k, step in enumerate(proof.steps) if step is not f.proof.steps[k])
    step, labeling = proof.steps[k], f.one_of(f.worse(), f.proof.labeling)
    assert isinstance(step, CycleStep)
    upper, lower = f.of.mrf.energy(labeling), signed(f, k).bound(step)
    if not lower < upper:
        return f.as_optimal(proof, labeling)
    return replace(proof, labeling=labeling, lower_bound=lower, upper_bound=upper)


def _of_step(change: Change) -> Callable[[Forger], Proof | None]:
    def forge(f: Forger) -> Proof | None:
        proof = at(CycleStep, change)(f)
        return proof if proof is None or f.rng.random() < 0.4 else believed(f, proof)

    return forge


def _of_cycle(change: Callable[[Forger, CycleStep, Ints], Ints | None]) -> Callable[[Forger], Proof | None]:
    return _of_step(partial(_other, change=change))


CYCLES: dict[str, Callable[[Forger], Proof | None]] = {
    "cycles: edge dropped": _of_cycle(edge_dropped),
    "cycles: edge added": _of_cycle(edge_added),
    "cycles: edge exchanged": _of_cycle(edge_exchanged),
    "cycles: edge unknown": _of_cycle(edge_unknown),
    "cycles: edge twice": _of_cycle(edge_twice),
    "cycles: satisfied": _of_cycle(satisfied),
    "cycles: two as one": _of_cycle(two_as_one),
    "cycles: invented": _of_step(invented),
    "cycles: of another model": _of_step(of_another_model),
    "cycles: repeated": _of_step(cycle_repeated),
    "shares: raised by little": _of_step(partial(_raised, -16, -3)),
    "shares: raised by much": _of_step(partial(_raised, -1, 12)),
    "shares: negative": _of_step(share_negative),
    "shares: lent back": _of_step(share_lent_back),
    "shares: no number": _of_step(share_no_number),
    "shares: misplaced": _of_step(shares_misplaced),
}
