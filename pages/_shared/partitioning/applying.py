"""What is chosen on Partition, and whether the run that all pages show is of it."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

import bender_core as bc
from pages._shared.app.session import Lab
from pages._shared.partitioning.draft import DRAFT, Draft


def not_applied(current: Lab, on_table: Draft, variant: int, schedule: str) -> list[tuple[str, str]]:
    """What the draft and the choices beside it change: of each what is chosen, and what the run has."""
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
    """That choices are not applied yet, in a sentence."""
    chosen, kept = (", ".join(each) for each in zip(*changes, strict=True))
    return f"Not applied: {chosen}. The run still has {kept}."


def apply(current: Lab, on_table: Draft, variant: int, schedule: str) -> bool:
    """Begin a run on what is chosen; if that is impossible, the draft says why."""
    part, max_size = on_table.now
    try:
        current.repartition(part, max_size, variant, schedule)
    except (bc.TooLargeError, bc.PartitionError) as error:
        on_table.error = str(error)
        return False
    return True


def warn(current: Lab) -> None:
    """On a page that shows the run: say what was chosen on Partition and not applied, with the button that does."""
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
        st.button("Drop it", on_click=DRAFT.forget, help="Partition shows the run's choices again")
