"""The game once more, slowly: bounds from tables of all pairs of states, and plays one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pages._shared.game.rules import Board, Position, Question, Turn
from pages._shared.game.search import Limits

Array = NDArray[np.float64]


def bound(board: Board, at: Position) -> float:
    """The lower bound from one table for each group and one for each edge."""
    total = board.constant
    for p in board.tables:
        total += min(
            board.energies[p][state] + sum(at.messages[p, q][state] for q in board.neighbours[p])
            for state in range(1 << board.sizes[p])
        )
    for p, q in at.rows:
        total += min(
            coupling(board, p, q, mine, theirs) - at.messages[p, q][mine] - at.messages[q, p][theirs]
            for mine in range(1 << board.sizes[p])
            for theirs in range(1 << board.sizes[q])
        )
    return total


def floor(board: Board, at: Position, p: int, envelopes: Mapping[int, Array]) -> float:
    """What envelopes certify about a table: the least of its states, with what every other part costs at least."""
    total = board.constant
    for other in board.tables:
        if other != p:
            total += min(
                board.energies[other][state] + sum(at.messages[other, q][state] for q in board.neighbours[other])
                for state in range(1 << board.sizes[other])
            )
    for a, b in at.rows:
        if p not in (a, b):
            total += min(
                coupling(board, a, b, mine, theirs) - at.messages[a, b][mine] - at.messages[b, a][theirs]
                for mine in range(1 << board.sizes[a])
                for theirs in range(1 << board.sizes[b])
            )
    return total + min(
        board.energies[p][state] + sum(envelopes[q][state] for q in board.neighbours[p])
        for state in range(1 << board.sizes[p])
    )


def coupling(board: Board, p: int, q: int, mine: int, theirs: int) -> float:
    """The energy between two tables."""
    found = board.couplings[p, q]
    return -sum(
        float(weight)
        for mine_k, theirs_k, (a, b), weight in zip(
            found.receiving, found.sending, found.entry, found.weight, strict=True
        )
        if mine >> mine_k & 1 == a and theirs >> theirs_k & 1 == b
    )


def plays(board: Board, limits: Limits) -> Iterator[list[Turn]]:
    """All plays, turn by turn; sets of questions, as their order within a turn cannot matter."""
    if not limits.turns:
        yield []
        return
    for table in limits.turns[0]:
        every = [
            Question(q, state, kind)
            for q in board.neighbours[table]
            for state in range(1 << board.sizes[table])
            for kind in limits.kinds
        ]
        for count in range(limits.questions + 1):
            for chosen in combinations(every, count):
                rest = limits._replace(turns=limits.turns[1:], questions=limits.questions - count)
                yield from ([Turn(table, chosen), *later] for later in plays(board, rest))


def best(board: Board, limits: Limits) -> float:
    """The best score of a single turn of one table: all sets of questions, each with bounds of its own."""
    ((table,),) = limits.turns
    every = [(q, state) for q in board.neighbours[table] for state in range(1 << board.sizes[table])]
    (kind,) = limits.kinds
    at = board.start
    values = [board.value(at, table, q, board.row(at, table, Question(q, state, kind))) for q, state in every]
    present = {q: board.envelope(at, table, q) for q in board.neighbours[table]}
    found = bound(board, at)
    for count in range(limits.questions + 1):
        for chosen in combinations(range(len(every)), count):
            envelopes = dict(present)
            for k in chosen:
                envelopes[every[k][0]] = np.maximum(envelopes[every[k][0]], values[k])
            lower = max(bound(board, at), floor(board, at, table, envelopes))
            found = max(found, lower - limits.price * count)
    return found


def letters(moves: str) -> Sequence[str]:
    """The turns of a play as an address has it."""
    return [turn for turn in moves.rpartition("!")[2].split("_") if turn]
