"""Looking closer at the hyper-graph: zoom, the content of circles, names, and the labelling's own picture."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core import looking
from bender_core.model import IntArray
from pages._shared.app.session import Lab
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import pricing
from pages._shared.watch import stage as watch_stage
from tests.component.mounting import Stage
from tests.labs import is_shown, lab, proven_lab
from tests.tiers import thinned

pytestmark = pytest.mark.browser

Watched = Callable[[Lab], Stage]


# The number of couplings drawn as broken: those around a torus have two pieces.
BROKEN = """({ stage }) => {
    const { paths, couplings } = stage.panes.variables, drawn = paths.broken.getAttribute('d');
    return couplings.filter(({ d }) => drawn.includes(d)).length;
}"""


def marked(stage: Stage, what: str) -> list[dict[str, Any]]:
    """What the marks of a kind mean."""
    return [mark["means"] for mark in stage.marks() if (mark.get("means") or {}).get("what") == what]


def radius(stage: Stage) -> float:
    return float(stage.root.evaluate("({ stage }) => stage.panes.radius"))


def zoom_to(stage: Stage, p: int) -> None:
    """Look closer at a group until its circle shows its content."""
    stage.root.evaluate(
        "({ stage }, p) => { while (stage.panes.radius < 60) stage.panes.camera.by(1.3, stage.panes.at[p]); }", p
    )


# -- content --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "max_size", "variant"), [("tiny", 3, 9), ("pose-small", 8, 9), ("torus-10x10", 5, 4), ("karate", 6, 9)]
)
def test_a_large_circle_shows_the_bits_of_the_states_that_count(
    watched: Watched, name: str, max_size: int, variant: int
) -> None:
    """The best labelling, y* and the neighbours' answers, as the engine has them."""
    mine = lab(name, max_size, variant)
    stage, run = watched(mine), lab(name, max_size, variant).run.engine
    seen = set()
    for _ in range(4):
        stage.step("round")
        run.step("round")
        p, y = looking.last_event(run).node, looking.last_event(run).state
        asked = [] if looking.last_event(run).kind.name == "MESSAGE" else looking.answers(run, p, y)
        for q in [p, *[answer.sender for answer in asked[:2]]]:
            zoom_to(stage, q)
            shown = {mark["member"]: mark["states"] for mark in marked(stage, "variable") if mark["group"] == q}
            assert sorted(shown) == list(range(len(run.partition.groups[q])))
            best = run.labeling[run.partition.groups[q]]
            assert [shown[k]["best"] for k in sorted(shown)] == best.tolist()
            expected = {"y*": y} if q == p and asked else {each.sender: each.state for each in asked}
            for kind, state in (("y*", expected.get("y*")), ("answer", expected.get(q))):
                if state is not None:
                    assert [shown[k][kind] for k in sorted(shown)] == [state >> k & 1 for k in sorted(shown)]
                    seen.add(kind)
            stage.page.keyboard.press("0")
    assert seen >= {"y*", "answer"}


@pytest.mark.parametrize(("name", "max_size"), thinned([("pose-small", 8), ("torus-10x10", 5)], 2, several=True))
def test_inner_couplings_that_the_labelling_breaks_are_marked(watched: Watched, name: str, max_size: int) -> None:
    """Of spins those whose ends are not as they want them; of bits repulsive ones between two ones."""
    mine = lab(name, max_size, 9)
    mine.run.engine.run(max_sweeps=2)
    stage = watched(mine)
    stage.jump(len(mine.run.engine.trace))
    engine = mine.run.engine
    fates = set()
    for p in range(3):
        zoom_to(stage, p)
        group, mrf = engine.partition.groups[p], engine.mrf
        inner = [mark for mark in marked(stage, "inner") if mark["group"] == p]
        assert len(inner) == sum(set(edge) <= set(group) for edge in mrf.edges[mrf.coupling() != 0].tolist())
        for mark in inner:
            i, j = group[mark["ends"]]
            k = int(np.flatnonzero((np.sort(mrf.edges, axis=1) == sorted((i, j))).all(axis=1))[0])
            assert mark["value"] == pytest.approx(mrf.coupling()[k], rel=1e-5)
            table = mrf.pairwise[k]
            cost = table[tuple(engine.labeling[mrf.edges[k]])]
            if name.startswith("torus"):
                assert (mark["fate"] == "broken") == (cost > table.min())
            else:
                assert (mark["fate"] == "broken") == (cost > table[0, 0] == table.min())
            fates.add(mark["fate"])
        stage.page.keyboard.press("0")
    assert "broken" in fates or name.startswith("pose")


