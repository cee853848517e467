"""A talk below the stage: opened, given, put together and saved."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.watch.talk import Moment, Talk, read, ready, unpack
from tests.app.pages.test_pages import ROOT, app, complaints, lab, press, ran

pytestmark = pytest.mark.usefixtures("patient", "answered")

PAPER = read(ready()["paper"])


def test_the_ready_talk_is_opened_and_a_moment_of_it_shown() -> None:
    test = app("watch")
    mine = lab(test)
    press(test, "Open “The paper in 20 minutes”")
    assert len(moments(test).options) == 15
    ran(moments(test).set_value(8).run())
    press(test, "Go there")
    assert (lab(test), mine.run.position) == (mine, 385)
    assert test.session_state["talk"].at == 8
    # Another model is another run, and another moment of the first is there again.
    ran(moments(test).set_value(3).run())
    press(test, "Go there")
    assert lab(test).mrf.n == 9
    assert lab(test).run.position == 11
    assert complaints(test) == []


def test_a_moment_has_the_run_beside_it_that_it_names() -> None:
    test = app("watch")
    press(test, "Open “The paper in 20 minutes”")
    for number, variants in ((10, [9, 11]), (8, [9])):
        ran(moments(test).set_value(number).run())
        press(test, "Go there")
        ran(test.run())
        shown = [lab(test).branches.shown, lab(test).branches.beside]
        assert [
            each.run.engine.variant.number for each in shown if each is not None and each.run is not None
        ] == variants


def moments(test: AppTest) -> Any:
    return next(each for each in test.radio if each.label == "Moments")


def test_moments_are_ordered_noted_and_removed() -> None:
    test = app("watch")
    held = Talk("Mine", [Moment(f"sample=tiny&M=3&at={k}") for k in range(3)])
    test.session_state["talk"] = held
    ran(test.run())
    ran(moments(test).set_value(2).run())
    press(test, "Earlier")
    assert [moment.fields["at"] for moment in held.moments] == ["0", "2", "1"]
    assert moments(test).value == 1
    ran(test.text_area[0].set_value("Look here.").run())
    assert held.moments[1].note == "Look here."
    assert "Look here" in moments(test).options[1]
    press(test, "Later")
    press(test, "Remove")
    assert [moment.fields["at"] for moment in held.moments] == ["0", "1"]
    ran(next(each for each in test.text_input if each.label == "Title").set_value("Ours").run())
    (link,) = (each.value for each in test.code if "talk=" in each.value)
    assert unpack(parse_qs(urlsplit(link).query)["talk"][0]) == Talk("Ours", held.moments)
    press(test, "Close the talk")
    assert "talk" not in test.session_state


def test_a_link_opens_its_talk_and_a_broken_one_says_so() -> None:
    for text, title in (("paper", PAPER.title), (PAPER.packed, PAPER.title), ("broken", None)):
        test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        test.query_params["talk"] = text
        ran(test.run())
        assert [each.value for each in test.text_input if each.label == "Title"] == [title] * (title is not None)
        assert len(complaints(test)) == (title is None)


def test_a_talk_that_the_tab_has_kept_is_there_after_a_reload_and_goes_on() -> None:
    held = Talk("Mine", [Moment(f"sample=tiny&M=3&at={k}", "A note") for k in range(3)], at=1)
    first = app("watch")
    first.session_state["talk"] = held
    ran(first.run())
    in_tab = first.session_state["talk_in_tab"]
    # Another session, in the same tab.
    test = app("watch")
    assert "talk_in_tab" not in test.session_state
    test.session_state["talk_in_tab"] = in_tab
    ran(test.run())
    found = test.session_state["talk"]
    assert (found.title, found.moments, found.at) == ("Mine", held.moments, 1)
    assert len(moments(test).options) == 3
    press(test, "Close the talk")
    assert test.session_state["talk_in_tab"] == ""
    assert "talk" not in test.session_state


def test_what_is_no_talk_in_the_tab_is_forgotten() -> None:
    for text in ("x", "1 {}", "x " + PAPER.text):
        test = app("watch")
        test.session_state["talk_in_tab"] = text
        ran(test.run())
        assert test.session_state["talk_in_tab"] == ""
        assert len(complaints(test)) == 1
        ran(test.run())
        assert complaints(test) == []
