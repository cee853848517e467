"""Two runs of one model on one clock: in step by groups or sweeps, or with equal work. Source: docs/method.md §13.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from bender_core import looking
from bender_core.engine.engine import Engine

Beat: TypeAlias = Literal["node", "sweep", "work"]
BEATS: tuple[Beat, ...] = get_args(Beat)

# Bounds that differ by less, as a share of the energy at stake, count as equal.
EQUAL = 1e-9

Runs: TypeAlias = tuple[Engine, Engine]
OnProgress: TypeAlias = Callable[[Engine], bool]


def advance(runs: Runs, beat: Beat, on_progress: OnProgress | None = None) -> bool:
    """Go on by one beat: both by a group or a sweep, or by a group the run that has done less work so far.

    A run that has finished stays where it is.

    Parameters
    ----------
    runs : pair of Engine
    beat : {"node", "sweep", "work"}
    on_progress : callable, optional
        As in `Engine.step`.

    Returns
    -------
    bool
        Whether there was anything to do.
    """
    going = [run for run in runs if not run.finished]
    if beat == "work" and len(going) == 2:
        done = [entries_read(run) for run in runs]
        going = [run for run, entries in zip(runs, done, strict=True) if entries == min(done)]
    for run in going:
        run.step("sweep" if beat == "sweep" else "node", on_progress)
    return bool(going)


def entries_read(run: Engine) -> int:
    """The work for the messages of a run so far, in table entries."""
    return int(looking.work(run).messages.sum())


def leader(runs: Runs) -> int:
    """Which of two runs has the higher lower bound: 0 or 1; -1 if the bounds are equal."""
    first, second = (run.lower_bound for run in runs)
    if abs(first - second) <= EQUAL * max(run.graph.problem.gap_scale for run in runs):
        return -1
    return int(second > first)


def to_first_difference(runs: Runs, beat: Beat, on_progress: OnProgress | None = None) -> bool:
    """Bring both to the end of the first beat after which their lower bounds differ.

    Parameters
    ----------
    runs : pair of Engine
    beat : {"node", "sweep", "work"}
    on_progress : callable, optional
        As in `Engine.step`; where it returns True, the search ends.

    Returns
    -------
    bool
        Whether they differ there; else the runs are at their ends, or where the search was ended.
    """
    for run in runs:
        run.seek(0)
    return _until(runs, beat, lambda: leader(runs) >= 0, on_progress)


def to_next_lead(runs: Runs, beat: Beat, on_progress: OnProgress | None = None) -> bool:
    """Bring both to the end of the next beat after which the other run leads than before.

    Parameters and result are those of `to_first_difference`.
    """
    led = leader(runs)

    def is_overtaken() -> bool:
        nonlocal led
        now = leader(runs)
        if led < 0:
            led = now
        return now >= 0 and now != led

    return _until(runs, beat, is_overtaken, on_progress)


def _until(runs: Runs, beat: Beat, is_so: Callable[[], bool], on_progress: OnProgress | None) -> bool:
    is_ended = False

    def tell(run: Engine) -> bool:
        nonlocal is_ended
        is_ended = is_ended or (on_progress is not None and on_progress(run))
        return is_ended

    while not is_ended and advance(runs, beat, tell):
        if not is_ended and is_so():
            return True
        is_ended = is_ended or (on_progress is not None and on_progress(runs[0]))
    return False
