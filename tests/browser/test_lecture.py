"""Lecture mode: what is projected is large, and nothing but the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab import Lab, engine

pytestmark = pytest.mark.browser

PROJECTOR = {"width": 1920, "height": 1080}
# The sizes of all texts in sight, in pixels.
SIZES = """(root) => {
    const found = new Set(), texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const of = texts.currentNode.parentElement, { width } = of.getBoundingClientRect();
        if (!texts.currentNode.textContent.trim() || !width || !of.checkVisibility()) continue;
        const scale = of.ownerSVGElement ? of.getScreenCTM().a : 1;
        found.add(parseFloat(getComputedStyle(of).fontSize) * scale);
    }
    return [...found];
}"""


def test_the_stage_fills_the_screen_in_large_type(watch: Lab) -> None:
    page, run = watch.page, engine()
    page.set_viewport_size(PROJECTOR)
    run.step("node")
    watch.click("[data-step=node]")
    page.keyboard.press("p")
    expect(watch.stage.locator(".bar")).to_be_hidden()
    watch.settle()
    assert watch.stage.evaluate("({ parentElement }) => parentElement.getBoundingClientRect().toJSON()") == {
        **{"x": 0, "y": 0, "left": 0, "top": 0, "right": 1920, "bottom": 1080},
        **PROJECTOR,
    }
    expect(watch.stage.locator(":is(button, select, input, a):visible")).to_have_count(0)
    watch.shows(run)
    sizes = watch.stage.evaluate(SIZES)
    assert min(sizes) >= 22

    # One picture after the other, and the keys of a presenter.
    panes = [".graph", ".edge", ".costs", ".said"]
    for k in range(4):
        page.keyboard.press(str(k + 1))
        for pane in panes[: k + 1]:
            expect(watch.stage.locator(pane).first).to_be_visible()
        for pane in panes[k + 1 :]:
            expect(watch.stage.locator(pane).first).to_be_hidden()
    run.step("round")
    page.keyboard.press("PageDown")
    watch.wait_for_position(run.position)
    watch.settle()
    watch.shows(run)
    page.keyboard.press("PageUp")
    watch.wait("Number(stage.dataset.position) < argument", run.position)

    page.keyboard.press("Escape")
    expect(watch.stage.locator(".bar")).to_be_visible()


@pytest.mark.slow
def test_every_page_is_projected_and_blanked(page: Page, settle: Callable[[Page], None]) -> None:
    lab = Lab(page, settle).open("/learn")
    page.set_viewport_size(PROJECTOR)
    links, root = page.get_by_test_id("stTopNavLink").first, page.locator("html")
    expect(links).to_be_visible()
    page.keyboard.press("p")
    expect(links).to_be_hidden()
    lab.page.wait_for_function("parseFloat(getComputedStyle(document.documentElement).fontSize) >= 22")
    for blank in ("", None):
        page.keyboard.press("b")
        assert root.get_attribute("data-blank") == blank
    page.keyboard.press("p")
    expect(links).to_be_visible()
