"""The binary pairwise Markov random field: what every other part of the library reads.

``f(x) = constant + sum_i unary[i, x_i] + sum_e pairwise[e, x_i, x_j]`` with ``(i, j) = edges[e]`` and
``x`` in ``{0, 1}^n``. Energies are minimised (method.md, section 1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Far above any use, and far enough below the largest float that no sum of energies overflows.
LARGEST_ENERGY = 1e100


class ModelError(ValueError):
    """The arrays given do not describe a binary pairwise model; the message says where and how to mend it."""


@dataclass(frozen=True)
class Objective:
    """How the source of a model states what is optimised: ``value = scale * energy + offset``.

    Attributes
    ----------
    name : str
        What the source calls the number ("energy", "log potential", "cut weight").
    sense : {"min", "max"}
        Whether the source minimises or maximises it.
    scale, offset : float
        The affine map from energy to the source's value.
    domain : {"bits", "spins"}
        Whether the source's variables are ``x`` or spins ``2 x - 1``.
    """

    name: str = "energy"
    sense: Literal["min", "max"] = "min"
    scale: float = 1.0
    offset: float = 0.0
    domain: Literal["bits", "spins"] = "bits"

    def value(self, energy: float) -> float:
        """The source's own number for an energy."""
        return self.scale * energy + self.offset


