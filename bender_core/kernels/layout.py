"""What kernels share: the arrays of a run, grouped by what belongs together, and the names of their values.

Everything a run consists of lives in these tuples, so that the compiled loop can stop anywhere and go on later, and
Python can grow an array by building a new tuple. What changes and is a single number is a field of a `Record`.

States are integers: bit k of a state of a group is the value of member k. A *node* is a group, an *edge* a pair of
coupled groups; arc ``2 e + s`` carries the message of edge e into its end s, the *receiver*, from the other end, the
*sender*. Letters in shapes: G groups, E edges, K couplings between groups.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from operator import itemgetter
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bender_core.kernels._reference import by_reference

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# An affine function of b bits is a table over the low bits followed by one over the high bits: its value at y is
# g[y & 255] + g[n_low + (y >> 8)] (see kernels.tables). The low half stays in the first-level cache during a pass.
LOW_BITS = 8
# Entries that a step of the loop reads at most, about: 10 ms. What takes more comes back in between and goes on.
STEP = 1 << 23


def _setter(name: str) -> Callable[[Record, float], None]:
    return lambda record, value: record.__setitem__(name, value)


if TYPE_CHECKING:

    class _Void:
        """What is used of `numpy.void`, whose stub allows no subclass."""

        nbytes: int

        def __getitem__(self, name: str) -> float: ...
        def __setitem__(self, name: str, value: float) -> None: ...
        def copy(self) -> Self: ...

else:
    _Void = np.void


class Record(_Void):
    """Numbers that change, by name: a NumPy record whose class says which fields it has, each an int or a float.

    Kernels read and write the fields of a record in place.
    """

    _layout: ClassVar[np.dtype[np.void]]

    def __init_subclass__(cls) -> None:
        """Make a property of every field declared."""
        kinds = {name: np.float64 if kind == "float" else np.int64 for name, kind in cls.__annotations__.items()}
        # Always the same object: compiled code recognises a record by it.
        cls._layout = np.dtype((cls, list(kinds.items())))
        for name in kinds:
            setattr(cls, name, property(itemgetter(name), _setter(name)))

    @classmethod
    def zeros(cls) -> Self:
        """A record of zeros."""
        record: Self = np.zeros(1, cls._layout)[0]
        return record

    @classmethod
    def width(cls) -> int:
        """The bytes of a record."""
        return cls._layout.itemsize

    def assign(self, source: Self) -> None:
        """Give every field the value that it has in another record."""
        for name in self._layout.names or ():
            self[name] = source[name]


# -- what is solved -----------------------------------------------------------------------------------------------


@by_reference
class Couplings(NamedTuple):
    """Couplings in normal form, sorted by the edge of groups that they belong to."""

    first: Ints  # (E + 1,) where those of an edge begin
    bit: Ints  # (K, 2) the active bit on either side (see kernels.tables.projection)
    entry: Ints  # (K, 2) the state pair that pays
    weight: Floats  # (K,) |theta| of that pair


@by_reference
class Projections(NamedTuple):
    """From the states of a receiver to those of its active bits (see kernels.tables.projection)."""

    first: Ints  # (2 E,) where the tables of an arc begin
    table: Ints  # flat: the active state of every low state, then what every high state adds


@by_reference
class Forms(NamedTuple):
    """``-phi_pq`` of every arc as affine functions of the sender's bits (see kernels.tables.coupling)."""

    first: Ints  # (2 E,) where those of an arc begin
    table: Floats  # flat: (constant, slopes) of every low state of the receiver, then what every high state adds


@by_reference
class Methods(NamedTuple):
    """How exact min-marginals are computed (see kernels.min_marginals.exact)."""

    method: Ints  # (2 E,) see `Method`
    order: Ints  # (2 E, most active bits) in which the sender's bits would be eliminated
    largest: Floats  # (2 E,) entries of the largest table of that elimination, 0 where it is not the method


