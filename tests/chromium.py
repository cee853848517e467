"""A real Chromium, and the errors in its pages."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright
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
    return browser.new_context(base_url=url, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")


@contextmanager
def sound_pages(url: str, test: pytest.Item) -> Iterator[Callable[[BrowserContext], Page]]:
    """Open pages in profiles; on leaving, fail on any error in a console and any request to elsewhere than ``url``."""
    pages: list[Page] = []
    problems: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        at = message.location.get("url", "")
        if message.type == "error" and not PROBE.search(at):
            problems.append(f"console: {message.text} {at}")

    def on_request(sent: Request) -> None:
        if not sent.url.startswith((url, "data:", "blob:")):
            problems.append(f"a request to elsewhere: {sent.url}")

    def open_page(profile: BrowserContext) -> Page:
        page = profile.new_page()
        page.on("console", on_console)
        page.on("pageerror", lambda error: problems.append(f"page error: {error.stack or error}"))
        page.on("request", on_request)
        pages.append(page)
        return page

    yield open_page
    for k, page in enumerate(pages):
        if test.stash.get(failed, False) or problems:
            page.screenshot(path=FAILURES / f"{test.name}-{k}.png")
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.close()
    assert not problems, "\n".join(problems)
