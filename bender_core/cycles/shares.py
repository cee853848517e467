"""Shares of cycles: the bound that they certify, what edges have left, and the parts of the gap.

Source: docs/cycles.md §2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bender_core.cycles.signed import SignedGraph
from bender_core.model import BoolArray, FloatArray, IntArray
from bender_core.sums import exact_sums

# An edge with less than this share of its cost left has none: the rest is rounding.
SPENT = 1e-12


class Parts(NamedTuple):
    """The parts of the gap: all are at least 0, and they sum to the energy of a labelling minus the bound.

    Attributes
    ----------
    cycles : ndarray, shape (K,)
        What each cycle pays beyond once, energy.
    edges : ndarray, shape (E,)
        What a broken edge has not lent, and what a satisfied one has lent beyond its cost, energy.
    """

    cycles: FloatArray
    edges: FloatArray


def bound(graph: SignedGraph, cycles: Sequence[IntArray], shares: FloatArray) -> float:
    """The lower bound by which cycles and any shares that are not negative certify; energy.

    Every frustrated cycle has a broken edge, whatever the labelling. Source: docs/cycles.md §2.
    """
    rest = rests(graph, cycles, shares)
    return math.fsum([graph.base, *shares.tolist(), *np.minimum(rest, 0.0).tolist()])


def rests(graph: SignedGraph, cycles: Sequence[IntArray], shares: FloatArray) -> FloatArray:
    """What every edge has left of its cost, energy, shape (E,); negative where it lends more."""
    count = len(graph.cost)
    lent = -shares.repeat([len(cycle) for cycle in cycles])
    return exact_sums(np.concatenate([np.arange(count), *cycles]), np.concatenate([graph.cost, lent]), count)


def borrowed(cost: FloatArray, left: FloatArray, cycles: Sequence[IntArray]) -> FloatArray:
    """What cycles can take one after the other: each the least that any of its edges has left, beyond rounding.

    Parameters
    ----------
    cost, left : ndarray, shape (E,)
        Of every edge, and what it has left; energy. What the cycles take is taken off.
    cycles : sequence of ndarray of int64

    Returns
    -------
    ndarray, shape (len(cycles),)
        Energy, not negative.
    """
    shares = np.zeros(len(cycles))
    for k, cycle in enumerate(cycles):
        if (left[cycle] > SPENT * cost[cycle]).all():
            shares[k] = left[cycle].min()
        left[cycle] -= shares[k]
    return shares


def parts_of(graph: SignedGraph, cycles: Sequence[IntArray], shares: FloatArray, broken: BoolArray) -> Parts:
    """Where the gap between the bound and the energy of a labelling lies.

    Parameters
    ----------
    graph : SignedGraph
    cycles : sequence of ndarray of int64
    shares : ndarray, shape (len(cycles),)
        Energy.
    broken : ndarray of bool, shape (E,)
        The edges that the labelling breaks.

    Returns
    -------
    Parts
    """
    rest = rests(graph, cycles, shares)
    paid = np.array([np.count_nonzero(broken[cycle]) for cycle in cycles], np.int64)
    return Parts(shares * (paid - 1), np.where(broken, np.maximum(rest, 0.0), np.maximum(-rest, 0.0)))
