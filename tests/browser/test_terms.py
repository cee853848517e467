"""Somebody who knows none of the terms learns them where they stand, by pointer, by finger and by keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pages._shared.app.glossary import GLOSSARY
from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

# The terms that the first picture needs, and the texts by which it shows them.
FIRST = {"lower bound": "LB", "upper bound": "UB", "y*": "y*", "labelling": "best labelling"}


def mark(lab: Lab, text: str) -> Locator:
    """A mark in the head of the stage, or below its graph."""
    return lab.stage.locator(".status dfn, .glyphs dfn").get_by_text(text, exact=True)


def tip(lab: Lab) -> Locator:
    return lab.page.get_by_role("tooltip")


def test_a_newcomer_learns_the_terms_without_leaving_the_stage(page: Page, settle: Callable[[Page], None]) -> None:
    lab = Lab(page, settle).open("/")
    for name, text in FIRST.items():
        mark(lab, text).hover()
        expect(tip(lab)).to_contain_text(GLOSSARY[name].meaning)
    # The floor is a name in a chart.
    lab.click("[data-back=round]")
    floor = lab.stage.locator(".fan [data-term=floor]")
    floor.hover()
    expect(tip(lab)).to_contain_text(GLOSSARY["floor"].meaning)
    expect(tip(lab).locator("svg")).to_be_visible()
    position = lab.stage.get_attribute("data-position")
    page.keyboard.press("w")
    page.keyboard.press("ArrowRight")
    expect(tip(lab)).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip(lab)).to_have_count(0)
    expect(lab.stage).to_have_attribute("data-position", str(position))
    assert page.url.split("?")[0].rstrip("/") == page.evaluate("location.origin")


@pytest.mark.slow
def test_a_finger_opens_and_closes_them(
    app_url: str, browser: Browser, new_page: Callable[..., Page], settle: Callable[[Page], None]
) -> None:
    profile = browser.new_context(base_url=app_url, viewport={"width": 390, "height": 844}, has_touch=True)
    lab = Lab(new_page(profile), settle).open("/")
    for name, text in FIRST.items():
        mark(lab, text).tap()
        expect(tip(lab)).to_contain_text(GLOSSARY[name].meaning)
    lab.stage.locator(".said .sentence").tap()
    expect(tip(lab)).to_have_count(0)
    lab.stage.locator(".run label dfn").get_by_text("M", exact=True).tap()
    expect(tip(lab)).to_contain_text(GLOSSARY["M"].meaning)
    expect(lab.stage.locator("[name=M]")).not_to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize("title", ["Instance", "Partition", "Edge", "Compare", "Learn", "Method"])
def test_every_page_explains_its_terms(page: Page, settle: Callable[[Page], None], title: str) -> None:
    lab = Lab(page, settle).open(f"/{title.lower()}")
    page.wait_for_function("() => globalThis.benderLab?.explaining")
    page.keyboard.press("w")
    expect(tip(lab)).to_be_visible()
    name = tip(lab).locator(".title > :last-child").inner_text()
    expect(tip(lab)).to_contain_text(GLOSSARY[name].meaning)
