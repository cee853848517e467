"""The command line: its output, and one line and exit code 2 for invalid input."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bender_core as bc
from bender_core.__main__ import _finite, main
from bender_core.resources import SAMPLES
from bender_core.trying import auto, solving
from bender_core.trying import proof as descent
from tests.models import random_mrf
from tests.tiers import thinned

ROOT = Path(__file__).parents[2]
TINY = str(SAMPLES / "tiny.mrf.json")
TORUS = str(SAMPLES / "torus-10x10.mrf.json")
POSE = str(SAMPLES / "pose.mrf.json")


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """A separate process, as started by a user."""
    command = [sys.executable, "-m", "bender_core", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True)


def test_solve_prints_bounds_and_status() -> None:
    done = run("solve", TINY, "--max-size", "3", "--variant", "9", "--strategy", "groups")
    assert (done.returncode, done.stderr) == (0, b"groups, M = 3, variant 9, schedule srmp: as requested\n")
    report = dict(line.split("  ", 1) for line in done.stdout.decode().splitlines())
    report = {key: value.strip() for key, value in report.items()}
    assert report["status"] == "closed"
    assert float(report["lower bound"]) == pytest.approx(-3.0)
    assert float(report["upper bound"]) == -3.0
    assert (report["variables"], report["groups"], report["variant"]) == ("6", "2", "9")


@pytest.mark.parametrize("variant", thinned(bc.VARIANTS, 4))
def test_solve_as_json(variant: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", TINY, "--max-size", "3", "--variant", str(variant), "--json"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    mrf = bc.load(TINY)
    part = bc.partition(mrf, 3, "auto")
    strategy, _, reason = part.reason.partition(": ")
    assert (out.count("\n"), err) == (1, f"{strategy}, M = 3, variant {variant}, schedule srmp: {reason}\n")
    chosen = {"strategy": strategy, "max_size": 3, "variant": variant, "schedule": "srmp"}
    assert (report["chosen"], report["reason"]) == (chosen, reason)
    result = bc.solve(mrf, part, variant, "srmp")
    assert (report["rounded_bound"], report["step"]) == (result.rounded_bound, result.step)
    assert report["meaning"] == result.meaning
    assert report["lower_bound"] == result.lower_bound
    assert report["energy"] == report["upper_bound"] == mrf.energy(report["labeling"])
    assert (report["gap"], report["sweeps"], report["rows"]) == (result.gap, result.sweeps, result.rows)
    assert (report["model"], report["strategy"], report["max_size"], report["feasible"]) == ("tiny", "auto", 3, True)


def test_solve_obeys_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    def solve(*options: str) -> dict:
        assert main(["solve", TORUS, "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    limited = solve("--max-sweeps", "2")
    assert (limited["sweeps"], limited["status"]) == (2, "sweep limit")
    assert (limited["max_size"], limited["variant"]) == (8, 9)
    assert solve("--time-limit", "0", "--max-size", "9")["status"] == "time limit"
    cut = solve("--strategy", "singletons", "--tolerance", "0.1")
    assert (cut["groups"], cut["strategy"], cut["status"]) == (100, "singletons", "no progress")


def test_results_are_also_given_in_the_terms_of_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    karate = str(SAMPLES / "karate.mrf.json")
    assert main(["solve", karate, "--max-sweeps", "3", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["modularity"] == bc.load(karate).objective.value(report["upper_bound"])


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", TINY, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    mrf = bc.load(TINY)
    assert (report["variables"], report["edges"], report["groups"], report["hard_entries"]) == (6, 11, 2, 0)
    assert report["attractive_edges"] == sum(w < 0 for w in mrf.coupling())
    assert report["repulsive_edges"] == sum(w > 0 for w in mrf.coupling())
    assert report["content_hash"] == mrf.content_hash()
    assert main(["info", TINY]) == 0
    assert "content hash" in capsys.readouterr().out


def test_info_prints_the_energy_of_a_labelling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, labeling = tmp_path / "a.uai", tmp_path / "a.MPE"
    source.write_text("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 2 0 4\n")
    for bits, potential in (("0 1", 2.0), ("1 0", 0.0)):
        labeling.write_text(f"MPE\n2 {bits}\n")
        assert main(["info", str(source), "--labeling", str(labeling), "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["violated_constraints"] == (potential == 0)
        if potential:
            assert report["log potential"] == -report["energy"] == pytest.approx(math.log(potential))
    labeling.write_text("MPE\n3 0 1 0\n")
    assert "the labelling has 3 values" in refusal(["info", str(source), "--labeling", str(labeling)], capsys)


def test_convert_writes_what_solve_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "tiny.qh.gz"
    assert main(["convert", TINY, str(target)]) == 2
    assert "cannot store; drop it (convert --drop-constant)" in capsys.readouterr().err
    assert not target.exists()
    assert main(["convert", TINY, str(target), "--drop-constant"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("left out: the constant ")
    assert said[1] == f"wrote {target}: qh (Qubist), 6 variables, 11 edges"
    assert said[2] == "this format cannot store: names, groups and positions"
    mrf, again, x = bc.load(TINY), bc.load(target), [1, 0, 1, 1, 0, 0]
    assert mrf.energy(x) - again.energy(x) == pytest.approx(float(said[0].split()[-1]))
    assert main(["convert", str(target), str(tmp_path / "x"), "--to-format", "uai-log"]) == 0
    assert "UAI of logarithms" in capsys.readouterr().out
    assert main(["info", str(tmp_path / "x"), "--format", "uai-log", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["edges"] == 11
    assert main(["convert", TINY, str(tmp_path / "x"), "--to-format", "cfn"]) == 2
    assert "toulbar2 cfn is only read" in capsys.readouterr().err


def test_convert_says_where_hard_constraints_become_penalties(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.uai"
    source.write_text("MARKOV\n1\n2\n1\n1 0\n2 0 1\n")
    assert main(["convert", str(source), str(tmp_path / "a.mrf.json")]) == 0
    assert "penalties" not in capsys.readouterr().out
    assert main(["convert", str(source), str(tmp_path / "a.coo")]) == 0
    assert "this format cannot store hard constraints; written as penalties: 1" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["solve", "info", "convert"])
def test_a_file_that_fits_two_formats_is_reported(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "G1"
    path.write_text("3 2\n1 2 5\n2 3 -1\n")
    to = [str(tmp_path / "out.mrf.json")] if command == "convert" else []
    assert main([command, str(path), *to]) == 0
    ways = "to read it as sparse / qpbo say --format sparse, to read it as qh (Qubist) say --format qh"
    said = f"{path}: read as max-cut (rudy); {ways}\n"
    assert capsys.readouterr().err.startswith(said)
    assert main([command, str(path), *to, "--format", "sparse"]) == 0
    assert "read as" not in capsys.readouterr().err


def test_evidence_is_taken_into_account(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence = tmp_path / "tiny.evid"
    evidence.write_text("1 2 1")
    assert main(["solve", TINY, "--evidence", str(evidence), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labeling"][2] == 1
    evidence.write_text("1 2 0")
    assert main(["solve", TINY, "--evidence", str(evidence), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labeling"][2] == 0


def test_spins_and_bounds_are_reported_as_the_source_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.qpbo"
    path.write_text("-3 -3\n1 2 1\n2 3 2\n1 3 -1\n")
    assert main(["solve", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["objective"] == -report["upper_bound"] == 2 * (abs(1) + abs(2) - abs(-1))
    assert report["objective bound"] == -report["lower_bound"]
    assert report["spins"] == [2 * x - 1 for x in report["labeling"]]


def test_an_infeasible_model_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "contradiction.uai"
    path.write_text("MARKOV\n1\n2\n2\n1 0\n1 0\n2 0 1\n2 1 0\n")
    assert main(["solve", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert not json.loads(out)["feasible"]
    assert err == "infeasible: no labelling satisfies the hard constraints\n"
    assert main(["solve", str(path), "--time-limit", "0"]) == 0
    assert capsys.readouterr().err.startswith("infeasible or not solved")


def test_json_has_null_for_infinity() -> None:
    """Python's would be refused by other readers."""
    report = {"a": float("inf"), "b": [1.0, float("-inf")], "c": {"d": float("nan")}, "e": "inf", "f": True}
    assert _finite(report) == {"a": None, "b": [1.0, None], "c": {"d": None}, "e": "inf", "f": True}


