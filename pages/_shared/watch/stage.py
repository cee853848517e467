"""The stage: hyper-graph, costs, bounds and transport in one component with its own clock.

The component keeps its DOM between reruns, plays the events that it holds on its own, and requests more by one
trigger, ``command``. Commands arrive here, in `_on_command`; this module sends the data to draw, and `stage_answers`
computes the answers.
"""

from __future__ import annotations

from typing import cast
from urllib.parse import parse_qsl

import streamlit as st

from pages._shared.app.arrival import arrival
from pages._shared.app.branches import ForkedFrom
from pages._shared.app.fields import EDGE, INSTANCE, LEARN, of_page
from pages._shared.app.frontend import Component
from pages._shared.app.requests import BRANCH, DESTINATION, PROOF, WHOLE_PAGE, BranchRequest
from pages._shared.app.session import Lab, give_up_next, has_lab, lab, open_again, return_to, show_next
from pages._shared.app.text import label
from pages._shared.forks.requesting import insert_row
from pages._shared.running.kept import Kept
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import protocol
from pages._shared.watch.drawer import requested_row
from pages._shared.watch.recorded import heed, recorded_data
from pages._shared.watch.run_bar import bar, choices, choose
from pages._shared.watch.stage_answers import Answers, Question
from pages._shared.watch.stage_views import (
    chapters_view,
    following,
    graph_view,
    parent_view,
    proving_text,
    reference_lines,
)

# The pages to which the stage has links.
PAGES = (EDGE, INSTANCE, LEARN)

_component = Component("stage")
_ANSWERS = Kept[Answers]("stage_answers")
# The hyper-graph of a run, by its number.
_GRAPH = Kept[tuple[int, protocol.Graph]]("stage_graph")


def stage(current: Lab) -> None:
    """Mount the stage for a lab's run, which answers the last question to the recording again."""
    arrived = arrival()
    command, arrived.command = arrived.command, None
    if command is not None and command["do"] != "go":
        carry_out(current, cast(protocol.Command, command))
    if show_next(current):
        WHOLE_PAGE.set(True)
    _component.mount(stage_data(current), on_command_change=_on_command)


def recorded_stage() -> None:
    """Mount the stage for the recording, until there is a run."""
    _component.mount(recorded_data(arrival()), on_command_change=_on_command)


def _on_command() -> None:
    # A press may arrive just as the page is left: then there is no stage any more, and nothing to do.
    command, current = st.session_state.get("stage", {}).get("command"), lab() if has_lab() else None
    if not command:
        return
    if current is None:
        heed(arrival(), command)
        _go(command)
    elif command.get("run") == current.number:
        carry_out(current, command)
    elif command["do"] == "choose":
        # Another choice has just been carried out.
        choose(current, command["chosen"])


def carry_out(current: Lab, command: protocol.Command) -> None:
    """Carry out the component's command on a lab."""
    if command["do"] == "reference":
        current.references.ask(current.run.engine.mrf, current.run.engine.partition)
    _go(command)
    is_new = command["serial"] != _answers(current.run).serial
    obey(current.run, command)
    if command["do"] == "insert":
        insert_row(current, requested_row(current.run.engine, **command["row"]))
    if command["do"] == "turn":
        turn(current, int(command["chapter"]), int(command["to"]))
    # A repeated command has no further effect.
    if command["do"] == "prove" and not (current.proof is not None and current.proof.alive):
        PROOF.set(PROOF.get() or True)
    # A repeated one would begin again.
    if command["do"] == "choose" and is_new:
        choose(current, command["chosen"])
    if command["do"] == "stop":
        give_up_next()
    if command["do"] == "back" and current.branches.before is not None:
        return_to(current, current.branches.before)
    if command["do"] == "address":
        open_again(dict(parse_qsl(command["query"])))
    # The whole page makes forks and shows other runs.
    WHOLE_PAGE.set(command["do"] in ("insert", "turn", "prove", "back", "address"))


