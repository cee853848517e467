"""Data that outlives a session: finished runs, in a folder on the server."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from bender_core.experiments import Store
from bender_core.resources import STUDY

# The small version of the paper's study, finished.
SHIPPED = STUDY / "small.sqlite"


def folder() -> Path:
    """The folder of runs and plans: BENDER_DATA_DIR from the environment, or the user's data folder."""
    folder = os.environ.get("BENDER_DATA_DIR")
    home = Path(folder) if folder else Path.home() / ".local" / "share" / "bender-lab"
    home.mkdir(parents=True, exist_ok=True)
    return home


def store() -> Store:
    """All finished runs kept on this machine, and those of the shipped study."""
    return _store(folder() / "runs.sqlite")


@st.cache_resource(show_spinner=False, max_entries=4)
def _store(path: Path) -> Store:
    kept = Store(path)
    kept.adopt(SHIPPED)
    return kept
