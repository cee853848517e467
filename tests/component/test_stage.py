"""The stage alone, fed by a run without a server: zoom, axis, tips, colours, late answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core import looking
from pages._shared.app.session import Lab
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import protocol
from pages._shared.watch import stage as feeding
from tests.component.conftest import Tab
from tests.component.mounting import Mounted, Stage
from tests.labs import is_shown, lab

pytestmark = pytest.mark.browser

Watched = Callable[[Lab], Stage]


def lines(stage: Stage) -> list[str]:
    """The look of every line, when the looseness of the edges is measured."""
    stage.wait("!stage.stage.data.measuring")
    return stage.root.locator(".tie").evaluate_all(
        "(all) => all.map((line) => `${line.getAttribute('stroke') ?? 'grey'} ${line.getAttribute('stroke-width')}`)"
    )


def tip(stage: Stage, selector: str) -> list[str]:
    """What is told of something under the pointer."""
    stage.root.locator(selector).dispatch_event("pointerenter", {"clientX": 400, "clientY": 400})
    return stage.root.locator(".tip div").all_inner_texts()


# -- code and data --------------------------------------------------------------------------------------------


def test_a_tab_that_lacks_the_code_asks_for_it(page: Page, watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a script was run again before its first answer had arrived."""
    page.evaluate("() => { delete globalThis.benderLab?.stage; }")
    send = Stage.receive
    monkeypatch.setattr(Stage, "receive", lambda self, data: send(self, data, code=False))
    stage = watched(lab("tiny", 3, 9))
    stage.settle()
    assert [name for name, _ in stage.triggers] == ["missing"]
    expect(stage.root.locator(".node")).to_have_count(len(stage.lab.partition))


def test_nothing_is_seen_before_its_style_has_come(page: Page) -> None:
    """The page is there as soon as Streamlit mounts it; code and style come later."""
    stage = Mounted(page, feeding._component, protocol.Stage)
    expect(stage.root).to_be_hidden()
    stage.receive(feeding.stage_data(lab("tiny", 3, 9)))
    expect(stage.root).to_be_visible()
    assert stage.root.evaluate("(root) => getComputedStyle(root).display") == "grid"


