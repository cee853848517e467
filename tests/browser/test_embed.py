"""A part of a run in a page of somebody's own: a frame from another origin, and the menu that writes its HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, expect

from tests.browser.server import process
from tests.browser.test_accessibility import barriers
from tests.browser.test_own_server import CUT, GRID, STOP_SECONDS, megabytes, rests, within
from tests.chromium import Soundness, new_profile

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RUN = "sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp"
BEGIN, END = 13, 31
PART = f"embed=true&{RUN}&from={BEGIN}&to={END}"
SIZES = [(800, 500), (1000, 500), (640, 400), (390, 300), (1100, 700)]
# The stage, once it shows something and waits for nothing.
READY = ".stage.embedded:is([data-state=idle], [data-state=playing])"

# What is cut off, or has a scroll bar, in a frame.
SCROLLS = """() => {
    const found = [];
    const look = (root) => {
        for (const e of root.querySelectorAll('*')) {
            if (e.shadowRoot) look(e.shadowRoot);
            const { overflowX, overflowY } = getComputedStyle(e);
            const wide = e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(overflowX);
            const high = e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(overflowY);
            const isSeen = e.checkVisibility({ visibilityProperty: true });
            if ((wide || high) && isSeen) found.push(e.outerHTML.slice(0, 200));
            if (!e.matches('.bar, .status, .panes, .said, .stMain, html')) continue;
            const { right, bottom } = e.getBoundingClientRect();
            if (right > innerWidth + 1 || bottom > innerHeight + 1) found.push(`${e.className}: ${right}, ${bottom}`);
        }
    };
    look(document);
    const main = document.querySelector('.stMain');
    if (main.scrollHeight > main.clientHeight + 1) found.push(`the page is ${main.scrollHeight} high`);
    return found;
}"""


class Course(ThreadingHTTPServer):
    """A page of a teacher's own, on a server of its own."""

    html = ""

    @property
    def url(self) -> str:
        # Another site than that of the app, for cookies too.
        return f"http://localhost:{self.server_port}/"


class _Page(BaseHTTPRequestHandler):
    server: Course

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>Course</title><link rel=icon href=data:,>{self.server.html}".encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def course() -> Iterator[Course]:
    with Course(("127.0.0.1", 0), _Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def framed(url: str, query: str, size: tuple[int, int] = (800, 500)) -> str:
    width, height = size
    return f'<iframe src="{escape(f"{url}/?{query}")}" width="{width}" height="{height}"></iframe>'


@pytest.fixture
def profile(browser: Browser, app_url: str) -> Iterator[BrowserContext]:
    """Somebody with errors in no console."""
    found, sound = new_profile(browser, app_url), Soundness("http://")
    found.on("page", sound.watch)
    yield found
    found.close()
    assert sound.problems == []


@pytest.fixture
def show(profile: BrowserContext, course: Course) -> Callable[[str], FrameLocator]:
    """Open the page with some HTML; returns its first frame."""

    def shown(html: str) -> FrameLocator:
        course.html = html
        page = profile.new_page()
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(course.url)
        frame = page.frame_locator("iframe").first
        expect(frame.locator(READY)).to_be_visible(timeout=120_000)
        return frame

    return shown


def test_a_frame_shows_its_part_and_nothing_else(
    profile: BrowserContext, show: Callable[[str], FrameLocator], app_url: str
) -> None:
    frame = show(framed(app_url, PART))
    stage = frame.locator(".stage")
    expect(stage).to_have_attribute("data-position", str(BEGIN))
    for name in ("stToolbar", "stTopNavLink", "stSidebar", "stMainMenu", "stExpander", "stButton"):
        expect(frame.get_by_test_id(name)).to_have_count(0)
    on = frame.get_by_role("button", name="round").last
    while on.is_enabled():
        on.click()
        expect(stage).to_have_attribute("data-state", "idle")
    expect(stage).to_have_attribute("data-position", str(END))
    stage.press("Alt+ArrowRight")
    expect(stage).to_have_attribute("data-state", "idle")
    expect(stage).to_have_attribute("data-position", str(END))

    expect(frame.get_by_role("link")).to_have_text(["Skip to main content", re.compile("^open in Bender Lab")])
    link = frame.get_by_role("link", name="open in Bender Lab")
    with profile.expect_page() as opened:
        link.click()
    whole = opened.value
    expect(whole.locator(".stage[data-state=idle]:not(.embedded)")).to_have_attribute(
        "data-position", str(END), timeout=60_000
    )
    expect(whole.get_by_role("link", name="Partition", exact=True)).to_be_visible()
    assert "embed" not in whole.url


def test_a_frame_has_no_scroll_bars_whatever_its_size(
    profile: BrowserContext, show: Callable[[str], FrameLocator], app_url: str
) -> None:
    for size in SIZES:
        frame = show(framed(app_url, PART, size))
        (inner,) = [each for each in profile.pages[-1].frames if "embed=true" in each.url]
        assert inner.evaluate(SCROLLS) == [], size
        # A message takes the place of the costs, or of the graph.
        frame.locator(".pick").first.dispatch_event("click")
        expect(frame.locator(".pane.edge")).to_be_visible()
        expect(frame.locator(".stage")).to_have_attribute("data-state", "idle")
        assert inner.evaluate(SCROLLS) == [], size


def test_a_frame_that_loses_its_connection_goes_on_where_it_was(profile: BrowserContext) -> None:
    page = profile.new_page()
    page.add_init_script(
        """const Plain = WebSocket, sockets = [];
        globalThis.disconnect = () => sockets.forEach((each) => each.close());
        globalThis.isConnected = () => sockets.some(({ readyState }) => readyState === Plain.OPEN);
        globalThis.WebSocket = class extends Plain {
            constructor(...given) { super(...given); sockets.push(this); }
        };"""
    )
    page.goto(f"/?{PART}")
    stage = page.locator(".stage")
    expect(page.locator(READY)).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="round").last.click()
    expect(page.locator(READY)).to_be_visible()
    expect(stage).not_to_have_attribute("data-position", str(BEGIN))
    position = str(stage.get_attribute("data-position"))
    page.wait_for_function("(at) => location.search.includes(`at=${at}`)", arg=position)
    # A new session, with the stage that is there, and with one of its own.
    page.evaluate("disconnect()")
    page.wait_for_function("isConnected()")
    page.get_by_role("button", name="round").last.click()
    page.wait_for_function("(at) => !location.search.includes(`at=${at}`)", arg=position)
    later = str(stage.get_attribute("data-position"))
    assert int(later) > int(position)
    page.reload()
    expect(page.locator(READY)).to_be_visible(timeout=60_000)
    expect(stage).to_have_attribute("data-position", later)
    assert f"{PART}&at=" in page.url


