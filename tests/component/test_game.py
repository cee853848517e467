"""The game: its rules are those of the engine, every level is won and lost, and nothing that is said is wrong."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from bender_core.kernels.layout import RowKind
from pages._shared.app.fields import MOVES
from pages._shared.game.levels import LEVELS, Deal, begin, deal, limits, starts
from pages._shared.game.record import random_turns, start
from pages._shared.game.recorded import levels
from pages._shared.game.rules import KINDS, Board
from tests.component.mounting import Game

NUMBERS = sorted(LEVELS)

# The bounds after each turn, the columns before each pass, and whether all is in order.
PLAYED = """async (dealt) => {
    const { Board, Position } = await import('/game/rules.js');
    let at = Position.begin(new Board(dealt, dealt.start.tables), dealt.start);
    const [bounds, least, most, open] = [[at.bound], [], [], []];
    for (const [table, questions] of dealt.turns) {
        const rows = questions.map(([sender, state, kind]) => at.row(table, sender, state, kind));
        for (const row of rows) at = at.with(row);
        for (const [sender, state] of questions)
            open.push(at.atMost(table, sender)[state] - at.envelope(table, sender)[state]);
        const ground = at.ground(table);
        least.push(ground.least);
        most.push(ground.most);
        at = at.passed(table);
        bounds.push(at.bound);
    }
    return { bounds, least, most, open };
}"""

# Plays at random, by what is allowed: the best score of each puzzle.
RANDOM = """async ([level, puzzle, plays]) => {
    const { State } = await import('/game/play.js');
    const any = (list) => list[Math.floor(Math.random() * list.length)];
    const rules = globalThis.benderLab.levels[level - 1];
    const dealt = rules.puzzles[puzzle - 1];
    let best = -Infinity;
    for (let k = 0; k < plays; k += 1) {
        let state = State.begin(rules, dealt);
        const pair = any([null, ...state.merges]);
        if (pair) state = state.after({ merge: pair });
        while (!state.isOver) {
            const table = any(state.tables);
            const sender = any(state.board.neighbours[table]);
            const names = { table: state.letter(table), sender: state.letter(sender) };
            const question = { ...names, state: any(state.board.states(table)), kind: any(rules.kinds) };
            const move = Math.random() < 0.6 ? question : { table: state.letter(table) };
            state = state.after(move) ?? state;
        }
        best = Math.max(best, state.score);
    }
    return best;
}"""


@pytest.fixture
def game(page: Page) -> Game:
    return Game(page)


def puzzle(level: int, number: int = 1) -> dict[str, Any]:
    found: dict[str, Any] = levels()[level - 1]["puzzles"][number - 1]
    return found


@pytest.mark.parametrize("level", NUMBERS)
def test_the_rules_are_those_of_the_engine(page: Page, level: int) -> None:
    Game(page)
    rules, seen = LEVELS[level], 0
    for seed in range(8):
        dealt = deal(rules, seed)
        if dealt is None:
            continue
        for pair, run in starts(rules, begin(rules, dealt)).items():
            board = Board(run)
            allowed = limits(rules, run)._replace(kinds=KINDS if max(board.sizes) < 4 else KINDS[:1])
            turns = random_turns(board, allowed, np.random.default_rng(seed))
            at, bounds, grounds = board.start, [board.bound(board.start)], []
            for table, questions in turns:
                made = [(question.sender, board.row(at, table, question)) for question in questions]
                at = board.with_rows(at, table, made)
                rest = board.bound(at) - board.bound_of_table(at, table)
                rest -= sum(board.bound_of_edge(at, table, q) for q in board.neighbours[table])
                own = rest + board.energies[table]
                exact = own + sum(board.exact(at, table, q) for q in board.neighbours[table])
                envelopes = {q: board.envelope(at, table, q) for q in board.neighbours[table]}
                grounds.append((own + sum(envelopes.values()), exact))
                at = board.passed(at, table, envelopes)
                bounds.append(board.bound(at))
            letters = {RowKind.RMC: "r", RowKind.MWC_0: "m"}
            asked = [[table, [[q, state, letters[kind]] for q, state, kind in each]] for table, each in turns]
            told = {"own": dealt.own, "wishes": dealt.wishes, "start": start(dealt, pair, run, board), "turns": asked}
            found: dict[str, Any] = page.evaluate(PLAYED, json.loads(json.dumps(told)))
            assert found["bounds"] == pytest.approx(bounds)
            # What was asked is known exactly.
            assert found["open"] == pytest.approx([0.0] * len(found["open"]), abs=1e-9)
            for (least, exact), here, most in zip(grounds, found["least"], found["most"], strict=True):
                assert here == pytest.approx(least.tolist())
                assert (np.array(most) >= exact - 1e-9).all()
            seen += 1
    assert seen >= 4


@pytest.mark.parametrize("level", NUMBERS)
def test_nobody_does_better_than_the_best_possible(page: Page, level: int) -> None:
    Game(page)
    for number in range(1, len(levels()[level - 1]["puzzles"]) + 1):
        found: float = page.evaluate(RANDOM, [level, number, 60])
        assert found <= puzzle(level, number)["best"]["score"] + 1e-9


@pytest.mark.parametrize("level", NUMBERS)
def test_the_best_play_wins_and_says_so(page: Page, level: int) -> None:
    found = puzzle(level, 2)
    game = Game(page, level, 2, found["best"]["moves"].removesuffix("_"))
    game.root.get_by_role("button", name=re.compile("^Pass [A-D]+'s messages")).click()
    expect(game.root.locator(".verdict")).to_contain_text(", the best possible.")
    assert game.means("track", "score") == [pytest.approx(found["best"]["score"])]
    # It counts where it is played from its beginning.
    assert game.option(2) == "2"
    game.press("Start again")
    game.play(found["best"]["moves"])
    expect(game.root.locator(".verdict")).to_contain_text(", the best possible.")
    assert game.option(2) == "2 ★ best"
    expect(game.root.locator(".levels button").nth(level - 1)).to_contain_text("✓ ")


@pytest.mark.parametrize("level", NUMBERS)
def test_the_engines_play_is_shown_and_reaches_par(page: Page, level: int) -> None:
    found = puzzle(level)["par"]
    game = Game(page, level, 1, puzzle(level)["best"]["moves"])
    game.press("Show the engine's play")
    expect(game.root.locator(".news")).to_contain_text("The engine's play has ")
    forward = game.root.locator("[data-act=forward]")
    while forward.is_enabled():
        forward.click()
    expect(game.root.locator(".verdict")).to_contain_text(": par, the same as the engine.")
    assert game.means("track", "score") == [pytest.approx(found["score"])]
    assert game.triggers[-1][1]["moves"] == found["moves"]
    game.press("Back to my play")
    expect(game.root.locator(".verdict")).to_contain_text(", the best possible.")
    assert game.triggers[-1][1]["moves"] == puzzle(level)["best"]["moves"]


@pytest.mark.parametrize("level", NUMBERS)
def test_asking_nothing_loses_and_says_so(page: Page, level: int) -> None:
    game = Game(page, level, 1)
    passing = game.root.get_by_role("button", name=re.compile("^Pass [A-D]+'s messages"))
    for _ in LEVELS[level].turns:
        passing.click()
    expect(passing).to_have_count(0)
    assert game.means("track", "score")[0] < puzzle(level)["par"]["score"]
    expect(game.root.locator(".verdict")).to_contain_text("below par")


def test_a_question_lifts_columns_and_costs_one(game: Game) -> None:
    floor = game.means("ground", "floor")[0]
    expect(game.root.locator(".budget")).to_have_text("5 of 5 questions left ●●●●●")
    game.press(game.root.locator(".choice button").first.get_attribute("aria-label") or "")
    expect(game.root.locator(".budget")).to_contain_text("4 of 5")
    expect(game.root.locator(".news")).to_contain_text("The row lifts")
    # LB rises to the floor, if that is above it.
    offer = game.means("track", "offer")[0]
    assert game.means("ground", "floor")[0] >= floor
    assert offer == pytest.approx(max(game.means("ground", "floor")[0], puzzle(1)["first"]))
    name, said = game.triggers[-1]
    assert name == "play"
    assert re.fullmatch(MOVES.kind.pattern, said["moves"])
    game.press("Pass D's messages")
    assert game.means("track", "score") == [pytest.approx(max(offer, puzzle(1)["first"]))]


def test_what_a_neighbour_costs_becomes_exact_where_it_is_asked(game: Game) -> None:
    text = game.root.locator(".choice .says").first
    game.column("110").click()
    game.press("Ask A about 110")
    expect(game.root.locator(".news")).to_contain_text(re.compile("A adds exactly .* to state 110"))
    expect(text).to_contain_text("A adds exactly")
    expect(game.root.get_by_role("button", name="Ask A about 110", exact=True)).to_be_disabled()


@pytest.mark.parametrize("number", range(1, 11))
def test_floor_and_ceiling_enclose_what_exact_messages_would_reach(page: Page, number: int) -> None:
    found = puzzle(1, number)
    groups = [table["friends"] for table in found["starts"][0]["tables"]]
    dealt = Deal(found["own"], [tuple(wish) for wish in found["wishes"]], groups)
    board = Board(begin(LEVELS[1], dealt))
    at = board.start
    exact = board.bound(board.passed(at, 3, {q: board.exact(at, 3, q) for q in board.neighbours[3]}))
    game = Game(page, 1, number)
    for state in ("", "000", "101", "111"):
        if state:
            game.column(state).click()
            game.press(f"Ask B about {state}")
        assert game.means("ground", "floor")[0] <= exact + 1e-9
        assert game.means("ground", "ceiling")[0] >= exact - 1e-9


def test_moves_are_taken_back_and_made_again(game: Game) -> None:
    game.press("Ask A about " + (game.root.locator(".choice button").first.get_attribute("aria-label") or "")[-3:])
    floor = game.means("ground", "floor")
    moves = game.triggers[-1][1]["moves"]
    game.root.locator("[data-act=back]").click()
    expect(game.root.locator(".budget")).to_contain_text("5 of 5")
    assert game.triggers[-1][1]["moves"] == ""
    game.root.locator("[data-act=forward]").click()
    assert game.triggers[-1][1]["moves"] == moves
    assert game.means("ground", "floor") == floor
    game.root.locator("[data-act=restart]").click()
    expect(game.root.locator("[data-act=forward]")).to_be_disabled()


def test_the_best_play_is_shown_step_by_step_and_does_not_count(page: Page) -> None:
    game = Game(page, 1, 9)
    game.root.get_by_role("button", name=re.compile("^Pass")).click()
    game.press("Show the best play")
    forward = game.root.locator("[data-act=forward]")
    while forward.is_enabled():
        forward.click()
    expect(game.root.locator(".verdict")).to_contain_text(", the best possible.")
    # Nor when its last move is made by hand.
    game.root.locator("[data-act=back]").click()
    game.root.get_by_role("button", name=re.compile("^Pass")).click()
    expect(game.root.locator(".verdict")).to_contain_text(", the best possible.")
    # A tab remembers what was reached before.
    assert game.option(9) == "9 below par"


def test_a_merge_makes_one_table_of_two(page: Page) -> None:
    game = Game(page, 4, 1)
    game.press("Merge tables A and B")
    expect(game.root.locator(".news")).to_contain_text("A and B are one table now")
    assert game.triggers[-1][1]["moves"] == "AB!"
    game.press("Open table AB")
    assert len(game.root.locator("[data-mark^='hit ']").all()) == 16
    expect(game.root.get_by_role("button", name="Merge tables A and B")).to_have_count(0)


@pytest.mark.parametrize(
    "moves", ["D-A9r_", "D-A0m_", "A_", "D_D_", "D-A0r-A0r_", "D-A0r-A1r-A2r-A3r-A4r-A5r_", "AB!", "D"]
)
def test_moves_against_the_rules_are_refused_and_the_puzzle_begins(page: Page, moves: str) -> None:
    game = Game(page, 1, 1, moves)
    expect(game.root.locator(".news")).to_contain_text("do not fit the puzzle")
    expect(game.root.locator(".budget")).to_have_text("5 of 5 questions left ●●●●●")
    # The address is mended.
    assert game.triggers[-1] == ("play", {"level": 1, "puzzle": 1, "moves": ""})


def test_the_keyboard_asks_and_the_focus_stays(game: Game) -> None:
    column = game.column("000")
    column.focus()
    game.page.keyboard.press("Enter")
    ask = game.root.get_by_role("button", name="Ask B about 000", exact=True)
    ask.focus()
    game.page.keyboard.press("Enter")
    expect(game.root.locator(".budget")).to_contain_text("4 of 5")
    # The same question cannot be asked again.
    expect(game.root.locator("[data-choice='A r']")).to_be_focused()
    game.root.locator("[data-choice=pass]").focus()
    game.page.keyboard.press("Enter")
    expect(game.root.locator("[data-act=back]")).to_be_focused()
    game.page.keyboard.press("Enter")
    game.page.keyboard.press("Enter")
    expect(game.root.locator("[data-act=forward]")).to_be_focused()


def test_levels_and_puzzles_are_chosen(game: Game) -> None:
    game.root.locator(".levels button").nth(2).click()
    assert game.triggers[-1] == ("play", {"level": 3, "puzzle": 1, "moves": ""})
    game.root.locator("select").select_option("4")
    assert game.triggers[-1] == ("play", {"level": 3, "puzzle": 4, "moves": ""})
    expect(game.root.locator("[data-level='3'] .aim")).to_be_visible()
    expect(game.root.locator("[data-level='1']")).to_be_hidden()


def test_what_the_server_repeats_changes_nothing(game: Game) -> None:
    ask = game.root.locator(".choice button").first
    ask.click()
    said = game.triggers[-1][1]
    game.root.locator(".choice button").nth(1).click()
    # The answer to the first question comes late.
    game.receive(said)
    expect(game.root.locator(".budget")).to_contain_text("3 of 5")


def test_the_second_click_of_a_double_click_asks_nothing(game: Game) -> None:
    game.root.locator(".choice button").first.dblclick()
    expect(game.root.locator(".budget")).to_contain_text("4 of 5")


@pytest.mark.slow
def test_a_play_that_is_shown_goes_on_by_itself_to_its_end(page: Page) -> None:
    found = puzzle(1, 10)
    assert len(re.findall("r", found["best"]["moves"])) == 3
    game = Game(page, 1, 10, found["par"]["moves"])
    game.press("Show the best play")
    expect(game.root.locator(".end")).to_be_hidden()
    expect(game.root.locator(".end")).to_be_visible()
    assert game.triggers[-1][1]["moves"] == found["best"]["moves"]


def test_no_number_is_more_than_is_proven(page: Page) -> None:
    Game(page)
    shown = (
        "async (values) => { const { hundredths } = await import('/game/words.js'); return values.map(hundredths); }"
    )
    found: list[str] = page.evaluate(shown, [0.5, -4.375, 5 + 8 / 9, -10 / 3, 2.0 + 1e-13, 0.1 + 0.2])
    assert found == ["0.5", "−4.37…", "5.88…", "−3.33…", "2", "0.3"]


def test_the_row_of_the_other_kind_is_shown_beside_the_one_that_was_made(page: Page) -> None:
    game, seen = Game(page, 2, 4), 0
    for state in range(8):
        game.press("Start again") if state else None
        game.root.locator(f"[data-mark='hit {state}']").click()
        game.root.locator("[data-choice$=' m']").click()
        seen += len(game.means("ground", "other row"))
        expect(game.root.locator(".news")).to_contain_text("Dashes: where the other kind of row would be.")
    assert seen > 4


def test_what_was_asked_about_stays_chosen(game: Game) -> None:
    game.column("110").click()
    game.press("Ask A about 110")
    expect(game.root.get_by_role("button", name="Ask B about 110", exact=True)).to_be_visible()
    game.press("Pass D's messages")
    expect(game.root.locator(".news")).to_contain_text("D's messages are passed.")


def test_questions_cost_what_they_say(page: Page) -> None:
    game = Game(page, 5, 1)
    first = game.means("track", "score")[0]
    game.root.locator(".choice button:enabled").first.click()
    assert game.means("track", "score") == [pytest.approx(first - LEVELS[5].price)]
    offer = game.means("track", "offer")
    game.press("Pass D's messages")
    assert game.means("track", "score") == [pytest.approx(offer[0])]
    expect(game.root.locator(".news")).to_contain_text("1 question cost 0.5.")


def test_marks_outlive_a_reload_and_a_play_that_was_shown_counts_for_nothing(page: Page) -> None:
    game = Game(page, 1, 10)
    game.play(puzzle(1, 10)["par"]["moves"])
    assert game.option(10) == "10 ✓ par"
    game.press("Show the engine's play")
    game.press("Start again")
    page.evaluate("document.querySelector('main').replaceWith(document.createElement('main'))")
    again = Game(page, 1, 10)
    assert again.option(10) == "10 ✓ par"
    again.play(puzzle(1, 10)["best"]["moves"])
    assert again.option(10) == "10 ★ best"
    again.root.locator("select").select_option("9")
    again.root.get_by_role("button", name=re.compile("^Pass")).click()
    again.press("Show the engine's play")
    again.press("Start again")
    again.play(puzzle(1, 9)["par"]["moves"])
    assert again.option(9) == "9 below par"


# What every frame of a move shows of the floor, of LB and of the bar above: numbers and places. Between two frames a
# tenth of a second passes, however busy the machine is.
MOTION = """async ({ game }, move) => {
    const frames = [];
    let time = performance.now();
    performance.now = () => time;
    game.move(move);
    while (game.begun !== null) {
        time += 100;
        await new Promise(requestAnimationFrame);
        const marks = Object.values(game.pictures).flatMap((picture) => picture.list());
        const at = (id) => marks.find((mark) => mark.id === id);
        frames.push({
            floor: [at('floor').means.value, at('floor').y1],
            lb: [at('lb')?.means.value ?? null, at('lb')?.y1 ?? null],
            text: at('score name').text,
            bar: Math.round(at('offer').x + at('offer').width),
        });
    }
    delete performance.now;
    return frames;
}"""


def test_numbers_in_motion_are_the_games_while_lines_glide(page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    game = Game(page, 1, 4, "D-A2r-B0r-A4r")
    before = game.means("ground", "floor")[0]
    frames = game.root.evaluate(MOTION, {"table": "D", "sender": "B", "state": 4, "kind": "r"})
    after = game.means("ground", "floor")[0]
    assert {frame["floor"][0] for frame in frames} == {before, after}
    assert len({frame["floor"][1] for frame in frames}) > 3
    # The floor first, then LB: what is about to be won stays in sight.
    frames = game.root.evaluate(MOTION, {"table": "D"})
    assert {frame["text"] for frame in frames} == {"LB −7", "LB 2"}
    assert len({frame["bar"] for frame in frames}) == 1
    assert {frame["lb"][0] for frame in frames} <= {-7, 2}
