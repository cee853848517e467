"""Compare: race variants, partitions and schedules on one model, side by side."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.address import state
from pages._shared.app.pictures import load_pictures
from pages._shared.app.requests import CYCLES_BY, PROOF
from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint
from pages._shared.compare.entries import CONTEST, contest
from pages._shared.compare.linking import address, arrive
from pages._shared.compare.outcome import picture, result
from pages._shared.compare.sessions import of_earlier_sessions, opened
from pages._shared.compare.start import TELL_SECONDS, start
from pages._shared.running.following import follow


def show(current: Lab) -> None:
    """The page."""
    of_model = contest(current)
    arrive(of_model)
    kept = opened(of_model)
    # Read once: the race may end while the page is drawn.
    going = of_model.busy
    left, right = st.columns([4, 10], gap="medium")
    with left:
        start(current, of_model, going)
        earlier_runs = of_earlier_sessions(of_model, kept)
    with right:
        for sentence in (
            current.notice,
            *of_model.faults,
            of_model.error,
            of_model.racing.failure if of_model.racing else "",
        ):
            if sentence:
                complaint(sentence)
        if going:
            follow(lambda: of_model.busy, lambda: picture(of_model, earlier_runs), TELL_SECONDS)
        else:
            st.fragment(picture)(of_model, earlier_runs)
            result(current, of_model, kept, earlier_runs)
    chosen = st.session_state
    of_model.choices = {key: chosen[key] for key in of_model.choices}
    state(address())


if (found := CONTEST.get()) is not None and (page := found.destination):
    if found.to_prove:
        PROOF.set(True)
    if found.cycles_by:
        CYCLES_BY.set(found.cycles_by)
    found.destination, found.to_prove, found.cycles_by = "", False, ""
    st.switch_page(f"pages/{page}.py")
show(lab())
load_pictures()