def test_a_stage_without_a_graph_asks_for_all(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the stage is mounted anew while the answer to an earlier one is on its way."""
    send = Stage.receive
    monkeypatch.setattr(Stage, "receive", lambda self, data: send(self, data | {"graph": None}))
    stage = watched(lab("tiny", 3, 9))
    stage.settle()
    ((name, command),) = stage.triggers
    assert (name, command["do"], command["has_graph"]) == ("command", "poll", False)
    expect(stage.root.locator(".node")).to_have_count(len(stage.lab.partition))


def test_a_late_answer_does_not_undo_a_jump(stage: Stage) -> None:
    """While the thumb is dragged an answer to an earlier place comes in, before the new place is asked for."""
    stage.step("sweep")
    end = stage.position
    kept = stage.root.evaluate(
        """({ stage }) => {
            const late = { ...stage.data, position: 30 };
            stage.player.show(20);
            stage.receive(late, stage.pair.send);
            return stage.player.position;
        }"""
    )
    assert kept == 20
    stage.settle()
    assert stage.position == 20 < end


def test_what_is_not_known_yet_is_shown_as_not_known(stage: Stage, run: bc.Engine) -> None:
    """Where events are not held, no number of another event stands in for theirs."""
    stage.step("sweep")
    said = stage.root.evaluate(
        """({ stage }) => {
            for (const k of [...stage.events.stored.keys()]) stage.events.stored.delete(k);
            stage.player.show(150);
            const texts = ["lower", "upper", "gap", "rows"].map((name) => stage.$(`[data-out=${name}]`).textContent);
            return [...texts, stage.$(".where").textContent, stage.$(".sentence").textContent];
        }"""
    )
    assert said == ["…"] * 4 + ["sweep … · event 150", "…"]
    stage.settle()
    run.seek(0)
    run.run(max_events=150)
    assert stage.text("where") == "sweep 1 · event 150"
    assert is_shown(run.lower_bound, stage.text("lower"))


# -- the chart of the bounds ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_zoom_is_kept_over_steps(page: Page, stage: Stage) -> None:
    stage.step("sweep")
    stage.root.locator("[data-act=unit]").select_option("events")
    zoom = "({ stage }) => stage.charts.fan.zoom.range"
    box = stage.root.locator("svg.fan").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    for _ in range(3):
        page.mouse.wheel(0, -120)
    zoomed = stage.root.evaluate(zoom)
    assert zoomed is not None
    for _ in range(10):
        stage.step("event", backward=True)
    assert stage.root.evaluate(zoom) == zoomed
    stage.root.locator("svg.fan").dblclick()
    assert stage.root.evaluate(zoom) is None


def test_keys_zoom_around_the_event_shown(page: Page, stage: Stage) -> None:
    stage.step("sweep")
    end = stage.position
    stage.root.locator("[data-act=unit]").select_option("events")
    stage.root.locator("svg.fan").focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    low, high = stage.root.evaluate("({ stage }) => stage.charts.fan.zoom.range")
    assert (low, high) == (pytest.approx(0.36 * end), end)
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert stage.root.evaluate("({ stage }) => stage.charts.fan.zoom.range") is None


@pytest.mark.slow
def test_bounds_against_sweeps(stage: Stage) -> None:
    for _ in range(2):
        stage.step("sweep")
    along = "({ stage }, event) => stage.charts.fan.along(event)"
    ends = stage.root.evaluate("({ stage }) => stage.history.sweeps")
    assert len(ends) == 2
    stage.root.locator("[data-act=unit]").select_option("sweeps")
    for event, expected in ((0, 0), (ends[0] / 2, 0.5), (ends[0], 1), ((ends[0] + ends[1]) / 2, 1.5), (ends[1], 2)):
        assert stage.root.evaluate(along, event) == pytest.approx(expected)


@pytest.mark.slow
def test_a_loop_is_over_the_sweep_shown(stage: Stage) -> None:
    """Where a sweep has just ended that is the one that led there."""
    for _ in range(2):
        stage.step("sweep")
    first, second = stage.root.evaluate("({ stage }) => stage.history.sweeps")
    for position, expected in ((0, [0, first]), (first, [0, first]), (first + 1, [first, second])):
        stage.root.locator(".scrub").fill(str(position))
        stage.settle()
        stage.click("[data-act=loop]")
        assert stage.root.evaluate("({ stage }) => stage.strip.range") == expected
        stage.click("[data-act=loop]")


# -- tips and colours -----------------------------------------------------------------------------------------


def test_a_line_tells_its_part_of_the_gap_on_hover(stage: Stage, run: bc.Engine) -> None:
    stage.step("sweep")
    run.step("sweep")
    edge = int(looking.tension(run).edges.argmax())
    p, q = run.graph.edges[edge]
    labels = run.partition.labels
    title, part = tip(stage, f".pick[data-edge='{edge}']")
    assert title == f"{labels[p]} – {labels[q]}: {len(looking.rows(run, p, q))} rows"
    said = part.removeprefix("tension: ").removesuffix(" of the gap")
    assert is_shown(looking.tension(run).edges[edge], said)
    stage.root.locator(f".pick[data-edge='{edge}']").dispatch_event("pointerleave")
    expect(stage.root.locator(".tip")).to_be_hidden()


@pytest.mark.slow
def test_the_colours_follow_the_page(stage: Stage) -> None:
    stage.settle()
    light = lines(stage)
    page = "(colour) => document.documentElement.style.setProperty('--st-background-color', colour)"
    stage.page.evaluate(page, "#12181f")
    expect(stage.root).to_have_class(re.compile(r"\bdark\b"))
    assert lines(stage) != light
    stage.page.evaluate(page, "#ffffff")
    expect(stage.root).not_to_have_class(re.compile(r"\bdark\b"))
    assert lines(stage) == light


def test_lines_are_coloured_by_the_measure_chosen(stage: Stage, run: bc.Engine) -> None:
    stage.step("sweep")
    run.step("sweep")
    before = lines(stage)
    for measure, name in (("mean", "mean slack"), ("loose", "tight states")):
        stage.root.locator("[data-act=measure]").select_option(measure)
        stage.settle()
        assert lines(stage) != before
        tightness, arcs = looking.tightness(run), slice(4, 6)
        value = tightness.mean[arcs].max() if measure == "mean" else 100 * tightness.tight_share[arcs].min()
        said = tip(stage, ".pick[data-edge='2']")[-1]
        assert said.startswith(f"{name} at event {run.position}: ")
        assert is_shown(float(f"{value:.6g}"), said.rpartition(": ")[2].removesuffix(" %"))
    # No measure is shown of another event than that of the picture.
    stage.root.evaluate("({ stage }) => { stage.tightness = { ...stage.tightness, at: 3 }; stage.draw(); }")
    assert {line.split()[0] for line in lines(stage)} == {"grey"}
    stage.root.locator("[data-act=measure]").select_option("tension")
    stage.settle()
    assert lines(stage) == before


@pytest.mark.slow
def test_colours_do_not_depend_on_what_was_seen_later(watched: Watched) -> None:
    stage = watched(lab("pose", 8, 9))
    stage.step("round")
    early, position = lines(stage), stage.position
    stage.click("[data-act=run]")
    stage.wait_for_end()
    for place in (200, position):
        stage.root.locator(".scrub").fill(str(place))
        stage.settle()
        assert stage.position == place
    assert lines(stage) == early


def test_a_stage_that_is_taken_away_while_it_waits_asks_for_the_whole(
    tab: Tab, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the connection breaks at that moment; one that waits for nothing has been left."""
    stage = watched(lab("tiny", 3, 9))
    stage.settle()
    tab.take_clock()
    monkeypatch.setattr(stage, "answer", lambda *_: None)
    stage.root.locator("[data-step=sweep]").click()
    stage.page.evaluate("document.querySelector('main').remove()")
    for _ in range(3):
        stage.page.clock.fast_forward(5000)
    said = [(name, value["do"], value["has_graph"]) for name, value in stage.triggers]
    assert said[-2:] == [("command", "poll", False)] * 2


@pytest.mark.slow
def test_a_value_that_is_claimed_in_the_terms_of_the_source_can_occur(watched: Watched) -> None:
    """The weight of a cut of whole weights is whole, whatever the bound is."""
    mrf = replace(
        bc.synth.ising_grid(4, 4, torus=True, coupling="pm1", seed=1),
        objective=bc.Objective("cut weight", "max", -1.0, 0.0),
    )
    part = bc.partition(mrf, 4)
    engines = [bc.Engine(mrf, part, variant=9) for _ in range(2)]
    stage = watched(Lab(mrf, 4, part, 9, "mplp", WatchedRun(engines[0])))
    parted = 0
    while not engines[1].finished:
        engines[1].step("sweep")
        stage.step("sweep")
        lower, upper = engines[1].lower_bound, engines[1].upper_bound
        said = stage.root.locator("[data-out=own]").inner_text()
        found = re.fullmatch(r"cut weight (\d+), at most (\d+)", said)
        assert found is not None, said
        assert (int(found[1]), int(found[2])) == (-upper, -looking.rounded_bound(engines[1]))
        parted += lower < looking.rounded_bound(engines[1]) - 0.01
    assert parted > 0


def test_a_model_without_messages_can_be_watched(watched: Watched) -> None:
    """One group has no edges: nothing to be asked, nothing to be drawn of messages, and no error."""
    mrf = lab("tiny", 3, 9).mrf
    part = bc.manual(mrf, [list(range(mrf.n))])
    stage = watched(Lab(mrf, mrf.n, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9))))
    for _ in range(3):
        stage.step("event")
    expect(stage.root.locator("[data-out=message]")).to_have_text("Message")
    stage.click("[data-act=distance]")
    assert stage.position == 3
