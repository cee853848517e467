"""The trace of a run: its events as typed columns that can be read, filtered and exported.

Source: docs/method.md §10.1, docs/formats.md §7.
"""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bender_core.kernels.layout import Events, Kind
from bender_core.model import IntArray

COLUMNS = Events._fields
GRAINS = ("event", "row", "round", "node", "sweep")


def require_grain(grain: str) -> None:
    """Refuse a value that is no grain of steps.

    Raises
    ------
    ValueError
    """
    if grain not in GRAINS:
        raise ValueError(f"there is no grain {grain!r}; choose one of {', '.join(GRAINS)}")


@dataclass(frozen=True)
class Event:
    """One event of a run.

    Source: docs/method.md §10.1, docs/formats.md §7.

    Attributes
    ----------
    index : int
        Its position in the trace, from 0. After it, ``len(trace) >= index + 1``.
    kind : Kind
    sweep : int
        From 0.
    node : int
        The group being updated, -1 where none is.
    arc : int
        ``2 * edge + side`` of the message concerned (oracle: the loosest), -1 where none is.
    row : int
        The Benders row added, -1 where none is.
    cut : int
        The `RowKind` of that row, -1 where none is.
    state : int
        The state y* of the node at which its envelope is made tight, as an integer whose bit k is member k: the
        minimiser, or where progress is slow a deeper one (`Engine`, ``deepest``).
    depth : int
        The number of states of the node before y*; at the end of a sweep, the number of states at which envelopes
        are to be tight; when the run is finished, its `Status`.
    rows : int
        Rows in use after the event.
    value, before : float
        Energies. Opened and oracle: the true total at y* (NaN when not yet known) and its envelope. Row:
        the true min-marginal of the edge at y* and its envelope before the row. Message and sweep: the
        lower bound after and before.
    lower_bound, upper_bound : float
        After the event.
    floor, ceiling : float
        Energies: the least cost of a state of the node by the rows, and the least exact cost found, in units of the
        bound; NaN where there is none. The floor comes with opened, oracle and message, the ceiling with the latter
        two. Source: docs/method.md §3.9.
    suspects : int
        States that may cost less than the ceiling. Oracle: after the answer and before its rows; message: 0; else -1.
    """

    index: int
    kind: Kind
    sweep: int
    node: int
    arc: int
    row: int
    cut: int
    state: int
    depth: int
    rows: int
    value: float
    before: float
    lower_bound: float
    upper_bound: float
    floor: float
    ceiling: float
    suspects: int


class Trace:
    """A read-only view of the first ``length`` events of a run; columns are NumPy arrays.

    ``len(trace)``, ``trace[k]`` and iteration give `Event`.
    """

    def __init__(self, events: Events, length: int) -> None:
        self._events = events
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Event:
        index = operator.index(index)
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(f"event {index} of a trace of {self._length}")
        values: list[Any] = [column.item(index) for column in self._events]
        return Event(index, Kind(values[0]), *values[1:])

    def until(self, length: int) -> Trace:
        """The first events alone.

        Parameters
        ----------
        length : int
            The largest number of events.

        Returns
        -------
        Trace
        """
        return Trace(self._events, max(min(length, self._length), 0))

    def __iter__(self) -> Iterator[Event]:
        return (self[k] for k in range(self._length))

    def column(self, name: str, begin: int = 0) -> NDArray[np.float64] | NDArray[np.int64]:
        """One column of all events, or of those from one on; a copy.

        Parameters
        ----------
        name : str
            A field of `Event` other than its index.
        begin : int
            The first event.

        Returns
        -------
        ndarray, shape (length - begin,)

        Raises
        ------
        ValueError
            If there is no such column, or ``begin`` is negative.
        """
        if name not in COLUMNS:
            raise ValueError(f"there is no column {name!r}; choose one of {', '.join(COLUMNS)}")
        if operator.index(begin) < 0:
            raise ValueError(f"there is no event {begin}; events are numbered from 0")
        values: NDArray[np.float64] = getattr(self._events, name)[begin : self._length].copy()
        return values

    def stops(self, grain: str) -> IntArray:
        """The positions at which steps of a grain end, rising (docs/method.md §10.2).

        Parameters
        ----------
        grain : {"event", "row", "round", "node", "sweep"}

        Returns
        -------
        ndarray of int64
            Only the next event shows whether the last one ends a round; it counts as an end.

        Raises
        ------
        ValueError
            If there is no such grain.
        """
        require_grain(grain)
        kind, state = self._events.kind[: self._length], self._events.state[: self._length]
        ends = kind >= {"event": 0, "row": Kind.ROW, "round": Kind.ORACLE, "node": Kind.MESSAGE}.get(grain, Kind.SWEEP)
        if grain == "round":
            inside = (kind[:-1] <= Kind.ROW) & (kind[1:] <= Kind.ROW) & (state[:-1] == state[1:])
            ends[:-1] &= ~inside
        positions: IntArray = np.flatnonzero(ends) + 1
        return positions

    def columns(self) -> dict[str, list[object]]:
        """The fields of `Event` by name, each a list of ``len(trace)`` values; kinds as words, and None for NaN."""
        found: dict[str, list[object]] = {"index": list(range(self._length))}
        for name in COLUMNS:
            found[name] = [None if value != value else value for value in self.column(name).tolist()]
        found["kind"] = [_KINDS[int(kind)] for kind in self.column("kind")]
        return found

    def to_csv(self) -> str:
        """The whole trace as comma-separated text with a header; NaN is an empty field."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        found = self.columns()
        writer.writerow(found)
        writer.writerows(zip(*found.values(), strict=True))
        return out.getvalue()

    def to_parquet(self) -> bytes:
        """The whole trace as a Parquet file."""
        # Slow to import, and needed only here.
        import pyarrow as pa
        import pyarrow.parquet as parquet

        out = io.BytesIO()
        parquet.write_table(pa.table(self.columns()), out)
        return out.getvalue()


_KINDS = {int(kind): kind.name.lower() for kind in Kind}
