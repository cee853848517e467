"""The data that Python and the stage exchange: Python sends `Stage`, the stage sends `Command`.

None: unknown. Lists of one record that belong together have one entry per item.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from bender_core.kernels.layout import Kind, Method, RowKind
from bender_core.trying.clock import Beat
from pages._shared.app.protocol import Bounds, Colour, Count, Energy, Excess, Share
from pages._shared.watch.meeting import Where
from pages._shared.watch.moments import Goal

# The number of an event, from 0, and a position: k, where the first k events have happened.
EventNumber: TypeAlias = Count
Position: TypeAlias = Count
# 2e: the message of edge e into its first group; 2e + 1: that into its second.
Arc: TypeAlias = Count
# A state of a group: bit k is its member k.
State: TypeAlias = Count
# The same, or -1 for none; also of groups.
OrNone: TypeAlias = Annotated[int, Bounds(least=-1)]
# From 1.
Rank: TypeAlias = Annotated[int, Bounds(least=1)]
KindOfEvent: TypeAlias = Annotated[int, Bounds(among=tuple(Kind))]
KindOfRow: TypeAlias = Annotated[int, Bounds(among=tuple(RowKind))]
# A state, a digit per member, member 0 first.
Bits: TypeAlias = Annotated[str, Bounds(pattern="[01]+")]
# For every member of a group the value that all better labellings have; ?: not decided so far.
Decided: TypeAlias = Annotated[str, Bounds(pattern="[01?]+")]
# Values that have changed, by the number of a group, an edge or a message; all others are unchanged.
Excesses: TypeAlias = dict[str, Excess]
Order: TypeAlias = Literal["cost", "nu", "slack"]

# -- events -----------------------------------------------------------------------------------------------------


class Tension(TypedDict):
    """The cost of the best labelling in each part beyond its term of the bound; the sum is the gap."""

    groups: list[Excess]
    edges: list[Excess]


class Gained(TypedDict):
    """By how much each part has raised the lower bound since the start of the run; the sum is its rise."""

    messages: list[Excess]  # of every arc: by new rows
    groups: list[Excess]  # by recomputed messages, from old rows or exactly


class Moved(TypedDict):
    """The changes by an event, by number of the group or edge."""

    groups: Excesses  # tensions
    edges: Excesses
    best: dict[str, State]  # states of groups in the best labelling
    decided: dict[str, Decided]


class Credited(TypedDict):
    """The credits given by an event."""

    groups: Excesses
    messages: Excesses


class Dead(TypedDict):
    """The states known to be in no labelling better than the best one."""

    count: Count
    states: list[State]  # those among the columns


class Tail(TypedDict):
    """All states by rank, where not all are columns: about 60 points, both ends among them."""

    rank: list[Rank]  # rising; their logarithms are spread evenly
    g: list[Energy]  # the ground there, rising


class Reply(TypedDict):
    """The sender's best answer to a state."""

    state: State
    bits: Bits


class Replies(TypedDict):
    """The senders' answers to a state, an entry per slot."""

    nu: list[Energy]  # the true min-marginal there
    answers: list[Reply]


class AtState(Replies):
    """The same, with the state."""

    y: State


class Insert(TypedDict):
    """A new column for a state that was not among them."""

    at: Count  # its place among the columns; those from there on move by one
    state: State
    bits: Bits
    own: Energy
    parts: list[Energy]  # of every slot, now
    opening: Energy  # g at the start of the update, which decides its place


class Opened(TypedDict):
    """NODE_OPENED: state y of the group p costs at least g(y) = rest + own(y) + Σ part(y), a part per slot."""

    count: Annotated[int, Bounds(least=1)]  # of states of p
    rest: Energy  # the rest of the lower bound; constant during an update
    arcs: list[Arc]  # of every slot the message into p,
    senders: list[Count]  # and the group that sends it
    states: list[State]  # the columns: the cheapest 24 by (g, state), with y* and `best` at their places
    bits: list[Bits]  # of each column
    own: list[Energy]  # the group's own energy, over the columns
    parts: list[list[Energy]]  # of every slot its envelope, over the columns
    best: State  # that of p in the best labelling
    dead: Dead
    tail: Tail | None


