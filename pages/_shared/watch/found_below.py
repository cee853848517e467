"""What is found below the stage, by looking at the run as it is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

import bender_core as bc
from pages._shared.running.findings import findings, found_or_progress
from pages._shared.running.following import follow
from pages._shared.running.watched import TELL_SECONDS, WatchedRun
from pages._shared.watch.stage import is_answering

Found = TypeVar("Found")


def found_below(
    run: WatchedRun, name: str, about: Hashable, compute: Callable[[bc.Engine, bc.Stop], Found]
) -> Found | None:
    """As `Findings.find`; where that is None, a line says why, or how far the work is."""
    if run.running:
        st.info("The run continues in the background. Stop it, or wait for its end.")
        return None
    if is_answering(run):
        # What the stage has asked comes first: looking at the run would stop it.
        follow(lambda: is_answering(run), lambda: st.caption("Waiting for the stage…"), TELL_SECONDS)
        return None
    return found_or_progress(findings(run), name, about, compute)
