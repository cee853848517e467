"""Partition: partition the model into hyper-variables, see the cost, compare strategies, and edit by hand."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint, paragraph
from pages._shared.partition.cost import choices, cost
from pages._shared.partition.drawings import draw_groups, draw_variables, list_groups
from pages._shared.partition.editing import by_hand
from pages._shared.partition.side_by_side import compare
from pages._shared.partition.table import TO_WATCH, draft, give_up, go, partition_progress, use
from pages._shared.partitioning.applying import not_applied, words
from pages._shared.partitioning.cached import fingerprint
from pages._shared.partitioning.draft import Draft


def show(current: Lab) -> None:
    """The page."""
    on_table, model = draft(current), fingerprint(current.mrf)
    part = on_table.now.part
    left, right = st.columns([4, 8], gap="large")
    with left:
        if on_table.error:
            complaint(on_table.error)
        choices(current, part)
        start, back, again = st.columns([2, 1, 1], gap="small")
        changes = not_applied(
            current, on_table, st.session_state.partition_variant, st.session_state.partition_schedule
        )
        if changes and on_table.being_made is None:
            st.caption(words(changes))
        if on_table.being_made is not None:
            st.button("Stop", on_click=give_up, args=(on_table,))
            partition_progress(on_table.maker)
        fits = cost(current, part, on_table.costing)
        paragraph(part.reason.replace(" %", "\u00a0%"))
        start.button(
            "Partition and watch",
            type="primary",
            disabled=not fits or on_table.being_made is not None,
            on_click=use,
            args=(current, on_table),
            width="stretch",
        )
        back.button("Undo", disabled=not on_table.past, on_click=go, args=(on_table, Draft.undo), width="stretch")
        again.button("Redo", disabled=not on_table.future, on_click=go, args=(on_table, Draft.redo), width="stretch")
    with right:
        graph, variables, listing, comparison = st.tabs(
            ["Hyper-variables", "Variables", "Groups", "Compare strategies"], key="cut_view", on_change="rerun"
        )
        with graph:
            if graph.open:
                draw_groups(current, part, model)
        with variables:
            if variables.open:
                draw_variables(current, part, model)
        with listing:
            if listing.open:
                list_groups(current, part)
        with comparison:
            if comparison.open:
                compare(current)
        if not comparison.open:
            by_hand(current, on_table)
    on_table.choices = {key: st.session_state[key] for key in on_table.choices}


if TO_WATCH.take():
    st.switch_page("pages/watch.py")
show(lab())
