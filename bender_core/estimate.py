"""What a choice of M and variant will cost, before anything is allocated."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bender_core import memory
from bender_core.account import Account, Line
from bender_core.kernels.affine import affine_max4
from bender_core.kernels.exact import plan_exact
from bender_core.kernels.layout import LOW_BITS, Method, Problem
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.partition import Partition, coupled_groups, independent_cycles, partition
from bender_core.units import storage
from bender_core.variants import Variant, variant

# What a run typically needs in memory, in rows a member of the smaller group that an edge keeps in the end,
# and Magnanti-Wong rows kept for every alpha of the variant.
ROWS_KEPT, CUTS_KEPT = 10, 4
# Copies of the messages that a run typically keeps for going back.
SNAPSHOTS = 2
# At how many of a group's states its envelope is made tight at most, where progress is slow.
DEEPEST = 32
# Events that there is room for from the start, and those that a row or a message typically brings.
FIRST_EVENTS, EVENTS_A_ROW, EVENTS_A_MESSAGE = 1024, 3, 4

# The sweeps that `Estimate.seconds_per_sweep` is the mean of; without a cycle a run is over after about so many.
SWEEPS, FOREST_SWEEPS = 10, 4
# Reverse rows that an edge needs in a sweep in either direction: so many for every coupling of a member, times 2 to
# so much of its loose members. Where all couplings attract (the energy is submodular) so much of that is enough.
ROWS, GROWTH, ATTRACTIVE = 0.047, 0.93, 0.12
# Rounds of oracles beside those that end in a row: the last one of an update, which finds the envelope tight, and
# what deepening adds in the first sweeps on average where there are cycles.
LAST_ROUND, DEEPER_ROUNDS = 1, 1.1
# Of all rows made in those sweeps, the share that an edge has to recycle on average.
RECYCLED = 0.7

# All times are in entries of a table read by one pass, which `_seconds_per_entry` measures. They were fitted to runs.
# Beside the passes: a run (the call, events and snapshots), a message, a round of oracles, a reverse row, and a
# Magnanti-Wong row per bit of the sender.
RUN, MESSAGE, ROUND, ROW, CUT = 420_000, 3800, 5200, 15_000, 6700
# The passes: over a group's tables in an update, over what is sent in an oracle, over an envelope and the total when a
# row is put to use, over both tables of a recycled row (four rows share a pass), over what is sent in a cut.
UPDATED, READ, RAISED, SHARED, CUT_PASSES = 7.7, 1.5, 3.5, 0.8, 9.6
# Enumeration: a state of the receiver, per bit of the sender; a pair of states.
STATE, PAIR = 205, 0.55
# Elimination: a message; a coupling, per bit of the sender; an entry of a table.
ELIMINATION, COUPLING, ELIMINATED = 10_000, 150, 8
# Pruning: an entry looked at to list the first candidates; then so many times what enumeration takes, halved for
# every two members of the receiver that are not loose.
LOOKED_AT, UNPRUNED, PRUNING_POWER = 1.2, 2, 0.5


class TooLargeError(ValueError):
    """A choice needs more memory than there is; the message says how much, for what, and what would fit.

    Attributes
    ----------
    needed, limit : int
        Bytes.
    fits : int or None
        The largest M, cut in the same way, that would fit.
    """

    def __init__(self, message: str, needed: int = 0, limit: int = 0, fits: int | None = None) -> None:
        super().__init__(message)
        self.needed, self.limit, self.fits = needed, limit, fits


@dataclass(frozen=True)
class Estimate:
    """The predicted cost of a run.

    The measured time a sweep is a third to three times the predicted one for 95 % of the 1301 runs of 52 models that
    the constants were fitted to, and for 92 % of 393 runs of 16 others; for 93 % and 88 % where a sweep takes a
    millisecond or more (``python -m benchmarks estimates``). Enumeration and the exact variant are foreseen. How many
    rows it takes to make an envelope tight is not where groups are joined densely and M is large: for complete graphs
    and Boltzmann machines it may be up to ten times more, for strong fields ten times less, and for the modularity
    of clear communities a hundred times less.

    Attributes
    ----------
    bytes : int
        Memory that a run typically comes to take, with its rows, its trace and what it keeps for going back.
    least : int
        Memory without which it cannot begin.
    seconds_per_sweep : float
        Processor time on this machine, with the paper's schedule: the mean over the first ten sweeps of a run, or over
        all where it ends sooner. What a run that stalls takes after that, when deepening has reached its limit, is
        not in it; neither is making the tables.
    states : int
        States of the largest hyper-variable.
    """

    bytes: int
    least: int
    seconds_per_sweep: float
    states: int


def _states(part: Partition) -> FloatArray:
    """States of every group, as floats: 2^30 of them overflow nothing."""
    return 2.0 ** np.array([len(group) for group in part.groups], np.float64)


def required_bytes(mrf: BinaryMRF, part: Partition, which: int | Variant = 9) -> int:
    """The memory without which a run cannot begin, in bytes: tables, messages, scratch and the first rows."""
    return sum(_needs(_dimensions(mrf, _coupled(mrf, part)), variant(which)).values())


def _dimensions(mrf: BinaryMRF, graph: _Coupled) -> memory.Dimensions:
    method, front = _plan(graph)
    return memory.Dimensions(
        mrf.n,
        mrf.n_edges,
        size=np.log2(graph.states).astype(np.int64),
        edge_node=graph.ends,
        bits=graph.bits.reshape(-1),
        couplings=len(graph.coupling_bit),
        method=method.reshape(-1),
        front=front.reshape(-1),
    )


def _needs(dims: memory.Dimensions, which: Variant) -> dict[str, int]:
    """What a run takes from its beginning on, in bytes, by what it is for."""
    exact = which.exact and not which.enumerated
    return {
        "energies and couplings": memory.problem_bytes(dims),
        "messages": memory.state_bytes(dims),
        "scratch": memory.workspace_bytes(dims, dims.degree, exact, 1 if which.exact else DEEPEST),
        "rows": memory.first_rows(dims, len(which.alphas), which.exact) * memory.row_bytes(dims),
        "events": FIRST_EVENTS * memory.event_bytes(),
    }


def _typical(dims: memory.Dimensions, which: Variant) -> int:
    """What a run typically comes to take beside that, in bytes: more rows and events, and snapshots."""
    arcs = len(dims.bits)
    members = int(dims.size.max(initial=0))
    rows = 0 if which.exact else (ROWS_KEPT + CUTS_KEPT * len(which.alphas)) * members * arcs // 2
    events = EVENTS_A_ROW * rows + EVENTS_A_MESSAGE * SWEEPS * len(dims.size)
    return rows * memory.row_bytes(dims) + events * memory.event_bytes() + SNAPSHOTS * memory.state_bytes(dims)


def estimate(mrf: BinaryMRF, part: Partition, which: int | Variant = 9) -> Estimate:
    """Predict memory and time of a run.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    """
    graph = _coupled(mrf, part)
    method = variant(which)
    if method.enumerated:
        entries = _enumerated(graph).sum()
    elif method.exact:
        entries = _exact(graph).sum()
    else:
        entries = _with_rows(graph, len(method.alphas))
    dims = _dimensions(mrf, graph)
    least = sum(_needs(dims, method).values())
    return Estimate(
        bytes=least + _typical(dims, method),
        least=least,
        seconds_per_sweep=float((_passing(graph) + entries) * _seconds_per_entry()),
        states=int(graph.states.max(initial=1)),
    )


class _Coupled(NamedTuple):
    """The coupled groups, as far as times depend on them. An edge carries two messages, one into either end."""

    states: FloatArray  # (G,) of every group
    ends: IntArray  # (E, 2)
    bits: IntArray  # (E, 2) members of either end that are coupled to the other
    loose: FloatArray  # (E, 2) how many of them are loose: see `_looseness`
    first: IntArray  # (E + 1,) where the couplings of an edge begin
    coupling_bit: IntArray  # (K, 2) the members that it joins, numbered among those
    cyclic: bool  # whether edges close a cycle of groups
    attractive: bool  # whether all couplings of the model are

    @property
    def couplings(self) -> IntArray:
        """The number of couplings of every edge, shape (E,)."""
        number: IntArray = np.diff(self.first)
        return number

    def received(self, values: FloatArray) -> FloatArray:
        """The sum over the messages into every group, shape (G,), of what concerns a message, shape (E, 2)."""
        return _totals(self.ends.reshape(-1), values.reshape(-1), len(self.states))


def _totals(label: IntArray, values: FloatArray, n_labels: int) -> FloatArray:
    """The sum of the values of every label."""
    return np.bincount(label, values, minlength=n_labels).astype(np.float64)


def _coupled(mrf: BinaryMRF, part: Partition) -> _Coupled:
    pairs, owner, weight = coupled_groups(mrf, part), part.group_of(), np.abs(mrf.coupling())
    lower_first = owner[mrf.edges[:, 0]] <= owner[mrf.edges[:, 1]]
    members = np.where(lower_first[:, None], mrf.edges, mrf.edges[:, ::-1])
    groups = owner[members]
    between = np.flatnonzero((groups[:, 0] != groups[:, 1]) & (weight > 0))
    code = np.array([len(part), 1])
    edge = np.searchsorted(pairs @ code, groups[between] @ code)
    order = np.argsort(edge, kind="stable")
    edge, between = edge[order], between[order]
    # Every member that is coupled on a side of an edge, once, and where the couplings find theirs.
    used, place = np.unique((2 * edge[:, None] + [0, 1]) * mrf.n + members[between], return_inverse=True)
    place = place.reshape(-1, 2)
    side, member = np.divmod(used, max(mrf.n, 1))
    n_sides = 2 * len(pairs)
    strength = _totals(place.reshape(-1), np.repeat(weight[between], 2), len(used))
    loose = _totals(side, _looseness(mrf, owner)[member], n_sides) * _evenness(strength, side, n_sides)
    return _Coupled(
        states=_states(part),
        ends=pairs,
        bits=np.bincount(side, minlength=n_sides).reshape(-1, 2),
        loose=loose.reshape(-1, 2),
        first=np.searchsorted(edge, np.arange(len(pairs) + 1)),
        coupling_bit=place - np.searchsorted(side, np.arange(n_sides))[2 * edge[:, None] + [0, 1]],
        cyclic=independent_cycles(len(part), pairs) > 0,
        attractive=not (mrf.coupling() > 0).any(),
    )


def _looseness(mrf: BinaryMRF, owner: IntArray) -> FloatArray:
    """How much of every variable is at the disposal of other groups, 0 to 1.

    The geometric mean of two shares: by how much its couplings outweigh its own preference, which leaves nothing where
    they cannot turn it, and how many of them leave its group.
    """
    weight = np.abs(mrf.coupling())
    leaving = weight * (owner[mrf.edges[:, 0]] != owner[mrf.edges[:, 1]])
    change = mrf.pairwise[:, 1, :] - mrf.pairwise[:, 0, :], mrf.pairwise[:, :, 1] - mrf.pairwise[:, :, 0]
    preference = mrf.unary[:, 1] - mrf.unary[:, 0]
    for side in (0, 1):
        preference += _totals(mrf.edges[:, side], change[side].mean(axis=1), mrf.n)
    total, outside = (_totals(mrf.edges.reshape(-1), np.repeat(part, 2), mrf.n) for part in (weight, leaving))
    total = np.where(total > 0, total, 1.0)
    freedom = np.maximum(1 - 2 * np.abs(preference) / total, 0)
    looseness: FloatArray = np.sqrt(freedom * outside / total)
    return looseness


def _evenness(values: FloatArray, label: IntArray, n_labels: int) -> FloatArray:
    """How even the positive values of every label are: 1 if they are the same, 1 / count if one is all there is."""
    count, total, squares = (_totals(label, values**power, n_labels) for power in (0, 1, 2))
    even: FloatArray = total**2 / np.maximum(count * squares, np.finfo(float).tiny)
    return even


def _passing(graph: _Coupled) -> float:
    """The entries of what all variants do in a sweep: updates of the groups' tables, and their messages."""
    degree = np.bincount(graph.ends.reshape(-1), minlength=len(graph.states))
    run = RUN / (SWEEPS if graph.cyclic else FOREST_SWEEPS)
    return float(run + MESSAGE * degree.sum() + UPDATED * ((1 + 3 * degree) * graph.states).sum())


