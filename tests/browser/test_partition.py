"""Cutting a model: choices, their cost, what is refused, and editing by hand."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from bender_core import partition
from tests.browser.lab import Lab, engine
from tests.labs import sample

pytestmark = pytest.mark.browser


@pytest.fixture
def lab(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle).open("/partition")


def groups(lab: Lab) -> list[str]:
    """The groups as the page lists them."""
    lab.tab("Groups")
    return lab.page.get_by_test_id("stTabs").first.locator("p").filter(has_text=":").all_inner_texts()


def cut_button(lab: Lab) -> Locator:
    return lab.page.get_by_role("button", name="Partition and watch")


@pytest.mark.slow
def test_choices_outlive_a_look_at_another_page_and_a_cut_is_watched_at_once(lab: Lab) -> None:
    lab.set_size(5)
    lab.choose("Strategy", "greedy")
    lab.choose("Variant", "4:")
    lab.go("Watch")
    lab.go("Partition")
    expect(lab.page.locator(".st-key-partition_size input")).to_have_value("5")
    expect(lab.page.get_by_role("combobox", name="Strategy")).to_have_value(re.compile("^greedy"))
    expect(lab.page.get_by_role("combobox", name="Variant")).to_have_value(re.compile("^4:"))
    lab.choose("Strategy", "groups: the paper's")
    expect(lab.page.locator("table.plain")).to_contain_text("28, the largest with 5 variables (32 states)")
    lab.press("Partition and watch")
    lab.expect_run(model="pose, small", M=5, variant=4, strategy="groups", schedule="mplp")
    run = engine(max_size=5, variant=4)
    expect(lab.stage.locator(".node")).to_have_count(len(run.partition))
    lab.shows(run)
    lab.click("[data-step=node]")
    run.step("node")
    lab.shows(run)

    # A model in a single group is solved at once.
    lab.load("tiny")
    lab.cut(max_size=6, strategy="greedy")
    expect(lab.stage.locator(".node")).to_have_count(1)
    lab.click("[data-act=run]")
    lab.wait_for_end()
    assert (lab.text("lower"), lab.text("upper")) == ("−3", "−3")


@pytest.mark.slow
def test_a_comparison_of_bounds_is_stopped_and_what_does_not_fit_is_refused_with_what_would(lab: Lab) -> None:
    lab.load("pose")
    lab.go("Partition")
    lab.tab("Compare strategies")
    lab.enter("Sweeps", "400")
    bound = lab.page.get_by_role("button", name="Run each for 400 sweeps")
    expect(bound).to_be_enabled(timeout=90_000)
    bound.click()
    expect(lab.page.get_by_text(re.compile(r"sweep \d+ of 400, bound −?-?\d"))).to_be_visible()
    stop = lab.page.get_by_role("button", name="Stop")
    stop.click()
    expect(stop).to_have_count(0)
    lab.settle()
    expect(lab.page.get_by_text("Bound: after 400 sweeps by mplp")).to_be_visible()
    expect(bound).to_be_enabled()
    expect(lab.page.get_by_role("progressbar")).to_have_count(0)

    lab.choose("Strategy", "greedy")
    lab.page.locator(".st-key-partition_size input").press("End")
    lab.settle()
    expect(lab.complaint).to_have_count(1)
    said = lab.complaint.inner_text()
    assert "more than the limit of 1 GB" in said
    expect(cut_button(lab)).to_be_disabled()
    fits = int(re.search(r"M = (\d+) would fit", said)[1])
    lab.set_size(fits)
    expect(lab.complaint).to_have_count(0)
    expect(cut_button(lab)).to_be_enabled()
    largest = partition(sample("pose"), fits, "greedy").largest
    expect(lab.page.locator("table.plain")).to_contain_text(f"the largest with {largest} variables")


@pytest.mark.slow
def test_groups_are_edited_by_hand_and_that_is_undone_and_redone(lab: Lab) -> None:
    undo = lab.page.get_by_role("button", name="Undo")
    expect(undo).to_be_disabled()
    start = groups(lab)
    assert len(start) == 14
    lab.edit_by_hand()
    lab.choose("Variable", "head 2")
    lab.choose("to group", "neck")
    lab.press("Move")
    moved = groups(lab)
    assert moved[0] == "head: head 1, head 3, head 4, head 5, head 6"
    assert moved[1].endswith("neck 6, head 2")
    lab.tab("Merge")
    lab.choose("Group", "left hip")
    lab.choose("with group", "left knee")
    lab.press("Merge")
    merged = groups(lab)
    assert len(merged) == 13
    assert any(line.startswith("left hip: ") and line.endswith("left knee 6") for line in merged)
    lab.tab("Split")
    lab.choose("Group", "neck")
    lab.press("Split")
    assert len(groups(lab)) == 14
    expect(lab.complaint).to_have_count(0)
    for earlier in (merged, moved, start):
        lab.press("Undo")
        assert groups(lab) == earlier
    expect(undo).to_be_disabled()

    # A variable may be clicked instead of named.
    lab.tab("Move")
    lab.tab("Variables")
    names = sample("pose-small").names
    circles = lab.page.locator(".st-key-variables .scatterlayer .trace").last.locator(".points path")
    expect(circles).to_have_count(len(names))
    for i in (names.index("left hip 3"), names.index("head 2")):
        circles.nth(i).hover(force=True)
        expect(lab.page.locator(".hovertext")).to_contain_text(names[i])
        circles.nth(i).click(force=True)  # lines and hulls lie above its middle for Playwright
        lab.settle()
        expect(lab.page.get_by_role("combobox", name="Variable", exact=True)).to_have_value(names[i])
    lab.choose("to group", "neck")
    lab.press("Move")
    expect(lab.page.get_by_role("combobox", name="Strategy")).to_have_value("by hand")
    moved = groups(lab)
    assert moved[0] == "head: head 1, head 3, head 4, head 5, head 6"
    assert moved[1].endswith("neck 6, head 2")
    lab.press("Undo")
    assert groups(lab) == start
    expect(lab.page.get_by_role("combobox", name="Strategy")).to_have_value(re.compile("^groups: "))
    lab.press("Redo")
    assert groups(lab) == moved
    expect(lab.page.get_by_role("button", name="Redo", exact=True)).to_be_disabled()
    lab.press("Undo")

    lab.tab("Split")
    lab.press("Split")
    lab.press("Partition and watch")
    expect(lab.stage.locator(".node")).to_have_count(15)
    lab.click("[data-act=run]")
    lab.wait_for_end()
    assert lab.text("lower") == lab.text("upper")


@pytest.mark.slow
def test_a_row_of_the_comparison_is_used(lab: Lab) -> None:
    lab.tab("Compare strategies")
    use = lab.page.get_by_role("button", name=re.compile("^Use"))
    expect(use).to_be_disabled()
    lab.select_row(0)
    lab.press("Use auto with M 4")
    expect(lab.page.get_by_role("combobox", name="Strategy")).to_have_value(re.compile("^auto"))
    expect(lab.page.locator(".st-key-partition_size input")).to_have_value("4")
    reason = partition(sample("pose-small"), 4, "auto").reason.split(",")[0].replace(" %", "\u00a0%")
    expect(lab.page.get_by_text(reason)).to_be_visible()
    lab.press("Undo")
    expect(lab.page.get_by_role("combobox", name="Strategy")).to_have_value(re.compile("^groups: "))
    expect(lab.page.locator(".st-key-partition_size input")).to_have_value("8")
