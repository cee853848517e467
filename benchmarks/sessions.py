"""Twenty sessions at once: ``python -m benchmarks.sessions`` lets them step through one model, and leave.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.asyncio.client import ClientConnection, connect

from tests.browser.server import Served, process

SESSIONS, SECONDS = 20, 60.0
# Seconds between an answer and the next step.
LOOK_SECONDS = 0.5
# Streamlit keeps a disconnected session for two minutes, in case it comes back.
GONE_SECONDS = 180.0
QUERY = "sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp"
AIM_SECONDS, AIM_MEMORY = 0.5, 1.2
STAGE = "bender_stage"
TRIGGER = "$$STREAMLIT_INTERNAL_KEY_{}__events"


@dataclass
class Person:
    """One session: its websocket, and the data received from the server."""

    socket: ClientConnection
    query: str  # the address of the page
    stage: str = ""
    fragment: str = ""
    page: str = ""
    position: int = 0
    held: int = 0  # the events received
    serial: int = 0
    answered: int = 0  # the last question with an answer
    steps: list[float] = field(default_factory=list)  # seconds each

    async def ask(self, message: BackMsg) -> None:
        """Send a request and listen until the server has answered it."""
        await self.socket.send(message.SerializeToString())
        announced = False
        async for frame in self.socket:
            told = ForwardMsg.FromString(frame)
            kind = told.WhichOneof("type")
            if kind == "new_session":
                announced = True
            elif kind == "navigation":
                self.page = told.navigation.page_script_hash
            elif kind == "delta" and told.delta.new_element.HasField("bidi_component"):
                self._look(told)
            elif kind == "script_finished" and announced:
                return

    def _look(self, told: ForwardMsg) -> None:
        stage = told.delta.new_element.bidi_component
        if stage.component_name != STAGE:
            return
        self.stage, self.fragment = stage.id, told.delta.fragment_id or self.fragment
        data = json.loads(stage.json or "{}")
        if data.get("frames"):
            self.position, self.answered = data["position"], self.serial
            self.held = data["frames"]["first"] + len(data["frames"]["columns"]["kind"])

    async def open(self) -> None:
        """The first look at the page, until the stage is there: on a busy server a page may come without it first."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.widget_states.SetInParent()
        while not self.held:
            await self.ask(message)

    async def step(self) -> None:
        """One round on; the same question again hears how far a long one is."""
        self.serial += 1
        command = {"do": "step", "grain": "round", "backward": False, "at": self.position, "arc": 0}
        command |= {"first": self.held, "goes_on": self.held > 0, "has_graph": True, "ahead": 40, "more": False}
        command |= {"measure": "tension", "run": 0}
        command |= {"serial": self.serial, "answered": self.answered}
        begin = time.perf_counter()
        while self.answered < self.serial:
            await self._command(command)
        self.steps.append(time.perf_counter() - begin)

    async def _command(self, command: dict[str, object]) -> None:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self.page
        message.rerun_script.fragment_id = self.fragment
        state = message.rerun_script.widget_states.widgets.add()
        state.id = TRIGGER.format(self.stage)
        state.json_trigger_value = json.dumps([{"event": "command", "value": command}])
        await self.ask(message)


async def visit(address: str, query: str, seconds: float) -> Person:
    """Come, step for a while, and leave; within no time, only look."""
    async with connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None) as socket:
        person = Person(socket, query)
        await person.open()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await person.step()
            await asyncio.sleep(LOOK_SECONDS)
    return person


def resident(pid: int) -> int:
    """Resident memory of a process, bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


def processor_seconds(pid: int) -> float:
    """What a process has computed: other than seconds of the clock, they do not depend on what else is running."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _together(url: str, query: str, sessions: int, seconds: float) -> list[Person]:
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    return await asyncio.gather(*(visit(address, query, seconds) for _ in range(sessions)))


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
    return Crowd(persons, processor_seconds(served.pid) - before, resident(served.pid))


def main() -> None:
    """Print the times of pages and steps, and the server's memory before, during and after the sessions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sessions", description=__doc__)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument(
        "--query", default=QUERY, help="the address of the page that they open, after the question mark"
    )
    options = parser.parse_args()
    count, query = options.sessions, options.query
    with tempfile.TemporaryDirectory() as folder, process(Path(folder) / "log.txt") as served:
        before = crowd(served, query, 2, 3.0).resident  # the first session loads what all later ones share
        begin = time.perf_counter()
        crowd(served, query, 1, 0.0)
        alone = time.perf_counter() - begin
        pages = crowd(served, query, count, 0.0)
        stepping = crowd(served, query, count, options.seconds)
        time.sleep(GONE_SECONDS)
        after = resident(served.pid)
        errors = (Path(folder) / "log.txt").read_text().count("Traceback")
    steps = sorted(step for person in stepping.persons for step in person.steps)
    used, p95 = stepping.used - pages.used, statistics.quantiles(steps, n=20)[-1]
    print(f"a first page alone: {alone:.2f} s")
    print(f"{count} first pages: {1e3 * pages.used / count:.0f} ms of a processor each")
    print(f"{count} sessions for {options.seconds:g} s: {len(steps)} steps, {1e3 * used / len(steps):.0f} ms each")
    print(f"until the answer: median {statistics.median(steps):.3f} s, p95 {p95:.3f} s (aim {AIM_SECONDS:g} s)")
    print(f"everybody came to event {min(person.position for person in stepping.persons)} at least")
    print(f"memory: {before >> 20} MB before, {after >> 20} MB {GONE_SECONDS:g} s after all have left")
    for name, more in (("looks", pages.resident - before), ("steps", stepping.resident - pages.resident)):
        print(f"a session that {name}: {more / count / 2**20:.1f} MB")
    print(f"after / before: {after / before:.2f} (aim {AIM_MEMORY:g}); errors in the log: {errors}")


if __name__ == "__main__":
    main()
