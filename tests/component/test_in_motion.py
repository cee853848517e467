"""Between two events: the sentence is of what moves, and numbers are the engine's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page

import bender_core as bc
from bender_core.kernels.layout import Kind
from pages._shared.watch import event_frames
from tests.component.mounting import Stage
from tests.labs import is_shown

pytestmark = pytest.mark.browser

# Every 50 milliseconds of the motion of one update: its scene, the sentence, that of the event that the scene leads to,
# the floor in numbers, its text, and the height of its line.
FRAMES = """({ stage }) => {
    const { player } = stage, frames = [];
    player.filmed = {};
    player.step('node', false);
    while (player.scene) {
        stage.draw();
        const { act, to } = player.scene, marks = stage.marks();
        const of = (what) => marks.filter(({ means, picture }) => means?.what === what && picture === 'fan');
        frames.push({
            act,
            said: stage.root.querySelector('.sentence').textContent,
            sentence: stage.events.get(to - 1).sentence,
            floors: of('floor').map(({ means }) => means.value),
            texts: of('floor').flatMap(({ text }) => text ?? []),
            height: of('floor').find(({ y1 }) => y1 !== undefined)?.y1 ?? null,
        });
        player.advance(50);
    }
    player.filmed = null;
    stage.draw();
    return frames;
}"""


@pytest.fixture
def span(run: bc.Engine) -> range:
    """The events of an update of the second sweep with several rounds that lift the floor."""
    run.run(max_sweeps=2)
    spans, begin = [], 0
    for event in run.trace:
        if event.kind == Kind.NODE_OPENED:
            begin = event.index
        if event.kind == Kind.MESSAGE and event.sweep == 1:
            spans.append(range(begin, event.index + 1))
    return max((span for span in spans if len(span) < 30), key=len)


@pytest.fixture
def frames(page: Page, stage: Stage, span: range, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    # However busy the machine is, the stage has all events of the update.
    monkeypatch.setattr(event_frames, "AHEAD_SECONDS", 60.0)
    stage.step("sweep")
    stage.step("sweep")
    stage.jump(span.start)
    stage.wait("stage.stage.events.has(argument - 1)", span.stop)
    page.emulate_media(reduced_motion="no-preference")
    found: list[dict[str, Any]] = stage.root.evaluate(FRAMES)
    return found


def test_the_sentence_is_of_what_moves_from_the_beginning_of_the_motion(frames: list[dict[str, Any]]) -> None:
    assert {frame["act"] for frame in frames} == {"start", "floor", "answer", "rows", "pass"}
    for frame in frames:
        if frame["act"] != "floor":
            assert frame["said"] == frame["sentence"]


def test_the_floor_in_numbers_is_always_one_of_the_engine_while_its_line_glides(
    frames: list[dict[str, Any]], run: bc.Engine, span: range
) -> None:
    known = {run.trace[k].floor for k in span}
    values = {value for frame in frames for value in frame["floors"]}
    assert len(values) > 2
    assert all(any(value == pytest.approx(floor, abs=1e-9) for floor in known) for value in values)
    for frame in frames:
        for text in frame["texts"]:
            assert any(is_shown(floor, text.split()[-1]) for floor in known)
    assert len({frame["height"] for frame in frames}) > 3 * len(values)


def test_equal_shares_are_equal_as_they_are_shown(stage: Stage, run: bc.Engine) -> None:
    run.run(max_sweeps=2)
    looked = 0
    stage.step("sweep")
    stage.step("sweep")
    for event in run.trace:
        if event.kind != Kind.MESSAGE or event.sweep != 1:
            continue
        stage.jump(event.index + 1)
        texts = [str(mark["text"]) for mark in stage.marks() if str(mark["id"]).startswith("chip-") and "text" in mark]
        shares = [found[1] for text in texts if (found := re.match(r"(?:share|keeps) (\S+) ", text))]
        looked += len(shares)
        assert len(set(shares)) <= 1, shares
    assert looked > 10


@pytest.mark.slow
def test_numbers_of_the_pictures_have_at_least_the_digits_of_the_sentence(stage: Stage, span: range) -> None:
    """The same quantity, as the floor, is the same number in both."""
    looked = 0
    stage.step("sweep")
    stage.step("sweep")
    for position in range(span.start + 1, span.stop + 1):
        stage.jump(position)
        digits = stage.root.evaluate("({ stage }) => stage.charts.energy.digits")
        said = re.findall(r"\d\.(\d+)", stage.text("sentence"))
        looked += len(said)
        assert all(len(each) <= digits for each in said)
    assert looked > 10
