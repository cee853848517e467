"""A component mounted in a bare page, fed by the Python that feeds it in the app."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import count
from typing import Any, get_args

from playwright.sync_api import Locator, Page, expect

from pages._shared.app.frontend import FRONTEND, Component
from pages._shared.app.session import Lab
from pages._shared.compare import curves
from pages._shared.cycles import picture
from pages._shared.cycles import protocol as cycles_protocol
from pages._shared.cycles.packed import WatchedPacking
from pages._shared.game import page as game_page
from pages._shared.learn import page as learn_page
from pages._shared.watch import protocol, stage
from tests.protocol import check
from tests.watched import Watched

# The colours and type that Streamlit passes on to components.
PAGE = """<!doctype html><title>Component</title><style>
:root {
  --st-text-color: #1f2933; --st-background-color: #fff; --st-secondary-background-color: #f2f5f8;
  --st-primary-color: #0072b2; --st-font: sans-serif; --st-code-font: monospace;
}
body { margin: 16px; }
</style><main></main>"""

# As Streamlit mounts a component of its second kind: the page in a shadow, the loader's function with every answer.
MOUNT = """async ([html, trigger]) => {
    const parentElement = document.querySelector('main').attachShadow({ mode: 'open' });
    parentElement.innerHTML = html;
    const { default: load } = await import('/loader.js');
    const receive = (data) => load({
        parentElement,
        data,
        setTriggerValue: async (name, value) => {
            const answer = await window[trigger](name, value);
            if (answer && parentElement.host.isConnected) receive(JSON.parse(answer));
        },
    });
    window.receive = receive;
}"""

# What is drawn changes sizes, which changes what is drawn, before the picture is painted.
PAINTED = "new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))"

RECEIVE = f"""async (told) => {{
    await window.receive(JSON.parse(told));
    await {PAINTED};
}}"""

# Waits until the stage is idle, and something else is so. `expect` would look at once and again a tenth of a second
# later: most answers come before.
SETTLED = """(root, isSo = () => true) => new Promise((settled, late) => {
    const look = () => root.dataset.state === 'idle' && isSo() && settled();
    new MutationObserver(look).observe(root, { attributeFilter: ['data-state'] });
    setTimeout(() => late(new Error(`still ${root.dataset.state}`)), 30000);
    look();
})"""

WAITED = """(stage, argument) => new Promise((met, late) => {
    const look = () => (CONDITION ? met() : requestAnimationFrame(look));
    setTimeout(() => late(new Error('waited in vain')), 60000);
    look();
})"""

# Both runs have come to rest.
BOTH_IDLE = """!stage.pair.isJoining && !stage.pair.clock.queue.length
    && stage.pair.stages.every((each) => each.status.stateOf() === 'idle')"""

_serials = count()


class Mounted:
    """A component in a page.

    Attributes
    ----------
    root : Locator
        Its drawing.
    triggers : list of (str, value)
        Its requests.
    """

    def __init__(self, page: Page, component: Component, takes: type) -> None:
        self.page, self.component, self.takes = page, component, takes
        self.root = page.locator("[data-component]").first
        self.triggers: list[tuple[str, Any]] = []
        name, trigger = component.name, f"trigger{next(_serials)}"
        page.expose_function(trigger, self._trigger)
        page.evaluate(MOUNT, [(FRONTEND / name / f"{name}.html").read_text(encoding="utf-8"), trigger])

    def receive(self, data: Mapping[str, object], code: bool = True) -> None:
        """Send data to the component, with its code if the tab lacks that, and wait until they are drawn."""
        check(self.takes, data)
        code &= self.page.evaluate("(name) => !globalThis.benderLab?.[name]", self.component.name)
        told = json.dumps({**data, "code": self.component.code if code else None})
        self.page.evaluate(RECEIVE, told)

    def answer(self, name: str, value: Any) -> Mapping[str, object] | None:
        """Python's answer to a request of the component; none by default."""

    def _trigger(self, name: str, value: Any) -> str | None:
        self.triggers.append((name, value))
        data = self.answer(name, value)
        if data is None:
            return None
        check(self.takes, data)
        # As a text, as Streamlit sends it: Playwright takes ten times as long to pass on the values one by one.
        return json.dumps({**data, "code": self.component.code if name == "missing" else None})


