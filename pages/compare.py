"""Compare: race variants, partitions and schedules on one model, side by side."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint
from pages._shared.compare.field import contest
from pages._shared.compare.outcome import picture, result
from pages._shared.compare.sessions import of_earlier_sessions, opened
from pages._shared.compare.start import TELL_SECONDS, start
from pages._shared.running.following import follow


def show(current: Lab) -> None:
    """The page."""
    held = contest(current)
    kept = opened(held)
    # Asked once: the race may end while the page is drawn.
    going = held.busy
    left, right = st.columns([4, 10], gap="medium")
    with left:
        start(current, held, going)
        earlier_runs = of_earlier_sessions(held, kept)
    with right:
        for said in (held.error, held.racing.failure if held.racing else ""):
            if said:
                complaint(said)
        if going:
            follow(lambda: held.busy, lambda: picture(held, earlier_runs), TELL_SECONDS)
        else:
            st.fragment(picture)(held, earlier_runs)
            result(current, held, kept, earlier_runs)
    state = st.session_state
    held.choices = {key: state[key] for key in held.choices}


if "contest" in st.session_state and st.session_state.contest.to_watch:
    if st.session_state.contest.to_prove:
        st.session_state.proof_requested = True
    st.session_state.contest.to_watch = st.session_state.contest.to_prove = False
    st.switch_page("pages/watch.py")
show(lab())
