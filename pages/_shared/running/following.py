"""A part of a page that is redrawn while background work continues."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages._shared.running.kept import Kept

# Whether a widget was used since its values were set.
WIDGETS_USED = Kept[bool]("widgets_used")


def follow(goes_on: Callable[[], bool], draw: Callable[[], object], every: float) -> None:
    """Redraw while work continues, and then rerun the page (unless the work ended before the first drawing).

    Parameters
    ----------
    goes_on : callable
        Whether the work continues.
    draw : callable
        Draws the progress.
    every : float
        Seconds.
    """
    first = True

    @st.fragment(run_every=every)
    def part() -> None:
        nonlocal first
        if not first and not goes_on():
            st.rerun()
        first = False
        draw()

    part()


def keep(choices: Mapping[str, object]) -> None:
    """Restore the chosen values of a page's widgets: Streamlit forgets them when the page is left.

    If the page runs again before the browser has created the widgets, be it by itself or for one of its components,
    they never receive a value that was set before, and the first click reports all others as they are by default. So
    the values are set until a widget has been used. After that, setting them would undo what the user has chosen.

    Parameters
    ----------
    choices : mapping
        The values of the widgets when the page was last drawn, by their keys.
    """
    state = st.session_state
    missing = [key for key in choices if key not in state]
    is_used = any(state[key] != value for key, value in choices.items() if key not in missing)
    if missing or is_used:
        WIDGETS_USED.set(is_used)
    for key in missing if WIDGETS_USED.get() else choices:
        state[key] = choices[key]
