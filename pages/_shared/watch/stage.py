"""The stage: hyper-graph, costs, bounds and transport in one component with its own clock.

The component keeps its DOM between reruns, plays the events that it holds on its own, and requests more by one
trigger, ``command``. Commands arrive here, in `_on_command`; this module sends the data to draw, and `stage_answers`
computes the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl

import streamlit as st

from pages._shared.app.arrival import arrival
from pages._shared.app.branches import Branch, ForkedFrom, unlike
from pages._shared.app.fields import EDGE, INSTANCE, LEARN, of_page, passed_over
from pages._shared.app.frontend import PANES, Component
from pages._shared.app.requests import BRANCH, DESTINATION, PROOF, WHOLE_PAGE, BranchRequest
from pages._shared.app.session import (
    Lab,
    give_up_next,
    has_lab,
    have_same_groups,
    lab,
    open_address,
    place_in,
    return_to,
    show_next,
    sweeps_before,
)
from pages._shared.app.stretch import Stretch
from pages._shared.app.text import complaint, label
from pages._shared.forks.requesting import insert_row, merge_ends
from pages._shared.running.kept import Kept, KeptOfRun
from pages._shared.running.solver import is_ready
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import protocol
from pages._shared.watch.drawer import requested_row
from pages._shared.watch.meeting import Meeting
from pages._shared.watch.pricing import price_next, prices_view
from pages._shared.watch.recorded import heed, recorded_data, recording
from pages._shared.watch.run_bar import bar, choices, choose, put_beside
from pages._shared.watch.stage_answers import Answers, Picture, Question
from pages._shared.watch.stage_views import (
    chapters_view,
    following,
    graph_view,
    only_chapter,
    parent_view,
    proving_text,
    reference_lines,
    stretch_view,
    talk_view,
)
from pages._shared.watch.talking import go, keep_moment, present_talk

# The pages to which the stage has links.
PAGES = (EDGE, INSTANCE, LEARN)

_component = Component("stage", PANES)
# About the run shown, and about the one beside it.
_ANSWERS, _ANSWERS_BESIDE = KeptOfRun("stage_answers", Answers), KeptOfRun("stage_answers_beside", Answers)
# The hyper-graph of the run shown, by its number.
_GRAPH = Kept[tuple[int, protocol.Graph]]("stage_graph")


def show_stage(view: str) -> bool:
    """Mount the stage below what is to be said of its address; False if neither the run nor a recording is there.

    Parameters
    ----------
    view : str
        Watch, or Watch in a frame of another page.
    """
    arrived = arrival()
    notice = lab().notice if has_lab() else " ".join([*passed_over(view, arrived.fields), *arrived.faults])
    if notice:
        with st.container(key="notice"):
            complaint(notice)
    if has_lab():
        stage(lab())
    elif is_ready():
        st.rerun()
    elif recording().opens(arrived.fields):
        _component.mount(recorded_data(arrived), on_command_change=_on_command)
    else:
        return False
    return True


def stage(current: Lab) -> None:
    """Mount the stage for a lab's run, which answers the last question to the recording again."""
    arrived = arrival()
    command, arrived.command = arrived.command, None
    if command is not None and command["do"] != "go":
        carry_out(current, cast(protocol.Command, command))
    if any([show_next(current), show_next(current, is_beside=True)]):
        WHOLE_PAGE.set(True)
    if WHOLE_PAGE.take():
        # Before the stage is drawn: the whole page draws it again at once.
        st.rerun()
    _component.mount(stage_data(current), on_command_change=_on_command)


def _on_command() -> None:
    # A press may arrive just as the page is left: then there is no stage any more, and nothing to do.
    command, current = st.session_state.get("stage", {}).get("command"), lab() if has_lab() else None
    if not command:
        return
    if current is not None and current.replay is not None:
        # From the notes of a stage that has made way for the progress of forks: their thread uses this lab.
        return
    if current is None:
        heed(arrival(), command)
        _go(command)
        return
    if command.get("run") == current.number:
        carry_out(current, command)
    elif command["do"] == "choose":
        # Another choice has just been carried out.
        choose(current, command["chosen"], current.branches.shown)
    elif command["do"] == "moment":
        # So has another moment.
        go(command["moment"])
        WHOLE_PAGE.set(True)
    elif command["do"] == "price" and command["run"] >= current.branches.since:
        # A proof has just shown another run of the same model.
        price_next(current, command["variables"])
        WHOLE_PAGE.set(True)
    if command.get("beside"):
        carry_out_beside(current, command["beside"])


def carry_out(current: Lab, command: protocol.Command) -> None:
    """Carry out the component's command on a lab; a frame in another page only looks."""
    if current.stretch is not None:
        obey(current.run, command)
        return
    _go(command)
    answers, action = _ANSWERS.of(current.run), ACTIONS[command["do"]]
    # A repeated command asks for progress, and has no further effect.
    act = action.act if command["serial"] != answers.serial else _nothing
    if action.is_first:
        act(current, command)
    obey(current.run, command, answers)
    if not action.is_first:
        act(current, command)
    WHOLE_PAGE.set(action.whole_page)