@by_reference
class Problem(NamedTuple):
    """The hyper-graph, read-only."""

    size: Ints  # (G,) members
    phi: Floats  # flat: the energy of every state of every group
    phi_first: Ints  # (G,) where the table of a group begins
    arc_first: Ints  # (G + 1,) CSR over node_arcs
    node_arcs: Ints  # (2 E,) the arcs that each group receives
    edge_node: Ints  # (E, 2) groups joined, the lower first
    edge_weight: Floats  # (E,) sum of |theta| over the couplings of the edge
    bits: Ints  # (2 E,) active bits of the receiver of each arc
    lam_first: Ints  # (2 E,) where the table of an arc begins in State.lam
    weight_at: Floats  # (2 E, most active bits, 2) the weight of the couplings that may pay at a bit and its value
    couplings: Couplings
    projections: Projections
    forms: Forms
    methods: Methods
    scale: float  # how much energy is at stake (see forms.scale.energy_scale): what tolerances are relative to
    gap_scale: float  # the same for gaps: 0 where rounding hides whether they are closed


@by_reference
class Rule(NamedTuple):
    """What the schedule and the variant ask for."""

    order: Ints  # (positions of a sweep,) the groups as a sweep visits them
    rank: Ints  # (G,) the place of each group in that order
    alternating: bool  # forward and back (srmp), or always forward (mplp)
    forest: bool  # whether the hyper-graph has no cycle
    exact: bool  # messages are exact: no rows
    enumerated: bool  # exact, always by enumeration
    everywhere: bool  # RMC rows on every loose edge, not only on the loosest
    cuts: Ints  # the kinds of Magnanti-Wong rows that go on the loosest edge
    deepest: int  # at how many states of a group its envelope is made tight at most (see kernels.deepening)
    improving: bool  # improve the decoded labellings, in every direction of a sweep
    tolerance: float
    max_sweeps: int
    constant: float
    excluding: bool  # strike off states that no better labelling takes (see kernels.rounds),
    margin: float  # with which every labelling costs as much as the best one plus this


# -- where a run is -----------------------------------------------------------------------------------------------


class Cursor(Record):
    """What the loop does next, and its progress."""

    phase: int  # see `Phase`
    sweep: int
    position: int  # index into Rule.order
    slot: int  # which arc of the node is being opened
    begun: int  # whether the message of that slot, or its row, has been begun; its progress is in the workspace
    events: int
    rows: int  # in use
    planned: int  # rows written, in use or not yet
    state: int  # y*: where the envelope of the open node is made tight
    loosest: int  # slot of the loosest edge
    status: int  # see `Status`
    depth: int  # at how many states of a group its envelope is made tight
    visited: int  # at how many of the open node's it is
    cut: int  # how many Magnanti-Wong rows of the slot are planned
    rounds: int  # of the descent from a labelling
    moved: int  # whether that round has found a better labelling
    searches: int  # from the labelling decoded last
    changes: int  # in State.changed; -1: unknown, the two may differ anywhere
    credit: int  # entries that may still be read in search of better labellings (see kernels.costs)
    read: int  # entries read since the start


class Bounds(Record):
    """Energies without the model's constant."""

    lower: float
    upper: float
    decoded: float  # of State.decoded
    decoded_rest: float  # what rounding has taken from it
    sweep_start: float  # the lower bound when the sweep began
    best_decoded: float  # the least energy of State.decoded so far: the paper's upper bound


@by_reference
class State(NamedTuple):
    """The position of a run between two node updates."""

    cursor: Cursor
    bounds: Bounds
    lam: Floats  # flat: the dual table of every arc
    node_bound: Floats  # (G,) lambda_p
    edge_bound: Floats  # (E,) lambda_pq
    decoded: Ints  # (G,) the state each group decodes to
    best: Ints  # (G,) the best joint labelling so far
    changed: Ints  # (G,) groups decoded anew since the best labelling was the decoded one
    row_first: Ints  # (E,) first row of each edge, -1 if none
    row_last: Ints  # (E,)
    slack: Floats  # (2 E,) looseness of each arc at its minimiser when the oracle last looked; NaN before
    written: Ints  # (2 E,) the event that wrote the table of each arc last, -1 at the start: the version of that table
    alive: Bools  # (all states of all groups,) not struck off; (0,) if none is excluded
    read: Ints  # (2 E,) entries read for the message of each arc since the start


