"""The Cycles page in a real browser: steps, the address, other models, and work that is stopped."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

import bender_core as bc
from bender_core import synth
from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

LARGE = "make=ising_grid&rows=40&columns=40&layers=1&torus=true&coupling=pm1&field=0.0&seed=1"


@pytest.fixture
def cycles(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle).open("/cycles?sample=torus-10x10")


def out(lab: Lab, name: str) -> Locator:
    return lab.page.locator(f"[data-component=cycles] [data-out={name}]")


def test_cycles_are_stepped_through_to_the_proof_and_the_address_finds_the_place(cycles: Lab) -> None:
    packing = bc.Packing(bc.sample("torus-10x10"))
    packing.run()
    expect(out(cycles, "where")).to_contain_text("event 0 of")
    cycles.page.keyboard.press("Shift+ArrowRight")
    end = packing.events.stop_after(0, "round")
    expect(out(cycles, "where")).to_contain_text(f"event {end} of")
    cycles.page.wait_for_function(f"new URLSearchParams(location.search).get('cycle') === '{end}'")
    cycles.page.reload()
    cycles.settle()
    expect(out(cycles, "where")).to_contain_text(f"event {end} of")
    cycles.page.keyboard.press("End")
    expect(out(cycles, "state")).to_have_text("optimal, proven")
    expect(out(cycles, "where")).to_contain_text(f"event {len(packing.events)} of {len(packing.events)}")


@pytest.mark.slow
def test_another_model_has_cycles_of_its_own_and_the_page_keeps_its_place_meanwhile(cycles: Lab) -> None:
    cycles.page.keyboard.press("ArrowRight")
    expect(out(cycles, "where")).to_contain_text("event 1 of")
    cycles.page.wait_for_function("new URLSearchParams(location.search).get('cycle') === '1'")
    cycles.go("Edge")
    cycles.go("Cycles")
    expect(out(cycles, "where")).to_contain_text("event 1 of")
    cycles.load("frustrated-cycle")
    cycles.go("Cycles")
    expect(out(cycles, "title")).to_contain_text("frustrated cycle")
    expect(out(cycles, "where")).to_contain_text("event 0 of")
    expect(out(cycles, "lower")).to_have_text("−21")


@pytest.mark.slow
def test_what_takes_long_shows_progress_and_is_stopped(page: Page, settle: Callable[[Page], None]) -> None:
    lab = Lab(page, settle).open(f"/cycles?{LARGE}")
    expect(out(lab, "where")).to_contain_text("event 0 of", timeout=60_000)
    page.locator("[data-act=end]").click()
    stop = page.get_by_role("button", name="Stop", exact=True)
    expect(out(lab, "working")).to_contain_text("round")
    stop.click()
    expect(stop).to_be_hidden()
    # What is known by then can be looked at.
    page.keyboard.press("Home")
    expect(out(lab, "where")).to_contain_text("event 0 of")
    mrf = synth.ising_grid(40, 40, torus=True, coupling="pm1", seed=1)
    packing = bc.Packing(mrf)
    packing.step("cycle")
    page.keyboard.press("ArrowRight")
    expect(out(lab, "where")).to_contain_text("event 1 of")
