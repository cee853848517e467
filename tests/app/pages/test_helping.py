"""What would help, on Watch: the library's list at the event shown, as far as it has come."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.looking.words import number
from bender_core.trying.advice import ranked, remedies
from bender_core.trying.lineage import Lineage
from pages._shared.watch.helping import Trials
from tests.app.pages.test_pages import app, lab, press, ran

pytestmark = pytest.mark.usefixtures("patient")


def listed(test: AppTest) -> list[tuple[str, str]]:
    (table,) = test.dataframe
    return list(zip(table.value["change"], table.value["bound gained"], strict=True))


@pytest.mark.slow
def test_the_list_is_the_librarys_and_the_run_stays_as_it_is() -> None:
    test = app("watch")
    lab(test).run.step("sweep", backward=False)
    run, position = lab(test).run, lab(test).run.position
    press(test, "Try them")
    assert lab(test).run is run
    assert run.position == run.engine.position == position
    plain = bc.Engine(
        lab(test).mrf, lab(test).partition, variant=lab(test).variant, schedule=lab(test).schedule, excluding=True
    )
    plain.step("sweep")
    expected = bc.what_would_help(plain)
    assert listed(test) == [(remedy.name, number(remedy.gained)) for remedy in expected]
    gap = plain.upper_bound - plain.lower_bound
    for text, remedy in zip(test.dataframe[0].value["of the gap"], expected, strict=True):
        if remedy.closed:
            assert text == "all"
        else:
            share = float(text.replace("−", "-").removesuffix(" %").removeprefix("< "))
            assert share == pytest.approx(100 * remedy.gained / gap, abs=0.0101)
    assert not any("None of them closes" in caption.value for caption in test.caption)
    # Once more, it is the same.
    press(test, "Try them")
    assert len(listed(test)) == len(expected)
    # Elsewhere in the run it stays what it is: of the event it was asked at.
    run.step("round", backward=False)
    ran(test.run())
    assert len(listed(test)) == len(expected)
    assert any(f"At event {position}" in caption.value for caption in test.caption)


def test_where_the_gap_is_closed_nothing_is_tried() -> None:
    test = app("watch")
    run = lab(test).run
    run.start()
    run.work.thread.join()
    run.settle()
    press(test, "Try them")
    assert [info.value for info in test.info] == ["The gap is closed: there is nothing left to gain."]
    assert not test.dataframe


def test_what_was_tried_before_a_stop_is_shown() -> None:
    test = app("watch")
    mine = lab(test)
    some = list(remedies(mine.run.engine.fork(), 1 << 14))[:3]
    test.session_state.trials = Trials(mine.branches.shown.lineage, mine.run.position + 1, 2.0, some)
    ran(test.run())
    assert listed(test) == [(remedy.name, number(remedy.gained)) for remedy in ranked(some)]
    test.session_state.trials.gap = 1e6
    ran(test.run())
    assert any("None of them closes 1 %" in caption.value for caption in test.caption)
    # Another run has nothing to do with it.
    test.session_state.trials = Trials(Lineage.of(mine.run.engine, 8), 0, 2.0, some)
    ran(test.run())
    assert not test.dataframe
