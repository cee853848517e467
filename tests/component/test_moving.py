"""Going through a run on the stage: by its buttons, keys, scrubber and marks, and by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import bender_core as bc
from tests.component.mounting import Stage

pytestmark = pytest.mark.browser

GRAINS = ("row", "node", "sweep")


@pytest.mark.parametrize("grain", GRAINS)
def test_stepping_forward_raises_the_bound_and_back_restores_the_picture(
    stage: Stage, run: bc.Engine, grain: str
) -> None:
    pictures, start = [stage.shown()], run.lower_bound
    for _ in range(3):
        stage.click(f"[data-step={grain}]")
        run.step(grain)
        stage.shows(run)
        pictures.append(stage.shown())
    assert run.lower_bound > start or grain == "row"
    for picture in pictures[-2::-1]:
        stage.click(f"[data-back={grain}]")
        assert stage.shown() == picture
    assert stage.position == 0
    expect(stage.root.locator(f"[data-back={grain}]")).to_be_disabled()
    stage.click(f"[data-step={grain}]")
    assert stage.shown() == pictures[1]


def test_playing_fast_goes_on_to_the_end_by_itself(stage: Stage, run: bc.Engine) -> None:
    run.run()
    stage.root.locator("[data-act=speed]").select_option("160")
    stage.root.get_by_role("button", name="Play").click()
    stage.wait_for_position(len(run.trace))
    stage.wait_for_end()
    stage.shows(run)
    expect(stage.root.locator("[data-out=state]")).to_have_text("closed")


def test_running_to_the_end_and_starting_over(stage: Stage, run: bc.Engine) -> None:
    start = stage.shown()
    run.run()
    stage.click("[data-act=run]")
    stage.wait_for_end()
    stage.shows(run)
    assert stage.text("lower") == stage.text("upper")
    assert (stage.text("gap"), stage.text("state")) == ("0, closed", "closed")
    assert stage.text("sentence").startswith("Finished: the bounds meet.")
    for control in ("[data-act=play]", "[data-act=run]", *(f"[data-step={grain}]" for grain in GRAINS)):
        expect(stage.root.locator(control)).to_be_disabled()
    stage.click("[data-act=reset]")
    assert stage.shown() == start
    stage.click("[data-act=run]")
    stage.wait_for_end()
    stage.shows(run)


def test_scrubbing_by_mouse_and_keyboard(stage: Stage, run: bc.Engine) -> None:
    run.run()
    stage.click("[data-act=run]")
    stage.wait_for_end()
    scrub = stage.root.locator(".scrub")
    box = scrub.bounding_box()
    middle = box["y"] + box["height"] / 2
    stage.page.mouse.move(box["x"] + box["width"] - 8, middle)
    stage.page.mouse.down()
    for share in (0.8, 0.6, 0.4):
        stage.page.mouse.move(box["x"] + share * box["width"], middle)
    stage.page.mouse.up()
    stage.settle()
    assert 0.3 * len(run.trace) < stage.position < 0.5 * len(run.trace)
    run.seek(stage.position)
    stage.shows(run)
    scrub.press("Home")
    stage.settle()
    run.seek(0)
    stage.shows(run)
    scrub.press("End")
    stage.settle()
    run.seek(len(run.trace))
    stage.shows(run)
    for position in (611, 2):
        scrub.fill(str(position))
        stage.settle()
        run.seek(position)
        stage.shows(run)


def test_the_keyboard_steps_and_plays(stage: Stage, run: bc.Engine) -> None:
    start = stage.shown()
    for modifier, grain in (("", "row"), ("Shift+", "node"), ("Alt+", "sweep")):
        before = run.position
        stage.page.keyboard.press(f"{modifier}ArrowRight")
        stage.settle()
        run.step(grain)
        assert run.position > before
        stage.shows(run)
    for modifier in ("Alt+", "Shift+", ""):
        stage.page.keyboard.press(f"{modifier}ArrowLeft")
        stage.settle()
    assert stage.position == 0
    assert stage.shown() == start
    stage.page.keyboard.press("Space")
    stage.wait_for_position(5)
    expect(stage.stage).to_have_attribute("data-state", "playing")
    stage.page.keyboard.press("Space")
    stage.wait_for_end()
    assert stage.position >= 5


def test_the_marks_lead_to_the_ends_of_sweeps_and_the_largest_rise(stage: Stage, run: bc.Engine) -> None:
    run.run()
    stage.click("[data-act=run]")
    stage.wait_for_end()
    lower = run.trace.column("lower_bound")
    steepest = int((lower[1:] - lower[:-1]).argmax()) + 2
    sweeps = [event.index + 1 for event in run.trace if event.kind.name == "SWEEP"]
    marks = stage.root.locator(".marks .sweeps").get_attribute("d")
    assert marks.count("M") == len(sweeps)
    stage.click(".marks .rise")
    assert stage.position == steepest
    run.seek(steepest)
    stage.shows(run)


def test_playing_in_a_loop_stays_in_its_range(stage: Stage) -> None:
    stage.click("[data-step=sweep]")
    end = stage.position
    stage.click("[data-back=node]")
    stage.click("[data-act=loop]")
    expect(stage.root.locator(".marks .loop")).to_have_count(1)
    stage.root.locator("[data-act=speed]").select_option("160")
    stage.root.evaluate(
        """(root) => {
            root.seenPlaces = [];
            const look = () => { root.seenPlaces.push(Number(root.dataset.position)); requestAnimationFrame(look); };
            look();
        }"""
    )
    stage.root.get_by_role("button", name="Play").click()
    stage.wait("stage.seenPlaces.filter((at, k, all) => k && at < all[k - 1]).length >= 2")
    stage.root.get_by_role("button", name="Pause").click()
    stage.wait_for_end()
    places = stage.root.evaluate("(root) => root.seenPlaces")
    assert max(places) < end
    stage.click("[data-act=loop]")
    expect(stage.root.locator(".marks .loop")).to_have_count(0)
