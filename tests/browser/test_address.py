"""The address bar: on every page it finds the run again, and nothing that was open before is lost."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab, engine

pytestmark = pytest.mark.browser

PAGES = ("Edge", "Cycles", "Learn", "Game", "Experiments", "Partition", "Instance", "Compare", "Method")
UAI = b"MARKOV\n3\n2 2 2\n2\n2 0 1\n2 1 2\n4\n0.1 2 1 0.3\n4\n0.7 1 2 0.1\n"


def parameters(lab: Lab) -> dict[str, list[str]]:
    return parse_qs(urlsplit(lab.page.url).query)


def states_event(lab: Lab, event: int) -> None:
    """Check that the address states the model and the event."""
    lab.page.wait_for_function(f"new URLSearchParams(location.search).get('at') === '{event}'")
    assert parameters(lab).keys() >= {"M", "strategy", "variant", "schedule", "at"}


@pytest.mark.slow
def test_every_page_is_reloaded_with_its_model_and_its_event(watch: Lab) -> None:
    """And back and forward find the pages that were open, one step each."""
    watch.load("karate")
    watch.go("Watch")
    watch.click("[data-step=node]")
    event = watch.position
    for title in PAGES:
        watch.go(title)
        states_event(watch, event)
        assert parameters(watch)["sample"] == ["karate"]
    for title in (*PAGES[-2::-1], "Watch"):
        watch.page.go_back()
        path = "/" if title == "Watch" else f"/{title.lower()}"
        watch.page.wait_for_function(f"location.pathname === '{path}'")
        watch.settle()
        states_event(watch, event)
    assert watch.position == event
    watch.page.go_forward()
    watch.settle()
    for title in ("Learn", "Experiments"):
        watch.go(title)
        states_event(watch, event)
        watch.page.reload()
        watch.settle()
        states_event(watch, event)
    watch.go("Watch")
    expected = engine("karate", int(parameters(watch)["M"][0]))
    expected.step("node")
    watch.shows(expected)
    # The first page has no name in its address, and is found by it.
    watch.page.goto(f"watch?{urlsplit(watch.page.url).query}")
    watch.page.wait_for_function("location.pathname === '/'")
    watch.settle()
    watch.shows(expected)


@pytest.mark.slow
def test_an_uploaded_model_is_there_after_a_reload(watch: Lab) -> None:
    watch.go("Instance")
    watch.upload("three.uai", UAI)
    watch.go("Watch")
    watch.click("[data-step=node]")
    position, shown = watch.position, watch.shown()
    for title in ("Watch", "Edge"):
        watch.go(title)
        states_event(watch, position)
        watch.page.reload()
        watch.settle()
    watch.go("Watch")
    assert watch.position == position
    assert watch.shown() == shown
    watch.stage.get_by_text("share", exact=True).click()
    watch.stage.locator("[data-act=link]").click()
    expect(watch.stage.locator("[data-act=link]")).to_have_text("an uploaded model cannot be in a link")


@pytest.mark.slow
def test_an_address_that_replaces_a_model_offers_it_again(watch: Lab) -> None:
    watch.click("[data-step=node]")
    position = watch.position
    watch.page.wait_for_function("sessionStorage['bender-lab:address']?.includes('at=')")
    watch.open("/?sample=frustrated-cycle&M=3")
    offer = watch.page.get_by_role("status").filter(has_text="Before, this tab had pose, small")
    expect(offer).to_be_visible()
    offer.get_by_role("link", name="Go back to it").click()
    watch.settle()
    assert watch.position == position
    expected = engine()
    expected.step("node")
    watch.shows(expected)
    offer = watch.page.get_by_role("status").filter(has_text="Before, this tab had")
    expect(offer).to_be_visible()
    offer.get_by_role("button", name="Dismiss").click()
    expect(offer).to_be_hidden()
    # A reload is no replacement.
    watch.page.reload()
    watch.settle()
    expect(offer).to_be_hidden()


@pytest.mark.slow
def test_what_an_address_has_replaced_is_told_apart_and_covers_nothing(watch: Lab) -> None:
    """Another variant of the same model has the same name; the sentence stays in sight."""
    watch.click("[data-step=node]")
    watch.page.wait_for_function("sessionStorage['bender-lab:address']?.includes('at=')")
    watch.open("/?sample=pose-small&M=8&variant=3&at=60")
    offer = watch.page.get_by_role("status").filter(has_text="This address has opened")
    said = (
        "pose, small with M 8 by groups, variant 3, mplp. Before, this tab had it with M 8 by groups, variant 9, mplp."
    )
    expect(offer).to_contain_text(said)
    box, sentence = (each.bounding_box() for each in (offer, watch.stage.locator(".sentence")))
    assert box
    assert sentence
    assert box["y"] + box["height"] <= watch.stage.bounding_box()["y"]
    assert sentence["y"] + sentence["height"] <= watch.page.viewport_size["height"]
    # As the stage's own buttons.
    dismiss, link = offer.get_by_role("button"), watch.stage.locator("[data-act=prove]")
    look = (
        "(e) => { const { backgroundColor, fontFamily } = getComputedStyle(e); return [backgroundColor, fontFamily]; }"
    )
    assert dismiss.evaluate(look) == link.evaluate(look)
    dismiss.click()
    expect(offer).to_be_hidden()


@pytest.mark.slow
def test_every_page_says_what_it_is_and_of_which_model(watch: Lab) -> None:
    for title in (*PAGES, "Watch"):
        watch.go(title)
        of_a_model = title not in ("Learn", "Game", "Experiments", "Method")
        names = [title, *["pose, small"] * of_a_model]
        expect(watch.page).to_have_title(" · ".join([*names, "Bender Lab"]))
        expect(watch.page.get_by_role("heading", level=1)).to_have_text(" ".join(names))
    watch.load("tiny")
    expect(watch.page).to_have_title("Instance · tiny · Bender Lab")
    expect(watch.page.get_by_role("heading", level=1)).to_have_text("Instance tiny")


@pytest.mark.slow
def test_back_opens_the_run_that_its_address_names(watch: Lab) -> None:
    """Where the run was begun anew with another variant since; the place is kept on the way."""
    watch.click("[data-step=node]")
    watch.click("[data-step=node]")
    event, before, expected = watch.position, engine(), engine(variant=3)
    for run in (before, expected):
        run.step("node")
        run.step("node")
    watch.cut(variant=3)
    states_event(watch, expected.position)
    watch.shows(expected)
    for title in ("Partition", "Watch"):
        watch.page.go_back()
        path = "/" if title == "Watch" else f"/{title.lower()}"
        watch.page.wait_for_function(f"location.pathname === '{path}'")
        watch.settle()
        states_event(watch, event)
        assert parameters(watch)["variant"] == ["9"]
    watch.shows(before)
    for variant in ("9", "3"):
        watch.page.go_forward()
        watch.settle()
        assert parameters(watch)["variant"] == [variant]
    states_event(watch, expected.position)
    watch.shows(expected)


@pytest.mark.slow
def test_a_choice_that_is_not_applied_is_said_on_watch_and_covers_nothing(watch: Lab) -> None:
    watch.go("Partition")
    watch.choose("Variant", "3:")
    watch.go("Watch")
    said = watch.page.get_by_role("status").filter(has_text="Not applied: variant 3. The run still has variant 9.")
    expect(said).to_be_visible()
    box, sentence = (each.bounding_box() for each in (said, watch.stage.locator(".sentence")))
    assert box
    assert sentence
    assert box["y"] + box["height"] <= watch.stage.bounding_box()["y"]
    assert sentence["y"] + sentence["height"] <= watch.page.viewport_size["height"]
    watch.press("Apply it")
    watch.expect_run(variant=3)
    expect(said).to_have_count(0)


@pytest.mark.slow
def test_back_leads_to_what_was_chosen_on_method(watch: Lab) -> None:
    def shows(message: int, words: str) -> None:
        watch.page.wait_for_function(f"new URLSearchParams(location.search).get('message') === '{message}'")
        expect(watch.page.get_by_text(f"message {words}, where")).to_be_visible()
        assert parameters(watch)["part"] == ["rows"]

    watch.open("/method?part=rows&message=2")
    shows(2, "D → A")
    watch.choose("Message", "B → A")
    shows(0, "B → A")
    watch.go("Learn")
    watch.go("Method")
    shows(0, "B → A")
    watch.choose("Message", "D → A")
    shows(2, "D → A")
    for back in (watch.page.go_back, watch.page.go_back):
        back()
        watch.settle()
    shows(0, "B → A")
    for forward in (watch.page.go_forward, watch.page.go_forward):
        forward()
        watch.settle()
    shows(2, "D → A")
    watch.page.reload()
    watch.settle()
    shows(2, "D → A")
