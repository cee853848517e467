"""The finished runs of a study by what is compared: a variant on groups, a method, or an external solver."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bender_core.experiments.methods import METHODS, Method
from bender_core.experiments.outcome import GAP_CLOSED, curve_of
from bender_core.experiments.plan import Instance, Task
from bender_core.experiments.store import FinishedRun
from bender_core.variants import VARIANTS

# Energies of labellings this close, relative to their size, are equal.
SAME = 1e-9


class Contender(NamedTuple):
    """All that decides a run but the instance.

    Attributes
    ----------
    kind : str
        The number of a variant, or the name of a method.
    max_size : int
        0 if it makes no groups.
    strategy : str
        Empty where every instance has one alone, and for methods.
    schedule : str
        Empty for methods.
    """

    kind: str
    max_size: int
    strategy: str = ""
    schedule: str = ""

    @property
    def method(self) -> Method | None:
        """The method; None for a variant on groups."""
        return METHODS.get(self.kind)

    @property
    def label(self) -> str:
        """Its kind beside lines."""
        return self.kind if self.method is None else self.method.label

    @property
    def title(self) -> str:
        """What its kind means, in a few words."""
        return VARIANTS[int(self.kind)].title if self.method is None else self.method.title


class Target(NamedTuple):
    """What a run is to reach; the time at which it does is compared.

    Attributes
    ----------
    name : str
    meaning : str
        As the end of a sentence: "seconds until …".
    share : float
        For a bound, its distance to the best labelling of all runs on the instance, relative to the larger in size;
        NaN if something else is meant.
    """

    name: str
    meaning: str
    share: float = math.nan


CLOSED = Target("gap closed", "it ended with its gap closed (only proofs round LB up to a possible energy)")
NEAR = Target("bound within 0.1 %", "its bound was within 0.1 % of the best labelling of all runs", 0.001)
NEARLY = Target("bound within 1 %", "its bound was within 1 % of the best labelling of all runs", 0.01)
LABELLED = Target("best labelling", "its labelling was the best of all runs, to nine digits")

Times = Mapping[Contender, Mapping[Instance, float]]


@dataclass(frozen=True, eq=False)
class Study:
    """Finished runs, compared.

    Attributes
    ----------
    runs : sequence of FinishedRun
    tasks : sequence of Task
        All of their plan, finished or not: whether it compares strategies shows before its last run.
    """

    runs: Sequence[FinishedRun]
    tasks: Sequence[Task] = ()

    @cached_property
    def families(self) -> list[str]:
        """The families of the instances (`Instance.family`), in the order of the runs."""
        return list(dict.fromkeys(run.task.instance.family for run in self.runs))

    def of(self, family: str) -> Study:
        """The runs on one family alone."""
        if family not in self._by_family:
            mine = [run for run in self.runs if run.task.instance.family == family]
            # With all tasks, so that contenders are those of the whole study.
            self._by_family[family] = Study(mine, self.tasks or [run.task for run in self.runs])
        return self._by_family[family]

    @cached_property
    def _by_family(self) -> dict[str, Study]:
        return {}

    @cached_property
    def by_contender(self) -> dict[Contender, dict[Instance, FinishedRun]]:
        """The run of every contender on every instance, variants first, then methods in their usual order."""
        several = _strategies_differ([*(run.task for run in self.runs), *self.tasks])
        found: dict[Contender, dict[Instance, FinishedRun]] = {}
        for run in self.runs:
            found.setdefault(_contender(run, several), {})[run.task.instance] = run
        return {contender: found[contender] for contender in sorted(found, key=_place)}

    @cached_property
    def labels(self) -> dict[Contender, str]:
        """The short name of every contender, unlike those of the others (`names`)."""
        contenders = list(self.by_contender)
        return dict(zip(contenders, names(contenders), strict=True))

    @cached_property
    def best(self) -> dict[Instance, float]:
        """The least energy that any run on an instance has found; infinite if none has found any."""
        found: dict[Instance, float] = {}
        for run in self.runs:
            instance, energy = run.task.instance, run.outcome.upper_bound
            found[instance] = min(found.get(instance, math.inf), energy)
        return found

    def seconds(self, target: Target) -> Times:
        """When runs reached a target; infinite if they did not."""
        if target not in self._by_target:
            self._by_target[target] = {
                contender: {instance: _seconds(run, target, self.best[instance]) for instance, run in runs.items()}
                for contender, runs in self.by_contender.items()
            }
        return self._by_target[target]

    @cached_property
    def _by_target(self) -> dict[Target, Times]:
        return {}

    def shared(self, contenders: Iterable[Contender]) -> list[Instance]:
        """The instances on which all these contenders have run, in the order of the runs."""
        sets = [self.by_contender[contender].keys() for contender in contenders]
        return [instance for instance in self.best if all(instance in runs for runs in sets)]


def first_choice(contenders: Sequence[Contender], most: int) -> list[Contender]:
    """Contenders to begin with: all of them, or if there are more than ``most``, those that share M and the like.

    Of several M, those with the largest stay; if they are still too many, those with the first strategy, and with the
    first schedule. Methods that have no such setting stay.
    """
    chosen = list(contenders)
    for setting in ("max_size", "strategy", "schedule"):
        if len(chosen) > most:
            values = list(dict.fromkeys(filter(None, (getattr(each, setting) for each in chosen))))
            kept = max(values) if setting == "max_size" else next(iter(values), "")
            chosen = [each for each in chosen if getattr(each, setting) in (0, "", kept)]
    return chosen


def solves_most(study: Study, contenders: Sequence[Contender], target: Target) -> Contender:
    """The contender that reaches a target most often, the first of several: others are compared with it."""
    times = study.seconds(target)
    return max(contenders, key=lambda each: sum(map(math.isfinite, times[each].values())))


def names(contenders: Sequence[Contender]) -> list[str]:
    """A short name for every contender: its kind, and the settings that distinguish it from the others."""
    sizes = {contender.max_size for contender in contenders if contender.max_size}
    schedules = {contender.schedule for contender in contenders if contender.schedule}
    strategies = {contender.strategy for contender in contenders if contender.strategy}
    return [
        " · ".join(
            [contender.label]
            + [f"M {contender.max_size}"] * (len(sizes) > 1 and contender.max_size > 0)
            + [contender.strategy] * (len(strategies) > 1 and bool(contender.strategy))
            + [contender.schedule] * (len(schedules) > 1 and bool(contender.schedule))
        )
        for contender in contenders
    ]


def bounds_over_time(run: FinishedRun) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Seconds, and the best lower and upper bound until then; empty if the run never began."""
    if not run.outcome.curve:
        return np.empty(0), np.empty(0), np.empty(0)
    curve = curve_of(run.outcome.curve)
    # Curves keep their seconds in single precision, which may be after the end.
    seconds = np.minimum(curve["seconds"].astype(float), run.outcome.seconds)
    return seconds, np.maximum.accumulate(curve["lower_bound"]), np.minimum.accumulate(curve["upper_bound"])