def turn(current: Lab, chapter: int, position: int) -> None:
    """Show another chapter of the line; one whose memory was freed is first made again, below the stage."""
    chapters = current.branches.chapters
    branch = chapters[min(max(chapter, 0), len(chapters) - 1)]
    if not current.turn(branch, position):
        branch.position = position
        BRANCH.set(BranchRequest("turn", branch))


def _go(command: protocol.Command) -> None:
    DESTINATION.set(destination(command))


def destination(command: protocol.Command) -> tuple[str, dict[str, str]] | None:
    """The page that a command leads to, with the fields of its address; None if it stays here."""
    if command["do"] != "go" or command["page"] not in PAGES:
        return None
    return command["page"], of_page(command["page"], command["fields"])


def obey(run: WatchedRun, command: protocol.Command) -> None:
    """Carry out a command of the component."""
    answers = _answers(run)
    run.pinned = int(command["arc"]) >= 0
    if run.pinned:
        run.arc = int(command["arc"])
    if command["do"] in ("go", "insert", "turn", "back", "address"):
        run.show(int(command["at"]))
        return
    if command["do"] == "choose" and not run.running:
        run.show(int(command["at"]))
    # A question repeated because its answer takes long would interrupt that answer.
    if command["do"] == "run" and not run.running and command["serial"] != answers.serial:
        run.show(int(command["at"]))
        answers.forget()
        run.start(until=run.until)
    answers.ask(Question.read(command))


def stage_data(current: Lab) -> protocol.Stage:
    """All data that the component needs to draw the present state."""
    run, answers = current.run, _answers(current.run)
    running = run.running
    answer, working = ({}, None) if running else answers.tell()
    # What the stage holds is known while it asks; one that is mounted anew holds nothing.
    has_graph, answers.has_graph = answers.has_graph, False
    return {
        **run_data(current, has_graph),
        # Streamlit passes nothing on that is as it was; the serial is not, so that every question is answered.
        "serial": answers.serial,
        "running": following(run) if running else None,
        "working": working,
        "measuring": answers.measuring,
        "tightness": answers.tightness,
        "lines": answers.lines,
        "drawer": answers.drawer,
        **answer,
    }


def run_data(current: Lab, has_graph: bool = False) -> protocol.Stage:
    """What the component draws of a run beside its answers, of which there are none yet.

    Parameters
    ----------
    current : Lab
    has_graph : bool
        Whether the stage has what stays the same.
    """
    engine = current.run.engine
    return {
        "run": current.number,
        "model": label(current.mrf.name),
        "bar": bar(current),
        "choices": None if has_graph else choices(current),
        "graph": None if has_graph else _graph(current),
        "called": current.branches.called,
        "forked_from": None
        if has_graph or current.branches.forked_from is None
        else _forked_from(current.branches.forked_from),
        "parent": None if has_graph else parent_view(current.branches),
        "chapters": None if has_graph else chapters_view(current.branches),
        "chapter": current.branches.chapters.index(current.branches.shown),
        "proving": "proving…" if PROOF.get() else proving_text(current.proof),
        "address": current.address,
        "public": current.is_public,
        "serial": 0,
        "arc": current.run.arc if current.run.pinned and len(engine.graph.edges) else -1,
        "running": None,
        "working": None,
        "failure": current.run.failure,
        "asking": current.references.busy,
        "references": reference_lines(current.references.found),
        "measuring": False,
        "tightness": None,
        "lines": None,
        "drawer": None,
    }


def _forked_from(forked_from: ForkedFrom | None) -> protocol.ForkedFrom | None:
    if forked_from is None:
        return None
    return {"run": forked_from.number, "owner": forked_from.passage.owner, "leaving": forked_from.passage.leaving}


def is_answering(run: WatchedRun) -> bool:
    """Whether the stage waits for an answer that is being computed."""
    return _answers(run).answering


def _answers(run: WatchedRun) -> Answers:
    return _ANSWERS.made(lambda: Answers(run), lambda answers: answers.run is run)


def _graph(current: Lab) -> protocol.Graph:
    return _GRAPH.made(lambda: (current.number, graph_view(current.branches)), lambda kept: kept[0] == current.number)[
        1
    ]
