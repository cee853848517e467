"""The start of a session: the run of its first address. Until the solver is ready, a session has nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from pages._shared.app.fields import AT, FIELDS, PAGES, SCHEDULE, VARIANT, WATCH, M
from pages._shared.app.permalink import Origin
from pages._shared.app.stretch import Stretch, read_stretch
from pages._shared.running.kept import Kept

# Where the address of the app alone opens: some rows have been added, and the bound is about to rise.
OPENING = 496


@dataclass
class Arrival:
    """The data from which a session's lab will be made.

    Attributes
    ----------
    fields : dict of str
        The fields of the address, with the position reached in the recorded beginning of the run.
    seen : int
        The last recorded event that was shown.
    command : mapping or None
        What the stage has asked last; the run answers it, too.
    has_graph : bool
        Whether the stage that asked has the hyper-graph and the recording.
    greets : bool
        Whether the address names nothing: then the stage says what it is.
    stretch : Stretch or None
        The part of the run that is shown in a frame of another page; None if this is no such frame.
    faults : list of str
        Sentences on what cannot be shown of it as the address names it.
    """

    fields: dict[str, str]
    seen: int = 0
    command: Mapping[str, Any] | None = None
    has_graph: bool = False
    greets: bool = False
    stretch: Stretch | None = None
    faults: list[str] = field(default_factory=list)

    @property
    def run(self) -> dict[str, str]:
        """The fields of the run, without those of the page."""
        return {name: text for name, text in self.fields.items() if name in FIELDS and FIELDS[name].pages == PAGES}


_ARRIVAL = Kept[Arrival]("arrival")


def arrival() -> Arrival:
    """The arrival of this session."""
    return _ARRIVAL.made(_first)


def _first() -> Arrival:
    fields = st.query_params.to_dict()
    if not st.context.is_embedded:
        greets = not fields and _is_watch()
        return Arrival(AT.say(OPENING) if greets else fields, greets=greets)
    stretch, at, faults = read_stretch(fields)
    return Arrival(fields | at, stretch=stretch, faults=faults)


def _is_watch() -> bool:
    """Whether the session opens with Watch, which has the app's own address."""
    page = urlsplit(st.context.url or "").path.rpartition("/")[2]
    return page == WATCH or page not in PAGES


def open_instead(origin: Origin) -> None:
    """Let the session open another model, with the same partition strategy and settings."""
    rules = {each.name for each in (M, VARIANT, SCHEDULE)}
    kept = {name: text for name, text in arrival().fields.items() if name in rules}
    _ARRIVAL.set(Arrival(kept | origin))
