"""The Edge page in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core.looking.classes import Classes, bits_of, classes
from bender_core.looking.words import number
from bender_core.visualization.message import stems
from tests.browser.lab import Lab, engine

pytestmark = pytest.mark.browser

# Where a point of a figure is on the screen.
PIXELS = """(chart, [x, y, axis = "yaxis"]) => {
    const { xaxis, [axis]: yaxis } = chart._fullLayout, frame = chart.getBoundingClientRect();
    return [frame.left + xaxis._offset + xaxis.d2p(x), frame.top + yaxis._offset + yaxis.d2p(y)];
}"""


@pytest.mark.slow
def test_a_message_picked_on_the_stage_is_looked_at_closer(page: Page, settle: Callable[[Page], None]) -> None:
    lab, run = Lab(page, settle).open(), engine()
    lab.click("[data-step=node]")
    lab.click(".node[data-node='3']")
    message = lab.text("message").removeprefix("Message ").removesuffix(", pinned")
    run.step("node")
    # In the drawer, which the address opens again, and from there on the page of its own.
    lab.stage.get_by_role("button", name="look closer").first.click()
    expect(lab.stage.locator("[data-out=drawer]")).to_have_text(message)
    lab.stage.get_by_role("button", name="by slack").click()
    arc = int(parse_qs(urlsplit(page.url).query)["arc"][0])
    shown = classes(run, *run.graph.ends(arc))
    chosen = int(shown.slack.argmax())
    lab.stage.locator(f"svg.stems [data-mark='hit {shown.states[chosen]}']").click()
    bits = "".join(map(str, bits_of(chosen, len(shown.members))))
    page.wait_for_url(f"**drawer=slack&y={bits}")
    page.reload()
    expect(lab.stage.locator("[data-out=drawer]")).to_have_text(message)
    expect(lab.stage.get_by_role("button", name="by slack")).to_have_attribute("aria-pressed", "true")
    lab.settle()
    lab.stage.get_by_role("button", name="page Edge").click()
    expect(page.get_by_role("combobox", name="Message")).to_have_value(message)
    expect(page.get_by_text(f"event {run.position}: 64 states")).to_be_visible()
    looked_at(lab, run, shown, chosen, arc)
    page.get_by_role("button", name="⇄").click()
    lab.settle()
    sender, receiver = message.split(" → ")
    lab.go("Watch")
    expect(lab.stage.locator("[data-out=message]")).to_have_text(f"Message {receiver} → {sender}, pinned")


def looked_at(edge: Lab, run: bc.Engine, shown: Classes, wanted: int, arc: int = 0) -> None:
    """A class is the one that the page looks at: its pills are pressed, and the table is about its rows."""
    edge.settle()
    pills = edge.page.get_by_role("toolbar").get_by_role("button")
    for k, bit in enumerate(shown.bits[wanted].tolist()):
        expect(pills.nth(k)).to_have_attribute("aria-pressed", "true" if bit else "false")
    for cut in bc.what_if(run, *run.graph.ends(arc), int(shown.states[wanted])):
        expect(edge.page.locator("table.plain")).to_contain_text(number(cut.lift))
    expect(edge.page.get_by_text(number(float(shown.nu[wanted])))).to_be_visible()


@pytest.mark.slow
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
    names = [run.mrf.names[i] for i in run.partition.groups[run.graph.ends(0)[0]]]
    edge.select_row(0)
    expect(lines).not_to_have_count(before)
    expect(chart.locator(".legend")).to_contain_text("RMC")

    # A click on a stem, or on a column of the matrix below, asks what a row would do there; so do the pills.
    p, q = run.graph.ends(0)
    shown = classes(run, p, q)
    drawn = stems(shown, "cost", (1, 64)).classes.tolist()
    figure, half = page.locator(".js-plotly-plot").first, len(drawn) // 2
    figure.scroll_into_view_if_needed()
    wanted = drawn[half]
    x, y = figure.evaluate(PIXELS, [half, shown.nu[wanted]])
    page.mouse.click(x, y)
    looked_at(edge, run, shown, wanted)
    x, y = figure.evaluate(PIXELS, [half + 5, 2, "yaxis2"])
    page.mouse.click(x, y)
    looked_at(edge, run, shown, drawn[half + 5])
    page.get_by_role("button", name=names[0], exact=True).click()
    looked_at(edge, run, shown, drawn[half + 5] ^ 1)
    expect(page).to_have_url(re.compile(f"y={''.join(map(str, shown.bits[drawn[half + 5] ^ 1]))}"))

    # Steps move the run.
    for label, grain in (("round ▶", "round"), ("group ▶", "node")):
        edge.press(label)
        run.step(grain)
        expect(page.get_by_text(f"event {run.position}: 64 states")).to_be_visible()
    edge.go("Watch")
    edge.shows(run)


def test_edge_shows_the_message_of_the_drawer(page: Page, settle: Callable[[Page], None]) -> None:
    """By the navigation as by the drawer's own button, also where no message is pinned."""
    lab = Lab(page, settle).open()
    lab.click("[data-step=node]")
    page.keyboard.press("d")
    drawer = lab.stage.locator("[data-out=drawer]")
    expect(drawer).to_contain_text("→")
    lab.stage.get_by_role("button", name="by slack").click()
    lab.settle()
    message = drawer.inner_text()
    lab.go("Edge")
    expect(page.get_by_role("combobox", name="Message")).to_have_value(message)
    expect(page.get_by_role("radio", name="most slack first")).to_be_checked()