def _with_rows(graph: _Coupled, cuts: int) -> float:
    """The entries of what a variant does with rows: rounds of oracles, new rows, and those that are recycled.

    The min-marginal of a message has as many affine pieces as the smaller end has states that matter, and a row
    is one of them; so the number of rows, and of rounds that ask for one, grows as 2 to its loose members.
    """
    active: FloatArray = np.exp2(graph.bits)
    sent = active[:, ::-1]
    dense = 2 * graph.couplings / graph.bits.sum(axis=1)
    wanted = ROWS * (ATTRACTIVE if graph.attractive else 1) * dense * 2.0 ** (GROWTH * graph.loose.min(axis=1))
    new: FloatArray = np.minimum(wanted, active.min(axis=1))[:, None].repeat(2, axis=1)
    added = graph.received(new)
    rounds = LAST_ROUND + DEEPER_ROUNDS * graph.cyclic + added
    oracles = rounds * (ROUND + READ * (graph.states + graph.received(sent)))
    raising = added * (ROW + (1 + cuts) * RAISED * graph.states)
    cutting = cuts * new * (CUT * graph.bits[:, ::-1] + CUT_PASSES * sent)
    # An edge has a row for either end from the start; both messages recycle what was made for either.
    held = 2 + RECYCLED * SWEEPS * (1 + cuts) * new.sum(axis=1)
    recycling = 2 * SHARED * held * active.sum(axis=1)
    return float(oracles.sum() + raising.sum() + cutting.sum() + recycling.sum())


