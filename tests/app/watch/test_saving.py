"""The exports of Watch describe the run."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import bender_core as bc
from bender_core import synth
from pages._shared.app.permalink import made_by
from pages._shared.app.scripting import expression
from pages._shared.app.session import FIRST, linked
from pages._shared.watch.saving import saved
from tests.app.pages.test_pages import app, lab, press, ran
from tests.labs import take_model
from tests.unit.engine.test_exports import expected_of, said_by

# The page waits for the files.
pytestmark = pytest.mark.usefixtures("patient", "answered")


@pytest.mark.slow
def test_the_files_are_of_the_event_shown() -> None:
    test = app("watch")
    run = lab(test).run
    run.step("sweep", backward=False)
    run.engine.run(max_events=len(run.engine.trace) + 50)
    press(test, "Make the files")
    kept = test.session_state.saved
    files = {name.rpartition("_")[2]: content for name, (_, content) in kept.files.items()}
    assert kept.position == run.position < len(run.engine.trace)
    mrf = lab(test).mrf
    again = bc.Engine(mrf, lab(test).partition, variant=9)
    again.run(max_events=run.position)
    assert files["trace.csv"] == again.trace.to_csv()
    labeling = json.loads(files["labeling.json"])["labeling"]
    assert np.array_equal(list(labeling.values()), again.labeling)
    assert said_by(files["run.py"]) == expected_of(again)
    assert not any(name.endswith(".mrf.json") for name in files)
    figures = files["figures.html"]
    assert figures.count("<figure>") == 5
    assert f"event {run.position:,}: lower bound" in figures
    # Another run has no files yet.
    lab(test).repartition(lab(test).partition, 8, 4, "mplp")
    ran(test.run())
    assert [button.label for button in test.get("download_button")] == ["Script, Python"], "that of one of the runs"


def test_figures_that_do_not_fit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "1")
    files = saved(linked(FIRST | {"sample": "tree", "M": "14", "strategy": "greedy"})).files
    (figures,) = [content for name, (_, content) in files.items() if name.endswith("figures.html")]
    assert figures.count("<figure>") == 3
    assert "There was no room to draw messages: looking at a message takes" in figures


@pytest.mark.slow
def test_an_uploaded_model_is_among_the_files() -> None:
    test = app("watch")
    take_model(lab(test), replace(synth.ising_grid(3, 3), name="<b>mine</b> 'n \" yours"), {})
    files = saved(lab(test)).files
    name = "b-mine-b-n-yours.mrf.json"
    assert bc.load(files[name][1]).content_hash() == lab(test).mrf.content_hash()
    (script,) = [content for name, (_, content) in files.items() if name.endswith("_run.py")]
    assert said_by(script, {name: files[name][1]}) == expected_of(lab(test).run.engine)


def test_a_made_model_is_made_again() -> None:
    values = {"rows": 3, "columns": 4, "torus": True, "coupling": "gaussian", "seed": 2}
    defaults = {parameter.name: parameter.default for parameter in synth.FAMILIES["ising_grid"].parameters}
    mine = linked(FIRST)
    take_model(mine, synth.generate("ising_grid", **values), made_by("ising_grid", defaults | values))
    text = expression(mine)
    found = eval(text, {"synth": synth})
    assert found.content_hash() == synth.generate("ising_grid", **values).content_hash()
