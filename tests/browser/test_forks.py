"""From a file to what helps most, and on with it: the cockpit of forks, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core.io import dumps
from tests.browser.lab import Lab, sample

pytestmark = pytest.mark.browser


def test_four_clicks_lead_from_a_file_to_what_helps_most_and_on_with_it(
    page: Page, settle: Callable[[Page], None], tmp_path: object
) -> None:
    mrf = sample("karate")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), 9)
    lab, clicks = Lab(page, settle).open("/instance"), 0
    lab.tab("Upload")
    lab.upload("club.mrf.json", dumps(mrf))

    def click(press: Callable[[], None]) -> None:
        nonlocal clicks
        clicks += 1
        press()

    click(lambda: lab.go("Watch"))
    p, q = engine.graph.edges[int(np.argmax(engine.tension().edges))]
    labels = engine.partition.labels
    most = lab.stage.locator(".part[data-edge]").first
    assert most.get_attribute("aria-label").startswith(f"{labels[p]} – {labels[q]}: ")
    click(lambda: lab.expand("What would help"))
    click(lambda: lab.press("Try them"))
    go_on = page.get_by_role("button", name="Go on with it")
    expect(go_on).to_be_visible(timeout=60_000)
    lab.settle()
    assert clicks <= 4
    expected = bc.what_would_help(engine)
    box = page.get_by_role("combobox", name="Go on with", exact=True)
    expect(box).to_have_value(expected[0].name)
    box.focus()
    box.press("ArrowDown")
    options = page.get_by_role("option")
    options.first.wait_for()
    assert options.all_inner_texts() == [remedy.name for remedy in expected]
    box.press("Escape")

    # The fork is the run of the stage: its groups, its bounds, and an address that opens it again.
    address = page.url
    lab.press("Go on with it")
    fork = expected[0].change.fork(engine)
    expect(lab.stage.locator(".node")).to_have_count(len(fork.partition))
    lab.settle()
    lab.shows(fork)
    lab.click("[data-step=node]")
    fork.step("node")
    lab.shows(fork)
    assert page.url != address
    page.reload()
    lab.settle()
    expect(lab.stage.locator(".node")).to_have_count(len(fork.partition))
    lab.wait_for_position(fork.position)
    lab.settle()
    lab.shows(fork)
    expect(page.get_by_role("combobox", name="Run", exact=True)).to_have_value(f"fork 1: {expected[0].name}")
