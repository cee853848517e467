"""Two runs of one model on one clock: in step by groups or sweeps, or with equal work. Source: docs/method.md §13.5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from bender_core import looking
from bender_core.engine.engine import Engine
from bender_core.kernels.layout import Kind

Beat: TypeAlias = Literal["node", "sweep", "work"]
BEATS: tuple[Beat, ...] = get_args(Beat)

# Bounds that differ by less, as a share of the energy at stake, count as equal.
EQUAL = 1e-9

OnProgress: TypeAlias = Callable[[Engine], bool]


@dataclass(frozen=True)
class Clock:
    """The clock of two runs.

    Attributes
    ----------
    runs : pair of Engine
    beat : {"node", "sweep", "work"}
        Both complete a group or a sweep before either goes on; or the run that has done less work goes on by a group.
    begins : pair of int
        The complete sweeps before the beginning of each, if it has forked from another run.
    ends : pair of int or None
        The positions at which they end, if not where the engines do.
    """

    runs: tuple[Engine, Engine]
    beat: Beat
    begins: tuple[int, int] = (0, 0)
    ends: tuple[int | None, int | None] = (None, None)

    def advance(self, on_progress: OnProgress | None = None) -> bool:
        """Let those that are behind go on by a group or a sweep; a run that has ended stays where it is.

        Parameters
        ----------
        on_progress : callable, optional
            As in `Engine.step`.

        Returns
        -------
        bool
            Whether there was anything to do.
        """
        going = [k for k in (0, 1) if not self._is_over(k)]
        if not going:
            return False
        least = min(self.place(k) for k in going)
        for k in going:
            if self.place(k) == least:
                self._step(k, on_progress)
        return True

    def place(self, k: int) -> tuple[int, int]:
        """The place of a run on the clock, which rises when it has done what the other may have to wait for."""
        run = self.runs[k]
        if self.beat == "work":
            return entries_read(run), 0
        where = looking.whereabouts(run)
        return self.begins[k] + where.sweep, where.update if self.beat == "node" else 0

    def leader(self) -> int:
        """Which of the two has the higher lower bound: 0 or 1; -1 if the bounds are equal."""
        first, second = (run.lower_bound for run in self.runs)
        if abs(first - second) <= EQUAL * max(run.graph.problem.gap_scale for run in self.runs):
            return -1
        return int(second > first)

    def to_first_difference(self, on_progress: OnProgress | None = None) -> bool:
        """Bring both to the end of the first beat after which their lower bounds differ.

        Parameters
        ----------
        on_progress : callable, optional
            As in `Engine.step`; where it returns True, the search ends.

        Returns
        -------
        bool
            Whether they differ there; else the runs are at their ends, or where the search was ended.
        """
        tell = _Ending(on_progress)
        for k, run in enumerate(self.runs):
            run.seek(0)
            run.run(max_sweeps=max(self.begins) - self.begins[k], on_progress=tell)
        if max(self.begins) and self.leader() >= 0 and not tell.is_ended:
            return True
        return self._until(lambda: self.leader() >= 0, tell)

    def to_next_lead(self, on_progress: OnProgress | None = None) -> bool:
        """Bring both to the end of the next beat after which the other run leads than before.

        Parameters and result are those of `to_first_difference`.
        """
        tell = _Ending(on_progress)
        # One of them may be ahead of the other by a beat, or within one.
        while not tell.is_ended and not self._is_even() and self.advance(tell):
            pass
        led = self.leader()

        def is_overtaken() -> bool:
            nonlocal led
            now = self.leader()
            if led < 0:
                led = now
            return now >= 0 and now != led

        return self._until(is_overtaken, tell)

    def _until(self, is_so: Callable[[], bool], tell: _Ending) -> bool:
        while not tell.is_ended and self.advance(tell):
            if not tell.is_ended and self._is_even() and is_so():
                return True
            tell(self.runs[0])
        return False

    def _is_even(self) -> bool:
        """Whether both have done the same: with equal work always, as nobody waits within an update."""
        if self.beat == "work" or any(self._is_over(k) for k in (0, 1)):
            return True
        stops = (Kind.MESSAGE, Kind.SWEEP) if self.beat == "node" else (Kind.SWEEP,)
        lasts = [looking.last_event(run) for run in self.runs]
        return self.place(0) == self.place(1) and all(last is None or last.kind in stops for last in lasts)

    def _is_over(self, k: int) -> bool:
        run, end = self.runs[k], self.ends[k]
        return run.finished or (end is not None and run.position >= end)

    def _step(self, k: int, on_progress: OnProgress | None) -> None:
        run, end = self.runs[k], self.ends[k]
        run.step("sweep" if self.beat == "sweep" else "node", on_progress)
        if end is not None and run.position > end:
            run.seek(end)


def entries_read(run: Engine) -> int:
    """The work for the messages of a run so far, in table entries."""
    return int(looking.work(run).messages.sum())


class _Ending:
    """Progress that remembers whether the work was ended."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self._on_progress, self.is_ended = on_progress, False

    def __call__(self, run: Engine) -> bool:
        self.is_ended = self.is_ended or (self._on_progress is not None and self._on_progress(run))
        return self.is_ended
