"""The forks of an address, made once more in the background; until then no page is drawn."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.session import lab
from pages._shared.app.text import label
from pages._shared.running.following import follow
from pages._shared.running.watched import TELL_SECONDS, whereabouts


def opening() -> bool:
    """Whether the address is still being opened; then this says how far that is."""
    current = lab()
    replay = current.replay
    if replay is None:
        return False
    if not replay.alive:
        current.arrive()
        return False

    def progress() -> None:
        run = f"run {len(current.branches)} of {len(replay.forks) + 1}"
        st.caption(f"Opening {label(current.mrf.name)}: {run}, {whereabouts(current.run.engine)}…")
        st.button("Stop here", on_click=replay.stop)

    follow(lambda: replay.alive, progress, TELL_SECONDS)
    return True
