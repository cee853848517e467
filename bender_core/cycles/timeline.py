"""What raises a bound cycle by cycle and round by round, with all events, so that any earlier state can be shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from typing import Generic, Literal, TypeAlias, TypeVar

from bender_core.cycles.rounds import Rounds
from bender_core.stopping import Stop, never

Grain: TypeAlias = Literal["cycle", "round"]
S = TypeVar("S")
E = TypeVar("E")


class Timeline(ABC, Generic[S, E]):
    """All events so far: in every round cycles are found, then it ends.

    Parameters
    ----------
    start : object
        The state before the first event.
    keeps : bool
        Whether all of them can be shown, and not only those since the last complete round.
    """

    def __init__(self, start: S, keeps: bool) -> None:
        self.keeps = keeps
        self._states: list[S] = [start]  # at the start and after every round
        self._begins = [0]  # the position of each of them
        self._last = 0, start  # the position that was shown last, and its state

    @abstractmethod
    def _count(self) -> int:
        """How many cycles have been found since the last complete round."""

    @abstractmethod
    def _event(self, k: int, nth: int) -> E:
        """The nth event of a round: a cycle, or its end."""

    @abstractmethod
    def _within(self, k: int, count: int) -> S:
        """The state in a round, after some of its cycles have been found."""

    def __len__(self) -> int:
        return self._begins[-1] + self._count()

    def __getitem__(self, number: int) -> E:
        if not 0 <= number < len(self):
            raise IndexError(f"event {number} of {len(self)}")
        k = self.rounds(number)
        return self._event(k, number - self._begins[k])

    @property
    def first(self) -> int:
        """The first position that can be shown."""
        return 0 if self.keeps else self._begins[-1]

    @property
    def begun(self) -> S:
        """The state at the end of the last complete round."""
        return self._states[-1]

    @property
    def latest(self) -> S:
        """The state after the last event."""
        return self.at(len(self))

    def rounds(self, position: int) -> int:
        """How many rounds have ended before a position."""
        return bisect_right(self._begins, position) - 1

    def stop_after(self, position: int, grain: Grain) -> int:
        """Where a step from a position ends, as far as events have been computed."""
        if grain == "cycle":
            return min(position + 1, len(self))
        following = self.rounds(position) + 1
        return self._begins[following] if following < len(self._begins) else len(self)

    def stop_before(self, position: int, grain: Grain) -> int:
        """Where a step that leads to a position begins."""
        return max(position - 1, 0) if grain == "cycle" else self._begins[self.rounds(max(position - 1, 0))]

    def at(self, position: int) -> S:
        """The state after the first events.

        Parameters
        ----------
        position : int
            Their number.
        """
        if self._last[0] != position:  # its bound takes a sum over all cycles
            k = self.rounds(position)
            count = position - self._begins[k]
            self._last = position, self._within(k, count) if count else self._states[k]
        return self._last[1]

    def end(self, state: S) -> None:
        """Add the end of the round."""
        self._begins.append(len(self) + 1)
        if not self.keeps:
            # Of what has been, only the number is kept.
            self._states = [state] * len(self._states)
        self._states.append(state)


class Stepped(Rounds, Generic[S, E]):
    """Rounds whose events are computed once, and shown as often as it takes.

    Attributes
    ----------
    position : int
        The number of events before the present state.
    """

    position = 0
    _log: Timeline[S, E]
    _is_over = False
    _course: Iterator[None] | None = None  # of what follows the last event, where it has begun

    @abstractmethod
    def _following(self) -> Iterator[None]:
        """Compute what follows the last event, piece by piece."""

    @abstractmethod
    def _show(self, position: int) -> None:
        """Be what this was after the first events."""

    @property
    def events(self) -> Timeline[S, E]:
        """All events computed so far, including those after the present position."""
        return self._log

    @property
    def rounds(self) -> int:
        """Complete rounds."""
        return self._log.rounds(self.position)

    @property
    def finished(self) -> bool:
        """Whether this is the end: the labelling is proven, or nothing more can be done."""
        return self._is_over and self.position == len(self._log)

    def step(self, grain: Grain = "cycle", stop: Stop = never) -> list[E]:
        """Go on to the next cycle or to the end of the round; returns the events of that step.

        At an earlier position the recorded events are repeated. The end of a round is a step of its own.

        Parameters
        ----------
        grain : {"cycle", "round"}
        stop : Stop
            As in `run`.

        Returns
        -------
        list
            Its events; empty at the end, and where they are not kept.

        Raises
        ------
        ValueError
            If there is no such grain.
        Stopped
            If ``stop`` says so; the next step goes on.
        """
        if grain not in ("cycle", "round"):
            raise ValueError(f'no grain {grain!r}; choose "cycle" or "round"')
        begin = self.position
        for _ in self._go_on(grain):
            stop.check()
        return [self._log[k] for k in range(begin, self.position)] if self._log.keeps else []

    def _slices(self) -> Iterator[None]:
        return self._go_on("round")

    def _go_on(self, grain: Grain) -> Iterator[None]:
        begin, rounds = self.position, self.rounds
        while not self.finished:
            if self.position == len(self._log):
                yield from self._compute()
            self._show(self._log.stop_after(self.position, grain))
            if self.position > begin and (grain == "cycle" or self.rounds > rounds):
                break

    def _compute(self) -> Iterator[None]:
        self._course = self._course or self._following()
        for _ in self._course:  # no `yield from`, which would end it with a caller that gives up
            yield
        self._course = None

    def seek(self, position: int) -> None:
        """Go to the state after the first events, backward or forward; nothing is computed again.

        Parameters
        ----------
        position : int
            Their number.

        Raises
        ------
        ValueError
            If the position is beyond the last computed event, or where events are not kept, before the last complete
            round.
        """
        if not 0 <= position <= len(self._log):
            raise ValueError(f"event {position} has not been computed; events 0 to {len(self._log)} can be shown")
        if position < self._log.first:
            first = f"those before event {self._log.first} are not kept"
            raise ValueError(f"event {position} cannot be shown, as {first}; make this with keeps=True")
        self._show(position)
