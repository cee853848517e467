"""Part of a page that is drawn again and again while work goes on beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st


def follow(goes_on: Callable[[], bool], draw: Callable[[], object], every: float) -> None:
    """Draw while work goes on, and then run the page once more (not while it is being drawn for the first time).

    Parameters
    ----------
    goes_on : callable
        Whether the work goes on.
    draw : callable
        How far it is.
    every : float
        Seconds.
    """
    first = True

    @st.fragment(run_every=every)
    def part() -> None:
        nonlocal first
        if not first and not goes_on():
            st.session_state.ran_itself = True
            st.rerun()
        first = False
        draw()

    part()


def keep(choices: Mapping[str, object]) -> None:
    """Let the boxes of a page say what was chosen: Streamlit forgets those of a page that is left.

    A box is told what it says once. Where the page runs itself before the browser has made its boxes, they never hear
    it, and the first press sends back that all others are empty; so they are told again until somebody has pressed one.
    Later that would undo what is pressed in the meantime.

    Parameters
    ----------
    choices : mapping
        What the boxes said when the page was last drawn, by their keys.
    """
    state = st.session_state
    missing = [key for key in choices if key not in state]
    for key in missing:
        state[key] = choices[key]
    if missing:
        state.boxes_heard = False
    if any(state[key] != value for key, value in choices.items()):
        state.boxes_heard = True
    if state.pop("ran_itself", False) and not state.get("boxes_heard", False):
        for key, value in choices.items():
            state[key] = value
