"""Quadratic functions of bits or spins, the content of most formats, from and to tables of energies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bender_core.io._source import Source
from bender_core.io.errors import FormatError
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.objective import Objective

Domain = Literal["bits", "spins"]
# Coefficients that cancel leave at most this share of their sum.
ROUNDING = 1e-12
HOLDS_ANY = "native, which stores any model"
# The conversion to spins takes quarters; a quarter of a smaller number loses digits.
SMALLEST = float(np.finfo(float).tiny / np.finfo(float).eps)

# The values of a bit and of a spin for x = 0 and x = 1.
_VALUES: dict[Domain, FloatArray] = {"bits": np.array([0.0, 1.0]), "spins": np.array([-1.0, 1.0])}


@dataclass(frozen=True)
class Quadratic:
    """``constant + Σ linear[i] v_i + Σ quadratic[e] v_i v_j`` with ``(i, j) = edges[e]``, to be minimised.

    Attributes
    ----------
    constant : float
    linear : ndarray, shape (n,)
    edges : ndarray of int64, shape (m, 2)
    quadratic : ndarray, shape (m,)
    domain : {"bits", "spins"}
        Whether ``v_i`` is ``x_i`` or ``2 x_i - 1``.
    """

    constant: float
    linear: FloatArray
    edges: IntArray
    quadratic: FloatArray
    domain: Domain

    def has_fields(self) -> bool:
        """Whether some variable has a linear term beyond rounding."""
        return bool((np.abs(self.linear) > ROUNDING * np.abs(self.quadratic).sum()).any())

    def model(
        self, source: Source, title: str, objective: Objective | None = None, names: tuple[str, ...] = ()
    ) -> BinaryMRF:
        """The model of this energy, read from a file of the format ``title``."""
        value = _VALUES[self.domain]
        return BinaryMRF(
            unary=self.linear[:, None] * value,
            edges=self.edges,
            pairwise=self.quadratic[:, None, None] * np.outer(value, value),
            constant=self.constant,
            names=names,
            name=source.stem,
            source=f"{title} file {source.filename}".rstrip(),
            objective=objective or Objective(domain=self.domain),
        )


def from_coefficients(
    i: IntArray, j: IntArray, value: FloatArray, n: int, domain: Domain, constant: float = 0.0
) -> Quadratic:
    """The sum of ``value * v_i * v_j``, in which those with ``i == j`` are linear."""
    alone = i == j
    linear: FloatArray = np.bincount(i[alone], value[alone], n).astype(np.float64)
    return Quadratic(constant, linear, np.column_stack([i, j])[~alone], value[~alone], domain)


def quadratic(mrf: BinaryMRF, domain: Domain) -> Quadratic:
    """The same energy as a polynomial; the penalties of hard constraints stay as large coefficients.

    Raises
    ------
    FormatError
        If coefficients of spins would be too small for all their digits.
    """
    largest = max(np.abs(mrf.unary).max(initial=0.0), np.abs(mrf.pairwise).max(initial=0.0))
    if domain == "spins" and 0 < largest < SMALLEST:
        raise FormatError(None, f"energies of {largest:g} at most lose digits as spins", f"write {HOLDS_ANY}")
    i, j = mrf.edges.T
    t = mrf.pairwise
    coupling = mrf.coupling()
    if domain == "bits":
        constant = mrf.constant + mrf.unary[:, 0].sum() + t[:, 0, 0].sum()
        linear = mrf.unary[:, 1] - mrf.unary[:, 0]
        of_i, of_j = t[:, 1, 0] - t[:, 0, 0], t[:, 0, 1] - t[:, 0, 0]
    else:
        constant = mrf.constant + mrf.unary.mean(axis=1).sum() + t.mean(axis=(1, 2)).sum()
        linear = (mrf.unary[:, 1] - mrf.unary[:, 0]) / 2
        of_i = (t[:, 1, :].sum(axis=1) - t[:, 0, :].sum(axis=1)) / 4
        of_j = (t[:, :, 1].sum(axis=1) - t[:, :, 0].sum(axis=1)) / 4
        coupling = coupling / 4
    np.add.at(linear, i, of_i)
    np.add.at(linear, j, of_j)
    return Quadratic(float(constant), linear, mrf.edges, coupling, domain)


def unless_rounding(constant: float, found: Quadratic) -> float:
    """A constant, or 0 if it is a rounding error of the coefficients."""
    size = np.abs(found.linear).sum() + np.abs(found.quadratic).sum()
    return constant if abs(constant) > ROUNDING * size else 0.0


def unheld_constant(domain: Domain) -> Callable[[BinaryMRF], float]:
    """The constant of a model's polynomial, which formats without a constant lose."""

    def unheld(mrf: BinaryMRF) -> float:
        found = quadratic(mrf, domain)
        return unless_rounding(found.constant, found)

    return unheld


def rows(found: Quadratic, base: int, diagonal: bool = True) -> list[str]:
    """Lines "i j value", linear terms first, with numbers in the shortest form that reads back to the same float.

    Parameters
    ----------
    found : Quadratic
    base : int
        Number of the first variable.
    diagonal : bool
        Whether linear terms are written, as ``i i value``.
    """
    linear = [f"{i} {i} {shortest(value)}" for i, value in enumerate(found.linear.tolist(), base) if value and diagonal]
    pairs = zip((found.edges + base).tolist(), found.quadratic.tolist(), strict=True)
    return linear + [f"{i} {j} {shortest(value)}" for (i, j), value in pairs]


def shortest(value: float) -> str:
    """A number in the shortest form that reads back to the same float; whole ones without a point, as tools expect."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
