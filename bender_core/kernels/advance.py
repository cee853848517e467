"""The algorithm, once: one loop that row steps, node steps, sweeps, full-speed runs and replays all share.

The loop walks through the phases of a node update (paper, Algs. 1 and 2; docs/method.md §3.6):

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

from bender_core.kernels._jit import entry, inner, small
from bender_core.kernels.costs import SHARE, STEPPED
from bender_core.kernels.emit import NONE, emit
from bender_core.kernels.layout import Kind, LoopEnd, Phase, Until
from bender_core.kernels.sweep import descend_group, follow_group, report, search_on, sum_bounds
from bender_core.kernels.update import apply_row, close_node, consult_oracle, open_node, plan_rows


@small
def is_reached(events, cursor, goal):
    """Whether the last event is one at which this call shall stop."""
    if cursor.events >= goal.event_limit:
        return True
    kind = events.kind[cursor.events - 1]
    if goal.until == Until.EVENT:
        return True
    if goal.until == Until.ROW:
        return kind >= Kind.ROW
    if goal.until == Until.ROUND:
        return kind >= Kind.MESSAGE or (kind >= Kind.ORACLE and _ends_round(events, cursor))
    if goal.until == Until.NODE:
        return kind >= Kind.MESSAGE
    if goal.until == Until.SWEEP:
        return kind >= Kind.SWEEP
    return kind == Kind.FINISHED


@inner
def _ends_round(events, cursor):
    """Whether all is done at the state y* of the last event, an oracle or a row."""
    if cursor.phase == Phase.PASS:
        return True
    return cursor.phase == Phase.ORACLE and cursor.state != events.state[cursor.events - 1]


@inner
def _has_room_for_rows(run):
    """Whether there is room for all rows that one oracle may ask for."""
    node = run.rule.order[run.state.cursor.position]
    degree = run.problem.arc_first[node + 1] - run.problem.arc_first[node]
    return run.state.cursor.rows + degree + len(run.rule.cuts) <= len(run.pool.edge)


@entry
def advance(run):
    """Go on until the goal is reached; returns an `LoopEnd`."""
    rule, events, goal, cursor = run.rule, run.events, run.goal, run.state.cursor
    while True:
        count, phase = cursor.events, cursor.phase
        if phase == Phase.DONE:
            return LoopEnd.FINISHED
        if count >= goal.event_limit:
            return LoopEnd.REACHED
        untouched = phase == Phase.OPEN and cursor.slot == 0 and cursor.begun == 0
        if untouched and cursor.sweep >= goal.sweep_limit:
            return LoopEnd.REACHED
        if goal.spent >= goal.budget:
            return LoopEnd.BUDGET_SPENT
        # The last place is for the event that says that the run is finished.
        if count + (phase != Phase.FINISH) >= len(events.kind):
            return LoopEnd.NEED_EVENTS
        if phase == Phase.ORACLE and not _has_room_for_rows(run):
            return LoopEnd.NEED_ROWS
        spent = goal.spent
        goal.spent += STEPPED
        node = rule.order[cursor.position] if phase <= Phase.PASS else NONE
        if phase == Phase.OPEN:
            open_node(run, node)
        elif phase == Phase.ORACLE:
            consult_oracle(run, node)
        elif phase == Phase.PLAN:
            plan_rows(run, node)
        elif phase == Phase.APPLY:
            if not apply_row(run, node):
                return LoopEnd.NOT_TIGHT
        elif phase == Phase.PASS:
            close_node(run, node)
        elif phase == Phase.SWEEP:
            sum_bounds(run)
        elif phase == Phase.FOLLOW:
            follow_group(run)
        elif phase == Phase.DESCEND:
            descend_group(run)
        elif phase == Phase.SEARCH:
            search_on(run)
        elif phase == Phase.REPORT:
            report(run)
        else:
            cursor.phase = Phase.DONE
            emit(run, Kind.FINISHED, NONE, NONE, NONE, np.nan, np.nan)
        spent = goal.spent - spent
        cursor.read += spent
        cursor.credit += spent // SHARE if phase <= Phase.PASS else -spent
        if cursor.events > count and is_reached(events, cursor, goal):
            return LoopEnd.REACHED
