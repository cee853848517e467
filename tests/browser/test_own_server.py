"""A server of its own: any address may be the first to be opened, and what tabs that go leave behind.

A tab that is closed leaves no work and no memory; one that only lost its connection loses nothing.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.server import Served, process
from tests.chromium import new_profile

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc to see a process in"),
]

# A run of 400 sweeps, which takes many times longer than the time within which it has to stop.
GRID = {"make": "ising_grid", "rows": 40, "columns": 40, "layers": 1, "torus": True, "coupling": "pm1", "field": 0.0}
CUT = {"seed": 0, "M": 15, "strategy": "greedy", "variant": 11, "schedule": "mplp", "at": 10**14}
LONG = "/?" + urlencode(GRID | CUT)
# How long Streamlit keeps a session whose tab is gone; two minutes by default.
KEPT_SECONDS = 4
# Within this time, work for a closed tab has ended.
STOP_SECONDS = 10
# What a process that does nothing but serve takes of a processor at most.
IDLE = 0.2

# The connection as a page sees it: it breaks, and stays broken as long as the page is cut off.
CONNECTION = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
    constructor(url, protocols) {
        super(window.cutOff ? 'ws://127.0.0.1:9/' : url, protocols);
        window.sockets.push(this);
    }
};
"""


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    with process(tmp_path / "log.txt", *getattr(request, "param", [])) as served:
        yield served


@pytest.fixture
def page(browser: Browser, server: Served) -> Page:
    """In a browser that has never seen the server."""
    page = new_profile(browser, server.url).new_page()
    page.add_init_script(CONNECTION)
    return page


def processor_seconds(pid: int) -> float:
    """What a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    """The memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Whether something comes true in time; of another process only asking tells."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def rests(pid: int, span: float = 1.0) -> bool:
    """Whether a process does next to nothing for a while."""
    computed = processor_seconds(pid)
    return not within(span, lambda: processor_seconds(pid) - computed > IDLE * span)


def begin(page: Page, path: str, says: str) -> None:
    """Open a page by its address, before any other of this server: it is part of the app. Then go to Watch and step."""
    page.goto(path)
    for title in ("Instance", "Partition", "Watch"):
        expect(page.get_by_role("link", name=title, exact=True)).to_be_visible(timeout=60_000)
    expect(page).to_have_title(re.compile(".* · Bender Lab"))
    expect(page.get_by_text(says, exact=True).first).to_be_visible()
    page.get_by_role("link", name="Watch", exact=True).click()
    expect(page.locator(".stage")).to_have_attribute("data-state", "idle", timeout=120_000)
    page.locator("[data-step=round]").click()
    expect(page.locator(".stage")).not_to_have_attribute("data-position", "0")


def opened(page: Page) -> None:
    page.goto(LONG)
    expect(page.locator(".stage")).to_have_attribute("data-state", "running", timeout=120_000)


def events(page: Page) -> int:
    return int(page.locator(".where").inner_text().rpartition("event ")[2])


@pytest.mark.parametrize("server", [["--server.disconnectedSessionTTL", str(KEPT_SECONDS)]], indirect=True)
def test_a_closed_tab_ends_its_work_and_frees_its_memory(page: Page, server: Served) -> None:
    """On Watch, while the run goes on; and on Edge, where it has been stopped."""
    begin(page, "/partition", "M: most variables per group")
    for tab in (page, page.context.new_page()):
        before = megabytes(server.pid)
        opened(tab)
        assert within(60, lambda before=before: megabytes(server.pid) > before + 100)
        assert within(60, lambda: not rests(server.pid))
        full = megabytes(server.pid)
        if tab is not page:
            tab.locator("[data-act=run]").click()
            expect(tab.locator(".stage")).to_have_attribute("data-state", "idle", timeout=60_000)
            tab.get_by_role("link", name="Edge", exact=True).click()
            expect(tab.get_by_text(re.compile(r"event [\d,]+: [\d,]+ states"))).to_be_visible(timeout=60_000)
        tab.close()
        assert within(STOP_SECONDS, lambda: rests(server.pid))
        freed = full - 0.7 * (full - before)
        assert within(KEPT_SECONDS + STOP_SECONDS, lambda freed=freed: megabytes(server.pid) < freed)


def test_a_tab_that_comes_back_finds_its_run_paused_and_goes_on(page: Page, server: Served) -> None:
    begin(page, "/instance", "Generate")
    opened(page)
    page.evaluate("cutOff = true; sockets.forEach((socket) => socket.close())")
    assert within(STOP_SECONDS, lambda: rests(server.pid))
    page.evaluate("cutOff = false")
    stage = page.locator(".stage")
    expect(stage).to_have_attribute("data-state", "idle", timeout=60_000)
    paused = events(page)
    assert paused > 0
    expect(page.locator(".run [name=M]")).to_have_value("15")
    page.locator("[data-act=run]").click()
    expect(stage).to_have_attribute("data-state", "running", timeout=60_000)
    assert within(60, lambda: events(page) > paused)


def test_the_first_page_is_found_by_its_name_also_below_another_path(browser: Browser, tmp_path: Path) -> None:
    with process(tmp_path / "log.txt", below="/lab") as served:
        page = new_profile(browser, served.url).new_page()
        page.goto(f"{served.url}/watch?sample=tiny&M=3&at=3")
        expect(page.locator(".stage")).to_have_attribute("data-position", "3", timeout=120_000)
        expect(page.get_by_text("Page not found")).to_have_count(0)
        page.wait_for_function("location.pathname === '/lab/' && location.search.includes('at=3')")