def _enumerated(graph: _Coupled) -> FloatArray:
    """The entries of every message by enumeration, shape (E, 2)."""
    receiver, sender = graph.bits, graph.bits[:, ::-1]
    entries: FloatArray = np.exp2(receiver) * (STATE * (1 + sender) + PAIR * np.exp2(sender))
    return entries


def _exact(graph: _Coupled) -> FloatArray:
    """The entries of every message by the way that the engine will choose for it, shape (E, 2)."""
    receiver, sender = graph.bits, graph.bits[:, ::-1]
    method, front = _plan(graph)
    tables = (1 + graph.bits.min(axis=1, keepdims=True)) * front
    eliminated = ELIMINATION + COUPLING * graph.couplings[:, None] * sender + ELIMINATED * tables
    unpruned = UNPRUNED * 2.0 ** (-PRUNING_POWER * (receiver - graph.loose))
    pruned = LOOKED_AT * (2.0**receiver + receiver * 2.0**sender) + unpruned * _enumerated(graph)
    return np.select(
        [method == Method.ELIMINATE, method == Method.PRUNE], [eliminated, pruned], default=_enumerated(graph)
    )


def _plan(graph: _Coupled) -> tuple[IntArray, FloatArray]:
    """The engine's choice of a way for every message, and the largest table of an elimination, shape (E, 2) each.

    The choice is the kernel's own, asked with a problem that has couplings but no tables.
    """
    bits = graph.bits.reshape(-1)
    floats, ints, pairs = np.zeros(0), np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
    problem = Problem(
        size=ints,
        phi=floats,
        phi_start=ints,
        edge_node=pairs,
        edge_weight=floats,
        bits=bits,
        lens_start=ints,
        lens=ints,
        coupling_start=graph.first,
        coupling_bit=graph.coupling_bit,
        coupling_entry=pairs,
        coupling_weight=floats,
        charge=np.zeros((0, 0, 2)),
        form_start=ints,
        form=floats,
        method=np.zeros(len(bits), np.int64),
        elimination=np.zeros((len(bits), int(bits.max(initial=1))), np.int64),
        front=np.zeros(len(bits)),
        arc_first=ints,
        node_arcs=ints,
        lam_start=ints,
        low_length=0,
        stride=0,
        scale=0.0,
    )
    plan_exact(problem, 0, len(bits))
    return problem.method.reshape(-1, 2), problem.front.reshape(-1, 2)


