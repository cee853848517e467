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


def test_a_message_picked_on_the_stage_is_looked_at_closer(page: Page, settle: Callable[[Page], None]) -> None:
    lab, run = Lab(page, settle).open(), engine()
    lab.click("[data-step=node]")
    lab.click(".node[data-node='3']")
    message = lab.text("message").removeprefix("Message ").removesuffix(", pinned")
    lab.stage.locator("[data-act=look]").click()
    expect(page.get_by_role("combobox", name="Message")).to_have_value(message)
    run.step("node")
    expect(page.get_by_text(f"event {run.position}: the true min-marginal")).to_be_visible()
    page.get_by_role("button", name="⇄").click()
    lab.settle()
    sender, receiver = message.split(" → ")
    lab.go("Watch")
    expect(lab.stage.locator("[data-out=message]")).to_have_text(f"Message {receiver} → {sender}, pinned")


def test_a_message_is_asked_about_its_rows_drawn_and_the_run_gone_on_with(
    page: Page, settle: Callable[[Page], None]
) -> None:
    run = engine()
    edge = Lab(page, settle).open()
    edge.click("[data-step=sweep]")
    run.step("sweep")
    edge.go("Edge")

    # Rows chosen in the table are drawn over the message.
    chart = page.locator(".stPlotlyChart").first
    lines = chart.locator(".scatterlayer .trace")
    before = lines.count()
    box = page.locator("[data-testid=stDataFrame]").bounding_box()
    page.mouse.click(box["x"] + 16, box["y"] + 52)
    edge.settle()
    expect(lines).to_have_count(before + 1)
    expect(chart.locator(".legend")).to_contain_text("RMC")

    # A click on a state asks what a row would do there.
    p, q = run.graph.ends(0)
    ranked = run.min_marginal(p, q).argsort(kind="stable")
    place = len(ranked) // 2
    wanted = int(ranked[place])
    x, y = page.locator(".js-plotly-plot").first.evaluate(PIXELS, [place, run.min_marginal(p, q)[wanted]])
    page.mouse.click(x, y)
    edge.settle()
    expect(page.get_by_label("State of the receiver", exact=False)).to_have_value(str(wanted))
    for cut in what_if(run, p, q, wanted):
        expect(page.locator("table.plain")).to_contain_text(number(cut.looseness))

    # Steps move the run.
    for label, grain in (("round ▶", "round"), ("group ▶", "node")):
        edge.press(label)
        run.step(grain)
        expect(page.get_by_text(f"event {run.position}: the true min-marginal")).to_be_visible()
    edge.go("Watch")
    edge.shows(run)
