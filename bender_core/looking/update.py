"""The open update, in units of the bound: lower bounds on the costs of its group's states, and exact costs.

Functions raise ValueError if there is no group with a given number, TooLargeError if their scratch does not fit into
memory with the run, and Stopped if ``stop`` says so. Source: docs/method.md §3.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bender_core.engine.engine import UNTIL, Engine, Grain
from bender_core.engine.messages import arcs_into
from bender_core.engine.settings import ENDLESS
from bender_core.engine.trace import Event, require_grain
from bender_core.given import require_index
from bender_core.kernels.advance import is_reached
from bender_core.kernels.emit import NONE
from bender_core.kernels.layout import STEP, Goal, Kind, Phase
from bender_core.kernels.min_marginals.enumerate import answer
from bender_core.kernels.rounds import rounding
from bender_core.kernels.update import sum_up
from bender_core.looking.message import envelope
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never


class GroundParts(NamedTuple):
    """The terms of the lower bound on the cost of every state of a group, in units of the bound; they sum to `ground`.

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


class OpenUpdate(NamedTuple):
    """The results of the rounds of the open update. Source: docs/method.md §3.9.

    Attributes
    ----------
    floor : float
        The least cost of a state by the rows: the lower bound if the messages were passed now.
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
    """An oracle's answer from one neighbour at a state of a group.

    Attributes
    ----------
    sender : int
        The neighbour.
    state : int
        Its best state.
    exact : float
        The min-marginal, energy.
    """

    sender: int
    state: int
    exact: float


@dataclass(frozen=True)
class Position:
    """The progress of a run, including that within an update and a message.

    Attributes
    ----------
    sweep : int
        Completed sweeps.
    update, updates : int
        Completed and total updates of the sweep.
    message, messages : int
        Completed and total messages of the update; 0 of 0 between updates.
    share : float
        The share of the current message that is done, 0 to 1.
    """

    sweep: int
    update: int
    updates: int
    message: int
    messages: int
    share: float


def last_event(engine: Engine) -> Event | None:
    """The event before the present position, None at the start.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    Event or None
    """
    return engine.trace[engine.position - 1] if engine.position else None


def whereabouts(engine: Engine) -> Position:
    """The progress of the run, including that within an update and a message.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    Position
    """
    run = engine.arrays
    cursor, order = run.state.cursor, run.rule.order
    slot, share, messages = int(cursor.slot), 0.0, 0
    if cursor.phase <= Phase.PASS and len(order):
        p = order[cursor.position]
        first, last = run.problem.arc_first[p : p + 2]
        messages = int(last - first)
        if cursor.begun and run.rule.exact:
            arc = run.problem.node_arcs[first + slot]
            share = max(int(run.work.progress.next), 0) / (1 << run.problem.bits[arc])
        elif cursor.phase > Phase.OPEN:
            slot = messages
    return Position(engine.sweep, int(cursor.position), len(order), min(slot, messages), messages, share)


def open_node(engine: Engine) -> int:
    """The group being updated, -1 between two updates.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    int
    """
    run = engine.arrays
    cursor, order = run.state.cursor, run.rule.order
    busy = cursor.phase <= Phase.PASS and not run.between_updates and len(order)
    return int(order[cursor.position]) if busy else -1


def ground(engine: Engine, p: int, stop: Stop = never) -> FloatArray:
    """A lower bound on the cost of every state of a group, in units of the bound.

    It is a local cost at the present messages, not the energy of a labelling. Source: docs/method.md §3.9.

    Parameters
    ----------
    engine : Engine
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
    own, parts, rest, _, _ = ground_parts(engine, p, stop)
    total: FloatArray = rest + own + parts.sum(axis=0)
    return total


def ground_parts(engine: Engine, p: int, stop: Stop = never) -> GroundParts:
    """The terms of `ground`: the group's own, one per neighbour, and the rest of the bound.

    Parameters
    ----------
    engine : Engine
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
    problem, work = engine.arrays.problem, engine.arrays.work
    arcs = arcs_into(engine.arrays, p)
    neighbours = problem.edge_node[arcs // 2, 1 - arcs % 2]
    own = engine.graph.energies(p).copy()
    parts = np.empty((len(arcs), len(own)))
    is_open = _has_ground(engine, p)
    for slot, (arc, q) in enumerate(zip(arcs, neighbours, strict=True)):
        if is_open:
            parts[slot] = work.nu[slot, engine.graph.active_states(int(arc))]
        else:
            parts[slot] = envelope(engine, p, int(q), stop)
    return GroundParts(own, parts, _rest(engine, p), neighbours, arcs.copy())


def excess(engine: Engine, p: int, stop: Stop = never) -> FloatArray:
    """A lower bound on the excess cost, over the best known labelling, of all labellings with a state of a group.

    It is `ground` less the upper bound, computed without the model's constant, which may be large. Source:
    docs/method.md §15.1.

    Parameters
    ----------
    engine : Engine
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
    return next(excesses(engine, [p], stop))


def excesses(engine: Engine, groups: Iterable[int], stop: Stop = never) -> Iterator[FloatArray]:
    """The `excess` of several groups, one by one; sums over all terms of the bound are computed once."""
    run = engine.arrays
    state = run.state
    all_groups, all_edges = state.node_bound.sum(), state.edge_bound.sum()
    for p in groups:
        edges = arcs_into(run, p) // 2
        if run.rule.exact and run.between_updates:
            total = _exact_total(engine, p, stop)
        else:
            found = ground_parts(engine, p, stop)
            total = found.own + found.parts.sum(axis=0)
        rest = all_groups - state.node_bound[p] + all_edges - state.edge_bound[edges].sum()
        yield total + (rest - state.bounds.upper)


