"""Partition: cut the model into hyper-variables, see what that will cost, and edit the groups by hand."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

import bender_core as bc
from bender_core.engine import SCHEDULES
from bender_core.estimate import largest_fit, memory_limit
from bender_core.partition import (
    Partition,
    applicable,
    coupled_groups,
    default_strategy,
    independent_cycles,
    merge,
    move,
    split,
)
from bender_core.visualization.figures import plot_model, plot_partition
from pages._shared.routing import through_app
from pages._shared.session import Lab, lab
from pages._shared.text import complaint, paragraph, table

WORDS = {
    "auto": "auto: the one of all that keeps most together",
    "groups": "by kind (the paper's): one kind of variable a group",
    "greedy": "greedy: grow by the strongest coupling",
    "refined": "refined: grow by what matters, then exchange",
    "layers": "layers: level by level, a chain where it can",
    "blocks": "blocks: compact tiles of the drawing",
    "community": "community: what is strongly coupled among itself",
    "random": "random: by lot, to compare with",
    "singletons": "singletons: every variable alone",
    "manual": "by hand",
}
LARGEST_M = 24
MOST_GROUPS_LISTED = 200


def draft(current: Lab) -> Partition:
    """The partition on the table; the run's own until something is changed."""
    kept = st.session_state.get("draft")
    if kept is None or kept[0] != current.number:
        st.session_state.draft = (current.number, current.partition)
        st.session_state.draft_before = []
        st.session_state.partition_error = ""
        st.session_state.choices = {
            "cut_size": current.max_size,
            "cut_strategy": current.partition.strategy,
            "cut_variant": current.variant,
            "cut_schedule": current.schedule,
        }
        st.session_state.update(st.session_state.choices)
    # Streamlit forgets the widgets of a page that is left.
    for key, value in st.session_state.choices.items():
        st.session_state.setdefault(key, value)
    part: Partition = st.session_state.draft[1]
    return part


def change(make: Callable[[], Partition]) -> None:
    """Put another partition on the table, so that it can be undone; if it cannot be made, say why."""
    try:
        part = make()
    except bc.PartitionError as error:
        st.session_state.partition_error = str(error)
        return
    number, before = st.session_state.draft
    st.session_state.draft_before.append(before)
    st.session_state.draft = (number, part)
    st.session_state.cut_strategy = part.strategy
    st.session_state.partition_error = ""


def recut(current: Lab) -> None:
    strategy = st.session_state.cut_strategy
    if strategy == "manual":
        strategy = default_strategy(current.mrf)
    change(lambda: bc.partition(current.mrf, st.session_state.cut_size, strategy))


def undo() -> None:
    number, _ = st.session_state.draft
    part = st.session_state.draft_before.pop()
    st.session_state.draft = (number, part)
    st.session_state.cut_strategy = part.strategy
    st.session_state.partition_error = ""


def use(current: Lab) -> None:
    state = st.session_state
    try:
        current.cut(state.draft[1], state.cut_size, state.cut_variant, state.cut_schedule)
    except (bc.TooLargeError, bc.PartitionError) as error:
        st.session_state.partition_error = str(error)
    else:
        st.session_state.to_watch = True


def choices(current: Lab, part: Partition) -> None:
    st.slider("M: variables a group may hold", 1, LARGEST_M, key="cut_size", on_change=recut, args=(current,))
    st.selectbox(
        "Strategy",
        applicable(current.mrf) + (["manual"] if part.strategy == "manual" else []),
        format_func=WORDS.__getitem__,
        key="cut_strategy",
        on_change=recut,
        args=(current,),
    )
    st.selectbox(
        "Variant",
        list(bc.VARIANTS),
        format_func=lambda v: f"{v}: {bc.VARIANTS[v].name}",
        key="cut_variant",
    )
    st.caption(bc.VARIANTS[st.session_state.cut_variant].sentence)
    st.segmented_control("Schedule", list(SCHEDULES), key="cut_schedule", required=True)
    st.caption(SCHEDULES[st.session_state.cut_schedule])


