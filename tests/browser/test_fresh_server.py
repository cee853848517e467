"""Addresses of single pages, opened first thing after the server started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import new_profile
from tests.browser.lab import Lab
from tests.browser.server import serve

pytestmark = pytest.mark.browser


@pytest.fixture
def app_url(tmp_path: Path) -> Iterator[str]:
    """A server that nobody has opened yet."""
    with serve(tmp_path / "log.txt") as url:
        yield url


@pytest.fixture
def profile(browser: Browser, app_url: str) -> BrowserContext:
    """And a browser that has never seen it."""
    return new_profile(browser, app_url)


@pytest.mark.parametrize(
    ("path", "says"),
    [("/partition", "M: most variables per group"), ("/instance", "Make one")],
)
def test_a_page_opened_by_its_address_is_part_of_the_app(
    page: Page, settle: Callable[[Page], None], path: str, says: str
) -> None:
    lab = Lab(page, settle).open(path)
    for title in ("Instance", "Partition", "Watch"):
        expect(page.get_by_role("link", name=title, exact=True)).to_be_visible(timeout=60_000)
    expect(page).to_have_title("Bender Lab")
    expect(page.get_by_text(says, exact=True).first).to_be_visible()
    lab.go("Watch")
    expect(lab.stage).to_have_attribute("data-state", "idle")
    lab.click("[data-step=row]")
    assert lab.position > 0
