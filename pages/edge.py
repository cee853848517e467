"""Edge: one message in one direction, its envelope, its rows, and the effect of another row."""

from __future__ import annotations

from functools import partial

import streamlit as st

import bender_core as bc
from pages._shared.app.naming import which_run
from pages._shared.app.session import lab, next_run, show_next
from pages._shared.app.text import complaint
from pages._shared.edge.classes import choose_class, choose_order, choose_stems, draw, keep, members_named, recall
from pages._shared.edge.looks import looks
from pages._shared.edge.message import choose, refuse, view_of
from pages._shared.edge.rows import choose_rows
from pages._shared.forks.requesting import carry_out
from pages._shared.partitioning.applying import show_making, warn
from pages._shared.running.findings import findings, found_or_progress, show_work


def show() -> None:
    current = lab()
    following = next_run(current)
    if following is not None and following.alive:
        show_making(following)
    else:
        show_next(current)
    warn(current)
    run = current.run
    if not (run.looking or run.settle()):
        st.info("The run continues in the background. To inspect a message, stop it on Watch or wait until it ends.")
        return
    if not len(run.engine.graph.edges):
        st.info("All variables are in one group, so there are no messages. Choose a smaller M on Partition.")
        return
    recall(current)
    found = findings(run)
    found.arrive()
    if run.failure:
        complaint(run.failure)
    carry_out(current, partial(found_or_progress, found))
    st.caption(which_run(current))
    p, q = choose(current, found)
    left, right = st.columns([6, 5])
    with left:
        choices = st.container(horizontal=True)
        with choices:
            order = choose_order()
        try:
            view = view_of(found, p, q)
        except bc.TooLargeError as error:
            refuse(current, error)
            return
        if view is None:
            show_work(found)
            return
        names = members_named(current, p, view.shown.members)
        selected = choose_class(current, view.shown, names, choices)
        drawn = choose_stems(current, view.shown, order, selected)
        picture = st.container()
        rows = choose_rows(current, found, p, q, view)
        with picture:
            draw(current, view, drawn, names, selected, rows or [])
        keep(current, view.shown, order)
    with right:
        if rows is not None:
            looks(current, found, view, drawn, names, selected, rows)


show()
