"""Components in a bare page: their JavaScript as Streamlit would mount it, and no server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

import bender_core as bc
from pages._shared.app.arrival import Arrival
from pages._shared.app.frontend import FRONTEND
from pages._shared.app.session import Lab
from pages._shared.watch import event_frames, stage_answers
from pages._shared.watch import stage as feeding
from tests.chromium import VIEWPORT, Soundness, failed, new_profile
from tests.component.mounting import PAGE, Curves, Cycles, Stage
from tests.labs import SessionState, lab

# No such place is asked: every request is answered here.
ADDRESS = "http://component.test"
TYPES = {".js": "text/javascript", ".json": "application/json"}
# What was mounted learns from its root that it is gone, as in the app.
EMPTY = """() => {
    localStorage.clear();
    sessionStorage.clear();
    history.replaceState({}, '', '/');
    document.documentElement.removeAttribute('style');
    document.querySelector('main').replaceWith(document.createElement('main'));
}"""


def answer(route: Route) -> None:
    """The bare page, or a file of the frontend."""
    path = FRONTEND / urlsplit(route.request.url).path[1:]
    if path == FRONTEND:
        route.fulfill(body=PAGE, content_type="text/html")
    else:
        route.fulfill(body=path.read_text(encoding="utf-8"), content_type=TYPES[path.suffix])


def serverless(browser: Browser) -> BrowserContext:
    """A profile whose requests are answered here, with a page that keeps its process alive."""
    profile = new_profile(browser, ADDRESS)
    profile.route("**/*", answer)
    profile.new_page().goto("/")
    return profile


@pytest.fixture(scope="session")
def bare(browser: Browser) -> BrowserContext:
    return serverless(browser)


class Tab:
    """A page that one test after the other finds empty, with the code of what was mounted before, as in the app."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None
        self._has_clock = False
        self.sound = Soundness(ADDRESS)

    @property
    def page(self) -> Page:
        """The page, a new one in a new profile if the last was closed."""
        if self._page is None:
            self._page = self.sound.watch(serverless(self._browser).new_page())
            self._page.goto("/")
        return self._page

    def take_clock(self) -> None:
        """Let the test move the clock of the page. No page of this profile has a true one again."""
        self._has_clock = True
        self.page.clock.install()

    def tidy(self, *, has_failed: bool) -> None:
        """Take away all that a test has left, for the next one."""
        if has_failed or self._has_clock:
            self.close()
            return
        self.page.evaluate(EMPTY)
        self.page.emulate_media(reduced_motion="reduce", color_scheme="light")
        self.page.set_viewport_size(VIEWPORT)
        self.page.mouse.move(0, 0)

    def close(self) -> None:
        if self._page is not None:
            self._page.context.close()
        self._page = None
        self._has_clock = False


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Tab]:
    tab = Tab(browser)
    yield tab
    tab.close()


@pytest.fixture
def page(tab: Tab, answered: None, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page. The test fails on any error in its console."""
    yield tab.page
    tab.sound.report([tab.page], request.node)
    problems, tab.sound.problems = tab.sound.problems, []
    tab.tidy(has_failed=bool(problems) or request.node.stash.get(failed, False))
    assert not problems, "\n".join(problems)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python as the app has it, which waits for the answers to the stage's questions, and then stands still."""
    monkeypatch.setattr(stage_answers, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(event_frames.Encoder, "prepare", lambda *_: None)
    monkeypatch.setattr(feeding.st, "session_state", SessionState())
    monkeypatch.setattr(feeding, "arrival", lambda: Arrival({}))


@pytest.fixture
def curves(page: Page) -> Curves:
    return Curves(page)


@pytest.fixture
def packed(page: Page) -> Callable[[Lab], Cycles]:
    """Mounts the picture of the cycles for a lab: ``packed(lab)``."""
    return lambda lab: Cycles(page, lab)


@pytest.fixture
def watched(page: Page) -> Callable[[Lab], Stage]:
    """Mounts the stage for a lab: ``watched(lab)``."""
    return lambda lab: Stage(page, lab)


@pytest.fixture
def stage(watched: Callable[[Lab], Stage]) -> Stage:
    """The run that the app starts with."""
    return watched(lab("pose-small", 8, 9))


@pytest.fixture
def run() -> bc.Engine:
    """The same run, on this side."""
    return lab("pose-small", 8, 9).run.engine
