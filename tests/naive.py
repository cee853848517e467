"""Slow twins of the library, written from the paper's definitions: tables over all states, brute force over them.

Nothing here depends on the kernels or their layout. A state of a group is an integer whose bit k is its k-th
member; tables over a group, or over a pair of groups, have one entry per state (pair).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import lil_array

from bender_core.model import BinaryMRF

Array = NDArray[np.float64]
# Two numbers of the order of 1 this close may compare differently under another order of summation.
NEAR = 1e-9


def labelings(n: int) -> list[tuple[int, ...]]:
    """All 2^n labellings."""
    return list(itertools.product((0, 1), repeat=n))


def energy(mrf: BinaryMRF, x: Sequence[int]) -> float:
    """f(x), term by term."""
    total = mrf.constant
    for i in range(mrf.n):
        total += mrf.unary[i, x[i]]
    for (i, j), table in zip(mrf.edges, mrf.pairwise, strict=True):
        total += table[x[i], x[j]]
    return float(total)


@cache
def bits(n: int) -> NDArray[np.int64]:
    """Bit k of every number below 2^n: one row a number, one column a bit; not to be written to."""
    return np.arange(1 << n)[:, None] >> np.arange(n) & 1


def states(labels: NDArray[np.int64], group: Sequence[int]) -> NDArray[np.int64]:
    """The states of a group in labellings, one a row."""
    return labels[:, group] @ (1 << np.arange(len(group)))


def energies(mrf: BinaryMRF, labels: NDArray[np.int64] | None = None) -> Array:
    """f of labellings, one a row; by default of all, in the order of `bits`."""
    x = bits(mrf.n) if labels is None else labels
    total = np.full(len(x), mrf.constant)
    for i in range(mrf.n):
        total += mrf.unary[i, x[:, i]]
    for (i, j), table in zip(mrf.edges, mrf.pairwise, strict=True):
        total += table[x[:, i], x[:, j]]
    return total


def optimum(mrf: BinaryMRF) -> float:
    """The least energy, by trying every labelling."""
    return float(energies(mrf).min())


def normal_form(mrf: BinaryMRF) -> tuple[float, Array, list[Array]]:
    """Constant, unaries and tables in normal form, edge by edge as docs/method.md §1.3 has it.

    The common part of both states of a variable is moved into the constant, as in the library.
    """
    unary, tables = mrf.unary.copy(), []
    for (i, j), t in zip(mrf.edges, mrf.pairwise, strict=True):
        w = t[1, 1] - t[0, 1] - t[1, 0] + t[0, 0]
        table = np.zeros((2, 2))
        unary[j, 0] += t[0, 0]
        unary[j, 1] += t[0, 1]
        if w < 0:
            table[1, 1] = w
            unary[i, 1] += t[1, 0] - t[0, 0]
        else:
            table[1, 0] = -w
            unary[i, 1] += t[1, 1] - t[0, 1]
        tables.append(table)
    shared = unary.min(axis=1, keepdims=True)
    return mrf.constant + float(shared.sum()), unary - shared, tables


def affine(constant: float, slope: Sequence[float]) -> Array:
    """``constant + sum_k slope[k] bit_k(y)`` for every y."""
    return constant + bits(len(slope)) @ np.asarray(slope, float)


def table_of(terms: Array) -> Array:
    """``sum_k terms[k, bit_k(y)]`` for every y."""
    return terms[np.arange(len(terms)), bits(len(terms))].sum(axis=1)


class GroupModel:
    """The model over groups: f = constant + sum_p phi[p](y_p) + sum_pq coupling(p, q)(y_p, y_q)."""

    def __init__(self, mrf: BinaryMRF, groups: Sequence[Sequence[int]]) -> None:
        self.groups = [[int(i) for i in group] for group in groups]
        self.constant, unary, tables = normal_form(mrf)
        place = {i: (p, k) for p, group in enumerate(self.groups) for k, i in enumerate(group)}
        self.phi = [table_of(unary[group]) for group in self.groups]
        # theta[p, q] lists, for every edge between the groups, the bit in p, the bit in q and the table.
        self.theta: dict[tuple[int, int], list[tuple[int, int, Array]]] = {}
        for (i, j), table in zip(mrf.edges.tolist(), tables, strict=True):
            (p, k), (q, m) = place[i], place[j]
            if p == q:
                y = bits(len(self.groups[p]))
                self.phi[p] += table[y[:, k], y[:, m]]
            elif table.any():
                self.theta.setdefault((p, q), []).append((k, m, table))
                self.theta.setdefault((q, p), []).append((m, k, table.T))
        self.edges = sorted((p, q) for p, q in self.theta if p < q)
        self._coupling = {pair: self._tabulated(*pair) for pair in self.theta}

    def neighbours(self, p: int) -> list[int]:
        """The groups coupled to p, in rising order."""
        return sorted(q for r, q in self.theta if r == p)

    def coupling(self, p: int, q: int) -> Array:
        """phi_pq over all pairs of states, the states of p first."""
        return self._coupling[p, q]

    def energy(self, states: Sequence[int]) -> float:
        """f of a joint state."""
        inside = sum(phi[y] for phi, y in zip(self.phi, states, strict=True))
        return float(self.constant + inside + sum(self.coupling(p, q)[states[p], states[q]] for p, q in self.edges))

    def reverse_row(self, p: int, q: int, state: int) -> dict[int, Array]:
        """The reverse Magnanti-Wong row of the message into p at a state, by the paper's formulas.

        The tables u over p and v over q of phi_pq(y_p, y_q) >= -u(y_p) - v(y_q).
        """
        beta_1 = np.zeros((len(self.groups[p]), 2))
        beta_2 = np.zeros((len(self.groups[q]), 2))
        for k, m, theta in self.theta[p, q]:
            first = [-float(x != state >> k & 1) * theta[x].min() for x in (0, 1)]
            for x in (0, 1):
                beta_1[k, x] += first[x]
                beta_2[m, x] += -min(theta[0, x] + first[0], theta[1, x] + first[1])
        return {p: table_of(beta_1), q: table_of(beta_2)}

    def lp_bound(self) -> float:
        """The local polytope relaxation over the groups, written out in full for HiGHS."""
        cost, first = [*self.phi], np.cumsum([0, *map(len, self.phi)])
        pair_first = {}
        size = int(first[-1])
        for p, q in self.edges:
            pair_first[p, q] = size
            cost.append(self.coupling(p, q).reshape(-1))
            size += self.coupling(p, q).size
        # One row a group: its marginals sum to 1. Then one a state of either end of an edge: they agree.
        rows, right = [], []
        for p, phi in enumerate(self.phi):
            rows.append([(int(first[p]) + y, 1.0) for y in range(len(phi))])
            right.append(1.0)
        for (p, q), start in pair_first.items():
            a, b = self.coupling(p, q).shape
            rows += [[(start + y * b + z, 1.0) for z in range(b)] + [(int(first[p]) + y, -1.0)] for y in range(a)]
            rows += [[(start + y * b + z, 1.0) for y in range(a)] + [(int(first[q]) + z, -1.0)] for z in range(b)]
            right += [0.0] * (a + b)
        matrix = lil_array((len(rows), size))
        for r, row in enumerate(rows):
            for column, entry in row:
                matrix[r, column] = entry
        solution = linprog(np.concatenate(cost), A_eq=matrix.tocsr(), b_eq=right, bounds=(0, None), method="highs")
        assert solution.status == 0, solution.message
        return float(solution.fun + self.constant)

    def _tabulated(self, p: int, q: int) -> Array:
        total = np.zeros((len(self.phi[p]), len(self.phi[q])))
        y, z = bits(len(self.groups[p])), bits(len(self.groups[q]))
        for k, m, theta in self.theta[p, q]:
            total += theta[y[:, None, k], z[None, :, m]]
        return total


@dataclass
class NodeUpdate:
    """The record of one node update of the twin."""

    lower_bound: float
    upper_bound: float
    rows: int
    ambiguous: bool


class NaiveEngine:
    """Message passing (paper, Algs. 1 and 2) with everything enumerated.

    Its own updates make the rows of variants 4 and 9, or none (11, 12); the others may be given theirs. Envelopes are
    made tight at the best ``depth`` states of a group, twice as many after a sweep that was slow.
    """

    def __init__(self, mrf: BinaryMRF, groups: Sequence[Sequence[int]], variant: int) -> None:
        self.model = GroupModel(mrf, groups)
        self.variant, self.exact = variant, variant in (11, 12)
        model = self.model
        self.lam = {(p, q): np.zeros(len(model.phi[p])) for p, q in model.theta}
        self.states = [int(phi.argmin()) for phi in model.phi]
        self.upper_bound = model.energy(self.states)
        self.depth = 1
        self.rows: dict[tuple[int, int], list[dict[int, Array]]] = {edge: [] for edge in model.edges}
        # Whether some choice was so close that another order of summation might have decided otherwise.
        self.ambiguous = any(near_tie(phi) for phi in model.phi)
        for p, q in model.edges:
            for receiver, sender in ((p, q), (q, p)):
                row = model.reverse_row(receiver, sender, self.states[receiver])
                self.rows[p, q].append(row)

    def reparametrized(self, p: int) -> Array:
        """phi_p + sum_q lambda_{pq->p}."""
        return self.model.phi[p] + sum((self.lam[p, q] for q in self.model.neighbours(p)), np.zeros(1))

    def min_marginal(self, p: int, q: int) -> Array:
        """nu_pq(y_p) = min over y_q of phi_pq - lambda_{pq->q}."""
        return (self.model.coupling(p, q) - self.lam[q, p][None, :]).min(axis=1)

    def row_value(self, row: dict[int, Array], p: int, q: int) -> Array:
        """A row with the largest intercept that lambda allows, over the states of p."""
        return (-self.lam[q, p] - row[q]).min() - row[p]

    def envelope(self, p: int, q: int) -> Array:
        """nu^-_pq: the best row, state by state; nu itself where no rows are kept."""
        if self.exact:
            return self.min_marginal(p, q)
        rows = self.rows[min(p, q), max(p, q)]
        return np.max([self.row_value(row, p, q) for row in rows], axis=0)

    def exact_total(self, p: int) -> Array:
        """phi_p + sum_q nu_pq: its minimum is what the node update is after."""
        return self._total(p, {q: self.min_marginal(p, q) for q in self.model.neighbours(p)})

    def envelope_total(self, p: int) -> Array:
        """phi_p + sum_q nu^-_pq: its minimiser is y*."""
        return self._total(p, {q: self.envelope(p, q) for q in self.model.neighbours(p)})

    def lower_bound(self) -> float:
        """LB(lambda) of docs/method.md §2.1, by definition."""
        nodes = sum(self.reparametrized(p).min() for p in range(len(self.model.phi)))
        edges = sum(
            (self.model.coupling(p, q) - self.lam[p, q][:, None] - self.lam[q, p][None, :]).min()
            for p, q in self.model.edges
        )
        return float(self.model.constant + nodes + edges)

    def exact_gain(self, p: int) -> float:
        """What the exact update of a node would add to LB(lambda) from here."""
        before = self.lower_bound()
        kept = dict(self.lam)
        self._pass(p, {q: self.min_marginal(p, q) for q in self.model.neighbours(p)})
        gain = self.lower_bound() - before
        self.lam = kept
        return gain

    def update(self, p: int) -> NodeUpdate:
        """One node update: raise the envelopes until they are tight at their minimiser, then pass the messages."""
        neighbours = self.model.neighbours(p)
        seen: list[int] = []
        gap = self.upper_bound - self.lower_bound()
        while True:
            nu = {q: self.envelope(p, q) for q in neighbours}
            total = self._total(p, nu)
            rest = total.copy()
            rest[seen] = np.inf
            y = int(rest.argmin())
            if seen and rest[y] - total[seen[0]] > gap:
                break
            self.ambiguous |= near_tie(rest[np.isfinite(rest)])
            slack = np.array([self.min_marginal(p, q)[y] - nu[q][y] for q in neighbours])
            scale = 1.0 + max((abs(nu[q][y]) for q in neighbours), default=0.0)
            loose = slack > NEAR * scale
            self.ambiguous |= bool(((slack > 1e-13 * scale) & ~loose).any())
            if not loose.any():
                seen.append(y)
                if self.exact or len(seen) == min(self.depth, len(total)):
                    break
                continue
            if self.variant == 4:
                self.ambiguous |= near_tie(-slack)
                loose = np.arange(len(slack)) == slack.argmax()
            for q in itertools.compress(neighbours, loose):
                self.rows[min(p, q), max(p, q)].append(self.model.reverse_row(p, q, y))
        self._pass(p, nu)
        self.states[p] = seen[0]
        self.upper_bound = min(self.upper_bound, self.model.energy(self.states))
        rows = 0 if self.exact else sum(map(len, self.rows.values()))
        return NodeUpdate(self.lower_bound(), self.upper_bound, rows, self.ambiguous)

    def close_sweep(self, gain: float, deepest: int, patience: float) -> None:
        """Decide whether the envelopes must be tight at more states."""
        if patience * gain < self.upper_bound - self.lower_bound():
            self.depth = min(2 * self.depth, deepest)

    def _total(self, p: int, nu: dict[int, Array]) -> Array:
        return self.model.phi[p] + sum(nu.values(), np.zeros(1))

    def _pass(self, p: int, nu: dict[int, Array]) -> None:
        share = self._total(p, nu) / (1 + len(nu))
        for q, values in nu.items():
            self.lam[p, q] = values - share


def near_tie(values: Array) -> bool:
    """Whether another entry is as good as the least one, or nearly."""
    least, *rest = np.sort(values)
    return bool(rest) and bool(rest[0] - least < NEAR * (1.0 + abs(least)))


# -- signed graphs --------------------------------------------------------------------------------------------


def signed(mrf: BinaryMRF) -> tuple[float, dict[tuple[int, int], float]]:
    """The mean energy, and the weights of the products of spins, -1 or 1; vertex n stands for the fields."""
    spins, values = 2.0 * bits(mrf.n) - 1.0, energies(mrf)
    weights = {(i, mrf.n): float(np.mean(values * spins[:, i])) for i in range(mrf.n)}
    for i, j in itertools.combinations(range(mrf.n), 2):
        weights[i, j] = float(np.mean(values * spins[:, i] * spins[:, j]))
    return float(np.mean(values)), weights


def simple_cycles(ends: Sequence[tuple[int, int]]) -> list[list[int]]:
    """All simple cycles of a graph without parallel edges, as lists of edges."""
    around: dict[int, list[tuple[int, int]]] = {}
    for e, (a, b) in enumerate(ends):
        around.setdefault(a, []).append((b, e))
        around.setdefault(b, []).append((a, e))
    found: set[tuple[int, ...]] = set()

    def walk(start: int, at: int, visited: set[int], edges: list[int]) -> None:
        for other, e in around[at]:
            if other == start and len(edges) > 1 and e not in edges:
                found.add(tuple(sorted([*edges, e])))
            elif other > start and other not in visited:
                walk(start, other, visited | {other}, [*edges, e])

    for start in sorted(around):
        walk(start, start, {start}, [])
    return [list(cycle) for cycle in sorted(found)]


def cycle_bound(mrf: BinaryMRF) -> float:
    """The bound by all frustrated cycles: the least cost of breaking one edge of each, in parts."""
    constant, weights = signed(mrf)
    kept = [pair for pair, weight in weights.items() if abs(weight) > NEAR * max(map(abs, weights.values()))]
    cost = np.array([2.0 * abs(weights[pair]) for pair in kept])
    base = constant - cost.sum() / 2.0
    odd = [cycle for cycle in simple_cycles(kept) if sum(weights[kept[e]] > 0 for e in cycle) % 2]
    if not odd:
        return float(base)
    rows = lil_array((len(odd), len(kept)))
    for k, cycle in enumerate(odd):
        rows[k, cycle] = -1.0
    solved = linprog(cost, A_ub=rows.tocsr(), b_ub=-np.ones(len(odd)), bounds=(0.0, 1.0))
    return float(base + solved.fun)


class Mplp:
    """Messages between variables, edges and triplets, by their definition: beliefs are always computed anew.

    An edge is a pair of variables, a triplet three of them, in ascending order. A message is a table over what receives
    it.
    """

    def __init__(self, mrf: BinaryMRF, triplets: Sequence[tuple[int, int, int]]) -> None:
        self.unary = mrf.unary
        self.pairwise = {(i, j): table for (i, j), table in zip(mrf.edges.tolist(), mrf.pairwise, strict=True)}
        self.triplets = list(triplets)
        for pair in [pair for triplet in triplets for pair in itertools.combinations(triplet, 2)]:
            self.pairwise.setdefault(pair, np.zeros((2, 2)))
        self.to_ends = {(pair, i): np.zeros(2) for pair in self.pairwise for i in pair}
        self.to_edges = {
            (triplet, pair): np.zeros((2, 2)) for triplet in triplets for pair in itertools.combinations(triplet, 2)
        }

    def of_variable(self, i: int) -> Array:
        """The belief of a variable."""
        return self.unary[i] + sum(sent for (_, receiver), sent in self.to_ends.items() if receiver == i)

    def of_edge(self, pair: tuple[int, int]) -> Array:
        """The belief of an edge."""
        received = sum(sent for (_, receiver), sent in self.to_edges.items() if receiver == pair)
        i, j = pair
        return self.pairwise[pair] + received - self.to_ends[pair, i][:, None] - self.to_ends[pair, j][None, :]

    def of_triplet(self, triplet: tuple[int, int, int]) -> Array:
        """The belief of a triplet, shape (2, 2, 2)."""
        i, j, k = triplet
        sent = self.to_edges
        return -(
            sent[triplet, (i, j)][:, :, None] + sent[triplet, (i, k)][:, None, :] + sent[triplet, (j, k)][None, :, :]
        )

    def bound(self) -> float:
        """The sum of the minima of all beliefs."""
        minima = [self.of_variable(i).min() for i in range(len(self.unary))]
        minima += [self.of_edge(pair).min() for pair in self.pairwise]
        return float(sum(minima + [self.of_triplet(triplet).min() for triplet in self.triplets]))

    def update_edge(self, pair: tuple[int, int]) -> None:
        """Each end gets half of the min-marginals of the edge with its ends."""
        ends = [self.of_variable(i) for i in pair]
        joint = self.of_edge(pair) + ends[0][:, None] + ends[1][None, :]
        for side, i in enumerate(pair):
            self.to_ends[pair, i] = self.to_ends[pair, i] + joint.min(axis=1 - side) / 2 - ends[side]

    def update_triplet(self, triplet: tuple[int, int, int]) -> None:
        """Each edge gets a third of the min-marginals of the triplet with its edges."""
        pairs = list(itertools.combinations(triplet, 2))
        without = {pair: self.of_edge(pair) - self.to_edges[triplet, pair] for pair in pairs}
        ij, ik, jk = (without[pair] for pair in pairs)
        joint = ij[:, :, None] + ik[:, None, :] + jk[None, :, :]
        for axis, pair in zip((2, 1, 0), pairs, strict=True):
            self.to_edges[triplet, pair] = joint.min(axis=axis) / 3 - without[pair]

    def soften_edge(self, pair: tuple[int, int], temperature: float) -> None:
        """One end after the other: its belief, and the soft minima of the edge's, become their mean."""
        for side, i in enumerate(pair):
            soft = -temperature * np.logaddexp.reduce(-self.of_edge(pair) / temperature, axis=1 - side)
            self.to_ends[pair, i] = self.to_ends[pair, i] + (soft - self.of_variable(i)) / 2

    def soften_triplet(self, triplet: tuple[int, int, int], temperature: float) -> None:
        """The same of a triplet and its edges."""
        for axis, pair in zip((2, 1, 0), itertools.combinations(triplet, 2), strict=True):
            soft = -temperature * np.logaddexp.reduce(-self.of_triplet(triplet) / temperature, axis=axis)
            self.to_edges[triplet, pair] = self.to_edges[triplet, pair] + (soft - self.of_edge(pair)) / 2
