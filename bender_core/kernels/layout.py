"""The arrays that kernels share, and the names of their slots.

Everything a run consists of lives in these tuples of arrays, so that the compiled loop can stop anywhere
and go on later, and Python can grow an array by building a new tuple.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# An affine function of b bits is stored as a table over the low bits and one over the high bits; its value
# at y is low[y & 255] + high[y >> 8]. The low half stays in the first-level cache during a pass.
LOW_BITS = 8
# Entries that a step of the loop reads at most, about: 10 ms. What takes more comes back in between and goes on.
STEP = 1 << 23


class Problem(NamedTuple):
    """The hyper-graph, read-only. Arc ``2 e + s`` carries the message of hyper-edge e into its node s."""

    size: Ints  # (G,) members of each group
    phi: Floats  # flat: energy of every state of every group
    phi_start: Ints  # (G,)
    edge_node: Ints  # (E, 2) groups joined, the lower first
    edge_weight: Floats  # (E,) sum of |theta| over the couplings of the edge
    bits: Ints  # (2 E,) active bits of the receiver of each arc (see kernels.projection)
    lens_start: Ints  # (2 E,) where the projection tables of an arc begin
    lens: Ints  # flat: the active state of every low state, then what every high state adds
    coupling_start: Ints  # (E + 1,)
    coupling_bit: Ints  # (K, 2) the active bit on either side
    coupling_entry: Ints  # (K, 2) the state pair that pays
    coupling_weight: Floats  # (K,) |theta| of that pair
    charge: (
        Floats  # (2 E, most members, 2) for every arc, active bit and value of the receiver: |theta| that may pay there
    )
    form_start: Ints  # (2 E,) where an arc's forms begin
    form: Floats  # flat: -phi_pq as affine functions of the sender's bits (see kernels.coupling)
    method: Ints  # (2 E,) how exact min-marginals are computed, see Method (kernels.exact)
    elimination: Ints  # (2 E, most active bits) the order in which the sender's bits would be eliminated
    front: Floats  # (2 E,) entries of the largest table of that elimination, 0 where it is not the method
    arc_first: Ints  # (G + 1,) CSR over node_arcs
    node_arcs: Ints  # (2 E,) the arcs that each group receives
    lam_start: Ints  # (2 E,) where an arc's table begins in State.lam
    low_length: int  # room for a low table
    stride: int  # room for a low and a high table
    scale: float  # how much energy is at stake (see hypergraph.energy_scale): what tolerances are relative to


class Rule(NamedTuple):
    """What the schedule and the variant ask for."""

    order: Ints  # (positions of a sweep,) the groups as a sweep visits them
    rank: Ints  # (G,) the place of each group in that order
    alternating: bool  # forward and back (srmp), or always forward (mplp)
    forest: bool  # whether the hyper-graph has no cycle
    exact: bool
    enumerated: bool  # exact, by enumeration whatever it costs
    everywhere: bool
    cuts: Ints  # the kinds of Magnanti-Wong rows that go on the loosest edge
    deepest: int  # at how many states of a group its envelope is made tight at most (see kernels.deepening)
    improving: bool  # improve the decoded labellings, in every direction of a sweep
    tolerance: float
    max_sweeps: int
    constant: float


class State(NamedTuple):
    """The position of a run between two node updates."""

    cursor: Ints  # see Cursor
    bound: Floats  # see Bound
    lam: Floats  # flat: the dual table of every arc
    node_bound: Floats  # (G,) lambda_p
    edge_bound: Floats  # (E,) lambda_pq
    decoded: Ints  # (G,) the state each group decodes to
    best: Ints  # (G,) the best joint labelling so far
    row_first: Ints  # (E,) first row of each edge, -1 if none
    row_last: Ints  # (E,)
    slack: Floats  # (2 E,) looseness of each arc at its minimiser when the oracle last looked; NaN before
    written: Ints  # (2 E,) the event that wrote the table of each arc last, -1 at the start: the version of that table


class Pool(NamedTuple):
    """Benders rows, append-only. Row r is ``phi_pq(y_p, y_q) >= -u(y_p) - v(y_q)``."""

    table: Floats  # flat: u then v, each a low and a high table, per row
    edge: Ints
    side: Ints  # the side (0: p, 1: q) whose minimiser the row was made at
    anchor: Ints  # that minimiser
    kind: Ints
    born: Ints  # index of the event that added it
    next: Ints  # next row of the same edge, -1 at the end
    intercept: Floats  # (rows, 2) beta_0 for the message into either side, at the version of the messages in `version`
    version: Ints  # (rows, 2) see kernels.rows.has_intercept
    share: Floats  # (rows, most active bits, 2) beta_3 / Q: the part of what could be paid in u at a bit and value of v


class Workspace(NamedTuple):
    """Scratch of the node being updated; worthless between two nodes."""

    nu: Floats  # (largest degree, most states) the (envelope of the) min-marginals, over active states
    sent: Floats  # (largest degree, most states) what the senders bring, where they have idle bits
    rise: Floats  # (most states,) how much a new row raised an envelope
    total: Floats  # (most states,) phi_p + sum of nu; infinite at the states `visited`
    visited: Ints  # (Rule.deepest,) states at which the envelope is tight, while deeper ones are seen to
    oracle: Floats  # (largest degree,) true min-marginals at the minimiser
    table: Floats  # (4 * stride,) affine tables
    fold: Floats  # (4, low_length)
    block: Floats  # (low_length,)
    slope: Floats  # (most members,)
    total_slope: Floats  # (most members,)
    capacity: Floats  # (most active bits, 2) Q of a Magnanti-Wong cut
    payment: Floats  # (most active bits, 2) its beta_3
    cut: Floats  # flat: the active set of a Magnanti-Wong cut
    trial: Ints  # (G,) a labelling being improved
    candidate: Ints  # (G,) the best that the search has come by since it began
    pull: Floats  # (G, most members) by how much the neighbours' states make a member prefer 0
    gain: Floats  # (G, most members) what flipping a member of `trial` adds to its energy
    tabu: Ints  # (G, most members) a member is not flipped before so many flips are made
    search: Ints  # see Search
    energy: Floats  # (2,) of `trial` and of `candidate`, while searching
    frame: Floats  # (1 + most active bits, stride) all candidates of a pruning (see kernels.prune)
    centre: Floats  # (stride,) their values at the centre of a box
    lists: Floats  # flat: the candidates that survive, box in box
    level: Ints  # (boxes in each other, 3) where a list begins, its length, and the halves already done
    worthwhile: Ints  # (1,) whether pruning costs less than enumerating, so far
    progress: Ints  # how far the message being made is, see Progress
    margin: Floats  # (most candidates,) by how much a pivot leaves a chance
    found: Ints  # (most states,) candidates that survive, or states to be enumerated
    front: Floats  # a table of an elimination (see kernels.eliminate)
    back: Floats  # the one that it is turned into
    place: Ints  # (most active bits,) where a bit is moved
    low_place: Ints  # (low_length,) where the low bits of a state are moved
    high_place: Ints  # (stride - low_length,)


class Events(NamedTuple):
    """What happened, one entry a column (method.md, sections 2 and 3)."""

    kind: Ints
    sweep: Ints
    node: Ints
    arc: Ints  # -1 where no arc is concerned
    row: Ints  # -1 where no row is concerned
    cut: Ints  # the kind of that row, -1 where no row is concerned
    state: Ints  # the state y* at which the node's envelope is made tight: its minimiser, or a deeper one
    depth: Ints  # states before y*; closing a sweep: at how many envelopes shall be tight; finished: the Status
    rows: Ints  # rows in use after the event
    value: Floats  # what the event found: the truth at y* (opened, oracle: summed; row: one edge), or the bound
    before: Floats  # what stood there before: the envelope at y*, or the earlier bound
    lower_bound: Floats
    upper_bound: Floats


class Cursor(IntEnum):
    """Slots of State.cursor."""

    PHASE = 0
    SWEEP = 1
    POSITION = 2  # index into Rule.order
    SLOT = 3  # which arc of the node is being opened
    BEGUN = 4  # whether the message of SLOT, or its row, has been begun; the workspace says how far it is
    EVENTS = 5
    ROWS = 6  # rows in use
    PLANNED = 7  # rows written, not yet in use
    MINIMISER = 8  # y*: where the envelope of the open node is made tight
    LOOSE = 9  # slot of the loosest edge
    STATUS = 10
    DEPTH = 11  # at how many states of a group its envelope is made tight
    VISITED = 12  # at how many of the open node's it is
    CUT = 13  # how many Magnanti-Wong rows of SLOT are planned
    ROUND = 14  # of the descent from a labelling
    MOVED = 15  # whether that round has found a better labelling
    SEARCHES = 16  # from the labelling decoded last
    CREDIT = 17  # entries that may still be read in search of better labellings (see advance.SHARE)


class Progress(IntEnum):
    """Slots of Workspace.progress: how far a message is that is made bit by bit."""

    NEXT = 0  # the row to recycle next, or the first state whose min-marginal is not known; -1 when all is done
    PART = 1  # elimination: bits that are gone; pruning: 1 + the open bits of the box being halved, 0 between boxes
    SPENT = 2  # pruning: entries read for the box at NEXT
    DEPTH = 3  # pruning: of the part of that box being looked at
    STATE = 4  # pruning: first state of that part
    LIMIT = 5  # about so many entries are read before the kernel comes back; set once, see STEP


class Search(IntEnum):
    """Slots of Workspace.search."""

    MEMBERS = 0  # of all groups
    FLIPS = 1
    LATEST = 2  # the flip that led to `Workspace.candidate`
    DICE = 3  # the last random number


class Bound(IntEnum):
    """Slots of State.bound. Energies without the model's constant."""

    LOWER = 0
    UPPER = 1
    DECODED = 2  # energy of State.decoded
    SWEEP_START = 3  # the lower bound when the sweep began
    BEST_DECODED = 4  # the least energy of State.decoded so far: the paper's upper bound


