"""Watch: the stage on which a run is stepped, played and looked into."""

import time

import streamlit as st

from pages._shared.app.address import complete
from pages._shared.app.arrival import arrival
from pages._shared.app.compiling import tell_progress
from pages._shared.app.fields import WATCH
from pages._shared.app.pictures import load_pictures
from pages._shared.app.requests import DESTINATION, EDGE
from pages._shared.app.session import has_lab, lab, model
from pages._shared.app.text import markdown
from pages._shared.forks.beside import begin_named
from pages._shared.partitioning.applying import warn
from pages._shared.running.garbage import collect_seldom
from pages._shared.watch.embedded import embedded
from pages._shared.watch.forking import forking, requested_forks
from pages._shared.watch.helping import helping
from pages._shared.watch.preloading import load_ahead
from pages._shared.watch.pricing import pricing
from pages._shared.watch.proving import proving
from pages._shared.watch.recorded import recording
from pages._shared.watch.saving import saving
from pages._shared.watch.stage import show_stage
from pages._shared.watch.talking import talking

# Streamlit sends what is drawn every few milliseconds.
SENT_SECONDS = 0.03


@st.fragment
def show() -> None:
    if has_lab():
        begin_named(lab())
        if lab().replay is not None:
            st.rerun()
    if not show_stage(WATCH):
        name = markdown(model().name)
        st.caption(f"The run of {name} opens here. Instance, Learn, Game and Method are open already.")
    collect_seldom()
    destination = DESTINATION.take()
    if destination is not None:
        page, fields = destination
        EDGE.set(page == "edge")
        st.switch_page(f"pages/{page}.py", query_params=complete(fields))


if st.context.is_embedded:
    embedded()
elif has_lab():
    warn(lab())
    show()
    requested_forks()
    with st.container(key="below_stage"):
        helping()
        forking()
        proving()
        pricing()
        talking()
        saving()
    load_ahead()
    load_pictures()
    # If the stage has asked meanwhile, its part runs next, and Streamlit drops what the whole page has drawn there and
    # not sent: the stage would be mounted anew. It copes with that, but forgets presses that wait.
    time.sleep(SENT_SECONDS)
else:
    show()
    recorded = f"Play or step through {recording().sweeps} recorded sweeps; the run itself goes on"
    tell_progress(recorded if recording().opens(arrival().fields) else "This run opens")
    load_pictures()
