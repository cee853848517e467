"""The page of the game: mounted with its puzzles, and what it says of the play."""

from __future__ import annotations

from typing import TypedDict

import streamlit as st

from pages._shared.app.frontend import Component
from pages._shared.game.recorded import levels
from pages._shared.running.kept import Kept

# A tab is sent the puzzles once, with the code.
_component = Component("game", ("friends/friends.css",), levels=levels())


class Play(TypedDict):
    """A play of a puzzle, both counted from 1: its moves, as the browser writes them."""

    level: int
    puzzle: int
    moves: str


_REPORTED = Kept[Play]("game_reported")


def reported() -> Play | None:
    """What the page has said since it was drawn last; returned once."""
    return _REPORTED.take()


def mount(play: Play) -> None:
    """Mount the page; it shows a play."""
    _component.mount(play, on_play_change=_on_play)


def _on_play() -> None:
    play = st.session_state.get("game", {}).get("play")
    if play:
        _REPORTED.set(play)
