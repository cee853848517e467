"""The draft: requested, made, edited and undone."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

import bender_core as bc
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.strategies import default_strategy
from pages._shared.app.session import Lab
from pages._shared.app.text import label
from pages._shared.partitioning.draft import DRAFT, Draft, SizedPartition
from pages._shared.partitioning.making import Costing, PartitionMaker
from pages._shared.running.following import WIDGETS_USED, follow, keep

COMPARED_M = (4, 8, 12)
TELL_SECONDS = 0.4


def draft(current: Lab) -> Draft:
    """The draft; the run's partition until something is changed."""
    before = DRAFT.get()
    found = DRAFT.made(lambda: _begun(current), lambda found: found.number == current.number)
    if found is not before:
        if before is not None:
            before.stop()
        st.session_state.move_variable = None
        st.session_state.update(found.choices)
        WIDGETS_USED.set(False)
    keep(found.choices)
    st.session_state.setdefault("move_variable", None)
    agree(current, found)
    return found


def _begun(current: Lab) -> Draft:
    """A draft that is the run's partition."""
    most = current.mrf.n
    choices = {
        "partition_size": current.max_size,
        "partition_strategy": current.partition.strategy,
        "partition_variant": current.variant,
        "partition_schedule": current.schedule,
        "compare_sizes": [m for m in COMPARED_M if m <= most] or [max(min(most, LARGEST_GROUP), 1)],
        "compare_sweeps": 10,
    }
    now = SizedPartition(current.partition, current.max_size)
    maker, costing = PartitionMaker(current.mrf), Costing(current.mrf, current.account)
    return Draft(current.number, now, maker, costing, choices)


def agree(current: Lab, on_table: Draft) -> None:
    """Make a new partition if the widgets request one, and set them to the draft's values.

    This is not a callback: Streamlit drops a callback midway when the next click arrives; here it is only delayed.
    """
    choice = st.session_state.partition_size, st.session_state.partition_strategy
    if choice not in (on_table.in_widgets.choice, on_table.now.choice):
        partition_again(current, on_table, *choice)
    elif on_table.being_made is not None:
        give_up(on_table)
    if on_table.being_made is not None:
        return
    choose(*on_table.now.choice)
    if on_table.now is not on_table.in_widgets:
        pick(on_table.now.part, st.session_state.move_variable)
        on_table.in_widgets = on_table.now


def change(on_table: Draft, make: Callable[[], SizedPartition]) -> None:
    """Change the draft, with undo; if the change is impossible, say why."""
    try:
        on_table.put(make())
        on_table.error = ""
    except bc.PartitionError as error:
        on_table.error = str(error)


def go(on_table: Draft, step: Callable[[Draft], None]) -> None:
    """Undo or redo."""
    step(on_table)
    on_table.error = ""


def pick(part: Partition, variable: int | None) -> None:
    """Choose a variable to move, and its group to merge or split."""
    fill("move_variable", variable)
    if variable is not None:
        mine = numbered(part)[part.group_of()[variable]]
        fill("merge_first", mine)
        fill("split_group", mine)


def fill(box: str, value: object) -> None:
    """Set a widget to another value; setting it to its own value would lose a click made meanwhile."""
    if st.session_state.get(box) != value:
        st.session_state[box] = value


def choose(max_size: int, strategy: str) -> None:
    """Set the widgets to request a partition."""
    fill("partition_size", max_size)
    fill("partition_strategy", strategy)


def partition_again(current: Lab, on_table: Draft, max_size: int, strategy: str) -> None:
    """Make a partition by a strategy the draft; a slow one in the background."""
    maker = on_table.maker
    choice = max_size, default_strategy(current.mrf) if strategy == "manual" else strategy
    if choice != on_table.being_made:
        maker.ask([choice])
    # Read once, and before the partition is looked up: it may be made while the page is drawn.
    going = maker.busy
    on_table.being_made = None
    if choice in maker.parts:
        change(on_table, lambda: SizedPartition(maker.parts[choice], max_size))
    elif choice in maker.errors:
        on_table.error = maker.errors[choice]
    elif going:
        on_table.being_made = choice


def give_up(on_table: Draft) -> None:
    """Keep the present draft."""
    on_table.maker.stop()
    on_table.being_made = None
    choose(*on_table.now.choice)


def partition_progress(maker: PartitionMaker) -> None:
    """The progress of the partition being made."""
    follow(lambda: maker.busy, lambda: st.progress(maker.share, maker.doing), TELL_SECONDS)


def numbered(part: Partition) -> list[str]:
    """The groups as a select box lists them; numbers distinguish equal names."""
    return [f"{k + 1}. {label(name)}" for k, name in enumerate(part.labels)]
