"""The choice of a partition: a short trial of each candidate, counted in work, not seconds, and judged by its bound.

The couplings inside groups say little about the frustrated cycles that a partition breaks; a few sweeps show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from bender_core.account import memory_limit
from bender_core.engine.coupled import coupled, entries_of_updates
from bender_core.engine.engine import Engine
from bender_core.engine.memory import WORD
from bender_core.engine.memory_needed import required_bytes
from bender_core.engine.settings import Settings
from bender_core.groups import Partition, halve
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.strategies import AUTO, Quality, Tell, applicable_rules, quality, register
from bender_core.strategies.rules import BY_RULE
from bender_core.trying.effort import Effort
from bender_core.trying.trials import Trial, best_of, go_on, is_finished
from bender_core.warming import ready

# Table entries that every trial reads, about 50 ms; then the FINALISTS with the best bounds read LONGER times more.
WORK = 1 << 26
FINALISTS, LONGER = 4, 3
# The variant and schedule of trials: rows, and the schedule that distinguishes partitions soonest.
VARIANT, SCHEDULE = 9, "srmp"
# The results of these strategies vary with the seed; several seeds are tried.
SEEDS = {"community": 2, "random": 2}
# A trial of larger groups begins with parts of up to this number of variables.
SMALL = 10
# A candidate is tried if its sweep reads at most DEARER times the median number of entries, and its tables have at most
# HEAVY times the entries of a trial, so that making them takes no longer.
DEARER, HEAVY = 10, 0.25
# Bounds within this share of the gap (of the bound, if the gap is closed) of the best are as good as the best.
AS_GOOD, ROUNDING = 1e-3, 1e-9
# If nothing can be tried, partitions that keep as much coupling as the best, up to this share, are as good.
AS_MUCH = 0.01


@dataclass(frozen=True, eq=False)
class Candidate:
    """A partition that may be chosen, and its properties before a trial."""

    name: str
    part: Partition
    found: Quality
    least: int  # bytes of a run at its start
    entries: int  # read by a sweep, at least

    @property
    def order(self) -> tuple[int, int]:
        """The order among equally good candidates: fewest cycles, then the cheapest sweep."""
        return self.found.cycles, self.entries

    @property
    def tables(self) -> float:
        """The number of table entries of a run."""
        return self.least / WORD


@dataclass(frozen=True)
class TrialResult:
    """The result of a candidate's trial; energies."""

    candidate: Candidate
    lower: float
    upper: float
    closed: bool


def auto(
    mrf: BinaryMRF, max_size: int, seed: int = 0, stop: Stop = never, on_progress: Tell | None = None
) -> Partition:
    """The partition with the best bound after a short trial, among all applicable strategies.

    A forest, on which the bound becomes exact, is chosen without a trial, the cheapest if there are several. A
    partition whose trial closes the gap ends the search. Source: docs/method.md §13.1.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size : int
        M, the largest number of variables in a group.
    seed : int
        The seed of strategies that depend on one.
    stop : Stop
        Checked between candidates and about every 50 ms of a trial.
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
        ready(VARIANT).wait(stop)
    found, effort = candidates(mrf, max_size, seed, stop), Effort(stop, on_progress)
    effort.limit(work_of_a_choice(len(found)))
    return choose(mrf, found, effort)


def choose(mrf: BinaryMRF, found: Sequence[Candidate], effort: Effort, work: int = WORK) -> Partition:
    """As `auto`, among the given candidates (at least one), in trials of that many table entries."""
    if exact := forests(found):
        return _chosen(min(exact, key=lambda one: one.order), "its groups form no cycle")
    usual = median_low(one.entries for one in found)
    fitting = [one for one in found if one.least <= memory_limit() and one.tables <= HEAVY * work]
    worth = [one for one in fitting if one.entries <= DEARER * usual]
    if not worth:
        return _chosen(_predicted(found), "groups are too large for a trial")
    trials = _trials(mrf, worth, work, effort)
    if not trials[-1].closed:
        finalists = [trial.candidate for trial in sorted(trials, key=lambda trial: -trial.lower)[:FINALISTS]]
        longer = _trials(mrf, finalists, LONGER * work, effort)
        again = {trial.candidate for trial in longer}
        trials = [trial for trial in trials if trial.candidate not in again] + longer
    best = _best(trials)
    return _chosen(best.candidate, _comparison(best, trials, len(found)))


def work_of_a_choice(count: int, work: int = WORK) -> int:
    """The most table entries that the trials of ``count`` candidates read."""
    return (count + min(count, FINALISTS) * LONGER) * work


def forests(found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates on which the bound becomes exact, and whose tables fit into memory."""
    return [one for one in found if not one.found.cycles and one.least <= memory_limit()]


