"""A class of thirty on one server: ``python -m benchmarks.sessions`` lets them step, or read, and leave.

They talk to the server over its websocket, as a browser does, which leaves the machine to the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from urllib.parse import parse_qsl

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.asyncio.client import ClientConnection, connect

import bender_core as bc
from pages._shared.app.fields import AT, LESSON, SAMPLE
from pages._shared.app.permalink import engine_of, partition_of
from pages._shared.app.session import FIRST
from pages._shared.learn import LESSONS
from tests.browser.server import Served, process

SESSIONS, SECONDS = 30, 60.0
# One of these reads Learn; the others watch.
SESSIONS_PER_READER = 5
# Seconds between an answer and the next step.
LOOK_SECONDS = 0.5
# Streamlit keeps a disconnected session for two minutes, in case it comes back.
GONE_SECONDS = 180.0
QUERY = "sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp&at=81"
AIM_SECONDS, AIM_MEMORY = 1.0, 1.2
TRIGGER = "$$STREAMLIT_INTERNAL_KEY_{}__events"


@dataclass
class Person(ABC):
    """One session: its websocket, and what it has received from the server."""

    page: ClassVar[str]
    component: ClassVar[str]

    socket: ClientConnection
    query: str  # of the page's address
    element: str = ""
    fragment: str = ""
    script: str = ""  # of the page
    waits: list[float] = field(default_factory=list)  # for every answer, seconds

    @property
    @abstractmethod
    def is_there(self) -> bool:
        """Whether the page has shown its component."""

    @abstractmethod
    async def go_on(self) -> None:
        """One step, or one lesson."""

    @abstractmethod
    def is_own(self) -> bool:
        """Whether everything shown was this session's, and right."""

    @abstractmethod
    def _look(self, data: dict[str, Any]) -> None:
        """Take in what the component is to draw."""

    async def open(self) -> None:
        """Look at the page until its component is there: on a busy server a page may come without it first."""
        while not self.is_there:
            await self._ask(self._message(page_name=self.page))

    async def _tell(self, event: str, value: dict[str, Any], fragment: str = "") -> None:
        """Let the component tell the server something, and wait for the answer."""
        message = self._message(page_script_hash=self.script, fragment_id=fragment)
        state = message.rerun_script.widget_states.widgets.add()
        state.id = TRIGGER.format(self.element)
        state.json_trigger_value = json.dumps([{"event": event, "value": value}])
        await self._ask(message)

    def _message(self, **fields: str) -> BackMsg:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.widget_states.SetInParent()
        for name, text in fields.items():
            setattr(message.rerun_script, name, text)
        return message

    async def _ask(self, message: BackMsg) -> None:
        await self.socket.send(message.SerializeToString())
        announced = False
        async for frame in self.socket:
            told = ForwardMsg.FromString(frame)
            kind = told.WhichOneof("type")
            if kind == "new_session":
                announced = True
            elif kind == "navigation":
                self.script = told.navigation.page_script_hash
            elif kind == "delta" and told.delta.new_element.HasField("bidi_component"):
                drawn = told.delta.new_element.bidi_component
                if drawn.component_name == self.component:
                    self.element, self.fragment = drawn.id, told.delta.fragment_id or self.fragment
                    self._look(json.loads(drawn.json or "{}"))
            elif kind == "script_finished" and announced:
                return


@dataclass
class Watcher(Person):
    """Steps on by rounds on Watch."""

    page, component = "", "bender_stage"

    position: int = 0
    held: int = 0  # the events received
    serial: int = 0
    answered: int = 0  # the last question with an answer
    places: list[int] = field(default_factory=list)  # after every answer
    bounds: dict[int, tuple[float, float]] = field(default_factory=dict)  # after every event received

    @property
    def is_there(self) -> bool:
        """Whether the stage has events."""
        return self.held > 0

    def _look(self, data: dict[str, Any]) -> None:
        frames = data.get("frames")
        if frames:
            columns, first = frames["columns"], frames["first"]
            self.position, self.answered = data["position"], self.serial
            self.places[self.serial :] = [self.position]
            self.held = first + len(columns["kind"])
            self.bounds |= dict(enumerate(zip(columns["lower"], columns["upper"], strict=True), first))

    async def go_on(self) -> None:
        """One round on; the same question again hears how far a long one is."""
        self.serial += 1
        command = {"do": "step", "grain": "round", "backward": False, "at": self.position, "arc": 0}
        command |= {"first": self.held, "goes_on": self.held > 0, "has_graph": True, "ahead": 40, "more": False}
        command |= {"measure": "tension", "run": 0}
        command |= {"serial": self.serial, "answered": self.answered}
        begin = time.perf_counter()
        while self.answered < self.serial:
            await self._tell("command", command, self.fragment)
        self.waits.append(time.perf_counter() - begin)

    def is_own(self) -> bool:
        """Whether it went on round by round, whatever others did, with the bounds of a run that is made here."""
        fields = FIRST | dict(parse_qsl(self.query))
        mrf = bc.sample(SAMPLE.of(fields, ""))
        engine = engine_of(fields, mrf, partition_of(fields, mrf)[0])
        engine.run(max_events=self.held + 1)  # only the next event shows whether a round has ended
        rounds = engine.trace.stops("round")
        at = AT.of(fields, 0)
        expected = [at, *rounds[rounds > at][: len(self.waits)].tolist()]
        lower, upper = (engine.trace.column(f"{side}_bound") for side in ("lower", "upper"))
        are_right = all((lower[event], upper[event]) == pair for event, pair in self.bounds.items())
        return self.places == expected and are_right


