"""Positions to which a run can return. Source: docs/method.md §10.3."""

from __future__ import annotations

from bender_core.account import Charges
from bender_core.engine import memory
from bender_core.kernels.layout import State


class Snapshots:
    """Copies of a run's state between two updates, and of its start.

    Parameters
    ----------
    start : State
        Before the first event.
    most : int
        The most bytes of all snapshots together, without the start. If it is 0, a start with the messages of another
        run is not kept either, and the run can only go forward.
    charges : Charges
        The charges of the run.
    carried : bool
        Whether the start has messages of another run, which are copied in full; otherwise it takes hardly any memory.

    Attributes
    ----------
    states : list of State
        Oldest first, without the start.
    opening : float
        The lower bound at the start, without the constant of the model.
    """

    def __init__(self, start: State, most: int, charges: Charges, carried: bool = False) -> None:
        self._start = _copy_of_start(start, carried, most)
        self.opening = float(start.bounds.lower)
        self._size = memory.nbytes(start)
        self._most = most
        self._charges = charges
        self.states: list[State] = []

    def begin_at(self, start: State) -> None:
        """Replace the start of a run that begins with the messages of another one."""
        self.opening = float(start.bounds.lower)
        if self._start is not None:
            memory.restore(self._start, start)

    @property
    def latest(self) -> int:
        """The position of the latest snapshot."""
        return _position(self.states[-1]) if self.states else 0

    def nearest(self, position: int) -> State | None:
        """The latest snapshot that is not beyond a position; None if none is kept."""
        return next((s for s in reversed(self.states) if _position(s) <= position), self._start)

    def add(self, state: State) -> None:
        """Keep a copy, if it fits; older ones make room."""
        while (len(self.states) + 1) * self._size > self._most or not self._charges.charge("snapshots", self._size):
            if not self.thin_out():
                return
        self.states.append(memory.copy(state))

    def thin_out(self) -> bool:
        """Drop every other one; returns False if there is none."""
        if not self.states:
            return False
        kept = self.states[1::2]
        self._charges.charge("snapshots", (len(kept) - len(self.states)) * self._size)
        self.states = kept
        return True


def _copy_of_start(start: State, carried: bool, most: int) -> State | None:
    if not carried:
        return memory.copy_of_start(start)
    return memory.copy(start) if most else None


def _position(state: State) -> int:
    return int(state.cursor.events)
