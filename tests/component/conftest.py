"""Components in a bare page: their JavaScript as Streamlit would mount it, and no server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

import bender_core as bc
from pages._shared.app.frontend import FRONTEND
from pages._shared.app.session import Lab
from pages._shared.watch import answers
from pages._shared.watch import stage as feeding
from tests.chromium import new_profile, sound_pages
from tests.component.mounting import PAGE, Curves, Stage
from tests.labs import SessionState, lab

# No such place is asked: every request is answered here.
ADDRESS = "http://component.test"
TYPES = {".js": "text/javascript", ".json": "application/json"}


def answer(route: Route) -> None:
    """The bare page, or a file of the frontend."""
    path = FRONTEND / urlsplit(route.request.url).path[1:]
    if path == FRONTEND:
        route.fulfill(body=PAGE, content_type="text/html")
    else:
        route.fulfill(body=path.read_text(encoding="utf-8"), content_type=TYPES[path.suffix])


@pytest.fixture(scope="session")
def bare(browser: Browser) -> BrowserContext:
    profile = new_profile(browser, ADDRESS)
    profile.route("**/*", answer)
    profile.new_page().goto("/")
    return profile


@pytest.fixture
def page(bare: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page. The test fails on any error in its console."""
    with sound_pages(ADDRESS, request.node) as opened:
        page = opened(bare)
        page.goto("/")
        yield page


@pytest.fixture
def curves(page: Page) -> Curves:
    return Curves(page)


@pytest.fixture
def watched(page: Page, monkeypatch: pytest.MonkeyPatch) -> Callable[[Lab], Stage]:
    """Mounts the stage for a lab: ``watched(lab)``."""
    monkeypatch.setattr(answers, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(feeding.st, "session_state", SessionState())
    return lambda lab: Stage(page, lab)


@pytest.fixture
def stage(watched: Callable[[Lab], Stage]) -> Stage:
    """The run that the app starts with."""
    return watched(lab("pose-small", 8, 9))


@pytest.fixture
def run() -> bc.Engine:
    """The same run, on this side."""
    return lab("pose-small", 8, 9).run.engine
