"""The transfer of messages and the best labelling to another run, of the same model or of a reduced one.

The bound is valid for any messages. Where groups are united, the messages into them add up, and messages between them
become part of the new group's energies: the new bound is never below the old one, as a minimum of a sum is never below
the sum of the minima. For edges united into one the sum of the minima is kept, since the minimum of their sum costs as
much as an exact message: until such an edge is updated, the certificate may be higher than the bound. Source:
docs/method.md §2.5, §15.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bender_core.engine.rows import over_states
from bender_core.forms.normal_form import NormalForm
from bender_core.forms.reduction import GONE, Reduction
from bender_core.groups import Partition
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import State
from bender_core.kernels.primal import sum_decoded
from bender_core.model import BoolArray, FloatArray, IntArray
from bender_core.stopping import Stop, never

# Entries of messages that are shifted at a time.
AT_ONCE = 1 << 16


def carry(
    old: HyperGraph,
    before: State,
    new: HyperGraph,
    state: State,
    reduction: Reduction | None = None,
    stop: Stop = never,
) -> None:
    """Begin with the best labelling of another run and, if its groups lie within those of this one, with its messages
    and excluded states.

    Parameters
    ----------
    old, new : HyperGraph
        Hyper-graphs of the same model, or of a model and its reduction.
    before : State
        The state of the other run.
    state : State
        The start of this run, all messages 0.
    reduction : Reduction, optional
        The reduction of the other run's model to that of this one.
    stop : Stop
        Checked between messages.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    owner = owners(old.partition, new.partition, None if reduction is None else reduction.home)
    if owner is not None:
        _carry_messages(old, before, new, state, owner, reduction, stop)
        if len(before.alive) and len(state.alive):
            _carry_exclusions(old, before, new, state, owner, reduction)
    _carry_labeling(old, before, new, state, reduction)
    state.cursor.credit = before.cursor.credit


def owners(old: Partition, new: Partition, home: IntArray | None = None) -> IntArray | None:
    """The new group that contains the rest of each old one, shape (G,); None if one lies in several.

    It is -1 where nothing is left. ``home``: the new variable that decides each old one, or -1, as in a `Reduction`; by
    default the variables are the same.
    """
    home = np.arange(sum(map(len, old.groups))) if home is None else home
    before, now = old.group_of(), np.append(new.group_of(), GONE)[home]
    found = np.full(len(old), GONE)
    np.maximum.at(found, before, now)
    return found if ((now == GONE) | (now == found[before])).all() else None


