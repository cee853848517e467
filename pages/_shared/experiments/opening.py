"""A run of a study, opened on the page that shows it."""

from __future__ import annotations

import streamlit as st

import bender_core as bc
from bender_core.experiments import Task
from bender_core.strategies import default_strategy
from pages._shared.app.fields import WATCH
from pages._shared.app.next_run import Choice
from pages._shared.app.permalink import made_by
from pages._shared.app.requests import BY_OF, CYCLES_BY, PAGE_OF
from pages._shared.app.session import begin_next, first_rules, lab
from pages._shared.app.text import complaint, markdown


def watch(task: Task) -> None:
    """Open a run on Watch, or the cycles of its model on Cycles."""
    page = page_of(task)
    if page is None:
        # Wherever the page is scrolled to.
        st.toast(markdown(f"{task.title} cannot be stepped through: it is a run of an external solver."))
        return
    try:
        mrf, first_groups = task.instance.load(), task.first_groups
    except (bc.FormatError, bc.ModelError, OSError) as error:
        complaint(f"This run cannot be opened: {error}")
        return
    current, values = lab(), dict(task.instance.values)
    origin = made_by(task.instance.source, values) if task.instance.made else {}
    if first_groups is not None:
        grows = (
            f"This is a proof with groups of up to {task.max_size}: it begins with those of M {first_groups[0]}, and "
            "makes them larger where that is needed."
        )
        remark = grows * (first_groups[0] != task.max_size)
        choice = Choice(mrf, origin, *first_groups, task.variant, task.schedule, task.found, remark)
        begin_next(current, choice, proves=task.method is not None and task.method.has_groups)
    elif mrf.content_hash() != current.mrf.content_hash():
        size, variant, schedule = first_rules(current)
        begin_next(current, Choice(mrf, origin, size, default_strategy(mrf), variant, schedule))
    if task.strategy in BY_OF:
        CYCLES_BY.set(BY_OF[task.strategy])
    st.switch_page(f"pages/{page}.py")


def page_of(task: Task) -> str | None:
    """The page that shows a run; None for an external solver."""
    return WATCH if task.method is None else PAGE_OF.get(task.strategy)