def charge_run(mrf: BinaryMRF, part: Partition, which: Variant, schedule: str, account: Account) -> Line:
    """Charge what a run takes from its beginning on.

    Raises
    ------
    TooLargeError
        If it does not fit; then nothing is charged.
    """
    dims = _dimensions(mrf, _coupled(mrf, part))
    needs, looking = _needs(dims, which), memory.workspace_bytes(dims, 1, exact=True, deepest=1)
    name = f"{mrf.name}, M = {part.max_size}, variant {which.number}, {schedule}"
    # Where possible room is kept for looking at the run, also when its rows have taken all the rest.
    line = account.open(name, needs | {memory.LOOKING: looking}) or account.open(name, needs)
    if line is None:
        raise _too_large(mrf, part, which, needs, account)
    return line


def _too_large(
    mrf: BinaryMRF, part: Partition, which: Variant, needs: dict[str, int], account: Account
) -> TooLargeError:
    needed, room = sum(needs.values()), account.free
    fits = largest_fit(mrf, part, which, room)
    advice = f"M = {fits} would fit" if fits else "cut it into smaller groups"
    largest = sorted(needs, key=lambda what: -needs[what])[:2]
    parts = " and ".join(f"{storage(needs[what])} for {what}" for what in largest)
    limit = f"the limit of {storage(account.limit)}"
    if needed <= account.limit:
        limit = f"the {storage(room)} that other runs leave of {limit}"
    return TooLargeError(
        f"groups of up to {part.max_size} variables need {storage(needed)} ({parts} among it), more than {limit}; "
        f"{advice}",
        needed,
        room,
        fits,
    )