class Oracle(AtState):
    """ORACLE: the exact cost of the state y*."""

    insert: Insert | None
    exact: Energy  # rest + own + the sum of `nu`
    known: list[Energy]  # of every slot the envelope at y*, before the rows that follow


class Row(TypedDict):
    """ROW: the Benders row added. The message is nowhere below intercept − Σ u, a term per member."""

    slot: Count  # the message that it was made for
    kind: KindOfRow
    row: Count  # its number, over all edges
    insert: Insert | None
    intercept: Energy  # at the current messages
    values: list[Energy]  # the row, over the columns
    part: list[Energy]  # the slot's envelope after it, over the columns
    lifted: Count  # the number of states whose cost it raises
    u: list[Annotated[list[Energy], Bounds(shortest=2, longest=2)]]  # of every member its charge at 0 and at 1
    dead: Dead
    tail: list[Energy] | None  # the ground at the ranks of `Opened.tail`


class Parted(TypedDict):
    """The terms of the bound of the group and of its edges."""

    kept: Energy  # the group's own term
    shares: list[Energy]  # of every slot the term of its edge


class Message(Parted):
    """MESSAGE: the least cost of p, shared among p and its edges."""

    level: Energy  # the cost that is shared: floor − rest
    before: Parted
    ahead: list[bool]  # of every slot whether it takes a share: mplp all, srmp those to groups updated later


class ExactMessage(Message, AtState):
    """MESSAGE in an exact variant: also the senders' answers to the cheapest state."""


Detail: TypeAlias = Opened | Oracle | Row | Message | ExactMessage


class Columns(TypedDict):
    """Events, a column per field: entry k of every column belongs to event `first` + k."""

    kind: list[KindOfEvent]  # a ROW adds one to the rows of its arc
    node: list[OrNone]  # the group that was updated
    arc: list[OrNone]  # the message evaluated (ORACLE: the loosest) or the one that got a row
    sweep: list[Count]  # from 0
    updates: list[Count]  # the number of updates that have ended in this sweep
    total_rows: list[Count]  # rows in use after the event, of all edges
    state: list[OrNone]  # y* of the group
    depth: list[Count]  # states of the group before y*; SWEEP: states to be made tight; FINISHED: the status
    lower: list[Energy]  # lower bound after the event
    upper: list[Energy]  # energy of the best labelling known after the event
    floor: list[Energy | None]  # the least g(y) after the event, in units of the lower bound; None outside updates
    ceiling: list[Energy | None]  # the least exact cost found in this update; None before the first
    suspects: list[OrNone]  # the number of states with g below the ceiling; -1 before there is one
    sentence: list[str]  # the event in words
    moved: list[Moved | None]
    gained: list[Credited | None]
    read: list[dict[str, Count]]  # arcs read for since the previous event: all entries since the start
    proven: list[bool]  # whether the best labelling is proven; once true it stays true
    why: list[str]  # why it is proven, in words; empty if it is not
    least: list[Energy]  # the least energy possible by the lower bound: rounded up to a step
    detail: list[Detail | None]  # by the kind; None for SWEEP, FINISHED, and without memory to look


class Before(TypedDict):
    """The state before the first event of a chunk that does not start within an update; as in `Columns`."""

    rows: list[Count]  # of every arc the rows made for its message
    tension: Tension
    gained: Gained
    read: list[Count]  # of every arc the table entries read for its message since the start of the run
    best: list[State]  # of every group its state in the best labelling
    decided: list[Decided]  # of every group
    proven: bool
    why: str
    least: Energy
    lower: Energy
    upper: Energy


class Frames(TypedDict):
    """A chunk of events in a row."""

    first: EventNumber  # of the first of them; if there are none, the number that it would have
    before: Before | None  # None: they continue from event `first` - 1, which the stage reported to hold
    columns: Columns


