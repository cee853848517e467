"""The cost of a sweep: its operations, predicted from the model or counted in a trial, times a table of constants.

The costs of single steps (`kernels.costs`) are multiples of the times that `speed` measures on this machine; they were
fitted to runs with known counts. The number of oracle rounds in an update depends on the model (see `freedom`); its
constants were fitted to the counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bender_core.costs.freedom import Freedom
from bender_core.costs.speed import Speed
from bender_core.engine.coupled import Coupled, looseness, plan, totals
from bender_core.groups import Partition
from bender_core.kernels import costs
from bender_core.kernels.layout import Method
from bender_core.model import BinaryMRF, FloatArray
from bender_core.variants import Variant

# Seconds per sweep are the mean over SWEEPS; without a cycle a run ends after about FOREST_SWEEPS.
SWEEPS, FOREST_SWEEPS = 10, 4
# Updates of a group in a sweep.
UPDATES = {"mplp": 1, "srmp": 2}


# Oracle rounds in an update of a group besides the last one, and rounds of a sweep that add a row: 2 to the power of
# its features (see `_features`) times these.
ROUNDS = np.array([-2.317, 0.633, 0.203, 0.318, 0.192, 0.020])
ADDING = np.array([-3.148, 0.746, 0.303, 0.183, 0.262, 0.280])
# Recycled rows per row that a sweep adds: rows are made in the first sweeps, and stay.
HELD = 7.0
# An edge's share of the rows of a sweep grows as 2^(GROWTH · loose members of its smaller end).
GROWTH = 0.9

# Sweeps of a run: 2 to the power of its features (see `sweeps`) times these, at most as many as the engine allows.
DURATION = np.array([0.6, 1.69, 0.96, 0.46, -2.01, 2.1, -0.3])
LONGEST = 400


class Work(NamedTuple):
    """The work of a sweep besides its passes over tables, on average over a run."""

    rounds: FloatArray  # (G,) oracle rounds in an update of every group
    added: FloatArray  # (E,) rows added to every edge in a sweep
    held: FloatArray  # (E,) rows that a message recycles
    sweeps: float  # that the run makes
    read: float = 0.0  # entries that the loop reads in a sweep, where they were counted


def updates(schedule: str) -> int:
    """How often a sweep updates a group.

    Raises
    ------
    ValueError
        If there is no such schedule.
    """
    if schedule not in UPDATES:
        raise ValueError(f"there is no schedule {schedule!r}; choose one of {', '.join(UPDATES)}")
    return UPDATES[schedule]


def foreseen(mrf: BinaryMRF, part: Partition, graph: Coupled, which: Variant, free: Freedom) -> Work:
    """The work predicted from the model."""
    averaged = SWEEPS if graph.cyclic else FOREST_SWEEPS
    if which.enumerated:
        return Work(np.zeros(len(graph.states)), np.zeros(len(graph.ends)), np.zeros(len(graph.ends)), averaged)
    features = _features(mrf, part, graph, free)
    rounds = np.minimum(1 + np.exp2(features @ ROUNDS), graph.states)
    adding = np.minimum(np.exp2(features @ ADDING), graph.states)
    added = (1 + len(which.alphas)) * adding.sum() * shares(graph)
    return Work(rounds, added, 2 + HELD * added, averaged)


def sweeps(graph: Coupled, schedule: str, free: Freedom) -> float:
    """The predicted number of sweeps of a run; it may be wrong by a factor of four."""
    if not len(graph.ends):
        return 1.0
    features = [
        1.0,
        free.frustration > 0,
        free.response.mean(),
        np.log2(len(graph.states)),
        schedule == "srmp",
        graph.cyclic,
        np.log2(graph.states).mean(),
    ]
    return float(np.clip(np.exp2(np.array(features, float) @ DURATION), 1, LONGEST))


def entries_read(graph: Coupled, which: Variant, schedule: str, work: Work, speed: Speed) -> float:
    """The entries that the loop reads in a sweep."""
    degree = graph.degree
    read = updates(schedule) * (3 * (1 + degree) * graph.states + costs.STEPPED * (3 + degree)).sum()
    if which.exact:
        return float(read + (work.read or by_message(graph, which, work, speed).sum() / speed.entry))
    active = np.exp2(graph.bits)
    rounds = graph.states + graph.received(active[:, ::-1]) + costs.STEPPED * (2 + degree)
    recycled = 2 * work.held * active.sum(axis=1)
    return float(read + updates(schedule) * (work.rounds * rounds).sum() + recycled.sum())


def _features(mrf: BinaryMRF, part: Partition, graph: Coupled, free: Freedom) -> FloatArray:
    """The features that predict the rounds of an update, shape (G, len(ROUNDS))."""
    owner, groups = part.group_of(), len(part)
    weight: FloatArray = np.abs(mrf.coupling())
    outside = owner[mrf.edges[:, 0]] != owner[mrf.edges[:, 1]]
    loose = totals(owner, looseness(mrf, owner), groups)
    ends = owner[mrf.edges]
    weights, leaving = (totals(ends.reshape(-1), np.repeat(w, 2), groups) for w in (weight, weight * outside))
    boundary = np.bincount(owner[np.unique(mrf.edges[outside])], minlength=groups)
    couplings = np.bincount(ends[outside].reshape(-1), minlength=groups)
    density = np.log2(np.maximum(couplings / np.maximum(boundary, 1), 1))
    return np.stack(
        [
            np.ones(groups),
            loose * free.frustration,
            loose * leaving / np.where(weights > 0, weights, 1),
            free.response,
            free.diversity * density,
            np.log2(1 + graph.degree),
        ],
        axis=1,
    )


def shares(graph: Coupled) -> FloatArray:
    """The share of all rows that every edge gets, shape (E,)."""
    share: FloatArray = np.exp2(GROWTH * graph.loose.min(axis=1)) * graph.couplings / graph.bits.sum(axis=1)
    return share / share.sum() if len(share) else share


def seconds(graph: Coupled, which: Variant, schedule: str, work: Work, speed: Speed) -> float:
    """Processor seconds of a sweep."""
    if which.exact and work.read:
        messages = costs.COUNTED * speed.entry * work.read
    elif which.exact:
        messages = by_message(graph, which, work, speed).sum()
    else:
        messages = _with_rows(graph, which, schedule, work, speed)
    return float(_passing(graph, schedule, work.sweeps, speed) + messages)


def _passing(graph: Coupled, schedule: str, sweeps: float, speed: Speed) -> float:
    """Processor seconds, for any variant, of updating the groups' tables and messages in a sweep."""
    turns, degree = updates(schedule), graph.degree
    receiver = graph.states[graph.ends]
    projected = receiver[np.exp2(graph.bits) < receiver].sum()
    overhead = (
        costs.RUN / sweeps
        + costs.SWEEP
        + turns * (costs.UPDATE * len(degree) + costs.MESSAGE * degree.sum() + costs.PROJECTED * projected)
    )
    passes = (turns * (1 + 3 * degree) + 3) * speed.passing(graph.states)
    return float(speed.overhead * overhead + costs.UPDATED * passes.sum())


