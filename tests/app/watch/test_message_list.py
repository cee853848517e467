"""What the list says of the messages in sight, against the definitions of its columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.looking.words import number
from pages._shared.app.session import Lab
from pages._shared.watch import message_list, protocol, stage
from pages._shared.watch.message_list import MessageList
from pages._shared.watch.stage import obey, stage_data
from tests.labs import SessionState, command, lab
from tests.protocol import faults


def looked(mine: Lab, monkeypatch: pytest.MonkeyPatch, **asked: Any) -> dict[str, Any]:
    """The answer to a question, once all that it asks for is known."""
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    stage_data(mine)
    obey(mine.run, command("show", **asked))
    mine.run.work.thread.join()
    data = stage_data(mine)
    assert faults(protocol.Stage, data) == []
    found: dict[str, Any] = data["lines"]
    return found


@pytest.mark.parametrize("at", [0, 5, 9, 130, 200])
def test_slack_parts_and_rows_are_those_of_the_event(at: int, answered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = lab("pose-small", 8, 9)
    mine.run.engine.run(max_sweeps=2)
    arcs = [3, 4, 11, 3]
    found = looked(mine, monkeypatch, at=at, lines=arcs)
    plain = bc.Engine(mine.mrf, mine.partition, variant=9)
    plain.run(max_sweeps=2)
    plain.seek(at)
    assert (found["at"], found["arcs"]) == (at, [3, 4, 11])
    near = {"rel": 1e-6, "abs": 1e-9 * plain.graph.problem.scale}
    for k, arc in enumerate(found["arcs"]):
        p, q = plain.graph.ends(arc)
        slack = looking.min_marginal(plain, p, q) - looking.envelope(plain, p, q)
        assert found["mean"][k] == pytest.approx(slack.mean(), **near)
        assert found["largest"][k] == pytest.approx(slack.max(), **near)
        # Several states may be the cheapest.
        cost = looking.ground(plain, p)
        assert min(abs(slack[cost <= cost.min() + near["abs"]] - found["now"][k])) <= 1e-6 * (1 + abs(found["now"][k]))
        parts = found["disagreement"][k] + found["unclaimed"][k]
        assert parts == pytest.approx(looking.tension(plain).edges[arc // 2], rel=1e-5, abs=1e-6)
        rows = looking.row_support(plain, p, q)
        assert (found["rows"][k], found["alive"][k]) == (len(rows.states), np.count_nonzero(rows.states))


def test_an_exact_variant_has_parts_alone(answered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = lab("tiny", 3, 12)
    found = looked(mine, monkeypatch, lines=[0, 1])
    assert found["mean"] == found["alive"] == [None, None]
    assert min(found["disagreement"] + found["unclaimed"]) >= 0


def test_messages_that_there_are_not_are_not_looked_at(answered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(lab("tiny", 3, 9), monkeypatch, lines=[10**9, 1])["arcs"] == [1]


def test_what_is_known_of_an_event_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, count = lab("pose-small", 8, 9).run.engine, []
    engine.step("sweep")
    line = message_list.line
    monkeypatch.setattr(message_list, "line", lambda engine, arc, *more: count.append(arc) or line(engine, arc, *more))
    kept = MessageList(engine)
    for arcs in ([0, 1], [1, 2], [0, 1, 2]):
        *_, found = kept.look(arcs)
        assert found["arcs"] == arcs
    assert count == [0, 1, 2]
    engine.step("event")
    assert [told["arcs"] for told in kept.look([1])] == [[1]]
    assert count == [0, 1, 2, 1]


def test_a_look_can_be_stopped_and_goes_on_from_there() -> None:
    engine = lab("pose-small", 8, 9).run.engine
    engine.step("sweep")
    kept, asked = MessageList(engine), 0

    def wanted() -> bool:
        nonlocal asked
        asked += 1
        return asked > 200

    with pytest.raises(bc.Stopped):
        list(kept.look(range(40), bc.Stop(requested=wanted)))
    assert 0 < len(kept._known) < 40
    *_, found = kept.look(range(40))
    assert found["arcs"] == list(range(40))


def test_without_room_to_look_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = lab("tiny", 3, 9).run.engine

    def refuse(*_: Any) -> None:
        raise bc.TooLargeError("no room", 1, 0)

    monkeypatch.setattr(looking, "row_support", refuse)
    *_, found = MessageList(engine).look([0])
    assert found["arcs"] == [0]
    assert found["mean"] == found["alive"] == [None]


@pytest.mark.parametrize(("name", "size", "variant", "sweeps"), [("pose-small", 8, 9, 2), ("torus-10x10", 4, 12, 3)])
def test_the_verdict_is_the_engines(
    name: str, size: int, variant: int, sweeps: int, answered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = lab(name, size, variant)
    mine.run.engine.run(max_sweeps=sweeps)
    at = len(mine.run.engine.trace)
    found = looked(mine, monkeypatch, at=at, lines=[0, 1])
    assert found["arcs"] == [0, 1]
    plain = bc.Engine(mine.mrf, mine.partition, variant=variant)
    plain.run(max_sweeps=sweeps)
    tension = looking.tension(plain).edges
    said, edge = found["verdict"], int(tension.argmax())
    p, q = plain.graph.edges[edge].tolist()
    share = 100 * tension[edge] / (plain.upper_bound - plain.lower_bound)
    labels = plain.partition.labels
    assert said["edge"] == edge
    assert said["merges"]
    assert said["words"].startswith(f"{labels[p]} – {labels[q]} holds {share:.0f} % of the gap; ")
    slack = [
        (looking.min_marginal(plain, *ends) - looking.envelope(plain, *ends)).max() if variant == 9 else 0.0
        for ends in ((p, q), (q, p))
    ]
    rows = "its rows are loose at some states" if max(slack) > 1e-9 else "its rows are tight at all states"
    assert ("its messages are exact" if variant == 12 else rows) in said["words"]
    gain = plain.fork(merge=((p, q),)).lower_bound - plain.lower_bound
    raised = "by nothing at once" if gain < 1e-9 else f"by {number(gain, 3)} at once"
    assert raised in said["words"]


def test_there_is_no_verdict_where_there_is_no_gap(answered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = lab("tree", 3, 9)
    mine.run.engine.run()
    assert mine.run.engine.gap == 0
    assert looked(mine, monkeypatch, at=len(mine.run.engine.trace), lines=[0])["verdict"] is None


def test_the_groups_of_an_edge_are_merged_in_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    mine = lab("pose-small", 8, 9)
    mine.run.engine.run(max_sweeps=1)
    stage.st.session_state.lab = mine
    asked = command("merge", at=130, run=mine.number, edge=7)
    assert faults(protocol.Command, asked) == []
    stage.st.session_state.stage = {"command": asked}
    stage._on_command()
    assert mine.branches.request is not None
    assert mine.branches.request.position == mine.run.position == 130
    assert mine.branches.request.change == bc.Change(merge=(tuple(mine.run.engine.graph.edges[7].tolist()),))
