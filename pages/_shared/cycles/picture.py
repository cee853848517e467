"""The picture of the cycles: mounted with what is known, and what it asks for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

import streamlit as st

from bender_core.forms.reduction import Left
from bender_core.groups import Partition
from pages._shared.app.frontend import PANES, Component
from pages._shared.app.session import Lab
from pages._shared.app.text import label
from pages._shared.cycles import protocol
from pages._shared.cycles.packed import WatchedPacking
from pages._shared.running.kept import Kept, KeptOfModel

# The most events that are sent at once, and how many are computed ahead of the position shown.
SENT, AHEAD = 500, 300

_component = Component("cycles", PANES)
_WATCHED: dict[protocol.By, KeptOfModel[WatchedPacking]] = {
    "program": KeptOfModel("packing"),
    "messages": KeptOfModel("pursuit"),
}
# Which of them is shown.
SHOWN = Kept[protocol.By]("cycles_by")
# The last command of the picture; None: it has asked nothing.
_COMMAND = Kept[protocol.Command]("cycles_command")


def packing_of(current: Lab) -> WatchedPacking:
    """The one shown of the model of the chapter on the stage: the whole one, or what a proof has left of it."""
    by = SHOWN.get() or "program"
    kept, engine = _WATCHED[by], current.run.engine
    before = kept.get()
    is_whole = engine.mrf.n == current.mrf.n
    left = None if is_whole else Left(engine.whole, engine.labeling, engine.margin.negligible)
    mrf = current.mrf if is_whole else engine.mrf
    found = kept.made(
        lambda: WatchedPacking(mrf, current.account, left, by),
        lambda known: known.mrf is mrf and known.account is current.account,
    )
    if before is not None and before is not found:
        before.stop()
    for other in _WATCHED.values():
        unseen = other.get()
        if unseen is not None and unseen is not found:
            unseen.stop()
    return found


def limit_of(packed: WatchedPacking, other: WatchedPacking | None) -> protocol.Limit | None:
    """How far a packing has raised the bound of the same model, beside messages."""
    if packed.by == "program" or other is None or other.mrf is not packed.mrf or other.start is None:
        return None
    ending, last = other.ending, other.events[-1] if other.events else other.start
    # A proof by the lattice of energies may end before the best bound.
    meets = math.isclose(last["lower"], last["upper"], rel_tol=1e-9)
    return {"value": last["lower"], "is_last": ending is not None and (meets if ending["proven"] else ending["best"])}


def mount(current: Lab, packed: WatchedPacking) -> None:
    """Mount the picture with the events that it does not have."""
    command = _COMMAND.take()
    if command is not None and command["key"] != key_of(packed):
        leave([kept.get() for kept in _WATCHED.values()], command)
        command = None
    if command is not None:
        obey(packed, command)
    elif not packed.is_halted:
        packed.advance(packed.position + AHEAD)
    _component.mount(
        data(current, packed, command, limit_of(packed, _WATCHED["program"].get())), on_command_change=_on_command
    )


def leave(watched: Iterable[WatchedPacking | None], command: protocol.Command) -> None:
    """Keep the place in the one that was shown when another one was chosen, and the view for both."""
    for each in filter(None, watched):
        each.is_grouped = bool(command["grouped"])
        if key_of(each) == command["key"]:
            each.position = int(command["at"])


def obey(packed: WatchedPacking, command: protocol.Command) -> None:
    """Carry out a command."""
    packed.position, packed.is_grouped = int(command["at"]), bool(command["grouped"])
    if command["do"] == "stop":
        packed.halt()
    elif command["do"] == "end":
        packed.advance(float("inf"))
    elif command["do"] == "more":
        packed.advance(packed.position + AHEAD)


def data(
    current: Lab,
    packed: WatchedPacking,
    command: protocol.Command | None,
    limit: protocol.Limit | None = None,
) -> protocol.Cycles:
    """What the picture draws, beyond what it has."""
    first = 0 if command is None else min(int(command["known"]), len(packed.events))
    # What is known changes while it is read.
    working, ending, known = packed.doing(), packed.ending, len(packed.events)
    has_graph = command is not None and command["has_graph"]
    return {
        "key": key_of(packed),
        "by": packed.by,
        "limit": limit,
        # Streamlit passes nothing on that is as it was: every command is to be answered.
        "serial": 0 if command is None else command["serial"],
        "title": title(current, packed),
        "graph": None if has_graph else packed.graph,
        "start": None if has_graph else packed.start,
        "groups": None if has_graph else groups_of(current.run.engine.partition),
        "position": packed.position,
        "grouped": packed.is_grouped,
        "first": first,
        "events": packed.events[first : min(known, first + SENT)],
        "ending": ending if first + SENT >= known else None,
        "working": working,
        "failure": packed.failure,
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


def key_of(packed: WatchedPacking) -> str:
    """What distinguishes a packing from all others."""
    return packed.name


def _on_command() -> None:
    command = st.session_state.get("cycles", {}).get("command")
    if command:
        SHOWN.set(command["by"])
        _COMMAND.set(cast(protocol.Command, command))
