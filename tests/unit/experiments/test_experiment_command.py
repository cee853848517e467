"""Experiments on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bender_core.__main__ import main
from bender_core.experiments import (
    PlanProgress,
    Store,
    command,
    read_plan,
)
from tests.mounts import fill, mounted
from tests.unit.experiments.plans import ROOT, workers_of


@pytest.mark.slow
def test_the_command_line(plan_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str) -> str:
        assert main(["experiment", *arguments]) == 0
        return capsys.readouterr().out

    total = len(read_plan(plan_file).tasks())
    assert f"small: 4 instances, {total} runs, {total} to do" in said("plan", str(plan_file))
    assert said("status", str(plan_file)).startswith(f"0 of {total}")
    done = said("run", str(plan_file), "--workers", "2").splitlines()
    assert done[-1].startswith(f"{total} of {total}, about 0 s left: ")
    assert said("status", str(plan_file)).startswith(f"{total} of {total} runs are done")
    assert ", 0 to do" in said("plan", str(plan_file))
    assert "Normalised gap" in said("report", str(plan_file))
    plan_file.write_text("[runs]\nsizes = 4")
    assert main(["experiment", "plan", str(plan_file)]) == 2
    assert capsys.readouterr().err == "error: the plan has no instances; add [[instances]] with a family or files\n"


@pytest.mark.slow
def test_an_attached_run_ends_when_its_input_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\nseed = {from = 0, to = 199}\n[runs]\nsizes = [6]\nvariants = [9]\n"
    )
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(path), "--workers", "1", "--attached"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        told = [json.loads(process.stdout.readline()) for _ in range(201)]
        process.stdin.close()
        told += map(json.loads, process.stdout)
    assert process.returncode == 0
    cut, said = told[:200], told[200:]
    assert [told["partitioning"] for told in cut] == pytest.approx([k / 200 for k in range(200)])
    assert cut[-1]["doing"] == "partition 200 of 200: default, M 6, ising_grid seed 199"
    assert [told["done"] for told in said] == list(range(1, len(said) + 1))
    assert said[0]["total"] == 200
    assert said[0]["last"].startswith("ising_grid seed 0, M 6, variant 9")
    assert len(Store(path.with_suffix(".sqlite")).runs()) == len(said) < 200


SLOW = """
[[instances]]
family = 'ising_grid'
rows = 3
columns = 3
[[instances]]
family = 'body_pose'
candidates = 16
seed = {from = 0, to = 3}
[runs]
sizes = [14]
variants = [11]
"""


@pytest.fixture
def slow_plan(tmp_path: Path) -> Path:
    """A short run and four that take minutes."""
    path = tmp_path / "plan.toml"
    path.write_text(SLOW)
    return path


@pytest.fixture
def begun(slow_plan: Path) -> Iterator[subprocess.Popen[str]]:
    """An experiment whose first run is done, in a separate process group as under a terminal."""
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(slow_plan), "--workers", "2"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("1 of 5, about ")
        try:
            yield process
        finally:
            process.kill()


def gone(processes: Sequence[int]) -> bool:
    """Whether processes have ended, or end soon."""
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{process}").exists() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(Path(f"/proc/{process}").exists() for process in processes)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")
def test_ctrl_c_stops_the_workers_and_keeps_what_is_done(begun: subprocess.Popen[str], slow_plan: Path) -> None:
    workers = workers_of(begun.pid)
    assert len(workers) == 2
    # A terminal's Ctrl-C goes to the workers as well.
    os.killpg(begun.pid, signal.SIGINT)
    _, said = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert said == "stopped: 1 of 5 runs are done and kept; run the same command again to resume\n"
    assert [run.task.instance.title for run in Store(slow_plan.with_suffix(".sqlite")).runs()] == [
        "ising_grid 3×3 seed 0"
    ]
    assert gone(workers)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds up the plan by a pipe with a name")
@pytest.mark.parametrize("how", ["Ctrl-C", "closed input"])
def test_a_stop_takes_effect_while_partitions_are_made(how: str, tmp_path: Path) -> None:
    path, model = tmp_path / "plan.toml", tmp_path / "model.uai"
    path.write_text("[[instances]]\nfiles = '*.uai'\n[runs]\nsizes = [4]\n")
    os.mkfifo(model)
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(path), "--attached"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process, model.open("w"):
        # Opened at both ends, so it is being read; but nothing comes.
        if how == "Ctrl-C":
            process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == (130 if how == "Ctrl-C" else 0)
    assert said == ("stopped before the first run; earlier runs are kept, run the same command again to resume\n")


@pytest.mark.slow
def test_a_full_disk_ends_the_experiment_and_free_space_lets_it_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, taken = tmp_path / "plan.toml", []
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\nseed = {from = 0, to = 7}\n[runs]\nsizes = [4]\nvariants = [9]"
    )
    with mounted(tmp_path / "disk", 1024) as disk:
        in_words = command._in_words

        def filling(progress: PlanProgress, left: float) -> str:
            """The disk is full after three runs."""
            if progress.done == 3 and not taken:
                taken.append(fill(disk))
            return in_words(progress, left)

        monkeypatch.setattr(command, "_in_words", filling)
        run = ["experiment", "run", str(path), "--store", str(disk / "runs.sqlite"), "--workers", "1"]
        assert main(run) == 2
        said = capsys.readouterr()
        assert said.out.count("\n") == 3
        assert said.err.startswith(f"error: {disk / 'runs.sqlite'}: the run ising_grid ")
        assert ", M 4, variant 9, mplp is not kept: the disk is full" in said.err
        taken[0].unlink()
        assert main(run) == 0
        assert capsys.readouterr().out.startswith("4 of 8, ")
        assert len(Store(disk / "runs.sqlite").runs()) == 8
