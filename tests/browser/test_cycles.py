"""The Cycles page in a real browser: steps, the address, other models, and work that is stopped."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
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


def test_messages_are_chosen_and_stepped_through_and_the_address_finds_the_place(
    page: Page, settle: Callable[[Page], None]
) -> None:
    lab = Lab(page, settle).open("/cycles?sample=frustrated-cycle")
    expect(out(lab, "where")).to_contain_text("event 0 of 2")
    page.get_by_role("button", name="messages (MPLP)").click()
    expect(out(lab, "where")).to_contain_text("event 0 of 4")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    triangles = page.locator("[data-component=cycles] path.triplet")
    expect(triangles).to_be_visible()
    expect(page.locator("[data-component=cycles] .sentence")).to_contain_text("It is cut into 7 triplets")
    page.wait_for_function("location.search.includes('by=messages') && location.search.includes('cycle=2')")
    page.reload()
    lab.settle()
    expect(out(lab, "where")).to_contain_text("event 2 of 4")
    expect(triangles).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(out(lab, "state")).to_have_text("optimal, proven", timeout=30_000)
    page.get_by_role("button", name="linear program").click()
    expect(out(lab, "where")).to_contain_text("event 0 of 2")
    page.wait_for_function("!location.search.includes('by=')")


def test_both_are_stepped_through_side_by_side_and_the_address_finds_the_place(
    page: Page, settle: Callable[[Page], None]
) -> None:
    lab = Lab(page, settle).open("/cycles?sample=frustrated-cycle")
    page.get_by_role("button", name="both", exact=True).click()
    expect(out(lab, "where")).to_contain_text("event 0 of 6")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search.includes('by=both')")
    shown = out(lab, "where").inner_text()
    sentences = page.locator("[data-component=cycles] .sentence")
    expect(sentences).to_have_count(2)
    texts = sentences.all_inner_texts()
    at = shown.split()[1]
    page.wait_for_function(f"new URLSearchParams(location.search).get('cycle') === '{at}'")
    page.reload()
    lab.settle()
    expect(out(lab, "where")).to_have_text(shown)
    assert sentences.all_inner_texts() == texts
    page.keyboard.press("End")
    expect(out(lab, "state")).to_have_text("optimal, proven")
    expect(out(lab, "lead")).to_contain_text("both have ended")


def saved(lab: Lab, kind: str, folder: Path) -> Path:
    lab.page.locator("[data-component=cycles]").get_by_text("save", exact=True).click()
    with lab.page.expect_download(timeout=300_000) as download:
        lab.page.get_by_role("button", name=kind, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.slow
def test_what_is_shown_is_saved_as_a_picture_and_a_cycle_or_a_round_as_a_moving_one(
    cycles: Lab, tmp_path: Path
) -> None:
    cycles.page.keyboard.press("ArrowRight")
    expect(out(cycles, "where")).to_contain_text("event 1 of")
    expect(out(cycles, "state")).to_have_text("paused")
    still = saved(cycles, "SVG", tmp_path)
    assert still.name == "bender-lab-torus-10-10-cycles-event1.svg"
    text = still.read_text(encoding="utf-8")
    for shown in ("lower", "upper", "title", "lending"):
        assert out(cycles, shown).inner_text() in text
    assert saved(cycles, "GIF", tmp_path).name == "bender-lab-torus-10-10-cycles-event1.gif"
    # The page shows again what it showed, and can be used.
    expect(out(cycles, "where")).to_contain_text("event 1 of")
    cycles.page.keyboard.press("ArrowRight")
    expect(out(cycles, "where")).to_contain_text("event 2 of")
    cycles.page.locator("[data-component=cycles] [data-act=span]").evaluate("(field) => { field.value = 'round'; }")
    path = saved(cycles, "GIF", tmp_path)
    assert path.name == "bender-lab-torus-10-10-cycles-round1.gif"
    # This browser asks for less motion: a picture for every event.
    packing = bc.Packing(bc.sample("torus-10x10"))
    with Image.open(path) as gif:
        assert gif.n_frames == len(packing.step("round"))
        frames = [gif.seek(k) or np.asarray(gif.convert("RGB")) for k in range(gif.n_frames)]
    assert all((one != other).any() for one, other in pairwise(frames))
