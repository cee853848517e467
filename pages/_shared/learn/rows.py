"""Rows of the message from table B to table A, for any α: the engine's variants make those of 0, ½ and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

import bender_core as bc
from bender_core.looking.anatomy import couplings
from bender_core.looking.classes import bits_of
from bender_core.looking.cuts import magnanti_wong
from bender_core.model import FloatArray

# Members of a table: A has the first friends, B the next ones.
TABLE = 3
ALPHAS = np.linspace(0, 1, 21)


class Between:
    """Two tables in normal form, in which B has heard of nobody else.

    Its message back is then minus what its states cost: an answer costs as much as B and the discounts together.
    Source: docs/method.md §1.3, §3.3, §3.4.

    Parameters
    ----------
    mrf : BinaryMRF
        Of friends.
    """

    def __init__(self, mrf: bc.BinaryMRF) -> None:
        inside = mrf.edges.max(axis=1) < 2 * TABLE
        both = bc.BinaryMRF(mrf.unary[: 2 * TABLE], mrf.edges[inside], mrf.pairwise[inside])
        self._engine = bc.Engine(both, bc.manual(both, [range(TABLE), range(TABLE, 2 * TABLE)]))
        self._couplings = couplings(self._engine.graph, 0, 1)
        self._message: FloatArray = -self._engine.graph.energies(1)

    def _granted(self, state: int) -> FloatArray:
        """What each discount is worth as long as A is in a state, and B does its part."""
        mine = state >> self._couplings.receiving & 1
        granted: FloatArray = self._couplings.weight * (mine == self._couplings.entry[:, 0])
        return granted

    def answers(self, state: int) -> FloatArray:
        """The costs of all answers to a state of A."""
        theirs = bits_of(np.arange(1 << TABLE), TABLE)[:, self._couplings.sending] == self._couplings.entry[:, 1]
        costs: FloatArray = -self._message - theirs @ self._granted(state)
        return costs

    def charges(self, payments: FloatArray) -> FloatArray:
        """What a row charges each friend of A for going, if it takes these payments for the discounts."""
        paid = np.zeros(TABLE)
        np.add.at(paid, self._couplings.receiving, payments)
        return paid

    def reverse(self, anchor: int) -> FloatArray:
        """The charges of the reverse Magnanti-Wong row: all that y* does not use."""
        return self.charges(self._couplings.weight - self._granted(anchor))

    def magnanti_wong(self, anchor: int, alpha: float) -> FloatArray:
        """The charges of the Magnanti-Wong row."""
        return self.charges(magnanti_wong(self._engine, 0, 1, self._message, anchor, alpha))


def spread_rows(mrf: bc.BinaryMRF) -> dict[str, Any]:
    """The rows at the state where the kinds differ most: what they charge each friend of A."""
    tables = Between(mrf)

    def saved(anchor: int) -> float:
        return float((tables.reverse(anchor) - tables.magnanti_wong(anchor, 1.0)).sum())

    anchor = max(range(1 << TABLE), key=saved)
    return {
        "anchor": anchor,
        "reverse": tables.reverse(anchor).tolist(),
        "rows": [
            {"alpha": round(float(alpha), 2), "charges": tables.magnanti_wong(anchor, float(alpha)).round(9).tolist()}
            for alpha in ALPHAS
        ],
    }
