"""The algorithm, once: one loop that row steps, node steps, sweeps, full-speed runs and replays all share.

The loop walks through the phases of a node update (paper, Algs. 1 and 2):

    OPEN     recycle the rows of every edge (or compute its min-marginals), sum up, find the minimiser y*
    ORACLE   the true min-marginals at y*; if the envelope is tight there go to PASS (or, where progress is slow,
             on to the next best state), else
    PLAN     make the rows that the variant asks for, one after the other
    APPLY    put the planned rows to use, one event each; find the new y*; back to ORACLE
    PASS     pass the messages, decode the group, close the node

and, after the last node of a sweep,

    SWEEP    sum the bounds afresh
    FOLLOW   decode a labelling group by group, each consistent with those before it
    DESCEND  give one group after the other its best state while that lowers the energy
    SEARCH   look further, by tabu search, as long as there is credit for it; back to DESCEND
    REPORT   close the sweep, decide whether to go on
    FINISH   say so, once

FOLLOW, DESCEND and SEARCH also come where an alternating sweep turns back: what the groups ahead send is then of
the way out, and speaks for a labelling that is decoded on the way back.

Its whole position is in ``state.cursor`` (and, within a node, in the workspace), so it can leave after any event and
between events too: no step of the loop reads many more entries than `layout.STEP`, and the budget is looked at
before each. Room for rows and events is checked before anything changes; the caller grows the arrays and calls again.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import inlined, kernel
from bender_core.kernels.affine import argmin, assign, raise_with_total
from bender_core.kernels.deepening import envelope_total, is_slow, mask, next_state, unmask
from bender_core.kernels.exact import begin_exact, enumerate_some, exact_min_marginals
from bender_core.kernels.layout import STEP, Bound, Cursor, Goal, Kind, Outcome, Phase, Progress, Search, Status, Until
from bender_core.kernels.messages import pass_messages
from bender_core.kernels.primal import (
    ROUNDS,
    begin_search,
    decode,
    descend,
    follow,
    is_exhausted,
    keep_better,
    kick,
    search,
    total_energy,
)
from bender_core.kernels.projection import active_state, add_spread, fetch, project_max, sent_table
from bender_core.kernels.rows import (
    TIGHT,
    anchored_row,
    begin_recycling,
    keep_intercept,
    link_row,
    oracle,
    plan_cut,
    plan_reverse_row,
    recycle,
    row_at,
)
from bender_core.kernels.schedule import is_unchanged

# What a step of the loop costs beside its passes, in entries read: small groups are all overhead, and the
# budget has to see it.
OVERHEAD = 512
# Where a sweep has gained no more than the tolerance, a gap of up to NEARLY tolerances counts as closed, but none above
# CLOSED (unless the tolerance itself is larger).
NEARLY, CLOSED = 10.0, 1e-8
# Of the work that goes into messages, 1 / SHARE goes into better labellings. Small groups take more than
# `OVERHEAD` says, so that is the most.
SHARE = 8
# Entries read for flips between two looks at the budget.
FLIPPING = STEP >> 4


@kernel
def _emit(rule, pool, state, events, kind, node, arc, row, value, before):
    """Record an event and count it."""
    cursor, bound = state.cursor, state.bound
    k = cursor[Cursor.EVENTS]
    events.kind[k] = kind
    events.sweep[k] = cursor[Cursor.SWEEP]
    events.node[k] = node
    events.arc[k] = arc
    events.row[k] = row
    events.cut[k] = pool.kind[row] if row >= 0 else -1
    events.state[k] = cursor[Cursor.MINIMISER]
    events.depth[k] = cursor[Cursor.VISITED]
    if kind == Kind.SWEEP:
        events.depth[k] = cursor[Cursor.DEPTH]
    elif kind == Kind.FINISHED:
        events.depth[k] = cursor[Cursor.STATUS]
    events.rows[k] = cursor[Cursor.ROWS]
    events.value[k] = value
    events.before[k] = before
    events.lower_bound[k] = bound[Bound.LOWER] + rule.constant
    events.upper_bound[k] = bound[Bound.UPPER] + rule.constant
    cursor[Cursor.EVENTS] = k + 1


@kernel
def _is_negligible(difference, tolerance, rule, problem, state):
    """Whether a difference of energies is nothing beside the bound, or beside what is at stake if that is less.

    What is at stake, unlike the bound, does not depend on the constant that the model carries.
    """
    scale = min(abs(state.bound[Bound.LOWER] + rule.constant), problem.scale)
    return difference <= max(tolerance * scale, TIGHT * problem.scale)


@inlined
def _open(problem, rule, pool, state, work, events, goal, node):
    """Bring in one more edge of the node, or, when all are in, find the minimiser."""
    cursor = state.cursor
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    bits = problem.size[node]
    n = 1 << bits
    slot = cursor[Cursor.SLOT]
    if slot == 0 and cursor[Cursor.BEGUN] == 0:
        assign(work.total[:n], problem.phi[problem.phi_start[node] :])
    if first + slot < last:
        arc = problem.node_arcs[first + slot]
        if _bring_in(problem, rule, pool, state, work, goal, arc, slot):
            add_spread(problem, arc, work.nu[slot], work.total)
            goal[Goal.SPENT] += n
            cursor[Cursor.SLOT] = slot + 1
        return
    cursor[Cursor.MINIMISER] = argmin(work.total, bits, work.fold, work.block)
    cursor[Cursor.SLOT] = 0
    cursor[Cursor.PHASE] = Phase.PASS if rule.exact else Phase.ORACLE
    value = work.total[cursor[Cursor.MINIMISER]]
    _emit(rule, pool, state, events, Kind.NODE_OPENED, node, -1, -1, value if rule.exact else np.nan, value)
    goal[Goal.SPENT] += n


@inlined
def _bring_in(problem, rule, pool, state, work, goal, arc, slot):
    """Go on making the (envelope of the) min-marginal of one message; returns whether it is complete."""
    cursor = state.cursor
    nu = work.nu[slot, : 1 << problem.bits[arc]]
    if cursor[Cursor.BEGUN] == 0:
        goal[Goal.SPENT] += fetch(problem, state.lam, arc, work.sent[slot])
        if is_unchanged(problem, rule, cursor, arc):
            start = problem.lam_start[arc]
            size = problem.size[problem.edge_node[arc // 2, arc % 2]]
            project_max(problem, arc, state.lam[start : start + (1 << size)], nu)
            goal[Goal.SPENT] += 1 << size
            return True
        if rule.exact:
            begin_exact(work)
        else:
            begin_recycling(state, arc, nu, work)
        cursor[Cursor.BEGUN] = 1
    sent = sent_table(problem, state.lam, arc, work.sent[slot])
    if rule.enumerated:
        goal[Goal.SPENT] += enumerate_some(problem, arc, sent, len(nu), nu, work)
    elif rule.exact:
        goal[Goal.SPENT] += exact_min_marginals(problem, arc, sent, nu, work)
    else:
        goal[Goal.SPENT] += recycle(problem, pool, state, arc, sent, nu, work)
    if work.progress[Progress.NEXT] >= 0:
        return False
    cursor[Cursor.BEGUN] = 0
    return True


@inlined
def _consult(problem, rule, pool, state, work, events, goal, node):
    """Ask for the truth at y*; plan rows where the envelope lies below it."""
    cursor = state.cursor
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    loosest, most = -1, 0.0
    exact_total = problem.phi[problem.phi_start[node] + cursor[Cursor.MINIMISER]]
    known_total = envelope_total(problem, work, node, cursor[Cursor.MINIMISER])
    for slot in range(last - first):
        arc = problem.node_arcs[first + slot]
        minimiser = active_state(problem, arc, cursor[Cursor.MINIMISER])
        known = anchored_row(pool, state, arc, minimiser)
        if known >= 0:
            value = pool.intercept[known, arc % 2]
        else:
            value = oracle(problem, sent_table(problem, state.lam, arc, work.sent[slot]), arc, minimiser, work)
        # Charged also where the row was known: when events happen again it may not be, and credit must be the same.
        goal[Goal.SPENT] += 1 << problem.bits[arc ^ 1]
        work.oracle[slot] = value
        slack = value - work.nu[slot, minimiser]
        state.slack[arc] = max(slack, 0.0)
        exact_total += value
        if slack > most and slack > TIGHT * (abs(value) + problem.edge_weight[arc // 2]):
            loosest, most = slot, slack
    arc = problem.node_arcs[first + loosest] if loosest >= 0 else -1
    cursor[Cursor.LOOSE] = loosest
    _emit(rule, pool, state, events, Kind.ORACLE, node, arc, -1, exact_total, known_total)
    if loosest < 0:
        mask(state, work)
        _move_on(problem, state, work, goal, node)
        return
    cursor[Cursor.PLANNED] = cursor[Cursor.ROWS]
    cursor[Cursor.CUT] = 0
    cursor[Cursor.PHASE] = Phase.PLAN


@inlined
def _plan(problem, rule, pool, state, work, goal, node):
    """Go on making the rows for y*: Magnanti-Wong rows on the loosest edge, reverse rows there or on all loose ones."""
    cursor = state.cursor
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    slot, cut, planned = cursor[Cursor.SLOT], cursor[Cursor.CUT], cursor[Cursor.PLANNED]
    arc, value = problem.node_arcs[first + slot], work.oracle[slot]
    minimiser = active_state(problem, arc, cursor[Cursor.MINIMISER])
    is_loosest = slot == cursor[Cursor.LOOSE]
    if is_loosest and cut < len(rule.cuts):
        sent = sent_table(problem, state.lam, arc, work.sent[slot])
        begun = cursor[Cursor.BEGUN] != 0
        passes, written = plan_cut(problem, pool, planned, arc, minimiser, value, rule.cuts[cut], sent, work, begun)
        goal[Goal.SPENT] += passes << problem.bits[arc ^ 1]
        cursor[Cursor.BEGUN] = 0 if written else 1
        if written:
            cursor[Cursor.PLANNED] += 1
            cursor[Cursor.CUT] += 1
        return
    is_loose = value - work.nu[slot, minimiser] > TIGHT * (abs(value) + problem.edge_weight[arc // 2])
    if is_loosest or (rule.everywhere and is_loose):
        plan_reverse_row(problem, pool, planned, arc, minimiser, value, work)
        cursor[Cursor.PLANNED] += 1
    cursor[Cursor.SLOT] += 1
    cursor[Cursor.CUT] = 0
    if cursor[Cursor.SLOT] == last - first:
        cursor[Cursor.SLOT] = 0
        cursor[Cursor.PHASE] = Phase.APPLY


@inlined
def _move_on(problem, state, work, goal, node):
    """Turn to the best state that has not been seen to; if there is none, the messages can be passed."""
    cursor = state.cursor
    following = next_state(problem, state, work, node)
    goal[Goal.SPENT] += 1 << problem.size[node]
    if following >= 0:
        cursor[Cursor.MINIMISER] = following
        cursor[Cursor.PHASE] = Phase.ORACLE
    else:
        cursor[Cursor.MINIMISER] = unmask(problem, state, work, node)
        cursor[Cursor.PHASE] = Phase.PASS


@inlined
def _apply(problem, rule, pool, state, work, events, goal, node):
    """Put the next planned row to use; after the last one, find the new minimiser.

    Returns False if the row is not tight at its own minimiser, which would make the loop spin.
    """
    cursor = state.cursor
    bits = problem.size[node]
    row = cursor[Cursor.ROWS]
    arc = 2 * pool.edge[row] + pool.side[row]
    minimiser = pool.anchor[row]
    slot = 0
    while problem.node_arcs[problem.arc_first[node] + slot] != arc:
        slot += 1
    exact, before = work.oracle[slot], work.nu[slot, minimiser]
    tight = row_at(pool, problem, row, arc % 2, minimiser) >= exact - 0.5 * TIGHT * (
        abs(exact) + problem.edge_weight[arc // 2]
    )
    pool.born[row] = cursor[Cursor.EVENTS]
    link_row(pool, state, row)
    keep_intercept(pool, state, row, arc, pool.intercept[row, arc % 2])
    at = (2 * row + arc % 2) * problem.stride
    intercept, active = pool.intercept[row, arc % 2], problem.bits[arc]
    if active == bits:
        raise_with_total(work.nu[slot], work.total, bits, pool.table, at, problem.low_length, intercept)
    else:
        work.rise[: 1 << active] = 0.0
        raise_with_total(work.nu[slot], work.rise, active, pool.table, at, problem.low_length, intercept)
        add_spread(problem, arc, work.rise, work.total)
    state.slack[arc] = 0.0
    cursor[Cursor.ROWS] = row + 1
    _emit(rule, pool, state, events, Kind.ROW, node, arc, row, exact, before)
    goal[Goal.SPENT] += 1 << bits
    if cursor[Cursor.ROWS] == cursor[Cursor.PLANNED]:
        _move_on(problem, state, work, goal, node)
    return tight


@inlined
def _close(problem, rule, pool, state, work, events, goal, node):
    """Pass the messages of the node, and let it decode."""
    cursor, bound = state.cursor, state.bound
    decode(problem, state, node, cursor[Cursor.MINIMISER])
    goal[Goal.SPENT] += (1 + problem.arc_first[node + 1] - problem.arc_first[node]) << problem.size[node]
    before = bound[Bound.LOWER]
    bound[Bound.LOWER] += pass_messages(problem, rule, state, node, work)
    after = bound[Bound.LOWER] + rule.constant
    _emit(rule, pool, state, events, Kind.MESSAGE, node, -1, -1, after, before + rule.constant)
    cursor[Cursor.POSITION] += 1
    if _is_negligible(bound[Bound.UPPER] - bound[Bound.LOWER], rule.tolerance, rule, problem, state):
        cursor[Cursor.STATUS] = Status.GAP_CLOSED
        cursor[Cursor.PHASE] = Phase.FINISH
    elif cursor[Cursor.POSITION] == len(rule.order):
        cursor[Cursor.PHASE] = Phase.SWEEP
    elif rule.improving and cursor[Cursor.POSITION] == len(rule.rank):
        cursor[Cursor.SLOT] = 0
        cursor[Cursor.PHASE] = Phase.FOLLOW
    else:
        cursor[Cursor.PHASE] = Phase.OPEN


@inlined
def _close_sweep(problem, rule, state):
    """Sum the bounds afresh."""
    cursor, bound = state.cursor, state.bound
    bound[Bound.LOWER] = state.node_bound.sum() + state.edge_bound.sum()
    bound[Bound.DECODED] = total_energy(problem, state.decoded)
    cursor[Cursor.SLOT] = 0
    cursor[Cursor.PHASE] = Phase.FOLLOW if rule.improving else Phase.REPORT


@inlined
def _follow(problem, rule, state, work, goal):
    """Decode one more group; when all are decoded, descend from that labelling or from `State.decoded`, the better."""
    cursor = state.cursor
    # Where a sweep has turned, the groups are decoded as it will visit them now; at its end, as the next one will.
    turned = cursor[Cursor.POSITION] % len(rule.order)
    goal[Goal.SPENT] += follow(problem, rule, state, work.trial, turned + cursor[Cursor.SLOT], work)
    cursor[Cursor.SLOT] += 1
    if cursor[Cursor.SLOT] == len(work.trial):
        if total_energy(problem, work.trial) >= state.bound[Bound.DECODED]:
            assign(work.trial, state.decoded)
        cursor[Cursor.SLOT] = cursor[Cursor.ROUND] = cursor[Cursor.MOVED] = cursor[Cursor.SEARCHES] = 0
        cursor[Cursor.PHASE] = Phase.DESCEND


@inlined
def _descend(problem, rule, state, work, goal):
    """Give one more group its best state; after a round in which none has moved look further, if there is credit."""
    cursor, bound = state.cursor, state.bound
    node = cursor[Cursor.SLOT]
    cursor[Cursor.MOVED] |= descend(problem, rule, work.trial, node, work)
    goal[Goal.SPENT] += 1 << problem.size[node]
    cursor[Cursor.SLOT] += 1
    if cursor[Cursor.SLOT] < len(work.trial):
        return
    cursor[Cursor.ROUND] += 1
    if cursor[Cursor.MOVED] == 0 or cursor[Cursor.ROUND] == ROUNDS:
        keep_better(state, work.trial, total_energy(problem, work.trial))
        if cursor[Cursor.CREDIT] > 0 and not _is_negligible(
            bound[Bound.UPPER] - bound[Bound.LOWER], rule.tolerance, rule, problem, state
        ):
            cursor[Cursor.PHASE] = Phase.SEARCH
        else:
            cursor[Cursor.PHASE] = Phase.REPORT if cursor[Cursor.POSITION] == len(rule.order) else Phase.OPEN
        cursor[Cursor.ROUND] = 0
    cursor[Cursor.SLOT] = cursor[Cursor.MOVED] = 0


@inlined
def _search(problem, state, work, goal):
    """Make some more flips, from the trial or from the best labelling after a kick; then descend from what they found.

    The dice are thrown from the number of events: events that happen again find the same labellings.
    """
    cursor = state.cursor
    credit, begin = cursor[Cursor.CREDIT], goal[Goal.SPENT]
    if cursor[Cursor.BEGUN] == 0:
        if cursor[Cursor.SEARCHES] == 0:
            work.search[Search.DICE] = 1 + cursor[Cursor.EVENTS]
        else:
            kick(problem, state, work)
        goal[Goal.SPENT] += begin_search(problem, work)
        cursor[Cursor.BEGUN] = 1
    over = False
    while not over and goal[Goal.SPENT] - begin < min(FLIPPING, credit):
        goal[Goal.SPENT] += search(problem, work)
        over = is_exhausted(work)
    if over or goal[Goal.SPENT] - begin >= credit:
        assign(work.trial, work.candidate)
        cursor[Cursor.BEGUN] = 0
        cursor[Cursor.SEARCHES] += 1
        cursor[Cursor.PHASE] = Phase.DESCEND


@inlined
def _report(problem, rule, pool, state, events):
    """Close the sweep; stop if the gap is closed, nothing was gained or enough sweeps were made."""
    cursor, bound = state.cursor, state.bound
    start = bound[Bound.SWEEP_START]
    slow = is_slow(rule, state)
    if slow:
        cursor[Cursor.DEPTH] = min(2 * cursor[Cursor.DEPTH], rule.deepest)
    _emit(rule, pool, state, events, Kind.SWEEP, -1, -1, -1, bound[Bound.LOWER] + rule.constant, start + rule.constant)
    cursor[Cursor.SWEEP] += 1
    cursor[Cursor.POSITION] = 0
    cursor[Cursor.PHASE] = Phase.FINISH
    if _is_negligible(bound[Bound.UPPER] - bound[Bound.LOWER], rule.tolerance, rule, problem, state):
        cursor[Cursor.STATUS] = Status.GAP_CLOSED
    elif not slow and _is_negligible(bound[Bound.LOWER] - start, rule.tolerance, rule, problem, state):
        # Sweeps that bring less than the tolerance end a little before the bounds meet.
        nearly = max(rule.tolerance, min(NEARLY * rule.tolerance, CLOSED))
        meets = _is_negligible(bound[Bound.UPPER] - bound[Bound.LOWER], nearly, rule, problem, state)
        cursor[Cursor.STATUS] = Status.GAP_CLOSED if meets else Status.NO_PROGRESS
    elif cursor[Cursor.SWEEP] >= rule.max_sweeps:
        cursor[Cursor.STATUS] = Status.SWEEP_LIMIT
    else:
        cursor[Cursor.PHASE] = Phase.OPEN
    bound[Bound.SWEEP_START] = bound[Bound.LOWER]


@kernel
def _reached(events, count, goal):
    """Whether the last event is one at which this call shall stop."""
    if count >= goal[Goal.EVENT_LIMIT]:
        return True
    until = goal[Goal.UNTIL]
    kind = events.kind[count - 1]
    if until == Until.EVENT:
        return True
    if until == Until.ROW:
        return kind >= Kind.ROW
    if until == Until.NODE:
        return kind >= Kind.MESSAGE
    if until == Until.SWEEP:
        return kind >= Kind.SWEEP
    return kind == Kind.FINISHED


@kernel
def advance(problem, rule, pool, state, work, events, goal):
    """Go on until the goal is reached; returns an Outcome."""
    cursor = state.cursor
    while True:
        count = cursor[Cursor.EVENTS]
        phase = cursor[Cursor.PHASE]
        if phase == Phase.DONE:
            return Outcome.FINISHED
        if count >= goal[Goal.EVENT_LIMIT]:
            return Outcome.REACHED
        untouched = phase == Phase.OPEN and cursor[Cursor.SLOT] == 0 and cursor[Cursor.BEGUN] == 0
        if untouched and cursor[Cursor.SWEEP] >= goal[Goal.SWEEP_LIMIT]:
            return Outcome.REACHED
        if goal[Goal.SPENT] >= goal[Goal.BUDGET]:
            return Outcome.BUDGET_SPENT
        # The last place is for the event that says that the run is finished.
        if count + (phase != Phase.FINISH) >= len(events.kind):
            return Outcome.NEED_EVENTS
        spent = goal[Goal.SPENT]
        goal[Goal.SPENT] += OVERHEAD
        node = rule.order[cursor[Cursor.POSITION]] if phase <= Phase.PASS else -1
        if phase == Phase.OPEN:
            _open(problem, rule, pool, state, work, events, goal, node)
        elif phase == Phase.ORACLE:
            degree = problem.arc_first[node + 1] - problem.arc_first[node]
            if cursor[Cursor.ROWS] + degree + len(rule.cuts) > len(pool.edge):
                return Outcome.NEED_ROWS
            _consult(problem, rule, pool, state, work, events, goal, node)
        elif phase == Phase.PLAN:
            _plan(problem, rule, pool, state, work, goal, node)
        elif phase == Phase.APPLY:
            if not _apply(problem, rule, pool, state, work, events, goal, node):
                return Outcome.NOT_TIGHT
        elif phase == Phase.PASS:
            _close(problem, rule, pool, state, work, events, goal, node)
        elif phase == Phase.SWEEP:
            _close_sweep(problem, rule, state)
        elif phase == Phase.FOLLOW:
            _follow(problem, rule, state, work, goal)
        elif phase == Phase.DESCEND:
            _descend(problem, rule, state, work, goal)
        elif phase == Phase.SEARCH:
            _search(problem, state, work, goal)
        elif phase == Phase.REPORT:
            _report(problem, rule, pool, state, events)
        else:
            cursor[Cursor.PHASE] = Phase.DONE
            _emit(rule, pool, state, events, Kind.FINISHED, -1, -1, -1, np.nan, np.nan)
        spent = goal[Goal.SPENT] - spent
        cursor[Cursor.CREDIT] += spent // SHARE if phase <= Phase.PASS else -spent
        if cursor[Cursor.EVENTS] > count and _reached(events, cursor[Cursor.EVENTS], goal):
            return Outcome.REACHED
