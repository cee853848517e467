"""The transfer of messages and the best labelling from one run to another.

The bound is valid for any messages. Where groups are united, the messages into them add up, and messages between them
become part of the new group's energies: the new bound is never below the old one, as a minimum of a sum is never below
the sum of the minima. For edges united into one the sum of the minima is kept, since the minimum of their sum costs as
much as an exact message: until such an edge is updated, the certificate may be higher than the bound. Source:
docs/method.md §2.5.
"""

from __future__ import annotations

import numpy as np

from bender_core.groups import Partition
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import State
from bender_core.kernels.tables.coupling import total_energy
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
