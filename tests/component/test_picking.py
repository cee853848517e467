"""Picking and moving what is drawn on the stage, by pointer."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

import bender_core as bc
from pages._shared.app.session import Lab
from tests.component.mounting import Stage
from tests.labs import is_shown, lab

pytestmark = pytest.mark.browser


def test_a_click_on_a_line_shows_its_message_and_flips_it(stage: Stage, run: bc.Engine) -> None:
    stage.click("[data-step=sweep]")
    run.step("sweep")
    # Another line than the chosen one, at a point where nothing lies over it.
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
    stage.page.mouse.click(x, y)
    stage.settle()
    labels = run.partition.labels
    p, q = run.graph.edges[edge]
    name = stage.root.locator(".edge .name")
    expect(name).to_have_text(f"Message {labels[q]} → {labels[p]}")
    expect(stage.root.locator(".edge .hint")).to_contain_text(f"{len(run.rows(p, q))} rows")
    expect(stage.root.locator(".edge svg path.truth")).to_have_count(1)
    line = stage.root.locator(".tie").nth(edge).get_attribute("d")
    expect(stage.root.locator(".halo")).to_have_attribute("d", line)
    stage.click("[data-act=flip]")
    expect(name).to_have_text(f"Message {labels[p]} → {labels[q]}")
    for receiver, sender in ((p, q), (q, p), (p, q)):
        stage.page.mouse.click(x, y)
        stage.settle()
        expect(name).to_have_text(f"Message {labels[sender]} → {labels[receiver]}")
    stage.click("[data-step=node]")
    run.step("node")
    expect(name).to_have_text(f"Message {labels[q]} → {labels[p]}")
    expect(stage.root.locator(".edge .hint")).to_contain_text(f"{len(run.rows(p, q))} rows")


def test_a_click_on_a_circle_shows_its_loosest_message(stage: Stage, run: bc.Engine) -> None:
    run.step("node")
    stage.click("[data-step=node]")
    node = run.trace[0].node
    while not (run.trace[run.position - 1].arc >= 0 and run.trace[run.position - 1].kind.name == "ORACLE"):
        run.step("event")
    loosest = run.trace[run.position - 1].arc
    stage.root.locator(".scrub").evaluate("(scrub, at) => { scrub.max = at }", run.position)
    stage.root.locator(".scrub").fill(str(run.position))
    stage.settle()
    receiver, sender = run.graph.ends(loosest)
    assert receiver != node
    stage.click(f".node[data-node='{receiver}']")
    labels = run.partition.labels
    expect(stage.root.locator(".edge .name")).to_have_text(f"Message {labels[sender]} → {labels[receiver]}")
    expect(stage.root.locator(f".node[data-node='{receiver}'].chosen")).to_have_count(1)


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
    expect(stage.root.locator(".edge .name")).to_contain_text(f"→ {run.partition.labels[6]}")
    stage.click("button[data-view=variables]")
    expect(stage.root.locator("svg.hyper")).to_be_hidden()
    stage.click("[data-step=node]")
    expect(variables.locator(f".hull[data-node='{run.step('node')[-1].node}'].active")).to_have_count(1)


def test_a_model_without_a_source_has_no_terms_but_its_energy(stage: Stage) -> None:
    expect(stage.root.locator("[data-out=own]")).to_be_hidden()


def test_bounds_are_told_in_the_terms_of_the_source_too(watched: Callable[[Lab], Stage]) -> None:
    karate = lab("karate", 8, 9)
    run, objective = lab("karate", 8, 9).run.engine, karate.mrf.objective
    stage = watched(karate)
    stage.click("[data-step=sweep]")
    run.step("sweep")
    own = stage.root.locator("[data-out=own]").inner_text()
    found, bound = re.fullmatch(r"modularity (\S+), at most (\S+)", own).groups()
    assert is_shown(objective.value(run.upper_bound), found)
    assert is_shown(objective.value(run.lower_bound), bound)