def test_the_variables_show_the_labelling_and_what_it_breaks(watched: Watched) -> None:
    mine = lab("torus-10x10", 5, 9)
    stage = watched(mine)
    stage.click("button[data-view=variables]")
    for _ in range(2):
        stage.step("sweep")
        engine = mine.run.engine
        engine.seek(stage.position)
        labels = engine.labeling
        hollow = stage.root.locator(".variable").evaluate_all("(all) => all.map((dot) => dot.matches('.is-0'))")
        assert hollow == (labels == 0).tolist()
        mrf = engine.mrf
        costs = mrf.pairwise[np.arange(len(mrf.edges)), *labels[mrf.edges].T]
        assert stage.root.evaluate(BROKEN) == (costs > mrf.pairwise.min(axis=(1, 2))).sum()


def test_a_stage_that_opens_on_the_variables_alone_is_drawn(page: Page, watched: Watched) -> None:
    """As when another page was looked at meanwhile: the choice is kept."""
    kept = {"run": 0, "mode": "main", "speed": "1", "order": "cost", "looks": {"view": "variables"}}
    page.evaluate("(kept) => { sessionStorage['bender-lab:choices'] = JSON.stringify(kept); }", kept)
    stage, run = watched(lab("pose-small", 8, 9)), lab("pose-small", 8, 9).run.engine
    stage.step("node")
    run.step("node")
    stage.shows(run)
    assert stage.root.locator(".variable").count() == run.mrf.n
    # There are no circles yet to look closer at.
    for key in "++-":
        page.keyboard.press(key)
    stage.click("button[data-view=hyper]")
    assert stage.root.evaluate("({ stage }) => stage.panes.camera.scale") == 1
    assert stage.root.locator("svg.hyper .node").count() == len(run.partition)


# -- zoom -----------------------------------------------------------------------------------------------------


def test_a_run_that_comes_while_the_answer_hides_the_graph_is_drawn(watched: Watched) -> None:
    """The circles placed before are of another run, of fewer groups."""
    stage = watched(lab("frustrated-cycle", 5, 9))
    stage.root.locator("button[data-view=answer]").click()
    stage.lab = lab("pose-small", 8, 9)
    stage.lab.number = 1
    stage.root.evaluate("({ stage }) => stage.questions.ask('poll')")
    stage.wait("stage.stage.graph.nodes.length === argument", len(stage.lab.partition))
    stage.settle()
    stage.root.locator("button[data-view=hyper]").click()
    expect(stage.root.locator(".circles .node")).to_have_count(len(stage.lab.partition))


@pytest.mark.parametrize("view", ["hyper", "both"])
def test_pictures_are_as_high_as_their_pane_in_large_type_too(stage: Stage, view: str) -> None:
    stage.page.set_viewport_size({"width": 1920, "height": 1080})
    stage.page.evaluate("() => { document.documentElement.style.fontSize = '20px'; }")
    stage.root.locator(f"button[data-view={view}]").click()
    stage.act("stage.list.turn(true)")
    stage.act("stage.select(0)")
    heights = "[...stage.querySelectorAll('.views, svg.hyper')].map((each) => each.getBoundingClientRect().height)"
    stage.wait(f"new Set({heights}.map(Math.round)).size === 1")


def test_buttons_look_closer_at_the_group_updated(stage: Stage) -> None:
    """As near to the middle as it goes: nothing beside the whole is ever in sight."""
    stage.step("event")
    updated = stage.lab.run.engine.trace[0].node
    for _ in range(6):
        stage.root.locator("[data-zoom='+']").click()
    x, y = stage.root.evaluate("({ stage }, p) => stage.panes.at[p].map((v, k) => v / stage.panes.size[k])", updated)
    assert x == pytest.approx(0.5, abs=0.01)
    assert 0.1 < y <= 0.51


@pytest.mark.slow
def test_wheel_keys_and_buttons_look_closer_and_back(stage: Stage) -> None:
    whole = stage.root.locator("svg.hyper .node").evaluate_all("(all) => all.map((one) => one.getAttribute('cx'))")
    start = radius(stage)
    svg = stage.root.locator("svg.hyper")
    svg.hover(position={"x": 100, "y": 100})
    stage.page.mouse.wheel(0, -100)
    stage.page.wait_for_function("([root, r]) => root.stage.panes.radius > r", arg=[stage.root.element_handle(), start])
    for key, larger in (("+", True), ("-", False)):
        before = radius(stage)
        stage.page.keyboard.press(key)
        assert (radius(stage) > before) == larger
    for button, larger in (("+", True), ("-", False)):
        before = radius(stage)
        stage.root.locator(f"[data-zoom='{button}']").click()
        assert (radius(stage) > before) == larger
    # The background moves what is enlarged, and nothing beside the whole comes in sight.
    box = svg.bounding_box()
    stage.page.mouse.move(box["x"] + 5, box["y"] + 5)
    stage.page.mouse.down()
    stage.page.mouse.move(box["x"] + 900, box["y"] + 900, steps=3)
    stage.page.mouse.up()
    assert stage.root.evaluate("({ stage }) => stage.panes.camera.corner") == [0, 0]
    stage.page.keyboard.press("0")
    assert start == radius(stage)
    now = stage.root.locator("svg.hyper .node").evaluate_all("(all) => all.map((one) => one.getAttribute('cx'))")
    assert now == whole


