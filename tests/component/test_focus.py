"""The keyboard's focus: no picture keeps it, and what goes away hands it on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from pages._shared.app.session import Lab
from tests.component.mounting import Stage
from tests.labs import beside, lab

pytestmark = pytest.mark.browser

FOCUSED = "(root) => root.getRootNode().activeElement?.matches('{}') ?? false"


def has_focus(stage: Stage, selector: str) -> bool:
    return bool(stage.root.evaluate(FOCUSED.format(selector)))


def press(stage: Stage, selector: str, key: str = "Enter") -> None:
    stage.root.locator(selector).first.focus()
    stage.page.keyboard.press(key)
    stage.settle()


def test_tab_leaves_the_chart_of_the_bounds(stage: Stage) -> None:
    stage.step("sweep")
    stage.root.locator("svg.fan").focus()
    for key in ("Tab", "Shift+Tab", "Shift+Tab"):
        stage.page.keyboard.press(key)
    assert not has_focus(stage, "svg.fan, svg.fan *")


def test_keys_reach_what_follows_the_graph_in_one_press(stage: Stage) -> None:
    # Whoever comes by keys; the browser shows what has the focus to nobody else.
    stage.page.keyboard.press("Tab")
    stage.root.locator("[data-act=skip]").focus()
    expect(stage.root.locator("[data-act=skip]")).to_be_in_viewport()
    stage.page.keyboard.press("Enter")
    assert has_focus(stage, "svg.fan")


@pytest.mark.parametrize(
    ("pressed", "focused"),
    [
        (".gap [data-act=list]", ".table"),
        (".list [data-act=list]", ".gap [data-act=list]"),
        (".edge [data-act=drawer]", ".drawer [data-act=drawer]"),
        (".drawer [data-order=slack]", ".edge [data-act=drawer]"),
    ],
)
def test_a_pane_that_opens_or_closes_hands_the_focus_on(stage: Stage, pressed: str, focused: str) -> None:
    stage.step("node")
    stage.root.evaluate("({ stage }) => stage.select(0)")
    stage.settle()
    stage.act("stage.list.turn(argument)", pressed.startswith(".list"))
    stage.act("stage.drawer.turn(argument)", pressed.startswith(".drawer"))
    press(stage, pressed, "Escape" if "order" in pressed else "Enter")
    stage.wait(f"stage.getRootNode().activeElement?.matches('{focused}')")


def test_closing_the_second_run_leads_to_the_button_that_opens_one(watched: Callable[[Lab], Stage]) -> None:
    current = beside(lab("pose-small", 8, 9), 11)
    stage = watched(current)
    stage.root.locator("[data-act=alone]").focus()
    current.branches.beside = None
    stage.root.evaluate("({ stage }) => { stage.pair.toggle(); }")
    stage.wait("stage.getRootNode().activeElement?.matches('[data-act=pair]')")


def test_escape_closes_a_menu_and_leads_back_to_its_word(stage: Stage) -> None:
    stage.root.locator(".share summary").click()
    stage.root.locator("[data-act=span]").focus()
    stage.page.keyboard.press("Escape")
    expect(stage.root.locator("[data-act=link]")).to_be_hidden()
    assert has_focus(stage, ".share summary")


def test_escape_in_the_list_s_filter_shows_all_messages_again(stage: Stage) -> None:
    stage.page.keyboard.press("l")
    stage.settle()
    stage.root.locator("[data-act=find]").press_sequentially("wrist")
    expect(stage.root.locator("[data-out=listed]")).to_contain_text(" of 42")
    stage.page.keyboard.press("Escape")
    expect(stage.root.locator("[data-act=find]")).to_have_value("")
    expect(stage.root.locator("[data-out=listed]")).to_have_text("42 messages")


def test_the_list_of_keys_opens_at_its_beginning(stage: Stage) -> None:
    stage.page.set_viewport_size({"width": 390, "height": 600})
    stage.page.keyboard.press("?")
    expect(stage.root.get_by_text("play, pause")).to_be_in_viewport()
