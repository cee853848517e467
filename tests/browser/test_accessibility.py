"""Everybody can use every page: what axe-core finds in both themes, all screens, keys alone, less motion."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser.lab import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = ("Instance", "Partition", "Cycles", "Edge", "Compare", "Experiments", "Learn", "Game", "Method", "Watch")
# The background in both themes.
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 24, 31)"
# Tabs with what is wide.
WIDE = {"Instance": ("Generate", "Normal form"), "Experiments": ("The paper's table", "Runs"), "Method": ("Notation",)}

# Windows, and the size of the smallest text in pixels.
WINDOWS = ((1920, 1080, 18.0), (1280, 800, 14.0))
# Texts that are smaller on the screen; indices and exponents may be.
SMALL = """(least) => {
    const found = {};
    const scale = (e) => e instanceof SVGElement && e.ownerSVGElement
        ? Math.hypot(e.ownerSVGElement.getScreenCTM().a, e.ownerSVGElement.getScreenCTM().b) : 1;
    const look = (root) => {
        for (const e of root.querySelectorAll('*')) {
            if (e.shadowRoot) look(e.shadowRoot);
            if (e.closest('.katex, tspan, canvas') || !e.checkVisibility({ visibilityProperty: true })) continue;
            if (![...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
            const size = parseFloat(getComputedStyle(e).fontSize) * scale(e);
            if (size < least - 0.1) found[`${e.textContent.slice(0, 40)}: ${size}`] = e.outerHTML.slice(0, 200);
        }
    };
    look(document.body);
    return found;
}"""

# Whether the page scrolls sideways, and the controls outside of the window; what has a box to scroll in may be there.
STICKS_OUT = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    const wide = Math.max(document.scrollingElement.scrollWidth, main.scrollWidth) - innerWidth;
    const found = wide > 0 ? [`the page is too wide by ${wide}`] : [];
    const scrolls = (e) => e !== main && (/auto|scroll/.test(getComputedStyle(e).overflowX)
        || scrolls(e.parentElement ?? e.getRootNode().host));
    const look = (root) => {
        for (const e of root.querySelectorAll('*')) {
            if (e.shadowRoot) look(e.shadowRoot);
            if (!e.matches('a, button, input, select, textarea, [role=button]')) continue;
            const { left, right } = e.getBoundingClientRect();
            const outside = left < 0 || right > innerWidth;
            if (outside && e.checkVisibility({ visibilityProperty: true }) && !scrolls(e)) found.push(e.outerHTML);
        }
    };
    look(main);
    return found;
}"""

# What would move for longer than the eye can follow.
MOVES = """() => {
    const found = [];
    const look = (root) => {
        for (const e of root.querySelectorAll('*')) {
            if (e.shadowRoot) look(e.shadowRoot);
            const { transitionDuration, animationName, animationDuration, scrollBehavior } = getComputedStyle(e);
            const times = `${transitionDuration}, ${animationName === 'none' ? '0s' : animationDuration}`;
            const longest = Math.max(...times.split(', ').map(parseFloat));
            if (longest > 0.01 || scrollBehavior === 'smooth') found.push(`${times}: ${e.outerHTML.slice(0, 200)}`);
        }
    };
    look(document);
    return found;
}"""


def barriers(page: Page, title: str, options: dict[str, Any]) -> list[str]:
    """What axe finds on a page that keeps somebody out."""
    return [
        f"{title}: {violation['id']}: {node['html']} {node['failureSummary']}"
        for violation in Axe().run(page, options=options).response["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def sticking_out(page: Page) -> list[str]:
    """What is outside of a window that has just become narrow, once tables and figures have become narrow too."""
    with contextlib.suppress(PlaywrightTimeoutError):
        page.wait_for_function(f"() => ({STICKS_OUT})().length === 0", timeout=10_000)
    found: list[str] = page.evaluate(STICKS_OUT)
    return found


def too_small(page: Page, least: float) -> dict[str, str]:
    """The texts smaller than that; parts of a page may be laid out anew only in the next frames."""
    found: dict[str, str] = {}
    try:
        page.wait_for_function(f"(least) => !Object.keys(({SMALL})(least)).length", arg=least, timeout=10_000)
    except PlaywrightTimeoutError:
        found = page.evaluate(SMALL, least)
    return found


def test_nothing_keeps_anybody_out(page: Page, settle: Callable[[Page], None]) -> None:
    """Every page in both themes, which differ in their colours alone, in a narrow window, and read from afar."""
    # Details of what passes take axe longer than all the rest.
    everything = {"resultTypes": ["violations"]}
    colours = everything | {"runOnly": ["color-contrast"]}
    body = page.get_by_test_id("stApp")
    lab = Lab(page, settle).open()
    found = []
    for title in PAGES:
        lab.go(title)
        found += barriers(page, title, everything)
        for width, height, least in WINDOWS:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_function("(width) => innerWidth === width", arg=width)
            lab.settle()
            found += [f"{title}, {width}: {each}" for each in too_small(page, least).items()]
        page.set_viewport_size({"width": 320, "height": 640})
        for label in (None, *WIDE.get(title, ())):
            if label:
                lab.tab(label)
            lab.settle()
            found += [f"{title}, {label}: {each}" for each in sticking_out(page)]
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="dark")
        expect(body).to_have_css("background-color", DARK)
        if title == "Watch":
            expect(lab.stage).to_have_class(re.compile(r"\bdark\b"))
        if title in ("Learn", "Game"):
            expect(page.locator(f".{title.lower()}")).to_have_class(re.compile(r"\bdark\b"))
        lab.settle()
        found += barriers(page, f"{title}, dark", colours)
        page.emulate_media(color_scheme="light")
        expect(body).to_have_css("background-color", LIGHT)
    assert found == []


def test_nothing_moves_for_who_asked_for_less_motion(page: Page, settle: Callable[[Page], None]) -> None:
    page.emulate_media(reduced_motion="reduce")
    lab = Lab(page, settle).open()
    assert page.evaluate(MOVES) == []
    lab.go("Compare")
    assert page.evaluate(MOVES) == []


def test_the_stage_goes_by_keys(page: Page, settle: Callable[[Page], None]) -> None:
    lab = Lab(page, settle).open()
    stage = lab.stage
    message, circle = stage.locator("[data-out=message]"), stage.locator(".node").first
    stage.locator(".pick").nth(1).focus()
    page.keyboard.press("Enter")
    expect(message).to_have_text("Message left shoulder → neck, pinned")
    page.keyboard.press("Space")
    expect(message).to_have_text("Message neck → left shoulder, pinned")
    expect(stage.locator(".tip")).to_contain_text("neck – left shoulder: 2 rows")
    # A circle that the keyboard has come to is moved, not the run.
    stage.locator(".pick").last.focus()
    page.keyboard.press("Tab")
    expect(circle).to_be_focused()
    before = circle.get_attribute("transform")
    page.keyboard.press("ArrowRight")
    expect(circle).not_to_have_attribute("transform", before)
    expect(stage.get_by_role("button", name="tidy up")).to_be_visible()
    page.keyboard.press("Enter")
    expect(message).to_have_text("Message neck → head, pinned")
    expect(stage).to_have_attribute("data-position", "0")
    # The loop is drawn anew with every move of an end.
    lab.click("[data-step=sweep]")
    stage.locator("[data-act=loop]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    start = stage.get_by_role("slider", name="Start of the loop")
    expect(start).to_be_focused()
    expect(start).to_have_attribute("aria-valuenow", "2")
