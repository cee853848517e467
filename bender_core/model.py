"""The binary pairwise Markov random field, the input of all other parts of the library.

``f(x) = constant + sum_i unary[i, x_i] + sum_e pairwise[e, x_i, x_j]`` with ``(i, j) = edges[e]`` and
``x`` in ``{0, 1}^n``. Energies are minimised. Source: docs/method.md §1.1.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core import given
from bender_core.given import (
    LARGEST_ENERGY,
    BoolArray,
    FloatArray,
    IntArray,
    ModelError,
    require_index,
    require_moderate,
)
from bender_core.objective import Objective
from bender_core.sums import exact_sums, sums_of_tables

# Of what is given, for all that takes a model.
__all__ = [
    "LARGEST_ENERGY",
    "BinaryMRF",
    "BoolArray",
    "FloatArray",
    "IntArray",
    "ModelError",
    "require_model",
    "require_moderate",
]

# An energy smaller than this share of a penalty loses too many digits when added to it.
_SWALLOWED = 2.0**-50
# Energies that differ by less than this, or by less than this share of the usual size, count as equal.
_ROUNDING = 1e-9


def require_model(mrf: object) -> None:
    """Refuse what is no model, before it is taken for one.

    Raises
    ------
    ModelError
    """
    if not isinstance(mrf, BinaryMRF):
        raise ModelError(f"the model is of type {type(mrf).__name__}; give a BinaryMRF, such as load returns")


@dataclass(frozen=True, eq=False, repr=False)
class BinaryMRF:
    """A binary pairwise Markov random field, immutable.

    Edges are stored once, with ``i < j``; the tables of repeated edges are added. An entry ``+inf`` is a
    hard constraint: it becomes a finite penalty larger than the finite range of the energy, so that every
    optimum of a feasible model stays an optimum. The model remembers which entries these are.
    Source: docs/method.md §1.1, §1.2.

    Parameters
    ----------
    unary : array_like, shape (n, 2)
        Energy of each state of each variable.
    edges : array_like of int, shape (m, 2), optional
        Pairs of variables.
    pairwise : array_like, shape (m, 2, 2), optional
        ``pairwise[e, a, b]`` is the energy of ``x_i = a, x_j = b`` for ``(i, j) = edges[e]``.
    constant : float, optional
        Energy added to every labelling.
    names : sequence of str, optional
        One name a variable; ``x0``, ``x1``, ... by default.
    groups : sequence of str, optional
        The kind of each variable (a body part, say), read by the partition strategy "groups".
    positions : array_like, shape (n, 2), optional
        Where each variable is drawn; y grows downwards, as in images.
    name, description, source : str, optional
        For display: the title of the model, its purpose, and where it comes from.
    objective : Objective, optional
        The source's own terms, in which results are reported.
    bound : float, optional
        A labelling of this energy or more is no solution (the upper bound of a weighted constraint network).
    readings : tuple of str, optional
        Names of the formats that the file fits with different meanings; the one it was read in comes first. Empty if it
        fits only one.
    notes : tuple of str, optional
        Sentences on what was taken for granted when the file was read, and could be meant otherwise.
    hard : pair of arrays of bool, shapes (n, 2) and (m, 2, 2), optional
        Entries of ``unary`` and of ``pairwise`` that are hard constraints, in addition to those that are ``+inf``;
        their numbers do not matter. As an attribute all hard entries, or None if there are none.

    Attributes
    ----------
    top : float
        The energy of a labelling lies above this if and only if it violates a hard constraint (``inf`` if there
        are none).

    Raises
    ------
    ModelError
        If shapes disagree, an index is out of range, an edge joins a variable to itself, a number is NaN, ``-inf``
        or an energy beyond ``LARGEST_ENERGY``, or the finite energies would lose their digits in float64 next to the
        penalties of the hard constraints.

    Examples
    --------
    >>> mrf = BinaryMRF(unary=[[0, -1], [0, 0]], edges=[[0, 1]], pairwise=[[[0, 0], [0, 1.5]]])
    >>> mrf.energy([1, 0]), mrf.energy([1, 1])
    (-1.0, 0.5)
    >>> mrf.condition({1: 1}).energy([0, 1])
    0.0
    """

    unary: FloatArray
    edges: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int64))
    pairwise: FloatArray = field(default_factory=lambda: np.empty((0, 2, 2)))
    constant: float = 0.0
    names: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    positions: FloatArray | None = None
    name: str = "model"
    description: str = ""
    source: str = ""
    objective: Objective = field(default_factory=Objective)
    bound: float = np.inf
    readings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    hard: tuple[BoolArray, BoolArray] | None = None
    top: float = field(default=np.inf, init=False)

    def __post_init__(self) -> None:
        unary = given.floats(self.unary, "unary", (-1, 2))
        n = len(unary)
        edges = given.pairs(self.edges, n)
        pairwise = given.floats(self.pairwise, "pairwise", (len(edges), 2, 2))
        constant = given.finite(self.constant)
        bound = float(self.bound)
        if not bound > -np.inf:
            raise ModelError(f"the bound is {bound}; it must be a number, or inf if there is none")
        if self.hard is not None:
            if not isinstance(self.hard, tuple | list) or len(self.hard) != 2:
                raise ModelError("hard is no pair; give the entries of unary and those of pairwise")
            _forbid(unary, self.hard[0], "hard[0]")
            _forbid(pairwise, self.hard[1], "hard[1]")
        require_moderate(np.array([constant]), unary, pairwise)
        edges, pairwise = _canonical_edges(edges, pairwise)
        hard = np.isposinf(unary), np.isposinf(pairwise)
        any_hard, top = bool(hard[0].any() or hard[1].any()), np.inf
        if any_hard:
            top = math.fsum([constant, *_highest(unary), *_highest(pairwise.reshape(-1, 4))])
            unary, pairwise = _soften(unary, edges, pairwise)
        # Sums of repeated edges, and penalties.
        require_moderate(unary, pairwise)
        names = given.texts(self.names, "names", n, "x")
        groups = None if self.groups is None else given.texts(self.groups, "groups", n)
        positions = None if self.positions is None else given.floats(self.positions, "positions", (n, 2))
        if positions is not None and not np.isfinite(positions).all():
            raise ModelError("positions contain an infinite coordinate; give finite numbers or leave positions out")
        for what in ("name", "description", "source"):
            given.text(getattr(self, what), f"the {what}")
        if not isinstance(self.objective, Objective):
            raise ModelError(f"the objective is {self.objective!r}; give an Objective")
        given.text(self.objective.name, "the name of the objective")
        for array in (unary, edges, pairwise, positions, *hard):
            if array is not None:
                array.setflags(write=False)
        # Past the guard of a frozen class.
        vars(self).update(unary=unary, edges=edges, pairwise=pairwise, constant=constant, positions=positions)
        vars(self).update(
            names=names, groups=groups, name=self.name or "model", bound=bound, hard=hard if any_hard else None, top=top
        )

    @property
    def ceiling(self) -> float:
        """The old name of `top`."""
        warnings.warn("BinaryMRF.ceiling is BinaryMRF.top now", DeprecationWarning, stacklevel=2)
        return self.top

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.unary)

    @property
    def n_edges(self) -> int:
        """The number of edges (pairs of variables with a table)."""
        return len(self.edges)

    @property
    def hard_entries(self) -> int:
        """The number of table entries that are hard constraints."""
        return sum(int(mask.sum()) for mask in self.hard or ())

    def energy(self, labeling: ArrayLike) -> float:
        """The energy f(x) of one labelling, rounded once; above ``top`` where it violates a hard constraint.

        Parameters
        ----------
        labeling : array_like of {0, 1}, shape (n,)

        Returns
        -------
        float

        Raises
        ------
        ModelError
            If the labelling has another length or other values.
        """
        x = self._bits(labeling)
        total = math.fsum([self.constant, *self._taken(self.unary, self.pairwise, x)])
        # Next to a large energy a penalty may be lost in the sum.
        return max(total, math.nextafter(self.top, math.inf)) if self._forbidden(x) else min(total, self.top)

    def violations(self, labeling: ArrayLike) -> int:
        """The number of hard constraints that a labelling violates; to reach the bound is one.

        Parameters
        ----------
        labeling : array_like of {0, 1}, shape (n,)

        Returns
        -------
        int

        Raises
        ------
        ModelError
            If the labelling has another length or other values.
        """
        return self._forbidden(self._bits(labeling)) + (self.bound < np.inf and self.energy(labeling) >= self.bound)

    def _forbidden(self, x: IntArray) -> int:
        """How many forbidden entries a labelling takes."""
        return int(self._taken(*self.hard_masks(), x).sum())

    def is_feasible(self, energy: float) -> bool:
        """Whether a labelling with this energy violates no hard constraint, and stays below the bound.

        Parameters
        ----------
        energy : float

        Returns
        -------
        bool
        """
        return energy <= self.top and energy < self.bound

    def _bits(self, labeling: ArrayLike) -> IntArray:
        try:
            x = np.asarray(labeling)
        except ValueError:  # rows of several lengths
            x = np.array(None)
        if x.shape != (self.n,):
            raise ModelError(f"a labelling has {self.n} entries, each 0 or 1; got an array of shape {x.shape}")
        if not (known := np.isin(x, (0, 1))).all():
            k = int(np.argmin(known))
            raise ModelError(f"a labelling has {self.n} entries, each 0 or 1; entry {k} is {x[k]}")
        return x.astype(np.int64)

    def _taken(self, unary: NDArray[Any], pairwise: NDArray[Any], x: IntArray) -> NDArray[Any]:
        """The entries of all tables at a labelling, shape (n + m,)."""
        i, j = self.edges.T
        return np.concatenate([unary[np.arange(self.n), x], pairwise[np.arange(self.n_edges), x[i], x[j]]])

    def coupling(self) -> FloatArray:
        """The interaction ``w = t(1,1) - t(0,1) - t(1,0) + t(0,0)`` of every edge, energy, shape (m,), rounded once.

        Source: docs/method.md §1.3.
        """
        return self._coupling

    @cached_property
    def _coupling(self) -> FloatArray:
        terms = self.pairwise.reshape(-1, 4) * (1.0, -1.0, -1.0, 1.0)
        found = exact_sums(np.arange(self.n_edges).repeat(4), terms.reshape(-1), self.n_edges)
        found.setflags(write=False)
        return found

    def hard_masks(self) -> tuple[BoolArray, BoolArray]:
        """Which entries of ``unary`` and of ``pairwise`` are penalties of hard constraints."""
        return self.hard or (np.zeros(self.unary.shape, bool), np.zeros(self.pairwise.shape, bool))

    def condition(self, evidence: Mapping[int, int]) -> BinaryMRF:
        """The model given the values of some variables.

        They stay in the model, so that labellings keep their length: their pairwise tables become unary energies of
        their neighbours, and their other value is forbidden.

        Parameters
        ----------
        evidence : mapping of int to {0, 1}
            The value of every variable observed.

        Returns
        -------
        BinaryMRF

        Raises
        ------
        ModelError
            If a variable or value does not exist.
        """
        if not isinstance(evidence, Mapping):
            raise ModelError(f"evidence is {evidence!r}; give a dict with the values of variables")
        for i, value in evidence.items():
            try:
                require_index(i, self.n, "variable")
            except ValueError as error:
                raise ModelError(str(error)) from None
            if value not in (0, 1):
                raise ModelError(f"variable {i} cannot be {value!r}; observe it as 0 or 1")
        known, values = np.array(list(evidence), np.int64), np.array(list(evidence.values()), np.int64)
        observed = np.full(self.n, -1)
        observed[known] = values
        hard_unary, hard_pairwise = self.hard_masks()
        unary, pairwise = np.where(hard_unary, np.inf, self.unary), np.where(hard_pairwise, np.inf, self.pairwise)
        i, j = self.edges.T
        of_i, of_j = observed[i] >= 0, observed[j] >= 0
        only_i, only_j, both = of_i & ~of_j, of_j & ~of_i, of_i & of_j
        free = np.concatenate([j[only_i], i[only_j]])
        given = np.concatenate([pairwise[only_i, observed[i[only_i]], :], pairwise[only_j, :, observed[j[only_j]]]])
        own = np.unique(free)
        at_zero, added = _added(np.append(own, free), np.concatenate([unary[own], given]), self.n)
        unary[own] = added[own]
        within = pairwise[both, observed[i[both]], observed[j[both]]]
        constant = math.fsum([self.constant, *unary[known, values], *within, *at_zero])
        if np.isinf(constant):
            raise ModelError("the evidence violates a hard constraint; correct it")
        unary[known, values] = 0.0
        unary[known, 1 - values] = np.inf
        return replace(
            self,
            unary=unary,
            edges=self.edges[~(of_i | of_j)],
            pairwise=pairwise[~(of_i | of_j)],
            constant=constant,
            hard=None,
        )

    def content_hash(self) -> str:
        """A hexadecimal SHA-256 of the energy function and its bound (not of names or drawing positions).

        Models with the same hash have the same constant, tables, edges, hard constraints and bound.
        """
        digest = hashlib.sha256()
        for array in (np.array(self.constant), *self._deciding()):
            # So that no array can begin where another ends.
            digest.update(np.array([array.ndim, *array.shape], np.int64).tobytes() + array.tobytes())
        if self.bound < np.inf:
            digest.update(np.float64(self.bound).tobytes())
        return digest.hexdigest()

    def former_hash(self) -> str:
        """The former `content_hash`, over bytes without shapes: different models may have the same one."""
        digest = hashlib.sha256(np.float64(self.constant).tobytes())
        for array in self._deciding():
            digest.update(array.tobytes())
        return digest.hexdigest()

    def has_hash(self, text: str) -> bool:
        """Whether a hash, perhaps kept by an earlier version, is one of this model.

        Parameters
        ----------
        text : str
            A `content_hash` or `former_hash`.

        Returns
        -------
        bool
        """
        return text in (self.content_hash(), self.former_hash())

    def _deciding(self) -> tuple[NDArray[Any], ...]:
        return self.unary, self.edges, self.pairwise, *(self.hard or ())

    def __repr__(self) -> str:
        return f"BinaryMRF({self.name!r}: {self.n} variables, {self.n_edges} edges)"


def _canonical_edges(edges: IntArray, pairwise: FloatArray) -> tuple[IntArray, FloatArray]:
    """Every pair once, with i < j, in order of first appearance; tables of repeated pairs add up."""
    flip = edges[:, 0] > edges[:, 1]
    edges, pairwise = edges.copy(), pairwise.copy()
    edges[flip] = edges[flip, ::-1]
    pairwise[flip] = pairwise[flip].transpose(0, 2, 1)
    unique, first, inverse = np.unique(edges, axis=0, return_index=True, return_inverse=True)
    if len(unique) == len(edges):
        return edges, pairwise
    order = np.argsort(first)
    total = sums_of_tables(np.argsort(order)[inverse.reshape(-1)], pairwise.reshape(-1, 4), len(unique))
    return np.ascontiguousarray(unique[order]), total.reshape(-1, 2, 2)


def _added(owner: IntArray, tables: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """The energies of variables added up: what all cost at 0, and tables of what is left, shapes (k,) and (n, 2)."""
    forbidden = np.isinf(tables)
    # Beside a forbidden state only the other one is left.
    energies = np.where(forbidden.all(axis=1, keepdims=True), 0.0, np.where(forbidden, tables[:, ::-1], tables))
    found = np.zeros((n, 2))
    found[:, 1] = exact_sums(np.append(owner, owner), np.concatenate([energies[:, 1], -energies[:, 0]]), n)
    for state in (0, 1):
        found[owner[forbidden[:, state]], state] = np.inf
    return energies[:, 0], found


def _forbid(table: FloatArray, hard: BoolArray, what: str) -> None:
    """Set hard entries to infinity."""
    if np.shape(hard) != table.shape:
        raise ModelError(f"{what} has shape {np.shape(hard)}; it must be {table.shape}")
    table[np.asarray(hard, bool)] = np.inf


def _lowest(tables: FloatArray) -> FloatArray:
    """The least finite entry of every table, 0 where there is none, shape (k,)."""
    lowest: FloatArray = tables.min(axis=1, initial=np.inf)
    return np.where(np.isinf(lowest), 0.0, lowest)


def _highest(tables: FloatArray) -> FloatArray:
    """The largest finite entry of every table, 0 where there is none, shape (k,)."""
    return -_lowest(np.where(np.isinf(tables), np.inf, -tables))


def _soften(unary: FloatArray, edges: IntArray, pairwise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace +inf by a penalty that exceeds the range of all finite energies together."""
    pairs = pairwise.reshape(-1, 4)
    lowest = np.concatenate([_lowest(unary), _lowest(pairs)])
    spread = np.concatenate([_highest(unary), _highest(pairs)]) - lowest
    hard = np.concatenate([np.isinf(unary).any(axis=1), np.isinf(pairs).any(axis=1)])
    # A smaller penalty would be rounded away next to a large energy.
    visible = 256.0 * float(np.spacing(np.abs(lowest[hard]).max()))
    penalty = max(2.0 * math.fsum(spread) or 1.0, visible)
    sizes = np.abs(np.concatenate([unary.reshape(-1), pairs.reshape(-1)]))
    usual = float(np.median(sizes[(sizes > 0) & np.isfinite(sizes)])) if spread.any() else 1.0
    _require_digits(spread, penalty, _ROUNDING * min(1.0, usual), edges)
    softened = np.where(np.isinf(unary), lowest[: len(unary), None] + penalty, unary)
    softened_pairs = np.where(np.isinf(pairs), lowest[len(unary) :, None] + penalty, pairs)
    return softened, softened_pairs.reshape(pairwise.shape)


def _require_digits(spread: FloatArray, penalty: float, negligible: float, edges: IntArray) -> None:
    """Refuse a model in which sums with a penalty would lose the differences of some finite energies.

    Parameters
    ----------
    spread : ndarray, shape (n + m,)
        The range of the finite energies of every table, those of variables first.
    penalty : float
    negligible : float
        Differences up to this do not matter.
    edges : ndarray of int64, shape (m, 2)
    """
    lost = np.flatnonzero((spread > negligible) & (spread < _SWALLOWED * penalty))
    if len(lost):
        k, n = int(lost[0]), len(spread) - len(edges)
        place = f"variable {k}" if k < n else "edge ({}, {})".format(*edges[k - n])
        raise ModelError(
            f"the energies of {place} differ by {spread[k]:.3g}, which is lost next to the penalty {penalty:.3g} of "
            "hard constraints; write inf in place of huge energies"
        )
