"""The store of finished runs: one SQLite file, which several processes may write at once.

A run is written once, when it is finished, in one transaction: all runs in the store are complete, even if processes
were killed.
Source: docs/formats.md §9.2.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from bender_core.experiments.outcome import WORKER_DIED, Outcome
from bender_core.experiments.plan import Instance, Limits, Task
from bender_core.model import BinaryMRF

# Not WITHOUT ROWID, as earlier stores: there a row of more than a quarter of a page takes half as much room again.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, instance TEXT NOT NULL, max_size INTEGER NOT NULL,
    strategy TEXT NOT NULL, variant INTEGER NOT NULL, schedule TEXT NOT NULL, limits TEXT NOT NULL,
    status TEXT NOT NULL, lower_bound REAL, upper_bound REAL, gap REAL, sweeps INTEGER NOT NULL, rows INTEGER NOT NULL,
    seconds REAL NOT NULL, labeling BLOB NOT NULL, curve BLOB NOT NULL, code TEXT NOT NULL, finished TEXT NOT NULL
)
"""
# Seconds to wait for another writer to commit.
WAIT = 10.0
# SQLite's primary result codes in plain words.
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full; make room and try again",
    sqlite3.SQLITE_BUSY: f"another program has kept it locked for {WAIT:g} s; end that program and try again",
    sqlite3.SQLITE_READONLY: "it cannot be written; allow writing to it and its folder, or choose another place",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; allow writing to it and its folder, or choose another place",
    sqlite3.SQLITE_NOTADB: "it is not a store of runs; move it away or choose another place",
    sqlite3.SQLITE_ERROR: "it is not a store of runs; move it away or choose another place",
    sqlite3.SQLITE_CORRUPT: "it is damaged; move it away and try again (sqlite3's .recover saves what is readable)",
    sqlite3.SQLITE_IOERR: "the disk is full or fails, or files may not grow; fix that and try again",
}
# SQLite's limit of variables in a statement, with a margin.
_KEYS_AT_ONCE = 500


