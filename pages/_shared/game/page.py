"""The page of the game: mounted with its puzzles, and what it says of the play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

import streamlit as st

from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import LEVEL, MOVES, PUZZLE
from pages._shared.app.frontend import Component
from pages._shared.game.recorded import levels
from pages._shared.running.kept import Kept

# A tab is sent the puzzles once, with the code.
COMPONENT = Component("game", ("friends/friends.css",), levels=levels())


class Play(TypedDict):
    """A play of a puzzle, both counted from 1: its moves, as the browser writes them."""

    level: int
    puzzle: int
    moves: str


_REPORTED = Kept[Play]("game_reported")


def at_first(fields: Mapping[str, str]) -> Play | None:
    """What the page draws before it is run; None if its address names no puzzle that there is."""
    try:
        level, puzzle, moves = LEVEL.of(fields, 1), PUZZLE.of(fields, 1), MOVES.of(fields, "")
    except LinkError:
        return None
    is_there = 1 <= level <= len(levels()) and 1 <= puzzle <= len(levels()[level - 1]["puzzles"])
    return {"level": level, "puzzle": puzzle, "moves": moves} if is_there else None


def reported() -> Play | None:
    """What the page has said since it was drawn last; returned once."""
    return _REPORTED.take()


def mount(play: Play) -> None:
    """Mount the page; it shows a play."""
    COMPONENT.mount(play, on_play_change=_on_play)


def _on_play() -> None:
    play = st.session_state.get("game", {}).get("play")
    if play:
        _REPORTED.set(play)
