"""The rules of the game: questions make rows, and passing messages moves the bound.

Source: docs/method.md §2, §3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import bender_core as bc
from bender_core import looking
from bender_core.engine.rows import over_states
from bender_core.kernels.layout import RowKind
from bender_core.looking.anatomy import couplings
from bender_core.looking.classes import bits_of
from bender_core.looking.cuts import magnanti_wong
from bender_core.model import FloatArray

# Magnanti-Wong rows of the game are those of least squares: they are unique.
KINDS = (RowKind.RMC, RowKind.MWC_0)
ALPHA = 0.0


class Row(NamedTuple):
    """What a row pays on either side of an edge, by states; energy."""

    mine: FloatArray
    theirs: FloatArray

    def turned(self) -> Row:
        """As the other side sees it."""
        return Row(self.theirs, self.mine)


class Question(NamedTuple):
    """Ask a neighbour about a state of the open table; the answer becomes a row."""

    sender: int
    state: int
    kind: RowKind


class Turn(NamedTuple):
    """Ask, and then pass the messages into a table."""

    table: int
    questions: tuple[Question, ...]


class Position(NamedTuple):
    """What changes in a game.

    Attributes
    ----------
    messages : mapping
        For receiver and sender, a table over the receiver's states, energy.
    rows : mapping
        For both ends of an edge, the lower first, its rows.
    """

    messages: Mapping[tuple[int, int], FloatArray]
    rows: Mapping[tuple[int, int], tuple[Row, ...]]


class Board:
    """What never changes in a game: the energies of the tables, and what couples them.

    Parameters
    ----------
    engine : Engine
        The game begins at its messages and rows; it does not change.
    """

    def __init__(self, engine: bc.Engine) -> None:
        graph = engine.graph
        self.sizes = [len(group) for group in engine.partition.groups]
        self.tables = range(len(self.sizes))
        self.energies: list[FloatArray] = [graph.energies(p).copy() for p in self.tables]
        self.neighbours = [[int(q) for q in graph.neighbours(p)] for p in self.tables]
        arcs = [(p, q) for p in self.tables for q in self.neighbours[p]]
        self.couplings = {arc: couplings(graph, *arc) for arc in arcs}
        self.pair = {arc: self._pair(*arc) for arc in arcs}
        self.constant = graph.normal_form.constant
        self._engine = engine
        self.start = Position(
            {arc: looking.message(engine, *arc) for arc in arcs},
            {
                (p, q): tuple(Row(over_states(row.u), over_states(row.v)) for row in looking.rows(engine, p, q))
                for p, q in arcs
                if p < q
            },
        )

    def _pair(self, p: int, q: int) -> FloatArray:
        mine, theirs = self._takes(p, q)
        pair: FloatArray = -(mine * self.couplings[p, q].weight) @ theirs.T
        return pair

    def _takes(self, p: int, q: int) -> tuple[FloatArray, FloatArray]:
        """Whether a state has the value that a coupling needs, for either side."""
        found = self.couplings[p, q]
        return (
            (_states(self.sizes[p])[:, found.receiving] == found.entry[:, 0]).astype(float),
            (_states(self.sizes[q])[:, found.sending] == found.entry[:, 1]).astype(float),
        )

    def exact(self, at: Position, p: int, q: int) -> FloatArray:
        """The min-marginals of the message from q into p."""
        nu: FloatArray = (self.pair[p, q] - at.messages[q, p]).min(axis=1)
        return nu

    def row(self, at: Position, p: int, question: Question) -> Row:
        """The row that a question makes."""
        q, state, kind = question
        found = self.couplings[p, q]
        spare = np.where(state >> found.receiving & 1 == found.entry[:, 0], 0.0, found.weight)
        if kind != RowKind.RMC:
            spare = magnanti_wong(self._engine, p, q, at.messages[q, p], state, ALPHA)
        mine, theirs = self._takes(p, q)
        return Row(mine @ spare, theirs @ (found.weight - spare))

    def value(self, at: Position, p: int, q: int, row: Row) -> FloatArray:
        """The values of a row of the message from q into p."""
        values: FloatArray = (-at.messages[q, p] - row.theirs).min() - row.mine
        return values

    def envelope(self, at: Position, p: int, q: int) -> FloatArray:
        """The largest value of its rows."""
        rows = at.rows[p, q] if p < q else [row.turned() for row in at.rows[q, p]]
        envelope: FloatArray = np.max([self.value(at, p, q, row) for row in rows], axis=0)
        return envelope

    def with_rows(self, at: Position, p: int, made: Iterable[tuple[int, Row]]) -> Position:
        """With rows added to edges of p."""
        rows = dict(at.rows)
        for q, row in made:
            rows[min(p, q), max(p, q)] += (row if p < q else row.turned(),)
        return Position(at.messages, rows)

    def passed(self, at: Position, p: int, envelopes: Mapping[int, FloatArray]) -> Position:
        """With the messages into p passed."""
        total = self.energies[p] + sum(envelopes.values())
        share = 1 / (1 + len(envelopes))
        return Position(
            {**at.messages, **{(p, q): envelope - share * total for q, envelope in envelopes.items()}}, at.rows
        )

    def bound_of_table(self, at: Position, p: int) -> float:
        """Its term in the bound."""
        return float((self.energies[p] + sum(at.messages[p, q] for q in self.neighbours[p])).min())

    def bound_of_edge(self, at: Position, p: int, q: int) -> float:
        """Its term in the bound."""
        return float((self.exact(at, p, q) - at.messages[p, q]).min())

    def bound(self, at: Position) -> float:
        """The lower bound, by the messages alone."""
        edges = [self.bound_of_edge(at, p, q) for p, q in at.rows]
        return self.constant + sum(self.bound_of_table(at, p) for p in self.tables) + sum(edges)

    def rest(self, at: Position, p: int) -> float:
        """The bound without what depends on p: its own term, and those of its edges."""
        edges = sum(self.bound_of_edge(at, p, q) for q in self.neighbours[p])
        return self.bound(at) - self.bound_of_table(at, p) - edges

    def floor(self, at: Position, p: int, envelopes: Mapping[int, FloatArray]) -> float:
        """What the envelopes certify about all states of p; the bound is at least this once they have been passed."""
        return self.rest(at, p) + float((self.energies[p] + sum(envelopes.values())).min())

    def play(self, at: Position, turn: Turn) -> tuple[float, Position]:
        """The floor of a turn, and the position after it."""
        p, questions = turn
        made = [(question.sender, self.row(at, p, question)) for question in questions]
        more = self.with_rows(at, p, made)
        envelopes = {q: self.envelope(more, p, q) for q in self.neighbours[p]}
        return self.floor(more, p, envelopes), self.passed(more, p, envelopes)


def score(board: Board, turns: Sequence[Turn], price: float) -> float:
    """The bound at first, or the highest floor at which messages were passed; minus the price of all questions."""
    at = board.start
    lower = board.bound(at)
    for turn in turns:
        floor, at = board.play(at, turn)
        lower = max(lower, floor)
    return lower - price * sum(len(turn.questions) for turn in turns)


def _states(size: int) -> NDArray[np.uint8]:
    """The values of the members of a table, by state."""
    return bits_of(np.arange(1 << size), size)
