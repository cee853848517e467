"""A page is drawn before the app is there, in its place, and then is the app's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

pytestmark = pytest.mark.browser

# The component, in the document or in the app: where it is, and how many marks its pictures have.
COMPONENT = """(name) => {
    const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? []);
    const found = roots.map((root) => root.querySelector(`[data-component=${name}]`)).filter(Boolean);
    return found.map((root) => {
        const { x, y, width } = root.getBoundingClientRect();
        const heading = document.querySelector('#first-picture h1, h1.page').getBoundingClientRect();
        const at = [x, y, width, heading.x, heading.y, document.title];
        return { at, marks: root.querySelectorAll('svg *').length };
    });
}"""


LARGE, SMALL = (pytest.param(size, marks=pytest.mark.slow) for size in ((1920, 1080), (390, 844)))


@pytest.fixture(params=[(1280, 800), LARGE, SMALL], ids=str)
def visitor(browser: Browser, app_url: str, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    width, height = request.param
    context = browser.new_context(base_url=app_url, viewport={"width": width, "height": height})
    yield context
    context.close()


def found(page: Page, name: str) -> Any:
    (component,) = page.evaluate(COMPONENT, name)
    return component


@pytest.mark.parametrize(
    ("address", "name"),
    [("/learn", "learn"), ("/learn?lesson=row", "learn"), ("/game?level=3&puzzle=2", "game")],
)
def test_the_first_picture_is_where_the_page_will_be(visitor: BrowserContext, address: str, name: str) -> None:
    early = visitor.new_page()
    # The app never comes.
    early.route_web_socket("**/*", lambda _: None)
    early.goto(address)
    expect(early.locator("#first-picture svg *").first).to_be_attached()
    early.wait_for_function("document.fonts.status === 'loaded'")
    before = found(early, name)
    page = visitor.new_page()
    page.goto(address)
    expect(page.locator("h1.page")).to_be_visible()
    expect(page.locator("#first-picture")).to_have_count(0)
    page.wait_for_selector("[data-test-script-state=notRunning]")
    after = found(page, name)
    assert before["at"].pop() == after["at"].pop()
    # What is above a later lesson may differ by some pixels: times of this machine stand there.
    assert before["at"] == pytest.approx(after["at"], abs=6)
    assert before["marks"] > 20


def test_another_page_takes_it_away(browser: Browser, app_url: str) -> None:
    page = browser.new_context(base_url=app_url).new_page()
    page.route_web_socket("**/*", lambda _: None)
    page.goto("/game")
    expect(page.locator("#first-picture")).to_have_count(1)
    page.evaluate("history.pushState({}, '', '/edge')")
    expect(page.locator("#first-picture")).to_have_count(0)
    page.context.close()


@pytest.mark.slow
def test_it_has_the_colours_of_the_page(browser: Browser, app_url: str) -> None:
    for scheme, colour in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 24, 31)")):
        page = browser.new_context(base_url=app_url, color_scheme=scheme).new_page()  # type: ignore[arg-type]
        page.route_web_socket("**/*", lambda _: None)
        page.goto("/learn?lesson=row")
        expect(page.locator("#first-picture")).to_have_css("background-color", colour)
        page.context.close()


# The lesson at the reading line.
READ = """() => {
    const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? []);
    const sections = roots.flatMap((root) => [...root.querySelectorAll('[data-lesson]')]);
    return sections.findLast((section) => section.getBoundingClientRect().y < innerHeight / 2)?.dataset.lesson;
}"""


def test_it_begins_at_the_lesson_that_the_browser_remembers(browser: Browser, app_url: str) -> None:
    page = browser.new_context(base_url=app_url).new_page()
    page.goto("/learn?lesson=row")
    page.wait_for_function("localStorage.getItem('bender-lab:tour')?.includes('row')")
    page.route_web_socket("**/*", lambda _: None)
    for address, lesson in (("/learn", "row"), ("/learn?lesson=loop", "loop")):
        page.goto(address)
        expect(page.locator("#first-picture svg *").first).to_be_attached()
        page.wait_for_function(f"(lesson) => ({READ})() === lesson", arg=lesson)
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["{", "null", "[]", '{"lesson": 1, "done": {}}', '{"lesson": "gone", "done": ["x"]}'])
def test_what_no_version_has_written_is_not_remembered(browser: Browser, app_url: str, kept: str) -> None:
    page = browser.new_context(base_url=app_url).new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.add_init_script(
        f"localStorage.getItem('bender-lab:tour') ?? localStorage.setItem('bender-lab:tour', '{kept}')"
    )
    page.goto("/learn")
    page.wait_for_selector("[data-test-script-state=notRunning]")
    expect(page.locator("#first-picture")).to_have_count(0)
    page.wait_for_function("location.search.includes('lesson=friends')")
    page.wait_for_function("JSON.parse(localStorage.getItem('bender-lab:tour')).lesson === 'friends'")
    assert problems == []
    page.context.close()


@pytest.mark.slow
def test_a_slow_network_is_seen_to_be_one(browser: Browser, app_url: str) -> None:
    page = browser.new_context(base_url=app_url).new_page()
    page.route_web_socket("**/*", lambda _: None)
    page.goto("/game")
    page.wait_for_function("getComputedStyle(document.querySelector('#first-picture'), '::after').opacity > 0.5")
    page.context.close()
