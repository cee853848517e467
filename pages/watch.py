"""Watch: the stage on which a run is stepped, played and looked into."""

import streamlit as st

from pages._shared.routing import through_app
from pages._shared.saving import saving
from pages._shared.session import lab
from pages._shared.stage import stage
from pages._shared.text import complaint


@st.fragment
def show() -> None:
    current = lab()
    if current.notice:
        complaint(current.notice)
    stage(current)
    destination = st.session_state.pop("destination", None)
    if destination is not None:
        page, said = destination
        st.switch_page(f"pages/{page}.py", query_params=said)


through_app()
show()
saving()
# What draws the figures of the Edge page is large: fetched now, it is there when somebody looks closer.
with st.container(key="fetched_ahead"):
    st.plotly_chart({"data": [{"x": []}]}, height=1, key="nothing", alt="Nothing")