def carry_out_beside(current: Lab, command: protocol.RunCommand) -> None:
    """Carry out the component's command on the run beside the one shown."""
    branch = current.branches.beside
    if branch is None or branch.run is None:
        return
    answers = _ANSWERS_BESIDE.of(branch.run)
    is_new = command["serial"] != answers.serial
    if command["do"] == "choose" and is_new:
        choose(current, command["chosen"], branch)
    if command["run"] != branch.number:
        return
    # The stage has it: from now on it has a place of its own, also on a stage that is mounted anew.
    current.branches.placed_at = None
    if command["do"] == "stop":
        give_up_next(is_beside=True)
    if command["do"] == "join" and is_new:
        answers.forget()
        branch.run.join(place_in(current, branch))
    obey(branch.run, command, answers)


def meet(current: Lab, command: protocol.Command) -> None:
    """Let both runs look for a place together, once they are free, if both are asked to."""
    branch = current.branches.beside
    if branch is None or branch.run is None:
        return
    runs, shown = (current.run, branch.run), current.branches.shown
    meeting, beside = None, command.get("beside")
    # One that goes on at full speed, or does something else, would keep the other waiting.
    if beside is not None and beside["do"] == "meet" and not any(run.running for run in runs):
        begins = sweeps_before(shown), sweeps_before(branch)
        meeting = Meeting(runs, command["where"], command["beat"], begins)
    _ANSWERS.of(runs[0]).meeting = _ANSWERS_BESIDE.of(runs[1]).meeting = meeting


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


def obey(run: WatchedRun, command: protocol.RunCommand, answers: Answers | None = None) -> None:
    """Show a run as a command of the component asks; without ``answers`` it is the one shown."""
    answers, picture = answers or _ANSWERS.of(run), ACTIONS[command["do"]].picture
    run.pinned = int(command["arc"]) >= 0
    if run.pinned:
        run.arc = int(command["arc"])
    if picture is Picture.ELSEWHERE:
        run.show(int(command["at"]))
        return
    if command["do"] == "choose" and not run.running:
        run.show(int(command["at"]))
    # A question repeated because its answer takes long would interrupt that answer.
    if command["do"] == "run" and not run.running and command["serial"] != answers.serial:
        run.show(int(command["at"]))
        answers.forget()
        run.start(until=run.until)
    answers.ask(Question.read(command, picture))


def _nothing(current: Lab, command: protocol.Command) -> None:
    pass


def _prove(current: Lab, command: protocol.Command) -> None:
    if current.proof is None or not current.proof.alive:
        PROOF.set(PROOF.get() or True)


def _stop(current: Lab, command: protocol.Command) -> None:
    give_up_next()
    if current.branches.beside is None:
        give_up_next(is_beside=True)


def _alone(current: Lab, command: protocol.Command) -> None:
    current.branches.beside = None


def _back(current: Lab, command: protocol.Command) -> None:
    if current.branches.before is not None:
        return_to(current, current.branches.before)


def _moment(current: Lab, command: protocol.Command) -> None:
    answers = _ANSWERS.of(current.run)
    go(command["moment"])
    answers.forget()


class Action(NamedTuple):
    """What a command of the stage does.

    Attributes
    ----------
    picture : Picture
        That it asks for.
    act : callable
        What else it does, with the lab.
    whole_page : bool
        Whether the whole page has to run, which makes forks and shows other runs, and is not only the stage.
    is_first : bool
        Whether it acts before the run moves to the place that it names.
    """

    picture: Picture = Picture.PLACE
    act: Callable[[Lab, protocol.Command], object] = _nothing
    whole_page: bool = False
    is_first: bool = False


# By command.
ACTIONS: dict[str, Action] = {
    **dict.fromkeys(("show", "step", "find", "exact"), Action()),
    "meet": Action(act=meet, is_first=True),
    "run": Action(Picture.REACHED),
    "join": Action(Picture.REACHED),
    "poll": Action(Picture.SAME),
    "stop": Action(Picture.SAME, _stop),
    "reference": Action(
        Picture.SAME, lambda current, _: current.references.ask(current.run.engine.mrf, current.run.engine.partition)
    ),
    "choose": Action(Picture.SAME, lambda current, command: choose(current, command["chosen"], current.branches.shown)),
    "pair": Action(Picture.SAME, lambda current, _: put_beside(current)),
    "alone": Action(Picture.SAME, _alone),
    "prove": Action(Picture.SAME, _prove, True),
    "price": Action(Picture.SAME, lambda current, command: price_next(current, command["variables"]), True),
    "keep": Action(Picture.SAME, lambda current, command: keep_moment(current, command["query"]), True),
    "moment": Action(Picture.SAME, _moment, True),
    "go": Action(Picture.ELSEWHERE),
    "insert": Action(
        Picture.ELSEWHERE,
        lambda current, command: insert_row(current, requested_row(current.run.engine, **command["row"])),
        True,
    ),
    "merge": Action(Picture.ELSEWHERE, lambda current, command: merge_ends(current, int(command["edge"])), True),
    "turn": Action(
        Picture.ELSEWHERE, lambda current, command: turn(current, int(command["chapter"]), int(command["to"])), True
    ),
    "back": Action(Picture.ELSEWHERE, _back, True),
    "address": Action(Picture.ELSEWHERE, lambda _, command: open_address(dict(parse_qsl(command["query"]))), True),
}


