"""A talk is given with a presenter's keys, and its notes are in a window of their own."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from pages._shared.watch.talk import Moment, Talk, read, ready
from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

PAPER = read(ready()["paper"]).moments
# Nothing is under way.
SHOWN = """stage.stage.talk.target === null && stage.dataset.state === 'idle' && stage.stage.talk.talk?.at === argument
    && stage.stage.pair.stages.every(({ status }) => status.stateOf() === 'idle')"""


@pytest.mark.slow
def test_the_ready_talk_is_given(watch: Lab) -> None:
    page = watch.open("/?talk=paper").page
    stage = watch.stage.element_handle()
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    notes = opened.value
    page.keyboard.press("p")
    for number, moment in enumerate(PAPER):
        page.keyboard.press("PageDown")
        watch.wait(SHOWN, number)
        expect(notes.locator(".note")).to_have_text(moment.note)
        expect(notes.locator(".place")).to_contain_text(f"{number + 1} of 15")
        fields = moment.fields
        watch.wait("Number(stage.dataset.position) === argument", int(fields["at"]))
        assert watch.stage.get_attribute("data-layers") == fields.get("reveal", "4")
        assert watch.stage.locator(".views").get_attribute("data-view") == fields.get("view", "hyper")
        assert watch.stage.evaluate("({ stage }) => stage.pair.second !== null") == ("beside" in fields)
        assert watch.stage.locator(".pane.list").is_visible() == ("list" in fields)
    # A press in the notes' window counts, and so does every one of several.
    for _ in range(3):
        notes.keyboard.press("PageUp")
    watch.wait(SHOWN, len(PAPER) - 4)
    assert stage.evaluate("({ stage }) => stage.pair.second === null")
    # All of it on one stage: one that is mounted anew forgets what was pressed.
    assert stage.evaluate("(stage) => stage.isConnected")


@pytest.mark.slow
def test_a_moment_whose_fork_is_made_first_has_its_look_and_the_notes_go_on(watch: Lab) -> None:
    run = "sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp"
    moments = [Moment(f"{run}&at=40", "one"), Moment(f"{run}&forks=40.variant-4&at=9&reveal=2&view=variables", "two")]
    page = watch.open(f"/?talk={Talk('forks', moments).packed}").page
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    notes = opened.value
    notes.keyboard.press("PageDown")
    watch.wait(SHOWN, 0)
    notes.keyboard.press("PageDown")
    expect(notes.locator(".note")).to_have_text("two")
    # The page of the forks has no stage: this is another one.
    expect(watch.stage).to_have_attribute("data-layers", "2")
    watch.wait(SHOWN, 1)
    assert watch.position == 9
    assert watch.stage.locator(".views").get_attribute("data-view") == "variables"
    notes.keyboard.press("PageUp")
    watch.wait(SHOWN, 0)
    expect(notes.locator(".note")).to_have_text("one")


def test_a_moment_is_kept_and_shown_again(watch: Lab) -> None:
    watch.click("[data-step=sweep]")
    watch.click("button[data-view=answer]")
    kept = watch.position
    watch.stage.get_by_text("share", exact=True).click()
    watch.click("[data-act=keep]")
    expect(watch.page.get_by_role("radio")).to_have_count(1)
    watch.click("[data-act=reset]")
    watch.click("button[data-view=both]")
    watch.press("Go there")
    watch.wait("Number(stage.dataset.position) === argument", kept)
    assert watch.stage.locator(".views").get_attribute("data-view") == "answer"


@pytest.mark.slow
def test_a_talk_survives_a_reload_of_its_tab_and_is_in_no_other(watch: Lab) -> None:
    watch.open("/?talk=paper")
    page = watch.page
    expect(page.get_by_role("radio")).to_have_count(len(PAPER))
    watch.press("Go there")
    watch.wait(SHOWN, 0)
    page.reload()
    expect(page.get_by_role("radio")).to_have_count(len(PAPER))
    watch.wait("stage.stage.talk.talk?.at === 0")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_text("A talk", exact=True)).to_be_visible()
    expect(other.get_by_role("radio")).to_have_count(0)
    other.close()
    watch.press("Close the talk")
    expect(page.get_by_role("radio")).to_have_count(0)
    page.reload()
    expect(page.get_by_text("A talk", exact=True)).to_be_visible()
    expect(page.get_by_role("radio")).to_have_count(0)
