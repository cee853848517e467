"""What somebody new sees first: what this is, and one update with its captions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from pages._shared.app.arrival import Arrival
from pages._shared.app.session import Lab
from pages._shared.watch import stage as feeding
from pages._shared.watch.recorded import recording
from tests.component.mounting import Stage
from tests.labs import beside, lab

pytestmark = pytest.mark.browser

END = recording().greeting["end"]
# Every act that is drawn, with the number of the caption that is emphasised (−1: none).
RECORD = """(root) => {
    const { stage } = root, captions = [...root.querySelectorAll('.captions li')];
    const draw = stage.greeting.draw.bind(stage.greeting);
    [root.told, root.heard] = [[], []];
    stage.greeting.draw = (moment) => {
        draw(moment);
        root.told.push([moment.act, captions.findIndex((each) => each.classList.contains('now'))]);
        const spoken = root.querySelector('[data-out=caption]').textContent;
        const number = 1 + captions.findIndex((each) => each.textContent === spoken);
        if (number && !root.heard.includes(number)) root.heard.push(number);
    };
}"""
CAPTIONS = {"start": 0, "floor": 0, "answer": 1, "rows": 2, "pass": 3}


@pytest.fixture
def opened(watched: Callable[[Lab], Stage], monkeypatch: pytest.MonkeyPatch) -> Callable[[], Stage]:
    """Open the app as somebody does who types nothing but its name."""

    def stage() -> Stage:
        current = lab("pose-small", 8, 9)
        current.run.engine.run(max_events=END - 1)
        current.run.show(END - 1)
        return watched(current)

    monkeypatch.setattr(feeding, "arrival", lambda: Arrival({}, greets=True))
    return stage


def test_it_says_what_this_is_where_the_bound_is_about_to_rise(opened: Callable[[], Stage], run: bc.Engine) -> None:
    stage = opened()
    expect(stage.root.get_by_role("region", name="What this is")).to_contain_text("Bender Lab")
    expect(stage.root.locator(".welcome")).to_contain_text("Here: Candidates of 14 body parts around two people")
    run.run(max_events=END - 1)
    stage.shows(run)
    # It stays, so that nothing moves under the pointer.
    stage.step("round")
    run.run(max_events=END)
    stage.shows(run)
    expect(stage.root.locator(".welcome")).to_be_visible()


def test_an_update_is_played_with_its_captions(page: Page, opened: Callable[[], Stage], run: bc.Engine) -> None:
    page.emulate_media(reduced_motion="no-preference")
    stage = opened()
    stage.root.evaluate(RECORD)
    stage.act("stage.player.speed = 5")
    stage.root.get_by_role("button", name="watch one update").click()
    stage.wait("stage.dataset.state === 'idle' && Number(stage.dataset.position) === argument", END)
    run.run(max_events=END)
    told = stage.root.evaluate("root => root.told")
    assert dict(told) == CAPTIONS
    assert told[-1] == ["pass", 3]
    stage.shows(run)
    expect(stage.root.locator(".greeting")).to_contain_text("Your turn")
    # Who cannot see has heard them, and is where the next press is.
    assert stage.root.evaluate("root => root.heard") == [1, 2, 3, 4]
    stage.wait("stage.getRootNode().activeElement?.matches('[data-step=round]')")
    stage.step("round")
    expect(stage.root.locator(".welcome")).to_be_visible()
    expect(stage.root.locator(".captions")).to_be_hidden()


def test_captions_say_in_which_round_they_are(opened: Callable[[], Stage]) -> None:
    stage = opened()
    stage.root.get_by_role("button", name="watch one update").click()
    stage.settle()
    heard = stage.root.locator("[data-out=caption]")
    expect(heard).not_to_contain_text("Round")
    stage.step("round")
    stage.step("event")
    expect(heard).to_contain_text("Round 2.")


def test_without_motion_every_press_has_its_caption(opened: Callable[[], Stage]) -> None:
    stage = opened()
    stage.root.get_by_role("button", name="watch one update").click()
    stage.settle()
    now = stage.root.locator(".captions .now")
    expect(now).to_contain_text("A promise about every state of right knee")
    stage.step("event")
    expect(now).to_contain_text("The truth at one state")
    stage.step("event")
    expect(now).to_contain_text("A row")


@pytest.mark.parametrize("answer", ["watch one update", "Close"])
def test_it_is_not_offered_again(page: Page, opened: Callable[[], Stage], answer: str) -> None:
    opened().root.get_by_role("button", name=answer, exact=True).first.click()
    page.evaluate("() => document.querySelector('main').replaceWith(document.createElement('main'))")
    expect(opened().root.locator(".greeting")).to_be_hidden()


def test_a_second_run_beside_ends_it(opened: Callable[[], Stage]) -> None:
    stage = opened()
    beside(stage.lab, 11)
    stage.root.evaluate("({ stage }) => stage.questions.ask('poll')")
    stage.wait("stage.stage.pair.second")
    expect(stage.root.locator(".greeting")).to_be_hidden()


def test_a_run_that_was_asked_for_is_shown_without_it(watched: Callable[[Lab], Stage]) -> None:
    expect(watched(lab("pose-small", 8, 9)).root.locator(".greeting")).to_be_hidden()
