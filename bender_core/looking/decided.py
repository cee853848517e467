"""Facts decided by a run: values and ties of variables that hold in every better labelling.

A state of a group is dead if every labelling with that state is known to be no better than the best one. A property
that all other states share is a fact. Source: docs/method.md §15.1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bender_core.engine.engine import Engine
from bender_core.forms.reduction import OPEN, Facts, Reduction, reduction
from bender_core.kernels.tables.agreement import agreement
from bender_core.looking.update import alive, excesses
from bender_core.model import BoolArray, FloatArray, IntArray
from bender_core.stopping import Stop, never


def decided(engine: Engine) -> Facts:
    """The facts that a run has decided so far.

    Parameters
    ----------
    engine : Engine
        One that excludes states.

    Returns
    -------
    Facts
        About its model. Every better labelling satisfies them, and so does the best one known.

    Raises
    ------
    ValueError
        If the run does not exclude states.

    Examples
    --------
    >>> import bender_core as bc
    >>> mrf = bc.load("sample_instances/tiny.mrf.json")
    >>> engine = bc.Engine(mrf, bc.partition(mrf, max_size=3), excluding=True)
    >>> engine.run()
    True
    >>> decided(engine).value.tolist(), engine.labeling.tolist()
    ([1, 1, 1, -1, -1, -1], [1, 1, 1, 0, 0, 0])
    """
    groups = range(len(engine.partition))
    return _facts(engine, groups, (alive(engine, p) for p in groups))


def confirmed(engine: Engine, facts: Facts, stop: Stop = never) -> Facts:
    """The facts that follow from the present messages alone, in the groups in which the run has decided something.

    Source: docs/method.md §15.5.

    Parameters
    ----------
    engine : Engine
    facts : Facts
        Those that it has decided, at the messages of any moment.
    stop : Stop

    Returns
    -------
    Facts

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    groups = _groups_of(engine, facts).tolist()
    return _facts(engine, groups, (~excludes(engine, found) for found in excesses(engine, groups, stop)))


def excludes(engine: Engine, excess: FloatArray) -> BoolArray:
    """Which labellings are no better than the best one, given lower bounds on their excess cost.

    Source: docs/method.md §15.1, §15.5.

    Parameters
    ----------
    engine : Engine
    excess : ndarray
        Recomputed from its present messages, energy: the `excess` of states, or that of the lower bound for all
        labellings.

    Returns
    -------
    ndarray of bool
    """
    return engine.margin.excludes(excess, engine.arrays.message_size)


def _groups_of(engine: Engine, facts: Facts) -> IntArray:
    """The groups with decided or tied variables."""
    return np.unique(engine.partition.group_of()[np.append(np.flatnonzero(facts.value != OPEN), facts.ties[:, 0])])


def _facts(engine: Engine, groups: Iterable[int], left: Iterable[BoolArray]) -> Facts:
    """The facts that all alive states of some groups share."""
    value = np.full(engine.mrf.n, OPEN)
    ties = [np.empty((0, 3), np.int64)]
    best = engine.graph.states(engine.labeling)
    for p, states in zip(groups, left, strict=True):
        group = engine.partition.groups[p]
        # So that the best labelling remains in the reduced model.
        states[best[p]] = True
        value[group], tied = common(states, len(group))
        tied[:, :2] = group[tied[:, :2]]
        ties.append(tied)
    return Facts(value, np.concatenate(ties))


def reduced(engine: Engine, stop: Stop = never) -> Reduction:
    """The model of a run, reduced by the facts of the present messages in groups that have decided variables.

    Source: docs/method.md §15.2.

    Parameters
    ----------
    engine : Engine
        One that excludes states.
    stop : Stop

    Returns
    -------
    Reduction

    Raises
    ------
    ValueError
        If the run does not exclude states.
    Stopped
        If ``stop`` says so.
    """
    return reduction(engine.whole, confirmed(engine, decided(engine), stop))


def settled(engine: Engine, stop: Stop = never) -> bool:
    """Whether the present messages of a run decide every variable: the best labelling is optimal then.

    Parameters
    ----------
    engine : Engine
        One that excludes states.
    stop : Stop

    Returns
    -------
    bool

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    facts = decided(engine)
    groups = _groups_of(engine, facts)
    if len(groups) < len(engine.partition):
        # A quick test first: examining all groups takes longer.
        return False
    return not reduction(engine.whole, confirmed(engine, facts, stop)).reduced.n


def decided_members(engine: Engine, p: int) -> IntArray:
    """The decided value of every member of a group, shape (|Y_p|,); -1 where the run has not decided it.

    Parameters
    ----------
    engine : Engine
        One that excludes states.
    p : int
    """
    states = alive(engine, p)
    states[engine.graph.states(engine.labeling)[p]] = True
    return common(states, len(engine.partition.groups[p]))[0]


def proves(engine: Engine) -> bool:
    """Whether the bound of a run proves that no labelling is better than the best one, up to a negligible gain.

    Source: docs/method.md §15.1.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    bool
    """
    return bool(excludes(engine, np.array(engine.arrays.bound_excess)))


def common(alive: BoolArray, bits: int) -> tuple[IntArray, IntArray]:
    """The properties that all alive states share.

    Parameters
    ----------
    alive : ndarray of bool, shape (2^bits,)
        At least one state is alive.
    bits : int

    Returns
    -------
    value : ndarray of int64, shape (bits,)
        The value of every bit that is the same in all states; else -1.
    ties : ndarray of int64, shape (t, 3)
        Pairs of other bits that are equal in all states (0), or opposite in all (1); each bit is tied to at most one
        lower bit.
    """
    value, tied, opposite = np.empty((3, bits), np.int64)
    agreement(alive, bits, value, tied, opposite)
    return value, np.array([tied, np.arange(bits), opposite]).T[tied != OPEN]
