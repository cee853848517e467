"""Experiments: many runs of a plan, carried out in the background, kept, and reported as in the paper."""

from __future__ import annotations

import os

import streamlit as st

from bender_core.experiments import StoreError
from bender_core.experiments.tables import (
    of_plan,
)
from bender_core.units import duration
from pages._shared.app.data import store
from pages._shared.app.text import complaint, heading
from pages._shared.experiments.carrying_out import SHORT_SECONDS, carry_out, expected, facts
from pages._shared.experiments.choosing import choose, planned
from pages._shared.experiments.outcomes import results


def show() -> None:
    """The page."""
    left, right = st.columns([4, 8], gap="large")
    with left:
        name = choose()
        on_table = None if name is None else planned(name)
        if on_table is None:
            return
        runs, todo = of_plan(store().runs(), on_table.tasks), store().missing(on_table.tasks)
        heading(on_table.plan.name)
        amounts = st.empty()
        with amounts:
            facts(on_table, todo, "estimating…" if todo else "–")
        carry_out(on_table, todo, runs)
    with right:
        results(runs)
    if todo:
        # This takes a while where groups are large; the rest of the page is drawn already.
        seconds = expected(on_table.name, len(todo), todo)
        workers = st.session_state.get("plan_workers", os.cpu_count() or 1)
        with amounts:
            hours = f" ({seconds / 3600:.2g} core-hours)" if seconds > SHORT_SECONDS else ""
            facts(on_table, todo, f"about {duration(seconds / workers)}{hours}")


try:
    show()
except StoreError as error:
    complaint(f"Runs cannot be read or kept on this machine: {error}.")
except OSError as error:
    complaint(f"Runs cannot be kept on this machine: {error}; set BENDER_DATA_DIR to a writable folder.")
