"""Exact least energies, written from the definition of the energy: they know nothing of the solver or the checker.

Every coefficient is a rational number, so all energies of a model are whole multiples of one fraction. Here they are
sums of Python's integers, or of 64-bit ones where none can overflow: nothing is rounded. Source: docs/method.md §1.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import bender_core as bc

# Of Python's integers, or of 64-bit ones.
Whole = NDArray[Any]
Read = Callable[[float], Fraction]


def as_float(number: float) -> Fraction:
    """The number that a float is."""
    return Fraction(number)


def as_decimal(number: float) -> Fraction:
    """The number that was meant by a float, if it was a decimal: 1/10 by 0.1."""
    return Fraction(number) if number.is_integer() else Fraction(repr(number))


class Exact:
    """The energy of a model in exact arithmetic.

    Parameters
    ----------
    mrf : BinaryMRF
        Hard constraints count as the penalties that the model has made of them.
    read : callable
        The number that a coefficient stands for.
    """

    def __init__(self, mrf: bc.BinaryMRF, read: Read = as_float) -> None:
        self.mrf = mrf
        numbers = [mrf.constant, *mrf.unary.reshape(-1).tolist(), *mrf.pairwise.reshape(-1).tolist()]
        fractions = [read(number) for number in numbers]
        self.unit = Fraction(1, math.lcm(*(each.denominator for each in fractions)))
        whole = [int(each / self.unit) for each in fractions]
        # More than any difference of energies.
        self.all = 1 + sum(map(abs, whole))
        fits = self.all < 1 << 61
        constant, *rest = np.array(whole, np.int64 if fits else object)
        self.constant = int(constant)
        tables = np.array(rest, np.int64 if fits else object)
        self.unary: Whole = tables[: 2 * mrf.n].reshape(-1, 2)
        self.pairwise: Whole = tables[2 * mrf.n :].reshape(-1, 2, 2)

    def energy(self, labeling: ArrayLike) -> Fraction:
        """The energy of a labelling."""
        x, (i, j) = np.asarray(labeling), self.mrf.edges.T
        taken = [*self.unary[np.arange(self.mrf.n), x], *self.pairwise[np.arange(len(i)), x[i], x[j]]]
        return (self.constant + sum(map(int, taken))) * self.unit

    def energies(self) -> list[Fraction]:
        """Those of all labellings; bit i of a place in the list is the value of variable i."""
        x = np.arange(1 << self.mrf.n)[:, None] >> np.arange(self.mrf.n) & 1
        total = np.full(len(x), self.constant, self.unary.dtype)
        for i, table in enumerate(self.unary):
            total += table[x[:, i]]
        for (i, j), table in zip(self.mrf.edges.tolist(), self.pairwise, strict=True):
            total += table[x[:, i], x[:, j]]
        return [int(each) * self.unit for each in total]

    def least(self, value: int = 0, of: int | None = None) -> Fraction:
        """The least energy, variable by variable; or that of the labellings that give a variable a value.

        An axis of ``kept`` is a variable that is coupled to a later one, an entry the least energy of what lies before.
        This takes 2^w entries, where w is the largest distance of the ends of an edge.
        """
        unary = self.unary.copy()
        if of is not None:
            unary[of, 1 - value] += 2 * self.all
        width = int(np.ptp(self.mrf.edges, axis=1).max(initial=1))
        tables = {(i, j): table for (i, j), table in zip(self.mrf.edges.tolist(), self.pairwise, strict=True)}
        kept: Whole = np.full((1,) * width, self.constant, self.unary.dtype)
        nothing = np.zeros((1, 2), self.unary.dtype)
        for i in range(self.mrf.n):
            cost = unary[i]
            for j in range(i - 1, i - 1 - width, -1):
                table = tables.get((j, i), nothing)
                cost = cost[None] + table.reshape(len(table), *(1,) * (cost.ndim - 1), 2)
            kept = (kept[..., None] + cost).min(axis=0)
        return int(kept.min()) * self.unit

    def least_of_chain(self, size: int) -> Fraction:
        """The least energy, if only neighbours among items of ``size`` variables each are coupled: item by item.

        All values of the variables of an item are tried, also those that its penalties are against.
        """
        states = np.arange(1 << size)[:, None] >> np.arange(size) & 1
        items = self.mrf.n // size
        own = np.full((items, len(states)), 0, self.unary.dtype)
        between = np.full((items, len(states), len(states)), 0, self.unary.dtype)
        for i, table in enumerate(self.unary):
            own[i // size] += table[states[:, i % size]]
        for (i, j), table in zip(self.mrf.edges.tolist(), self.pairwise, strict=True):
            first, second = states[:, i % size], states[:, j % size]
            if i // size == j // size:
                own[i // size] += table[first, second]
            else:
                between[j // size] += table[first[:, None], second]
        kept = own[0]
        for energies, couplings in zip(own[1:], between[1:], strict=True):
            kept = (kept[:, None] + couplings).min(axis=0) + energies
        return (self.constant + int(kept.min())) * self.unit
