"""The checker of proofs: plain numpy, written from docs/method.md §15.5 and docs/cycles.md §6. It trusts neither the
solver nor the file.

The energy of the open variables is a polynomial, ``constant + sum_i a_i x_i + sum_ij b_ij x_i x_j``, made anew from the
model for every step. With the messages of the step it gives a lower bound and, for every state of a group, a lower
bound on all labellings with that state, both by enumerating pairs of states. Coefficients and bounds are summed
exactly; tables are not, and ``_ROUNDING`` accounts for that. What cycles prove is computed in fractions, without any
rounding. All bounds are relative to the energy of the labelling.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections import defaultdict
from fractions import Fraction
from functools import cached_property

import numpy as np

from bender_core.checking.left import Remainder, exact_sum, minima
from bender_core.checking.proof import CycleStep, Proof, Step
from bender_core.model import BinaryMRF, FloatArray, IntArray, ModelError

# Any entry of a table is the result of fewer additions than this, each with an error of at most 2^-53 of its terms.
_ROUNDING = 128 * 2.0**-53
# The largest gain that counts as negligible, as shares of the sum of all energies and of their spread; and a gain that
# always counts as negligible.
_OF_ALL, _OF_SPREAD, _FEW_DIGITS = 2.0**-41, 2.0**-20, 1e-300
# Where the distance between two energies is this many times the sum of all smaller distances, penalties begin.
_PENALTY = 1024.0
# The rounding error of coefficients of reduced models, as a share of the model's decimal coefficients.
_REDUCED = 2.0**-54
# Energies are tested for being multiples of 1 / k, up to a total error of a step divided by this.
_DENOMINATORS, _MISSED = (*(2**k for k in range(21)), *(10**k for k in range(1, 7))), 96
# Differences above this share of the numbers involved are not rounding error.
_CLEARLY = 2.0**-44
# Far above the energies of any model, and far enough below the largest float that no sum of messages overflows.
_LARGEST_MESSAGE = 1e150
# The most members of a group, and the number of pairs of states processed at a time.
_LARGEST_GROUP, _AT_ONCE = 30, 1 << 15

Pair = tuple[int, int]


class RefusedError(ValueError):
    """A proof does not prove what it claims; the message says where."""


def check_proof(mrf: BinaryMRF, proof: Proof) -> float:
    """Check that no labelling costs less than the bound of a proof, up to a negligible gain.

    Source: docs/method.md §15.5.

    Parameters
    ----------
    mrf : BinaryMRF
    proof : Proof

    Returns
    -------
    float
        That gain, energy: ``proof.negligible``; less where a proof of version 1 states more than is allowed.

    Raises
    ------
    RefusedError
        If its steps do not prove that.
    """
    _require(mrf.has_hash(proof.model), "the proof is of another model")
    try:
        energy = mrf.energy(proof.labeling)
    except ModelError as error:
        raise RefusedError(str(error)) from None
    _require(energy == proof.upper_bound, f"the labelling costs {energy!r}, not {proof.upper_bound!r}")
    _require(proof.cap > 0, f"a cap of {proof.cap!r} leaves no energies")
    left = Remainder(mrf, proof)
    # Relative to the labelling, and exact: the last digits of a rounded sum may differ from those of the bound.
    refund = exact_sum(left.refund)
    proven, optimal = exact_sum(minima(mrf)) + refund, False
    # Or else labellings that are better cost less in the capped model, where other gains may be negligible.
    _require(proof.cap >= -proven, f"a cap of {proof.cap!r} changes the energies of better labellings")
    negligible = _negligible(left, proof)
    for k, step in enumerate(proof.steps, 1):
        try:
            checked = _checked(left, step, negligible)
            checked.check_facts()
        except RefusedError as error:
            raise RefusedError(f"step {k}: {error}") from None
        except MemoryError:
            raise RefusedError(f"step {k}: its groups are too large for the memory of this machine") from None
        optimal |= checked.proves_optimal
        proven = max(proven, Fraction(checked.bound))
        left.take(step)
    # If the remaining polynomial is constant, all remaining labellings cost the same.
    optimal |= not left.polynomial.size and left.polynomial.excess >= -negligible
    if not optimal and proof.lower_bound > -math.inf:
        _require(proof.lower_bound < energy, "the steps do not prove that the labelling is optimal")
        claimed = Fraction(proof.lower_bound) + refund - Fraction(negligible)
        _require(claimed <= proven, f"the steps do not prove the bound {proof.lower_bound!r}")
    _require(proof.lower_bound <= energy, f"the bound {proof.lower_bound!r} is above the energy of the labelling")
    return negligible


def _negligible(left: Remainder, proof: Proof) -> float:
    """The negligible gain: the one that the proof states, if it cannot hide a difference of energies.

    Source: docs/method.md §9.3.
    """
    unary, pairwise, polynomial = left.unary, left.pairwise, left.polynomial
    slopes = unary[:, 1] - unary[:, 0]
    spread = _spread(np.concatenate([polynomial.linear, polynomial.coupling, slopes, pairwise.reshape(-1)]))
    most = max(min(_OF_ALL * polynomial.size, _OF_SPREAD * spread), _FEW_DIGITS)
    largest = float(np.abs(np.concatenate([polynomial.linear, polynomial.coupling])).max(initial=0.0))
    # Beyond, floats cannot represent all multiples of a step: any large number is whole.
    denominators = [each for each in _DENOMINATORS if largest * each < 2.0**53]
    for step in filter(None, map(left.step, denominators)):
        if _MISSED * (left.off(step)[0] + Fraction(_REDUCED * left.decimals(step))) <= step:
            # Energies differ by steps, or by the rounding of decimals.
            most = float(step / 4)
            break
    if proof.version == 1 and proof.negligible > most:
        return most
    _require(0 <= proof.negligible <= most, f"a gain of {proof.negligible!r} is not negligible")
    return proof.negligible


def _spread(energies: FloatArray) -> float:
    """The spread of energies, without penalties, which are far larger than all differences between smaller energies."""
    sizes = sorted({0.0, *np.abs(energies).tolist()})
    together = 0.0
    for gap in sorted(high - low for low, high in itertools.pairwise(sizes)):
        if together and gap > _PENALTY * together:
            break
        together += gap
    return together


def _step(lattice: float) -> Fraction:
    """The step that a float is meant as: 0.1 is a tenth."""
    found = Fraction(lattice).limit_denominator(max(_DENOMINATORS))
    return found if float(found) == lattice else Fraction(lattice)


def _require(fulfilled: bool | np.bool_, sentence: str) -> None:
    if not fulfilled:
        raise RefusedError(sentence)


def _checked(left: Remainder, step: Step | CycleStep, negligible: float) -> _Checked:
    if isinstance(step, Step):
        return _ByMessages(left, step, negligible)
    return _ByCycles(left, step, negligible)


class _Checked(ABC):
    """The bound of a step, and its facts.

    Attributes
    ----------
    excess : float or Fraction
        A lower bound on all labellings, relative to the given one, off by ``rounding`` at most.
    rounding : float
    """

    excess: float | Fraction
    rounding: float

    def __init__(self, left: Remainder, step: Step | CycleStep, negligible: float) -> None:
        self.left, self.step, self.negligible, self.polynomial = left, step, negligible, left.polynomial
        gone = np.concatenate([step.fixed[:, 0], step.tied[:, 1]])
        is_open = set(left.open.tolist())
        for i in np.concatenate([gone, step.tied[:, 0]]).tolist():
            _require(i in is_open, f"variable {i} is not open")
        _require(len(np.unique(gone)) == len(gone), "a variable is decided twice")
        _require(not np.isin(step.tied[:, 0], gone).any(), "a variable is tied to one that is decided, too")
        _require(np.isin(np.append(step.fixed[:, 1], step.tied[:, 2]), (0, 1)).all(), "a value is neither 0 nor 1")

    @abstractmethod
    def check_facts(self) -> None:
        """Check that every labelling that may be better satisfies the facts."""

    @property
    def bound(self) -> float | Fraction:
        """What no labelling is below, relative to the given one."""
        return self.excess - self.rounding if self.rounding else self.excess

    @property
    def proves_optimal(self) -> bool:
        """Whether the bound alone proves that no labelling is better."""
        return self.excess > self.limit

    @cached_property
    def limit(self) -> float:
        """Labellings that cost more than this, relative to the given one, are not better; with a rounding error."""
        step = self.step.lattice
        if not step:
            return math.nextafter(-self.negligible + self.rounding, math.inf)
        coefficients = np.concatenate([self.polynomial.linear, self.polynomial.coupling]).tolist()
        largest = max(map(abs, [*coefficients, self.polynomial.excess, self.negligible]))
        # So small that its multiples cannot be counted.
        _require(0 < step < math.inf and largest / step < 2**53, f"{step} is no step of a lattice")
        exact, negligible = _step(step), Fraction(self.negligible)
        off, excess = self.left.off(exact)
        _require(4 * off <= negligible, f"not all energies are multiples of {step:.9g}")
        # The energies are excess + k * step, up to off; the highest of them that is better by more than rounding.
        k = math.ceil((-negligible / 2 - off - excess) / exact) - 1
        highest = min(excess + k * exact + off, -negligible)
        return math.nextafter(float(highest + Fraction(self.rounding)), math.inf)


class _ByCycles(_Checked):
    """The bound by the shares of frustrated cycles, and its facts, in fractions: docs/cycles.md §6."""

    def __init__(self, left: Remainder, step: CycleStep, negligible: float) -> None:
        super().__init__(left, step, negligible)
        self.rounding, (base, weight) = 0.0, _spins(left)
        self.rest = {edge: 2 * abs(w) for edge, w in weight.items()}
        _require(len(step.shares) == len(step.cycles), "its shares do not fit its cycles")
        _require(((step.shares >= 0.0) & (step.shares < math.inf)).all(), "a share is negative, or no number")
        for k, (cycle, share) in enumerate(zip(step.cycles, map(Fraction, step.shares.tolist()), strict=True), 1):
            _require_frustrated(cycle, weight, f"cycle {k}")
            base += share
            for edge in _edges(cycle):
                self.rest[edge] -= share
        self.excess = base - sum(map(abs, weight.values())) + sum(min(rest, Fraction(0)) for rest in self.rest.values())
        # An edge is decided to be broken or not where the other costs too much.
        self.signs = _Signs(left.mrf.n + 1)
        for (i, j), rest in self.rest.items():
            if self.excess + abs(rest) > self.limit and rest:
                self.signs.tie(i, j, (weight[i, j] > 0) != (rest < 0))

    @property
    def proves_optimal(self) -> bool:
        """Whether the bound alone proves that no labelling is better, or what it decides is contradictory."""
        return self.excess > self.limit or self.signs.contradict

    def check_facts(self) -> None:
        """Check that the facts follow from the edges that are decided."""
        ghost = self.left.mrf.n
        for i, value in self.step.fixed.tolist():
            _require(self.follows(i, ghost, value == 0), f"variable {i} is not decided to be {value}")
        for i, j, opposite in self.step.tied.tolist():
            _require(self.follows(i, j, bool(opposite)), f"variables {i} and {j} are not tied")

    def follows(self, i: int, j: int, opposite: bool) -> bool:
        """Whether every better labelling makes two variables opposite, or equal."""
        return self.proves_optimal or self.signs.known(i, j) == opposite


def _spins(left: Remainder) -> tuple[Fraction, dict[Pair, Fraction]]:
    """The energy as a constant plus products of two spins, the last of which is the ghost: docs/cycles.md §1."""
    base, coefficients = left.exact()
    weight, ghost = defaultdict[Pair, Fraction](Fraction), left.mrf.n
    for (i, j), coefficient in coefficients.items():
        if j == ghost:
            weight[i, ghost] += coefficient / 2
            base += coefficient / 2
        else:
            for edge in ((i, j), (i, ghost), (j, ghost)):
                weight[edge] += coefficient / 4
            base += coefficient / 4
    return base, {edge: w for edge, w in weight.items() if w}


def _edges(cycle: IntArray) -> list[Pair]:
    return [(min(i, j), max(i, j)) for i, j in cycle.tolist()]


def _require_frustrated(cycle: IntArray, weight: dict[Pair, Fraction], what: str) -> None:
    """Every vertex has an even number of its edges, so the ends of an even number of them differ in any labelling."""
    edges = _edges(cycle)
    for i, j in edges:
        _require((i, j) in weight, f"{what}: there is no edge from {i} to {j}")
    _require(len(set(edges)) == len(edges), f"{what}: an edge is there twice")
    _, count = np.unique(cycle, return_counts=True)
    _require((count % 2 == 0).all(), f"{what} is not closed")
    _require(sum(weight[edge] > 0 for edge in edges) % 2 == 1, f"{what} is not frustrated")


class _Signs:
    """Which variables are equal or opposite, from ties between pairs."""

    def __init__(self, count: int) -> None:
        # Of every variable the one that stands for its part, and whether it is opposite to that.
        self._part, self._odd, self._members = list(range(count)), [False] * count, [[k] for k in range(count)]
        self.contradict = False

    def tie(self, i: int, j: int, opposite: bool) -> None:
        """Note that two variables are opposite, or equal."""
        large, small = sorted((self._part[i], self._part[j]), key=lambda part: -len(self._members[part]))
        turns = self._odd[i] ^ self._odd[j] ^ opposite
        if large == small:
            self.contradict |= turns
            return
        for k in self._members[small]:
            self._part[k] = large
            self._odd[k] ^= turns
        self._members[large] += self._members[small]

    def known(self, i: int, j: int) -> bool | None:
        """Whether two variables are opposite; None if that is not known."""
        return self._odd[i] ^ self._odd[j] if self._part[i] == self._part[j] else None


class _ByMessages(_Checked):
    """The bounds by the messages of a step, and its facts."""

    step: Step

    def __init__(self, left: Remainder, step: Step, negligible: float) -> None:
        super().__init__(left, step, negligible)
        _require_groups(step.groups, left.open)
        # The group of every variable, and the bit of a state that is its value; -1 where it is not open.
        self.group, self.bit = np.full(left.mrf.n, -1), np.full(left.mrf.n, -1)
        for p, members in enumerate(step.groups):
            self.group[members], self.bit[members] = p, np.arange(len(members))
        self._bound()

    # -- the bound, docs/method.md §2.1 ---------------------------------------------------------------

    def _bound(self) -> None:
        groups = range(len(self.step.groups))
        inside, between = self._couplings()
        messages = self._messages(between)
        own = [self._energies(p, inside.get((p, p))) for p in groups]
        of_messages = _ROUNDING * 2 * sum(float(np.abs(message).max()) for message in messages.values())
        self.rounding = _ROUNDING * self.polynomial.size + of_messages
        claimed = set(self.group[np.append(self.step.fixed[:, 0], self.step.tied[:, 1])].tolist())
        into: list[list[FloatArray]] = [[] for _ in groups]
        answers: dict[int, list[FloatArray]] = {p: [own[p]] for p in claimed}
        edges: dict[Pair, float] = {}
        for p, q in sorted(pair for pair in messages if pair[0] < pair[1]):
            coupling = between.get((p, q), np.zeros((len(self.step.groups[p]), len(self.step.groups[q]))))
            into[p].append(messages[p, q])
            into[q].append(messages[q, p])
            found = _min_marginal(coupling, messages[q, p])
            edges[p, q] = float((found - messages[p, q]).min())
            if p in claimed:
                answers[p].append(found)
            if q in claimed:
                answers[q].append(_min_marginal(coupling.T, messages[p, q]))
        least = [float(_sum([own[p], *into[p]]).min()) for p in groups]
        self.excess = math.fsum([self.polynomial.excess, *least, *edges.values()])
        # For the states of the groups with facts: a lower bound on all labellings with that state.
        self.costs = {}
        for p in claimed:
            rest = [bound for pair, bound in edges.items() if p not in pair]
            elsewhere = math.fsum([self.polynomial.excess, *least[:p], *least[p + 1 :], *rest])
            self.costs[p] = elsewhere + _sum(answers[p])

    def _couplings(self) -> tuple[dict[Pair, FloatArray], dict[Pair, FloatArray]]:
        """The couplings within groups and between them, lower group first: matrices over their members."""
        low, high = self.polynomial.pairs.T
        turn = self.group[low] > self.group[high]
        i, j = np.where(turn, high, low), np.where(turn, low, high)
        p, q = self.group[i], self.group[j]
        found: dict[Pair, FloatArray] = {}
        for pair in set(zip(p.tolist(), q.tolist(), strict=True)):
            found[pair] = np.zeros((len(self.step.groups[pair[0]]), len(self.step.groups[pair[1]])))
        for a, b, one, other, weight in zip(p, q, self.bit[i], self.bit[j], self.polynomial.coupling, strict=True):
            found[int(a), int(b)][one, other] = weight
        inside = {pair: matrix for pair, matrix in found.items() if pair[0] == pair[1]}
        return inside, {pair: matrix for pair, matrix in found.items() if pair[0] != pair[1]}

    def _messages(self, between: dict[Pair, FloatArray]) -> dict[Pair, FloatArray]:
        """The message into a group from another, over its states, for this polynomial.

        The step has those for the normal form (§1.3), in which a repulsive coupling b x_i x_j, i < j, is
        -b x_i (1 - x_j), and b x_i is an energy of i: here that is in the message.
        """
        sizes, place, edges = [len(group) for group in self.step.groups], 0, self.step.edges.tolist()
        _require(all(0 <= p < len(sizes) for edge in edges for p in edge), "its edges are not pairs of its groups")
        _require(len({frozenset(edge) for edge in edges if edge[0] != edge[1]}) == len(edges), "an edge is there twice")
        expected = sum(1 << sizes[p] for edge in edges for p in edge)
        _require(expected == len(self.step.messages), "its messages do not fit its groups")
        is_moderate = np.abs(self.step.messages) < _LARGEST_MESSAGE
        _require(is_moderate.all(), f"a message is not a number of size below {_LARGEST_MESSAGE:g}")
        found: dict[Pair, FloatArray] = {}
        for p, q in edges:
            for receiver, sender in ((p, q), (q, p)):
                found[receiver, sender] = self.step.messages[place : place + (1 << sizes[receiver])].copy()
                place += 1 << sizes[receiver]
        # Between other groups no message was passed.
        for p, q in between:
            found.setdefault((p, q), np.zeros(1 << sizes[p]))
            found.setdefault((q, p), np.zeros(1 << sizes[q]))
        shift: defaultdict[Pair, FloatArray] = defaultdict(lambda: np.zeros(_LARGEST_GROUP))
        (low, high), repulsive = self.polynomial.pairs.T, self.polynomial.coupling > 0
        for i, j, weight in zip(low[repulsive], high[repulsive], self.polynomial.coupling[repulsive], strict=True):
            if self.group[i] != self.group[j]:
                shift[int(self.group[i]), int(self.group[j])][self.bit[i]] += weight
        for pair, slope in shift.items():
            found[pair] += _states(sizes[pair[0]]) @ slope[: sizes[pair[0]]]
        return found

    def _energies(self, p: int, inside: FloatArray | None) -> FloatArray:
        """The energy of every state of a group."""
        states = _states(len(self.step.groups[p]))
        total: FloatArray = states @ self.polynomial.linear[self.step.groups[p]]
        return total if inside is None else total + ((states @ inside) * states).sum(axis=1)

    # -- facts, docs/method.md §15.1 ------------------------------------------------------------------

    def check_facts(self) -> None:
        """Check that all remaining states satisfy the facts."""
        alive = {p: np.flatnonzero(costs <= self.limit) for p, costs in self.costs.items()}
        for i, value in self.step.fixed.tolist():
            states = alive[int(self.group[i])]
            self._require_none(
                states[(states >> self.bit[i] & 1) != value], f"variable {i} is not decided to be {value}"
            )
        for i, j, opposite in self.step.tied.tolist():
            _require(self.group[i] == self.group[j], f"variables {i} and {j} lie in different groups")
            states = alive[int(self.group[j])]
            differ = (states >> self.bit[i] ^ states >> self.bit[j]) & 1
            self._require_none(states[differ != opposite], f"variables {i} and {j} are not tied")

    def _require_none(self, states: IntArray, sentence: str) -> None:
        if len(states):
            raise RefusedError(f"{sentence}: state {states[0]} of its group is alive")


def _require_groups(groups: tuple[IntArray, ...], variables: IntArray) -> None:
    members = np.concatenate([*groups, np.empty(0, np.int64)])
    _require(np.array_equal(np.sort(members), variables), "its groups are no partition of the variables that are open")
    _require(all(1 <= len(group) <= _LARGEST_GROUP for group in groups), "a group is empty, or too large")


def _states(members: int) -> FloatArray:
    """All states of a group, a row of bits each."""
    return (np.arange(1 << members)[:, None] >> np.arange(members) & 1).astype(float)


def _sum(tables: list[FloatArray]) -> FloatArray:
    """The sum of tables, by halves, so that every entry is the result of few additions."""
    half = len(tables) // 2
    return tables[0] if len(tables) == 1 else _sum(tables[:half]) + _sum(tables[half:])


def _min_marginal(coupling: FloatArray, message: FloatArray) -> FloatArray:
    """``min over y_q of y_p' coupling y_q - message(y_q)`` for every state of p, docs/method.md §2.2.

    Members of p without a coupling have no effect; those of q take their best value.
    """
    rows, columns = (coupling != 0).sum(axis=1) > 0, (coupling != 0).sum(axis=0) > 0
    place, answer = (_states(len(use)) @ (use * 2.0 ** (use.cumsum() - 1)) for use in (rows, columns))
    most = np.full(1 << int(columns.sum()), -np.inf)
    np.maximum.at(most, answer.astype(np.int64), message)
    slopes = _states(int(columns.sum())) @ coupling[rows][:, columns].T
    found: FloatArray = _least(slopes, -most)[place.astype(np.int64)]
    return found


def _least(slopes: FloatArray, level: FloatArray) -> FloatArray:
    """The least of ``level + slopes y`` over all rows, for every vector y of bits.

    Rows that are nowhere below another row are dropped, on ever smaller halves of the vectors, until few are left. A
    row is dropped only if it is above by more than the rounding error, so the minimum does not change.
    """
    rows, bits = slopes.shape
    if rows << bits > _AT_ONCE:
        pivot = int((level + slopes.sum(axis=1) / 2).argmin())
        least = level - level[pivot] + np.minimum(slopes - slopes[pivot], 0.0).sum(axis=1)
        kept = least <= _CLEARLY * float(np.abs(level).max() + np.abs(slopes).max(axis=0).sum())
        kept[pivot] = True
        slopes, level = slopes[kept], level[kept]
        if bits and len(slopes) << bits > _AT_ONCE:
            halves = (_least(slopes[:, :-1], level), _least(slopes[:, :-1], level + slopes[:, -1]))
            return np.concatenate(halves)
    found: FloatArray = (_states(bits) @ slopes.T + level).min(axis=1)
    return found
