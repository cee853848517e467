"""A moment of a run from which the numbers of Method are taken: the end of an update of a group, and one of its edges.

What the engine computes is taken from it; what it is compared with is computed here from the model, the messages and
the rows, by trying all states.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

import bender_core as bc
from bender_core import looking
from bender_core.cycles.packing import needed_bytes
from bender_core.kernels.layout import RowKind
from bender_core.looking.anatomy import EdgeCouplings, couplings
from bender_core.looking.classes import bits_of
from bender_core.looking.rows import Row
from bender_core.looking.what_if import WhatIfRow
from bender_core.model import BoolArray, FloatArray, IntArray

KINDS = {1.0: RowKind.MWC_1, 0.5: RowKind.MWC_HALF, 0.0: RowKind.MWC_0}


class Pair(NamedTuple):
    """A coupling of the edge, seen from p.

    Attributes
    ----------
    i, j : int
        Its variables, i in p and j in q.
    mine, other : int
        Their places in their groups.
    before, normal : ndarray, shape (2, 2)
        Its table, and that in the normal form.
    entry : tuple of int
        The values of i and j at which it has its energy there.
    anchor : int
        The value of i in y*.
    """

    i: int
    j: int
    mine: int
    other: int
    before: FloatArray
    normal: FloatArray
    entry: tuple[int, int]
    anchor: int


class Charges(NamedTuple):
    """A row: its constant, and what it charges for each value of each member of p and of q."""

    constant: float
    u: FloatArray
    v: FloatArray


@dataclass(frozen=True, eq=False)
class Affine:
    """What each state of q costs, as a function of the bits of p.

    Attributes
    ----------
    constant : ndarray, shape (states of q,)
        With all members of p at 0.
    slope : ndarray, shape (members of p, states of q)
        What each member of p adds by being 1.
    answer : int
        The state of q that is cheapest at y*.
    """

    constant: FloatArray
    slope: FloatArray
    answer: int

    @property
    def change(self) -> FloatArray:
        """By how much each state of q can gain on the answer as the members of p become 1; energy, not above 0."""
        found: FloatArray = np.minimum(self.slope - self.slope[:, [self.answer]], 0.0).sum(axis=0)
        return found

    @property
    def beaten(self) -> FloatArray:
        """How much more than the answer each state of q costs at least, over all states of p."""
        found: FloatArray = self.constant - self.constant[self.answer] + self.change
        return found

    @property
    def rival(self) -> int:
        """The other state of q that the answer beats most clearly."""
        found = self.beaten
        found[self.answer] = -np.inf
        return int(found.argmax())


class Cut(NamedTuple):
    """A Magnanti-Wong row.

    Attributes
    ----------
    alpha : float
    row : WhatIfRow
    weight, capacity : ndarray, shape (members of q, 2)
        For each value of each member of q the weight of all its couplings, and of those not taken at y*.
    """

    alpha: float
    row: WhatIfRow
    weight: FloatArray
    capacity: FloatArray

    @property
    def payments(self) -> FloatArray:
        """beta^3: what it charges p instead of q."""
        found: FloatArray = self.weight - self.row.v
        return found


@dataclass(frozen=True, eq=False)
class Scene:
    """The end of an update of p, and its edge to q.

    Attributes
    ----------
    engine : Engine
        At that moment.
    max_size : int
        M of its groups.
    p, q : int
    stop : Stop
    """

    engine: bc.Engine
    max_size: int
    p: int
    q: int
    stop: bc.Stop

    @cached_property
    def y(self) -> int:
        """y*, the state at which p's messages are exact."""
        event = looking.last_event(self.engine)
        assert event is not None
        return event.state

    @cached_property
    def neighbours(self) -> list[int]:
        """The neighbours of p."""
        return self.engine.graph.neighbours(self.p)

    @cached_property
    def total(self) -> FloatArray:
        """The energy within p and the envelopes of all its edges, over its states."""
        return looking.reduced_cost(self.engine, self.p, self.stop)

    def members(self, group: int) -> IntArray:
        """The variables of a group."""
        return np.asarray(self.engine.partition.groups[group])

    # -- the edge, by trying all states of q ---------------------------------------------------------------------

    @cached_property
    def couplings(self) -> EdgeCouplings:
        """The couplings of the edge."""
        return couplings(self.engine.graph, self.p, self.q)

    @cached_property
    def states(self) -> BoolArray:
        """The values of the members of q in each of its states."""
        return bits_of(np.arange(1 << len(self.members(self.q))), len(self.members(self.q))).astype(bool)

    def between(self, y: int | None) -> FloatArray:
        """phi_pq(y, .) over the states of q; without a state of p, as if it took every coupling."""
        found = np.zeros(len(self.states))
        for member, other, (a, b), weight in zip(*self.couplings, strict=True):
            self.stop.check()
            if y is None or y >> int(member) & 1 == a:
                found -= weight * (self.states[:, other] == b)
        return found

    @cached_property
    def claimed(self) -> FloatArray:
        """lambda_{pq->q} over the states of q."""
        return looking.message(self.engine, self.q, self.p)

    @cached_property
    def answers(self) -> FloatArray:
        """What each state of q costs, once p is in y*."""
        found: FloatArray = self.between(self.y) - self.claimed
        return found

    @property
    def answer(self) -> int:
        """The cheapest of them."""
        return int(self.answers.argmin())

    @cached_property
    def pair(self) -> Pair:
        """The strongest coupling of the edge that is not taken at y*; if all are, the strongest."""
        graph, found = self.engine.graph, self.couplings
        place = int(np.argmax(found.weight + found.weight.max() * ~self.taken))
        mine, other = int(found.receiving[place]), int(found.sending[place])
        i, j = int(self.members(self.p)[mine]), int(self.members(self.q)[other])
        edge = int(np.flatnonzero((self.engine.mrf.edges == sorted((i, j))).all(axis=1))[0])
        tables = self.engine.mrf.pairwise[edge], graph.normal_form.pairwise()[edge]
        before, normal = (table if i < j else table.T for table in tables)
        a, b = found.entry[place].tolist()
        return Pair(i, j, mine, other, before, normal, (a, b), self.y >> mine & 1)

    @cached_property
    def taken(self) -> BoolArray:
        """Whether y* has the value that each coupling needs."""
        found: BoolArray = (self.y >> self.couplings.receiving & 1) == self.couplings.entry[:, 0]
        return found

    @cached_property
    def affine(self) -> Affine:
        """What each state of q costs, as a function of the state of p."""
        costs = [self.between(y) - self.claimed for y in (0, *(1 << k for k in range(len(self.members(self.p)))))]
        return Affine(costs[0], np.array(costs[1:]) - costs[0], self.answer)

    # -- rows ----------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the message, oldest first."""
        return looking.rows(self.engine, self.p, self.q)

    @cached_property
    def row(self) -> Charges:
        """The latest row that charges y* for something, or the latest; without rows the one that could be made."""
        charging = [row for row in self.rows if row.u[np.arange(len(row.u)), self.bits(self.p, self.y)].any()]
        for row in reversed(charging or self.rows):
            return Charges(row.intercept, row.u, row.v)
        cut = self.cuts[RowKind.RMC]
        return Charges(float(cut.values[0] + cut.u[:, 0].sum()), cut.u, cut.v)

    @cached_property
    def row_at(self) -> tuple[list[float], list[float]]:
        """What it charges each member of p at y*, and each member of q at the answer."""
        at = self.bits(self.p, self.y), self.bits(self.q, self.answer)
        u, v = (terms[np.arange(len(x)), x].tolist() for terms, x in zip(self.row[1:], at, strict=True))
        return u, v

    @cached_property
    def cuts(self) -> dict[RowKind, WhatIfRow]:
        """The rows that could be made at y*."""
        return {cut.kind: cut for cut in bc.what_if(self.engine, self.p, self.q, self.y, self.stop)}

    @cached_property
    def cut(self) -> Cut:
        """The Magnanti-Wong row that could be made at y*, of the first alpha of the run's variant, or of 1."""
        alpha = next(iter(self.engine.variant.alphas), 1.0)
        every = np.ones_like(self.taken)
        return Cut(alpha, self.cuts[KINDS[alpha]], self._weights(every), self._weights(~self.taken))

    def _weights(self, chosen: BoolArray) -> FloatArray:
        """Of some couplings, for each value of each member of q."""
        found, total = self.couplings, np.zeros((len(self.members(self.q)), 2))
        np.add.at(total, (found.sending[chosen], found.entry[chosen, 1]), found.weight[chosen])
        return total

    def bits(self, group: int, state: int) -> IntArray:
        """The values of the members of a group in a state."""
        found: IntArray = bits_of(state, len(self.members(group))).astype(np.int64)
        return found

    @cached_property
    def loops(self) -> Loops:
        """The frustrated cycles of the model, and what the best labelling so far breaks."""
        mrf = self.engine.mrf
        if mrf not in _packings:
            _packings[mrf] = packed(mrf, self.engine.account, self.stop)
        return Loops(_packings[mrf], _packings[mrf].graph.broken(self.engine.labeling))


