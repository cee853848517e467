"""Edge: one message in one direction, its envelope, its rows, and the effect of another row."""

from __future__ import annotations

import streamlit as st

import bender_core as bc
from bender_core.visualization.message import (
    ORDERS,
    message,
)
from pages._shared.app.routing import through_app
from pages._shared.app.session import lab
from pages._shared.edge.looks import LOOKS, draw, looks
from pages._shared.edge.message import choose, refuse, row_list


def show() -> None:
    current = lab()
    run = current.run
    settled = run.settle()
    st.session_state.setdefault("edge_order", "nu")
    st.session_state.setdefault("edge_look", LOOKS[0])
    # Streamlit forgets the widgets of a page when it is left.
    st.session_state.edge_order, st.session_state.edge_look = st.session_state.edge_order, st.session_state.edge_look
    if not settled:
        st.info("The run continues in the background. To inspect a message, stop it on Watch or wait until it ends.")
        return
    if not len(run.engine.graph.edges):
        st.info("All variables are in one group, so there are no messages. Choose a smaller M on Partition.")
        return
    run.engine.seek(run.position)
    p, q = choose(current)
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
            shown = message(run.engine, p, q, order)
        except bc.TooLargeError as error:
            refuse(current, error)
            return
        picture = st.container()
        chosen = row_list(current, p, q, shown)
        with picture:
            draw(current, p, shown, order, chosen)
    with right:
        looks(current, p, q, shown, order, chosen)


through_app()
show()
