"""Groups that a fork merges: their circles are seen to flow together."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

import bender_core as bc
from pages._shared.app.session import Lab
from pages._shared.watch.stage import stage_data
from tests.component.mounting import Stage
from tests.labs import lab

pytestmark = pytest.mark.browser

# Every circle on its way to another, in every frame.
WATCHED = """([root, told]) => {
    window.frames = [];
    const { stage } = root;
    const look = () => {
        const moving = stage.marks().filter(({ means }) => means?.what === 'merging');
        window.frames.push(moving.map(({ cx, cy, means }) => [cx, cy, means.group]));
        if (window.frames.length < 240) requestAnimationFrame(look);
    };
    window.receive(JSON.parse(told));
    look();
}"""


def forked(mine: Lab, merge: tuple[int, int]) -> None:
    change = bc.Change(merge=(merge,))
    mine.fork(change, change.fork(mine.run.engine))


def frames_of(stage: Stage, page: Page) -> list[list[list[float]]]:

    told = json.dumps(stage_data(stage.lab) | {"code": None})
    page.evaluate(WATCHED, [stage.root.element_handle(), told])
    page.wait_for_function("window.frames.length === 240")
    found: list[list[list[float]]] = page.evaluate("window.frames")
    return found


def places(stage: Stage) -> list[list[float]]:
    found: list[list[float]] = stage.root.evaluate("({ stage }) => stage.panes.at")
    return found


def test_the_circles_of_merged_groups_flow_from_where_they_were_into_the_union(
    watched: Callable[[Lab], Stage], page: Page
) -> None:
    page.emulate_media(reduced_motion="no-preference")
    stage = watched(lab("pose-small", 4, 9))
    stage.settle()
    before, groups = places(stage), len(stage.lab.partition)
    forked(stage.lab, (3, 7))
    frames = frames_of(stage, page)
    after = places(stage)
    assert len(after) == groups - 1
    seen = [frame for frame in frames if frame]
    assert len(seen) > 3
    assert all({group for *_, group in frame} == {3} and len(frame) == 2 for frame in seen)

    def far(frame: Any, ends: list[list[float]]) -> list[float]:
        return [((x - u) ** 2 + (y - v) ** 2) ** 0.5 for (x, y, _), (u, v) in zip(frame, ends, strict=True)]

    assert far(seen[0], [before[3], before[7]]) == pytest.approx([0, 0], abs=1)
    left = [far(frame, [after[3]] * 2) for frame in seen]
    assert all(a[k] >= b[k] - 1e-6 for a, b in itertools.pairwise(left) for k in (0, 1))
    assert max(left[-1]) < 0.1 * max(left[0])
    assert frames[-1] == []
    assert stage.root.locator(".node").count() == groups - 1


def test_without_motion_nothing_flows_and_neither_from_a_run_that_was_not_shown(
    watched: Callable[[Lab], Stage], page: Page
) -> None:
    page.emulate_media(reduced_motion="reduce")
    stage = watched(lab("pose-small", 4, 9))
    stage.settle()
    forked(stage.lab, (3, 7))
    assert not any(frames_of(stage, page))
    page.emulate_media(reduced_motion="no-preference")
    forked(stage.lab, (0, 1))
    forked(stage.lab, (0, 1))
    assert not any(frames_of(stage, page))
