"""The models of the lesson on frustrated cycles: loops to which couplings lend, and what stops the bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

import bender_core as bc
from bender_core.cycles.shares import bound, rests
from bender_core.cycles.signed import SignedGraph, signed_graph
from bender_core.looking.words import number
from bender_core.model import FloatArray, IntArray
from pages._shared.app.session import sample
from pages._shared.learn.models import same

# The couplings of the strip of triangles: their ends, the cost of breaking one, and whether it wants opposite ends.
STRIP = (
    ("a", "b", 4.0, True),
    ("a", "c", 2.0, False),
    ("b", "c", 3.0, False),
    ("b", "d", 4.0, True),
    ("c", "d", 3.0, False),
    ("c", "e", 2.0, False),
    ("d", "e", 5.0, True),
)
# Places of its variables, a to e, and the triangles.
PLACES = ((0.0, 0.0), (0.5, 1.0), (1.0, 0.0), (1.5, 1.0), (2.0, 0.0))
TRIANGLES = {"A": (0, 1, 2), "B": (1, 2, 3), "C": (2, 3, 4)}
# More couplings than this are counted, not named.
MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class Lending:
    """A model, and some of its loops.

    Attributes
    ----------
    mrf : BinaryMRF
    loops : mapping of str to sequence of int
        The variables around each frustrated loop, by its name.
    """

    mrf: bc.BinaryMRF
    loops: Mapping[str, Sequence[int]]

    @cached_property
    def graph(self) -> SignedGraph:
        """The couplings, their wishes and costs."""
        return signed_graph(self.mrf)

    @cached_property
    def cycles(self) -> list[IntArray]:
        """The couplings of every loop."""
        place = {(i, j): k for k, (i, j) in enumerate(self.graph.ends.tolist())}
        return [
            np.array([place[min(pair), max(pair)] for pair in pairwise([*around, around[0]])])
            for around in self.loops.values()
        ]

    @cached_property
    def names(self) -> list[str]:
        """Of the couplings."""
        return ["–".join(self.mrf.names[v] for v in ends) for ends in self.graph.ends.tolist()]

    @cached_property
    def best(self) -> float:
        """The highest bound of any shares of any loops, found by the engine, energy."""
        packing = bc.Packing(self.mrf)
        packing.run()
        return packing.lower_bound

    @cached_property
    def optimum(self) -> float:
        """The least energy of all labellings."""
        return bc.reference(self.mrf).energy

    def lower(self, shares: Sequence[float]) -> float:
        """The bound with these shares, energy."""
        return bound(self.graph, self.cycles, np.array(shares))

    def left(self, shares: Sequence[float]) -> FloatArray:
        """What every coupling has left, energy; negative where it lends more than its cost."""
        return rests(self.graph, self.cycles, np.array(shares))

    def loops_of(self, coupling: int) -> list[str]:
        """The loops to which a coupling lends."""
        return [name for name, cycle in zip(self.loops, self.cycles, strict=True) if coupling in cycle]

    def limit(self, shares: Sequence[float]) -> str:
        """What lowers the bound now, or stops it, in a sentence."""
        left = self.left(shares)
        over = np.flatnonzero(left < 0).tolist()
        if over:
            lends, has = ("lends", "it has") if len(over) == 1 else ("lend", "they have")
            amount = number(-float(left[over].sum()))
            return f"{self._listed(over)} {lends} {amount} more than {has}{self._sharing(over)}; LB loses that again"
        if same(self.lower(shares), self.best):
            also = ", and is the optimum" if same(self.best, self.optimum) else ""
            return f"LB is as high as shares can make it{also}"
        for name, cycle in zip(self.loops, self.cycles, strict=True):
            if left[cycle].min() > 0:
                which = name if len(self.loops) == 1 else f"Loop {name}"
                return f"{which} can take {number(float(left[cycle].min()))} more: its couplings have something left"
        spent = [k for k in np.flatnonzero(left == 0).tolist() if len(self.loops_of(k)) > 1]
        has = "has lent all it has" if len(spent) == 1 else "have lent all they have"
        return f"{self._listed(spent)} {has}{self._sharing(spent)}"

    def _listed(self, couplings: Sequence[int]) -> str:
        """Some couplings, at the beginning of a sentence."""
        if len(couplings) > MOST_NAMED:
            return f"{len(couplings)} couplings"
        names = [self.names[k] for k in couplings]
        return f"Coupling{'s' * (len(names) > 1)} {_joined(names)}"

    def _sharing(self, couplings: Sequence[int]) -> str:
        """Which loops share some couplings; empty if one of these lends to a single loop."""
        borrowers = [self.loops_of(k) for k in couplings]
        if min(map(len, borrowers)) < 2:
            return ""
        loops = [name for name in self.loops if any(name in some for some in borrowers)]
        return f": loops {_joined(loops)} share {'it' if len(couplings) == 1 else 'them'}"


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


@lru_cache(maxsize=1)
def ring() -> Lending:
    """One loop, of all couplings."""
    mrf = sample("frustrated-cycle")
    return Lending(mrf, {"The ring": range(mrf.n)})


@lru_cache(maxsize=1)
def strip() -> Lending:
    """Three triangles in a row, each frustrated, that share a coupling with the next."""
    names = "abcde"
    agree, differ = np.array([[0.0, 1.0], [1.0, 0.0]]), np.eye(2)
    mrf = bc.BinaryMRF(
        np.zeros((len(names), 2)),
        np.array([[names.index(one), names.index(other)] for one, other, _, _ in STRIP]),
        np.array([cost * (differ if opposite else agree) for _, _, cost, opposite in STRIP]),
        names=tuple(names),
        positions=np.array(PLACES),
    )
    return Lending(mrf, TRIANGLES)
