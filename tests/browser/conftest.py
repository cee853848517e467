"""A real server and a real Chromium, and nothing that waits for the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.lab import Lab
from tests.browser.server import serve
from tests.chromium import new_profile, sound_pages

SETTLE_SECONDS = 60

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

server_log = pytest.StashKey[Path]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Show with a failure what the server said."""
    report = yield
    if report.failed:
        log = item.config.stash.get(server_log, None)
        if log is not None:
            report.sections.append(("server log", log.read_text()[-10_000:]))
    return report


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


def _somebody(browser: Browser, app_url: str) -> BrowserContext:
    """A profile that has the scripts of the app, as that of somebody who comes back: a page opens much faster."""
    found = new_profile(browser, app_url)
    found.new_page().goto("/_stcore/health")
    return found


@pytest.fixture(scope="session")
def profile(browser: Browser, app_url: str) -> BrowserContext:
    return _somebody(browser, app_url)


@pytest.fixture(scope="session")
def stranger(browser: Browser, app_url: str) -> BrowserContext:
    """The profile of another person."""
    return _somebody(browser, app_url)


@pytest.fixture
def new_page(
    app_url: str, reruns: WeakKeyDictionary[Page, Reruns], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Pages, a stranger's if no profile is given. Errors in a console and requests elsewhere fail the test."""
    with sound_pages(app_url, request.node) as opened:

        def open_page(context: BrowserContext | None = None) -> Page:
            page = opened(context or request.getfixturevalue("stranger"))
            reruns[page] = Reruns(page)
            return page

        yield open_page


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


@pytest.fixture
def watch(page: Page, settle: Callable[[Page], None]) -> Lab:
    """The app, opened on Watch."""
    return Lab(page, settle).open()
