"""The script of a race repeats it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import bender_core as bc
from bender_core import io
from bender_core.experiments import METHODS, Entry, Limits, entry_by
from bender_core.experiments.script import as_script
from bender_core.resources import environment

MODEL = bc.synth.ising_grid(rows=3, columns=4, seed=2)
BY_HAND = bc.manual(MODEL, [[0, 1, 2], [3, 4], *[[i] for i in range(5, MODEL.n)]])
GREEDY = bc.partition(MODEL, 4, "greedy")
RUNS = {
    "9 · greedy": Entry(MODEL, GREEDY, 4, 9, "mplp"),
    "11 · greedy": Entry(MODEL, GREEDY, 4, 11, "srmp"),
    "4 · by hand": Entry(MODEL, BY_HAND, 3, 4, "mplp"),
    "proof": entry_by(METHODS["proof"], MODEL, 4),
    "cycles": entry_by(METHODS["cycles"], MODEL),
    "annealing": entry_by(METHODS["annealing"], MODEL),
}


def test_the_script_of_a_race_prints_what_its_runs_do_alone(tmp_path: Path) -> None:
    """From a folder of its own, beside the file of the model."""
    io.save(MODEL, tmp_path / "grid.mrf.json")
    script = tmp_path / "race.py"
    model = 'bc.load(Path(__file__).with_name("grid.mrf.json"))'
    script.write_text(as_script(RUNS, model, Limits(sweeps=7, seconds=2.0)), encoding="utf-8")
    # Equal groups are made once.
    assert script.read_text(encoding="utf-8").count("bc.partition(") == 1
    run = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300, env=environment(), cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    head, *rows = run.stdout.splitlines()
    assert head.split() == ["run", "LB", "UB", "gap", "sweeps", "work", "seconds", "status"]
    table = {re.split(r" {2,}", row)[0]: row for row in rows}
    assert list(table) == list(RUNS)
    for name in ("9 · greedy", "11 · greedy", "4 · by hand"):
        entry = RUNS[name]
        assert entry.part is not None
        alone = bc.Engine(MODEL, entry.part, variant=entry.variant, schedule=entry.schedule, max_sweeps=7)
        alone.run()
        shown = [f"{value:.6g}" for value in (alone.lower_bound, alone.upper_bound)]
        work = looked(alone)
        assert table[name].removeprefix(name).split()[:5] == [*shown, f"{alone.gap:.2e}", str(alone.sweep), work]
    best = bc.certify(MODEL).upper_bound
    assert table["proof"].endswith("gap closed")
    assert f"{best:.6g}" in table["proof"]
    assert f"-inf {best:12.6g}" in table["annealing"]


def looked(engine: bc.Engine) -> str:
    done = bc.looking.work(engine)
    return str(done.messages.sum() + done.rest)
