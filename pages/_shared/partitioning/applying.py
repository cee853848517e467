"""The choices on Partition, and whether the run that all pages show uses them."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from pages._shared.app.glossary import groups_in_words
from pages._shared.app.next_run import Choice, NextRun
from pages._shared.app.session import Lab, begin_next, give_up_next, next_run
from pages._shared.partitioning.draft import DRAFT, Draft
from pages._shared.running.following import follow
from pages._shared.running.watched import TELL_SECONDS


def not_applied(current: Lab, on_table: Draft, variant: int, schedule: str) -> list[tuple[str, str]]:
    """The differences between the choices on Partition and the run: for each the chosen value, and the run's."""
    (part, max_size), mine = on_table.now, current.partition
    now, then = ((size, each.strategy) for size, each in ((max_size, part), (current.max_size, mine)))
    found = []
    if now != then:
        found.append((groups_in_words(*now), groups_in_words(*then)))
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


def apply(current: Lab, on_table: Draft, variant: int, schedule: str) -> None:
    """Begin to make a run with the choices."""
    part, max_size = on_table.now
    begin_next(current, Choice(current.mrf, current.origin, max_size, part.strategy, variant, schedule, part))


def applied(current: Lab, on_table: Draft, variant: int, schedule: str) -> NextRun | None:
    """The run with the choices that is being made or cannot be made; None if there is none."""
    following = next_run(current)
    if following is None or following.choice.part is not on_table.now.part:
        return None
    choice = following.choice
    return following if (choice.variant, choice.schedule) == (variant, schedule) else None


def show_making(following: NextRun) -> None:
    """The progress of a run that is being made, with a stop; once it is made, the page runs again."""
    st.button("Stop", key="stop_next", on_click=give_up_next)
    follow(
        lambda: following.alive,
        lambda: st.caption(f"{following.doing[:1].upper()}{following.doing[1:]}…"),
        TELL_SECONDS,
    )


def warn(current: Lab) -> None:
    """On a page that shows the run: report choices on Partition that are not applied, with a button to apply them."""
    on_table = DRAFT.get()
    if on_table is None or on_table.number != current.number:
        return
    choice = on_table.choices["partition_variant"], on_table.choices["partition_schedule"]
    changes, following = not_applied(current, on_table, *choice), applied(current, on_table, *choice)
    refusal = "" if following is None else following.refusal
    if not changes or (following is not None and not refusal):
        return

    def begin() -> None:
        apply(current, on_table, *choice)

    with st.container(horizontal=True, key="not_applied", vertical_alignment="center"):
        st.html(f"<p role='status'>{escape(f'{words(changes)} {refusal}')}</p>", width="content")
        st.button("Apply it", on_click=begin)
        st.button("Discard", on_click=DRAFT.forget, help="Partition shows the run's choices again")
