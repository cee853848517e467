"""Two runs side by side in a bare page: on one clock, and each as it is alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.trying.clock import BEATS, Beat, Clock, entries_read
from pages._shared.app.session import Lab
from pages._shared.watch.stage import obey, stage_data
from pages._shared.watch.stage_answers import Answers
from tests.component.mounting import BOTH_IDLE, Stage
from tests.labs import beside, command, lab
from tests.models import examples

pytestmark = pytest.mark.browser

# Model and M of the first run, and its variant; then variant, M (none: the same groups) and schedule of the second.
PAIRS: list[tuple[tuple[str, int, int], tuple[int, int | None, str]]] = [
    (("pose-small", 8, 9), (11, None, "mplp")),
    (("pose-small", 8, 9), (4, None, "mplp")),
    (("torus-10x10", 6, 12), (9, None, "srmp")),
    (("torus-10x10", 8, 9), (9, 4, "mplp")),
    (("frustrated-cycle", 4, 11), (9, 5, "mplp")),
]
GRAINS = ("event", "round", "sweep")
# Every run beside another takes some seconds.
SOME = [pytest.param(pair, marks=() if k == 0 else pytest.mark.slow, id=str(k)) for k, pair in enumerate(PAIRS)]

# The places of both runs, and their last events.
HELD = """({ stage }) =>
    stage.pair.stages.map(({ events, player }) => [player.position, events.get(player.position - 1)])"""
DECODED = """async (frames) => (await import('/stage/frames.js')).decode(frames).events"""


def pair(which: tuple[tuple[str, int, int], tuple[int, int | None, str]]) -> Lab:
    first, (variant, max_size, schedule) = which
    return beside(lab(*first, max_sweeps=12), variant, max_size, schedule)


def fresh(current: Lab) -> tuple[bc.Engine, bc.Engine]:
    """The same two runs again, each on its own."""
    second = current.branches.beside
    assert second is not None
    one, two = (
        bc.Engine(current.mrf, branch.lineage.partition, branch.lineage.settings)
        for branch in (current.branches.shown, second)
    )
    return one, two


def choose_beat(stage: Stage, beat: Beat) -> None:
    stage.root.locator("[data-act=beat]").select_option(beat)


def alone(stage: Stage, current: Lab) -> list[dict[str, Any]]:
    """The events of a run that is shown alone, decoded as the stage does, by position."""
    run = current.run
    answers = Answers(run)
    obey(run, command("show", first=0, ahead=400, arc=-1), answers)  # type: ignore[arg-type]
    run.work.wait()
    found = answers.tell()[0]["frames"]
    return list(stage.page.evaluate(DECODED, json.loads(json.dumps(found))))


@pytest.mark.parametrize("which", SOME)
@pytest.mark.parametrize("grain", ["node", *(pytest.param(each, marks=pytest.mark.slow) for each in GRAINS)])
def test_each_run_is_event_by_event_as_it_is_alone(
    watched: Callable[[Lab], Stage], which: tuple[tuple[str, int, int], tuple[int, int | None, str]], grain: str
) -> None:
    stage = watched(pair(which))
    first, (variant, max_size, schedule) = which
    name, size, _ = first
    lone = [
        alone(stage, lab(*first, max_sweeps=12)),
        alone(stage, lab(name, max_size or size, variant, schedule, max_sweeps=12)),
    ]
    for _ in range({"sweep": 2, "node": 6}.get(grain, 9)):
        stage.step_both(grain)
        for known, (position, event) in zip(lone, stage.root.evaluate(HELD), strict=True):
            if 0 < position <= len(known):
                assert event == known[position - 1]


@pytest.mark.parametrize("which", SOME)
@pytest.mark.parametrize("beat", BEATS)
def test_steps_by_group_keep_both_on_the_clock(
    watched: Callable[[Lab], Stage], which: tuple[tuple[str, int, int], tuple[int, int | None, str]], beat: Beat
) -> None:
    current = pair(which)
    stage, runs = watched(current), fresh(current)
    choose_beat(stage, beat)
    for _ in range(6):
        stage.step_both("sweep" if beat == "sweep" else "node")
        Clock(runs, beat).advance()
        assert stage.positions == [run.position for run in runs]


def updates(run: bc.Engine, position: int) -> tuple[int, bool]:
    """How many updates have ended, and whether another one is open."""
    kinds = run.trace.column("kind")[:position]
    return int((kinds == Kind.MESSAGE).sum()), position > 0 and bool(kinds[-1] < Kind.MESSAGE)


@pytest.mark.slow
@pytest.mark.parametrize("which", SOME[:3])
def test_neither_begins_an_update_before_the_other_has_ended_the_one_before(
    watched: Callable[[Lab], Stage], which: tuple[tuple[str, int, int], tuple[int, int | None, str]]
) -> None:
    current = pair(which)
    stage, second = watched(current), current.branches.beside
    choose_beat(stage, "node")
    assert second is not None
    assert second.run is not None
    runs = current.run.engine, second.run.engine

    @settings(max_examples=examples(4), suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.tuples(st.sampled_from(("event", "round", "node")), st.booleans()), min_size=1, max_size=12))
    def walk(steps: list[tuple[str, bool]]) -> None:
        for grain, backward in steps:
            stage.step_both(grain, backward and min(stage.positions) > 0)
            (one, one_open), (two, two_open) = (updates(*each) for each in zip(runs, stage.positions, strict=True))
            # With an update open, a run has ended no more of them than the other, or is one ahead of a closed one.
            assert abs((one + one_open) - (two + two_open)) <= 1
            assert one == two or (abs(one - two) == 1 and not (one_open if one > two else two_open))

    walk()


@pytest.mark.parametrize("which", SOME)
def test_with_equal_work_the_one_that_has_read_less_goes_next(
    watched: Callable[[Lab], Stage], which: tuple[tuple[str, int, int], tuple[int, int | None, str]]
) -> None:
    current = pair(which)
    stage, runs = watched(current), fresh(current)
    choose_beat(stage, "work")
    before, most = [0, 0], [0, 0]
    for _ in range(12):
        stage.step_both("node")
        for k, (run, position) in enumerate(zip(runs, stage.positions, strict=True)):
            run.run(max_events=position)
            now = entries_read(run)
            most[k] = max(most[k], now - before[k])
            before[k] = now
        if any(run.finished for run in runs):
            break
        assert abs(before[0] - before[1]) <= max(most)


@pytest.mark.parametrize("which", SOME)
@pytest.mark.parametrize("beat", BEATS)
def test_both_go_where_their_bounds_first_differ_and_where_the_other_one_leads_next(
    watched: Callable[[Lab], Stage], which: tuple[tuple[str, int, int], tuple[int, int | None, str]], beat: Beat
) -> None:
    current = pair(which)
    stage, runs = watched(current), fresh(current)
    choose_beat(stage, beat)
    clock = Clock(runs, beat)
    for where, go in (("difference", clock.to_first_difference), ("lead", clock.to_next_lead)):
        before, is_there = stage.positions, go()
        stage.act("root.querySelector(`[data-act=${argument}]`).click()", where, BOTH_IDLE)
        assert stage.positions == ([run.position for run in runs] if is_there else before)
        said = stage.root.locator("[data-out=lead]").inner_text()
        assert said.startswith(("LB is the same in both to the end", "the other run never")) == (not is_there)


def test_the_next_lead_is_a_place_of_the_clock_also_if_one_is_ahead(watched: Callable[[Lab], Stage]) -> None:
    current = pair(PAIRS[0])
    stage, runs = watched(current), fresh(current)
    stage.step_both("round")
    for run, position in zip(runs, stage.positions, strict=True):
        run.run(max_events=position)
    for _ in range(3):
        assert Clock(runs, "node").to_next_lead()
        stage.act("root.querySelector('[data-act=lead]').click()", None, BOTH_IDLE)
        assert stage.positions == [run.position for run in runs]
        (one, one_open), (two, two_open) = (updates(run, run.position) for run in runs)
        assert one == two
        assert not one_open
        assert not two_open


def test_both_ask_for_a_place_together_also_if_one_still_awaits_an_answer(watched: Callable[[Lab], Stage]) -> None:
    current = pair(PAIRS[0])
    stage, runs = watched(current), fresh(current)
    assert Clock(runs, "node").to_first_difference()
    alone = "const { player } = stage.pair.second; player.step('sweep', false); if (!player.awaited) throw Error()"
    stage.act(f"{alone}; root.querySelector('[data-act=difference]').click()", None, BOTH_IDLE)
    assert stage.positions == [run.position for run in runs]


def test_a_jump_drops_the_presses_that_still_wait(watched: Callable[[Lab], Stage]) -> None:
    stage = watched(pair(PAIRS[0]))
    alone = "const { player } = stage.pair.second; player.step('sweep', false); if (!player.awaited) throw Error()"
    search = "root.querySelector('[data-act=difference]').click()"
    stage.act(f"{alone}; {search}; stage.player.jump(0)", None, BOTH_IDLE)
    assert stage.positions == [0, 0]


def test_a_jump_while_both_play_stops_both_at_one_place(watched: Callable[[Lab], Stage]) -> None:
    current = pair(PAIRS[0])
    stage, second = watched(current), current.branches.beside
    for _ in range(2):
        stage.step_both("sweep")
    stage.act("stage.pair.clock.play(); stage.player.jump(argument)", 20, BOTH_IDLE)
    assert second is not None
    assert second.run is not None
    assert stage.position == 20
    assert second.run.place == current.run.place


@pytest.mark.slow
def test_both_play_and_wait_for_each_other(watched: Callable[[Lab], Stage]) -> None:
    current = pair(PAIRS[0])
    stage, second = watched(current), current.branches.beside
    assert second is not None
    stage.root.locator("[data-act=speed]").select_option("Infinity")
    seen = stage.root.evaluate("""({ stage }) => new Promise((done) => {
        const seen = [];
        const look = () => {
            seen.push(stage.pair.stages.map(({ player }) => player.position));
            if (seen.length < 90) requestAnimationFrame(look);
            else { stage.pair.clock.pause(); done(seen); }
        };
        stage.pair.clock.play();
        look();
    })""")
    assert second.run is not None
    assert max(max(each) for each in seen) > 20
    for one, two in seen:
        ended = [updates(run.engine, at)[0] for run, at in ((current.run, one), (second.run, two))]
        assert abs(ended[0] - ended[1]) <= 1


def test_a_step_of_both_begins_to_move_once_both_answers_are_there(watched: Callable[[Lab], Stage]) -> None:
    stage = watched(pair(PAIRS[0]))
    stage.page.emulate_media(reduced_motion="no-preference")
    waiting, going = stage.root.evaluate("""async ({ stage: { pair } }) => {
        const [one, two] = pair.stages.map(({ player }) => player);
        const frames = async (count) => {
            for (let k = 0; k < count; k += 1) await new Promise(requestAnimationFrame);
            return one.t;
        };
        two.awaited = { grain: "round" };
        one.step("round", false);
        const waiting = [one.moving !== null, await frames(4)];
        two.awaited = null;
        return [waiting, await frames(4)];
    }""")
    assert waiting == [True, 0]
    assert going > 0


def test_both_draw_one_message_and_one_axis(watched: Callable[[Lab], Stage]) -> None:
    stage = watched(pair(PAIRS[0]))
    for _ in range(4):
        stage.step_both("round")
        arcs, ranges, shared = stage.root.evaluate("""({ stage }) => [
            stage.pair.stages.map(({ charts }) => charts.message.arc),
            stage.pair.stages.map(({ charts }) => charts.energy.range),
            stage.pair.isSameUpdate,
        ]""")
        assert shared
        assert arcs[0] == arcs[1] >= 0
        assert ranges[0] == ranges[1]


def test_a_jump_takes_the_other_run_along(watched: Callable[[Lab], Stage]) -> None:
    current = pair(PAIRS[0])
    stage = watched(current)
    for at in (90, 4, 75, 0):
        stage.act("stage.player.jump(argument)", at, BOTH_IDLE)
        second = current.branches.beside
        assert second is not None
        assert second.run is not None
        assert second.run.place == current.run.place


def test_alone_again_it_is_as_before(watched: Callable[[Lab], Stage]) -> None:
    current = lab("pose-small", 8, 9)
    stage = watched(current)
    stage.step("round")
    stage.settle()
    before = stage.marks()
    stage.receive(stage_data(beside(current, 11)))
    assert stage.root.evaluate("({ stage }) => stage.pair.second !== null")
    current.branches.beside = None
    stage.receive(stage_data(current))
    stage.settle()
    assert stage.root.evaluate("({ stage }) => stage.pair.second === null")
    assert stage.marks() == before


def test_the_address_names_the_second_run_while_there_is_one(watched: Callable[[Lab], Stage]) -> None:
    current = lab("pose-small", 8, 9)
    current.origin = {"sample": "pose-small"}
    stage = watched(current)
    stage.receive(stage_data(beside(current, 11)))
    stage.act("stage.player.jump(argument)", 3, BOTH_IDLE)
    assert "beside=" in stage.page.url
    current.branches.beside = None
    # The stage has the picture of the first run already: nothing comes but that it is alone.
    stage.receive({name: value for name, value in stage_data(current).items() if name != "frames"})
    assert "beside=" not in stage.page.url


def test_the_lines_of_the_other_run_are_named_as_such(watched: Callable[[Lab], Stage]) -> None:
    stage = watched(pair(PAIRS[0]))
    names: list[list[str]] = [[]]
    others: list[str] = []
    for _ in range(12):
        stage.step_both("round")
        names, others = stage.root.evaluate(
            """({ stage }) => {
                const { stages } = stage.pair;
                const marks = stages.map(({ charts }) => charts.message.picture.list());
                return [marks.map((all) => all.filter(({ id }) => id === 'beside name').map(({ text }) => text)),
                    stages.map((each) => stage.pair.other(each).data.clocked.name)];
            }"""
        )
        if all(names):
            break
    assert names == [[f"━ the other run, {name}"] for name in others]
