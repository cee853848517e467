"""The search for a good labelling, by flips and by elimination. Source: docs/method.md §15.6."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bender_core.forms.polynomial import polynomial
from bender_core.forms.scale import energy_scale
from bender_core.kernels.search.board import WIDTH, Board, Spell, Terms, begin
from bender_core.kernels.search.elimination import move_on
from bender_core.kernels.search.tabu import flip_on
from bender_core.labelings.comparing import costs_less
from bender_core.model import BinaryMRF, IntArray, require_model
from bender_core.seeds import generator
from bender_core.stopping import Stop, never

# The entries read in a search by default, about a quarter of a second; and between two checks for a stop, 10 ms.
WORK, SLICE = 1 << 30, 1 << 25
# Energies that differ by less, relative to what is at stake, are the same but for rounding.
LEAST = 1e-12


class Found(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    labeling : ndarray of int64, shape (n,)
    energy : float
    work : int
        Entries read.
    """

    labeling: IntArray
    energy: float
    work: int


def search(
    mrf: BinaryMRF, labeling: ArrayLike | None = None, work: int = WORK, seed: int = 0, stop: Stop = never
) -> Found:
    """Look for a labelling of low energy, by tabu search and by elimination in random subgraphs.

    Source: docs/method.md §15.6.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : array_like of {0, 1}, shape (n,), optional
        Where it begins; by default every variable has its best value on its own.
    work : int
        About how many entries are read.
    seed : int
    stop : Stop
        Checked about every 10 ms; then the best labelling so far is returned.

    Returns
    -------
    Found
        Never worse than the labelling that it began with. It depends on the arguments alone, unless it was stopped.

    Raises
    ------
    ModelError
        If ``labeling`` is not a labelling of the model.
    ValueError
        If the seed is negative.

    Examples
    --------
    >>> import bender_core as bc
    >>> found = bc.search(bc.sample("karate"), work=10_000_000)
    >>> found.energy
    -4524.0
    """
    require_model(mrf)
    course = LabelingSearch(mrf, mrf.unary.argmin(axis=1) if labeling is None else labeling, seed)
    course.go_on(work, stop)
    return Found(course.labeling, mrf.energy(course.labeling), course.work)


@dataclass
class _Method:
    """A method of search, and its success so far."""

    go_on: Callable[[Terms, Board, int], bool]
    work: int = 0
    gains: int = 0  # better labellings

    @property
    def price(self) -> float:
        """The work of a better labelling."""
        return self.work / (1 + self.gains)


class LabelingSearch:
    """A search that can be continued.

    Each spell is by the method that has done less work for a better labelling so far. Source: docs/method.md §15.6.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : array_like of {0, 1}, shape (n,)
        Where it begins.
    seed : int

    Attributes
    ----------
    labeling : ndarray of int64, shape (n,)
        The best one known.

    Raises
    ------
    ModelError
        If ``labeling`` is not a labelling of the model.
    ValueError
        If the seed is negative.
    """

    def __init__(self, mrf: BinaryMRF, labeling: ArrayLike, seed: int = 0) -> None:
        self._spell = Spell.zeros()
        self._spell.dice = int(generator(seed).integers(1, (1 << 31) - 1))
        self._methods: Sequence[_Method] = (_Method(flip_on), _Method(move_on))
        self.turn_to(mrf, labeling)

    @property
    def work(self) -> int:
        """Entries read so far."""
        return int(self._spell.spent)

    def turn_to(self, mrf: BinaryMRF, labeling: ArrayLike) -> None:
        """Go on with another labelling, and perhaps another model.

        Parameters
        ----------
        mrf : BinaryMRF
        labeling : array_like of {0, 1}, shape (n,)

        Raises
        ------
        ModelError
            If ``labeling`` is not a labelling of the model.
        """
        mrf.violations(labeling)  # refuses what is not a labelling
        self.mrf = mrf
        self.labeling: IntArray = np.array(labeling, np.int64)
        self.__dict__.pop("_arrays", None)
        self._method: _Method | None = None  # of the spell that goes on
        self._in_vain = False  # what the last spell was

    @cached_property
    def _arrays(self) -> tuple[Terms, Board]:
        """Made when they are needed, as many models of a proof are not searched."""
        return _terms(self.mrf), _board(self.mrf.n, self._spell)

    def go_on(self, work: int, stop: Stop = never) -> None:
        """Search on.

        Parameters
        ----------
        work : int
            About how many entries are read.
        stop : Stop
            Checked about every 10 ms.
        """
        end = self.work + work
        while self.mrf.n and self.work < end and not stop():
            before = self.work
            method = self._method or self._begin()
            is_over = method.go_on(*self._arrays, min(SLICE, end - before))
            method.work += self.work - before
            if self._keep_better():
                method.gains += 1
                self._in_vain = False
            if is_over:
                self._method = None

    def slices(self, work: int) -> Iterator[None]:
        """Search on in slices of about 10 ms; yields before each.

        Parameters
        ----------
        work : int
            As in `go_on`.
        """
        end = self.work + work
        while self.mrf.n and self.work < end:
            yield
            self.go_on(min(SLICE, end - self.work))

    def _begin(self) -> _Method:
        """Begin a spell with the best labelling if it is new, or else not far from it."""
        self._spell.shaken, self._in_vain = self._in_vain, True
        self._method = min(self._methods, key=lambda method: method.price)
        begin(*self._arrays, self.labeling)
        return self._method

    def _keep_better(self) -> bool:
        """Keep the best labelling of the spell if it costs less: exactly, since flips add up rounding errors."""
        _, board = self._arrays
        better = self._spell.least < 0.0 and costs_less(self.mrf, board.found, self.labeling)
        if better:
            self.labeling = board.found.copy()
        return better


def _terms(mrf: BinaryMRF) -> Terms:
    linear, coupling = polynomial(mrf)
    own, other = np.concatenate([mrf.edges, mrf.edges[:, ::-1]]).T
    order, both = np.argsort(own, kind="stable"), np.concatenate([coupling, coupling])
    first = np.append(0, np.cumsum(np.bincount(own, minlength=mrf.n)))
    strength = np.sqrt(np.bincount(own, both * both, mrf.n))
    return Terms(linear, first, other[order], both[order], strength, LEAST * energy_scale(mrf))


def _board(n: int, spell: Spell) -> Board:
    x, found, tabu, order, line, stage, degree, place, receiver, arrived = np.zeros((10, n), np.int64)
    pull, noise = np.zeros((2, n))
    of_variables = (x, found, tabu, order, line, stage, degree, place, receiver, arrived, pull, noise)
    scope, before, message = np.zeros((n, WIDTH), np.int64), np.zeros(n * WIDTH, np.int64), np.zeros((n, 1 << WIDTH))
    near, coupling = np.zeros(WIDTH, np.int64), np.zeros(WIDTH)
    cost, spot = np.zeros(2 << WIDTH), np.zeros(2 << WIDTH, np.int64)
    return Board(spell, *of_variables, scope, before, message, near, coupling, cost, spot)
