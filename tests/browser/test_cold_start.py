"""A first start: nothing is compiled yet, and one can watch all the same; then the run goes on from there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pages._shared.watch.recorded import recording
from tests.browser.lab import Lab, engine
from tests.browser.server import process
from tests.chromium import new_profile

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = ["Instance", "Partition", "Watch", "Cycles", "Edge", "Compare", "Experiments", "Learn", "Game", "Method"]
# Compiling takes minutes on a busy machine.
COMPILED = 900_000


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that finds nothing compiled, wherever it may look."""
    for name in ("BENDER_CACHE_DIR", "TMPDIR"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setenv(name, str(folder))
    with process(tmp_path / "log.txt") as served:
        yield served.url


def drawn(page: Page) -> Lab:
    """The stage in a page, whose scripts need not end before it is used."""

    def settle(_: Page) -> None:
        expect(page.locator(".stage[data-state=idle]")).to_be_visible(timeout=60_000)

    return Lab(page, settle)


def test_the_first_picture_moves_before_the_solver_is_compiled(browser: Browser, url: str) -> None:
    page = new_profile(browser, url).new_page()
    lab, run, last = drawn(page), engine(), recording().events
    waits = page.get_by_role("progressbar", name="Compiling the solver")
    page.goto("/")
    lab.settle()

    # The pages have their names, whatever opens first.
    links = page.get_by_test_id("stTopNavLink")
    expect(links).to_have_count(len(PAGES))
    assert [re.sub(r".*\n", "", text).strip() for text in links.all_inner_texts()] == PAGES

    # It says what it is, and shows an update.
    run.run(max_events=recording().greeting["end"] - 1)
    lab.shows(run)
    page.get_by_role("button", name="watch one update").click()
    for text in ("A promise about every state", "The truth at one state", "A row"):
        expect(page.locator(".captions .now")).to_contain_text(text)
        lab.click("[data-step=event]")
    lab.click("[data-act=reset]")
    run.seek(0)

    # All that is recorded can be stepped through, in both directions.
    lab.shows(run)
    for grain in ("round", "node", "sweep"):
        lab.click(f"[data-step={grain}]")
        run.step(grain)
        lab.wait_for_position(run.position)
        lab.shows(run)
    lab.click("[data-back=node]")
    lab.wait("Number(stage.dataset.position) < argument", run.position)
    run.seek(lab.position)
    lab.shows(run)

    # Another page says that it waits, and the stage is found again as it was left.
    page.get_by_role("link", name="Partition", exact=True).click()
    expect(page.get_by_text("Partition opens once the solver is compiled")).to_be_visible()
    page.get_by_role("link", name="Watch", exact=True).click()
    lab.settle()
    lab.shows(run)

    # What goes beyond is answered by the run, in the very stage that has asked.
    lab.stage.locator("[data-act=measure]").select_option("mean")
    for _ in range(2):
        lab.click("[data-step=sweep]")
    lab.wait_for_position(last)
    lab.stage.evaluate("""(stage) => {
        Object.assign(stage, { places: [], first: stage });
        new MutationObserver(() => stage.places.push(Number(stage.dataset.position)))
            .observe(stage, { attributeFilter: ["data-position"] });
    }""")
    lab.stage.locator("[data-step=node]").click()
    lab.wait_for_stage("waiting")
    expect(lab.stage.locator("[data-out=state]")).to_have_text(re.compile(r"compiling: \d+ of \d+"))
    expect(waits).to_be_visible()
    expect(waits).to_have_count(0, timeout=COMPILED)
    run.run(max_events=last)
    run.step("node")
    lab.wait_for_position(run.position)
    lab.settle()
    lab.shows(run)
    assert lab.stage.evaluate(
        "(stage) => stage.first === stage && stage.places.every((at, k, all) => at >= (all[k - 1] ?? 0))"
    )
    expect(lab.stage.locator("[data-act=measure]")).to_have_value("mean")
    assert f"at={run.position}" in page.url
    expect(page.get_by_text("What would help")).to_be_visible()
    page.context.close()
