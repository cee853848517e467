"""Where lines are many they are drawn on a canvas: what it shows, and what a pointer finds on it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

import bender_core as bc
from bender_core import looking
from tests.component.mounting import Stage
from tests.labs import lab
from tests.watched import Watched

pytestmark = pytest.mark.browser

# The colour at a place of the canvas, in pixels of the picture.
COLOUR = """({ stage }, [x, y]) => {
    const { canvas } = stage.panes.strokes, ratio = devicePixelRatio;
    const [column, row] = [x, y].map((value) => Math.round(value * ratio - 0.5));
    return [...canvas.getContext('2d').getImageData(column, row, 1, 1).data];
}"""


@pytest.fixture
def stage(watched: Callable[[Watched], Stage]) -> Stage:
    stage = watched(lab("pose", 2, 9))
    stage.step("sweep")
    return stage


@pytest.fixture(scope="module")
def engine() -> bc.Engine:
    mine = lab("pose", 2, 9).run.engine
    mine.step("sweep")
    assert len(mine.graph.edges) > 1000
    return mine


@pytest.fixture
def run(engine: bc.Engine) -> bc.Engine:
    """The same run, on this side."""
    engine.seek(int(engine.trace.stops("sweep")[0]))
    return engine


def ties(stage: Stage) -> list[dict[str, Any]]:
    return [mark for mark in stage.marks() if mark["picture"] == "lines"]


def ends(mark: dict[str, Any]) -> list[float]:
    return [float(value) for value in re.findall(r"-?[\d.]+", mark["d"])]


def middle(mark: dict[str, Any]) -> tuple[float, float]:
    x0, y0, x1, y1 = ends(mark)
    return (x0 + x1) / 2, (y0 + y1) / 2


def away(place: tuple[float, float], mark: dict[str, Any]) -> float:
    """The distance of a place from a line."""
    (x, y), (x0, y0, x1, y1) = place, ends(mark)
    dx, dy = x1 - x0, y1 - y0
    u = min(max(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    return float(((x - x0 - u * dx) ** 2 + (y - y0 - u * dy) ** 2) ** 0.5)


def on_screen(stage: Stage, place: tuple[float, float]) -> tuple[float, float]:
    box = stage.root.locator("svg.hyper").bounding_box()
    return box["x"] + place[0], box["y"] + place[1]


@pytest.mark.slow
def test_the_canvas_shows_the_tension_of_every_edge(stage: Stage, run: bc.Engine) -> None:
    """The widest on top, so that it is seen where it runs."""
    drawn, tension = ties(stage), looking.tension(run).edges
    assert stage.root.locator(".tie").count() == 0
    assert [mark["means"]["value"] for mark in drawn] == pytest.approx(tension.tolist(), rel=1e-6, abs=1e-9)
    widest = max(drawn, key=lambda mark: mark["stroke-width"])
    assert widest["stroke-width"] > 2
    colour = [int(part) for part in re.findall(r"\d+", widest["stroke"])]
    assert stage.root.evaluate(COLOUR, middle(widest))[:3] == pytest.approx(colour[:3], abs=1)
    # Where no line runs nothing is drawn.
    corner = stage.root.evaluate(COLOUR, [2, 2])
    assert corner[3] == 0


@pytest.mark.slow
def test_the_canvas_follows_the_run_and_the_measure(stage: Stage, run: bc.Engine) -> None:
    image = "({ stage }) => stage.panes.strokes.canvas.toDataURL()"
    before = stage.root.evaluate(image)
    stage.step("node")
    run.step("node")
    tension = looking.tension(run).edges
    assert [mark["means"]["value"] for mark in ties(stage)] == pytest.approx(tension.tolist(), rel=1e-6, abs=1e-9)
    after = stage.root.evaluate(image)
    assert after != before
    stage.root.locator("[data-act=measure]").select_option("mean")
    stage.settle()
    stage.wait("!stage.stage.data.measuring")
    assert stage.root.evaluate(image) != after
    slack = looking.tightness(run).mean.reshape(-1, 2).max(axis=1)
    assert [mark["means"]["value"] for mark in ties(stage)] == pytest.approx(slack.tolist(), rel=1e-5, abs=1e-6)


def test_a_pointer_finds_the_nearest_line(stage: Stage, run: bc.Engine) -> None:
    drawn, labels = ties(stage), run.partition.labels
    # A place that is clearly nearer to one line than to any other, with no circle above.
    edge, place = next(
        (mark["means"]["edge"], at)
        for mark in drawn
        for at in [middle(mark)]
        if min(away(at, other) for other in drawn if other is not mark) > 2 and is_free(stage, at)
    )
    stage.page.mouse.move(*on_screen(stage, place))
    p, q = run.graph.edges[edge]
    expect(stage.root.locator(".tip")).to_contain_text(f"{labels[p]} – {labels[q]}")
    expect(stage.root.locator(".halo.pointed")).to_have_attribute("d", drawn[edge]["d"])
    for arc in (2 * edge, 2 * edge + 1, -1):
        stage.page.mouse.click(*on_screen(stage, place))
        stage.settle()
        assert stage.root.evaluate("({ stage }) => stage.arc") == arc
    stage.page.mouse.move(*on_screen(stage, (3, 3)))
    expect(stage.root.locator(".tip")).to_be_hidden()
    expect(stage.root.locator(".halo.pointed")).to_have_count(0)
    stage.page.mouse.click(*on_screen(stage, (3, 3)))
    assert stage.root.evaluate("({ stage }) => stage.arc") == -1


@pytest.mark.slow
def test_a_press_picks_the_line_that_is_lit(stage: Stage) -> None:
    """Also between two pixels, where the place of a click, which is rounded, is nearer to another line."""
    drawn, x0, y0 = ties(stage), *on_screen(stage, (0, 0))

    def nearest(x: float, y: float) -> int:
        return min(range(len(drawn)), key=lambda edge: away((x - x0, y - y0), drawn[edge]))

    rounded = (
        (x + 0.9, y + 0.9)
        for mark in drawn
        for x, y in [tuple(int(value) for value in on_screen(stage, middle(mark)))]
        if nearest(x + 0.9, y + 0.9) != nearest(x, y) and is_free(stage, (x + 0.9 - x0, y + 0.9 - y0))
    )
    for place in itertools.islice(rounded, 5):
        stage.page.mouse.move(*place)
        lit = stage.root.evaluate("({ stage }) => stage.panes.pointing.over")
        stage.page.mouse.click(*place)
        stage.settle()
        assert stage.root.evaluate("({ stage }) => stage.arc") == 2 * lit >= 0
        stage.root.evaluate("({ stage }) => stage.select(-1)")
        stage.settle()


@pytest.mark.slow
def test_a_drag_of_the_enlarged_graph_picks_no_line(stage: Stage) -> None:
    for _ in range(4):
        stage.click("[data-zoom='+']")
    drawn = ties(stage)
    width, height = stage.root.evaluate("({ stage }) => stage.panes.size")
    place = next(
        at
        for mark in drawn
        for at in [middle(mark)]
        if 80 < at[0] < width - 80 and 80 < at[1] < height - 80 and is_free(stage, at)
    )
    x, y = on_screen(stage, place)
    stage.page.mouse.move(x, y)
    stage.page.mouse.down()
    stage.page.mouse.move(x + 25, y + 10)
    stage.page.mouse.move(x + 50, y + 20)
    stage.page.mouse.up()
    assert middle(ties(stage)[drawn.index(next(m for m in drawn if middle(m) == place))]) != place
    assert stage.root.evaluate("({ stage }) => stage.arc") == -1


def is_free(stage: Stage, place: tuple[float, float]) -> bool:
    """Whether nothing lies above the lines there."""
    inside = "({ stage }, [x, y]) => stage.root.getRootNode().elementFromPoint(x, y) === stage.panes.svg"
    return bool(stage.root.evaluate(inside, on_screen(stage, place)))
