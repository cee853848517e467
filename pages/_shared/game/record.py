"""Choose puzzles that teach something, search for their best plays, and record them: ``make opening``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any

import numpy as np

import bender_core as bc
from bender_core.kernels.layout import RowKind
from pages._shared.game.levels import (
    LETTERS,
    LEVELS,
    NAMES,
    Deal,
    Level,
    advised,
    begin,
    deal,
    limits,
    own_play,
    starts,
)
from pages._shared.game.recorded import PATH
from pages._shared.game.rules import Board, Question, Turn, score
from pages._shared.game.search import Limits, Play, best_play

# Puzzles of a level, and how far its first seed is from that of the level before.
PUZZLES, SEEDS = 10, 100_000
# Plays at random that a puzzle is tried with, and the shares of them that may reach par and the best play.
RANDOM = 200
REACH_PAR, REACH_BEST = (0.005, 0.6), 0.06
# The best play is better than par, and than what it is compared with, by this much; with one kind of row, by that.
BETTER, BETTER_THAN_ALONE = 0.2, 0.1
KIND_LETTERS = {RowKind.RMC: "r", RowKind.MWC_0: "m"}

Pair = tuple[int, int] | None


def record() -> list[dict[str, Any]]:
    """All levels with their puzzles."""
    return [
        {
            "turns": [list(turn) for turn in level.turns],
            "questions": level.questions,
            "kinds": [KIND_LETTERS[kind] for kind in level.kinds],
            "price": level.price,
            "merges": level.merges,
            "puzzles": list(islice(puzzles(level), PUZZLES)),
        }
        for level in LEVELS.values()
    ]


def puzzles(level: Level) -> Iterator[dict[str, Any]]:
    """Those that teach, in the order of their seeds."""
    found = 0
    # No level has the puzzles of another.
    for seed in count(SEEDS * list(LEVELS.values()).index(level)):
        dealt = deal(level, seed)
        # With two kinds of row, every third puzzle is one that the second kind alone does not win.
        made = dealt and puzzle(level, dealt, level.kinds[-1 if found % 3 == 2 else 0])
        if made:
            found += 1
            yield made


def puzzle(level: Level, dealt: Deal, kind: RowKind) -> dict[str, Any] | None:
    """A puzzle as the browser gets it; None if it teaches nothing, or if rows of one kind alone are good enough."""
    engine = begin(level, dealt)
    if engine.finished:
        return None
    runs = starts(level, engine)
    boards = {pair: Board(run) for pair, run in runs.items()}
    allowed = {pair: limits(level, run) for pair, run in runs.items()}
    first = engine.lower_bound
    advice = advised(level, engine)
    own = own_play(level, runs[advice], boards[advice].tables)
    aim = score(boards[advice], own, level.price)
    idle = max(best_play(boards[pair], allowed[pair]._replace(questions=0)).score for pair in boards)
    scores = np.concatenate([at_random(boards[pair], allowed[pair]) for pair in boards])
    low, high = REACH_PAR
    # Par needs a question, and not every play reaches it.
    if not (aim > idle + BETTER and low <= (scores >= aim - 1e-9).mean() <= high):
        return None
    plays = {pair: best_play(boards[pair], allowed[pair]) for pair in boards}
    merged = max(plays, key=lambda pair: plays[pair].score)
    best = plays[merged]
    reached = (scores >= best.score - 1e-9).mean()
    if best.score < aim + BETTER or reached > REACH_BEST or not teaches(level, boards, plays, merged, kind):
        return None
    return {
        "names": NAMES[: len(dealt.own)],
        "own": dealt.own,
        "wishes": dealt.wishes,
        "starts": [start(dealt, pair, runs[pair], boards[pair]) for pair in runs],
        "first": first,
        "par": {"score": aim, "moves": written(dealt, advice, runs[advice], own)},
        "best": {"score": best.score, "moves": written(dealt, merged, runs[merged], whole(best, allowed[merged]))},
        "optimum": optimum(dealt.model),
    }


def optimum(mrf: bc.BinaryMRF) -> float:
    """The least energy of all."""
    found = bc.reference(mrf).labeling
    assert found is not None
    return mrf.energy(found)


def at_random(board: Board, allowed: Limits) -> Any:
    """The scores of plays at random."""
    dice = np.random.default_rng(0)
    return np.array([score(board, random_turns(board, allowed, dice), allowed.price) for _ in range(RANDOM)])


def random_turns(board: Board, allowed: Limits, dice: np.random.Generator) -> list[Turn]:
    """Turns with all questions."""
    left, turns = allowed.questions, []
    for k, tables in enumerate(allowed.turns):
        table = int(dice.choice(list(tables)))
        now = left if k == len(allowed.turns) - 1 else int(dice.integers(left + 1))
        left -= now
        turns.append(Turn(table, tuple(random_question(board, table, allowed, dice) for _ in range(now))))
    return turns


def random_question(board: Board, table: int, allowed: Limits, dice: np.random.Generator) -> Question:
    """Any question to a neighbour of a table."""
    sender = int(dice.choice(board.neighbours[table]))
    kind = allowed.kinds[int(dice.integers(len(allowed.kinds)))]
    return Question(sender, int(dice.integers(1 << board.sizes[table])), kind)


def whole(play: Play, allowed: Limits) -> list[Turn]:
    """Its turns to the end of the game: those that gain nothing any more without questions."""
    return [*play.turns, *(Turn(tables[0], ()) for tables in allowed.turns[len(play.turns) :])]


def teaches(
    level: Level, boards: Mapping[Pair, Board], plays: Mapping[Pair, Play], merged: Pair, kind: RowKind
) -> bool:
    """Whether the best play needs what the level is about."""
    best = plays[merged].score
    spent = sum(len(turn.questions) for turn in plays[merged].turns)
    if level.merges:
        return all(play.score < best - BETTER for pair, play in plays.items() if pair != merged)
    if level.price:
        return 0 < spent < level.questions - 1
    if len(level.kinds) > 1:
        alone = Limits(level.turns, level.questions, [kind], level.price)
        return best_play(boards[None], alone).score < best - BETTER_THAN_ALONE
    if any(len(tables) > 1 for tables in level.turns):
        in_order = Limits([[table] for table, _ in enumerate(level.turns)], level.questions, level.kinds)
        return spent > 0 and best_play(boards[None], in_order).score < best - BETTER
    return spent > 1


def start(dealt: Deal, pair: Pair, run: bc.Engine, board: Board) -> dict[str, Any]:
    """The position at which a player takes over."""
    return {
        "merged": pair and "".join(LETTERS[p] for p in pair),
        "tables": [
            {"label": label(dealt, run, p), "friends": list(map(int, run.partition.groups[p]))} for p in board.tables
        ],
        "messages": [{"ends": list(ends), "table": table.tolist()} for ends, table in board.start.messages.items()],
        "rows": [
            {"ends": list(ends), "pays": [row.mine.tolist(), row.theirs.tolist()]}
            for ends, rows in board.start.rows.items()
            for row in rows
        ],
    }


def label(dealt: Deal, run: bc.Engine, p: int) -> str:
    """The letters of the tables that one consists of."""
    friends = set(map(int, run.partition.groups[p]))
    return "".join(letter for letter, group in zip(LETTERS, dealt.groups, strict=False) if friends & set(group))


def written(dealt: Deal, pair: Pair, run: bc.Engine, turns: Sequence[Turn]) -> str:
    """Moves as an address has them."""

    def letter(p: int) -> str:
        return label(dealt, run, p)[0]

    merge = "".join(LETTERS[p] for p in pair) + "!" if pair else ""
    return merge + "".join(
        "-".join([letter(table), *(f"{letter(q)}{state}{KIND_LETTERS[kind]}" for q, state, kind in questions)]) + "_"
        for table, questions in turns
    )


def main() -> None:
    """Write the puzzles to where the app reads them."""
    PATH.write_bytes(gzip.compress(json.dumps(record(), separators=(",", ":")).encode(), mtime=0))


if __name__ == "__main__":
    main()
