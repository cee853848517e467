"""The guided tour in a real browser: walked, answered, left and come back to."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core.kernels.layout import Kind
from pages._shared.learn import LESSONS, explaining
from tests.browser.lab import Lab, engine, sample

pytestmark = pytest.mark.browser


@pytest.fixture
def learn(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle)


def said(page: Page) -> dict[str, list[str]]:
    """What the address bar says of the tour."""
    every = parse_qs(urlparse(page.url).query)
    return {name: every[name] for name in ("lesson", "done") if name in every}


def follow(lab: Lab, name: str | re.Pattern[str]) -> None:
    lab.page.locator(".st-key-lesson").get_by_role("link", name=name).click()
    lab.settle()


def shows(lab: Lab, slug: str) -> None:
    """Check that a lesson is there as a whole, and that the address says so."""
    expect(lab.heading).to_have_text(LESSONS[slug].title)
    expect(lab.page.locator(".stPlotlyChart .main-svg").first).to_be_visible()
    expect(lab.page.locator(".verdict")).to_be_visible()
    assert said(lab.page)["lesson"] == [slug]


def answer(lab: Lab, given: float) -> None:
    lab.page.locator(".st-key-lesson input[type=number]").fill(f"{given:g}")
    lab.page.keyboard.press("Enter")
    lab.settle()


def fits_the_window(lab: Lab, slug: str) -> None:
    """Check that nothing of a lesson is wider than the window."""
    for width in (320, 820, 1920, 1280):
        lab.page.set_viewport_size({"width": width, "height": 900})
        shows(lab, slug)
        wide = lab.page.evaluate(
            "[...document.querySelectorAll('.st-key-lesson *')].filter((e) => !e.closest('.stPlotlyChart, input')"
            " && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 200))"
        )
        assert wide == [], f"{slug}, {width}"


@pytest.mark.slow
def test_the_tour_is_walked_to_its_end_and_back(learn: Lab) -> None:
    learn.open("/learn")
    slugs = list(LESSONS)
    for slug in slugs[:-1]:
        shows(learn, slug)
        if slug == "cuts":
            fits_the_window(learn, slug)
        follow(learn, "Next →")
    shows(learn, slugs[-1])
    fits_the_window(learn, slugs[-1])
    follow(learn, "← Back")
    shows(learn, slugs[-2])
    learn.page.go_back()
    learn.settle()
    shows(learn, slugs[-1])
    follow(learn, re.compile(r"^2\. "))
    shows(learn, slugs[1])


@pytest.mark.slow
def test_progress_outlives_a_reload_and_a_new_browser(learn: Lab, new_page: Callable[..., Page]) -> None:
    mrf = sample("tiny")
    least = min(mrf.energy([k >> i & 1 for i in range(mrf.n)]) for k in range(1 << mrf.n))
    learn.open("/learn")
    answer(learn, least - 1)
    expect(learn.page.locator(".verdict.wrong")).to_contain_text("Incorrect.")
    assert "done" not in said(learn.page)
    answer(learn, least)
    expect(learn.page.locator(".verdict.right")).to_contain_text("Right.")
    expect(learn.page.get_by_role("link", name="1. What a MAP problem is ✓")).to_be_visible()
    follow(learn, "Next →")
    learn.page.get_by_text("5", exact=True).click()
    learn.settle()
    expect(learn.page.locator(".verdict.right")).to_be_visible()
    assert said(learn.page) == {"lesson": ["loose"], "done": ["map,loose"]}
    learn.page.reload()
    learn.settle()
    shows(learn, "loose")
    expect(learn.page.get_by_text("Lesson 2 of 11, 2 answered")).to_be_visible()
    address, learn.page = learn.page.url, new_page(learn.page.context)
    learn.open(address)
    expect(learn.page.get_by_text("Lesson 2 of 11, 2 answered")).to_be_visible()


@pytest.mark.slow
def test_a_lesson_opens_where_it_stands(learn: Lab) -> None:
    """One lesson for every page that is opened."""
    run = engine("tiny", 3)
    learn.open("/learn?lesson=envelope")
    slider = learn.page.locator(".st-key-learn-envelope-event input")
    for _ in range(3):
        slider.press("ArrowRight")
    learn.settle()
    learn.press("Open this on Watch")
    run.run(max_events=3)
    learn.shows(run)
    learn.go("Learn")
    shows(learn, "envelope")
    expect(slider).to_have_value("3")
    follow(learn, re.compile(r"^6\. "))
    # The keyboard moves the model.
    expect(learn.page.get_by_text("✓ A bound, and it touches ν")).to_be_visible()
    learn.page.locator(".st-key-learn-row-lift input").press("ArrowRight")
    learn.settle()
    expect(learn.page.get_by_text("✗ Not a bound")).to_be_visible()
    learn.press("Open this on Edge")
    expect(learn.page.get_by_role("combobox", name="Message")).to_have_value("B → A")
    expect(learn.page.get_by_text("a link is a coupling, wider if stronger")).to_be_visible()
    learn.open("/learn?lesson=loose")
    learn.page.get_by_text("pairs across the ring").click()
    learn.settle()
    learn.press("Open this on Partition")
    expect(learn.page.get_by_text("Edit the groups by hand")).to_be_visible()
    learn.go("Watch")
    expect(learn.stage.locator(".node")).to_have_count(5)
    learn.open("/learn?lesson=map")
    learn.press("Open this on Instance")
    expect(learn.heading.first).to_have_text("tiny")


@pytest.mark.slow
def test_the_stage_leads_to_the_lesson_that_explains_it(learn: Lab) -> None:
    run = engine()
    learn.open("/?at=0")
    told = explaining(exact_messages=False)
    seen: dict[Kind, bc.Event] = {}
    for kind in (Kind.ROW, Kind.MESSAGE):
        while kind not in seen:
            (event,) = run.step("event")
            seen[event.kind] = event
    learn.click("[data-step=round]")
    expect(learn.stage.locator(".why")).to_have_text(f"Learn: {told[Kind.ROW].title} →")
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
    # The lesson last seen: the tour goes on where it was left.
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
def test_the_next_lesson_begins_at_its_top_and_a_reload_of_any_page_forgets_no_progress(learn: Lab) -> None:
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    learn.page.set_viewport_size({"width": 390, "height": 844})
    learn.open("/learn")
    answer(learn, -3)
    following = learn.page.get_by_role("link", name="Next →")
    following.scroll_into_view_if_needed()
    assert learn.page.evaluate(scrolled) > 0
    following.click()
    learn.settle()
    shows(learn, "loose")
    assert learn.page.evaluate(scrolled) == 0
    # An address that says nothing of the tour goes on with it, also after another page.
    learn.open("/instance")
    learn.open("/learn")
    expect(learn.page.get_by_text("Lesson 2 of 11, 1 answered")).to_be_attached()
    learn.page.wait_for_function("location.search.endsWith('lesson=loose&done=map')")
    # One that names a lesson opens that.
    learn.open("/learn?lesson=row")
    expect(learn.page.get_by_text("Lesson 6 of 11, 1 answered")).to_be_attached()
    # The address follows the page a moment later.
    learn.page.wait_for_function("location.search.endsWith('lesson=row&done=map')")
