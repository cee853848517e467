"""Trials: runs that spend work, the loop that drives them, and the best of several after the same work.

A procedure that tries changes (the choice of groups, advice, a search, a proof) yields which run continues and for how
much work; its caller decides what happens in between, and when to interrupt it. Source: docs/method.md §13.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError
from bender_core.engine.settings import ENDLESS
from bender_core.kernels.layout import Status
from bender_core.looking.update import step_ended
from bender_core.trying.change import Change
from bender_core.trying.known import Bounds


class Mover(Bounds, Protocol):
    """Something that raises a bound: an `Engine`, which is one run; a `Descent`, which is several; or `Rounds`."""

    @property
    def sweep(self) -> int:
        """Completed sweeps, or rounds."""

    @property
    def n_rows(self) -> int:
        """Benders rows in use."""

    @property
    def finished(self) -> bool:
        """Whether it has ended."""

    @property
    def status(self) -> Status | str:
        """Why it has ended."""

    def run(self, most: int | None = None, /, *, on_progress: Callable[[object], bool | None] | None = None) -> bool:
        """Continue to a number of sweeps; pause if ``on_progress``, called about every 50 ms, returns True."""


@dataclass(eq=False)
class Trial:
    """A run, and the work that it has done.

    Attributes
    ----------
    name : str
        How its groups were made.
    engine : Engine
    change : Change or None
        The change by which it forked from another run; None if it did not fork.
    work : int
        Table entries read so far.
    """

    name: str
    engine: Engine
    change: Change | None = None
    work: int = 0


class Spend(NamedTuple):
    """A request to continue a trial.

    Attributes
    ----------
    trial : Trial
    work : int
        The most table entries.
    least : float or None
        The trial continues to the end of a sweep, and stalls if that gains less than this share of the gap. None: it
        continues until the work is spent.
    """

    trial: Trial
    work: int = ENDLESS
    least: float | None = None


T = TypeVar("T")
# A procedure that tries: it yields requests for work, receives whether the bound has stalled, and returns its result.
# Between pieces of work of its own it yields None.
Trying = Generator[Spend | None, bool, T]


def spending(spend: Spend, count: Callable[[Trial, int], None]) -> Generator[None, None, bool]:
    """Continue a trial; yields every 50 ms, so that the caller can do something else, or interrupt it.

    Parameters
    ----------
    spend : Spend
    count : callable
        Called with the trial and the table entries read since the last call.

    Returns
    -------
    bool
        Whether the run has ended, or its bound stalls.
    """
    trial, engine, end, is_paused = spend.trial, spend.trial.engine, spend.trial.work + spend.work, True
    sweep = None if spend.least is None else engine.sweep + 1
    is_whole = not engine.position or step_ended(engine, "sweep")
    lower = engine.lower_bound
    yield

    def pause(_: Engine) -> bool:
        nonlocal is_paused
        is_paused = True
        return True

    while is_paused:
        is_paused = False
        engine.run(max_sweeps=sweep, max_work=end - trial.work, on_progress=pause)
        trial.work += engine.entries_read
        count(trial, engine.entries_read)
        if is_paused:
            yield
    gain, gap = engine.lower_bound - lower, engine.upper_bound - engine.lower_bound
    return engine.finished or (spend.least is not None and is_whole and gain < spend.least * gap)


def course(trying: Trying[T], count: Callable[[Trial, int], None]) -> Generator[None, None, T]:
    """Spend the work that a procedure requests; yields at the start, and then as `spending`."""
    yield
    try:
        spend = next(trying)
        while True:
            if spend is None:
                yield
                spend = next(trying)
            else:
                spend = trying.send((yield from spending(spend, count)))
    except StopIteration as end:
        found: T = end.value
        return found


def go_on(trial: Trial, until: int, is_done: Callable[[Trial], bool], least: float | None = None) -> Trying[None]:
    """Continue one trial until it has read a number of entries, is done, or stalls.

    Parameters
    ----------
    trial : Trial
    until : int
        Table entries in all.
    is_done : callable
        Whether more work is of no use.
    least : float, optional
        As in `Spend`.
    """
    while trial.work < until and not is_done(trial):
        if (yield Spend(trial, until - trial.work, least)):
            return


def is_finished(trial: Trial) -> bool:
    """Whether its run has ended."""
    return trial.engine.finished


def best_of(
    trials: Iterable[Trial],
    work: int,
    is_done: Callable[[Trial], bool],
    least: float | None = None,
    keep: int | None = None,
    note: Callable[[Trial], None] | None = None,
) -> Trying[list[Trial]]:
    """Run trials with the same work, one after another, until one is done.

    Parameters
    ----------
    trials : iterable of Trial
        Each is made when its turn comes; entries that it has already read count.
    work : int
        The most table entries of each.
    is_done : callable
        Whether no trial can be better than this one.
    least : float, optional
        As in `Spend`.
    keep : int, optional
        The most trials kept in memory; by default all.
    note : callable, optional
        Called with every trial when it has ended.

    Returns
    -------
    list of Trial
        The best bounds first; if one is done, only that one.
    """
    best = list[Trial]()
    for trial in trials:
        yield from go_on(trial, work, is_done, least)
        if note is not None:
            note(trial)
        if is_done(trial):
            return [trial]
        best = sorted([*best, trial], key=lambda each: -each.engine.lower_bound)[:keep]
    return best


def largest(make: Callable[[int], Trial], size: int) -> Trial:
    """A trial on the largest groups that fit into memory.

    Parameters
    ----------
    make : callable
        Makes a run on groups of up to a given number of variables.
    size : int
        The first number to try.

    Raises
    ------
    TooLargeError
        If not even groups of one variable fit.
    """
    while True:
        try:
            return make(size)
        except TooLargeError:
            if size == 1:
                raise
            size -= 1
