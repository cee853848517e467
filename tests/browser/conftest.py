"""A real server and a real Chromium, and nothing that waits for the clock."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebSocket, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.server import serve

FAILURES = Path(__file__).parents[2] / "test-failures"
SETTLE_SECONDS = 60

CHROMIUM_FLAGS = [
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

# Quiet for a few frames: time for a click to be sent, and for what came back to be drawn.
QUIET = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    const quiet = app?.dataset.testScriptState === 'notRunning'
        && !document.querySelector('[data-testid="stSkeleton"]');
    window.quietFrames = quiet ? (window.quietFrames ?? 0) + 1 : 0;
    if (window.quietFrames < 4) return false;
    window.quietFrames = 0;
    return true;
}"""

# Opened below the root, the page first looks for the server below its own path and gets a 404; no fault of ours.
PROBE = re.compile(r"/[^/]+/_stcore/(health|host-config)$")

failed = pytest.StashKey[bool]()
server_log = pytest.StashKey[Path]()


def unavailable(reason: str) -> NoReturn:
    """Skip, or fail where the browser tests have to run."""
    if os.environ.get("BENDER_REQUIRE_BROWSER"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Tell the page's fixture of a failure, and show what the server said."""
    report = yield
    if report.failed:
        item.stash[failed] = True
        log = item.config.stash.get(server_log, None)
        if log is not None:
            report.sections.append(("server log", log.read_text()[-10_000:]))
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        unavailable("Chromium is not installed")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        except PlaywrightError as error:
            unavailable(f"Chromium does not start: {error}")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def app_url(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app, served on a port of its own (one server a worker)."""
    log = pytestconfig.stash[server_log] = tmp_path_factory.mktemp("server") / "log.txt"
    with serve(log) as url:
        yield url


class Reruns:
    """The runs of the script that a page asked for, read off its websocket.

    The page itself shows a run only once the server has announced it, so right after a click it looks settled.
    """

    def __init__(self, page: Page) -> None:
        self.idle = True
        self.messages = 0
        self._announced = False
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, frame: bytes) -> None:
        self.messages += 1
        if BackMsg.FromString(frame).WhichOneof("type") == "rerun_script":
            self.idle = self._announced = False

    def _received(self, frame: bytes) -> None:
        self.messages += 1
        message = ForwardMsg.FromString(frame)
        match message.WhichOneof("type"):
            case "new_session":
                self._announced = True
            case "script_finished" if self._announced:
                # A script that asked for another run of itself, or of another page, is followed by that run.
                self.idle = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN


@pytest.fixture(scope="session")
def reruns() -> WeakKeyDictionary[Page, Reruns]:
    return WeakKeyDictionary()


def new_profile(browser: Browser, url: str) -> BrowserContext:
    """A profile of a browser that knows nothing yet."""
    return browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})


@pytest.fixture(scope="session")
def profile(browser: Browser, app_url: str) -> BrowserContext:
    """A profile that has the scripts of the app, as that of somebody who comes back: a page opens much faster."""
    found = new_profile(browser, app_url)
    found.new_page().goto("/_stcore/health")
    return found


@pytest.fixture
def new_page(
    browser: Browser, app_url: str, reruns: WeakKeyDictionary[Page, Reruns], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Pages, in fresh profiles if none is given. The test fails on any error in a console and any request elsewhere."""
    pages: list[Page] = []
    problems: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        url = message.location.get("url", "")
        if message.type == "error" and not PROBE.search(url):
            problems.append(f"console: {message.text} {url}")

    def on_request(sent: Request) -> None:
        if not sent.url.startswith((app_url, "data:", "blob:")):
            problems.append(f"a request to elsewhere: {sent.url}")

    def open_page(context: BrowserContext | None = None) -> Page:
        page = (context or new_profile(browser, app_url)).new_page()
        page.on("console", on_console)
        page.on("pageerror", lambda error: problems.append(f"page error: {error.stack or error}"))
        page.on("request", on_request)
        reruns[page] = Reruns(page)
        pages.append(page)
        return page

    yield open_page
    for k, page in enumerate(pages):
        if problems or request.node.stash.get(failed, False):
            page.screenshot(path=FAILURES / f"{request.node.name}-{k}.png")
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def page(new_page: Callable[..., Page], profile: BrowserContext) -> Page:
    return new_page(profile)


@pytest.fixture(scope="session")
def settle(reruns: WeakKeyDictionary[Page, Reruns]) -> Callable[[Page], None]:
    """Wait until every run of the script that the page asked for is finished and drawn."""

    def wait(page: Page) -> None:
        deadline = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < deadline:
            before = reruns[page].messages
            page.wait_for_function(QUIET)
            if reruns[page].idle and reruns[page].messages == before:
                return
        pytest.fail(f"the page has not settled in {SETTLE_SECONDS} s")

    return wait
