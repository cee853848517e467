"""Runs of earlier sessions, to compare with."""

from __future__ import annotations

import sqlite3

import streamlit as st

from bender_core.experiments import FinishedRun, Store
from pages._shared.app.data import store
from pages._shared.app.text import complaint
from pages._shared.compare.curves import Curve, full_name
from pages._shared.compare.racing import Contest, earlier

MOST_EARLIER = 12


def of_earlier_sessions(contest: Contest, kept: Store | None) -> list[Curve]:
    """The selected runs of those kept on this machine."""
    if kept is None:
        return []
    mine = {pin.task.key for pin in contest.pins.values()}
    try:
        found = {run.task.key: run for run in kept.of_model(contest.mrf) if run.task.key not in mine}
    except (OSError, sqlite3.Error) as error:
        complaint(f"The runs of earlier sessions cannot be read: {error}.")
        return []
    state = st.session_state
    state.race_earlier = [key for key in state.race_earlier if key in found]
    if not found:
        st.caption("No runs of earlier sessions on this model yet: pin a run to keep it for later.")
        return []
    chosen_keys = st.multiselect(
        "Runs of earlier sessions, to compare with",
        list(found),
        format_func=lambda key: _titled(found[key], contest.scale) if key in found else key,
        key="race_earlier",
        wrap=True,
        max_selections=MOST_EARLIER,
        placeholder="Choose runs",
    )
    return [earlier(found[key], contest.scale) for key in chosen_keys]


def _titled(run: FinishedRun, scale: float) -> str:
    curve = earlier(run, scale)
    when = run.finished[:16].replace("T", " ")
    note = ", by older code" * ("older" in curve.note)
    return f"{full_name(curve).removeprefix('variant ')} · {when} UTC{note}"


def opened(contest: Contest) -> Store | None:
    """The store of runs, if it can be opened."""
    try:
        return store()
    except (OSError, sqlite3.Error) as error:
        contest.error = f"Runs cannot be kept for later sessions: {error}."
        return None
