"""Groups edited by hand: move, merge and split."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

import bender_core as bc
from bender_core.groups import Partition, merge, move, split, split_by_coupling
from pages._shared.app.session import Lab
from pages._shared.app.text import label
from pages._shared.partition.drawings import MOST_DRAWN
from pages._shared.partition.table import change, numbered, pick
from pages._shared.partitioning.draft import Draft, SizedPartition

HALVES = {"coupling": "by coupling: cut as little as possible", "order": "in the order of its members"}


def by_hand(current: Lab, on_table: Draft) -> None:
    """Move, merge and split, in a row each."""
    part, max_size = on_table.now
    names = current.mrf.names
    if len(names) > MOST_DRAWN:
        st.caption(f"Groups are edited by hand in models of up to {MOST_DRAWN:,} variables.")
        return
    options = numbered(part)
    # The choices are read when a button is pressed, not when it was drawn.
    state = st.session_state

    def group_box(place: st.delta_generator.DeltaGenerator, title: str, key: str, index: int = 0) -> None:
        place.selectbox(title, options, min(index, len(options) - 1), key=key)

    def group(text: str) -> int:
        if text not in options:
            raise bc.PartitionError(f"there is no group {text!r} any more; choose one of those listed")
        return options.index(text)

    def moved() -> Partition:
        if state.move_variable is None:
            raise bc.PartitionError("no variable is chosen; click one in the drawing or choose it from the list")
        return move(part, state.move_variable, group(state.move_target))

    def merged() -> Partition:
        return merge(part, group(state.merge_first), group(state.merge_second))

    def halved() -> Partition:
        which = group(state.split_group)
        return split_by_coupling(current.mrf, part, which) if state.split_by == "coupling" else split(part, which)

    def action(place: st.delta_generator.DeltaGenerator, name: str, edited: Callable[[], Partition]) -> None:
        place.button(
            name, on_click=change, args=(on_table, lambda: SizedPartition(edited(), max_size)), width="stretch"
        )

    st.caption("Edit the groups by hand: click in the drawing, or choose here.")
    moving, merging, splitting = st.tabs(["Move", "Merge", "Split"])
    with moving:
        what, to, press = st.columns([4, 4, 2], vertical_alignment="bottom")
        what.selectbox(
            "Variable",
            range(len(names)),
            format_func=lambda variable: label(names[variable]),
            key="move_variable",
            placeholder="none chosen",
            on_change=lambda: pick(part, state.move_variable),
        )
        group_box(to, "to group", "move_target")
        action(press, "Move", moved)
    with merging:
        what, to, press = st.columns([4, 4, 2], vertical_alignment="bottom")
        group_box(what, "Group", "merge_first")
        group_box(to, "with group", "merge_second", 1)
        action(press, "Merge", merged)
    with splitting:
        what, to, press = st.columns([4, 4, 2], vertical_alignment="bottom")
        group_box(what, "Group", "split_group")
        to.selectbox("into halves", list(HALVES), format_func=HALVES.__getitem__, key="split_by")
        action(press, "Split", halved)
