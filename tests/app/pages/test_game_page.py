"""The game without a browser: the play that it begins with, and what the address says of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.game import page as game_page
from pages._shared.game.recorded import levels
from tests.app.pages.test_pages import ROOT, complaints, go, ran


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the page was given, time and again."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(game_page.COMPONENT, "mount", lambda data, **_: found.append(data))
    return found


def visit(**fields: str) -> AppTest:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    for name, value in fields.items():
        test.query_params[name] = value
    return go(test, "game")


def addressed(test: AppTest) -> dict[str, str]:
    """What the address says of the play."""
    every = dict(parse_qsl(test.session_state.page_address))
    return {name: every[name] for name in ("level", "puzzle", "moves") if name in every}


def report(test: AppTest, level: int, puzzle: int, moves: str) -> AppTest:
    """Have the page say what was played."""
    test.session_state["game_reported"] = {"level": level, "puzzle": puzzle, "moves": moves}
    return ran(test.run())


def test_it_begins_with_the_first_puzzle(mounted: list[dict[str, Any]]) -> None:
    test = visit()
    assert mounted[-1] == {"level": 1, "puzzle": 1, "moves": ""}
    assert addressed(test) == {"level": "1", "puzzle": "1"}


def test_an_address_opens_a_puzzle_after_some_moves(mounted: list[dict[str, Any]]) -> None:
    test = visit(level="2", puzzle="3", moves="B-A2m_A")
    assert mounted[-1] == {"level": 2, "puzzle": 3, "moves": "B-A2m_A"}
    assert addressed(test) == {"level": "2", "puzzle": "3", "moves": "B-A2m_A"}


def test_the_address_follows_the_player_and_the_session_remembers(mounted: list[dict[str, Any]]) -> None:
    test = visit(level="2")
    report(test, 2, 1, "B-A2m")
    assert addressed(test) == {"level": "2", "puzzle": "1", "moves": "B-A2m"}
    # Drawn again with the address that it came with, it stays where the player is.
    test.query_params["level"] = "2"
    ran(test.run())
    assert mounted[-1] == {"level": 2, "puzzle": 1, "moves": "B-A2m"}


@pytest.mark.parametrize(
    ("fields", "sentence", "play"),
    [
        ({"level": "9"}, "There is no level 9", (1, 1, "")),
        ({"level": "0"}, "There is no level 0", (1, 1, "")),
        ({"level": "3", "puzzle": "77"}, "There is no puzzle 77", (3, 1, "")),
        ({"level": "3", "moves": "X-1"}, "which are no moves", (3, 1, "")),
        ({"level": "three"}, "'three'", (1, 1, "")),
    ],
)
def test_what_there_is_not_is_named_and_the_beginning_is_shown(
    mounted: list[dict[str, Any]], fields: dict[str, str], sentence: str, play: tuple[int, int, str]
) -> None:
    test = visit(**fields)
    assert sentence in " ".join(complaints(test))
    assert tuple(mounted[-1].values()) == play


def test_all_puzzles_come_with_the_code_once() -> None:
    assert game_page.COMPONENT.code["levels"] == levels()
    assert len(levels()) == 5