def stage_data(current: Lab) -> protocol.Stage:
    """All data that the component needs to draw the present state."""
    branch, beside = current.branches.beside, None
    if branch is None or branch.run is None:
        _ANSWERS_BESIDE.forget()
    else:
        answer, has_graph = _answer(branch.run, _ANSWERS_BESIDE.of(branch.run))
        beside = _beside_data(current, branch, has_graph) | answer
    answer, has_graph = _answer(current.run, _ANSWERS.of(current.run))
    # The first run of the session is the recorded one.
    greeting = recording().greeting if arrival().greets and current.number == 0 else None
    shared = {"talk": talk_view(present_talk()), "prices": prices_view(current)}
    more = {"beside": beside, "greeting": greeting, **shared}
    return cast(protocol.Stage, run_data(current, has_graph) | answer | more)


def _answer(run: WatchedRun, answers: Answers) -> tuple[dict[str, object], bool]:
    """The part of a run's data that depends on what the stage has asked, and whether that has the rest."""
    running = run.running
    answer, working = ({}, None) if running else answers.tell()
    # What the stage holds is known while it asks; one that is mounted anew holds nothing.
    has_graph, answers.has_graph = answers.has_graph, False
    found = {
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
    return found, has_graph


def run_data(current: Lab, has_graph: bool = False) -> dict[str, object]:
    """What the component draws of the run shown beside its answers, of which there are none yet.

    Parameters
    ----------
    current : Lab
    has_graph : bool
        Whether the stage has what stays the same.
    """
    branches, shown = current.branches, current.branches.shown
    beside = branches.beside
    are_same = beside is not None and beside.run is not None and have_same_groups(current.run.engine, beside.run.engine)
    own: dict[str, object] = {
        "run": current.number,
        "graph": None if has_graph else _graph(current),
        "called": branches.called,
        "forked_from": None if has_graph or branches.forked_from is None else _forked_from(branches.forked_from),
        "parent": None if has_graph else parent_view(branches),
        "chapters": None if has_graph else chapters_view(branches),
        "chapter": branches.chapters.index(shown),
        "stretch": None,
        "proving": "proving…" if PROOF.get() else proving_text(current.proof),
        "address": current.address,
        "asking": current.references.busy,
        "references": reference_lines(current.references.found),
        "beside": None,
        "has_same_groups": are_same,
        "greeting": None,
        "talk": None,
        "prices": [],
    }
    data = _data(current, shown, current.run, has_graph) | own
    return data if current.stretch is None else data | _stretched(current, current.stretch, data)


def _stretched(current: Lab, stretch: Stretch, data: dict[str, Any]) -> dict[str, object]:
    """What is different in a frame that shows a part of a run: nothing leads to another chapter, or to another run."""
    chapters = data["chapters"] and [data["chapters"][data["chapter"]] | {"length": current.run.seen}]
    words = stretch_view(stretch, data["model"], data["bar"]["now"])
    return {"chapters": chapters, "chapter": 0, "stretch": words}


def _beside_data(current: Lab, branch: Branch, has_graph: bool) -> dict[str, object]:
    """The same for the run beside it, which has no chapters."""
    assert branch.run is not None
    own: dict[str, object] = {
        "run": branch.number,
        "graph": None if has_graph else graph_view(current.branches, branch),
        "called": -1,
        "forked_from": None,
        "parent": None,
        "chapters": None if has_graph else only_chapter(branch),
        "chapter": 0,
        "proving": None,
        "address": "",
        "asking": False,
        "references": [],
    }
    return _data(current, branch, branch.run, has_graph) | own


def _data(current: Lab, branch: Branch, run: WatchedRun, has_graph: bool) -> dict[str, object]:
    """What the component draws of any run, before there are answers."""
    branches = current.branches
    other = branches.beside if branch is branches.shown else branches.shown
    return {
        "clocked": {
            "name": "" if other is None else label(unlike(other, branch)),
            "begins": 0 if other is None else sweeps_before(branch),
            "placed_at": branches.placed_at if branch is branches.beside else None,
        },
        "model": label(current.mrf.name),
        "bar": bar(current, branch),
        "choices": None if has_graph or current.stretch is not None else choices(current),
        "public": current.is_public,
        "serial": 0,
        "arc": run.arc if run.pinned and len(run.engine.graph.edges) else -1,
        "running": None,
        "working": None,
        "failure": run.failure,
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
    return _ANSWERS.of(run).answering


def _graph(current: Lab) -> protocol.Graph:
    branches, number = current.branches, current.number
    made = _GRAPH.made(lambda: (number, graph_view(branches, branches.shown)), lambda kept: kept[0] == number)
    return made[1]
