"""The charts of the stage: what they show is the engine's, in a fixed order, cut and never moved, and adds up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, expect

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from pages._shared.watch import stage as feeding
from tests.chromium import sound_pages, told
from tests.component.conftest import ADDRESS
from tests.component.mounting import Stage
from tests.labs import SessionState, lab

pytestmark = pytest.mark.browser

Mark = dict[str, Any]


def shown(stage: Stage, positions: Sequence[int]) -> list[list[Mark]]:
    """What the charts draw at positions of an update; of every mark also the height of its value, and the frame."""
    stage.jump(positions[-1])
    found: list[list[Mark]] = told(
        stage.root,
        """({ stage }, positions) => positions.map((position) => {
            stage.player.position = position;
            stage.charts.draw(stage.player.moment());
            const { energy, pictures } = stage.charts;
            const height = ({ means }) => (means && 'value' in means ? energy.y(means.value) : null);
            const placed = (mark) => ({ ...mark, height: height(mark), frame: energy.box });
            return pictures.flatMap((picture) => picture.list()).map(placed);
        })""",
        list(positions),
    )
    return found


def meaning(marks: list[Mark], what: str, picture: str) -> list[Mark]:
    """What the marks of a picture mean, of those of some meaning."""
    said = [mark.get("means") or {} for mark in marks if mark["picture"] == picture]
    return [means for means in said if means.get("what") == what]


@pytest.fixture(scope="module")
def run() -> bc.Engine:
    """The run of the stage, two sweeps on."""
    engine = lab("pose-small", 8, 9).run.engine
    engine.run(max_sweeps=2)
    return engine


@pytest.fixture(scope="module")
def stage(bare: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """One stage for all: every test goes to its own places."""
    with pytest.MonkeyPatch.context() as patched, sound_pages(ADDRESS, request.node) as opened:
        patched.setattr(feeding.st, "session_state", SessionState())
        page = opened(bare)
        page.goto("/")
        yield Stage(page, lab("pose-small", 8, 9))


@pytest.fixture(scope="module")
def update(stage: Stage, run: bc.Engine) -> range:
    """The positions of an update with several rounds, from the first to the last; the stage has seen it."""
    # Another test may have gone to the end before.
    stage.root.locator(".scrub").fill("0")
    stage.settle()
    stage.step("sweep")
    stage.step("sweep")
    spans, begin = [], 0
    for event in run.trace:
        if event.kind == Kind.NODE_OPENED:
            begin = event.index
        if event.kind == Kind.MESSAGE and event.sweep == 1:
            spans.append(range(begin + 1, event.index + 2))
    return max((span for span in spans if len(span) < 30), key=len)


@pytest.fixture(scope="module")
def drawn(stage: Stage, update: range) -> list[list[Mark]]:
    """What the charts draw at every position of the update."""
    return shown(stage, update)


# -- the ground -----------------------------------------------------------------------------------------------


def test_the_ground_is_the_engines_at_every_event(drawn: list[list[Mark]], run: bc.Engine, update: range) -> None:
    for position, marks in zip(update[:-1], drawn[:-1], strict=True):
        run.seek(position)
        event, reckoning = looking.last_event(run), looking.open_update(run)
        assert event is not None
        assert reckoning is not None
        ground = looking.ground(run, event.node)
        columns = meaning(marks, "ground", "ground")
        assert columns
        for column in columns:
            assert column["value"] == pytest.approx(ground[column["state"]], rel=1e-6)
        assert event.state in [means["state"] for means in meaning(marks, "y*", "ground")]
        (counter,) = meaning(marks, "suspects", "ground")
        assert counter["value"] == reckoning.suspects
        for what, value in (("floor", reckoning.floor), ("ceiling", reckoning.ceiling)):
            (drawn_at,) = {means["value"] for means in meaning(marks, what, "fan")} or {None}
            assert drawn_at is None if np.isnan(value) else drawn_at == pytest.approx(value, rel=1e-6)


def test_columns_keep_their_order_and_new_states_go_to_their_place(drawn: list[list[Mark]]) -> None:
    order: list[int] = []
    for marks in drawn:
        hits = [mark for mark in marks if mark["picture"] == "ground" and mark["id"].startswith("column ")]
        states = [int(mark["id"].split()[1]) for mark in sorted(hits, key=lambda mark: mark["x"])]
        assert [state for state in states if state in order] == order
        order = states


# -- axes -----------------------------------------------------------------------------------------------------


def test_lines_are_at_their_values_and_within_the_frame(drawn: list[list[Mark]]) -> None:
    """What is off the scale is not drawn as a line at the edge."""
    for marks in drawn:
        for mark in marks:
            if mark["picture"] not in ("ground", "fan") or mark["shape"] not in ("line", "circle"):
                continue
            drawn_at = mark["y1"] if mark["shape"] == "line" else mark["cy"]
            assert mark["frame"]["top"] - 0.1 <= drawn_at <= mark["frame"]["bottom"] + 0.1, mark
            assert mark["height"] is None or drawn_at == pytest.approx(mark["height"]), mark


def test_lb_is_never_drawn_between_its_values(stage: Stage, run: bc.Engine, update: range) -> None:
    shown(stage, [update[-1]])
    values = stage.root.evaluate(
        """({ stage }, end) => {
            const rest = stage.player.moment();
            const found = new Set();
            for (let step = 0; step <= 20; step += 1) {
                const moment = new rest.constructor(rest.scene, step / 20, rest.before, rest.after);
                stage.charts.draw(moment);
                const drawn = stage.charts.fan.picture.list().filter(({ means }) => means?.what === 'lb');
                for (const { means } of drawn) found.add(means.value);
            }
            return [...found];
        }""",
        update[-1],
    )
    passed = run.trace[update[-1] - 1]
    assert sorted(values) == pytest.approx([passed.before, passed.value], rel=1e-6)


# -- numbers --------------------------------------------------------------------------------------------------


def units(text: str) -> int:
    """A number as it is shown, in units of its last digit."""
    return int(text.replace("−", "-").replace(".", ""))


def test_parts_sum_to_the_cost_in_the_digits_shown(drawn: list[list[Mark]]) -> None:
    for marks in drawn:
        *parts, total = meaning(marks, "part", "parts")
        for column in ("before", "value"):
            assert sum(units(part[column]) for part in parts) == units(total[column])


def test_a_cost_is_called_exact_where_the_rows_reach_its_dot(drawn: list[list[Mark]]) -> None:
    called = []
    for marks in drawn:
        total = meaning(marks, "part", "parts")[-1]
        dots = [means["value"] for means in meaning(marks, "exact", "ground") if means["state"] == total["state"]]
        digits = len(total["value"].partition(".")[2])
        reached = [dot for dot in dots if round(dot * 10**digits) == units(total["value"])]
        assert total["name"] == ("exactly" if reached else "at least")
        called.append(total["name"])
    assert "at least" in called
    assert called[-1] == "exactly"


def test_rows_touch_the_truth_at_the_state_asked(drawn: list[list[Mark]]) -> None:
    looked = 0
    for marks in drawn:
        for row in meaning(marks, "row", "message"):
            looked += 1
            (nu,) = meaning(marks, "nu", "message")
            assert row["value"] == pytest.approx(nu["value"], rel=1e-5)
    assert looked


# -- what is exact at all states ------------------------------------------------------------------------------


@pytest.mark.slow
def test_on_request_all_states_have_their_exact_costs_and_no_row_is_above(
    stage: Stage, run: bc.Engine, update: range
) -> None:
    """Kept up through an update, also for states that become columns later."""
    button = stage.root.locator("[data-act=exact]")
    shown(stage, [update[0]])
    button.click()
    p = run.trace[update[0] - 1].node
    run.seek(update[0])
    neighbours, looked = looking.ground_parts(run, p).neighbours.tolist(), 0
    exact = {q: looking.min_marginal(run, p, q) for q in neighbours}
    for position in update[:-1]:
        stage.jump(position)
        stage.wait("stage.stage.charts.exact.of(stage.stage.player.moment().update.y) !== null")
        marks = stage.marks()
        run.seek(position)
        ground = looking.ground(run, p)
        slot = stage.root.evaluate("({ stage }) => stage.charts.message.slot")
        for means in meaning(marks, "nu", "message"):
            assert means["value"] == pytest.approx(exact[neighbours[slot]][means["state"]], abs=1e-4)
            looked += 1
        for means in meaning(marks, "exact, not asked", "ground"):
            state = means["state"]
            cost = (
                looking.ground_parts(run, p).rest
                + looking.ground_parts(run, p).own[state]
                + sum(exact[q][state] for q in neighbours)
            )
            assert means["value"] == pytest.approx(cost, rel=1e-5)
            assert ground[state] <= means["value"] + 1e-4
        for means in meaning(marks, "envelope", "message"):
            assert means["value"] <= exact[neighbours[slot]][means["state"]] + 1e-4
    assert looked > 10 * len(update)
    button.click()
    assert meaning(stage.marks(), "exact, not asked", "ground") == []


# -- labels ---------------------------------------------------------------------------------------------------

# The boxes of texts and of chips, with references beside the curves: left, top, right, bottom. `data` is the frame of
# the curves.
BOXES = """({ stage }, references) => {
    Object.assign(stage.data, { references });
    stage.draw();
    const box = (element) => {
        const { x, y, width, height } = element.getBBox();
        return [x, y, x + width, y + height];
    };
    const all = (selector) => [...stage.root.querySelectorAll(selector)].map(box);
    const { left, right, top, bottom } = stage.charts.fan.box;
    const [width, height] = stage.panes.size;
    return {
        // What is written below the climb at the end lies in the frame.
        names: all('svg.fan text:not([data-mark^=proof])'),
        data: [left, top, right, bottom],
        fan: stage.sizes.of(stage.charts.fan.svg).width,
        chips: all('rect.chip'),
        active: all('text.node-name.active'),
        circles: stage.panes.at.map(([x, y]) => [x, y].map((v) => v - stage.panes.radius)
            .concat([x, y].map((v) => v + stage.panes.radius))),
        pane: [0, 0, width, height],
    };
}"""


def overlap(one: Sequence[float], other: Sequence[float], most: float = 3) -> bool:
    """Whether two boxes share more than some pixels either way: the air above and below letters may."""
    shared = [min(one[k + 2], other[k + 2]) - max(one[k], other[k]) for k in (0, 1)]
    return min(shared) > most


def apart(boxes: Sequence[Sequence[float]]) -> bool:
    return not any(overlap(one, other) for k, one in enumerate(boxes) for other in boxes[:k])


@pytest.mark.slow
def test_labels_lie_beside_the_curves_and_apart(stage: Stage, update: range) -> None:
    """At every event of an update, at the end of the run, and with all that HiGHS adds."""
    for position in (*update, None):
        if position is None:
            stage.click("[data-act=run]")
            stage.wait_for_end()
        else:
            stage.jump(position)
        for references in ([], [{"name": "optimum", "energy": -30.61}, {"name": "variable LP", "energy": -46.2}]):
            seen = stage.root.evaluate(BOXES, references)
            assert seen["names"]
            assert not any(overlap(name, seen["data"]) for name in seen["names"])
            assert max(right for _, _, right, _ in seen["names"]) <= seen["fan"] + 1
            assert apart(seen["names"])


@pytest.mark.slow
def test_chips_are_whole_and_hide_neither_circles_nor_the_name_of_the_group_updated(
    stage: Stage, run: bc.Engine, update: range
) -> None:
    neck = [event.index + 1 for event in run.trace if run.partition.labels[event.node] == "neck"]
    looked = 0
    passed = [event.index + 1 for event in run.trace if event.kind == Kind.MESSAGE and event.sweep == 1]
    for position in (*update[1:], *neck[-12:], *passed):
        stage.jump(position)
        seen = stage.root.evaluate(BOXES, [])
        chips, (_, _, right, bottom) = seen["chips"], seen["pane"]
        looked += len(chips)
        assert len(chips) <= 1 or position not in neck
        cut = [chip for chip in chips if min(chip) < -0.1 or chip[2] > right + 0.1 or chip[3] > bottom + 0.1]
        assert not cut
        assert apart(chips)
        kept_free = [*seen["circles"], *seen["active"]]
        assert not [(chip, box) for chip in chips for box in kept_free if overlap(chip, box)]
    assert looked > len(update)


def ended(stage: Stage, update: range) -> bc.Trace:
    """The stage at the end of its run, and what that has recorded."""
    shown(stage, [update[-1]])
    stage.click("[data-act=run]")
    stage.wait_for_end()
    return stage.lab.run.engine.trace


def test_the_end_shows_the_whole_climb(stage: Stage, update: range) -> None:
    """Over all events, with the room of the costs that there are none of; levels are short numbers."""
    trace = ended(stage, update)
    fan = "stage.charts.fan"
    assert stage.root.evaluate(f"({{ stage }}) => {fan}.range") == [0, len(trace)]
    low, high = stage.root.evaluate("({ stage }) => stage.charts.energy.range")
    lower, upper = trace.column("lower_bound"), trace.column("upper_bound")
    # LB leaps at first; from halfway on all of the climb is in the frame, in most of its height.
    assert low <= lower[len(lower) // 2]
    assert high >= upper[-1]
    assert lower[-1] - lower[len(lower) // 2] >= 0.2 * (high - low)
    expect(stage.root.locator("svg.ground")).to_be_hidden()
    expect(stage.root.locator("figure:is(.edge, .gap)").first).to_be_hidden()
    assert stage.root.evaluate("({ stage }) => stage.sizes.of(stage.charts.fan.svg).width") > 500
    expect(stage.root.locator("svg.fan .proof")).to_have_text("optimal, proven")
    levels = stage.root.locator("svg.fan text.soft").all_text_contents()
    assert all(len(level) < 9 for level in levels if level.startswith("−"))
    # A step back, the costs are there again.
    stage.step("node", backward=True)
    stage.step("node", backward=True)
    expect(stage.root.locator("svg.ground")).to_be_visible()


def test_the_distance_to_the_best_is_an_axis_also_where_the_gap_is_closed(stage: Stage, update: range) -> None:
    trace = ended(stage, update)
    stage.click("[data-act=distance]")
    levels = stage.root.locator("svg.fan [data-mark^=level]").all_text_contents()
    assert levels[-1] == "0"
    assert {"0.1", "1", "10", "100"} <= set(levels)
    lower, upper = trace.column("lower_bound"), trace.column("upper_bound")[-1]
    y = "({ stage }, value) => stage.charts.energy.y(value)"
    heights = [stage.root.evaluate(y, value) for value in (lower[0], upper - 10, upper - 1, upper - 0.1, upper)]
    assert heights == sorted(heights, reverse=True)
    # Equal ratios, equal lengths; and 0 at the top.
    assert heights[1] - heights[2] == pytest.approx(heights[2] - heights[3], rel=1e-3)
    assert heights[-1] == stage.root.evaluate("({ stage }) => stage.charts.energy.box.top")
    expect(stage.root.locator("[data-out=ground]")).to_have_text("Bounds, as distance to UB")
    stage.click("[data-act=distance]")


def test_a_proof_is_shown_at_the_end_of_a_run_that_closed_the_gap(stage: Stage, run: bc.Engine, update: range) -> None:
    proof = stage.root.locator("svg.fan .proof, .ring.proven")
    shown(stage, [update[-1]])
    assert proof.count() == 0
    stage.click("[data-act=run]")
    stage.wait_for_end()
    assert proof.count() == 1 + len(run.partition.labels)
    # The bounds have met before the event that ends the run; a sweep earlier they had not.
    stage.step("event", backward=True)
    assert proof.count() == 1 + len(run.partition.labels)
    stage.step("sweep", backward=True)
    stage.step("sweep", backward=True)
    assert proof.count() == 0


def test_charts_can_be_read_in_a_low_window(stage: Stage, update: range) -> None:
    """As at 200 % zoom: the stage is then higher than the window, which scrolls."""
    usual = stage.page.viewport_size
    assert usual is not None
    stage.page.set_viewport_size({"width": 960, "height": 540})
    shown(stage, [update[-2]])
    seen = stage.root.evaluate(BOXES, [])
    left, top, right, bottom = seen["data"]
    assert bottom - top > 60
    assert right - left > 60
    assert apart(seen["names"])
    _, _, width, height = seen["pane"]
    assert all(min(x0, y0) >= 0 and x1 <= width and y1 <= height for x0, y0, x1, y1 in seen["circles"])
    stage.page.set_viewport_size(usual)
    stage.settle()


def test_energies_have_their_digits_where_no_chart_has_room(stage: Stage, update: range) -> None:
    """Without a number of digits, other pictures would look for it for ever."""
    shown(stage, [update[-2]])
    digits = """({ stage }, room) => {
        stage.root.querySelector('.axis').style.display = room;
        stage.sizes.forget();
        Object.assign(stage.charts.energy, { digits: undefined });
        stage.charts.draw(stage.moment());
        return stage.charts.energy.digits;
    }"""
    assert stage.root.evaluate(digits, "none") == stage.root.evaluate(digits, "") >= 0


@pytest.mark.parametrize("height", [560, 720, 760, 800])
def test_the_note_beside_the_bits_leaves_them_free(stage: Stage, update: range, height: int) -> None:
    """Where not all members have a row, as in these two heights in between."""
    usual = stage.page.viewport_size
    assert usual is not None
    stage.page.set_viewport_size({"width": 1280, "height": height})
    shown(stage, [update[1]])
    note, bits, pane = stage.root.evaluate(
        """({ stage }) => {
            const right = ({ left, right }) => [left, right];
            const all = (selector) => [...stage.root.querySelectorAll(`svg.message ${selector}`)].map(
                (element) => right(element.getBoundingClientRect()));
            return [all('[data-mark^="bits note"]'), all('.state-bit'),
                right(stage.$('.pane.edge').getBoundingClientRect())];
        }"""
    )
    stage.page.set_viewport_size(usual)
    assert bits
    assert note or height not in (720, 760)
    for left, right in note:
        assert left > max(end for _, end in bits)
        assert right < pane[1]
