"""Game: "Beat the bound", in which a player takes the place of the engine."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.address import from_address, state
from pages._shared.app.compiling import tell_progress
from pages._shared.app.fields import LEVEL, MOVES, PUZZLE
from pages._shared.app.requests import OPENED_BY
from pages._shared.app.session import has_lab
from pages._shared.app.text import complaint
from pages._shared.game.page import Play, mount, reported
from pages._shared.game.recorded import levels
from pages._shared.running.kept import Kept

_PLAY = Kept[Play]("game_play")
# The play that the address had last, and the address by which a page was opened last: Back may lead to the same play.
_ADDRESSED = Kept[tuple[Play, dict[str, str] | None]]("game_addressed")
FIRST: Play = {"level": 1, "puzzle": 1, "moves": ""}


def play() -> Play:
    """The play to show: by the page itself, an address that is new, or this session."""
    now = reported()
    if now:
        return now
    before, addressed = _PLAY.get() or FIRST, by_address()
    if addressed is None or (addressed, OPENED_BY.get()) == _ADDRESSED.get():
        return before
    _ADDRESSED.set((addressed, OPENED_BY.get()))
    return allowed(addressed)


def by_address() -> Play | None:
    """The play of the page's address, if it has one."""
    found: Play = {
        "level": from_address(LEVEL, 1),
        "puzzle": from_address(PUZZLE, 1),
        "moves": from_address(MOVES, ""),
    }
    return found if {field.name for field in (LEVEL, PUZZLE, MOVES)} & set(st.query_params) else None


def allowed(found: Play) -> Play:
    """The play, or the beginning of what there is."""
    level, puzzle = found["level"], found["puzzle"]
    if not 1 <= level <= len(levels()):
        complaint(f"There is no level {level}: levels are 1 to {len(levels())}. Here is the first.")
        return FIRST
    puzzles = len(levels()[level - 1]["puzzles"])
    if not 1 <= puzzle <= puzzles:
        complaint(f"There is no puzzle {puzzle}: level {level} has 1 to {puzzles}. Here is the first.")
        return {**found, "puzzle": 1, "moves": ""}
    return found


def show() -> None:
    """The game, and its place in the address."""
    now = play()
    _PLAY.set(now)
    mount(now)
    moves = MOVES.say(now["moves"]) if now["moves"] else {}
    state(LEVEL.say(now["level"]) | PUZZLE.say(now["puzzle"]) | moves)


show()
if not has_lab():
    tell_progress("The game is here; other pages follow")
