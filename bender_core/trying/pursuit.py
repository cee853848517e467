"""Groups found by merging where a run has the most tension.

A run begins with small groups. When it stalls, the pairs that hold the most tension are merged, and it continues with
its messages, so its bound never falls. The best groups found are then improved: some of them, around an edge of much
tension, are split into single variables, which are merged anew. Source: docs/method.md §13.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from bender_core import looking
from bender_core.account import Account
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError
from bender_core.engine.settings import Settings
from bender_core.groups import Partition, manual, merge_all
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.seeds import generator
from bender_core.stopping import Stop, never
from bender_core.strategies import AUTO, PURSUIT, Tell, applicable_rules, partition, register
from bender_core.strategies.packing import filled, matching
from bender_core.trying.auto import VARIANT as TRIED
from bender_core.trying.auto import auto, candidate, candidates, choose, forests, work_of_a_choice
from bender_core.trying.effort import Effort
from bender_core.trying.trials import Trial, go_on, is_finished
from bender_core.warming import ready

# The most table entries that a search reads, and that one start reads, from its first run to its last.
WORK, START = 1 << 33, 1 << 29
# The cost of making a run, in entries that could be read meanwhile: in all, and per message.
MAKING, MAKING_A_MESSAGE = 1 << 23, 1 << 13
# Exact messages, whose bound depends on the groups alone, passed in the paper's order.
VARIANT, SCHEDULE = 12, "mplp"
# Groups are merged when a sweep gains less than the first share of the gap; the run with the final groups continues
# until it gains less than the second.
STALLED, SETTLED = 0.01, 0.003
# The share of the groups merged at a time.
AT_A_TIME = 0.2
# Runs have groups of at most this number of variables; larger groups are unions of those found.
LARGEST = 16
# Strategies whose groups are no useful start.
POOR = ("random", "singletons")
# From 2 to this many groups are split at a time; a search ends after this many failures in a row.
APART, PATIENCE = 4, 50
# How often the groups to split are also chosen for their free room: full ones can only exchange variables.
ROOMY = 0.5
# An edge without tension or room is chosen as rarely as one with this share of the maximum.
SELDOM = 1e-9
# Table entries of the first of the final trials.
TRIAL = 1 << 29
# Rows of the matrix of triangles computed at a time.
LINES = 256


def pursuit(
    mrf: BinaryMRF, max_size: int, seed: int = 0, stop: Stop = never, on_progress: Tell | None = None
) -> Partition:
    """Groups merged where tension is highest, or those of `auto` if a trial of both finds these better.

    Source: docs/method.md §13.4.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size : int
        M, the largest number of variables in a group.
    seed : int
        For the choice of groups to split, and for strategies that depend on a seed.
    stop : Stop
        Checked about every 50 ms.
    on_progress : callable, optional
        As for `partition`.

    Returns
    -------
    Partition
        Its ``reason`` is a sentence on the trials. It depends only on the model, M and the seed.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    if stop is not never:
        for variant in (VARIANT, TRIED):
            ready(variant).wait(stop)
    found, effort, last = candidates(mrf, max_size, seed, stop), Effort(stop, on_progress), work_of_a_choice(2, TRIAL)
    effort.limit(work_of_a_choice(len(found)) + WORK + last)
    usual = choose(mrf, found, effort)
    if forests(found):
        return replace(usual, strategy=PURSUIT)
    effort.limit(WORK + last)
    merged = _merged(mrf, usual, max_size, seed, effort)
    if merged is None:
        return replace(usual, strategy=PURSUIT, reason=f"{usual.reason}; merging has found no better groups")
    both = [candidate(mrf, AUTO, usual), candidate(mrf, "merged", merged)]
    effort.limit(last)
    return replace(choose(mrf, both, effort, TRIAL), strategy=PURSUIT)


