"""The search for a good labelling, by flips and by moves of forests. Source: docs/method.md §15.6."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bender_core.hypergraph import energy_scale
from bender_core.kernels.search.board import Board, Spell, Terms, begin
from bender_core.kernels.search.forests import move_on
from bender_core.kernels.search.tabu import flip_on
from bender_core.labelings.comparing import costs_less
from bender_core.lattice import polynomial
from bender_core.model import BinaryMRF, IntArray
from bender_core.seeds import generator
from bender_core.stopping import Stop, never

# The entries read in a search by default, about a quarter of a second; and between two checks for a stop, 10 ms.
WORK, SLICE = 1 << 28, 1 << 23
# Energies that differ by less, relative to what is at stake, are the same but for rounding.
LEAST = 1e-12


class Found(NamedTuple):
    """What a search has found.

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


@dataclass
class _Method:
    """A way to search, and what it has achieved."""

    go_on: Callable[[Terms, Board, int], bool]
    work: int = 0
    gains: int = 0  # spells that have found a better labelling

    @property
    def price(self) -> float:
        """The work of a better labelling."""
        return self.work / (1 + self.gains)


def search(
    mrf: BinaryMRF, labeling: ArrayLike | None = None, work: int = WORK, seed: int = 0, stop: Stop = never
) -> Found:
    """Look for a labelling of low energy, by tabu search and by moves of random forests of variables.

    Each spell is of the kind that has done less work for a better labelling so far. Source: docs/method.md §15.6.

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
    >>> found = bc.search(bc.load("sample_instances/karate.mrf.json"), work=1_000_000)
    >>> found.energy
    -4524.0
    """
    start = mrf.unary.argmin(axis=1) if labeling is None else labeling
    mrf.violations(start)  # refuses what is not a labelling
    best: IntArray = np.array(start, np.int64)
    terms, board = _terms(mrf), _board(mrf.n, seed)
    spell, methods = board.spell, (_Method(flip_on), _Method(move_on))
    while mrf.n and spell.spent < work and not stop():
        method, before = min(methods, key=lambda one: one.price), int(spell.spent)
        begin(terms, board, best)
        while spell.spent < work and not method.go_on(terms, board, min(SLICE, work - int(spell.spent))):
            if stop():
                break
        method.work += int(spell.spent) - before
        # Energies are added up flip by flip, so the last word has the exact difference.
        better = spell.least < 0 and costs_less(mrf, board.found, best)
        method.gains += better
        spell.shaken = not better
        if better:
            best = board.found.copy()
    return Found(best, mrf.energy(best), int(spell.spent))


def _terms(mrf: BinaryMRF) -> Terms:
    linear, coupling = polynomial(mrf)
    own, other = np.concatenate([mrf.edges, mrf.edges[:, ::-1]]).T
    order, both = np.argsort(own, kind="stable"), np.concatenate([coupling, coupling])
    first = np.append(0, np.cumsum(np.bincount(own, minlength=mrf.n)))
    strength = np.sqrt(np.bincount(own, both * both, mrf.n))
    return Terms(linear, first, other[order], both[order], strength, LEAST * energy_scale(mrf))


def _board(n: int, seed: int) -> Board:
    spell = Spell.zeros()
    spell.dice = int(generator(seed).integers(1, (1 << 31) - 1))
    x, found, tabu, order, tree, seen, line, waiting, stem = np.zeros((9, n), np.int64)
    pull, message = np.zeros((2, n))
    return Board(spell, x, found, pull, tabu, order, tree, seen, line, waiting, stem, message)
