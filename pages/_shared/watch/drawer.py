"""The message in the drawer, by classes of its receiver's states.

The page Edge draws the same with more room.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bender_core import Engine, RowAt, Stop, TooLargeError, what_if
from bender_core.kernels.layout import RowKind
from bender_core.looking.classes import Classes, bits_of, classes
from bender_core.looking.what_if import WhatIfRow
from bender_core.stopping import never
from bender_core.visualization.message import MOST, ORDERS, Stems, stems
from pages._shared.watch import protocol
from pages._shared.watch.event_details import listed, rounded

# Instead of a row and its kind, where an exact variant has none.
NO_ROW = -1


class Docked(NamedTuple):
    """What the drawer is to show.

    Attributes
    ----------
    arc : int
        The message; -1 if the drawer is closed.
    order : str
        Of the classes, one of `ORDERS`.
    chosen : str
        The class that is looked at, a digit for each coupled member; empty for that of y*.
    """

    arc: int = -1
    order: protocol.Order = "cost"
    chosen: str = ""


CLOSED = Docked()


class Drawer:
    """The message looked at where a run stands; what is known of it is kept until it stands elsewhere."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._of: tuple[int, ...] = (-1, -1)
        self._shown: Classes | None = None

    def look(self, docked: Docked, stop: Stop = never) -> Iterator[protocol.Drawer]:
        """Look at a message; yields what is known without the rows that could be made, then with them.

        Nothing if there is no such message.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        engine = self.engine
        if not 0 <= docked.arc < 2 * len(engine.graph.edges) or docked.order not in ORDERS:
            return
        about: protocol.DrawerAbout = {"at": engine.position, "arc": docked.arc, "order": docked.order}
        try:
            shown = self._classes(docked.arc, stop)
            view: protocol.DrawerShown = {**about, **message_view(shown, docked)}
            yield view
            yield {**view, "cuts": self._rows(shown, docked, stop)}
        except TooLargeError as error:
            yield {**about, "refusal": f"There is not enough memory to look at this message: {error}."}

    def _classes(self, arc: int, stop: Stop) -> Classes:
        of = self.engine.position, arc
        if self._shown is None or self._of != of:
            self._shown, self._of = classes(self.engine, *self.engine.graph.ends(arc), stop), of
        return self._shown

    def _rows(self, shown: Classes, docked: Docked, stop: Stop) -> list[protocol.Cut]:
        if not shown.rows:
            return []
        p, q = self.engine.graph.ends(docked.arc)
        state, at_oracle = (int(shown.states[which]) for which in (_chosen(shown, docked), shown.at_oracle))
        return [row_view(row, state, at_oracle) for row in what_if(self.engine, p, q, state, stop)]


def requested_row(engine: Engine, arc: int, state: int, kind: int) -> RowAt:
    """The row that a press in the drawer asks for."""
    return RowAt(*engine.graph.ends(arc), state, RowKind(kind))


def _chosen(shown: Classes, docked: Docked) -> int:
    """The class looked at: that of y* too, if the one asked for has other members."""
    fits = len(docked.chosen) == len(shown.members) and not set(docked.chosen) - {"0", "1"}
    return int(docked.chosen[::-1] or "0", 2) if fits and docked.chosen else shown.at_oracle


def message_view(shown: Classes, docked: Docked) -> protocol.MessageShown:
    """All that is drawn of a message, without the rows that could be made."""
    chosen = _chosen(shown, docked)
    picked = stems(shown, docked.order, (1, MOST), [chosen, shown.at_oracle])
    place = {int(each): k for k, each in enumerate(picked.classes)}
    return {
        "members": shown.members.tolist(),
        "states": len(shown) << shown.idle,
        "classes": len(shown),
        "rows": len(shown.rows),
        "alive": int(np.count_nonzero(shown.maximal)),
        "mean": rounded(float(shown.slack.mean())),
        "tight": float(shown.tight.mean()),
        "at_oracle": place[shown.at_oracle],
        "chosen": place[chosen],
        "stems": stems_view(shown, picked),
        "cuts": None,
    }


def stems_view(shown: Classes, picked: Stems) -> protocol.Stems:
    """The classes that are drawn, in columns."""
    which = picked.classes
    rows = [shown.rows[place] if place >= 0 else None for place in shown.support[which].tolist()]
    return {
        "rank": (picked.places + 1).tolist(),
        "bits": ["".join(map(str, bits)) for bits in bits_of(which, len(shown.members)).tolist()],
        "state": shown.states[which].tolist(),
        "nu": listed(shown.nu[which]),
        "envelope": listed(shown.envelope[which]),
        "least": listed(shown.least[which]),
        "tight": shown.tight[which].tolist(),
        "row": [NO_ROW if row is None else row.index for row in rows],
        "kind": [NO_ROW if row is None else int(row.kind) for row in rows],
    }


def row_view(row: WhatIfRow, state: int, at_oracle: int) -> protocol.Cut:
    """A row that could be made, in numbers."""
    return {
        "kind": int(row.kind),
        "state": row.state,
        "here": rounded(float(row.rise[state])),
        "at_oracle": rounded(float(row.rise[at_oracle])),
        "mean": rounded(row.lift),
        "tightened": row.tightened,
        "microseconds": rounded(1e6 * row.seconds),
        "pivots": row.pivots,
    }
