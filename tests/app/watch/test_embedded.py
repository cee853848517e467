"""A part of a run in a frame of another page: what its address means, and that nothing is computed beyond it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.app.arrival import Arrival
from pages._shared.app.fields import EMBEDDED, WATCH, passed_over
from pages._shared.app.session import FIRST, Lab
from pages._shared.app.stretch import Stretch, read_stretch
from pages._shared.running import solver
from pages._shared.watch import protocol, stage
from pages._shared.watch.embedded import confined
from pages._shared.watch.recorded import recording
from tests.app.pages.test_cold_start import Compiler
from tests.app.pages.test_pages import ROOT, complaints, lab, ran
from tests.labs import SessionState, command
from tests.labs import lab as opened
from tests.protocol import check


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = Compiler(monkeypatch)
    yield found
    found.end()


def framed(**fields: object) -> AppTest:
    """Watch in a frame, by its address."""
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.context["is_embedded"] = True
    for name, value in fields.items():
        test.query_params[name.rstrip("_")] = str(value)
    return ran(test.run())


def shown(test: AppTest) -> tuple[int, int, int | None]:
    run = lab(test).run
    return run.since, run.position, run.until


@pytest.mark.parametrize(
    ("fields", "found", "at", "sentence"),
    [
        ({}, Stretch(0, None), 0, ""),
        ({"from": "13", "to": "31", "loop": "1"}, Stretch(13, 31, True), 13, ""),
        ({"from": "13", "to": "31", "at": "20"}, Stretch(13, 31), 20, ""),
        ({"from": "13"}, Stretch(13, None), 13, ""),
        ({"from": "7", "to": "7"}, Stretch(7, 7), 7, ""),
        ({"from": "x", "to": "31"}, Stretch(0, 31), 0, "'x', which is not a whole number"),
        ({"from": "13", "to": "-4"}, Stretch(13, None), 13, "shows event -4; events are counted from 0"),
        ({"loop": "yes"}, Stretch(0, None), 0, "'yes'; it is 1 or left out"),
        (
            {"from": "31", "to": "13"},
            Stretch(13, 31),
            13,
            "begins after its end; the run is shown from event 13 to event 31",
        ),
        (
            {"from": "13", "to": "31", "at": "99"},
            Stretch(13, 31),
            31,
            "names event 99, outside its part of the run (from event 13 to event 31)",
        ),
    ],
)
def test_an_address_names_a_part_or_the_nearest_is_shown_with_a_sentence(
    fields: dict[str, str], found: Stretch, at: int, sentence: str
) -> None:
    stretch, place, said = read_stretch(fields)
    assert (stretch, place) == (found, {"at": str(at)})
    assert len(said) == bool(sentence)
    assert sentence in "".join(said)


def test_only_a_frame_has_a_part() -> None:
    fields = {"from": "1", "to": "2", "loop": "1"}
    assert passed_over(EMBEDDED, fields) == []
    (sentence,) = passed_over(WATCH, fields)
    assert sentence == "This link contains 'from', 'to', 'loop', which mean nothing here."


def test_a_frame_has_the_stage_with_its_terms_and_its_run_goes_no_further_than_its_end(answered: None) -> None:
    test = framed(**FIRST, from_=13, to=31)
    assert [each.proto.component_name for each in test.get("bidi_component")] == ["bender_stage", "bender_terms"]
    assert not test.button
    assert not test.expander
    assert complaints(test) == []
    assert shown(test) == (13, 13, 31)
    assert len(lab(test).run.engine.trace) == 31


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"from_": 9, "to": 10**9}, "events: it is shown from event 9 to event "),
        ({"from_": 10**9}, "events: it is shown at event "),
    ],
)
def test_a_part_beyond_the_end_of_the_run_is_shown_as_far_as_the_run_goes(
    fields: dict[str, Any], sentence: str, patient: None
) -> None:
    test = framed(sample="tiny", M=3, variant=9, schedule="mplp", **fields)
    end = len(lab(test).run.engine.trace)
    assert lab(test).run.complete
    first = min(int(fields["from_"]), end)
    assert shown(test) == (first, first, end)
    (said,) = complaints(test)
    assert sentence in said


def test_until_the_solver_is_compiled_the_recording_serves_if_it_reaches_far_enough(compiler: Compiler) -> None:
    test = framed(**FIRST, from_=13, to=31)
    assert "lab" not in test.session_state
    assert [each.proto.component_name for each in test.get("bidi_component")] == ["bender_stage", "bender_terms"]
    other = framed(**FIRST, from_=13, to=recording().events + 1)
    assert [each.proto.component_name for each in other.get("bidi_component")] == ["bender_terms"]
    compiler.end()
    assert solver.is_ready()
    assert shown(ran(test.run())) == (13, 13, 31)
    assert shown(ran(other.run())) == (13, 13, recording().events + 1)


@pytest.fixture
def mine(answered: None, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """The run that the app starts with, from event 13 to event 31."""
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    found = opened("pose-small", 8, 9)
    while not confined(found, Arrival({}, stretch=Stretch(13, 31))):
        found.run.work.stop(wait=None)
    return found


@pytest.fixture
def ask(mine: Lab) -> Callable[..., dict[str, Any]]:
    def sent(do: str, at: int, **more: Any) -> dict[str, Any]:
        stage.carry_out(mine, command(do, at, **more))
        found: dict[str, Any] = stage.stage_data(mine)
        check(protocol.Stage, found)
        return found

    return sent


def test_no_question_leads_out_of_the_part(mine: Lab, ask: Callable[..., dict[str, Any]]) -> None:
    data = ask("show", 13)
    assert (data["position"], data["done"], data["seen"]) == (13, 31, 31)
    assert data["stretch"] == {
        "begin": 13,
        "end": 31,
        "loops": False,
        "run": "pose, small · M 8 · variant 9: RMC on all loose edges",
    }
    assert ask("show", 2)["position"] == 13
    assert ask("show", 50)["position"] == 31
    assert ask("step", 31, grain="sweep", backward=True)["position"] == 13
    for grain in ("round", "node", "sweep"):
        data = ask("step", 29, grain=grain, backward=False)
        assert data["position"] <= 31
    assert ask("show", 13, first=13, ahead=400, more=True)["position"] == 13
    assert len(mine.run.engine.trace) == 31


@pytest.mark.parametrize(
    ("do", "more"),
    [
        ("insert", {"row": {"arc": 0, "state": 0, "kind": 0}}),
        ("turn", {"chapter": 0, "to": 0}),
        ("prove", {}),
        ("choose", {"chosen": {"M": 3}}),
        ("pair", {}),
        ("back", {}),
        ("address", {"query": "sample=tiny&M=3&strategy=groups&variant=9&schedule=mplp"}),
        ("go", {"page": "learn", "fields": {}}),
        ("reference", {}),
    ],
)
def test_no_command_leads_to_another_run_or_page(
    mine: Lab, ask: Callable[..., dict[str, Any]], do: str, more: dict[str, Any]
) -> None:
    before = (mine.number, len(mine.branches), mine.mrf)
    ask(do, 20, **more)
    assert (mine.number, len(mine.branches), mine.mrf) == before
    assert set(stage.st.session_state) <= {"arrival", "stage_answers", "stage_graph", "next_run", "next_run_beside"}
    assert not mine.references.busy
