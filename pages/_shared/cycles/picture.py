"""The picture of the cycles: mounted with what is known, and what it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import streamlit as st

from bender_core.forms.reduction import Left
from bender_core.groups import Partition
from pages._shared.app.frontend import PANES, Component
from pages._shared.app.requests import CYCLES_BY
from pages._shared.app.session import Lab
from pages._shared.app.text import label
from pages._shared.cycles import protocol
from pages._shared.cycles.packed import WatchedPacking
from pages._shared.running.kept import Kept, KeptOfModel

# The most events that are sent at once, and how many more than it has the picture asks for.
SENT, AHEAD = 500, 300

_component = Component("cycles", PANES)
_WATCHED: dict[protocol.By, KeptOfModel[WatchedPacking]] = {
    "program": KeptOfModel("packing"),
    "messages": KeptOfModel("pursuit"),
}
# The number of events shown, by the key of what is shown.
PLACES = Kept[dict[str, int]]("cycles_places")
# Whether groups are shown rather than variables.
GATHERED = Kept[bool]("cycles_grouped")
# The last command of the picture; None: it has asked nothing.
_COMMAND = Kept[protocol.Command]("cycles_command")


def halves_of(current: Lab) -> list[WatchedPacking]:
    """Those shown, of the model of the chapter on the stage: the whole one, or what a proof has left of it."""
    shown = CYCLES_BY.get() or "program"
    is_shown = {by: shown in (by, "both") for by in _WATCHED}
    for by, kept in _WATCHED.items():
        unseen = kept.get()
        if unseen is not None and not is_shown[by]:
            unseen.stop()
    return [_made(current, by) for by in _WATCHED if is_shown[by]]


def _made(current: Lab, by: protocol.By) -> WatchedPacking:
    engine, before = current.run.engine, _WATCHED[by].get()
    is_whole = engine.mrf.n == current.mrf.n
    left = None if is_whole else Left(engine.whole, engine.labeling, engine.margin.negligible)
    mrf = current.mrf if is_whole else engine.mrf
    found = _WATCHED[by].made(
        lambda: WatchedPacking(mrf, current.account, left, by),
        lambda known: known.mrf is mrf and known.account is current.account,
    )
    if before is not None and before is not found:
        before.stop()
        PLACES.set({key: at for key, at in (PLACES.get() or {}).items() if before.name not in key})
    return found


def shown_by(halves: Sequence[WatchedPacking]) -> protocol.Shown:
    """What they are together."""
    return halves[0].by if len(halves) == 1 else "both"


def position_of(halves: Sequence[WatchedPacking]) -> int:
    """The number of events shown, of both together."""
    return (PLACES.get() or {}).get(key_of(halves), 0)


def show(key: str, position: int) -> None:
    """Show a position of what has a key, also when something else has been shown in between."""
    PLACES.set({**(PLACES.get() or {}), key: position})


def mount(current: Lab, halves: Sequence[WatchedPacking]) -> None:
    """Mount the picture with the events that it does not have."""
    command = _COMMAND.take()
    if command is not None:
        show(command["key"], int(command["at"]))
        GATHERED.set(bool(command["grouped"]))
    if command is not None and command["key"] == key_of(halves):
        obey(halves, command)
    else:
        command = None
        for each in halves:
            if not each.is_halted:
                each.advance(AHEAD)
    _component.mount(data(current, halves, command), on_command_change=_on_command)


def obey(halves: Sequence[WatchedPacking], command: protocol.Command) -> None:
    """Carry out a command."""
    for each, events in zip(halves, command["until"], strict=True):
        if command["do"] == "stop":
            each.halt()
        elif command["do"] == "end":
            each.advance(float("inf"))
        elif command["do"] == "more":
            each.advance(int(events))


def data(current: Lab, halves: Sequence[WatchedPacking], command: protocol.Command | None = None) -> protocol.Cycles:
    """What the picture draws, beyond what it has."""
    has_graph = command is not None and command["has_graph"]
    is_begun = all(each.start is not None for each in halves)
    known = [0] * len(halves) if command is None else command["known"]
    return {
        "key": key_of(halves),
        "by": shown_by(halves),
        # Streamlit passes nothing on that is as it was: every command is to be answered.
        "serial": 0 if command is None else command["serial"],
        "title": title(current, halves[0]),
        "graph": halves[0].graph if is_begun and not has_graph else None,
        "groups": None if has_graph else groups_of(current.run.engine.partition),
        "ahead": AHEAD,
        "position": position_of(halves),
        "grouped": GATHERED.get() or False,
        "halves": [half(each, int(of), has_graph) for each, of in zip(halves, known, strict=True)],
    }


def half(packed: WatchedPacking, known: int, has_start: bool) -> protocol.Half:
    """What the picture draws of one of them, beyond the events that it has."""
    # What is known changes while it is read.
    working, ending, failure, all_known = packed.doing(), packed.ending, packed.failure, len(packed.events)
    first = min(known, all_known)
    is_rest = first + SENT >= all_known
    return {
        "by": packed.by,
        "start": None if has_start else packed.start,
        "first": first,
        "events": packed.events[first : min(all_known, first + SENT)],
        "ending": ending if is_rest else None,
        "working": working,
        "failure": failure if is_rest else "",
    }


def groups_of(part: Partition) -> protocol.Groups:
    """The groups in which the picture may gather the variables."""
    return {"of": part.group_of().tolist(), "names": [label(name) for name in part.labels]}


def title(current: Lab, packed: WatchedPacking) -> str:
    """The model, and what is left of it."""
    name, depth = label(current.mrf.name), current.branches.shown.depth
    if packed.left is None:
        return name
    return f"{name}, chapter {depth + 1}: {packed.mrf.n:,} of {current.mrf.n:,} variables left"


def key_of(halves: Sequence[WatchedPacking]) -> str:
    """What distinguishes them from all others."""
    return "+".join(each.name for each in halves)


def _on_command() -> None:
    command = st.session_state.get("cycles", {}).get("command")
    if command:
        CYCLES_BY.set(command["by"])
        _COMMAND.set(cast(protocol.Command, command))
