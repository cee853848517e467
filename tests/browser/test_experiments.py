"""Experiments as a person sees them: planned, run, stopped, resumed, looked into, and exported."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pyarrow.parquet as parquet
import pytest
from playwright.sync_api import Locator, Page, expect

import bender_core as bc
from bender_core.experiments import Store, read_plan
from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

DONE = 60_000


@pytest.fixture
def lab(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle).open("/experiments")


def planned(lab: Lab, columns: int, seeds: int) -> None:
    """A plan of small grids, made by the form: variants 9 and 11, M = 5 and 9."""
    lab.choose("Experiment", "A plan of your own")
    lab.choose("Instances", "Ising grid")
    lab.page.get_by_label("Columns", exact=True).fill(str(columns))
    lab.page.get_by_label("Instances (seeds 0, 1, …)").fill(str(seeds))
    for variant in (4, 12):
        lab.page.get_by_role("button", name=f"Remove {bc.VARIANTS[variant].title}", exact=True).click()
    lab.press("Plan it")


def cell(lab: Lab, title: str) -> str:
    """What the table of amounts says beside a word."""
    row = lab.page.locator("table.plain").first.get_by_role("row").filter(has=lab.page.get_by_text(title, exact=True))
    return row.get_by_role("cell").last.inner_text()


def run(lab: Lab) -> None:
    """Press Run, once the plan is listed and the page drawn again: a press on a button that moves is lost."""
    lab.settle()
    lab.page.get_by_role("button", name="Run", exact=True).click()


def stop(lab: Lab) -> Locator:
    """Our own, not the one that Streamlit shows while a script runs."""
    return lab.page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Stop", exact=True)


def saved(lab: Lab, button: str) -> bytes:
    with lab.page.expect_download() as download:
        lab.page.get_by_role("button", name=button).click()
    return Path(download.value.path()).read_bytes()


@pytest.mark.slow
def test_the_study_opens_and_a_point_opens_its_run(lab: Lab) -> None:
    assert cell(lab, "runs") == "576"
    expect(lab.page.locator(".js-plotly-plot .scatterlayer .lines path").first).to_be_visible()
    lab.tab("The paper's figure")
    expect(lab.page.locator(".js-plotly-plot .scatterlayer .points path").first).to_be_visible()
    expect(lab.page.get_by_text("What the paper observed")).to_be_visible()
    # The last trace of points is variant 12; its hover names the run.
    points = lab.page.locator(".js-plotly-plot .scatterlayer .trace").filter(has=lab.page.locator(".points path"))
    point = points.last.locator(".points path").first
    box = point.bounding_box()
    assert box is not None
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    hover = lab.page.locator(".hoverlayer .hovertext")
    expect(hover).to_be_visible()
    told = hover.text_content() or ""
    variant = told.partition(":")[0]
    size = told.partition(", M ")[2].partition(",")[0]
    lab.page.mouse.down()
    lab.page.mouse.up()
    lab.page.wait_for_url("**/")
    lab.settle()
    lab.expect_run(M=size, variant=variant)


@pytest.mark.slow
def test_a_plan_is_run_and_its_runs_are_taken_away(lab: Lab, data_folder: Path) -> None:
    planned(lab, columns=6, seeds=2)
    assert (cell(lab, "instances"), cell(lab, "runs"), cell(lab, "to do")) == ("2", "8", "8")
    expect(lab.page.get_by_text("No run of this plan is done yet.")).to_be_visible()
    run(lab)
    expect(lab.page.get_by_role("tab", name="Compare")).to_be_visible(timeout=DONE)
    expect(stop(lab)).to_be_disabled(timeout=DONE)
    lab.settle()
    assert cell(lab, "to do") == "0"
    expect(lab.page.locator(".js-plotly-plot")).to_be_visible()
    assert b"plotly" in saved(lab, "Save the figure (HTML)")
    assert saved(lab, "Save the figure (PDF)").startswith(b"%PDF")
    assert b"<svg" in saved(lab, "Save the figure (SVG)")
    lab.tab("Runs")
    (name,) = parse_qs(lab.page.url)["plan"]
    tasks = {task.key for task in read_plan(data_folder / "plans" / name / "plan.toml").tasks()}
    kept = {run.task.key: run for run in Store(data_folder / "runs.sqlite").runs()}
    rows = list(csv.DictReader(io.StringIO(saved(lab, "Save as CSV").decode())))
    assert {row["key"] for row in rows} == tasks
    for row in rows:
        assert float(row["lower_bound"]) == kept[row["key"]].outcome.lower_bound
    table = parquet.read_table(io.BytesIO(saved(lab, "Save as Parquet"))).to_pydict()
    assert table["key"] == [row["key"] for row in rows]
    assert table["seconds"] == [float(row["seconds"]) for row in rows]
    assert b"[[instances]]" in saved(lab, "Save the plan")
    lab.tab("Compare")
    lab.page.get_by_role("radio", name="Table").click()
    lab.settle()
    contenders = list(csv.DictReader(io.StringIO(saved(lab, "Save the table (CSV)").decode())))
    assert [row["of"] for row in contenders] == ["2"] * 4
    assert rb"\toprule" in saved(lab, "Save the table (LaTeX)")
    lab.tab("Runs")
    with zipfile.ZipFile(io.BytesIO(saved(lab, "Save the study"))) as whole:
        files = {"plan.toml", "runs.sqlite", "report.txt", "figures/profile.pdf", "tables/pairs.tex"}
        assert files <= set(whole.namelist())


@pytest.mark.slow
def test_an_experiment_is_stopped_and_resumed_also_from_its_address(
    lab: Lab, new_page: Callable[[], Page], settle: Callable[[Page], None]
) -> None:
    planned(lab, columns=24, seeds=200)
    run(lab)
    progress = lab.page.get_by_text(" of 800 runs, about ")
    expect(progress).to_be_visible(timeout=DONE)
    stop(lab).click()
    expect(progress).to_have_count(0)
    lab.settle()
    left = int(cell(lab, "to do"))
    assert 0 < left < 800
    # Whoever has the address finds what is done, and goes on.
    expect(lab.page).to_have_url(re.compile("plan=[0-9a-f]{16}"))
    other = Lab(new_page(), settle).open(lab.page.url)
    left_then = int(cell(other, "to do"))
    assert left - 2 <= left_then <= left
    other.page.get_by_role("button", name="Resume", exact=True).click()
    expect(other.page.get_by_text(" of 800 runs, about ")).to_be_visible(timeout=DONE)
    stop(other).click()
    expect(other.page.get_by_role("button", name="Resume", exact=True)).to_be_enabled()
    other.settle()
    assert int(cell(other, "to do")) < left_then


@pytest.mark.slow
def test_a_plan_from_a_file_may_not_name_files(lab: Lab) -> None:
    lab.choose("Experiment", "A plan from a file")
    lab.upload("plan.toml", b"[[instances]]\nfiles = '../*'\n[runs]\nsizes = [5]\n", "plan_file")
    expect(lab.complaint).to_have_text(
        "plan.toml names files, which are not here; name families, or use the command line."
    )
    lab.upload("plan.toml", b"= no", "plan_file")
    expect(lab.complaint).to_contain_text("plan.toml is not TOML: ")
    text = b"[[instances]]\nfamily = 'ising_grid'\nseed = [3, 4]\n[runs]\nsizes = [5]\nvariants = [9]\n"
    lab.upload("plan.toml", text, "plan_file")
    expect(lab.complaint).to_have_count(0)
    assert (cell(lab, "instances"), cell(lab, "runs")) == ("2", "2")
