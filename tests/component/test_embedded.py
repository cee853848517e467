"""The stage in a frame of another page: it shows a part of the run, and nothing leads out of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from pages._shared.app.arrival import Arrival
from pages._shared.app.session import Lab
from pages._shared.app.stretch import Stretch
from pages._shared.watch.embedded import confined
from tests.component.mounting import Stage
from tests.labs import lab

pytestmark = pytest.mark.browser

# In the middle of a round, and of an update.
BEGIN, END = 13, 31
# Notes every place.
FOLLOW = """(root) => {
    root.places = [Number(root.dataset.position)];
    new MutationObserver(() => root.places.push(Number(root.dataset.position)))
        .observe(root, { attributeFilter: ["data-position"] });
}"""


def confine(current: Lab, stretch: Stretch) -> Lab:
    while not confined(current, Arrival({}, stretch=stretch)):
        current.run.work.stop(wait=None)
    return current


@pytest.fixture
def embedded(watched: Callable[[Lab], Stage]) -> Callable[..., Stage]:
    """Mounts the stage for a part of the run that the app starts with."""
    return lambda *part: watched(confine(lab("pose-small", 8, 9), Stretch(*part)))


def test_steps_scrubber_and_keys_stay_within_the_part(embedded: Callable[..., Stage]) -> None:
    stage = embedded(BEGIN, END)
    assert stage.position == BEGIN
    back, on = (stage.root.locator(f"[data-{way}=round]") for way in ("back", "step"))
    expect(back).to_be_disabled()
    seen = [BEGIN]
    while on.is_enabled():
        on.click()
        stage.settle()
        seen.append(stage.position)
    assert seen == sorted(set(seen))
    assert (len(seen) > 2, seen[-1]) == (True, END)
    for key in ("Alt+ArrowRight", "Shift+ArrowRight", "ArrowRight", ".", "r", "u", "x", "c"):
        stage.page.keyboard.press(key)
        stage.settle()
        assert stage.position == END
    for key in ("ArrowLeft", "Alt+ArrowLeft", ",", "m"):
        stage.page.keyboard.press(key)
        stage.settle()
        assert BEGIN <= stage.position < END
    assert stage.position == BEGIN
    scrub = stage.root.locator(".scrub")
    for share, place in ((1, END), (0, BEGIN)):
        scrub.evaluate(
            "(scrub, share) => { scrub.value = share * scrub.max; scrub.dispatchEvent(new Event('input')); }", share
        )
        stage.settle()
        assert stage.position == place
    assert len(stage.lab.run.engine.trace) == END
    assert {value["do"] for _, value in stage.triggers} <= {"show", "step", "exact", "poll"}


def test_play_ends_at_the_end_and_begins_again_at_the_beginning(embedded: Callable[..., Stage]) -> None:
    stage = embedded(BEGIN, END)
    assert stage.root.get_attribute("data-state") == "idle"
    stage.page.emulate_media(reduced_motion="no-preference")
    stage.root.evaluate("({ stage }) => { stage.player.speed = 50; }")
    stage.root.evaluate(FOLLOW)
    play = stage.root.locator("[data-act=play]")
    for times in (1, 2):
        play.click()
        stage.wait("stage.dataset.state === 'idle' && stage.places.at(-1) === argument", END)
        expect(play).to_have_text("↻ Again")
        places = stage.root.evaluate("({ places }) => places")
        assert (min(places), max(places)) == (BEGIN, END)
        assert sum(b < a for a, b in pairwise(places)) == times - 1


@pytest.mark.slow
@pytest.mark.parametrize("end", [END, None])
def test_a_loop_plays_by_itself_again_and_again(
    embedded: Callable[..., Stage], watched: Callable[[Lab], Stage], end: int | None
) -> None:
    """Also to the end of a run that is not known yet; in the tab of a person who wants no motion it waits."""
    current = lab("pose-small", 8, 9, max_sweeps=400 if end else 1)
    mounted = watched(current)
    mounted.page.emulate_media(reduced_motion="no-preference")
    confine(current, Stretch(BEGIN, end, True))
    current.number += 1
    mounted.root.evaluate(f"({{ stage }}) => {{ stage.player.speed = {50 if end else 'Infinity'}; }}")
    mounted.root.evaluate(FOLLOW)
    assert not current.run.complete
    mounted.receive(mounted.answer("", None))
    mounted.wait("stage.places.filter((each, k) => each < stage.places[k - 1]).length > 2")
    last = len(current.run.engine.trace)
    assert mounted.root.evaluate("({ places }) => Math.max(...places)") == last
    assert end is None or last == end


def test_without_motion_a_loop_waits_for_a_press(embedded: Callable[..., Stage]) -> None:
    stage = embedded(BEGIN, END, True)
    stage.settle()
    assert stage.position == BEGIN
    assert not stage.root.evaluate("({ stage }) => stage.player.playing")


def test_the_line_names_the_run_and_leads_to_the_event_shown(embedded: Callable[..., Stage]) -> None:
    stage = embedded(BEGIN, END)
    stage.lab.origin = {"sample": "pose-small"}
    stage.click("[data-step=round]")
    line = stage.root.locator(".origin")
    expect(line).to_contain_text("pose, small · M 8 · variant 9: RMC on all loose edges")
    link = line.get_by_role("link")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute(
        "href", f"/?sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp&at={stage.position}"
    )
    stage.root.locator("button[data-view=both]").click()
    expect(link).to_have_attribute("href", re.compile("&view=both$"))
    # The address of the frame stays its page's but for the place.
    assert stage.page.evaluate("location.search") == f"?at={stage.position}"


def test_what_leads_elsewhere_is_not_there(embedded: Callable[..., Stage]) -> None:
    stage = embedded(BEGIN, END)
    stage.lab.origin = {"sample": "pose-small"}
    stage.click("[data-step=round]")
    seen = stage.root.evaluate(
        """(root) => [...root.querySelectorAll("button, select, a, input, summary")].filter((each) =>
            each.checkVisibility({ visibilityProperty: true })).map((each) =>
            Object.values(each.dataset)[0] ?? each.className)"""
    )
    looks = {"hyper", "both", "variables", "answer", "measure", "-", "0", "+", "exact", "distance", "unit", "pin"}
    assert set(seen) == looks | {"round", "play", "scrub", "whole", "drawer", "list", "skip"}