def _with_rows(graph: Coupled, which: Variant, schedule: str, work: Work, speed: Speed) -> float:
    """Processor seconds of a variant's work on rows: oracle rounds, new rows, recycled rows."""
    active, passing = np.exp2(graph.bits), speed.passing(graph.states)
    sent = active[:, ::-1]
    rounds = updates(schedule) * work.rounds
    oracles = costs.ROUND * speed.overhead * (1 + graph.degree)
    oracles += costs.READ * graph.received(speed.passing(sent)) + costs.SOUGHT * passing
    added = work.added[:, None].repeat(2, axis=1) / 2
    raising = graph.received(added) * (costs.ROW * speed.overhead + costs.RAISED * passing)
    cut = added * len(which.alphas) / (1 + len(which.alphas))
    cutting = cut * (costs.CUT * speed.overhead * graph.bits[:, ::-1] + costs.CUT_PASSES * speed.passing(sent))
    recycling = 2 * costs.RECYCLED * work.held * speed.passing(active).sum(axis=1)
    return float((rounds * oracles).sum() + raising.sum() + cutting.sum() + recycling.sum())


def by_message(graph: Coupled, which: Variant, work: Work, speed: Speed) -> FloatArray:
    """Seconds of every exact message by the method that the engine will choose for it, shape (E, 2)."""
    receiver, sender = graph.bits, graph.bits[:, ::-1]
    states, sent = np.exp2(receiver), np.exp2(sender)
    enumerated = states * (costs.STATE_OVERHEAD * speed.overhead * (1 + sender) + costs.PAIR * speed.entry * sent)
    if which.enumerated:
        return enumerated
    method, front = plan(graph)
    tables = (1 + graph.bits.min(axis=1, keepdims=True)) * front
    eliminated = costs.ELIMINATION_OVERHEAD * speed.overhead + costs.TABLE_ENTRY * speed.eliminated * tables
    surviving = costs.SURVIVING * work.rounds[graph.ends] * states
    looked_at = costs.LOOKED_AT * (states + receiver * sent)
    pruned = (
        costs.PRUNING_OVERHEAD * speed.overhead
        + speed.entry * looked_at
        + np.minimum(speed.entry * surviving, enumerated)
    )
    return np.select([method == Method.ELIMINATE, method == Method.PRUNE], [eliminated, pruned], default=enumerated)
