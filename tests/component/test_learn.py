"""Learn: it is walked, its numbers are dragged and its guesses made; what it computes itself is the engine's."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from pages._shared.app.session import sample
from pages._shared.learn import LESSONS
from pages._shared.learn.recorded import world
from pages._shared.learn.rows import Between
from tests.component.conftest import Tab
from tests.component.mounting import Learn

EXACT = """async ([own, wishes, changes]) => {
    const { Friends, Tables, statesOf } = await import('/friends/exact.js');
    const tables = new Tables({ own, wishes }, [0, 1, 2], [3, 4, 5]);
    return {
        energies: new Friends(own, wishes).energies(),
        both: statesOf(3).map((state) => tables.receiver.energy(state)),
        nu: tables.nu(changes),
        charges: statesOf(3).map((state) => tables.charges(state)),
        rows: statesOf(3).map((state) => tables.row(state, changes)),
    };
}"""
# The marks of a lesson that are outside of its picture.
OUTSIDE = """(root, slug) => {
    const { svg } = root.learn.lessons.find((each) => each.slug === slug);
    const box = svg.getBoundingClientRect();
    return [...svg.children].filter((mark) => {
        const { left, right, top, bottom } = mark.getBoundingClientRect();
        return left < box.left - 14 || right > box.right + 14 || top < box.top - 14 || bottom > box.bottom + 14;
    }).map((mark) => mark.dataset.mark);
}"""
# Which guesses a lesson asks, and the option that is right, found here.
LESSONS_WITH_GUESSES = {
    "friends": "cheapest",
    "loop": "highest",
    "groups": "pairs",
    "message": "answer",
    "row": "touches",
    "envelope": "where",
    "saving": "asked",
    "kinds": "higher",
    "recycle": "part",
    "bound": "loosest",
    "proof": "rises",
    "pose": "two",
}


@pytest.fixture
def learn(page: Page) -> Learn:
    return Learn(page)


def friends(seed: int) -> tuple[list[float], list[list[float]]]:
    """Six friends with random costs and wishes."""
    dice = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(6) for j in range(i + 1, 6) if dice.random() < 0.7]
    wishes = [[i, j, float(dice.choice([-1, 1]) * dice.integers(1, 5))] for i, j in pairs]
    return dice.integers(-3, 4, 6).astype(float).tolist(), wishes


def model(own: list[float], wishes: list[list[float]]) -> bc.BinaryMRF:
    tables = [cost * (1 - np.eye(2)) if cost > 0 else -cost * np.eye(2) for _, _, cost in wishes]
    edges = np.array([wish[:2] for wish in wishes], dtype=np.int64)
    return bc.BinaryMRF(np.column_stack([np.zeros(len(own)), own]), edges, np.array(tables))


@pytest.mark.parametrize("seed", range(8))
def test_what_the_page_computes_is_what_the_engine_does(page: Page, seed: int) -> None:
    own, wishes = friends(seed)
    mrf = model(own, wishes)
    if not ((mrf.edges[:, 0] < 3) & (mrf.edges[:, 1] >= 3)).any():
        pytest.skip("no wish between the tables")
    Learn(page)  # the modules of a page find its colours
    found: dict[str, Any] = page.evaluate(EXACT, [own, wishes, []])
    states = [[state >> k & 1 for k in range(6)] for state in range(64)]
    energies = np.array([mrf.energy(state) for state in states])
    assert found["energies"] == pytest.approx(energies.tolist())
    # The cheapest evening of both tables in each state of A: what A costs by itself, and the message.
    least = energies.reshape(8, 8).min(axis=0)
    assert np.add(found["both"], found["nu"]).tolist() == pytest.approx(least.tolist())
    tables = Between(mrf)
    nu = np.array([tables.answers(state).min() for state in range(8)])
    # The engine moves what is the same in all states into the model's constant.
    assert np.ptp(np.array(found["nu"]) - nu) < 1e-9
    assert found["charges"] == [pytest.approx(tables.reverse(state).tolist()) for state in range(8)]
    for state, row in enumerate(found["rows"]):
        assert row[state] == pytest.approx(found["nu"][state])
        assert (np.array(row) <= np.array(found["nu"]) + 1e-9).all()


@pytest.mark.parametrize("changes", [[2, 0, 0], [-3, 1, 4]])
def test_a_row_stays_valid_and_tight_when_the_sender_has_heard_of_others(page: Page, changes: list[float]) -> None:
    Learn(page)
    found: dict[str, Any] = page.evaluate(EXACT, [world()["own"], world()["wishes"], changes])
    before: dict[str, Any] = page.evaluate(EXACT, [world()["own"], world()["wishes"], []])
    assert found["nu"] != before["nu"]
    assert found["charges"] == before["charges"]
    for state, row in enumerate(found["rows"]):
        assert row[state] == found["nu"][state]
        assert (np.array(row) <= np.array(found["nu"])).all()


def test_steps_are_scrolled_to_or_pressed(learn: Learn) -> None:
    current = learn.root.locator(".step.current")
    steps = learn.root.locator(".step").count()
    expect(learn.root.locator(".where")).to_have_text(f"1 of {steps}")
    expect(learn.root.locator("[data-act=previous]")).to_be_disabled()
    learn.root.locator("[data-act=next]").click()
    expect(current).to_have_attribute("data-step", "least")
    # It goes on once the guess is made.
    learn.page.keyboard.press("j")
    expect(learn.guess("cheapest").get_by_role("button", name="000")).to_be_focused()
    expect(current).to_have_attribute("data-step", "least")
    learn.page.keyboard.press("Enter")
    expect(learn.guess("cheapest").locator(".verdict")).to_be_focused()
    learn.page.keyboard.press("j")
    expect(current).to_have_attribute("data-step", "map")
    learn.page.keyboard.press("k")
    expect(current).to_have_attribute("data-step", "least")
    learn.root.locator("[data-lesson=message] [data-step=pairs]").scroll_into_view_if_needed()
    learn.page.mouse.wheel(0, 300)
    expect(learn.root.locator("[data-lesson=message] .current, [data-lesson=row] .current")).to_have_count(1)
    learn.go("pose", "on")
    expect(learn.root.locator("[data-act=next]")).to_be_disabled()
    assert learn.triggers[-1] == ("progress", {"lesson": "pose", "done": []})


@pytest.mark.parametrize("slug", LESSONS)
def test_the_page_begins_at_a_lesson(page: Page, slug: str) -> None:
    learn = Learn(page, slug)
    expect(learn.root.locator(f"[data-lesson={slug}] .current")).to_have_count(1)


def test_every_lesson_draws_live_numbers_and_says_what_is_seen(learn: Learn) -> None:
    for slug in LESSONS:
        for step in learn.root.locator(f"[data-lesson={slug}] .step").all():
            learn.go(slug, step.get_attribute("data-step") or "")
            assert learn.marks(slug)
        section = learn.root.locator(f"[data-lesson={slug}]")
        for number in [*section.locator("[data-value]").all(), *section.locator("[data-drag]").all()]:
            assert number.text_content() not in ("", "undefined", "NaN", None)
        label = section.locator("figure svg").get_attribute("aria-label") or ""
        assert label.endswith(".")
        assert "NaN" not in label + json.dumps(learn.marks(slug))
        assert "undefined" not in label


def test_every_number_is_dragged_and_moved_by_keys(learn: Learn) -> None:
    for element in learn.root.locator("[data-drag]").all():
        holders = "(e) => ['[data-lesson]', '.step'].map((name) => e.closest(name).dataset)"
        slug, step = element.evaluate(holders)
        unveil(learn, slug["lesson"])
        learn.go(slug["lesson"], step["step"])
        element.press("Home")
        lowest = element.inner_text()
        assert element.get_attribute("aria-valuenow") == element.get_attribute("aria-valuemin")
        element.press("ArrowRight")
        assert element.inner_text() != lowest
        element.press("End")
        assert element.get_attribute("aria-valuenow") == element.get_attribute("aria-valuemax")
        box = element.bounding_box()
        assert box is not None
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        learn.page.mouse.move(*middle)
        learn.page.mouse.down()
        learn.page.mouse.move(middle[0] - 400, middle[1], steps=3)
        learn.page.mouse.up()
        assert element.inner_text() == lowest
        low = learn.marks(slug["lesson"])
        element.press("End")
        # The times of this machine are not known here.
        if element.get_attribute("data-drag") != "timed":
            assert learn.marks(slug["lesson"]) != low


def unveil(learn: Learn, slug: str) -> None:
    """Have the answers of a lesson shown."""
    for skip in learn.root.locator(f"[data-lesson={slug}] .skip").all():
        skip.evaluate("(button) => button.click()")


def test_what_gives_an_answer_away_follows_it(learn: Learn) -> None:
    step = learn.go("friends", "map")
    expect(step.locator("p").first).to_be_hidden()
    assert not [mark for mark in learn.marks("friends") if mark["id"] == "value 5"]
    learn.go("friends", "least")
    learn.guess("cheapest").get_by_role("button", name="Show me").click()
    expect(step.locator("p").first).to_be_visible()
    assert [mark["text"] for mark in learn.marks("friends") if mark["id"] == "value 5"] == ["8"]
    verdict = learn.guess("cheapest").locator(".verdict")
    expect(verdict).to_have_text("The answer: 110 costs 1: Ben −1, broken Ben–Cleo 2.")
    # Looking up an answer is no guess.
    assert learn.triggers[-1] == ("progress", {"lesson": "friends", "done": []})


@pytest.mark.parametrize("slug", LESSONS_WITH_GUESSES)
@pytest.mark.parametrize("rightly", [True, False])
def test_a_guess_is_judged_and_says_why(page: Page, slug: str, rightly: bool) -> None:
    learn = Learn(page, slug)
    guess = learn.guess(LESSONS_WITH_GUESSES[slug])
    options = guess.locator(".options button")
    right = {
        "cheapest": "110",
        "highest": "2",
        "pairs": "64",
        "answer": written_answer(7),
        "touches": str(touched(1)),
        "where": "at the lowest column",
        "asked": "about 5",
        "higher": "level with it, or above",
        "part": "the constant",
        "loosest": loosest(),
        "rises": "no",
        "two": str(sum(world()["pose"]["labeling"])),
    }[LESSONS_WITH_GUESSES[slug]]
    names = options.all_inner_texts()
    chosen = right if rightly else next(name for name in names if name != right)
    options.nth(names.index(chosen)).click()
    expect(guess.locator(".verdict")).to_have_text(re.compile("^Right: " if rightly else "^Not so: "))
    expect(guess.locator("button.right")).to_have_text(right)
    expect(options.first).to_be_disabled()
    assert learn.triggers[-1] == ("progress", {"lesson": slug, "done": [slug] if rightly else []})


def tables() -> Between:
    return Between(sample("friends"))


def written_answer(state: int) -> str:
    """The best answer of B, with what it costs by itself: what it costs while nobody of A goes."""
    answer = int(tables().answers(state).argmin())
    first, both = (
        model(world()["own"][:count], [wish for wish in world()["wishes"] if wish[1] < count]) for count in (3, 6)
    )
    bits = [answer >> k & 1 for k in range(3)]
    return "".join(map(str, bits)) + f", own cost {both.energy([0, 0, 0, *bits]) - first.energy([0, 0, 0]):g}"


def touched(anchor: int) -> int:
    """The number of states at which the reverse row made at one touches ν."""
    bits = np.arange(8)[:, None] >> np.arange(3) & 1
    nu = np.array([tables().answers(state).min() for state in range(8)])
    row = nu[anchor] - (bits & ~bits[anchor] & 1) @ tables().reverse(anchor)
    return int(np.isclose(row, nu).sum())


def loosest() -> str:
    climb = world()["climb"]
    edges = climb["sweeps"][-1]["edges"]
    return "–".join(climb["labels"][p] for p in climb["edges"][int(np.argmax(edges))])


def test_floor_and_ceiling_meet_by_asking_at_the_lowest_column(learn: Learn) -> None:
    learn.go("envelope", "floor")
    learn.guess("where").get_by_role("button", name="Show me").click()
    learn.go("envelope", "ask")
    par = int(learn.value("envelope", "par"))
    section = learn.root.locator("[data-lesson=envelope]")
    floors = learn.means("envelope", "floor")
    for _ in range(par):
        label = section.locator("[data-mark^='hit']").evaluate_all(
            """(all) => {
                const least = (e) => Number(e.getAttribute('aria-label').split('at least ')[1].replace('−', '-'));
                return all.sort((a, b) => least(a) - least(b))[0].dataset.mark;
            }"""
        )
        section.locator(f"[data-mark='{label}']").click()
        floors += learn.means("envelope", "floor")
    assert floors == sorted(floors)
    assert floors[-1] == learn.means("envelope", "ceiling")[0]
    own, wishes = world()["own"], world()["wishes"]
    both = model(own[:6], [wish for wish in wishes if wish[1] < 6])
    assert floors[-1] == min(both.energy([state >> k & 1 for k in range(6)]) for state in range(64))
    assert learn.value("envelope", "state") == f"They meet at {floors[-1]:g}, after {par} questions."
    section.get_by_role("button", name="Start again").click()
    assert learn.value("envelope", "state").endswith("so far 0 questions.")


def test_the_cheapest_state_known_is_not_ruled_out(learn: Learn) -> None:
    """Even when floor and ceiling have met, as it is the one that has won."""
    learn.go("envelope", "floor")
    unveil(learn, "envelope")
    learn.go("envelope", "ask")
    for _ in range(int(learn.value("envelope", "par")) + 1):
        ceiling = learn.means("envelope", "ceiling")
        exact = [mark["means"] for mark in learn.marks("envelope") if mark["id"].startswith("exact ")]
        best = next(each["state"] for each in exact if each["value"] == ceiling[0])
        kinds = {mark["id"]: mark["class"] for mark in learn.marks("envelope") if mark["id"].startswith("least ")}
        assert "ruled-out" not in kinds[f"least {best}"]
        lowest = learn.root.evaluate(
            """({ learn }) => {
                const { now } = learn.lessons.find(({ slug }) => slug === 'envelope');
                return now.indexOf(Math.min(...now));
            }"""
        )
        learn.root.locator(f"[data-lesson=envelope] [data-mark='hit {lowest}']").click()
    assert learn.means("envelope", "floor") == learn.means("envelope", "ceiling")


def test_what_is_decided_is_in_no_cheaper_evening_and_the_rest_is_tried(learn: Learn) -> None:
    mrf = sample("friends")
    evenings = np.arange(1 << 12)[:, None] >> np.arange(12) & 1
    energies = np.array([mrf.energy(each) for each in evenings])
    of_table = evenings.reshape(-1, 4, 3) @ [1, 2, 4]
    unveil(learn, "proof")
    learn.go("proof", "decide")
    columns = [mark for mark in learn.marks("proof") if mark.get("means", {}).get("what") in ("out", "left")]
    assert len(columns) == 4 * 8
    stays = np.ones(len(energies), bool)
    for column in columns:
        means = column["means"]
        having = of_table[:, means["table"]] == means["state"]
        assert means["value"] <= energies[having].min() + 1e-6
        assert (means["what"] == "out") == ("ruled-out" in column["class"])
        if means["what"] == "out":
            assert energies[having].min() >= energies.min()
            stays &= ~having
    assert learn.value("proof", "out") == f"{sum(each['means']['what'] == 'out' for each in columns)} of 32"
    assert learn.value("proof", "left") == str(stays.sum())
    assert learn.value("proof", "cheapest") == f"{energies[stays].min():g}" == f"{energies.min():g}"
    # Those of the best evening that is left are marked, and so is what its friends do.
    best = of_table[stays][energies[stays].argmin()]
    green = [each["means"] for each in columns if each["class"].endswith(" least")]
    assert sorted((each["table"], each["state"]) for each in green) == list(enumerate(best.tolist()))
    goes = [mark for mark in learn.marks("proof") if mark["id"].startswith("friend ")]
    assert [mark["class"] == "friend is-1" for mark in goes] == evenings[stays][energies[stays].argmin()].astype(
        bool
    ).tolist()


def test_a_number_of_a_later_step_brings_its_picture(learn: Learn) -> None:
    learn.go("row", "charges")
    learn.guess("touches").get_by_role("button", name="Show me").click()
    raised = learn.root.locator("[data-drag=raise]")
    raised.evaluate("(element) => element.focus({ preventScroll: true })")
    learn.page.keyboard.press("End")
    expect(learn.root.locator(".step.current")).to_have_attribute("data-step", "charges")
    assert [mark["class"] for mark in learn.marks("row") if mark["id"] == "row"] == ["row wrong"]
    # Until another step is entered.
    learn.go("row", "question")
    assert [mark["class"] for mark in learn.marks("row") if mark["id"] == "row"] != ["row wrong"]


def test_the_picture_shows_the_state_that_was_guessed(learn: Learn) -> None:
    learn.go("message", "answer")
    learn.guess("answer").locator(".options button").first.click()
    value = learn.root.locator("[data-lesson=message] [data-value=answer]")
    verdict = learn.guess("answer").locator(".verdict").inner_text()
    assert value.inner_text() in verdict
    assert [mark["id"] for mark in learn.marks("message") if "nu-bar" in mark["class"]] == ["nu bar 7"]


def test_a_guess_that_comes_first_is_pointed_at(learn: Learn) -> None:
    learn.go("friends", "least")
    guess = learn.guess("cheapest")
    guess.evaluate("(element) => { element.animate = () => element.setAttribute('data-shone', ''); }")
    learn.root.locator("[data-act=next]").click()
    expect(guess.locator(".options button").first).to_be_focused()
    expect(guess).to_have_attribute("data-shone", "")


def test_friends_change_their_minds_and_the_energy_follows(learn: Learn) -> None:
    mrf = sample("friends")
    for state, k in ((1, 0), (3, 1), (7, 2)):
        learn.root.locator(f"[data-lesson=friends] [data-mark='friend {k}']").click()
        inside = model(world()["own"][:3], [wish for wish in world()["wishes"] if wish[1] < 3])
        energy = inside.energy([state >> i & 1 for i in range(3)])
        assert learn.value("friends", "energy").startswith(f"{energy:g} (")
    assert mrf.names[:3] == ("Ann", "Ben", "Cleo")


def test_the_browser_may_know_of_more_than_the_server(learn: Learn) -> None:
    data = {"seconds": None, "failed": False, "done": ["row"]}
    learn.receive({**data, "lesson": "bound"})
    expect(learn.root.locator("[data-lesson=bound] .current")).to_have_count(1)
    learn.go("pose", "candidates")
    assert learn.triggers[-1] == ("progress", {"lesson": "pose", "done": ["row"]})
    # What the page has said itself moves nothing when it comes back.
    learn.go("loop", "alone")
    learn.receive({**data, "lesson": "pose"})
    expect(learn.root.locator("[data-lesson=loop] .current")).to_have_count(1)


def test_nothing_is_said_on_the_way_to_another_page(learn: Learn) -> None:
    """It would count as a wish to stay."""
    learn.go("row", "question")
    said = len(learn.triggers)
    learn.page.evaluate(
        """() => {
            const link = Object.assign(document.createElement('a'), { href: '/method', textContent: 'Method' });
            link.onclick = (event) => event.preventDefault();
            // In sight wherever the page is: nothing is scrolled to press it.
            link.style.cssText = 'position: fixed; top: 0; left: 0; z-index: 9';
            document.body.prepend(link);
        }"""
    )
    learn.page.get_by_role("link", name="Method").click()
    learn.go("envelope", "floor")
    learn.go("kinds", "reverse")
    assert len(learn.triggers) == said
    # The page was not left after all.
    learn.page.wait_for_function("({ learn }) => !learn.departure.isNear", arg=learn.root.element_handle())
    learn.go("recycle", "change")
    assert learn.triggers[said:][-1] == ("progress", {"lesson": "recycle", "done": []})


def test_what_was_held_back_is_said_later(tab: Tab, learn: Learn) -> None:
    tab.take_clock()
    learn.root.evaluate("({ learn }) => { learn.departure.pressed = performance.now(); learn.say('row'); }")
    assert not learn.triggers
    learn.page.clock.run_for(2_000)
    assert learn.triggers == [("progress", {"lesson": "row", "done": []})]


def test_an_answer_moves_no_option(learn: Learn) -> None:
    where = "(all) => all.map((each) => [each.offsetLeft, each.offsetTop, each.offsetWidth])"
    for slug, name in LESSONS_WITH_GUESSES.items():
        learn.go(slug, learn.guess(name).evaluate("(e) => e.closest('.step').dataset.step"))
        options = learn.guess(name).locator(".options button")
        before = options.evaluate_all(where)
        options.first.click()
        assert options.evaluate_all(where) == before


def test_words_point_at_the_picture(learn: Learn) -> None:
    for words in learn.root.locator("[data-points]").all():
        words.hover()
        expect(learn.root.locator("[data-lit]").first).to_be_attached()
    learn.root.locator("h2").first.hover()
    expect(learn.root.locator("[data-lit]")).to_have_count(0)


@pytest.mark.slow
def test_motion_ends_with_the_whole_picture(learn: Learn) -> None:
    """Also where it is drawn anew on the way."""
    learn.page.emulate_media(reduced_motion="no-preference")
    learn.go("friends", "least")
    learn.guess("cheapest").get_by_role("button", name="110").click()
    learn.page.mouse.wheel(0, 10)
    learn.page.wait_for_function(
        "(root) => root.learn.lessons[0].begun === null", arg=learn.root.element_handle(), timeout=10_000
    )
    assert len([mark for mark in learn.marks("friends") if mark["id"].startswith("value ")]) == 8
    # All frames are of one motion.
    learn.go("proof", "one")
    unveil(learn, "proof")
    learn.go("proof", "two")
    learn.go("proof", "cycles")
    # The bound begins far below; it is in the picture all the time.
    lowers = world()["cycles"]["lowers"]
    assert learn.means("proof", "lower")[0] < lowers[-1]
    assert learn.root.evaluate(OUTSIDE, "proof") == []
    learn.page.wait_for_function(
        "(root) => root.learn.lessons.every((each) => each.begun === null)", arg=learn.root.element_handle()
    )
    assert learn.means("proof", "lower") == [pytest.approx(lowers[-1])]


def test_a_judged_answer_follows_the_numbers(learn: Learn) -> None:
    learn.go("friends", "least")
    guess = learn.guess("cheapest")
    guess.get_by_role("button", name="110").click()
    expect(guess.locator(".verdict")).to_have_text("Right: 110 costs 1: Ben −1, broken Ben–Cleo 2.")
    learn.drag("ben").press("End")
    expect(guess.locator(".verdict")).to_have_text(re.compile("^Not so: 110 costs 6: Ben 4, broken Ben–Cleo 2"))
    # Several evenings may be the cheapest.
    energies = model([0, 4, 0], [[0, 1, 3], [1, 2, 2], [0, 2, -3]])
    every = {"".join(map(str, bits)): energies.energy(bits) for bits in np.ndindex(2, 2, 2)}
    cheapest = [state for state, energy in every.items() if energy == min(every.values())]
    assert sorted(guess.locator("button.right").all_inner_texts()) == sorted(cheapest)
    assert all(state in learn.value("friends", "best") for state in cheapest)


def test_a_guess_that_was_right_is_not_asked_again(page: Page) -> None:
    learn = Learn(page, done=("row",))
    assert learn.root.locator("[data-lesson=row] .veiled").count() == 0
    expect(learn.guess("touches").locator(".verdict")).to_have_text(
        re.compile("^The answer: it touches at 100 and 110")
    )
    assert learn.root.locator("[data-lesson=kinds] .veiled").count() > 0


@pytest.mark.slow
def test_no_picture_leaves_its_frame(learn: Learn) -> None:
    """Whatever is dragged, at every step."""
    for slug in LESSONS:
        unveil(learn, slug)
        drags = learn.root.locator(f"[data-lesson={slug}] [data-drag]").all()
        for end in ("Home", "End"):
            for drag in drags:
                drag.press(end)
            for step in learn.root.locator(f"[data-lesson={slug}] .step").all():
                learn.go(slug, step.get_attribute("data-step") or "")
                assert learn.root.evaluate(OUTSIDE, slug) == [], f"{slug}, {step.get_attribute('data-step')}, {end}"


def test_a_picture_is_drawn_when_the_reader_comes_near(learn: Learn) -> None:
    expect(learn.root.locator("[data-lesson=friends] svg [data-mark]").first).to_be_attached()
    far = learn.root.locator("[data-lesson=pose] svg [data-mark]")
    expect(far).to_have_count(0)
    learn.go("pose", "candidates")
    expect(far.first).to_be_attached()
    # It stays, so that nothing is empty on the way back.
    learn.go("friends", "least")
    expect(far.first).to_be_attached()
