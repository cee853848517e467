"""Tabu search: the best flip that is not tabu, even if the energy rises (F. Glover, Tabu search, ORSA 1989)."""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import entry, inner
from bender_core.kernels.costs import SCANNED
from bender_core.kernels.search.board import flip, keep_better, roll

# A variable that was flipped is tabu for this number of flips, to twice as many.
TENURE = 10
# A spell ends after PERSISTENCE flips without a better labelling, and PERSISTENCE_PER_VARIABLE more for every variable.
PERSISTENCE, PERSISTENCE_PER_VARIABLE = 200, 10
# A spell that is shaken begins with up to one in KICKED variables at random.
KICKED = 4


@entry
def flip_on(terms, board, budget):
    """Make flips until about ``budget`` entries are read; returns whether the spell has ended.

    A flip that leads to the best labelling of the spell is made though it is tabu.
    """
    spell, n = board.spell, len(board.x)
    end = spell.spent + budget
    if spell.moves == 0 and spell.shaken:
        _kick(terms, board)
    # Short for few variables, so that there always is one to flip; uneven, so that it does not go in circles.
    most = min(n // 4, TENURE)
    while spell.spent < end:
        if spell.moves - spell.latest > PERSISTENCE + n * PERSISTENCE_PER_VARIABLE:
            return True
        i = _best_flip(terms, board)
        if i >= 0:
            flip(terms, board, i)
            board.tabu[i] = spell.moves + 1 + most + roll(spell, most + 1)
        keep_better(terms, board)
        spell.spent += n * SCANNED
    return False


@inner
def _kick(terms, board):
    """Give random values to the variables that a random walk visits."""
    spell, n = board.spell, len(board.x)
    i = roll(spell, n)
    for _ in range(1 + roll(spell, max(n // KICKED, 1))):
        if roll(spell, 2) == 1:
            flip(terms, board, i)
        first, last = terms.first[i], terms.first[i + 1]
        i = roll(spell, n) if first == last else terms.neighbour[first + roll(spell, last - first)]


@inner
def _best_flip(terms, board):
    """The variable whose flip costs least of those that may be flipped; -1 if none may."""
    spell, x, pull, tabu = board.spell, board.x, board.pull, board.tabu
    chosen, least = -1, np.inf
    enough = spell.least - terms.tolerance - spell.energy
    for i in range(len(x)):
        cost = pull[i] if x[i] == 0 else -pull[i]
        if cost < least and (tabu[i] <= spell.moves or cost < enough):
            chosen, least = i, cost
    return chosen
