"""A model without the variables whose values are known, or known to follow from another's.

What is left is again a binary pairwise model, and every labelling of it has the energy of the labelling of the whole
model that it stands for. Source: docs/method.md §15.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bender_core.model import BinaryMRF, BoolArray, FloatArray, IntArray, ModelError

OPEN = -1
GONE = -1


class ContradictionError(ValueError):
    """Facts contradict each other: no labelling fulfils them all."""


@dataclass(frozen=True, eq=False)
class Facts:
    """Values of variables, and pairs that are equal or opposite.

    Attributes
    ----------
    value : ndarray of int64, shape (n,)
        0 or 1; -1 where it is not known.
    ties : ndarray of int64, shape (k, 3)
        Variables i and j, and 1 if they are opposite, else 0.
    """

    value: IntArray
    ties: IntArray = field(default_factory=lambda: np.empty((0, 3), np.int64))

    def __len__(self) -> int:
        return int((self.value != OPEN).sum()) + len(self.ties)


@dataclass(frozen=True, eq=False)
class Reduction:
    """A model, what is left of it, and the way from one to the other.

    Source: docs/method.md §15.2.

    Attributes
    ----------
    model, reduced : BinaryMRF
    home : ndarray of int64, shape (n,)
        The variable of the reduced model that decides each variable; -1: its value is known.
    value : ndarray of int64, shape (n,)
        The value of each variable where it is known, and elsewhere its value where its home is 0.
    """

    model: BinaryMRF
    reduced: BinaryMRF
    home: IntArray
    value: IntArray

    @cached_property
    def is_open(self) -> BoolArray:
        """Whether each variable of the model is still to be decided, shape (n,)."""
        return np.asarray(self.home != GONE)

    @cached_property
    def deciders(self) -> IntArray:
        """The first variable of the model that each of the reduced one decides, and equals, shape (reduced.n,)."""
        found = np.empty(self.reduced.n, np.int64)
        decided = np.flatnonzero(self.is_open)[::-1]
        found[self.home[decided]] = decided  # of several the first one stays
        return found

    def restored(self, labeling: ArrayLike) -> IntArray:
        """The labelling of the model that a labelling of the reduced model stands for.

        Parameters
        ----------
        labeling : array_like of {0, 1}, shape (reduced.n,)

        Returns
        -------
        ndarray of int64, shape (n,)

        Raises
        ------
        ModelError
            If it is not a labelling of the reduced model.
        """
        found: IntArray = np.append(_labeling(self.reduced, labeling), 0)[self.home] ^ self.value
        return found

    def reduce(self, labeling: ArrayLike) -> IntArray:
        """The labelling of the reduced model that stands for a labelling of the model.

        Parameters
        ----------
        labeling : array_like of {0, 1}, shape (n,)

        Returns
        -------
        ndarray of int64, shape (reduced.n,)

        Raises
        ------
        ModelError
            If it is not a labelling of the model, or does not fulfil the facts.
        """
        x = _labeling(self.model, labeling)
        found = np.zeros(self.reduced.n, np.int64)
        found[self.home[self.is_open]] = (x ^ self.value)[self.is_open]
        if not np.array_equal(self.restored(found), x):
            raise ModelError("the labelling does not fulfil the facts by which the model was reduced")
        return found


def _labeling(model: BinaryMRF, labeling: ArrayLike) -> IntArray:
    """A labelling as integers; ModelError if it is none of the model."""
    model.violations(labeling)
    return np.asarray(labeling, np.int64)


def unreduced(model: BinaryMRF) -> Reduction:
    """The reduction of a model to itself."""
    return Reduction(model, model, np.arange(model.n), np.zeros(model.n, np.int64))


def composed(first: Reduction, second: Reduction) -> Reduction:
    """One reduction after another, as one.

    Parameters
    ----------
    first, second : Reduction
        The second one is of the reduced model of the first.

    Returns
    -------
    Reduction
    """
    home = np.append(second.home, GONE)[first.home]
    value = first.value ^ np.append(second.value, 0)[first.home]
    return Reduction(first.model, second.reduced, home, value)


def reduction(model: BinaryMRF, facts: Facts) -> Reduction:
    """Take variables with known values out of a model, and unite those that are tied.

    Parameters
    ----------
    model : BinaryMRF
    facts : Facts

    Returns
    -------
    Reduction
        A tied variable is decided by the first of those it is tied to. The reduced model keeps the order, the names,
        the kinds and the positions of its variables.

    Raises
    ------
    ContradictionError
        If no labelling fulfils the facts.

    Examples
    --------
    >>> model = BinaryMRF(unary=[[0, 1], [0, 2], [0, -3]], edges=[[0, 1], [1, 2]], pairwise=[[[0, 0], [0, 5]]] * 2)
    >>> found = reduction(model, Facts(np.array([1, -1, -1]), np.array([[1, 2, 1]])))
    >>> found.reduced.n, found.restored([0]).tolist()
    (1, [1, 0, 1])
    >>> found.reduced.energy([0]) == model.energy([1, 0, 1])
    True
    """
    first, value = _deciders(model.n, facts)
    kept = np.flatnonzero(first == np.arange(model.n))
    place = np.full(model.n + 1, GONE)
    place[kept] = np.arange(len(kept))
    home = place[first]
    return Reduction(model, _reduced(model, home, value, kept), home, value)


def _deciders(n: int, facts: Facts) -> tuple[IntArray, IntArray]:
    """The first variable that each is tied to, or -1 if its value is known; and the value where that one is 0.

    Literals are vertices: i is 0 (2 i), i is 1 (2 i + 1), and true and false; facts join those that are equal.
    """
    from scipy.sparse import coo_array  # slow to import, and needed only here
    from scipy.sparse.csgraph import connected_components

    known = np.flatnonzero(facts.value != OPEN)
    i, j, opposite = facts.ties.T
    ends = [(2 * known + facts.value[known], np.full(len(known), 2 * n + 1))]
    ends += [(2 * known + 1 - facts.value[known], np.full(len(known), 2 * n))]
    ends += [(2 * i + a, 2 * j + (a ^ opposite)) for a in (0, 1)]
    one, other = (np.concatenate(side) for side in zip(*ends, strict=True))
    joined = coo_array((np.ones(len(one)), (one, other)), shape=(2 * n + 2, 2 * n + 2))
    _, literal = connected_components(joined, directed=False)
    is_0, is_1 = literal[0:-2:2], literal[1:-2:2]
    false, true = literal[-2:]
    if true == false or (is_0 == is_1).any():
        raise ContradictionError("the facts contradict each other")
    # Of two tied variables the components are the same, in one order or the other.
    both = np.minimum(is_0, is_1) * (2 * n + 2) + np.maximum(is_0, is_1)
    _, begins, group = np.unique(both, return_index=True, return_inverse=True)
    first = begins[group]
    value = (is_0 != is_0[first]).astype(np.int64)
    fixed = (is_1 == true) | (is_0 == true)
    value[fixed] = (is_1 == true)[fixed]
    first[fixed] = GONE
    return first, value


def _reduced(model: BinaryMRF, home: IntArray, value: IntArray, kept: IntArray) -> BinaryMRF:
    """The model of the variables that are kept; penalties of hard constraints are energies like any other."""
    n = len(kept)
    # The variable behind the last one is always 0; it decides those whose value is known.
    decider = np.where(home == GONE, n, home)
    low, high = decider[model.edges].T
    flip_low, flip_high = value[model.edges].T
    tables = _flipped(_flipped(model.pairwise, flip_low).swapaxes(1, 2), flip_high).swapaxes(1, 2)
    same = low == high
    low_alone, high_alone = (~same & (other == n) for other in (high, low))
    added = [
        (decider, _flipped(model.unary, value)),
        (low[same], tables[same][:, (0, 1), (0, 1)]),
        (low[low_alone], tables[low_alone, :, 0]),
        (high[high_alone], tables[high_alone, 0, :]),
    ]
    unary, floors = np.zeros((n + 1, 2)), [np.zeros(0)]
    for at, energies in added:
        # An offset common to both states becomes part of the constant: in sums it would cost their difference digits.
        floor = np.where(at < n, energies.min(axis=1, initial=np.inf), 0.0) if len(at) else np.zeros(0)
        np.add.at(unary, at, energies - floor[:, None])
        floors.append(floor)
    pairs = ~same & (low < n) & (high < n)
    return BinaryMRF(
        unary=unary[:n],
        edges=np.column_stack([low[pairs], high[pairs]]),
        pairwise=tables[pairs],
        constant=math.fsum([model.constant, unary[n, 0], *np.concatenate(floors)]),
        names=tuple(model.names[i] for i in kept),
        groups=None if model.groups is None else tuple(model.groups[i] for i in kept),
        positions=None if model.positions is None else model.positions[kept],
        name=model.name,
    )


def _flipped(tables: FloatArray, flip: IntArray) -> FloatArray:
    """Tables whose first row is the row ``flip`` of the old ones, and whose second is the other."""
    rows = np.arange(len(tables))
    return np.stack([tables[rows, flip], tables[rows, 1 - flip]], axis=1)
