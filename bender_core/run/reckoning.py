"""An update in units of the bound, and where the gap lives. Source: docs/method.md §3.9, §9.6."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core.given import require_index
from bender_core.kernels.emit import NONE
from bender_core.kernels.layout import STEP, Kind, Phase
from bender_core.kernels.min_marginals.enumerate import answer
from bender_core.kernels.rounds import rounding
from bender_core.kernels.rows.pool import has_intercept
from bender_core.kernels.tables.coupling import coupling_energy
from bender_core.kernels.tables.projection import active_state
from bender_core.kernels.tension import tensions
from bender_core.kernels.update import sum_up
from bender_core.model import FloatArray, IntArray
from bender_core.run.attribution import Attribution, attribute, row_gains
from bender_core.run.inspection import Inspection
from bender_core.run.rows import Row
from bender_core.run.trace import Event
from bender_core.stopping import Stop, never


class GroundParts(NamedTuple):
    """The terms of what every state of a group costs at least, in units of the bound; they sum to `Engine.ground`.

    Source: docs/method.md §3.9.

    Attributes
    ----------
    own : ndarray, shape (2^|Y_p|,)
        The group's own energy.
    parts : ndarray, shape (neighbours, 2^|Y_p|)
        The envelope of the message from each neighbour, energy.
    rest : float
        The rest of the bound, energy.
    neighbours, arcs : ndarray, shape (neighbours,)
        The senders, and their messages.
    """

    own: FloatArray
    parts: FloatArray
    rest: float
    neighbours: IntArray
    arcs: IntArray


class Reckoning(NamedTuple):
    """What the rounds of the open update have found. Source: docs/method.md §3.9.

    Attributes
    ----------
    floor : float
        The least cost of a state by the rows: the bound if the messages were passed now.
    ceiling : float
        The least exact cost found, NaN before the first answer.
    suspects : int
        States that may cost less than the ceiling, -1 before the first answer.
    best : int
        The state at the ceiling, -1 before the first answer.
    """

    floor: float
    ceiling: float
    suspects: int
    best: int


class Answer(NamedTuple):
    """What an oracle says of one neighbour at a state of a group.

    Attributes
    ----------
    sender : int
        The neighbour.
    state : int
        Its best state.
    exact, known : float
        The min-marginal and the envelope, energy.
    """

    sender: int
    state: int
    exact: float
    known: float


class Tension(NamedTuple):
    """The gap to a labelling, part by part; every part is at least 0. Source: docs/method.md §9.6.

    Attributes
    ----------
    groups : ndarray, shape (P,)
    edges : ndarray, shape (E,)
        Energy.
    """

    groups: FloatArray
    edges: FloatArray


class EdgeTension(NamedTuple):
    """The tension of an edge as seen from one end; both parts are at least 0. Source: docs/method.md §9.6.

    Attributes
    ----------
    disagreement : float
        What the other end would save by its best answer, energy.
    unclaimed : float
        What the message asks for less than it could, energy.
    """

    disagreement: float
    unclaimed: float


class Work(NamedTuple):
    """The work of a run, in table entries read; the parts sum to all that was read. Source: docs/method.md §10.2.

    Attributes
    ----------
    messages : ndarray of int, shape (2 E,)
        For every message.
    rest : int
        For no message: minimisers, labellings, and the overhead of steps.
    """

    messages: IntArray
    rest: int


class Reckonings(Inspection):
    """Looks at the open update, and at the terms of the bound; numbers are refused as by `Inspection`."""

    # How far the rise of the bound has been attributed, and to what: runs go on from there.
    _credited: tuple[int, Attribution] | None = None
    # The sums of both kinds of terms of the bound, and the position: all groups are looked at there.
    _sums: tuple[int, float, float] = (-1, 0.0, 0.0)

    @property
    def last_event(self) -> Event | None:
        """The event before the present position, None at the start."""
        return self.trace[self.position - 1] if self.position else None

    # -- an update ------------------------------------------------------------------------------------

    def ground(self, p: int, stop: Stop = never) -> FloatArray:
        """What every state of a group costs at least, in units of the bound.

        It is a local cost at the present messages, not the energy of a labelling. Source: docs/method.md §3.9.

        Parameters
        ----------
        p : int
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        ndarray, shape (2^|Y_p|,)
            Energy.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        own, parts, rest, _, _ = self.ground_parts(p, stop)
        total: FloatArray = rest + own + parts.sum(axis=0)
        return total

    def ground_parts(self, p: int, stop: Stop = never) -> GroundParts:
        """The terms of `ground`: the group's own, one of every neighbour, and the rest of the bound.

        Parameters
        ----------
        p : int
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        GroundParts

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        problem, work = self._problem, self._work
        arcs = self._arcs(p)
        neighbours = problem.edge_node[arcs // 2, 1 - arcs % 2]
        own = self.graph.energies(p).copy()
        parts = np.empty((len(arcs), len(own)))
        is_open = self._has_ground(p)
        for slot, (arc, q) in enumerate(zip(arcs, neighbours, strict=True)):
            if is_open:
                parts[slot] = work.nu[slot, self.graph.active_states(int(arc))]
            else:
                parts[slot] = self.envelope(p, int(q), stop)
        return GroundParts(own, parts, self._rest(p), neighbours, arcs.copy())

    def excess(self, p: int, stop: Stop = never) -> FloatArray:
        """By how much every labelling that takes a state of a group costs more than the best one known, at least.

        As `ground` less the upper bound; the model's constant, which may be large, does not cost it digits. Source:
        docs/method.md §15.1.

        Parameters
        ----------
        p : int
        stop : Stop
            Checked about every 10 ms.

        Returns
        -------
        ndarray, shape (2^|Y_p|,)
            Energy; negative where a better labelling is not excluded.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        edges = self._arcs(p) // 2
        if self._rule.exact and self._between_nodes():
            total = self._exact_total(p, stop)
        else:
            found = self.ground_parts(p, stop)
            total = found.own + found.parts.sum(axis=0)
        state = self._state
        if self._sums[0] != self.position:
            self._sums = self.position, state.node_bound.sum(), state.edge_bound.sum()
        rest = self._sums[1] - state.node_bound[p] + self._sums[2] - state.edge_bound[edges].sum()
        excess: FloatArray = total + (rest - state.bounds.upper)
        return excess

    def _exact_total(self, p: int, stop: Stop) -> FloatArray:
        """The total of a group at the present messages, between two updates of a run without rows."""
        goal, arcs = self._goal, self._arcs(p)
        read = self._state.read[arcs]
        goal.budget = STEP
        try:
            while True:
                goal.spent = 0
                if sum_up(self._run, p):
                    return self._work.total[: 1 << self._problem.size[p]].copy()
                stop.check()
        finally:
            # Looking is no work of the run, and leaves its position.
            self._state.read[arcs] = read
            self._state.cursor.slot = self._state.cursor.begun = 0

    def alive(self, p: int) -> NDArray[np.bool_]:
        """The states of a group that have not been struck off so far.

        No labelling with one that has been is better than the best one known, by more than does not count. Source:
        docs/method.md §15.1.

        Parameters
        ----------
        p : int

        Returns
        -------
        ndarray of bool, shape (2^|Y_p|,)

        Raises
        ------
        ValueError
            If the run strikes off no states.
        """
        if not self.excluding:
            raise ValueError("this run strikes off no states; make it with excluding=True")
        p = require_index(p, self.graph.n_groups, "group")
        first = int(self._problem.phi_first[p])
        return self._state.alive[first : first + (1 << int(self._problem.size[p]))].copy()

    def reckoning(self) -> Reckoning | None:
        """Floor, ceiling and suspects of the open update.

        Returns
        -------
        Reckoning or None
            None between two updates.
        """
        p = self.open_node
        if not self._has_ground(p):
            return None
        rounds, total = self._work.rounds, self._work.total[: 1 << self._problem.size[p]]
        # While deeper states are looked at, those before are masked; the floor no longer moves then.
        least = float(rounds.least if self._state.cursor.visited else total.min())
        best, floor = int(rounds.cheapest), float(rounds.base + least)
        if best == NONE:
            return Reckoning(floor, np.nan, NONE, NONE)
        limit = rounds.exact - rounding(self._problem, p, rounds.exact)
        below = int(np.count_nonzero(total < limit)) - int(total[best] < limit)
        return Reckoning(floor, float(rounds.base + rounds.exact), below, best)

    def asked(self) -> dict[int, float]:
        """The states that the oracles of the open update have been asked at, and their exact costs.

        Returns
        -------
        dict of int to float
            Energy in units of the bound, by state, in the order of the first question; empty between two updates.
        """
        p, found = self.open_node, {}
        if self._has_ground(p):
            base = float(self._work.rounds.base)
            k = self.position - 1
            while (event := self.trace[k]).kind != Kind.NODE_OPENED:
                if event.kind == Kind.ORACLE:
                    found[event.state] = base + event.value
                k -= 1
        return dict(reversed(found.items()))

    def answers(self, p: int, state: int) -> list[Answer]:
        """What the neighbours of a group answer to one of its states, in the order of `ground_parts`.

        Parameters
        ----------
        p, state : int
            A group, and one of its states.

        Returns
        -------
        list of Answer
        """
        problem, found = self._problem, []
        arcs, is_open = self._arcs(p), self._has_ground(p)
        state = require_index(state, 1 << int(problem.size[p]), "state")
        for slot, arc in enumerate(arcs.tolist()):
            q = int(problem.edge_node[arc // 2, 1 - arc % 2])
            best, exact = answer(problem, self._state.lam, arc, state, self.probe)
            known = self._known(p, q, state, slot if is_open else NONE, float(exact))
            found.append(Answer(q, int(best), float(exact), known))
        return found

    def _known(self, p: int, q: int, state: int, slot: int, exact: float) -> float:
        """The envelope at a state; of an exact variant it is the min-marginal, which is at hand."""
        if self._rule.exact:
            return exact
        if slot == NONE:
            return float(self.envelope(p, q)[state])
        return float(self._work.nu[slot, active_state(self._problem, self.graph.arc(p, q), state)])

    def row(self, index: int) -> Row:
        """A row in use, seen from the group that it was made for.

        Parameters
        ----------
        index : int
            Its number in the order of creation.

        Returns
        -------
        Row

        Raises
        ------
        ValueError
            If there is no such row.
        """
        index = require_index(index, self.n_rows, "row")
        pool = self._rows.view
        arc = 2 * int(pool.edge[index]) + int(pool.side[index])
        if not has_intercept(pool, self._state, index, arc):
            self.envelope(*self.graph.ends(arc))
        return self._row(index, arc)

    def _has_ground(self, p: int) -> bool:
        """Whether a group is being updated and its envelopes are in place."""
        return p >= 0 and p == self.open_node and Phase.ORACLE <= self._state.cursor.phase <= Phase.PASS

    def _rest(self, p: int) -> float:
        """The bound without what a group and its edges hold of it."""
        if self._has_ground(p):
            return float(self._work.rounds.base)
        state, arcs = self._state, self._arcs(p)
        return float(self.lower_bound - state.node_bound[p] - state.edge_bound[arcs // 2].sum())

    # -- the gap --------------------------------------------------------------------------------------

    def held(self) -> Tension:
        """The terms of the lower bound: what every group and every edge holds, without the model's constant.

        Source: docs/method.md §2.1.

        Returns
        -------
        Tension
        """
        return Tension(self._state.node_bound.copy(), self._state.edge_bound.copy())

    def tension(self, labeling: ArrayLike | None = None) -> Tension:
        """Where the gap lives: by how much each term of the energy of a labelling exceeds the term of the bound.

        Source: docs/method.md §9.6.

        Parameters
        ----------
        labeling : array_like, shape (n,), optional
            Values of the variables; by default the best labelling so far.

        Returns
        -------
        Tension
            Its parts sum to the energy of the labelling less the lower bound.

        Raises
        ------
        ModelError
            If it is not a labelling of the model.
        """
        groups, edges = np.empty(self.graph.n_groups), np.empty(len(self.graph.edges))
        tensions(self._problem, self._state, self._states_of(labeling), groups, edges)
        return Tension(groups, edges)

    def attribution(self) -> Attribution:
        """What raised the lower bound to where it is, in the order of the complete updates.

        Source: docs/method.md §9.7.

        Returns
        -------
        Attribution
            Its parts sum to the lower bound less the first, up to rounding.
        """
        end, found = self._credited or (0, None)
        if found is None or end > self.position:
            end, found = 0, Attribution(np.zeros(2 * len(self.graph.edges)), np.zeros(self.graph.n_groups))
        bound = self.trace[end - 1].lower_bound if end else self.opening_bound
        end = attribute(self.trace.until(self.position), end, bound, found)
        self._credited = end, found
        return Attribution(found.messages.copy(), found.groups.copy())

    def row_gains(self) -> FloatArray:
        """By how much every event so far has raised the lower bound by the row that it added: energy, shape (events,).

        Row ``row`` was added by event ``row.born``; what is no row has 0. Source: docs/method.md §9.7.
        """
        return row_gains(self.trace.until(self.position), self.opening_bound)

    def work(self) -> Work:
        """The work so far, in table entries read, by message.

        Source: docs/method.md §10.2.

        Returns
        -------
        Work
        """
        messages = self._state.read.copy()
        return Work(messages, int(self._state.cursor.read - messages.sum()))

    def edge_tension(self, p: int, q: int, labeling: ArrayLike | None = None) -> EdgeTension:
        """The tension of an edge, as seen from p.

        Source: docs/method.md §9.6.

        Parameters
        ----------
        p, q : int
            The end it is seen from, and the other.
        labeling : array_like, shape (n,), optional
            Values of the variables; by default the best labelling so far.

        Returns
        -------
        EdgeTension
            Its parts sum to the tension of the edge.

        Raises
        ------
        ValueError
            If the groups are not coupled.
        ModelError
            If it is not a labelling of the model.
        """
        arc, states = self.graph.arc(p, q), self._states_of(labeling)
        state = int(states[p])
        exact = float(self.min_marginal(p, q, [state])[0])
        unclaimed = exact - float(self._table(arc)[state]) - float(self._state.edge_bound[arc // 2])
        other = float(self._table(arc ^ 1)[states[q]])
        return EdgeTension(float(coupling_energy(self._problem, arc // 2, states) - other - exact), unclaimed)

    def _states_of(self, labeling: ArrayLike | None) -> IntArray:
        """The state that a labelling gives every group."""
        if labeling is None:
            return self._state.best
        # Refuses what is no labelling of the model.
        self.mrf.energy(labeling)
        return self.graph.states(np.asarray(labeling, np.int64))
