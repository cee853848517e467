"""The picture of the cycles in a bare page: it draws the packing's values, moves, goes back, and says why."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core.cycles import mplp
from bender_core.cycles.shares import rests
from bender_core.looking.words import number
from pages._shared.app.session import Lab
from pages._shared.cycles import picture as picture_of_cycles
from pages._shared.cycles.encoding import least
from pages._shared.cycles.packed import WatchedPacking
from tests.component.mounting import Cycles
from tests.labs import lab

pytestmark = pytest.mark.browser

Mount = Callable[[Lab], Cycles]


@pytest.fixture
def torus(packed: Mount) -> Cycles:
    return packed(lab("torus-10x10", 8, 9))


def packing_of(name: str) -> bc.Packing:
    packing = bc.Packing(bc.sample(name))
    packing.run()
    return packing


@pytest.mark.parametrize("name", ["tiny", "tree", "torus-10x10", "karate"])
def test_every_event_is_drawn_with_the_values_of_the_packing(name: str, packed: Mount) -> None:
    picture, packing = packed(lab(name, 8, 9)), packing_of(name)
    picture.root.locator("[data-act=end]").click()
    expect(picture.out("where")).to_contain_text(f"of {len(packing.events)}")
    for position in np.unique(np.linspace(0, len(packing.events), 12).astype(int)).tolist():
        picture.show(position)
        packing.seek(position)
        lent = packing.graph.cost - rests(packing.graph, packing.cycles, packing.shares)
        drawn = np.zeros(len(lent))
        for mark in picture.marks("coupling"):
            drawn[mark["edge"]] = mark["lent"]
        assert drawn == pytest.approx(lent, abs=1e-9 * packing.graph.cost.max(initial=1.0))
        parts = packing.parts()
        values = sorted((*parts.cycles, *parts.edges), reverse=True)
        shown = [mark["value"] for mark in picture.marks("gap part")]
        assert shown == pytest.approx(values[: len(shown)])
        broken = int(packing.graph.broken(packing.labeling).sum())
        assert picture.out("broken").inner_text() == f"{broken:,}"
        assert picture.out("upper").inner_text() == number(packing.upper_bound)


def test_a_cycle_takes_what_one_coupling_has_left_and_the_bound_rises_by_that(packed: Mount) -> None:
    picture = packed(lab("frustrated-cycle", 8, 9))
    expect(picture.out("lower")).to_have_text("−21")
    expect(picture.sentence).to_contain_text("breaks at least one of them")
    picture.step("cycle")
    expect(picture.out("lower")).to_have_text("−17")
    expect(picture.sentence).to_contain_text("5 of its 9 couplings want opposite ends")
    left = {mark["edge"]: mark["value"] for mark in picture.marks("left")}
    assert len(left) == 9
    assert min(left.values()) == 0
    expect(picture.out("parts")).to_have_text("The gap is closed")
    picture.step("cycle")
    expect(picture.out("state")).to_have_text("optimal, proven")
    expect(picture.sentence).to_contain_text("The bounds meet")
    expect(picture.root.locator("[data-step=cycle]")).to_be_disabled()


def test_rounds_and_back_and_the_slider_lead_to_the_same_places(torus: Cycles) -> None:
    packing = packing_of("torus-10x10")
    torus.step("round")
    ends = packing.events.stop_after(0, "round")
    expect(torus.out("where")).to_contain_text(f"event {ends} of")
    torus.root.locator("[data-back=cycle]").click()
    expect(torus.out("where")).to_contain_text(f"event {ends - 1} of")
    torus.root.locator("[data-back=round]").click()
    expect(torus.out("where")).to_contain_text("event 0 of")
    torus.root.locator(".scrub").evaluate("(e) => { e.value = 30; e.dispatchEvent(new Event('input')); }")
    expect(torus.out("where")).to_contain_text("event 30 of")
    torus.page.keyboard.press("End")
    expect(torus.out("state")).to_have_text("optimal, proven")
    torus.page.keyboard.press("Home")
    expect(torus.out("where")).to_contain_text("event 0 of")
    torus.page.keyboard.press("Shift+ArrowRight")
    expect(torus.out("where")).to_contain_text(f"event {ends} of")


def test_play_passes_all_events_and_stops_at_the_end(packed: Mount, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    picture = packed(lab("tiny", 8, 9))
    picture.root.locator("[data-act=speed]").select_option("10")
    play = picture.root.locator("[data-act=play]")
    play.click()
    expect(play).to_have_text("❚❚ Pause")
    expect(picture.out("state")).to_have_text("optimal, proven", timeout=30_000)
    expect(play).to_have_text("↻ Again")


def test_the_bound_is_never_drawn_between_two_of_its_values(packed: Mount, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    picture = packed(lab("frustrated-cycle", 8, 9))
    seen = """(root) => new Promise((done) => {
        const texts = new Set();
        root.cycles.player.step('cycle', false);
        const look = () => {
            texts.add(root.querySelector('[data-out=lower]').textContent);
            if (root.cycles.player.t < 1) requestAnimationFrame(look);
            else done([...texts]);
        };
        requestAnimationFrame(look);
    })"""
    assert picture.root.evaluate(seen) == ["−21", "−17"]


def test_what_is_pointed_at_lights_up_with_the_cycles_that_use_it(torus: Cycles) -> None:
    torus.step("round")
    torus.root.locator("svg.gaps .part").first.hover()
    assert torus.root.locator(".halo.pointed").count() >= 1
    torus.page.mouse.move(0, 0)
    expect(torus.root.locator(".halo.pointed")).to_have_count(0)
    row = torus.root.locator("svg.lending .part").first
    row.hover()
    expect(torus.root.locator(".halo.pointed")).to_have_count(4)
    expect(torus.root.locator(".tip")).to_contain_text("from each of its 4 couplings")


def test_a_picture_that_is_mounted_anew_goes_to_the_place_of_before(packed: Mount) -> None:
    current = lab("torus-10x10", 8, 9)
    picture = packed(current)
    picture.show(37)
    picture.root.evaluate("({ cycles }) => cycles.tell()")
    picture.root.evaluate("(root) => { delete root.cycles; }")
    picture.receive({**picture.answer("missing", None)})
    expect(picture.out("where")).to_contain_text("event 37 of")


EXTENTS = """({ cycles: { halves: [{ net }] } }) =>
['.costs path', '.fills path', 'circle.variable'].map((selector) => {
    const boxes = [...net.svg.parentElement.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
    const most = (side) => Math.max(...boxes.map((box) => box[side]));
    const least = (side) => Math.min(...boxes.map((box) => box[side]));
    return [least('left'), most('right'), least('top'), most('bottom')];
})"""


@pytest.mark.parametrize("size", ["16px", "20px"])
def test_couplings_reach_as_far_as_their_variables_whatever_the_size_of_the_type(
    size: str, packed: Mount, page: Page
) -> None:
    """Large windows enlarge it, and the units of pictures with it."""
    page.evaluate("(size) => void (document.documentElement.style.fontSize = size)", size)
    picture = packed(lab("frustrated-cycle", 8, 9))
    picture.step("round")
    costs, fills, variables = picture.root.evaluate(EXTENTS)
    assert costs == pytest.approx(variables, abs=14)
    assert fills == pytest.approx(variables, abs=14)


def test_the_view_of_groups_gathers_couplings_cycles_and_parts_of_the_gap(torus: Cycles) -> None:
    part, packing = torus.lab.run.engine.partition.group_of(), packing_of("torus-10x10")
    torus.show(len(packing.events) // 2)
    packing.seek(len(packing.events) // 2)
    torus.page.keyboard.press("v")
    ends, lent = packing.graph.ends, packing.graph.cost - rests(packing.graph, packing.cycles, packing.shares)
    between = {tuple(sorted(pair)) for pair in part[ends].tolist()}
    drawn = torus.marks("coupling")
    assert len(drawn) == len(between)
    assert sum(mark["lent"] for mark in drawn) == pytest.approx(lent.sum())
    assert len(torus.marks("group")) == part.max() + 1
    within = [len(set(part[ends[cycle]].ravel().tolist())) == 1 for cycle in packing.cycles]
    expect(torus.out("swallowed")).to_contain_text(f"{sum(within)} of {len(within)} cycles within one")
    parts = packing.parts()
    own, others = dict[int, float](), list[float]()
    of_cycles = zip((ends[cycle] for cycle in packing.cycles), parts.cycles, strict=True)
    for pairs, value in [*of_cycles, *zip(ends, parts.edges, strict=True)]:
        groups = set(part[pairs].ravel().tolist())
        if len(groups) == 1:
            own[groups.pop()] = own.get(next(iter(set(part[pairs].ravel().tolist()))), 0.0) + value
        else:
            others.append(value)
    values = sorted((*own.values(), *others), reverse=True)
    shown = [mark["value"] for mark in torus.marks("gap part")]
    assert shown == pytest.approx(values[: len(shown)])
    assert any("group" in mark for mark in torus.marks("gap part")) == any(value > 0 for value in own.values())
    # Back to the variables.
    torus.page.keyboard.press("v")
    assert len(torus.marks("coupling")) == len(ends)


def chosen(picture: Cycles, by: str) -> Cycles:
    button = picture.root.locator(f"[data-by={by}]")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(picture.out("triplets").last).to_have_text("0")
    return picture


def by_messages(picture: Cycles) -> Cycles:
    return chosen(picture, "messages")


@pytest.mark.parametrize("name", ["frustrated-cycle", "tiny", "torus-10x10"])
def test_every_event_of_messages_is_drawn_with_the_values_of_the_pursuit(name: str, packed: Mount) -> None:
    picture, pursuit = by_messages(packed(lab(name, 8, 9))), bc.CyclePursuit(bc.sample(name))
    pursuit.run()
    picture.root.locator("[data-act=end]").click()
    expect(picture.out("where")).to_contain_text(f"of {len(pursuit.events)}")
    for position in np.unique(np.linspace(0, len(pursuit.events), 12).astype(int)).tolist():
        picture.show(position)
        pursuit.seek(position)
        assert not any(mark["lent"] for mark in picture.marks("coupling"))
        events = [pursuit.events[k] for k in range(position)]
        triples = [triple for event in events if event.found for triple in event.found.triples]
        drawn = [tuple(triple) for mark in picture.marks("triplets") for triple in mark["all"]]
        assert sorted(drawn) == sorted(triples)
        assert picture.out("triplets").inner_text() == f"{len(triples):,}"
        parts = pursuit.parts
        assert parts is not None
        values = sorted((*parts.variables, *parts.edges, *parts.triplets), reverse=True)
        shown = [mark["value"] for mark in picture.marks("gap part")]
        assert shown == pytest.approx(values[: len(shown)])
        assert picture.out("upper").inner_text() == number(pursuit.upper_bound)
        if events and events[-1].found:
            strong = np.sort(np.abs(events[-1].found.preference))
            preferences = [abs(mark["value"]) for mark in picture.marks("preference")]
            assert preferences == pytest.approx(strong[: len(preferences)])
            assert picture.root.locator(".halo").count() == len(strong)
        else:
            assert picture.root.locator(".halo").count() == 0


def test_each_choice_keeps_its_place(packed: Mount) -> None:
    picture = by_messages(packed(lab("frustrated-cycle", 8, 9)))
    picture.step("cycle")
    picture.step("cycle")
    expect(picture.sentence).to_contain_text("It is cut into 7 triplets")
    picture.root.locator("[data-by=program]").click()
    expect(picture.out("where")).to_contain_text("event 0 of 2")
    expect(picture.root.locator(".triplet")).to_have_count(1)  # of the legend
    expect(picture.out("triplets")).to_be_hidden()
    picture.root.locator("[data-by=messages]").click()
    expect(picture.out("where")).to_contain_text("event 2 of")


WORKS = (
    "({ cycles: { course } }) => course.histories.map((each) => [each.start, ...each.events].map(({ work }) => work))"
)


@pytest.mark.parametrize("name", ["frustrated-cycle", "tiny", "torus-10x10"])
def test_two_side_by_side_have_done_the_same_work(name: str, packed: Mount) -> None:
    picture, mrf = chosen(packed(lab(name, 8, 9)), "both"), bc.sample(name)
    engines: tuple[bc.Packing, bc.CyclePursuit] = (bc.Packing(mrf), bc.CyclePursuit(mrf))
    starts = [engine.work for engine in engines]
    for engine in engines:
        engine.run()
    lengths = [len(engine.events) for engine in engines]
    picture.root.locator("[data-act=end]").click()
    expect(picture.out("where")).to_have_text(f"event {sum(lengths)} of {sum(lengths)}")
    works, counts = picture.root.evaluate(WORKS), picture.root.evaluate("({ cycles }) => cycles.course.counts")
    for k, engine in enumerate(engines):
        assert works[k][1:] == [engine.events[number].work - starts[k] for number in range(lengths[k])]
    for before, after in pairwise(counts):
        (moved,) = (k for k in (0, 1) if after[k] != before[k])
        assert after[moved] == before[moved] + 1
        # What the other one does next takes more.
        other = 1 - moved
        assert after[other] == lengths[other] or works[moved][after[moved]] <= works[other][after[other] + 1]
    # Both are drawn as each would be alone.
    for position in np.unique(np.linspace(0, sum(lengths), 9).astype(int)).tolist():
        picture.show(position)
        for k, engine in enumerate(engines):
            engine.seek(counts[position][k])
            assert picture.out("upper").nth(k).inner_text() == number(engine.upper_bound)
            (here,) = (mark for mark in picture.marks("here") if mark["half"] == k)
            assert here["position"] == engine.position
            assert here["value"] == pytest.approx(engine.lower_bound)
        lowers = [least(engine) if engine.finished else engine.lower_bound for engine in engines]
        ahead = lowers[0] - lowers[1]
        is_same = abs(ahead) <= 1e-9 * engines[0].graph.cost.sum()
        words = "LB is the same" if is_same else "linear program leads" if ahead > 0 else "messages lead"
        expect(picture.out("lead")).to_contain_text(words)
    expect(picture.out("lead")).to_contain_text("both have ended")


def test_two_side_by_side_are_stepped_forward_and_back_and_one_is_left(packed: Mount) -> None:
    picture = chosen(packed(lab("frustrated-cycle", 8, 9)), "both")
    counts = picture.root.evaluate("({ cycles }) => cycles.course.counts")
    for position in range(1, len(counts)):
        picture.step("cycle")
        expect(picture.out("where")).to_have_text(f"event {position} of {len(counts) - 1}")
    expect(picture.out("state")).to_have_text("optimal, proven")
    # The steps of the energies prove what is left.
    expect(picture.out("lower").last).to_contain_text("⇒ −17")
    expect(picture.out("lead")).to_have_text("LB is the same in both (both have ended)")
    picture.root.locator("[data-back=round]").click()
    assert picture.root.evaluate("({ cycles }) => cycles.player.position") < len(counts) - 1
    picture.show(0)
    picture.step("round")
    # What is enlarged is enlarged in both.
    picture.root.locator("svg.front").first.focus()
    picture.page.keyboard.press("+")
    assert picture.root.evaluate("({ cycles }) => cycles.halves.map(({ net }) => net.camera.scale)") == [1.3, 1.3]
    picture.root.locator("[data-by=program]").click()
    expect(picture.root.locator("svg.front")).to_have_count(1)
    expect(picture.out("where")).to_contain_text("of 2")


BARS = """({ cycles }) => cycles.marks()
    .filter(({ means, width }) => means?.what === 'gap part' && width)
    .map(({ means, width }) => [means.value, width])"""


def test_parts_of_both_gaps_are_drawn_on_one_scale(packed: Mount) -> None:
    picture = chosen(packed(lab("torus-10x10", 8, 9)), "both")
    picture.show(60)
    values, widths = np.array(picture.root.evaluate(BARS)).T
    largest = [half.max() for half in np.split(values, [len(picture.marks("gap part")) // 2])]
    assert largest[0] != largest[1]
    assert widths == pytest.approx(np.maximum(values / values.max() * widths.max(), 1.5))


def test_what_is_pointed_at_in_one_half_is_left_with_it(packed: Mount) -> None:
    picture = chosen(packed(lab("torus-10x10", 8, 9)), "both")
    movers = picture.root.evaluate("({ cycles }) => cycles.course.movers")
    change = next(k for k in range(30, len(movers)) if movers[k] != movers[k - 1])
    picture.show(change)
    picture.root.locator("svg.lending .part").first.hover()
    expect(picture.root.locator(".halo.pointed")).not_to_have_count(0)
    picture.show(change + 1)
    expect(picture.root.locator(".halo.pointed")).to_have_count(0)


def test_events_of_both_that_come_in_small_parts_have_the_same_order(
    packed: Mount, monkeypatch: pytest.MonkeyPatch
) -> None:
    mrf, works = bc.sample("torus-10x10"), list[tuple[int, int]]()
    for half, engine in enumerate((bc.Packing(mrf), bc.CyclePursuit(mrf))):
        start = engine.work
        engine.run()
        works += [(engine.events[number].work - start, half) for number in range(len(engine.events))]
    monkeypatch.setattr(picture_of_cycles, "SENT", 23)
    monkeypatch.setattr(picture_of_cycles, "AHEAD", 30)
    picture = chosen(packed(lab("torus-10x10", 8, 9)), "both")
    picture.step("round")
    picture.step("round")
    program, messages = picture.both.values()
    assert len(program.events) < len(works) / 3, "no half is computed far beyond the other"
    picture.root.locator("[data-act=end]").click()
    expect(picture.out("lead")).to_contain_text("both have ended")
    assert messages.ending is not None
    movers = picture.root.evaluate("({ cycles }) => cycles.course.movers")
    assert movers == [half for _, half in sorted(works)]


def test_each_choice_and_both_keep_a_place_of_their_own(packed: Mount) -> None:
    picture = packed(lab("torus-10x10", 8, 9))
    places = {"program": 30, "messages": 7, "both": 41}
    for by, place in places.items():
        if by != "program":
            chosen(picture, by)
        picture.show(place)
    for by, place in places.items():
        picture.root.locator(f"button[data-by={by}]").click()
        expect(picture.out("where")).to_contain_text(f"event {place} of")


def out_of_memory(watched: WatchedPacking) -> None:
    watched.advance(1)
    assert watched.thread is not None
    watched.thread.join()
    watched.failure = "There is no memory for more rounds."


def test_one_side_goes_on_where_the_other_has_no_memory(packed: Mount) -> None:
    picture = packed(lab("torus-10x10", 8, 9))
    program, messages = picture.both.values()
    out_of_memory(messages)
    chosen(picture, "both")
    picture.root.locator("[data-act=end]").click()
    expect(picture.out("gap").first).to_have_text("0, closed")
    assert program.ending is not None
    expect(picture.sentence.last).to_contain_text("There is no memory for more rounds.")
    expect(picture.out("lead")).to_contain_text("linear program leads")
    expect(picture.out("lead")).to_contain_text("the messages could not go on")
    expect(picture.out("state")).to_have_text("There is no memory for more rounds.")
    # The address gets the place, although no more events follow.
    picture.page.keyboard.press("Home")
    expect(picture.out("state")).to_have_text("paused")
    picture.page.keyboard.press("End")
    last = picture.root.evaluate("({ cycles }) => cycles.course.length")
    expect(picture.out("where")).to_have_text(f"event {last} of {last}")
    told = "([root, at]) => root.cycles.data.position === at"
    picture.page.wait_for_function(told, arg=[picture.root.element_handle(), last])
    # Also within the round that has no end.
    picture.show(0)
    for _ in range(40):
        picture.page.keyboard.press("Shift+ArrowRight")
    expect(picture.out("where")).to_have_text(f"event {last} of {last}")


def test_both_say_why_one_of_them_cannot_begin(packed: Mount, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = packed(lab("torus-10x10", 8, 9))
    asked = len(picture.triggers)
    monkeypatch.setattr(mplp, "needed_bytes", lambda _: 1 << 60)
    picture.root.locator("[data-by=both]").click()
    expect(picture.sentence.first).to_have_text("There is no memory for the cycles of this model now.")
    picture.page.wait_for_timeout(1000)
    assert len(picture.triggers) - asked < 4, "it does not ask again and again"
    picture.root.locator("[data-act=play]").click()  # without a graph there is nothing to be played
    picture.root.locator("button[data-by=program]").click()
    expect(picture.out("where")).to_contain_text("event 0 of")


def test_a_cycle_by_messages_is_walked_round_before_its_triplets_appear(packed: Mount, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    picture = by_messages(packed(lab("frustrated-cycle", 8, 9)))
    picture.show(1)
    seen = """(root) => new Promise((done) => {
        const [runners, shades] = [new Set(), []];
        root.cycles.player.step('cycle', false);
        const look = () => {
            const runner = root.querySelector('.runner');
            if (runner) runners.add(runner.getAttribute('cx'));
            shades.push(Number(root.querySelector('path.triplet.last')?.getAttribute('opacity') ?? 0));
            if (root.cycles.player.t < 1) requestAnimationFrame(look);
            else done([runners.size, shades]);
        };
        requestAnimationFrame(look);
    })"""
    places, shades = picture.root.evaluate(seen)
    assert places > 3
    assert shades[0] == 0
    assert shades == sorted(shades)
    assert shades[-1] == 1


def test_what_pays_beyond_its_minimum_lights_up(packed: Mount) -> None:
    picture = by_messages(packed(lab("torus-10x10", 8, 9)))
    for _ in range(3):
        picture.step("round")
    picture.root.locator("svg.gaps .part").first.hover()
    expect(picture.root.locator(".halo.pointed")).to_have_count(1)
    expect(picture.root.locator(".tip")).to_contain_text("above its minimum")
    picture.root.locator("svg.lending .part").first.hover()
    expect(picture.root.locator(".tip")).to_contain_text("alone could gain")
    picture.page.mouse.move(0, 0)
    expect(picture.root.locator(".halo.pointed")).to_have_count(0)
