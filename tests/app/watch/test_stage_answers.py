"""What the stage asks is answered in the background: with progress, until it is stopped, once."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.stopping import never
from pages._shared.app.session import Lab
from pages._shared.running.watched import go_to
from pages._shared.watch import event_frames, stage, stage_answers
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.stage import obey, stage_data
from tests.labs import SessionState, SlowEngine, command, lab
from tests.models import examples


@pytest.fixture(autouse=True)
def session_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage.st, "session_state", SessionState())


# Elsewhere in these tests nothing is prepared.
PREPARE = Encoder.prepare


@pytest.fixture
def mine(answered: None, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A run, drawn once, whose next step is prepared."""
    monkeypatch.setattr(Encoder, "prepare", PREPARE)
    mine = lab("pose-small", 8, 9)
    stage_data(mine)
    mine.run.work.thread.join()
    return mine


@pytest.fixture
def slow(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    """The same, if its steps take for ever until they are released."""
    monkeypatch.setattr(stage_answers, "PATIENCE_SECONDS", 0.05)
    return SlowEngine(mine.run.engine, monkeypatch)


@pytest.fixture
def shows(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """What the pictures of every answer wait for, longer than the stage waits for an answer."""
    shows, encode = threading.Event(), stage_answers.Encoder.frames

    def frames(encoder: stage_answers.Encoder, *what: Any) -> dict[str, Any]:
        while not shows.wait(0.01):
            if what[-1]():
                raise bc.Stopped
        return encode(encoder, *what)

    monkeypatch.setattr(stage_answers.Encoder, "frames", frames)
    monkeypatch.setattr(stage_answers, "PATIENCE_SECONDS", 0.05)
    return shows


def ask(mine: Lab, what: dict[str, Any]) -> dict[str, Any]:
    obey(mine.run, what)
    return stage_data(mine)


def test_a_slow_step_says_how_far_it_is_until_it_is_there(mine: Lab, slow: SlowEngine) -> None:
    step = command("step", grain="sweep", backward=False)
    for _ in range(3):
        data = ask(mine, step)
        assert data["working"].startswith("computing event ")
        assert "frames" not in data
        slow.until_it_waits()
    slow.release()
    mine.run.work.thread.join()
    data = ask(mine, step)
    plain = bc.Engine(mine.mrf, mine.partition, variant=9)
    plain.step("sweep")
    assert data["working"] is None
    assert (data["position"], data["history"]["lower"][-1]) == (plain.position, pytest.approx(plain.lower_bound))


def test_the_progress_names_event_message_and_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long message too, which is one event."""
    monkeypatch.setattr(stage_answers, "PATIENCE_SECONDS", 0.001)
    mine = lab("pose", 14, 11)
    step, said = command("step", grain="round", backward=False), set()
    while (data := ask(mine, step))["working"] is not None:
        said.add(data["working"])
    patterns = [r"computing event \d+(, message \d+ of \d+)?(, \d+%)?", r".*, message \d+ of \d+, \d+%"]
    assert all(re.fullmatch(patterns[0], text) for text in said - {"computing…"}), said
    assert any(re.fullmatch(patterns[1], text) for text in said), said


def test_a_step_that_is_stopped_shows_what_was_before(mine: Lab, slow: SlowEngine) -> None:
    # Nothing is prepared from there on.
    slow.free, known = 0, len(mine.run.engine.trace)
    mine.run.show(known)
    ask(mine, command("step", at=known, grain="event", backward=False))
    slow.until_it_waits()
    data = ask(mine, command("stop"))
    assert data["working"] is None
    assert "frames" not in data
    assert mine.run.position == known
    slow.release()
    data = ask(mine, command("step", at=known, grain="event", backward=False))
    mine.run.work.thread.join()
    assert mine.run.position == known + 1


def test_a_stage_mounted_anew_is_told_where_a_stopped_step_began(mine: Lab, slow: SlowEngine) -> None:
    slow.free = 10**6
    ask(mine, command("step", grain="node", backward=False))
    mine.run.work.thread.join()
    slow.free, position = 0, mine.run.position
    ask(mine, command("step", at=position, grain="sweep", backward=False))
    slow.until_it_waits()
    stage_data(mine)
    assert "frames" not in ask(mine, command("stop"))
    slow.release()
    data = ask(mine, command("poll"))
    while data["working"] is not None:
        data = ask(mine, command("poll"))
    assert data["position"] == position > 0
    assert data["frames"]["columns"]["kind"]


@pytest.mark.parametrize("grain", ["node", "sweep"])
def test_a_step_that_is_stopped_ends_where_it_has_come(mine: Lab, slow: SlowEngine, grain: bc.Grain) -> None:
    """A sweep at the end of its last complete update."""
    plain = bc.Engine(mine.mrf, mine.partition, variant=9)
    known = len(mine.run.engine.trace)
    while plain.position <= known + 3:
        complete = plain.position
        plain.step("node")
    slow.free = plain.position + 1 if grain == "sweep" else known + 1
    data = ask(mine, command("step", at=complete, grain=grain, backward=False))
    slow.until_it_waits()
    asked = command("stop", ahead=0)
    data = ask(mine, asked)
    mine.run.work.thread.join()
    while data["working"] is not None:
        data = ask(mine, asked)
    assert data["position"] == (plain.position if grain == "sweep" else known + 1)
    assert len(data["frames"]["columns"]["kind"]) >= 1


@pytest.mark.parametrize("anew", [False, True])
def test_stop_said_again_does_not_break_off_its_own_answer(mine: Lab, shows: threading.Event, anew: bool) -> None:
    """Where a run has come to is shown, however long that takes: also if the stage, which heard nothing, asks anew."""
    stage._ANSWERS.of(mine.run).forget()
    mine.run.start()
    mine.run.work.thread.join()
    stop = command("stop")
    for _ in range(3):
        assert ask(mine, stop)["working"] is not None
        stop = command("stop") if anew else stop
    shows.set()
    mine.run.work.thread.join()
    data = ask(mine, stop)
    assert data["position"] == len(mine.run.engine.trace) > 0


def test_run_said_again_does_not_break_off_its_own_answer(mine: Lab, shows: threading.Event) -> None:
    """A run that ends at once, and whose pictures take longer than the stage waits before it asks how far they are."""
    run = command("run")
    while ask(mine, run)["working"] is None:
        pass
    answering = mine.run.work.thread
    assert ask(mine, run)["working"] is not None
    assert mine.run.work.thread is answering
    shows.set()
    answering.join()
    data = ask(mine, run)
    assert mine.run.complete
    assert data["position"] == data["done"] == len(mine.run.engine.trace)
    assert data["frames"]["columns"]["kind"]


def test_an_answer_is_sent_until_it_is_heard(mine: Lab) -> None:
    step = command("step", grain="round", backward=False)
    position = ask(mine, step)["position"]
    assert position > 0
    poll = ask(mine, command("poll"))
    assert (poll["position"], "frames" in poll) == (position, True)
    assert "frames" not in ask(mine, command("poll", answered=step["serial"]))
    # Two more presses count, as they have numbers of their own.
    assert ask(mine, command("step", at=position, grain="round", backward=False))["position"] > position


def test_what_the_stage_holds_is_not_sent_again(mine: Lab) -> None:
    """As it steps on; after a step back beyond what it holds it gets what is there."""
    held, sent, position, gap = set[int](), 0, 0, 0
    for k in range(60):
        what = {"do": "step", "grain": "round", "backward": False} if k % 2 else {"do": "show"}
        data = ask(mine, command(**what, at=position, first=gap, goes_on=gap > 0, ahead=40))
        frames, position = data["frames"], data["position"]
        events = range(frames["first"], frames["first"] + len(frames["columns"]["kind"]))
        assert frames["before"] is not None or frames["first"] - 1 in held or not events
        held |= set(events)
        sent += len(events)
        assert position == 0 or position - 1 in held
        gap = next(k for k in range(position, 10**6) if k not in held)
        assert gap >= position
    assert sent == len(held) > 100
    back = ask(mine, command("step", at=position, grain="sweep", backward=True, first=gap, goes_on=True, ahead=40))
    frames = back["frames"]
    assert frames["before"] is not None
    assert frames["first"] <= back["position"] < frames["first"] + len(frames["columns"]["kind"])


def test_what_the_stage_holds_is_not_prepared_again(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a class, everybody steps within what their stages hold: each event is encoded once."""
    append, encoded, held = event_frames.Chunk.append, list[int](), 0

    def noted(chunk: event_frames.Chunk, *what: Any) -> None:
        append(chunk, *what)
        encoded.append(chunk.end)

    monkeypatch.setattr(event_frames.Chunk, "append", noted)
    for _ in range(20):
        place = {"at": mine.run.position, "first": held, "goes_on": held > 0}
        columns = ask(mine, command("step", **place, grain="round", backward=False, ahead=40))["frames"]["columns"]
        held += len(columns["kind"])
        mine.run.work.thread.join()
    assert held > mine.run.position + 20
    assert len(encoded) > 60
    assert len(set(encoded)) == len(encoded)


def test_the_next_step_by_group_is_prepared_and_not_sent(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage gets what it has asked for; nothing is encoded while it waits."""
    answers, append, late, held = stage._ANSWERS.of(mine.run), event_frames.Chunk.append, [], 0

    def noted(chunk: event_frames.Chunk, *what: Any) -> None:
        late.extend([chunk.end] * answers.answering)
        append(chunk, *what)

    monkeypatch.setattr(event_frames.Chunk, "append", noted)
    for _ in range(5):
        place = {"at": mine.run.position, "first": held, "goes_on": held > 0}
        data = ask(mine, command("step", **place, grain="node", backward=False, ahead=2))
        columns = data["frames"]["columns"]
        assert columns["kind"][data["position"] - held - 1] == Kind.MESSAGE
        held += len(columns["kind"])
        assert held <= data["position"] + 2
        mine.run.work.thread.join()
    assert late == []


def _after(looks: int) -> bc.Stop:
    """A stop that is requested after a number of checks."""
    left = iter(range(looks))
    return bc.Stop(requested=lambda: next(left, None) is None)


@settings(max_examples=examples(30), deadline=None)
@given(data=st.data())
def test_what_is_prepared_agrees_with_what_is_asked_for(data: st.DataObject) -> None:
    """However far it has come when it is stopped, and wherever the stage goes."""
    run, whole = lab("pose-small", 8, 9).run, lab("pose-small", 8, 9).run
    expected = Encoder(whole).frames(0, 260, 260)["columns"]
    encoder = Encoder(run)
    run.engine.run(max_events=260)
    for _ in range(data.draw(st.integers(2, 6))):
        position = data.draw(st.integers(0, 200))
        go_to(run.engine, position, never)
        with suppress(bc.Stopped):
            PREPARE(encoder, position, position + data.draw(st.integers(0, 40)), _after(data.draw(st.integers(0, 60))))
        first, goes_on = data.draw(st.integers(max(position - 9, 0), position + 9)), data.draw(st.booleans())
        chunk = encoder.frames(first, position, position + data.draw(st.integers(0, 40)), goes_on)
        begin, count = chunk["first"], len(chunk["columns"]["kind"])
        assert {name: column[begin : begin + count] for name, column in expected.items()} == chunk["columns"]
        assert begin + count >= position
        fresh = lab("pose-small", 8, 9).run
        fresh.engine.run(max_events=begin)
        assert goes_on or chunk["before"] == Encoder(fresh).frames(begin, begin, begin)["before"]


def test_a_stage_that_is_mounted_anew_gets_the_whole_answer(mine: Lab) -> None:
    """Though what is mounted already has it."""
    step = command("step", grain="round", backward=False, goes_on=True)
    position = ask(mine, step)["position"]
    for data in (stage_data(mine), ask(mine, command("poll", answered=-1, has_graph=False))):
        assert data["position"] == position
        assert data["graph"] is not None
        assert data["frames"]["before"] is not None


def test_how_loose_edges_are_is_measured_after_the_answer(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, measure = threading.Event(), stage_answers.edge_tightness

    def wait_and_measure(*asked: Any) -> Any:
        gate.wait()
        return measure(*asked)

    monkeypatch.setattr(stage_answers, "edge_tightness", wait_and_measure)
    data = ask(mine, command("show", measure="mean"))
    assert (data["measuring"], data["tightness"]) == (True, None)
    assert "frames" in data
    gate.set()
    mine.run.work.thread.join()
    data = ask(mine, command("poll", measure="mean", answered=data["serial"]))
    assert (data["measuring"], data["tightness"]["at"]) == (False, 0)
    assert "frames" not in data


def test_work_that_fails_is_said_and_ends(
    mine: Lab, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise ArithmeticError("of a test")

    monkeypatch.setattr(stage_answers, "history", fail)
    data = ask(mine, command("show"))
    assert (data["working"], "frames" in data) == (None, False)
    assert data["failure"].endswith("the server's log says why.")
    assert "of a test" in caplog.text


def test_a_moment_is_found_and_its_events_come_with_it(mine: Lab) -> None:
    data = ask(mine, command("find", goal="row", message=3, share=0.0))
    columns = data["frames"]["columns"]
    last = data["position"] - data["frames"]["first"] - 1
    assert (columns["kind"][last], columns["arc"][last] // 2, data["missed"]) == (Kind.ROW, 1, None)


def test_a_moment_that_never_comes_leaves_the_place_as_it_is(mine: Lab) -> None:
    # The stage asks from an event that it has; how many were computed ahead depends on how fast that was.
    mine.run.start(until=5)
    mine.run.work.thread.join()
    mine.run.settle()
    data = ask(mine, command("find", at=5, goal="rise", message=-1, share=1.0))
    while data["working"] is not None:
        data = ask(mine, command("poll"))
    assert (data["position"], data["missed"]) == (5, "LB never rises by so much again")
