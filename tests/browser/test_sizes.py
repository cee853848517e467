"""On a phone: what a finger presses is large enough, and what matters is in sight."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = ("Instance", "Partition", "Cycles", "Edge", "Compare", "Experiments", "Learn", "Game", "Method", "Watch")
FINGER = 44
# Controls that are smaller; signs of Streamlit's are surrounded by as much as is missing.
NARROW = """(least) => {
    const found = [];
    const look = (root) => {
        for (const e of root.querySelectorAll('*')) {
            if (e.shadowRoot) look(e.shadowRoot);
            const isControl = e.matches('button, a, select, summary, [role=tab], rect[role=button]');
            if (!isControl || !e.checkVisibility({ visibilityProperty: true })) continue;
            if (e.dataset.testid === 'stSkipToContent') continue; // for keys
            if (e.closest('[aria-label=Dismiss], dialog, [role=alert], [role=dialog]')) continue;
            // Bars that Plotly and Streamlit show over a figure or a table, and links to headings.
            if (e.closest('.modebar, .stElementToolbar, [data-testid=stHeaderActionElements]')) continue;
            const { width, height } = e.getBoundingClientRect();
            const more = Math.max(0, -2 * parseFloat(getComputedStyle(e, '::after').top) || 0);
            if (width && height && Math.min(width, height) + more < least - 0.5) found.push(e.outerHTML.slice(0, 300));
        }
    };
    look(document.body);
    return found;
}"""


@pytest.fixture
def phone(browser: Browser, app_url: str) -> Iterator[Page]:
    context = browser.new_context(
        base_url=app_url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    yield context.new_page()
    context.close()


def test_a_finger_finds_every_control(phone: Page) -> None:
    found = []
    for title in PAGES:
        phone.goto(f"/{title.lower()}")
        phone.wait_for_selector("[data-test-script-state=notRunning]")
        if title == "Watch":
            phone.wait_for_selector(".stage[data-state=idle]")
        # Styles may arrive after the script has ended.
        try:
            phone.wait_for_function(f"(least) => !({NARROW})(least).length", arg=FINGER, timeout=10_000)
        except PlaywrightTimeoutError:
            found += [f"{title}: {each}" for each in phone.evaluate(NARROW, FINGER)]
    assert found == []


def test_a_phone_shows_the_graph_and_the_sentence_at_once(phone: Page) -> None:
    phone.goto("/")
    phone.wait_for_selector(".stage[data-state=idle]")
    for step in ("round", "group"):
        phone.get_by_role("group", name="Forward").get_by_role("button", name=step).tap()
        phone.wait_for_selector(".stage[data-state=idle]")
        graph, said = (phone.locator(name).bounding_box() for name in ("svg.hyper", ".sentence"))
        assert graph
        assert said
        assert graph["y"] + graph["height"] <= said["y"]
        assert said["y"] + said["height"] <= 844


def test_a_phone_shows_the_costs_between_the_captions_and_the_sentence(phone: Page) -> None:
    """The captions of the first update are of the costs, which are below the graph."""
    phone.goto("/")
    phone.wait_for_selector(".stage[data-state=idle]")
    phone.get_by_role("button", name="watch one update").tap()
    costs = phone.locator("svg.ground")
    phone.wait_for_selector(".captions .now")
    expect(costs).to_be_in_viewport(ratio=1)
    caption, ground, said = (phone.locator(name).bounding_box() for name in (".greeting", "svg.ground", ".sentence"))
    assert caption
    assert ground
    assert said
    assert caption["y"] >= 0
    assert caption["y"] + caption["height"] <= ground["y"]
    assert ground["y"] + ground["height"] <= said["y"]


def test_on_a_phone_a_button_of_the_graph_leads_to_the_costs(phone: Page) -> None:
    phone.goto("/?at=482")
    phone.wait_for_selector(".stage[data-state=idle]")
    costs = phone.locator("svg.ground")
    expect(costs).not_to_be_in_viewport()
    phone.get_by_role("button", name="costs and bounds").tap()
    expect(costs).to_be_in_viewport(ratio=1)


def test_on_a_phone_rows_of_controls_fade_where_they_go_on(phone: Page) -> None:
    """The last control can be swiped out of the fade."""
    phone.goto("/?at=0")
    phone.wait_for_selector(".stage[data-state=idle]")
    for row in (".choices", ".transport"):
        faded, clear = phone.locator(row).evaluate(
            """(row) => {
                row.scrollLeft = row.scrollWidth;
                const last = [...row.children].map((each) => each.getBoundingClientRect().right);
                return [getComputedStyle(row).maskImage, row.getBoundingClientRect().right - Math.max(...last)];
            }"""
        )
        assert "gradient" in faded
        assert clear >= 30
