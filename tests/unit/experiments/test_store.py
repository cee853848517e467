"""Runs and the store: its content, and damage to it."""

from __future__ import annotations

import ast
import contextlib
import multiprocessing
import os
import shutil
import sqlite3
import zlib
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
    deciding,
    execute,
    perform,
)
from bender_core.experiments.outcome import MEMORY_REACHED, SECONDS_REACHED, SWEEPS_REACHED, WORKER_DIED
from tests.mounts import fill, make_read_only, mounted
from tests.unit.experiments.plans import here, task_of

LIBRARY = Path(bc.__file__).parent
# Of what a run reaches: what makes tasks, whose models and groups are in their keys, and what writes files and words.
NEUTRAL = {
    *("child_process", "experiments.deciding", "experiments.plan", "files", "io", "objective"),
    *("resources", "synth", "units"),
}
# And what only a method needs, or what makes groups.
OF_METHODS = {
    *("checking", "costs", "cycles", "experiments.methods", "looking", "rivals", "strategies", "trying", "warming"),
}


def imported(source: Path) -> set[Path]:
    """The files of the library that a file imports, wherever it does."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bender_core"):
            place = LIBRARY.joinpath(*node.module.split(".")[1:])
            found |= {place.with_suffix(".py"), place / "__init__.py"} - {LIBRARY / "__init__.py"}
            found |= {place / f"{alias.name}.py" for alias in node.names}
    return {path for path in found if path.is_file()}


def left_out(hashed: set[Path], neutral: set[str]) -> set[str]:
    """The modules that a run of a plan reaches, and that neither are hashed nor known to decide nothing."""
    waiting, reached = {LIBRARY / "experiments" / "perform.py"}, set()
    while waiting:
        source = waiting.pop()
        reached.add(source)
        waiting |= imported(source) - reached
    names = {path.relative_to(LIBRARY).with_suffix("").as_posix().replace("/", ".") for path in reached - hashed}
    return {name for name in names if not any(name == one or name.startswith(f"{one}.") for one in neutral)}


@pytest.mark.parametrize(
    ("patterns", "neutral"),
    [(deciding.OF_RUNS, NEUTRAL | OF_METHODS), (deciding.OF_RUNS + deciding.OF_METHODS, NEUTRAL)],
    ids=["runs", "methods"],
)
def test_all_code_that_decides_results_is_hashed(patterns: tuple[str, ...], neutral: set[str]) -> None:
    """Whatever is imported is part of the key, but for the few modules that are named here."""
    found = [set(LIBRARY.glob(pattern)) for pattern in patterns]
    assert all(found), "a pattern without files"
    assert left_out(set.union(*found), neutral) == set()
    for named in ("engine/arrays", "engine/carrying", "engine/snapshots", "account", "stopping", "kernels/rows/pool"):
        assert LIBRARY / f"{named}.py" in set.union(*found)


@pytest.mark.slow
def test_a_changed_byte_of_any_deciding_file_changes_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {path for pattern in deciding.OF_RUNS + deciding.OF_METHODS for path in LIBRARY.glob(pattern)}
    for path in files:
        copy = tmp_path / path.relative_to(LIBRARY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    versions = [deciding.code_version.__wrapped__(True)]
    monkeypatch.setattr(deciding, "LIBRARY", tmp_path)
    versions.append(deciding.code_version.__wrapped__(True))
    assert versions[0] == versions[1], "wherever the library lies"
    for path in sorted(tmp_path.rglob("*.py")):
        with path.open("ab") as stream:
            stream.write(b"#")
        versions.append(deciding.code_version.__wrapped__(True))
    # What one file loses and the next one gains is a change, too.
    first, second = tmp_path / "trying" / "line.py", tmp_path / "trying" / "mine.py"
    for ends in (("a", "bc"), ("ab", "c")):
        first.write_text(ends[0])
        second.write_text(ends[1])
        versions.append(deciding.code_version.__wrapped__(True))
    assert len(set(versions)) == len(versions) - 1 == len(files) + 3


def test_an_outcome_is_what_the_engine_says() -> None:
    task = task_of(sweeps=12)
    outcome = perform(task)
    mrf, part = task.load()
    engine = bc.Engine(mrf, part, variant=9, max_sweeps=12)
    engine.run()
    assert (outcome.lower_bound, outcome.upper_bound) == (engine.lower_bound, engine.upper_bound)
    assert (outcome.sweeps, outcome.rows) == (engine.sweep, engine.n_rows)
    assert outcome.gap == pytest.approx(bc.relative_gap(engine.lower_bound, engine.upper_bound))
    labeling = np.unpackbits(np.frombuffer(outcome.labeling, np.uint8))[: mrf.n]
    assert mrf.energy(labeling) == pytest.approx(outcome.upper_bound)
    curve = curve_of(outcome.curve)
    # It begins where the groups were chosen.
    assert part is not None
    assert outcome.building == pytest.approx(part.seconds)
    curve = curve[1:]
    assert len(curve) == outcome.sweeps
    assert (np.diff(curve["seconds"]) >= 0).all()
    assert (np.diff(curve["lower_bound"]) >= -1e-12).all()
    assert curve[-1]["lower_bound"] == outcome.lower_bound


def test_curves_of_earlier_versions_are_read_and_have_no_work(tmp_path: Path) -> None:
    former = [("seconds", "<f4"), ("sweep", "<i4"), ("lower_bound", "<f8"), ("upper_bound", "<f8"), ("rows", "<i8")]
    records = np.array([(0.5, 1, -3.0, -1.0, 4), (0.75, 2, -2.0, -1.5, 7)], former)
    curve = curve_of(zlib.compress(records.tobytes()))
    assert curve[[name for name, _ in former]].tolist() == records.tolist()
    assert curve["work"].tolist() == [-1, -1]
    shutil.copy(LIBRARY.parent / "docs/study/small.sqlite", tmp_path)
    for outcome in [run.outcome for run in Store(tmp_path / "small.sqlite").runs()]:
        last = curve_of(outcome.curve)[-1]
        assert (last["lower_bound"], last["sweep"]) == (outcome.lower_bound, outcome.sweeps)


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


@pytest.mark.slow
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


def test_a_store_takes_hardly_more_room_than_its_runs(tmp_path: Path) -> None:
    store, task, rng = Store(tmp_path / "a.sqlite"), task_of(), np.random.default_rng(0)
    lengths = rng.integers(50, 5500, 200)
    with store.kept_open():
        for length in lengths:
            store.add(replace(task, key=rng.bytes(16).hex()), Outcome("gap closed", curve=bytes(length)))
    assert store.path.stat().st_size < 1.6 * lengths.sum()


def test_a_store_is_closed_once_in_an_execution(tmp_path: Path) -> None:
    """To close it takes most of the time of adding a run."""
    store, log = Store(tmp_path / "a.sqlite"), tmp_path / "a.sqlite-wal"
    between: list[bool] = []
    assert execute([task_of(sweeps=1)], store, here([], {}), 1, lambda _: between.append(log.exists()))
    assert between
    assert all(between)
    assert not log.exists()
    assert len(store.runs()) == 1
