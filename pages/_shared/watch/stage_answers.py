"""Answers to the stage's questions, computed off the script thread, so that no run freezes the page.

A question is a `Command` of `protocol`. The page waits a moment for the answer; if it takes longer, the stage gets the
progress, and asks again.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, cast

import bender_core as bc
from bender_core import looking
from bender_core.engine.result import STATUSES
from bender_core.kernels.layout import Kind, Status
from bender_core.looking.decided import proves
from pages._shared.running.watched import WatchedRun, go_to, whereabouts
from pages._shared.watch import protocol
from pages._shared.watch.drawer import CLOSED, Docked, Drawer
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.meeting import Meeting
from pages._shared.watch.message_list import MessageList
from pages._shared.watch.moments import MISSED, Goal, find
from pages._shared.watch.stage_views import edge_tightness, exact_view, history

# Events sent from before the present one: those of a step, so that it can be played, or a few. The component requests
# as many later ones as it needs, up to a limit.
MOST_BEHIND, BEHIND, AHEAD, MOST_AHEAD = 400, 8, 24, 400
# How long the page waits for an answer. Most come before anybody could read the progress, and to ask again takes time.
PATIENCE_SECONDS = 0.3


class Picture(Enum):
    """The picture that a command asks for."""

    PLACE = "that of the place that the command names"
    REACHED = "that of the place that the run reaches"
    SAME = "no other one"
    ELSEWHERE = "that of another run or page, which is not asked for here"


@dataclass(frozen=True)
class Question:
    """A question of the stage."""

    do: str = "show"
    picture: Picture = Picture.PLACE
    at: int = 0
    first: int = 0  # the first event that it does not have yet
    goes_on: bool = False  # whether it has the one before that
    ahead: int = AHEAD  # how many events after the present one it wants
    more: bool = False  # whether it needs one of them at least, as it plays
    has_graph: bool = False
    measure: protocol.Measure = "tension"  # what colours the lines
    serial: int = 0
    answered: int = -1  # the latest one whose answer it has
    grain: bc.Grain = "event"
    backward: bool = False
    opened: int = 0  # the position at which an update was opened,
    states: tuple[int, ...] = ()  # and the states of its group whose exact costs are requested
    goal: Goal = "rise"  # the kind of moment to find,
    message: int = -1  # of which message,
    share: float = 0.0  # or the share of the gap by which the bound shall rise
    lines: tuple[int, ...] = ()  # the messages visible in the list
    drawer: Docked = CLOSED

    @classmethod
    def read(cls, command: protocol.RunCommand, picture: Picture) -> Question:
        """The question of a command, which asks for a picture."""
        fields = {name: value for name, value in command.items() if name in cls.__dataclass_fields__}
        question = cls(**cast(dict[str, Any], fields))
        states, lines = (tuple(map(int, numbers)) for numbers in (question.states, question.lines))
        ahead = min(max(question.ahead, 0), MOST_AHEAD)
        return replace(
            question,
            picture=picture,
            ahead=ahead,
            states=states,
            lines=lines,
            drawer=Docked(**command.get("drawer", {})),
        )


def ending(engine: bc.Engine) -> str:
    """Why a run has ended, in a word or two; a gap closed within the tolerance is no proof."""
    text = STATUSES[engine.status]
    return f"{text} within the tolerance" if engine.status == Status.GAP_CLOSED and not proves(engine) else text


class Answers:
    """The answers about one run, one at a time.

    Parameters
    ----------
    run : WatchedRun

    Attributes
    ----------
    serial : int
        The number of the last command.
    has_graph : bool
        Whether the stage that asked last has the hyper-graph. One that did not ask is mounted anew and holds nothing.
    tightness : protocol.Tightness or None
        The last measurement.
    lines : protocol.Lines or None
        The last findings about the visible messages.
    drawer : protocol.Drawer or None
        The last findings about the message in the drawer.
    meeting : Meeting or None
        The search for a place together with another run that the last question is about.
    """

    def __init__(self, run: WatchedRun) -> None:
        self.run, self.encoder = run, Encoder(run)
        self._lines, self._drawer = MessageList(run.engine), Drawer(run.engine)
        self.serial, self.has_graph = 0, False
        self.tightness: protocol.Tightness | None = None
        self.lines: protocol.Lines | None = None
        self.drawer: protocol.Drawer | None = None
        self._answered_serial = -1  # the latest command whose answer the stage has received
        self._question: Question | None = None  # the present question, or the last one
        self._answer: protocol.Answer = {}
        self._answered = threading.Event()
        self._opened = threading.Event()  # whether the drawer's content is complete, too
        self._measured = threading.Event()  # and the measurements
        self._progress = ""
        self._patient_until = 0.0  # of two runs side by side, which are asked together, the page waits for both at once
        self.meeting: Meeting | None = None  # the search for a place together with another run

    @property
    def answering(self) -> bool:
        """Whether an answer is being computed."""
        return not self._answered.is_set() and self.run.looking

    @property
    def measuring(self) -> bool:
        """Whether measurements are still being computed after the answer itself."""
        return self._answered.is_set() and not self._measured.is_set() and self.run.looking

    @property
    def _is_stopped(self) -> bool:
        """Whether the answer was broken off."""
        return self._answered.is_set() and not self._answer

    @property
    def _is_stopping(self) -> bool:
        """Whether the present question is a press of Stop."""
        return self._question is not None and self._question.do == "stop"

    def ask(self, question: Question) -> None:
        """Take a question. A repeated question got lost on the way, or asks for progress."""
        self._patient_until = time.monotonic() + PATIENCE_SECONDS
        again = question.serial == self.serial
        self._answered_serial, self.has_graph, self.serial = question.answered, question.has_graph, question.serial
        # Said again, also as another question, it would break off its own answer.
        if question.do == "stop" and not again and not self._is_stopping:
            self.run.halt()
        known = self._question is not None and not (question.do == "poll" and self._is_stopped)
        if known and (again or question.picture is Picture.SAME):
            return
        if not self.run.settle():
            return
        if question.picture is not Picture.PLACE:
            question = replace(question, at=self.run.position)
        self._begin(question)

    def forget(self) -> None:
        """Drop the last question: the run has moved on, and its answer is out of date."""
        self._question = None

    def tell(self) -> tuple[protocol.Answer, str | None]:
        """The answer, and the progress of the work on it, in words; nothing of what the stage knows, or is at hand."""
        if self._question is None or not self.has_graph:
            self._patient_until = time.monotonic() + PATIENCE_SECONDS
            self._renew()
        if not self._answered.wait(self._patience):
            return {}, self._progress
        self._opened.wait(self._patience)
        assert self._question is not None
        return (self._answer if self._answered_serial < self._question.serial else {}), None

    @property
    def _patience(self) -> float:
        """How long the page still waits for an answer, in seconds."""
        return max(0.0, self._patient_until - time.monotonic())

    def _renew(self) -> None:
        """Answer again, to a stage without data; earlier commands are still carried out."""
        self.run.settle()
        self._answered_serial = -1
        question = self._question
        if question is None or self._answered.is_set():
            shown = question or Question()
            question = Question(
                at=self.run.position,
                serial=self.serial,
                measure=shown.measure,
                lines=shown.lines,
                drawer=shown.drawer,
            )
        self._begin(replace(question, first=0, goes_on=False, has_graph=False))

    # -- in the background ------------------------------------------------------------------------------------

    def _begin(self, question: Question) -> None:
        """Begin an answer; the engine is free."""
        self._question, self._answer, self._progress = question, {}, "computing…"
        self._answered.clear()
        self._opened.clear()
        self._measured.clear()
        self.run.look(partial(self._work, question))

    def _work(self, question: Question, stopped: threading.Event) -> None:
        stop = bc.Stop(requested=partial(self._is_over, stopped))
        try:
            with self.run.work.taken(stop):
                self._answer = self.answer_to(question, stop)
                self._answered.set()
                for shown in self._drawer.look(question.drawer, stop):
                    self.drawer = shown
                    self._opened.set()
                self._opened.set()
                for found in self._lines.look(question.lines, stop):
                    self.lines = found
                self.tightness = edge_tightness(self.run.engine, question.measure, stop)
                for found in self._lines.judge(stop):
                    self.lines = found
                self._measured.set()
                self._prepare(question, stop)
        except bc.Stopped:
            pass
        except bc.EngineError as error:
            self.run.failure = str(error)
        except Exception:
            # Without an answer the stage would wait for ever.
            logging.getLogger(__name__).exception("The stage has no answer to %s", question)
            self.run.failure = "This moment cannot be shown; the server's log says why."
        finally:
            self._answered.set()
            self._opened.set()
            self._measured.set()

    def _is_over(self, stopped: threading.Event) -> bool:
        """Whether to stop; also records the progress, as it is called often."""
        # The thread of the other run uses this engine during a search for a place of both.
        is_lent = self._question is not None and self._question.do == "meet"
        self._progress = "looking for the place…" if is_lent else f"computing {whereabouts(self.run.engine)}"
        return stopped.is_set()

    def answer_to(self, question: Question, stop: bc.Stop) -> protocol.Answer:
        """The data that the stage draws where a step or a jump ends; a stopped step ends where it was stopped."""
        run, engine = self.run, self.run.engine
        before, missed = run.position, None
        run.show(question.at)
        try:
            if question.do == "step":
                self._step(question, stop)
            elif question.do == "find":
                missed = self._find(question, stop)
            elif question.do == "meet" and self.meeting is not None:
                meeting, self.meeting = self.meeting, None
                missed = meeting.search(run, stop)
            chunk = self._chunk(question, stop)
            exact = exact_view(engine, question.opened, question.states, stop) if question.do == "exact" else None
            go_to(engine, run.position, stop)
        except bc.Stopped:
            run.position = before
            raise
        return {
            "position": run.position,
            "seen": run.seen,
            "done": run.end,
            "status": ending(engine),
            "frames": chunk,
            "refusal": self.encoder.refusal,
            "history": history(engine.trace, run.seen, run.opening[0]),
            "exact": exact,
            "missed": missed,
        }

    def _prepare(self, question: Question, stop: bc.Stop) -> None:
        """Encode what the next step will probably show, until the next question comes or other work needs the run."""
        run, makes_way = self.run, bc.Stop(requested=lambda: stop() or self.run.work.is_needed)
        if question.ahead:
            self.encoder.prepare(run.position, run.position + question.ahead, makes_way)
            go_to(run.engine, run.position, makes_way)

    def _step(self, question: Question, stop: bc.Stop) -> None:
        run, grain = self.run, question.grain
        if question.backward or grain == "sweep":
            # A sweep may have thousands of events; few of them are sent.
            run.step(grain, question.backward, stop)
        else:
            run.show(self.encoder.step(run.position, grain, stop))

    def _find(self, question: Question, stop: bc.Stop) -> str | None:
        """Go to the next moment of a kind; returns a message if there is none."""
        found = find(self.run.engine, question.goal, question.at, question.message, question.share, stop)
        if found is None or (self.run.until is not None and found > self.run.until):
            return MISSED[question.goal]
        self.run.show(found)
        return None

    def _chunk(self, question: Question, stop: bc.Stop) -> protocol.Frames:
        """The events from the first that the stage lacks, or from a few before the one shown."""
        run, engine = self.run, self.run.engine
        stopped = stop()
        if stopped and run.position <= question.at:
            raise bc.Stopped
        if stopped or not question.ahead:
            # Near: the engine is in this update, or in the one after it.
            engine.seek(run.position)
            event = looking.last_event(engine)
            if event is None or event.kind >= (Kind.MESSAGE if stopped else Kind.SWEEP):
                return self.encoder.last_event(stop)
        # A step back may end before the events that the stage holds, and a run far beyond them.
        is_near = run.position - question.first <= MOST_BEHIND and (
            run.position >= question.first or (question.goes_on and not question.backward)
        )
        first = question.first if question.has_graph and is_near else max(run.position - BEHIND, 0)
        goes_on = question.has_graph and question.goes_on and first == question.first
        last = run.position + question.ahead
        if question.do == "step":
            # Its answer is waited for: later events go along only if they are at hand.
            last = min(last, max(self.encoder.end, run.position))
        return self.encoder.frames(first, run.position, last, goes_on, question.more, stop)
