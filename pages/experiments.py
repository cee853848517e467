"""Experiments: many runs of a plan, carried out in the background, kept, and reported as in the paper."""

from __future__ import annotations

import streamlit as st

from bender_core.experiments import StoreError
from pages._shared.app.data import store
from pages._shared.app.text import complaint, heading, paragraph
from pages._shared.experiments.choosing import choose, planned
from pages._shared.experiments.execution import facts, run_controls
from pages._shared.experiments.experimenting import experiment
from pages._shared.experiments.finished import finished
from pages._shared.experiments.outcomes import results


def show() -> None:
    """The page."""
    left, right = st.columns([4, 8], gap="large")
    with left:
        name = choose()
        on_table = None if name is None else planned(name)
        if on_table is None:
            return
        # Read once, and before the results: it may end while the page is drawn.
        is_running = experiment(on_table.name).busy
        done = finished(on_table, store())
        heading(on_table.plan.name)
        if on_table.plan.question:
            paragraph(on_table.plan.question)
        facts(on_table, done.todo, is_running)
        run_controls(on_table, done.todo, done.study.runs, is_running)
    with right:
        results(done, is_running)


try:
    show()
except StoreError as error:
    complaint(f"Runs cannot be read or kept on this machine: {error}.")
except OSError as error:
    complaint(f"Runs cannot be kept on this machine: {error}; set BENDER_DATA_DIR to a writable folder.")
