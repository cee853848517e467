"""Parts of charts: ticks, colours, and lines that bend around obstacles."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from playwright.sync_api import BrowserContext, Page

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.visualization.styles import GROUP_COLOURS, PALETTE
from pages._shared.app.session import Lab
from pages._shared.watch.stage import stage_data
from tests.component.conftest import ADDRESS
from tests.component.mounting import Stage
from tests.labs import lab
from tests.models import examples

pytestmark = pytest.mark.browser

TICKS = """async ([kind, low, high, wanted]) => {
    const scales = await import('/scales.js');
    return scales[kind].ticks(low, high, wanted);
}"""


@pytest.fixture(scope="module")
def here(bare: BrowserContext) -> Page:
    """A page that all examples share: nothing in it changes."""
    page = bare.new_page()
    page.goto(f"{ADDRESS}/")
    page.evaluate("(palette) => void (globalThis.benderLab = { palette })", PALETTE)
    return page


@pytest.mark.parametrize("proven", [True, False])
def test_only_the_engine_says_that_a_labelling_is_proven(here: Page, proven: bool) -> None:
    """Bounds that are the same number do not, nor does the end of a run."""
    look = """async (proven) => {
        const { isMet, Moment, proofOf } = await import('/stage/play/moment.js');
        const state = { lower: -3, upper: -3, proven, why: proven ? "the bounds meet" : "" };
        const moment = new Moment({ act: 'finish' }, 1, state, state);
        return [proofOf(moment) > 0, isMet(moment, { scale: 10 }), isMet({ ...moment, lower: -4 }, { scale: 10 })];
    }"""
    assert here.evaluate(look, proven) == [proven, proven, False]


def test_a_variable_leaves_a_circle_that_shows_none_with_its_value(here: Page) -> None:
    leaves = """async ([state, bit]) => {
        const { Flow } = await import('/stage/graph/flow.js');
        const before = { moment: { best: [state] }, stage: { graph: { nodes: [{ size: 3 }] } }, radius: 10 };
        return Flow.prototype.unseen.call({ before }, [0, bit], [[0, 0]]).class;
    }"""
    assert [here.evaluate(leaves, [0b011, bit])[-4:] for bit in range(3)] == ["is-1", "is-1", "is-0"]


# Circles of radius 10, and their names.
NAMED = """async (at) => {
    const { placeNames } = await import('/stage/graph/names.js');
    const pane = { at, radius: 10, crowded: false, size: [600, 400], solution: { boxes: [] } };
    const names = placeNames(at.map(() => ({ label: 'a longer name' })), pane, 0, () => true);
    return names.map(({ box, fits }) => [fits, box]);
}"""


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(2, 28), st.integers(2, 18)), min_size=2, max_size=12, unique=True))
def test_a_name_is_nearest_to_its_own_circle(here: Page, places: list[tuple[int, int]]) -> None:
    at = 20.0 * np.array(places)
    for p, (fits, (left, top, right, bottom)) in enumerate(here.evaluate(NAMED, at.tolist())):
        far = np.hypot(*(at - [(left + right) / 2, (top + bottom) / 2]).T)
        assert not fits or far[p] == pytest.approx(far.min())


def value(text: str) -> float:
    """The number that a label says."""
    raised = re.fullmatch(r"10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if raised:
        power = int("".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(digit)) for digit in raised[2]))
        return 10.0 ** (-power if raised[1] else power)
    return float(text.replace("−", "-"))


@settings(max_examples=examples(60))
@example(1.0, 40001.0, 2)
@example(1.0, 799.0, 2)
@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5), st.integers(2, 12))
def test_ticks_are_round_even_and_labelled_as_they_are(here: Page, low: float, length: float, wanted: int) -> None:
    ticks = here.evaluate(TICKS, ["linear", low, low + length, wanted])
    at = np.array([tick for tick, _ in ticks])
    assert 1 <= len(at) <= wanted + 1
    assert (at >= low - 1e-9 * length).all()
    assert (at <= low + length * (1 + 1e-9)).all()
    if len(at) > 1:
        step = at[1] - at[0]
        assert np.diff(at) == pytest.approx(step, rel=1e-6)
        assert float(f"{step:.1e}"[:3]) in (1.0, 2.0, 4.0, 5.0)
        for tick, text in ticks:
            assert value(text) == pytest.approx(tick, abs=1e-3 * step)


def test_counts_have_no_ticks_between_whole_numbers(here: Page) -> None:
    assert here.evaluate(TICKS, ["counts", 0, 2, 8]) == [[0, "0"], [1, "1"], [2, "2"]]
    assert here.evaluate(TICKS, ["counts", 0, 1200, 4]) == [[0, "0"], [500, "500"], [1000, "1000"]]


@pytest.mark.parametrize(("low", "high"), [(-9.3, 4.1), (-1.2, 0.9), (2.05, 2.6), (-0.1, 0.1), (3, 40)])
def test_logarithmic_ticks_are_powers_or_parts_of_them(here: Page, low: float, high: float) -> None:
    ticks = here.evaluate(TICKS, ["logarithmic", low, high, 6])
    assert 2 <= len(ticks) <= 14
    for at, text in ticks:
        assert low - 1e-9 <= at <= high + 1e-9
        assert value(text) == pytest.approx(10**at, rel=1e-2)
        assert high - low < 0.7 or f"{value(text):.0e}"[0] in "125"


@pytest.mark.parametrize("dark", [False, True])
def test_tension_stands_out_more_the_larger_its_share(here: Page, dark: bool) -> None:
    colours = here.evaluate(
        """async ([shares, dark]) => {
            const { tension } = await import('/palette.js');
            return shares.map((share) => tension(share, dark));
        }""",
        [np.linspace(0, 1, 41).tolist(), dark],
    )
    drawn = np.array([[int(part) for part in re.findall(r"\d+", colour)] for colour in colours])
    lightness = drawn @ [0.3, 0.6, 0.1]
    assert (np.diff(lightness if dark else -lightness) > 0).all()


def test_a_line_passes_by_the_circles_in_its_way(here: Page) -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        ends, middle = rng.uniform(100, 500, (2, 2)), rng.uniform(0.2, 0.8)
        length = np.hypot(*(ends[1] - ends[0]))
        if length < 250:
            continue
        across = np.array([-(ends[1] - ends[0])[1], (ends[1] - ends[0])[0]]) / length
        circle = ends[0] + middle * (ends[1] - ends[0]) + rng.uniform(-24, 24) * across
        path = here.evaluate(
            """async (at) => {
                const { bow, pathOf } = await import('/marks/edge.js');
                return pathOf(bow(at, 0, 1, 600));
            }""",
            [*ends.tolist(), circle.tolist()],
        )
        x0, y0, cx, cy, x1, y1 = (float(number) for number in re.findall(r"-?[\d.]+", path))
        t = np.linspace(0, 1, 200)[:, None]
        points = (1 - t) ** 2 * [x0, y0] + 2 * t * (1 - t) * [cx, cy] + t**2 * [x1, y1]
        assert np.hypot(*(points - circle).T).min() > 20


def test_groups_have_the_colours_of_the_library(watched: type[Stage]) -> None:
    stage = watched(lab("pose-small", 8, 9))
    stage.root.locator("button[data-view=both]").click()
    owner = stage.lab.partition.group_of()
    fills = stage.root.locator("circle.variable").evaluate_all("(all) => all.map((dot) => dot.getAttribute('fill'))")
    assert fills == [GROUP_COLOURS[group % len(GROUP_COLOURS)] for group in owner]


# -- merged groups ---------------------------------------------------------------------------------------------

# Every circle on its way to another, in every frame, until half a second after the last one has arrived.
WATCHED = """async (root, told) => {
    const frames = [], { stage } = root;
    let received = false, since = 0;
    const seen = new Promise((over) => {
        const look = () => {
            const moving = stage.marks().filter(({ means }) => means?.what === 'flowing');
            frames.push(moving.map(({ cx, cy, means }) => [cx, cy, means.group]));
            since = !received || stage.panes.flow.isOn ? 0 : since + 1;
            if (since < 30) requestAnimationFrame(look);
            else over();
        };
        look();
    });
    await window.receive(JSON.parse(told));
    received = true;
    await seen;
    return frames;
}"""


def forked(mine: Lab, merge: tuple[int, int]) -> None:
    change = bc.Change(merge=(merge,))
    mine.fork(change, change.fork(mine.run.engine))


def frames_of(stage: Stage) -> list[list[list[float]]]:
    told = json.dumps(stage_data(stage.lab) | {"code": None})
    found: list[list[list[float]]] = stage.root.evaluate(WATCHED, told)
    return found


def places(stage: Stage) -> list[list[float]]:
    found: list[list[float]] = stage.root.evaluate("({ stage }) => stage.panes.at")
    return found


@pytest.mark.slow
def test_the_circles_of_merged_groups_flow_from_where_they_were_into_the_union(
    watched: Callable[[Lab], Stage], page: Page
) -> None:
    page.emulate_media(reduced_motion="no-preference")
    stage = watched(lab("pose-small", 4, 9))
    stage.settle()
    before, groups = places(stage), len(stage.lab.partition)
    forked(stage.lab, (3, 7))
    frames = frames_of(stage)
    after = places(stage)
    assert len(after) == groups - 1
    assert all(len(frame) in (0, groups) for frame in frames)
    seen = [[each for each in frame if each[2] == 3] for frame in frames if frame]
    assert len(seen) > 3
    assert all(len(frame) == 2 for frame in seen)

    def far(frame: Any, ends: list[list[float]]) -> list[float]:
        return [((x - u) ** 2 + (y - v) ** 2) ** 0.5 for (x, y, _), (u, v) in zip(frame, ends, strict=True)]

    assert far(seen[0], [before[3], before[7]]) == pytest.approx([0, 0], abs=1)
    left = [far(frame, [after[3]] * 2) for frame in seen]
    assert all(a[k] >= b[k] - 1e-6 for a, b in itertools.pairwise(left) for k in (0, 1))
    assert max(left[-1]) < 0.1 * max(left[0])
    assert frames[-1] == []
    assert stage.root.locator(".node").count() == groups - 1


@pytest.mark.slow
def test_without_motion_nothing_flows_and_neither_from_a_run_that_was_not_shown(
    watched: Callable[[Lab], Stage], page: Page
) -> None:
    page.emulate_media(reduced_motion="reduce")
    stage = watched(lab("pose-small", 4, 9))
    stage.settle()
    forked(stage.lab, (3, 7))
    assert not any(frames_of(stage))
    page.emulate_media(reduced_motion="no-preference")
    forked(stage.lab, (0, 1))
    forked(stage.lab, (0, 1))
    assert not any(frames_of(stage))


def test_beside_the_bound_of_a_fork_is_that_of_the_run_it_forked_from(watched: Callable[[Lab], Stage]) -> None:
    mine = lab("pose-small", 4, 9)
    mine.run.engine.run(max_sweeps=3)
    mine.run.show(90)
    mine.run.engine.seek(90)
    forked(mine, (3, 7))
    mine.run.engine.run(max_sweeps=2)
    mine.run.show(len(mine.run.engine.trace))
    stage = watched(mine)
    stage.settle()
    drawn = []
    for unit in ("rounds", "events", "sweeps"):
        stage.root.locator("[data-act=unit]").select_option(unit)
        stage.settle()
        meant = [mark.get("means") or {} for mark in stage.marks()]
        drawn.append([means["name"] for means in meant if means.get("what") == "parent"])
    assert drawn == [["first run"]] * 3
    told = stage.root.evaluate("({ stage }) => stage.parent")
    trace = next(iter(mine.branches)).run.engine.trace
    assert told["event"][-1] == len(trace) - 90
    assert told["lower"] == pytest.approx([trace[90 + k - 1].lower_bound for k in told["event"]])
    ends = [k for k, event in enumerate(told["event"]) if trace[90 + event - 1].kind == Kind.SWEEP]
    assert np.diff([told["sweep"][k] for k in ends]) == pytest.approx(1, abs=1e-4)