def _predicted(among: Sequence[Candidate]) -> Candidate:
    """The candidate with the fewest cycles among those that keep most of the relevant coupling."""
    most = max(one.found.covered for one in among)
    return min((one for one in among if one.found.covered >= most - AS_MUCH), key=lambda one: one.order)


def candidates(mrf: BinaryMRF, max_size: int, seed: int = 0, stop: Stop = never) -> list[Candidate]:
    """The partitions by all applicable strategies, with all their seeds; of equal ones the first.

    Singletons are a refinement of all others, whose final bound is no worse; they count only if they form a forest.
    """
    found: list[Candidate] = []
    seen: set[frozenset[tuple[int, ...]]] = set()
    for name in applicable_rules(mrf):
        for k in range(SEEDS.get(name, 1)):
            stop.check()
            part = BY_RULE[name](mrf, max_size, seed + k, stop)
            groups = frozenset(tuple(group.tolist()) for group in part.groups)
            if groups not in seen:
                seen.add(groups)
                found.append(candidate(mrf, name if k == 0 else f"{name} (seed {seed + k})", part))
    return [one for one in found if one.part.largest == max_size or one.part.largest > 1 or not one.found.cycles]


def candidate(mrf: BinaryMRF, name: str, part: Partition) -> Candidate:
    """A partition with the properties known without a run."""
    entries = int(entries_of_updates(coupled(mrf, part)).sum())
    return Candidate(name, part, quality(mrf, part), required_bytes(mrf, part, VARIANT), entries)


def _trials(mrf: BinaryMRF, tried: Sequence[Candidate], work: int, effort: Effort) -> list[TrialResult]:
    """Trials of the same work, one after the other, until one closes the gap."""
    done = list[TrialResult]()

    def note(trial: Trial) -> None:
        engine = trial.engine
        done.append(TrialResult(tried[len(done)], engine.lower_bound, engine.upper_bound, _is_closed(trial)))

    begun = (_begun(mrf, one, work, effort) for one in tried)
    effort.spend(best_of(begun, work, _is_closed, keep=0, note=note))
    return done


def _is_closed(trial: Trial) -> bool:
    return trial.engine.gap == 0.0


def _begun(mrf: BinaryMRF, one: Candidate, work: int, effort: Effort) -> Trial:
    """The run of a trial; with large groups it continues a run on their parts, which does a quarter of the work.

    The first sweep of large groups may exceed the work of a trial, and during it the bound of a run that began with
    zero messages means little.
    """
    parts, stop = one.part, effort.stop
    while parts.largest > SMALL:
        parts = halved(mrf, parts, stop)
    settings = Settings(variant=VARIANT, schedule=SCHEDULE, snapshot_bytes=0)
    trial = Trial(one.name, Engine(mrf, parts, settings, stop=stop))
    if parts is one.part:
        return trial
    effort.spend(go_on(trial, work // 4, is_finished))
    return Trial(one.name, Engine(mrf, one.part, settings, start=trial.engine, stop=stop), work=work // 4)


def halved(mrf: BinaryMRF, part: Partition, stop: Stop = never) -> Partition:
    """The partition with its larger groups split into weakly coupled halves."""
    largest = part.largest
    large = [p for p, group in enumerate(part.groups) if 2 * len(group) > largest + 1]
    return halve(mrf, part, large, stop)


def _best(trials: Sequence[TrialResult]) -> TrialResult:
    """The trial that closes the gap, or else the one with the fewest cycles among those with about the best bound."""
    if trials[-1].closed:
        return trials[-1]
    lower, upper = max(trial.lower for trial in trials), min(trial.upper for trial in trials)
    enough = lower - max(AS_GOOD * (upper - lower), ROUNDING * abs(lower))
    return min((trial for trial in trials if trial.lower >= enough), key=lambda trial: trial.candidate.order)


def _comparison(best: TrialResult, trials: Sequence[TrialResult], count: int) -> str:
    others = [
        f"{trial.candidate.name} {trial.lower:.6g}"
        for trial in sorted(trials, key=lambda trial: -trial.lower)
        if trial is not best
    ]
    what = "closes the gap in a short trial" if best.closed else f"bound {best.lower:.6g} after a short trial"
    text = f"{what}; {', '.join(others)}" if others else what
    left = count - len(trials)
    return f"{text}; {left} not tried" if left else text


def _chosen(candidate: Candidate, why: str) -> Partition:
    found = candidate.found
    reason = (
        f"{candidate.name}: {why}; {_percent(found.covered)} of the relevant coupling lies inside groups "
        f"({_percent(found.inside)}) or on a forest that joins them, {_cycles(found.cycles)} left"
    )
    return Partition(candidate.part.groups, candidate.part.labels, AUTO, reason)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _cycles(count: int) -> str:
    return "1 cycle" if count == 1 else f"{count or 'no'} cycles"


register(AUTO, auto)
