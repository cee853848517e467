"""The best possible play is the best of all, and the recorded puzzles are what they are said to be."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core.kernels.layout import Kind, RowKind
from pages._shared.app.fields import MOVES
from pages._shared.game import record
from pages._shared.game.levels import LEVELS, Deal, begin, deal, limits, starts
from pages._shared.game.recorded import levels
from pages._shared.game.rules import KINDS, Board, Position, Question, Turn, score
from pages._shared.game.search import Limits, best_play
from tests import naive as model_naive
from tests.app.game import naive
from tests.app.learn.test_recording import same

PUZZLES = [(number, k) for number, level in enumerate(levels(), 1) for k in range(len(level["puzzles"]))]
KIND = {"r": RowKind.RMC, "m": RowKind.MWC_0}


def puzzle(number: int, k: int) -> dict[str, Any]:
    found: dict[str, Any] = levels()[number - 1]["puzzles"][k]
    return found


def as_dealt(found: Mapping[str, Any], number: int) -> Deal:
    groups = [table["friends"] for table in found["starts"][0]["tables"]]
    assert [len(group) for group in groups] == list(LEVELS[number].sizes)
    return Deal(found["own"], [tuple(wish) for wish in found["wishes"]], groups)


def run_of(found: Mapping[str, Any], number: int, moves: str) -> bc.Engine:
    """The run that the moves begin with: merged, if they merge."""
    level = LEVELS[number]
    runs = starts(level, begin(level, as_dealt(found, number)))
    merge = moves.partition("!")[0] if "!" in moves else ""
    return runs[tuple("ABCD".index(letter) for letter in merge) or None]  # type: ignore[index]


def turns_of(found: Mapping[str, Any], run: bc.Engine, number: int, moves: str) -> list[Turn]:
    """The moves of an address."""
    tables = {record.label(as_dealt(found, number), run, p)[0]: p for p in range(run.graph.n_groups)}
    return [
        Turn(
            tables[turn[0]],
            tuple(
                Question(tables[letter], int(state), KIND[kind])
                for letter, state, kind in re.findall(r"-([A-D])(\d+)([rm])", turn)
            ),
        )
        for turn in naive.letters(moves)
    ]


@pytest.mark.parametrize(
    ("number", "allowed"),
    [
        (1, Limits(((3,),), 2, KINDS[:1])),
        (2, Limits(((1,), (0,)), 1, KINDS)),
        (3, Limits(((0, 1, 2), (0, 1, 2)), 1, KINDS)),
        (4, Limits(((0, 2), (0, 1)), 1, KINDS[:1], 0.25)),
        (5, Limits(((3,),), 2, KINDS[:1], 0.75)),
    ],
)
def test_the_best_play_is_the_best_of_all(number: int, allowed: Limits) -> None:
    seen = 0
    for seed in range(6):
        made = deal(LEVELS[number], seed)
        if made is None:
            continue
        board = Board(begin(LEVELS[number], made))
        found = best_play(board, allowed)
        every = [score(board, turns, allowed.price) for turns in naive.plays(board, allowed)]
        assert found.score == pytest.approx(max(every))
        assert score(board, found.turns, allowed.price) == pytest.approx(found.score)
        seen += len(every)
    assert seen > 100


@pytest.mark.parametrize(("number", "k"), PUZZLES)
def test_a_puzzle_is_what_it_says(number: int, k: int) -> None:
    found, level = puzzle(number, k), LEVELS[number]
    dealt = as_dealt(found, number)
    assert found["optimum"] == pytest.approx(model_naive.optimum(dealt.model))
    engine = begin(level, dealt)
    assert found["first"] == pytest.approx(engine.lower_bound)
    moves = found["best"]["moves"]
    assert re.fullmatch(MOVES.kind.pattern, moves)
    run = run_of(found, number, moves)
    turns = turns_of(found, run, number, moves)
    assert len(turns) == len(level.turns)
    assert sum(len(turn.questions) for turn in turns) <= level.questions
    assert score(Board(run), turns, level.price) == pytest.approx(found["best"]["score"])
    assert found["first"] < found["par"]["score"] < found["best"]["score"] <= found["optimum"] + 1e-9


@pytest.mark.parametrize(("number", "k"), PUZZLES)
def test_par_is_the_engines_own_play(number: int, k: int) -> None:
    found, level = puzzle(number, k), LEVELS[number]
    moves = found["par"]["moves"]
    run = run_of(found, number, moves)
    board, turns = Board(run), turns_of(found, run, number, moves)
    assert score(board, turns, level.price) == pytest.approx(found["par"]["score"])
    left = level.questions - sum(len(turn.questions) for turn in turns)
    assert left >= 0
    assert len(turns) <= len(level.turns)
    # As long as it has questions, a run by itself passes the same tables, and asks at the same states.
    asking = max(k for k, turn in enumerate(turns) if turn.questions)
    for turn in turns[: asking + 1]:
        states = {question.state for question in turn.questions}
        while not run.finished:
            event = run.step("event")[-1]
            if event.kind == Kind.ORACLE and event.state in states:
                states.remove(event.state)
            if event.kind == Kind.MESSAGE:
                break
        assert not states
        assert event.node == turn.table


@pytest.mark.parametrize("number", LEVELS)
def test_the_puzzles_of_a_level_are_made_again(number: int) -> None:
    level = LEVELS[number]
    assert same(json.loads(json.dumps(next(record.puzzles(level)))), puzzle(number, 0)), "make opening records it anew"
    found = levels()[number - 1]
    assert len(found["puzzles"]) == record.PUZZLES
    assert (found["questions"], found["price"], found["merges"]) == (level.questions, level.price, level.merges)


@pytest.mark.slow
@pytest.mark.parametrize("number", LEVELS)
def test_the_best_possible_is_that_of_an_exhaustive_search(number: int) -> None:
    found, level = puzzle(number, 1), LEVELS[number]
    best = []
    for run in starts(level, begin(level, as_dealt(found, number))).values():
        board, allowed = Board(run), limits(level, run)
        if len(allowed.turns) == 1:
            best.append(naive.best(board, allowed))
        else:
            best.append(max(score(board, turns, level.price) for turns in naive.plays(board, allowed)))
    assert max(best) == pytest.approx(found["best"]["score"])


@pytest.mark.parametrize("k", range(10))
def test_some_puzzles_are_not_won_with_one_kind_of_row(k: int) -> None:
    """Most not with reverse rows, every third not with Magnanti-Wong rows."""
    found, level = puzzle(2, k), LEVELS[2]
    engine = begin(level, as_dealt(found, 2))
    alone = limits(level, engine)._replace(kinds=[KINDS[-1 if k % 3 == 2 else 0]])
    assert best_play(Board(engine), alone).score < found["best"]["score"] - record.BETTER_THAN_ALONE


@pytest.mark.parametrize("number", [1, 3, 4, 5])
def test_what_a_level_teaches_is_needed(number: int) -> None:
    """A puzzle of the third level, say, cannot be won in the engine's order."""
    found, level = puzzle(number, 0), LEVELS[number]
    engine = begin(level, as_dealt(found, number))
    board, best = Board(engine), found["best"]["score"]
    if number == 1:
        assert best > score(board, [Turn(3, ())], 0.0)
    elif number == 3:
        assert best_play(board, limits(level, engine)._replace(turns=[[0], [1], [2]])).score < best
    elif number == 4:
        runs = starts(level, begin(level, as_dealt(found, number)))
        scores = sorted(best_play(Board(run), limits(level, run)).score for run in runs.values())
        assert scores[-2] < scores[-1] == pytest.approx(best)
    else:
        paid = sum(len(turn.questions) for turn in best_play(board, limits(level, engine)).turns)
        assert 0 < paid < level.questions - 1


