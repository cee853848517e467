"""Going through a run on the stage: by its buttons, keys, scrubber and marks, and by itself."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from pages._shared.watch import stage_answers
from tests.component.conftest import Tab
from tests.component.mounting import Stage
from tests.labs import SlowEngine, is_shown
from tests.tiers import quick, thinned

pytestmark = pytest.mark.browser

GRAINS = ("event", "round", "node", "sweep")


@pytest.mark.parametrize("grain", quick(GRAINS, ["node"]))
def test_stepping_forward_raises_the_bound_and_back_restores_the_picture(
    stage: Stage, run: bc.Engine, grain: str
) -> None:
    pictures, start = [stage.shown()], run.lower_bound
    for _ in range(3):
        stage.click(f"[data-step={grain}]")
        run.step(grain)
        stage.shows(run)
        pictures.append(stage.shown())
    assert run.lower_bound > start or grain in ("event", "round")
    for picture in pictures[-2::-1]:
        stage.click(f"[data-back={grain}]")
        assert stage.shown() == picture
    assert stage.position == 0
    expect(stage.root.locator(f"[data-back={grain}]")).to_be_disabled()
    stage.click(f"[data-step={grain}]")
    assert stage.shown() == pictures[1]


def test_no_press_is_lost(stage: Stage, run: bc.Engine) -> None:
    """However fast they come, and though most have to wait for an answer."""
    for _ in range(5):
        stage.page.keyboard.press("Alt+ArrowRight")
    stage.settle()
    for _ in range(5):
        run.step("sweep")
    stage.shows(run)
    for _ in range(3):
        stage.page.keyboard.press("Alt+ArrowLeft")
    stage.page.keyboard.press("Shift+ArrowRight")
    stage.settle()
    run.seek(stage.root.evaluate("({ stage }) => stage.history.sweeps[1]"))
    run.step("node")
    stage.shows(run)


def test_a_press_that_is_lost_on_the_way_is_made_up_for(
    tab: Tab, stage: Stage, run: bc.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while the connection is down, or if only the answer was lost: then nothing is done twice."""
    tab.take_clock()
    answer, lost = stage.answer, iter([lambda *_: None, lambda *asked: answer(*asked) and None])
    monkeypatch.setattr(stage, "answer", lambda *asked: next(lost, answer)(*asked))
    stage.root.locator("[data-step=sweep]").click()
    for _ in range(2):
        expect(stage.stage).to_have_attribute("data-state", "waiting")
        stage.page.clock.fast_forward(5000)
    stage.settle()
    run.step("sweep")
    stage.shows(run)


