"""The Edge page in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bender_core import what_if
from bender_core.run.explain import number
from tests.browser.lab import Lab, engine

pytestmark = pytest.mark.browser

# Where a point of a figure is on the screen.
PIXELS = """(chart, [x, y]) => {
    const { xaxis, yaxis } = chart._fullLayout, frame = chart.getBoundingClientRect();
    return [frame.left + xaxis._offset + xaxis.d2p(x), frame.top + yaxis._offset + yaxis.d2p(y)];
}"""


@pytest.fixture
def edge(page: Page, settle: Callable[[Page], None]) -> Lab:
    """The page about the first message, after a sweep."""
    lab = Lab(page, settle).open()
    lab.click("[data-step=sweep]")
    lab.go("Edge")
    return lab


def test_a_message_picked_on_the_stage_is_looked_at_closer(page: Page, settle: Callable[[Page], None]) -> None:
    lab, run = Lab(page, settle).open(), engine()
    lab.click("[data-step=node]")
    lab.click(".node[data-node='3']")
    message = lab.stage.locator(".edge .name").inner_text()
    lab.stage.locator("[data-act=look]").click()
    expect(page.get_by_role("combobox", name="Message")).to_have_value(message.removeprefix("Message "))
    run.step("node")
    expect(page.get_by_text(f"event {run.position}: the true min-marginal")).to_be_visible()
    page.get_by_role("button", name="⇄").click()
    lab.settle()
    sender, receiver = message.removeprefix("Message ").split(" → ")
    lab.go("Watch")
    expect(lab.stage.locator(".edge .name")).to_have_text(f"Message {receiver} → {sender}")


def test_a_click_on_a_state_asks_what_a_row_would_do_there(edge: Lab) -> None:
    run = engine()
    run.step("sweep")
    p, q = run.graph.ends(0)
    ranked = run.min_marginal(p, q).argsort(kind="stable")
    place = len(ranked) // 2
    wanted = int(ranked[place])
    x, y = edge.page.locator(".js-plotly-plot").first.evaluate(PIXELS, [place, run.min_marginal(p, q)[wanted]])
    edge.page.mouse.click(x, y)
    edge.settle()
    state = edge.page.get_by_label("State of the receiver", exact=False)
    expect(state).to_have_value(str(wanted))
    for cut in what_if(run, p, q, wanted):
        expect(edge.page.locator("table.plain")).to_contain_text(number(cut.looseness))


def test_rows_chosen_in_the_table_are_drawn_over_the_message(edge: Lab) -> None:
    chart = edge.page.locator(".stPlotlyChart").first
    lines = chart.locator(".scatterlayer .trace")
    before = lines.count()
    box = edge.page.locator("[data-testid=stDataFrame]").bounding_box()
    edge.page.mouse.click(box["x"] + 16, box["y"] + 52)
    edge.settle()
    expect(lines).to_have_count(before + 1)
    expect(chart.locator(".legend")).to_contain_text("RMC")


def test_stepping_on_the_edge_page_moves_the_run(edge: Lab) -> None:
    run = engine()
    run.step("sweep")
    for label, grain in (("row ▶", "row"), ("node ▶", "node")):
        edge.press(label)
        run.step(grain)
        expect(edge.page.get_by_text(f"event {run.position}: the true min-marginal")).to_be_visible()
    edge.go("Watch")
    edge.shows(run)
