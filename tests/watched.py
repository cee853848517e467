"""What a person sees of the stage, in the app and in a bare page."""

from __future__ import annotations

import math
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect

import bender_core as bc
from bender_core.engine.gap import is_closed, relative_gap
from bender_core.looking.decided import proves
from tests.chromium import told
from tests.labs import is_shown

OUTPUTS = {
    "lower": "[data-out=lower]",
    "upper": "[data-out=upper]",
    "gap": "[data-out=gap]",
    "rows": "[data-out=rows]",
    "state": "[data-out=state]",
    "where": ".where",
    "sentence": ".sentence",
    "formula": ".formula",
    "message": "[data-out=message]",
    "keeper": "[data-out=keeper]",
    "gap-of": "[data-out=gap-of]",
}


class Watched:
    """A stage in a page.

    Attributes
    ----------
    page : Page
    stage : Locator
        Its root element.
    """

    page: Page
    stage: Locator

    def settle(self) -> None:
        """Wait until every question is answered and drawn."""
        raise NotImplementedError

    def click(self, selector: str) -> None:
        """Click on the stage and wait until all that follows has happened."""
        self.stage.locator(selector).click()
        self.settle()

    def wait(self, condition: str, argument: Any = None) -> None:
        """Wait until a condition of the stage's root element holds: JavaScript in ``stage`` and ``argument``."""
        stage = self.stage.element_handle()
        try:
            self.page.wait_for_function(
                f"([stage, argument]) => stage.stage && ({condition})", arg=[stage, argument], timeout=60_000
            )
        except TimeoutError as error:
            state = stage.evaluate("(stage) => ({ ...stage.dataset, isConnected: stage.isConnected })")
            raise AssertionError(f"Not within a minute: {condition}, with {argument}; {state}") from error

    def wait_for_position(self, at_least: int) -> None:
        self.wait("Number(stage.dataset.position) >= argument", at_least)

    def wait_for_end(self) -> None:
        self.wait("stage.dataset.state === 'idle'")
        self.settle()

    @property
    def position(self) -> int:
        return int(self.stage.get_attribute("data-position"))

    def text(self, output: str) -> str:
        return self.stage.locator(OUTPUTS[output]).inner_text()

    @property
    def run(self) -> dict[str, str]:
        """What makes the run, as the run bar says it: the model's name, and the values of the other fields."""
        found: dict[str, str] = self.stage.locator(".run :is(select, input)").evaluate_all(
            """(all) => Object.fromEntries(all.map(({ name, value, selectedOptions }) =>
                [name, name === "model" ? selectedOptions[0]?.text : value]))"""
        )
        return found

    def expect_run(self, **expected: object) -> None:
        """Wait until the run bar shows a run."""
        for name, value in expected.items():
            field = self.stage.locator(f".run [name={name}]")
            if name == "model":
                expect(field.locator("option:checked")).to_have_text(str(value))
            else:
                expect(field).to_have_value(str(value))

    def said(self) -> dict[str, str]:
        """All that the stage says in numbers and words, by the names of its outputs."""
        said: dict[str, str] = self.stage.evaluate(
            """(stage, outputs) => Object.fromEntries(Object.entries(outputs).map(([name, selector]) =>
                [name, stage.querySelector(selector).innerText]))""",
            OUTPUTS,
        )
        return said

    def marks(self) -> list[dict[str, Any]]:
        """All that the pictures draw, and what it means."""
        marks: list[dict[str, Any]] = told(self.stage, "({ stage }) => stage.marks()")
        return marks

    def shown(self) -> dict[str, Any]:
        """All numbers and words, and the look of every line and circle, when the edges' looseness is measured."""
        self.wait("!stage.stage.data.measuring")
        return self.stage.evaluate(
            """(stage, outputs) => ({
                ...Object.fromEntries(Object.entries(outputs).map(([name, selector]) =>
                    [name, stage.querySelector(selector).textContent])),
                lines: [...stage.querySelectorAll('.tie')].map((line) =>
                    ['stroke', 'stroke-width'].map((name) => line.getAttribute(name)).join(' ')),
                active: [...stage.querySelectorAll('.node.active')].map((node) => node.dataset.node),
            })""",
            OUTPUTS,
        )

    def shows(self, run: bc.Engine, kept: float = -math.inf) -> None:
        """Check that the stage shows the state of an engine; ``kept``: the best bound of the chapters before."""
        lower, said = max(run.lower_bound, kept), self.said()
        assert self.position == run.position
        assert said["where"].endswith(f"sweep {self.sweep_of(run) + 1} · event {run.position}")
        assert is_shown(lower, said["lower"])
        assert is_shown(run.upper_bound, said["upper"])
        assert said["rows"] == str(run.n_rows)
        gap = relative_gap(lower, run.upper_bound)
        if proves(run) and is_closed(lower, run.upper_bound, run.graph.problem.scale):
            assert said["gap"] == "0, closed"
        else:
            assert is_shown(100 * gap, said["gap"].removesuffix(" %"))

    @staticmethod
    def sweep_of(run: bc.Engine) -> int:
        """The sweep that the last event belongs to."""
        return run.trace[run.position - 1].sweep if run.position else 0