@dataclass
class Reader(Person):
    """Reads Learn, lesson after lesson."""

    page, component = "learn", "bender_learn"

    lesson: str = ""  # that the page shows
    is_lost: bool = False  # whether it ever was another than the one reached

    @property
    def is_there(self) -> bool:
        """Whether a lesson is open."""
        return bool(self.lesson)

    def _look(self, data: dict[str, Any]) -> None:
        self.lesson = data["lesson"]

    async def go_on(self) -> None:
        """Report the next lesson, as the page does when it is scrolled there."""
        slugs = list(LESSONS)
        following = slugs[(slugs.index(self.lesson) + 1) % len(slugs)]
        begin = time.perf_counter()
        await self._tell("progress", {"lesson": following, "done": []})
        self.waits.append(time.perf_counter() - begin)
        self.is_lost |= self.lesson != following

    def is_own(self) -> bool:
        """Whether it was always at its own lesson, whatever others read."""
        return not self.is_lost


async def visit(address: str, kind: type[Person], query: str, seconds: float) -> Person:
    """Come, go on for a while, and leave; within no time, only look."""
    async with connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None) as socket:
        person = kind(socket, query)
        await person.open()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await person.go_on()
            await asyncio.sleep(LOOK_SECONDS)
    return person


def memory(pid: int, kind: str = "VmRSS") -> int:
    """The resident memory of a process, bytes; "VmHWM": the most so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(status.partition(f"{kind}:")[2].split()[0])


def processor_seconds(pid: int) -> float:
    """What a process has computed: other than seconds of the clock, they do not depend on what else is running."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def charged(served: Served) -> str:
    """What the server says that the runs of all sessions take."""
    with urllib.request.urlopen(f"{served.url}/health") as answer:
        said: str = answer.read().decode()
    return said.partition("memory of all runs: ")[2].partition("\n")[0]


async def _together(url: str, query: str, sessions: int, seconds: float) -> list[Person]:
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    kinds = [Watcher if k % SESSIONS_PER_READER < SESSIONS_PER_READER - 1 else Reader for k in range(sessions)]
    queries = {Watcher: query, Reader: LESSON.name + "=row"}
    return await asyncio.gather(*(visit(address, kind, queries[kind], seconds) for kind in kinds))


class Crowd(NamedTuple):
    """Many visits at once.

    Attributes
    ----------
    persons : list of Person
    used : float
        What the server computed for them, seconds of a processor.
    resident : int
        The memory of the server at their end, bytes; it keeps their sessions for two minutes.
    """

    persons: list[Person]
    used: float
    resident: int


def crowd(served: Served, query: str, sessions: int, seconds: float) -> Crowd:
    """Let many visit at once."""
    before = processor_seconds(served.pid)
    persons = asyncio.run(_together(served.url, query, sessions, seconds))
    return Crowd(persons, processor_seconds(served.pid) - before, memory(served.pid))


def say_times(what: str, persons: Sequence[Person], aim: float) -> None:
    """Print how long the answers to some persons took."""
    waits = [wait for person in persons for wait in person.waits]
    if len(waits) > 1:
        p95 = statistics.quantiles(waits, n=20)[-1]
        print(f"{len(waits)} {what}: median {statistics.median(waits):.3f} s, p95 {p95:.3f} s (aim {aim:g} s)")


def main() -> None:
    """Print the times of pages and steps, and the server's memory before, during and after the sessions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sessions", description=__doc__)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--query", default=QUERY, help="the moment of Watch that most open: its address after the ?")
    options = parser.parse_args()
    count, query = options.sessions, options.query
    with tempfile.TemporaryDirectory() as folder, process(Path(folder) / "log.txt") as served:
        before = crowd(served, query, SESSIONS_PER_READER, 3.0).resident  # the first load what all later ones share
        begin = time.perf_counter()
        crowd(served, query, 1, 0.0)
        alone = time.perf_counter() - begin
        pages = crowd(served, query, count, 0.0)
        class_ = crowd(served, query, count, options.seconds)
        most, runs = memory(served.pid, "VmHWM"), charged(served)
        time.sleep(GONE_SECONDS)
        after, left = memory(served.pid), charged(served)
        errors = (Path(folder) / "log.txt").read_text().count("Traceback")
    watchers, readers = ([each for each in class_.persons if isinstance(each, kind)] for kind in (Watcher, Reader))
    answers = sum(len(person.waits) for person in class_.persons)
    own = sum(person.is_own() for person in class_.persons)
    print(f"a first page alone: {alone:.2f} s")
    print(f"{count} first pages: {1e3 * pages.used / count:.0f} ms of a processor each")
    print(f"a class of {count} for {options.seconds:g} s, {len(watchers)} on Watch and {len(readers)} on Learn")
    print(f"  {answers} answers: {1e3 * (class_.used - pages.used) / max(answers, 1):.0f} ms of a processor each")
    say_times("  steps", watchers, AIM_SECONDS)
    say_times("  lessons", readers, AIM_SECONDS)
    print(f"  {own} of {count} sessions saw their own state, and no other")
    print(f"memory: {before >> 20} MB before, {most >> 20} MB at most, {after >> 20} MB {GONE_SECONDS:g} s after")
    for name, more in (("looks", pages.resident - before), ("goes on", class_.resident - pages.resident)):
        print(f"  a session that {name}: {more / count / 2**20:.1f} MB")
    print(f"  charged for all runs: {runs}, and {left} after")
    print(f"  after / before: {after / before:.2f} (aim {AIM_MEMORY:g}); errors in the log: {errors}")


if __name__ == "__main__":
    main()
