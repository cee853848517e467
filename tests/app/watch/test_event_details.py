"""Every number that the pictures of an event are made of is the engine's at that event."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from bender_core.looking.rows import row_values
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import event_frames
from pages._shared.watch.event_details import COLUMNS, TAIL, Update
from pages._shared.watch.event_frames import Encoder
from tests.labs import lab, near
from tests.tiers import thinned

RUNS = [
    ("pose-small", 8, 9, "mplp"),
    ("torus-10x10", 5, 4, "srmp"),
    ("torus-10x10", 10, 9, "mplp"),
    ("karate", 6, 12, "srmp"),
    ("tiny", 3, 11, "mplp"),
]
EVENTS = 220
# What is sent is rounded to seven digits.
NEAR = {"rel": 1e-5, "abs": 1e-5}


@pytest.fixture(
    scope="module",
    params=thinned(RUNS, 2),
    ids=lambda run: f"{run[0]}-M{run[1]}-v{run[2]}-{run[3]}",
)
def run(request: pytest.FixtureRequest) -> tuple[list[dict[str, Any]], bc.Engine]:
    """The first events of a run as they are sent, and an engine to compare them with."""
    sent, plain = lab(*request.param).run.engine, lab(*request.param).run.engine
    sent.run(max_events=EVENTS)
    chunk = Encoder(WatchedRun(sent)).frames(0, EVENTS, EVENTS, more=True)
    columns = chunk["columns"]
    return [dict(zip(columns, each, strict=True)) for each in zip(*columns.values(), strict=True)], plain


@pytest.fixture
def told(run: tuple[list[dict[str, Any]], bc.Engine]) -> list[dict[str, Any]]:
    return run[0]


@pytest.fixture
def plain(run: tuple[list[dict[str, Any]], bc.Engine]) -> bc.Engine:
    run[1].seek(0)
    return run[1]


def test_an_opened_group_is_told_with_its_neighbours_and_its_tail(told: list[dict[str, Any]], plain: bc.Engine) -> None:
    for event in told:
        (truth,) = plain.step("event")
        if truth.kind != Kind.NODE_OPENED:
            continue
        detail, ground = event["detail"], looking.ground(plain, truth.node)
        found = looking.ground_parts(plain, truth.node)
        assert detail["count"] == len(ground)
        cheapest = np.argsort(ground, kind="stable")[:COLUMNS].tolist()
        assert set(detail["states"]) == {*cheapest, truth.state, detail["best"]}
        assert detail["senders"] == plain.graph.neighbours(truth.node)
        assert detail["arcs"] == found.arcs.tolist()
        assert detail["rest"] == pytest.approx(found.rest, rel=1e-6)
        assert [int(bits[::-1], 2) for bits in detail["bits"]] == detail["states"]
        assert detail["best"] == plain.graph.states(plain.labeling)[truth.node]
        if len(ground) == len(detail["states"]):
            assert detail["tail"] is None
            continue
        rank, g = detail["tail"]["rank"], detail["tail"]["g"]
        assert (rank[0], rank[-1]) == (1, len(ground))
        assert len(rank) <= TAIL
        assert near(g, np.sort(ground)[np.array(rank) - 1], **NEAR)


def test_an_oracle_is_told_with_the_exact_parts_and_who_says_so(told: list[dict[str, Any]], plain: bc.Engine) -> None:
    for event in told:
        (truth,) = plain.step("event")
        if truth.kind != Kind.ORACLE:
            continue
        detail, p = event["detail"], truth.node
        answers, asked = looking.answers(plain, p, truth.state), looking.exact_costs(plain)
        assert detail["y"] == truth.state
        assert near(detail["nu"], [each.exact for each in answers], **NEAR)
        assert near(detail["known"], looking.ground_parts(plain, p).parts[:, truth.state], **NEAR)
        for each, said in zip(answers, detail["answers"], strict=True):
            assert (said["state"], int(said["bits"][::-1], 2)) == (each.state, each.state)
        assert near(detail["exact"], asked[truth.state], **NEAR)
        assert near((event["floor"], event["ceiling"]), (truth.floor, truth.ceiling), **NEAR)
        assert event["suspects"] == truth.suspects


def test_a_row_is_told_with_what_it_lifts(told: list[dict[str, Any]], plain: bc.Engine) -> None:
    for event in told:
        before = looking.ground(plain, looking.open_node(plain)) if event["kind"] == Kind.ROW else None
        (truth,) = plain.step("event")
        if truth.kind == Kind.NODE_OPENED:
            states, tail = list(event["detail"]["states"]), event["detail"]["tail"]
        elif event["detail"] and event["detail"].get("insert"):
            states.insert(event["detail"]["insert"]["at"], event["detail"]["insert"]["state"])
        if before is None:
            continue
        detail, p, row = event["detail"], truth.node, looking.row(plain, truth.row)
        q = plain.graph.neighbours(p)[detail["slot"]]
        assert (detail["row"], detail["kind"]) == (truth.row, row.kind)
        assert (detail["intercept"], detail["u"]) == (
            pytest.approx(row.intercept, **NEAR),
            [pytest.approx(terms, **NEAR) for terms in row.u.tolist()],
        )
        values, nu = np.array(detail["values"]), looking.min_marginal(plain, p, q)
        assert near(values, row_values(row)[states], **NEAR)
        assert (values <= nu[states] + 1e-4).all()
        assert near(values[states.index(truth.state)], nu[truth.state], **NEAR)
        after = looking.ground(plain, p)
        assert detail["lifted"] == np.count_nonzero(after > before + 1e-9 * np.abs(before).max())
        if detail["tail"] is not None:
            assert near(detail["tail"], np.sort(after)[np.array(tail["rank"]) - 1], **NEAR)
        reckoning = looking.open_update(plain)
        assert (event["floor"], event["ceiling"]) == (reckoning.floor, reckoning.ceiling)
        assert event["suspects"] == reckoning.suspects


def test_shares_sum_to_the_cost_that_is_shared(told: list[dict[str, Any]], plain: bc.Engine) -> None:
    for event in told:
        held = looking.bound_terms(plain)
        (truth,) = plain.step("event")
        if truth.kind != Kind.MESSAGE:
            continue
        detail, edges = (
            event["detail"],
            [plain.graph.arc(truth.node, q) // 2 for q in plain.graph.neighbours(truth.node)],
        )
        for said, (groups, of_edges) in ((detail, looking.bound_terms(plain)), (detail["before"], held)):
            assert near(said["kept"], groups[truth.node], **NEAR)
            assert near(said["shares"], of_edges[edges], **NEAR)
        assert near(detail["kept"] + sum(detail["shares"]), detail["level"], **NEAR)
        risen = detail["level"] - detail["before"]["kept"] - sum(detail["before"]["shares"])
        assert risen == pytest.approx(truth.value - truth.before, rel=1e-4, abs=1e-3)
        assert plain.settings.schedule == "srmp" or all(detail["ahead"])
        assert [
            share for share, ahead in zip(detail["shares"], detail["ahead"], strict=True) if not ahead and share
        ] == []
        if plain.variant.exact:
            assert detail["y"] == truth.state
            exact = [
                looking.min_marginal(plain, truth.node, q)[truth.state] for q in plain.graph.neighbours(truth.node)
            ]
            assert near(detail["nu"], exact, **NEAR)


def test_a_chunk_begins_with_its_update(run: tuple[list[dict[str, Any]], bc.Engine]) -> None:
    told, plain = run
    plain.run(max_events=EVENTS)
    encoder = Encoder(WatchedRun(plain))
    for first in (0, 1, 7, 60, 61, 62, 63, 64, EVENTS - 1):
        chunk = encoder.frames(min(first, len(told) - 1), 0, EVENTS, more=True)
        assert chunk["first"] <= first
        kinds = [event["kind"] for event in told]
        assert chunk["first"] == 0 or kinds[chunk["first"] - 1] >= Kind.MESSAGE
        assert Kind.MESSAGE not in kinds[chunk["first"] : min(first, len(told) - 1)]
        count = len(chunk["columns"]["kind"])
        assert chunk["first"] + count > min(first, len(told) - 1)
        for name, column in chunk["columns"].items():
            for value, event in zip(column, told[chunk["first"] :], strict=False):
                # Of what is added up anew the last digit may differ.
                assert value == event[name] or (name == "detail" and value.keys() == event[name].keys())


def test_the_last_event_alone_needs_no_other(run: tuple[list[dict[str, Any]], bc.Engine]) -> None:
    told, plain = run
    encoder = Encoder(WatchedRun(plain))
    plain.run(max_events=len(told))
    for event in (event for event in told if event["kind"] >= Kind.SWEEP):
        plain.seek(told.index(event) + 1)
        chunk = encoder.last_event()
        assert chunk["first"] == told.index(event)
        (sentence,) = chunk["columns"]["sentence"]
        # Where a proof was before, it says why it is over.
        assert sentence.startswith(event["sentence"])
        assert sentence == event["sentence"] or (event["proven"] and sentence.endswith("labelling is optimal."))


def test_without_room_to_look_events_are_told_without_their_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "1")
    engine = lab("tree", 3, 9).run.engine
    monkeypatch.setattr(looking, "answers", _no_room)
    encoder = Encoder(WatchedRun(engine))
    chunk = encoder.frames(0, 0, 6, more=True)
    assert encoder.refusal == "There is no room to draw this update: no room."
    kinds, details = chunk["columns"]["kind"], chunk["columns"]["detail"]
    assert any(kind == Kind.ORACLE for kind in kinds)
    assert all(detail is None for kind, detail in zip(kinds, details, strict=True) if kind == Kind.ORACLE)


def _no_room(engine: bc.Engine, p: int, state: int) -> None:
    raise bc.TooLargeError("no room", 1, 0)


@pytest.mark.parametrize("first", [1, 7, 60, 61, 62, 63, 64, EVENTS])
def test_a_chunk_goes_on_from_any_event(run: tuple[list[dict[str, Any]], bc.Engine], first: int) -> None:
    """Also after a jump, when nothing of the update is at hand."""
    told, plain = run
    plain.run(max_events=EVENTS)
    first = min(first, len(told))
    chunk = Encoder(WatchedRun(plain)).frames(first, 0, EVENTS, goes_on=True, more=True)
    assert (chunk["first"], chunk["before"]) == (first, None)
    for sentence, event in zip(chunk["columns"]["sentence"], told[first:], strict=False):
        assert sentence == event["sentence"]
    assert chunk["columns"]["sentence"] or first == len(plain.trace)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("piece", thinned([1, 3, 40], 3))
def test_pieces_of_an_update_agree_with_the_whole(piece: int, goes_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the encoder keeps of an open update is sent again unless the stage holds it, and is never encoded twice."""
    sent = lab("pose-small", 8, 9).run.engine
    # How far a piece goes beyond what it has to depends on the time: the whole has all that it may contain.
    whole = Encoder(lab("pose-small", 8, 9).run).frames(0, 200 + piece, 200 + piece, more=True)
    encoder, first = Encoder(WatchedRun(sent)), 0
    opened = []
    monkeypatch.setattr(event_frames, "Update", lambda *given: opened.append(given) or Update(*given))
    while first < 200:
        chunk = encoder.frames(first, 0, first + piece, goes_on, more=True)
        assert chunk["first"] == first or not goes_on
        sent.seek(max(first - 5, 0))
        begin, count = chunk["first"], len(chunk["columns"]["kind"])
        for name, column in chunk["columns"].items():
            assert column == whole["columns"][name][begin : begin + count]
        first = begin + count
    assert len(opened) == whole["columns"]["kind"][:first].count(Kind.NODE_OPENED)
