"""What a page says while the solver is being compiled: what waits for it, and how far it is."""

from __future__ import annotations

from html import escape

import streamlit as st

from bender_core.warming import compiled
from pages._shared.running.following import follow
from pages._shared.running.solver import is_ready

TELL_SECONDS = 0.5
# Pages that show at once what needs no solver, and say themselves what waits for it.
AT_ONCE = ("", "instance", "learn", "method")


def tell_progress(follows: str) -> None:
    """Say at the lower edge of the window what follows, and how far the solver is; when it is ready, the page goes on.

    Parameters
    ----------
    follows : str
        A sentence up to its "when".
    """

    def draw() -> None:
        ready, functions, _ = compiled()
        words = f"{follows} when the solver is compiled, once on this machine: {ready} of {functions} functions."
        st.html(
            f"<div role='progressbar' aria-label='Compiling the solver' aria-valuemax='{functions}'"
            f" aria-valuenow='{ready}'><i style='width:{ready / functions:.0%}'></i></div><p>{escape(words)}</p>"
        )

    with st.container(key="compiling"):
        follow(lambda: not is_ready(), draw, TELL_SECONDS)