def distances(bounds: NDArray[np.float64], energy: float) -> NDArray[np.float64]:
    """`relative_gap` between every bound and an energy; infinite for a bound above it, which cannot be true."""
    with np.errstate(invalid="ignore"):
        largest = np.maximum(np.abs(bounds), abs(energy))
        found = np.where(energy > bounds, (energy - bounds) / largest, 0.0)
        is_true = np.isfinite(largest) & (bounds <= energy + SAME * largest)
    return np.where(is_true, found, np.inf)


def _seconds(run: FinishedRun, target: Target, best: float) -> float:
    if target == CLOSED:
        is_optimal = run.outcome.status == GAP_CLOSED and run.outcome.upper_bound <= best + SAME * abs(best)
        return run.outcome.seconds if is_optimal else math.inf
    if math.isinf(best):
        return math.inf
    if target == LABELLED:
        # At its end already: most runs need no look at their curve.
        if run.outcome.upper_bound > best + SAME * abs(best):
            return math.inf
        seconds, _, upper = bounds_over_time(run)
        return first_time(seconds, upper <= best + SAME * abs(best))
    seconds, lower, _ = bounds_over_time(run)
    return first_time(seconds, distances(lower, best) <= target.share)


def first_time(seconds: NDArray[np.floating[Any]], reached: NDArray[np.bool_]) -> float:
    """The first of some seconds at which something is reached; infinite if it never is."""
    return float(seconds[np.argmax(reached)]) if reached.any() else math.inf


def _strategies_differ(tasks: Iterable[Task]) -> bool:
    """Whether some instance has runs that differ by the strategy alone."""
    found: dict[tuple[Instance, int, int, str], str] = {}
    for task in tasks:
        if task.method is None:
            one = task.instance, task.max_size, task.variant, task.schedule
            if found.setdefault(one, task.strategy) != task.strategy:
                return True
    return False


# A study has few contenders and many runs.
@lru_cache(4096)
def _contender_of(strategy: str, variant: int, max_size: int, schedule: str, several: bool) -> Contender:
    if strategy in METHODS:
        return Contender(strategy, max_size)
    return Contender(str(variant), max_size, strategy if several else "", schedule)


def _contender(run: FinishedRun, several: bool) -> Contender:
    task = run.task
    return _contender_of(task.strategy, task.variant, task.max_size, task.schedule, several)


def _place(contender: Contender) -> tuple[int, int, int, str, str]:
    order = list(METHODS).index(contender.kind) if contender.method else int(contender.kind)
    return contender.method is not None, contender.max_size, order, contender.strategy, contender.schedule
