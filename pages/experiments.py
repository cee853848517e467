"""Experiments: many runs of a plan, carried out in the background, kept, and reported as in the paper."""

from __future__ import annotations

import streamlit as st

from bender_core.experiments import StoreError
from bender_core.experiments.tables import (
    of_plan,
)
from pages._shared.app.data import store
from pages._shared.app.text import complaint, heading
from pages._shared.experiments.choosing import choose, planned
from pages._shared.experiments.execution import facts, run_controls
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
        facts(on_table, todo)
        run_controls(on_table, todo, runs)
    with right:
        results(runs)


try:
    show()
except StoreError as error:
    complaint(f"Runs cannot be read or kept on this machine: {error}.")
except OSError as error:
    complaint(f"Runs cannot be kept on this machine: {error}; set BENDER_DATA_DIR to a writable folder.")