# --- Ctrl-C --------------------------------------------------------------------------------------------------------


def interrupting(monkeypatch: pytest.MonkeyPatch, name: str, times: int = 1) -> None:
    """Ctrl-C as soon as a function of the library is called."""
    function = getattr(bc, name)

    def interrupted(*given, **named):
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        return function(*given, **named)

    monkeypatch.setattr(bc, name, interrupted)


def test_an_interrupted_run_prints_its_result_so_far(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT)
    engine = solving.Engine

    def begun(*given, **named):
        made = engine(*given, **named)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(solving, "Engine", begun)
    assert main(["solve", TORUS, "--strategy", "greedy", "--max-size", "14", "--json"]) == 130
    report = json.loads(capsys.readouterr().out)
    assert (report["status"], report["strategy"]) == ("stopped", "greedy")
    assert report["lower_bound"] <= report["upper_bound"] == bc.load(TORUS).energy(report["labeling"])
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupted_proof_prints_its_bounds_so_far(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reduce = descent.reduction

    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        return reduce(*given)

    monkeypatch.setattr(descent, "reduction", interrupted)
    assert main(["solve", TORUS, "--json", "--method", "groups"]) == 130
    report = json.loads(capsys.readouterr().out)
    assert (report["status"], report["optimal"], report["feasible"]) == ("stopped", False, True)
    assert report["rounds"]
    assert report["lower_bound"] < report["upper_bound"] == bc.load(TORUS).energy(report["labeling"])


def test_the_rival_reports_its_bounds_and_has_no_certificate(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["solve", TORUS, "--json", "--method", "mplp-cp"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["optimal"]
    assert report["rounds"] == report["sweeps"] > 0
    assert report["upper_bound"] == bc.load(TORUS).energy(report["labeling"])
    place = tmp_path / "proof.npz"
    assert main(["solve", TORUS, "--method", "mplp-cp", "--certificate", str(place)]) == 2
    assert "leaves no certificate" in capsys.readouterr().err
    assert not place.exists()


@pytest.mark.parametrize("text", ["nan", "-1", "soon"])
def test_an_invalid_time_limit_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["solve", TINY, f"--time-limit={text}"])
    assert end.value.code == 2
    assert f"{text!r} is not a number of seconds" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tolerance", "inf"], "the tolerance is inf; it must be a number from 0 to 1"),
        (["--max-sweeps", str(1 << 63)], f"max_sweeps is {1 << 63}; allow 1 to"),
    ],
)
def test_invalid_settings_get_one_line(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refusal(["solve", TINY, "--strategy", "greedy", *options], capsys)


@pytest.mark.parametrize("limit", ["abc", "nan", "-5", "1e3"])
def test_an_invalid_memory_limit_is_named(
    limit: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", limit)
    assert refusal(["solve", TINY], capsys) == (f"BENDER_MEMORY_MB is {limit!r}; set it to a whole number of megabytes")


def test_text_from_a_file_does_not_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "odd.mrf.json")
    bc.save(bc.BinaryMRF([[0, 1]], name="n\nstatus  closed\x1b[2J", description="é\r\x07"), path)
    for command in ("info", "solve"):
        assert main([command, path]) == 0
        out = capsys.readouterr().out
        assert r"n\nstatus  closed\x1b[2J" in out
        assert all(c.isprintable() or c == "\n" for c in out)
    assert main(["info", path]) == 0
    assert r"é\r\x07" in capsys.readouterr().out


def test_a_full_disk_behind_the_output_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bender_core.__main__._print", full)
        assert refusal(["info", TINY], capsys) == "the output: No space left on device"


def test_a_strategy_that_takes_too_long_is_replaced_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "no-groups.mrf.json")
    bc.save(random_mrf(0, 12), path)
    for file, taken in ((TORUS, "groups"), (path, "singletons")):
        assert main(["solve", file, "--strategy", "community", "--time-limit", "0", "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["chosen"]["strategy"] == taken
        assert report["reason"] == "the time limit leaves no time for community"


def test_a_terminal_shows_how_far_a_search_for_groups_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    # Trials with a tenth of the work report progress, too; the run that follows them does not matter here.
    monkeypatch.setattr(auto.choose, "__defaults__", (auto.WORK // 10,))
    command = ["solve", TORUS, "--strategy", "auto", "--max-sweeps", "1"]
    assert main(command) == 0
    lines = capsys.readouterr().err.split("\r\x1b[K")
    assert any(re.fullmatch(r"groups by auto: \d+%, bound -\d+\.\d+", line) for line in lines)
    assert ", M = 8, " in lines[-1], "nothing of it is left"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert main(command) == 0
    assert "groups by auto" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_terminal_shows_how_far_a_plan_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    path = tmp_path / "plan.toml"
    path.write_text("[[instances]]\nfamily = 'ising_grid'\n[runs]\nsizes = [2, 3]\n")
    for name in ("plan", "status", "report", "run"):
        assert main(["experiment", name, str(path), "--store", str(tmp_path / "s.sqlite")]) == 0
        cuts = [
            "0%, partition 1 of 2: default, M 2, ising_grid seed 0",
            "50%, partition 2 of 2: default, M 3, ising_grid seed 0",
        ]
        assert capsys.readouterr().err.split("\r\x1b[K") == ["", *cuts, ""]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["partition", "solve"])
def test_before_there_is_a_run_nothing_is_printed_but_one_sentence(
    where: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting(monkeypatch, where)
    assert main(["solve", POSE, "--max-size", "8", "--time-limit", "100"]) == 130
    out, err = capsys.readouterr()
    assert (out, err) == ("", "interrupted before the run began: there is no result\n")


def test_a_second_interrupt_ends_at_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    interrupting(monkeypatch, "solve", times=2)
    assert main(["solve", TINY]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


@pytest.mark.slow
def test_the_time_limit_holds_for_the_choice_of_groups_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without time for trials the model's default strategy is taken."""
    assert main(["solve", POSE, "--max-size", "8", "--time-limit", "0", "--json"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["status"], report["chosen"]["strategy"]) == ("time limit", "groups")
    assert report["reason"] == "the time limit leaves no time for trials"
    assert "the time limit leaves no time for trials" in err
    limits = []
    solve, cut = bc.solve, bc.partition
    monkeypatch.setattr(bc, "solve", lambda *a, **k: limits.append(k["time_limit"]) or solve(*a, **k))
    now = time.perf_counter

    def slow(*given, **named):
        # An hour passes.
        monkeypatch.setattr(time, "perf_counter", lambda: now() + 3600)
        return cut(*given, **named)

    monkeypatch.setattr(bc, "partition", slow)
    assert main(["solve", TINY, "--time-limit", "4000", "--strategy", "greedy", "--json"]) == 0
    assert 300 < limits[0] <= 400
    assert json.loads(capsys.readouterr().out)["seconds"] > 3600


# --- what cannot be done -----------------------------------------------------------------------------------------

BROKEN: dict[str, bytes] = {
    "truncated": b"MARKOV\n3\n2 2 2\n2\n2 0 1\n2 1 2\n4\n 1 2 3 4\n4\n 1 2",
    "a wrong count": b"MARKOV\n3\n2 2 2\n1\n2 0 1\n3 1 2 3",
    "three states": b"MARKOV\n2\n2 3\n1\n2 0 1\n6 1 1 1 1 1 1",
    "not a number": b"MARKOV\n1\n2\n1\n1 0\n2 nan 1",
    "too many variables": b"MARKOV\n1000000000000\n" + b"2 " * 140,
    "too many factors": b"MARKOV\n2\n2 2\n1000000000000\n" + b"1 0 " * 70,
    "binary junk": bytes(range(256)),
    "nothing": b"",
    "damaged gzip": b"\x1f\x8b" + bytes(range(100)),
    "a native file cut short": b'{"format": "bender-lab-mrf", "version": 1, "unary": [[0, 1',
    "a native file with NaN": b'{"format": "bender-lab-mrf", "version": 1, "unary": [[0, NaN]]}',
    "another kind of text": b"Dear diary,\n",
}


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line about the error; nothing else is printed."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert err.startswith("error: ")
    return err.removeprefix("error: ").strip()


@pytest.mark.parametrize("command", ["solve", "info"])
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_gets_one_line(
    kind: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.uai"
    path.write_bytes(BROKEN[kind])
    said = refusal([command, str(path)], capsys)
    assert len(said) > 20


@pytest.mark.parametrize("kind", thinned(["truncated", "too many variables", "binary junk"], 3))
def test_a_broken_file_ends_the_process_with_2(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.uai"
    path.write_bytes(BROKEN[kind])
    done = run("solve", str(path))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)


@pytest.mark.parametrize("command", ["solve", "info"])
def test_a_missing_file_gets_one_line(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere.uai"
    assert refusal([command, str(missing)], capsys) == f"{missing}: No such file or directory"
    assert refusal([command, str(tmp_path)], capsys) == f"{tmp_path}: Is a directory"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-size", "0"], "M is 0; choose a whole number from 1 to 30"),
        (["--max-size", "31"], "M is 31; choose a whole number from 1 to 30"),
        (["--max-size", "16", "--variant", "9"], "more than the limit of 4 MB; M = "),
        (["--max-size", "16", "--variant", "11"], "more than the limit of 4 MB; M = "),
    ],
)
def test_a_choice_that_cannot_be_run_gets_one_line(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "4")
    assert said in refusal(["solve", POSE, "--strategy", "groups", *options], capsys)


def test_groups_of_24_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The default limit; the advice is one that runs."""
    n = 72
    mrf = bc.BinaryMRF(
        [[0, 1]] * n, [(i, j) for i in range(n) for j in range(i)], [[[0, 0], [0, 1]]] * (n * (n - 1) // 2)
    )
    path = str(tmp_path / "dense.mrf.json")
    bc.save(mrf, path)
    said = refusal(["solve", path, "--max-size", "24"], capsys)
    assert "groups of up to 24 variables need" in said
    assert "more than the limit of 1 GB; M = " in said


def test_a_model_without_groups_says_which_strategies_it_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.uai"
    path.write_text("MARKOV\n1\n2\n1\n1 0\n2 0.5 1\n")
    assert "names no groups" in refusal(["solve", str(path), "--strategy", "groups"], capsys)


@pytest.mark.parametrize("arguments", [[], ["dance"], ["solve"], ["solve", TINY, "--variant", "13"]])
def test_an_unknown_command_shows_the_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage:" in capsys.readouterr().err
