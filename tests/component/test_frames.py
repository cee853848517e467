"""The decoder of events reads what Python encodes, to the values that the engine has."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from bender_core.looking.words import explain
from pages._shared.watch import event_frames
from pages._shared.watch.event_frames import Encoder
from tests.chromium import told
from tests.labs import lab, near
from tests.tiers import thinned

pytestmark = pytest.mark.browser
# Reads a chunk, and tells what it has read as a text.
DECODE = """async (written) => {
    const { decode, readFor } = await import('/stage/frames.js');
    const { KIND } = await import('/stage/kinds.js');
    const { first, origin, events } = decode(JSON.parse(written));
    for (const event of events) event.entries = [...event.rows].map((_, arc) => readFor(event, arc));
    const plain = (_, v) => (v instanceof Map || ArrayBuffer.isView(v) ? [...v] : v);
    return JSON.stringify({ kinds: KIND, first, origin, events }, plain);
}"""


def decoded(page: Page, chunk: dict[str, Any]) -> dict[str, Any]:
    """What the decoder makes of a chunk."""
    read: dict[str, Any] = json.loads(page.evaluate(DECODE, json.dumps(chunk)))
    return read


def states(run: bc.Engine) -> list[int]:
    """The state of every group in the best labelling."""
    groups = run.partition.groups
    return [sum(int(run.labeling[i]) << k for k, i in enumerate(group)) for group in groups]


def check(update: dict[str, Any], run: bc.Engine) -> None:
    """An update as decoded, against the engine at the same event."""
    ground, found = looking.ground(run, update["node"]), looking.ground_parts(run, update["node"])
    columns = update["columns"]
    close = {"rel": 1e-5, "abs": 1e-5 * run.graph.problem.scale}
    states = [column["state"] for column in columns]
    drawn = {name: [column[name] for column in columns] for name in ("g", "own", "parts")}
    assert near(drawn["g"], ground[states], **close)
    assert near(drawn["own"], found.own[states], **close)
    assert near(drawn["parts"], found.parts[:, states].T, **close)
    assert [column["bits"] for column in columns] == [run.partition.describe(update["node"], y) for y in states]
    assert (np.diff([column["g0"] for column in columns]) >= -close["abs"]).all()
    reckoning = looking.open_update(run)
    assert near(update["floor"], reckoning.floor, **close)
    assert update["suspects"] == reckoning.suspects
    assert update["bestSoFar"] == reckoning.best
    assert {state: pytest.approx(cost, **close) for state, cost in looking.exact_costs(run).items()} == dict(
        update["evaluated"]
    )


@pytest.mark.parametrize(
    ("name", "max_size", "variant"), [("pose-small", 8, 9), ("torus-10x10", 5, 4), ("karate", 6, 12)]
)
@pytest.mark.parametrize("first", thinned([0, 23], 2))
def test_events_are_read_as_they_happened(page: Page, name: str, max_size: int, variant: int, first: int) -> None:
    mine, plain = lab(name, max_size, variant), lab(name, max_size, variant).run.engine
    plain.run(max_sweeps=2)
    mine.run.engine.run(max_sweeps=2)
    chunk = Encoder(mine.run).frames(first, first + 120, first + 120, more=True)
    read = decoded(page, chunk)
    assert read["kinds"] == {kind.name: kind.value for kind in Kind}
    assert read["first"] <= first
    plain.seek(read["first"])
    assert looking.open_node(plain) == -1
    assert read["origin"]["rows"] == looking.rows_made(plain).tolist()
    assert (read["origin"]["lower"], read["origin"]["upper"]) == (plain.lower_bound, plain.upper_bound)
    assert len(read["events"]) >= 120
    for k, event in enumerate(read["events"]):
        (truth,) = plain.step("event")
        close = {"rel": 1e-5, "abs": 1e-5 * plain.graph.problem.scale}
        assert event["index"] == read["first"] + k == truth.index
        for column in ("kind", "node", "arc", "sweep", "state", "depth"):
            assert event[column] == getattr(truth, column)
        assert event["total_rows"] == truth.rows
        assert (event["lower"], event["upper"]) == (truth.lower_bound, truth.upper_bound)
        said = explain(truth, plain.graph, plain.variant, proven=event["proven"])
        assert event["sentence"].startswith(said.sentence[:30])
        assert event["rows"] == looking.rows_made(plain).tolist()
        assert event["entries"] == looking.work(plain).messages.tolist()
        for name, truth_of in (("gained", looking.attribution(plain)), ("tension", looking.tension(plain))):
            for part, values in truth_of._asdict().items():
                assert near(event[name][part], values, **close)
        assert event["best"] == states(plain)
        if truth.kind in (Kind.NODE_OPENED, Kind.ORACLE, Kind.ROW):
            check(event["update"], plain)
        else:
            assert event["update"] is None
        if truth.kind == Kind.MESSAGE:
            assert near(event["passed"]["floor"], truth.lower_bound, **close)
            assert event["passed"]["suspects"] == 0


# Reads pieces that go on from each other, and the whole.
JOIN = """async ([whole, pieces]) => {
    const { decode, Events } = await import('/stage/frames.js');
    const events = new Events();
    for (const piece of pieces) events.take(piece, 0);
    const text = (all) => JSON.stringify(all, (_, v) => v instanceof Map ? [...v] : ArrayBuffer.isView(v) ? [...v] : v);
    return decode(whole).events.map((event) => text(event) === text(events.get(event.index)));
}"""
TAKE = """async (chunk) => {
    const { Events } = await import('/stage/frames.js');
    const events = new Events();
    events.take(chunk, 0);
    return events.stored.size;
}"""


@pytest.mark.parametrize("piece", thinned([1, 7, 50], 3))
@pytest.mark.parametrize(
    ("name", "max_size", "variant"), thinned([("pose-small", 8, 9), ("karate", 6, 12)], 2, several=True)
)
def test_pieces_that_go_on_from_each_other_are_read_as_the_whole(
    page: Page, name: str, max_size: int, variant: int, piece: int
) -> None:
    """Wherever they are cut: within an update, the last event held tells how it stands."""
    encoder, pieces, at = Encoder(lab(name, max_size, variant).run), [], 0
    while at < 150:
        pieces.append(encoder.frames(at, 0, at + piece, goes_on=at > 0, more=True))
        at += len(pieces[-1]["columns"]["kind"])
    whole = Encoder(lab(name, max_size, variant).run).frames(0, 150, 150, more=True)
    assert len(pieces) >= 150 // piece
    assert all(told(page, JOIN, [whole, pieces]))


def test_a_chunk_that_goes_on_from_an_event_that_is_not_held_is_left(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_frames, "AHEAD_SECONDS", 60.0)
    assert told(page, TAKE, Encoder(lab("pose-small", 8, 9).run).frames(0, 0, 5, more=True)) == 5
    run = lab("pose-small", 8, 9).run
    run.engine.run(max_events=20)
    assert told(page, TAKE, Encoder(run).frames(20, 0, 25, goes_on=True, more=True)) == 0


@pytest.mark.slow
def test_a_new_round_asks_before_it_is_answered(page: Page) -> None:
    """What is shown of y* before the neighbours answer has no answers yet, and all columns the answer will have."""
    mine = lab("pose-small", 8, 9)
    mine.run.engine.run(max_sweeps=2)
    asked = 0
    for first in (0, 200, 400):
        chunk = Encoder(mine.run).frames(first, first + 120, first + 120)
        for event in decoded(page, chunk)["events"]:
            asks, update = event["asks"], event["update"]
            if asks is None:
                continue
            asked += 1
            assert (asks["y"], asks["round"]) == (update["y"], update["round"])
            assert asks["answers"] is None
            assert asks["nu"] is None
            assert [column["state"] for column in asks["columns"]] == [column["state"] for column in update["columns"]]
            assert all(column["gRound"] == column["g"] for column in asks["columns"])
    assert asked > 10
