"""The groups and forks of an address, made once more in the background; until then no page is drawn."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.session import lab
from pages._shared.app.text import markdown
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
        name = markdown(current.mrf.name)
        # Asked once: the search may end meanwhile.
        searching = replay.doing
        if searching:
            st.progress(replay.share, f"Opening {name}: {searching}")
        else:
            run = f"run {len(current.branches)} of {len(replay.forks) + 1}"
            st.caption(f"Opening {name}: {run}, {whereabouts(current.run.engine)}…")

    # Outside the fragment that keeps rerunning: a click is answered at once.
    st.button("Stop here", on_click=replay.stop)
    follow(lambda: replay.alive, progress, TELL_SECONDS)
    return True