def _carry_messages(
    old: HyperGraph,
    before: State,
    new: HyperGraph,
    state: State,
    owner: IntArray,
    reduction: Reduction | None,
    stop: Stop,
) -> None:
    """Add up the messages between old groups that lie in different new ones, and the bounds of their edges."""
    was, now = old.problem, new.problem
    shifts = None if reduction is None else _shifts(old, new, owner, reduction)
    state.edge_bound[:] = 0.0 if shifts is None else -shifts.constant
    senders = owner[was.edge_node[:, ::-1]].reshape(-1).tolist()
    for p in range(new.n_groups):
        total = new.energies(p).copy()
        targets = _targets(new, p)
        for receiver in np.flatnonzero(owner == p).tolist():
            within = _states_of(old, new, receiver, p, reduction)
            for arc in was.node_arcs[was.arc_first[receiver] : was.arc_first[receiver + 1]].tolist():
                stop.check()
                # No arc: the couplings have become energies of one group, or have cancelled each other.
                target = targets.get(senders[arc])
                if target is None:
                    continue
                first, last = was.lam_first[arc], now.lam_first[target]
                message = before.lam[first : first + (1 << was.size[receiver])][within]
                state.lam[last : last + len(message)] += message
                total += message
                if arc % 2 == 0:
                    state.edge_bound[target // 2] += before.edge_bound[arc // 2]
        if shifts is not None:
            arcs = list(targets.values())
            at_once = max(AT_ONCE >> now.size[p], 1)
            for begin in range(0, len(arcs), at_once):
                stop.check()
                some = arcs[begin : begin + at_once]
                for arc, shift in zip(some, over_states(shifts.terms[some, : now.size[p]]), strict=True):
                    state.lam[now.lam_first[arc] : now.lam_first[arc] + len(shift)] -= shift
                    total -= shift
        state.node_bound[p] = total.min()
    state.bounds.lower = state.bounds.sweep_start = state.node_bound.sum() + state.edge_bound.sum()


def _carry_exclusions(
    old: HyperGraph, before: State, new: HyperGraph, state: State, owner: IntArray, reduction: Reduction | None
) -> None:
    """Exclude the states that contain an excluded one: no better labelling has them either."""
    was, now = old.problem.phi_first, new.problem.phi_first
    for inner in np.flatnonzero(owner != GONE).tolist():
        outer = int(owner[inner])
        within = _states_of(old, new, inner, outer, reduction)
        state.alive[now[outer] : now[outer] + len(within)] &= before.alive[was[inner] + within]


def _targets(graph: HyperGraph, p: int) -> dict[int, int]:
    """The arcs into a group, by their senders."""
    problem = graph.problem
    arcs = problem.node_arcs[problem.arc_first[p] : problem.arc_first[p + 1]]
    senders = problem.edge_node[arcs // 2, 1 - arcs % 2]
    return dict(zip(senders.tolist(), arcs.tolist(), strict=True))


class _Shifts(NamedTuple):
    """The terms by which the couplings of a reduced model differ from those of the whole one.

    For every edge, the normal form of the reduced model moves ``f(y_p) + h(y_q) + c`` from the couplings to the
    unaries. The messages are reduced by f and h, so that the terms of the bound stay the same.

    Attributes
    ----------
    terms : ndarray, shape (2 E, M, 2)
        f and h, a term for every value of every member of the receiver; 0 for the value 0.
    constant : ndarray, shape (E,)
        c.
    """

    terms: FloatArray
    constant: FloatArray


def _shifts(old: HyperGraph, new: HyperGraph, owner: IntArray, reduction: Reduction) -> _Shifts:
    shifts = _Shifts(
        np.zeros((2 * len(new.edges), new.partition.largest, 2)),
        np.zeros(len(new.edges)),
    )
    left = owner[old.partition.group_of()]
    _add_couplings(shifts, old.normal_form, left, reduction.home, reduction.value, new, 1.0)
    n = new.mrf.n
    _add_couplings(shifts, new.normal_form, new.partition.group_of(), np.arange(n), np.zeros(n, np.int64), new, -1.0)
    shifts.terms[:] -= shifts.terms[:, :, :1]
    return shifts


def _add_couplings(
    shifts: _Shifts, form: NormalForm, group: IntArray, home: IntArray, value: IntArray, new: HyperGraph, sign: float
) -> None:
    """Add the couplings between groups of the new graph, the variables of the other end at their values for state 0.

    Parameters
    ----------
    group : ndarray of int64, shape (n,)
        The new group that every variable of the form belongs to.
    home, value : ndarray of int64, shape (n,)
        As in `Reduction`.
    """
    bit = np.empty(new.mrf.n + 1, np.int64)
    for members in new.partition.groups:
        bit[members] = np.arange(len(members))
    ends = group[form.edges]
    edge, flip = _edges_of(new, ends)
    kept = edge >= 0
    edge, flip, sign_weight = edge[kept], flip[kept], sign * form.weight[kept]
    at_zero = value[form.edges[kept]] == form.entry[kept]
    np.add.at(shifts.constant, edge, sign_weight * at_zero.all(axis=1))
    for side in (0, 1):
        i, entry = form.edges[kept, side], form.entry[kept, side]
        is_open = home[i] != GONE
        arc = 2 * edge + np.where(flip, 1 - side, side)
        for b in (0, 1):
            paid = sign_weight * at_zero[:, 1 - side] * (value[i] ^ b == entry)
            at = (arc[is_open], bit[home[i[is_open]]], b)
            np.add.at(shifts.terms, at, paid[is_open])


def _edges_of(graph: HyperGraph, ends: IntArray) -> tuple[IntArray, BoolArray]:
    """The edge between two groups, -1 if there is none, and whether the first group is its second end; each (m,)."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    n = graph.n_groups
    keys = graph.edges[:, 0] * n + graph.edges[:, 1]
    codes = low * n + high
    found = np.searchsorted(keys, codes)
    found[(low == GONE) | (found == len(keys))] = 0
    there = (low != GONE) & (keys[found] == codes) if len(keys) else np.zeros(len(ends), bool)
    return np.where(there, found, -1), ends[:, 0] > ends[:, 1]


def _states_of(old: HyperGraph, new: HyperGraph, inner: int, outer: int, reduction: Reduction | None) -> IntArray:
    """The state of an old group within a new one, for every state of the new one, shape (2^|Y_p|,)."""
    place = {int(i): k for k, i in enumerate(new.partition.groups[outer])}
    states = np.arange(1 << len(place))
    found = np.zeros(len(states), np.int64)
    for k, i in enumerate(old.partition.groups[inner].tolist()):
        home, value = (i, 0) if reduction is None else (int(reduction.home[i]), int(reduction.value[i]))
        bit = 0 if home == GONE else states >> place[home] & 1
        found |= (bit ^ value) << k
    return found


def _carry_labeling(old: HyperGraph, before: State, new: HyperGraph, state: State, reduction: Reduction | None) -> None:
    """Decode to the best labelling of the other run, or near it: what cycles have decided, it need not fulfil."""
    labeling = old.labeling(before.best)
    decode_to(new, state, labeling if reduction is None else reduction.nearest(labeling))
    state.bounds.best_decoded = before.bounds.best_decoded + old.normal_form.constant - new.normal_form.constant


def decode_to(graph: HyperGraph, state: State, labeling: IntArray) -> None:
    """Decode to a labelling, and make it the best one.

    Parameters
    ----------
    graph : HyperGraph
    state : State
        The start of a run.
    labeling : ndarray of {0, 1}, shape (n,)
    """
    state.decoded[:] = graph.states(labeling)
    state.best[:] = state.decoded
    state.cursor.changes = 0
    sum_decoded(graph.problem, state)
    state.bounds.upper = state.bounds.decoded


def united_edges(old: HyperGraph, new: HyperGraph, owner: IntArray | None) -> list[int]:
    """The edges that unite several edges of another run; ``owner``: as `owners` finds it."""
    if owner is None:
        return []
    ends = owner[old.edges]
    kept = np.sort(ends[(ends[:, 0] != ends[:, 1]) & (ends != GONE).all(axis=1)], axis=1)
    pairs, count = np.unique(kept, axis=0, return_counts=True)
    return [new.arc(p, q) // 2 for p, q in pairs[count > 1].tolist() if q in new.neighbours(p)]
