"""Moves of forests: all variables of a random induced forest take their best values together, given the others.

After F. Hamze and N. de Freitas, From fields to trees (UAI 2004), and A. Selby, Efficient subgraph-based sampling of
Ising-type models with frustration (arXiv:1409.3934), without temperature: what shakes a spell is noise in the energies
of the variables, which falls from move to move.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import entry, inner
from bender_core.kernels.costs import JOINING, LOOKED_UP, MEMBER
from bender_core.kernels.search.board import flip, keep_better, roll

# A spell ends after this number of moves without a better labelling.
PERSISTENCE = 20
# The largest noise at first, in units of the strength of a variable; and the moves until there is none.
NOISE, COOLING = 0.4, 100
# The steps of the noise, to either side.
STEPS = 1000
OUTSIDE, LAST, SENT = -1, -1, -1


@entry
def move_on(terms, board, budget):
    """Move forests until about ``budget`` entries are read; returns whether the spell has ended."""
    spell = board.spell
    end, cooling = spell.spent + budget, COOLING * spell.shaken
    while spell.spent < end:
        if spell.moves - max(spell.latest, cooling) > PERSISTENCE:
            return True
        shuffle(board)
        grow(terms, board)
        move(terms, board, NOISE * max(cooling - spell.moves, 0) / COOLING)
        keep_better(terms, board)
    return False


@inner
def shuffle(board):
    """Bring the variables into a random order."""
    order = board.order
    n = len(order)
    for i in range(n):
        order[i] = i
    for i in range(n):
        k = i + roll(board.spell, n - i)
        order[i], order[k] = order[k], order[i]


@entry
def grow(terms, board):
    """Let the variables join the forest in their order, except those that would close a cycle."""
    order, tree, waiting = board.order, board.tree, board.waiting
    for i in range(len(order)):
        tree[i] = board.seen[i] = OUTSIDE
        waiting[i] = 0
    for i in order:
        if _closes_cycle(terms, board, i):
            continue
        tree[i] = i
        for a in range(terms.first[i], terms.first[i + 1]):
            j = terms.neighbour[a]
            if tree[j] != OUTSIDE:
                tree[_root(tree, j)] = i
                waiting[i] += 1
                waiting[j] += 1
    board.spell.spent += len(order) * JOINING


@inner
def _closes_cycle(terms, board, i):
    """Whether two neighbours of a variable are in the same tree."""
    tree, seen = board.tree, board.seen
    for a in range(terms.first[i], terms.first[i + 1]):
        board.spell.spent += LOOKED_UP
        j = terms.neighbour[a]
        if tree[j] != OUTSIDE:
            root = _root(tree, j)
            if seen[root] == i:
                return True
            seen[root] = i
    return False


@inner
def _root(tree, i):
    """The root of a tree; the way there is halved for those who come after."""
    while tree[i] != i:
        tree[i] = tree[tree[i]]
        i = tree[i]
    return i


@entry
def move(terms, board, noise):
    """Give the variables of the forest their best values together, all others fixed.

    ``noise``: the largest of what is added to their energies, in units of their strengths.
    """
    x, stem = board.x, board.stem
    members = _send(terms, board, noise)
    # Those that have sent last decide first.
    for k in range(members - 1, -1, -1):
        i = board.line[k]
        pull = board.message[i]
        if stem[i] != LAST and x[terms.neighbour[stem[i]]] == 1:
            pull += terms.coupling[stem[i]]
        tied = abs(pull) <= terms.tolerance
        best = roll(board.spell, 2) if tied else np.int64(pull < 0.0)
        if best != x[i]:
            flip(terms, board, i)
    board.spell.spent += members * MEMBER


@inner
def _send(terms, board, noise):
    """Send the messages of every tree from its leaves on; returns how many variables the forest has.

    A message is what the value 1 of its receiver costs more than 0, all that lies beyond at its best.
    """
    tree, line, waiting, message = board.tree, board.line, board.waiting, board.message
    last = 0
    for i in range(len(tree)):
        if tree[i] != OUTSIDE:
            message[i] = _pull_from_outside(terms, board, i)
            if noise > 0.0:
                message[i] += noise * terms.strength[i] * (roll(board.spell, 2 * STEPS + 1) - STEPS) / STEPS
            if waiting[i] <= 1:
                line[last] = i
                last += 1
    sent = 0
    while sent < last:
        i = line[sent]
        sent += 1
        waiting[i] = SENT
        a = board.stem[i] = _stem(terms, board, i)
        if a == LAST:
            continue
        j = terms.neighbour[a]
        message[j] += min(message[i] + terms.coupling[a], 0.0) - min(message[i], 0.0)
        waiting[j] -= 1
        if waiting[j] == 1:
            line[last] = j
            last += 1
    return last


@inner
def _pull_from_outside(terms, board, i):
    """The pull of a variable without that of its neighbours in the forest."""
    pull = board.pull[i]
    for a in range(terms.first[i], terms.first[i + 1]):
        j = terms.neighbour[a]
        if board.tree[j] != OUTSIDE and board.x[j] == 1:
            pull -= terms.coupling[a]
    return pull


@inner
def _stem(terms, board, i):
    """Where the neighbour in the forest stands that has not sent its message."""
    for a in range(terms.first[i], terms.first[i + 1]):
        j = terms.neighbour[a]
        if board.tree[j] != OUTSIDE and board.waiting[j] != SENT:
            return a
    return LAST
