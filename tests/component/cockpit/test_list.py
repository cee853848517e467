"""The list of messages beside the graph: its order, its filters, its keys, and the graph that goes with it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Method
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
# Whether the line of a message is wholly in sight.
IN_SIGHT = """({ stage: { list } }, arc) => {
    const [frame, line] = [list.table.frame, list.table.pool.find((line) => line.used && line.arc === arc)];
    const [box, head] = [frame.getBoundingClientRect(), list.table.head.getBoundingClientRect()];
    const place = line?.element.getBoundingClientRect();
    return Boolean(place) && place.top >= head.bottom - 1 && place.bottom <= box.bottom + 1;
}"""
HEIGHT = "({ stage: { list } }) => list.table.frame.clientHeight"


@pytest.fixture
def stage(watched: Callable[[Watched], Stage]) -> Stage:
    stage = watched(lab("pose-small", 8, 9))
    stage.step("sweep")
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
        "gained": looking.attribution(run).messages,
        "work": looking.work(run).messages,
        "rows": looking.rows_made(run),
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
    tightness = looking.tightness(run)
    for arc, text in list(zip(order, said, strict=False))[:5]:
        assert float(text.replace("−", "-")) == pytest.approx(tightness.mean[arc], rel=6e-3, abs=6e-4)


@pytest.mark.slow
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
    tension = looking.tension(run).edges
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
    stage.wait(f"({IN_SIGHT})(stage, argument)", last)


def test_a_message_in_sight_stays_there_when_the_list_becomes_lower(stage: Stage) -> None:
    """As when the sentence below it comes, which has several lines."""
    last = stage.root.evaluate(ORDER)[-1]
    stage.root.evaluate("({ stage }, arc) => stage.select(arc)", last)
    stage.wait("stage.querySelector('[data-out=verdict]').textContent")
    stage.wait(f"({IN_SIGHT})(stage, argument)", last)
    height = stage.root.evaluate(HEIGHT)
    stage.root.locator(".pane.list").evaluate("(list) => { list.style.paddingBottom = '2.5rem'; }")
    stage.wait(f"({HEIGHT})(stage) < argument - 20", height)
    stage.wait(f"({IN_SIGHT})(stage, argument)", last)


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_was_looked_at_is_of_its_event_and_faint_at_another(stage: Stage) -> None:
    stage.wait("stage.querySelector('.table .line:not([hidden]) .cell.mean')?.textContent !== '–'")
    faint = stage.root.locator(".table .line.earlier:not([hidden])")
    expect(faint).to_have_count(0)
    # While it plays nothing is asked for; what is known stays, with the event that it is of. The labelling was another
    # one then, so other lines are in sight, too.
    at = stage.position
    known, earlier, title = stage.root.evaluate(
        """({ stage }) => {
            const { list, player } = stage;
            list.ask = () => {};
            player.position -= 1;
            stage.draw();
            const lines = [...stage.root.querySelectorAll('.table .line.earlier:not([hidden])')];
            const known = list.order.slice(...list.table.sight).filter((arc) => list.looks.known.has(arc));
            return [known.length, lines.length, lines[0]?.querySelector('.mean').title];
        }"""
    )
    assert earlier == known > 0
    assert title == f"at event {at}"


@pytest.mark.slow
def test_to_sort_by_slack_all_messages_are_looked_at(stage: Stage, run: bc.Engine) -> None:
    stage.click(".table .head .mean")
    stage.wait("stage.stage.list.looks.known.size === 2 * stage.stage.graph.edges.length")
    mean = looking.tightness(run).mean
    assert [mean[arc] for arc in stage.root.evaluate(ORDER)] == pytest.approx(sorted(mean, reverse=True), rel=1e-6)
    stage.root.locator("[data-act=only]").select_option("disagree")
    parts = {arc: looking.edge_tension(run, *run.graph.ends(arc)).disagreement for arc in range(len(mean))}
    assert set(stage.root.evaluate(ORDER)) == {arc for arc, part in parts.items() if part > 1e-6}


def test_an_edge_says_its_tension_once_where_its_messages_are_together(stage: Stage, run: bc.Engine) -> None:
    order = stage.root.evaluate(ORDER)
    tension = looking.tension(run).edges
    assert [tension[arc // 2] for arc in order] == pytest.approx(sorted(tension.repeat(2), reverse=True))
    shared = stage.root.evaluate(
        "(stage) => [...stage.querySelectorAll('.table .line:not([hidden])')]"
        ".map((line) => [Number(line.getAttribute('aria-rowindex')) - 2, line.classList.contains('shared')])"
    )
    assert len(shared) > 5
    for place, is_shared in shared:
        assert is_shared == (place > 0 and order[place - 1] == order[place] ^ 1)


def test_the_sums_below_are_the_gap_and_the_rise_of_the_bound(stage: Stage, run: bc.Engine) -> None:
    told = stage.root.locator("[data-out=sum]").inner_text()
    edges, groups, gap = (float(number) for number in re.findall(r"\d+\.\d+", told))
    assert edges + groups == pytest.approx(gap)
    assert gap == pytest.approx(run.upper_bound - run.lower_bound, rel=1e-2)
    found = looking.attribution(run)
    rise = found.groups.sum() + found.messages.sum()
    told = stage.root.locator("[data-out=rise]").inner_text()
    assert re.findall(r"(\d+) %", told) == [f"{100 * part.sum() / rise:.0f}" for part in (found.groups, found.messages)]


@pytest.mark.slow
def test_the_course_of_tension_has_a_step_for_every_sweep_that_was_seen(stage: Stage, run: bc.Engine) -> None:
    ends = [0, stage.position]
    for _ in range(2):
        stage.step("sweep")
        ends.append(stage.position)
    assert stage.root.evaluate("({ stage }) => stage.list.past.samples.map(({ at }) => at)") == ends
    run.run(max_sweeps=3)
    for end in ends:
        run.seek(end)
        seen = stage.root.evaluate(
            "({ stage }, at) => [...stage.list.past.samples.find((sample) => sample.at === at).edges]", end
        )
        assert seen == pytest.approx(looking.tension(run).edges.tolist(), rel=1e-5, abs=1e-5)
    expect(stage.root.locator(".table .line:not([hidden]) .past path").first).to_have_attribute(
        "d", re.compile(r"^M0\.0 [\d.]+(H[\d.]+V[\d.]+){3}$")
    )


@pytest.mark.slow
def test_a_line_under_the_pointer_is_lit_in_the_graph_and_the_reverse(stage: Stage) -> None:
    line = stage.root.locator(".table .line:not([hidden])").nth(4)
    line.hover()
    edge = stage.root.evaluate("({ stage }) => stage.highlighted.edge")
    drawn = stage.root.locator(".tie").nth(edge).get_attribute("d")
    expect(stage.root.locator(".halo.pointed")).to_have_attribute("d", drawn)
    last = stage.root.evaluate(ORDER)[-1] // 2
    stage.root.evaluate("({ stage }, edge) => stage.highlight({ edge })", last)
    expect(stage.root.locator(".table .line.pointed:not([hidden])")).to_have_count(2)


@pytest.mark.slow
def test_the_line_gone_to_keeps_its_place_as_the_order_changes(stage: Stage) -> None:
    stage.page.keyboard.press("j")
    stage.page.keyboard.press("j")
    current = stage.root.locator(".table .line.current:not([hidden])")
    stage.click(".table .head .tension")
    for _ in range(6):
        stage.step("node")
        expect(current).to_have_count(1)
        expect(current).to_be_in_viewport()


def test_exact_messages_have_their_method_and_no_rows(watched: Callable[[Watched], Stage]) -> None:
    mine = lab("karate", 6, 12)
    stage = watched(mine)
    stage.step("sweep")
    stage.page.keyboard.press("l")
    stage.settle()
    heads = stage.root.locator(".table .head .cell").all_inner_texts()
    assert [head.split(" ")[0] for head in heads] == [
        *("message", "tension", "so", "work", "disagree", "unclaimed", "method")
    ]
    methods = mine.run.engine.graph.problem.methods.method
    order = stage.root.evaluate(ORDER)
    said = stage.root.evaluate(LINES, "method")
    assert [Method[text.upper()] for text in said] == [methods[arc] for arc in order[: len(said)]]


def test_below_the_list_it_says_what_would_help_and_a_press_asks_for_it(stage: Stage) -> None:
    stage.wait("stage.stage.list.looks.verdict")
    edges = looking.tension(stage.lab.run.engine).edges
    words, merge = stage.root.locator("[data-out=verdict]"), stage.root.get_by_role("button", name="merge them")
    expect(words).to_contain_text("% of the gap; ")
    merge.click()
    asked = [value for name, value in stage.triggers if name == "command" and value["do"] == "merge"]
    assert [value["edge"] for value in asked] == [int(edges.argmax())]


def test_a_bar_lies_over_no_name_and_names_are_whole(stage: Stage) -> None:
    """In a window of 1280 pixels."""
    stage.page.set_viewport_size({"width": 1280, "height": 800})
    stage.settle()
    seen = stage.root.evaluate(
        """(stage) => [...stage.querySelectorAll('.table .line:not([hidden])')].map((line) => {
            const [name, bar] = [line.querySelector('.cell.name'), line.querySelector('.cell.tension i')];
            const range = document.createRange();
            range.selectNodeContents(name);
            return [range.getBoundingClientRect().right, bar.getBoundingClientRect().left];
        })"""
    )
    assert len(seen) > 2
    assert all(name <= bar for name, bar in seen)
