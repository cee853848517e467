"""The runs of a session on one model: those that were begun, and those that have forked from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, pairwise

import numpy as np

import bender_core as bc
from bender_core.engine.carrying import owners
from bender_core.forms.reduction import GONE
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import never
from bender_core.trying.change import Change, Fork
from bender_core.trying.lineage import Lineage
from bender_core.visualization.forks import Axis, Curve, curve_of
from bender_core.visualization.layout import continued_layout, hypergraph_layout, variable_layout
from pages._shared.running.watched import WatchedRun


@dataclass(eq=False)
class Branch:
    """A run of the model, or a fork of one.

    Attributes
    ----------
    name : str
    cause : str
        The change, in words.
    lineage : Lineage
        From which it can be made again.
    parent : Branch or None
        The run that it forked from; None if it was begun with settings of its own.
    run : WatchedRun or None
        None once its memory has been freed.
    curve : Curve
        Its bounds, as of the last call of `look`.
    """

    name: str
    cause: str
    lineage: Lineage
    parent: Branch | None
    run: WatchedRun | None
    curve: Curve
    variables: int  # of its model
    decided_in: IntArray  # for each variable of the whole model the earlier chapter that decided it, from 1; else 0
    lower_before: float = -math.inf  # the bound of its parent at the fork, or by cycles, energy
    proven: float = -math.inf  # the bound by cycles before it, energy
    end: int | None = None  # the position at which a proof ended in it
    position: int = 0  # the last one shown before its memory was freed
    places: FloatArray | None = None  # of its groups, as `places_of` has them
    settings: dict[str, str] = field(init=False)  # in words, by name: M, strategy, variant and schedule
    number: int = field(init=False, default_factory=count(1).__next__)  # no other run of this server has it

    def __post_init__(self) -> None:
        assert self.run is not None
        engine = self.run.engine
        self.settings = {
            "M": f"M {self.max_size}",
            "strategy": engine.partition.strategy,
            "variant": f"variant {engine.variant.number}",
            "schedule": engine.settings.schedule,
        }

    @property
    def event(self) -> int:
        """The event of its parent after which it forked."""
        return self.lineage.forks[-1].event if self.lineage.forks else 0

    @property
    def depth(self) -> int:
        """The number of forks that led to it."""
        return len(self.lineage.forks)

    @property
    def max_size(self) -> int:
        """The M requested last."""
        changes = [fork.change for fork in self.lineage.forks]
        sizes = [change.pack if change.by_strategy is None else change.by_strategy.max_size for change in changes]
        return next((size for size in reversed(sizes) if size is not None), self.lineage.max_size)

    def let_go(self) -> None:
        """Free the memory of its run."""
        run = self.run
        self.look()
        if run is not None:
            run.halt()
            self.position, self.run = run.position, None

    def look(self) -> Curve:
        """Its bounds, as far as it has been computed."""
        run = self.run
        if run is not None and not run.running and len(run.engine.trace) > self.curve.events[-1]:
            self.curve = curve_of(run.engine, run.opening)
        return self.curve

    def begins(self, axis: Axis) -> float:
        """Its beginning on an axis: where it forked."""
        return 0.0 if self.parent is None else self.parent.begins(axis) + self.parent.curve.at(axis, self.event)

    def comes_from(self, other: Branch) -> bool:
        """Whether it is the other one or a descendant of it."""
        return self is other or (self.parent is not None and self.parent.comes_from(other))


@dataclass(eq=False)
class ForkRequest:
    """A fork that is asked for."""

    change: Change
    position: int  # of the run
    begun: bool = False
    made: bc.Engine | None = None  # until it is shown: nothing else may keep its memory


@dataclass(frozen=True)
class ForkedFrom:
    """The run that was shown before, from which the one that is shown has forked."""

    number: int  # of that run
    passage: Passage


class Branches:
    """All runs: trees of forks, in the order in which their roots were begun.

    Parameters
    ----------
    lineage : Lineage
        The lineage of the first run.
    run : WatchedRun

    Attributes
    ----------
    shown : Branch
        The one that the pages show.
    tip : Branch
        Where the line of chapters that the stage goes through ends: what is shown leads to it.
    before : Branch or None
        The run that was shown before the present one was begun.
    beside : Branch or None
        The run that is shown beside it.
    placed_at : int or None
        The position of the run shown beside which that was placed; None if it has a place of its own.
    request : ForkRequest or None
        The next fork.
    forked_from : ForkedFrom or None
        From where, if what is shown begins with a fork.
    called : int
        The number of the run that was requested below the stage, which comes into sight; -1 if none was.
    since : int
        The number that the first run had on the stage: what has a higher one is of this model as well.
    """

    def __init__(self, lineage: Lineage, run: WatchedRun, since: int) -> None:
        self._whole = run.engine.mrf
        self._all: list[Branch] = []
        self._begun = self._forked = 0
        self.shown = self.tip = self.begin(lineage, run)
        self.before: Branch | None = None
        self.beside: Branch | None = None
        self.placed_at: int | None = None
        self.request: ForkRequest | None = None
        self.forked_from: ForkedFrom | None = None
        self.called, self.since = -1, since

    def begin(self, lineage: Lineage, run: WatchedRun) -> Branch:
        """Add a run that has forked from none."""
        self._begun += 1
        name = "first run" if self._begun == 1 else f"run {self._begun}"
        open_still, curve = np.zeros(self._whole.n, np.int64), curve_of(run.engine, run.opening)
        found = Branch(name, "", lineage, None, run, curve, self._whole.n, open_still)
        self._all.append(found)
        return found

    def __iter__(self) -> Iterator[Branch]:
        """Depth first: every branch follows its parent and precedes its own forks."""
        for branch in self._all:
            if branch.parent is None:
                yield from self._below(branch)

    def __len__(self) -> int:
        return len(self._all)

    def _below(self, branch: Branch) -> Iterator[Branch]:
        yield branch
        for other in self._all:
            if other.parent is branch:
                yield from self._below(other)

    @property
    def chapters(self) -> list[Branch]:
        """The runs that lead to the tip, the first one first: each ends where the next one forks."""
        found = [self.tip]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]

    @property
    def following(self) -> Branch | None:
        """The chapter after the one shown; None after the last one."""
        chapters = self.chapters
        return next((each for before, each in pairwise(chapters) if before is self.shown), None)

    @cached_property
    def variable_places(self) -> FloatArray:
        """Positions of the whole model's variables in the unit square, shape (n, 2)."""
        return variable_layout(self._whole)

    @property
    def charged(self) -> int:
        """Bytes of all runs."""
        runs = [branch.run for branch in self._all]
        return sum(run.engine.arrays.charges.used for run in runs if run is not None)

    def add(self, *branches: Branch) -> Branch:
        """Add runs that forked one from the next, the first of them from a run of the tree; returns the last."""
        for branch in branches:
            self._forked += 1
            branch.name = f"fork {self._forked}"
            self._all.append(branch)
        return branches[-1]

    def forget(self, branch: Branch) -> None:
        """Remove a branch and its descendants; the run shown and its ancestors cannot be removed."""
        if self.shown.comes_from(branch):
            raise ValueError(f"{branch.name} is needed by the run that is shown")
        for other in [other for other in self._all if other.comes_from(branch)]:
            # Buttons of the page drawn last may still refer to it.
            other.let_go()
            self._all.remove(other)
        if self.tip not in self._all:
            self.tip = self.shown
        if self.before not in self._all:
            self.before = None
        if self.beside not in self._all:
            self.beside = None

    def clear(self) -> None:
        """Keep no run's memory: another model is opened, and buttons of the page drawn last may refer to these."""
        self.beside = None
        for branch in self._all:
            branch.let_go()

    def adopt(self, former: Branches, are_same: Callable[[Branch, Branch], bool]) -> None:
        """Add the runs that the session had on this model before, without memory; those that are here stay."""
        here: dict[Branch, Branch] = {}
        for branch in former:
            found = next((each for each in self._all if are_same(each, branch)), None)
            if found is not None:
                found.name = branch.name
            else:
                branch.parent = None if branch.parent is None else here[branch.parent]
                self._all.append(branch)
            here[branch] = found or branch
        for other in self._all:
            if other not in here.values():
                other.name = f"{other.name} of this address"
        self._begun, self._forked = max(self._begun, former._begun), max(self._forked, former._forked)

    def finish(self, end: int, stop: bc.Stop = never) -> None:
        """Run the last chapter on to where a proof has ended in it.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        """
        tip, run = self.tip, self.tip.run
        assert run is not None
        run.engine.run(max_events=end, on_progress=lambda _: stop())
        stop.check()
        tip.end = run.until = run.seen = min(end, len(run.engine.trace))

    def with_room(self, make: Callable[[], bc.Engine], needed: Branch | None = None) -> bc.Engine:
        """Make a run; if it does not fit, the memory of runs that are neither shown nor needed is let go first."""
        try:
            return make()
        except bc.TooLargeError:
            if not self.let_go(needed):
                raise
        return make()

    def let_go(self, needed: Branch | None = None) -> bool:
        """Free the memory of runs that are not on the stage; they can be made again.

        Parameters
        ----------
        needed : Branch, optional
            One whose memory is kept.

        Returns
        -------
        bool
            Whether memory was freed.
        """
        kept = (self.shown, self.beside, needed)
        found = [branch for branch in self._all if branch not in kept and branch.run is not None]
        for branch in found:
            branch.let_go()
        return bool(found)


