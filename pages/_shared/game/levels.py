"""The levels of the game: what each deals, and what a player may do there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, cycle, islice
from typing import NamedTuple

import numpy as np

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind, RowKind
from bender_core.trying.pursuit import pairs_to_merge
from pages._shared.game.rules import KINDS, Question, Turn
from pages._shared.game.search import Limits

# The engine makes reverse rows on every loose edge, as it does by default: a question is a row, as in the game.
VARIANT = 9
# The largest cost of a wish, energy.
COST = 3
NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ida", "Jon")
LETTERS = "ABCD"


class Level(NamedTuple):
    """A kind of puzzle.

    Attributes
    ----------
    sizes : tuple of int
        Friends at each table.
    edges : tuple of pairs of int
        Tables between which there are wishes.
    density : float
        The share of friends at such tables who have a wish about each other.
    updates : int
        Those that the engine makes before the player takes over.
    turns : tuple of tuple of int
        The tables that may be chosen in each turn.
    questions : int
    kinds : tuple of RowKind
    price : float
        Of a question, energy.
    merges : bool
        Whether two tables may be merged before the first turn; every turn is for any table then.
    """

    sizes: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    density: float
    updates: int
    turns: tuple[tuple[int, ...], ...]
    questions: int
    kinds: tuple[RowKind, ...] = KINDS[:1]
    price: float = 0.0
    merges: bool = False


STAR = ((0, 3), (1, 3), (2, 3))
ANY = (0, 1, 2)
LEVELS = {
    1: Level((2, 2, 2, 3), STAR, 0.6, 3, ((3,),), 5),
    2: Level((3, 3), ((0, 1),), 0.7, 1, ((1,), (0,)), 2, KINDS),
    3: Level((2, 2, 2), ((0, 1), (1, 2)), 0.8, 0, (ANY, ANY, ANY), 2),
    4: Level((2, 2, 2), ((0, 1), (0, 2), (1, 2)), 0.8, 3, (ANY, ANY), 2, merges=True),
    5: Level((2, 2, 2, 3), STAR, 0.6, 3, ((3,),), 6, price=0.5),
}


class Deal(NamedTuple):
    """A puzzle: friends at tables, in the terms of Learn."""

    own: list[float]
    wishes: list[tuple[int, int, float]]
    groups: list[list[int]]

    @property
    def model(self) -> bc.BinaryMRF:
        """The puzzle as a model."""
        edges = np.array([wish[:2] for wish in self.wishes])
        tables = [cost * (1 - np.eye(2)) if cost > 0 else -cost * np.eye(2) for *_, cost in self.wishes]
        return bc.BinaryMRF(np.column_stack([np.zeros(len(self.own)), self.own]), edges, np.array(tables))


def deal(level: Level, seed: int) -> Deal | None:
    """A random puzzle; None if two tables that should have a wish about each other have none."""
    dice = np.random.default_rng(seed)
    last = np.cumsum(level.sizes).tolist()
    groups = [list(range(end - size, end)) for end, size in zip(last, level.sizes, strict=True)]
    own = dice.integers(-COST, COST + 1, last[-1]).astype(float).tolist()
    inside = [pair for group in groups for pair in combinations(group, 2)]
    between = [[(i, j) for i in groups[a] for j in groups[b] if dice.random() < level.density] for a, b in level.edges]
    if not all(between):
        return None
    pairs = sorted([*inside, *(pair for each in between for pair in each)])
    costs = (dice.choice([-1, 1], len(pairs)) * dice.integers(1, COST + 1, len(pairs))).astype(float)
    return Deal(own, [(i, j, cost) for (i, j), cost in zip(pairs, costs.tolist(), strict=True)], groups)


def begin(level: Level, puzzle: Deal) -> bc.Engine:
    """The run at the moment when the player takes over, or at its end, if that comes before."""
    mrf = puzzle.model
    labels = list(LETTERS[: len(puzzle.groups)])
    part = bc.manual(mrf, puzzle.groups, labels)
    engine = bc.Engine(mrf, part, variant=VARIANT, schedule="mplp", improving=False, deepest=1)
    passed = 0
    while passed < level.updates and not engine.finished:
        passed += engine.step("event")[-1].kind == Kind.MESSAGE
    return engine


def starts(level: Level, engine: bc.Engine) -> dict[tuple[int, int] | None, bc.Engine]:
    """The run by the pair of tables that is merged, None for none."""
    found: dict[tuple[int, int] | None, bc.Engine] = {None: engine}
    if level.merges:
        found |= {(p, q): engine.fork(merge=[(p, q)]) for p, q in level.edges}
    return found


def limits(level: Level, engine: bc.Engine) -> Limits:
    """What a player may do from the start of a run."""
    tables = range(engine.graph.n_groups)
    turns = [tables for _ in level.turns] if level.merges else level.turns
    return Limits(turns, level.questions, level.kinds, level.price)


def advised(level: Level, engine: bc.Engine) -> tuple[int, int] | None:
    """The pair of tables that the engine would merge."""
    if not level.merges:
        return None
    largest = max(level.sizes[p] + level.sizes[q] for p, q in level.edges)
    return pairs_to_merge(engine, largest)[0]


def own_play(level: Level, engine: bc.Engine, tables: Sequence[int]) -> list[Turn]:
    """What the engine asks and passes if it goes on by itself, as it does here, until questions or turns are used up.

    In a round it asks all neighbours that it has not asked yet. Where it has too few questions for that, it passes what
    it has; turns that are left are for the next ``tables`` in its order, without questions.
    """
    left, turns, questions = level.questions, list[Turn](), list[Question]()
    while len(turns) < len(level.turns) and not engine.finished:
        event = engine.step("event")[-1]
        if event.kind == Kind.ORACLE:
            unknown = _unknown(engine, event.node, event.state)
            questions += [Question(q, event.state, RowKind.RMC) for q in unknown[:left]]
            left -= len(unknown)
        if event.kind == Kind.MESSAGE or left < 0:
            turns.append(Turn(event.node, tuple(questions)))
            questions = []
        if left < 0:
            order = cycle(tables)
            while next(order) != event.node:
                pass
            return turns + [Turn(table, ()) for table in islice(order, len(level.turns) - len(turns))]
    return turns


def _unknown(run: bc.Engine, p: int, state: int) -> list[int]:
    """The neighbours that are asked about a state: not those whose reverse row was made there."""
    return [
        int(q)
        for q in run.graph.neighbours(p)
        if not any(
            (row.made_for, row.anchor, row.kind) == (p, state, RowKind.RMC) for row in looking.rows(run, p, int(q))
        )
    ]