def largest_fit(
    mrf: BinaryMRF,
    part: Partition,
    which: int | Variant,
    room: int,
    cut: Callable[[BinaryMRF, int, str | None], Partition] = partition,
) -> int | None:
    """The largest M, cut by the strategy of ``part``, whose run can begin with ``room`` bytes.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
        What does not fit; one made by hand is replaced by the model's default strategy.
    which : int or Variant
    room : int
        Bytes.
    cut : callable
        As `partition`, which it is by default.
    """
    strategy = part.strategy if part.strategy != "manual" else None
    for max_size in range(part.max_size - 1, 0, -1):
        # A full group alone takes so much: its energies, their total and a message. Where no group is full, the cut
        # is that of a smaller M.
        if 3 * memory.WORD << max_size > room:
            continue
        if required_bytes(mrf, cut(mrf, max_size, strategy), which) <= room:
            return max_size
    return None


@lru_cache(maxsize=1)
def _seconds_per_entry() -> float:
    """How long one entry of one pass takes on this machine: the best of many short passes."""
    bits = 12
    lam, fold = np.zeros(1 << bits), np.empty((4, 1 << LOW_BITS))
    stride = (1 << LOW_BITS) + (1 << (bits - LOW_BITS))
    table = np.zeros(4 * stride)
    best = np.inf
    for _ in range(200):
        begin = time.perf_counter()
        affine_max4(lam, 0, bits, table, 0, stride, 2 * stride, 3 * stride, 1 << LOW_BITS, fold)
        best = min(best, time.perf_counter() - begin)
    return best / (4 << bits)
