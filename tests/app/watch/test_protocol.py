"""The data sent to components conform to the protocol, and contain nothing else."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.experiments.outcome import CURVE
from bender_core.kernels.layout import Kind
from pages._shared.app.session import Lab
from pages._shared.compare.curves import Chart, Curve, view
from pages._shared.watch import protocol, stage
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.stage import obey, stage_data
from pages._shared.watch.stage_views import following, reference_lines
from tests.labs import SessionState, command, lab
from tests.protocol import faults
from tests.tiers import thinned

RUNS = [("pose-small", 8, 9, "mplp"), ("torus-10x10", 5, 4, "srmp"), ("karate", 6, 12, "mplp"), ("tiny", 3, 11, "mplp")]

DETAILS = {
    Kind.NODE_OPENED: (protocol.Opened,),
    Kind.ORACLE: (protocol.Oracle,),
    Kind.ROW: (protocol.Row,),
    Kind.MESSAGE: (protocol.Message, protocol.ExactMessage),
}


@pytest.fixture(params=thinned(RUNS, 2), ids=lambda run: f"{run[0]}-v{run[2]}")
def mine(request: pytest.FixtureRequest, answered: None, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    return lab(*request.param, max_sweeps=4)


def test_every_event_of_a_run_is_sent_as_the_protocol_says(mine: Lab) -> None:
    engine, encoder, at = mine.run.engine, Encoder(mine.run), 0
    while at == 0 or not engine.finished:
        chunk = encoder.frames(at, at, at + 200, goes_on=at % 2 == 1, more=True)
        assert faults(protocol.Frames, chunk) == []
        assert {len(column) for column in chunk["columns"].values()} == {engine.position - chunk["first"]}
        at = engine.position
    for position in (0, 1, len(engine.trace)):
        engine.seek(position)
        assert faults(protocol.Frames, encoder.last_event()) == []


def test_what_rounding_leaves_of_no_tension_is_none_while_a_run_goes_on() -> None:
    run = lab("pose", 8, 9).run
    run.engine.run(max_events=2500)
    assert looking.tension(run.engine).edges.min() < 0
    run._tell(threading.Event(), run.engine)
    assert faults(protocol.Running, following(run)) == []


def test_every_kind_of_event_has_its_own_detail(mine: Lab) -> None:
    columns = Encoder(mine.run).frames(0, 60, 60, more=True)["columns"]
    for kind, detail in zip(columns["kind"], columns["detail"], strict=True):
        fitting = [fits for fits, records in DETAILS.items() if any(faults(each, detail) == [] for each in records)]
        assert fitting == [kind] * (kind in DETAILS)


def test_what_is_not_as_the_records_say_is_found(mine: Lab) -> None:
    chunk = Encoder(mine.run).frames(0, 3, 3, more=True)
    columns = chunk["columns"]
    for name in columns:
        assert faults(protocol.Columns, {other: column for other, column in columns.items() if other != name})
    assert faults(protocol.Columns, columns | {"more": []})
    for name, value in {
        "lower": "-3.2",
        "kind": 6,
        "node": -2,
        "sweep": 0.5,
        "floor": "none",
        "read": {"0": -1},
    }.items():
        assert faults(protocol.Columns, columns | {name: [value] * 3})
    for name, value in {"drawer": {"arc": 0, "order": "nu", "chosen": "012"}, "do": "jump", "share": 1.5}.items():
        assert faults(protocol.Command, command("find") | {name: value})
    assert faults(protocol.ForkedFrom, {"run": 0, "owner": [0], "leaving": [[0, 1, -1]]})


@pytest.mark.parametrize("measure", thinned(["tension", "mean", "largest", "loose"], 4))
def test_what_the_stage_is_sent_is_what_the_protocol_says(mine: Lab, measure: str) -> None:
    assert faults(protocol.Stage, stage_data(mine)) == []
    asked = [
        command("step", grain="sweep", backward=False, measure=measure),
        command("show", at=5, first=2, arc=1, measure=measure),
        command("step", at=5, grain="node", backward=True, measure=measure),
        command("step", at=5, grain="round", backward=False, measure=measure),
        command("show", at=5, first=4, goes_on=True, measure=measure),
        command("step", at=5, grain="event", backward=False, measure=measure),
        command("show", at=5, ahead=0, measure=measure),
        command("exact", at=5, opened=1, states=[0, 1, 99], measure=measure),
        command("run", at=5, measure=measure),
        command("poll", at=5, has_graph=False, measure=measure),
    ]
    for question in asked:
        assert faults(protocol.Command, question) == []
        obey(mine.run, question)
        assert faults(protocol.Stage, stage_data(mine)) == []
    mine.run.work.thread.join()
    assert faults(protocol.Stage, stage_data(mine)) == []


def test_references_are_sent_as_the_protocol_says() -> None:
    """All four kinds: those of a search that has ended, and of one that has not."""
    mine = lab("tiny", 3, 9)
    whole = bc.reference(mine.mrf, mine.partition)
    lines = [reference_lines(found) for found in (whole, replace(whole, optimum=None))]
    assert {line["name"] for sent in lines for line in sent} == {"variable LP", "group LP", "optimum", "best of HiGHS"}
    for sent in lines:
        assert faults(list[protocol.ReferenceLine], sent) == []


@pytest.mark.parametrize("sweeps", [0, 1, 30])
def test_curves_are_sent_as_the_protocol_says(sweeps: int) -> None:
    records = np.zeros(sweeps, CURVE)
    records["sweep"] = np.arange(sweeps)
    records["lower_bound"] = np.linspace(-3, -2, sweeps)
    curves = [
        Curve(f"v{variant}", variant, 8, "groups", "mplp", "running", records, None, 3.0, faded=variant == 4)
        for variant in bc.VARIANTS
    ]
    sent = view("a model", curves)
    assert faults(Chart, sent) == []
    assert all(
        {len(run[name]) for name in ("sweeps", "rows", "seconds", "lower", "upper")} == {sweeps} for run in sent["runs"]
    )
