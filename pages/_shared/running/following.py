"""A part of a page that is redrawn while background work continues."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages._shared.running.kept import Kept

# Whether the page has run again without the user, and whether a widget was used since its values were set.
_RAN_ITSELF, WIDGETS_USED = Kept[bool]("ran_itself"), Kept[bool]("widgets_used")


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
            _RAN_ITSELF.set(True)
            st.rerun()
        first = False
        draw()

    part()


def keep(choices: Mapping[str, object]) -> None:
    """Restore the chosen values of a page's widgets: Streamlit forgets them when the page is left.

    A widget's value is set once. If the page reruns itself before the browser has created the widgets, they never
    receive it, and the first click reports all others as empty; so the values are set again until a widget has been
    used. After that, setting them would undo what the user has chosen.

    Parameters
    ----------
    choices : mapping
        The values of the widgets when the page was last drawn, by their keys.
    """
    state = st.session_state
    missing = [key for key in choices if key not in state]
    for key in missing:
        state[key] = choices[key]
    if missing:
        WIDGETS_USED.set(False)
    if any(state[key] != value for key, value in choices.items()):
        WIDGETS_USED.set(True)
    if _RAN_ITSELF.take() and not WIDGETS_USED.get():
        for key, value in choices.items():
            state[key] = value
