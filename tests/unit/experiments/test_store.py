"""Runs and the store: its content, and damage to it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.experiments import (
    Outcome,
    Store,
    StoreError,
    Task,
    curve_of,
    perform,
)
from bender_core.experiments.outcome import MEMORY_REACHED, SECONDS_REACHED, SWEEPS_REACHED, WORKER_DIED
from bender_core.experiments.plan import _DECIDING
from tests.mounts import fill, make_read_only, mounted
from tests.unit.experiments.plans import task_of

# Of what the engine imports: limits, words and looks, which decide nothing.
NEUTRAL = {
    *("account", "checking", "child_process", "costs", "files", "labelings", "objective", "planning", "seeds"),
    *("stopping", "strategies", "units"),
    *(f"run.{name}" for name in ("attribution", "carrying", "certificate", "inspection", "reckoning", "snapshots")),
    *("run.standing", "run.trace"),
}


def test_all_code_that_decides_results_is_hashed() -> None:
    """Every module of the engine either is part of the key of a run or is known not to affect results."""
    library = Path(bc.__file__).parent
    hashed = {path for pattern in _DECIDING for path in library.glob(pattern)}
    waiting, reached = [library / "run" / "engine.py"], set()
    while waiting:
        source = waiting.pop()
        reached.add(source)
        for module in re.findall(r"^(?:from|import) bender_core\.([\w.]+)", source.read_text(), re.MULTILINE):
            path = library / (module.replace(".", "/") + ".py")
            if path not in reached and path.is_file():
                waiting.append(path)
    names = {path.relative_to(library).with_suffix("").as_posix().replace("/", "."): path for path in reached}
    assert "kernels.rows.pool" in names
    unknown = {name for name, path in names.items() if path not in hashed and name not in NEUTRAL}
    assert not {name for name in unknown if name.partition(".")[0] not in NEUTRAL}


def test_an_outcome_is_what_the_engine_says() -> None:
    task = task_of(sweeps=12)
    outcome = perform(task)
    mrf, part = task.cut()
    engine = bc.Engine(mrf, part, 9, max_sweeps=12)
    engine.run()
    assert (outcome.lower_bound, outcome.upper_bound) == (engine.lower_bound, engine.upper_bound)
    assert (outcome.sweeps, outcome.rows) == (engine.sweep, engine.n_rows)
    assert outcome.gap == pytest.approx(bc.relative_gap(engine.lower_bound, engine.upper_bound))
    labeling = np.unpackbits(np.frombuffer(outcome.labeling, np.uint8))[: mrf.n]
    assert mrf.energy(labeling) == pytest.approx(outcome.upper_bound)
    curve = curve_of(outcome.curve)
    assert len(curve) == outcome.sweeps
    assert (np.diff(curve["seconds"]) >= 0).all()
    assert (np.diff(curve["lower_bound"]) >= -1e-12).all()
    assert curve[-1]["lower_bound"] == outcome.lower_bound


def test_limits_are_outcomes() -> None:
    assert perform(task_of(sweeps=2)).status == SWEEPS_REACHED
    assert perform(task_of(seconds=1e-9)).status == SECONDS_REACHED
    large = perform(task_of(max_size=18, megabytes=1))
    assert (large.status, large.gap, large.lower_bound) == (MEMORY_REACHED, np.inf, -np.inf)


def test_a_run_is_kept_once_and_comes_back_whole(tmp_path: Path) -> None:
    store, task = Store(tmp_path / "runs.sqlite"), task_of()
    first = perform(task)
    assert store.missing([task]) == [task]
    assert store.add(task, first)
    assert not store.add(task, Outcome("another"))
    (run,) = Store(tmp_path / "runs.sqlite").runs()
    assert (run.task, run.outcome) == (task, first)
    assert store.missing([task, task_of(4)]) == [task_of(4)]


def test_the_failure_of_a_worker_is_not_final(tmp_path: Path) -> None:
    store, task = Store(tmp_path / "runs.sqlite"), task_of()
    assert store.add(task, Outcome(WORKER_DIED))
    assert store.missing([task]) == [task]
    assert store.add(task, Outcome("closed", 1.0, 1.0))
    assert not store.add(task, Outcome(WORKER_DIED))
    assert store.missing([task]) == []
    assert [run.outcome.status for run in store.runs()] == ["closed"]


def test_an_infinite_bound_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.sqlite")
    store.add(task_of(), Outcome(MEMORY_REACHED))
    assert store.runs()[0].outcome == Outcome(MEMORY_REACHED)


def write(path: Path, tasks: list[Task], who: str) -> None:
    store = Store(path)
    for task in tasks:
        store.add(task, Outcome(who))


def test_two_concurrent_writers_do_no_damage(tmp_path: Path) -> None:
    path, base = tmp_path / "runs.sqlite", task_of()
    # Few enough that neither can wait for its turn as long as a store waits, on a slow disk.
    tasks = [replace(base, key=f"{k:032d}") for k in range(50)]
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write, args=(path, tasks, who)) for who in ("one", "other")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert [run.task.key for run in Store(path).runs()] == [task.key for task in tasks]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.fixture
def filled(tmp_path: Path) -> Store:
    """A store with some runs."""
    store, base = Store(tmp_path / "filled.sqlite"), task_of()
    for k in range(20):
        store.add(replace(base, key=f"{k:032d}"), Outcome("closed", curve=os.urandom(500)))
    return store


def refused(action: Callable[[], object]) -> str:
    """The message of a failed operation on a store."""
    with pytest.raises(StoreError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda whole: whole[: len(whole) // 2], "it is damaged; move it away and try again"),
        (lambda whole: whole[:8192] + bytes(8192) + whole[16384:], "it is damaged; move it away and try again"),
        (lambda whole: b"no database, but some text\n" * 99, "it is not a store of runs; move it away"),
    ],
    ids=["truncated", "overwritten", "not a database"],
)
def test_a_damaged_store_is_left_alone_and_reported(spoil: Callable[[bytes], bytes], said: str, filled: Store) -> None:
    spoilt = spoil(filled.path.read_bytes())
    filled.path.write_bytes(spoilt)
    message = refused(lambda: Store(filled.path).runs())
    assert message.startswith(f"{filled.path}: {said}")
    assert filled.path.read_bytes() == spoilt
    # As told: moved away, it makes room for another, also for who has had it open all the time.
    filled.path.rename(filled.path.with_suffix(".old"))
    assert filled.add(task_of(), Outcome("closed"))
    assert len(Store(filled.path).runs()) == 1


def test_another_database_is_not_a_store(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE runs (distance REAL)")
    assert "other.sqlite: it is not a store of runs; move it away or choose another" in refused(lambda: Store(path))
    mine = Store(tmp_path / "mine.sqlite")
    path.write_text("no database at all")
    assert "other.sqlite: it is not a store" in refused(lambda: mine.adopt(path))
    assert "none.sqlite: it cannot be opened; allow" in refused(lambda: mine.adopt(tmp_path / "none.sqlite"))


def test_pipes_and_folders_are_no_stores_and_a_link_leads_to_one(tmp_path: Path) -> None:
    pipe, loop, link = tmp_path / "pipe", tmp_path / "loop", tmp_path / "link"
    os.mkfifo(pipe)
    loop.symlink_to("loop")
    link.symlink_to("runs.sqlite")
    assert refused(lambda: Store(pipe)) == f"{pipe}: it is not a file; choose another place"
    assert refused(lambda: Store(tmp_path)) == f"{tmp_path}: it is not a file; choose another place"
    assert refused(lambda: Store(loop)).startswith(f"{loop}: it cannot be opened; ")
    assert Store(link).add(task_of(), Outcome("closed"))
    assert refused(lambda: Store(link).adopt(pipe)) == f"{pipe}: it is not a file; choose another place"
    assert link.is_symlink()
    assert len(Store(tmp_path / "runs.sqlite").runs()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "loop", "link", "runs.sqlite"}


def test_a_full_disk_costs_the_one_run_that_finds_it_full(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", 400) as disk:
        store, base = Store(disk / "runs.sqlite"), task_of()
        large = Outcome("closed", curve=os.urandom(100_000))
        store.add(base, large)
        taken = fill(disk)
        message = refused(lambda: store.add(replace(base, key="another"), large))
        assert message.startswith(f"{store.path}: the run {base.title} is not kept: the disk is full")
        assert message.endswith(" and try again")
        taken.unlink()
        assert [run.outcome for run in store.runs()] == [large]
        assert store.add(replace(base, key="another"), large)


def test_a_read_only_store_is_reported(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", 1024) as disk:
        store = Store(disk / "runs.sqlite")
        store.add(task_of(), Outcome("closed"))
        make_read_only(disk)
        message = refused(lambda: store.add(task_of(4), Outcome("closed")))
        assert message.startswith(f"{store.path}: the run {task_of(4).title} is not kept: it cannot be ")
        assert message.endswith("allow writing to it and its folder, or choose another place")


def test_a_store_locked_by_another_program_is_reported(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.experiments.store.WAIT", 0.01)
    with contextlib.closing(sqlite3.connect(filled.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        message = refused(lambda: filled.add(task_of(), Outcome("closed")))
        assert "is not kept: another program has kept it locked for" in message
        assert len(filled.runs()) == 20
    assert filled.add(task_of(), Outcome("closed"))
