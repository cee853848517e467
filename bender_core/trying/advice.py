"""What would help: changes of a run, each tried on a fork with the same work, and ranked by gain.

Only a trial shows whether a change raises the bound. Source: docs/method.md §13.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from bender_core import looking
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError
from bender_core.engine.rows import RowAt
from bender_core.groups import LARGEST_GROUP, Partition, merge_all
from bender_core.kernels.layout import RowKind, Status
from bender_core.model import FloatArray
from bender_core.stopping import Stop, never
from bender_core.strategies import applicable_rules, partition
from bender_core.strategies.packing import pairs_to_unite
from bender_core.trying.change import ByStrategy, Change
from bender_core.trying.effort import Effort
from bender_core.trying.trials import Trial, go_on, is_finished
from bender_core.variants import SCHEDULES

# The default work of a trial: that of some sweeps of the run, or a share of its work so far if that is more, as merged
# and new groups need time; but at most MOST table entries, which take about a second.
SWEEPS, SHARE, MOST = 5, 0.5, 1 << 31
# The number of edges of most tension whose ends are merged, and to which rows are added.
MERGED, ADDED = 4, 1
# Envelopes are made tight at this many times as many states.
DEEPER = 8


@dataclass(frozen=True, eq=False)
class Remedy:
    """A change that was tried.

    Source: docs/method.md §13.3.

    Attributes
    ----------
    name : str
        The change, in words.
    change : Change
    gained : float
        The lower bound of the fork at the end of the trial less that of the run, energy; negative only where the fork
        began without the run's messages.
    work : int
        Table entries read by the fork.
    bytes : int
        Memory of the fork at the end.
    closed : bool
        Whether it has closed the gap.
    """

    name: str
    change: Change
    gained: float
    work: int
    bytes: int
    closed: bool

    @property
    def rate(self) -> float:
        """The gain per table entry, energy."""
        return self.gained / max(self.work, 1)


def what_would_help(engine: Engine, work: int | None = None, stop: Stop = never) -> list[Remedy]:
    """Changes of a run at its position, tried and ranked, the best first.

    Tried are: more sweeps as before; deeper envelopes; the other schedule; merging the ends of the edges that hold
    the most tension, and the triangle around the first of them; a row on that edge at the best labelling; all groups
    united in pairs; and partitions by other strategies, which begin without messages. Changes that do not fit into
    memory are left out.
    Source: docs/method.md §13.3.

    Parameters
    ----------
    engine : Engine
        It does not change.
    work : int, optional
        Table entries of every trial; by default those of five more sweeps, or half of those that the run has read so
        far, if that is more and takes no longer than about a second.
    stop : Stop
        Checked about every 50 ms.

    Returns
    -------
    list of Remedy
        Those that close the gap first, then by gain per entry; none if the gap is closed already.

    Raises
    ------
    Stopped
        If ``stop`` says so; `remedies` yields the results up to then.

    Examples
    --------
    >>> import bender_core as bc
    >>> mrf = bc.load("sample_instances/frustrated-cycle.mrf.json")
    >>> engine = bc.Engine(mrf, bc.partition(mrf, max_size=1), max_sweeps=20)
    >>> engine.run()
    True
    >>> best = what_would_help(engine)[0]
    >>> best.name, best.gained > 0
    ('the schedule srmp', True)
    """
    return ranked(remedies(engine, work, stop))


def ranked(tried: Iterable[Remedy]) -> list[Remedy]:
    """Changes that close the gap come first, then by gain per entry."""
    return sorted(tried, key=lambda remedy: (not remedy.closed, -remedy.rate))


def remedies(engine: Engine, work: int | None = None, stop: Stop = never) -> Iterator[Remedy]:
    """As `what_would_help`, one by one, in the order of the trials."""
    if engine.gap == 0.0:
        return
    work = usual_work(engine, stop) if work is None else work
    for change in _changes(engine, stop):
        try:
            yield _tried(engine, change, work, stop)
        except TooLargeError:
            continue


def usual_work(engine: Engine, stop: Stop = never) -> int:
    """The table entries of a trial, by default.

    Source: docs/method.md §13.3.

    Parameters
    ----------
    engine : Engine
    stop : Stop
        Checked about every 50 ms.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    fork = engine.fork(stop=stop)
    fork.run(max_sweeps=1, on_progress=lambda _: stop())
    stop.check()
    done = looking.work(engine)
    return max(SWEEPS * max(fork.entries_read, 1), min(int(SHARE * (done.messages.sum() + done.rest)), MOST))


def _tried(engine: Engine, change: Change, work: int, stop: Stop) -> Remedy:
    stop.check()
    trial = Trial(change.words(engine.partition), change.fork(engine, stop), change)
    Effort(stop).spend(go_on(trial, work, is_finished))
    fork = trial.engine
    gained, closed = fork.lower_bound - engine.lower_bound, fork.status == Status.GAP_CLOSED
    return Remedy(trial.name, change, gained, trial.work, fork.arrays.charges.used, closed)


def _changes(engine: Engine, stop: Stop) -> Iterator[Change]:
    yield Change()
    if not engine.variant.exact:
        yield Change(deepest=min(DEEPER * engine.settings.deepest, 1 << LARGEST_GROUP))
    (other,) = (schedule for schedule in SCHEDULES if schedule != engine.settings.schedule)
    yield Change(schedule=other)
    yield from _local(engine)
    mrf, part = engine.mrf, engine.partition
    tried = [part]
    pairs = pairs_to_unite(mrf, part)
    if len(pairs) > 1:
        yield Change(merge=tuple(pairs))
        tried.append(merge_all(part, pairs))
    for strategy in applicable_rules(mrf):
        stop.check()
        made = partition(mrf, part.largest, strategy, stop=stop)
        if not any(_same(made, one) for one in tried):
            tried.append(made)
            yield Change(by_strategy=ByStrategy(part.largest, strategy))


def _local(engine: Engine) -> Iterator[Change]:
    """Changes at the edges that hold the most of the gap."""
    edges, tension = engine.graph.edges, looking.tension(engine).edges
    ranked = edges[np.argsort(-tension, kind="stable")].tolist()
    merged = [(p, q) for p, q in ranked if _fits(engine, p, q)][:MERGED]
    for pair in merged:
        yield Change(merge=(pair,))
    if merged and (third := _third(engine, tension, *merged[0])) is not None:
        p, q = merged[0]
        yield Change(merge=((p, q), (p, third)))
    if engine.variant.exact:
        return
    states = engine.graph.states(engine.labeling)
    for p, q in ranked[:ADDED]:
        for receiver, sender in ((p, q), (q, p)):
            yield Change(rows=(RowAt(receiver, sender, int(states[receiver]), RowKind.RMC),))


def _third(engine: Engine, tension: FloatArray, p: int, q: int) -> int | None:
    """The common neighbour whose edges to both hold the most tension, if the union of all three is small enough."""
    graph = engine.graph
    both = [s for s in graph.neighbours(p) if s in graph.neighbours(q) and _fits(engine, p, q, s)]
    tensions = [tension[graph.arc(p, s) // 2] + tension[graph.arc(q, s) // 2] for s in both]
    return both[int(np.argmax(tensions))] if both else None


def _fits(engine: Engine, *groups: int) -> bool:
    return sum(len(engine.partition.groups[p]) for p in groups) <= LARGEST_GROUP


def _same(one: Partition, other: Partition) -> bool:
    """Whether two partitions have the same groups, in any order."""
    first, second = ({frozenset(group.tolist()) for group in part.groups} for part in (one, other))
    return first == second
