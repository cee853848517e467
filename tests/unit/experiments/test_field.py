"""`benchmarks.field`: what its page says of runs."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from benchmarks.field import __main__ as command
from benchmarks.field.__main__ import DOCUMENT, finished, whole_plan
from benchmarks.field.matches import Match, name_of
from benchmarks.field.page import page, where_we_lose
from benchmarks.field.published import Published, published
from bender_core.experiments import FinishedRun, Instance, Limits, Outcome, Plan, Store, Task
from bender_core.experiments.outcome import GAP_CLOSED, NOT_COUNTED, SECONDS_REACHED, pack_curve
from bender_core.rivals.report import FAILED

LIMITS = Limits(seconds=60.0)
SMALL = """
[[instances]]
family = "ising_grid"
rows = 3

[runs]
sizes = [16]
strategies = []
methods = ["proof", "mplp"]
"""


def run(
    method: str, lower: float, upper: float, seconds: float = 60.0, status: str = SECONDS_REACHED, building: float = 0.0
) -> FinishedRun:
    task = Task("key", "model", Instance("a.uai"), 0, method, 0, "", LIMITS)
    records = [(building, 0, -np.inf, np.inf, 0, NOT_COUNTED), (seconds, 1, lower, upper, 0, NOT_COUNTED)]
    outcome = Outcome(status, lower, upper, seconds=seconds, curve=pack_curve(records))
    return FinishedRun(task, outcome, "code", "2026-05-04T03:02:01+00:00")


def proven(method: str, energy: float, seconds: float, building: float = 0.0) -> FinishedRun:
    return run(method, energy, energy, seconds, GAP_CLOSED, building)


def match(*runs: FinishedRun, name: str = "grid", scale: float = 100.0) -> Match:
    return Match(name, 9, 12, scale, {run.task.strategy: run for run in runs})


def cells(text: str, title: str, first: str) -> list[str]:
    """A row of a table below a title."""
    section = text.split(f"## {title}\n")[1].split("\n## ")[0]
    (row,) = re.findall(rf"^\| {re.escape(first)} \| (.*) \|$", section, re.MULTILINE)
    return str(row).split(" | ")


def test_nowhere() -> None:
    first = match(proven("proof", -10.0, 0.5), proven("highs", -10.0, 1.0), run("tabu", -np.inf, -10.0))
    second = match(run("proof", -20.0, -10.0), run("highs", -21.0, -9.0), run("tabu", -np.inf, -10.0))
    assert where_we_lose([first, second]) == (
        "**Where we lose.** Nowhere: on none of the 2 instances does another method have a better bound or a better "
        "labelling, or prove sooner."
    )


def test_a_better_bound() -> None:
    ours, better, best = run("proof", -12.5, -9.0), run("highs", -12.0, -8.0), run("toulbar2", -10.0, -9.0)
    assert where_we_lose([match(ours, better, best), match(ours, name="other")]) == (
        "**Where we lose.** Another method has a better bound on 1 of 2 instances: grid (toulbar2 −10, ours −12.5: "
        "20 % below). None finds a better labelling. None proves an instance that ours does not. None proves one "
        "sooner."
    )


def test_a_better_labelling() -> None:
    ours, better = run("proof", -12_500.0, -10_000.0), run("tabu", -np.inf, -12_400.0)
    assert where_we_lose([match(ours, better)]) == (
        "**Where we lose.** No other method has a better bound. Another finds a better labelling on 1 of 1 instances: "
        "grid (Tabu search −12 400, ours −10 000: 19 % above). None proves an instance that ours does not. None proves "
        "one sooner."
    )


def test_equal_within_rounding() -> None:
    ours, theirs = run("proof", -10.0, -9.0), run("highs", -10.0 + 1e-12, -9.0 - 1e-12)
    near = match(ours, theirs)
    assert where_we_lose([near]).startswith("**Where we lose.** Nowhere:")
    assert cells(page([near], []), "Bounds and energies", "grid")[::2] == ["**−10**", "**−9**"]
    far = match(ours, run("highs", -10.0 + 1e-4, -9.0 - 1e-4))
    assert "better bound on 1 of 1 instances" in where_we_lose([far])
    assert "better labelling on 1 of 1 instances:" in where_we_lose([far])
    assert cells(page([far], []), "Bounds and energies", "grid")[::2] == ["−10", "−9"]


def test_a_sooner_proof_building_included() -> None:
    theirs = proven("highs", -10.0, 0.25, building=0.1)
    later = match(proven("proof", -10.0, 0.5), theirs, proven("toulbar2", -10.0, 0.3))
    assert where_we_lose([later]) == (
        "**Where we lose.** No other method has a better bound. None finds a better labelling. None proves an instance "
        "that ours does not. Another proves 1 of 1 instances sooner: grid (HiGHS in 0.25 s, ours in 0.5 s: 2×)."
    )
    text = page([later], [])
    assert cells(text, "Seconds to the proof", "grid") == ["9", "12", "0.5 s", "**0.25 s**", "0.3 s", "0.5×"]
    assert cells(text, "Methods", "`highs`")[-1] == "0.1 s, at most 0.1 s"
    assert cells(text, "Methods", "`proof`")[2:] == ["1", "1", "1", ""]
    sooner = match(proven("proof", -10.0, 0.2), theirs)
    assert where_we_lose([sooner]).startswith("**Where we lose.** Nowhere:")
    assert cells(page([sooner], []), "Seconds to the proof", "grid")[-1] == "1.25×"


def test_runs_by_earlier_code_are_counted() -> None:
    ours, theirs = proven("proof", -10.0, 0.5), proven("highs", -10.0, 0.25)
    now = [replace(one, code=one.task.code) for one in (ours, theirs)]
    assert "Measured on 2026-05-04; " in page([match(*now)], [])
    text = page([match(ours, now[1])], []).replace("\n", " ")
    assert "Measured on 2026-05-04, 1 of the 2 runs by an earlier version of the code; " in text


def test_a_proof_that_ours_lacks() -> None:
    lacking = match(run("proof", -10.0, -10.0 + 1e-3), proven("toulbar2", -10.0, 12.3), proven("highs", -10.0, 40.0))
    assert "Another proves 1 that ours does not: grid (toulbar2 in 12 s). None proves one sooner." in where_we_lose(
        [lacking]
    )
    assert cells(page([lacking], []), "Seconds to the proof", "grid")[2:] == ["0.01 %", "**12 s**", "40 s", "theirs"]


def test_only_ours_proves() -> None:
    only = match(proven("proof", -10.0, 0.5), run("highs", -20.0, 3.0), run("tabu", -np.inf, -9.9))
    row = cells(page([only], []), "Seconds to the proof", "grid")
    assert row[2:] == ["**0.5 s**", "115 %", "+1 %", "≥ 120×"]


def test_nobody_proves_and_a_solver_fails() -> None:
    gone = run("toulbar2", -np.inf, np.inf, 1.0, f"{FAILED} with exit code 1\nand more")
    nobody = match(run("proof", -20.0, -10.0), gone, run("annealing", -np.inf, -10.0))
    text = page([nobody], [])
    assert where_we_lose([nobody]).startswith("**Where we lose.** Nowhere:")
    assert cells(text, "Seconds to the proof", "grid")[2:] == ["50 %", "failed", "best", "—"]
    assert "\n\ntoulbar2 on grid: the solver gave up with exit code 1.\n\n" in text
    assert cells(text, "Methods", "`toulbar2`")[2:5] == ["0", "0", "0"]


def test_a_false_bound_does_not_count() -> None:
    false = match(proven("proof", -10.0, 0.5), run("highs", -9.5, -9.0), proven("toulbar2", -9.0, 0.1))
    assert where_we_lose([false]).startswith("**Where we lose.** Nowhere:")
    text = page([false], [])
    assert cells(text, "Seconds to the proof", "grid")[2:] == ["**0.5 s**", "false", "false", "≥ 120×"]
    assert "\n\nHiGHS on grid: its bound is above the energy of a labelling, and does not count.\n\n" in text


def test_the_page_begins_with_where_we_lose() -> None:
    one = match(proven("proof", -10.0, 0.5), proven("highs", -10.0, 1.0))
    for text in (page([one], published(), ["gone"]), DOCUMENT.read_text(encoding="utf-8")):
        title, first, *_ = text.split("\n\n")
        assert title == "# Benchmarks"
        assert first.startswith("**Where we lose.** ")
        assert all(len(line) <= 120 or line[0] == "|" or "](http" in line for line in text.splitlines() if line)
        assert text.count("\n") <= 200
    assert "Left out, as some of their runs are not done yet: gone." in page([one], [], ["gone"])


def test_published_times_have_their_sources() -> None:
    tables = published()
    assert {"QuBowl", "McSparse 2.0", "Biqbin", "SCIP 8.0"} <= {solver for table in tables for solver in table.solvers}
    for table in tables:
        assert table.address.startswith("https://")
        assert table.source
        assert table.machine
        assert date(2000, 1, 1) < table.date < date.today()
        assert len({name for name, _, _ in table.rows}) == len(table.rows)
        for _, n, seconds in table.rows:
            assert n > 0
            assert len(seconds) == len(table.solvers)
            assert all(0 < one <= table.limit for one in seconds)


def test_the_page_has_the_published_times() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for table in published():
        assert table.address in text
        for name, n, seconds in table.solved:
            row = [str(n), *(f"{one} s" if one < table.limit else f"> {table.limit} s" for one in seconds)]
            assert cells(text, "Published times", name) == row


def test_what_nobody_solves_is_counted() -> None:
    rows = [("a", 3, (5.0, 10.0)), ("b", 4, (10.0, 10.0)), ("c", 5, (10.0, 10.0))]
    table = Published("all", date(2020, 1, 2), "A paper", "https://a.org", "A machine", 10.0, ["X", "Y"], rows)
    text = page([match(proven("proof", -10.0, 0.5), proven("highs", -10.0, 1.0))], [table])
    assert "2020-01-02: all. Source: [A paper](https://a.org). A machine.\n" in text
    assert cells(text, "Published times", "a") == ["3", "5 s", "> 10 s"]
    assert "| b |" not in text
    assert "None of them solves the other 2 within 10 s." in text


def test_names_of_instances() -> None:
    defaults = {"rows": 10, "columns": 10, "layers": 1, "torus": False, "coupling": "pm1", "field": 0.0, "seed": 0}
    given = {"rows": 20, "columns": 30, "torus": True, "coupling": "gaussian", "field": 0.5, "seed": 3}
    made = Instance("ising_grid", tuple((defaults | given).items()))
    assert name_of(made) == "ising_grid 20×30 torus gaussian field 0.5 seed 3"
    assert name_of(Instance("ising_grid", tuple(defaults.items()))) == "ising_grid"
    assert name_of(Instance("/some/where/pm1s_80.0.rud")) == "pm1s_80.0"


def test_the_plan_begins_with_the_files_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "INDEX.md").write_text("no model")
    (tmp_path / "b[1].uai").write_text("MARKOV")
    (tmp_path / "a.mtx").write_text("%")
    whole, generated = whole_plan(tmp_path), whole_plan(tmp_path / "missing")
    assert [one.title for one in whole.instances[:2]] == ["a.mtx", "b[1].uai"]
    assert whole.instances[2:] == generated.instances
    assert all(one.made for one in generated.instances)
    assert len(set(map(name_of, generated.instances))) == len(generated.instances)
    assert whole.methods[0] == "proof"
    assert whole.limits.seconds == 60


@pytest.fixture
def small() -> list[Task]:
    """A plan of two instances and two methods."""
    made = [Instance("ising_grid", (("rows", rows), ("columns", 3), ("torus", True))) for rows in (3, 4)]
    return Plan("small", tuple(made), (16,), strategies=(), methods=("proof", "mplp"), limits=LIMITS).tasks()


def test_instances_without_all_runs_are_left_out(small: list[Task], tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    for task in small[:3]:
        store.add(task, Outcome(GAP_CLOSED, -5.0, -5.0, seconds=0.5))
    (done,), left_out = finished(small, store)
    assert (done.name, done.n, done.couplings) == ("ising_grid 3×3 torus", 9, 18)
    assert done.ours.task.strategy == "proof"
    assert [run.task.strategy for run in done.others] == ["mplp"]
    assert left_out == ["ising_grid 4×3 torus"]


def test_the_command_reports_without_measuring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, page_path, store = tmp_path / "field.toml", tmp_path / "benchmarks.md", Store(tmp_path / "field.sqlite")
    plan.write_text(SMALL)
    monkeypatch.setattr(command, "PLAN", plan)
    monkeypatch.setattr(command, "DOCUMENT", page_path)
    given = ["field", "--report", "--store", str(store.path), "--instances", str(tmp_path / "missing")]
    monkeypatch.setattr("sys.argv", given)
    with pytest.raises(SystemExit):
        command.main()
    assert "has all runs of no instance; leave out --report to measure them" in capsys.readouterr().err
    assert not page_path.exists()
    for task in whole_plan(tmp_path / "missing").tasks():
        store.add(task, Outcome(GAP_CLOSED, -5.0, -5.0, seconds=0.5))
    assert command.main() == 0
    assert "There is no folder" in capsys.readouterr().out
    assert "Nowhere: on none of the 1 instances" in page_path.read_text(encoding="utf-8")
