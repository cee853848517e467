"""The stage in a real browser: every control, on the real app."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as Late

import bender_core as bc
from bender_core import looking
from bender_core.io import dumps
from bender_core.kernels.layout import RowKind
from tests.browser.lab import Lab, engine, sample

pytestmark = pytest.mark.browser

# Looks at the stage in every frame: how often, and how often something was missing.
WATCH_FRAMES = """(stage) => {
    const seen = stage.seen = { frames: 0, blank: 0 };
    const look = () => {
        seen.frames += 1;
        const shown = 'svg.hyper > :is(.lines, .circles), .side .pane:not([hidden]) svg';
        const pictures = [...stage.querySelectorAll(shown)];
        const drawn = pictures.every((picture) => picture.childElementCount);
        if (!stage.isConnected || !drawn) seen.blank += 1;
        requestAnimationFrame(look);
    };
    look();
    for (const element of stage.querySelectorAll('.tie, .node, button')) element.marked = true;
}"""


def test_the_app_opens_on_a_pose_and_play_needs_one_click_and_keeps_the_page_whole(watch: Lab) -> None:
    run = engine()
    expect(watch.page).to_have_title("Watch · pose, small · Bender Lab")
    expect(watch.stage).to_have_attribute("data-state", "idle")
    watch.expect_run(model="pose, small", M=8, variant=9, strategy="groups", schedule="mplp")
    expect(watch.stage.locator(".node")).to_have_count(len(run.partition))
    expect(watch.stage.locator(".tie")).to_have_count(len(run.graph.edges))
    watch.shows(run)
    expect(watch.stage.get_by_role("button", name="Play")).to_be_enabled()
    for label in run.partition.labels:
        expect(watch.stage.locator(".node-name").get_by_text(label, exact=True)).to_be_visible()
        expect(watch.stage.get_by_label(label, exact=True)).to_be_visible()
    assert watch.page.evaluate("document.scrollingElement.scrollHeight <= innerHeight"), "nothing to scroll"
    box = watch.stage.bounding_box()
    assert box["y"] + box["height"] <= 800

    watch.page.emulate_media(reduced_motion="no-preference")
    start = watch.shown()
    watch.stage.evaluate(WATCH_FRAMES)
    watch.stage.get_by_role("button", name="Play").click()
    watch.stage.locator("[data-act=speed]").select_option("10")
    watch.wait("stage.dataset.state === 'playing' && Number(stage.dataset.position) > 0")
    expect(watch.stage.locator("[data-out=lower]")).not_to_have_text(start["lower"])
    watch.wait_for_position(60)
    # Where the engine is slow, the player waits for events in between.
    expect(watch.stage.locator("[data-out=state]")).to_have_text("playing")
    watch.stage.get_by_role("button", name="Pause").click()
    watch.wait_for_end()
    run = engine()
    run.run(max_sweeps=1)
    run.seek(watch.position)
    watch.shows(run)
    assert run.lower_bound > engine().lower_bound
    seen = watch.stage.evaluate("(stage) => stage.seen")
    assert seen["frames"] > 10
    assert seen["blank"] == 0
    assert watch.stage.evaluate("(s) => [...s.querySelectorAll('.tie, .node, button')].every((e) => e.marked)")
    stood = watch.shown()
    watch.settle()
    assert watch.shown() == stood


@pytest.mark.slow
def test_two_people_do_not_see_each_other(watch: Lab, new_page: Callable[[], Page]) -> None:
    one, other = watch, Lab(new_page(), watch._settle).open()
    before = other.shown()
    one.click("[data-step=sweep]")
    one.load("tiny")
    one.go("Watch")
    one.expect_run(model="tiny")
    other.click("[data-step=round]")
    other.click("[data-back=round]")
    assert other.shown() == before


# What a person may choose on the stage.
CHOSEN = {"mode": "rounds", "speed": "4", "measure": "loose", "unit": "sweeps"}


@pytest.mark.slow
def test_quick_keys_are_all_taken_and_another_page_and_back_keeps_the_place(watch: Lab) -> None:
    run = engine()
    for key, grain in [("ArrowRight", "round")] * 8 + [("Shift+ArrowRight", "node")] * 2:
        watch.page.keyboard.press(key)
        run.step(grain)
    watch.settle()
    watch.shows(run)
    watch.click(".node[data-node='3']")
    for name, value in CHOSEN.items():
        watch.stage.locator(f"[data-act={name}]").select_option(value)
    watch.click("[data-act=distance]")
    watch.click("button[data-view=both]")
    watch.settle()
    message = watch.text("message")
    before = watch.shown()
    for page in ("Partition", "Instance"):
        watch.go(page)
        watch.go("Watch")
        watch.shows(run)
        assert watch.shown() == before
        assert watch.text("message") == message
        for name, value in CHOSEN.items():
            expect(watch.stage.locator(f"[data-act={name}]")).to_have_value(value)
        for button in ("[data-act=distance]", "button[data-view=both]"):
            expect(watch.stage.locator(button)).to_have_attribute("aria-pressed", "true")
    watch.click("[data-step=node]")
    run.step("node")
    watch.shows(run)
    watch.click("[data-back=node]")
    assert watch.shown() == before


# Presses in one go, which no hand is quick enough for; but with a slow network they arrive as if they were.
AT_ONCE = """(stage, presses) => {
    const link = (title) => [...document.querySelectorAll('a')].find((a) => a.textContent.endsWith(title));
    for (const press of presses) (stage.querySelector(press) ?? link(press)).click();
}"""


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_leaving_right_after_a_step_takes_the_step_along_and_no_press_takes_the_page_away(
    watch: Lab, motion: Literal["reduce", "no-preference"]
) -> None:
    """Also where the step is still in motion."""
    watch.page.emulate_media(reduced_motion=motion)
    run = engine()
    run.step("round")
    watch.stage.evaluate(AT_ONCE, ["[data-step=round]", "Edge"])
    expect(watch.stage).to_have_count(0)
    watch.settle()
    expect(watch.page.get_by_text(re.compile(rf"event {run.position}: [\d,]+ states"))).to_be_visible()
    watch.go("Watch")
    watch.shows(run)
    watch.stage.evaluate(AT_ONCE, ["Learn", "[data-step=node]"])
    expect(watch.stage).to_have_count(0)
    watch.settle()
    expect(watch.page.locator("[data-lesson=friends] .current")).to_be_visible()


@pytest.mark.slow
def test_what_plays_is_kept_where_it_is_left_and_code_that_was_lost_is_sent_again(watch: Lab) -> None:
    watch.go("Method")
    watch.page.evaluate("() => { delete benderLab.stage; }")
    watch.go("Watch")
    expect(watch.stage).to_have_attribute("data-state", "idle")
    watch.stage.locator("[data-act=speed]").select_option("10")
    watch.stage.locator("[data-act=play]").click()
    watch.wait_for_position(3)
    watch.go("Edge")
    watch.go("Watch")
    assert watch.position >= 3
    # The browser's own buttons are not heard of in time to say where it plays, but they lead where they should.
    watch.stage.locator("[data-act=speed]").select_option("10")
    watch.stage.locator("[data-act=play]").click()
    watch.wait_for_position(watch.position + 3)
    watch.page.go_back()
    watch.settle()
    expect(watch.page.get_by_role("combobox", name="Message")).to_be_visible(timeout=60_000)
    watch.page.go_forward()
    watch.settle()
    assert watch.position >= 3


@pytest.mark.slow
def test_a_long_run_can_be_stopped(watch: Lab) -> None:
    watch.go("Instance")
    watch.tab("Generate")
    watch.choose("Family", "Ising grid")
    watch.enter("Rows", "30")
    watch.enter("Columns", "30")
    watch.press("Make it")
    watch.cut(12, "greedy", 11)
    watch.stage.locator("[data-act=run]").click()
    watch.wait("stage.dataset.state === 'running' && /event [1-9]/.test(stage.querySelector('.where').textContent)")
    expect(watch.stage.locator("[data-step=round]")).to_be_disabled()
    # The stage follows, and so does one that is opened while the run goes on.
    line = watch.stage.locator("svg.fan path.lb").get_attribute("d")
    expect(watch.stage.locator("svg.fan path.lb")).not_to_have_attribute("d", line)
    watch.page.get_by_role("link", name="Edge", exact=True).click()
    expect(watch.page.get_by_text("The run continues in the background.")).to_be_visible()
    watch.page.get_by_role("link", name="Watch", exact=True).click()
    watch.wait_for_stage("running")
    line = watch.stage.locator("svg.fan path.lb").get_attribute("d")
    expect(watch.stage.locator("svg.fan path.lb")).not_to_have_attribute("d", line)
    watch.stage.get_by_role("button", name="Stop").click()
    watch.wait_for_end()
    assert watch.position > 0
    assert watch.text("state") == "paused"
    expect(watch.stage.get_by_role("button", name="Play")).to_be_enabled()
    stopped = watch.shown()
    watch.click("[data-step=node]")
    assert watch.position > int(stopped["where"].split()[-1])
    watch.click("[data-back=node]")
    assert watch.shown()["lower"] == stopped["lower"]


def place(lab: Lab, node: int) -> list[float]:
    circle = lab.stage.locator(f".node[data-node='{node}']")
    return [float(circle.get_attribute(name)) for name in ("cx", "cy")]


def meant(lab: Lab) -> list[tuple[str, str, Any]]:
    """Every mark, and what it means."""
    return [(mark["picture"], mark["id"], mark.get("means")) for mark in lab.marks()]


@pytest.mark.slow
def test_a_link_opens_the_same_picture_in_another_browser(watch: Lab, new_page: Callable[[], Page]) -> None:
    watch.load("karate")
    watch.cut(6, "greedy", 4)
    watch.click("[data-step=sweep]")
    watch.click("[data-step=node]")
    # Where a circle was put is a part of the picture.
    free = place(watch, 3)
    watch.stage.locator(".pick").last.focus()
    watch.page.keyboard.press("Tab")
    for _ in range(3):
        watch.page.keyboard.press("Tab")
    expect(watch.stage.locator(".node[data-node='3']")).to_be_focused()
    watch.page.keyboard.press("ArrowDown")
    put = place(watch, 3)
    assert put != free
    watch.click(".node[data-node='3']")
    watch.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    watch.stage.get_by_text("share", exact=True).click()
    watch.stage.locator("[data-act=link]").click()
    expect(watch.stage.locator("[data-act=link]")).to_have_text("copied")
    link = watch.page.evaluate("navigator.clipboard.readText()")
    assert link == watch.page.url
    fresh = Lab(new_page(), watch._settle)
    fresh.open(link)
    assert fresh.shown() == watch.shown()
    message = "[data-out=message]"
    assert fresh.stage.locator(message).inner_text() == watch.stage.locator(message).inner_text()
    assert fresh.run == watch.run
    assert meant(fresh) == meant(watch)
    # The address has five digits of it.
    assert place(fresh, 3) == pytest.approx(put, abs=0.02)
    watch.page.reload()
    watch.settle()
    assert watch.shown() == fresh.shown()
    assert place(watch, 3) == pytest.approx(put, abs=0.02)


@pytest.mark.slow
def test_a_link_that_cannot_be_opened_is_said(page: Page, settle: Callable[[Page], None]) -> None:
    lab = Lab(page, settle).open("/?sample=none&variant=4")
    expect(page.get_by_role("alert")).to_have_text(
        "This link cannot be opened: there is no sample 'none'; the page Instance lists all samples. "
        "Here is a sample instead."
    )
    lab.shows(engine())


@pytest.mark.slow
def test_four_clicks_lead_from_a_file_to_what_helps_most_and_on_with_it(
    page: Page, settle: Callable[[Page], None]
) -> None:
    mrf = sample("karate")
    run = bc.Engine(mrf, bc.partition(mrf, 8), variant=9, excluding=True)
    lab, clicks = Lab(page, settle).open("/instance"), 0
    lab.tab("Upload")
    lab.upload("club.mrf.json", dumps(mrf))
    # To leave before it has arrived is to give it up.
    page.wait_for_function("new URLSearchParams(location.search).has('upload')")

    def click(press: Callable[[], None]) -> None:
        nonlocal clicks
        clicks += 1
        press()

    click(lambda: lab.go("Watch"))
    p, q = run.graph.edges[int(np.argmax(looking.tension(run).edges))]
    labels = run.partition.labels
    most = lab.stage.locator(".part[data-edge]").first
    assert most.get_attribute("aria-label").startswith(f"{labels[p]} – {labels[q]}: ")
    click(lambda: lab.expand("What would help"))
    click(lambda: lab.press("Try them"))
    go_on = page.get_by_role("button", name="Continue with it")
    expect(go_on).to_be_visible(timeout=60_000)
    lab.settle()
    assert clicks <= 4
    expected = bc.what_would_help(run)
    box = page.get_by_role("combobox", name="Go on with", exact=True)
    expect(box).to_have_value(expected[0].name)
    # The menus of the stage have options, too; and this one closes when its part of the page is drawn anew.
    options = page.get_by_role("listbox").get_by_role("option")
    told = list[str]()
    for _ in range(5):
        box.focus()
        box.press("ArrowDown")
        with suppress(Late):
            options.first.wait_for(timeout=5_000)
        told = told or options.all_inner_texts()
        box.press("Escape")
    assert told == [remedy.name for remedy in expected]

    # The fork is the run of the stage: its groups, its bounds, and an address that opens it again.
    address = page.url
    lab.press("Continue with it")
    fork = expected[0].change.fork(run)
    expect(lab.stage.locator(".node")).to_have_count(len(fork.partition))
    lab.settle()
    lab.shows(fork, run.lower_bound)
    lab.click("[data-step=node]")
    fork.step("node")
    lab.shows(fork, run.lower_bound)
    assert page.url != address
    page.reload()
    lab.settle()
    expect(lab.stage.locator(".node")).to_have_count(len(fork.partition))
    lab.wait_for_position(fork.position)
    lab.settle()
    lab.shows(fork, run.lower_bound)
    expect(page.get_by_role("combobox", name="Run", exact=True)).to_have_value(f"fork 1: {expected[0].name}")


@pytest.mark.slow
def test_the_loosest_message_is_found_in_the_list_looked_at_and_the_list_is_there_again(watch: Lab) -> None:
    run = engine()
    watch.click("[data-step=sweep]")
    run.step("sweep")
    watch.stage.get_by_role("button", name="list", exact=True).click()
    table, page = watch.stage.get_by_role("grid"), watch.page
    # Graph, bounds and list are in sight together.
    for part in (watch.stage.locator("svg.hyper"), watch.stage.locator("svg.fan"), table):
        expect(part).to_be_in_viewport(ratio=1)
    table.get_by_role("columnheader", name="slack").click()
    watch.stage.get_by_label("Only messages of groups").fill("wrist")
    mean, labels = looking.tightness(run).mean, run.partition.labels
    wrists = [arc for arc in range(len(mean)) if any("wrist" in labels[group] for group in run.graph.ends(arc))]
    loosest = max(wrists, key=lambda arc: mean[arc])
    p, q = run.graph.ends(loosest)
    expect(watch.stage.locator("[data-out=listed]")).to_have_text(f"{len(wrists)} of {len(mean)} messages")
    watch.wait("stage.stage.list.order[0] === argument && !stage.stage.data.measuring", loosest)
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    expect(table.locator(".line.current .name")).to_have_text(f"{labels[q]} → {labels[p]}")
    expect(watch.stage.locator(".halo.pointed")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(watch.stage.locator(".halo.pinned")).to_have_count(1)
    expect(watch.stage.locator("[data-out=drawer]")).to_have_text(f"{labels[q]} → {labels[p]}")
    watch.settle()
    page.keyboard.press("Enter")
    page.wait_for_url("**/edge*")
    watch.settle()
    expect(page.get_by_role("combobox", name="Message", exact=True)).to_have_value(
        re.compile(f"{labels[q]}.*{labels[p]}")
    )
    watch.go("Watch")
    expect(table.get_by_role("columnheader", name="slack")).to_have_attribute("aria-sort", "descending")
    expect(watch.stage.get_by_label("Only messages of groups")).to_have_value("wrist")
    expect(table.locator(".line.pinned .name")).to_have_text(f"{labels[q]} → {labels[p]}")
    watch.shows(run)
    # A row that is inserted forks the run.
    row = watch.stage.locator(".cuts tr").nth(1)
    watch.wait("stage.stage.drawer.view?.cuts")
    state = watch.stage.evaluate("({ stage }) => stage.drawer.view.cuts[0].state")
    row.get_by_role("button", name="Insert").click()
    expect(watch.stage.locator(".sentence")).to_contain_text("goes on from chapter", timeout=30_000)
    watch.settle()
    watch.shows(run.fork(rows=[bc.RowAt(p, q, state, RowKind.RMC)]))
    expect(watch.stage.locator("[data-out=drawer]")).to_have_text(f"{labels[q]} → {labels[p]}")


SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"


@pytest.mark.slow
def test_a_fork_that_is_asked_for_below_the_stage_comes_into_sight(watch: Lab) -> None:
    watch.click("[data-step=node]")
    watch.page.get_by_text("Runs and forks", exact=True).click()
    watch.page.get_by_role("button", name="Fork here").scroll_into_view_if_needed()
    assert watch.page.evaluate(SCROLLED) > 0
    watch.press("Fork here")
    watch.page.wait_for_function("new URLSearchParams(location.search).has('forks')")
    expect(watch.stage.get_by_role("toolbar")).to_be_in_viewport(ratio=1)
    # The run before, shown again, comes into sight too.
    watch.choose("Run", "first run")
    watch.page.get_by_role("button", name="Show it on the stage").scroll_into_view_if_needed()
    assert watch.page.evaluate(SCROLLED) > 0
    watch.press("Show it on the stage")
    watch.page.wait_for_function("new URLSearchParams(location.search).get('at') !== '0'")
    expect(watch.stage.get_by_role("toolbar")).to_be_in_viewport(ratio=1)
