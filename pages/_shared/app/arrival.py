"""What a session opens with: the run that its first address says. Until the solver is ready, there is no more of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages._shared.app.fields import FIELDS, PAGES, SCHEDULE, VARIANT, M
from pages._shared.app.permalink import Origin
from pages._shared.running.kept import Kept


@dataclass
class Arrival:
    """What the lab of a session will be made of.

    Attributes
    ----------
    fields : dict of str
        The fields of the address, with the place to which the recorded beginning of the run has been followed.
    seen : int
        The farthest event of it that was shown.
    command : mapping or None
        What the stage has asked last; the run answers it, too.
    has_graph : bool
        Whether the stage that asked has the hyper-graph and the recording.
    """

    fields: dict[str, str]
    seen: int = 0
    command: Mapping[str, Any] | None = None
    has_graph: bool = False

    @property
    def run(self) -> dict[str, str]:
        """What the address says of the run, and not of the page."""
        return {name: text for name, text in self.fields.items() if name in FIELDS and FIELDS[name].pages == PAGES}


_ARRIVAL = Kept[Arrival]("arrival")


def arrival() -> Arrival:
    """That of this session."""
    return _ARRIVAL.made(lambda: Arrival(st.query_params.to_dict()))


def open_instead(origin: Origin) -> None:
    """Have the session open another model, partitioned and run as the one before."""
    rules = {each.name for each in (M, VARIANT, SCHEDULE)}
    kept = {name: text for name, text in arrival().fields.items() if name in rules}
    _ARRIVAL.set(Arrival(kept | origin))
