"""The page Edge as Streamlit runs it, without a browser: its choices, and what it says of a message."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import looking
from bender_core.looking.history import history, lives
from bender_core.looking.words import number
from bender_core.visualization.message import values_in_words
from pages._shared.app.text import markdown
from pages._shared.edge.rows import POINTS, SECONDS
from tests.app.pages.test_pages import ROOT, app, complaints, go, html, lab, press, ran, tables
from tests.tiers import thinned

# Pages wait for what they compute in the background.
pytestmark = pytest.mark.usefixtures("patient")


def opened(**said: str) -> AppTest:
    """The page at an address."""
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    for name, value in said.items():
        test.query_params[name] = value
    return go(test, "edge")


def look(test: AppTest, name: str) -> AppTest:
    (choice,) = [group for group in test.segmented_control if group.label == "Look at"]
    return ran(choice.set_value(name).run())


@pytest.mark.parametrize("variant", thinned([9, 12], 2))
@pytest.mark.parametrize("name", ["What if", "Row anatomy", "Over time"])
def test_every_look_at_a_message(variant: int, name: str) -> None:
    test = app("edge")
    mine = lab(test)
    mine.repartition(mine.partition, mine.max_size, variant, "srmp")
    mine.run.step("sweep", backward=False)
    before = mine.run.position
    look(ran(test.run()), name)
    for order in ("slack", "nu", "cost"):
        (choice,) = [group for group in test.segmented_control if group.label == "Order of the classes"]
        ran(choice.set_value(order).run())
    # An exact message has no slack to draw, and no rows.
    assert len(test.get("plotly_chart")) == (2 if variant == 9 or name == "Over time" else 1)
    assert (mine.run.position, mine.run.engine.position) == (before, before)


def test_the_page_says_which_run_it_is_about() -> None:
    test = opened(M="5", variant="4", schedule="srmp", at="30")
    assert "first run: M 5, groups, variant 4, srmp, at event 30" in [caption.value for caption in test.caption]


def ones(test: AppTest) -> Any:
    """The pills of the class that is looked at."""
    (found,) = test.pills
    return found


def test_what_if_compares_the_four_rows_at_the_class_chosen() -> None:
    test = app("edge")
    engine = lab(test).run.engine
    p, q = engine.graph.ends(0)
    asked = int(looking.ground(engine, p).argmin())
    # Six members, all of them coupled: a class is a state.
    assert [k for k in range(6) if asked >> k & 1] == ones(test).value
    ran(ones(test).set_value([0, 2]).run())
    for cut in bc.what_if(engine, p, q, 5):
        lifts = f"{number(cut.rise[5])}{number(cut.rise[asked])}{number(cut.lift)}{cut.tightened:,}"
        assert lifts in tables(test)
    assert any(number(float(looking.min_marginal(engine, p, q)[5])) in piece.text for piece in html(test))
    press(test, "Back to y*")
    assert [k for k in range(6) if asked >> k & 1] == ones(test).value


def test_the_class_looked_at_is_that_of_y_until_one_is_chosen() -> None:
    test = app("edge")
    mine = lab(test)
    for _ in range(4):
        press(test, "group ▶")
        engine = mine.run.engine
        own = [event.state for event in engine.trace.until(engine.position) if event.node == engine.graph.ends(0)[0]]
        assert ones(test).value == [k for k in range(6) if own[-1] >> k & 1]
    ran(ones(test).set_value([1]).run())
    press(test, "◀ group")
    assert ones(test).value == [1]


def test_a_class_that_was_chosen_is_one_of_its_message_alone() -> None:
    test = app("edge")
    ran(ones(test).set_value([3]).run())
    press(test, "⇄")
    assert ones(test).value != [3]
    press(test, "⇄")
    assert ones(test).value == [3]


def test_choices_are_found_again_on_the_way_back() -> None:
    test = look(app("edge"), "Over time")
    ran(ones(test).set_value([2]).run())
    (order,) = [group for group in test.segmented_control if group.label == "Order of the classes"]
    ran(order.set_value("nu").run())
    go(go(test, "partition"), "edge")
    assert [group.value for group in test.segmented_control] == ["nu", "Over time"]
    assert ones(test).value == [2]


def test_order_and_class_are_in_the_address_and_taken_from_it() -> None:
    test = app("edge")
    ran(ones(test).set_value([0, 5]).run())
    (choice,) = [group for group in test.segmented_control if group.label == "Order of the classes"]
    ran(choice.set_value("slack").run())
    said = dict(parse_qsl(test.session_state.page_address))
    assert {"arc": "0", "order": "slack", "y": "100001"}.items() <= said.items()
    again = opened(**said)
    assert ones(again).value == [0, 5]
    assert again.session_state.edge_order == "slack"
    assert complaints(again) == []


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"y": "10"}, "This link shows the class '10'; a class of this message has 6 values, each 0 or 1."),
        ({"y": "10000x"}, "This link shows the class '10000x'; a class of this message has 6 values, each 0 or 1."),
        ({"order": "best"}, "This link orders classes by 'best'; the orders are cost, nu, slack."),
    ],
)
def test_an_address_with_a_wrong_class_or_order_gives_one_sentence(said: dict[str, str], complaint: str) -> None:
    test = opened(**said)
    assert complaints(test) == [complaint]
    assert complaints(ran(test.run())) == []


def test_a_message_says_how_many_members_it_depends_on() -> None:
    test = opened(sample="torus-10x10", M="5")
    mine = lab(test)
    engine, part = mine.run.engine, mine.partition
    for arc in (0, 2):
        (choice,) = [box for box in test.selectbox if box.label == "Message"]
        ran(choice.set_value(arc).run())
        p, _ = engine.graph.ends(arc)
        members = engine.graph.active_members(arc)
        names = ", ".join(mine.mrf.names[part.groups[p][k]] for k in members)
        (told,) = [caption.value for caption in test.caption if "this message depends on" in caption.value]
        few = f"{1 << len(members)} classes: this message depends on {len(members)} of 5 members"
        own = "each a class of its own: this message depends on all 5 members"
        said = f"32 states, {few if len(members) < 5 else own} ({markdown(names)})"
        assert said in re.sub("<[^>]*>", "", told)


def test_the_ranks_of_many_classes_can_be_chosen() -> None:
    test = opened(sample="pose", M="12", strategy="groups")
    (ranks,) = test.select_slider
    assert (ranks.value, ranks.options[0], ranks.options[-1]) == ((1, 64), "1", "4,096")
    ran(ranks.set_value((1, 4096)).run())
    (told,) = [caption.value for caption in test.caption if "classes are drawn" in caption.value]
    assert "the ribbon shows the slack of all" in told


def test_the_lives_of_rows_are_told_where_they_are_asked_for() -> None:
    test = app("edge")
    for _ in range(3):
        press(test, "sweep ▶")
    assert "dead since" not in test.dataframe[0].value
    ran(test.toggle(key="edge_lives").set_value(True).run())
    run = lab(test).run
    p, q = run.engine.graph.ends(0)
    rows = looking.rows(run.engine, p, q)
    found = lives(history(run.engine, p, q, POINTS, SECONDS), rows, run.position)
    table = test.dataframe[0].value
    for column, values in zip(("last alive", "last tight", "dead since"), zip(*found, strict=True), strict=True):
        assert [None if np.isnan(value) else value for value in table[column].astype(float)] == list(values)
    assert table["dead since"].notna().any()
    assert table["dead since"].isna().any()


def test_rows_keep_their_places_in_the_table() -> None:
    """What is selected there are places."""
    test, rows = app("edge"), []
    for step in ("sweep ▶", "sweep ▶", "◀ sweep"):
        press(test, step)
        (table,) = test.dataframe
        rows.append(table.value["row"].tolist())
    assert len(rows[1]) > len(rows[0])
    assert rows[1][: len(rows[0])] == rows[0] == rows[2]


def test_the_table_of_rows_says_which_event_made_them_and_for_whom() -> None:
    test = app("edge")
    press(test, "sweep ▶")
    mine = lab(test)
    engine, part = mine.run.engine, mine.partition
    rows = {row.index: row for row in looking.rows(engine, *engine.graph.ends(mine.run.arc))}
    (table,) = test.dataframe
    assert sorted(table.value["row"]) == sorted(rows)
    assert (table.value["born at event"] > 0).any()
    for _, said in table.value.iterrows():
        row = rows[said["row"]]
        event = int(said["born at event"])
        # As the stage counts events: from 1.
        assert event == 0 if row.born < 0 else engine.trace[event - 1].row == row.index
        assert said["made for"] == part.labels[row.made_for]
        names = [mine.mrf.names[i] for i in part.groups[row.made_for]]
        bits = [row.anchor >> k & 1 for k in range(len(names))]
        assert said["made at"] == values_in_words(names, bits)
        assert said["intercept β⁰"] == pytest.approx(row.intercept)
        assert said["raised LB by"] == (0 if row.born < 0 else looking.row_gains(engine)[row.born])
    assert table.value["raised LB by"].sum() > 0


def test_steps_and_another_message_on_the_edge_page() -> None:
    test = app("edge")
    mine, plain = lab(test), lab(app("edge"))
    for label, grain, backward in (("sweep ▶", "sweep", False), ("round ▶", "round", False), ("◀ group", "node", True)):
        press(test, label)
        plain.run.step(grain, backward)
        assert mine.run.position == plain.run.position
    press(test, "⇄")
    assert mine.run.arc == 1
    (choice,) = [box for box in test.selectbox if box.label == "Message"]
    ran(choice.set_value(6).run())
    assert mine.run.arc == 6
    p, q = mine.run.engine.graph.ends(6)
    labels = mine.partition.labels
    assert choice.options[6] == f"{labels[q]} → {labels[p]}"


def test_a_message_that_does_not_fit_is_refused_with_the_nearest_cut_that_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "1")
    test = app("edge")
    mine = lab(test)
    mrf = bc.sample("tree")
    mine.open(mrf, {"sample": "tree"}, bc.partition(mrf, 14, "greedy"), 14, 9, "mplp")
    ran(test.run())
    (said,) = complaints(test)
    assert said.startswith("There is not enough memory to show messages: looking at a message takes")
    press(test, "sweep ▶")
    assert mine.run.position > 0
    press(test, "Take M = 13")
    assert (mine.max_size, mine.partition.strategy) == (13, "greedy")
    assert complaints(test) == []
    assert test.get("plotly_chart")


def test_there_is_no_message_where_there_is_one_group() -> None:
    test = app("instance")
    ran(test.button("load-tiny").click().run())
    mine = lab(test)
    mine.repartition(bc.manual(mine.mrf, [range(mine.mrf.n)]), mine.mrf.n, 9, "mplp")
    go(test, "edge")
    assert [info.value for info in test.info] == [
        "All variables are in one group, so there are no messages. Choose a smaller M on Partition."
    ]
