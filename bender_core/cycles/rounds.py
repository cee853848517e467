"""What raises a bound round by round: cycles and their shares, or MPLP with cycle pursuit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Self

from bender_core.checking.certificate import EXHAUSTED, OPTIMAL, STOPPED
from bender_core.engine.gap import Margin
from bender_core.model import IntArray
from bender_core.stopping import Stop, never


class Rounds(ABC):
    """Bounds that rounds improve.

    Attributes
    ----------
    labeling : ndarray of int64, shape (n,)
        The best one known.
    upper_bound : float
        Its energy.
    lower_bound : float
        Energy.
    margin : Margin
        When the bound proves the labelling.
    n_rows : int
        Benders rows in use: none.
    work : int
        Of all rounds, table entries, other work converted to entries.
    """

    labeling: IntArray
    upper_bound: float
    lower_bound: float
    margin: Margin
    work: int
    n_rows = 0

    @property
    @abstractmethod
    def rounds(self) -> int:
        """Complete rounds."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether the labelling is proven, or nothing is gained any more."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """About the memory in use."""

    @abstractmethod
    def _slices(self) -> Iterator[None]:
        """As `slices`, without a stop."""

    def slices(self, stop: Stop = never) -> Iterator[None]:
        """Go on to the end of a round, piece by piece; if that is given up, the next call goes on.

        Parameters
        ----------
        stop : Stop
            Checked before every piece.

        Returns
        -------
        iterator of None
            It stops before each piece of work, most of them of 50 ms at most.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        for _ in self._slices():
            stop.check()
            yield

    @property
    def sweep(self) -> int:
        """Complete rounds, which count as sweeps beside runs on groups."""
        return self.rounds

    @property
    def is_proven(self) -> bool:
        """Whether the bound proves that no labelling is better than the best one by more than counts."""
        return bool(self.margin.excludes(self.lower_bound - self.upper_bound, 0.0))

    @property
    def status(self) -> str:
        """Why it has finished, as in a `Certificate`; "stopped" until then."""
        return OPTIMAL if self.is_proven else EXHAUSTED if self.finished else STOPPED

    def run(
        self,
        max_rounds: int | None = None,
        *,
        on_progress: Callable[[Self], bool | None] | None = None,
        stop: Stop = never,
    ) -> bool:
        """Run until the labelling is proven, nothing is gained any more, or the given number of rounds is done.

        Parameters
        ----------
        max_rounds : int, optional
            All rounds, those done before included.
        on_progress : callable, optional
            Called after every round, and within rounds about every 50 ms; returning True pauses.
        stop : Stop
            Checked as often.

        Returns
        -------
        bool
            Whether it has finished.

        Raises
        ------
        Stopped
            If ``stop`` says so; bounds and labelling are those reached by then, and the next call goes on.
        """
        while not self.finished and (max_rounds is None or self.rounds < max_rounds):
            for _ in self.slices(stop):
                if on_progress is not None and on_progress(self):
                    return False
            if on_progress is not None and on_progress(self):
                break
        return self.finished
