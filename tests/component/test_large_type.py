"""Large windows enlarge the page's type and its pictures: everything is still where a pointer or a finger is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.component.mounting import Stage
from tests.labs import lab
from tests.watched import Watched

pytestmark = pytest.mark.browser

SCALE = 1.25
PLACE = """(stage, p) => {
    const { x, y, width, height } = stage.querySelector(`.node[data-node='${p}']`).getBoundingClientRect();
    return [x + width / 2, y + height / 2];
}"""


@pytest.fixture
def large(page: Page, watched: Callable[[Watched], Stage]) -> Callable[[Watched], Stage]:
    page.evaluate("(size) => void (document.documentElement.style.fontSize = size)", f"{16 * SCALE}px")
    return watched


@pytest.fixture
def stage(large: Callable[[Watched], Stage]) -> Stage:
    return large(lab("pose-small", 8, 9))


def place(stage: Stage, node: int) -> tuple[float, float]:
    x, y = stage.root.evaluate(PLACE, node)
    return x, y


def test_pictures_and_words_grow_alike(stage: Stage) -> None:
    for name in ("hyper", "ground", "fan", "message", "gaps"):
        matrix = stage.root.locator(f"svg.{name}").evaluate("(svg) => [svg.getScreenCTM().a, svg.getScreenCTM().d]")
        assert matrix == pytest.approx([SCALE, SCALE]), name
    expect(stage.root.locator(".status")).to_have_css("font-size", f"{16 * SCALE:g}px")
    inside = stage.root.evaluate(
        """(stage) => {
            const pane = stage.querySelector('svg.hyper').getBoundingClientRect();
            return [...stage.querySelectorAll('.node')].every((node) => {
                const { left, right, top, bottom } = node.getBoundingClientRect();
                return left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom;
            });
        }"""
    )
    assert inside


def test_a_circle_follows_the_pointer(stage: Stage) -> None:
    x, y = place(stage, 4)
    stage.page.mouse.move(x, y)
    stage.page.mouse.down()
    stage.page.mouse.move(x + 30, y + 10)
    stage.page.mouse.move(x + 60, y + 30)
    stage.page.mouse.up()
    assert place(stage, 4) == pytest.approx((x + 60, y + 30), abs=1)


def test_the_wheel_enlarges_around_the_pointer_and_a_drag_moves_as_far(stage: Stage) -> None:
    x, y = place(stage, 4)
    stage.page.mouse.move(x, y)
    stage.page.mouse.wheel(0, -100)
    assert place(stage, 4) == pytest.approx((x, y), abs=1)
    free = stage.root.evaluate(
        """(stage) => {
            const svg = stage.querySelector('svg.hyper'), { x, y, width, height } = svg.getBoundingClientRect();
            for (let k = 0.2; k < 0.8; k += 0.05) for (let m = 0.2; m < 0.8; m += 0.05) {
                const at = [x + k * width, y + m * height];
                if (stage.getRootNode().elementFromPoint(...at) === svg) return at;
            }
        }"""
    )
    stage.page.mouse.move(*free)
    stage.page.mouse.down()
    stage.page.mouse.move(free[0] - 20, free[1] - 8)
    stage.page.mouse.move(free[0] - 40, free[1] - 15)
    stage.page.mouse.up()
    assert place(stage, 4) == pytest.approx((x - 40, y - 15), abs=1)


@pytest.mark.slow
def test_the_canvas_is_as_fine_as_the_screen_and_has_its_lines_where_the_circles_are(
    large: Callable[[Watched], Stage],
) -> None:
    stage = large(lab("pose", 2, 9))
    stage.step("sweep")
    canvas = stage.root.locator("canvas.ties")
    width, shown = canvas.evaluate("(canvas) => [canvas.width, canvas.getBoundingClientRect().width]")
    assert width == pytest.approx(shown, abs=1)
    # The widest line, whose middle is on the canvas where the circles at its ends say.
    reached = stage.root.evaluate(
        """({ stage }) => {
            const { strokes, at } = stage.panes;
            const widest = strokes.list().toSorted((a, b) => b['stroke-width'] - a['stroke-width'])[0];
            const [p, q] = stage.graph.edges[widest.means.edge];
            const middle = [0, 1].map((k) => ((at[p][k] + at[q][k]) / 2) * 1.25 * devicePixelRatio);
            const [x, y] = middle.map((value) => Math.round(value - 0.5));
            return [widest.stroke, [...strokes.canvas.getContext('2d').getImageData(x, y, 1, 1).data]];
        }"""
    )
    colour = [int(part) for part in reached[0].removeprefix("rgb(").removesuffix(")").split(",")]
    assert reached[1][:3] == pytest.approx(colour, abs=12)


PINCH = """(svg, [x, y, before, after]) => {
    const touch = (at, k) => new Touch({ identifier: k, target: svg, clientX: at, clientY: y });
    for (const apart of [before, after]) {
        const touches = [touch(x - apart / 2, 0), touch(x + apart / 2, 1)];
        svg.dispatchEvent(new TouchEvent('touchmove', { touches, cancelable: true, bubbles: true }));
    }
    svg.dispatchEvent(new TouchEvent('touchend', { bubbles: true }));
}"""


def test_two_fingers_enlarge_the_graph_around_their_middle(stage: Stage) -> None:
    (x, y), other = place(stage, 4), place(stage, 0)
    stage.root.locator("svg.hyper").evaluate(PINCH, [x, y, 100, 150])
    assert place(stage, 4) == pytest.approx((x, y), abs=1)
    assert place(stage, 0) == pytest.approx((x + 1.5 * (other[0] - x), y + 1.5 * (other[1] - y)), abs=1)


@pytest.mark.slow
def test_two_fingers_enlarge_a_chart_around_their_middle(stage: Stage) -> None:
    stage.root.locator("[data-act=unit]").select_option("events")
    fan = "({ stage }) => { const { fan } = stage.charts; return [fan.range, fan.frame.box]; }"
    (low, high), box = stage.root.evaluate(fan)
    svg = stage.root.locator("svg.fan").bounding_box()
    assert svg is not None
    middle = svg["x"] + SCALE * (box["left"] + (box["right"] - box["left"]) / 4)
    stage.root.locator("svg.fan").evaluate(PINCH, [middle, svg["y"] + 50, 100, 200])
    at = low + (high - low) / 4
    assert stage.root.evaluate(fan)[0] == pytest.approx([at - (high - low) / 8, at + 3 * (high - low) / 8], rel=1e-3)


@pytest.mark.slow
def test_a_finger_beside_a_circle_means_it(stage: Stage) -> None:
    """A circle is smaller than a finger."""
    radius = 14 * SCALE
    x, y = place(stage, 0)
    touch = """({ stage }, [x, y, kind]) => stage.panes.svg.dispatchEvent(
        new PointerEvent('click', { clientX: x, clientY: y, pointerType: kind, bubbles: true }))"""
    down = "({ stage }, [x, y]) => Object.assign(stage.panes.pointing, { down: [x, y] })"
    for kind, found in (("mouse", -1), ("touch", 0)):
        at = [x + radius + 8, y - 2]
        stage.root.evaluate(down, at)
        stage.root.evaluate(touch, [*at, kind])
        stage.settle()
        arc = stage.root.evaluate("({ stage }) => stage.arc")
        assert (arc < 0) == (found < 0)
    assert stage.lab.run.engine.graph.ends(arc)[0] == 0
