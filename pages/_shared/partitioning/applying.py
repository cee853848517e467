"""The choices on Partition, and whether the run that all pages show uses them."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

import bender_core as bc
from pages._shared.app.session import Lab
from pages._shared.partitioning.draft import DRAFT, Draft


def not_applied(current: Lab, on_table: Draft, variant: int, schedule: str) -> list[tuple[str, str]]:
    """The differences between the choices on Partition and the run: for each the chosen value, and the run's."""
    (part, max_size), mine = on_table.now, current.partition
    now, then = ((size, each.strategy) for size, each in ((max_size, part), (current.max_size, mine)))
    found = []
    if now != then:
        found.append(tuple(f"M {size} by {strategy}" for size, strategy in (now, then)))
    elif not np.array_equal(part.group_of(), mine.group_of()):
        found.append(("other groups", "its own"))
    if variant != current.variant:
        found.append((f"variant {variant}", f"variant {current.variant}"))
    if schedule != current.schedule:
        found.append((schedule, current.schedule))
    return [(chosen, kept) for chosen, kept in found]


def words(changes: list[tuple[str, str]]) -> str:
    """A sentence on the choices that are not applied yet."""
    chosen, kept = (", ".join(each) for each in zip(*changes, strict=True))
    return f"Not applied: {chosen}. The run still has {kept}."


def apply(current: Lab, on_table: Draft, variant: int, schedule: str) -> bool:
    """Begin a run with the choices; if that is impossible, the draft gets an error."""
    part, max_size = on_table.now
    try:
        current.repartition(part, max_size, variant, schedule)
    except (bc.TooLargeError, bc.PartitionError) as error:
        on_table.error = str(error)
        return False
    return True


def warn(current: Lab) -> None:
    """On a page that shows the run: report choices on Partition that are not applied, with a button to apply them."""
    on_table = DRAFT.get()
    if on_table is None or on_table.number != current.number:
        return
    choice = on_table.choices["partition_variant"], on_table.choices["partition_schedule"]
    changes = not_applied(current, on_table, *choice)
    if not changes:
        return
    sentence = f"{words(changes)} {on_table.error}"

    def begin() -> None:
        apply(current, on_table, *choice)

    with st.container(horizontal=True, key="not_applied", vertical_alignment="center"):
        st.html(f"<p role='status'>{escape(sentence)}</p>", width="content")
        st.button("Apply it", on_click=begin)
        st.button("Discard", on_click=DRAFT.forget, help="Partition shows the run's choices again")
