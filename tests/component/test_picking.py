"""Picking and moving what is drawn on the stage, by pointer."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from playwright.sync_api import expect

import bender_core as bc
from bender_core import looking
from pages._shared.app.session import Lab
from tests.component.mounting import Stage
from tests.labs import is_shown, lab

pytestmark = pytest.mark.browser


def test_a_click_on_a_line_pins_its_message_and_another_flips_it(stage: Stage, run: bc.Engine) -> None:
    stage.step("sweep")
    run.step("sweep")
    # A line, at a point where nothing lies over it.
    edge, x, y = stage.root.evaluate(
        """(stage) => {
            for (const pick of [...stage.querySelectorAll('.pick')].slice(1)) {
                const { x, y } = pick.getPointAtLength(pick.getTotalLength() / 2);
                const on = new DOMPoint(x, y).matrixTransform(pick.getScreenCTM());
                if (stage.getRootNode().elementFromPoint(on.x, on.y) === pick) {
                    return [Number(pick.dataset.edge), on.x, on.y];
                }
            }
        }"""
    )
    line = stage.root.locator(".tie").nth(edge).get_attribute("d")
    pin = stage.root.locator("[data-act=pin]")
    for arc in (2 * edge, 2 * edge + 1, -1):
        stage.page.mouse.click(x, y)
        stage.settle()
        assert stage.root.evaluate("({ stage }) => stage.arc") == arc
        assert stage.lab.run.pinned == (arc >= 0)
        expect(stage.root.locator(".halo.pinned")).to_have_count(int(arc >= 0))
    stage.page.mouse.click(x, y)
    stage.settle()
    expect(stage.root.locator(".halo.pinned")).to_have_attribute("d", line)
    expect(pin).to_have_text("pinned")
    stage.click("[data-act=flip]")
    assert stage.lab.run.arc == 2 * edge + 1
    stage.click("[data-act=pin]")
    assert not stage.lab.run.pinned


def test_a_click_on_a_circle_pins_its_loosest_message(stage: Stage, run: bc.Engine) -> None:
    while not (run.position and looking.last_event(run).kind.name == "ORACLE"):
        stage.step("event")
        run.step("event")
    loosest = looking.last_event(run).arc
    receiver, sender = run.graph.ends(loosest)
    assert receiver == looking.last_event(run).node
    stage.click(f".node[data-node='{receiver}']")
    labels = run.partition.labels
    expect(stage.root.locator("[data-out=message]")).to_contain_text(f"{labels[sender]} → {labels[receiver]}")
    expect(stage.root.locator(f".node[data-node='{receiver}'].chosen")).to_have_count(1)
    assert stage.lab.run.arc == loosest


def place(stage: Stage, node: int) -> list[float]:
    circle = stage.root.locator(f".node[data-node='{node}']")
    return [float(circle.get_attribute(name)) for name in ("cx", "cy")]


@pytest.mark.slow
def test_a_circle_stays_where_it_is_dragged(stage: Stage) -> None:
    before, other = place(stage, 4), place(stage, 5)
    box = stage.root.locator(".node[data-node='4']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    stage.page.mouse.move(x, y)
    stage.page.mouse.down()
    stage.page.mouse.move(x + 30, y + 10)
    stage.page.mouse.move(x + 60, y + 30)
    stage.page.mouse.up()
    dragged = pytest.approx([before[0] + 60, before[1] + 30], abs=1)
    assert place(stage, 4) == dragged
    assert place(stage, 5) == other
    assert stage.root.evaluate("({ stage }) => stage.arc") == -1, "the click that ends a drag picks nothing"
    for _ in range(3):
        stage.step("round")
    stage.root.evaluate("({ stage }) => stage.panes.layout()")
    assert place(stage, 4) == dragged
    stage.click("[data-act=tidy]")
    assert place(stage, 4) == before
    expect(stage.root.locator("[data-act=tidy]")).to_be_hidden()


def test_the_parts_of_the_gap_find_their_edges_and_are_found(stage: Stage, run: bc.Engine) -> None:
    stage.step("sweep")
    run.step("sweep")
    tension = looking.tension(run)
    parts = [mark["means"] for mark in stage.marks() if (mark.get("means") or {}).get("what") == "gap part"]
    assert sum(part["value"] for part in parts) == pytest.approx(run.upper_bound - run.lower_bound, rel=1e-6)
    values = [part["value"] for part in parts if "others" not in part]
    assert values == sorted(values, reverse=True)
    for part in parts:
        if "edge" in part:
            assert part["value"] == pytest.approx(tension.edges[part["edge"]], rel=1e-6, abs=1e-9)
    edge = next(part["edge"] for part in parts if "edge" in part)
    row = stage.root.locator(f".part[data-edge='{edge}']")
    row.hover()
    line = stage.root.locator(".tie").nth(edge).get_attribute("d")
    expect(stage.root.locator(".halo.pointed")).to_have_attribute("d", line)
    row.click()
    stage.settle()
    assert stage.lab.run.arc == 2 * edge
    stage.root.locator(f".pick[data-edge='{edge}']").dispatch_event("pointerenter")
    expect(stage.root.locator(f".part.lit[data-edge='{edge}']")).to_have_count(1)


@pytest.mark.slow
def test_the_parts_of_the_gap_add_up_as_they_are_shown(watched: Callable[[Lab], Stage]) -> None:
    """At every event, and none is negative: what is left over by rounding is nobody's."""
    stage, seen = watched(lab("tiny", 2, 9)), 0
    while stage.position < 40:
        stage.step("event")
        texts = stage.root.locator(".gap-value").all_text_contents()
        if not texts:
            break  # the gap is closed
        assert not any("−" in text for text in texts)
        gap = Decimal(stage.root.locator("[data-out=gap-of]").inner_text())
        assert sum(map(Decimal, texts)) == gap
        seen += 1
    assert seen > 20


