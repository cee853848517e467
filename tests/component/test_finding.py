"""Moments that the stage goes to, by its list and by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import bender_core as bc
from bender_core.kernels.layout import Kind
from tests.component.mounting import Stage

pytestmark = pytest.mark.browser


def open_list(stage: Stage) -> None:
    stage.root.get_by_text("take me to").click()


def test_the_list_goes_to_moments_and_closes(stage: Stage, run: bc.Engine) -> None:
    """What it goes to is as in the engine, and what is missed is said."""
    open_list(stage)
    buttons = stage.root.locator(".finder [data-find]")
    expect(buttons).to_have_count(5)
    expect(stage.root.locator("[data-find=largest]")).to_be_disabled()
    stage.root.get_by_label("How much of the gap a large rise closes").select_option("0.01")
    stage.click("[data-find=rise]")
    expect(stage.root.locator(".finder")).not_to_have_attribute("open", "")
    gap = run.upper_bound - run.lower_bound
    run.step("node")
    while run.last_event.value - run.last_event.before <= 0.01 * gap:
        run.step("node")
    stage.shows(run)
    open_list(stage)
    rises = [event.value - event.before if event.kind == Kind.MESSAGE else 0.0 for event in run.trace]
    expect(stage.root.locator(".finder [data-out=largest]")).to_contain_text(
        f"event {max(range(len(rises)), key=rises.__getitem__) + 1},"
    )
    stage.click("[data-act=reset]")
    expect(stage.root.locator(".finder")).not_to_have_attribute("open", "")


def test_keys_go_to_moments(stage: Stage, run: bc.Engine) -> None:
    stage.page.keyboard.press("u")
    stage.settle()
    upper = run.upper_bound
    while run.upper_bound >= upper:
        run.step("event")
    stage.shows(run)
    stage.root.locator("[data-act=share]").evaluate("(choice) => { choice.value = '0.2'; }")
    for _ in range(40):
        before = stage.position
        stage.page.keyboard.press("r")
        stage.settle()
        if stage.position == before:
            break
    assert stage.text("state") == "LB never rises by so much again"
    stage.click("[data-back=event]")
    assert stage.text("state") == "paused"


def test_a_row_is_looked_for_on_the_edge_that_is_pinned(stage: Stage, run: bc.Engine) -> None:
    stage.root.evaluate("({ stage }) => stage.select(6)")
    stage.settle()
    stage.page.keyboard.press("e")
    stage.settle()
    assert stage.root.evaluate("({ stage }) => stage.moment().after.arc >> 1") == 3
    run.seek(0)
    while not run.trace or run.last_event.kind != Kind.ROW or run.last_event.arc // 2 != 3:
        run.step("event")
    stage.shows(run)
