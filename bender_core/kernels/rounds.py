"""The rounds of an update: its floor, its ceiling, and the suspects between (docs/method.md §3.9).

An update is Benders' own loop. In units of the bound, a state y of the node costs at least

    g(y) = LB - lambda_p - sum_q lambda_pq + phi_p(y) + sum_q nu-_pq(y),

of which all but the total phi_p + sum nu- stays the same during the update. The least g is the *floor*: the bound if
the messages were passed now. The least exact cost that an oracle has found is the *ceiling*: the most that this update
can reach. States with g below the ceiling, other than the one that attains it, are *suspects*; where none is left,
floor and ceiling have met.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import inner, small
from bender_core.kernels.emit import NONE
from bender_core.kernels.rows.pool import TIGHT
from bender_core.kernels.tables.affine import count_below


@inner
def begin_rounds(problem, rule, state, node, least, rounds):
    """Begin the rounds of a node at the least total of its envelopes."""
    rounds.base = state.bounds.lower + rule.constant - state.node_bound[node]
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        rounds.base -= state.edge_bound[problem.node_arcs[a] // 2]
    rounds.least = least
    rounds.exact = np.inf
    rounds.cheapest = rounds.suspects = NONE


@small
def rounding(problem, node, total):
    """How far a total may be off by rounding: the tolerances of its messages together."""
    weight = abs(total)
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        weight += problem.edge_weight[problem.node_arcs[a] // 2]
    return TIGHT * weight


@inner
def take_answer(problem, node, state, exact, work):
    """Take in the exact total at a state, the lowest by the envelopes, and count the suspects that are left."""
    rounds = work.rounds
    if exact < rounds.exact:
        rounds.exact = exact
        rounds.cheapest = state
    limit = rounds.exact - rounding(problem, node, rounds.exact)
    rounds.suspects = count_below(work.total, problem.size[node], limit) - (work.total[rounds.cheapest] < limit)


@inner
def have_met(problem, node, state, work):
    """Whether the lowest state is the one at the ceiling, and tight there: its answer is known, no suspect is left."""
    rounds = work.rounds
    return state == rounds.cheapest and rounds.exact - work.total[state] <= rounding(problem, node, rounds.exact)


@inner
def close_rounds(total, rounds):
    """Note that floor and ceiling have met, at the total that the messages share."""
    rounds.least = total
    if rounds.cheapest < 0:
        # Exact messages ask no oracle.
        rounds.exact = total
    rounds.suspects = 0


@inner
def exclude(run, node):
    """Strike off states of a node: every labelling with one costs at least as much as the best one plus the margin.

    When the node is about to pass its messages, the total of a state, with what the bound holds elsewhere, is a lower
    bound on the energy of all labellings that take it. That holds for ever: whatever messages are passed later, and all
    the more if a better labelling is found (docs/method.md §15.1).
    """
    problem, state, total = run.problem, run.state, run.work.total
    elsewhere = state.bounds.lower - state.node_bound[node]
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        elsewhere -= state.edge_bound[problem.node_arcs[a] // 2]
    most = state.bounds.upper + run.rule.margin - elsewhere
    alive = state.alive[problem.phi_first[node] :]
    for y in range(1 << problem.size[node]):
        alive[y] &= total[y] < most
    run.goal.spent += 1 << problem.size[node]
