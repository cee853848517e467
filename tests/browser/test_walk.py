"""A random walk through the app on a slow network: no blank page, no lost press, no lost place.

Some steps of it by default; `make walk` goes on for half an hour beside two processes that keep the cores busy.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, expect

import bender_core as bc
from bender_core.io import dumps
from tests.browser.lab import Lab
from tests.labs import sample

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SECONDS = float(os.environ.get("BENDER_WALK_SECONDS", "0"))
# However slow the machine is, and from a seed whose first steps are of many more kinds than those of most.
STEPS = 30
SEED = int(os.environ.get("BENDER_WALK_SEED", "27524"))
# Milliseconds that every message takes longer.
LATENCY = 120
KEYS = {"round": "ArrowRight", "node": "Shift+ArrowRight", "sweep": "Alt+ArrowRight", "event": "."}
BACK = {"round": "ArrowLeft", "node": "Shift+ArrowLeft", "sweep": "Alt+ArrowLeft", "event": ","}
PAGES = ("Instance", "Partition", "Cycles", "Edge", "Compare", "Experiments", "Learn", "Game", "Method")
SAMPLES = ("tiny", "pose-small", "karate", "torus-10x10")
OWN = bc.synth.ising_grid(rows=5, columns=4, coupling="gaussian")


class Walker:
    """Somebody who does anything, beside an engine that does the same.

    Attributes
    ----------
    done : list of str
        What was done, to be read after a failure.
    """

    def __init__(self, lab: Lab, rng: random.Random) -> None:
        self.lab, self.rng = lab, rng
        self.done: list[str] = []
        self.trail = ["Watch"]  # the pages that Back goes through
        self.twin = self.engine()

    @property
    def title(self) -> str:
        return self.trail[-1]

    def engine(self) -> bc.Engine:
        """The run that the address describes."""
        said = {name: values[0] for name, values in parse_qs(urlsplit(self.lab.page.url).query).items()}
        mrf = OWN if "upload" in said else sample(said["sample"])
        part = bc.partition(mrf, int(said["M"]), said["strategy"])
        return bc.Engine(mrf, part, variant=int(said["variant"]), schedule=said["schedule"])

    def walk(self) -> None:
        """Do one thing and look at what came of it."""
        here = [self.step, self.step, self.step, self.jump, self.play, self.zoom, self.leave, self.reload]
        elsewhere = [self.leave, self.back, self.reload, self.load, self.upload]
        act = self.rng.choice(here if self.title == "Watch" else elsewhere)
        self.done.append(f"{self.title}: {act.__name__}")
        act()
        self.look()

    def look(self) -> None:
        """Nothing is blank, the address is that of the page, and the stage is where the engine is."""
        page = self.lab.page
        path = "/" if self.title == "Watch" else f"/{self.title.lower()}"
        page.wait_for_function(f"location.pathname === '{path}'")
        if self.title == "Watch":
            self.lab.wait("stage.dataset.state === 'idle'")
            self.lab.shows(self.twin)
        else:
            page.locator("[data-testid=stMain] :is(h2, h3, button)").first.wait_for()
            at = self.twin.position
            page.wait_for_function(f"new URLSearchParams(location.search).get('at') === '{at}'")

    # -- on Watch ---------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Some quick presses of one key."""
        grain = self.rng.choice(list(KEYS))
        backward = self.rng.random() < 0.3
        times = self.rng.randint(1, 4)
        self.done[-1] += f" {grain} {'back' if backward else 'forward'} × {times}"
        for _ in range(times):
            self.lab.page.keyboard.press((BACK if backward else KEYS)[grain])
            self.follow(grain, backward)
        self.lab.settle()

    def follow(self, grain: bc.Grain, backward: bool) -> None:
        twin = self.twin
        if not backward:
            twin.step(grain)
            return
        stops = twin.trace.until(twin.position).stops(grain)
        earlier = stops[stops < twin.position]
        twin.seek(int(earlier[-1]) if len(earlier) else 0)

    def jump(self) -> None:
        self.lab.stage.evaluate(
            "({ stage }, share) => stage.player.jump(Math.floor(share * stage.player.seen))", self.rng.random()
        )
        self.lab.settle()
        self.find()

    def play(self) -> None:
        for _ in range(2):
            self.lab.page.keyboard.press(" ")
            self.lab.page.wait_for_timeout(self.rng.choice([100, 700]))
        self.lab.settle()
        self.find()

    def find(self) -> None:
        """Take the engine to where the stage has come."""
        at = self.lab.position
        if at > len(self.twin.trace):
            self.twin.seek(len(self.twin.trace))
            self.twin.run(max_events=at)
        self.twin.seek(at)

    def zoom(self) -> None:
        self.lab.page.keyboard.press(self.rng.choice(["+", "-", "0"]))
        self.lab.stage.locator(f"button[data-view={self.rng.choice(['hyper', 'both', 'variables'])}]").click()

    # -- pages ------------------------------------------------------------------------------------------------

    def leave(self) -> None:
        title = self.rng.choice([title for title in ("Watch", "Watch", *PAGES) if title != self.title])
        self.done[-1] += f" for {title}"
        if self.title == "Watch" and self.rng.random() < 0.5:
            # In the middle of an answer.
            self.lab.page.keyboard.press(KEYS["node"])
            self.follow("node", backward=False)
        self.go(title)

    def go(self, title: str) -> None:
        self.lab.go(title)
        self.trail.append(title)

    def back(self) -> None:
        if len(self.trail) == 1:
            return
        self.trail.pop()
        self.done[-1] += f" to {self.title}"
        self.lab.page.go_back()
        self.lab.settle()

    def reload(self) -> None:
        self.lab.page.reload()
        self.lab.settle()

    def load(self) -> None:
        self.go("Instance")
        name = self.rng.choice([each for each in SAMPLES if self.loads(each).is_enabled()])
        self.done[-1] += f" {name}"
        self.loads(name).click()
        expect(self.loads(name)).to_be_disabled()
        self.lab.settle()
        self.restart()

    def loads(self, name: str) -> Locator:
        """The button that loads a sample: there is none to press for the one that is loaded."""
        return self.lab.page.locator(f".st-key-load-{name} button")

    def upload(self) -> None:
        self.go("Instance")
        before = self.lab.page.evaluate("new URLSearchParams(location.search).get('upload')")
        self.lab.upload("own.mrf.json", dumps(OWN))
        # A file takes its time; to leave meanwhile is to give it up.
        uploaded = "(before) => ![null, before].includes(new URLSearchParams(location.search).get('upload'))"
        self.lab.page.wait_for_function(uploaded, arg=before)
        self.restart()

    def restart(self) -> None:
        """Another model: its address comes with the page."""
        self.go("Watch")
        self.lab.wait("stage.dataset.state === 'idle'")
        self.lab.page.wait_for_function("new URLSearchParams(location.search).get('at') === '0'")
        self.twin = self.engine()


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Processes that compute all the time."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_a_random_walk_finds_no_blank_page_and_loses_nothing(watch: Lab) -> None:
    network = watch.page.context.new_cdp_session(watch.page)
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": LATENCY, "downloadThroughput": 250_000, "uploadThroughput": 100_000},
    )
    walker = Walker(watch, random.Random(SEED))
    end = time.monotonic() + SECONDS
    with busy(2 if SECONDS else 0):
        while len(walker.done) < STEPS or time.monotonic() < end:
            try:
                walker.walk()
            except BaseException:
                print(*walker.done, sep="\n")
                raise
    print(f"{len(walker.done)} steps")
