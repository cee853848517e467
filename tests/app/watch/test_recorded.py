"""The recording that a cold start shows: it is the run's own, and the run goes on where it was followed to."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from bender_core.kernels.layout import Kind
from pages._shared.app.arrival import OPENING, arrival
from pages._shared.app.session import FIRST, linked
from pages._shared.app.session import lab as opened
from pages._shared.watch import protocol, stage
from pages._shared.watch.record import record
from pages._shared.watch.recorded import PATH, recorded_data, recording
from pages._shared.watch.stage_views import history
from tests.labs import SessionState, command
from tests.protocol import faults

LAST = recording().events


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, answered: None) -> SessionState:
    found = SessionState()
    monkeypatch.setattr(stage.st, "session_state", found)
    monkeypatch.setattr(stage.st, "query_params", type("Query", (), {"to_dict": staticmethod(dict)}))
    return found


@pytest.fixture
def ask(state: SessionState) -> Callable[..., dict[str, Any]]:
    """Have the stage ask something of the recording, and return what it is sent."""

    def sent(do: str, at: int, **more: Any) -> dict[str, Any]:
        state["stage"] = {"command": command(do, at, first=LAST, goes_on=True, **more)}
        stage._on_command()
        return recorded_data(arrival())

    return sent


@pytest.fixture
def taken_over(state: SessionState, monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, Any]]:
    """Have the run take over, and return what the stage is sent."""

    def sent() -> dict[str, Any]:
        found: list[dict[str, Any]] = []
        monkeypatch.setattr(stage._component, "mount", lambda data, **_: found.append(data))
        stage.stage(opened())
        return found[0]

    return sent


def test_it_is_made_again_byte_for_byte() -> None:
    assert gzip.decompress(PATH.read_bytes()) == record(linked(FIRST)), "make opening records it anew"


def test_the_app_opens_where_the_bound_is_about_to_rise_in_an_update_of_few_rounds() -> None:
    engine, greeting = linked(FIRST).run.engine, recording().greeting
    assert greeting["end"] == OPENING + 1
    engine.run(max_events=greeting["begin"])
    before = engine.lower_bound
    events = engine.step("node")
    assert engine.position == greeting["end"]
    assert engine.lower_bound > before
    assert {event.sweep for event in events} == {1}
    assert [event.kind for event in events].count(Kind.ORACLE) <= 3


def test_only_who_asks_for_nothing_is_greeted(monkeypatch: pytest.MonkeyPatch) -> None:
    for fields, greeting in (({}, recording().greeting), ({"at": "3"}, None)):
        monkeypatch.setattr(stage.st, "session_state", SessionState())
        monkeypatch.setattr(stage.st, "query_params", type("Query", (), {"to_dict": staticmethod(fields.copy)}))
        assert recorded_data(arrival())["greeting"] == greeting
        assert stage.stage_data(opened())["greeting"] == greeting


def test_it_is_small() -> None:
    assert PATH.stat().st_size <= 150_000


def test_what_is_sent_is_what_the_protocol_says(ask: Callable[..., dict[str, Any]]) -> None:
    assert faults(protocol.Stage, recorded_data(arrival())) == []
    for sent in (
        ask("show", 300),
        ask("step", LAST, grain="node", backward=False),
        ask("stop", LAST),
        ask("poll", 0, has_graph=False),
    ):
        assert faults(protocol.Stage, sent) == []


def test_a_stage_that_asks_is_told_its_place_and_what_was_seen(ask: Callable[..., dict[str, Any]]) -> None:
    first = recorded_data(arrival())
    assert (first["position"], first["run"], len(first["frames"]["columns"]["kind"])) == (0, 0, LAST)
    ask("show", 300, serial=7)
    told = ask("show", 120, serial=8)
    run = linked(FIRST).run
    run.engine.run(max_events=LAST)
    assert (told["serial"], told["position"], told["seen"]) == (8, 120, 300)
    assert told["history"] == history(run.engine.trace, 300, run.opening[0])
    assert told["graph"] is None
    assert told["frames"]["columns"]["kind"] == []
    anew = recorded_data(arrival())
    assert (anew["position"], anew["graph"]) == (120, first["graph"])
    assert anew["frames"] == first["frames"]


@pytest.mark.parametrize(
    ("do", "at", "more"),
    [
        ("step", LAST, {"grain": "event", "backward": False}),
        ("run", 3, {}),
        ("prove", 3, {}),
        ("reference", 3, {}),
        ("exact", 3, {"opened": 1, "states": [0]}),
        ("find", 3, {"goal": "rise", "share": 0.05}),
        ("show", LAST - 20, {"more": True}),
    ],
)
def test_what_needs_the_solver_is_worked_on_until_something_else_is_asked(
    ask: Callable[..., dict[str, Any]], do: str, at: int, more: dict[str, Any]
) -> None:
    told = ask(do, at, **more)
    assert told["working"].startswith("compiling")
    assert "frames" not in told
    assert ask("stop", at)["working"] is None
    ask(do, at, **more)
    assert recorded_data(arrival())["working"] is None, "a stage that is mounted anew has asked nothing"
    assert arrival().command is None


@pytest.mark.parametrize("seen", [40, 400])
def test_the_run_goes_on_at_the_same_place_with_all_that_was_chosen(
    ask: Callable[..., dict[str, Any]], taken_over: Callable[[], dict[str, Any]], seen: int
) -> None:
    ask("show", seen)
    before = ask("show", 40, arc=5, measure="mean", serial=9)
    assert before["arc"] == 5
    told = taken_over()
    assert (told["run"], told["serial"], told["position"], told["seen"], told["arc"]) == (0, 9, 40, seen, 5)
    for name in ("history", "bar", "choices", "address", "model", "graph"):
        assert told[name] == before[name]
    run = opened().run
    assert run.work.thread is not None
    run.work.thread.join()
    measured = stage.stage_data(opened())["tightness"]
    assert (measured["measure"], measured["at"]) == ("mean", 40)


def test_the_run_does_what_was_asked_of_it_before_it_was_there(
    ask: Callable[..., dict[str, Any]], taken_over: Callable[[], dict[str, Any]]
) -> None:
    ask("step", LAST, grain="node", backward=False, serial=4)
    told = taken_over()
    run = linked(FIRST).run
    run.engine.run(max_events=LAST)
    run.engine.step("node")
    assert (told["position"], told["serial"], told["working"]) == (run.engine.position, 4, None)
    assert arrival().command is None


def test_the_way_to_another_page_is_gone_once(
    ask: Callable[..., dict[str, Any]], taken_over: Callable[[], dict[str, Any]], state: SessionState
) -> None:
    ask("go", 33, page="learn", fields={"lesson": "row"})
    assert state.pop("destination") == ("learn", {"lesson": "row"})
    assert taken_over()["position"] == 33
    assert state.get("destination") is None


@pytest.mark.parametrize(
    ("said", "opens"),
    [
        ({}, True),
        ({"at": str(LAST), "arc": "3", "view": "both"}, True),
        (dict(FIRST) | {"strategy": "groups"}, True),
        ({"at": str(LAST + 1)}, False),
        ({"at": "x"}, False),
        ({"arc": "999"}, False),
        ({"sample": "tiny"}, False),
        ({"M": "7"}, False),
        ({"strategy": "greedy"}, False),
        ({"variant": "8"}, False),
        ({"schedule": "srmp"}, False),
        ({"make": "ising_grid"}, False),
        ({"upload": "key"}, False),
        ({"forks": "3m1"}, False),
    ],
)
def test_only_the_recorded_run_is_shown_for_an_address(said: dict[str, str], opens: bool) -> None:
    assert recording().opens(said) == opens
