"""The best play of a puzzle, by exhaustive search.

All sets of questions of every turn are tried, in every order of the tables that the level allows. The order of the
questions within a turn does not matter: rows depend on the messages alone, which do not change meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from bender_core.kernels.layout import RowKind
from bender_core.model import FloatArray
from pages._shared.game.rules import Board, Position, Question, Row, Turn

# Differences of scores below this are rounding.
NEAR = 1e-9


class Limits(NamedTuple):
    """What a player may do.

    Attributes
    ----------
    turns : sequence of sequence of int
        The tables that may be chosen in each turn.
    questions : int
        In all turns together.
    kinds : sequence of RowKind
    price : float
        Of a question, energy.
    """

    turns: Sequence[Sequence[int]]
    questions: int
    kinds: Sequence[RowKind]
    price: float = 0.0


class Play(NamedTuple):
    """Turns, and the score that they reach."""

    score: float
    turns: tuple[Turn, ...] = ()


class _Choice(NamedTuple):
    """Some questions to one neighbour, and the envelope that they leave."""

    questions: tuple[Question, ...]
    rows: tuple[Row, ...]
    envelope: FloatArray


def best_play(board: Board, limits: Limits) -> Play:
    """The play of the highest score, as `rules.score` counts it."""
    lower = board.bound(board.start)
    return _best(board, board.start, limits, lower, Play(lower))


def _best(board: Board, at: Position, limits: Limits, lower: float, best: Play) -> Play:
    """The best of all plays that begin at a position, where the bound is ``lower``; ``best`` if none is better."""
    allowed, *later = limits.turns
    for table in allowed:
        choices = [_choices(board, at, table, q, limits) for q in board.neighbours[table]]
        if not later:
            best = max(best, _last(board, at, table, choices, limits, lower), key=lambda play: play.score)
            continue
        for chosen in _within(choices, limits.questions):
            turn = Turn(table, tuple(question for choice in chosen for question in choice.questions))
            made = zip(turn.questions, (row for choice in chosen for row in choice.rows), strict=True)
            with_rows = board.with_rows(at, table, ((question.sender, row) for question, row in made))
            envelopes = dict(zip(board.neighbours[table], (choice.envelope for choice in chosen), strict=True))
            after = board.passed(with_rows, table, envelopes)
            now, paid = max(lower, board.floor(at, table, envelopes)), limits.price * len(turn.questions)
            rest = limits._replace(turns=later, questions=limits.questions - len(turn.questions))
            found = _best(board, after, rest, now, Play(now))
            if found.score - paid > best.score + NEAR:
                best = Play(found.score - paid, (turn, *found.turns))
    return best


def _choices(board: Board, at: Position, p: int, q: int, limits: Limits) -> list[_Choice]:
    """All sets of questions to q, the smaller first."""
    questions = [Question(q, state, kind) for state in range(1 << board.sizes[p]) for kind in limits.kinds]
    rows = [board.row(at, p, question) for question in questions]
    values = [board.value(at, p, q, row) for row in rows]
    present = board.envelope(at, p, q)
    return [
        _Choice(
            tuple(questions[k] for k in chosen),
            tuple(rows[k] for k in chosen),
            np.max([present, *(values[k] for k in chosen)], axis=0),
        )
        for count in range(min(limits.questions, len(questions)) + 1)
        for chosen in combinations(range(len(questions)), count)
    ]


def _within(choices: Sequence[Sequence[_Choice]], questions: int) -> Iterator[tuple[_Choice, ...]]:
    """A choice for every neighbour, with no more questions than there are."""
    return (chosen for chosen in product(*choices) if sum(len(choice.questions) for choice in chosen) <= questions)


def _last(
    board: Board, at: Position, p: int, choices: Sequence[Sequence[_Choice]], limits: Limits, lower: float
) -> Play:
    """The best last turn at p: only its floor matters, so of equal envelopes one is enough."""
    kept = [
        list({choice.envelope.round(9).tobytes(): choice for choice in reversed(each)}.values()) for each in choices
    ]
    which = np.indices([len(each) for each in kept]).reshape(len(kept), -1)
    counts = np.zeros(which.shape[1], int)
    total = np.tile(board.energies[p], (which.shape[1], 1))
    for each, chosen in zip(kept, which, strict=True):
        counts += np.array([len(choice.questions) for choice in each])[chosen]
        total += np.array([choice.envelope for choice in each])[chosen]
    scores = np.maximum(lower, board.rest(at, p) + total.min(axis=1)) - limits.price * counts
    scores[counts > limits.questions] = -np.inf
    # The fewest questions that are enough.
    good = np.flatnonzero(scores >= scores.max() - NEAR)
    best = int(good[counts[good].argmin()])
    questions = [question for each, k in zip(kept, which[:, best], strict=True) for question in each[k].questions]
    return Play(float(scores[best]), (Turn(p, tuple(questions)),))
