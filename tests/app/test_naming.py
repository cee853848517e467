"""Downloaded files have descriptive names that are valid on every file system."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bender_core as bc
from pages._shared.app.naming import LONGEST, file_name, file_of, run_file, slug
from pages._shared.app.session import FIRST, linked
from tests.app.pages.test_pages import app, lab, press

SAFE = re.compile("[A-Za-z0-9]+(-[A-Za-z0-9]+)*")


@given(st.text(max_size=300))
@example("con")
@example("COM1")
@example("...")
@example("../../etc/passwd")
@example("模型")
def test_any_name_makes_part_of_a_file_name(name: str) -> None:
    found = slug(name)
    assert SAFE.fullmatch(found)
    assert len(found) <= 60
    assert not re.fullmatch("con|prn|aux|nul|com[0-9]|lpt[0-9]", found, re.IGNORECASE)
    whole = file_name(name, "M30", "v12", "mplp", "e123456789", "labeling.json")
    assert len(whole) <= LONGEST
    assert whole.endswith("_M30_v12_mplp_e123456789_labeling.json")


def test_a_name_keeps_its_valid_characters() -> None:
    assert slug("Ångström, 10×10 (été)") == "Angstrom-1010-ete"
    assert slug("pose-small") == "pose-small"
    assert slug("模型") == "model"
    assert file_name("x" * 200, "M8", "trace.csv") == "x" * 87 + "_M8_trace.csv"
    assert file_of(bc.BinaryMRF(unary=[[0.0, 1.0]], name="<b>a</b>")) == "b-a-b.mrf.json"


def test_the_file_of_a_run_names_its_event() -> None:
    mine = linked(FIRST)
    mine.run.engine.run(max_sweeps=1)
    mine.run.show(150)
    assert run_file(mine, "trace.csv") == "pose-small_M8_v9_mplp_e150_trace.csv"


@pytest.mark.parametrize(
    ("page", "begins"),
    [
        ("partition", "pose-small_M8_groups_"),
        ("edge", "pose-small_M8_v9_mplp_e0_message-0_"),
        ("instance", "pose-small_"),
    ],
)
def test_figures_are_saved_under_descriptive_names(page: str, begins: str) -> None:
    charts = app(page).get("plotly_chart")
    assert charts
    for chart in charts:
        assert json.loads(chart.proto.config)["toImageButtonOptions"]["filename"].startswith(begins)


@pytest.mark.usefixtures("patient")
def test_downloads_are_named() -> None:
    test = app("watch")
    lab(test).run.step("sweep", backward=False)
    press(test, "Make the files")
    event = lab(test).run.position
    assert set(test.session_state.saved.files) == {
        f"pose-small_M8_v9_mplp_e{event}_{what}"
        for what in (
            "trace.csv",
            "trace.parquet",
            "parts.csv",
            "labeling.csv",
            "labeling.json",
            "labeling.MPE",
            "run.py",
            "figures.html",
        )
    }
