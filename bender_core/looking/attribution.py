"""Attribution of the rise of the bound to messages and groups. Source: docs/method.md §9.7."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from bender_core.engine.engine import Engine
from bender_core.engine.trace import Trace
from bender_core.kernels.layout import Kind
from bender_core.looking.bounds import opening_bound
from bender_core.model import BoolArray, FloatArray, IntArray


class Attribution(NamedTuple):
    """The rise of the lower bound, part by part; every part is at least 0. Source: docs/method.md §9.7.

    Attributes
    ----------
    messages : ndarray, shape (2 E,)
        The rise by new rows of every message, energy.
    groups : ndarray, shape (P,)
        The rise by updates of every group before a new row, that is by messages recomputed from old rows or exactly,
        energy.
    """

    messages: FloatArray
    groups: FloatArray


# How far the rise of the bound of a run has been attributed, and the parts so far; later calls continue from there.
_so_far: WeakKeyDictionary[Engine, tuple[int, Attribution]] = WeakKeyDictionary()


def attribution(engine: Engine) -> Attribution:
    """The attribution of the rise of the lower bound, up to the last complete update.

    Source: docs/method.md §9.7.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    Attribution
        Its parts sum to the lower bound less the first, up to rounding.
    """
    end, found = _so_far.get(engine, (0, None))
    if found is None or end > engine.position:
        end, found = 0, Attribution(np.zeros(2 * len(engine.graph.edges)), np.zeros(engine.graph.n_groups))
    bound = engine.trace[end - 1].lower_bound if end else opening_bound(engine)
    _so_far[engine] = _attribute(engine.trace.until(engine.position), end, bound, found), found
    return Attribution(found.messages.copy(), found.groups.copy())


def row_gains(engine: Engine) -> FloatArray:
    """The rise of the lower bound due to the row that each event added.

    Row ``row`` was added by event ``row.born``. Source: docs/method.md §9.7.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    ndarray, shape (events,)
        Energy, at least 0; 0 for events without a row, and for the rows of an incomplete update.
    """
    trace = engine.trace.until(engine.position)
    gains, looks = np.zeros(len(trace)), _looks(trace, 0)
    if len(looks):
        rows, credit, _ = _divided(trace, 0, looks, _rise(trace, 0, opening_bound(engine), looks))
        gains[rows] = credit
    return gains


def _attribute(trace: Trace, begin: int, start: float, found: Attribution) -> int:
    """Divide the rise of the bound among messages and groups, by the complete updates of a trace.

    Credits are added one by one in the order of events: they are the same to the last bit however often this is called.

    Parameters
    ----------
    trace : Trace
    begin : int
        The first event that counts; an update begins there.
    start : float
        The lower bound before it, energy.
    found : Attribution
        The credits of the earlier events; the new ones are added to them.

    Returns
    -------
    int
        The position after the last complete update, or `begin` if there is none.
    """
    looks = _looks(trace, begin)
    if len(looks) == 0:
        return begin
    rise = _rise(trace, begin, start, looks)
    rows, credit, paid = _divided(trace, begin, looks, rise)
    np.add.at(found.messages, trace.column("arc", begin)[rows].astype(np.int64), credit)
    np.add.at(found.groups, trace.column("node", begin)[looks[~paid]].astype(np.int64), rise[~paid])
    return begin + int(looks[-1]) + 1


def _looks(trace: Trace, begin: int) -> IntArray:
    """The events of complete updates that state the floor: openings, oracles and ends."""
    kind = trace.column("kind", begin)
    ends = np.flatnonzero(kind == Kind.MESSAGE)
    known = kind[: ends[-1] + 1] if len(ends) else kind[:0]
    looks: IntArray = np.flatnonzero((known <= Kind.MESSAGE) & (known != Kind.ROW))
    return looks


def _rise(trace: Trace, begin: int, start: float, looks: IntArray) -> FloatArray:
    """The rise of the larger of bound and floor at each of these events."""
    opens = trace.column("kind", begin)[looks] == Kind.NODE_OPENED
    bound = np.concatenate([[start], trace.column("lower_bound", begin)])[looks]
    level = np.maximum(bound, trace.column("floor", begin)[looks])
    rise: FloatArray = np.maximum(np.diff(level, prepend=0.0), 0.0)
    rise[opens] = (level - bound)[opens]
    return rise


def _divided(trace: Trace, begin: int, looks: IntArray, rise: FloatArray) -> tuple[IntArray, FloatArray, BoolArray]:
    """The rise at each of these events, divided among the rows since the previous one in proportion to their own rise.

    Returns
    -------
    rows : ndarray of int64
        The events that added rows.
    credit : ndarray
        The credit of each of them, energy.
    paid : ndarray of bool, shape (looks,)
        Whether there were any.
    """
    rows = np.flatnonzero(trace.column("kind", begin)[: looks[-1]] == Kind.ROW)
    lift = np.maximum((trace.column("value", begin) - trace.column("before", begin))[rows], 0.0)
    after = np.searchsorted(looks, rows)
    total = np.bincount(after, lift, minlength=len(looks))
    paid: BoolArray = total > 0
    share = np.divide(lift, total[after], out=np.zeros_like(lift), where=paid[after])
    return rows, share * rise[after], paid
