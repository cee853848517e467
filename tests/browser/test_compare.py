"""Runs side by side in a real browser: the chart while it races, its switches, the table, pins and stops."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from bender_core import Engine, partition
from tests.browser.lab import Lab, engine, sample
from tests.labs import is_shown

pytestmark = pytest.mark.browser

FIELD = (4, 9, 11, 12)
# Of a race that goes on until it is stopped.
LONG = "/?sample=pose&M=16&strategy=groups&variant=11&schedule=mplp"


@pytest.fixture
def lab(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle).open("/compare")


def race(lab: Lab) -> None:
    """Race to the end."""
    lab.page.get_by_role("button", name="Race", exact=True).click()
    # For a moment there may be two: of the race that is on, and of the one that is over.
    expect(lab.page.get_by_test_id("stDataFrame").first).to_be_visible()
    expect(lab.page.get_by_role("button", name="Stop the race")).to_have_count(0, timeout=60_000)
    lab.settle()


def chart(lab: Lab) -> Locator:
    return lab.page.locator(".race figure svg")


def lines(lab: Lab) -> Locator:
    return lab.page.locator(".race .lower")


def switch(lab: Lab, name: str) -> None:
    lab.page.locator(".race .bar").get_by_role("button", name=name, exact=True).click()


def key(lab: Lab, name: str) -> Locator:
    return lab.page.locator(".race .keys").get_by_role("button", name=re.compile(f"^{name}"))


def ticks(lab: Lab) -> list[str]:
    return lab.page.locator(".race .tick").all_text_contents()


def moves_on(lab: Lab) -> None:
    """Wait until the chart has more to tell of the run that takes longest."""
    chart = lab.page.locator(".race").element_handle()
    last = f"chart.curves.data.runs[{FIELD.index(11)}].seconds.at(-1)"
    before = chart.evaluate(f"(chart) => {last}")
    lab.page.wait_for_function(f"([chart, before]) => {last} > before", arg=[chart, before])


def test_a_race_shows_what_the_library_computes(lab: Lab) -> None:
    # So wide that all columns are drawn.
    lab.page.set_viewport_size({"width": 1600, "height": 800})
    expect(chart(lab)).to_contain_text("Press Race")
    race(lab)
    expect(lines(lab)).to_have_count(len(FIELD))
    ends = dict(re.findall(r"(\d+): LB (\S+), UB", chart(lab).get_attribute("aria-label")))
    for variant in FIELD:
        run = engine(variant=variant)
        run.run()
        assert is_shown(run.lower_bound, ends[str(variant)])
        name = lab.page.locator("[aria-colindex='1']", has_text=re.compile(f"^{variant}$"))
        row = lab.page.get_by_test_id("stDataFrame").locator("[role=row]").filter(has=name)
        expect(row.locator("[aria-colindex='12']")).to_have_text(str(run.sweep))
        expect(row.locator("[aria-colindex='13']")).to_have_text(str(run.n_rows))
    expect(
        lab.page.get_by_text(re.compile(r"^Variants? \d+.*( tie: they reach| is first: it reaches) the best"))
    ).to_be_visible()
    switch(lab, "rows")
    expect(lines(lab)).to_have_count(2)
    expect(lab.page.locator(".race .how")).to_contain_text("Exact runs have no rows")


@pytest.mark.slow
def test_a_long_race_is_followed_and_stopped_and_nobody_else_sees_it(
    page: Page, new_page: Callable[[], Page], settle: Callable[[Page], None]
) -> None:
    lab = Lab(page, settle).open(LONG)
    lab.go("Compare")
    page.locator(".race").evaluate("(race) => { race.marked = true; race.querySelector('figure svg').marked = true; }")
    page.get_by_role("button", name="Race", exact=True).click()
    expect(page.get_by_text(re.compile(r"of 4 runs have ended; the others have used"))).to_be_visible()
    expect(lines(lab)).to_have_count(len(FIELD))
    switch(lab, "seconds")
    chart(lab).hover(position={"x": 300, "y": 100})
    page.mouse.wheel(0, -100)
    expect(chart(lab).locator(".tick").first).not_to_have_text(re.compile(r"^0(\.0+)?$"))
    # The first news after it finds the chart as wide as it stays.
    moves_on(lab)
    zoomed = ticks(lab)
    moves_on(lab)
    assert ticks(lab) == zoomed
    # Code is sent once.
    assert page.locator(".race").evaluate("(race) => race.curves.data.code") is None
    other = Lab(new_page(), settle).open("/compare")
    expect(chart(other)).to_contain_text("Press Race")
    expect(other.page.get_by_role("button", name="Race", exact=True)).to_be_enabled()
    page.get_by_role("button", name="Stop the race").click()
    expect(page.get_by_role("button", name="Race", exact=True)).to_be_enabled()
    lab.settle()
    expect(page.get_by_test_id("stDataFrame").locator("[role=row]").filter(has_text="stopped").first).to_be_attached()
    assert page.locator(".race").evaluate("(race) => race.marked && race.querySelector('figure svg').marked")
    expect(page.locator(".race [data-x=seconds]")).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_a_run_is_pinned_compared_with_later_and_watched(
    lab: Lab, new_page: Callable[[], Page], settle: Callable[[Page], None]
) -> None:
    lab.load("karate")
    lab.go("Compare")
    race(lab)
    lab.select_row(0)
    keys = lab.page.locator(".race .keys")
    expect(keys.locator("[data-faint]")).to_have_count(len(FIELD) - 1)
    pin = lab.page.get_by_role("button", name=re.compile(r"^Pin \d+"))
    variant = int(pin.inner_text().split()[1])
    lab.press(f"Pin {variant}")
    expect(lab.page.get_by_role("button", name=f"Unpin {variant} · pinned")).to_be_visible()
    # A race of others has it beside them.
    race(lab)
    expect(lines(lab)).to_have_count(len(FIELD) + 1)
    expect(key(lab, f"{variant}: .* · pinned")).to_be_visible()

    later = Lab(new_page(), settle).open("/?sample=karate")
    later.go("Compare")
    later.choose("Runs of earlier sessions, to compare with", f"{variant}:")
    later.page.keyboard.press("Escape")
    expect(lines(later)).to_have_count(1)
    expect(key(later, f"{variant}: .* · earlier")).to_be_visible()
    later.select_row(0)
    later.press(f"Watch {variant} · earlier")
    later.wait_for_stage("idle")
    mrf = sample("karate")
    later.shows(Engine(mrf, partition(mrf, 8), variant=variant))


@pytest.mark.slow
def test_one_link_has_the_model_the_field_and_the_axes(
    lab: Lab, new_page: Callable[[], Page], settle: Callable[[Page], None]
) -> None:
    page = lab.page
    lab.load("karate")
    lab.go("Compare")
    lab.choose("Methods without chosen groups, and external solvers", "MPLP with cycle pursuit")
    page.keyboard.press("Escape")
    for name in ("work", "log", "LB"):
        switch(lab, name)
    page.wait_for_function("new URLSearchParams(location.search).get('drawn') === 'lower'")
    page.wait_for_function("new URLSearchParams(location.search).get('methods') === 'mplp-cp'")
    link = page.url
    lab.go("Watch")
    page.go_back()
    page.wait_for_function("location.pathname === '/compare'")
    lab.settle()
    assert page.url == link
    other = Lab(new_page(), settle).open(link)
    pressed = other.page.locator(".race .bar [aria-pressed=true]")
    expect(pressed).to_have_text(["work", "log", "LB"])
    expect(chart(other)).to_contain_text("Press Race")
    race(other)
    expect(lines(other)).to_have_count(len(FIELD) + 1)
    expect(pressed).to_have_text(["work", "log", "LB"])
    assert other.page.url == link