class StoreError(OSError):
    """A store cannot be read or written; the message says where, why and how to fix it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EIO, reason, str(path))

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


@dataclass(frozen=True)
class FinishedRun:
    """A finished run.

    Attributes
    ----------
    task : Task
    outcome : Outcome
    code : str
        `Task.code` of the code that ran it.
    finished : str
        When, UTC.
    """

    task: Task
    outcome: Outcome
    code: str
    finished: str


class Store:
    """Finished runs in a file.

    Parameters
    ----------
    path : Path
        Created if missing, even if it is removed later.

    Raises
    ------
    StoreError
        By this and all methods, if the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._connected():
            pass

    @contextmanager
    def _connected(self, consequence: str = "") -> Iterator[sqlite3.Connection]:
        """A connection with a transaction; if it fails, the error begins with the consequence."""
        with _explained(self.path, consequence):
            connection = sqlite3.connect(_address(self.path), timeout=WAIT, uri=True)
            try:
                # Readers do not wait for writers, and an interrupted commit leaves no trace.
                connection.execute("PRAGMA journal_mode = WAL")
                # Waits for the disk at checkpoints only: a killed program loses nothing, a power cut the last runs.
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(_SCHEMA)
                connection.execute("CREATE INDEX IF NOT EXISTS by_model ON runs (model)")
                with connection:
                    yield connection
            finally:
                connection.close()

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the file open meanwhile: calls take a quarter of the time, as none is the last to close it."""
        with self._connected():
            yield

    def add(self, task: Task, outcome: Outcome) -> bool:
        """Store a run; returns whether it was stored. The first of two equal runs stays, unless its worker died."""
        values = {
            "key": task.key,
            "model": task.model,
            "instance": json.dumps([task.instance.source, task.instance.values]),
            "max_size": task.max_size,
            "strategy": task.strategy,
            "variant": task.variant,
            "schedule": task.schedule,
            "limits": json.dumps(asdict(task.limits)),
            **asdict(outcome),
            "gap": outcome.gap,
            "code": task.code,
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        columns = ", ".join(values)
        places = ", ".join(f":{name}" for name in values)
        with self._connected(f"the run {task.title} is not kept: ") as connection:
            connection.execute("DELETE FROM runs WHERE key = ? AND status = ?", (task.key, WORKER_DIED))
            done = connection.execute(f"INSERT OR IGNORE INTO runs ({columns}) VALUES ({places})", values)
            return done.rowcount == 1

    def missing(self, tasks: Iterable[Task]) -> list[Task]:
        """The tasks that are not done yet, or whose worker died, in their order."""
        tasks = list(tasks)
        done: set[str] = set()
        with self._connected() as connection:
            for start in range(0, len(tasks), _KEYS_AT_ONCE):
                keys = [task.key for task in tasks[start : start + _KEYS_AT_ONCE]]
                places = ", ".join("?" * len(keys))
                found = connection.execute(
                    f"SELECT key FROM runs WHERE status != ? AND key IN ({places})", [WORKER_DIED, *keys]
                )
                done.update(key for (key,) in found)
        return [task for task in tasks if task.key not in done]

    def runs(self) -> list[FinishedRun]:
        """All runs, in the order of their keys."""
        return self._runs("ORDER BY key")

    def of_model(self, mrf: BinaryMRF) -> list[FinishedRun]:
        """The runs on a model, also those kept under its former hash, the latest first."""
        hashes = mrf.content_hash(), mrf.former_hash()
        return self._runs("WHERE model IN (?, ?) ORDER BY finished DESC, key", *hashes)

    def adopt(self, other: Path) -> None:
        """Copy the missing runs from another store, which is only read and may be read-only."""
        with self._connected() as connection:
            with _explained(other):
                connection.execute("ATTACH ? AS other", (f"{_address(other)}?mode=ro&immutable=1",))
            connection.execute("INSERT OR IGNORE INTO runs SELECT * FROM other.runs")

    def copy(self, keys: Iterable[str], path: Path, moved: Mapping[str, str]) -> None:
        """Write the runs with these keys into a new store; ``moved``: new places of their files, by the old ones."""
        Store(path)
        with self._connected() as connection:
            connection.execute("CREATE TEMP TABLE chosen (key TEXT PRIMARY KEY)")
            connection.executemany("INSERT OR IGNORE INTO chosen VALUES (?)", ((key,) for key in keys))
            connection.commit()
            connection.execute("ATTACH ? AS other", (_address(path),))
            with connection:
                connection.execute("INSERT INTO other.runs SELECT runs.* FROM runs JOIN chosen USING (key)")
                renamed = ((json.dumps([new, []]), json.dumps([old, []])) for old, new in moved.items())
                connection.executemany("UPDATE other.runs SET instance = ? WHERE instance = ?", renamed)
            connection.execute("DETACH other")

    @property
    def stamp(self) -> tuple[float, ...]:
        """Differs whenever the file has changed: another process may have added runs."""
        files = self.path, self.path.with_name(f"{self.path.name}-wal")
        found = [file.stat() for file in files if file.exists()]
        return tuple(value for each in found for value in (each.st_mtime_ns, each.st_size))

    def _runs(self, which: str, *values: str) -> list[FinishedRun]:
        with self._connected() as connection:
            connection.row_factory = sqlite3.Row
            return [_run(row) for row in connection.execute(f"SELECT * FROM runs {which}", values)]


def _address(path: Path) -> str:
    """The address of a file, which is the one behind a link, or is still to be made; SQLite would open anything else.

    Raises
    ------
    StoreError
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise StoreError(path, "it is not a file; choose another place")
    return place.as_uri()


@contextmanager
def _explained(path: Path, consequence: str = "") -> Iterator[None]:
    """Raise SQLite's errors as a `StoreError` of this file."""
    try:
        yield
    except sqlite3.Error as error:
        # The low byte of a result code is its kind, the rest are details.
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        raise StoreError(path, consequence + _REASONS.get(kind, str(error))) from error


def _run(row: sqlite3.Row) -> FinishedRun:
    instance, limits = _instance(row["instance"]), _limits(row["limits"])
    task = Task(
        row["key"], row["model"], instance, row["max_size"], row["strategy"], row["variant"], row["schedule"], limits
    )
    values = {name: row[name] for name in Outcome.__dataclass_fields__}
    # SQLite keeps no NaN.
    values |= {name: math.nan for name in ("lower_bound", "upper_bound") if values[name] is None}
    return FinishedRun(task, Outcome(**values), row["code"], row["finished"])


# The runs of a study are on few instances, with the same limits.
@lru_cache(4096)
def _instance(text: str) -> Instance:
    source, values = json.loads(text)
    return Instance(source, tuple((name, value) for name, value in values))


@lru_cache(16)
def _limits(text: str) -> Limits:
    return Limits(**json.loads(text))
