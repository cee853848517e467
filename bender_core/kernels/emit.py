"""What happened, written down."""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import inner
from bender_core.kernels.layout import Kind

# Of an event: no node, arc or row is concerned.
NONE = -1


@inner
def emit(run, kind, node, arc, row, value, before):
    """Record an event and count it: its kind, what it concerns, what it found and what stood there before."""
    cursor, bounds, events = run.state.cursor, run.state.bounds, run.events
    k = cursor.events
    events.kind[k] = kind
    events.sweep[k] = cursor.sweep
    events.node[k] = node
    events.arc[k] = arc
    events.row[k] = row
    events.cut[k] = run.pool.kind[row] if row >= 0 else NONE
    events.state[k] = cursor.state
    events.depth[k] = cursor.visited
    if kind == Kind.SWEEP:
        events.depth[k] = cursor.depth
    elif kind == Kind.FINISHED:
        events.depth[k] = cursor.status
    events.rows[k] = cursor.rows
    events.value[k] = value
    events.before[k] = before
    events.lower_bound[k] = bounds.lower + run.rule.constant
    events.upper_bound[k] = bounds.upper + run.rule.constant
    rounds, counted = run.work.rounds, kind == Kind.ORACLE or kind == Kind.MESSAGE
    events.floor[k] = rounds.base + rounds.least if counted or kind == Kind.NODE_OPENED else np.nan
    events.ceiling[k] = rounds.base + rounds.exact if counted else np.nan
    events.suspects[k] = rounds.suspects if counted else NONE
    cursor.events = k + 1
