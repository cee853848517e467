"""The first rows of a fork: those of its parent, and additional ones.

A row bounds the coupling of its edge, so it stays valid. If both groups of its edge are unchanged, it is copied;
otherwise a reverse row replaces it, which is tight at the rest of the same state of the receiver. Source:
docs/method.md §2.5, §15.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bender_core.engine import memory
from bender_core.engine.arrays import Arrays
from bender_core.engine.carrying import owners, united_edges
from bender_core.engine.memory_needed import TooLargeError
from bender_core.engine.messages import exact_at, incoming, least_of_edge, require_states
from bender_core.engine.rows import RowAt
from bender_core.forms.reduction import GONE, Reduction
from bender_core.kernels.layout import RowKind
from bender_core.kernels.rows.pool import append_row, describe_row, make_row, write_reverse_row
from bender_core.kernels.tables.projection import active_state
from bender_core.model import IntArray
from bender_core.stopping import Stop
from bender_core.units import storage


def take_over(old: Arrays, new: Arrays, reduction: Reduction | None, stop: Stop) -> None:
    """Begin with the rows of another run, and the exact bounds of united edges.

    Parameters
    ----------
    old, new : Arrays
        The other run, and this one at its start, with the other's messages.
    reduction : Reduction or None
        The reduction of the old run's model to that of the new one.
    stop : Stop
        Checked between rows and edges.

    Raises
    ------
    TooLargeError
        If the rows do not fit into memory.
    Stopped
        If ``stop`` says so.
    """
    state = new.state
    owner = owners(old.partition, new.partition, None if reduction is None else reduction.home)
    count = int(old.state.cursor.rows)
    if owner is not None and count and not new.rule.exact:
        _make_room(new, count)
        state.row_first[:] = state.row_last[:] = -1
        state.cursor.rows = 0
        carrier = RowCarrier(old, new, owner, reduction)
        for row in range(count):
            stop.check()
            carrier.carry(row)
    for edge in united_edges(old.graph, new.graph, owner):
        state.edge_bound[edge] = max(least_of_edge(new, 2 * edge, stop), state.edge_bound[edge])
    state.bounds.lower = state.bounds.sweep_start = state.node_bound.sum() + state.edge_bound.sum()
    new.past.begin_at(state)


def add_rows(run: Arrays, rows: Sequence[RowAt], stop: Stop) -> None:
    """Make rows at the first messages of a run, and use them.

    Parameters
    ----------
    run : Arrays
        At its start.
    rows : sequence of RowAt
    stop : Stop

    Raises
    ------
    TooLargeError
        If they do not fit into memory.
    ValueError
        If a row is for groups that are not coupled, or its state is unknown.
    Stopped
        If ``stop`` says so.
    """
    if not rows:
        return
    _make_room(run, int(run.state.cursor.rows) + len(rows))
    for row in rows:
        _add(run, row, stop)
    run.past.begin_at(run.state)


def _make_room(run: Arrays, rows: int) -> None:
    missing = rows + run.dims.degree + len(run.rule.cuts) - run.rows.count
    if missing > 0 and not run.rows.grow(missing, run.past.thin_out):
        needed = missing * memory.row_bytes(run.dims)
        sentence = f"the run leaves no room for {storage(needed)} of rows to begin with; raise the limit"
        raise TooLargeError(sentence, needed, run.account.free)


def _add(run: Arrays, made: RowAt, stop: Stop) -> None:
    arc, row, pool = run.graph.arc(made.receiver, made.sender), int(run.state.cursor.rows), run.rows.view
    run.charge_looking(memory.looking_bytes, "looking at a message")
    anchor = active_state(run.problem, arc, int(require_states(run, arc, [made.state])[0]))
    truth = float(exact_at(run, arc, np.array([anchor]), stop)[0])
    describe_row(pool, row, arc, anchor, int(made.kind), truth)
    make_row(run.problem, pool, row, incoming(run, arc), run.probe, 1)
    pool.born[row] = -1
    append_row(pool, run.state, row)
    run.state.cursor.rows += 1


class RowCarrier:
    """Transfers rows to another run, whose groups contain the rest of the groups of the first.

    Parameters
    ----------
    old, new : Arrays
        The other run, and this one at its start, with room for that many rows.
    owner : ndarray of int64, shape (G,)
        As `carrying.owners` finds it.
    reduction : Reduction or None
        The reduction of the old run's model to that of the new one.
    """

    def __init__(self, old: Arrays, new: Arrays, owner: IntArray, reduction: Reduction | None) -> None:
        self._old, self._new, self._owner = old, new, owner
        self._rows, self._pool = old.rows.view, new.rows.view
        n = old.mrf.n
        self._home = np.arange(n) if reduction is None else reduction.home
        self._value = np.zeros(n, np.int64) if reduction is None else reduction.value
        self._same = [
            owner[p] != GONE
            and np.array_equal(self._home[group], new.partition.groups[owner[p]])
            and not self._value[group].any()
            for p, group in enumerate(old.partition.groups)
        ]
        self._made: set[tuple[int, int]] = set()
        self._targets: dict[int, int | None] = {}

    def carry(self, row: int) -> None:
        """Transfer a row, unless its edge is gone or another row has already taken its place."""
        arc = 2 * int(self._rows.edge[row]) + int(self._rows.side[row])
        p, q = self._old.graph.ends(arc)
        target = self._target(arc)
        if target is None:
            return
        if self._same[p] and self._same[q]:
            self._copy(row, arc, target)
        else:
            anchor = int(active_state(self._new.problem, target, self._state_at(row, arc, p)))
            if (target, anchor) in self._made:
                return
            self._made.add((target, anchor))
            describe_row(self._pool, self._next, target, anchor, RowKind.RMC.value, 0.0)
            write_reverse_row(self._new.problem, self._pool, self._next, self._new.work)
        self._pool.born[self._next] = -1
        append_row(self._pool, self._new.state, self._next)
        self._new.state.cursor.rows += 1

    def _target(self, arc: int) -> int | None:
        """The arc that an arc of the old run has become, None if it is gone; many rows share one."""
        if arc not in self._targets:
            p, q = (int(self._owner[end]) for end in self._old.graph.ends(arc))
            is_gone = GONE in (p, q) or p == q or q not in self._new.graph.neighbours(p)
            self._targets[arc] = None if is_gone else self._new.graph.arc(p, q)
        return self._targets[arc]

    @property
    def _next(self) -> int:
        return int(self._new.state.cursor.rows)

    def _copy(self, row: int, arc: int, target: int) -> None:
        old, new, place = self._rows, self._pool, self._next
        describe_row(new, place, target, int(old.anchor[row]), int(old.kind[row]), 0.0)
        # The sides are exchanged if the order of the groups has changed.
        width = min(old.table.shape[2], new.table.shape[2])
        for side in (0, 1):
            new.table[place, (target + side) % 2, :width] = old.table[row, (arc + side) % 2, :width]
        bits = min(old.share.shape[1], new.share.shape[1])
        new.share[place, :bits] = old.share[row, :bits]

    def _state_at(self, row: int, arc: int, p: int) -> int:
        """The state of the new receiver that contains the row's anchor, with all other variables as decoded."""
        group = self._new.partition.groups[self._owner[p]]
        place = {int(i): k for k, i in enumerate(group)}
        found, anchor = int(self._new.state.decoded[self._owner[p]]), int(self._rows.anchor[row])
        for k, member in enumerate(self._old.graph.active_members(arc).tolist()):
            i = int(self._old.partition.groups[p][member])
            home, bit = int(self._home[i]), anchor >> k & 1 ^ int(self._value[i])
            if home != GONE:
                found = found & ~(1 << place[home]) | bit << place[home]
        return found