@pytest.fixture
def slow(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    """The run, whose steps wait until they are released."""
    stage.settle()
    monkeypatch.setattr(stage_answers, "PATIENCE_SECONDS", 0.05)
    return SlowEngine(stage.lab.run.engine, monkeypatch)


@pytest.mark.slow
def test_a_slow_step_shows_its_progress_and_presses_queue_behind_it(
    stage: Stage, run: bc.Engine, slow: SlowEngine
) -> None:
    keys = stage.page.keyboard
    keys.press("Alt+ArrowRight")
    expect(stage.root.locator("[data-out=state]")).to_have_text(re.compile(r"^computing event \d+"))
    keys.press("Alt+ArrowRight")
    keys.press("Shift+ArrowRight")
    slow.release()
    stage.settle()
    for grain in ("sweep", "sweep", "node"):
        run.step(grain)
    stage.shows(run)


@pytest.mark.slow
def test_a_step_asks_for_what_is_not_held_alone(stage: Stage, run: bc.Engine) -> None:
    """Otherwise it would be computed again, with all that came before."""
    for _ in range(3):
        stage.click("[data-step=node]")
        run.step("node")
    # As if what comes took too long to be computed ahead.
    stage.root.evaluate(
        """({ stage }) => {
            const { stored } = stage.events;
            for (const k of [...stored.keys()]) if (k >= stage.player.position) stored.delete(k);
        }"""
    )
    asked, position = len(stage.triggers), stage.position
    stage.click("[data-step=node]")
    run.step("node")
    stage.shows(run)
    _, step = stage.triggers[asked]
    assert (step["do"], step["at"], step["first"], step["goes_on"]) == ("step", position, position, True)
    stage.click("[data-back=node]")
    run.seek(position)
    stage.shows(run)


@pytest.mark.slow
def test_a_slow_step_goes_on_while_something_else_is_looked_at(stage: Stage, run: bc.Engine, slow: SlowEngine) -> None:
    """Another measure or line: what is pinned meanwhile is known to Python at once."""
    stage.root.locator("[data-step=sweep]").click()
    slow.until_it_waits()
    stage.root.locator("[data-act=measure]").select_option("mean")
    stage.root.locator(".pick").first.focus()
    stage.page.keyboard.press("Enter")
    expect(stage.root.locator("[data-out=state]")).to_have_text(re.compile(r"^computing event \d+"))
    asked = len(stage.triggers)
    stage.wait(
        f"stage.stage.questions.open.arc >= 0 && stage.stage.questions.serial === {stage.triggers[-1][1]['serial']}"
    )
    slow.release()
    stage.settle()
    run.step("sweep")
    stage.shows(run)
    assert {value["do"] for _, value in stage.triggers[:asked]} == {"step"}
    assert (stage.lab.run.pinned, stage.lab.run.arc) == (True, stage.root.evaluate("({ stage }) => stage.arc"))
    stage.wait("stage.stage.tightness?.measure === 'mean'")


@pytest.mark.slow
@pytest.mark.parametrize("jumps", [False, True])
def test_a_slow_step_or_jump_can_be_stopped(stage: Stage, run: bc.Engine, slow: SlowEngine, jumps: bool) -> None:
    """Then the picture is the one before, and all goes on from there."""
    slow.free = 10**6
    stage.click("[data-step=sweep]")
    stage.click("[data-act=reset]")
    before, slow.free = stage.shown(), 0
    # As if the events were too many to be held.
    stage.root.evaluate("({ stage }) => { stage.events.stored.clear(); }")
    if jumps:
        stage.root.evaluate("({ stage }) => stage.player.jump(100)")
    else:
        stage.root.locator("[data-step=sweep]").click()
    stage.root.get_by_role("button", name="Stop").click()
    stage.settle()
    assert stage.shown() == before
    slow.release()
    stage.click("[data-step=node]")
    run.step("node")
    stage.shows(run)


@pytest.mark.slow
def test_a_step_back_to_what_is_not_held_any_more_shows_it(stage: Stage, run: bc.Engine) -> None:
    for _ in range(2):
        stage.click("[data-step=sweep]")
    stage.root.evaluate(
        """({ stage }) => {
            const { stored } = stage.events;
            for (const k of [...stored.keys()]) if (k < stage.player.position - 8) stored.delete(k);
            stage.events.origin = null;
        }"""
    )
    stage.click("[data-back=sweep]")
    run.step("sweep")
    stage.shows(run)
    stage.click("[data-back=sweep]")
    run.seek(0)
    stage.shows(run)


@pytest.mark.slow
def test_no_other_question_takes_the_place_of_one_that_is_open(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two that are sent at once the server sees the later one."""

    def measure(engine: bc.Engine, what: str, stop: bc.Stop) -> None:
        while what != "tension" and not stop():
            time.sleep(0.01)

    monkeypatch.setattr(stage_answers, "edge_tightness", measure)
    stage.root.locator("[data-act=measure]").select_option("mean")
    stage.wait("stage.stage.data.measuring")
    answer, asked = stage.answer, len(stage.triggers)
    monkeypatch.setattr(stage, "answer", lambda *_: None)
    stage.root.locator("[data-step=sweep]").click()
    stage.page.wait_for_timeout(1000)
    assert [value["do"] for _, value in stage.triggers[asked:] if value["do"] != "poll"] == ["step"]
    assert stage.triggers[-1][1]["do"] == "step"
    monkeypatch.setattr(stage, "answer", answer)
    stage.lab.run.halt()


def test_a_step_plays_its_motion_and_another_press_finishes_it(stage: Stage, run: bc.Engine) -> None:
    stage.page.emulate_media(reduced_motion="no-preference")
    stage.root.locator("[data-step=round]").click()
    expect(stage.stage).to_have_attribute("data-state", "moving")
    run.step("round")
    assert stage.position < run.position
    stage.root.locator("[data-step=node]").click()
    run.step("node")
    expect(stage.stage).to_have_attribute("data-state", "moving")
    # Going back plays nothing.
    stage.root.locator("[data-back=event]").click()
    stage.settle()
    run.seek(run.position - 1)
    stage.shows(run)


@pytest.mark.slow
def test_the_bound_is_never_drawn_between_two_values(stage: Stage, run: bc.Engine) -> None:
    """While messages pass it is the old one, then the new one, and the parts of the gap step with it."""
    stage.click("[data-step=node]")
    stage.click("[data-back=event]")
    run.step("node")
    after, before = run.lower_bound, run.trace[run.position - 2].lower_bound
    drawn = stage.root.evaluate(
        """({ stage }) => {
            stage.player.enter({ act: 'pass', from: stage.player.position, to: stage.player.position + 1, ms: 1e9 });
            const seen = [];
            for (let t = 0; t <= 1; t += 0.05) {
                stage.player.t = t;
                stage.draw();
                const marks = stage.marks();
                const parts = marks.filter(({ means }) => means?.what === 'gap part');
                const [{ means: { value } }] = marks.filter(({ means }) => means?.what === 'lb');
                seen.push([value, parts.reduce((sum, { means }) => sum + means.value, 0)]);
            }
            stage.player.jump(0);
            return seen;
        }"""
    )
    assert all(value in (pytest.approx(before), pytest.approx(after)) for value, _ in drawn)
    for value, parts in drawn:
        assert parts == pytest.approx(run.upper_bound - value, rel=1e-5)
    assert [value for value, _ in drawn] == sorted(value for value, _ in drawn)
    stage.settle()


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("mode", thinned(["main", "events"], 2))
def test_playing_without_motion_goes_on_to_the_end_by_itself(stage: Stage, run: bc.Engine, mode: str) -> None:
    """And a frame shows the last of many events."""
    run.run()
    stage.root.evaluate(
        """({ stage }) => {
            const draw = stage.draw.bind(stage);
            window.shown = new Set();
            stage.draw = () => window.shown.add(stage.player.position) && draw();
        }"""
    )
    stage.root.locator("[data-act=speed]").select_option("Infinity")
    stage.root.locator("[data-act=mode]").select_option(mode)
    stage.root.get_by_role("button", name="Play").click()
    stage.wait_for_position(len(run.trace))
    stage.wait_for_end()
    stage.shows(run)
    expect(stage.root.locator("[data-out=state]")).to_have_text("optimal, proven")
    assert stage.page.evaluate("window.shown.size") < len(run.trace) / 2


@pytest.mark.slow
def test_at_the_end_play_begins_again(stage: Stage, run: bc.Engine) -> None:
    run.run()
    stage.click("[data-act=run]")
    stage.wait_for_end()
    play = stage.root.locator("[data-act=play]")
    expect(play).to_have_text("↻ Again")
    stage.root.locator("[data-act=speed]").select_option("0.5")
    play.click()
    stage.wait("stage.dataset.state === 'playing' && 0 < stage.dataset.position && stage.dataset.position < 20")
    play.click()
    stage.settle()
    run.seek(int(stage.root.get_attribute("data-position")))
    stage.shows(run)


def test_running_to_the_end_and_starting_over(stage: Stage, run: bc.Engine) -> None:
    start = stage.shown()
    run.run()
    stage.click("[data-act=run]")
    stage.wait_for_end()
    stage.shows(run)
    assert stage.text("lower") == stage.text("upper")
    assert (stage.text("gap"), stage.text("state")) == ("0, closed", "optimal, proven")
    assert stage.text("sentence").startswith("Finished: the bounds meet.")
    for control in ("[data-act=run]", *(f"[data-step={grain}]" for grain in GRAINS)):
        expect(stage.root.locator(control)).to_be_disabled()
    stage.click("[data-act=reset]")
    assert stage.shown() == start
    stage.click("[data-act=run]")
    stage.wait_for_end()
    stage.shows(run)


def test_scrubbing_by_mouse_and_keyboard(stage: Stage, run: bc.Engine) -> None:
    run.run()
    stage.click("[data-act=run]")
    stage.wait_for_end()
    scrub = stage.root.locator(".scrub")
    box = scrub.bounding_box()
    middle = box["y"] + box["height"] / 2
    stage.page.mouse.move(box["x"] + box["width"] - 8, middle)
    stage.page.mouse.down()
    for share in (0.8, 0.6, 0.4):
        stage.page.mouse.move(box["x"] + share * box["width"], middle)
    stage.page.mouse.up()
    stage.settle()
    assert 0.3 * len(run.trace) < stage.position < 0.5 * len(run.trace)
    run.seek(stage.position)
    stage.shows(run)
    scrub.press("Home")
    stage.settle()
    run.seek(0)
    stage.shows(run)
    scrub.press("End")
    stage.settle()
    run.seek(len(run.trace))
    stage.shows(run)
    for position in (611, 2):
        scrub.fill(str(position))
        stage.settle()
        run.seek(position)
        stage.shows(run)


@pytest.mark.slow
def test_the_keyboard_steps_and_plays(stage: Stage, run: bc.Engine) -> None:
    start = stage.shown()
    for key, grain in (
        (".", "event"),
        ("ArrowRight", "round"),
        ("Shift+ArrowRight", "node"),
        ("Alt+ArrowRight", "sweep"),
    ):
        before = run.position
        stage.page.keyboard.press(key)
        stage.settle()
        run.step(grain)
        assert run.position > before
        stage.shows(run)
    for key in ("Alt+ArrowLeft", "Shift+ArrowLeft", "ArrowLeft", ","):
        stage.page.keyboard.press(key)
        stage.settle()
    assert stage.position == 0
    assert stage.shown() == start
    # Also after a click on another button.
    stage.click("[data-step=event]")
    stage.page.keyboard.press("Space")
    stage.wait_for_position(3)
    expect(stage.stage).to_have_attribute("data-state", "playing")
    stage.page.keyboard.press("Space")
    stage.wait_for_end()
    assert stage.position >= 3


def test_a_question_mark_lists_the_keys_and_holds_the_others(stage: Stage) -> None:
    keys = stage.root.locator("dialog")
    expect(keys).to_be_hidden()
    stage.page.keyboard.press("?")
    expect(keys).to_be_visible()
    stage.page.keyboard.press("Shift+ArrowRight")
    stage.settle()
    assert stage.position == 0
    stage.page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    stage.root.get_by_text("help", exact=True).click()
    stage.root.get_by_role("button", name="all keys").click()
    keys.get_by_role("button", name="Close").click()
    expect(keys).to_be_hidden()


@pytest.mark.slow
def test_the_keyboard_stops_only_at_what_can_be_used(stage: Stage) -> None:
    stage.click("button[data-view=both]")
    stage.click("[data-step=round]")
    usable = "button, summary, a, input, select, [role=button], svg.fan"
    stops = stage.root.evaluate(
        """(stage, usable) => [...stage.querySelectorAll(usable)].filter((each) =>
            each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true })).length""",
        usable,
    )
    # From the first to the last, each of them once.
    stage.root.evaluate(
        """(stage, usable) => {
            stage.visited = new Set();
            stage.addEventListener('focusin', ({ target }) => stage.visited.add(target));
            stage.querySelector('.run select').focus();
        }"""
    )
    for _ in range(stops):
        assert stage.root.evaluate("(stage, usable) => stage.getRootNode().activeElement.matches(usable)", usable)
        stage.page.keyboard.press("Tab")
    assert stage.root.evaluate("(stage) => stage.visited.size") == stops


@pytest.mark.slow
def test_the_marks_lead_to_the_ends_of_updates_and_the_largest_rise(stage: Stage, run: bc.Engine) -> None:
    run.run()
    stage.click("[data-act=run]")
    stage.wait_for_end()
    lower = run.trace.column("lower_bound")
    steepest = int((lower[1:] - lower[:-1]).argmax()) + 2
    sweeps = [event.index + 1 for event in run.trace if event.kind.name == "SWEEP"]
    updates = [event.index + 1 for event in run.trace if event.kind.name == "MESSAGE"]
    assert stage.root.locator(".marks .sweeps").get_attribute("d").count("M") == len(sweeps)
    assert stage.root.evaluate("({ stage }) => stage.history.updates") == updates
    stage.click(".marks .rise")
    assert stage.position == steepest
    run.seek(steepest)
    stage.shows(run)


@pytest.mark.slow
def test_playing_in_a_loop_stays_in_its_range(stage: Stage) -> None:
    stage.click("[data-step=sweep]")
    end = stage.position
    stage.click("[data-back=node]")
    stage.click("[data-act=loop]")
    expect(stage.root.locator(".marks .loop")).to_have_count(1)
    stage.root.locator("[data-act=speed]").select_option("Infinity")
    stage.root.evaluate(
        """(root) => {
            root.seenPlaces = [];
            const look = () => { root.seenPlaces.push(Number(root.dataset.position)); requestAnimationFrame(look); };
            look();
        }"""
    )
    stage.root.get_by_role("button", name="Play").click()
    stage.wait("stage.seenPlaces.filter((at, k, all) => k && at < all[k - 1]).length >= 2")
    stage.root.get_by_role("button", name="Pause").click()
    stage.wait_for_end()
    places = stage.root.evaluate("(root) => root.seenPlaces")
    assert max(places) == end
    stage.click("[data-act=loop]")
    expect(stage.root.locator(".marks .loop")).to_have_count(0)


def open_list(stage: Stage) -> None:
    stage.root.get_by_text("go to", exact=True).click()


def test_the_list_goes_to_moments_and_closes(stage: Stage, run: bc.Engine) -> None:
    """What it goes to is as in the engine, and what is missed is said."""
    open_list(stage)
    buttons = stage.root.locator(".go-to [data-find]")
    expect(buttons).to_have_count(5)
    expect(stage.root.locator("[data-find=largest]")).to_be_disabled()
    stage.root.get_by_label("How much of the gap a large rise closes").select_option("0.01")
    stage.click("[data-find=rise]")
    expect(stage.root.locator(".go-to")).not_to_have_attribute("open", "")
    gap = run.upper_bound - run.lower_bound
    run.step("node")
    while looking.last_event(run).value - looking.last_event(run).before <= 0.01 * gap:
        run.step("node")
    stage.shows(run)
    open_list(stage)
    rises = [event.value - event.before if event.kind == Kind.MESSAGE else 0.0 for event in run.trace]
    expect(stage.root.locator(".go-to [data-out=largest]")).to_contain_text(
        f"event {max(range(len(rises)), key=rises.__getitem__) + 1},"
    )
    stage.click("[data-act=reset]")
    expect(stage.root.locator(".go-to")).not_to_have_attribute("open", "")


def test_keys_go_to_moments(stage: Stage, run: bc.Engine) -> None:
    stage.page.keyboard.press("u")
    stage.settle()
    upper = run.upper_bound
    while run.upper_bound >= upper:
        run.step("event")
    stage.shows(run)
    stage.root.locator("[data-act=share]").evaluate("(choice) => { choice.value = '0.2'; }")
    for _ in range(40):
        before = stage.position
        stage.page.keyboard.press("r")
        stage.settle()
        if stage.position == before:
            break
    assert stage.text("state") == "LB never rises by so much again"
    stage.click("[data-back=event]")
    assert stage.text("state") == "paused"


def test_a_row_is_looked_for_on_the_edge_that_is_pinned(stage: Stage, run: bc.Engine) -> None:
    stage.root.evaluate("({ stage }) => stage.select(6)")
    stage.settle()
    stage.page.keyboard.press("e")
    stage.settle()
    assert stage.root.evaluate("({ stage }) => stage.moment().after.arc >> 1") == 3
    run.seek(0)
    while not run.trace or looking.last_event(run).kind != Kind.ROW or looking.last_event(run).arc // 2 != 3:
        run.step("event")
    stage.shows(run)


def test_the_sentence_speaks_of_the_y_that_the_ground_shows(stage: Stage, run: bc.Engine) -> None:
    """Between two rounds of an update the ground shows the next y*, before its answer."""
    run.step("sweep")
    trace = run.trace
    after_rows = [k for k in range(1, len(trace)) if trace[k].kind == Kind.ORACLE and trace[k - 1].kind == Kind.ROW]
    position = next(k for k in after_rows if trace[k].depth == 0 and trace[k].state != trace[k - 1].state)
    stage.step("sweep")
    stage.jump(position)
    sentence = stage.root.locator(".sentence")
    before = sentence.inner_text()
    said, floor = stage.root.evaluate(
        """({ stage }, at) => {
            const { player } = stage;
            Object.assign(player, { scene: { act: 'floor', from: at, to: at, round: 1, ms: 1600 }, t: 0.5 });
            stage.draw();
            const said = [stage.root.querySelector('.sentence').textContent, stage.moment().update.floor];
            Object.assign(player, { scene: null, t: 1 });
            stage.draw();
            return said;
        }""",
        position,
    )
    y = run.partition.describe(trace[position].node, trace[position].state)
    assert said.startswith(
        f"Sweep 1, {run.partition.labels[trace[position].node]}: the cheapest state is now y* = {y}."
    )
    assert floor == pytest.approx(trace[position].floor)
    assert is_shown(trace[position].floor, said.split()[-1].rstrip("."))
    assert sentence.inner_text() == before


def test_ticks_that_would_crowd_are_thinned_out(stage: Stage) -> None:
    """Of a long run every fifth or tenth sweep has one: they would be a grey bar."""
    apart = stage.root.evaluate(
        """({ stage }) => {
            const { history, player } = stage;
            const sweeps = [...Array(500).keys()].map((k) => 140 * (k + 1));
            Object.assign(stage, { history: { ...history, updates: [], sweeps } });
            player.seen = 70000;
            stage.strip.draw();
            const d = stage.root.querySelector('.marks .ticks.sweeps').getAttribute('d');
            const x = [...d.matchAll(/M([0-9.]+)/g)].map((match) => Number(match[1]));
            return x.slice(1).map((value, k) => value - x[k]);
        }"""
    )
    assert len(apart) > 5
    assert min(apart) > 3.8
