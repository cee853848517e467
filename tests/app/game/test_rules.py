"""The rules of the game: they are the engine's, and no play certifies more than there is."""

from __future__ import annotations

import numpy as np
import pytest

import bender_core as bc
from bender_core.kernels.layout import Kind, RowKind
from pages._shared.game.levels import LEVELS, Deal, begin, deal, limits, starts
from pages._shared.game.record import random_turns
from pages._shared.game.rules import KINDS, Board, Question, Turn
from tests import naive as model_naive
from tests.app.game import naive

DEALS = [(number, seed) for number in LEVELS for seed in range(4)]


def dealt(number: int, seed: int) -> Deal:
    """The first deal from a seed on that is one."""
    found = next(filter(None, (deal(LEVELS[number], each) for each in range(10 * seed, 10 * seed + 10))))
    assert found is not None
    return found


@pytest.mark.parametrize(("number", "seed"), DEALS)
def test_the_bound_is_the_engines_at_the_beginning(number: int, seed: int) -> None:
    level = LEVELS[number]
    for run in starts(level, begin(level, dealt(number, seed))).values():
        board = Board(run)
        assert board.bound(board.start) == pytest.approx(run.lower_bound)
        assert naive.bound(board, board.start) == pytest.approx(run.lower_bound)


@pytest.mark.parametrize(("number", "seed"), DEALS)
def test_no_play_certifies_more_than_the_least_energy(number: int, seed: int) -> None:
    level, puzzle = LEVELS[number], dealt(number, seed)
    best, dice = model_naive.optimum(puzzle.model), np.random.default_rng(seed)
    for run in starts(level, begin(level, puzzle)).values():
        board = Board(run)
        for _ in range(10):
            at = board.start
            for turn in random_turns(board, limits(level, run)._replace(kinds=KINDS), dice):
                floor, at = board.play(at, turn)
                assert naive.bound(board, at) == pytest.approx(board.bound(at))
                assert floor - 1e-9 <= board.bound(at) <= best + 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_row_is_a_promise_that_is_kept_and_exact_where_it_was_asked(seed: int, kind: RowKind) -> None:
    level = LEVELS[2 if seed % 2 else 1]
    board = Board(begin(level, dealt(2 if seed % 2 else 1, seed)))
    at, dice = board.start, np.random.default_rng(seed)
    for _ in range(3):
        for p in board.tables:
            for q in board.neighbours[p]:
                exact = board.exact(at, p, q)
                for state in range(1 << board.sizes[p]):
                    row = board.row(at, p, Question(q, state, kind))
                    values = board.value(at, p, q, row)
                    assert (values <= exact + 1e-9).all()
                    assert values[state] == pytest.approx(exact[state])
                    # It bounds the edge from below, whatever the messages.
                    assert (board.pair[p, q] >= -row.mine[:, None] - row.theirs - 1e-9).all()
        p = int(dice.integers(len(board.sizes)))
        _, at = board.play(at, Turn(p, ()))


def test_a_magnanti_wong_row_charges_no_more_than_a_reverse_one() -> None:
    board = Board(begin(LEVELS[2], dealt(2, 0)))
    lower = 0
    for state in range(8):
        reverse, least = (board.row(board.start, 1, Question(0, state, kind)).mine for kind in KINDS)
        assert (least <= reverse + 1e-9).all()
        lower += bool((least < reverse - 1e-9).any())
    assert lower


def test_the_rows_and_the_message_of_an_engines_update_give_its_bound() -> None:
    """What the engine asks in its updates, asked by the rules of the game, leads to the same floors and bounds."""
    seen = 0
    for number, seed in DEALS:
        level = LEVELS[number]
        run = begin(level, dealt(number, seed))
        board = Board(run)
        at, questions = board.start, []
        for _ in range(200):
            if run.finished:
                break
            event = run.step("event")[-1]
            if event.kind == Kind.ROW:
                p, q = run.graph.ends(event.arc)
                assert p == event.node
                questions.append(Question(q, event.state, RowKind(event.cut)))
            elif event.kind == Kind.MESSAGE:
                floor, at = board.play(at, Turn(event.node, tuple(questions)))
                questions = []
                # Its rows are exact at the lowest column: LB is the floor.
                assert floor == pytest.approx(event.floor)
                assert board.bound(at) == pytest.approx(event.lower_bound)
                seen += 1
    assert seen > 50


def test_merging_never_lowers_the_bound() -> None:
    level = LEVELS[4]
    for seed in range(5):
        runs = starts(level, begin(level, dealt(4, seed)))
        first = runs.pop(None)
        assert len(runs) == 3
        assert all(run.lower_bound >= first.lower_bound - 1e-9 for run in runs.values())
        assert all(sorted(map(len, run.partition.groups)) == [2, 4] for run in runs.values())


def test_a_deal_is_the_model_that_learn_speaks_of() -> None:
    puzzle = Deal([1.0, -2.0, 0.0], [(0, 1, 3.0), (1, 2, -2.0)], [[0, 1], [2]])
    mrf = puzzle.model
    assert isinstance(mrf, bc.BinaryMRF)
    # Ann goes, Ben stays: they wanted to be together. Ben and Cleo both stay: they wanted to be apart.
    assert mrf.energy([1, 0, 0]) == 1 + 3 + 2
    assert mrf.energy([1, 1, 0]) == 1 - 2
