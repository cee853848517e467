"""The knowledge of a proof: the best bounds and labelling, and the reduced model.

Source: docs/method.md §15.4, §15.6.
"""

from __future__ import annotations

import math
from typing import Protocol

from bender_core.forms.cap import cap_beside, capped, is_clear
from bender_core.forms.lattice import lattice
from bender_core.forms.reduction import Left, Reduction, composed, unreduced
from bender_core.forms.scale import negligible_gain
from bender_core.labelings.comparing import costs_less
from bender_core.labelings.improving import Improving
from bender_core.model import BinaryMRF, IntArray
from bender_core.stopping import Stop


class Bounds(Protocol):
    """Bounds of a model, and the labelling of the upper one: of a run, or of a packing of cycles."""

    @property
    def lower_bound(self) -> float:
        """Energy."""

    @property
    def upper_bound(self) -> float:
        """Energy."""

    @property
    def labeling(self) -> IntArray:
        """Shape (n,)."""


class Known:
    """The best bounds of the whole model, and the best labelling.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : ndarray of int64, shape (n,)
    seed : int
        The seed of the search for labellings.
    negligible : float
        The gain of a labelling that does not count, energy.

    Attributes
    ----------
    mrf : BinaryMRF
    cap : float
        The cap on the tables of the model before it is reduced (`forms.cap`), energy.
    whole : Reduction
        From the capped model to the reduced one.
    labeling : ndarray of int64, shape (n,)
        The best one known.
    lower_bound, upper_bound : float
        Energies.
    negligible : float
    work : int
        Table entries read, those for cycles aside.
    """

    def __init__(self, mrf: BinaryMRF, labeling: IntArray, seed: int, negligible: float) -> None:
        self.mrf, self.cap = mrf, math.inf
        self.whole, self.labeling, self.negligible = unreduced(mrf), labeling, negligible
        self.lower_bound, self.upper_bound = -math.inf, mrf.energy(labeling)
        self.work = 0
        self._best = Improving(mrf, labeling, seed)

    @property
    def left(self) -> IntArray:
        """The best labelling, restricted to the reduced model."""
        return self._best.labeling

    @property
    def energy_left(self) -> float:
        """The energy of that labelling."""
        return self._best.energy

    @property
    def rest(self) -> Left:
        """What is left of the model, as runs and packings begin with it."""
        return Left(self.whole, self.left, self.negligible)

    def note(self, bounds: Bounds) -> None:
        """Keep the bounds of what is left; they hold for the whole model, as decisions exclude no better labelling."""
        self.note_labeling(bounds)
        self.lower_bound = min(max(self.lower_bound, bounds.lower_bound), self.upper_bound)

    def note_labeling(self, bounds: Bounds) -> None:
        """Keep a labelling of what is left, if it is better."""
        if bounds.upper_bound < self.upper_bound and self.keep_better(bounds.labeling):
            self._best.take(bounds.labeling)

    def keep_better(self, left: IntArray) -> bool:
        """Keep a labelling of the reduced model if it is better, even by less than the rounding of energies."""
        labeling = self.whole.restored(left)
        is_better = costs_less(self.mrf, labeling, self.labeling)
        if is_better:
            self.labeling, self.upper_bound = labeling, self.mrf.energy(labeling)
        return is_better

    def lower_penalties(self) -> None:
        """Lower penalties that would swamp smaller energies by rounding."""
        model, points = self.mrf, lattice(self.mrf)
        if not is_clear(model, points):
            self.cap = cap_beside(model, self.labeling)
            model = capped(model, self.cap)
            self.whole, points = unreduced(model), lattice(model)
            self._best.go_on_with(model)
        self.negligible = negligible_gain(model, points)

    def search(self, stop: Stop) -> None:
        """Search for a better labelling, within its share of the work."""
        self.work += self._best.search(self.work, stop)
        self.keep_better(self._best.labeling)

    def leave(self, last: Reduction, labeling: IntArray) -> None:
        """Continue with the reduced model; ``labeling`` satisfies the facts of the reduction."""
        self._best.reduce(last, labeling)
        self.whole = composed(self.whole, last)
