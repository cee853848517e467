"""The tables that compare contenders: their values, and how screen, report, CSV and LaTeX write them."""

from __future__ import annotations

import csv
import io
import math

import pytest

from bender_core.experiments import FinishedRun
from bender_core.experiments.comparison import contender_table, in_percent, pair_table, tables
from bender_core.experiments.contenders import CLOSED, Study
from bender_core.experiments.outcome import SECONDS_REACHED
from bender_core.experiments.profiles import pairs
from bender_core.experiments.report import report
from tests.unit.experiments.studies import run_of, solved_in


def of_two_families() -> list[FinishedRun]:
    """Variant 9 solves the grids of 5 rows, and HiGHS those of 6."""
    return [
        run_of(kind, k, [(seconds, -2.0, -2.0 if closed else -1.5)], rows=rows, closed=closed)
        for rows in (5, 6)
        for kind, seconds in ((9, 0.5), ("highs", 2.0))
        for k in range(8)
        for closed in [(rows == 5) == (kind == 9)]
    ]


@pytest.fixture
def study() -> Study:
    return Study(of_two_families())


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_families_have_rows_of_their_own_below_those_of_all(study: Study) -> None:
    rows = read(contender_table(study, list(study.by_contender), CLOSED).csv())
    found = [(row["instances"], row["contender"], row["solved"], row["of"]) for row in rows]
    assert found == [
        ("all", "9", "8", "16"),
        ("all", "HiGHS", "8", "16"),
        ("ising_grid 5", "9", "8", "8"),
        ("ising_grid 5", "HiGHS", "0", "8"),
        ("ising_grid 6", "9", "0", "8"),
        ("ising_grid 6", "HiGHS", "8", "8"),
    ]
    assert "instances" not in contender_table(study.of("ising_grid 5"), list(study.by_contender), CLOSED).header


def test_the_reasons_why_instances_are_unsolved_are_counted(study: Study) -> None:
    rows = read(contender_table(study, list(study.by_contender), CLOSED).csv())
    assert [row["limit: time"] for row in rows] == ["8", "8", "0", "8", "8", "0"]
    assert SECONDS_REACHED == "limit reached: time"
    assert "limit: time" not in contender_table(Study(solved_in({9: [1.0]})), [], CLOSED).header


def test_pairs_are_those_of_the_test_in_every_form(study: Study) -> None:
    ours, theirs = study.by_contender
    table = pair_table(study, [ours, theirs], theirs, CLOSED)
    (expected,) = pairs(study.of("ising_grid 5"), [ours, theirs], theirs, CLOSED)
    row = read(table.csv())[1]
    assert (row["instances"], row["against HiGHS"]) == ("ising_grid 5", "9")
    assert [float(row[name]) for name in ("times faster", "95 % from", "to", "p (Holm)")] == [
        expected.ratio,
        *expected.interval,
        expected.p,
    ]
    assert (row["wins"], row["ties"], row["losses"]) == ("8", "0", "0")
    latex = table.latex()
    assert "\\begin{tabular}{llrrrrrrr}" in latex
    assert "ising\\_grid 5 & 9 & 120$\\times$ & " in latex
    assert latex.count("\\\\") == 4
    said = report(study.runs)
    for each in tables(study).values():
        assert "\n".join(each.lines()) in said


def test_there_is_no_table_of_times_without_a_baseline(study: Study) -> None:
    assert "Times against" not in report(study.runs)
    assert "Times against" in report(solved_in({9: [1.0, 2.0], 11: [1.0, 3.0]}))


@pytest.mark.parametrize(
    ("gap", "text"),
    [(2.0, "200 %"), (6e-7, "0.00006 %"), (0.0299, "2.99 %"), (1e-10, "0"), (math.inf, "–"), (math.nan, "–")],
)
def test_gaps_are_written_without_powers_of_ten(gap: float, text: str) -> None:
    assert in_percent(gap) == text


def test_a_study_without_runs_has_no_tables() -> None:
    assert tables(Study([])) == {}
