"""The data that Python and the picture of the cycles exchange: Python sends `Cycles`, the picture sends `Command`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypedDict

from pages._shared.app.protocol import Bounds, Count, Energy, Excess, Share

# The number of an edge of the signed graph; a vertex: a variable, or the ghost, whose number is that of the variables.
EdgeNumber: TypeAlias = Count
Vertex: TypeAlias = Count
# The number of the event that found a cycle.
CycleNumber: TypeAlias = Count
Walk: TypeAlias = Annotated[list[Vertex], Bounds(shortest=3)]
# What raises the bound: shares of cycles, chosen by a linear program, or messages over triplets.
By: TypeAlias = Literal["program", "messages"]
# What is shown: one of them, or both side by side.
Shown: TypeAlias = By | Literal["both"]
# Table entries read since the start; other work is converted to entries.
Work: TypeAlias = Count


class Graph(TypedDict):
    """The signed graph of a model: the same for a whole packing."""

    x: list[Share]  # of every variable from the left; empty if there are too many to be drawn
    y: list[Share]  # from the top
    names: list[str]
    ends: list[Vertex]  # of the edges, in pairs
    opposite: list[bool]  # whether each wants opposite ends
    cost: list[Excess]  # what a labelling pays that breaks it
    base: Energy  # the energy of a labelling that would break none
    scale: Excess  # the energy at stake, to which gaps are compared


class Groups(TypedDict):
    """The groups of the run on the stage."""

    of: list[Count]  # the group of every variable
    names: list[str]


class Found(TypedDict):
    """A frustrated cycle was found."""

    round: Count  # from 0
    walk: Walk  # its vertices in order
    edges: list[EdgeNumber]  # edge k joins vertex k and the next one
    share: Excess  # what it takes from each of them
    lower: Energy  # after the event
    upper: Energy
    work: Work
    sentence: str


class Labelling(TypedDict):
    """A labelling of the variables."""

    values: list[Literal[0, 1]]
    broken: list[EdgeNumber]


class Shared(TypedDict):
    """The end of a round: shares anew."""

    round: Count
    cycles: list[CycleNumber]  # all that take a share
    shares: list[Excess]
    better: Labelling | None  # found in this round; None: the best one is the one of before
    lower: Energy
    upper: Energy
    work: Work
    sentence: str


class Pursued(TypedDict):
    """Messages over a frustrated cycle may gain something."""

    round: Count
    walk: Walk
    edges: list[EdgeNumber | None]  # edge k joins vertex k and the next one; None: a chord, or no weight
    preferences: list[float]  # of the same, energy: opposite ends if positive; 0: nothing any more
    strength: Excess  # the weakest of them: what messages over this cycle alone can gain at least
    behind: Excess  # how far the bound by the present messages, which would rise by that, is below LB
    triplets: list[Vertex]  # those that are new, in threes
    lower: Energy
    upper: Energy
    work: Work
    sentence: str


class Part(TypedDict):
    """A part of the gap."""

    of: Annotated[list[Vertex], Bounds(shortest=1, longest=3)]  # a variable, an edge or a triplet
    value: Excess  # how far its belief is above its minimum


class Gap(TypedDict):
    """The parts of the gap between beliefs: they sum to UB − LB."""

    largest: list[Part]
    others: Count  # further ones
    rest: Excess  # their sum


class Passed(TypedDict):
    """The end of a round: messages were passed."""

    round: Count
    gap: Gap
    better: Labelling | None  # as above
    lower: Energy
    upper: Energy
    work: Work
    sentence: str


Event: TypeAlias = Found | Shared | Pursued | Passed


class Start(TypedDict):
    """The state before the first event."""

    best: Labelling
    gap: Gap | None  # None: it follows from the shares
    lower: Energy
    upper: Energy
    sentence: str


class Ending(TypedDict):
    """The state after the last event."""

    proven: bool
    best: bool  # whether no cycle could raise the bound; else the solver has failed
    least: Energy  # the least energy possible by the lower bound: rounded up to a step
    sentence: str


class Half(TypedDict):
    """A packing or a cycle pursuit."""

    by: By
    start: Start | None  # None: the picture has it
    first: Count  # the number of the first event sent
    events: list[Event]
    ending: Ending | None  # None: more events follow
    working: str  # what is being computed; empty: nothing
    failure: str  # why no more events follow; empty: they do, or all have been computed


class Cycles(TypedDict):
    """All that the picture draws."""

    key: str  # of what is shown
    by: Shown
    serial: Count  # of the command that is answered
    title: str  # the model
    graph: Graph | None  # None: the picture has it
    groups: Groups | None  # as above
    ahead: Count  # how many more events than it has the picture asks for
    position: Count  # where a picture that is mounted anew begins: events of both
    grouped: bool  # whether it shows groups
    halves: Annotated[list[Half], Bounds(shortest=1, longest=2)]


class Command(TypedDict):
    """A command of the picture."""

    do: Literal["more", "end", "stop", "show"]  # compute further events, all of them, none; or go on as before
    by: Shown  # what is to be shown
    key: str  # of what is shown now
    known: list[Count]  # how many events the picture has of each
    has_graph: bool
    until: list[Count]  # how many events of each are to be computed
    at: Count  # the position shown: events of both
    grouped: bool  # whether groups are shown
    serial: Count  # the number of the command
