"""The hyper-graph: groups, their energy tables and the couplings between them, as arrays for the kernels.

The coupling of a hyper-edge is kept edge by edge; it is never tabulated over pairs of states. Source:
docs/method.md §1.4, §1.5 (paper, Eq. 4).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bender_core.forms.normal_form import NormalForm, to_normal_form
from bender_core.forms.scale import energy_scale, gap_scale
from bender_core.given import require_index
from bender_core.groups import Partition, independent_cycles, numbered, require_cover
from bender_core.kernels.layout import LOW_BITS, STEP, Couplings, Forms, Methods, Problem, Projections
from bender_core.kernels.min_marginals.exact import plan_exact
from bender_core.kernels.tables.coupling import prepare_forms, tabulate_group
from bender_core.kernels.tables.projection import active_state
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.stopping import Stop, never


class HyperGraph:
    """A model in normal form with a partition.

    Source: docs/method.md §1.4.

    Parameters
    ----------
    mrf : BinaryMRF
    partition : Partition
        Must cover the model's variables.
    stop : Stop
        Checked between groups and between arcs.

    Attributes
    ----------
    normal_form : NormalForm
    problem : Problem
        The arrays that the kernels read.

    Raises
    ------
    PartitionError
        If the partition belongs to a model with another number of variables.
    Stopped
        If ``stop`` says so.
    """

    def __init__(self, mrf: BinaryMRF, partition: Partition, stop: Stop = never) -> None:
        require_cover(mrf, partition)
        self.mrf = mrf
        self.partition = partition
        self.normal_form = to_normal_form(mrf)
        self._owner, self._bit = partition.group_of(), partition.bit_of()
        self._active_members: dict[int, IntArray] = {}
        stop.check()
        self.problem = _problem(mrf, self.normal_form, partition, stop)
        p = self.problem
        couplings = np.diff(p.couplings.first).repeat(2)
        for begin, end in _slices(couplings * p.bits.astype(float) ** 2, stop):
            plan_exact(p.bits, p.couplings.first, p.couplings.bit, p.methods, begin, end)

    @property
    def n_groups(self) -> int:
        """The number of hyper-variables."""
        return len(self.partition)

    @property
    def edges(self) -> IntArray:
        """The coupled pairs of groups, shape (E, 2), the lower index first."""
        return self.problem.edge_node

    def energies(self, p: int) -> FloatArray:
        """``phi_p`` over the states of a group, a view.

        Parameters
        ----------
        p : int

        Returns
        -------
        ndarray, shape (2^|Y_p|,)
            Energy.

        Raises
        ------
        ValueError
            If there is no such group.
        """
        p = require_index(p, self.n_groups, "group")
        first = self.problem.phi_first[p]
        return self.problem.phi[first : first + (1 << self.problem.size[p])]

    def arc(self, receiver: int, sender: int) -> int:
        """The index of the message from ``sender`` into ``receiver``.

        Parameters
        ----------
        receiver, sender : int
            Groups.

        Returns
        -------
        int
            ``2 * edge + side``, the side being 0 if the receiver is the lower group.

        Raises
        ------
        ValueError
            If there are no such groups, or they are not coupled.
        """
        receiver, sender = (require_index(p, self.n_groups, "group") for p in (receiver, sender))
        low, high = min(receiver, sender), max(receiver, sender)
        found = np.flatnonzero((self.edges[:, 0] == low) & (self.edges[:, 1] == high))
        if not len(found):
            raise ValueError(f"groups {receiver} and {sender} are not coupled")
        return int(2 * found[0] + (receiver == high))

    def ends(self, arc: int) -> tuple[int, int]:
        """The receiver and the sender of an arc.

        Parameters
        ----------
        arc : int

        Returns
        -------
        tuple of int

        Raises
        ------
        ValueError
            If there is no such arc; by all methods that take one.
        """
        arc = require_index(arc, 2 * len(self.edges), "arc")
        edge, side = divmod(arc, 2)
        return int(self.edges[edge, side]), int(self.edges[edge, 1 - side])

    def neighbours(self, p: int) -> list[int]:
        """The groups coupled to a group, in the order of its messages.

        Parameters
        ----------
        p : int

        Returns
        -------
        list of int

        Raises
        ------
        ValueError
            If there is no such group.
        """
        p = require_index(p, self.n_groups, "group")
        first, last = self.problem.arc_first[p], self.problem.arc_first[p + 1]
        senders: list[int] = self.edges.reshape(-1)[self.problem.node_arcs[first:last] ^ 1].tolist()
        return senders

    def active_members(self, arc: int) -> IntArray:
        """The bits of the receiver of an arc that have a coupling there, ascending.

        Source: docs/method.md §1.5.

        Parameters
        ----------
        arc : int

        Returns
        -------
        ndarray of int64, shape (active bits,)
        """
        arc = require_index(arc, 2 * len(self.edges), "arc")
        if arc not in self._active_members:
            size = int(self.problem.size[self.ends(arc)[0]])
            found = np.flatnonzero([active_state(self.problem, arc, 1 << k) > 0 for k in range(size)])
            found.flags.writeable = False
            self._active_members[arc] = found
        return self._active_members[arc]

    def active_states(self, arc: int) -> IntArray:
        """The state of the active bits for every state of the receiver of an arc.

        Source: docs/method.md §1.5.

        Parameters
        ----------
        arc : int

        Returns
        -------
        ndarray of int64, shape (2^|Y_p|,)
        """
        states = np.arange(1 << int(self.problem.size[self.ends(arc)[0]]))
        active = np.zeros(len(states), np.int64)
        for k, position in enumerate(self.active_members(arc)):
            active |= (states >> position & 1) << k
        return active

    def sweep_order(self) -> IntArray:
        """The groups from a peripheral one outward, component by component: along chains and down trees.

        Source: docs/method.md §6.3.
        """
        order: list[int] = []
        seen: set[int] = set()
        for start in range(self.n_groups):
            if start not in seen:
                component = self._outward(self._outward(start)[-1])
                order += component
                seen.update(component)
        return np.array(order, np.int64)

    def _outward(self, start: int) -> list[int]:
        found = [start]
        known = {start}
        for p in found:
            for q in self.neighbours(p):
                if q not in known:
                    known.add(q)
                    found.append(q)
        return found

    def cycles(self) -> int:
        """The number of independent cycles of the hyper-graph; 0 means a forest, on which the bound becomes exact."""
        return independent_cycles(self.n_groups, self.edges)

    def states(self, labeling: IntArray) -> IntArray:
        """The joint state of the groups that gives the variables these values: the inverse of `labeling`.

        Parameters
        ----------
        labeling : ndarray of int, shape (n,)

        Returns
        -------
        ndarray of int64, shape (G,)

        Raises
        ------
        ValueError
            If it is no labelling of the model.
        """
        _require_entries(labeling, np.broadcast_to(2, len(self._owner)), "labelling")
        states = np.zeros(self.n_groups, np.int64)
        np.add.at(states, self._owner, labeling << self._bit)
        return states

    def labeling(self, states: IntArray) -> IntArray:
        """The values of all variables in a joint state of the groups.

        Parameters
        ----------
        states : ndarray of int64, shape (G,)

        Returns
        -------
        ndarray of int64, shape (n,)

        Raises
        ------
        ValueError
            If they are no states of the groups.
        """
        _require_entries(states, 1 << self.problem.size, "joint state")
        x: IntArray = states[self._owner] >> self._bit & 1
        return x


def _require_entries(given: IntArray, ends: IntArray, what: str) -> None:
    """Refuse what has another length, or an entry that is not a number from 0 up to its end."""
    found = np.asarray(given)
    if found.shape != ends.shape or found.dtype.kind not in "iub" or ((found < 0) | (found >= ends)).any():
        raise ValueError(f"a {what} has {len(ends)} whole numbers below {ends.max(initial=0)}; this is {given!r}")


def _problem(mrf: BinaryMRF, form: NormalForm, partition: Partition, stop: Stop) -> Problem:
    owner = partition.group_of()
    bit = np.empty(len(owner), np.int64)
    for group in partition.groups:
        bit[group] = np.arange(len(group))
    size = np.array([len(group) for group in partition.groups], np.int64)
    kept = form.weight < 0
    edges, entry, weight = form.edges[kept], form.entry[kept], -form.weight[kept]
    within = owner[edges[:, 0]] == owner[edges[:, 1]]
    inner = np.flatnonzero(within)
    inner = inner[np.argsort(owner[edges[inner, 0]], kind="stable")]
    first = np.searchsorted(owner[edges[inner, 0]], np.arange(len(size) + 1))
    inside = Couplings(first, bit[edges[inner]], entry[inner], -weight[inner])
    between = edges[~within]
    edge_node, couplings = _couplings(owner[between], bit[between], entry[~within], weight[~within], len(size))
    arc_first, node_arcs = _received(edge_node, len(size))
    receivers = edge_node.reshape(-1)
    tables = np.left_shift(1, size)
    largest = int(size.max(initial=1))
    phi_first = np.cumsum(tables) - tables
    phi = np.empty(int(tables.sum()))
    slope, table = np.empty(largest), np.empty(int(form_length(np.array(largest))))
    for p, group in enumerate(partition.groups):
        stop.check()
        tabulate_group(form.unary[group], inside, p, slope, table, phi[phi_first[p] : phi_first[p] + tables[p]])
    bits, couplings, projections = _projections(size[receivers], couplings, stop)
    largest_active = int(bits.max(initial=1))
    first, weight = couplings.first, couplings.weight
    scale = energy_scale(mrf)
    return Problem(
        size=size,
        phi=phi,
        phi_first=phi_first,
        arc_first=arc_first,
        node_arcs=node_arcs,
        edge_node=edge_node,
        edge_weight=np.add.reduceat(np.append(weight, 0.0), first[:-1]) if len(edge_node) else np.zeros(0),
        bits=bits,
        lam_first=np.cumsum(tables[receivers]) - tables[receivers],
        weight_at=_weights(len(edge_node), largest_active, couplings),
        couplings=couplings,
        projections=projections,
        forms=_forms(bits, couplings, stop),
        methods=no_methods(len(bits), largest_active),
        scale=scale,
        gap_scale=gap_scale(scale, form.rounding),
    )


def no_methods(arcs: int, bits: int) -> Methods:
    """Arrays for the choice of a method for every arc, with at most ``bits`` active bits."""
    return Methods(np.zeros(arcs, np.int64), np.zeros((arcs, bits), np.int64), np.zeros(arcs))


def _couplings(
    owner: IntArray, bits: IntArray, entry: IntArray, weight: FloatArray, n_groups: int
) -> tuple[IntArray, Couplings]:
    """The edges of groups, and the couplings sorted by them, lower group first."""
    flip = owner[:, 0] > owner[:, 1]
    owner, bits, entry = (np.where(flip[:, None], a[:, ::-1], a) for a in (owner, bits, entry))
    found, edge = numbered(owner[:, 0] * n_groups + owner[:, 1], n_groups * n_groups)
    order = np.argsort(edge, kind="stable")
    start = np.append(0, np.cumsum(np.bincount(edge, minlength=len(found))))
    couplings = Couplings(start, np.ascontiguousarray(bits[order]), np.ascontiguousarray(entry[order]), weight[order])
    return np.stack(np.divmod(found, max(n_groups, 1)), axis=1), couplings


def _weights(n_edges: int, largest: int, couplings: Couplings) -> FloatArray:
    """For every arc, bit and value of its receiver the weight of the couplings with that value in their entry."""
    weights = np.zeros((2 * n_edges, largest, 2))
    edge = np.repeat(np.arange(n_edges), np.diff(couplings.first))
    for side in (0, 1):
        at = (2 * edge + side, couplings.bit[:, side], couplings.entry[:, side])
        np.add.at(weights, at, couplings.weight)
    return weights


def _projections(size: IntArray, couplings: Couplings, stop: Stop) -> tuple[IntArray, Couplings, Projections]:
    """The active bits of the receiver of every arc.

    Returns the number of active bits of every arc, the couplings with their bits renumbered among the active ones, and
    the tables that project a receiver's state (see ``kernels.tables.projection``) for the arcs with idle bits.
    """
    edge = np.repeat(np.arange(len(couplings.first) - 1), np.diff(couplings.first))
    arc = 2 * edge[:, None] + np.arange(2)
    most = int(size.max(initial=1))
    used, renumbered = numbered(most * arc + couplings.bit, most * len(size))
    first = np.searchsorted(used, most * np.arange(len(size)))
    bits = np.diff(np.append(first, len(used)))
    idle = np.flatnonzero(bits < size)
    length = np.zeros(len(size), np.int64)
    length[idle] = form_length(size[idle])
    begin = np.cumsum(length) - length
    table = np.zeros(int(length.sum()), np.int64)
    for a in idle.tolist():
        stop.check()
        low = min(int(size[a]), LOW_BITS)
        low_part = table[begin[a] : begin[a] + (1 << low)]
        high_part = table[begin[a] + (1 << low) : begin[a] + length[a]]
        for k, position in enumerate((used[first[a] : first[a] + bits[a]] % most).tolist()):
            part, shift = (low_part, position) if position < low else (high_part, position - low)
            part += (np.arange(len(part)) >> shift & 1) << k
    return bits, couplings._replace(bit=renumbered - first[arc]), Projections(begin, table)


def _forms(bits: IntArray, couplings: Couplings, stop: Stop) -> Forms:
    """The couplings of every arc as affine functions of the sender's bits."""
    sender = bits.reshape(-1, 2)[:, ::-1].reshape(-1)
    length = form_length(bits) * (sender + 1)
    forms = Forms(np.cumsum(length) - length, np.empty(int(length.sum())))
    n_couplings = np.diff(couplings.first).repeat(2)
    for begin, end in _slices(length + form_length(bits).astype(float) * n_couplings, stop):
        prepare_forms(bits, couplings, forms, begin, end)
    return forms


def _slices(cost: FloatArray, stop: Stop) -> Iterator[tuple[int, int]]:
    """Ranges of indices that cost about one step each; a stop is checked between them."""
    done = np.cumsum(cost)
    begin = 0
    while begin < len(cost):
        stop.check()
        end = max(int(np.searchsorted(done, done[begin] + STEP)), begin + 1)
        yield begin, end
        begin = end


def form_length(bits: IntArray) -> IntArray:
    """The number of entries of a table split into low and high bits."""
    low = np.minimum(bits, LOW_BITS)
    return np.left_shift(1, low) + np.left_shift(1, bits - low)


def _received(edge_node: IntArray, n_groups: int) -> tuple[IntArray, IntArray]:
    """CSR over the arcs that each group receives, in the order of the neighbours."""
    receiver = edge_node.reshape(-1)
    sender = edge_node[:, ::-1].reshape(-1)
    arcs = np.lexsort((sender, receiver)).astype(np.int64)
    first = np.zeros(n_groups + 1, np.int64)
    np.cumsum(np.bincount(receiver, minlength=n_groups), out=first[1:])
    return first, arcs