def branch_of(parent: Branch, fork: Fork, engine: bc.Engine) -> Branch:
    """A run that forked from another, as a branch that is not yet in a tree.

    Parameters
    ----------
    parent : Branch
        Its run is in memory.
    fork : Fork
    engine : Engine
        At its beginning.
    """
    before = parent.run
    assert before is not None
    old, run = before.engine, WatchedRun(engine)
    arc = same_message(old, before.arc, engine)
    run.arc, run.pinned = arc or 0, before.pinned and arc is not None
    cause = fork.change.words(old.partition, leaving_words(old, engine))
    places = continued_layout(places_of(parent), group_before(old, engine), engine.partition)
    lower = old.trace[fork.event - 1].lower_bound if fork.event else before.opening[0]
    lineage, curve = parent.lineage.forked(*fork), curve_of(engine, run.opening)
    is_new = (engine.whole.home == GONE) & (parent.decided_in == 0)
    decided_in = np.where(is_new, parent.depth + 1, parent.decided_in)
    proven = engine.arrays.proven.lower_bound
    known = max(lower, proven), proven
    return Branch("", cause, lineage, parent, run, curve, engine.mrf.n, decided_in, *known, places=places)


def unlike(branch: Branch, other: Branch) -> str:
    """What distinguishes another run from a run, in words: the settings that differ, or else its name."""
    mine = branch.settings
    return ", ".join(text for name, text in other.settings.items() if text != mine[name]) or other.name


