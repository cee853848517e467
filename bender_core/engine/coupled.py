"""The couplings between the groups of a partition, without any table: what the sizes of a run's arrays depend on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bender_core.groups import Partition, coupled_groups, independent_cycles, numbered
from bender_core.hypergraph import no_methods
from bender_core.kernels.min_marginals.exact import plan_exact
from bender_core.model import BinaryMRF, FloatArray, IntArray


class Coupled(NamedTuple):
    """The properties of the coupled groups that determine times. An edge carries two messages, one into either end."""

    states: FloatArray  # (G,) of every group
    ends: IntArray  # (E, 2)
    bits: IntArray  # (E, 2) members of either end that are coupled to the other
    loose: FloatArray  # (E, 2) how many of them are loose: see `looseness`
    first: IntArray  # (E + 1,) index of the first coupling of an edge
    coupling_bit: IntArray  # (K, 2) the two members of a coupling, numbered among the coupled ones
    cyclic: bool  # whether edges close a cycle of groups

    @property
    def degree(self) -> IntArray:
        """The number of neighbours of every group, shape (G,)."""
        number: IntArray = np.bincount(self.ends.reshape(-1), minlength=len(self.states))
        return number

    @property
    def couplings(self) -> IntArray:
        """The number of couplings of every edge, shape (E,)."""
        number: IntArray = np.diff(self.first)
        return number

    def received(self, values: FloatArray) -> FloatArray:
        """The sum, shape (G,), over the messages into every group, of a value per message, shape (E, 2)."""
        return totals(self.ends.reshape(-1), values.reshape(-1), len(self.states))


def totals(label: IntArray, values: FloatArray, n_labels: int) -> FloatArray:
    """The sum of the values of every label."""
    return np.bincount(label, values, minlength=n_labels).astype(np.float64)


def coupled(mrf: BinaryMRF, part: Partition) -> Coupled:
    """The couplings between the groups of a partition, without any table."""
    pairs, owner, weight = coupled_groups(mrf, part), part.group_of(), np.abs(mrf.coupling())
    lower_first = owner[mrf.edges[:, 0]] <= owner[mrf.edges[:, 1]]
    members = np.where(lower_first[:, None], mrf.edges, mrf.edges[:, ::-1])
    groups = owner[members]
    between = np.flatnonzero((groups[:, 0] != groups[:, 1]) & (weight > 0))
    code = np.array([len(part), 1])
    edge = np.searchsorted(pairs @ code, groups[between] @ code)
    order = np.argsort(edge, kind="stable")
    edge, between = edge[order], between[order]
    # Every coupled member on each side of an edge, once, and the members of each coupling.
    n_sides = 2 * len(pairs)
    used, place = numbered((2 * edge[:, None] + [0, 1]) * mrf.n + members[between], n_sides * mrf.n)
    side, member = np.divmod(used, max(mrf.n, 1))
    strength = totals(place.reshape(-1), np.repeat(weight[between], 2), len(used))
    loose = totals(side, looseness(mrf, owner)[member], n_sides) * evenness(strength, side, n_sides)
    return Coupled(
        states=2.0 ** np.array([len(group) for group in part.groups], np.float64),
        ends=pairs,
        bits=np.bincount(side, minlength=n_sides).reshape(-1, 2),
        loose=loose.reshape(-1, 2),
        first=np.searchsorted(edge, np.arange(len(pairs) + 1)),
        coupling_bit=place - np.searchsorted(side, np.arange(n_sides))[2 * edge[:, None] + [0, 1]],
        cyclic=independent_cycles(len(part), pairs) > 0,
    )


def looseness(mrf: BinaryMRF, owner: IntArray) -> FloatArray:
    """How much of every variable other groups can decide, 0 to 1.

    The geometric mean of two shares: how much its couplings outweigh its own preference (0 where they cannot), and how
    many of them leave its group.
    """
    weight = np.abs(mrf.coupling())
    leaving = weight * (owner[mrf.edges[:, 0]] != owner[mrf.edges[:, 1]])
    change = mrf.pairwise[:, 1, :] - mrf.pairwise[:, 0, :], mrf.pairwise[:, :, 1] - mrf.pairwise[:, :, 0]
    preference = mrf.unary[:, 1] - mrf.unary[:, 0]
    for side in (0, 1):
        preference += totals(mrf.edges[:, side], change[side].mean(axis=1), mrf.n)
    total, outside = (totals(mrf.edges.reshape(-1), np.repeat(part, 2), mrf.n) for part in (weight, leaving))
    total = np.where(total > 0, total, 1.0)
    free = 1 - np.minimum(2 * np.abs(preference), total) / total
    loose: FloatArray = np.sqrt(free * outside / total)
    return loose


def evenness(values: FloatArray, label: IntArray, n_labels: int) -> FloatArray:
    """How even the positive values of every label are: 1 if all are equal, 1 / count if one dominates."""
    count, total, squares = (totals(label, values**power, n_labels) for power in (0, 1, 2))
    even: FloatArray = total**2 / np.maximum(count * squares, np.finfo(float).tiny)
    return even


def plan(graph: Coupled) -> tuple[IntArray, FloatArray]:
    """The engine's choice of a method for every message, and the largest table of an elimination, shape (E, 2) each.

    The kernel makes the choice; it depends only on the coupled bits.
    """
    bits = graph.bits.reshape(-1)
    methods = no_methods(len(bits), int(bits.max(initial=1)))
    plan_exact(bits, graph.first, graph.coupling_bit, methods, 0, len(bits))
    return methods.method.reshape(-1, 2), methods.largest.reshape(-1, 2)