@by_reference
class Pool(NamedTuple):
    """Benders rows, append-only. Row r is ``phi_pq(y_p, y_q) >= -u(y_p) - v(y_q)``."""

    table: Floats  # (rows, 2, stride) what the row charges either end: u and v as affine functions of its active bits
    edge: Ints
    side: Ints  # the side (0: p, 1: q) whose minimiser the row was made at
    anchor: Ints  # that minimiser
    kind: Ints  # see `RowKind`
    born: Ints  # index of the event that added it
    next: Ints  # next row of the same edge, -1 at the end
    intercept: Floats  # (rows, 2) beta_0 for the message into either side, at the version of the messages in `version`
    version: Ints  # (rows, 2) see kernels.rows.pool.has_intercept
    share: (
        Floats  # (rows, most active bits, 2) beta_3 / Q: fraction of capacity Q charged to u, per sender bit and value
    )


@by_reference
class Events(NamedTuple):
    """What happened, one entry a column (docs/method.md §10.1)."""

    kind: Ints  # see `Kind`
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
    floor: Floats  # NaN where there is none, see kernels.rounds
    ceiling: Floats
    suspects: Ints  # -1 where they are not counted


# -- scratch ------------------------------------------------------------------------------------------------------


class MessageProgress(Record):
    """The progress of a message that is computed piece by piece."""

    next: int  # the row to recycle next, or the first state whose min-marginal is not known; -1 when all is done
    part: int  # elimination: bits that are gone; pruning: 1 + the open bits of the box being halved, 0 between boxes
    spent: int  # pruning: entries read for the box at `next`
    depth: int  # pruning: of the part of that box being looked at
    state: int  # pruning: first state of that part
    worthwhile: int  # whether pruning costs less than enumerating, so far
    limit: int  # entries read, about, before the kernel comes back; set once, see STEP


@by_reference
class Scan(NamedTuple):
    """Running optima of a pass, one a low state (see kernels.tables.affine)."""

    best: Floats  # (4, low states)
    where: Floats  # (low states,) the high state of each


class CutPoint(Record):
    """Where the active-set method of a Magnanti-Wong cut is (see kernels.rows). Sets of bits are integers."""

    pivots: int
    origin: int  # the state y0 that attains the oracle's value when everything is paid
    free: int  # the bits that are at neither limit
    full: int  # those at the upper one
    fixed: int  # those without capacity
    count: int  # of active rows
    bit: int  # whose limit is the constraint to be added; -1 if it is a row
    members: int  # the set of that constraint
    sign: float  # of its normal
    needed: float  # its right-hand side
    violation: float
    multiplier: float
    intercept: float  # the oracle's value
    magnitude: float  # of the numbers involved: what slacks are relative to
    attained: float  # by y0, when everything is paid
    pull: float  # of the linear part, c


@by_reference
class CutRoom(NamedTuple):
    """Scratch of a Magnanti-Wong cut."""

    point: CutPoint
    capacity: Floats  # (most active bits, 2) Q: what the receiver's side may pay, per bit and value of the sender
    payment: Floats  # (most active bits, 2) beta_3: what it pays
    z: Floats  # (most active bits,) what it pays at the value that y0 does not take
    cap: Floats  # (most active bits,) upper limits of z; the lower limits are 0
    price: Floats  # (most active bits,) multiplier of the limit that a bit which is not free is held at
    normal: Floats  # (most active bits,) of the constraint to be added
    step: Floats  # (most active bits,) what the active set leaves of it
    slope: Floats  # (most active bits,)
    members: Ints  # (most active bits,) the set of every active row
    needed: Floats  # (most active bits,) its right-hand side
    weight: Floats  # (most active bits,) its multiplier
    rate: Floats  # (most active bits,) how fast that falls as the new constraint's rises
    part: Floats  # (most active bits,)
    factor: (
        Floats  # (most active bits, most active bits) Cholesky factor of the active rows' Gram matrix, free bits only
    )
    table: Floats  # (stride,) an affine function
    scan: Scan


@by_reference
class PruneRoom(NamedTuple):
    """Scratch of pruning (see kernels.min_marginals.prune)."""

    candidates: Floats  # (1 + most active bits, stride) constants and half slopes of all candidates
    centre: Floats  # (stride,) their values at the centre of a box
    lists: Floats  # flat: the candidates that survive, box in box
    level: Ints  # (boxes in each other, 3) where a list begins, its length, and the halves already done
    margin: Floats  # (most candidates,) by how much a pivot leaves a chance
    found: Ints  # (most candidates,) those that survive