class Curves(Mounted):
    """The chart of Compare."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, curves._component, curves.Chart)
        self.svg = self.root.locator("figure svg")
        self.lines = self.root.locator(".lower")
        self.tip = self.root.locator(".tip")
        self.axes = curves.USUAL_AXES
        self.chosen: list[curves.Curve] = []
        self._shown: tuple[str, list[curves.Curve]] = ("", [])

    def show(self, model: str, runs: list[curves.Curve], code: bool = True) -> None:
        self._shown = model, runs
        self.receive(curves.view(model, runs, self.axes, self.chosen), code)

    def answer(self, name: str, value: Any) -> curves.Chart:
        if name == "axes":
            check(curves.Axes, value)
            self.axes = value
        return curves.view(*self._shown, self.axes, self.chosen)

    def switch(self, name: str) -> None:
        self.root.locator(".bar").get_by_role("button", name=name, exact=True).click()

    def key(self, name: Any) -> Locator:
        """The button of a run."""
        return self.root.locator(".keys").get_by_role("button", name=name)

    def ticks(self) -> list[str]:
        return self.root.locator(".tick").all_text_contents()


class Cycles(Mounted):
    """The picture of the cycles, with a packing or a cycle pursuit behind it that is computed at once."""

    def __init__(self, page: Page, lab: Lab) -> None:
        super().__init__(page, picture._component, cycles_protocol.Cycles)
        self.lab = lab
        self.both = {by: WatchedPacking(lab.mrf, lab.account, None, by) for by in get_args(cycles_protocol.By)}
        self.halves = [self.both["program"]]
        self.advance()
        self.compute()
        self.receive(picture.data(lab, self.halves))

    def advance(self) -> None:
        """Compute what is shown first."""
        for each in self.halves:
            each.advance(picture.AHEAD)

    def compute(self) -> None:
        """Wait for what is computed."""
        for each in self.halves:
            if each.thread is not None:
                each.thread.join()

    def answer(self, name: str, value: Any) -> cycles_protocol.Cycles:
        if name != "command":
            return picture.data(self.lab, self.halves)
        check(cycles_protocol.Command, value)
        picture.show(value["key"], value["at"])
        picture.GATHERED.set(value["grouped"])
        self.halves = [half for by, half in self.both.items() if value["by"] in (by, "both")]
        command = value if value["key"] == picture.key_of(self.halves) else None
        if command is not None:
            picture.obey(self.halves, command)
        else:
            self.advance()
        self.compute()
        return picture.data(self.lab, self.halves, command)

    def out(self, name: str) -> Locator:
        return self.root.locator(f"[data-out={name}]")

    @property
    def sentence(self) -> Locator:
        return self.root.locator(".sentence")

    def step(self, grain: str) -> None:
        self.root.locator(f"[data-step={grain}]").click()

    def show(self, position: int) -> None:
        self.root.evaluate("(root, position) => root.cycles.player.show(position)", position)

    def marks(self, what: str) -> list[dict[str, Any]]:
        """The marks drawn that mean something."""
        every = self.root.evaluate("(root) => root.cycles.marks()")
        return [mark["means"] for mark in every if mark.get("means", {}).get("what") == what]


class Stage(Mounted, Watched):
    """The stage, with a run behind it that obeys its commands at once."""

    def __init__(self, page: Page, lab: Lab) -> None:
        super().__init__(page, stage._component, protocol.Stage)
        self.stage, self.lab = self.root, lab
        self.receive(stage.stage_data(lab))

    def answer(self, name: str, value: Any) -> protocol.Stage:
        if name == "command":
            check(protocol.Command, value)
            if value["do"] == "turn":
                stage.turn(self.lab, value["chapter"], value["to"])
            else:
                if value["do"] == "meet":
                    stage.meet(self.lab, value)
                stage.obey(self.lab.run, value, stage._ANSWERS.of(self.lab.run))
            if "beside" in value:
                stage.carry_out_beside(self.lab, value["beside"])
        return stage.stage_data(self.lab)

    def settle(self) -> None:
        """Wait until every question is answered, and the answer is painted."""
        self.act("")
        self.page.evaluate(PAINTED)

    def wait(self, condition: str, argument: Any = None) -> None:
        self.root.evaluate(WAITED.replace("CONDITION", condition), argument)

    def act(self, action: str, argument: Any = None, then: str = "true") -> None:
        """Do something and wait until all that follows has happened: JavaScript in ``stage`` and ``argument``.

        Quicker than a click, which waits for places and pictures: for the way to what a test is about.
        """
        self.root.evaluate(
            f"""(root, argument) => {{
                const {{ stage }} = root;
                {action};
                return ({SETTLED})(root, () => {then});
            }}""",
            argument,
        )

    def step(self, grain: str, backward: bool = False) -> None:
        self.act("stage.player.step(...argument)", [grain, backward])

    @property
    def positions(self) -> list[int]:
        """The places of both runs."""
        return list(self.root.evaluate("({ stage }) => stage.pair.stages.map(({ player }) => player.position)"))

    def step_both(self, grain: str, backward: bool = False) -> None:
        self.act("stage.pair.clock.step(...argument)", [grain, backward], BOTH_IDLE)

    def jump(self, position: int) -> None:
        self.act("stage.player.jump(argument)", position)

    def ask_for_nothing_ahead(self) -> None:
        """Have Python encode what is looked at: of the events ahead, forty of them as a rule, nothing is drawn."""
        self.root.evaluate("({ stage }) => { stage.questions.ahead = () => 1; }")

    def turn(self, chapter: int, position: int | None = None) -> None:
        """Show a position of a chapter, or its end."""
        self.act(
            "stage.chapters.turn(argument[0], argument[1] ?? stage.chapters.all[argument[0]].length)",
            [chapter, position],
            "stage.chapters.at === argument[0]",
        )


class Learn(Mounted):
    """The page of Learn."""

    def __init__(self, page: Page, lesson: str = "friends", done: tuple[str, ...] = ()) -> None:
        super().__init__(page, learn_page.COMPONENT, learn_page.Page)
        self.receive({"seconds": None, "failed": False, "lesson": lesson, "done": list(done)})

    def go(self, lesson: str, step: str) -> Locator:
        """Scroll to a step; returns its element."""
        found = self.root.locator(f"[data-lesson={lesson}] [data-step={step}]")
        self.root.evaluate(
            """(root, [lesson, step]) => {
                const isIt = (each) => each.lesson.slug === lesson && each.element.dataset.step === step;
                const { element } = root.learn.story.steps.find(isIt);
                element.scrollIntoView({ block: "center", behavior: "instant" });
            }""",
            [lesson, step],
        )
        expect(found).to_have_class(re.compile("current"))
        return found

    def drag(self, name: str) -> Locator:
        """A number in the text."""
        return self.root.locator(f"[data-drag={name}]")

    def value(self, lesson: str, name: str) -> str:
        """A live number."""
        return self.root.locator(f"[data-lesson={lesson}] [data-value='{name}']").first.inner_text()

    def guess(self, name: str) -> Locator:
        return self.root.locator(f"[data-guess={name}]")

    def marks(self, lesson: str) -> list[dict[str, Any]]:
        """All that is drawn in the picture of a lesson."""
        found: list[dict[str, Any]] = self.root.evaluate(
            "(root, slug) => root.learn.lessons.find((each) => each.slug === slug).picture.list()", lesson
        )
        return found

    def means(self, lesson: str, what: str) -> list[Any]:
        """What marks of a kind mean."""
        every = [mark["means"] for mark in self.marks(lesson) if "means" in mark]
        return [each["value"] for each in every if each.get("what") == what]


class Game(Mounted):
    """The page of the game."""

    def __init__(self, page: Page, level: int = 1, puzzle: int = 1, moves: str = "") -> None:
        super().__init__(page, game_page.COMPONENT, game_page.Play)
        self.receive({"level": level, "puzzle": puzzle, "moves": moves})

    def press(self, name: str) -> None:
        """Press a button."""
        self.root.get_by_role("button", name=name, exact=True).click()

    def play(self, moves: str) -> None:
        """Make the moves of an address from the beginning of its puzzle on, with buttons."""
        merge, _, turns = moves.rpartition("!")
        if merge:
            self.press(f"Merge tables {merge[0]} and {merge[1]}")
        for turn in filter(None, turns.split("_")):
            table, *questions = turn.split("-")
            opened = self.root.get_by_role("button", name=re.compile(f"^Open table {table}"))
            if opened.count():
                opened.click()
            for sender, state, kind in re.findall(r"([A-D])(\d+)([rm])", "-".join(questions)):
                self.root.locator(f"[data-mark='hit {state}']").click()
                self.root.locator(f"[data-choice^='{sender}'][data-choice$=' {kind}']").click()
            self.root.locator("[data-choice=pass]").click()

    def option(self, puzzle: int) -> str:
        """How the list of puzzles marks one."""
        return self.root.locator("[data-choose=puzzle] option").nth(puzzle - 1).inner_text()

    def column(self, state: str) -> Locator:
        """The column of a state of the open table."""
        return self.root.get_by_role("button", name=re.compile(f"^State {state}:"))

    def means(self, picture: str, what: str) -> list[Any]:
        """What marks of a kind mean."""
        return [
            mark["means"]["value"]
            for mark in self.root.evaluate("(root, name) => root.game.pictures[name].list()", picture)
            if mark.get("means", {}).get("what") == what
        ]
