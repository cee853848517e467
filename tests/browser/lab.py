"""What a person sees and does in the app, for tests to say it shortly."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect

import bender_core as bc
from tests.labs import sample
from tests.watched import Watched

# A stage that does not show yet what it was asked for.
UNDRAWN = ".stage:is(:not([data-state]), [data-state=waiting], [data-state=moving])"


def engine(name: str = "pose-small", max_size: int = 8, variant: int = 9) -> bc.Engine:
    """The run that the app starts with, on this side."""
    mrf = sample(name)
    return bc.Engine(mrf, bc.partition(mrf, max_size), variant=variant)


class Lab(Watched):
    """The app in one page."""

    def __init__(self, page: Page, settle: Callable[[Page], None]) -> None:
        self.page = page
        self.stage = page.locator(".stage:not(.second)")
        self._settle = settle

    def settle(self) -> None:
        """Wait until the script has run, and the stage (which asks a moment after a jump) is drawn or gone."""
        self._settle(self.page)
        expect(self.page.locator(UNDRAWN)).to_have_count(0, timeout=60_000)

    # -- pages ------------------------------------------------------------------------------------------------

    def open(self, path: str = "/?at=0") -> Lab:
        self.page.goto(path)
        self.settle()
        return self

    def go(self, title: str) -> None:
        self.page.get_by_role("link", name=title, exact=True).click()
        self.settle()

    def press(self, label: str) -> None:
        self.page.get_by_role("button", name=label, exact=True).click()
        self.settle()

    def tab(self, label: str) -> None:
        self.page.get_by_role("tab", name=label, exact=True).click()
        self.settle()

    def expand(self, title: str) -> None:
        """Open an expander and wait until it has grown: what moves under a press does not feel it."""
        self.page.get_by_text(title).click()
        self.page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")
        self.settle()

    def choose(self, label: str, option: str) -> None:
        """Pick the first option of a select box that contains some words."""
        box = self.page.get_by_role("combobox", name=label, exact=True)
        options = self.page.get_by_role("option")
        # A press while the page is still being laid out (an expander opens, a complaint appears) is lost; then again.
        for _ in range(10):
            box.focus()
            box.press("ArrowDown")
            try:
                options.first.wait_for(timeout=2000)
                options.filter(has_text=option).first.click()
                self._expect_chosen(box, option, timeout=2000)
                break
            except (TimeoutError, AssertionError):
                continue
        self._expect_chosen(box, option)
        self.settle()
        # A menu that is opened once more, by a press that came late, hides all else.
        if self.page.get_by_role("listbox").count():
            box.press("Escape")

    def select_row(self, row: int) -> None:
        """Select a row of the table, by its checkbox."""
        table = self.page.get_by_test_id("stDataFrame")
        drawn = table.locator(f"[role=row][aria-rowindex='{row + 2}']")
        expect(drawn).to_be_attached()
        table.scroll_into_view_if_needed()
        # A press while the table is still being laid out is lost; then again.
        for _ in range(10):
            box = table.bounding_box()
            self.page.mouse.click(box["x"] + 16, box["y"] + 52 + 35 * row)
            try:
                expect(drawn).to_have_attribute("aria-selected", "true", timeout=2000)
                break
            except AssertionError:
                continue
        expect(drawn).to_have_attribute("aria-selected", "true")
        self.settle()

    def _expect_chosen(self, box: Locator, option: str, timeout: float | None = None) -> None:
        several = self.page.get_by_test_id("stMultiSelect").filter(has=box)
        if several.count():
            expect(several).to_contain_text(option, timeout=timeout)
        else:
            expect(box).to_have_value(re.compile(re.escape(option)), timeout=timeout)

    def set_size(self, value: int) -> None:
        """Set M."""
        slider = self.page.locator(".st-key-partition_size input")
        steps = value - int(slider.input_value())
        for _ in range(abs(steps)):
            slider.press("ArrowRight" if steps > 0 else "ArrowLeft")
        self.settle()
        expect(slider).to_have_value(str(value))

    def enter(self, label: str, value: str) -> None:
        """Type into a field."""
        field = self.page.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Enter")
        self.settle()

    def cut(self, max_size: int | None = None, strategy: str | None = None, variant: int | None = None) -> None:
        """Cut the model anew and go to Watch."""
        self.go("Partition")
        if strategy is not None:
            self.choose("Strategy", strategy)
        if max_size is not None:
            self.set_size(max_size)
        if variant is not None:
            self.choose("Variant", f"{variant}:")
        self.press("Partition and watch")

    def load(self, name: str) -> None:
        """Load a sample from the gallery."""
        self.go("Instance")
        button = self.page.locator(f".st-key-load-{name} button")
        button.click()
        expect(button).to_have_text("Loaded")
        self.settle()

    def upload(self, name: str, content: bytes, field: str = "upload") -> None:
        self._upload({"name": name, "mimeType": "application/octet-stream", "buffer": content}, field)

    def upload_file(self, path: Path, field: str = "upload") -> None:
        """As `upload`, of what is too large to be sent to the browser first."""
        self._upload(path, field)

    def _upload(self, what: Any, field: str) -> None:
        self.page.locator(f".st-key-{field} input[type=file]").set_input_files(what)
        self.settle()

    @property
    def heading(self) -> Locator:
        return self.page.locator("h3")

    @property
    def complaint(self) -> Locator:
        return self.page.get_by_role("alert")

    def edit_by_hand(self) -> None:
        """Open the controls that edit groups, all of them in view: a list closes when the page moves."""
        self.page.set_viewport_size({"width": 1280, "height": 1200})
        self.page.get_by_text("Edit the groups by hand").click()
        self.page.get_by_role("button", name="Move", exact=True).click(trial=True)
        self.settle()

    # -- the stage --------------------------------------------------------------------------------------------

    def wait_for_stage(self, state: str) -> None:
        """Wait until a stage is there and in some state."""
        expect(self.stage).to_have_attribute("data-state", state, timeout=60_000)
