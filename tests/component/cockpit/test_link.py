"""A link opens the very picture that it was copied of, wherever it is opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from pages._shared.app.session import Lab
from tests.chromium import told
from tests.component.conftest import EMPTY
from tests.component.mounting import Stage
from tests.labs import lab, near
from tests.tiers import thinned

pytestmark = pytest.mark.browser

Watched = Callable[[Lab], Stage]

# An event within an update.
EVENT = 137
# What a pane shows: all that is drawn and written, and what is chosen.
PICTURE = """({ stage }, name) => {
    const pane = stage.root.querySelector(`.pane.${name}`);
    const drawn = [...pane.querySelectorAll("[data-mark]")].map(({ outerHTML }) => outerHTML).join("");
    return {
        drawn,
        texts: pane.innerText.replace(pane.querySelector(".cuts")?.innerText, ""), // there are times in it
        menus: [...pane.querySelectorAll("select, input")].map(({ value }) => value),
        pressed: [...pane.querySelectorAll("[aria-pressed]")].map((each) => each.ariaPressed),
        size: [pane.clientWidth, pane.clientHeight],
    };
}"""
PANES = ("costs", "graph", "list", "drawer")
CHOICES = "import('/stage/play/choices.js')"


def opened(page: Page, watched: Watched, search: str, left: dict[str, str] | None = None, event: int = EVENT) -> Stage:
    """A stage opened by an address, in a tab that has never shown one, or was left with something."""
    page.evaluate(EMPTY)
    page.evaluate("(left) => Object.assign(sessionStorage, left)", left or {})
    page.evaluate("(search) => history.replaceState({}, '', `/${search}`)", search)
    mine = lab("pose-small", 8, 9)
    mine.origin = {"sample": "pose-small"}
    mine.run.engine.run(max_events=event)
    mine.run.show(event)
    stage = watched(mine)
    stage.settle()
    return stage


def picture(stage: Stage, pane: str) -> dict[str, Any]:
    stage.page.mouse.move(0, 0)
    stage.page.evaluate("() => document.activeElement?.shadowRoot?.activeElement?.blur()")
    stage.wait("!stage.stage.drawer.open || stage.stage.drawer.view?.at === argument", EVENT)
    stage.settle()
    # The values of the lines in sight arrive a moment after the lines, and the verdict below them after the values.
    stage.wait("stage.querySelector('.table .line:not([hidden]) .cell.mean')?.textContent !== '–'")
    stage.wait("!stage.stage.data.measuring")
    found: dict[str, Any] = told(stage.root, PICTURE, pane)
    return found


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """That two pictures are the same, to a tenth of a pixel."""
    assert {**found, "drawn": ""} == {**expected, "drawn": ""}
    number = r"(-?[0-9]+[.][0-9]+)"
    mine, other = (re.split(number, each["drawn"]) for each in (found, expected))
    assert mine[::2] == other[::2]
    assert near(list(map(float, mine[1::2])), list(map(float, other[1::2])), rel=0.0, abs=0.1)


def look(stage: Stage, pane: str) -> None:
    """Change what a pane shows."""
    if pane == "costs":
        stage.click("[data-act=exact]")
        stage.click("[data-act=distance]")
        stage.root.locator("[data-act=unit]").select_option("events")
        stage.root.locator("svg.fan").press("+")
    elif pane == "graph":
        stage.click("button[data-view=both]")
        stage.root.locator("[data-act=measure]").select_option("mean")
        stage.wait("!stage.stage.data.measuring")
        for _ in range(2):
            stage.click("[data-zoom='+']")
        stage.act("stage.panes.places.move(0, 100, 90); stage.panes.places.keep(0)")
    elif pane == "list":
        stage.click(".pane.gap [data-act=list]")
        stage.root.locator("[data-act=find]").fill("head")
        stage.act("stage.list.sort({ key: 'work' }); stage.list.sort({ key: 'work' })")
    else:
        # No message is pinned, and none is followed where the drawer is opened: it keeps the one shown there.
        stage.jump(0)
        stage.page.keyboard.press("d")
        stage.click("[data-order=slack]")
        stage.jump(EVENT)


@pytest.mark.parametrize("pane", thinned(PANES, 4))
def test_a_link_opens_the_very_picture_that_it_was_copied_of(page: Page, watched: Watched, pane: str) -> None:
    usual = picture(opened(page, watched, "?at=1"), pane)
    first = opened(page, watched, "?at=1")
    look(first, pane)
    first.settle()
    expected = picture(first, pane)
    assert expected != usual
    # The address says it by itself, a moment after the last press.
    looks = first.root.evaluate(f"async ({{ stage }}) => (await {CHOICES}).addressOf(stage)")
    search = f"?{first.lab.address}&at={EVENT}{looks}"
    first.wait("location.search === argument", search)
    again = opened(page, watched, search)
    assert_same(picture(again, pane), expected)
    # In a tab that was left with all of that, a link that does not name it opens the usual picture.
    again.root.evaluate(f"async ({{ stage }}) => (await {CHOICES}).keepChoices(stage)")
    left = page.evaluate("({ ...sessionStorage })")
    assert_same(picture(opened(page, watched, "?at=1", left), pane), usual)
    # Where Streamlit opens the page, without any parameters, what was left is taken up.
    assert_same(picture(opened(page, watched, "", left), pane), expected)


@pytest.mark.slow
def test_the_drawer_of_a_link_shows_the_message_that_was_in_it(page: Page, watched: Watched) -> None:
    """At the start no message is followed: the one of a later update is still in the drawer."""
    docked = "({ stage }) => stage.drawer.arc"
    usual = opened(page, watched, "?at=0&drawer=cost", event=0).root.evaluate(docked)
    stage = opened(page, watched, "?at=1")
    stage.page.keyboard.press("d")
    stage.wait("stage.stage.drawer.arc >= 0")
    stage.jump(0)
    shown = stage.root.evaluate(docked)
    stage.wait("location.search.endsWith(argument)", f"&at=0&docked={shown}&drawer=cost")
    again = opened(page, watched, page.evaluate("location.search"), event=0).root.evaluate(docked)
    assert usual != shown == again


@pytest.mark.slow
def test_what_an_address_says_of_no_look_is_passed_over(page: Page, watched: Watched) -> None:
    usual = [picture(opened(page, watched, "?at=1"), pane) for pane in PANES]
    wrong = "?view=x&axis=1&zoom=a&camera=_&circles=-&only=&docked=99999&y=2&sort=%00&measure=&list=2"
    assert [picture(opened(page, watched, wrong), pane) for pane in PANES] == usual
    # An order that there is not is the usual one.
    drawers = [picture(opened(page, watched, f"?drawer={order}"), "drawer") for order in ("x", "cost")]
    assert drawers[0] == drawers[1]


def test_a_run_that_no_address_names_has_no_link(page: Page, watched: Watched) -> None:
    """As one with many forks; the address bar still names the run before."""
    stage = opened(page, watched, "")
    stage.root.evaluate("({ stage }) => Object.assign(stage.data, { address: '' })")
    stage.root.get_by_text("share", exact=True).click()
    button = stage.root.locator("[data-act=link]")
    button.click()
    expect(button).to_have_text("too long for a link: save the run, below the stage")