# -- the run ----------------------------------------------------------------------------------------------------


class Rise(TypedDict):
    """Where the lower bound rose most."""

    event: Position  # after it
    gain: Energy


class History(TypedDict):
    """The bounds so far at a glance, thinned to a few hundred points."""

    event: list[Position]  # rising
    lower: list[Energy]
    upper: list[Energy]
    sweeps: list[Position]  # where sweeps end, rising
    gains: list[Energy]  # the rise of the lower bound in each of them
    updates: list[Position]  # where updates end, rising; empty if they are too many
    rise: Rise | None


class Running(TypedDict):
    """The progress of a run in the background; as in `Columns` and `Before`."""

    sweep: Count
    events: Count
    lower: Energy
    upper: Energy
    least: Energy
    total_rows: Count
    tension: Tension
    gained: Gained
    read: list[Count]
    rows: list[Count]
    history: History


class Exact(TypedDict):
    """The exact costs of some states of a group while it is updated."""

    opened: Position  # where the update was opened
    states: list[State]
    nu: list[list[Energy]]  # of every state the exact part of each neighbour


class Tightness(TypedDict):
    """How loose every edge was at a position, by a measure other than tension."""

    measure: Literal["mean", "largest", "loose"]
    at: Position
    values: list[Excess]  # of every edge, of its looser message, over all states: slack, energy; or the share not tight


class Verdict(TypedDict):
    """What holds the most of the gap."""

    edge: Count
    words: str  # its share, whether rows can lift it, and what merging its groups gains
    merges: bool  # whether they can be merged


class Lines(TypedDict):
    """The columns of the visible messages in the list; None: no memory to look, or not in this variant."""

    at: Position
    arcs: list[Arc]  # the messages; the other columns have an entry for each
    mean: list[Excess | None]  # slack over all states of the receiver
    largest: list[Excess | None]
    now: list[Excess | None]  # slack at the receiver's cheapest state
    disagreement: list[Excess | None]  # of the edge's tension: saved by the sender's best answer
    unclaimed: list[Excess | None]  # of it: what the message could claim in addition
    rows: list[Count | None]  # of the edge, which serve both of its messages
    alive: list[Count | None]  # those of them that are the envelope at some state
    verdict: Verdict | None  # None: not known yet, or there is no gap


class Stems(TypedDict):
    """The classes that are drawn, from left to right."""

    rank: list[Rank]  # among all classes
    bits: list[Bits]
    state: list[State]  # one of its states
    nu: list[Energy]  # the true min-marginal
    envelope: list[Energy]
    least: list[Energy]  # a lower bound on the cost of its cheapest state, in units of the bound
    tight: list[bool]
    row: list[OrNone]  # the number of the row that is the envelope; -1: there are none
    kind: list[Annotated[int, Bounds(among=(-1, *RowKind))]]  # of that row


class Cut(TypedDict):
    """A row that could be made."""

    kind: KindOfRow
    state: State  # where it is made
    here: Excess  # what it lifts the envelope by there,
    at_oracle: Excess  # at y*,
    mean: Excess  # and over all states, on average
    tightened: Count  # the number of states that it makes tight
    microseconds: Annotated[float, Bounds(least=0)]  # to make it
    pivots: Count


class MessageShown(TypedDict):
    """A message by classes of its receiver's states."""

    members: list[Count]  # the receiver's members that the message depends on
    states: Count  # of the receiver
    classes: Count  # states that differ in these members
    rows: Count  # of the edge
    alive: Count  # those that are the envelope at some class
    mean: Excess  # slack
    tight: Share  # of the states
    at_oracle: Count  # which of the stems is the class of y*,
    chosen: Count  # and which is looked at
    stems: Stems
    cuts: list[Cut] | None  # that could be made at the selected class; None: not known yet


class DrawerAbout(TypedDict):
    """The request that the drawer's content answers."""

    at: Position
    arc: Arc
    order: Order


class DrawerShown(DrawerAbout, MessageShown):
    """The content of the drawer."""


