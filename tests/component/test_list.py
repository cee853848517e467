"""The list of messages beside the graph: its order, its filters, its keys, and the graph that goes with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

import bender_core as bc
from tests.component.mounting import Stage
from tests.labs import lab
from tests.watched import Watched

pytestmark = pytest.mark.browser

# The lines in sight from above to below: their messages, and what a column says.
LINES = """(stage, column) => [...stage.querySelectorAll('.table .line')]
    .filter((line) => !line.hidden)
    .map((line) => [line.getBoundingClientRect().top, line])
    .sort(([a], [b]) => a - b)
    .map(([, line]) => line.querySelector(`.cell.${column}`)?.textContent ?? null)"""
# All messages in the order of the list.
ORDER = "({ stage }) => stage.list.order"


@pytest.fixture
def stage(watched: Callable[[Watched], Stage]) -> Stage:
    stage = watched(lab("pose-small", 8, 9))
    stage.click("[data-step=sweep]")
    stage.page.keyboard.press("l")
    stage.settle()
    return stage


@pytest.fixture
def run() -> bc.Engine:
    mine = lab("pose-small", 8, 9).run.engine
    mine.step("sweep")
    return mine


def sort(stage: Stage, column: str) -> list[int]:
    stage.click(f".table .head .{column}")
    order: list[int] = stage.root.evaluate(ORDER)
    return order


def test_every_column_that_is_known_at_once_sorts_by_the_engine_s_values(stage: Stage, run: bc.Engine) -> None:
    found = {
        "gained": run.attribution().messages,
        "work": run.work().messages,
        "rows": run.rows_made(),
    }
    for column, values in found.items():
        order = sort(stage, column)
        assert sorted(order) == list(range(2 * len(run.graph.edges)))
        assert [values[arc] for arc in order] == pytest.approx(sorted(values, reverse=True))
        expect(stage.root.locator(f".table .head .{column}")).to_have_attribute("aria-sort", "descending")
        assert sort(stage, column) != order
        expect(stage.root.locator(f".table .head .{column}")).to_have_attribute("aria-sort", "ascending")


def test_rows_alive_slack_and_parts_are_asked_for_the_lines_in_sight(stage: Stage, run: bc.Engine) -> None:
    """In the background; they come with the event that they belong to."""
    stage.wait("stage.querySelector('.table .line:not([hidden]) .cell.mean')?.textContent !== '–'")
    order = stage.root.evaluate(ORDER)
    said = stage.root.evaluate(LINES, "mean")
    tightness = run.tightness()
    for arc, text in list(zip(order, said, strict=False))[:5]:
        assert float(text.replace("−", "-")) == pytest.approx(tightness.mean[arc], rel=6e-3, abs=1e-6)


def test_the_filters_leave_what_they_name(stage: Stage, run: bc.Engine) -> None:
    whole = stage.root.evaluate(ORDER)
    stage.root.locator("[data-act=find]").fill("WRIST")
    names = run.partition.labels
    expect(stage.root.locator("[data-out=listed]")).to_contain_text(" of 42")
    order = stage.root.evaluate(ORDER)
    assert 0 < len(order) < len(whole)
    assert set(order) == {arc for arc in whole if any("wrist" in names[group] for group in run.graph.ends(arc))}
    stage.root.locator("[data-act=find]").fill("")
    stage.root.locator("[data-act=only]").select_option("tension")
    stage.wait("stage.stage.list.order.length > 0")
    tension = run.tension().edges
    assert {arc // 2 for arc in stage.root.evaluate(ORDER)} == {e for e, value in enumerate(tension) if value > 1e-6}


def test_keys_walk_the_list_pin_a_message_and_look_closer(stage: Stage) -> None:
    order = stage.root.evaluate(ORDER)
    for key in ("j", "j", "k"):
        stage.page.keyboard.press(key)
    assert stage.root.evaluate("({ stage }) => stage.list.current") == order[0]
    # The graph follows.
    assert stage.root.evaluate("({ stage }) => stage.highlighted?.edge") == order[0] // 2
    stage.page.keyboard.press("Enter")
    stage.settle()
    assert stage.root.evaluate("({ stage }) => stage.arc") == order[0]
    stage.page.keyboard.press("Enter")
    assert [value["page"] for name, value in stage.triggers if name == "command" and value["do"] == "go"] == ["edge"]


def test_a_message_pinned_in_the_graph_is_brought_into_sight(stage: Stage) -> None:
    last = stage.root.evaluate(ORDER)[-1]
    stage.root.evaluate("({ stage }, arc) => stage.select(arc)", last)
    stage.settle()
    stage.wait("stage.stage.list.table.offset(stage.stage.list.order.indexOf(argument)) !== null", last)


def test_of_thousands_of_messages_only_those_in_sight_are_elements(watched: Callable[[Watched], Stage]) -> None:
    stage = watched(lab("pose", 2, 9))
    stage.page.keyboard.press("l")
    stage.settle()
    assert len(stage.root.evaluate(ORDER)) > 2000
    for share in (0.0, 0.5, 1.0):
        stage.root.locator(".table").evaluate(
            "(table, share) => { table.scrollTop = share * table.scrollHeight; }", share
        )
        stage.wait("stage.querySelectorAll('.table .line:not([hidden])').length > 0")
        assert stage.root.locator(".table .line").count() < 100