def cost(current: Lab, part: Partition) -> bool:
    """What the choice will take; returns whether it fits."""
    variant = st.session_state.cut_variant
    expected = bc.estimate(current.mrf, part, variant)
    edges = coupled_groups(current.mrf, part)
    cycles = independent_cycles(len(part), edges)
    limit = memory_limit()
    table(
        ["", ""],
        [
            ["groups", f"{len(part)}, the largest with {part.max_size} variables ({expected.states:,} states)"],
            ["hyper-edges", f"{len(edges)}"],
            ["cycles left", f"{cycles}" + (" (a forest: the bound will be exact)" if cycles == 0 else "")],
            ["memory", f"{_bytes(expected.bytes)} of {_bytes(limit)}"],
            ["time a sweep", f"about {_seconds(expected.seconds_per_sweep)}"],
        ],
    )
    if expected.bytes <= limit:
        return True
    fits = largest_fit(current.mrf, part, variant, limit)
    advice = f" M = {fits} would fit." if fits else " Cut it into smaller groups."
    complaint(f"This choice needs {_bytes(expected.bytes)}, more than the limit of {_bytes(limit)}.{advice}")
    return False


def numbered(part: Partition) -> list[str]:
    """The groups as a select box lists them; numbers keep equal names apart."""
    return [f"{k + 1}. {label}" for k, label in enumerate(part.labels)]


def by_hand(part: Partition, names: tuple[str, ...]) -> None:
    options = numbered(part)

    def group_box(title: str, key: str, index: int = 0) -> None:
        st.selectbox(title, options, min(index, len(options) - 1), key=key)

    def group(text: str) -> int:
        if text not in options:
            raise bc.PartitionError(f"there is no group {text!r} any more; choose one of those listed")
        return options.index(text)

    # The choices are read when a button is pressed, not when it was drawn.
    chosen = st.session_state

    def merged() -> Partition:
        return merge(part, group(chosen.merge_first), group(chosen.merge_second))

    moving, merging, splitting = st.tabs(["Move", "Merge", "Split"])
    with moving:
        st.selectbox("Variable", range(len(names)), format_func=names.__getitem__, key="move_variable")
        group_box("to group", "move_target")
        st.button("Move", on_click=change, args=(lambda: move(part, chosen.move_variable, group(chosen.move_target)),))
    with merging:
        group_box("Group", "merge_first")
        group_box("with group", "merge_second", 1)
        st.button(
            "Merge", on_click=change, args=(lambda: merge(part, group(chosen.merge_first), group(chosen.merge_second)),)
        )
    with splitting:
        group_box("Group", "split_group")
        st.button("Split", on_click=change, args=(lambda: split(part, group(chosen.split_group)),))


def _bytes(count: float) -> str:
    return f"{count / 2**30:.3g} GB" if count >= 2**30 else f"{count / 2**20:.3g} MB"


def _seconds(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1000 * seconds:.2g} ms"
    return (
        f"{seconds:.2g} s"
        if seconds < 120
        else f"{seconds / 60:.2g} min"
        if seconds < 7200
        else f"{seconds / 3600:.3g} h"
    )


through_app()
if st.session_state.pop("to_watch", False):
    st.switch_page("pages/watch.py")
current = lab()
part = draft(current)
left, right = st.columns([4, 8], gap="large")
with left:
    if st.session_state.partition_error:
        complaint(st.session_state.partition_error)
    choices(current, part)
    fits = cost(current, part)
    go, back = st.columns(2)
    go.button("Cut and watch", type="primary", disabled=not fits, on_click=use, args=(current,), width="stretch")
    back.button("Undo", disabled=not st.session_state.draft_before, on_click=undo, width="stretch")
    with st.expander("Edit the groups by hand"):
        by_hand(part, current.mrf.names)
with right:
    graph, variables, listing = st.tabs(["Hyper-variables", "Variables by group", "Groups"])
    with graph:
        st.plotly_chart(plot_partition(current.mrf, part), height=560, key="hypergraph")
        st.caption("Circles are hyper-variables, larger with more members; lines join groups that are coupled.")
    with variables:
        st.plotly_chart(plot_model(current.mrf, part), height=560, key="groups")
        st.caption("Circles are variables, coloured and shaped by their group.")
    with listing:
        for label, group in list(zip(part.labels, part.groups, strict=True))[:MOST_GROUPS_LISTED]:
            paragraph(f"{label}: {', '.join(current.mrf.names[i] for i in group)}")
st.session_state.choices = {key: st.session_state[key] for key in st.session_state.choices}
