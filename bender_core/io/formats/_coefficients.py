"""Models as coefficients of a quadratic function, each rounded once, and as rows of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from bender_core.io.errors import FormatError
from bender_core.io.formats._quadratic import Domain, Quadratic
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.sums import exact_sums

HOLDS_ANY = "native, which stores any model"
# The conversion to spins takes quarters; a quarter of a smaller number loses digits.
SMALLEST = float(np.finfo(float).tiny / np.finfo(float).eps)
# What is left of terms that cancel but for their own rounding, as a share of their sizes.
_CANCELLED = 2.0**-50
# Rounding of a coefficient may take this share of what a table of its variables says.
_KEPT = 1e-6
# Energies that differ by less than this, or by less than this share of the usual size, count as equal.
_EQUAL = 1e-9


@dataclass(frozen=True)
class _Signs:
    """How the entries of tables count in the coefficients, in units of 1 / unit."""

    unit: float
    of_linear: tuple[float, float]
    of_constant: tuple[float, float]
    pair_of_i: tuple[float, float, float, float]
    pair_of_j: tuple[float, float, float, float]
    pair_of_constant: tuple[float, float, float, float]


_COUPLING = (1.0, -1.0, -1.0, 1.0)
_SIGNS: dict[Domain, _Signs] = {
    "bits": _Signs(1.0, (-1, 1), (1, 0), (-1, 0, 1, 0), (-1, 1, 0, 0), (1, 0, 0, 0)),
    "spins": _Signs(4.0, (-2, 2), (2, 2), (-1, -1, 1, 1), (-1, 1, -1, 1), (1, 1, 1, 1)),
}


@dataclass(frozen=True)
class Coefficients(Quadratic):
    """The quadratic function of a model, every coefficient the exact sum rounded once.

    Attributes
    ----------
    rounding : float
        By how much the rounding of coefficients changes an energy at most.
    noise : ndarray, shape (n + 1,)
        For every linear coefficient and the constant: up to this it is what the rounding of its terms left.
    """

    rounding: float
    noise: FloatArray

    def has_fields(self) -> bool:
        """Whether some variable has a linear term beyond rounding."""
        return bool((np.abs(self.linear) > self.noise[:-1]).any())

    def dropped_fields(self) -> float:
        """By how much leaving out the linear terms changes an energy at most."""
        return float(np.abs(self.linear).sum())

    def beyond_noise(self, constant: float) -> float:
        """A constant, or 0 if it is what the rounding of its terms left."""
        return constant if abs(constant) > self.noise[-1] else 0.0


def coefficients(mrf: BinaryMRF, domain: Domain) -> Coefficients:
    """The same energy as a polynomial; the penalties of hard constraints stay as large coefficients.

    Raises
    ------
    FormatError
        If coefficients of spins would be too small for all their digits, or the energies of a table too small beside
        others in the same coefficient.
    """
    largest = max(np.abs(mrf.unary).max(initial=0.0), np.abs(mrf.pairwise).max(initial=0.0))
    if domain == "spins" and 0 < largest < SMALLEST:
        raise FormatError(None, f"energies of {largest:g} at most lose digits as spins", f"write {HOLDS_ANY}")
    n, m, unit = mrf.n, mrf.n_edges, _SIGNS[domain].unit
    place, terms = _terms(mrf, _SIGNS[domain])
    sums = exact_sums(place, terms, n + m + 1)
    missed = np.abs(exact_sums(np.append(place, np.arange(n + m + 1)), np.append(terms, -sums), n + m + 1)) / unit
    least, least_of_edges = _least_differences(mrf)
    _require_digits(np.append(least, least_of_edges), missed[:-1], mrf.edges)
    sizes = np.bincount(place, np.abs(terms), n + m + 1) / unit
    # A field changes what a variable prefers, a constant does not.
    noise = np.append(np.minimum(_CANCELLED * sizes[:n], _KEPT * least), _CANCELLED * sizes[-1])
    found = sums / unit
    return Coefficients(float(found[-1]), found[:n], mrf.edges, found[n:-1], domain, float(missed.sum()), noise)


def _terms(mrf: BinaryMRF, signs: _Signs) -> tuple[IntArray, FloatArray]:
    """The terms of all coefficients: those of variables, of edges, and last the constant."""
    n, m = mrf.n, mrf.n_edges
    i, j = mrf.edges.T
    pairs = mrf.pairwise.reshape(-1, 4)
    edges, constant = n + np.arange(m), np.full(m, n + m)
    parts = (
        (np.arange(n), mrf.unary * signs.of_linear),
        (np.full(n, n + m), mrf.unary * signs.of_constant),
        (i, pairs * signs.pair_of_i),
        (j, pairs * signs.pair_of_j),
        (edges, pairs * _COUPLING),
        (constant, pairs * signs.pair_of_constant),
        (np.array([n + m]), np.array([[signs.unit * mrf.constant]])),
    )
    place = np.concatenate([where.repeat(tables.shape[1]) for where, tables in parts])
    terms = np.concatenate([tables.reshape(-1) for _, tables in parts])
    return place[terms != 0.0], terms[terms != 0.0]


def _least_differences(mrf: BinaryMRF) -> tuple[FloatArray, FloatArray]:
    """The least difference of finite energies that counts: of all tables of a variable, and of every edge's own."""
    tables = mrf.unary, mrf.pairwise.reshape(-1, 4)
    hard = (mask.reshape(table.shape) for mask, table in zip(mrf.hard_masks(), tables, strict=True))
    finite = [np.where(mask, np.nan, table) for mask, table in zip(hard, tables, strict=True)]
    sizes = np.abs(np.concatenate([table.reshape(-1) for table in finite]))
    sizes = sizes[sizes > 0.0]
    negligible = _EQUAL * min(1.0, float(np.median(sizes))) if len(sizes) else 0.0
    own, of_edges = (
        np.fmax.reduce(table, axis=1, initial=-np.inf) - np.fmin.reduce(table, axis=1, initial=np.inf)
        for table in finite
    )
    own, of_edges = (np.where(spread > negligible, spread, np.inf) for spread in (own, of_edges))
    least = own.copy()
    for end in mrf.edges.T:
        np.minimum.at(least, end, of_edges)
    return least, of_edges


def _require_digits(least: FloatArray, missed: FloatArray, edges: IntArray) -> None:
    """Refuse coefficients whose rounding takes too much of what a table says."""
    lost = np.flatnonzero(missed > _KEPT * least)
    if len(lost):
        k, n = int(lost[0]), len(least) - len(edges)
        place = f"variable {k}" if k < n else "edge ({}, {})".format(*edges[k - n])
        raise FormatError(
            None,
            f"the coefficient of {place} adds up energies that differ by {least[k]:.3g} and others so large that it "
            f"would be rounded by {missed[k]:.3g}",
            f"write {HOLDS_ANY}",
        )


def unheld_constant(domain: Domain) -> Callable[[BinaryMRF], float]:
    """The constant of a model's polynomial, which formats without a constant lose."""

    def unheld(mrf: BinaryMRF) -> float:
        found = coefficients(mrf, domain)
        return found.beyond_noise(found.constant)

    return unheld


def rounding_of_source(mrf: BinaryMRF) -> float:
    """By how much rounding the coefficients of bits or spins, as the source has them, changes an energy at most."""
    return coefficients(mrf, mrf.objective.domain).rounding


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
    """A number in the shortest form that reads back to the same float, without an exponent.

    dimod and QUBOTools skip rows whose numbers have one.
    """
    text = repr(value)
    return format(Decimal(text), "f") if "e" in text else text.removesuffix(".0")
