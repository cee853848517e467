"""The run bar in a bare page: its fields, what a press asks for, and what a person who types is spared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from bender_core.groups import LARGEST_GROUP
from bender_core.kernels.layout import Kind
from pages._shared.app.session import Lab
from pages._shared.watch.stage import stage_data
from tests.component.mounting import Stage
from tests.labs import lab

pytestmark = pytest.mark.browser


def asked(stage: Stage) -> list[Any]:
    """What was chosen, by every command so far."""
    return [value["chosen"] for name, value in stage.triggers if name == "command" and value["do"] == "choose"]


def shown(stage: Stage, **bar: Any) -> None:
    """Data come whose run bar says something else."""
    data = stage_data(stage.lab)
    stage.receive(data | {"bar": data["bar"] | bar})


def test_its_fields_show_the_run(stage: Stage) -> None:
    expected = {"model": "pose, small", "M": "8", "strategy": "groups", "variant": "9", "schedule": "mplp"}
    assert stage.run == expected
    chosen = stage.root.locator(".run [name=variant] option:checked")
    expect(chosen).to_have_text("9: RMC on all loose edges")
    # Groups of this kind hold less than M.
    expect(stage.root.locator("[data-out=largest-group]")).to_have_text(f"largest group {stage.lab.partition.largest}")


def test_the_same_groups_are_said_in_words_where_m_was_pressed(stage: Stage) -> None:
    words = stage.root.locator("[data-out=same-groups]")
    expect(words).to_be_hidden()
    shown(stage, same="M 12 makes the same groups as M 8: none has more than 6 variables.")
    expect(words).to_have_text("M 12 makes the same groups as M 8: none has more than 6 variables.")
    expect(words).to_be_in_viewport()
    # Heard, too, by whoever does not see it.
    assert words.get_attribute("role") == "status"


def test_a_field_asks_for_the_run_that_it_shows(stage: Stage) -> None:
    stage.root.locator(".run [name=variant]").select_option("4")
    stage.root.locator(".run [name=schedule]").select_option("srmp")
    assert asked(stage) == [{"variant": 4}, {"schedule": "srmp"}]


def test_presses_in_a_row_ask_for_one_run(stage: Stage) -> None:
    for _ in range(4):
        stage.root.locator("[data-size='1']").click()
    stage.wait("!stage.stage.runBar.isChoosing")
    assert asked(stage) == [{"M": 12}]


def test_what_was_chosen_stays_in_its_field_until_the_answer_comes(stage: Stage) -> None:
    # Another press counts from it.
    size = "({ stage }) => { stage.runBar.choose({ M: 9 }); stage.draw(); return stage.runBar.size.value; }"
    assert stage.root.evaluate(size) == "9"


def test_a_number_that_is_typed_stays_while_data_come(stage: Stage) -> None:
    size = stage.root.locator(".run [name=M]")
    size.fill("1")
    shown(stage, making=None)
    size.press_sequentially("1")
    assert stage.run["M"] == "11"
    size.press("Enter")
    stage.wait("!stage.stage.runBar.isChoosing")
    assert asked(stage) == [{"M": 11}]


@pytest.mark.parametrize(("typed", "taken"), [("", 8), ("0", 1), ("99", LARGEST_GROUP), ("-3", 1), ("6.4", 6)])
def test_a_number_that_is_none_is_mended(stage: Stage, typed: str, taken: int) -> None:
    size = stage.root.locator(".run [name=M]")
    size.fill(typed)
    size.press("Enter")
    stage.wait("!stage.stage.runBar.isChoosing")
    assert asked(stage) == [{"M": taken}]


def test_a_refusal_offers_what_fits_and_can_be_dismissed(stage: Stage) -> None:
    refusal, offer = stage.root.locator(".refusal"), {"M": 14, "variant": 9}
    expect(refusal).to_be_hidden()
    shown(stage, refusal="M 24 does not fit", offer=offer)
    expect(refusal).to_contain_text("M 24 does not fit")
    refusal.get_by_text("take M 14").click()
    shown(stage, refusal="M 24 does not fit", offer=offer)
    refusal.get_by_label("Dismiss").click()
    assert asked(stage) == [offer, {}]
    stage.settle()
    assert not stage.root.evaluate("({ stage }) => stage.runBar.has"), "a later run is no step back"
    shown(stage, refusal="M 24 does not fit", offer=None)
    expect(refusal.get_by_text("take M")).to_be_hidden()


def test_a_run_that_is_being_made_shows_its_progress_and_a_stop(stage: Stage) -> None:
    making = stage.root.locator(".making")
    shown(stage, making="making groups by pursuit, M 8: 25%…")
    expect(making).to_contain_text("25%")
    making.get_by_text("Stop").click()
    assert [value["do"] for _, value in stage.triggers][-1] == "stop"
    shown(stage, making=None)
    expect(making).to_be_hidden()


def test_a_key_goes_back_to_the_run_before(stage: Stage) -> None:
    stage.page.keyboard.press("x")
    assert not stage.triggers, "there is none"
    shown(stage, before="variant 4")
    expect(stage.root.locator("[data-act=back]")).to_have_text("⇄ variant 4")
    stage.page.keyboard.press("x")
    assert stage.triggers[-1][1]["do"] == "back"


@pytest.mark.parametrize("unit", ["rounds", "events", "sweeps"])
def test_beside_the_bound_is_that_of_the_run_before(watched: Callable[[Lab], Stage], unit: str) -> None:
    mine = lab("torus-10x10", 5, 9)
    mine.run.engine.run(max_sweeps=4)
    mine.run.show(len(mine.run.engine.trace))
    lower = mine.run.engine.trace
    ends = [k for k, event in enumerate(lower) if event.kind == Kind.SWEEP]
    mine.repartition(mine.partition, 5, 4, "mplp")
    mine.run.work.thread.join()
    mine.run.settle()
    stage = watched(mine)
    stage.settle()
    stage.root.locator("[data-act=unit]").select_option(unit)
    stage.root.locator("[data-act=distance]").click()
    stage.settle()
    (parent,) = [mark["means"] for mark in stage.marks() if (mark.get("means") or {}).get("what") == "parent"]
    assert parent["name"] == "variant 9"
    if unit == "rounds":
        assert parent["value"] == pytest.approx(lower[ends[3]].lower_bound)