def test_nothing_in_a_frame_keeps_anybody_out(profile: BrowserContext) -> None:
    for theme in ("light_theme", "dark_theme"):
        for width, height in SIZES[:2]:
            page = profile.new_page()
            page.set_viewport_size({"width": width, "height": height})
            page.goto(f"/?{PART}&embed_options={theme}")
            expect(page.locator(READY)).to_be_visible(timeout=60_000)
            assert barriers(page, f"{theme}, {width}", {"resultTypes": ["violations"]}) == []


def test_a_loop_begins_by_itself_and_again(browser: Browser, app_url: str, course: Course) -> None:
    course.html = framed(app_url, f"{PART}&loop=1")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(course.url)
        stage = page.frame_locator("iframe").locator(READY)
        expect(stage).to_have_attribute("data-state", "playing", timeout=60_000)
        stage.evaluate("""({ stage, dataset }) => new Promise((again) => {
            stage.player.speed = 20;
            let before = 0;
            const look = () => {
                const at = Number(dataset.position);
                if (at < before) again();
                else requestAnimationFrame(look);
                before = at;
            };
            look();
        })""")


def test_the_menu_writes_the_html_of_a_frame(
    profile: BrowserContext, show: Callable[[str], FrameLocator], app_url: str
) -> None:
    profile.grant_permissions(["clipboard-read", "clipboard-write"])
    page = profile.new_page()
    page.goto(f"/?{RUN}&at=20&view=both")
    expect(page.locator(".stage[data-state=idle]")).to_be_visible(timeout=60_000)
    written = {}
    for part in ("this update", "this sweep", "all from here on"):
        menu = page.locator(".share")
        if menu.get_attribute("open") is None:
            menu.locator("summary").click()
        menu.get_by_label("What a frame shows").select_option(part)
        button = menu.locator("[data-act=embed]")
        button.click()
        expect(button).to_have_text("copied")
        written[part] = page.evaluate("navigator.clipboard.readText()")
        expect(button).to_have_text("copy HTML")
        expect(page.locator(".stage")).to_have_attribute("data-position", "20")
    ends = page.evaluate("navigator.clipboard.readText()")
    assert ends == written["all from here on"]
    parts = {name: re.findall(r"(from|to)=(\d+)", html) for name, html in written.items()}
    sweep = dict(parts["this sweep"])
    update = dict(parts["this update"])
    assert sweep["from"] == "0" < update["from"]
    assert int(update["from"]) < 20 < int(update["to"]) < int(sweep["to"])
    assert parts["all from here on"] == [("from", "20")]
    src = f"{app_url}/?embed=true&amp;{escape(RUN)}&amp;from={update['from']}&amp;to={update['to']}&amp;view=both"
    title = f"Bender Lab: pose, small, from event {update['from']} to {update['to']}"
    size = 'width="800" height="500" loading="lazy"'
    assert written["this update"] == f'<iframe src="{src}" {size} title="{title}"></iframe>'

    frame = show(written["this update"])
    expect(frame.locator(".stage")).to_have_attribute("data-position", update["from"])
    expect(frame.locator("button[data-view=both]")).to_have_attribute("aria-pressed", "true")


def test_frames_that_are_gone_leave_no_work_and_no_memory(browser: Browser, tmp_path: Path, course: Course) -> None:
    """At once, though Streamlit keeps the session of another tab for two minutes."""
    query = urlencode({"embed": "true"} | GRID | {name: value for name, value in CUT.items() if name != "at"})
    with process(tmp_path / "log.txt") as served:
        context = new_profile(browser, served.url)
        first = context.new_page()
        first.goto("/")
        expect(first.locator(".stage[data-state=idle]")).to_be_visible(timeout=120_000)
        first.close()
        assert within(STOP_SECONDS, lambda: rests(served.pid))
        before = megabytes(served.pid)
        course.html = framed(served.url, f"{query}&from=0&to={10**14}") * 3
        for _ in range(2):
            page = context.new_page()
            page.goto(course.url)
            assert within(120, lambda: megabytes(served.pid) > before + 450)
            full = megabytes(served.pid)
            page.close()
            assert within(STOP_SECONDS, lambda: rests(served.pid))
            freed = full - 0.6 * (full - before)
            assert within(STOP_SECONDS, lambda freed=freed: megabytes(served.pid) < freed)
        context.close()
