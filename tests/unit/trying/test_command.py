"""Proofs on the command line: solved, followed, saved and verified."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import bender_core as bc
from bender_core.__main__ import main
from bender_core.trying import proof as descent
from tests.tiers import thinned
from tests.unit.test_cli import POSE, TINY, TORUS, refusal


def test_without_a_setting_of_a_run_solve_proves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", TORUS, "--json"]) == 0
    out, err = capsys.readouterr()
    report, found = json.loads(out), bc.certify(bc.load(TORUS))
    assert err == ""
    assert (report["optimal"], report["status"], report["gap"]) == (found.optimal, "closed", 0.0) == (True, "closed", 0)
    assert report["lower_bound"] == report["upper_bound"] == found.upper_bound
    assert (report["labeling"], report["open_variables"]) == (found.labeling.tolist(), 0)
    rounds = [dict(one, seconds=0.0) for one in report["rounds"]]
    assert rounds == [asdict(replace(one, seconds=0.0)) for one in found.rounds]
    assert report["sweeps"] == sum(one.sweeps for one in found.rounds)
    assert not {"chosen", "tried", "groups"} & report.keys()


def test_a_proof_without_time_has_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", TORUS, "--time-limit", "0", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["optimal"], report["status"], report["open_variables"]) == (False, "time limit", 100)
    assert report["lower_bound"] < report["upper_bound"] == bc.load(TORUS).energy(report["labeling"])


@pytest.mark.parametrize("columns", thinned([200, 30], 2))
def test_a_proof_is_followed_on_one_line_of_the_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descent, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["solve", POSE]) == 0
    shown = capsys.readouterr().err.split("\r\x1b[K")
    assert shown[0] == shown[-1] == "", "at the end the line is cleared"
    assert len(shown) > 5
    assert max(map(len, shown)) < columns
    assert shown[1] == "preparing"
    if columns == 200:
        told = [
            re.fullmatch(r"round (\d+): (\S+) to (\S+), gap \S+, (\d+) of 224 variables open", said) for said in shown
        ]
        lower = [float(said[2]) for said in told if said]
        assert len(lower) > 5
        assert lower == sorted(lower)
        assert {int(said[4]) for said in told if said} > {224}


def test_a_proof_is_saved_and_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, other = tmp_path / "tiny.proof", tmp_path / "none.proof"
    assert main(["solve", TINY, "--certificate", str(path)]) == 0
    capsys.readouterr()
    assert main(["verify", TINY, str(path)]) == 0
    said = "energy -3.0 is optimal"
    assert capsys.readouterr().out == f"verified, 1 step: {said}\n"
    assert refusal(["verify", TORUS, str(path)], capsys) == "the proof is of another model"
    assert refusal(["verify", TINY, str(other)], capsys) == f"{other}: No such file or directory"
    assert "no proof, or damaged" in refusal(["verify", TINY, TINY], capsys)
    both = refusal(["solve", TINY, "--variant", "9", "--certificate", str(path)], capsys)
    assert both == "--variant requests one run, and --certificate a proof: leave out one"
    assert main(["solve", TORUS, "--time-limit", "0", "--certificate", str(path)]) == 0
    capsys.readouterr()
    assert main(["verify", TORUS, str(path)]) == 0
    assert capsys.readouterr().out.startswith("verified, ")
