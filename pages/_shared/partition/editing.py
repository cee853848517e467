"""Groups edited by hand: move, merge and split."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import bender_core as bc
from bender_core.groups import Partition, merge, move, split, split_by_coupling
from pages._shared.app.session import Lab
from pages._shared.app.text import label
from pages._shared.partition.drawings import MOST_DRAWN
from pages._shared.partition.table import change, numbered, pick
from pages._shared.partitioning.draft import Draft, SizedPartition

HALVES = {"coupling": "by coupling: separate as little as possible", "order": "in the order of its members"}


def by_hand(current: Lab, on_table: Draft) -> None:
    """Move, merge and split, in a row each."""
    if current.mrf.n > MOST_DRAWN:
        st.caption(f"Groups are edited by hand in models of up to {MOST_DRAWN:,} variables.")
        return
    st.caption("Edit the groups by hand: click in the drawing, or choose here.")
    rows = (move_row, merge_row, split_row)
    for tab, row in zip(st.tabs(["Move", "Merge", "Split"]), rows, strict=True):
        with tab:
            row(current, on_table)


def move_row(current: Lab, on_table: Draft) -> None:
    """Move a variable to another group."""
    part, names, state = on_table.now.part, current.mrf.names, st.session_state

    def moved() -> Partition:
        if state.move_variable is None:
            raise bc.PartitionError("no variable is chosen; click one in the drawing or choose it from the list")
        return move(part, state.move_variable, group(part, "move_target"))

    what, to, press = columns()
    what.selectbox(
        "Variable",
        range(len(names)),
        format_func=lambda variable: label(names[variable]),
        key="move_variable",
        placeholder="none chosen",
        on_change=lambda: pick(part, state.move_variable),
    )
    choose_group(to, part, "to group", "move_target")
    action(press, on_table, "Move", moved)


def merge_row(current: Lab, on_table: Draft) -> None:
    """Merge two groups."""
    part = on_table.now.part

    def merged() -> Partition:
        return merge(part, group(part, "merge_first"), group(part, "merge_second"))

    what, to, press = columns()
    choose_group(what, part, "Group", "merge_first")
    choose_group(to, part, "with group", "merge_second", 1)
    action(press, on_table, "Merge", merged)


def split_row(current: Lab, on_table: Draft) -> None:
    """Split a group into halves."""
    part = on_table.now.part

    def halved() -> Partition:
        which = group(part, "split_group")
        is_coupled = st.session_state.split_by == "coupling"
        return split_by_coupling(current.mrf, part, which) if is_coupled else split(part, which)

    what, to, press = columns()
    choose_group(what, part, "Group", "split_group")
    to.selectbox("into halves", list(HALVES), format_func=HALVES.__getitem__, key="split_by")
    action(press, on_table, "Split", halved)


def columns() -> list[DeltaGenerator]:
    """The places of two choices and a button."""
    return st.columns([4, 4, 2], vertical_alignment="bottom")


def choose_group(place: DeltaGenerator, part: Partition, title: str, key: str, index: int = 0) -> None:
    """Choose a group."""
    options = numbered(part)
    place.selectbox(title, options, min(index, len(options) - 1), key=key)


def group(part: Partition, key: str) -> int:
    """The group that is chosen; read when a button is pressed, not when it was drawn.

    Raises
    ------
    PartitionError
        If it is no longer there.
    """
    options, text = numbered(part), st.session_state[key]
    if text not in options:
        raise bc.PartitionError(f"there is no group {text!r} any more; choose one of those listed")
    return options.index(text)


def action(place: DeltaGenerator, on_table: Draft, name: str, edited: Callable[[], Partition]) -> None:
    """A button that edits the draft."""
    max_size = on_table.now.max_size
    place.button(name, on_click=change, args=(on_table, lambda: SizedPartition(edited(), max_size)), width="stretch")
