"""Messages between variables, edges and triplets, improved block by block (MPLP), and the bound that they certify.

Every table of a model turns into a *belief*: what an edge sends to an end is taken from the edge and added to the end,
what a triplet sends to an edge is taken from the triplet, whose own energies are 0. So all beliefs together are still
the energy of every labelling, and the sum of their minima is a bound. Source: docs/cycles.md §8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bender_core.kernels._jit import entry, inner

# The share of the min-marginals of a block that each of its parts receives.
OF_END, OF_EDGE = 1.0 / 2.0, 1.0 / 3.0
# Table entries that are read to update an edge, and a triplet.
EDGE_ENTRIES, TRIPLET_ENTRIES = 12, 24


class Clusters(NamedTuple):
    """Energies, messages and beliefs. The *blocks* are the edges, and after them the triplets.

    Attributes
    ----------
    unary, pairwise : ndarray, shapes (n, 2) and (E, 2, 2)
        Energies; 0 for an edge that the model does not have.
    ends : ndarray of int64, shape (E, 2)
        The ends of every edge, the lower one first.
    triplets : ndarray of int64, shape (T, 3)
        The edges ij, ik and jk of every triplet i < j < k.
    to_ends : ndarray, shape (E, 2, 2)
        What an edge sends to each end, by the value of that end; energy.
    to_edges : ndarray, shape (T, 3, 2, 2)
        What a triplet sends to each edge, by the values of its ends; energy.
    of_variables, of_edges : ndarray, shapes (n, 2) and (E, 2, 2)
        Beliefs, energy.
    rest_of_variables, rest_of_edges : ndarray, shapes (n, 2) and (E, 2, 2)
        Work space of `certified`: the digits of a belief that a float has no place for.
    received : ndarray, shape (3, 2, 2)
        Work space of an update: the beliefs of the edges of a triplet without what it sends them.
    """

    unary: NDArray[np.float64]
    pairwise: NDArray[np.float64]
    ends: NDArray[np.int64]
    triplets: NDArray[np.int64]
    to_ends: NDArray[np.float64]
    to_edges: NDArray[np.float64]
    of_variables: NDArray[np.float64]
    of_edges: NDArray[np.float64]
    rest_of_variables: NDArray[np.float64]
    rest_of_edges: NDArray[np.float64]
    received: NDArray[np.float64]


def clusters_of(unary: NDArray[np.float64], ends: NDArray[np.int64], pairwise: NDArray[np.float64]) -> Clusters:
    """The tables of a model before any message; there is no triplet.

    Parameters
    ----------
    unary : ndarray, shape (n, 2)
    ends : ndarray of int64, shape (E, 2)
    pairwise : ndarray, shape (E, 2, 2)
    """
    variables, edges = np.zeros((2, *unary.shape)), np.zeros((3, *pairwise.shape))
    variables[0], edges[0] = unary, pairwise
    no_triplets = np.zeros((0, 3), np.int64), edges[1], np.zeros((0, 3, 2, 2))
    return Clusters(
        unary.copy(),
        pairwise.copy(),
        ends.copy(),
        *no_triplets,
        variables[0],
        edges[0],
        variables[1],
        edges[2],
        np.zeros((3, 2, 2)),
    )


def extended(clusters: Clusters, ends: NDArray[np.int64], triplets: NDArray[np.int64]) -> Clusters:
    """Clusters with more edges of no energy, and with more triplets; all messages are kept.

    Parameters
    ----------
    clusters : Clusters
    ends : ndarray of int64, shape (k, 2)
    triplets : ndarray of int64, shape (l, 3)
    """
    tables = np.zeros((len(ends), 2, 2))
    longer = {
        name: np.concatenate([getattr(clusters, name), tables])
        for name in ("pairwise", "to_ends", "of_edges", "rest_of_edges")
    }
    return clusters._replace(
        ends=np.concatenate([clusters.ends, ends]),
        triplets=np.concatenate([clusters.triplets, triplets]),
        to_edges=np.concatenate([clusters.to_edges, np.zeros((len(triplets), 3, 2, 2))]),
        **longer,
    )


@entry
def update(clusters, begin, end, temperature):
    """Update the blocks from ``begin`` to ``end``.

    At temperature 0 by MPLP: no update lowers the bound. Above it, by steps that raise the bound with soft minima in
    place of minima, -T log sum exp(-b / T).
    """
    edges = len(clusters.ends)
    for e in range(begin, min(end, edges)):
        if temperature > 0.0:
            _soften_edge(clusters, e, temperature)
        else:
            _update_edge(clusters, e)
    for t in range(max(begin - edges, 0), end - edges):
        if temperature > 0.0:
            _soften_triplet(clusters, t, temperature)
        else:
            _update_triplet(clusters, t)


@inner
def _update_edge(clusters, e):
    """Add the ends to the edge, and give each of them half of its min-marginals."""
    variables, edges, sent = clusters.of_variables, clusters.of_edges, clusters.to_ends
    i, j = clusters.ends[e]
    for a in range(2):
        for b in range(2):
            edges[e, a, b] += variables[i, a] + variables[j, b]
    for a in range(2):
        belief = OF_END * min(edges[e, a, 0], edges[e, a, 1])
        sent[e, 0, a] += belief - variables[i, a]
        variables[i, a] = belief
    for b in range(2):
        belief = OF_END * min(edges[e, 0, b], edges[e, 1, b])
        sent[e, 1, b] += belief - variables[j, b]
        variables[j, b] = belief
    for a in range(2):
        for b in range(2):
            edges[e, a, b] -= variables[i, a] + variables[j, b]


@inner
def _update_triplet(clusters, t):
    """Add the three edges, without what the triplet sends them, and give each a third of its min-marginals."""
    edges, sent, received = clusters.of_edges, clusters.to_edges, clusters.received
    for k in range(3):
        e = clusters.triplets[t, k]
        for a in range(2):
            for b in range(2):
                received[k, a, b] = edges[e, a, b] - sent[t, k, a, b]
    for k in range(3):
        e = clusters.triplets[t, k]
        for a in range(2):
            for b in range(2):
                one, other = _beside(received, k, a, b)
                edges[e, a, b] = OF_EDGE * (received[k, a, b] + min(one, other))
                sent[t, k, a, b] = edges[e, a, b] - received[k, a, b]


@inner
def _beside(tables, k, a, b):
    """The energies of the other two edges of a triplet, at both values of the variable that edge k does not have."""
    if k == 0:
        return tables[1, a, 0] + tables[2, b, 0], tables[1, a, 1] + tables[2, b, 1]
    if k == 1:
        return tables[0, a, 0] + tables[2, 0, b], tables[0, a, 1] + tables[2, 1, b]
    return tables[0, 0, a] + tables[1, 0, b], tables[0, 1, a] + tables[1, 1, b]


@inner
def _soften_edge(clusters, e, temperature):
    """Make the beliefs of each end, and what the edge says about them, equal: each of both gets half of their sum."""
    variables, edges, sent = clusters.of_variables, clusters.of_edges, clusters.to_ends
    i, j = clusters.ends[e]
    for a in range(2):
        more = 0.5 * (_soft_minimum(edges[e, a, 0], edges[e, a, 1], temperature) - variables[i, a])
        variables[i, a] += more
        sent[e, 0, a] += more
        edges[e, a, 0] -= more
        edges[e, a, 1] -= more
    for b in range(2):
        more = 0.5 * (_soft_minimum(edges[e, 0, b], edges[e, 1, b], temperature) - variables[j, b])
        variables[j, b] += more
        sent[e, 1, b] += more
        edges[e, 0, b] -= more
        edges[e, 1, b] -= more


@inner
def _soften_triplet(clusters, t, temperature):
    """The same of a triplet and each of its edges."""
    edges, sent, own = clusters.of_edges, clusters.to_edges, clusters.received
    for k in range(3):
        for a in range(2):
            for b in range(2):
                own[k, a, b] = -sent[t, k, a, b]
    for k in range(3):
        e = clusters.triplets[t, k]
        for a in range(2):
            for b in range(2):
                one, other = _beside(own, k, a, b)
                more = 0.5 * (own[k, a, b] + _soft_minimum(one, other, temperature) - edges[e, a, b])
                edges[e, a, b] += more
                sent[t, k, a, b] += more
                own[k, a, b] -= more


@inner
def _soft_minimum(one, other, temperature):
    return min(one, other) - temperature * np.log1p(np.exp(-abs(one - other) / temperature))


@entry
def near_bound(clusters):
    """The bound by the beliefs as they are, up to rounding, without the constant; triplets add nothing after MPLP."""
    total = 0.0
    for i in range(len(clusters.unary)):
        total += min(clusters.of_variables[i, 0], clusters.of_variables[i, 1])
    for e in range(len(clusters.ends)):
        table = clusters.of_edges[e]
        total += min(min(table[0, 0], table[0, 1]), min(table[1, 0], table[1, 1]))
    return total


@entry
def certified(clusters, constant):
    """Compute all beliefs anew from the messages, and the bound, which is above the energy of no labelling.

    Every sum is a float and its rest, each the sum of what the former one was rounded by. What rests are rounded by is
    added up, and taken from the bound. Mostly that is nothing, and the bound is rounded once, as energies are.
    """
    doubt = _gather(clusters)
    high, low = constant, 0.0
    variables, edges = len(clusters.unary), len(clusters.ends)
    for k in range(variables + edges + len(clusters.triplets)):
        if k < variables:
            least, rest = _least_of_variable(clusters, k)
        elif k < variables + edges:
            least, rest = _least_of_edge(clusters, k - variables)
        else:
            least, rest, lost = _least_of_triplet(clusters, k - variables - edges)
            doubt += lost
        high, low, lost = _added(high, low, least)
        doubt += lost
        low, lost = _two_sum(low, rest)
        doubt += abs(lost)
    bound, rest = _two_sum(high, low)
    # Twice, as the doubt is a rounded sum itself.
    excess = 2.0 * doubt - rest
    return np.nextafter(bound - excess, -np.inf) if doubt > 0.0 and excess > 0.0 else bound


@inner
def _gather(clusters):
    """Compute all beliefs and their rests; returns how much the rests may be wrong, all together."""
    variables, rests, doubt = clusters.of_variables, clusters.rest_of_variables, 0.0
    for i in range(len(variables)):
        for a in range(2):
            variables[i, a], rests[i, a] = clusters.unary[i, a], 0.0
    for e in range(len(clusters.ends)):
        for a in range(2):
            for b in range(2):
                clusters.of_edges[e, a, b], clusters.rest_of_edges[e, a, b] = clusters.pairwise[e, a, b], 0.0
        for side in range(2):
            i = clusters.ends[e, side]
            for a in range(2):
                sent = clusters.to_ends[e, side, a]
                variables[i, a], rests[i, a], lost = _added(variables[i, a], rests[i, a], sent)
                doubt += lost
                for b in range(2):
                    doubt += _add_to_edge(clusters, e, (a if side == 0 else b, b if side == 0 else a), -sent)
    for t in range(len(clusters.triplets)):
        for k in range(3):
            for a in range(2):
                for b in range(2):
                    doubt += _add_to_edge(clusters, clusters.triplets[t, k], (a, b), clusters.to_edges[t, k, a, b])
    return doubt


@inner
def _add_to_edge(clusters, e, values, term):
    a, b = values
    belief, rest, lost = _added(clusters.of_edges[e, a, b], clusters.rest_of_edges[e, a, b], term)
    clusters.of_edges[e, a, b], clusters.rest_of_edges[e, a, b] = belief, rest
    return lost


@inner
def _least_of_variable(clusters, i):
    """The least belief of a variable, with its rest."""
    least, rest = np.inf, 0.0
    for a in range(2):
        belief, left = _two_sum(clusters.of_variables[i, a], clusters.rest_of_variables[i, a])
        clusters.of_variables[i, a], clusters.rest_of_variables[i, a] = belief, left
        if belief < least or (belief == least and left < rest):
            least, rest = belief, left
    return least, rest


@inner
def _least_of_edge(clusters, e):
    least, rest = np.inf, 0.0
    for a in range(2):
        for b in range(2):
            belief, left = _two_sum(clusters.of_edges[e, a, b], clusters.rest_of_edges[e, a, b])
            clusters.of_edges[e, a, b], clusters.rest_of_edges[e, a, b] = belief, left
            if belief < least or (belief == least and left < rest):
                least, rest = belief, left
    return least, rest


@inner
def _least_of_triplet(clusters, t):
    """The least belief of a triplet with its rest, and how much the rests may be wrong."""
    least, rest, doubt, sent = np.inf, 0.0, 0.0, clusters.to_edges
    for a in range(2):
        for b in range(2):
            for c in range(2):
                belief, left, lost = _added(-sent[t, 0, a, b], 0.0, -sent[t, 1, a, c])
                doubt += lost
                belief, left, lost = _added(belief, left, -sent[t, 2, b, c])
                doubt += lost
                belief, left = _two_sum(belief, left)
                if belief < least or (belief == least and left < rest):
                    least, rest = belief, left
    return least, rest, doubt


@inner
def _added(total, rest, term):
    """A sum and its rest with one more term, and by how much the rest is rounded."""
    total, left = _two_sum(total, term)
    rest, lost = _two_sum(rest, left)
    return total, rest, abs(lost)


@inner
def _two_sum(one, other):
    """The sum of two, and what it is rounded by, exactly: D. E. Knuth, The Art of Computer Programming 2, §4.2.2."""
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)
