"""What the command line says of the files that it reads and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bender_core as bc
from bender_core.__main__ import main
from bender_core.checking.command import main as check
from bender_core.io import MINIMISED, dumps
from bender_core.model import BinaryMRF

MQLIB = "3 5\n1 1 5\n2 2 3\n3 3 1\n1 2 -6\n2 3 -1\n"


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "a.sparse"
    path.write_text(MQLIB)
    return path


def test_a_matrix_is_maximised_on_demand(matrix: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(matrix), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == f"{matrix}: {MINIMISED}: --maximize\n"
    assert json.loads(said.out)["objective"] == -5.0
    assert main(["solve", str(matrix), "--maximize", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    report = json.loads(said.out)
    assert (report["objective"], report["objective bound"], report["labeling"]) == (6.0, 6.0, [1, 0, 1])
    assert main(["info", str(matrix), "--maximize"]) == 0
    assert "max objective of bits" in capsys.readouterr().out


def test_a_proof_of_what_is_maximised_is_of_that(
    matrix: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = str(tmp_path / "a.proof")
    assert main(["solve", str(matrix), "--maximize", "--certificate", proof]) == 0
    assert main(["verify", str(matrix), proof, "--maximize"]) == 0
    assert main(["verify", str(matrix), proof]) == 2
    capsys.readouterr()
    # The checker alone says and takes the same.
    assert check([str(matrix), proof, "--maximize"]) == 0
    said = capsys.readouterr()
    assert (said.out.startswith("verified"), said.err) == (True, "")
    assert check([str(matrix), proof]) == 2
    minimised, refused = capsys.readouterr().err.splitlines()
    assert minimised == f"{matrix}: {MINIMISED}: --maximize"
    assert "another model" in refused


@pytest.mark.parametrize("way", ["itself", "a link", "another name", "another way"])
def test_a_certificate_does_not_replace_what_is_read(
    way: str, matrix: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = tmp_path / "a.evid"
    evidence.write_text("1 1 0")
    for kept, what in ((matrix, "model"), (evidence, "evidence")):
        content, place = kept.read_bytes(), tmp_path / f"{what}.npz"
        if way == "a link":
            place.symlink_to(kept)
        elif way == "another name":
            place.hardlink_to(kept)
        else:
            place = kept if way == "itself" else tmp_path / ".." / tmp_path.name / kept.name
        arguments = ["solve", str(matrix), "--evidence", str(evidence), "--certificate", str(place)]
        assert main(arguments) == 2
        said = f"error: the certificate would replace the {what} {kept}; give another file\n"
        assert capsys.readouterr() == ("", said)
        assert (kept.read_bytes(), place.is_symlink()) == (content, way == "a link")


def test_a_model_that_is_missing_is_missing_beside_a_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = tmp_path / "a.npz"
    proof.touch()
    assert main(["solve", str(tmp_path / "none"), "--certificate", str(proof)]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path / 'none'}: No such file or directory\n"


def test_a_file_may_be_converted_onto_itself(matrix: Path, tmp_path: Path) -> None:
    content, before = matrix.read_bytes(), bc.load(matrix)
    link = tmp_path / "link"
    link.symlink_to(matrix)
    # What cannot be written leaves it as it is.
    assert main(["convert", str(matrix), str(link), "--to-format", "rudy"]) == 2
    assert matrix.read_bytes() == content
    assert main(["convert", str(matrix), str(link), "--to-format", "native"]) == 0
    assert link.is_symlink()
    assert bc.load(matrix).content_hash() == before.content_hash()


def test_what_states_its_sense_is_not_maximised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.wcsp"
    path.write_text("e 1 2 0 5 2")
    assert main(["info", str(path), "--maximize"]) == 2
    said = "error: a file in the format toulbar2 wcsp states what is minimised; read it without maximising\n"
    assert capsys.readouterr().err == said


def test_a_bound_that_no_labelling_keeps_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    equal = " ".join(f"2 {i} {j} 0 2 0 0 1 1 1 1" for i, j in ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)))
    path = tmp_path / "a.wcsp"
    path.write_text(f"e 6 2 6 2 2 2 2 2 2 2 {equal}")
    assert main(["solve", str(path), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == "infeasible: no labelling satisfies the hard constraints and costs less than 2\n"
    assert (json.loads(said.out)["cost"], json.loads(said.out)["feasible"]) == (2.0, False)
    assert main(["convert", str(path), str(tmp_path / "a.coo")]) == 0
    assert "this format cannot store the bound 2; labellings that cost as much are allowed" in capsys.readouterr().out
    assert main(["convert", str(path), str(tmp_path / "a.mrf.json")]) == 0
    assert "the bound" not in capsys.readouterr().out
    assert bc.load(tmp_path / "a.mrf.json").bound == 2.0


def test_notes_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, evidence = tmp_path / "a.rud", tmp_path / "a.evid"
    path.write_text("# weights scaled by 7\n2 1\n1 2 3\n")
    evidence.write_text("1 1 0")
    assert main(["info", str(path), "--evidence", str(evidence)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: line 1: the comment 'weights scaled by 7' is not understood, and not read",
        f"{path}: evidence counts variables by place, from 0, not by name: its variable 1 is '2'",
    ]


def test_convert_says_how_much_is_rounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.mrf.json"
    for fields, changed in (([0.5, -0.25], None), ([0.1, 0.4], 2.8e-17)):
        path.write_bytes(dumps(BinaryMRF([fields])))
        assert main(["convert", str(path), str(tmp_path / "a.coo")]) == 0
        said = [line for line in capsys.readouterr().out.splitlines() if "rounded" in line]
        wanted = f"numbers are rounded; no energy changes by more than {changed}"
        assert said == ([] if changed is None else [wanted])
