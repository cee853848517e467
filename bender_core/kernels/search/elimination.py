"""Moves by elimination: the variables of a random subgraph of small treewidth take their best values, given the others.

Variables are eliminated one after another, next to the last one, while there is one with few neighbours left; where
there is none, one of them is fixed at its value. A forest of variables has treewidth 1: F. Hamze and N. de Freitas,
From fields to trees (UAI 2004); A. Selby, Efficient subgraph-based sampling of Ising-type models with frustration
(arXiv:1409.3934). Here without temperature: what shakes a spell is noise in the energies of the variables, which falls
from move to move.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import entry, inner
from bender_core.kernels.costs import CONSIDERED, MEMBER, NEIGHBOUR_LOOKUP
from bender_core.kernels.search.board import WIDTH, flip, keep_better, roll

# A spell ends after this number of moves without a better labelling.
PERSISTENCE = 20
# The largest noise at first, in units of the strength of a variable; and the moves until there is none.
NOISE, COOLING = 0.4, 200
# The steps of the noise, to either side.
STEPS = 1000
OPEN, ELIMINATED, FIXED = 0, 1, 2
NOBODY, LAST = -1, -1


@entry
def move_on(terms, board, budget):
    """Make moves until about ``budget`` entries are read; returns whether the spell has ended."""
    spell = board.spell
    end, cooling = spell.spent + budget, COOLING * spell.shaken
    while spell.spent < end:
        if spell.moves - max(spell.latest, cooling) > PERSISTENCE:
            return True
        shuffle(board)
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
def move(terms, board, noise):
    """Give all variables that can be eliminated their best values together, the others fixed; returns their number.

    ``noise``: the largest of what is added to their energies, in units of their strengths.
    """
    _open(terms, board, noise)
    members = 0
    for i in board.order:
        if board.stage[i] == OPEN:
            members = _eliminate_around(terms, board, i, members)
    # Those that were eliminated last decide first.
    for k in range(members - 1, -1, -1):
        _decide(terms, board, board.line[k])
    board.spell.spent += len(board.order) * CONSIDERED + members * MEMBER
    return members


@inner
def _open(terms, board, noise):
    """Open all variables, with noise in their energies."""
    for i in range(len(board.x)):
        board.stage[i] = OPEN
        board.arrived[i] = LAST
        board.noise[i] = 0.0
        if noise > 0.0:
            board.noise[i] = noise * terms.strength[i] * (roll(board.spell, 2 * STEPS + 1) - STEPS) / STEPS


@inner
def _eliminate_around(terms, board, start, members):
    """Eliminate variables, each next to the last one, as long as any is left there; returns how many there are then."""
    near, left = board.near, 1
    near[0] = start
    while left > 0:
        i = _loneliest(terms, board, left)
        if board.degree[i] <= WIDTH:
            _eliminate(terms, board, i)
            board.line[members] = i
            members += 1
            left = board.degree[i]
            for k in range(left):
                near[k] = board.scope[i, k]
        else:
            k = roll(board.spell, left)
            board.stage[near[k]] = FIXED
            left -= 1
            near[k] = near[left]
    return members


@inner
def _loneliest(terms, board, left):
    """The first of the next variables with the fewest open neighbours."""
    best = board.near[0]
    for k in range(left):
        i = board.near[k]
        _look_around(terms, board, i)
        if board.degree[i] < board.degree[best]:
            best = i
    return best


@inner
def _look_around(terms, board, i):
    """Find the scope of a variable: its open neighbours, and those that messages have made its neighbours.

    Its degree is their number, or WIDTH + 1 if they are more than WIDTH.
    """
    board.degree[i] = 0
    for a in range(terms.first[i], terms.first[i + 1]):
        if board.degree[i] > WIDTH:
            return
        _meet(board, i, terms.neighbour[a])
        board.spell.spent += NEIGHBOUR_LOOKUP
    node = board.arrived[i]
    while node != LAST:
        k = node // WIDTH
        if board.receiver[k] == NOBODY:
            for t in range(board.degree[k]):
                if board.degree[i] > WIDTH:
                    return
                _meet(board, i, board.scope[k, t])
            board.spell.spent += NEIGHBOUR_LOOKUP
        node = board.before[node]


@inner
def _meet(board, i, j):
    """Add an open variable to the scope of another, if it is new there."""
    place, scope, degree = board.place[j], board.scope, board.degree[i]
    if j == i or board.stage[j] != OPEN or (place < degree and scope[i, place] == j):
        return
    if degree < WIDTH:
        scope[i, degree] = j
        board.place[j] = degree
    board.degree[i] += 1


@inner
def _eliminate(terms, board, i):
    """Minimise over a variable: its message is the least that it and all that lies beyond cost, given its scope."""
    cost, degree = board.cost, board.degree[i]
    half = 1 << degree
    for k in range(degree):
        board.place[board.scope[i, k]] = k
    board.place[i] = degree
    _tabulate(terms, board, i)
    node = board.arrived[i]
    while node != LAST:
        k = node // WIDTH
        if board.receiver[k] == NOBODY:
            board.receiver[k] = i
            _add_message(board, k, 2 * half)
        node = board.before[node]
    for y in range(half):
        board.message[i, y] = min(cost[y], cost[half + y])
    for k in range(degree):
        j, node = board.scope[i, k], i * WIDTH + k
        board.before[node] = board.arrived[j]
        board.arrived[j] = node
    board.stage[i], board.receiver[i] = ELIMINATED, NOBODY
    board.spell.spent += 2 * half


@inner
def _tabulate(terms, board, i):
    """What a variable costs by itself, over the values of its scope, and its own in the highest bit."""
    cost, coupling, degree = board.cost, board.coupling, board.degree[i]
    half = 1 << degree
    coupling[:degree] = 0.0
    for a in range(terms.first[i], terms.first[i + 1]):
        j = terms.neighbour[a]
        if board.stage[j] == OPEN:
            coupling[board.place[j]] += terms.coupling[a]
    cost[:half] = 0.0
    cost[half] = _pull_of_fixed(terms, board, i)
    for k in range(degree):
        for y in range(half, half + (1 << k)):
            cost[y + (1 << k)] = cost[y] + coupling[k]


@inner
def _pull_of_fixed(terms, board, i):
    """The pull of a variable without that of its neighbours that are not fixed."""
    pull = board.pull[i] + board.noise[i]
    for a in range(terms.first[i], terms.first[i + 1]):
        j = terms.neighbour[a]
        if board.stage[j] != FIXED and board.x[j] == 1:
            pull -= terms.coupling[a]
    return pull


@inner
def _add_message(board, sender, states):
    """Add a message to the costs, at the values that fixed variables of its scope have."""
    spot, place, step = board.spot, board.place, 1
    while step < states:
        spot[step] = 0
        step *= 2
    spot[0] = 0
    for t in range(board.degree[sender]):
        j = board.scope[sender, t]
        if board.stage[j] == FIXED:
            spot[0] += board.x[j] << t
        else:
            spot[1 << place[j]] = 1 << t
    step = 1
    while step < states:
        moved = spot[step]
        for y in range(step):
            spot[step + y] = spot[y] + moved
        step *= 2
    for y in range(states):
        board.cost[y] += board.message[sender, spot[y]]
    board.spell.spent += 2 * states


@inner
def _decide(terms, board, i):
    """Give a variable its best value, all of its scope decided; it counts as fixed then."""
    pull = _pull_of_fixed(terms, board, i)
    node = board.arrived[i]
    while node != LAST:
        k = node // WIDTH
        if board.receiver[k] == i:
            pull += _pull_of_message(board, k, node % WIDTH)
        node = board.before[node]
    tied = abs(pull) <= terms.tolerance
    best = roll(board.spell, 2) if tied else np.int64(pull < 0.0)
    if best != board.x[i]:
        flip(terms, board, i)
    board.stage[i] = FIXED


@inner
def _pull_of_message(board, sender, bit):
    """What the value 1 of a variable of its scope costs more than 0 in a message."""
    rest = 0
    for t in range(board.degree[sender]):
        if t != bit:
            rest += board.x[board.scope[sender, t]] << t
    return board.message[sender, rest + (1 << bit)] - board.message[sender, rest]
