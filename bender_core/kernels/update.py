"""The update of a node, phase by phase (paper, Algs. 1 and 2; docs/method.md §3.6).

With the envelopes ``nu-_pq <= nu_pq`` of its edges, node p looks for ``min phi_p + sum_q nu-_pq``. At its minimiser y*
the oracles say what ``nu_pq(y*)`` really is; where an envelope lies below that, rows are added that are tight there,
and the minimiser is looked for again. When every envelope is tight at y*, its total is the true minimum and the
messages can be passed.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import entry, inlined, inner
from bender_core.kernels.deepening import envelope_total, mask, next_state, unmask
from bender_core.kernels.emit import NONE, emit
from bender_core.kernels.gap import is_closed
from bender_core.kernels.layout import Kind, Message, Phase, RowKind, Status
from bender_core.kernels.messages import pass_messages
from bender_core.kernels.min_marginals.enumerate import oracle
from bender_core.kernels.min_marginals.exact import begin_exact, enumerate_some, exact_min_marginals
from bender_core.kernels.primal import decode
from bender_core.kernels.rounds import begin_rounds, close_rounds, exclude, have_met, take_answer
from bender_core.kernels.rows.pool import (
    anchored_row,
    append_row,
    arc_of,
    begin_recycling,
    begin_row,
    continue_row,
    describe_row,
    is_tight,
    keep_intercept,
    recycle,
    row_at,
    write_reverse_row,
)
from bender_core.kernels.schedule import is_unchanged
from bender_core.kernels.tables.affine import argmin, assign, raise_with_total
from bender_core.kernels.tables.projection import (
    active_state,
    add_spread,
    dual_table,
    energies,
    fetch,
    incoming_table,
    project_max,
)


@inner
def _charge(run, arc, entries):
    """Count entries read for a message."""
    run.goal.spent += entries
    run.state.read[arc] += entries


@inlined
def open_node(run, node):
    """Bring in one more edge of the node, or, when all are in, find the minimiser."""
    problem, cursor, work = run.problem, run.state.cursor, run.work
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    n = 1 << problem.size[node]
    if cursor.slot == 0 and cursor.begun == 0:
        assign(work.total[:n], energies(problem, node))
    if first + cursor.slot < last:
        arc = problem.node_arcs[first + cursor.slot]
        if _bring_in(run, arc, is_unchanged(problem, run.rule, cursor, arc)):
            add_spread(problem, arc, work.nu[cursor.slot], work.total)
            _charge(run, arc, n)
            cursor.slot += 1
        return
    cursor.state = argmin(work.total, problem.size[node], work.scan)
    begin_rounds(problem, run.rule, run.state, node, work.total[cursor.state], work.rounds)
    cursor.slot = 0
    cursor.phase = Phase.PASS if run.rule.exact else Phase.ORACLE
    value = work.total[cursor.state]
    emit(run, Kind.NODE_OPENED, node, NONE, NONE, value if run.rule.exact else np.nan, value)
    run.goal.spent += n


@entry
def sum_up(run, node):
    """Go on summing up the total of a node at the present messages, which stay; returns whether it is complete.

    Between two updates, and where messages are exact. It uses the place of an open update in the cursor, and gives it
    back.
    """
    problem, goal, cursor, work = run.problem, run.goal, run.state.cursor, run.work
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    if cursor.slot == 0 and cursor.begun == 0:
        assign(work.total[: 1 << problem.size[node]], energies(problem, node))
    while first + cursor.slot < last:
        if goal.spent >= goal.budget:
            return False
        arc = problem.node_arcs[first + cursor.slot]
        if _bring_in(run, arc, False):
            add_spread(problem, arc, work.nu[cursor.slot], work.total)
            cursor.slot += 1
    cursor.slot = 0
    return True


@inlined
def _message(run, arc, slot):
    """The message of a slot, once its `fetch` is done."""
    problem, work = run.problem, run.work
    incoming = incoming_table(problem, run.state.lam, arc, work.incoming[slot])
    return Message(arc, incoming, work.nu[slot, : 1 << problem.bits[arc]])


@inlined
def _bring_in(run, arc, known):
    """Go on making the (envelope of the) min-marginal of one message; returns whether it is complete.

    If it is known, it is the message itself.
    """
    problem, rule, state, work = run.problem, run.rule, run.state, run.work
    cursor = state.cursor
    if cursor.begun == 0:
        _charge(run, arc, fetch(problem, state.lam, arc, work.incoming[cursor.slot]))
    message = _message(run, arc, cursor.slot)
    if cursor.begun == 0:
        if known:
            lam = dual_table(problem, state.lam, arc)
            project_max(problem, arc, lam, message.nu)
            _charge(run, arc, len(lam))
            return True
        if rule.exact:
            begin_exact(work)
        else:
            begin_recycling(state, message, work)
        cursor.begun = 1
    if rule.enumerated:
        _charge(run, arc, enumerate_some(problem, message, len(message.nu), work))
    elif rule.exact:
        _charge(run, arc, exact_min_marginals(problem, message, work))
    else:
        _charge(run, arc, recycle(problem, run.pool, state, message, work))
    if work.progress.next >= 0:
        return False
    cursor.begun = 0
    return True


@inlined
def consult_oracle(run, node):
    """Ask for the truth at y*; plan rows where the envelope lies below it."""
    problem, state, work = run.problem, run.state, run.work
    cursor = state.cursor
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    exact_total = energies(problem, node)[cursor.state]
    known_total = envelope_total(problem, work, node, cursor.state)
    cursor.loosest, most = -1, 0.0
    for slot in range(last - first):
        arc = problem.node_arcs[first + slot]
        y = active_state(problem, arc, cursor.state)
        known, value = work.nu[slot, y], _truth(run, arc, slot, y)
        work.oracle[slot] = value
        slack = value - known
        state.slack[arc] = max(slack, 0.0)
        exact_total += value
        if slack > most and not is_tight(known, value, problem.edge_weight[arc // 2], 1.0):
            cursor.loosest, most = slot, slack
    if cursor.visited == 0:
        take_answer(problem, node, cursor.state, exact_total, work)
        run.goal.spent += 1 << problem.size[node]
    arc = problem.node_arcs[first + cursor.loosest] if cursor.loosest >= 0 else NONE
    emit(run, Kind.ORACLE, node, arc, NONE, exact_total, known_total)
    if cursor.loosest < 0:
        mask(state, work)
        _move_on(run, node)
        return
    cursor.planned = cursor.rows
    cursor.cut = 0
    cursor.phase = Phase.PLAN


@inner
def _truth(run, arc, slot, y):
    """The true min-marginal at an active state: the intercept of a row that was made there, or the oracle's answer."""
    problem, state, work = run.problem, run.state, run.work
    # Charged also where the row is known: when events happen again it may not be, and credit must be the same.
    _charge(run, arc, 1 << problem.bits[arc ^ 1])
    row = anchored_row(run.pool, state, arc, y)
    if row >= 0:
        return run.pool.intercept[row, arc % 2]
    incoming = incoming_table(problem, state.lam, arc, work.incoming[slot])
    return oracle(problem, arc, incoming, y, work)


