"""Learn in a real browser: read, left and come back to, opened from the stage, and its ways into the app."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core.kernels.layout import Kind
from pages._shared.learn import LESSONS, explaining
from tests.browser.lab import Lab, engine

pytestmark = pytest.mark.browser


@pytest.fixture
def learn(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle)


def addressed(page: Page) -> dict[str, list[str]]:
    """What the address bar says of the progress."""
    every = parse_qs(urlparse(page.url).query)
    return {name: every[name] for name in ("lesson", "done") if name in every}


def shows(lab: Lab, slug: str) -> None:
    """Check that a lesson is at the reading line, drawn, and that the address says so."""
    expect(lab.page.locator(f"[data-lesson={slug}] .step.current")).to_be_visible()
    expect(lab.page.locator(f"[data-lesson={slug}] figure svg > *").first).to_be_attached()
    lab.page.wait_for_function("(slug) => new URLSearchParams(location.search).get('lesson') === slug", arg=slug)


def have_guessed(lab: Lab) -> None:
    """Have the answer shown that a step asks for."""
    for skip in lab.page.locator(".step.current .skip").all():
        skip.evaluate("(button) => button.click()")


def test_it_is_read_by_keys_and_remembered(learn: Lab, new_page: Callable[..., Page]) -> None:
    learn.open("/learn")
    shows(learn, "friends")
    for _ in range(3):
        step = learn.page.locator(".where").inner_text()
        learn.page.keyboard.press("j")
        expect(learn.page.locator(".where")).not_to_have_text(step)
        have_guessed(learn)
    shows(learn, "loop")
    learn.page.get_by_role("button", name="Next step").click()
    learn.page.locator("[data-guess=highest]").get_by_role("button", name="2", exact=True).click()
    learn.page.wait_for_function("location.search.endsWith('lesson=loop&done=loop')")
    learn.page.reload()
    learn.settle()
    shows(learn, "loop")
    address, learn.page = learn.page.url, new_page(learn.page.context)
    learn.open(address)
    shows(learn, "loop")
    # An address that says nothing of it goes on where this browser was, also after another page.
    learn.open("/instance")
    learn.open("/learn")
    learn.page.wait_for_function("location.search.endsWith('lesson=loop&done=loop')")
    shows(learn, "loop")
    learn.open("/learn?lesson=row")
    shows(learn, "row")
    assert addressed(learn.page) == {"lesson": ["row"], "done": ["loop"]}


@pytest.mark.slow
def test_nothing_is_wider_than_the_window(learn: Lab) -> None:
    learn.open("/learn")
    for width in (320, 820, 1920, 1280):
        learn.page.set_viewport_size({"width": width, "height": 900})
        for slug in LESSONS:
            learn.page.locator(f"[data-lesson={slug}] .step").first.scroll_into_view_if_needed()
            wide = learn.page.locator(f"[data-lesson={slug}]").evaluate(
                """(section) => [...section.querySelectorAll('*')]
                    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
                    .map((e) => e.outerHTML.slice(0, 200))"""
            )
            assert wide == [], f"{slug}, {width}"


@pytest.mark.slow
def test_its_ways_into_the_app_open_what_they_promise(learn: Lab, new_page: Callable[..., Page]) -> None:
    learn.open("/learn")
    links = learn.page.locator(".learn a").evaluate_all("(all) => all.map((e) => e.href)")
    assert len(links) == len(set(links)) >= 5
    for link in links:
        there = Lab(new_page(learn.page.context), learn._settle)
        there.open(urlparse(link).path + "?" + urlparse(link).query)
        expect(there.page.locator(".complaint:visible")).to_have_count(0)


@pytest.mark.slow
def test_the_stage_leads_to_the_lesson_that_explains_it(learn: Lab) -> None:
    run = engine()
    learn.open("/?at=0")
    found = explaining(exact_messages=False)
    seen: dict[Kind, bc.Event] = {}
    for kind in (Kind.ROW, Kind.MESSAGE):
        while kind not in seen:
            (event,) = run.step("event")
            seen[event.kind] = event
    learn.click("[data-step=round]")
    expect(learn.stage.locator(".why")).to_have_text(f"Learn: {found[Kind.ROW].title} →")
    learn.stage.locator(".why").click()
    learn.settle()
    shows(learn, "row")
    learn.page.go_back()
    learn.settle()
    assert learn.position == seen[Kind.ROW].index + 1, "the run is where it was left"
    learn.click("[data-step=node]")
    expect(learn.stage.locator(".why")).to_have_attribute("href", "learn?lesson=message")
    learn.stage.get_by_text("help", exact=True).click()
    learn.stage.get_by_role("link", name="tour of the method", exact=True).click()
    learn.settle()
    # The lesson last seen: it goes on where it was left.
    shows(learn, "row")


@pytest.mark.slow
def test_the_stage_leaves_the_address_of_another_page_alone(learn: Lab) -> None:
    """It may be there for a moment after Streamlit went on."""
    learn.open("/?at=0")
    learn.click("[data-step=round]")
    learn.stage.evaluate(
        """(stage) => {
            const push = history.pushState.bind(history);
            history.pushState = (...said) => {
                push(...said);
                stage.querySelector('[data-act=link]').click();
            };
        }"""
    )
    learn.stage.locator(".why").click()
    learn.settle()
    shows(learn, "row")
    learn.page.go_back()
    learn.settle()
    expect(learn.stage).to_be_visible()


@pytest.mark.slow
def test_it_is_read_with_a_finger(learn: Lab) -> None:
    learn.page.set_viewport_size({"width": 390, "height": 844})
    learn.open("/learn")
    for slug in LESSONS:
        section = learn.page.locator(f"[data-lesson={slug}]")
        while not section.locator(".step.current").count():
            step = learn.page.locator(".where").inner_text()
            learn.page.get_by_role("button", name="Next step").click()
            expect(learn.page.locator(".where")).not_to_have_text(step)
            have_guessed(learn)
        # The picture stays above the words.
        expect(section.locator("figure")).to_be_in_viewport()
    drag = learn.page.locator("[data-drag=dan]")
    expect(drag).to_have_text("−3")
    # Below the picture, and above the buttons.
    drag.evaluate("(element) => element.scrollIntoView({ block: 'end', behavior: 'instant' })")
    learn.page.mouse.move(200, 600)
    learn.page.mouse.wheel(0, 150)
    expect(learn.page.locator("[data-lesson=recycle] .step.current")).to_have_count(1)
    box = drag.bounding_box()
    assert box is not None
    learn.page.mouse.move(box["x"] + 10, box["y"] + 10)
    learn.page.mouse.down()
    learn.page.mouse.move(box["x"] + 100, box["y"] + 10, steps=4)
    learn.page.mouse.up()
    expect(drag).not_to_have_text(re.compile("^−3$"))