@pytest.mark.slow
def test_what_the_lessons_say_of_their_puzzles_is_so() -> None:
    """However ties are broken."""
    ends = [widest(puzzle(1, k)) for k in range(10)]
    assert sum(min(each) > puzzle(1, k)["par"]["score"] - 1e-9 for k, each in enumerate(ends)) == 9
    assert sum(min(each) > puzzle(1, k)["best"]["score"] - 1e-9 for k, each in enumerate(ends)) == 6
    seen = 0
    for k in range(10):
        found = puzzle(4, k)
        runs = starts(LEVELS[4], begin(LEVELS[4], as_dealt(found, 4)))
        boards = {pair: Board(run) for pair, run in runs.items()}
        first = {pair: board.bound(board.start) for pair, board in boards.items()}
        best = {pair: best_play(board, limits(LEVELS[4], runs[pair])).score for pair, board in boards.items()}
        assert min(best, key=lambda pair: best[pair]) is None
        seen += max(first, key=lambda pair: first[pair]) == max(best, key=lambda pair: best[pair])
    assert seen == 2
    needed = 0
    for k in range(10):
        engine = begin(LEVELS[2], as_dealt(puzzle(2, k), 2))
        alone = limits(LEVELS[2], engine)._replace(kinds=KINDS[1:])
        needed += best_play(Board(engine), alone).score < puzzle(2, k)["best"]["score"] - 1e-9
    assert needed == 3


def widest(found: Mapping[str, Any]) -> set[float]:
    """What it reaches to ask the neighbour of the widest range about the lowest column, however ties are broken."""
    board, p = Board(begin(LEVELS[1], as_dealt(found, 1))), 3

    def ends(at: Position, left: int) -> set[float]:
        envelopes = {q: board.envelope(at, p, q) for q in board.neighbours[p]}
        total = board.energies[p] + sum(envelopes.values())
        reached: set[float] = set()
        for state in np.flatnonzero(total <= total.min() + 1e-9).tolist():
            gaps = {q: float(board.exact(at, p, q)[state] - envelopes[q][state]) for q in envelopes}
            widest = [q for q, gap in gaps.items() if gap > max(max(gaps.values()), 1e-9) - 1e-9]
            if not left or max(gaps.values()) < 1e-9:
                reached.add(round(board.floor(at, p, envelopes), 9))
                continue
            for q in widest:
                row = board.row(at, p, Question(q, state, RowKind.RMC))
                reached |= ends(board.with_rows(at, p, [(q, row)]), left - 1)
        return reached

    return ends(board.start, LEVELS[1].questions)