def test_a_place_under_the_pointer_stays_there(stage: Stage) -> None:
    at = stage.root.evaluate("({ stage }) => stage.panes.at[3]")
    stage.root.evaluate("({ stage }, at) => stage.panes.camera.by(3, at)", at)
    assert stage.root.evaluate("({ stage }) => stage.panes.at[3]") == pytest.approx(at)


@pytest.mark.slow
def test_a_circle_that_is_dragged_stays_where_it_was_dropped_when_all_is_shown(stage: Stage) -> None:
    stage.root.evaluate("({ stage }) => stage.panes.camera.by(2, stage.panes.at[3])")
    box = stage.root.locator(".node[data-node='3']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = stage.root.evaluate("({ stage }) => stage.panes.places.whole[3]")
    stage.page.mouse.move(x, y)
    stage.page.mouse.down()
    stage.page.mouse.move(x + 40, y - 20, steps=4)
    stage.page.mouse.up()
    now = stage.root.evaluate("({ stage }) => stage.panes.places.whole[3]")
    assert now == pytest.approx([before[0] + 20, before[1] - 10], abs=1)
    stage.root.locator("[data-act=tidy]").click()


# -- names ----------------------------------------------------------------------------------------------------


def test_where_circles_are_crowded_the_group_that_is_updated_is_named(watched: Watched) -> None:
    """And the one that is pointed at; the others would cover each other."""
    stage, run = watched(lab("torus-10x10", 2, 9)), lab("torus-10x10", 2, 9).run.engine
    assert len(run.partition) > 40
    stage.step("round")
    run.step("round")
    names = stage.root.locator("svg.hyper .node-name")
    p = looking.last_event(run).node
    expect(names).to_have_text([run.partition.labels[p]])
    q = (p + 9) % len(run.partition)
    stage.root.evaluate("({ stage }, q) => stage.highlight({ group: q })", q)
    assert sorted(names.all_text_contents()) == sorted([run.partition.labels[p], run.partition.labels[q]])


@pytest.mark.parametrize(
    ("name", "max_size"),
    thinned(
        [("karate", 4), ("pose", 12), ("pose", 8), ("pose-small", 8), ("tree", 4), ("torus-10x10", 10)], 6, several=True
    ),
)
def test_names_cover_neither_each_other_nor_a_circle(watched: Watched, name: str, max_size: int) -> None:
    stage = watched(lab(name, max_size, 9))
    for width, view in product((390, 1280, 1920), ("hyper", "both")):
        stage.page.set_viewport_size({"width": width, "height": 900})
        stage.click(f"button[data-view={view}]")
        stage.root.evaluate("({ stage }) => stage.resized()")
        boxes = stage.root.locator("svg.hyper .node-name:not(.active)").evaluate_all(
            """(all) => all.map((text) => {
                const { x, y, width, height } = text.getBBox();
                return [text.dataset.mark.split("-")[1], x, y, x + width, y + height];
            })"""
        )
        for (p, *a), (q, *b) in combinations(boxes, 2):
            apart = a[2] <= b[0] + 2 or b[2] <= a[0] + 2 or a[3] <= b[1] + 6 or b[3] <= a[1] + 6
            assert p == q or apart, (width, view, p, q)


# -- the answer -----------------------------------------------------------------------------------------------


# The value of every variable, the proven ones, what the dots look like, and how many couplings are broken.
ANSWERED = """({ stage }) => {
    const { dots, values, proven } = stage.panes.variables;
    const looks = dots.map(({ classList }) => [!classList.contains('is-0'), classList.contains('decided')]);
    return [values, proven.map(({ value }) => value ?? null), looks, (BROKEN)({ stage })];
}""".replace("BROKEN", BROKEN)


def broken_by(mrf: bc.BinaryMRF, labeling: IntArray) -> int:
    """The couplings that a labelling breaks: of spins those that favour the other case, of bits repulsive ones."""
    coupling, (i, j) = mrf.coupling(), mrf.edges.T
    x, y = labeling[i], labeling[j]
    broken = np.where(coupling > 0, x == y, x != y) if spins_of(mrf) else (coupling > 0) & (x == 1) & (y == 1)
    return int(np.count_nonzero(broken & (coupling != 0)))


def spins_of(mrf: bc.BinaryMRF) -> bool:
    (a, b), (c, d) = mrf.pairwise.transpose(1, 2, 0)
    return bool(np.allclose(a, d) and np.allclose(b, c))


@pytest.mark.parametrize(("name", "size"), [("torus-10x10", 6), ("karate", 6), ("tiny", 3)])
def test_the_answer_of_a_run_is_its_best_labelling(watched: Callable[[Lab], Stage], name: str, size: int) -> None:
    mine = lab(name, size, 9)
    stage = watched(mine)
    stage.root.locator("button[data-view=answer]").click()
    for _ in range(4):
        stage.step("sweep")
        mine.run.engine.seek(stage.position)
        values, _, looks, broken = stage.root.evaluate(ANSWERED)
        assert values == mine.run.engine.labeling.tolist()
        assert [one for one, _ in looks] == [value == 1 for value in values]
        assert broken == broken_by(mine.mrf, mine.run.engine.labeling)
        said = stage.root.locator(".verdict").inner_text()
        assert is_shown(mine.run.engine.upper_bound, said.split()[1])
        assert f"breaks {broken} of " in said


def test_a_key_leads_from_view_to_view(watched: Callable[[Lab], Stage]) -> None:
    stage = watched(lab("tiny", 3, 9))
    seen = []
    for _ in range(4):
        stage.page.keyboard.press("v")
        stage.settle()
        seen.append(stage.root.locator("button[data-view][aria-pressed=true]").get_attribute("data-view"))
    assert seen == ["both", "variables", "answer", "hyper"]


def test_a_click_in_the_answer_asks_for_a_price_which_is_written_beside_its_dot(
    watched: Callable[[Lab], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = lab("karate", 6, 9)
    stage = watched(mine)
    stage.root.locator("button[data-view=answer]").click()
    stage.settle()
    stage.root.locator("circle.answered").nth(7).click()
    stage.settle()
    asked = [value for _, value in stage.triggers if value["do"] == "price"]
    assert [each["variables"] for each in asked] == [[7]]
    # Of presses in quick succession only the last question is seen: it names all that have no price yet.
    stage.act("for (const i of argument) root.querySelectorAll('circle.answered')[i].onclick()", [9, 11])
    assert [value["variables"] for _, value in stage.triggers if value["do"] == "price"][-1] == [7, 9, 11]
    price = bc.price(mine.mrf, 7)
    found = pricing.Pricing(mine.mrf, (7, 8), None, mine.account, [price])
    monkeypatch.setattr(watch_stage, "prices_view", lambda _: found.view(is_going=True))
    stage.receive(watch_stage.stage_data(mine))
    written = stage.root.locator("text.price")
    assert written.all_text_contents() == ["…", pricing.short(price)]
    box, dot = (each.bounding_box() for each in (written.nth(1), stage.root.locator("circle.answered").nth(7)))
    assert box is not None
    assert dot is not None
    assert min(abs(box["x"] - dot["x"]), abs(box["x"] + box["width"] - dot["x"])) < 2 * dot["width"]
    expect(stage.root.locator(".tip")).to_be_hidden()
    stage.root.locator("circle.answered").nth(20).hover()
    stage.root.locator("circle.answered").nth(7).hover()
    expect(stage.root.locator(".tip")).to_contain_text(pricing.in_full(price))


def test_of_too_many_variables_the_answer_says_where_it_is(watched: Callable[[Lab], Stage]) -> None:
    mrf = bc.synth.ising_grid(45, 45, coupling="gaussian", seed=1)
    part = bc.partition(mrf, 6)
    stage = watched(Lab(mrf, 6, part, 4, "mplp", WatchedRun(bc.Engine(mrf, part, variant=4, excluding=True))))
    stage.root.locator("button[data-view=answer]").click()
    expect(stage.root.locator(".views .none")).to_contain_text("“Save this run”, below, saves the labelling.")


def test_the_answer_of_a_proof_is_the_optimum_of_the_whole_model_and_all_of_it_is_proven(
    watched: Callable[[Lab], Stage],
) -> None:
    mine = proven_lab("pose-small", 8, 9, 100)
    stage = watched(mine)
    stage.root.locator("button[data-view=answer]").click()
    optimum = bc.certify(mine.mrf).labeling
    values, proven, looks, _ = stage.root.evaluate(ANSWERED)
    assert values == proven == optimum.tolist()
    assert all(decided for _, decided in looks)
    said = stage.root.locator(".verdict").inner_text()
    assert f"{mine.mrf.n} of {mine.mrf.n} proven" in said
    ones = [mine.mrf.names[i] for i in np.flatnonzero(optimum)]
    assert said.endswith(f"1: {', '.join(ones)}")
