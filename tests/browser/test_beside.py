"""Two runs side by side, as a person sees and uses them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab
from tests.browser.test_compare import race

pytestmark = pytest.mark.browser

# Both runs are drawn and wait for nothing.
AT_REST = """stage.stage.pair.second !== null && !stage.stage.pair.isJoining
    && stage.stage.pair.stages.every(({ status, data }) => status.stateOf() === 'idle' && !data.bar.making)"""


def places(watch: Lab) -> list[int]:
    watch.wait(AT_REST)
    found: list[int] = watch.stage.evaluate("({ stage }) => stage.pair.stages.map(({ player }) => player.position)")
    return found


def rows(watch: Lab) -> list[int]:
    found: list[int] = watch.stage.evaluate("({ stage }) => stage.pair.stages.map(({ data }) => data.bar.now.variant)")
    return found


@pytest.mark.slow
def test_two_variants_are_side_by_side_after_two_choices_and_alone_again_after_one(watch: Lab) -> None:
    watch.page.locator(".stage:not(.second) [data-act=pair]").click()
    watch.wait(AT_REST)
    assert rows(watch) == [9, 11]
    watch.page.locator(".stage.second [name=variant]").select_option("4")
    watch.wait(AT_REST + " && stage.stage.pair.second.data.bar.now.variant === 4")
    before = places(watch)
    # One press steps both.
    watch.stage.locator("[data-step=node]").click()
    after = places(watch)
    assert all(later > earlier for earlier, later in zip(before, after, strict=True))
    expect(watch.stage.locator("[data-out=lead]")).to_have_text(re.compile("^(rows [49] leads by|LB is the same)"))
    expect(watch.page).to_have_url(re.compile(rf"beside=variant%3D4%26at%3D{after[1]}\b"))
    watch.page.reload()
    watch.settle()
    assert (places(watch), rows(watch)) == (after, [9, 4])
    watch.page.keyboard.press("c")
    watch.wait("stage.stage.pair.second === null")
    watch.settle()
    expect(watch.page).not_to_have_url(re.compile("beside="))
    assert watch.position == after[0]


@pytest.mark.slow
def test_any_two_runs_of_a_race_are_watched_side_by_side(watch: Lab) -> None:
    watch.go("Compare")
    race(watch)
    for k in (0, 1):
        watch.select_row(k)
    watch.press("Watch both, side by side")
    watch.wait_for_stage("idle")
    watch.wait(AT_REST)
    assert len(set(rows(watch))) == 2
    assert places(watch) == [0, 0]
