"""The notice on a page while the solver is being compiled: the content that has to wait, and the progress."""

from __future__ import annotations

from html import escape

import streamlit as st

from bender_core.warming import compiled
from pages._shared.running.following import follow
from pages._shared.running.solver import is_ready

TELL_SECONDS = 0.5
# Pages that show what needs no solver right away, and state themselves what has to wait.
AT_ONCE = ("", "instance", "learn", "game", "method")


def tell_progress(follows: str) -> None:
    """Show the progress of the compilation at the lower edge of the window; when it ends, the page is drawn.

    Parameters
    ----------
    follows : str
        The sentence up to "once the solver is compiled".
    """

    def draw() -> None:
        ready, functions, _ = compiled()
        words = f"{follows} once the solver is compiled: {ready} of {functions} functions so far."
        st.html(
            f"<div role='progressbar' aria-label='Compiling the solver' aria-valuemax='{functions}'"
            f" aria-valuenow='{ready}'><i style='width:{ready / functions:.0%}'></i></div><p>{escape(words)}</p>"
        )

    with st.container(key="compiling"):
        follow(lambda: not is_ready(), draw, TELL_SECONDS)
