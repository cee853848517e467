"""The transfer of messages, rows and the best labelling from one run to another.

The bound is valid for any messages. Where groups are united, the messages into them add up, and messages between them
become part of the new group's energies: the new bound is never below the old one, as a minimum of a sum is never below
the sum of the minima. For edges united into one the sum of the minima is kept, since the minimum of their sum costs as
much as an exact message: until such an edge is updated, the certificate may be higher than the bound.

A row bounds the coupling of its edge, so it stays valid. Where both groups of its edge are as they were, it is copied;
else a reverse row takes its place, at the same state of the receiver, where it is tight. Source: docs/method.md §2.5.
"""

from __future__ import annotations

import numpy as np

from bender_core.groups import Partition
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import Pool, RowKind, State, Workspace
from bender_core.kernels.rows.pool import describe_row, link_row, write_reverse_row
from bender_core.kernels.tables.coupling import total_energy
from bender_core.kernels.tables.projection import active_state
from bender_core.model import IntArray
from bender_core.stopping import Stop, never


def carry(old: HyperGraph, before: State, new: HyperGraph, state: State, stop: Stop = never) -> None:
    """Begin with the best labelling of another run and, if its groups lie within those of this one, its messages.

    Parameters
    ----------
    old, new : HyperGraph
        Of the same model.
    before : State
        The position of the other run.
    state : State
        The start of this run, all messages 0.
    stop : Stop
        Checked between messages.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    owner = owners(old.partition, new.partition)
    if owner is not None:
        _carry_messages(old, before, new, state, owner, stop)
    _carry_labeling(old, before, new, state)
    state.cursor.credit = before.cursor.credit


def owners(old: Partition, new: Partition) -> IntArray | None:
    """The new group that contains each old one, shape (G,); None if one lies in several."""
    home = new.group_of()
    found = [home[group] for group in old.groups]
    if any((owner != owner[0]).any() for owner in found):
        return None
    return np.array([owner[0] for owner in found], np.int64)


def _carry_messages(old: HyperGraph, before: State, new: HyperGraph, state: State, owner: IntArray, stop: Stop) -> None:
    """Add up the messages between old groups that lie in different new ones, and the bounds of their edges."""
    was, now = old.problem, new.problem
    state.edge_bound[:] = 0.0
    for p in range(new.n_groups):
        total = new.energies(p).copy()
        for receiver in np.flatnonzero(owner == p).tolist():
            within = _states_of(old, new, receiver, p)
            for arc in was.node_arcs[was.arc_first[receiver] : was.arc_first[receiver + 1]].tolist():
                stop.check()
                q = int(owner[old.ends(arc)[1]])
                if p == q:
                    continue
                target = new.arc(p, q)
                first, last = was.lam_first[arc], now.lam_first[target]
                message = before.lam[first : first + (1 << was.size[receiver])][within]
                state.lam[last : last + len(message)] += message
                total += message
                if arc % 2 == 0:
                    state.edge_bound[target // 2] += before.edge_bound[arc // 2]
        state.node_bound[p] = total.min()
    state.bounds.lower = state.bounds.sweep_start = state.node_bound.sum() + state.edge_bound.sum()


def _states_of(old: HyperGraph, new: HyperGraph, inner: int, outer: int) -> IntArray:
    """The state of an old group within a new one, for every state of the new one, shape (2^|Y_p|,)."""
    place = {int(i): k for k, i in enumerate(new.partition.groups[outer])}
    states = np.arange(1 << len(place))
    found = np.zeros(len(states), np.int64)
    for k, i in enumerate(old.partition.groups[inner].tolist()):
        found |= (states >> place[i] & 1) << k
    return found


def _carry_labeling(old: HyperGraph, before: State, new: HyperGraph, state: State) -> None:
    """Decode to the best labelling of the other run."""
    labeling = old.labeling(before.best)
    state.decoded[:] = new.states(labeling)
    state.best[:] = state.decoded
    energy = total_energy(new.problem, state.decoded)
    state.bounds.upper = state.bounds.decoded = energy
    state.bounds.best_decoded = before.bounds.best_decoded


def united_edges(old: HyperGraph, new: HyperGraph) -> list[int]:
    """The edges that several edges of another run have become."""
    owner = owners(old.partition, new.partition)
    if owner is None:
        return []
    ends = owner[old.edges]
    kept = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
    pairs, count = np.unique(kept, axis=0, return_counts=True)
    return [new.arc(p, q) // 2 for p, q in pairs[count > 1].tolist()]


class RowCarrier:
    """Takes rows of one run over into another, whose groups contain those of the first.

    Parameters
    ----------
    old, new : HyperGraph
    rows : Pool
        Of the old run.
    pool : Pool
        Of the new run, with room for as many more.
    state : State
        The start of the new run.
    work : Workspace
        Of the new run.
    """

    def __init__(self, old: HyperGraph, rows: Pool, new: HyperGraph, pool: Pool, state: State, work: Workspace) -> None:
        owner = owners(old.partition, new.partition)
        if owner is None:
            raise ValueError("rows are taken over by groups that contain the old ones")
        self._old, self._rows, self._new, self._pool, self._state, self._work = old, rows, new, pool, state, work
        self._owner = owner
        self._same = [
            np.array_equal(group, new.partition.groups[owner[p]]) for p, group in enumerate(old.partition.groups)
        ]
        self._made: set[tuple[int, int]] = set()
        self._targets: dict[int, int] = {}

    def carry(self, row: int) -> None:
        """Take over a row, unless its edge is gone or a row has taken its place already."""
        arc = 2 * int(self._rows.edge[row]) + int(self._rows.side[row])
        p, q = self._old.ends(arc)
        if self._owner[p] == self._owner[q]:
            return
        target = self._target(arc)
        if self._same[p] and self._same[q]:
            self._copy(row, arc, target)
        else:
            anchor = int(active_state(self._new.problem, target, self._state_at(row, arc, p)))
            if (target, anchor) in self._made:
                return
            self._made.add((target, anchor))
            describe_row(self._pool, self._next, target, anchor, RowKind.RMC, 0.0)
            write_reverse_row(self._new.problem, self._pool, self._next, self._work)
        self._pool.born[self._next] = -1
        link_row(self._pool, self._state, self._next)
        self._state.cursor.rows += 1

    def _target(self, arc: int) -> int:
        """The arc that an arc of the old run has become; many rows share one."""
        if arc not in self._targets:
            p, q = self._old.ends(arc)
            self._targets[arc] = self._new.arc(int(self._owner[p]), int(self._owner[q]))
        return self._targets[arc]

    @property
    def _next(self) -> int:
        return int(self._state.cursor.rows)

    def _copy(self, row: int, arc: int, target: int) -> None:
        old, new, place = self._rows, self._pool, self._next
        describe_row(new, place, target, int(old.anchor[row]), RowKind(int(old.kind[row])), 0.0)
        # The sides change places where the groups have changed their order.
        width = min(old.table.shape[2], new.table.shape[2])
        for side in (0, 1):
            new.table[place, (target + side) % 2, :width] = old.table[row, (arc + side) % 2, :width]
        bits = min(old.share.shape[1], new.share.shape[1])
        new.share[place, :bits] = old.share[row, :bits]

    def _state_at(self, row: int, arc: int, p: int) -> int:
        """The state of the new receiver in which the old one is where the row was made, all else as decoded."""
        group = self._new.partition.groups[self._owner[p]]
        place = {int(i): k for k, i in enumerate(group)}
        found, anchor = int(self._state.decoded[self._owner[p]]), int(self._rows.anchor[row])
        for k, member in enumerate(self._old.active_members(arc).tolist()):
            i = int(self._old.partition.groups[p][member])
            found = found & ~(1 << place[i]) | (anchor >> k & 1) << place[i]
        return found