# The finished packing of a model, for all its messages and moments; nothing changes it.
_packings: WeakKeyDictionary[bc.BinaryMRF, bc.Packing] = WeakKeyDictionary()


def packed(mrf: bc.BinaryMRF, account: bc.Account, stop: bc.Stop) -> bc.Packing:
    """The finished packing of a model, charged to an account for as long as it is kept.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    TooLargeError
        If it does not fit.
    """
    charges = account.open("cycles", {"cycles": needed_bytes(mrf)})
    if charges is None:
        raise bc.TooLargeError("there is no room for the cycles of this model beside the run")
    packing = bc.Packing(mrf, keeps=False)
    weakref.finalize(packing, charges.close)

    def is_full(packing: bc.Packing) -> bool:
        return not charges.charge("cycles", packing.nbytes - charges.used)

    if not packing.run(on_progress=is_full, stop=stop):
        raise bc.TooLargeError("there is no room for more cycles of this model beside the run")
    return packing


@dataclass(frozen=True, eq=False)
class Loops:
    """The frustrated cycles of a model with their shares, beside a labelling.

    Attributes
    ----------
    packing : Packing
    broken : ndarray of bool, shape (E,)
        The couplings that the labelling breaks.
    """

    packing: bc.Packing
    broken: BoolArray

    @cached_property
    def left(self) -> FloatArray:
        """r_e of every coupling, summed cycle by cycle."""
        found = self.packing.graph.cost.copy()
        for cycle, share in zip(self.packing.cycles, self.packing.shares, strict=True):
            found[cycle] -= share
        return found

    @property
    def overpaid(self) -> float:
        """What the cycles pay beyond once."""
        return sum(
            float(share) * (int(self.broken[cycle].sum()) - 1)
            for cycle, share in zip(self.packing.cycles, self.packing.shares, strict=True)
        )

    @property
    def largest(self) -> int:
        """The cycle with the largest share; -1 if there is none."""
        return int(self.packing.shares.argmax()) if len(self.packing.shares) else -1

    @property
    def edge(self) -> int:
        """A coupling of that cycle, a broken one if there is one; without cycles the most expensive one."""
        if self.largest < 0:
            return int(self.packing.graph.cost.argmax()) if len(self.left) else -1
        cycle = self.packing.cycles[self.largest]
        return int(cycle[np.argmax(self.broken[cycle])])
