"""A labelling that is being improved, with what every flip would cost kept up.

The energy is ``sum_i linear_i x_i + sum_ij coupling_ij x_i x_j`` and a constant, which does not matter. The *pull* of a
variable, what its value 1 costs more than 0, follows its neighbours. A *spell* begins with the best labelling known,
or, if it is *shaken*, not far from it; it ends when it has found nothing better for long. Source: docs/method.md §15.6.
"""

from __future__ import annotations

from typing import NamedTuple

from bender_core.kernels._jit import entry, inner
from bender_core.kernels._reference import by_reference
from bender_core.kernels.costs import NEIGHBOUR_LOOKUP, SCANNED, SPELL
from bender_core.kernels.layout import Floats, Ints, Record
from bender_core.kernels.tables.affine import assign

# The most open neighbours of a variable that is eliminated.
WIDTH = 6


@by_reference
class Terms(NamedTuple):
    """The energies of a model of n variables and m edges, read-only."""

    linear: Floats  # (n,)
    first: Ints  # (n + 1,) CSR over the neighbours
    neighbour: Ints  # (2 m,)
    coupling: Floats  # (2 m,) with that neighbour
    strength: Floats  # (n,) of all couplings of a variable: the root of the sum of their squares
    tolerance: float  # energies that differ by less are the same but for rounding


class Spell(Record):
    """The progress of a spell; energies are relative to the labelling that it was given."""

    shaken: int
    dice: int  # the last random number
    energy: float  # of Board.x
    least: float  # of Board.found
    moves: int
    latest: int  # the move that led to Board.found
    spent: int  # entries read since the search began


@by_reference
class Board(NamedTuple):
    """A labelling being improved, and scratch."""

    spell: Spell
    x: Ints  # (n,)
    found: Ints  # (n,) the best labelling of the spell
    tabu: Ints  # (n,) a variable is not flipped before this number of moves is made
    order: Ints  # (n,) in which variables are asked to be eliminated
    line: Ints  # (n,) those eliminated, in their order
    stage: Ints  # (n,) open, eliminated or fixed
    degree: Ints  # (n,) the size of the scope; WIDTH + 1 if there are more open neighbours than WIDTH
    place: Ints  # (n,) in the scope found last
    receiver: Ints  # (n,) the variable that the message of this one was added to; -1: not yet
    arrived: Ints  # (n,) the last message with this variable in its scope: sender · WIDTH + place; -1: none
    pull: Floats  # (n,)
    noise: Floats  # (n,) added to the pull
    scope: Ints  # (n, WIDTH) the open neighbours of a variable when it was looked at last
    before: Ints  # (n WIDTH,) the message that arrived before this one
    message: Floats  # (n, 2**WIDTH) over the values of the scope: the least that a variable and all beyond it cost
    near: Ints  # (WIDTH,) variables, one of which is eliminated or fixed next
    coupling: Floats  # (WIDTH,) with the variables of a scope
    cost: Floats  # (2**(WIDTH + 1),) of a variable, over the values of its scope and its own
    spot: Ints  # (2**(WIDTH + 1),) the place of these values in a message


@entry
def begin(terms, board, labeling):
    """Begin a spell with a labelling; its pulls are added up afresh, so that rounding does not accumulate."""
    spell, x, pull = board.spell, board.x, board.pull
    assign(x, labeling)
    assign(board.found, labeling)
    spell.energy = spell.least = 0.0
    spell.moves = spell.latest = 0
    for i in range(len(x)):
        board.tabu[i] = 0
        pull[i] = terms.linear[i]
        for a in range(terms.first[i], terms.first[i + 1]):
            if x[terms.neighbour[a]] == 1:
                pull[i] += terms.coupling[a]
    spell.spent += SPELL + len(x) * SCANNED + len(terms.neighbour) * NEIGHBOUR_LOOKUP


@inner
def flip(terms, board, i):
    """Give a variable its other value."""
    spell, x, pull = board.spell, board.x, board.pull
    sign = 1.0 - 2.0 * x[i]
    spell.energy += sign * pull[i]
    x[i] = 1 - x[i]
    for a in range(terms.first[i], terms.first[i + 1]):
        pull[terms.neighbour[a]] += sign * terms.coupling[a]
    spell.spent += SCANNED + (terms.first[i + 1] - terms.first[i]) * NEIGHBOUR_LOOKUP


@inner
def keep_better(terms, board):
    """Count a move, and keep the labelling that it has led to if it is the best of the spell."""
    spell = board.spell
    spell.moves += 1
    if spell.energy < spell.least - terms.tolerance:
        spell.least = spell.energy
        spell.latest = spell.moves
        assign(board.found, board.x)


@inner
def roll(spell, sides):
    """A random number below ``sides`` (Park and Miller's generator)."""
    spell.dice = spell.dice * 48271 % 2147483647
    return spell.dice * sides >> 31
