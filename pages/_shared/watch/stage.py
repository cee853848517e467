"""The stage: hyper-graph, costs, bounds and transport in one component with its own clock.

The component keeps its DOM between reruns, plays the events it has been given on its own, and asks for more
by one trigger, ``command``. This module sends it what there is to draw, and does what it asks for; `answers` computes.
"""

from __future__ import annotations

from typing import cast

import streamlit as st

from pages._shared.app.arrival import arrival
from pages._shared.app.fields import EDGE, LEARN, of_page
from pages._shared.app.frontend import Component
from pages._shared.app.session import Came, Lab
from pages._shared.app.text import label
from pages._shared.forks.asking import BranchRequest, insert_row
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import protocol
from pages._shared.watch.answers import Answers, Question
from pages._shared.watch.drawer import row_asked
from pages._shared.watch.recorded import heed, recorded_data
from pages._shared.watch.views import chapters_view, following, graph_view, parent_view, proving_text, reference_lines

# Where the stage may send a person.
PAGES = (EDGE, LEARN)

_component = Component("stage")


def stage(lab: Lab) -> None:
    """Mount the stage for a lab's run, which goes on with what was asked of the recording."""
    arrived = arrival()
    asked, arrived.command = arrived.command, None
    if asked is not None and asked["do"] != "go":
        carry_out(lab, cast(protocol.Command, asked))
    _component.mount(stage_data(lab), on_command_change=_on_command)


def recorded_stage() -> None:
    """Mount the stage for the recording, until there is a run."""
    _component.mount(recorded_data(arrival()), on_command_change=_on_command)


def _on_command() -> None:
    # A press may come just as the page is left: then there is no stage any more, and nothing is to be done.
    command, lab = st.session_state.get("stage", {}).get("command"), st.session_state.get("lab")
    if not command:
        return
    if lab is None:
        heed(arrival(), command)
        st.session_state.destination = destination(command)
    elif command.get("run") == lab.number:
        carry_out(lab, command)


def carry_out(lab: Lab, command: protocol.Command) -> None:
    """Do what the component asks of a lab."""
    if command["do"] == "reference":
        lab.references.ask(lab.run.engine.mrf, lab.run.engine.partition)
    st.session_state.destination = destination(command)
    obey(lab.run, command)
    if command["do"] == "insert":
        insert_row(lab, row_asked(lab.run.engine, **command["row"]))
    if command["do"] == "turn":
        turn(lab, int(command["chapter"]), int(command["to"]))
    # Said again, it asks for nothing more.
    if command["do"] == "prove" and not (lab.proof is not None and lab.proof.alive):
        st.session_state.proof_requested = st.session_state.get("proof_requested") or True
    # Forks are made, and another run is shown, by the whole page.
    st.session_state.begins_anew = command["do"] in ("insert", "turn", "prove")


def turn(lab: Lab, chapter: int, position: int) -> None:
    """Show another chapter of the line; one whose memory was let go is made again first, below the stage."""
    chapters = lab.branches.chapters
    branch = chapters[min(max(chapter, 0), len(chapters) - 1)]
    if not lab.turn(branch, position):
        branch.position = position
        st.session_state.branch_request = BranchRequest("turn", branch)


def destination(command: protocol.Command) -> tuple[str, dict[str, str]] | None:
    """The page that a command goes to, and what the address is to say there; None if it stays."""
    if command["do"] != "go" or command["page"] not in PAGES:
        return None
    return command["page"], of_page(command["page"], command["said"])


def obey(run: WatchedRun, command: protocol.Command) -> None:
    """Do what the component asks for."""
    answers = _answers(run)
    run.pinned = int(command["arc"]) >= 0
    if run.pinned:
        run.arc = int(command["arc"])
    if command["do"] in ("go", "insert", "turn"):
        run.show(int(command["at"]))
        return
    # Said again, as its answer takes long, it would break that off.
    if command["do"] == "run" and not run.running and command["serial"] != answers.serial:
        run.show(int(command["at"]))
        answers.forget()
        run.start(until=run.until)
    answers.ask(Question.read(command))


def stage_data(lab: Lab) -> protocol.Stage:
    """All that the component needs to draw the present state."""
    run, answers = lab.run, _answers(lab.run)
    running = run.running
    told, working = ({}, None) if running else answers.tell()
    # What the stage holds is known while it asks; one that is mounted anew holds nothing.
    held, answers.held = answers.held, False
    return {
        **run_data(lab, held),
        # Streamlit passes nothing on that is as it was; the serial is not, so that every question is answered.
        "serial": answers.serial,
        "running": following(run) if running else None,
        "working": working,
        "measuring": answers.measuring,
        "tightness": answers.tightness,
        "lines": answers.lines,
        "drawer": answers.drawer,
        **told,
    }


def run_data(lab: Lab, held: bool = False) -> protocol.Stage:
    """What the component draws of a run beside its answers, of which there are none yet.

    Parameters
    ----------
    lab : Lab
    held : bool
        Whether the stage holds what stays the same.
    """
    engine = lab.run.engine
    variant, schedule = engine.variant, engine.settings.schedule
    return {
        "run": lab.number,
        "model": label(lab.mrf.name),
        "title": f" · M {lab.max_size} · variant {variant.number}: {variant.name} · {schedule}",
        "graph": None if held else _graph(lab),
        "called": lab.called,
        "came": None if held or lab.came is None else _came(lab.came),
        "parent": None if held else parent_view(lab.branches.shown),
        "chapters": None if held else chapters_view(lab.branches),
        "chapter": lab.branches.chapters.index(lab.branches.shown),
        "proving": "proving…" if st.session_state.get("proof_requested") else proving_text(lab.proof),
        "address": lab.address,
        "public": lab.is_public,
        "serial": 0,
        "arc": lab.run.arc if lab.run.pinned and len(engine.graph.edges) else -1,
        "running": None,
        "working": None,
        "failure": lab.run.failure,
        "asking": lab.references.busy,
        "references": reference_lines(lab.references.found),
        "measuring": False,
        "tightness": None,
        "lines": None,
        "drawer": None,
    }


def _came(came: Came) -> protocol.Came:
    return {"run": came.number, "owner": came.passage.owner, "leaving": came.passage.leaving}


def is_answering(run: WatchedRun) -> bool:
    """Whether the stage waits for an answer that is being computed."""
    return _answers(run).answering


def _answers(run: WatchedRun) -> Answers:
    if "stage_answers" not in st.session_state or st.session_state.stage_answers.run is not run:
        st.session_state.stage_answers = Answers(run)
    answers: Answers = st.session_state.stage_answers
    return answers


def _graph(lab: Lab) -> protocol.Graph:
    if "stage_graph" not in st.session_state or st.session_state.stage_graph[0] != lab.number:
        st.session_state.stage_graph = (lab.number, graph_view(lab.branches))
    view: protocol.Graph = st.session_state.stage_graph[1]
    return view
