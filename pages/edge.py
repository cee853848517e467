"""Edge: one message in one direction, its envelope, its rows, and the effect of another row."""

from __future__ import annotations

import streamlit as st

import bender_core as bc
from bender_core.visualization.message import ORDERS
from pages._shared.app.routing import through_app
from pages._shared.app.session import lab
from pages._shared.app.text import complaint
from pages._shared.edge.looks import LOOKS, draw, looks
from pages._shared.edge.message import choose, looked_at, refuse, row_list
from pages._shared.running.findings import findings, show_work


def show() -> None:
    current = lab()
    run = current.run
    st.session_state.setdefault("edge_order", "nu")
    st.session_state.setdefault("edge_look", LOOKS[0])
    # Streamlit forgets the widgets of a page when it is left.
    st.session_state.edge_order, st.session_state.edge_look = st.session_state.edge_order, st.session_state.edge_look
    if not (run.looking or run.settle()):
        st.info("The run continues in the background. To inspect a message, stop it on Watch or wait until it ends.")
        return
    if not len(run.engine.graph.edges):
        st.info("All variables are in one group, so there are no messages. Choose a smaller M on Partition.")
        return
    found = findings(run)
    found.arrive()
    if run.failure:
        complaint(run.failure)
    p, q = choose(current, found)
    left, right = st.columns([6, 5])
    with left:
        order: str = st.segmented_control(
            "Order of the states",
            list(ORDERS),
            format_func=ORDERS.__getitem__,
            key="edge_order",
            required=True,
            label_visibility="collapsed",
        )
        try:
            looked = looked_at(found, p, q, order)
        except bc.TooLargeError as error:
            refuse(current, error)
            return
        if looked is None:
            show_work(found)
            return
        picture = st.container()
        chosen = row_list(current, looked)
        with picture:
            draw(current, p, looked, order, chosen)
    with right:
        looks(current, found, p, q, looked, order, chosen)


through_app()
show()