@inlined
def plan_rows(run, node):
    """Go on making the rows for y*: Magnanti-Wong rows on the loosest edge, reverse rows there or on all loose ones."""
    problem, rule, work, cursor = run.problem, run.rule, run.work, run.state.cursor
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    arc, value = problem.node_arcs[first + cursor.slot], work.oracle[cursor.slot]
    y = active_state(problem, arc, cursor.state)
    is_loosest = cursor.slot == cursor.loosest
    if is_loosest and cursor.cut < len(rule.cuts):
        _plan_cut(run, arc, y, value)
        return
    loose = not is_tight(work.nu[cursor.slot, y], value, problem.edge_weight[arc // 2], 1.0)
    if is_loosest or (rule.everywhere and loose):
        describe_row(run.pool, cursor.planned, arc, y, RowKind.RMC.value, value)
        write_reverse_row(problem, run.pool, cursor.planned, work)
        cursor.planned += 1
    cursor.slot += 1
    cursor.cut = 0
    if cursor.slot == last - first:
        cursor.slot = 0
        cursor.phase = Phase.APPLY


@inlined
def _plan_cut(run, arc, y, value):
    """Go on making a Magnanti-Wong row."""
    problem, pool, work, cursor = run.problem, run.pool, run.work, run.state.cursor
    incoming = incoming_table(problem, run.state.lam, arc, work.incoming[cursor.slot])
    if cursor.begun == 0:
        describe_row(pool, cursor.planned, arc, y, run.rule.cuts[cursor.cut], value)
        begin_row(problem, pool, cursor.planned, incoming, work)
        cursor.begun = 1
    passes, written = continue_row(problem, pool, cursor.planned, incoming, work)
    _charge(run, arc, passes << problem.bits[arc ^ 1])
    if written:
        cursor.begun = 0
        cursor.planned += 1
        cursor.cut += 1


@inner
def _move_on(run, node):
    """Turn to the best state that has not been seen to; if there is none, the messages can be passed."""
    problem, state, work = run.problem, run.state, run.work
    cursor = state.cursor
    following = next_state(problem, state, work, node)
    run.goal.spent += 1 << problem.size[node]
    if cursor.visited == 0:
        work.rounds.least = work.total[following]
        if have_met(problem, node, following, work):
            _skip_oracle(run, node, following)
            following = next_state(problem, state, work, node)
            run.goal.spent += 1 << problem.size[node]
    if following >= 0:
        cursor.state = following
        cursor.phase = Phase.ORACLE
    else:
        cursor.state = unmask(problem, state, work, node)
        cursor.phase = Phase.PASS


@inner
def _skip_oracle(run, node, following):
    """Do as if the oracle had been asked at a state whose exact cost is known to be that of its envelopes."""
    problem, state, work = run.problem, run.state, run.work
    state.cursor.state = following
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        state.slack[problem.node_arcs[a]] = 0.0
    work.rounds.suspects = 0
    mask(state, work)


@inlined
def apply_row(run, node):
    """Put the next planned row to use; after the last one, find the new minimiser.

    Returns False if the row is not tight at its own minimiser, which would make the loop spin.
    """
    problem, pool, state, work = run.problem, run.pool, run.state, run.work
    cursor, row = state.cursor, state.cursor.rows
    arc, y = arc_of(pool, row), pool.anchor[row]
    slot = 0
    while problem.node_arcs[problem.arc_first[node] + slot] != arc:
        slot += 1
    exact, before = work.oracle[slot], work.nu[slot, y]
    value = row_at(problem, pool, row, arc % 2, y)
    tight = is_tight(value, exact, problem.edge_weight[arc // 2], 0.5)
    pool.born[row] = cursor.events
    append_row(pool, state, row)
    keep_intercept(pool, state, row, arc, pool.intercept[row, arc % 2])
    _raise(run, node, arc, slot, row)
    state.slack[arc] = 0.0
    cursor.rows = row + 1
    emit(run, Kind.ROW, node, arc, row, exact, before)
    _charge(run, arc, 1 << problem.size[node])
    if cursor.rows == cursor.planned:
        _move_on(run, node)
    return tight


@inner
def _raise(run, node, arc, slot, row):
    """Raise the envelope of a message to a row, and with it the total of the node."""
    problem, pool, work = run.problem, run.pool, run.work
    u, intercept, active = pool.table[row, arc % 2], pool.intercept[row, arc % 2], problem.bits[arc]
    if active == problem.size[node]:
        raise_with_total(work.nu[slot], work.total, active, u, intercept)
    else:
        work.rise[: 1 << active] = 0.0
        raise_with_total(work.nu[slot], work.rise, active, u, intercept)
        add_spread(problem, arc, work.rise, work.total)


@inlined
def close_node(run, node):
    """Pass the messages of the node, and let it decode."""
    problem, rule, state, work = run.problem, run.rule, run.state, run.work
    cursor, bounds = state.cursor, state.bounds
    decode(problem, state, node, cursor.state)
    run.goal.spent += 1 << problem.size[node]
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        _charge(run, problem.node_arcs[a], 1 << problem.size[node])
    if rule.excluding:
        exclude(run, node)
    before = bounds.lower
    close_rounds(work.total[cursor.state], work.rounds)
    bounds.lower += pass_messages(problem, rule, state, node, work)
    emit(run, Kind.MESSAGE, node, NONE, NONE, bounds.lower + rule.constant, before + rule.constant)
    cursor.position += 1
    if is_closed(problem, rule, bounds):
        cursor.status = Status.GAP_CLOSED
        cursor.phase = Phase.FINISH
    elif cursor.position == len(rule.order):
        cursor.phase = Phase.SWEEP
    elif rule.improving and cursor.position == len(rule.rank):
        cursor.slot = 0
        cursor.phase = Phase.FOLLOW
    else:
        cursor.phase = Phase.OPEN