class DrawerRefused(DrawerAbout):
    """Why the drawer shows nothing."""

    refusal: str


Drawer: TypeAlias = DrawerShown | DrawerRefused

# -- the hyper-graph: the same for a whole run --------------------------------------------------------------------


class Inner(TypedDict):
    """The content of a large circle: its members, in a disc of radius 1, and their strongest couplings."""

    x: list[Annotated[float, Bounds(least=-1, most=1)]]
    y: list[Annotated[float, Bounds(least=-1, most=1)]]
    apart: Annotated[float, Bounds(least=0)]  # the least distance of two
    ends: list[Count]  # of the couplings, as pairs of members in a row
    weights: list[Energy]  # negative: they favour equal states
    left: Count  # the number of couplings left out


class Node(TypedDict):
    """A group."""

    label: str
    x: Share  # from the left
    y: Share  # from the top
    size: Annotated[int, Bounds(least=1)]  # its number of variables
    members: list[str]  # their names, in the order of the bits of its states
    colour: Colour
    inner: Inner | None


class Variables(TypedDict):
    """The variables."""

    x: list[float]
    y: list[float]
    names: list[str]
    group: list[OrNone]  # that decides each; none: its value is known
    bit: list[Count]  # in the states of that group
    spins: bool  # whether every coupling depends only on whether its ends are equal
    attractive: list[Count]  # the strongest couplings that favour equal states, as pairs of variables in a row
    repulsive: list[Count]  # those that favour different states
    left: Count  # the number of weaker couplings left out


class Solution(Variables):
    """The variables of the whole model; one that is tied to another is decided by the bit of that one."""

    value: list[Literal[0, 1]]  # of each if it is known, or where its bit is 0
    chapter: list[Count]  # the chapter before that has decided it, from 1; 0 if no chapter before has


class Objective(TypedDict):
    """The source's own terms: scale · energy + offset."""

    name: str
    sense: Literal["min", "max"]
    scale: float
    offset: float


class Graph(TypedDict):
    """The hyper-graph as it is drawn."""

    nodes: list[Node]
    edges: list[Annotated[list[Count], Bounds(shortest=2, longest=2)]]  # pairs of groups that are coupled
    key: str  # identifies this hyper-graph
    opening: str  # the state before the first event, in words
    solution: Solution | None  # None where variables are too many to be drawn
    variables: Variables | None  # None where they are too many to be drawn
    objective: Objective | None  # None where they are energies
    exact: bool  # whether min-marginals are exact, so that there are no rows
    methods: list[Annotated[int, Bounds(among=tuple(Method))]] | None  # exact variants: how messages are computed
    lessons: list[tuple[str, str]]  # for every kind of event the address and the title of the lesson that explains it
    slack_scale: Excess  # the slack or tension at the end of the colour scale
    scale: Excess  # the energy at stake, to which gaps are compared
    lower: Energy  # at the start
    upper: Energy


# -- the runs before ----------------------------------------------------------------------------------------------


class ForkedFrom(TypedDict):
    """The run that was shown before, if this one forked from it and is shown from its beginning: see `Passage`."""

    run: Count  # its number
    owner: tuple[OrNone, ...]
    leaving: tuple[tuple[Count, Count, OrNone, Count], ...]


class Parent(TypedDict):
    """The run that this one forked from, from there on."""

    name: str
    event: list[Count]  # since the fork, rising
    sweep: list[Annotated[float, Bounds(least=0)]]  # the number since the fork, with the share of one under way
    lower: list[Energy]


class Kept(TypedDict):
    """The best lower bound of the runs before a chapter, or of cycles."""

    lower: Energy
    least: Energy
    by: str  # what has proven it, in words


class Chapter(TypedDict):
    """A run that leads to the last one of the line."""

    summary: list[str]  # lines about it
    cycles: bool  # whether it begins with what cycles have proven
    kept: Kept | None  # None if there is none
    variables: Count  # of its model
    length: Position  # where the next one begins; of the last, as far as seen
    event: list[Position]  # at which its bounds follow, rising; of the run shown, `History` has more
    lower: list[Energy]
    upper: list[Energy]


