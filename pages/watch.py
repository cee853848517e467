"""Watch: the stage on which a run is stepped, played and looked into."""

import streamlit as st

from pages._shared.app.address import complete
from pages._shared.app.routing import through_app
from pages._shared.app.session import lab
from pages._shared.app.text import complaint
from pages._shared.cuts.chosen import warn
from pages._shared.running.garbage import collect_seldom
from pages._shared.watch.ahead import load_ahead
from pages._shared.watch.forking import forking, forks_asked
from pages._shared.watch.helping import helping
from pages._shared.watch.proving import proving
from pages._shared.watch.saving import saving
from pages._shared.watch.stage import stage


@st.fragment
def show() -> None:
    current = lab()
    if current.notice:
        complaint(current.notice)
    stage(current)
    if st.session_state.pop("begins_anew", False):
        st.rerun()
    collect_seldom()
    destination = st.session_state.pop("destination", None)
    if destination is not None:
        page, said = destination
        st.session_state.edge_asked = page == "edge"
        st.switch_page(f"pages/{page}.py", query_params=complete(said))


through_app()
warn(lab())
show()
forks_asked()
helping()
forking()
proving()
saving()
load_ahead()