class Phase(IntEnum):
    """What the loop does next."""

    OPEN = 0
    ORACLE = 1
    PLAN = 2
    APPLY = 3
    PASS = 4
    SWEEP = 5
    FOLLOW = 6
    DESCEND = 7
    SEARCH = 8
    REPORT = 9
    FINISH = 10
    DONE = 11


class Kind(IntEnum):
    """Kinds of events."""

    NODE_OPENED = 0
    ORACLE = 1
    ROW = 2
    MESSAGE = 3
    SWEEP = 4
    FINISHED = 5


class Status(IntEnum):
    """Why a run is not going on, or that it is."""

    RUNNING = 0
    GAP_CLOSED = 1
    NO_PROGRESS = 2
    SWEEP_LIMIT = 3
    MEMORY_LIMIT = 4


class Method(IntEnum):
    """How the exact min-marginals of an arc are computed."""

    ENUMERATE = 0
    ELIMINATE = 1
    PRUNE = 2


class RowKind(IntEnum):
    """How a row was made: by which cut."""

    RMC = 0  # reverse Magnanti-Wong
    MWC_0 = 1  # Magnanti-Wong with alpha = 0, see cut_kind
    MWC_HALF = 2
    MWC_1 = 3


def cut_kind(alpha: float) -> RowKind:
    """The kind of a Magnanti-Wong row of a given alpha: 0, one half or 1."""
    return RowKind(1 + round(2 * alpha))


class Until(IntEnum):
    """Where a call of the loop shall stop at the latest."""

    EVENT = 0
    ROW = 1
    NODE = 2
    SWEEP = 3
    NEVER = 4


class Goal(IntEnum):
    """Slots of the goal array of one call."""

    UNTIL = 0
    EVENT_LIMIT = 1  # stop when that many events have happened
    SWEEP_LIMIT = 2  # stop when that many sweeps are complete
    BUDGET = 3  # stop after about so many table entries read
    SPENT = 4


class Outcome(IntEnum):
    """What a call of the loop returns."""

    REACHED = 0
    BUDGET_SPENT = 1
    NEED_EVENTS = 2
    NEED_ROWS = 3
    FINISHED = 4
    NOT_TIGHT = 5  # internal error: a new row is not tight at its own minimiser
