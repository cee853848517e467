"""Networks of cost functions, collected one by one; shared by the two formats of toulbar2."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from bender_core.io._source import Source
from bender_core.io.errors import FormatError
from bender_core.model import BinaryMRF, FloatArray, require_moderate
from bender_core.objective import Objective
from bender_core.sums import sums_of_tables

LARGEST_ARITY = 2
# From here on, floats are whole numbers, and not all of these.
_WHOLE = 2.0**53
UNSUPPORTED = "only cost functions of at most two variables are supported"


class Bound:
    """What energies stay below: a number of a file, rounded up if floats do not hold it.

    Costs that are as large are rounded to the side of it on which they are.

    Parameters
    ----------
    word : str
        The number, as the file writes it.
    sign : float
        1 if costs are minimised, -1 if they are maximised.
    """

    def __init__(self, word: str, sign: float) -> None:
        self._sign = sign
        self._nearest = self.energy = sign * float(word)
        # Smaller bounds are as near to costs as decimals are: rounded alike, equal ones stay equal.
        self.is_coarse = _WHOLE <= abs(self.energy) < math.inf
        if self.is_coarse:
            self._exact = self._energy(word)
            if Decimal(self._nearest) < self._exact:
                self.energy = math.nextafter(self._nearest, math.inf)

    def _energy(self, word: str) -> Decimal:
        """The exact number as an energy; the minus of decimals would round it."""
        exact = Decimal(word)
        return exact if self._sign > 0 else exact.copy_negate()

    def is_near(self, cost: float) -> bool:
        """Whether a cost, as the nearest float, may be on the other side of the bound than its exact number is."""
        return self.is_coarse and self._sign * cost in (self._nearest, self.energy)

    def rounded(self, word: str) -> float:
        """The float for a cost that is near, as the file writes it."""
        reaches = self._energy(word) >= self._exact
        return self._sign * (self.energy if reaches else math.nextafter(self.energy, -math.inf))


class CostFunctions:
    """Tables over at most two binary variables, the last variable of a scope changing fastest.

    Parameters
    ----------
    sizes : sequence of {1, 2}
        The numbers of values of the variables. One that has a single value stays in the model, so that labellings keep
        their length, as after evidence: what it costs is that of others, and its value 1 is forbidden.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        # Flat, by the number of variables of the scope.
        self._scopes = [array("q") for _ in range(LARGEST_ARITY + 1)]
        self._tables = [array("d") for _ in range(LARGEST_ARITY + 1)]

    def entries(self, scope: Sequence[int]) -> int | None:
        """The number of costs in the table of a scope; None if more than two of its variables are binary."""
        binary = sum(self._sizes[i] > 1 for i in scope)
        return 1 << binary if binary <= LARGEST_ARITY else None

    def add(self, scope: Sequence[int], table: Sequence[float]) -> None:
        """Add a function; ``table`` has ``entries(scope)`` costs, and ``inf`` forbids."""
        # A variable of one value does not change a table.
        scope = [i for i in scope if self._sizes[i] > 1]
        self._scopes[len(scope)].extend(scope)
        self._tables[len(scope)].extend(table)

    def _arrays(self) -> list[FloatArray]:
        """All tables of 0, 1 and 2 variables, shapes (k, 1), (l, 2) and (m, 4)."""
        return [np.array(tables).reshape(-1, 1 << k) for k, tables in enumerate(self._tables)]

    def model(
        self, sign: float, bound: float, source: Source, title: str, name: str, names: tuple[str, ...] = ()
    ) -> BinaryMRF:
        """The model of these functions.

        Parameters
        ----------
        sign : float
            1 if costs are minimised, -1 if they are maximised; what makes them energies.
        bound : float
            Energies below this are allowed.
        source, title, name, names
            The file, its format, and what it calls the model and its variables.

        Raises
        ------
        FormatError
            If a cost is infinitely good, or no labelling stays within the bound.
        ModelError
            If a cost is too large.
        """
        energies = [sign * table for table in self._arrays()]
        constants, singles, pairs = _forbid(energies, bound)
        unary = sums_of_tables(np.array(self._scopes[1], np.int64), singles, len(self._sizes))
        unary[np.array(self._sizes) == 1, 1] = np.inf
        constant = math.fsum(constants[:, 0])
        most = math.fsum(np.concatenate([[constant], _finite_most(unary), _finite_most(pairs)]))
        return BinaryMRF(
            unary=unary,
            edges=np.array(self._scopes[2], np.int64).reshape(-1, 2),
            pairwise=pairs.reshape(-1, 2, 2),
            constant=constant,
            names=names,
            name=name or source.stem,
            source=f"{title} file {source.filename}".rstrip(),
            objective=Objective(name="cost", sense="min" if sign > 0 else "max", scale=sign),
            # A bound that no labelling reaches is none.
            bound=bound if most >= bound else np.inf,
            notes=_doubt(energies, bound),
        )


def _finite_most(tables: FloatArray) -> FloatArray:
    """The largest finite entry of every table, 0 where there is none."""
    most: FloatArray = np.where(np.isinf(tables), -np.inf, tables).max(axis=1, initial=-np.inf)
    return np.where(np.isinf(most), 0.0, most)


def _doubt(tables: list[FloatArray], bound: float) -> tuple[str, ...]:
    """A note if sums of several energies may come so near to a bound that rounding decides which reach it."""
    if not _WHOLE <= abs(bound) < math.inf:
        return ()
    # What reaches the bound alone is forbidden, however sums are rounded.
    most = np.concatenate([_finite_most(np.where(table >= bound, np.inf, table)) for table in tables])
    rounding = math.ulp(bound)
    if np.count_nonzero(most) < 2 or math.fsum(most) + len(most) * rounding < bound:
        return ()
    return (
        f"sums of costs near the bound {abs(bound):.6g} are rounded by some {rounding:g}, so they may reach it or not",
    )


def _forbid(tables: list[FloatArray], bound: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make entries infinite that put every labelling at or above the bound."""
    if any(np.isneginf(table).any() for table in tables):
        raise FormatError(None, "a cost is infinitely good", "infinite costs forbid; give them the other sign")
    lowest = [table.min(axis=1, keepdims=True, initial=np.inf) for table in tables]
    require_moderate(*lowest)
    least = np.concatenate([low[:, 0] for low in lowest])
    if np.isfinite(least).all() and np.isfinite(bound):
        # What a table may add to its least cost, so that all together stay below the bound.
        room = math.fsum([bound, *-least])
        if room <= 0:
            raise FormatError(None, "no labelling stays within the bound", f"correct the bound, {bound:g}")
        tables = [np.where(table - low >= room, np.inf, table) for table, low in zip(tables, lowest, strict=True)]
    require_moderate(*tables)
    constants, singles, pairs = tables
    if np.isposinf(constants).any():
        raise FormatError(None, "no labelling stays within the bound", "a cost of no variables is infinite; remove it")
    return constants, singles, pairs