@by_reference
class EliminateRoom(NamedTuple):
    """Scratch of elimination (see kernels.min_marginals.eliminate)."""

    table: Floats  # (2, entries of the largest table) the present table, and the one that it is turned into
    place: Ints  # (most active bits,) where a bit is moved
    low_place: Ints  # (low states,) where the low bits of a state are moved
    high_place: Ints  # (high states,)


class SearchPoint(Record):
    """The progress of a search for better labellings."""

    members: int  # of all groups
    flips: int
    latest: int  # the flip that led to SearchRoom.candidate
    dice: int  # the last random number
    energy: float  # of SearchRoom.trial
    least: float  # of SearchRoom.candidate


@by_reference
class SearchRoom(NamedTuple):
    """Scratch of a search for better labellings (see kernels.primal)."""

    point: SearchPoint
    trial: Ints  # (G,) a labelling being improved
    candidate: Ints  # (G,) the best found since the search began
    pull: Floats  # (G, most members) by how much the neighbours' states make a member prefer 0
    gain: Floats  # (G, most members) what flipping a member of `trial` adds to its energy
    tabu: Ints  # (G, most members) a member is not flipped before this number of flips is made


class Rounds(Record):
    """What the rounds of an update have found (see kernels.rounds); energies are totals of the node."""

    base: float  # what the rest of the bound amounts to, the model's constant included
    least: float  # the least total by the envelopes: the floor, less `base`
    exact: float  # the least exact total so far: the ceiling, less `base`
    cheapest: int  # the state that has it, -1 before the first answer
    suspects: int  # states whose total is below it; -1 before the first answer


@by_reference
class Workspace(NamedTuple):
    """Scratch of the node being updated; without meaning between two updates."""

    nu: Floats  # (largest degree, most active states) the (envelope of the) min-marginals of every slot
    incoming: Floats  # (largest degree, most projected states) what senders with idle bits bring (see kernels.tables)
    oracle: Floats  # (largest degree,) true min-marginals at the minimiser
    rise: Floats  # (most projected states,) how much a new row raised an envelope
    total: Floats  # (most states,) phi_p + sum of nu; infinite at the states `visited`
    visited: Ints  # (Rule.deepest or fewer,) states at which the envelope is tight, while deeper ones are seen to
    rounds: Rounds
    progress: MessageProgress
    table: Floats  # (4, stride) affine functions of active bits
    whole: Floats  # (a low and a high table of the largest group,) one of all bits of a group
    slope: Floats  # (most members,)
    total_slope: Floats  # (most members,)
    chosen: Ints  # (most active states,) states that are enumerated in one go
    scan: Scan
    cut: CutRoom
    prune: PruneRoom
    eliminate: EliminateRoom
    search: SearchRoom


class Message(NamedTuple):
    """A message being computed."""

    arc: int
    incoming: Floats  # (2^active bits of the sender,) what the sender brings
    nu: Floats  # (2^active bits of the receiver,) its (envelope of the) min-marginals


class Goal(Record):
    """How far a call of the loop may go, and the work it has done."""

    until: int  # see `Until`
    event_limit: int  # stop when that many events have happened
    sweep_limit: int  # stop when that many sweeps are complete
    budget: int  # stop after about this number of table entries read
    spent: int


@by_reference
class Run(NamedTuple):
    """All that a run consists of."""

    problem: Problem
    rule: Rule
    pool: Pool
    state: State
    work: Workspace
    events: Events
    goal: Goal


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
    """Why a run has stopped, or that it can continue."""

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
    MWC_0 = 1  # Magnanti-Wong with alpha = 0
    MWC_HALF = 2
    MWC_1 = 3


class Until(IntEnum):
    """Where a call of the loop shall stop at the latest."""

    EVENT = 0
    ROW = 1
    ROUND = 2
    NODE = 3
    SWEEP = 4
    NEVER = 5


class LoopEnd(IntEnum):
    """What a call of the loop returns."""

    REACHED = 0
    BUDGET_SPENT = 1
    NEED_EVENTS = 2
    NEED_ROWS = 3
    FINISHED = 4
    NOT_TIGHT = 5  # internal error: a new row is not tight at its own minimiser
