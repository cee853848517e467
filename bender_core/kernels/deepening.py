"""Beyond the paper: an envelope that is tight at more than one state of a group (docs/method.md §4.2).

The paper makes the envelope of a node tight at the minimiser y* of its total, which is all that the gain of this
update depends on. What the next updates can gain depends on the other states as well, and runs stall where an exact
method would not. So when the bound rises too slowly, the depth is doubled: after y*, envelopes are made tight at the
next best states, one after the other, up to that many, skipping states that no optimal labelling can contain.

A state that has been seen to is masked (its total is infinite) until the messages are passed, so that the next one is
the minimiser again and everything that is said of y* holds for it too.
"""

from __future__ import annotations

import numpy as np

from bender_core.kernels._jit import inner
from bender_core.kernels.tables.affine import argmin
from bender_core.kernels.tables.projection import active_state, energies

# A sweep is slow if this number of its kind would not close the gap.
PATIENCE = 20


@inner
def is_slow(rule, state):
    """Whether the sweep just made calls for a greater depth, and there is one."""
    bounds = state.bounds
    gain, gap = bounds.lower - bounds.sweep_start, bounds.upper - bounds.lower
    return state.cursor.depth < rule.deepest and PATIENCE * gain < gap


@inner
def envelope_total(problem, work, node, y):
    """``phi_p + sum of nu`` at one state, whether masked or not."""
    total = energies(problem, node)[y]
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    for slot in range(last - first):
        total += work.nu[slot, active_state(problem, problem.node_arcs[first + slot], y)]
    return total


@inner
def mask(state, work):
    """Note that the envelope is tight at y*."""
    cursor = state.cursor
    work.visited[cursor.visited] = cursor.state
    work.total[cursor.state] = np.inf
    cursor.visited += 1


@inner
def next_state(problem, state, work, node):
    """The best state that is not masked, or -1 if that would be too deep or cannot be optimal.

    A labelling that takes a state whose total exceeds the least one by more than the gap costs more than the best
    labelling known.
    """
    cursor, bounds = state.cursor, state.bounds
    if cursor.visited == cursor.depth:
        return -1
    best = argmin(work.total, problem.size[node], work.scan)
    if cursor.visited > 0:
        least = envelope_total(problem, work, node, work.visited[0])
        if work.total[best] - least > bounds.upper - bounds.lower:
            return -1
    return best


@inner
def unmask(problem, state, work, node):
    """Give the masked states their totals back; returns the first of them, the minimiser."""
    for k in range(state.cursor.visited):
        y = work.visited[k]
        work.total[y] = envelope_total(problem, work, node, y)
    state.cursor.visited = 0
    return work.visited[0]
