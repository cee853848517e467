"""Partition: partition the model into hyper-variables, see the cost, compare strategies, and edit by hand."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.session import Lab, lab, show_next
from pages._shared.app.tabs import tabs
from pages._shared.app.text import complaint, paragraph
from pages._shared.partition.cost import choices, cost
from pages._shared.partition.drawings import draw_groups, draw_variables, list_groups
from pages._shared.partition.editing import by_hand
from pages._shared.partition.side_by_side import compare
from pages._shared.partition.table import draft, give_up, go, partition_progress
from pages._shared.partitioning.applying import applied, apply, not_applied, show_making, words
from pages._shared.partitioning.cached import fingerprint
from pages._shared.partitioning.draft import Draft

# The view beside which nothing is edited.
COMPARISON = "Compare strategies"


def begin(current: Lab, on_table: Draft) -> None:
    """Begin a run on the draft; once it is made, Watch shows it."""
    apply(current, on_table, st.session_state.partition_variant, st.session_state.partition_schedule)


def show(current: Lab) -> None:
    """The page."""
    on_table, model = draft(current), fingerprint(current.mrf)
    left, right = st.columns([4, 8], gap="large")
    with left:
        choose(current, on_table)
    with right:
        look(current, on_table, model)
    on_table.choices = {key: st.session_state[key] for key in on_table.choices}


def choose(current: Lab, on_table: Draft) -> None:
    """The choices of a partition, what they cost, and a run with them."""
    part, rules = on_table.now.part, (st.session_state.partition_variant, st.session_state.partition_schedule)
    following = applied(current, on_table, *rules)
    # Read once: it may be made while the page is drawn.
    making = following if following is not None and following.alive else None
    if following is not None and making is None and show_next(current):
        st.switch_page("pages/watch.py")
    error = on_table.error or ("" if following is None else following.refusal)
    if error:
        complaint(error)
    choices(current, part)
    start, back, again = st.columns([2, 1, 1], gap="small")
    changes = not_applied(current, on_table, *rules)
    if making is not None:
        show_making(making)
    elif changes and on_table.being_made is None:
        st.caption(words(changes))
    if on_table.being_made is not None:
        st.button("Stop", on_click=give_up, args=(on_table,))
        partition_progress(on_table.maker)
    fits = cost(current, part, on_table.costing)
    paragraph(part.reason.replace(" %", "\u00a0%"))
    start.button(
        "Partition and watch",
        type="primary",
        disabled=not fits or on_table.being_made is not None or making is not None,
        on_click=begin,
        args=(current, on_table),
        width="stretch",
    )
    back.button("Undo", disabled=not on_table.past, on_click=go, args=(on_table, Draft.undo), width="stretch")
    again.button("Redo", disabled=not on_table.future, on_click=go, args=(on_table, Draft.redo), width="stretch")


def look(current: Lab, on_table: Draft, model: str) -> None:
    """The partition, drawn and listed, to be edited by hand; or all strategies side by side."""
    part = on_table.now.part
    views = {
        "Hyper-variables": lambda: draw_groups(current, part, model),
        "Variables": lambda: draw_variables(current, part, model),
        "Groups": lambda: list_groups(current, part),
        COMPARISON: lambda: compare(current),
    }
    if tabs("cut_view", views) != COMPARISON:
        by_hand(current, on_table)


show(lab())
