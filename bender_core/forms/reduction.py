"""A model reduced by the variables whose values are known, or follow from another's.

The reduced model is again a binary pairwise model, and each of its labellings has the energy of the corresponding
labelling of the whole model. Source: docs/method.md §15.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bender_core.forms.normal_form import normal_form, slope_terms
from bender_core.forms.polynomial import Terms
from bender_core.model import BinaryMRF, BoolArray, FloatArray, IntArray, ModelError
from bender_core.sums import exact_sums, residues

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
    """A model, its reduced model, and the map between them.

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

    @property
    def decided(self) -> tuple[IntArray, IntArray]:
        """What is decided: variables and their values, shape (f, 2); and ties, shape (t, 3).

        A tie is between a variable that stays and one that leaves the model, with 1 if they are opposite, else 0.
        """
        known = np.flatnonzero(~self.is_open)
        first = np.append(self.deciders, GONE)[self.home]
        follows = np.flatnonzero(self.is_open & (first != np.arange(self.model.n)))
        ties = np.column_stack([first[follows], follows, self.value[follows]])
        return np.column_stack([known, self.value[known]]), ties

    @cached_property
    def rounding(self) -> float:
        """How much the energies of the reduced model have been rounded, all of them together."""
        if self.reduced is self.model:
            return 0.0
        terms, pairs, energies = _terms(self.model, self.home, self.value)
        coupling, slope = self.reduced.coupling(), self.reduced.unary[:, 1] - self.reduced.unary[:, 0]
        keys, pair_keys = (self.reduced.n * pair[:, 0] + pair[:, 1] for pair in (self.reduced.edges, pairs))
        kept = np.isin(pair_keys, keys)
        of_pairs = residues(coupling, np.searchsorted(keys, pair_keys[kept]), energies[kept])
        of_slopes = residues(slope, *slope_terms(terms, self.reduced.edges, coupling))
        # The rounding errors of repulsive couplings are in both.
        return 2.0 * float(np.abs(of_pairs).sum()) + float(np.abs(of_slopes).sum())

    def restored(self, labeling: ArrayLike) -> IntArray:
        """The labelling of the model that corresponds to a labelling of the reduced model.

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
        """The labelling of the reduced model that corresponds to a labelling of the model.

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
        found = self.nearest(x)
        if not np.array_equal(self.restored(found), x):
            raise ModelError("the labelling does not fulfil the facts by which the model was reduced")
        return found

    def nearest(self, labeling: IntArray) -> IntArray:
        """A labelling of the reduced model that gives every variable that stays a value of those it decides.

        Parameters
        ----------
        labeling : ndarray of int64, shape (n,)
            Of the model; it need not fulfil the facts.

        Returns
        -------
        ndarray of int64, shape (reduced.n,)
        """
        found = np.zeros(self.reduced.n, np.int64)
        found[self.home[self.is_open]] = (labeling ^ self.value)[self.is_open]
        return found


class Left(NamedTuple):
    """What a proof has left of its model.

    Attributes
    ----------
    whole : Reduction
        From the whole model to what is left.
    labeling : ndarray of int64, shape (whole.reduced.n,)
        The best one known.
    negligible : float
        A gain that does not count, energy.
    """

    whole: Reduction
    labeling: IntArray
    negligible: float


def _labeling(model: BinaryMRF, labeling: ArrayLike) -> IntArray:
    """A labelling as integers; ModelError if it is none of the model."""
    model.violations(labeling)
    return np.asarray(labeling, np.int64)


def numbered(found: Reduction | None, number: IntArray) -> tuple[IntArray, IntArray]:
    """What a reduction has decided, as `Reduction.decided`, with other numbers of its variables; None: nothing."""
    if found is None:
        return np.empty((0, 2), np.int64), np.empty((0, 3), np.int64)
    fixed, tied = found.decided
    fixed[:, 0], tied[:, :2] = number[fixed[:, 0]], number[tied[:, :2]]
    return fixed, tied


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
    return Reduction(first.model, second.reduced, *_followed(first, second.home, second.value))


def _followed(first: Reduction, home: IntArray, value: IntArray) -> tuple[IntArray, IntArray]:
    """Home and value of the variables of a model, if its reduced one is reduced by these."""
    return np.append(home, GONE)[first.home], first.value ^ np.append(value, 0)[first.home]


