"""What follows the updates of a sweep: better labellings (also where one turns back), and whether to go on."""

from __future__ import annotations

from bender_core.kernels._jit import inlined
from bender_core.kernels.costs import FLIPPING
from bender_core.kernels.deepening import is_slow
from bender_core.kernels.emit import NONE, emit
from bender_core.kernels.gap import gains_nothing, is_closed, is_nearly_closed
from bender_core.kernels.layout import Kind, Phase, Status
from bender_core.kernels.primal import (
    ROUNDS,
    begin_search,
    descend,
    follow,
    is_exhausted,
    keep_better,
    kick,
    search,
)
from bender_core.kernels.tables.affine import assign
from bender_core.kernels.tables.coupling import total_energy


@inlined
def sum_bounds(run):
    """Sum the bound afresh."""
    state = run.state
    state.bounds.lower = state.node_bound.sum() + state.edge_bound.sum()
    state.cursor.slot = 0
    state.cursor.phase = Phase.FOLLOW if run.rule.improving else Phase.REPORT


@inlined
def follow_group(run):
    """Decode one more group; when all are decoded, descend from that labelling or from `State.decoded`, the better."""
    problem, rule, state, trial = run.problem, run.rule, run.state, run.work.search.trial
    cursor = state.cursor
    # Where a sweep has turned, the groups are decoded as it will visit them now; at its end, as the next one will.
    turned = cursor.position % len(rule.order)
    run.goal.spent += follow(problem, rule, state, turned + cursor.slot, run.work)
    cursor.slot += 1
    if cursor.slot == len(trial):
        if total_energy(problem, trial) >= state.bounds.decoded:
            assign(trial, state.decoded)
        cursor.slot = cursor.rounds = cursor.moved = cursor.searches = 0
        cursor.phase = Phase.DESCEND


@inlined
def descend_group(run):
    """Give one more group its best state; after a round in which none has moved look further, if there is credit."""
    problem, rule, state, trial = run.problem, run.rule, run.state, run.work.search.trial
    cursor = state.cursor
    node = cursor.slot
    cursor.moved |= descend(problem, rule, node, run.work)
    run.goal.spent += 1 << problem.size[node]
    cursor.slot += 1
    if cursor.slot < len(trial):
        return
    cursor.rounds += 1
    if cursor.moved == 0 or cursor.rounds == ROUNDS:
        keep_better(state, trial, total_energy(problem, trial))
        if cursor.credit > 0 and not is_closed(problem, rule, state.bounds):
            cursor.phase = Phase.SEARCH
        else:
            cursor.phase = Phase.REPORT if cursor.position == len(rule.order) else Phase.OPEN
        cursor.rounds = 0
    cursor.slot = cursor.moved = 0


@inlined
def search_on(run):
    """Make some more flips, from the trial or from the best labelling after a kick; then descend from what they found.

    The dice are thrown from the number of events: events that happen again find the same labellings.
    """
    problem, state, work, goal = run.problem, run.state, run.work, run.goal
    cursor, room = state.cursor, work.search
    credit, begin = cursor.credit, goal.spent
    if cursor.begun == 0:
        if cursor.searches == 0:
            room.point.dice = 1 + cursor.events
        else:
            kick(problem, state, room)
        goal.spent += begin_search(problem, work)
        cursor.begun = 1
    over = False
    while not over and goal.spent - begin < min(FLIPPING, credit):
        goal.spent += search(problem, work)
        over = is_exhausted(room.point)
    if over or goal.spent - begin >= credit:
        assign(room.trial, room.candidate)
        cursor.begun = 0
        cursor.searches += 1
        cursor.phase = Phase.DESCEND


@inlined
def report(run):
    """Close the sweep; stop if the gap is closed, nothing was gained or enough sweeps were made."""
    problem, rule, state = run.problem, run.rule, run.state
    cursor, bounds = state.cursor, state.bounds
    slow = is_slow(rule, state)
    if slow:
        cursor.depth = min(2 * cursor.depth, rule.deepest)
    emit(run, Kind.SWEEP, NONE, NONE, NONE, bounds.lower + rule.constant, bounds.sweep_start + rule.constant)
    cursor.sweep += 1
    cursor.position = 0
    cursor.phase = Phase.FINISH
    if is_closed(problem, rule, bounds):
        cursor.status = Status.GAP_CLOSED
    elif not slow and gains_nothing(problem, rule, bounds):
        cursor.status = Status.GAP_CLOSED if is_nearly_closed(problem, rule, bounds) else Status.NO_PROGRESS
    elif cursor.sweep >= rule.max_sweeps:
        cursor.status = Status.SWEEP_LIMIT
    else:
        cursor.phase = Phase.OPEN
    bounds.sweep_start = bounds.lower
