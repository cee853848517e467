"""Slow work on the runs of the tree: they are made again, continued, and measured."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import bender_core as bc
from bender_core.looking.history import History, history
from bender_core.visualization.forks import clocked
from pages._shared.app.branches import Branch, counterpart
from pages._shared.app.session import Lab
from pages._shared.running.watched import WatchedRun

# The numbers of sweeps after which a fork is compared with its parent.
AFTER = (1, 5, 20)
# The most events of a run at which a message is sampled, and the seconds that this may take.
POINTS, SECONDS = 60, 2.0


@dataclass(frozen=True)
class Difference:
    """How much higher a fork's lower bound is than that of its parent.

    Attributes
    ----------
    branch : Branch
    after : tuple of float or None
        After each of `AFTER` sweeps, energy; None where one of the two has not been computed so far.
    """

    branch: Branch
    after: tuple[float | None, ...]


def difference(branch: Branch) -> Difference:
    """A fork compared with its parent."""
    assert branch.parent is not None
    mine, other, begins = branch.look(), branch.parent.look(), parents_sweep(branch)
    pairs = [(mine.after(sweeps), other.after(begins + sweeps)) for sweeps in AFTER]
    return Difference(branch, tuple(None if a is None or b is None else a - b for a, b in pairs))


def parents_sweep(branch: Branch) -> int:
    """The sweeps of the parent that are complete or under way where a branch forks; they do not count."""
    assert branch.parent is not None
    return math.ceil(branch.parent.look().at("sweeps", branch.event))


def made_again(current: Lab, branch: Branch, stop: bc.Stop, needed: Branch | None = None) -> WatchedRun:
    """The run of a branch; made again from its lineage if its memory was freed.

    Parameters
    ----------
    current : Lab
    branch : Branch
    stop : Stop
    needed : Branch, optional
        One whose memory is kept when others are freed.

    Returns
    -------
    WatchedRun

    Raises
    ------
    ValueError, TooLargeError
        If it cannot be made.
    Stopped
        If ``stop`` says so.
    """
    run = branch.run
    if run is None:

        def make() -> bc.Engine:
            # One after the other: together they might not fit into memory.
            (engine,) = deque(branch.lineage.runs(current.mrf, current.account, stop), maxlen=1)
            return engine

        engine = current.branches.with_room(make, needed)
        following = [other.event for other in current.branches if other.parent is branch]
        known = max(branch.position, *following, branch.end or 0)
        engine.run(max_events=known, on_progress=lambda _: stop())
        stop.check()
        run = WatchedRun(engine)
        run.show(branch.position)
        branch.run = run
    return run


def run_on(current: Lab, branch: Branch, stop: bc.Stop) -> None:
    """Continue a fork and its parent to the last of `AFTER` sweeps after the fork."""
    assert branch.parent is not None
    parents = made_again(current, branch.parent, stop, branch)
    _run_to(parents, parents_sweep(branch) + AFTER[-1], stop)
    _run_to(made_again(current, branch, stop, branch.parent), AFTER[-1], stop)


def _run_to(run: WatchedRun, sweeps: int, stop: bc.Stop) -> None:
    engine = run.engine
    with run.work.lent(stop):
        engine.seek(len(engine.trace), lambda _: stop())
        engine.run(max_sweeps=sweeps, on_progress=lambda _: stop())
    stop.check()


def pasts(current: Lab, stop: bc.Stop) -> dict[Branch, History]:
    """The message selected on the stage, in every run in memory that has it."""
    shown = current.run
    found = {}
    for branch in current.branches:
        run = branch.run
        arc = None if run is None else counterpart(shown.engine, shown.arc, run.engine)
        if run is not None and arc is not None:
            with run.work.lent(stop):
                found[branch] = history(run.engine, *run.engine.graph.ends(arc), POINTS, SECONDS, stop)
    return found


def measure(current: Lab, stop: bc.Stop) -> int:
    """Measure the work and the seconds of all runs in memory; returns their number."""
    measured = 0
    for branch in current.branches:
        curve, run = branch.look(), branch.run
        if run is not None:
            with run.work.lent(stop):
                branch.curve = curve if curve.has("work") else clocked(run.engine, curve, stop)
            measured += 1
    return measured
