"""Networks of cost functions, collected one by one; shared by the two formats of toulbar2."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from bender_core.io._source import Source
from bender_core.model import BinaryMRF, FloatArray, require_moderate
from bender_core.objective import Objective

LARGEST_ARITY = 2
UNSUPPORTED = "only cost functions of at most two variables are supported"


class CostFunctions:
    """Tables over at most two binary variables, the last variable of a scope changing fastest."""

    def __init__(self, n: int) -> None:
        self._n = n
        # Flat, by the number of variables of the scope.
        self._scopes = [array("q") for _ in range(LARGEST_ARITY + 1)]
        self._tables = [array("d") for _ in range(LARGEST_ARITY + 1)]

    def add(self, scope: Sequence[int], table: Sequence[float]) -> None:
        """Add a function; ``table`` has ``2 ** len(scope)`` costs, and ``inf`` forbids."""
        self._scopes[len(scope)].extend(scope)
        self._tables[len(scope)].extend(table)

    def tables(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """All tables of 0, 1 and 2 variables, shapes (k, 1), (l, 2) and (m, 4)."""
        constants, singles, pairs = (np.array(tables).reshape(-1, 1 << k) for k, tables in enumerate(self._tables))
        return constants, singles, pairs

    def model(
        self,
        tables: tuple[FloatArray, FloatArray, FloatArray],
        source: Source,
        title: str,
        name: str,
        objective: Objective,
        names: tuple[str, ...] = (),
    ) -> BinaryMRF:
        """The model of these tables, converted to energies, over the scopes added.

        Raises
        ------
        ModelError
            If a cost is too large, or the constant infinite.
        """
        require_moderate(*tables)
        constants, singles, pairs = tables
        unary = np.zeros((self._n, 2))
        np.add.at(unary, np.array(self._scopes[1], np.int64), singles)
        return BinaryMRF(
            unary=unary,
            edges=np.array(self._scopes[2], np.int64).reshape(-1, 2),
            pairwise=pairs.reshape(-1, 2, 2),
            constant=float(constants.sum()),
            names=names,
            name=name or source.stem,
            source=f"{title} file {source.filename}".rstrip(),
            objective=objective,
        )
