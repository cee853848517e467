"""The couplings between the groups of a partition, without any table: they determine the sizes of a run's arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bender_core.groups import Partition, coupled_groups, numbered
from bender_core.hypergraph import no_methods
from bender_core.kernels.costs import STEPPED
from bender_core.kernels.min_marginals.exact import plan_exact
from bender_core.model import BinaryMRF, FloatArray, IntArray


class Coupled(NamedTuple):
    """The sizes of coupled groups. An edge carries two messages, one into either end."""

    states: FloatArray  # (G,) of every group
    ends: IntArray  # (E, 2)
    bits: IntArray  # (E, 2) members of either end that are coupled to the other
    first: IntArray  # (E + 1,) index of the first coupling of an edge
    coupling_bit: IntArray  # (K, 2) the two members of a coupling, numbered among the coupled ones

    @property
    def degree(self) -> IntArray:
        """The number of neighbours of every group, shape (G,)."""
        number: IntArray = np.bincount(self.ends.reshape(-1), minlength=len(self.states))
        return number


def entries_of_updates(graph: Coupled) -> FloatArray:
    """A lower bound on the table entries that the update of each group reads, with rows.

    They are three passes over its table and over every message into it, and one over the table of every sender.
    """
    degree, sent = graph.degree, np.exp2(graph.bits[:, ::-1])
    passes = 3 * (1 + degree) * graph.states + STEPPED * (3 + degree)
    return passes + np.bincount(graph.ends.ravel(), sent.ravel(), len(passes))


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
    side = used // max(mrf.n, 1)
    return Coupled(
        states=2.0 ** np.array([len(group) for group in part.groups], np.float64),
        ends=pairs,
        bits=np.bincount(side, minlength=n_sides).reshape(-1, 2),
        first=np.searchsorted(edge, np.arange(len(pairs) + 1)),
        coupling_bit=place - np.searchsorted(side, np.arange(n_sides))[2 * edge[:, None] + [0, 1]],
    )


def plan(graph: Coupled) -> tuple[IntArray, FloatArray]:
    """The engine's choice of a method for every message, and the largest table of an elimination, shape (E, 2) each.

    The kernel makes the choice; it depends only on the coupled bits.
    """
    bits = graph.bits.reshape(-1)
    methods = no_methods(len(bits), int(bits.max(initial=1)))
    plan_exact(bits, graph.first, graph.coupling_bit, methods, 0, len(bits))
    return methods.method.reshape(-1, 2), methods.largest.reshape(-1, 2)
