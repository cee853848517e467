"""The bound by frustrated cycles on what a proof has left, raised beside its rounds of message passing.

Source: docs/method.md §15.4.
"""

from __future__ import annotations

import math
import weakref

from bender_core.account import Account
from bender_core.cycles.packing import OF_SLOT, Packing, needed_bytes
from bender_core.forms.reduction import Facts
from bender_core.model import IntArray
from bender_core.trying.known import Known
from bender_core.trying.trials import Trying

# A model is sparse with at most this many edges for each variable.
SPARSE = 6
# Before the first round, cycles of a sparse model are packed for this many table entries.
FIRST = 1 << 30
# Later they may have done this many times the work of message passing: while their bound is the better one; and else,
# in a sparse model and in others.
LEADING, EQUAL, TRAILING = 16.0, 1.0, 0.05


class Cycles:
    """The bound by cycles on what a proof has left, which begins anew with every reduction.

    Parameters
    ----------
    known : Known
    seed : int
        Of the packings.
    account : Account
        Charged with the present packing before it is made. One that does not fit is given up.

    Attributes
    ----------
    work : int
        Table entries, of all packings.
    is_given_up : bool
        Whether there was no room for a packing, or for more of it.
    """

    def __init__(self, known: Known, seed: int, account: Account) -> None:
        charges = account.open("cycles", {})
        assert charges is not None
        self._charges = charges
        weakref.finalize(self, charges.close)
        self.is_given_up = False
        self._known, self._seed = known, seed
        self._packing: Packing | None = None
        self._last = 0  # the work of its last round
        self._leads = False  # whether the bound by cycles was the better one at the last turn
        self._last_labeling: IntArray | None = None  # that with which facts were last computed
        self.work = 0

    @property
    def packing(self) -> Packing | None:
        """That of what is left now, which has fewer variables after every decision; None if it has not begun."""
        is_present = self._packing is not None and self._packing.mrf.n == self._known.whole.reduced.n
        return self._packing if is_present else None

    def go_on(self, lower: float) -> Trying[bool]:
        """Raise the bound as far as its share of the work goes.

        Parameters
        ----------
        lower : float
            The bound of message passing on the same model, energy; minus infinity before the first round.

        Returns
        -------
        bool
            Whether it proves the best labelling.
        """
        while self.work + self._price < self._due(lower) and not self._finished:
            yield from self._round()
        if self.packing is not None:
            self._leads = self.packing.lower_bound > lower
        return self._proves()

    def finish(self, work: float = math.inf) -> Trying[bool]:
        """Raise the bound to the end, or up to some work; returns whether it proves the best labelling."""
        while self.work < work and not self._finished:
            yield from self._round()
        return self._proves()

    def _proves(self) -> bool:
        """Whether the bound proves the best labelling, which may have been found elsewhere."""
        if self.packing is None:
            return False
        self.packing.take(self._known.left)
        return self.packing.is_proven

    @property
    def _finished(self) -> bool:
        return self.is_given_up or (self.packing is not None and self.packing.finished)

    def _round(self) -> Trying[None]:
        packing = self.packing
        needed = needed_bytes(self._known.whole.reduced) if packing is None else packing.nbytes
        if not self._charges.charge("cycles", needed - self._charges.used):
            self.is_given_up = True
            return
        packing = packing or self._begin()
        before = packing.work
        packing.take(self._known.left)
        for _ in packing.slices():
            yield None
        self._last = packing.work - before
        self.work += self._last
        self._known.note(packing)
        yield None

    @property
    def _is_sparse(self) -> bool:
        return self._known.mrf.n_edges <= SPARSE * self._known.mrf.n

    @property
    def _price(self) -> int:
        """The work of the next round, as far as it can be known."""
        if self.packing is not None:
            return self._last
        # In a dense model, the first searches pass over all edges.
        model = self._known.whole.reduced
        return 0 if self._is_sparse else 2 * OF_SLOT * model.n * model.n_edges

    def facts(self) -> Facts | None:
        """What a packing that has come to its end decides with a labelling; None where that is nothing new."""
        packing = self.packing
        if packing is None or not packing.finished or packing.labeling is self._last_labeling:
            return None
        self._last_labeling = packing.labeling
        return packing.facts(packing.labeling) or None

    def _due(self, lower: float) -> float:
        """The work that cycles may have done by now."""
        if lower == -math.inf:
            return FIRST if self._is_sparse else 0
        leads = self._leads if self.packing is None else self.packing.lower_bound > lower
        return (LEADING if leads else EQUAL if self._is_sparse else TRAILING) * self._known.work

    def _begin(self) -> Packing:
        known = self._known
        self._packing, self._last = Packing(known.whole.reduced, self._seed, known.rest, keeps=False), 0
        self.work += self._packing.work
        return self._packing
