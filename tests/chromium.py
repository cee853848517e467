"""A real Chromium, and the errors in its pages."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

FAILURES = Path(__file__).parents[1] / "test-failures"

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # With a page that stays, all pages of a profile share a process, which keeps the scripts compiled.
    "--process-per-site",
]

# Only what fails waits as long; a busy machine takes its time.
expect.set_options(timeout=30_000)

VIEWPORT: ViewportSize = {"width": 1280, "height": 800}

# Opened below the root, the page first looks for the server below its own path and gets a 404; no fault of ours.
PROBE = re.compile(r"/[^/]+/_stcore/(health|host-config)$")

failed = pytest.StashKey[bool]()


def found() -> str | None:
    """The Chromium of this machine, rather one without windows."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def unavailable(reason: str) -> NoReturn:
    """Skip, or fail if the browser tests are required."""
    if os.environ.get("BENDER_REQUIRE_BROWSER"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium per worker."""
    chromium = found()
    if chromium is None:
        unavailable("Chromium is not installed")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        except PlaywrightError as error:
            unavailable(f"Chromium does not start: {error}")
        yield browser
        browser.close()


def new_profile(browser: Browser, url: str) -> BrowserContext:
    """A fresh browser profile. It asks for less motion, so a step shows its end at once; tests of motion want it."""
    return browser.new_context(base_url=url, viewport=VIEWPORT, reduced_motion="reduce")


def told(where: Page | Locator, function: str, argument: Any = None) -> Any:
    """What a function of JavaScript returns for an argument, both passed on as texts.

    Playwright takes ten times as long to pass on the values of large answers one by one.
    """
    written = "(it) => JSON.stringify(it, (_, value) => (value === undefined ? null : value))"
    before = "root, " if isinstance(where, Locator) else ""
    text = where.evaluate(
        f"async ({before}argument) => ({written})(await ({function})({before}JSON.parse(argument)))",
        json.dumps(argument),
    )
    return json.loads(text)


class Soundness:
    """Watches pages for errors in their consoles and for requests to elsewhere.

    Parameters
    ----------
    url : str
        Where the pages may send requests to.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.problems: list[str] = []

    def watch(self, page: Page) -> Page:
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error.stack or error}"))
        page.on("request", self._on_request)
        return page

    def report(self, pages: list[Page], test: pytest.Item) -> None:
        """Keep pictures of the pages if the test has failed or a problem was found."""
        if test.stash.get(failed, False) or self.problems:
            for k, page in enumerate(pages):
                page.screenshot(path=FAILURES / f"{test.name}-{k}.png")

    def _on_console(self, message: ConsoleMessage) -> None:
        at = message.location.get("url", "")
        if message.type == "error" and not PROBE.search(at):
            self.problems.append(f"console: {message.text} {at}")

    def _on_request(self, sent: Request) -> None:
        if not sent.url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"a request to elsewhere: {sent.url}")


@contextmanager
def sound_pages(url: str, test: pytest.Item) -> Iterator[Callable[[BrowserContext], Page]]:
    """Open pages in profiles; on leaving, fail on any error in a console and any request to elsewhere than ``url``."""
    pages: list[Page] = []
    sound = Soundness(url)

    def open_page(profile: BrowserContext) -> Page:
        pages.append(sound.watch(profile.new_page()))
        return pages[-1]

    yield open_page
    sound.report(pages, test)
    for page in pages:
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.close()
    assert not sound.problems, "\n".join(sound.problems)
