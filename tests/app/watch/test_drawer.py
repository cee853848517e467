"""What the drawer says of a message, against the library's own classes and rows; and a press of Insert."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import RowKind
from bender_core.looking.classes import bits_of, classes
from pages._shared.app.session import Lab
from pages._shared.watch import drawer, protocol, stage
from pages._shared.watch.drawer import Docked, Drawer
from pages._shared.watch.stage import obey, stage_data
from tests.labs import SessionState, command, lab
from tests.protocol import faults
from tests.tiers import thinned


def looked(mine: Lab, monkeypatch: pytest.MonkeyPatch, at: int = 0, **asked: Any) -> dict[str, Any]:
    """The drawer's part of the answer, after the background work has ended."""
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    stage_data(mine)
    question = command("show", at=at, drawer={"order": "cost", "chosen": ""} | asked)
    assert faults(protocol.Command, question) == []
    obey(mine.run, question)
    mine.run.work.thread.join()
    data = stage_data(mine)
    assert faults(protocol.Stage, data) == []
    found: dict[str, Any] = data["drawer"]
    return found


@pytest.mark.parametrize("order", ["cost", "nu", "slack"])
@pytest.mark.parametrize("at", thinned([0, 9, 130, 200], 2))
def test_classes_and_rows_are_those_of_the_event(
    at: int, order: str, answered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, plain = lab("pose-small", 8, 9), lab("pose-small", 8, 9).run.engine
    mine.run.engine.run(max_sweeps=2)
    plain.run(max_sweeps=2)
    plain.seek(at)
    near = {"rel": 1e-6, "abs": 1e-9 * plain.graph.problem.scale}
    for arc in (0, 3):
        p, q = plain.graph.ends(arc)
        shown = classes(plain, p, q)
        chosen = int(shown.slack.argmax())
        bits = "".join(map(str, bits_of(chosen, len(shown.members))))
        found = looked(mine, monkeypatch, at, arc=arc, order=order, chosen=bits)
        assert (found["at"], found["arc"], found["order"]) == (at, arc, order)
        assert found["states"] == len(looking.min_marginal(plain, p, q))
        assert found["rows"] == len(looking.rows(plain, p, q))
        assert found["alive"] == np.count_nonzero(looking.row_support(plain, p, q).states)
        assert found["mean"] == pytest.approx(
            (looking.min_marginal(plain, p, q) - looking.envelope(plain, p, q)).mean(), **near
        )
        drawn = found["stems"]
        which = [int(bits[::-1], 2) for bits in drawn["bits"]]
        for name in ("nu", "envelope", "least"):
            assert drawn[name] == pytest.approx(getattr(shown, name)[which], **near)
        key = {"cost": shown.least, "nu": shown.nu, "slack": -shown.slack}[order]
        assert np.all(np.diff(key[which]) >= 0)
        assert looking.min_marginal(plain, p, q)[drawn["state"]] == pytest.approx(shown.nu[which])
        assert (which[found["at_oracle"]], which[found["chosen"]]) == (shown.at_oracle, chosen)
        state = int(shown.states[chosen])
        for cut, told in zip(bc.what_if(plain, p, q, state), found["cuts"], strict=True):
            assert (told["kind"], told["state"], told["tightened"]) == (cut.kind, state, cut.tightened)
            assert (told["here"], told["mean"]) == pytest.approx((cut.rise[state], cut.lift), **near)
            assert told["at_oracle"] == pytest.approx(cut.rise[shown.states[shown.at_oracle]], **near)


def test_of_many_classes_those_of_least_cost_are_drawn_with_the_one_looked_at() -> None:
    engine = lab("pose", 12, 9).run.engine
    engine.step("sweep")
    arc = max(range(2 * len(engine.graph.edges)), key=lambda arc: len(engine.graph.active_members(arc)))
    count = len(engine.graph.active_members(arc))
    told = list(Drawer(engine).look(Docked(arc, "cost", "1" * count)))
    assert [view["cuts"] is None for view in told] == [True, False]
    view = told[-1]
    assert view["classes"] == 1 << count > len(view["stems"]["rank"])
    assert view["stems"]["bits"][view["chosen"]] == "1" * count
    others = [rank for k, rank in enumerate(view["stems"]["rank"]) if k not in (view["chosen"], view["at_oracle"])]
    assert others == [rank for rank in range(1, 65) if rank in others]


def test_a_class_of_another_message_is_not_looked_at() -> None:
    engine = lab("pose-small", 8, 9).run.engine
    *_, view = Drawer(engine).look(Docked(0, "cost", "1"))
    assert view["chosen"] == view["at_oracle"]


def test_an_exact_variant_has_no_rows(answered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    found = looked(lab("tiny", 3, 12), monkeypatch, arc=0)
    assert (found["rows"], found["cuts"]) == (0, [])
    assert set(found["stems"]["row"]) == set(found["stems"]["kind"]) == {-1}
    assert found["stems"]["nu"] == found["stems"]["envelope"]


@pytest.mark.parametrize("asked", [{"arc": -1}, {"arc": 10**9}])
def test_a_message_that_there_is_not_is_not_shown(
    asked: dict[str, Any], answered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    mine = lab("tiny", 3, 9)
    stage_data(mine)
    obey(mine.run, command("show", drawer={"order": "cost", "chosen": ""} | asked))
    assert stage_data(mine)["drawer"] is None


def test_what_does_not_fit_is_refused(answered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise bc.TooLargeError("2 GB are needed, 1 GB is free")

    monkeypatch.setattr(drawer, "classes", refuse)
    found = looked(lab("tiny", 3, 9), monkeypatch, arc=0)
    assert "not enough memory" in found["refusal"]
    assert "stems" not in found


def test_a_row_is_inserted_where_it_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    mine = lab("pose-small", 8, 9)
    mine.run.engine.run(max_sweeps=2)
    stage.st.session_state.lab = mine
    asked = command("insert", at=130, run=mine.number, row={"arc": 3, "state": 5, "kind": 2})
    assert faults(protocol.Command, asked) == []
    stage.st.session_state.stage = {"command": asked}
    stage._on_command()
    p, q = mine.run.engine.graph.ends(3)
    assert mine.branches.request.position == mine.run.position == 130
    assert mine.branches.request.change == bc.Change(rows=(bc.RowAt(p, q, 5, RowKind.MWC_HALF),))
