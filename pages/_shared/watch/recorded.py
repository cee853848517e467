"""The recorded beginning of the run that a new session opens with; the stage plays it until the solver is compiled.

`record` makes it from the run itself. It is sent to the stage as a whole, under the number that the run will have, so
that the run can take over at the position shown, and add to the events that the stage holds.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl

import numpy as np

from bender_core.kernels.layout import Kind
from bender_core.warming import compiled
from pages._shared.app.arrival import OPENING, Arrival
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import ARC, AT, CHAPTER, END, FORKS, FROM, GROUPS, MAKE, TO, UPLOAD
from pages._shared.app.session import FIRST
from pages._shared.watch import protocol
from pages._shared.watch.stage_views import glance, stretch_view

PATH = Path(__file__).with_name("recording.json.gz")
# Questions of the stage that need no solver if they are about a recorded event.
_KNOWN = ("show", "poll", "stop", "go")


class Recording(NamedTuple):
    """The beginning of a run.

    Attributes
    ----------
    run : dict
        The result of `stage.run_data`.
    answer : dict
        The answer of `Answers` at its start, but with all recorded frames.
    """

    run: dict[str, Any]
    answer: dict[str, Any]

    @property
    def events(self) -> int:
        """The number of recorded events."""
        return len(self.answer["frames"]["columns"]["kind"])

    @property
    def sweeps(self) -> int:
        """The number of complete recorded sweeps."""
        kinds: list[int] = self.answer["frames"]["columns"]["kind"]
        return kinds.count(Kind.SWEEP)

    def opens(self, fields: dict[str, str]) -> bool:
        """Whether an address is of this run, at a recorded event."""
        whole = FIRST | fields
        others = {each.name for each in (UPLOAD, MAKE, GROUPS, FORKS, END, CHAPTER)}
        try:
            is_known = max(each.of(fields, 0) for each in (AT, FROM, TO)) <= self.events
            is_known &= ARC.of(fields, 0) < 2 * len(self.run["graph"]["edges"])
        except LinkError:
            return False
        is_same = all(whole.get(name, text) == text for name, text in parse_qsl(self.run["address"]))
        return is_known and is_same and not others & fields.keys()

    @property
    def greeting(self) -> protocol.Greeting:
        """The update in which the app opens."""
        kinds = np.array(self.answer["frames"]["columns"]["kind"])
        ends = np.flatnonzero(kinds >= Kind.MESSAGE) + 1
        following = int(np.searchsorted(ends, OPENING, side="right"))
        return {"begin": int(ends[following - 1]), "end": int(ends[following])}

    def history(self, seen: int) -> protocol.History:
        """The first events at a glance."""
        columns = self.answer["frames"]["columns"]
        kinds, lower, upper = (np.array(columns[name][:seen]) for name in ("kind", "lower", "upper"))
        return glance(kinds, lower, upper, self.run["graph"]["lower"])


@cache
def recording() -> Recording:
    """The recording that the app comes with."""
    return Recording(**json.loads(gzip.decompress(PATH.read_bytes())))


def heed(arrived: Arrival, command: protocol.Command) -> None:
    """Note the stage's question, and its position, at which the run will continue."""
    position, arc = min(max(int(command["at"]), 0), recording().events), int(command["arc"])
    arrived.fields = {name: text for name, text in arrived.fields.items() if name != ARC.name}
    arrived.fields |= AT.say(position) | (ARC.say(arc) if arc >= 0 else {})
    arrived.seen = max(arrived.seen, position)
    arrived.command, arrived.has_graph = command, True


def recorded_data(arrived: Arrival) -> dict[str, Any]:
    """The data that the stage draws before there is a run: ``stage`` of the protocol.

    Questions that only the solver can answer count as in progress until the run answers them.
    """
    found, has_graph = recording(), arrived.has_graph
    if not has_graph:
        arrived.command = None  # of a stage that is gone
    arrived.has_graph, command = False, cast(protocol.Command | None, arrived.command)
    data = found.run | {"serial": int(command["serial"]) if command else 0, "arc": ARC.of(arrived.fields, -1)}
    data["greeting"] = found.greeting if arrived.greets else None
    if has_graph:
        data |= {"graph": None, "parent": None, "chapters": None, "choices": None}
    if arrived.stretch is not None:
        data |= {"stretch": stretch_view(arrived.stretch, found.run["model"], found.run["bar"]["now"])}
    if command and not _answers(command):
        ready, functions, _ = compiled()
        return data | {"working": f"compiling: {ready} of {functions}"}
    position = AT.of(arrived.fields, 0)
    last = None if arrived.stretch is None else arrived.stretch.end
    arrived.seen = max(arrived.seen, position, last or 0)
    place: dict[str, Any] = {
        "position": position,
        "seen": arrived.seen,
        "done": last,
        "history": found.history(arrived.seen),
    }
    frames = found.answer["frames"]
    if has_graph:
        columns: dict[str, list[Any]] = {name: [] for name in frames["columns"]}
        place["frames"] = {"first": found.events, "before": None, "columns": columns}
    return data | found.answer | place


def _answers(command: protocol.Command) -> bool:
    """Whether a question can be answered from the recording, which has no further events."""
    return command["do"] in _KNOWN and not (command["more"] and int(command["first"]) >= recording().events)
