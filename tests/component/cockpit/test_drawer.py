"""The drawer beside the graph: the message shown by classes, at the event shown, and rows that could be added."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from bender_core.looking.classes import bits_of, classes
from tests.component.mounting import Stage
from tests.labs import lab
from tests.watched import Watched

pytestmark = pytest.mark.browser


@pytest.fixture
def stage(watched: Callable[[Watched], Stage]) -> Stage:
    stage = watched(lab("pose-small", 8, 9))
    stage.step("sweep")
    stage.page.keyboard.press("d")
    stage.settle()
    return stage


@pytest.fixture
def run() -> bc.Engine:
    mine = lab("pose-small", 8, 9).run.engine
    mine.step("sweep")
    return mine


def is_of(stage: Stage, run: bc.Engine, arc: int, order: str = "cost", ranked: bool = True) -> None:
    """The drawer shows a message where a run stands: every min-marginal, every envelope, in order."""
    stage.wait(
        "stage.stage.drawer.view?.at === argument[0] && stage.stage.drawer.view.arc === argument[1]",
        [run.position, arc],
    )
    stage.wait("stage.stage.drawer.view.order === argument && stage.stage.drawer.view.cuts !== null", order)
    shown = classes(run, *run.graph.ends(arc))
    marks = [mark for mark in stage.marks() if mark["picture"] == "stems" and mark.get("means")]
    near = {"rel": 1e-6, "abs": 1e-9 * run.graph.problem.scale}
    for what, values in {"nu": shown.nu, "envelope": shown.envelope}.items():
        drawn = {mark["means"]["state"]: mark for mark in marks if mark["means"]["what"] == what}
        assert set(drawn) == set(shown.states.tolist())
        for value, state in zip(values, shown.states.tolist(), strict=True):
            assert drawn[state]["means"]["value"] == pytest.approx(value, **near)
            assert drawn[state]["means"]["arc"] == arc
    dots = sorted((mark for mark in marks if mark["means"]["what"] == "nu"), key=lambda mark: mark["cx"])
    if ranked:
        key = {"cost": shown.least, "nu": shown.nu, "slack": -shown.slack}[order]
        places = {state: k for k, state in enumerate(shown.states.tolist())}
        assert [key[places[mark["means"]["state"]]] for mark in dots] == pytest.approx(sorted(key), **near)
    # Higher is more.
    highest, lowest = (pick(dots, key=lambda mark: mark["cy"]) for pick in (min, max))
    assert highest["means"]["value"] == pytest.approx(shown.nu.max(), **near)
    assert lowest["means"]["value"] == pytest.approx(shown.nu.min(), **near)


@pytest.mark.slow
def test_it_shows_the_message_and_the_event_that_the_stage_shows(stage: Stage, run: bc.Engine) -> None:
    arc = stage.root.evaluate("({ stage }) => stage.drawer.arc")
    is_of(stage, run, arc)
    for grain in ("node", "round"):
        stage.step(grain)
        run.step(grain)
        is_of(stage, run, stage.root.evaluate("({ stage }) => stage.drawer.arc"))
    stage.root.evaluate("({ stage }) => stage.select(3)")
    is_of(stage, run, 3)
    stage.root.get_by_title("The message in the other direction").last.click()
    is_of(stage, run, 2)
    stage.root.get_by_role("button", name="by slack").click()
    is_of(stage, run, 2, "slack")
    stage.page.keyboard.press("Escape")
    expect(stage.root.locator("svg.stems")).to_be_hidden()
    expect(stage.root.locator("svg.message")).to_be_visible()


@pytest.mark.slow
def test_a_class_is_looked_at_and_the_rows_there_are_compared(stage: Stage, run: bc.Engine) -> None:
    stage.root.evaluate("({ stage }) => stage.select(3)")
    is_of(stage, run, 3)
    p, q = run.graph.ends(3)
    shown = classes(run, p, q)
    chosen = int(shown.slack.argmax())
    bits = "".join(map(str, bits_of(chosen, len(shown.members))))
    state = int(shown.states[chosen])
    stage.root.locator(f"svg.stems [data-mark='hit {state}']").click()
    stage.wait("stage.stage.drawer.view.cuts?.[0].state === argument", state)
    stage.settle()
    cuts = bc.what_if(run, p, q, state)
    lines = stage.root.locator(".cuts tr").all()[1:]
    assert len(lines) == len(cuts)
    for line, cut in zip(lines, cuts, strict=True):
        said = [text.replace("−", "-") for text in line.locator("td").all_inner_texts()]
        assert float(said[0]) == pytest.approx(cut.rise[state], rel=1e-2, abs=1e-9)
        assert float(said[2]) == pytest.approx(cut.lift, rel=1e-2, abs=1e-9)
        assert int(said[3]) == cut.tightened
    assert looks(stage) == f"&drawer=cost&y={bits}"
    # Back to y*, by the button and by its column.
    back, star = stage.root.get_by_role("button", name="back to y*"), shown.states[shown.at_oracle]
    for press in (back, stage.root.locator(f"svg.stems [data-mark='hit {star}']")):
        press.click()
        stage.wait(
            "stage.stage.drawer.view.cuts && stage.stage.drawer.view.chosen === stage.stage.drawer.view.at_oracle"
        )
        expect(back).to_be_hidden()
        expect(stage.root.locator("[data-out=class]")).to_contain_text("y*")
        assert "y=" not in looks(stage)
        stage.root.locator(f"svg.stems [data-mark='hit {state}']").click()
        stage.wait("stage.stage.drawer.view.cuts?.[0].state === argument", state)
    # A row is asked for by its message, its state and its kind.
    stage.root.locator(".cuts").get_by_role("button", name="Insert").first.click()
    asked = [value for name, value in stage.triggers if name == "command" and value["do"] == "insert"]
    assert [value["row"] for value in asked] == [{"arc": 3, "state": state, "kind": int(cuts[0].kind)}]
    # Another message has other members.
    stage.root.evaluate("({ stage }) => stage.select(6)")
    is_of(stage, run, 6)
    expect(stage.root.get_by_role("button", name="back to y*")).to_be_hidden()


def looks(stage: Stage) -> str:
    """What the address of Watch says of the picture."""
    said = "async ({ stage }) => (await import('/stage/play/choices.js')).addressOf(stage)"
    found: str = stage.root.evaluate(said)
    return found


@pytest.mark.slow
def test_only_rows_of_the_message_shown_can_be_inserted(
    stage: Stage, run: bc.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until those of another message, or another event, are known, none can."""
    stage.root.evaluate("({ stage }) => stage.select(3)")
    is_of(stage, run, 3)
    shown = classes(run, *run.graph.ends(3))
    loosest = f"svg.stems [data-mark='hit {shown.states[shown.slack.argmax()]}']"
    stage.root.locator(loosest).click()
    insert = stage.root.locator(".cuts").get_by_role("button", name="Insert").first
    expect(insert).to_be_enabled()
    stage.settle()
    answer = stage.answer
    monkeypatch.setattr(stage, "answer", lambda *_: None)
    stage.root.get_by_title("The message in the other direction").last.click()
    expect(insert).to_be_disabled()
    monkeypatch.setattr(stage, "answer", answer)
    stage.root.evaluate("({ stage }) => stage.select(3)")
    is_of(stage, run, 3)
    stage.root.locator(loosest).click()
    expect(insert).to_be_enabled()
    stage.settle()
    monkeypatch.setattr(stage, "answer", lambda *_: None)
    stage.root.locator("[data-back=round]").click()
    expect(insert).to_be_disabled()