def _merged(mrf: BinaryMRF, usual: Partition, max_size: int, seed: int, effort: Effort) -> Partition | None:
    """The best groups of a search; None if they are the usual ones."""
    size = _size_of_a_search(max_size)
    search = MergeSearch(mrf, size, seed, effort)
    for part, sizes in _starts(mrf, usual, size, seed, effort.stop):
        search.begin(part, sizes)
    search.improve()
    if search.best is None or search.best.partition is usual:
        return None
    groups = filled(mrf, search.best.partition, max_size, effort.stop).groups
    return manual(mrf, [np.sort(group).tolist() for group in groups])


def _size_of_a_search(max_size: int) -> int:
    """The group size whose unions fill M best."""
    if max_size <= LARGEST:
        return max_size
    return max(range(LARGEST // 2 + 1, LARGEST + 1), key=lambda size: (max_size // size * size, size))


def _starts(
    mrf: BinaryMRF, usual: Partition, size: int, seed: int, stop: Stop
) -> Iterator[tuple[Partition, list[int]]]:
    """Initial partitions, with the successive sizes up to which groups are merged."""
    yield usual if usual.largest <= size else auto(mrf, size, seed, stop), [size]
    single = partition(mrf, 1, "singletons")
    yield single, [size]
    yield single, _doubling(size)
    for strategy in applicable_rules(mrf):
        if strategy not in POOR:
            yield partition(mrf, -(-size // 2), strategy, seed, stop), [size]


def _doubling(size: int) -> list[int]:
    """Sizes up to the given one, each about twice the one before."""
    sizes = [size]
    while sizes[0] > 3:
        sizes.insert(0, -(-sizes[0] // 2))
    return sizes


class MergeSearch:
    """Runs whose groups are merged, within a budget of work.

    Attributes
    ----------
    best : Engine or None
        The run with the best bound so far.
    """

    def __init__(self, mrf: BinaryMRF, size: int, seed: int, effort: Effort) -> None:
        self.best: Engine | None = None
        self._mrf, self._size, self._effort = mrf, size, effort
        self._random = generator(seed)
        self._account = Account()
        self._left = WORK
        self._until = 0  # the work that remains at the end of the present start

    @property
    def _open(self) -> bool:
        """Whether there is work left, and a gap."""
        return self._left > 0 and (self.best is None or self.best.gap > 0)

    def begin(self, part: Partition, sizes: Sequence[int]) -> None:
        """Merge groups of a partition as long as they fit, for each size in turn.

        Does nothing if the run does not fit into memory, or if no work or no gap is left.
        """
        if not self._open:
            return
        self._until = max(self._left - START, 0)
        with suppress(TooLargeError):
            engine = self._merged(self._made(part), sizes).engine
            if self.best is None or engine.lower_bound > self.best.lower_bound:
                self.best = engine

    def improve(self) -> None:
        """Split some groups of the best run and merge them anew, again and again."""
        failed, tried = 0, set[frozenset[int]]()
        while self.best is not None and self._open and failed < PATIENCE:
            best, groups = self.best, self._around_tension(self.best)
            if groups not in tried:
                tried.add(groups)
                self.begin(_fallen_apart(best.partition, groups), [self._size])
            if self.best is best:
                failed += 1
            else:
                failed = 0
                tried.clear()

    def _merged(self, trial: Trial, sizes: Sequence[int]) -> Trial:
        stop = self._effort.stop
        self._run(trial, STALLED)
        for size in sizes:
            while self._left > self._until and trial.engine.gap and (pairs := pairs_to_merge(trial.engine, size, stop)):
                trial = self._made(merge_all(trial.engine.partition, pairs), trial.engine)
                self._run(trial, STALLED)
        self._run(trial, SETTLED)
        return trial

    def _made(self, part: Partition, start: Engine | None = None) -> Trial:
        settings = Settings(variant=VARIANT, schedule=SCHEDULE, snapshot_bytes=0)
        engine = Engine(self._mrf, part, settings, start=start, limit=self._account, stop=self._effort.stop)
        work = MAKING + 2 * MAKING_A_MESSAGE * len(engine.graph.edges)
        self._effort.count(work)
        self._left -= work
        return Trial(part.strategy, engine)

    def _run(self, trial: Trial, share: float) -> None:
        """Continue until a sweep gains less than a share of the gap."""
        before = trial.work
        self._effort.spend(go_on(trial, before + self._left - self._until, is_finished, share))
        self._left -= trial.work - before

    def _around_tension(self, engine: Engine) -> frozenset[int]:
        """The ends of an edge, chosen by tension, and the groups whose edges to them hold the most."""
        edges, graph, sizes = engine.graph.edges, engine.graph, _sizes(engine.partition)
        tension = np.maximum(looking.tension(engine).edges, 0.0)  # rounding
        weight = tension + SELDOM * tension.max()
        if self._random.random() < ROOMY:
            weight *= 2 * self._size - sizes[edges].sum(axis=1) + SELDOM
        total = weight.sum()
        chosen = self._random.choice(len(edges), p=weight / total if total > 0 else None)
        found, most = edges[chosen].tolist(), self._random.integers(2, APART + 1)
        while len(found) < most:
            near = dict[int, float]()
            for p in found:
                for q in set(graph.neighbours(p)) - set(found):
                    near[q] = near.get(q, 0.0) + tension[graph.arc(p, q) // 2]
            if not near:
                break
            found.append(max(near, key=near.__getitem__))
        return frozenset(found)


def pairs_to_merge(engine: Engine, max_size: int, stop: Stop = never) -> list[tuple[int, int]]:
    """Pairs of groups whose union holds or touches the most tension for its size, the best first.

    Parameters
    ----------
    engine : Engine
    max_size : int
        The size of the largest union.
    stop : Stop
        Checked about every 50 ms.

    Returns
    -------
    list of pairs of int
        Each group is in at most one pair; at most a fifth of the groups, but at least one pair if any fits.

    Raises
    ------
    Stopped
    """
    sizes, edges = _sizes(engine.partition), engine.graph.edges
    score = _around_edges(engine, stop) / sizes[edges].sum(axis=1)
    return matching(edges, score, sizes, max_size, most=max(1, int(AT_A_TIME * len(sizes))))


def _around_edges(engine: Engine, stop: Stop) -> FloatArray:
    """The tension of every edge, of both its ends, and of the other edges of all its triangles; energy, shape (E,)."""
    from scipy.sparse import csr_array  # slow to import, and needed only here

    edges, tension, n = engine.graph.edges, looking.tension(engine), engine.graph.n_groups
    ends = tuple(np.concatenate([edges, edges[:, ::-1]]).T)
    tensions = csr_array((np.tile(tension.edges, 2), ends), shape=(n, n))
    joined = csr_array((np.ones(2 * len(edges)), ends), shape=(n, n))
    found: FloatArray = tension.edges + tension.groups[edges].sum(axis=1)
    for first in range(0, n, LINES):
        stop.check()
        lines = slice(first, first + LINES)
        # At [p, q] the tension between p and all common neighbours of both, and between these and q.
        triangles = (tensions[lines] @ joined + joined[lines] @ tensions).toarray()
        here = (edges[:, 0] >= first) & (edges[:, 0] < first + LINES)
        found[here] += triangles[edges[here, 0] - first, edges[here, 1]]
    return found


def _sizes(part: Partition) -> IntArray:
    return np.array([len(group) for group in part.groups], np.int64)


def _fallen_apart(part: Partition, which: frozenset[int]) -> Partition:
    """The partition with the variables of some groups alone."""
    groups = [group for p, group in enumerate(part.groups) if p not in which]
    groups += [np.array([i]) for p in sorted(which) for i in part.groups[p].tolist()]
    return Partition(tuple(groups), tuple(f"g{p}" for p in range(len(groups))))


register(PURSUIT, pursuit)