class ReferenceLine(TypedDict):
    """A horizontal line in the chart of the bounds."""

    name: str
    energy: Energy


# -- the run bar --------------------------------------------------------------------------------------------------


class Option(TypedDict):
    """Something to choose."""

    value: str
    text: str
    title: str  # more about it; may be empty


class Choices(TypedDict):
    """What can be chosen."""

    models: list[tuple[str, list[Option]]]  # by kind
    strategies: list[Option]
    variants: list[Option]
    schedules: list[Option]
    most: Annotated[int, Bounds(least=1)]  # the largest M


class Chosen(TypedDict):
    """What makes a run; of a command only what was chosen anew."""

    model: NotRequired[str]
    M: NotRequired[int]
    strategy: NotRequired[str]
    variant: NotRequired[int]
    schedule: NotRequired[str]


class Bar(TypedDict):
    """The run bar."""

    now: Chosen  # of the run shown, or of the one that is being made
    largest: Annotated[int, Bounds(least=1)]  # the size of the largest group of the run shown
    making: str | None  # the progress of a run that is being made, in words
    refusal: str  # why the last one could not be made; empty if it could
    offer: Chosen | None  # what could be made instead
    before: str | None  # what distinguishes the run that was shown before, in words
    same: str  # a sentence if another M or strategy has made the same groups as before; else empty


# -- all together -------------------------------------------------------------------------------------------------


class Answer(TypedDict):
    """The answer to what the stage asked; nothing of it where the stage has it already."""

    position: NotRequired[Position]  # the position shown
    seen: NotRequired[Position]  # the farthest that was shown
    done: NotRequired[Position | None]  # the end
    status: NotRequired[str]  # why the run ended, in words
    frames: NotRequired[Frames]
    refusal: NotRequired[str]  # why the last update has no pictures; empty if it has
    history: NotRequired[History]
    exact: NotRequired[Exact | None]
    missed: NotRequired[str | None]  # why no moment was found; None: none was requested, or it was found


class Clocked(TypedDict):
    """A run on the clock of two."""

    name: str  # what distinguishes it from the run beside it, in words; empty if there is none
    begins: Count  # the complete sweeps before its beginning
    placed_at: Position | None  # the position of the run shown beside which it was placed; None: it has its own place


class Stretch(TypedDict):
    """The part of a run that is shown in a frame of another page."""

    begin: Position  # the first position shown
    end: Position | None  # the last one; None: where the run ends
    loops: bool  # whether it plays by itself, again and again
    run: str  # what makes the run, in words


class RunShown(Answer):
    """All data that the stage draws of a run."""

    run: Count  # the number of the run in this session
    clocked: Clocked
    model: str  # its name
    bar: Bar
    choices: Choices | None  # None if the stage holds them
    graph: Graph | None  # None if the stage said that it holds it
    called: OrNone  # the run that was last asked for below the stage: it comes into sight
    forked_from: ForkedFrom | None
    parent: Parent | None  # None if there is none, or if the stage holds it
    chapters: Annotated[list[Chapter], Bounds(shortest=1)] | None  # in order; None if the stage holds them
    chapter: Count  # which of them is shown
    proving: str | None  # the progress of a proof, in words; None if none is being made
    address: str  # the query that reopens this run; empty if there is none
    public: bool  # whether anybody can open it: no upload
    serial: Count  # the number of the command that is answered
    arc: OrNone  # that is pinned
    running: Running | None
    working: str | None  # the progress of the answer being computed, in words; None if it is here, or known
    failure: str | None  # why the run failed
    asking: bool  # whether a reference is being computed
    references: list[ReferenceLine]
    measuring: bool  # whether measurements are still being computed
    tightness: Tightness | None
    lines: Lines | None
    drawer: Drawer | None


class Greeting(TypedDict):
    """The update that shows somebody new how the bound rises."""

    begin: Count  # the position before its first event
    end: Count  # the position after its last


