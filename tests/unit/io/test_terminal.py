"""How commands end whose output is no longer read, or cannot be written: at once and without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bender_core as bc
from bender_core.experiments import Store
from bender_core.resources import SAMPLES
from bender_core.synth import generate
from tests.mounts import fill, mounted

ROOT = Path(__file__).parents[3]
TINY = str(SAMPLES / "tiny.mrf.json")
# As users start it: what is printed is written when there is enough of it, or at the end.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
PLAN = "[[instances]]\nfamily = 'ising_grid'\nseed = {from = 0, to = 7}\n[runs]\nsizes = [4]\nvariants = [9]"


def ended(arguments: list[str], lines: int, program: str = "-mbender_core") -> tuple[int, str, str]:
    """The exit code, the lines that were read of the output, and the errors."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, program, *arguments], cwd=ROOT, env=BUFFERED, **pipes) as process:
        assert process.stdout is not None
        read = b"".join(process.stdout.readline() for _ in range(lines))
        process.stdout.close()
        assert process.stderr is not None
        errors = process.stderr.read()
    return process.returncode, read.decode(), errors.decode()


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = bc.certify(bc.load(TINY))
    path = tmp_path_factory.mktemp("proofs") / "tiny.proof"
    made.save(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["solve", TINY, "--variant", "9", "--json"], ["--help"]],
    ids=["a run", "help"],
)
def test_a_command_that_nobody_reads_ends_quietly(arguments: list[str]) -> None:
    code, _, errors = ended(arguments, 0)
    # A run says which groups it has taken.
    assert (code, [line for line in errors.splitlines() if "variant 9" not in line]) == (141, [])


@pytest.mark.slow
@pytest.mark.parametrize("program", ["-mbender_core", str(ROOT / "bender_core" / "checking")])
def test_a_check_that_nobody_reads_ends_quietly(program: str, proof: Path) -> None:
    arguments = [TINY, str(proof)]
    assert ended(["verify", *arguments] if program.startswith("-m") else arguments, 0, program) == (141, "", "")


@pytest.mark.slow
def test_an_experiment_that_nobody_reads_ends_quietly_and_keeps_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    code, read, errors = ended(["experiment", "run", str(path), "--workers", "1"], 2)
    assert (code, errors) == (141, "")
    assert [line.split(",")[0] for line in read.splitlines()] == ["1 of 8", "2 of 8"]
    assert len(Store(path.with_suffix(".sqlite")).runs()) >= 2
    assert ended(["experiment", "status", str(path)], 0) == (141, "", "")


@pytest.mark.slow
def test_a_proof_is_saved_even_if_nobody_reads_the_report(tmp_path: Path) -> None:
    mrf = generate("ising_grid", rows=40, columns=40, seed=1)
    model, proof = tmp_path / "model.mrf.json", tmp_path / "model.proof"
    bc.save(mrf, model)
    # The report, with all labels, does not fit into the buffer of the output.
    code, _, errors = ended(["solve", str(model), "--json", "--time-limit", "0", "--certificate", str(proof)], 0)
    assert (code, errors) == (141, "")
    bc.check_proof(mrf, bc.load_proof(proof))


@pytest.mark.slow
def test_an_output_that_fails_is_told_in_one_line(tmp_path: Path) -> None:
    """Also where it fails at the last moment, when what is left in a buffer is written."""
    with mounted(tmp_path / "disk", 64) as disk:
        shown = disk / "shown"
        with shown.open("wb") as output:
            fill(disk)
            command = [sys.executable, "-m", "bender_core", "info", TINY]
            done = subprocess.run(command, cwd=ROOT, env=BUFFERED, stdout=output, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (2, "error: the output: No space left on device\n")
        assert shown.read_bytes() == b""
