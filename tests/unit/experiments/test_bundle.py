"""A study in one file: everything is in it, and repeats the study elsewhere."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import zipfile
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from bender_core.__main__ import main
from bender_core.experiments import PlanError, Store, execute, read_plan
from bender_core.experiments.bundle import bundle
from bender_core.experiments.comparison import tables
from bender_core.experiments.contenders import Study
from bender_core.experiments.report import report
from bender_core.experiments.tables import columns, of_plan
from bender_core.resources import SAMPLES
from tests.unit.experiments.plans import here


@pytest.fixture
def done(plan_file: Path, tmp_path: Path) -> Store:
    """The store of a finished plan, and of runs of another one."""
    store = Store(tmp_path / "all.sqlite")
    execute(read_plan(plan_file).tasks(), store, here([], {}), 1)
    other = tmp_path / "other" / "plan.toml"
    other.parent.mkdir()
    other.write_text("[[instances]]\nfamily = 'random_tree'\n[runs]\nsizes = [3]\nvariants = [9]\n")
    execute(read_plan(other).tasks(), store, here([], {}), 1)
    return store


def unpacked(content: bytes, folder: Path) -> Path:
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    return folder


def test_a_study_is_repeated_from_its_file(plan_file: Path, done: Store, tmp_path: Path) -> None:
    """Its runs are those of the plan alone; the plan finds its instances, and nothing is left to run."""
    runs = of_plan(done.runs(), read_plan(plan_file).tasks())
    found = unpacked(bundle(plan_file, Study(runs), done, {"a.svg": b"<svg/>"}, "1.2"), tmp_path / "elsewhere")
    tasks = read_plan(found / "plan.toml").tasks()
    kept = Store(found / "runs.sqlite")
    assert {task.key for task in tasks} == {run.task.key for run in runs} == {run.task.key for run in kept.runs()}
    assert len(done.runs()) > len(kept.runs())
    assert kept.missing(tasks) == []
    assert [run.outcome for run in of_plan(kept.runs(), tasks)] == [run.outcome for run in runs]
    assert (found / "report.txt").read_text() == report(runs) + "\n" == report(of_plan(kept.runs(), tasks)) + "\n"
    rows = list(csv.DictReader((found / "runs.csv").open()))
    assert [row["key"] for row in rows] == [run.task.key for run in runs]
    assert parquet.read_table(found / "runs.parquet").to_pydict() == columns(runs)
    for name, table in tables(Study(runs)).items():
        assert (found / "tables" / f"{name}.csv").read_text() == table.csv()
        assert (found / "tables" / f"{name}.tex").read_text() == table.latex()
    assert (found / "figures" / "a.svg").read_bytes() == b"<svg/>"
    environment = json.loads((found / "environment.json").read_text())
    assert environment["packages"]["numba"]
    assert environment["bender-lab"] == "1.2"
    assert environment["code of the runs"] == [runs[0].code]
    for command in ("report", "run"):
        assert f"experiment {command} plan.toml" in (found / "README.md").read_text()


def test_runs_by_other_code_are_found_in_another_folder_too(plan_file: Path, done: Store, tmp_path: Path) -> None:
    """They are known by what they are of, not by their keys, nor by where the files of their instances were."""
    with sqlite3.connect(done.path) as connection:
        connection.execute("UPDATE runs SET key = 'old ' || key, code = 'old'")
    tasks = read_plan(plan_file).tasks()
    runs = of_plan(done.runs(), tasks)
    assert len(runs) == len(tasks)
    found = unpacked(bundle(plan_file, Study(runs), done, {}, "1.2"), tmp_path / "elsewhere")
    kept = Store(found / "runs.sqlite").runs()
    assert len(of_plan(kept, read_plan(found / "plan.toml").tasks())) == len(tasks)
    assert not any(str(tmp_path) in run.task.instance.source for run in kept)


@pytest.mark.parametrize("line", ["files = '''*.json'''", '"files" = "*.json"'])
def test_patterns_that_cannot_be_replaced_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "m.mrf.json").write_bytes((SAMPLES / "tiny.mrf.json").read_bytes())
    plan = tmp_path / "plan.toml"
    plan.write_text(f"[[instances]]\n{line}\n[runs]\nsizes = [3]\nvariants = [11]\n")
    with pytest.raises(PlanError, match="its files cannot be moved; write every pattern like files = "):
        bundle(plan, Study([]), Store(tmp_path / "s.sqlite"), {}, "1.2")


def test_overlapping_patterns_and_words_that_look_like_patterns(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    for name in ("a", "b"):
        (tmp_path / "m" / f"{name}.mrf.json").write_bytes(
            (SAMPLES / ("tiny" if name == "a" else "tree")).with_suffix(".mrf.json").read_bytes()
        )
    os.utime(tmp_path / "m" / "a.mrf.json", (0, 0))
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '# files = "C:\\models"\nquestion = \'files = "a\\qb"\'\n'
        + "".join(f"[[instances]]\nfiles = '{pattern}'\n" for pattern in ("m/*", "m/a*", "./m/b*"))
        + "[runs]\nsizes = [3]\nvariants = [11]\n"
    )
    before = read_plan(plan).tasks()
    found = unpacked(bundle(plan, Study([]), Store(tmp_path / "s.sqlite"), {}, "1.2"), tmp_path / "elsewhere")
    after = read_plan(found / "plan.toml").tasks()
    assert [task.model for task in after] == [task.model for task in before]
    assert len(after) == 2


def test_instances_in_several_folders_keep_their_order_and_lose_nothing(tmp_path: Path) -> None:
    """Two of them share a name; patterns are written in both kinds of quotes, and one stands in a comment."""
    for folder, sample in (("a", "tree"), ("b", "tiny"), ("c", "frustrated-cycle")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.mrf.json").write_bytes((SAMPLES / f"{sample}.mrf.json").read_bytes())
    plan = tmp_path / "p" / "plan.toml"
    plan.parent.mkdir()
    plan.write_text(
        "# not files = 'nothing/*'\n[[instances]]\nfiles = '../[ab]/*.json'\n"
        '[[instances]]\nfiles = "../c/m.mrf.json"\n[runs]\nsizes = [3]\nvariants = [11]\n'
    )
    store = Store(tmp_path / "s.sqlite")
    before = read_plan(plan).tasks()
    found = unpacked(bundle(plan, Study([]), store, {}, "1.2"), tmp_path / "elsewhere")
    after = read_plan(found / "plan.toml").tasks()
    assert [task.model for task in after] == [task.model for task in before]
    assert [task.instance.family for task in after] == [task.instance.family for task in before]
    assert len({task.model for task in after}) == 3


@pytest.mark.parametrize("pattern", ["*.json", "../*.json", "linked/*"])
def test_families_have_the_same_names_in_the_file(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of files beside the plan, above it, and in a folder of another name, seen from the folder of the plan."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "linked").symlink_to(tmp_path / "models")
    for folder in ("p", "models", "."):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "m.mrf.json").write_bytes((SAMPLES / "tiny.mrf.json").read_bytes())
    monkeypatch.chdir(tmp_path / "p")
    plan = Path("plan.toml")
    plan.write_text(f"[[instances]]\nfiles = '{pattern}'\n[runs]\nsizes = [3]\nvariants = [11]\n")
    (before,) = read_plan(plan).tasks()
    found = unpacked(bundle(plan, Study([]), Store(tmp_path / "s.sqlite"), {}, "1.2"), tmp_path / "elsewhere")
    (after,) = read_plan(found / "plan.toml").tasks()
    assert after.instance.family == before.instance.family


@pytest.mark.slow
def test_the_command_exports_a_study(
    plan_file: Path, done: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Each instance has its own default strategy: they are one contender.
    plan_file.write_text(plan_file.read_text().replace('["layers", "default"]', '["default"]'))
    to = tmp_path / "study.zip"
    assert main(["experiment", "export", str(plan_file), "--store", str(done.path), "--to", str(to)]) == 0
    assert capsys.readouterr().out == f"{len(read_plan(plan_file).tasks())} runs, with tables and figures: {to}\n"
    with zipfile.ZipFile(to) as whole:
        figures = {Path(name).name for name in whole.namelist() if name.startswith("figures/")}
    assert figures == {
        f"{name}.{form}" for name in ("profile", "solved", "distance", "pairs", "times") for form in ("svg", "pdf")
    } | {"captions.txt"}


def test_a_plan_without_runs_is_not_exported(
    plan_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "empty.sqlite")
    assert main(["experiment", "export", str(plan_file), "--store", str(store.path)]) == 1
    assert capsys.readouterr().err == "no run of this plan is done yet; run it first\n"
    assert not plan_file.with_suffix(".zip").exists()
