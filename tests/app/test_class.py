"""A class: several sessions open one link, and whatever one of them does changes nothing that the others see."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.engine.trace import COLUMNS
from bender_core.visualization import layout
from pages._shared.watch.stage import graph_view
from tests.app.pages.test_pages import ROOT, complaints, go, lab, press, ran
from tests.app.test_upload import UAI, upload
from tests.labs import SlowEngine

pytestmark = pytest.mark.usefixtures("patient", "answered")

AT = 81
LINK = f"sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp&at={AT}&arc=2"


def opened() -> AppTest:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(dict(parse_qsl(LINK)))
    return ran(test.switch_page("pages/watch.py").run())


def seen(test: AppTest) -> dict[str, Any]:
    """All that a session shows of its run. How far ahead the engine has computed is a matter of time."""
    mine = lab(test)
    run, engine = mine.run, mine.run.engine
    return {
        "address": mine.address,
        "place": (run.position, run.seen, run.arc, run.pinned, run.running),
        "model": mine.mrf.content_hash(),
        "groups": [group.tolist() for group in mine.partition.groups],
        "runs": [branch.cause for branch in mine.branches],
        "events": [engine.trace.until(run.seen).column(name).tobytes() for name in COLUMNS],
        "bounds": (engine.lower_bound, engine.upper_bound),
        "complaints": complaints(test),
    }


def step(test: AppTest) -> None:
    for grain in ("row", "node", "sweep"):
        lab(test).run.step(grain, backward=False)


def change_size(test: AppTest) -> None:
    go(test, "partition")
    ran(test.slider("partition_size").set_value(4).run())
    press(test, "Partition and watch")
    assert lab(test).max_size == 4


def leave_for_another_model(test: AppTest) -> None:
    go(test, "instance")
    upload(test, "two.uai", UAI.encode())
    assert lab(test).mrf.n == 2


def test_sessions_that_open_one_link_do_not_disturb_each_other() -> None:
    one, *others = (opened() for _ in range(4))
    before = [seen(other) for other in others]
    assert before[0]["place"] == (AT, AT, 2, True, False)
    assert before[1:] == before[:-1]
    deeds = [step, lambda test: press(test, "Fork here"), change_size, leave_for_another_model]
    for deed in deeds:
        deed(one)
        assert seen(one) != before[0]
        assert [seen(other) for other in others] == before
        for other in others:
            ran(other.run())
        assert [seen(other) for other in others] == before
    # What one of the others does from here is what a run without any class does.
    engine = bc.Engine(bc.sample("pose-small"), bc.partition(bc.sample("pose-small"), 8), variant=9, excluding=True)
    engine.run(max_events=AT)
    engine.step("sweep")
    lab(others[0]).run.step("sweep", backward=False)
    assert seen(others[0])["place"][0] == engine.position > AT
    assert seen(others[0])["bounds"] == (engine.lower_bound, engine.upper_bound)
    assert [seen(other) for other in others[1:]] == before[1:]


def test_stop_stops_ones_own_run_only(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = opened(), opened()
    slow = [SlowEngine(lab(test).run.engine, monkeypatch) for test in (one, other)]
    runs = [lab(test).run for test in (one, other)]
    for engine, run in zip(slow, runs, strict=True):
        run.look(lambda stopped, run=run: run.step("sweep", False, bc.Stop(requested=stopped.is_set)))
        engine.until_it_waits()
    assert [run.work.busy for run in runs] == [True, True]
    runs[0].halt()
    assert [run.work.busy for run in runs] == [False, True]
    slow[1].release()
    runs[1].work.thread.join()
    plain = bc.Engine(bc.sample("pose-small"), bc.partition(bc.sample("pose-small"), 8), variant=9, excluding=True)
    plain.run(max_events=AT)
    plain.step("sweep")
    assert runs[0].position < runs[1].position == plain.position
    assert np.array_equal(
        runs[1].engine.trace.column("lower_bound")[: plain.position], plain.trace.column("lower_bound")
    )


def test_a_class_that_opens_one_link_has_its_groups_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them does with the picture, the next does not see."""
    push, pushed, pictures = layout._pushed, list[int](), []
    monkeypatch.setattr(layout, "_pushed", lambda *given: pushed.append(1) or push(*given))
    layout._of_placed.cache_clear()
    counts = []
    for _ in range(3):
        mine = lab(opened())
        pictures.append(graph_view(mine.branches, mine.branches.shown))
        points, _ = layout.member_layout(mine.mrf, mine.partition.groups[0])
        points += 1.0
        counts.append(len(pushed))
    assert counts[0] > len(mine.partition)
    assert counts[2] - counts[0] < len(mine.partition)
    assert pictures[0]["nodes"] == pictures[1]["nodes"] == pictures[2]["nodes"]
