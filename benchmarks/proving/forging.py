"""Forgeries of proofs and certificates: honest ones, changed in one of many ways, mostly to claim what is false.

A forger changes one thing. Those that change steps claim something as well, since a proof with a wrong step and an
honest claim may hold: another labelling as the optimum, or a higher bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import bender_core as bc
from benchmarks.proving.references import Exact, as_decimal
from bender_core.checking.proof import CycleStep, Proof, Step

Ints = NDArray[np.int64]
# Of a step, by name; None if there is nothing to change.
Changed = dict[str, Any] | None
AnyStep = TypeVar("AnyStep", Step, CycleStep)
# Up to this many variables the energies of all labellings are found.
MOST = 12
_NO_EDGES, _NO_TIES = np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64)


@dataclass(frozen=True)
class Base:
    """An honest certificate, and what is true of its model.

    Attributes
    ----------
    name : str
    mrf : BinaryMRF
    certificate : Certificate
    exact, meant : Exact
        The energy as floats have it, and as it is meant: they differ where coefficients are decimals.
    least, best : Fraction
        The least energy of both.
    counts : float
        Differences of energies that are larger count.
    second : Fraction
        The least excess over the least energy that counts, of all labellings; of large models, of those that are best
        among all that give a variable one of its values.
    """

    name: str
    mrf: bc.BinaryMRF
    certificate: bc.Certificate
    exact: Exact
    meant: Exact
    least: Fraction
    best: Fraction
    counts: float
    second: Fraction

    @property
    def proof(self) -> Proof:
        """That of the certificate."""
        assert self.certificate.proof is not None
        return self.certificate.proof

    def excess(self, labeling: Ints) -> Fraction:
        """What a labelling costs more than the best, in floats or as it is meant: one that is the best in either is."""
        return min(self.exact.energy(labeling) - self.least, self.meant.energy(labeling) - self.best)


def base(name: str, mrf: bc.BinaryMRF, max_size: int, counts: float, method: str = "groups") -> Base:
    """What is claimed of a model, and what is true."""
    certificate, exact = bc.certify(mrf, max_size, method=method), Exact(mrf)
    meant = Exact(mrf, as_decimal) if counts == 0 else exact
    best = meant.least()
    known = meant.energies() if mrf.n <= MOST else [meant.least(s, i) for i in range(mrf.n) for s in (0, 1)]
    second = min(energy - best for energy in known if energy - best > Fraction(counts))
    return Base(name, mrf, certificate, exact, meant, exact.least(), best, counts, second)


@dataclass(frozen=True)
class Forger:
    """What a forgery is made of: an honest certificate, another one, and chance."""

    rng: np.random.Generator
    of: Base
    other: Base

    @property
    def proof(self) -> Proof:
        """The honest one."""
        return self.of.proof

    def one_of(self, *choices: Any) -> Any:
        """Any of them."""
        return choices[self.rng.integers(len(choices))]

    def between(self, low: float, high: float) -> float:
        """A power of 10 between two exponents."""
        return float(10.0 ** self.rng.uniform(low, high))

    def worse(self) -> Ints:
        """A labelling near the honest one that costs more than the best; the cheapest of a few."""
        found = []
        for _ in range(8):
            x = self.proof.labeling.copy()
            x[self.rng.integers(self.of.mrf.n, size=self.rng.integers(1, 4))] ^= 1
            found.append((self.of.mrf.energy(x), tuple(x)))
        return np.array(min(found)[1])

    def as_optimal(self, proof: Proof, labeling: Ints) -> Proof:
        """A proof that claims that a labelling is optimal."""
        energy = self.of.mrf.energy(labeling)
        return replace(proof, labeling=labeling, lower_bound=energy, upper_bound=energy)

    def claiming(self, proof: Proof) -> Proof:
        """A proof that claims more than the honest one, or the same."""
        match self.rng.integers(4):
            case 0:
                return proof
            case 1:
                return self.as_optimal(proof, proof.labeling)
            case 2:
                return self.as_optimal(proof, self.worse())
        labeling = self.worse()
        upper = self.of.mrf.energy(labeling)
        least = float(self.of.least)
        lower = least + (upper - least) * self.rng.random()
        return replace(proof, labeling=labeling, lower_bound=lower, upper_bound=upper)

    def place(self) -> int:
        """Of a step."""
        return int(self.rng.integers(len(self.proof.steps)))

    def step(self, k: int) -> Step | CycleStep:
        """The step at a place."""
        return self.proof.steps[k]

    def undecided(self, k: int) -> Ints:
        """The variables that no step up to a place has decided, nor this one tied another one to."""
        gone = [part for step in self.proof.steps[: k + 1] for part in (step.fixed[:, 0], step.tied[:, 1])]
        return np.setdiff1d(np.arange(self.of.mrf.n), np.concatenate([*gone, self.step(k).tied[:, 0]]))

    def with_step(self, k: int, **changed: Any) -> Proof:
        """A proof that claims something, with another step at a place."""
        steps = list(self.proof.steps)
        steps[k] = replace(steps[k], **changed)
        return self.claiming(replace(self.proof, steps=tuple(steps)))


# --- what is claimed ----------------------------------------------------------------------------------------------


def tolerance_raised(f: Forger) -> Proof:
    """So far that another labelling may pass for the best."""
    proof = replace(f.proof, negligible=f.proof.negligible * f.between(0.0, 14.0))
    return f.as_optimal(proof, f.one_of(f.worse(), f.proof.labeling))


def tolerance_of_all(f: Forger) -> Proof:
    """A share of all coefficients together, among them penalties; with a step that says what is to be believed."""
    mrf = f.of.mrf
    size = float(np.abs(np.diff(mrf.unary, axis=1)).sum() + np.abs(mrf.coupling()).sum())
    proof = replace(f.proof, negligible=size * f.one_of(1e-10, 5e-10, 1e-9, 1.999e-9, 2e-9, 1e-8))
    if f.rng.random() < 0.5:
        proof = replace(proof, steps=(all_fixed(f, f.proof.labeling),))
    return f.as_optimal(proof, f.one_of(f.worse(), f.proof.labeling))


def tolerance_by_a_cap(f: Forger) -> Proof | None:
    """A cap so low that the energies of the capped model differ by more; all its labellings are tried."""
    mrf = f.of.mrf
    if mrf.n > MOST:
        return None
    above = [np.unique(each - each.min()) for each in (*mrf.unary, *mrf.pairwise)]
    caps = np.unique(np.concatenate(above))[1:]
    cap = float(f.rng.choice(caps)) if len(caps) else 1.0
    step = Step((np.arange(mrf.n),), _NO_EDGES, np.zeros(0), np.zeros((0, 2), np.int64), _NO_TIES, 0.0)
    negligible = cap * f.one_of(0.25, 0.125, 2.0**-6)
    return f.as_optimal(replace(f.proof, steps=(step,), cap=cap, negligible=negligible), f.worse())


def tolerance_no_number(f: Forger) -> Proof:
    """Or below 0."""
    return f.claiming(replace(f.proof, negligible=f.one_of(math.nan, math.inf, -math.inf, -1.0, -1e-9, -5e-324)))


def bound_by_rounding(f: Forger) -> Proof:
    """An ulp or a few above the honest one, above the least energy, or above the energy of the labelling."""
    lower = f.one_of(f.proof.lower_bound, float(f.of.least), f.proof.upper_bound)
    for _ in range(f.rng.integers(1, 5)):
        lower = math.nextafter(lower, math.inf)
    return replace(f.proof, lower_bound=lower)


def bound_by_little(f: Forger) -> Proof:
    """By what is negligible, a few times."""
    lower = f.one_of(f.proof.lower_bound, float(f.of.least))
    return replace(f.proof, lower_bound=lower + f.one_of(0.5, 1.5, 3.0, 10.0, 100.0) * f.proof.negligible)


def bound_by_much(f: Forger) -> Proof:
    """Of a proof for another labelling."""
    labeling = f.one_of(f.worse(), f.proof.labeling)
    upper = f.of.mrf.energy(labeling)
    lower = float(f.of.least) + f.rng.uniform(-0.2, 1.2) * (upper - float(f.of.least))
    return replace(f.proof, labeling=labeling, upper_bound=upper, lower_bound=lower)


def bound_closed(f: Forger) -> Proof:
    """A proof with some of its steps that claims to be complete."""
    kept = f.proof.steps[: f.rng.integers(len(f.proof.steps) + 1)]
    return f.as_optimal(replace(f.proof, steps=kept), f.one_of(f.worse(), f.proof.labeling))


def labeling_worse(f: Forger) -> Proof:
    """Another one is optimal."""
    return f.as_optimal(f.proof, f.worse())


def labeling_of_other_energy(f: Forger) -> Proof:
    """Its energy is misreported."""
    upper = f.proof.upper_bound
    change = f.one_of(math.ulp(upper), float(f.of.second), f.between(-9, 12)) * f.one_of(-1.0, 1.0)
    lower = f.one_of(min(f.proof.lower_bound, upper + change), upper + change)
    return replace(f.proof, upper_bound=upper + change, lower_bound=lower)


def labeling_malformed(f: Forger) -> Proof:
    """None at all."""
    x, n = f.proof.labeling, f.of.mrf.n
    made = f.one_of(x[1:], np.append(x, 0), x * 2 + 2, x - 1, x[None], x[:0], x + 0.5, np.full(n, np.nan))
    return replace(f.proof, labeling=made)


# --- what the steps decide ----------------------------------------------------------------------------------------


def all_fixed(f: Forger, labeling: Ints) -> Step:
    """A step without messages that gives every variable the value of a labelling."""
    alone = tuple(np.array([i]) for i in range(f.of.mrf.n))
    fixed = np.column_stack([np.arange(len(labeling)), labeling])
    return Step(alone, _NO_EDGES, np.zeros(0), fixed, _NO_TIES, f.one_of(0.0, float(f.of.second)))


def fixed_flipped(f: Forger) -> Proof | None:
    """A variable has the other value."""
    k = f.place()
    fixed = f.step(k).fixed.copy()
    if not len(fixed):
        return None
    fixed[f.rng.integers(len(fixed)), 1] ^= 1
    return f.with_step(k, fixed=fixed)


def fixed_added(f: Forger) -> Proof | None:
    """Values of some or all others, those of a labelling that is worse; it is claimed to be optimal."""
    k, labeling = f.place(), f.worse()
    others = f.rng.permutation(f.undecided(k))
    if not len(others):
        return None
    chosen = others[: f.rng.integers(1, len(others) + 1)]
    added = np.column_stack([chosen, labeling[chosen]])
    found = f.with_step(k, fixed=np.concatenate([f.step(k).fixed, added]))
    return f.as_optimal(found, labeling)


def ties_flipped(f: Forger) -> Proof | None:
    """Equal variables are opposite."""
    k = f.place()
    tied = f.step(k).tied.copy()
    if not len(tied):
        return None
    tied[f.rng.integers(len(tied)), 2] ^= 1
    return f.with_step(k, tied=tied)


def ties_added(f: Forger) -> Proof | None:
    """Two variables that the honest labelling has, or not: in one group, or in two."""
    k = f.place()
    others = f.rng.permutation(f.undecided(k))
    if len(others) < 2:
        return None
    added = np.array([[*others[:2], f.rng.integers(2)]])
    return f.with_step(k, tied=np.concatenate([f.step(k).tied, added]))


def lattice_coarser(f: Forger) -> Proof:
    """So that bounds are rounded up far."""
    second = float(f.of.second)
    step = f.one_of(second * f.one_of(1.0, 1.5, 2.0, 10.0), 1.0, 5.0, f.between(-6, 16), 1e12, 0.37)
    return f.with_step(f.place(), lattice=step)


def lattice_extreme(f: Forger) -> Proof:
    """No distance, or one that floats cannot count with."""
    step = f.one_of(5e-324, 1e-310, 1e-200, 1e200, 1.7e308, math.inf, math.nan, -1.0, -math.inf)
    return f.with_step(f.place(), lattice=step)


# --- the steps themselves -----------------------------------------------------------------------------------------


def steps_dropped(f: Forger) -> Proof:
    """One or some."""
    kept = tuple(step for step in f.proof.steps if f.rng.random() < 0.6)
    return f.claiming(replace(f.proof, steps=kept))


def steps_out_of_order(f: Forger) -> Proof | None:
    """Those that decide something before what they follow from."""
    if len(f.proof.steps) < 2:
        return None
    order = f.rng.permutation(len(f.proof.steps))
    return f.claiming(replace(f.proof, steps=tuple(f.proof.steps[k] for k in order)))


def steps_repeated(f: Forger) -> Proof:
    """At once, or later."""
    steps = list(f.proof.steps)
    steps.insert(f.rng.integers(len(steps) + 1), steps[f.place()])
    return f.claiming(replace(f.proof, steps=tuple(steps)))


def steps_of_another_model(f: Forger) -> Proof:
    """Some or all; or the whole proof, under the name of this model or its own; or only that name."""
    theirs = f.other.proof
    match f.rng.integers(5):
        case 0:
            return theirs
        case 1:
            return replace(theirs, model=f.proof.model)
        case 2:
            return replace(f.proof, model=theirs.model)
        case 3:
            return f.claiming(replace(f.proof, steps=theirs.steps))
    k = f.place()
    steps = (*f.proof.steps[:k], f.one_of(*theirs.steps), *f.proof.steps[k + 1 :])
    return f.claiming(replace(f.proof, steps=steps))


def at(kind: type[AnyStep], change: Callable[[Forger, AnyStep], Changed]) -> Callable[[Forger], Proof | None]:
    """A forger that changes any step of a kind."""

    def forge(f: Forger) -> Proof | None:
        found = [(k, step) for k, step in enumerate(f.proof.steps) if isinstance(step, kind)]
        if not found:
            return None
        k, step = found[f.rng.integers(len(found))]
        changed = change(f, step)
        return None if changed is None else f.with_step(k, **changed)

    return forge


# --- what a step by messages rests on ---------------------------------------------------------------------------------


def messages_perturbed(f: Forger, step: Step) -> Changed:
    """By noise, by a factor, at one place, or in another order."""
    messages = step.messages.copy()
    if not len(messages):
        return None
    match f.rng.integers(4):
        case 0:
            messages += f.between(-12, 3) * f.rng.normal(size=len(messages))
        case 1:
            messages *= f.rng.normal(1.0, f.between(-9, 1))
        case 2:
            messages[f.rng.integers(len(messages))] += f.one_of(-1.0, 1.0) * f.between(-12, 12)
        case _:
            messages = f.rng.permutation(messages)
    return {"messages": messages}


def messages_huge(f: Forger, step: Step) -> Changed:
    """What goes into one group of an edge comes from the other, so that only rounding changes the bound."""
    sizes = [1 << len(step.groups[p]) for p in step.edges.reshape(-1)]
    if not sizes:
        return None
    signs = np.where(np.arange(len(sizes)) % 2, -1.0, 1.0).repeat(sizes)
    height = f.rng.choice([f.between(6, 149), f.between(12, 30)])
    return {"messages": step.messages + height * signs}


def messages_no_numbers(f: Forger, step: Step) -> Changed:
    """One or all; or so large that sums overflow."""
    messages = step.messages.copy()
    if not len(messages):
        return None
    where = f.one_of(slice(None), f.rng.integers(len(messages)))
    messages[where] = f.one_of(math.nan, math.inf, -math.inf, 1e150, -1e308, 1.7e308)
    return {"messages": messages}


def groups_altered(f: Forger, step: Step) -> Changed:
    """Members change places, or groups; groups go, come twice, are empty, or have members that do not exist."""
    groups = [group.copy() for group in step.groups]
    if not groups:
        return {"groups": (np.array([0]),)}
    p, q = (int(f.rng.integers(len(groups))) for _ in range(2))
    match f.rng.integers(8):
        case 0:
            groups[p] = f.rng.permutation(groups[p])
        case 1:
            groups[p][0], groups[q][0] = groups[q][0], groups[p][0]
        case 2:
            groups[p], groups[q] = groups[q], groups[p]
        case 3:
            del groups[p]
        case 4:
            groups.append(groups[p])
        case 5:
            groups[p] = groups[p][:0]
        case 6:
            groups[p][0] = f.one_of(-1, f.of.mrf.n, 1 << 40, groups[q][0])
        case _:
            groups[p] = np.append(groups[p], groups[q])
    return {"groups": tuple(groups)}


def edges_altered(f: Forger, step: Step) -> Changed:
    """The other way round, without some messages, twice, or between groups that do not exist."""
    edges = step.edges.copy()
    if not len(edges):
        return None
    e = int(f.rng.integers(len(edges)))
    match f.rng.integers(5):
        case 0:
            edges[e] = edges[e, ::-1]
        case 1:
            edges = np.delete(edges, e, axis=0)
        case 2:
            edges = np.append(edges, edges[e : e + 1], axis=0)
        case 3:
            edges = f.rng.permutation(edges)
        case _:
            edges[e, f.rng.integers(2)] = f.one_of(-1, len(step.groups), 1 << 40, edges[e, 0])
    return {"edges": edges}


# --- what a certificate says besides ------------------------------------------------------------------------------


def is_feasible(f: Forger) -> bc.Certificate:
    """Whether hard constraints hold."""
    return replace(f.of.certificate, feasible=not f.of.certificate.feasible)


def is_optimal(f: Forger) -> bc.Certificate:
    """Alone, or with bounds and status that fit."""
    found = replace(f.of.certificate, optimal=not f.of.certificate.optimal)
    if f.rng.random() < 0.5:
        return found
    status = "optimal" if found.optimal else "time limit"
    lower = found.upper_bound if found.optimal else found.lower_bound - 1.0
    return replace(found, status=status, lower_bound=lower)


def open_variables(f: Forger) -> bc.Certificate:
    """More or fewer than are open."""
    honest = f.of.certificate.open_variables
    return replace(f.of.certificate, open_variables=f.one_of(honest + 1, honest - 1, honest + f.of.mrf.n))


def status_other(f: Forger) -> bc.Certificate:
    """Optimal if it is not, or the other way round; or none of those that exist."""
    honest = f.of.certificate.status
    return replace(f.of.certificate, status=f.one_of("proven", "", "stopped" if honest == "optimal" else "optimal"))


def rounds_other(f: Forger) -> bc.Certificate | None:
    """A round with bounds that it cannot have had, or that has decided more variables than there are."""
    rounds = list(f.of.certificate.rounds)
    if not rounds:
        return None
    k, n = int(f.rng.integers(len(rounds))), f.of.mrf.n
    above, below = (float(f.of.least + sign * (1 + 2 * abs(f.of.least))) for sign in (1, -1))
    change = f.one_of(
        {"lower_bound": above}, {"upper_bound": below}, {"fixed": n + 1}, {"tied": n + 1}, {"variables": n + 1}
    )
    rounds[k] = replace(rounds[k], **change)
    return replace(f.of.certificate, rounds=tuple(rounds))


PROOFS: dict[str, Callable[[Forger], Proof | None]] = {
    "tolerance: raised": tolerance_raised,
    "tolerance: of all coefficients": tolerance_of_all,
    "tolerance: by a cap": tolerance_by_a_cap,
    "tolerance: no number": tolerance_no_number,
    "bound: raised by rounding": bound_by_rounding,
    "bound: raised by little": bound_by_little,
    "bound: raised by much": bound_by_much,
    "bound: closed too early": bound_closed,
    "labelling: worse": labeling_worse,
    "labelling: of another energy": labeling_of_other_energy,
    "labelling: malformed": labeling_malformed,
    "values: flipped": fixed_flipped,
    "values: added": fixed_added,
    "ties: flipped": ties_flipped,
    "ties: added": ties_added,
    "lattice: coarser": lattice_coarser,
    "lattice: extreme": lattice_extreme,
    "steps: dropped": steps_dropped,
    "steps: out of order": steps_out_of_order,
    "steps: repeated": steps_repeated,
    "steps: of another model": steps_of_another_model,
    "messages: perturbed": at(Step, messages_perturbed),
    "messages: huge": at(Step, messages_huge),
    "messages: no numbers": at(Step, messages_no_numbers),
    "groups: altered": at(Step, groups_altered),
    "edges: altered": at(Step, edges_altered),
}
CERTIFICATES: dict[str, Callable[[Forger], bc.Certificate | None]] = {
    "certificate: feasible": is_feasible,
    "certificate: optimal": is_optimal,
    "certificate: open variables": open_variables,
    "certificate: status": status_other,
    "certificate: rounds": rounds_other,
}
