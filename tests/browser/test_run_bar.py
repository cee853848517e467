"""M, rows, groups and model are chosen where the run is watched."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core.kernels.layout import Kind
from pages._shared.app.session import FIRST
from tests.browser.lab import Lab, engine
from tests.labs import is_shown

pytestmark = pytest.mark.browser


def settled(watch: Lab, **expected: object) -> None:
    """Wait until the run bar shows a run, and the stage is drawn."""
    watch.wait("!stage.stage.runBar.isChoosing && !stage.stage.questions.waiting && !stage.stage.data.bar.making")
    watch.expect_run(**expected)
    watch.wait("stage.dataset.state === 'idle'")
    watch.settle()


def at(run: bc.Engine, sweep: int) -> bc.Engine:
    run.run(max_sweeps=sweep)
    return run


def test_other_rows_and_another_m_are_one_choice_each_and_back_goes_through_them(watch: Lab) -> None:
    watch.click("[data-step=sweep]")
    watch.stage.locator(".run [name=variant]").select_option("4")
    settled(watch, variant=4)
    watch.shows(at(engine(variant=4), 1))
    back = watch.stage.locator("[data-act=back]")
    expect(back).to_have_text(re.compile("^⇄ variant 9: LB .* after sweep 1$"))
    assert is_shown(at(engine(), 1).lower_bound, back.inner_text().split()[4])
    size = watch.stage.locator(".run [name=M]")
    size.fill("5")
    size.press("Enter")
    settled(watch, M=5, variant=4)
    watch.shows(at(engine(max_size=5, variant=4), 1))
    expect(watch.page).to_have_url(re.compile("M=5&.*variant=4"))
    # The browser's Back and Forward, and the key, show runs that are still there, where they were left.
    watch.page.go_back()
    settled(watch, M=8, variant=4)
    watch.page.go_back()
    settled(watch, M=8, variant=9)
    watch.shows(at(engine(), 1))
    watch.page.go_forward()
    settled(watch, M=8, variant=4)
    watch.page.keyboard.press("x")
    settled(watch, M=8, variant=9)
    watch.page.reload()
    settled(watch, M=8, variant=9)
    watch.shows(at(engine(), 1))


@pytest.mark.slow
def test_in_the_middle_of_an_update_other_rows_begin_at_the_same_group(watch: Lab) -> None:
    for _ in range(3):
        watch.click("[data-step=node]")
    watch.click("[data-step=round]")
    run = engine()
    for _ in range(3):
        run.step("node")
    node = run.step("round")[-1].node
    watch.stage.locator(".run [name=variant]").select_option("12")
    settled(watch, variant=12)
    other = engine(variant=12)
    while not (
        other.position
        and other.trace[other.position - 1].kind == Kind.NODE_OPENED
        and other.trace[other.position - 1].node == node
    ):
        other.step("event")
    watch.shows(other)


@pytest.mark.slow
def test_models_are_opened_from_the_bar_and_others_are_a_step_away(watch: Lab) -> None:
    watch.stage.locator(".run [name=model]").select_option(label="karate")
    settled(watch, model="karate", M=8)
    expect(watch.page).to_have_title("Watch · karate · Bender Lab")
    watch.page.go_back()
    settled(watch, model="pose, small", M=8, variant=9)
    watch.stage.locator(".run [name=model]").select_option(label="upload, generate …")
    expect(watch.page).to_have_url(re.compile("/instance"))


@pytest.mark.slow
def test_groups_that_are_searched_for_show_progress_and_can_be_stopped(watch: Lab) -> None:
    watch.open("/?make=ising_grid&rows=40&columns=40&M=8&strategy=greedy&variant=9&schedule=mplp")
    watch.stage.locator(".run [name=strategy]").select_option("pursuit")
    making = watch.stage.locator(".making")
    expect(making).to_contain_text("making groups by pursuit, M 8")
    # Meanwhile the present run can be used.
    watch.stage.locator("[data-step=round]").click()
    making.get_by_text("Stop").click()
    expect(making).to_be_hidden()
    settled(watch, strategy="greedy")
    assert watch.position > 0


@pytest.mark.slow
def test_on_a_phone_the_bar_is_a_row_to_swipe(watch: Lab) -> None:
    watch.page.set_viewport_size({"width": 390, "height": 844})
    watch.settle()
    assert watch.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert watch.stage.locator(".choices").bounding_box()["height"] < 60
    watch.stage.locator("[data-size='-1']").click()
    settled(watch, M=7)


@pytest.mark.slow
def test_what_is_chosen_before_the_solver_is_there_is_the_run_that_opens(page: Page, watch: Lab) -> None:
    """A link names the run; the bar shows it before it is there."""
    watch.open(f"/?sample=tiny&M=3&variant=4&schedule={FIRST['schedule']}")
    settled(watch, model="tiny", M=3, variant=4)
