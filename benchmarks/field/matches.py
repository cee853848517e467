"""What the runs on an instance say: who has the best bound and the best labelling, and who proves first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bender_core.engine.gap import is_closed
from bender_core.experiments import FinishedRun, Instance
from bender_core.experiments.methods import METHODS, Method
from bender_core.experiments.outcome import GAP_CLOSED
from bender_core.forms.normal_form import to_normal_form
from bender_core.forms.scale import energy_scale, gap_scale

# The default of `bc.solve`.
OURS = "proof"


@dataclass(frozen=True)
class Match:
    """The runs on one instance.

    Attributes
    ----------
    name : str
        Of the instance.
    n, couplings : int
        Of its variables, and of its edges.
    scale : float
        The energy at stake where it says whether two energies are equal (`forms.scale.gap_scale`).
    runs : dict of str to FinishedRun
        By the names of their methods; ours is one of them.
    """

    name: str
    n: int
    couplings: int
    scale: float
    runs: Mapping[str, FinishedRun]

    @property
    def ours(self) -> FinishedRun:
        """The run of our default."""
        return self.runs[OURS]

    @property
    def others(self) -> list[FinishedRun]:
        """All other runs, in the order of the plan."""
        return [run for name, run in self.runs.items() if name != OURS]

    @property
    def energy(self) -> float:
        """The least energy of all labellings; infinite if there is none."""
        return min(run.outcome.upper_bound for run in self.runs.values())

    @property
    def highest(self) -> float:
        """The best bound; minus infinity if there is none."""
        return max(map(self.bound, self.runs.values()))

    def are_equal(self, one: float, other: float) -> bool:
        """Whether two energies are equal, as far as rounding tells."""
        return one == other or is_closed(min(one, other), max(one, other), self.scale)

    def is_false(self, run: FinishedRun) -> bool:
        """Whether a run claims a bound above the energy of a labelling that is known."""
        claimed = _claimed(run)
        return claimed > self.energy and not self.are_equal(claimed, self.energy)

    def bound(self, run: FinishedRun) -> float:
        """The bound of a run; minus infinity if it has none, or a false one."""
        return -math.inf if self.is_false(run) else _claimed(run)

    def is_proven(self, run: FinishedRun) -> bool:
        """Whether a run has proven that its labelling is optimal."""
        return run.outcome.status == GAP_CLOSED and not self.is_false(run)

    def has_best_bound(self, run: FinishedRun) -> bool:
        """Whether no bound is better than that of a run."""
        return math.isfinite(self.highest) and self.are_equal(self.bound(run), self.highest)

    def has_best_energy(self, run: FinishedRun) -> bool:
        """Whether no labelling is better than that of a run."""
        return math.isfinite(self.energy) and self.are_equal(run.outcome.upper_bound, self.energy)

    @property
    def better_bound(self) -> FinishedRun | None:
        """The other run with the best bound, if that is better than ours."""
        return None if self.has_best_bound(self.ours) else _best(self.others, self.has_best_bound)

    @property
    def better_energy(self) -> FinishedRun | None:
        """The other run with the best labelling, if that is better than ours."""
        return None if self.has_best_energy(self.ours) else _best(self.others, self.has_best_energy)

    @property
    def first_other(self) -> FinishedRun | None:
        """The other run that proves first; None if none proves."""
        return min(filter(self.is_proven, self.others), key=seconds_of, default=None)

    @property
    def only_theirs(self) -> FinishedRun | None:
        """The other run that proves first, if ours does not prove."""
        return None if self.is_proven(self.ours) else self.first_other

    @property
    def sooner(self) -> FinishedRun | None:
        """The other run that proves first, if ours proves later."""
        first = self.first_other
        is_later = first is not None and self.is_proven(self.ours) and seconds_of(first) < seconds_of(self.ours)
        return first if is_later else None


def method_of(run: FinishedRun) -> Method:
    """The method of a run, which has one."""
    return METHODS[run.task.strategy]


def building_of(run: FinishedRun) -> float:
    """The seconds in which an external solver built its form of the model; 0 for a method of ours."""
    return run.outcome.building if method_of(run).package else 0.0


def seconds_of(run: FinishedRun) -> float:
    """The seconds of a run, those of `building_of` included."""
    return run.outcome.seconds


def _claimed(run: FinishedRun) -> float:
    """The bound that a run claims: where it claims a proof, the energy of its labelling."""
    return run.outcome.upper_bound if run.outcome.status == GAP_CLOSED else run.outcome.lower_bound


def _best(runs: Iterable[FinishedRun], is_best: Callable[[FinishedRun], bool]) -> FinishedRun | None:
    return next(filter(is_best, runs), None)


def name_of(instance: Instance) -> str:
    """The name of a file, or a family with what differs from its defaults: ``ising_grid 20×20 torus``."""
    if not instance.made:
        return Path(instance.source).stem
    return instance.title if dict(instance.values).get("seed") else instance.family


def matches(runs: Iterable[FinishedRun]) -> Iterator[Match]:
    """The runs of a plan, instance by instance."""
    found: dict[Instance, dict[str, FinishedRun]] = {}
    for run in runs:
        found.setdefault(run.task.instance, {})[run.task.strategy] = run
    for instance, by_method in found.items():
        mrf = instance.load()
        scale = gap_scale(energy_scale(mrf), to_normal_form(mrf).rounding)
        yield Match(name_of(instance), mrf.n, mrf.n_edges, scale, by_method)
