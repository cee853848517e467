"""Names of moments of a run, and of downloaded files: descriptive, in characters valid on every file system."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from pages._shared.app.session import Lab
from pages._shared.app.text import label

# Bytes of a name; all its characters are ASCII.
LONGEST = 100
# Windows reserves these, with any ending.
_RESERVED = re.compile("con|prn|aux|nul|(com|lpt)[0-9]", re.IGNORECASE)


def slug(text: str, most: int = 60) -> str:
    """Any text as part of a file's name, never empty: letters without their accents, digits, and dashes between."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    found = re.sub("[^A-Za-z0-9]+", "-", plain).strip("-")[:most].strip("-")
    return "model" if not found or _RESERVED.fullmatch(found) else found


def file_name(model: str, *facts: str) -> str:
    """A file name from a model's name and some facts; the last fact ends in the extension."""
    rest = "_".join(facts)
    return f"{slug(model, LONGEST - len(rest) - 1)}_{rest}"


def file_of(mrf: bc.BinaryMRF, ending: str = ".mrf.json") -> str:
    """The name of a model's file."""
    return slug(mrf.name) + ending


def run_file(current: Lab, what: str) -> str:
    """The name of a file about the run at the event shown: ``pose-small_M8_v9_mplp_e209_trace.csv``, of a fork
    ``pose-small_M8_v9_mplp_fork-2_e35_trace.csv``.
    """
    branch = current.branches.shown
    forked = [slug(branch.name)] if branch.parent is not None else []
    run = f"M{current.max_size}", f"v{current.variant}", current.schedule, *forked, f"e{current.run.position}"
    return file_name(current.mrf.name, *run, what)


def sweep_of(engine: bc.Engine) -> int:
    """The sweep that the last event belongs to, from 0; not the next one, which `Engine.sweep` counts towards.

    The event that ends a run belongs to none: what counts is the one before.
    """
    event = looking.last_event(engine)
    if event is not None and event.kind == Kind.FINISHED and event.index:
        event = engine.trace[event.index - 1]
    return 0 if event is None else event.sweep


def moment(engine: bc.Engine) -> str:
    """The position of a run in words, the same on every page."""
    return f"sweep {sweep_of(engine) + 1}, event {engine.position}"


def which_run(current: Lab) -> str:
    """The run that is shown in words: its name, its settings, and the event shown."""
    branch = current.branches.shown
    settings = ", ".join(branch.settings.values())
    return f"{label(branch.name)}: {settings}, at event {current.run.position:,}"


def picture(name: str) -> dict[str, Any]:
    """The configuration of a Plotly chart whose toolbar saves it under this name; Plotly adds the ending."""
    return {"toImageButtonOptions": {"filename": name}}