class Talk(TypedDict):
    """How far a talk has been given."""

    title: str
    count: Count  # its moments
    at: OrNone  # the one shown last
    turn: Count  # how many have been shown
    query: str  # the address of the one shown last
    note: str
    following: str  # the note of the next one


class Priced(TypedDict):
    """A variable of the whole model whose other value is priced."""

    variable: Count
    text: str  # the price, short
    words: str
    pending: bool  # whether it is still being computed


class Stage(RunShown):
    """All data that the stage draws."""

    beside: RunShown | None  # the run beside it
    has_same_groups: bool  # whether that has the same groups
    greeting: Greeting | None  # None if the session opened with a run of its own choice
    talk: Talk | None
    prices: list[Priced]
    stretch: Stretch | None  # what is shown in a frame of another page; None: this is no such frame


class DrawerAsked(TypedDict):
    """The content requested for the drawer."""

    arc: OrNone
    order: Order
    chosen: Annotated[str, Bounds(pattern="[01]*")]  # the selected class, a digit per coupled member; empty: that of y*


class RowAsked(TypedDict):
    """The row to insert."""

    arc: Arc
    state: State
    kind: KindOfRow


Measure: TypeAlias = Literal["tension", "mean", "largest", "loose"]


class EveryCommand(TypedDict):
    """The fields of every command of the stage."""

    do: Literal[
        "show",
        "step",
        "find",
        "run",
        "stop",
        "poll",
        "reference",
        "exact",
        "insert",
        "merge",
        "turn",
        "prove",
        "go",
        "choose",
        "back",
        "address",
        "pair",
        "alone",
        "join",
        "meet",
        "moment",
        "keep",
        "price",
    ]
    at: Position  # the position shown
    arc: OrNone  # that is pinned
    first: EventNumber  # the first event requested
    goes_on: bool  # whether the stage holds the one before `first`
    ahead: Count  # how many events after the one shown are wanted
    more: bool  # whether at least the first wanted is needed, as it plays
    has_graph: bool  # whether the stage has the hyper-graph
    answered: OrNone  # the latest command whose answer the stage has
    measure: Measure  # what colours the lines
    run: Count  # the number of the run that is meant
    serial: Count  # the number of the command


class RunCommand(EveryCommand):
    """A command about a run."""

    lines: NotRequired[list[Arc]]  # the messages visible in the list
    drawer: NotRequired[DrawerAsked]  # missing: it is closed
    # Of a step. A round: all that is done at one y*.
    grain: NotRequired[Literal["event", "round", "node", "sweep"]]
    backward: NotRequired[bool]
    # Of a moment to find: LB rises by more than a share of the gap, a row on the edge of a message, the message tight,
    # a better labelling.
    goal: NotRequired[Goal]
    message: NotRequired[OrNone]
    share: NotRequired[Share]
    # Of exact costs: where the update was opened, and the states of its group.
    opened: NotRequired[Position]
    states: NotRequired[list[State]]
    row: NotRequired[RowAsked]
    # Of groups to merge: their edge.
    edge: NotRequired[Count]
    # Of a turn to another chapter: its number, and the position there.
    chapter: NotRequired[Count]
    to: NotRequired[Position]
    # Of two runs to be brought to a place: where their bounds differ first, or where the other one leads next, after so
    # many steps of both.
    where: NotRequired[Where]
    beat: NotRequired[Beat]
    # Of a run to make.
    chosen: NotRequired[Chosen]
    # Of an address of this page that the browser went back to, or of a moment to keep: its query.
    query: NotRequired[str]
    # Of a moment of the talk to show: its number.
    moment: NotRequired[int]
    # Of variables of the whole model whose other values are to be priced ahead of those still waiting, in this order.
    variables: NotRequired[list[Count]]
    # Of a page to go to: it, and the fields of its address.
    page: NotRequired[Literal["edge", "instance", "learn"]]
    fields: NotRequired[dict[str, Any]]


class Command(RunCommand):
    """A command of the stage."""

    beside: NotRequired[RunCommand]  # the one about the run beside the first
