"""A line of runs as one timeline: stepping, playing and scrubbing go on from chapter to chapter."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from bender_core.looking.decided import decided_members
from bender_core.trying.change import Fork
from pages._shared.app.branches import branch_of, home_of, passage
from pages._shared.app.session import Lab
from tests.component.mounting import Stage
from tests.labs import is_shown, lab, proven_lab
from tests.watched import Watched

pytestmark = pytest.mark.browser
BEGINS = 90  # the event of the first run at which the proof begins


@pytest.fixture
def mine() -> Lab:
    """At the end of a proof that has gone on from a run."""
    return proven_lab("pose-small", 4, 9, BEGINS)


@pytest.fixture
def stage(watched: Callable[[Watched], Stage], mine: Lab) -> Stage:
    stage: Stage = watched(mine)
    stage.settle()
    return stage


def place(stage: Stage) -> tuple[int, int]:
    """The chapter shown, from 0, and its position."""
    return stage.lab.branches.chapters.index(stage.lab.branches.shown), stage.position


def shows_the_engines_values(stage: Stage) -> None:
    """Bounds, and what is decided, where the stage stands."""
    engine = stage.lab.run.engine
    stage.lab.run.halt()
    engine.seek(stage.position)
    said = stage.stage.evaluate("({ stage }) => { const m = stage.moment(); return [m.lower, m.upper, m.decided]; }")
    assert said[:2] == pytest.approx([engine.lower_bound, engine.upper_bound])
    # A proof decides what the bound alone leaves open.
    is_open = "!" if stage.text("state") == "optimal, proven" else "?"
    members = ["".join(is_open if v < 0 else str(v) for v in decided_members(engine, p)) for p in range(len(said[2]))]
    assert said[2] == members


def test_the_end_of_a_proof_shows_the_climb_over_all_chapters_and_the_answer(stage: Stage, mine: Lab) -> None:
    chapters = mine.branches.chapters
    lengths = [branch.event for branch in chapters[1:]]
    marks = stage.marks()
    lower = [mark["means"]["value"] for mark in marks if (mark.get("means") or {}).get("what") == "lb"]
    assert lower
    assert stage.root.evaluate("({ stage }) => stage.charts.fan.range") == [0, sum(lengths) + stage.position]
    names = stage.root.locator("svg.fan [data-mark^=chapter]")
    assert names.count() >= len(chapters)
    # The best bounds of all chapters, where they are on the axis.
    climb = stage.root.evaluate("({ stage }) => stage.charts.fan.climb")
    assert [point[0] for point in climb] == sorted(point[0] for point in climb)
    assert [point[1] for point in climb] == sorted(point[1] for point in climb)
    begun = -sum(lengths)
    for branch, length in zip(chapters, lengths, strict=False):
        ends = [point[1] for point in climb if point[0] <= begun + length]
        assert branch.run is not None
        known = branch.run.engine.trace[length - 1].lower_bound if length else branch.run.opening[0]
        assert ends[-1] >= known - 1e-6
        begun += length
    # Little is left of the hyper-graph: the answer is the whole model's. Before the end it is the graph again.
    assert stage.root.evaluate("({ stage }) => stage.panes.view") == "answer"
    stage.turn(0)
    assert stage.root.evaluate("({ stage }) => stage.panes.view") == "hyper"


@pytest.mark.slow
def test_steps_go_on_in_the_next_chapter_and_back_in_the_one_before(stage: Stage, mine: Lab) -> None:
    chapters = mine.branches.chapters
    lengths = [branch.event for branch in chapters[1:]]
    assert len(chapters) > 3
    assert stage.text("state") == "optimal, proven"
    expect(stage.root.locator("[data-out=undecided]")).to_have_text(f"0 of {mine.mrf.n}")
    seen = [place(stage)]
    while not stage.root.locator("[data-back=sweep]").is_disabled():
        stage.step("sweep", backward=True)
        seen.append(place(stage))
        shows_the_engines_values(stage)
    assert seen[-1] == (0, 0)
    assert seen == sorted(seen, reverse=True)
    # Each chapter is left from its beginning, to the end of the one before.
    assert {(k, 0) for k in range(len(chapters))} | {(k, end) for k, end in enumerate(lengths)} <= set(seen)
    there = [place(stage)]
    while not stage.root.locator("[data-step=sweep]").is_disabled():
        stage.step("sweep")
        there.append(place(stage))
    assert set(there) >= set(seen) - {each for each in seen if each[0] == 0 and each[1] not in (0, BEGINS)}
    assert there[-1] == seen[0]
    assert stage.text("state") == "optimal, proven"


@pytest.mark.slow
def test_the_scrubber_reaches_every_chapter(stage: Stage, mine: Lab) -> None:
    lengths = [*(branch.event for branch in mine.branches.chapters[1:]), stage.position]
    count, total = len(lengths), sum(lengths)
    # Half of the strip they share evenly, the rest by their events.
    begins = np.cumsum([0, *(total * (1 / count + length / total) / 2 for length in lengths)])
    scrub = stage.root.locator(".scrub")
    assert float(scrub.get_attribute("max")) == total
    for k, into in ((1, 5), (3, 2), (0, 7), (2, lengths[2]), (1, lengths[1])):
        value = begins[k] + into / lengths[k] * (begins[k + 1] - begins[k])
        scrub.evaluate("(input, to) => { input.value = to; input.dispatchEvent(new Event('input')); }", value)
        stage.wait("stage.stage.chapters.at === argument[0]", [k])
        stage.settle()
        assert place(stage) == (k, into)
        assert float(scrub.input_value()) == pytest.approx(value)
        assert stage.text("where").startswith(f"chapter {k + 1} of {count} · ")
        shows_the_engines_values(stage)
    # The chapter shown has its number where there is room for none.
    stage.root.locator(".marks").evaluate("(strip) => { strip.style.width = '24px'; }")
    stage.stage.evaluate("({ stage }) => { stage.sizes.forget(); stage.strip.draw(); }")
    assert stage.root.locator(".marks .chapter-name").all_text_contents() == [str(k + 1)]


@pytest.mark.slow
def test_thumb_ticks_and_chapters_of_the_strip_lie_at_the_same_places(stage: Stage, mine: Lab) -> None:
    stage.turn(2, 0)
    blocks, sweeps, thumb, names = stage.stage.evaluate(
        """({ stage }) => {
            const all = (name) => [...stage.root.querySelectorAll(`.marks ${name}`)];
            const scrub = stage.$('.scrub');
            const room = stage.sizes.of(stage.$('.marks')).width - 16;
            return [
                all('.chapter').map((e) => [e.x.baseVal.value, e.width.baseVal.value]),
                [...all('.sweeps')[0].getAttribute('d').matchAll(/M([0-9.]+)/g)].map((m) => Number(m[1])),
                8 + (scrub.value / scrub.max) * room,
                all('.chapter-name').map((e) => e.textContent),
            ];
        }"""
    )
    chapters = mine.branches.chapters
    assert len(blocks) == len(chapters)
    assert min(wide for _, wide in blocks) > 0.4 * sum(wide for _, wide in blocks) / len(blocks)
    x, wide = blocks[2]
    assert thumb == pytest.approx(x, abs=0.1)
    # The last sweep ends where the next chapter begins.
    length = chapters[3].event
    ends = [k + 1 for k in range(length) if mine.run.engine.trace[k].kind == Kind.SWEEP]
    assert sweeps == pytest.approx([x + wide * end / length for end in ends], abs=0.1)
    assert [name.split(":")[0] for name in names] == [str(k + 1) for k in range(len(chapters))]
    assert stage.root.locator(".marks .rise").count() == 0


def is_struck(engine: bc.Engine, opened: int) -> bool:
    """Whether states of the group that is opened cost more than the best labelling."""
    engine.seek(opened)
    return bool((looking.ground(engine, looking.open_node(engine)) > engine.upper_bound).any())


@pytest.mark.slow
def test_columns_out_for_good_are_those_above_the_best_energy(stage: Stage, mine: Lab) -> None:
    """In an exact run, but for those struck off before; the line of UB is drawn across the ground."""
    chapter = mine.branches.chapters[1].run
    last = mine.branches.chapters[2].event
    openings = [k + 1 for k in range(last) if chapter.engine.trace[k].kind == Kind.NODE_OPENED]
    opened = next(k for k in reversed(openings) if is_struck(chapter.engine, k))
    stage.turn(1, opened)
    engine = mine.run.engine
    mine.run.halt()
    engine.seek(opened)
    ground, alive = looking.ground(engine, looking.open_node(engine)), looking.alive(engine, looking.open_node(engine))
    best = int(engine.graph.states(engine.labeling)[looking.open_node(engine)])
    out = {int(y) for y in np.flatnonzero(~alive | (ground > engine.upper_bound))} - {best}
    assert 0 < len(out) < len(ground)
    dead = stage.root.locator(".known.dead").evaluate_all("bars => bars.length")
    assert dead == len(out)
    # What is shaded is above that line, and says why; nothing else is ruled out where every cost is exact.
    stage.step("node")
    marks = {each["id"]: each for each in stage.marks() if each["picture"] == "ground"}
    shade, line = marks["ruled out"], marks["ub"]
    assert shade["y"] + shade["height"] == pytest.approx(line["y1"])
    assert marks["ruled out name"]["text"] == "out for good"
    assert not [each for each in marks.values() if "ruled-out" in each.get("class", "")]
    # Across the ground, and in the bounds.
    lines = [each["means"] for each in stage.marks() if (each.get("means") or {}).get("what") == "ub"]
    assert [each["id"] for each in stage.marks() if each["id"] == "ub" and each["shape"] == "line"]
    assert [each["value"] for each in lines] == pytest.approx([engine.upper_bound] * len(lines))


@pytest.mark.slow
def test_playing_goes_through_all_chapters_to_the_end(stage: Stage, mine: Lab) -> None:
    stage.root.locator("[data-act=speed]").select_option("Infinity")
    stage.root.get_by_role("button", name="Again").click()
    stage.wait("stage.stage.chapters.at === 1", None)
    last = len(mine.branches.chapters) - 1
    stage.wait("stage.stage.chapters.at === argument[0] && stage.dataset.state === 'idle'", [last])
    assert place(stage) == (last, mine.branches.tip.end)
    assert stage.text("state") == "optimal, proven"


@pytest.mark.slow
def test_run_goes_to_the_end_of_the_line(stage: Stage, mine: Lab) -> None:
    stage.click("[data-act=reset]")
    stage.wait("stage.stage.chapters.at === 0", None)
    stage.settle()
    assert place(stage) == (0, 0)
    stage.click("[data-act=run]")
    stage.wait("stage.stage.chapters.isLast", None)
    stage.settle()
    assert place(stage)[1] == mine.branches.tip.end


@pytest.mark.slow
def test_decided_variables_wear_the_colour_of_the_proof(stage: Stage, mine: Lab) -> None:
    stage.root.locator("button[data-view=hyper]").click()  # the end shows the answer
    drawn = stage.root.locator("svg.hyper .bit.decided").count()
    assert drawn == stage.root.locator("svg.hyper .bit").count() > 0
    stage.click("[data-act=reset]")
    stage.wait("stage.stage.chapters.at === 0", None)
    stage.settle()
    assert stage.root.locator("svg.hyper .bit.decided").count() == 0


@pytest.mark.slow
def test_between_updates_the_last_one_stays_and_at_the_ends_it_is_said_what_is_so(stage: Stage, mine: Lab) -> None:
    ground, message = (stage.root.locator(f"svg.{name}") for name in ("ground", "message"))
    expect(ground).to_contain_text("optimal, proven")
    expect(ground).to_contain_text("the bounds meet")
    expect(message).to_contain_text("No group is updated any more.")
    expect(stage.root.locator("svg.gaps")).to_have_text("Its parts are all 0.")
    stage.turn(1, 0)
    expect(ground).to_contain_text("With the next update: what each state costs.")
    expect(message).to_contain_text("With the next update: its loosest message.")
    while mine.run.engine.trace[stage.position].kind != Kind.SWEEP:
        stage.step("node")
    costs = [[each[key] for key in ("id", "means")] for each in stage.marks() if each["id"].startswith("known ")]
    stage.step("event")
    assert mine.run.engine.trace[stage.position - 1].kind == Kind.SWEEP
    assert costs == [
        [each[key] for key in ("id", "means")] for each in stage.marks() if each["id"].startswith("known ")
    ]
    assert costs
    assert "updated last" in stage.root.locator("[data-out=ground]").inner_text()


def cells(stage: Stage) -> list[dict[str, Any]]:
    """What is drawn of each variable of the whole model; nothing if nothing is known."""
    meant = [each["means"] for each in stage.marks() if (each.get("means") or {}).get("what") == "solution"]
    assert [each["variable"] for each in meant] == list(range(len(meant)))
    return meant


def solution(stage: Stage) -> list[int | None]:
    """What is drawn of the labelling of the whole model."""
    return [each.get("value") for each in cells(stage)]


@pytest.mark.slow
def test_what_is_decided_of_the_whole_labelling_stays_in_sight(stage: Stage, mine: Lab) -> None:
    stage.click("button[data-view=hyper]")
    whole = solution(stage)
    assert mine.mrf.energy(whole) == pytest.approx(mine.run.engine.upper_bound)
    counts, ties = [len(whole)], []
    for k in range(len(mine.branches.chapters) - 1, -1, -1):
        to = 0 if k == 0 else mine.branches.chapters[k].position or 10
        stage.turn(k, to)
        shows_the_engines_values(stage)
        engine = mine.run.engine
        known = np.full(engine.mrf.n + 1, True)  # of those that are not in this model any more
        for p, group in enumerate(engine.partition.groups):
            known[group] = (decided_members(engine, p) >= 0) | (stage.text("state") == "optimal, proven")
        values = engine.whole.restored(engine.labeling)
        expected = [int(v) if yes else None for v, yes in zip(values, known[engine.whole.home], strict=True)]
        assert solution(stage) == (expected if any(known[engine.whole.home]) else [])
        home, parity = engine.whole.home, engine.whole.value
        first = {each: home.tolist().index(each) for each in set(home.tolist())}
        tied = [i for i, each in enumerate(home) if not known[each] and first[each] < i]
        assert [(each["variable"], each["tie"], each["same"]) for each in cells(stage) if "tie" in each] == [
            (i, first[home[i]], parity[i] == parity[first[home[i]]]) for i in tied
        ]
        ties.append(len(tied))
        counts.append(sum(v is not None for v in solution(stage)))
        expect(stage.root.locator(".net .key")).to_be_visible(visible=counts[-1] > 0)
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 0
    assert any(ties)
    assert stage.root.locator("svg.hyper .solution").count() == 0


@pytest.mark.slow
def test_a_cell_of_the_solution_says_its_variable_and_the_chapter_that_decided_it(stage: Stage, mine: Lab) -> None:
    chapters = mine.branches.chapters
    gone = np.array([branch.run.engine.whole.home < 0 for branch in chapters])
    # The last chapter in whose model a variable is; of those that stay to the end the last one.
    last = len(chapters) - gone.sum(axis=0)
    assert len(set(last)) > 2
    stage.click("button[data-view=hyper]")
    tip = stage.root.locator(".tip")
    for number in set(last):
        i = int(np.flatnonzero(last == number)[0])
        stage.root.locator(f'[data-mark="cell {i}"]').hover()
        expect(tip).to_contain_text(f"{mine.mrf.names[i]} = {solution(stage)[i]}")
        expect(tip).to_contain_text(f"decided by chapter {number}:")
    stage.turn(1)
    values = solution(stage)
    known = next(i for i, value in enumerate(values) if value is not None)
    stage.page.mouse.move(0, 0)
    unknown = next(i for i, each in enumerate(cells(stage)) if each.keys() == {"what", "variable"})
    for i, said in ((unknown, "not decided yet"), (known, "decided by chapter 2:")):
        stage.root.locator(f'[data-mark="cell {i}"]').hover()
        expect(tip).to_contain_text(said)
    stage.turn(3, 0)
    tied = next(each for each in cells(stage) if "tie" in each)
    stage.root.locator(f'[data-mark="cell {tied["variable"]}"]').hover()
    one, other = (mine.mrf.names[tied[key]] for key in ("variable", "tie"))
    expect(tip).to_contain_text(f"{one} {'=' if tied['same'] else '≠'} {other}")


@pytest.mark.slow
def test_a_scale_that_has_changed_says_what_it_was(stage: Stage, mine: Lab) -> None:
    legend = stage.root.locator(".legend")
    ends = []
    for k in (0, 1):
        stage.turn(k)
        ends.append(legend.inner_text().split(" (")[0].lstrip("0").strip())
    assert ends[0] != ends[1]
    assert legend.inner_text().endswith(f"{ends[1]} (before: {ends[0]})")


# Boxes of chips, and those of circles that they share more than some pixels with.
COVERED = """({ stage: { panes } }) => {
    const chips = panes.over.list().filter(({ shape, class: look }) => shape === 'rect' && look.startsWith('chip'));
    const shared = (from, side, to, at) => Math.min(from + side, at + to) - Math.max(from, at - to);
    return [chips.length, chips.flatMap((chip) => panes.at.filter(([x, y]) => Math.min(
        shared(chip.x, chip.width, panes.radius, x), shared(chip.y, chip.height, panes.radius, y)) > 3))];
}"""


@pytest.mark.slow
def test_chips_of_a_proof_cover_no_circle(stage: Stage, mine: Lab) -> None:
    looked = 0
    stage.ask_for_nothing_ahead()
    for k in (1, 2, 3):
        trace, end = mine.branches.chapters[k].run.engine.trace, mine.branches.chapters[k + 1].event
        stage.turn(k, 0)
        kinds = (Kind.NODE_OPENED, Kind.MESSAGE)
        drawn = [i + 1 for i in range(end) if trace[i].kind in kinds]
        for position in drawn[:: 1 + len(drawn) // 12]:
            stage.jump(position)
            chips, covered = stage.stage.evaluate(COVERED)
            assert covered == [], (k, position)
            looked += chips
    assert looked > 30


def test_numbers_of_chapters_lie_above_the_ticks(stage: Stage) -> None:
    order = stage.root.locator(".marks").evaluate("svg => [...svg.children].map((e) => e.getAttribute('class'))")
    assert order.index("chapter-name") > max(k for k, look in enumerate(order) if look.startswith("ticks"))


@pytest.mark.parametrize("width", [1280, 390])
def test_the_solution_lies_beside_the_circles_and_chips_keep_off_it(stage: Stage, width: int) -> None:
    stage.page.set_viewport_size({"width": width, "height": 844})
    for grain in ("", "node", "event"):
        if grain:
            stage.step(grain, backward=True)
        boxes, at, radius, chips = stage.stage.evaluate(
            """({ stage: { panes } }) => [panes.solution.boxes, panes.at, panes.radius,
                panes.over.list().filter(({ class: look }) => look.startsWith('chip') && look.endsWith(' '))]"""
        )
        for _, top, right, bottom in boxes:
            assert not any(x - radius < right and y + radius > top and y - radius < bottom for x, y in at)
            for chip in chips:
                assert chip["x"] >= right or chip["y"] >= bottom or chip["y"] + chip.get("height", 0) <= top


def test_a_circle_without_room_for_bits_shows_how_many_are_decided(stage: Stage, mine: Lab) -> None:
    stage.page.set_viewport_size({"width": 390, "height": 560})
    stage.turn(1)
    shows_the_engines_values(stage)
    engine, shares = stage.lab.run.engine, {}
    for p in range(len(engine.partition)):
        members = decided_members(engine, p)
        if (members >= 0).any():
            shares[p] = float((members >= 0).mean())
    assert shares
    assert stage.root.locator("svg.hyper .bit").count() == 0
    meant = [each["means"] for each in stage.marks() if (each.get("means") or {}).get("what") == "decided"]
    assert {each["group"]: each["value"] for each in meant} == pytest.approx(shares)


def test_a_chapter_that_is_cut_anew_keeps_the_bound_of_those_before(watched: Callable[[Watched], Stage]) -> None:
    found = lab("pose-small", 4, 9)
    change, anew = bc.Change(prove=True), bc.Change.read("reduce_cut-2-greedy")
    proving = change.fork(found.run.engine)
    proving.run(max_sweeps=3)
    fresh = anew.fork(proving)
    best = proving.lower_bound
    assert fresh.lower_bound < best
    first = branch_of(next(iter(found.branches)), Fork(0, change), proving)
    proving.run(max_sweeps=3)
    found.show(found.branches.add(first, branch_of(first, Fork(proving.position, anew), fresh)))
    stage = watched(found)
    stage.settle()
    assert is_shown(best, stage.text("lower"))
    assert stage.text("keeper") == "of chapter 2"
    terms = {"objective": {"name": "score", "sense": "max", "scale": -2, "offset": 0}}
    stage.stage.evaluate("({ stage }, terms) => { Object.assign(stage.graph, terms); stage.draw(); }", terms)
    assert is_shown(-2 * best, stage.stage.locator("[data-out=own]").inner_text().rpartition("at most ")[2])
    # Its own bound is drawn, and shown once it is better.
    assert stage.stage.evaluate("({ stage }) => stage.moment().lower") == pytest.approx(fresh.lower_bound)
    expect(stage.root.locator("svg.fan .lb-name.end")).to_contain_text(["LB of chapter 2", "LB here"])
    assert stage.text("gap-of").endswith(" here")
    while fresh.lower_bound <= best and not fresh.finished:
        fresh.step("sweep")
    if fresh.lower_bound > best:
        stage.jump(fresh.position)
        assert is_shown(fresh.lower_bound, stage.text("lower"))
        assert stage.text("keeper") == ""


# In every frame: the circles on their way, what leaves them, the names beside them, and what the stage says.
FLOWING = """({ stage }) => {
    window.frames = [];
    const look = () => {
        const marks = stage.marks();
        const meant = (what) => marks.filter(({ means }) => means?.what === what);
        window.frames.push({
            circles: meant('flowing').map(({ cx, cy, means }) => [cx, cy, means.group]),
            leaving: meant('leaving').map(({ cx, cy, means }) => [means.group, means.bit, means.to, cx, cy]),
            values: meant('leaving').map((mark) => [mark.means.group, mark.means.bit, mark.class.match(/is-(.)/)[1]]),
            trails: meant('trail').map(({ x2, y2, means }) => [means.to, x2, y2]),
            names: stage.panes.circles.list().filter(({ id }) => id.startsWith('name-')).map(({ text }) => text),
            ties: meant('ties').map(({ means }) => [means.group, means.partners]),
            said: ['.where', '[data-out=lower]', '[data-out=undecided]', '.sentence', '.legend'].map(
                (name) => stage.$(name).textContent).concat(stage.$('.run [name=M]').value),
            chapter: [...stage.root.querySelectorAll('.marks .chapter')].findIndex((e) => e.matches('.shown')),
            scrubbed: stage.$('.scrub').value,
        });
        if (stage.panes.flow.isOn || window.frames.length < 4) requestAnimationFrame(look);
    };
    look();
}"""


@pytest.mark.slow
def test_the_circles_of_a_chapter_flow_into_those_of_the_next_before_anything_else_changes(
    stage: Stage, mine: Lab
) -> None:
    chapters = mine.branches.chapters
    k = next(
        k
        for k, (old, new) in enumerate(itertools.pairwise(chapters))
        if any(to >= 0 for *_, to, _ in passage(old.run.engine, new.run.engine).leaving)
    )
    stage.turn(k, chapters[k + 1].event)
    labels = set(chapters[k].run.engine.partition.labels)
    before = stage.stage.evaluate("({ stage }) => stage.$('.scrub').value")
    stage.page.emulate_media(reduced_motion="no-preference")
    stage.root.locator("[data-step=round]").click()
    stage.wait("stage.stage.panes.flow.isOn", None)
    stage.stage.evaluate(FLOWING)
    # What is pressed meanwhile is played afterwards.
    stage.root.locator("[data-step=round]").click()
    stage.settle()
    frames = [each for each in stage.page.evaluate("window.frames") if each["circles"]]
    assert len(frames) > 3
    # The first frame may be of the time before the answer: all say the same.
    assert {(*each["said"], each["chapter"], each["scrubbed"]) for each in frames} == {(*frames[0]["said"], k, before)}
    assert frames[0]["said"][0].startswith(f"chapter {k + 1} of ")
    assert place(stage)[0] == k + 1
    assert place(stage)[1] > 0
    engine = chapters[k].run.engine
    way = passage(engine, chapters[k + 1].run.engine)
    states = engine.graph.states(engine.labeling)
    owners = np.array(way.owner)
    united = [[p, np.flatnonzero(owners == p).tolist()] for p in range(owners.max() + 1) if (owners == p).sum() > 1]
    assert united
    for frame in frames:
        assert [group for *_, group in frame["circles"]] == list(way.owner)
        assert {tuple(each[:3]) for each in frame["leaving"]} == {each[:3] for each in way.leaving}
        assert set(frame["names"]) <= labels
        assert frame["ties"] == united
        assert all(int(value) == states[p] >> k & 1 for p, k, value in frame["values"])
        # What goes to another group leaves a trail.
        assert frame["trails"] == [[to, x, y] for *_, to, x, y in frame["leaving"] if to >= 0]
    # What follows another comes to where that one is; what is decided comes to the solution, at the left.
    stage.step("sweep", backward=True)
    circles, radius = stage.stage.evaluate("({ stage: { panes } }) => [panes.at, panes.radius]")
    groups, home = chapters[k + 1].run.engine.partition.groups, home_of(engine, chapters[k + 1].run.engine)
    for (p, bit, to, x0, y0), (*_, x, y) in zip(frames[0]["leaving"], frames[-1]["leaving"], strict=True):
        if to < 0:
            assert x < 12 < x0
        else:
            members = groups[to].tolist()
            turn = 2 * np.pi * members.index(home[engine.partition.groups[p][bit]]) / len(members) - np.pi / 2
            off = 0.57 * radius if len(members) > 1 else 0
            there = circles[to] + off * np.array([np.cos(turn), np.sin(turn)])
            before, after = (float(np.hypot(*(there - at))) for at in ((x0, y0), (x, y)))
            assert after < max(0.2 * before, 1)


@pytest.mark.slow
def test_a_jump_ends_the_flow_at_once(stage: Stage, mine: Lab) -> None:
    last = mine.branches.chapters[2].event
    stage.turn(1, last)
    stage.page.emulate_media(reduced_motion="no-preference")
    stage.root.locator("[data-step=round]").click()
    stage.wait("stage.stage.panes.flow.isOn", None)
    stage.stage.evaluate("({ stage }) => stage.player.jump(3)")
    assert not stage.stage.evaluate("({ stage }) => stage.panes.flow.isOn")
    stage.settle()
    assert place(stage) == (2, 3)
    shows_the_engines_values(stage)
