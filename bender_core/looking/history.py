"""The past of a message: its slack, and the lives of its rows, at some events of the run.

Source: docs/method.md §12.1.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bender_core.engine.engine import Engine
from bender_core.looking.bounds import edge_tension
from bender_core.looking.classes import states_of
from bender_core.looking.message import envelope, is_tight, min_marginal
from bender_core.looking.rows import Row, row_support, row_value, rows
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never


class History(NamedTuple):
    """A message at some events of a run.

    Attributes
    ----------
    event : ndarray of int64, shape (k,)
        How many events had happened, ascending.
    mean, largest : ndarray, shape (k,)
        Slack over all states of the receiver, energy.
    tension : ndarray, shape (k,)
        The tension of its edge, energy.
    maximal : ndarray of bool, shape (k, rows)
        Whether a row was the envelope at any state; rows oldest first, False before they were made.
    tight : ndarray of bool, shape (k, rows)
        Whether it equalled the true min-marginal where it was made (`tight_where_made`).
    complete : bool
        Whether all requested events were sampled within the time limit.
    """

    event: IntArray
    mean: FloatArray
    largest: FloatArray
    tension: FloatArray
    maximal: NDArray[np.bool_]
    tight: NDArray[np.bool_]
    complete: bool


class RowLife(NamedTuple):
    """The life of a row up to an event, at the sampled events; None: at none of them.

    Attributes
    ----------
    maximal : int or None
        The last event at which it was the envelope at some state.
    tight : int or None
        The last event at which it equalled the true min-marginal where it was made.
    dead : int or None
        The first event since which it has been the envelope nowhere; None while it is.
    """

    maximal: int | None
    tight: int | None
    dead: int | None


def tight_where_made(engine: Engine, p: int, q: int, made: list[Row], stop: Stop = never) -> NDArray[np.bool_]:
    """Whether rows still equal the true min-marginal at the state, and in the direction, for which they were made.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    made : list of Row
        As `rows` finds them.
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    ndarray of bool, shape (rows,)

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    tight = np.zeros(len(made), bool)
    for owner, other in ((p, q), (q, p)):
        mine = np.flatnonzero([row.made_for == owner for row in made])
        if len(mine):
            seen = {row.index: row for row in (made if owner == p else rows(engine, owner, other))}
            anchors = [made[k].anchor for k in mine]
            values = [row_value(seen[made[k].index], anchor) for k, anchor in zip(mine, anchors, strict=True)]
            truth = min_marginal(engine, owner, other, anchors, stop)
            tight[mine] = is_tight(engine, engine.graph.arc(owner, other), truth, np.array(values))
    return tight


def history(engine: Engine, p: int, q: int, points: int, seconds: float, stop: Stop = never) -> History:
    """A message at evenly spaced events of those computed, and at the present one; the run returns to its position.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    points : int
        The largest number of events, beside the present one.
    seconds : float
        The time limit; events are sampled from the first one on.
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    History

    Raises
    ------
    Stopped
        If ``stop`` says so; then the run is where it was stopped.
    """
    here, deadline = engine.position, time.perf_counter() + seconds
    spread = np.linspace(0, len(engine.trace), points).astype(np.int64)
    positions = np.union1d(spread, [here]).tolist()
    slack, maximal, tight, tension = [], [], [], []
    for position in positions:
        engine.seek(position, lambda _: stop())
        stop.check()
        found, was_maximal, was_tight = _now(engine, p, q, stop)
        slack.append((found.mean(), found.max()))
        tension.append(sum(edge_tension(engine, p, q)))
        maximal.append(was_maximal)
        tight.append(was_tight)
        if time.perf_counter() > deadline:
            break
    engine.seek(here)
    mean, largest = np.array(slack).T
    complete = len(slack) == len(positions)
    events = np.array(positions[: len(slack)])
    return History(events, mean, largest, np.array(tension), _stacked(maximal), _stacked(tight), complete)


def _now(engine: Engine, p: int, q: int, stop: Stop) -> tuple[FloatArray, NDArray[np.bool_], NDArray[np.bool_]]:
    """The slack by class, and for every row whether it is maximal somewhere, and tight where it was made."""
    arc = engine.graph.arc(p, q)
    members = engine.graph.active_members(arc)
    states = states_of(np.arange(1 << len(members)), members)
    nu, below = min_marginal(engine, p, q, stop=stop)[states], envelope(engine, p, q, stop)[states]
    alive = row_support(engine, p, q, stop).states > 0
    return np.maximum(nu - below, 0.0), alive, tight_where_made(engine, p, q, rows(engine, p, q), stop)


def _stacked(found: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Lists of different lengths as one table; later rows are at the end."""
    width = max(map(len, found))
    return np.array([np.pad(line, (0, width - len(line))) for line in found])


def lives(past: History, rows: list[Row], now: int) -> list[RowLife]:
    """The lives of the rows of a message up to an event.

    Parameters
    ----------
    past : History
    rows : list of Row
        Those of the message at that event, oldest first.
    now : int
        The number of events that have happened; later ones do not count.

    Returns
    -------
    list of RowLife
    """
    return [_life(past, k, row.born + 1, now) for k, row in enumerate(rows)]


def _life(past: History, k: int, born: int, now: int) -> RowLife:
    lived = np.flatnonzero((past.event >= born) & (past.event <= now))
    if not len(lived) or k >= past.maximal.shape[1]:
        return RowLife(None, None, None)
    event, maximal, tight = past.event[lived], past.maximal[lived, k], past.tight[lived, k]
    after = int(np.flatnonzero(maximal)[-1]) + 1 if maximal.any() else 0
    return RowLife(
        maximal=int(event[after - 1]) if after else None,
        tight=int(event[tight][-1]) if tight.any() else None,
        dead=int(event[after]) if after < len(event) else None,
    )