@pytest.mark.slow
def test_a_class_of_another_message_is_forgotten(stage: Stage, run: bc.Engine) -> None:
    arc = stage.root.evaluate("({ stage }) => stage.drawer.arc")
    is_of(stage, run, arc)
    stage.root.evaluate("({ stage }) => stage.drawer.choose('01')")
    stage.wait("stage.stage.drawer.chosen === ''")
    stage.settle()
    expect(stage.root).not_to_contain_class("drawn-earlier")


@pytest.mark.slow
def test_what_is_of_an_earlier_event_says_so(stage: Stage, run: bc.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    arc = stage.root.evaluate("({ stage }) => stage.drawer.arc")
    is_of(stage, run, arc)
    answer = stage.answer
    monkeypatch.setattr(stage, "answer", lambda *asked: answer(*asked) | {"drawer": None})
    stage.step("event")
    title = stage.root.locator("[data-out=drawer]")
    expect(title).to_contain_text(f", at event {run.position}")
    expect(stage.root).to_contain_class("drawn-earlier")


def test_the_list_and_the_drawer_are_in_sight_together(stage: Stage) -> None:
    stage.page.keyboard.press("l")
    for part in ("svg.hyper", "svg.fan", ".table", "svg.stems", ".cuts"):
        expect(stage.root.locator(part)).to_be_in_viewport(ratio=0.9)


@pytest.mark.slow
def test_what_a_step_has_lifted_is_gold_and_goes_back_with_it(stage: Stage, run: bc.Engine) -> None:
    stage.root.evaluate("({ stage }) => stage.select(3)")
    is_of(stage, run, 3)
    p, q = run.graph.ends(3)
    envelope = looking.envelope(run, p, q)
    # Until a step lifts it: a row of this edge, or new messages.
    for _ in range(60):
        stage.step("node")
        run.step("node")
        is_of(stage, run, 3)
        before, envelope = envelope, looking.envelope(run, p, q)
        if (envelope > before + 1e-6).any():
            break
    risen = {mark["id"] for mark in stage.marks() if mark["picture"] == "stems" and mark["id"].startswith("risen")}
    states = classes(run, p, q).states
    near = 1e-6 * abs(before).max()
    assert {f"risen {state}" for state in states if envelope[state] > before[state] + near} <= risen
    assert risen <= {f"risen {state}" for state in states if envelope[state] > before[state] - near}
    assert risen
    stage.step("node", backward=True)
    stage.wait("stage.stage.drawer.view.at < argument", run.position)
    assert not [mark for mark in stage.marks() if mark["picture"] == "stems" and mark["id"].startswith("risen")]


def test_y_star_of_a_group_that_is_not_updated_is_its_last(stage: Stage, run: bc.Engine) -> None:
    stage.step("event")
    run.step("event")
    updated = looking.last_event(run).node
    arcs = range(2 * len(run.graph.edges))
    own = next(arc for arc in arcs if run.graph.ends(arc)[0] == updated)
    other = next(arc for arc in arcs if updated not in run.graph.ends(arc))
    for arc, said in ((own, "y*"), (other, "last y*")):
        stage.root.evaluate("({ stage }, arc) => stage.select(arc)", arc)
        is_of(stage, run, arc)
        expect(stage.root.locator("svg.stems .asked-name")).to_have_text(said)


@pytest.mark.slow
def test_columns_keep_their_places_while_a_group_is_updated(stage: Stage, run: bc.Engine) -> None:
    def columns() -> list[int]:
        marks = [mark for mark in stage.marks() if mark["picture"] == "stems" and mark["id"].startswith("nu ")]
        return [mark["means"]["state"] for mark in sorted(marks, key=lambda mark: mark["cx"])]

    stage.step("event")
    run.step("event")
    arc = next(arc for arc in range(2 * len(run.graph.edges)) if run.graph.ends(arc)[0] == looking.last_event(run).node)
    stage.root.evaluate("({ stage }, arc) => stage.select(arc)", arc)
    is_of(stage, run, arc)
    placed = columns()
    for _ in range(4):
        stage.step("event")
        run.step("event")
        is_of(stage, run, arc, ranked=False)
        assert columns() == placed
        if looking.last_event(run).kind == Kind.MESSAGE:
            break
    for _ in range(2):
        stage.step("node")
        run.step("node")
    is_of(stage, run, arc)
    assert columns() != placed
