"""Positions of a run to return to. Source: docs/method.md §10.3."""

from __future__ import annotations

from bender_core import memory
from bender_core.account import Line
from bender_core.kernels.layout import State


class Snapshots:
    """Copies of a run's state between two updates. The start is always one of them.

    Parameters
    ----------
    start : State
        Before the first event.
    most : int
        The most bytes of all snapshots together.
    line : Line
        The line that they are charged to.
    carried : bool
        Whether the start has messages of another run, which are copied in full; otherwise it takes hardly any memory.

    Attributes
    ----------
    states : list of State
        Oldest first, without the start.
    """

    def __init__(self, start: State, most: int, line: Line, carried: bool = False) -> None:
        self._start = memory.copy(start) if carried else memory.copy_of_start(start)
        self._size = memory.nbytes(start)
        self._most = most
        self._line = line
        self.states: list[State] = []

    def begin_at(self, start: State) -> None:
        """Replace the start of a run that begins with the messages of another one."""
        memory.restore(self._start, start)

    @property
    def latest(self) -> int:
        """The position of the latest snapshot."""
        return _position(self.states[-1]) if self.states else 0

    def nearest(self, position: int) -> State:
        """The latest snapshot that is not beyond a position."""
        return next((s for s in reversed(self.states) if _position(s) <= position), self._start)

    def add(self, state: State) -> None:
        """Keep a copy, if it fits; older ones make room."""
        while (len(self.states) + 1) * self._size > self._most or not self._line.charge("snapshots", self._size):
            if not self.thin_out():
                return
        self.states.append(memory.copy(state))

    def thin_out(self) -> bool:
        """Drop every other one; returns False if there is none."""
        if not self.states:
            return False
        kept = self.states[1::2]
        self._line.charge("snapshots", (len(kept) - len(self.states)) * self._size)
        self.states = kept
        return True


def _position(state: State) -> int:
    return int(state.cursor.events)
