"""The best labelling of a reduced model, and the search for better ones. Source: docs/method.md §15.6."""

from __future__ import annotations

from bender_core.forms.reduction import Reduction
from bender_core.labelings.searching import LabelingSearch
from bender_core.model import BinaryMRF, IntArray, ModelError
from bender_core.stopping import Stop

# The search takes this share of all work.
SHARE = 0.05
# A search reads at least this number of entries for every variable, since beginning one takes time, too. The first
# search does not wait until that is its share.
LEAST = 100_000


class Improving:
    """The best labelling of the reduced model, which is improved during the proof.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : ndarray of int64, shape (n,)
    seed : int
    """

    def __init__(self, mrf: BinaryMRF, labeling: IntArray, seed: int) -> None:
        self._search = LabelingSearch(mrf, labeling, seed)
        self._advance = self._least

    @property
    def labeling(self) -> IntArray:
        """The best labelling of the reduced model."""
        return self._search.labeling

    @property
    def energy(self) -> float:
        """The energy of that labelling."""
        return self._search.mrf.energy(self.labeling)

    @property
    def _least(self) -> int:
        return LEAST * self._search.mrf.n

    def search(self, work: int, stop: Stop) -> int:
        """Look for a better labelling, as far as the share of it goes.

        Parameters
        ----------
        work : int
            Entries read for the proof so far.
        stop : Stop

        Returns
        -------
        int
            Entries read.
        """
        before = self._search.work
        due = int(SHARE * work) + self._advance - before
        if due >= self._least:
            self._search.go_on(due, stop)
        return self._search.work - before

    def take(self, labeling: IntArray) -> None:
        """Take over a better labelling.

        Parameters
        ----------
        labeling : ndarray of int64, shape (reduced.n,)
        """
        self._search.turn_to(self._search.mrf, labeling)

    def go_on_with(self, mrf: BinaryMRF) -> None:
        """Go on with the same labelling of another model.

        Parameters
        ----------
        mrf : BinaryMRF
            Of as many variables.
        """
        self._search.turn_to(mrf, self.labeling)

    def reduce(self, last: Reduction, labeling: IntArray) -> None:
        """Continue with a further reduced model.

        Parameters
        ----------
        last : Reduction
        labeling : ndarray of int64, shape (n,)
            One that satisfies the facts; the best one may violate them if its advantage is negligible.
        """
        try:
            left = last.reduce(self.labeling)
        except ModelError:
            left = last.reduce(labeling)
        self._search.turn_to(last.reduced, left)