def reduction(before: Reduction, facts: Facts) -> Reduction:
    """Remove variables with known values from a reduced model, and unite tied ones.

    Parameters
    ----------
    before : Reduction
        From a model to its reduced model so far; `unreduced` for the model itself.
    facts : Facts
        About the reduced model so far.

    Returns
    -------
    Reduction
        From the model to its new reduced model. A tied variable is decided by the first of those it is tied to. The
        reduced model is in the normal form, and keeps the order, the names, the kinds and the positions of its
        variables. Its energies are sums of those of the whole model, each rounded once, however many reductions there
        have been.

    Raises
    ------
    ContradictionError
        If no labelling fulfils the facts.

    Examples
    --------
    >>> model = BinaryMRF(unary=[[0, 1], [0, 2], [0, -3]], edges=[[0, 1], [1, 2]], pairwise=[[[0, 0], [0, 5]]] * 2)
    >>> found = reduction(unreduced(model), Facts(np.array([1, -1, -1]), np.array([[1, 2, 1]])))
    >>> found.reduced.n, found.restored([0]).tolist()
    (1, [1, 0, 1])
    >>> found.reduced.energy([0]) == model.energy([1, 0, 1])
    True
    """
    n = before.reduced.n
    first, value = _deciders(n, facts)
    kept = np.flatnonzero(first == np.arange(n))
    place = np.full(n + 1, GONE)
    place[kept] = np.arange(len(kept))
    home = place[first]
    return Reduction(before.reduced, _left(before.model, *_followed(before, home, value)), home, value)


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


def _left(model: BinaryMRF, home: IntArray, value: IntArray) -> BinaryMRF:
    """The model that is left, in the normal form; penalties of hard constraints are energies like any other."""
    is_open = np.flatnonzero(home != GONE)
    kept = is_open[np.unique(home[is_open], return_index=True)[1]]
    n, (terms, pairs, energies) = len(kept), _terms(model, home, value)
    found, place = np.unique(pairs[:, 0] * n + pairs[:, 1], return_inverse=True)
    coupling = exact_sums(place, energies, len(found))
    # Of pairs whose energies cancel there is no edge.
    edges = np.column_stack(np.divmod(found, max(n, 1)))[coupling != 0.0]
    form = normal_form(terms, n, edges, coupling[coupling != 0.0])
    return BinaryMRF(
        unary=form.unary,
        edges=form.edges,
        pairwise=form.pairwise(),
        constant=form.constant,
        names=tuple(model.names[i] for i in kept),
        groups=None if model.groups is None else tuple(model.groups[i] for i in kept),
        positions=None if model.positions is None else model.positions[kept],
        name=model.name,
    )


def _terms(model: BinaryMRF, home: IntArray, value: IntArray) -> tuple[Terms, IntArray, FloatArray]:
    """The energy of the reduced model: its terms, and its pairs of variables, the lower one first, with their energies.

    An energy counts where two indicators are 1. Each of them is known if its variable is; elsewhere it is y or 1 - y,
    where y is the variable that decides it.
    """
    ends, states, energies = _entries(model)
    # Behind the last variable, one that is 0.
    decider, at_zero = np.append(home, GONE)[ends], np.append(value, 0)[ends] == states
    is_open, slope = decider != GONE, np.where(at_zero, -1.0, 1.0)
    both, product = is_open.all(axis=1), slope.prod(axis=1) * energies
    same = both & (decider[:, 0] == decider[:, 1])
    variables, linear = [decider[same, 0]], [product[same]]
    for one, other in ((0, 1), (1, 0)):
        paid = is_open[:, one] & at_zero[:, other]
        variables.append(decider[paid, one])
        linear.append((slope[:, one] * energies)[paid])
    terms = Terms(
        np.append(energies[at_zero.all(axis=1)], model.constant), np.concatenate(variables), np.concatenate(linear)
    )
    return terms, np.sort(decider[both & ~same], axis=1), product[both & ~same]


def _entries(model: BinaryMRF) -> tuple[IntArray, IntArray, FloatArray]:
    """The energies that are not 0, with their variables and states: (k, 2) each; n, which is 0, is the j of unaries."""
    alone, paired = np.argwhere(model.unary), np.argwhere(model.pairwise)
    i, s = alone.T
    ends = np.concatenate([np.column_stack([i, np.full(len(i), model.n)]), model.edges[paired[:, 0]]])
    states = np.concatenate([np.column_stack([s, np.zeros(len(s), np.int64)]), paired[:, 1:]])
    energies = [table[table != 0.0] for table in (model.unary, model.pairwise)]
    return ends, states, np.concatenate(energies)
