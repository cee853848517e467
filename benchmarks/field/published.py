"""Times that others have published, from ``published.toml``: other machines, other years."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("published.toml")


@dataclass(frozen=True)
class Published:
    """Times from one source.

    Attributes
    ----------
    instances : str
        What was solved.
    date : date
    source, address : str
    machine : str
        As far as the source says.
    limit : float
        Seconds; a time that equals it means that the instance was not solved.
    solvers : sequence of str
    rows : sequence of (str, int, sequence of float)
        The instance, its number of variables, and the seconds of every solver.
    """

    instances: str
    date: date
    source: str
    address: str
    machine: str
    limit: float
    solvers: Sequence[str]
    rows: Sequence[tuple[str, int, Sequence[float]]]

    @property
    def solved(self) -> list[tuple[str, int, Sequence[float]]]:
        """The rows of instances that some solver has solved."""
        return [row for row in self.rows if min(row[2]) < self.limit]


def published(path: Path = FILE) -> list[Published]:
    """All tables of a file."""
    return [_table(entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["tables"]]


def _table(entry: dict[str, Any]) -> Published:
    return Published(**entry | {"rows": [(name, n, tuple(seconds)) for name, n, seconds in entry["rows"]]})
