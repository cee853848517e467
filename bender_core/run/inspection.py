"""Inspection of a run without side effects: its certificate, messages, envelopes, rows, tightness.

Source: docs/method.md §12.1.
"""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core import memory
from bender_core.given import require_index
from bender_core.kernels.layout import STEP, Message, RowKind
from bender_core.kernels.min_marginals.enumerate import enumerate_min_marginals
from bender_core.kernels.min_marginals.exact import begin_exact, exact_min_marginals
from bender_core.kernels.rows.pool import begin_recycling, recycle
from bender_core.kernels.tables.projection import fetch, incoming_table
from bender_core.model import FloatArray, IntArray
from bender_core.run.rows import Row, over_active_states, row_payments, row_terms
from bender_core.run.standing import Standing
from bender_core.stopping import Stop, never

# An envelope this close to the min-marginal, relative to the numbers involved, is tight.
CLOSE = 1e-9
# States processed at a time where a whole table would take too much memory.
_SLICE = 1 << 16


@dataclass(frozen=True, eq=False)
class Tightness:
    """How far the envelope of every arc lies below the true min-marginal (its slack); each of shape (2 E,).

    Source: docs/method.md §3.5.

    Attributes
    ----------
    mean, largest : ndarray
        Over the states of the receiver, energy.
    at_minimiser : ndarray
        At the minimiser of the last oracle, energy; NaN before the first.
    tight_share : ndarray
        The share of the states without slack, up to rounding, 0 to 1.
    sampled : ndarray of bool
        Whether the arc was judged on a sample of the states.
    """

    mean: FloatArray
    largest: FloatArray
    at_minimiser: FloatArray
    tight_share: FloatArray
    sampled: NDArray[np.bool_]


class RowSupport(NamedTuple):
    """Where the rows of a message are its envelope, up to rounding. Source: docs/method.md §12.1.

    Attributes
    ----------
    states : ndarray of int, shape (rows,)
        At how many states of the receiver's active bits each is the envelope, in the order of `rows`; 0: the row is
        dead.
    oldest : ndarray of int, shape (2^(active bits of the receiver),)
        The place among them of the row that is the envelope there, the oldest among equals; -1 without rows.
    """

    states: IntArray
    oldest: IntArray


def is_close(nu: FloatArray, below: FloatArray, weight: float) -> NDArray[np.bool_]:
    """Where what is below a min-marginal equals it up to rounding; ``weight`` is that of all couplings of the edge."""
    close: NDArray[np.bool_] = nu - below <= CLOSE * (np.abs(nu) + weight)
    return close