@pytest.mark.parametrize(("variant", "sign"), [(9, "≥"), (11, "=")])
def test_a_chip_says_whether_its_part_is_exact(watched: Callable[[Lab], Stage], variant: int, sign: str) -> None:
    """Before y* is asked: a bound by rows, or the cost itself where the variant is exact."""
    stage = watched(lab("pose-small", 8, variant))
    stage.step("node")
    texts = stage.root.evaluate(
        """({ stage }) => {
            const from = stage.player.position - 1;
            stage.player.enter({ act: 'floor', from, to: from, ms: 1e9 });
            stage.player.t = 1;
            stage.draw();
            const chips = stage.marks().filter(({ means }) => means?.what === 'chip');
            stage.player.jump(0);
            return chips.map(({ text }) => text);
        }"""
    )
    assert texts
    assert all(text.startswith(f"{sign} ") for text in texts)


def test_chips_and_bits_are_the_engines(stage: Stage, run: bc.Engine) -> None:
    while not (run.position and looking.last_event(run).kind.name == "ORACLE" and looking.last_event(run).sweep == 0):
        stage.step("event")
        run.step("event")
    event = looking.last_event(run)
    answers = looking.answers(run, event.node, event.state)
    marks = stage.marks()
    chips = {
        mark["means"]["arc"]: mark["means"]["value"]
        for mark in marks
        if mark["id"].startswith("chip-") and "means" in mark
    }
    for arc, answer in zip(looking.ground_parts(run, event.node).arcs, answers, strict=True):
        if int(arc) in chips:
            assert chips[int(arc)] == pytest.approx(answer.exact, rel=1e-6, abs=1e-9)
    shown = {mark["means"]["group"]: mark["means"] for mark in marks if mark["id"].startswith("badge-")}
    assert shown[event.node] == {
        "what": "y*",
        "group": event.node,
        "bits": run.partition.describe(event.node, event.state),
    }
    for answer in answers:
        bits = run.partition.describe(answer.sender, answer.state)
        assert shown[answer.sender] == {"what": "answer", "group": answer.sender, "bits": bits}
    others = set(shown) - {event.node, *(answer.sender for answer in answers)}
    assert {shown[group]["what"] for group in others} <= {"best"}


@pytest.mark.slow
def test_variables_and_groups_are_two_views_of_one_thing(stage: Stage, run: bc.Engine) -> None:
    variables = stage.root.locator("svg.variables")
    expect(variables).to_be_hidden()
    stage.click("button[data-view=both]")
    expect(variables.locator("circle.variable")).to_have_count(run.mrf.n)
    expect(variables.locator(".hull")).to_have_count(len(run.partition))
    expect(stage.root.locator("svg.hyper")).to_be_visible()
    variable = int(run.partition.groups[6][2])
    dot = variables.locator("circle.variable").nth(variable)
    dot.hover()
    expect(stage.root.locator(".tip")).to_contain_text(run.mrf.names[variable])
    expect(stage.root.locator(".tip")).to_contain_text(f"in {run.partition.labels[6]}")
    dot.click()
    stage.settle()
    expect(stage.root.locator(".node[data-node='6'].chosen")).to_have_count(1)
    expect(variables.locator(".hull[data-node='6'].chosen")).to_have_count(1)
    assert run.graph.ends(stage.lab.run.arc)[0] == 6
    stage.click("button[data-view=variables]")
    expect(stage.root.locator("svg.hyper")).to_be_hidden()
    stage.step("node")
    expect(variables.locator(f".hull[data-node='{run.step('node')[-1].node}'].active")).to_have_count(1)


def test_a_model_without_a_source_has_no_terms_but_its_energy(stage: Stage) -> None:
    expect(stage.root.locator("[data-out=own]")).to_be_hidden()


def test_bounds_are_told_in_the_terms_of_the_source_too(watched: Callable[[Lab], Stage]) -> None:
    karate = lab("karate", 8, 9)
    run, objective = lab("karate", 8, 9).run.engine, karate.mrf.objective
    stage = watched(karate)
    stage.step("sweep")
    run.step("sweep")
    own = stage.root.locator("[data-out=own]").inner_text()
    found, bound = re.fullmatch(r"modularity (\S+), at most (\S+)", own).groups()
    assert is_shown(objective.value(run.upper_bound), found)
    assert is_shown(objective.value(run.lower_bound), bound)