def _exact_total(engine: Engine, p: int, stop: Stop) -> FloatArray:
    """The total of a group at the present messages, between two updates of a run without rows."""
    run = engine.arrays
    goal, arcs = run.goal, arcs_into(run, p)
    read = run.state.read[arcs]
    goal.budget = STEP
    try:
        while True:
            goal.spent = 0
            if sum_up(run.run, p):
                return run.work.total[: 1 << run.problem.size[p]].copy()
            stop.check()
    finally:
        # Looking does not count as work of the run, and does not move it.
        run.state.read[arcs] = read
        run.state.cursor.slot = run.state.cursor.begun = 0


def alive(engine: Engine, p: int) -> NDArray[np.bool_]:
    """The states of a group that have not been excluded so far.

    No labelling with an excluded state is better than the best known one by more than a negligible gain. Source:
    docs/method.md §15.1.

    Parameters
    ----------
    engine : Engine
    p : int

    Returns
    -------
    ndarray of bool, shape (2^|Y_p|,)

    Raises
    ------
    ValueError
        If the run does not exclude states.
    """
    if not engine.settings.excluding:
        raise ValueError("this run does not exclude states; make it with excluding=True")
    p = require_index(p, engine.graph.n_groups, "group")
    run = engine.arrays
    first = int(run.problem.phi_first[p])
    return run.state.alive[first : first + (1 << int(run.problem.size[p]))].copy()


def open_update(engine: Engine) -> OpenUpdate | None:
    """Floor, ceiling and suspects of the open update.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    OpenUpdate or None
        None between two updates.
    """
    p = _grounded(engine)
    if p == NONE:
        return None
    run = engine.arrays
    rounds, total = run.work.rounds, run.work.total[: 1 << run.problem.size[p]]
    # While deeper states are made tight, the cheaper ones are masked; the floor no longer changes then.
    least = float(rounds.least if run.state.cursor.visited else total.min())
    best, floor = int(rounds.cheapest), float(rounds.base + least)
    if best == NONE:
        return OpenUpdate(floor, np.nan, NONE, NONE)
    limit = rounds.exact - rounding(run.problem, p, rounds.exact)
    below = int(np.count_nonzero(total < limit)) - int(total[best] < limit)
    return OpenUpdate(floor, float(rounds.base + rounds.exact), below, best)


def exact_costs(engine: Engine) -> dict[int, float]:
    """The states that the oracles of the open update have evaluated, and their exact costs.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    dict of int to float
        Energy in units of the bound, by state, in the order of evaluation; empty between two updates.
    """
    found = {}
    if _grounded(engine) != NONE:
        base = float(engine.arrays.work.rounds.base)
        k = engine.position - 1
        while (event := engine.trace[k]).kind != Kind.NODE_OPENED:
            if event.kind == Kind.ORACLE:
                found[event.state] = base + event.value
            k -= 1
    return dict(reversed(found.items()))


def answers(engine: Engine, p: int, state: int) -> list[Answer]:
    """The answers of a group's neighbours to one of its states, in the order of `ground_parts`.

    Parameters
    ----------
    engine : Engine
    p, state : int
        A group, and one of its states.

    Returns
    -------
    list of Answer
    """
    run, found = engine.arrays, []
    problem, arcs = run.problem, arcs_into(run, p)
    state = require_index(state, 1 << int(problem.size[p]), "state")
    for arc in arcs.tolist():
        best, exact = answer(problem, run.state.lam, arc, state, run.probe)
        found.append(Answer(int(problem.edge_node[arc // 2, 1 - arc % 2]), int(best), float(exact)))
    return found


def _grounded(engine: Engine) -> int:
    """The group being updated once its envelopes are in place, else -1."""
    cursor = engine.arrays.state.cursor
    is_in_place = Phase.ORACLE <= int(cursor.phase) <= Phase.PASS
    return int(engine.arrays.rule.order[cursor.position]) if is_in_place else NONE


def _has_ground(engine: Engine, p: int) -> bool:
    """Whether a group is being updated and its envelopes are in place."""
    return p >= 0 and p == _grounded(engine)


def _rest(engine: Engine, p: int) -> float:
    """The bound without the terms of a group and its edges."""
    run = engine.arrays
    if _has_ground(engine, p):
        return float(run.work.rounds.base)
    state, arcs = run.state, arcs_into(run, p)
    return float(engine.lower_bound - state.node_bound[p] - state.edge_bound[arcs // 2].sum())


def step_ended(engine: Engine, grain: Grain) -> bool:
    """Whether a step of a grain ends at the present position, so that steps can be taken event by event.

    Source: docs/method.md §10.2.

    Parameters
    ----------
    engine : Engine
    grain : {"event", "row", "round", "node", "sweep"}

    Returns
    -------
    bool
        False at the start.

    Raises
    ------
    ValueError
        If there is no such grain.
    """
    require_grain(grain)
    run = engine.arrays
    return engine.position > 0 and bool(is_reached(run.events.view, run.state.cursor, _ends_of(grain)))


@cache
def _ends_of(grain: Grain) -> Goal:
    """The goal to come to the end of a step."""
    goal = Goal.zeros()
    goal.until, goal.event_limit = UNTIL[grain], ENDLESS
    return goal
