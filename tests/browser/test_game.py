"""The game in a real browser: a link opens a play, which goes on, is in the address, and outlives a reload."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

from pages._shared.game.recorded import levels
from tests.browser.lab import Lab

pytestmark = pytest.mark.browser


@pytest.fixture
def game(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle)


def play(page: Page) -> dict[str, list[str]]:
    """What the address bar says of the play."""
    every = parse_qs(urlparse(page.url).query)
    return {name: every[name] for name in ("level", "puzzle", "moves") if name in every}


def test_a_play_is_in_the_address_and_outlives_a_reload(game: Lab, new_page: Callable[..., Page]) -> None:
    game.open("/game?level=1&puzzle=2")
    page = game.page
    page.get_by_role("button", name="Ask B about ", exact=False).first.click()
    page.wait_for_function("new URLSearchParams(location.search).get('moves')?.startsWith('D-B')")
    page.get_by_role("button", name="Pass D's messages").click()
    page.wait_for_function("location.search.endsWith('_')")
    verdict = page.locator(".game .verdict")
    expect(verdict).to_be_visible()
    words, address = verdict.inner_text(), page.url
    page.reload()
    game.settle()
    expect(verdict).to_have_text(words)
    game.page = new_page(page.context)
    game.open(address)
    expect(game.page.locator(".game .verdict")).to_have_text(words)


@pytest.mark.slow
def test_the_copied_link_shows_the_play_to_others(game: Lab, new_page: Callable[..., Page]) -> None:
    best = levels()[2]["puzzles"][0]["best"]["moves"]
    game.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    game.open(f"/game?level=3&puzzle=1&moves={best}")
    expect(game.page.locator(".game .verdict")).to_contain_text(", the best possible. Par is")
    game.page.get_by_role("button", name="Copy link").click()
    expect(game.page.get_by_role("button", name="copied")).to_be_visible()
    link = game.page.evaluate("navigator.clipboard.readText()")
    game.page = new_page(game.page.context)
    game.page.goto(link)
    game.settle()
    expect(game.page.locator(".game .verdict")).to_contain_text(", the best possible. Par is")
    assert play(game.page) == {"level": ["3"], "puzzle": ["1"], "moves": [best]}


@pytest.mark.slow
def test_two_people_play_without_disturbing_each_other(
    game: Lab, new_page: Callable[..., Page], settle: Callable[[Page], None]
) -> None:
    game.open("/game?level=2&puzzle=1")
    other = Lab(new_page(), settle).open(game.page.url)
    expect(other.page.locator(".game .budget")).to_be_visible()
    game.page.get_by_role("button", name="MWC").first.click()
    expect(game.page.locator(".game .budget")).to_contain_text("1 of 2 questions")
    expect(other.page.locator(".game .budget")).to_contain_text("2 of 2 questions")


@pytest.mark.slow
def test_back_leads_to_the_play_that_was_there(game: Lab) -> None:
    game.open("/game?level=1&puzzle=2")
    game.go("Learn")
    game.go("Game")
    game.page.get_by_role("button", name="3 Which table first").click()
    game.page.wait_for_function("new URLSearchParams(location.search).get('level') === '3'")
    game.page.go_back()
    game.page.wait_for_function("location.pathname === '/learn'")
    game.settle()
    game.page.go_back()
    game.page.wait_for_function("location.pathname === '/game'")
    expect(game.page.locator(".game .levels button").first).to_have_attribute("aria-pressed", "true")
    expect(game.page.locator(".game select")).to_have_value("2")
    game.settle()
    assert play(game.page) == {"level": ["1"], "puzzle": ["2"]}