def places_of(branch: Branch) -> FloatArray:
    """Positions of a branch's groups in the unit square, shape (G, 2); they depend on its lineage alone.

    The first run's groups are laid out on the first call, when its run is in memory. The groups of a fork begin at the
    positions of the groups that they come from.
    """
    run = branch.run
    if branch.places is None:
        assert run is not None
        branch.places = hypergraph_layout(run.engine.mrf, branch.lineage.partition)
    return branch.places


def counterpart(shown: bc.Engine, arc: int, other: bc.Engine) -> int | None:
    """The message of another run that corresponds to one of the run shown; None if there is none, or more than one."""
    found = same_message(shown, arc, other)
    if found is not None:
        return found
    owner = group_owners(other, shown)
    if owner is None or arc >= 2 * len(shown.graph.edges):
        return None
    # Arcs 2 e and 2 e + 1 go into the first and the second end of edge e.
    ends = owner[other.graph.edges]
    into = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2)
    united = np.flatnonzero((into == shown.graph.ends(arc)).all(axis=1))
    return int(united[0]) if len(united) == 1 else None


def same_message(old: bc.Engine, arc: int, new: bc.Engine) -> int | None:
    """The message of a fork between the groups that contain the two groups of an old message; None if there is none."""
    owner = group_owners(old, new)
    if owner is None or arc >= 2 * len(old.graph.edges):
        return None
    p, q = (int(owner[end]) for end in old.graph.ends(arc))
    return None if p == q or GONE in (p, q) or q not in new.graph.neighbours(p) else new.graph.arc(p, q)


def home_of(old: bc.Engine, new: bc.Engine) -> IntArray:
    """The variable of a fork of a run that decides each variable of that run, shape (n,); -1: its value is known."""
    return np.asarray(new.whole.home[old.whole.deciders])


def group_before(old: bc.Engine, new: bc.Engine) -> IntArray:
    """The group of a run that each variable of a fork of it comes from, shape (n,)."""
    return old.partition.group_of()[old.whole.home[new.whole.deciders]]


def leaving_words(old: bc.Engine, new: bc.Engine) -> str:
    """The variables of a run that are not in its fork, in words."""
    n, gone = old.mrf.n, old.mrf.n - new.mrf.n
    decided = int(np.count_nonzero(home_of(old, new) == GONE))
    if not gone:
        return "no variable leaves the model"
    if 0 < decided < gone:
        return f"{gone} of {n} variables leave the model ({decided} decided, {gone - decided} tied to others)"
    return f"{gone} of {n} variables are {'decided' if decided else 'tied to others'} and leave the model"


def group_owners(old: bc.Engine, new: bc.Engine) -> IntArray | None:
    """The group of one run of a tree that contains what is left of each group of another.

    Returns
    -------
    ndarray of int64, shape (G,), or None
        -1 where nothing is left; None if some group lies in several.
    """
    return owners(old.partition, new.partition, home_of(old, new))


@dataclass(frozen=True)
class Passage:
    """How the groups of a run become those of a fork of it.

    Attributes
    ----------
    owner : tuple of int
        For each of its groups the one that contains it in the fork; -1: nothing of it is left, or it lies in several.
    leaving : tuple of quadruples of int
        Variables that leave their group: the group, the bit of its states, and in the fork the group and the bit of the
        variable, or of the one that it is tied to; -1 and 0 if it is decided.
    """

    owner: tuple[int, ...]
    leaving: tuple[tuple[int, int, int, int], ...]


def passage(old: bc.Engine, new: bc.Engine) -> Passage:
    """How the groups of a run become those of a fork of it."""
    home = home_of(old, new)
    group_of, bit_of = np.append(new.partition.group_of(), GONE), np.append(new.partition.bit_of(), 0)
    # The variables that are still open; tied ones follow one of these.
    stays = np.zeros(old.mrf.n, bool)
    stays[old.whole.home[new.whole.deciders]] = True
    to, place, owner, leaving = group_of[home], bit_of[home], [], []
    for p, group in enumerate(old.partition.groups):
        homes = np.unique(to[group[stays[group]]])
        owner.append(int(homes[0]) if len(homes) == 1 else GONE)
        leaving += [(p, k, int(to[i]), int(place[i])) for k, i in enumerate(group) if not stays[i] or to[i] != owner[p]]
    return Passage(tuple(owner), tuple(leaving))