class Inspection(Standing):
    """The inspection methods of a run.

    Methods that take a group raise ValueError if there is none of that number; those that take two, a receiver and a
    sender, also if these are not coupled; methods that take
    ``stop`` raise Stopped if it returns True.
    """

    def certificate(self, stop: Stop = never) -> float:
        """The old name of `certified_bound`."""
        warnings.warn("Engine.certificate is Engine.certified_bound now", DeprecationWarning, stacklevel=2)
        return self.certified_bound(stop)

    def certified_bound(self, stop: Stop = never) -> float:
        """The lower bound, recomputed from lambda alone with exact min-marginals.

        It needs additional scratch for one message, over the states of the active bits. Source: docs/method.md §9.1.

        Parameters
        ----------
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        float
            Energy.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        """
        nodes = sum(self._least_reparametrized(p, stop) for p in range(self.graph.n_groups))
        edges = sum(self._least_of_edge(arc, stop) for arc in range(0, len(self._state.slack), 2))
        return nodes + edges + self._rule.constant

    def _least_reparametrized(self, p: int, stop: Stop) -> float:
        """The minimum of `reparametrized`, a slice of the states at a time."""
        problem, least = self._problem, np.inf
        phi, states = self.graph.energies(p), 1 << int(problem.size[p])
        for begin in range(0, states, _SLICE):
            stop.check()
            end = min(begin + _SLICE, states)
            total = phi[begin:end].copy()
            for arc in self._arcs(p):
                total += self._table(int(arc))[begin:end]
            least = min(least, float(total.min()))
        return least

    def _least_of_edge(self, arc: int, stop: Stop) -> float:
        """``min phi_pq - lambda_{pq->p} - lambda_{pq->q}``, over the states of the active bits."""
        slack = self._exact(arc, stop)
        slack -= self.incoming(arc ^ 1)
        return float(slack.min())

    def reparametrized(self, p: int) -> FloatArray:
        """``phi_p + sum_q lambda_{pq->p}``: a group decodes to its minimiser.

        Source: docs/method.md §2.1 (paper, Eq. 9).

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
        total = self.graph.energies(p).copy()
        for arc in self._arcs(p):
            total += self._table(int(arc))
        return total

    def min_marginal(self, p: int, q: int, states: ArrayLike | None = None, stop: Stop = never) -> FloatArray:
        """The true min-marginal ``nu_pq``, the message from q into p before sharing.

        Source: docs/method.md §2.2, §5 (paper, Eq. 7).

        Parameters
        ----------
        p, q : int
            Receiving and sending group.
        states : array_like of int, optional
            States of p, each at the cost of a pass over the states of q; by default all of them, pruned or
            eliminated (variant 12) where that is cheaper.
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        ndarray
            Energy, one entry per state.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        ValueError
            If the groups are not coupled, or p has no such state.
        Stopped
            If ``stop`` says so.
        """
        arc = self.graph.arc(p, q)
        self._charge_looking(memory.looking_bytes, "looking at a message")
        active = self.graph.active_states(arc)
        if states is None:
            return self._exact(arc, stop)[active]
        chosen = np.asarray(states)
        if chosen.size and chosen.dtype.kind not in "iu":
            raise ValueError(f"states are {states!r}; give whole numbers from 0 to {len(active) - 1}")
        chosen = chosen.astype(np.int64)
        if ((chosen < 0) | (chosen >= len(active))).any():
            outside = chosen[(chosen < 0) | (chosen >= len(active))][0]
            raise ValueError(f"group {p} has the states 0 to {len(active) - 1}; there is no state {outside}")
        wanted, place = np.unique(active[chosen], return_inverse=True)
        nu, incoming = np.empty(len(wanted)), self.incoming(arc)
        some = max(STEP // len(incoming), 1)
        for k in range(0, len(wanted), some):
            stop.check()
            part = Message(arc, incoming, nu[k : k + some])
            enumerate_min_marginals(self._problem, part, wanted[k : k + some], self.probe)
        return nu[place]

    def envelope(self, p: int, q: int, stop: Stop = never) -> FloatArray:
        """The envelope ``nu_pq^- <= nu_pq`` at the current lambda and rows.

        For an exact variant, which keeps no rows, it is the min-marginal. Source: docs/method.md §3.5 (paper, Eq. 11).

        Parameters
        ----------
        p, q : int
            Receiving and sending group.
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        ndarray, shape (2^|Y_p|,)
            Energy.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        """
        if self._rule.exact:
            return self.min_marginal(p, q, stop=stop)
        arc = self.graph.arc(p, q)
        return self._envelope(arc, stop)[self.graph.active_states(arc)]

    def reduced_cost(self, p: int, stop: Stop = never) -> FloatArray:
        """``phi_p + sum_q nu_pq^-``, which determines the next minimiser of a group (docs/method.md §2.3).

        Parameters
        ----------
        p : int
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        ndarray, shape (2^|Y_p|,)
            Energy.
        """
        total = self.graph.energies(p).copy()
        for q in self.graph.neighbours(p):
            total += self.envelope(p, q, stop)
        return total

    def rows(self, p: int, q: int) -> list[Row]:
        """The rows of the message from q into p, oldest first.

        Source: docs/method.md §3.1.

        Parameters
        ----------
        p, q : int
            Receiving and sending group.

        Returns
        -------
        list of Row
            With their intercepts at the current lambda; empty for an exact variant.
        """
        arc = self.graph.arc(p, q)
        edge = arc // 2
        self.envelope(p, q)
        pool, found = self._rows.view, []
        r = int(self._state.row_first[edge]) if not self._rule.exact else -1
        while r >= 0:
            found.append(self._row(r, arc))
            r = int(pool.next[r])
        return found

    def row_support(self, p: int, q: int, stop: Stop = never) -> RowSupport:
        """Where each row of the message from q into p is its envelope.

        A row that is nowhere the envelope is dead: dropping it would change nothing now. It may revive, as lambda
        moves. Source: docs/method.md §12.1.

        Parameters
        ----------
        p, q : int
            Receiving and sending group.
        stop : Stop
            Checked before every row.

        Returns
        -------
        RowSupport
            Oldest first; empty for an exact variant.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        """
        arc = self.graph.arc(p, q)
        oldest = np.full(1 << int(self._problem.bits[arc]), -1)
        if self._rule.exact:
            return RowSupport(np.zeros(0, np.int64), oldest)
        envelope, pool = self._envelope(arc, stop), self._rows.view
        edge, side = divmod(arc, 2)
        states = list[int]()
        row = int(self._state.row_first[edge])
        while row >= 0:
            stop.check()
            charge = over_active_states(pool.table[row, side], int(self._problem.bits[arc]))
            fits = self.is_tight(arc, envelope, pool.intercept[row, side] - charge)
            oldest[fits & (oldest < 0)] = len(states)
            states.append(int(np.count_nonzero(fits)))
            row = int(pool.next[row])
        return RowSupport(np.array(states, np.int64), oldest)

    def _row(self, index: int, arc: int) -> Row:
        """A row with the intercept that is stored for a message."""
        pool = self._rows.view
        edge, side = divmod(arc, 2)
        made = self.graph.active_members(2 * edge + int(pool.side[index]))
        paid = row_payments(self.graph, pool, index, edge, side)
        return Row(
            index=index,
            kind=RowKind(int(pool.kind[index])),
            born=int(pool.born[index]),
            made_for=int(self._problem.edge_node[edge, pool.side[index]]),
            anchor=int(np.left_shift(pool.anchor[index] >> np.arange(len(made)) & 1, made).sum()),
            intercept=float(pool.intercept[index, side]),
            u=row_terms(self.graph, paid, edge, side),
            v=row_terms(self.graph, row_payments(self.graph, pool, index, edge, 1 - side), edge, 1 - side),
            paid=paid,
        )

    def is_tight(self, arc: int, nu: FloatArray, envelope: FloatArray) -> NDArray[np.bool_]:
        """Where an envelope of an arc equals the true min-marginal up to rounding (docs/method.md §3.5).

        Parameters
        ----------
        arc : int
        nu, envelope : ndarray
            Energies at the same states.

        Returns
        -------
        ndarray of bool

        Raises
        ------
        ValueError
            If there is no such arc.
        """
        arc = require_index(arc, len(self._state.slack), "arc")
        return is_close(nu, envelope, float(self._problem.edge_weight[arc // 2]))

    def tightness(self, max_states: int | None = None, stop: Stop = never) -> Tightness:
        """The slack of every arc's envelope.

        Parameters
        ----------
        max_states : int, optional
            Groups with more states than this are sampled at this number of evenly spaced states; by default all states
            of all groups are used.
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        Tightness

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        ValueError
            If ``max_states`` is less than 1.
        """
        if max_states is not None and operator.index(max_states) < 1:
            raise ValueError(f"max_states is {max_states}; judge by one state at least")
        arcs = len(self._state.slack)
        mean, largest, tight_share = np.zeros((3, arcs))
        sampled = np.zeros(arcs, bool)
        for arc in range(arcs):
            p, q = self.graph.ends(arc)
            n = 1 << int(self._problem.size[p])
            if max_states is not None and n > max_states:
                sampled[arc] = True
                states = np.linspace(0, n - 1, max_states).astype(np.int64)
                nu, envelope = self.min_marginal(p, q, states, stop), self.envelope(p, q, stop)[states]
            else:
                nu, envelope = self.min_marginal(p, q, stop=stop), self.envelope(p, q, stop)
            slack = np.maximum(nu - envelope, 0.0)
            mean[arc] = slack.mean()
            largest[arc] = slack.max()
            tight_share[arc] = self.is_tight(arc, nu, envelope).mean()
        return Tightness(mean, largest, self.slack, tight_share, sampled)

    def message(self, p: int, q: int) -> FloatArray:
        """The dual table ``lambda_{pq->p}``, a copy (docs/method.md §2.1).

        Parameters
        ----------
        p, q : int
            Receiving and sending group.

        Returns
        -------
        ndarray, shape (2^|Y_p|,)
            Energy.
        """
        return self._table(self.graph.arc(p, q)).copy()

    def messages(self) -> FloatArray:
        """All messages, a copy: for every edge that into its first group, over the states, then that into its second.

        Returns
        -------
        ndarray
            Energy.
        """
        return self._state.lam.copy()

    @property
    def message_bytes(self) -> int:
        """The size of all messages, bytes."""
        return int(self._state.lam.nbytes)

    def incoming(self, arc: int) -> FloatArray:
        """The sender's table ``lambda_{pq->q}``, maximised over its idle bits (docs/method.md §1.5).

        Parameters
        ----------
        arc : int

        Returns
        -------
        ndarray, shape (2^(active bits of the sender),)
            Energy.

        Raises
        ------
        ValueError
            If there is no such arc.
        """
        arc = require_index(arc, len(self._state.slack), "arc")
        room = self.probe.incoming[0]
        fetch(self._problem, self._state.lam, arc, room)
        incoming: FloatArray = incoming_table(self._problem, self._state.lam, arc, room)
        return incoming

    def _arcs(self, p: int) -> IntArray:
        """The arcs that a group receives; refuses what is no group."""
        p = require_index(p, self.graph.n_groups, "group")
        problem = self._problem
        return problem.node_arcs[problem.arc_first[p] : problem.arc_first[p + 1]]

    def _message(self, arc: int) -> Message:
        """The description of a message to compute, in scratch that is soon reused."""
        return Message(arc, self.incoming(arc), self.probe.nu[0, : 1 << self._problem.bits[arc]])

    def _exact(self, arc: int, stop: Stop = never) -> FloatArray:
        """The min-marginals of an arc over the active states of its receiver, in scratch that is soon reused."""
        message, work = self._message(arc), self.probe
        begin_exact(work)
        while work.progress.next >= 0:
            stop.check()
            exact_min_marginals(self._problem, message, work)
        return message.nu

    def _envelope(self, arc: int, stop: Stop) -> FloatArray:
        """The envelope of an arc over the active states of its receiver, in scratch that is soon reused."""
        self._charge_looking(memory.looking_bytes, "looking at a message")
        message, work = self._message(arc), self.probe
        begin_recycling(self._state, message, work)
        while work.progress.next >= 0:
            stop.check()
            recycle(self._problem, self._rows.view, self._state, message, work)
        return message.nu

    def _table(self, arc: int) -> FloatArray:
        p, _ = self.graph.ends(arc)
        start = self._problem.lam_first[arc]
        return self._state.lam[start : start + (1 << self._problem.size[p])]