@dataclass(frozen=True, eq=False, repr=False)
class BinaryMRF:
    """A binary pairwise Markov random field, immutable.

    Edges are stored once, with ``i < j``; the tables of repeated edges are added. An entry ``+inf`` is a
    hard constraint: it becomes a finite penalty larger than the finite range of the energy, so that every
    optimum of a feasible model stays an optimum.

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
        For people: what the model is, what it teaches, where it comes from.
    objective : Objective, optional
        The source's own terms, in which results are reported.

    Attributes
    ----------
    hard_entries : int
        How many infinite entries were replaced by a penalty.
    ceiling : float
        A labelling whose energy lies above this violates a hard constraint (``inf`` if there are none).

    Raises
    ------
    ModelError
        If shapes disagree, an index is out of range, an edge joins a variable to itself, or an entry is
        NaN, ``-inf`` or beyond ``LARGEST_ENERGY``.
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
    hard_entries: int = 0
    ceiling: float = np.inf

    def __post_init__(self) -> None:
        unary = _floats(self.unary, "unary", (-1, 2))
        n = len(unary)
        edges = _indices(self.edges, n)
        pairwise = _floats(self.pairwise, "pairwise", (len(edges), 2, 2))
        constant = float(self.constant)
        if not np.isfinite(constant):
            raise ModelError(f"the constant is {constant}; it must be a finite number")
        edges, pairwise = _canonical_edges(edges, pairwise)
        hard = int(np.isposinf(unary).sum() + np.isposinf(pairwise).sum())
        if hard:
            unary, pairwise, ceiling = _soften(unary, pairwise)
            object.__setattr__(self, "hard_entries", hard)
            object.__setattr__(self, "ceiling", ceiling + constant)
        largest = max(abs(constant), np.abs(unary).max(initial=0.0), np.abs(pairwise).max(initial=0.0))
        if not largest < LARGEST_ENERGY:
            raise ModelError(
                f"an energy is {largest:.3g} in size; scale the model so that all stay below {LARGEST_ENERGY:g}"
            )
        names = _strings(self.names, "names", n) if len(self.names) else tuple(f"x{i}" for i in range(n))
        groups = None if self.groups is None else _strings(self.groups, "groups", n)
        positions = None if self.positions is None else _floats(self.positions, "positions", (n, 2))
        if positions is not None and not np.isfinite(positions).all():
            raise ModelError("positions hold an infinite coordinate; give finite numbers or leave positions out")
        for key, value in {
            "unary": unary,
            "edges": edges,
            "pairwise": pairwise,
            "constant": constant,
            "names": names,
            "groups": groups,
            "positions": positions,
        }.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, key, value)

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.unary)

    @property
    def n_edges(self) -> int:
        """The number of edges (pairs of variables with a table)."""
        return len(self.edges)

    def energy(self, labeling: ArrayLike) -> float:
        """The energy f(x) of one labelling.

        Parameters
        ----------
        labeling : array_like of {0, 1}, shape (n,)

        Raises
        ------
        ModelError
            If the labelling has another length or other values.
        """
        x = np.asarray(labeling)
        if x.shape != (self.n,) or not np.isin(x, (0, 1)).all():
            raise ModelError(f"a labelling has {self.n} entries, each 0 or 1; got an array of shape {x.shape}")
        x = x.astype(np.int64)
        i, j = self.edges.T
        singles = self.unary[np.arange(self.n), x].sum()
        pairs = self.pairwise[np.arange(self.n_edges), x[i], x[j]].sum()
        return float(self.constant + singles + pairs)

    def is_feasible(self, energy: float) -> bool:
        """Whether a labelling of this energy violates no hard constraint."""
        return energy <= self.ceiling

    def coupling(self) -> FloatArray:
        """The interaction ``w = t(1,1) - t(0,1) - t(1,0) + t(0,0)`` of every edge, shape (m,)."""
        t = self.pairwise
        w: FloatArray = t[:, 1, 1] - t[:, 0, 1] - t[:, 1, 0] + t[:, 0, 0]
        return w

    def hard_masks(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which entries of ``unary`` and of ``pairwise`` are penalties of hard constraints.

        Raises
        ------
        ModelError
            If they cannot be told from the other entries (a table that forbids everything, say).
        """
        if not self.hard_entries:
            return np.zeros(self.unary.shape, bool), np.zeros(self.pairwise.shape, bool)
        floors = self.unary.min(axis=1, keepdims=True), self.pairwise.min(axis=(1, 2), keepdims=True)
        lowest = self.constant + floors[0].sum() + floors[1].sum()
        # No finite entry costs so much that with it alone a labelling would reach the ceiling; every penalty does.
        unary, pairwise = (
            self.unary - floors[0] > self.ceiling - lowest,
            self.pairwise - floors[1] > self.ceiling - lowest,
        )
        if unary.sum() + pairwise.sum() != self.hard_entries:
            raise ModelError("the model's hard constraints cannot be told from its energies; write it as native")
        return unary, pairwise

    def condition(self, evidence: Mapping[int, int]) -> BinaryMRF:
        """The model given the values of some variables.

        They keep their places, so that labellings stay whole: their tables with others become energies of these, and
        their other value is forbidden.

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
        for i, value in evidence.items():
            if not 0 <= i < self.n or value not in (0, 1):
                raise ModelError(f"variable {i} cannot be {value}; observe variables 0 to {self.n - 1} as 0 or 1")
        known, values = np.array(list(evidence), np.int64), np.array(list(evidence.values()), np.int64)
        observed = np.full(self.n, -1)
        observed[known] = values
        hard_unary, hard_pairwise = self.hard_masks()
        unary, pairwise = np.where(hard_unary, np.inf, self.unary), np.where(hard_pairwise, np.inf, self.pairwise)
        i, j = self.edges.T
        of_i, of_j = observed[i] >= 0, observed[j] >= 0
        only_i, only_j, both = of_i & ~of_j, of_j & ~of_i, of_i & of_j
        np.add.at(unary, j[only_i], pairwise[only_i, observed[i[only_i]], :])
        np.add.at(unary, i[only_j], pairwise[only_j, :, observed[j[only_j]]])
        paid = float(pairwise[both, observed[i[both]], observed[j[both]]].sum() + unary[known, values].sum())
        if np.isinf(paid):
            raise ModelError("what was observed violates a hard constraint; correct the evidence")
        unary[known, values] = 0.0
        unary[known, 1 - values] = np.inf
        return replace(
            self,
            unary=unary,
            edges=self.edges[~(of_i | of_j)],
            pairwise=pairwise[~(of_i | of_j)],
            constant=self.constant + paid,
            hard_entries=0,
            ceiling=np.inf,
        )

    def content_hash(self) -> str:
        """A hexadecimal SHA-256 of the energy function (not of names or drawing positions)."""
        digest = hashlib.sha256(np.float64(self.constant).tobytes())
        for array in (self.unary, self.edges, self.pairwise):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return f"BinaryMRF({self.name!r}: {self.n} variables, {self.n_edges} edges)"


def _floats(values: ArrayLike, what: str, shape: tuple[int, ...]) -> FloatArray:
    """A fresh C-contiguous float64 copy of the wanted shape (-1: any length), without NaN or -inf."""
    try:
        array = np.array(values, dtype=np.float64, order="C", ndmin=1)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} is not an array of numbers: {error}") from None
    if array.size == 0 and (-1 in shape or 0 in shape):
        array = array.reshape([max(s, 0) for s in shape])
    if array.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("n" if s == -1 else str(s) for s in shape)
        raise ModelError(f"{what} has shape {array.shape}; it must be ({wanted})")
    bad = np.argwhere(np.isnan(array) | np.isneginf(array))
    if len(bad):
        where = ", ".join(map(str, bad[0]))
        raise ModelError(f"{what}[{where}] is {array[tuple(bad[0])]}; energies must be numbers (+inf forbids a state)")
    return array


def _indices(values: ArrayLike, n: int) -> IntArray:
    array = np.array(values, dtype=np.int64, order="C")
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ModelError(f"edges has shape {array.shape}; it must be (m, 2)")
    outside = array[((array < 0) | (array >= n)).any(axis=1)]
    if len(outside):
        i, j = outside[0]
        raise ModelError(f"an edge names variables {i} and {j}, but variables run from 0 to {n - 1}")
    loops = array[array[:, 0] == array[:, 1], 0]
    if len(loops):
        raise ModelError(f"an edge joins variable {loops[0]} to itself; put that energy into its unary table")
    return array


def _strings(values: Sequence[str], what: str, n: int) -> tuple[str, ...]:
    if len(values) != n:
        raise ModelError(f"{what} has {len(values)} entries; there are {n} variables")
    return tuple(str(value) for value in values)


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
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    total = np.zeros((len(unique), 2, 2))
    np.add.at(total, rank[inverse.reshape(-1)], pairwise)
    return np.ascontiguousarray(unique[order]), total


def _soften(unary: FloatArray, pairwise: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Replace +inf by a penalty above the finite range; also the energy that no feasible labelling exceeds."""
    lowest, highest = 0.0, 0.0
    for table in (unary, pairwise.reshape(-1, 4)):
        finite = np.isfinite(table)
        some = finite.any(axis=1)
        lowest += float(np.where(finite, table, np.inf).min(axis=1, initial=np.inf)[some].sum())
        highest += float(np.where(finite, table, -np.inf).max(axis=1, initial=-np.inf)[some].sum())
    penalty = 2.0 * (highest - lowest) or 1.0

    def finite_table(table: FloatArray) -> FloatArray:
        flat = table.reshape(len(table), int(np.prod(table.shape[1:])))
        floor = np.where(np.isfinite(flat), flat, np.inf).min(axis=1, initial=np.inf)
        floor = np.where(np.isfinite(floor), floor, 0.0)
        softened: FloatArray = np.where(np.isinf(flat), floor[:, None] + penalty, flat).reshape(table.shape)
        return np.ascontiguousarray(softened)

    # A feasible labelling costs at most `highest`, another at least `lowest + penalty`; the ceiling lies between.
    return finite_table(unary), finite_table(pairwise), 0.5 * (highest + lowest + penalty)
